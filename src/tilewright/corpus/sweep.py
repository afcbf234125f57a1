"""Sweeps: parameters that differ from map to map, over all combinations or by chance.

A sweep is written as the parameter's place and its values: a list, or a range with `from`, `to` and `step` or `count`.

>>> Sweep.of({"walls": {"from": 0.4, "to": 0.5, "step": 0.05}, "steps": [3, 5]}).size
6
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import floor, prod
from typing import Any

from ..core.errors import InvalidRecipe, short_repr, unknown_key
from ..core.seeds import Rng

MAX_VALUES = 100_000
MAX_NUMBER = 10**15
"""Numbers beyond are not told apart by fractions of them."""
RANGE_KEYS = ("from", "to", "step", "count")


@dataclass(frozen=True)
class Axis:
    """One parameter and what it takes on: its values, or anything between the first and the last of them."""

    path: str
    """Where it stands: `walls`, or `shaping.0.thickness` for a shaper's."""
    values: tuple[Any, ...]
    is_range: bool = False
    """Whether, sampled, it takes anything in between."""

    @property
    def column(self) -> str:
        """What it is called beside the measures."""
        return self.path.replace(".", "_")

    def draw(self, rng: Rng) -> Any:
        """A value by chance."""
        low, high = self.values[0], self.values[-1]
        if not self.is_range:
            return rng.choice(self.values)
        if isinstance(low, int) and isinstance(high, int):
            return rng.between(low, high)
        return round(low + (high - low) * rng.random(), 9)


@dataclass(frozen=True)
class Sweep:
    """The parameters that vary; without any, all maps have the same."""

    axes: tuple[Axis, ...] = ()
    sampled: bool = False
    """Whether each map draws its values by chance; otherwise maps go through all combinations, again and again."""

    @classmethod
    def of(cls, data: Mapping[str, Any] | None, *, sampled: bool = False) -> Sweep:
        """A sweep from plain data: values or ranges by place."""
        if data is not None and not isinstance(data, Mapping):
            raise InvalidRecipe("must be a set of named values", at="sweep", got=data, rule="type")
        axes = tuple(_read_axis(str(place), given) for place, given in (data or {}).items())
        columns = [axis.column for axis in axes]
        twice = next((name for name in columns if columns.count(name) > 1), None)
        if twice is not None:
            raise InvalidRecipe(f"{short_repr(twice)} stands there twice", at="sweep", rule="duplicate")
        return cls(axes, sampled)

    def to_data(self) -> dict[str, Any]:
        return {
            axis.path: {"from": axis.values[0], "to": axis.values[-1], "count": len(axis.values)}
            if axis.is_range
            else list(axis.values)
            for axis in self.axes
        }

    @cached_property
    def size(self) -> int:
        """How many combinations there are."""
        return prod(len(axis.values) for axis in self.axes)

    def values_for(self, root: Rng, number: int) -> tuple[Any, ...]:
        """What map `number` has, by axis; by chance from its own stream, or combination by combination."""
        if self.sampled:
            rng = root.child("sweep", number)
            return tuple(axis.draw(rng) for axis in self.axes)
        rest = number % self.size if self.axes else 0
        found = []
        for axis in reversed(self.axes):
            rest, place = divmod(rest, len(axis.values))
            found.append(axis.values[place])
        return tuple(reversed(found))

    def apply(self, recipe: Mapping[str, Any], values: Sequence[Any]) -> dict[str, Any]:
        """A recipe's plain data with these values in their places."""
        data = dict(recipe)
        data["params"] = dict(data.get("params") or {})
        for axis, value in zip(self.axes, values, strict=True):
            if not axis.path.startswith("shaping."):
                data["params"][axis.path.removeprefix("params.")] = value
                continue
            _, number, *rest = axis.path.split(".")
            stages = [{stage: {}} if isinstance(stage, str) else stage for stage in data.get("shaping") or ()]
            if not number.isdecimal() or int(number) >= len(stages) or len(rest) != 1:
                raise InvalidRecipe("a shaper's parameter is shaping.NUMBER.NAME, from 0 on", at=("sweep", axis.path))
            (name, params), *_ = stages[int(number)].items()
            stages[int(number)] = {name: {**(params or {}), rest[0]: value}}
            data["shaping"] = stages
        return data


def _read_axis(place: str, given: Any) -> Axis:
    if isinstance(given, Mapping):
        return Axis(place, _read_range(place, given), is_range=True)
    if not isinstance(given, list | tuple) or not given:
        raise InvalidRecipe("a list of values, or a range with from and to", at=("sweep", place), got=given)
    if len(given) > MAX_VALUES:
        raise InvalidRecipe(f"at most {MAX_VALUES:,} values, got {len(given):,}", at=("sweep", place), rule="maximum")
    wrong = next((value for value in given if not isinstance(value, bool | int | float | str)), None)
    if wrong is not None:
        raise InvalidRecipe("values are numbers, words, true or false", at=("sweep", place), got=wrong, rule="choice")
    return Axis(place, tuple(given))


def _read_range(place: str, given: Mapping[str, Any]) -> tuple[Any, ...]:
    unknown = next((key for key in given if key not in RANGE_KEYS), None)
    if unknown is not None:
        raise InvalidRecipe(unknown_key("key", unknown, RANGE_KEYS).within("sweep", place))
    numbers: dict[str, Any] = {key: given.get(key) for key in RANGE_KEYS}
    low, high = numbers["from"], numbers["to"]
    for key, value in numbers.items():
        missing = value is None and key in ("from", "to")
        number = isinstance(value, int | float) and not isinstance(value, bool) and -MAX_NUMBER <= value <= MAX_NUMBER
        if missing or not (number or value is None):
            raise InvalidRecipe(f"{key} must be a number", at=("sweep", place), got=value, rule="type")
    is_integer = isinstance(low, int) and isinstance(high, int)
    step = numbers["step"] if numbers["step"] is not None else (1 if is_integer and numbers["count"] is None else None)
    if high < low or (step is not None and step <= 0):
        raise InvalidRecipe("goes from low to high by steps above 0", at=("sweep", place), got=dict(given))
    if step is None:
        count = numbers["count"] if numbers["count"] is not None else 11
        if not isinstance(count, int) or not 1 <= count <= MAX_VALUES:
            raise InvalidRecipe(f"count must be 1 to {MAX_VALUES:,}", at=("sweep", place), got=count, rule="range")
        values = [low + (high - low) * number / max(1, count - 1) for number in range(count)]
    else:
        if (high - low) / step >= MAX_VALUES:
            raise InvalidRecipe(f"at most {MAX_VALUES:,} values; take larger steps", at=("sweep", place))
        count = floor((high - low) / step + 1e-9) + 1
        values = [low + step * number for number in range(count)]
    return tuple(round(value) if is_integer and value == round(value) else round(value, 9) for value in values)
