"""Paths of parameters in a recipe's data, such as `params.walls`, `params.names.8` and `shaping.0.place.count`.

>>> data = {"technique": "caves", "params": {"walls": 0.4}, "shaping": ["border"]}
>>> get_part(data, "params.walls"), get_part(data, "shaping.0.border.thickness")
(0.4, 1)
>>> with_part_at(data, "shaping.0.border.thickness", 2)["shaping"]
[{'border': {'thickness': 2}}]
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .errors import Fix, InvalidRecipe, did_you_mean, find_nearest, pluralize, short_repr
from .fields import UNSET, Field, fields_by_name, present_name
from .notation import with_part
from .params import Params
from .registry import shapers, techniques


@dataclass(frozen=True)
class Owner:
    """The technique or shaper that a path leads to, with its parameters as they are written in the recipe."""

    model: type[Params]
    values: Mapping[str, Any]
    path: str
    name: str
    """Name of the parameter."""
    inner: tuple[str, ...]
    """Remaining steps inside the parameter's value."""
    position: int | None = None
    """Position of the shaper; None for the technique."""
    shaper: str = ""

    @property
    def field(self) -> Field:
        """Description of the parameter, without the inner steps."""
        return fields_by_name(self.model)[self.name]

    @property
    def value(self) -> Any:
        """Value of the parameter as plain data; if it is not written, the default."""
        return _to_plain(self._raw_value, is_compact=self._is_compact)

    def find(self, steps: Sequence[str]) -> Any:
        """Return the part of the parameter at inner steps, or UNSET."""
        return _find_inner(self._raw_value, steps, is_compact=self._is_compact)

    @property
    def _raw_value(self) -> Any:
        value = self.values.get(self.name, self.field.default)
        # Named values are stored as a list of pairs. A path that leads to one of them by its name needs a mapping.
        is_named = bool(self.inner) and not self.inner[0].isdecimal() and isinstance(value, (list, tuple))
        pairs = [_to_plain(part) for part in value] if is_named else []
        if pairs and all(isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str) for pair in pairs):
            return dict(pairs)
        return value

    @property
    def _is_compact(self) -> bool:
        """Whether the inner steps lead into the compact form of models."""
        return not self.inner or _find_inner(self._raw_value, self.inner) is not UNSET


def get_part(data: Mapping[str, Any], path: str) -> Any:
    """Return the value at a path, or UNSET if the recipe and the defaults have none."""
    owner = find_owner(data, path)
    if owner is None:
        head, *rest = _split(path)
        return _find_inner(data.get(head), rest)
    found = owner.find(owner.inner)
    return found if found is not UNSET or not owner.inner else _find_inner_field(owner.field, owner.inner).default


def with_part_at(data: Mapping[str, Any], path: str, value: Any) -> dict[str, Any]:
    """Return a recipe's data with another value at a path."""
    owner = find_owner(data, path)
    if owner is None:
        head, *rest = _split(path)
        return {**data, head: with_part(_to_plain(data.get(head)), rest, value, path)}
    whole = None if owner.value is UNSET else owner.value
    values = {**owner.values, owner.name: with_part(whole, owner.inner, value, path)}
    if owner.position is None:
        return {**data, "params": values}
    stages = list_stages(data)
    stages[owner.position] = {owner.shaper: values}
    return {**data, "shaping": stages}


def find_field(data: Mapping[str, Any], path: str) -> Field | None:
    """Return the description of the value at a path, or None if there is no description.

    Raise an error if there is no such value.
    """
    owner = find_owner(data, path)
    if owner is None:
        return None
    found = _find_inner_field(owner.field, owner.inner)
    parent = owner.find(owner.inner[:-1])
    is_position = bool(owner.inner) and isinstance(parent, (list, tuple))
    if (is_position or found.kind == "json") and owner.find(owner.inner) is UNSET:
        known = map(str, range(len(parent)) if is_position else parent if isinstance(parent, Mapping) else ())
        raise InvalidRecipe(f"there is no {path}{did_you_mean(owner.inner[-1], known)}", rule="unknown_name")
    return found


