"""What a parameter is: its kind, bounds, choices, default and the hints that `param(...)` declares.

This is the only reader of the params' JSON schemas. The command line, HTTP queries, the studio's controls, snippets,
sweeps and the docs all ask a `Field`.

>>> from tilewright.core.params import Sized
>>> [(field.name, field.kind, field.default, field.range) for field in fields_of(Sized)]
[('width', 'number', 80, '1..65536'), ('height', 'number', 50, '1..65536')]
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from math import floor, log10
from typing import Any, Literal

from pydantic import BaseModel
from pydantic.errors import PydanticUserError

from .params import kinds_in

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
    "strip",
    "offsets",
    "cells",
    "map",
    "maps",
    "file",
    "recipe",
    "json",
]
"""What the values of a field are, in the detail that a control needs.

`items` is a list; `words`, `numbers` and `choices` are lists of such values. `model` is a group of named values,
`union` one of several models. `scores` and `cells` are matrices, `strip` holds the thresholds between bands, `offsets`
a neighborhood. Everything else is `json`.
"""
HINTED: Mapping[str, Kind] = {
    "strip": "strip",
    "offsets": "offsets",
    "grid": "map",
    "samples": "maps",
    "file": "file",
    "model": "file",
    "recipe": "recipe",
    "text": "text",
}
"""Kinds that the hint `control` decides alone."""
BOUNDS = {
    "minimum": (">=", "at least", operator.lt),
    "exclusiveMinimum": (">", "more than", operator.le),
    "maximum": ("<=", "at most", operator.gt),
    "exclusiveMaximum": ("<", "less than", operator.ge),
}
"""Keys of bounds: the sign, the words, and what breaks each."""
MAX_DEPTH = 8
"""Fields within fields; deeper ones are `json`."""
MAX_SPAN = 1000
"""Bounds farther apart than this say nothing about typical values."""


class _Unset:
    """The value of a parameter that is left to its default."""

    def __repr__(self) -> str:
        return "UNSET"


UNSET = _Unset()


@dataclass(frozen=True)
class Field:
    """A parameter; also an item of a list, a slot of a tuple, or one of several types that a parameter may have."""

    name: str
    schema: Schema
    """Its JSON schema without references. Where all values have one type, null aside, the schema of that type; tuples
    of several lengths are edited as the first."""
    definitions: Schema
    kind: Kind = "json"
    nullable: bool = False
    default: Any = UNSET
    """As plain JSON."""
    short_default: Any = UNSET
    """The default in the compact form in which it can be written, where it has one."""
    tiles: bool = False
    """Whether its strings are names of tiles."""
    depth: int = 0

    # -- what is declared -----------------------------------------------------------------------------------

    @property
    def label(self) -> str:
        return str(self.schema.get("label", in_words(self.name)))

    @property
    def description(self) -> str:
        return str(self.schema.get("description", ""))

    @property
    def title(self) -> str:
        """The name of its model; empty for what is none."""
        return str(self.schema.get("title", "")) if self.kind in ("model", "union") else ""

    @property
    def noun(self) -> str:
        """What an item of its model is called; empty for what is none."""
        return str(self.schema.get("noun", in_words(self.title)))

    @property
    def control(self) -> str:
        """The control that was declared for it; empty for none."""
        return str(self.schema.get("control", ""))

    @property
    def typical(self) -> tuple[float, float] | None:
        """The range that a slider should cover."""
        match self.schema.get("typical"):
            case [low, high] if low < high:
                return low, high
        return None

    @property
    def group(self) -> str:
        """Neighboring fields of one group are shown side by side; "size" holds the edge lengths of the map."""
        return str(self.schema.get("group", ""))

    @property
    def hidden_unless(self) -> tuple[Any, ...]:
        """A parameter, and the values of it with which this one has an effect; without values, any but the default."""
        return tuple(self.schema.get("hidden_unless", ()))

    @property
    def sizes(self) -> tuple[str, ...]:
        """Names of the matrices whose edge length this number is; the first one decides it."""
        return tuple(self.schema.get("sizes", ()))

    @property
    def between(self) -> tuple[str, ...]:
        """Names of lists: the first one that is not empty has an item on each side of these thresholds."""
        return tuple(self.schema.get("between", ()))

    @property
    def instead_of(self) -> str:
        """The list that this one replaces, item by item; empty for none."""
        return str(self.schema.get("instead_of", ""))

    @property
    def tiles_of(self) -> str:
        """The parameter whose recipe has the tiles that are named here; empty for the tiles of the map."""
        found = self.schema.get("tiles")
        return found if isinstance(found, str) else ""

    @property
    def names_of(self) -> str:
        """The parameter with the list whose items can be named here; empty for none."""
        return str(self.schema.get("names_of", ""))

    @property
    def is_unique(self) -> bool:
        """Whether it is the name by which the items of a list are known."""
        return bool(self.schema.get("unique"))

    @property
    def is_peeked(self) -> bool:
        """Whether it is shown in a list also while the item is closed."""
        return bool(self.schema.get("peek"))

    @property
    def means(self) -> Mapping[str, Any]:
        """Values that names stand for."""
        found: Mapping[str, Any] = self.schema.get("means", {})
        return found

    @property
    def is_for_reading(self) -> bool:
        """Whether it is an option of a format that only matters for reading files."""
        return bool(self.schema.get("reading"))

    # -- types ----------------------------------------------------------------------------------------------

    @cached_property
    def alternatives(self) -> tuple[Field, ...]:
        """The types that its values may have, null aside: itself, or those of a union."""
        if "anyOf" not in self.schema and "oneOf" not in self.schema:
            return (self,)
        return tuple(
            replace(self, schema=branch, nullable=False) for branch in _branches(self.schema, self.definitions)
        )

    @property
    def type(self) -> str:
        """The JSON type, the first where there are several, or a type of our own: `map`, `recipe`."""
        if self.control in ("grid", "recipe"):
            return HINTED[self.control]
        types = self.schema.get("type", "object")
        return str(types if isinstance(types, str) else next(one for one in types if one != "null"))

    @property
    def types(self) -> set[str]:
        """The types of all alternatives."""
        return {one.type for one in self.alternatives}

    @property
    def is_switch(self) -> bool:
        return self.types == {"boolean"}

    @property
    def is_integer(self) -> bool:
        return self.type == "integer"

    @property
    def is_structured(self) -> bool:
        """Whether models are anywhere in its values."""
        parts = [part for one in self.alternatives if one.type == "array" for part in (*one.slots, one.item)]
        return any("properties" in one.schema for one in self.alternatives) or any(part.is_structured for part in parts)

    @property
    def choices(self) -> list[Any]:
        """The values to choose from, or names that may be given instead of a value, such as `random`."""
        schemas = [one.schema for one in self.alternatives]
        return [value for one in schemas for value in one.get("enum", [one["const"]] if "const" in one else ())]

    @property
    def minimum(self) -> float | None:
        return self._bound("minimum", "exclusiveMinimum")

    @property
    def maximum(self) -> float | None:
        return self._bound("maximum", "exclusiveMaximum")

    def _bound(self, *names: str) -> float | None:
        found = next((self.schema[name] for name in names if name in self.schema), None)
        return found if isinstance(found, (int, float)) else None

    def refuse(self, number: float) -> str:
        """Return the bound that a number breaks, such as `must be at most 1`; empty for none."""
        for rule, (_, words, is_broken) in BOUNDS.items():
            if rule in self.schema and is_broken(number, self.schema[rule]):
                return f"must be {words} {self.schema[rule]:.15g}"
        return ""

    @property
    def range(self) -> str:
        """What a number must keep to, such as `0..1` or `> 0`; empty for no bounds."""
        for one in self.alternatives:
            if "minimum" in one.schema and "maximum" in one.schema:
                return f"{one.schema['minimum']}..{one.schema['maximum']}"
            if rules := [f"{sign} {one.schema[rule]}" for rule, (sign, *_) in BOUNDS.items() if rule in one.schema]:
                return ", ".join(rules)
        return ""

    @property
    def form(self) -> str:
        """How a value is written: `integer`, `wall|floor`, `integer,integer`, `map`, ..."""
        if self.kind == "file":
            return "file"
        return "|".join(dict.fromkeys(_form(one) for one in self.alternatives))

    @property
    def span(self) -> tuple[float, float] | None:
        """What a slider covers: what is typical, or the bounds where they are close to each other."""
        if self.typical is not None:
            return self.typical
        if self.minimum is None or self.maximum is None or not 0 < self.maximum - self.minimum <= MAX_SPAN:
            return None
        return self.minimum, self.maximum

    @property
    def step(self) -> float:
        """A step of the slider: a power of ten, so that it shows round numbers."""
        low, high = self.span or (0, 100)
        step = 10.0 ** floor(log10((high - low) / 30))
        return max(1, int(step)) if self.is_integer else round(step, 12)

    # -- fields within --------------------------------------------------------------------------------------

    @cached_property
    def item(self) -> Field:
        """What a list holds."""
        found: Any = next((one.schema["items"] for one in self.alternatives if "items" in one.schema), {})
        return self._inner("", found if isinstance(found, Mapping) else {}, tiles=self.tiles)

    @cached_property
    def slots(self) -> tuple[Field, ...]:
        """The fields of a tuple."""
        return tuple(self._inner("", part, tiles=self.tiles) for part in self.schema.get("prefixItems", ()))

    @cached_property
    def parts(self) -> tuple[Field, ...]:
        """The fields of a tuple or a model; for a list, those of its items, where each has a few."""
        if self.kind == "items":
            return self.item.parts if self.item.kind in ("tuple", "model") else ()
        if self.kind == "tuple":
            return self.slots
        properties = self.schema.get("properties", {})
        return tuple(self._inner(name, part) for name, part in properties.items() if "const" not in part)

    @cached_property
    def variants(self) -> dict[str, Field]:
        """The models of a union, by the value that identifies each."""
        mapping = self.schema["discriminator"]["mapping"]
        return {word: self._inner(word, {"$ref": reference}) for word, reference in mapping.items()}

    @property
    def key(self) -> str:
        """The name of the field that identifies the models of a union."""
        return str(self.schema["discriminator"]["propertyName"])

    def _inner(self, name: str, schema: Schema, *, tiles: bool = False) -> Field:
        return _field(name, schema, self.definitions, depth=self.depth + 1, tiles=tiles)

    @property
    def initial(self) -> Any:
        """A value to start with: the default or what was declared, else the smallest that the kind allows."""
        for value in (self.default, self.schema.get("initial")):
            if value is not UNSET and value is not None:
                return value
        match self.kind:
            case "number":
                low = max(self.minimum or 0, 0)
                return low if self.maximum is None else min(low, self.maximum)
            case "switch":
                return False
            case "choice":
                return self.choices[0]
            case "text" | "tile":
                return ""
            case "tuple":
                return [part.initial for part in self.parts]
            case "model":
                return {part.name: part.initial for part in self.parts if part.default is UNSET}
            case "union":
                word, variant = next(iter(self.variants.items()))
                return {self.key: word, **variant.initial}
            case "items" | "words" | "numbers" | "choices":
                return [self.item.initial] if self.schema.get("minItems") else []
        return None


def in_words(name: str) -> str:
    """Return a name in plain words.

    >>> in_words("corridor_width"), in_words("mapData")
    ('corridor width', 'map data')
    """
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").lower()


@cache
def fields_of(model: type[BaseModel]) -> tuple[Field, ...]:
    """Return the fields of a params class; a type without a usable schema gives the kind `json`."""
    try:
        schema = model.model_json_schema()
    except PydanticUserError:  # a plugin's type that has no schema
        schema = {"properties": {name: {} for name in model.model_fields}}
    found = (_field(name, part, schema.get("$defs", {})) for name, part in schema.get("properties", {}).items())
    return tuple(replace(field, short_default=_short(model, field)) for field in found)


@cache
def fields_by_name(model: type[BaseModel]) -> Mapping[str, Field]:
    """Return the fields of a params class by their names."""
    return {field.name: field for field in fields_of(model)}


def models_in(model: type[BaseModel], seen: tuple[type[BaseModel], ...] = ()) -> dict[str, type[BaseModel]]:
    """Return the models that a model's fields are made of, at any depth, in the order of their first use."""
    found: dict[str, type[BaseModel]] = {}
    for field in model.model_fields.values():
        for kind in kinds_in(field.annotation):
            if isinstance(kind, type) and issubclass(kind, BaseModel) and kind not in (*seen, *found.values()):
                found |= {kind.__name__: kind, **models_in(kind, (*seen, *found.values(), kind))}
    return found


