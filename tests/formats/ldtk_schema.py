"""A reduced JSON Schema of LDtk 1.5.3 projects: the keys that the editor requires, with types from ldtk_schema.toml."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

Schema = dict[str, Any]

RECORDS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
TYPES: dict[str, Schema] = {
    "any": {},
    "boolean": {"type": "boolean"},
    "color": {"type": "string", "pattern": "^#[0-9A-F]{6}$"},
    "count": {"type": "integer", "minimum": 0},
    "identifier": {"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]*$"},
    "iid": {"type": "string", "pattern": "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$"},
    "int": {"type": "integer"},
    "number": {"type": "number"},
    "positive": {"type": "integer", "minimum": 1},
    "size": {"enum": [1, 3, 5, 7, 9]},
    "string": {"type": "string"},
    "value": {"type": ["string", "number", "boolean", "null"]},
    "version": {"enum": ["1.5.3"]},
}


def parse_type(text: str) -> Schema:
    """Return the schema of a type: a name, choices, a list, or a type that may be null."""
    if text.endswith("?"):
        return {"anyOf": [parse_type(text[:-1]), {"type": "null"}]}
    if text.endswith("+"):
        return {**parse_type(text[:-1]), "minItems": 1}
    if found := re.fullmatch(r"\[(.+?)(?:\*(\d+))?\]", text):
        bounds = {"minItems": int(found[2]), "maxItems": int(found[2])} if found[2] else {}
        return {"type": "array", "items": parse_type(found[1]), **bounds}
    if "|" in text:
        return {"enum": text.split("|")}
    return TYPES[text] if text in TYPES else make_record(text)


def make_record(name: str) -> Schema:
    """Return the schema of an object without other keys."""
    fields = {**RECORDS[name]}
    optional = fields.pop("optional", "").split()
    required = {key: parse_type(kind) for kind, keys in fields.items() for key in keys.split()}
    return {
        "type": "object",
        "properties": {**required, **{key: {} for key in optional}},
        "required": sorted(required),
        "additionalProperties": False,
    }


SCHEMA = make_record("Project")
