"""A recipe in an address: parameters, shapers and options of a format as words of a query.

`width=40&walls=0.4&shape=connect,thickness=2&format=png&scale=4`: a word is a parameter of the technique, or else an
option of the format. Lists are written `room_width=3,8`, what has named parts as JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from pydantic import BaseModel

from ..core.errors import InvalidRecipe, UnknownName, quoted
from ..core.registry import Technique, shapers
from ..formats import Format

WORDS = ("format", "seed", "shape", "tileset", "tiles", "part", "animate")
"""What is not a parameter."""


def read_words(
    entry: Technique, format: Format, pairs: Iterable[tuple[str, str]]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The technique's params and the format's options, from the other words of an address."""
    params: dict[str, Any] = {}
    options: dict[str, Any] = {}
    problems = []
    for name, text in pairs:
        owner, values = (entry.params, params) if name in entry.params.model_fields else (format.params, options)
        if name in params or name in options:
            problems.append(f"{name}: stands twice")
        elif name in owner.model_fields:
            values[name] = read_value(owner, name, text)
        else:
            known = [*entry.params.model_fields, *format.params.model_fields, *WORDS]
            problems.append(str(UnknownName("parameter", name, known, f"of {entry.name} or {format.name}")))
    if problems:
        raise InvalidRecipe(*problems)
    return params, options


def read_stage(text: str) -> dict[str, Any]:
    """A shaper: `connect`, `connect,thickness=2`."""
    # Commas also stand inside values: only one before the next `name=` ends a setting.
    name, *settings = re.split(r",(?=[\w.-]+=)", text)
    model, values = shapers.get(name).params, {}
    for setting in settings:
        word, _, value = setting.partition("=")
        values[word] = read_value(model, word, value)
    return {name: values}


def read_pairs(text: str) -> dict[str, str]:
    """`floor=grass,wall=mountain`."""
    pairs = [pair.partition("=") for pair in text.split(",")]
    if not all(name and equals and value for name, equals, value in pairs):
        raise InvalidRecipe(f"tiles: written as floor=grass,wall=mountain, got {quoted(text)}")
    return {name.strip(): value.strip() for name, _, value in pairs}


def read_value(model: type[BaseModel], name: str, text: str) -> Any:
    """What a text means as this field's value; whether it is allowed, the model says."""
    branches = _branches(model).get(name, ())
    kinds = {kind for branch in branches for kind in _kinds(branch)}
    whole = any(branch.get("control") in ("grid", "samples") for branch in branches)
    if text in ("null", "none") and "null" in kinds:
        return None
    if text[:1] in ("[", "{") and len(text) > 1:
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            raise InvalidRecipe(f"{name}: not JSON: {quoted(text)}") from None
    if whole or "array" not in kinds or not ("," in text or kinds <= {"array", "null"}):
        return text
    return [piece.strip() for piece in text.split(",")]


@cache
def _branches(model: type[BaseModel]) -> Mapping[str, tuple[Mapping[str, Any], ...]]:
    """The alternatives that each field of a model has."""
    fields = model.model_json_schema().get("properties", {})
    return {name: tuple(field.get("anyOf") or field.get("oneOf") or (field,)) for name, field in fields.items()}


def _kinds(branch: Mapping[str, Any]) -> list[str]:
    found = branch.get("type", "string" if "const" in branch or "enum" in branch else "object")
    return [found] if isinstance(found, str) else list(found)