def _short(model: type[BaseModel], field: Field) -> Any:
    """The default of a field, its models in their compact form where they have one."""
    if not field.is_structured or field.default is UNSET:
        return field.default
    value = model.model_fields[field.name].default
    if isinstance(value, tuple):
        return [getattr(part, "compact", part) for part in value]
    return getattr(value, "compact", value)


# -- schemas ------------------------------------------------------------------------------------------------


def _field(name: str, schema: Schema, definitions: Schema, *, depth: int = 0, tiles: bool = False) -> Field:
    unknown = Field(name, {}, definitions, depth=depth)
    try:
        schema = _resolve(schema, definitions)
        branches = [*_branches(schema, definitions, with_null=True)]
        present = [branch for branch in branches if branch.get("type") != "null"]
        nullable = len(present) < len(branches) or any("null" in _types(branch) for branch in present)
        own = {key: value for key, value in schema.items() if key not in ("anyOf", "oneOf")}
        are_tuples = all("prefixItems" in branch for branch in present)
        first = present[0] if present and (len(present) == 1 or are_tuples) else {}
        schema = {**first, **own, **({"anyOf": present} if len(present) > 1 else {})}
        field = replace(unknown, schema=schema, nullable=nullable, default=schema.get("default", UNSET))
        field = replace(field, tiles=tiles or bool(schema.get("tiles")))
        return replace(field, kind=_kind(field)) if depth <= MAX_DEPTH else field
    except (LookupError, TypeError, AttributeError, ValueError, StopIteration):  # a plugin's schema that is none
        return unknown