def find_owner(data: Mapping[str, Any], path: str) -> Owner | None:
    """Return the technique or shaper that a path leads to; None for other keys of a recipe."""
    position: int | None = None
    shaper = ""
    match _split(path):
        case ["params", name, *inner]:
            model: type[Params] = techniques.get(str(data.get("technique"))).params
            values = data.get("params")
        case ["shaping", number, shaper, name, *inner]:
            stages = list_stages(data)
            position = int(number) if number.isdecimal() and len(number) < 9 else len(stages)
            if position >= len(stages):
                text = f"there is no shaper {number}; the recipe has {pluralize(len(stages), 'shaper')}"
                raise InvalidRecipe(f"{text}, counted from 0", rule="unknown_name")
            written, values = split_stage(stages[position])
            if shaper != written:
                raise InvalidRecipe(f"stage {position} is {short_repr(written)}, not {short_repr(shaper)}", value=path)
            model = shapers.get(shaper).params
        case ["require" | "tiles", _] | ["tileset"]:
            return None
        case _:
            text = "must be a path such as params.walls, shaping.0.place.count or require.regions"
            raise InvalidRecipe(text, got=path, rule="format")
    name = present_name(model, name)
    if name not in model.model_fields:
        near = find_nearest(name, list(model.model_fields))
        better = path.replace(f".{name}", f".{near}", 1)
        text = f"unknown parameter {short_repr(name)}{did_you_mean(name, model.model_fields)}"
        raise InvalidRecipe(text, value=path, rule="unknown_name", fixes=[Fix("use", (), better)] if near else ())
    if not isinstance(values, Mapping | None):
        raise InvalidRecipe("must be a set of named values", got=values, rule="type")
    present = {present_name(model, str(key)): value for key, value in (values or {}).items()}
    return Owner(model, present, path, name, tuple(inner), position, shaper)


def list_stages(data: Mapping[str, Any]) -> list[Any]:
    """Return the shapers of a recipe's data, as a list."""
    shaping = data.get("shaping")
    return [] if shaping is None else list(shaping) if isinstance(shaping, (list, tuple)) else [shaping]


def split_stage(stage: Any) -> tuple[str, Mapping[str, Any]]:
    """Return the name and the parameters of a shaper in a recipe's data."""
    if isinstance(stage, str):
        return stage, {}
    if isinstance(stage, Mapping) and len(stage) == 1:
        ((name, params),) = stage.items()
        return str(name), params if isinstance(params, Mapping) else {}
    raise InvalidRecipe("must be one shaper with its parameters", got=stage, rule="type")


def _split(path: str) -> list[str]:
    """Return the steps of a path. The name of a measure is one step: `require.count.treasure`."""
    steps = path.strip().split(".")
    return ["require", ".".join(steps[1:])] if steps[0] == "require" and len(steps) > 1 else steps


def _find_inner(value: Any, steps: Sequence[str], *, is_compact: bool = True) -> Any:
    """Return the part of a value at inner steps, or UNSET."""
    for step in steps:
        value = _to_plain(value, is_compact=is_compact) if isinstance(value, Params) else value
        if isinstance(value, (list, tuple)) and step.isdecimal() and len(step) < 9 and int(step) < len(value):
            value = value[int(step)]
        elif isinstance(value, Mapping) and step in value:
            value = value[step]
        else:
            return UNSET
    return _to_plain(value, is_compact=is_compact) if isinstance(value, Params) else value


def _find_inner_field(field: Field, steps: Sequence[str]) -> Field:
    """Return the description of a part of a value; its kind is `json` if the schema does not describe it."""
    for step in steps:
        parts = [part for one in field.alternatives for part in one.parts if part.name == step]
        if step.isdecimal() and "array" in field.types:
            field = field.slots[int(step)] if len(step) < 9 and int(step) < len(field.slots) else field.item
        elif parts and field.kind == "model":
            field = parts[0]
        else:
            return Field(step, {}, {})
    return field


def _to_plain(value: Any, *, is_compact: bool = True) -> Any:
    """Return a value as plain data. Models get their compact form, as recipes are usually written."""
    if isinstance(value, Params):
        if is_compact and value.compact is not None:
            return value.compact
        return {name: _to_plain(getattr(value, name), is_compact=is_compact) for name in type(value).model_fields}
    if isinstance(value, (list, tuple)):
        return [_to_plain(part, is_compact=is_compact) for part in value]
    return value
