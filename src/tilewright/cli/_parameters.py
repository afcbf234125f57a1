"""Parameters as a person on a command line meets them, drawn from a Params model's JSON schema."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from ..core.errors import BadFile, InvalidRecipe, UnknownName, quoted
from ..core.params import kinds_in
from ..formats._files import read_file

Schema = Mapping[str, Any]
BOUNDS = {"minimum": ">=", "exclusiveMinimum": ">", "maximum": "<=", "exclusiveMaximum": "<"}
LONGEST = 28
"""Letters of a default that are shown: nobody reads a whole matrix in a table."""
STRUCTURED = ("[", "{", "@")
"""How JSON, or a file that holds it, begins."""


@dataclass(frozen=True)
class Parameter:
    """One parameter: how it is written, what it may be, and what it means."""

    name: str
    schema: Schema
    usual: Any = None
    """Its default, as the model holds it."""

    @property
    def flag(self) -> str:
        return f"--{self.name.replace('_', '-')}"

    @property
    def is_switch(self) -> bool:
        return {_kind(branch) for branch in _branches(self.schema)} - {"null"} == {"boolean"}

    @property
    def description(self) -> str:
        return str(self.schema.get("description", ""))

    @property
    def form(self) -> str:
        """How a value is written: `integer`, `wall|floor`, `integer,integer`, `map`, ..."""
        return _form(self.schema)

    @property
    def default(self) -> str:
        """The default as it would be typed; empty when there is none."""
        value = self.schema.get("default")
        return "" if value is None else written(_compact(self.usual) if self.is_structured else value)

    @property
    def is_structured(self) -> bool:
        """Whether its values have named parts."""
        return bool(_titles(self.schema))

    @property
    def range(self) -> str:
        """What a number must keep to; empty when anything goes."""
        for branch in _branches(self.schema):
            if "minimum" in branch and "maximum" in branch:
                return f"{branch['minimum']}..{branch['maximum']}"
            if rules := [f"{sign} {branch[rule]}" for rule, sign in BOUNDS.items() if rule in branch]:
                return ", ".join(rules)
        return ""

    def read(self, text: str) -> Any:
        """The value behind what was typed; whether it is allowed, the model says."""
        structured = text.startswith(STRUCTURED) and len(text) > 1  # alone it is a tile's glyph
        try:
            return read_json(text) if structured else _value(text, self.schema)
        except InvalidRecipe as error:
            raise error.within(self.name) from None


def parameters_of(model: type[BaseModel]) -> dict[str, Parameter]:
    """All parameters of a model, by name."""
    schema = model.model_json_schema()
    inner, fields = schema.get("$defs", {}), model.model_fields
    return {
        name: Parameter(name, _resolved(field, inner), fields[name].default)
        for name, field in schema.get("properties", {}).items()
    }


def models_in(model: type[BaseModel], seen: tuple[type[BaseModel], ...] = ()) -> dict[str, type[BaseModel]]:
    """The models that a model's parameters are made of, at any depth, in the order in which one meets them."""
    found: dict[str, type[BaseModel]] = {}
    for field in model.model_fields.values():
        for kind in kinds_in(field.annotation):
            if isinstance(kind, type) and issubclass(kind, BaseModel) and kind not in (*seen, *found.values()):
                found |= {kind.__name__: kind, **models_in(kind, (*seen, *found.values(), kind))}
    return found


def assign(values: dict[str, Any], setting: str, model: type[BaseModel]) -> None:
    """Put `name=value`, or `name.0.inner=value` for a part of it, among the values."""
    path, equals, text = setting.partition("=")
    if not equals:
        raise InvalidRecipe(f"{quoted(setting)}: a setting is written name=value")
    known = parameters_of(model)
    name, *inner = path.strip().replace("-", "_").split(".")
    if name not in known:
        raise UnknownName("parameter", name, known)
    if not inner:
        values[name] = known[name].read(text)
        return
    whole = values.get(name, known[name].schema.get("default"))
    values[name] = with_part(whole, inner, read_loose(text), path)


def read_stage(text: str) -> tuple[str, dict[str, Any]]:
    """A shaper's name and settings: `connect,thickness=2`, or JSON."""
    if text.startswith(STRUCTURED):
        stage = read_json(text)
        if isinstance(stage, dict) and len(stage) == 1:
            ((name, given),) = stage.items()
            if given is None or isinstance(given, dict):
                return str(name), given or {}
        raise InvalidRecipe(f'shape: as JSON, one shaper such as {{"connect": {{"thickness": 2}}}}, got {quoted(text)}')
    from ..core.registry import shapers

    # Commas also stand inside values (`at=3,4`): only one before the next `name=` ends a setting.
    name, *settings = re.split(r",(?=[\w.-]+=)", text)
    if "," in name:
        raise InvalidRecipe(f"shape: settings are written name=value, got {quoted(text)}")
    values: dict[str, Any] = {}
    try:
        for setting in settings:
            assign(values, setting, shapers.get(name).params)
    except (InvalidRecipe, UnknownName) as error:
        raise InvalidRecipe(f"{name}: {error}") from None
    return name, values


def read_pairs(text: str, place: str) -> dict[str, str]:
    """`floor=grass,wall=mountain`."""
    pairs = [pair.partition("=") for pair in text.split(",")]
    if not all(name and equals and value for name, equals, value in pairs):
        raise InvalidRecipe(f"{place}: written as floor=grass,wall=mountain, got {quoted(text)}")
    return {name.strip(): value.strip() for name, _, value in pairs}


def read_json(text: str) -> Any:
    """JSON, typed or in a file that is named as @file."""
    if text.startswith("@"):
        path = text[1:]
        try:
            text = read_file(path).decode()
        except UnicodeDecodeError:
            raise BadFile(f"{path}: not text in UTF-8") from None
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InvalidRecipe(f"not JSON ({error}): {quoted(text)}") from None


