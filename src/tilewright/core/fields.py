"""Descriptions of parameters: kind, bounds, choices, default and the hints of `param(...)`.

This is the only module that reads the JSON schemas of params. The command line, HTTP queries, the studio's controls,
snippets, sweeps and the docs use `Field`.

>>> from tilewright.core.params import Sized
>>> [(field.name, field.kind, field.default, field.range) for field in fields_of(Sized)]
[('width', 'number', 80, '1..65536'), ('height', 'number', 50, '1..65536')]
"""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from dataclasses import field as attribute
from functools import cache, cached_property
from math import floor, log10
from typing import Any, Literal

from pydantic import BaseModel
from pydantic.errors import PydanticUserError

from .params import Hints, Params, kinds_in

Schema = Mapping[str, Any]
Kind = Literal[
    "number", "switch", "choice", "text", "tile", "tuple", "choices", "words", "numbers", "items", "model", "union",
    "scores", "strip", "offsets", "cells", "map", "maps", "file", "network", "recipe", "json",
]  # fmt: skip
"""Kind of a field's values, as a control needs it.

`items` is a list of any values; `words`, `numbers` and `choices` are lists of strings, numbers and choices. `model` is
a group of named values, and `union` is one of several models. `scores` and `cells` are matrices, `strip` holds the
thresholds between bands, and `offsets` holds a neighborhood. All other values are `json`.
"""
CONTROL_KINDS: Mapping[str, Kind] = {
    "strip": "strip",
    "offsets": "offsets",
    "grid": "map",
    "samples": "maps",
    "file": "file",
    "model": "file",
    "network": "network",
    "recipe": "recipe",
    "text": "text",
}
"""Kinds that the hint `control` determines."""
BOUNDS = {
    "minimum": (">=", "at least", operator.lt),
    "exclusiveMinimum": (">", "more than", operator.le),
    "maximum": ("<=", "at most", operator.gt),
    "exclusiveMaximum": ("<", "less than", operator.ge),
}
"""For each key of a bound: its sign, its wording in messages, and the operator that is true if a value violates the
bound."""
MAX_DEPTH = 8
"""Maximum depth of nested fields. Deeper fields have the kind `json`."""
MAX_SPAN = 1000
"""Maximum distance between two bounds that are used as the range of a slider."""


class _Unset:
    """Type of `UNSET`, the value of a parameter that is not set."""

    def __repr__(self) -> str:
        return "UNSET"


UNSET = _Unset()


