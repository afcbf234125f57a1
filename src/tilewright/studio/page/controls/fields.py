"""Fields of a params' JSON schema, read as far as a control needs it: what stands there, and within which bounds."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import floor, log10
from typing import Any, Literal

from pydantic import BaseModel
from pydantic.errors import PydanticUserError

Schema = Mapping[str, Any]
Kind = Literal[
    "number",
    "switch",
    "choice",
    "text",
    "tile",
    "tuple",
    "choices",
    "words",
    "numbers",
    "items",
    "model",
    "union",
    "scores",
    "offsets",
    "cells",
    "map",
    "maps",
    "file",
    "recipe",
    "json",
]
TILE_NAMES = frozenset({"tile", "of", "by", "on", "initial", "dig"})
"""Fields so called hold a tile, if they hold a word."""
DEEPEST = 8
"""Fields within fields; whatever lies deeper is written as JSON."""
WIDEST = 1000
"""Bounds that lie farther apart than this tell nothing about what is usual."""


class _Unset:
    """Stands for: left to its default."""

    def __repr__(self) -> str:
        return "UNSET"


UNSET = _Unset()


@dataclass(frozen=True)
class Field:
    """A field: its name, what kind of thing it holds, and its schema without references and without null."""

    name: str
    kind: Kind
    schema: Schema
    definitions: Schema
    nullable: bool = False
    default: Any = UNSET
    about: str = ""
    """Its description."""
    depth: int = 0
    holds_tiles: bool = False
    """Whether its words are tiles."""

    @property
    def label(self) -> str:
        return in_words(self.name)

    @property
    def is_whole(self) -> bool:
        return self.schema.get("type") == "integer"

    @property
    def least(self) -> float | None:
        found = self.schema.get("minimum", self.schema.get("exclusiveMinimum"))
        return found if isinstance(found, (int, float)) else None

    @property
    def most(self) -> float | None:
        found = self.schema.get("maximum", self.schema.get("exclusiveMaximum"))
        return found if isinstance(found, (int, float)) else None

    @property
    def span(self) -> tuple[float, float] | None:
        """What a slider covers: what is typical, or the bounds where they are near each other."""
        found = self.schema.get("typical")
        if isinstance(found, Sequence) and len(found) == 2 and found[0] < found[1]:
            return found[0], found[1]
        if self.least is None or self.most is None or not 0 < self.most - self.least <= WIDEST:
            return None
        return self.least, self.most

    @property
    def step(self) -> float:
        """A step of the slider: a power of ten, so that it shows round numbers."""
        low, high = self.span or (0, 100)
        step = 10.0 ** floor(log10((high - low) / 30))
        return max(1, int(step)) if self.is_whole else round(step, 12)

    @property
    def options(self) -> list[Any]:
        """The words to choose from."""
        schema = self.item.schema if self.kind == "choices" else self.schema
        return list(schema.get("enum") or [schema["const"]])

    @property
    def words(self) -> list[str]:
        """Names that may stand instead of the whole value, such as `random`."""
        branches = self.schema.get("anyOf", ())
        return [word for branch in branches for word in branch.get("enum", [branch.get("const")]) if word is not None]

    @property
    def parts(self) -> tuple[Field, ...]:
        """The fields of a tuple or a model; of a list, those of what it holds, where that is a row of fields."""
        if self.kind == "items":
            return self.item.parts if self.item.kind in ("tuple", "model") else ()
        if self.kind == "tuple":
            return tuple(
                _field("", part, self, is_tile=self.holds_tiles and number == 0)
                for number, part in enumerate(self.schema["prefixItems"])
            )
        properties = self.schema.get("properties", {})
        return tuple(_field(name, part, self) for name, part in properties.items() if "const" not in part)

    @property
    def item(self) -> Field:
        """What a list holds."""
        return _field("", self.schema["items"], self, is_tile=self.holds_tiles)

    @property
    def variants(self) -> dict[str, Field]:
        """The models of a union, by the word that tells them apart."""
        mapping = self.schema["discriminator"]["mapping"]
        return {word: _field(word, {"$ref": reference}, self) for word, reference in mapping.items()}

    @property
    def key(self) -> str:
        """The name of the word that tells the models of a union apart."""
        return str(self.schema["discriminator"]["propertyName"])

    @property
    def fresh(self) -> Any:
        """What stands there at first, where something must: the default, or the least that its kind allows."""
        if self.default is not UNSET and self.default is not None:
            return self.default
        match self.kind:
            case "number":
                return max(self.least or 0, 0) if self.most is None else min(max(self.least or 0, 0), self.most)
            case "switch":
                return False
            case "choice":
                return self.options[0]
            case "text" | "tile":
                return ""
            case "tuple":
                return [part.fresh for part in self.parts]
            case "model":
                return {part.name: part.fresh for part in self.parts if part.default is UNSET}
            case "union":
                word, variant = next(iter(self.variants.items()))
                return {self.key: word, **variant.fresh}
            case "items" | "words" | "numbers" | "choices":
                return [self.item.fresh] if self.schema.get("minItems") else []
            case "cells":
                return [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
        return None


def in_words(name: str) -> str:
    """A name in plain words: corridor_width and mapData are corridor width and map data."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").lower()