def _compact(value: Any) -> Any:
    """A value in the short form that it can be typed in, where it has one."""
    if isinstance(value, tuple):
        return [_compact(part) for part in value]
    return getattr(value, "compact", value)


def written(value: Any) -> str:
    """A value as it would be typed, shortened when it is long."""
    if isinstance(value, list) and not any(isinstance(part, (list, dict)) for part in value):
        text = ",".join(written(part) for part in value)
    else:
        text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= LONGEST else text[: LONGEST - 4] + " ..."


# -- schemas ------------------------------------------------------------------------------------------------


def _resolved(schema: Any, inner: Mapping[str, Any]) -> Any:
    """A schema with its references replaced by what they refer to; a model inside itself stays a reference."""
    if isinstance(schema, list):
        return [_resolved(part, inner) for part in schema]
    if not isinstance(schema, dict):
        return schema
    if (name := schema.get("$ref", "").rpartition("/")[2]) in inner:
        without = {key: value for key, value in inner.items() if key != name}
        return {**_resolved(inner[name], without), **{key: value for key, value in schema.items() if key != "$ref"}}
    return {key: _resolved(value, inner) for key, value in schema.items()}


def _branches(schema: Schema) -> Iterator[Schema]:
    """The alternatives of a schema."""
    if "anyOf" in schema or "oneOf" in schema:
        for branch in schema.get("anyOf") or schema["oneOf"]:
            yield from _branches(branch)
    else:
        yield schema


def _form(schema: Schema) -> str:
    if schema.get("control") == "file":
        return "file"
    forms = [_branch_form(branch) for branch in _branches(schema) if _kind(branch) != "null"]
    return "|".join(dict.fromkeys(forms))


def _branch_form(branch: Schema) -> str:
    if choices := _choices(branch):
        return "|".join(map(str, choices))
    kind = _kind(branch)
    if kind == "array":
        parts = [_form(part) for part in branch.get("prefixItems", [branch.get("items", {})])]
        if any("," in part or part == "json" for part in parts):
            return "json"
        length = branch.get("minItems") if branch.get("minItems") == branch.get("maxItems") else None
        if "prefixItems" not in branch:
            parts = parts * length if length and length <= 4 else [*parts, "..."]
        return ",".join(parts)
    if kind == "object" and "properties" in branch:
        return str(branch["title"])
    return {"string": "text", "boolean": "true|false", "object": "json"}.get(kind, kind)


def _titles(schema: Schema) -> list[str]:
    """The models that a schema is made of."""
    inner = [part for branch in _branches(schema) for part in (branch.get("items"), *branch.get("prefixItems", ()))]
    own = [str(branch["title"]) for branch in _branches(schema) if "properties" in branch]
    return own + [title for part in inner if isinstance(part, Mapping) for title in _titles(part)]


def _kind(branch: Schema) -> str:
    """A JSON type, the first where there are several, or what we have beside those: `map`, `recipe`."""
    if branch.get("control") in ("grid", "recipe"):
        return {"grid": "map"}.get(branch["control"], "recipe")
    kinds = branch.get("type", "object")
    return str(kinds[0] if isinstance(kinds, list) else kinds)


def _choices(branch: Schema) -> list[Any]:
    return [branch["const"]] if "const" in branch else list(branch.get("enum", ()))


# -- values -------------------------------------------------------------------------------------------------


def _value(text: str, schema: Schema) -> Any:
    """What a text means where this schema stands; the text itself where it means nothing, for the model to refuse."""
    branches = list(_branches(schema))
    for branch in branches:
        for choice in _choices(branch):
            if text == str(choice):
                return choice
    kinds = {_kind(branch) for branch in branches}
    if "null" in kinds and text in ("none", "null"):
        return None
    if "boolean" in kinds and text in ("true", "false"):
        return text == "true"
    lists = [branch for branch in branches if _kind(branch) == "array"]
    if lists and ("," in text or kinds <= {"array", "null"}):
        return _list(text, lists[0])
    return _number(text) if kinds & {"integer", "number"} else text


def _list(text: str, branch: Schema) -> list[Any]:
    pieces = [piece.strip() for piece in text.split(",")] if text else []
    slots = branch.get("prefixItems", [])
    rest = branch.get("items", {})
    rest = rest if isinstance(rest, Mapping) else {}
    if _kind(rest) == "array":  # lists of lists may come flat; the model knows how to cut them
        return [_number(piece) for piece in pieces]
    return [_value(piece, slots[at] if at < len(slots) else rest) for at, piece in enumerate(pieces)]


def _number(text: str) -> int | float | str:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def read_loose(text: str) -> Any:
    """A part of a structured value: JSON where it reads as such, else the text itself."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def with_part(whole: Any, path: Sequence[str], value: Any, shown: str) -> Any:
    """A copy of structured data with the part at a path replaced."""
    if not path:
        return value
    step, *rest = path
    if isinstance(whole, (list, tuple)):
        number = at_position(whole, step, shown)
        return [with_part(part, rest, value, shown) if at == number else part for at, part in enumerate(whole)]
    if whole is not None and not isinstance(whole, Mapping):
        raise InvalidRecipe(f"{shown}: {quoted(whole)} has no parts")
    return {**(whole or {}), step: with_part((whole or {}).get(step), rest, value, shown)}


def at_position(parts: Sequence[Any], step: str, shown: str) -> int:
    """The position that a step of a path means in a list."""
    if not step.isdecimal() or len(step) > 9 or int(step) >= len(parts):
        raise InvalidRecipe(f"{shown}: {quoted(step)} is no position in a list of {len(parts)}")
    return int(step)