@dataclass(frozen=True)
class Field:
    """A parameter, an item of a list, a slot of a tuple, or one of several types of a parameter."""

    name: str
    schema: Schema
    """JSON schema without references. If all values except null have the same type, it is the schema of that type. For
    tuples of several lengths, it is the schema of the first."""
    definitions: Schema
    kind: Kind = "json"
    nullable: bool = False
    default: Any = UNSET
    """Default as plain JSON."""
    short_default: Any = UNSET
    """Default in compact form, if the type has a compact form."""
    description: str = ""
    depth: int = 0

    # Hints; see `params.Hints`.
    typical: tuple[float, float] | None = None
    control: str = ""
    tiles: bool | str = False
    group: str = ""
    hidden_unless: tuple[Any, ...] = ()
    sizes: tuple[str, ...] = ()
    between: tuple[str, ...] = ()
    instead_of: str = ""
    initial: Any = UNSET
    label: str = ""
    noun: str = ""
    unique: bool = False
    names_of: str = ""
    suggestions: str = ""
    labels: Mapping[str, str] = attribute(default_factory=dict)
    share: bool = False
    peek: bool = False
    means: Mapping[str, Any] = attribute(default_factory=dict)
    prefix: str = ""
    reading: bool = False
    transient: bool = False
    flags: tuple[str, ...] = ()
    metavar: str = ""
    repeated: bool = False

    # -- types ----------------------------------------------------------------------------------------------

    @cached_property
    def alternatives(self) -> tuple[Field, ...]:
        """Fields for the types of the values except null: the field itself, or one field per type of a union."""
        if "anyOf" not in self.schema and "oneOf" not in self.schema:
            return (self,)
        branches = _iter_branches(self.schema, self.definitions)
        return tuple(replace(self, schema=branch, control=branch.get("control", "")) for branch in branches)

    @property
    def type(self) -> str:
        """JSON type of the values (the first if there are several), or `map` or `recipe`."""
        if self.control in ("grid", "recipe"):
            return {"grid": "map"}.get(self.control, self.control)
        types = self.schema.get("type", "object")
        return str(types if isinstance(types, str) else next(one for one in types if one != "null"))

    @property
    def types(self) -> set[str]:
        """Types of all alternatives."""
        return {one.type for one in self.alternatives}

    @property
    def is_switch(self) -> bool:
        return self.types == {"boolean"}

    @property
    def is_integer(self) -> bool:
        return self.type == "integer"

    @property
    def is_structured(self) -> bool:
        """Whether the values contain models at any depth."""
        parts = [part for one in self.alternatives if one.type == "array" for part in (*one.slots, one.item)]
        return any("properties" in one.schema for one in self.alternatives) or any(part.is_structured for part in parts)

    @property
    def choices(self) -> list[Any]:
        """Values to choose from, or names that are accepted instead of a value, such as `random`."""
        schemas = [one.schema for one in self.alternatives]
        return [value for one in schemas for value in one.get("enum", [one["const"]] if "const" in one else ())]

    def label_of(self, choice: Any) -> str:
        """Return the label of a choice."""
        return self.labels.get(str(choice), str(choice).replace("_", " "))

    @property
    def minimum(self) -> float | None:
        return self._find_bound("minimum", "exclusiveMinimum")

    @property
    def maximum(self) -> float | None:
        return self._find_bound("maximum", "exclusiveMaximum")

    def _find_bound(self, *names: str) -> float | None:
        found = next((self.schema[name] for name in names if name in self.schema), None)
        return found if isinstance(found, (int, float)) else None

    def describe_violation(self, number: float) -> str:
        """Return the bound that a number violates, such as `must be at most 1`, or an empty string."""
        for rule, (_, words, is_broken) in BOUNDS.items():
            if rule in self.schema and is_broken(number, self.schema[rule]):
                return f"must be {words} {self.schema[rule]:.15g}"
        return ""

    @property
    def range(self) -> str:
        """Bounds of a number, such as `0..1` or `> 0`; empty without bounds."""
        for one in self.alternatives:
            if "minimum" in one.schema and "maximum" in one.schema:
                return f"{one.schema['minimum']}..{one.schema['maximum']}"
            if rules := [f"{sign} {one.schema[rule]}" for rule, (sign, *_) in BOUNDS.items() if rule in one.schema]:
                return ", ".join(rules)
        return ""

    @property
    def form(self) -> str:
        """Syntax of a value: `integer`, `wall|floor`, `integer,integer`, `map`, ..."""
        if self.kind in ("file", "network"):
            return "file"
        return "|".join(dict.fromkeys(_describe_form(one) for one in self.alternatives))

    @property
    def span(self) -> tuple[float, float] | None:
        """Range of a slider: the typical range, or the bounds if they are close to each other."""
        if self.typical is not None and self.typical[0] < self.typical[1]:
            return self.typical
        if self.minimum is None or self.maximum is None or not 0 < self.maximum - self.minimum <= MAX_SPAN:
            return None
        return self.minimum, self.maximum

    @property
    def step(self) -> float:
        """Step of the slider, a power of ten."""
        low, high = self.span or (0, 100)
        step = 10.0 ** floor(log10((high - low) / 30))
        return max(1, int(step)) if self.is_integer else round(step, 12)

    # -- inner fields ---------------------------------------------------------------------------------------

    @cached_property
    def item(self) -> Field:
        """Field of the items of a list."""
        found: Any = next((one.schema["items"] for one in self.alternatives if "items" in one.schema), {})
        return self._build_inner("", found if isinstance(found, Mapping) else {}, tiles=self.tiles)

    @cached_property
    def slots(self) -> tuple[Field, ...]:
        """Fields of a tuple."""
        return tuple(self._build_inner("", part, tiles=self.tiles) for part in self.schema.get("prefixItems", ()))

    @cached_property
    def parts(self) -> tuple[Field, ...]:
        """Fields of a tuple or model; for a list of tuples or models, the fields of an item."""
        if self.kind == "items":
            return self.item.parts if self.item.kind in ("tuple", "model") else ()
        if self.kind == "tuple":
            return self.slots
        properties = self.schema.get("properties", {})
        return tuple(self._build_inner(name, part) for name, part in properties.items() if "const" not in part)

    @cached_property
    def variants(self) -> dict[str, Field]:
        """Models of a union by their discriminator values."""
        mapping = self.schema["discriminator"]["mapping"]
        return {value: self._build_inner(value, {"$ref": reference}) for value, reference in mapping.items()}

    @property
    def key(self) -> str:
        """Name of the discriminator field of a union."""
        return str(self.schema["discriminator"]["propertyName"])

    def _build_inner(self, name: str, schema: Schema, *, tiles: bool | str = False) -> Field:
        return _build_field(name, schema, self.definitions, depth=self.depth + 1, tiles=tiles)

    @property
    def initial_value(self) -> Any:
        """Initial value of a control: the default, the hint `initial`, or else the smallest value of the kind."""
        for value in (self.default, self.initial):
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
                return [part.initial_value for part in self.parts]
            case "model":
                return {part.name: part.initial_value for part in self.parts if part.default is UNSET}
            case "union":
                value, variant = next(iter(self.variants.items()))
                return {self.key: value, **variant.initial_value}
            case "items" | "words" | "numbers" | "choices":
                return [self.item.initial_value] if self.schema.get("minItems") else []
        return None