@cache
def fields_of(model: type[BaseModel]) -> tuple[Field, ...]:
    """The fields of a params class; those whose schema nobody understands are written as JSON."""
    try:
        schema = model.model_json_schema()
    except PydanticUserError:  # a plugin's type that has no schema
        schema = {"properties": {name: {} for name in model.model_fields}}
    whole = Field("", "model", schema, schema.get("$defs", {}))
    return whole.parts


def _field(name: str, schema: Schema, owner: Field, *, is_tile: bool = False) -> Field:
    depth = owner.depth + 1
    unknown = Field(name, "json", {}, owner.definitions, depth=depth)
    try:
        about, default = str(schema.get("description", "")), schema.get("default", UNSET)
        plain, nullable = _without_null(schema, owner.definitions)
        about = about or str(plain.get("description", ""))
        has_tiles = is_tile or _speaks_of_tiles(name, plain, about)
        known = replace(unknown, schema=plain, nullable=nullable, default=default, about=about, holds_tiles=has_tiles)
        return replace(known, kind=_kind(plain, has_tiles) if depth <= DEEPEST else "json")
    except (LookupError, TypeError, AttributeError, ValueError):  # a schema that is none
        return unknown


def _without_null(schema: Schema, definitions: Schema) -> tuple[Schema, bool]:
    """A schema without references and alternatives, as far as that goes, and whether null may stand there."""
    nullable = False
    for _ in range(DEEPEST):
        if isinstance(schema.get("type"), list):
            nullable |= "null" in schema["type"]
            schema = {**schema, "type": _main_type(schema)}
        if "$ref" in schema:
            target = definitions[str(schema["$ref"]).rpartition("/")[2]]
            schema = {**target, **{key: value for key, value in schema.items() if key != "$ref"}}
            continue
        branches = [branch for branch in schema.get("anyOf", ()) if branch.get("type") != "null"]
        nullable |= len(branches) < len(schema.get("anyOf", ()))
        own = {key: value for key, value in schema.items() if key != "anyOf"}
        if branches and (len(branches) == 1 or all("prefixItems" in branch for branch in branches)):
            schema = {**branches[0], **own}
            continue
        return ({**own, "anyOf": branches} if branches else schema), nullable
    raise LookupError("references without end")


def _main_type(schema: Schema) -> str:
    """Of several types, the one that the schema describes: what may also be written short is edited in full."""
    types = [one for one in schema["type"] if one != "null"]
    described = {"object": "properties" in schema, "array": "items" in schema or "prefixItems" in schema}
    return next((one for one, is_there in described.items() if is_there and one in types), "".join(types))


def _speaks_of_tiles(name: str, schema: Schema, about: str) -> bool:
    if schema.get("type") == "array":
        return re.search(r"\btiles?\b", about, re.IGNORECASE) is not None
    return name in TILE_NAMES or [branch.get("type") for branch in schema.get("anyOf", ())] == ["string", "integer"]


def _kind(schema: Schema, has_tiles: bool) -> Kind:
    hinted = _hinted(schema)
    if hinted is not None:
        return hinted
    if "discriminator" in schema and schema["discriminator"]["mapping"]:
        return "union"
    if schema.get("enum") or "const" in schema:
        return "choice"
    match schema.get("type"):
        case "integer" | "number":
            return "number"
        case "boolean":
            return "switch"
        case "string":
            return "tile" if has_tiles else "text"
        case "array":
            return _list_kind(schema)
        case "object":
            return "model" if schema.get("properties") else "json"
    return "tile" if has_tiles else "json"


def _hinted(schema: Schema) -> Kind | None:
    """What a field's own hint says, if it fits."""
    branches = schema.get("anyOf", (schema,))
    lists = [branch["items"] for branch in branches if "items" in branch]
    match schema.get("control"):
        case "matrix" if lists and "items" in lists[0]:
            return "cells"
        case "matrix" if lists and lists[0].get("type") in ("number", "integer"):
            return "scores"
        case "offsets":
            return "offsets"
        case "grid":
            return "map"
        case "samples":
            return "maps"
        case "file":
            return "file"
        case "recipe":
            return "recipe"
    return None


def _list_kind(schema: Schema) -> Kind:
    if "prefixItems" in schema:
        return "tuple"
    item = schema.get("items", {})
    if item.get("enum"):
        return "choices"
    match item.get("type"):
        case "string":
            return "words"
        case "integer" | "number":
            return "numbers"
    return "items" if item else "json"