def _resolve(schema: Schema, definitions: Schema) -> Schema:
    """Replace a reference by what it refers to."""
    for _ in range(MAX_DEPTH):
        if "$ref" not in schema:
            return schema
        target = definitions[str(schema["$ref"]).rpartition("/")[2]]
        schema = {**target, **{key: value for key, value in schema.items() if key != "$ref"}}
    raise LookupError("references without end")


def _branches(schema: Schema, definitions: Schema, *, with_null: bool = False) -> Iterator[Schema]:
    """The alternatives of a schema."""
    schema = _resolve(schema, definitions)
    inner = schema.get("anyOf") or schema.get("oneOf")
    if inner is not None:
        for branch in inner:
            yield from _branches(branch, definitions, with_null=with_null)
    elif with_null or schema.get("type") != "null":
        yield schema


def _types(schema: Schema) -> list[str]:
    types = schema.get("type", [])
    return [types] if isinstance(types, str) else list(types)


def _kind(field: Field) -> Kind:
    control, schema = field.control, field.schema
    if control in HINTED:
        return HINTED[control]
    if control == "matrix":
        return "cells" if field.item.types == {"array"} else "scores"
    if "discriminator" in schema and schema["discriminator"]["mapping"]:
        return "union"
    if "prefixItems" in schema:
        return "tuple"
    if len(field.alternatives) > 1:
        plain = field.types <= {"string", "integer", "number"}
        return "json" if not plain else "tile" if field.tiles else "text"
    if field.choices:
        return "choice"
    if "type" not in schema:
        return "tile" if field.tiles else "json"
    match field.type:
        case "integer" | "number":
            return "number"
        case "boolean":
            return "switch"
        case "string":
            return "tile" if field.tiles else "text"
        case "array":
            return _list_kind(field)
        case "object" if schema.get("properties"):
            return "model"
    return "json"


def _list_kind(field: Field) -> Kind:
    match field.item:
        case Field(kind="choice"):
            return "choices"
        case Field(kind="text" | "tile", schema={"type": "string"}):
            return "words"
        case Field(kind="number"):
            return "numbers"
    return "items" if field.schema.get("items") else "json"


def _form(one: Field) -> str:
    """How a value of a single type is written."""
    if one.choices:
        return "|".join(map(str, one.choices))
    if one.type == "array":
        parts = [part.form for part in one.slots or (one.item,)]
        if any("," in part or part == "json" for part in parts):
            return "json"
        length = one.schema.get("minItems") if one.schema.get("minItems") == one.schema.get("maxItems") else None
        if not one.slots:
            parts = parts * length if length and length <= 4 else [*parts, "..."]
        return ",".join(parts)
    if one.type == "object" and "properties" in one.schema:
        return str(one.schema["title"])
    return {"string": "text", "boolean": "true|false", "object": "json"}.get(one.type, one.type)