def humanize(name: str) -> str:
    """Return a name as separate words in lower case.

    >>> humanize("corridor_width"), humanize("mapData")
    ('corridor width', 'map data')
    """
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").lower()


@cache
def fields_of(model: type[BaseModel]) -> tuple[Field, ...]:
    """Return the fields of a params class. Types without a usable schema have the kind `json`."""
    try:
        schema = model.model_json_schema()
    except PydanticUserError:  # A plugin may use a type without a schema.
        schema = {"properties": {name: {} for name in model.model_fields}}
    found = (_build_field(name, part, schema.get("$defs", {})) for name, part in schema.get("properties", {}).items())
    return tuple(replace(field, short_default=_shorten_default(model, field)) for field in found)


@cache
def fields_by_name(model: type[BaseModel]) -> Mapping[str, Field]:
    """Return the fields of a params class by name."""
    return {field.name: field for field in fields_of(model)}


def field_from_schema(name: str, schema: Schema) -> Field:
    """Return the field that a JSON schema without references describes."""
    field = _build_field(name, schema, {})
    return replace(field, short_default=field.default)


def present_name(model: type[BaseModel], name: str) -> str:
    """Return the present name of a parameter, given its present or old name."""
    renamed: Mapping[str, str] = getattr(model, "renamed", {})
    return renamed.get(name, name)


def models_in(model: type[BaseModel], seen: tuple[type[BaseModel], ...] = ()) -> dict[str, type[BaseModel]]:
    """Return the models in a model's fields, at any depth, in the order of their first use."""
    found: dict[str, type[BaseModel]] = {}
    for field in model.model_fields.values():
        for kind in kinds_in(field.annotation):
            if isinstance(kind, type) and issubclass(kind, BaseModel) and kind not in (*seen, *found.values()):
                found |= {kind.__name__: kind, **models_in(kind, (*seen, *found.values(), kind))}
    return found


def _shorten_default(model: type[BaseModel], field: Field) -> Any:
    """Return the default of a field, with models in compact form."""
    if not field.is_structured or field.default is UNSET:
        return field.default
    value = model.model_fields[field.name].default
    if isinstance(value, tuple):
        return [_to_compact(part) for part in value]
    return _to_compact(value)


def _to_compact(value: Any) -> Any:
    """Return the compact form of a model, or the value itself."""
    short = value.compact if isinstance(value, Params) else None
    return value if short is None else short


# -- schemas ------------------------------------------------------------------------------------------------


def _build_field(name: str, schema: Schema, definitions: Schema, *, depth: int = 0, tiles: bool | str = False) -> Field:
    unknown = Field(name, {}, definitions, depth=depth, label=humanize(name))
    try:
        schema = _resolve(schema, definitions)
        branches = [*_iter_branches(schema, definitions, with_null=True)]
        present = [branch for branch in branches if branch.get("type") != "null"]
        nullable = len(present) < len(branches) or any("null" in branch.get("type", ()) for branch in present)
        own = {key: value for key, value in schema.items() if key not in ("anyOf", "oneOf")}
        are_tuples = all("prefixItems" in branch for branch in present)
        first = present[0] if present and (len(present) == 1 or are_tuples) else {}
        schema = {**first, **own, **({"anyOf": present} if len(present) > 1 else {})}
        hints = {key: _read_hint(key, schema[key]) for key in Hints.__annotations__ if key in schema}
        noun = humanize(schema.get("title", "")) if schema.get("properties") or "discriminator" in schema else ""
        known = {
            "default": schema.get("default", UNSET),
            "tiles": tiles,
            "label": humanize(name),
            "noun": noun,
            **hints,
        }
        about = schema.get("description", "")
        field = replace(unknown, schema=schema, nullable=nullable, description=about, **known)
        return replace(field, kind=_infer_kind(field)) if depth <= MAX_DEPTH else field
    except (LookupError, TypeError, AttributeError, ValueError, StopIteration):  # an invalid schema of a plugin
        return unknown


def _read_hint(key: str, value: Any) -> Any:
    """Return a hint as plain data, with lists as tuples except in `initial`."""
    plain = json.loads(json.dumps(value))
    return tuple(plain) if isinstance(plain, list) and key != "initial" else plain


def _resolve(schema: Schema, definitions: Schema) -> Schema:
    """Return the schema that a reference refers to."""
    for _ in range(MAX_DEPTH):
        if "$ref" not in schema:
            return schema
        target = definitions[str(schema["$ref"]).rpartition("/")[2]]
        schema = {**target, **{key: value for key, value in schema.items() if key != "$ref"}}
    raise LookupError("too many nested references")


def _iter_branches(schema: Schema, definitions: Schema, *, with_null: bool = False) -> Iterator[Schema]:
    """Yield the alternatives of a schema."""
    schema = _resolve(schema, definitions)
    inner = schema.get("anyOf") or schema.get("oneOf")
    if inner is not None:
        for branch in inner:
            yield from _iter_branches(branch, definitions, with_null=with_null)
    elif with_null or schema.get("type") != "null":
        yield schema


def _infer_kind(field: Field) -> Kind:
    control, schema = field.control, field.schema
    if control in CONTROL_KINDS:
        return CONTROL_KINDS[control]
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
            return _infer_list_kind(field)
        case "object" if schema.get("properties"):
            return "model"
    return "json"


def _infer_list_kind(field: Field) -> Kind:
    match field.item:
        case Field(kind="choice"):
            return "choices"
        case Field(kind="text" | "tile", schema={"type": "string"}):
            return "words"
        case Field(kind="number"):
            return "numbers"
    return "items" if field.schema.get("items") else "json"


def _describe_form(one: Field) -> str:
    """Return the syntax of a value of a single type."""
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
