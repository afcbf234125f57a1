"""Sweeps: parameters that vary from map to map, over all combinations, at random or as listed.

A sweep maps the path of a parameter to its values: a list, or a range with `from`, `to` and `step` or `count`. In a
listed sweep, map i has value i of each list; values may be lists themselves, and `seed` lists the seeds of the maps.

>>> Sweep.of({"walls": {"from": 0.4, "to": 0.5, "step": 0.05}, "steps": [3, 5]}).size
6
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from math import floor, prod
from typing import Any

from ..core.errors import InvalidRecipe, short_repr, unknown_key
from ..core.notation import UnwritableValue, read_sweep
from ..core.recipe_knobs import apply_knobs
from ..core.seeds import Rng, Seed, read_seed

MAX_VALUES = 100_000
MAX_NUMBER = 10**15
"""Maximum absolute value of a number. Floats cannot represent the fractions of larger numbers."""
RANGE_KEYS = ("from", "to", "step", "count")
SEED = "seed"
"""Path of the seed in a listed sweep."""
KNOB = "knobs."
"""Start of the paths of knobs of the recipe."""


@dataclass(frozen=True)
class Axis:
    """A swept parameter with its values, or with a range from the first to the last value."""

    path: str
    """Path of the parameter: `walls`, `shaping.0.thickness` for a shaper, or `knobs.monsters` for a knob."""
    values: tuple[Any, ...]
    is_range: bool = False
    """Whether random values are drawn from the complete range, not only from `values`."""

    @property
    def column(self) -> str:
        """Name of the column in tables."""
        return self.path.removeprefix(KNOB).replace(".", "_")

    @cached_property
    def kind(self) -> str:
        """Type of the column: bool, int64, float64, or string for strings, lists, mixed types and larger integers."""
        types = {type(value) for value in self.values if value is not None}
        if any(type(value) is int and not -(2**63) <= value < 2**63 for value in self.values):
            return "string"
        if types in ({bool}, {int}):
            return "bool" if bool in types else "int64"
        return "float64" if types and types <= {int, float} else "string"

    def write(self) -> str:
        """Return the axis as `tilewright corpus make --sweep` reads it. Raise UnwritableValue if this is impossible."""
        values = [str(value).lower() if isinstance(value, bool) else str(value) for value in self.values]
        texts = [f"{values[0]}..{values[-1]}"] if self.is_range else []
        if self.is_range and len(values) > 1:
            texts.append(f"{texts[0]}:{round(self.values[1] - self.values[0], 9)}")
        for text in (*texts, ",".join(values)):
            with suppress(InvalidRecipe):
                if _read_axis(*read_sweep(f"{self.path}={text}")) == self:
                    return f"{self.path}={text}"
        raise UnwritableValue(self.path)

    def draw(self, rng: Rng) -> Any:
        """Return a random value."""
        low, high = self.values[0], self.values[-1]
        if not self.is_range:
            return rng.choice(self.values)
        if isinstance(low, int) and isinstance(high, int):
            return rng.between(low, high)
        return round(low + (high - low) * rng.random(), 9)


@dataclass(frozen=True)
class Sweep:
    """The swept parameters of a corpus. Without swept parameters, all maps have the same parameters."""

    axes: tuple[Axis, ...] = ()
    sampled: bool = False
    """Whether each map draws random values. Otherwise, the maps use all combinations in turn and then start over."""
    listed: bool = False
    """Whether map i has value i of each axis."""
    seeds: tuple[Seed, ...] = ()
    """Seeds of the maps of a listed sweep; empty if they follow from the seed of the corpus."""

    @classmethod
    def of(cls, data: Mapping[str, Any] | None, *, sampled: bool = False, listed: bool = False) -> Sweep:
        """Return a sweep from data.

        Parameters
        ----------
        data : mapping, optional
            Values or ranges by parameter path: a list, or a mapping with `from`, `to` and `step` or `count`.
        sampled : bool
            Whether each map draws random values.
        listed : bool
            Whether map i has value i of each list. All lists have the same length; `seed` lists the seeds of the maps.

        Returns
        -------
        Sweep

        Raises
        ------
        InvalidRecipe
            If a list or range is invalid.

        Examples
        --------
        >>> Sweep.of({"steps": [3, 5], "walls": {"from": 0.4, "to": 0.5, "count": 3}}).size
        6
        """
        if data is not None and not isinstance(data, Mapping):
            raise InvalidRecipe("must be a set of named values", at="sweep", got=data, rule="type")
        if sampled and listed:
            raise InvalidRecipe("must be sampled or listed, not both", at="sweep", rule="conflict")
        values = dict(data or {})
        seeds = _read_seeds(values.pop(SEED)) if listed and SEED in values else ()
        axes = tuple(_read_axis(str(place), given, listed=listed) for place, given in values.items())
        lengths = {len(one) for one in (*(axis.values for axis in axes), *([seeds] if seeds else []))}
        if listed and len(lengths) != 1:
            raise InvalidRecipe("a listed sweep must have lists of equal length", at="sweep", rule="type")
        columns = [axis.column for axis in axes]
        twice = next((name for name in columns if columns.count(name) > 1), None)
        if twice is not None:
            raise InvalidRecipe(f"{short_repr(twice)} occurs twice", at="sweep", rule="duplicate")
        return cls(axes, sampled, listed, seeds)

    def to_data(self) -> dict[str, Any]:
        seeds = {SEED: list(self.seeds)} if self.seeds else {}
        return seeds | {
            axis.path: {"from": axis.values[0], "to": axis.values[-1], "count": len(axis.values)}
            if axis.is_range
            else list(axis.values)
            for axis in self.axes
        }

    @cached_property
    def size(self) -> int:
        """Number of combinations; of a listed sweep, its length."""
        if self.listed:
            return len(self.seeds or self.axes[0].values)
        return prod(len(axis.values) for axis in self.axes)

    def values_for(self, root: Rng, number: int) -> tuple[Any, ...]:
        """Return the values of map `number` by axis: random values from the map's own stream, or its combination."""
        if self.listed:
            return tuple(axis.values[number % self.size] for axis in self.axes)
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
        """Return a recipe's data with these values."""
        return apply_values(recipe, [axis.path for axis in self.axes], values)


def apply_values(recipe: Mapping[str, Any], paths: Sequence[str], values: Sequence[Any]) -> dict[str, Any]:
    """Return a recipe's data with values at some paths."""
    data = dict(recipe)
    data["params"] = dict(data.get("params") or {})
    for path, value in zip(paths, values, strict=True):
        if path.startswith(KNOB):
            data = dict(apply_knobs(data, {path.removeprefix(KNOB): value}))
            continue
        if not path.startswith("shaping."):
            data["params"][path.removeprefix("params.")] = value
            continue
        _, number, *rest = path.split(".")
        stages = [{stage: {}} if isinstance(stage, str) else stage for stage in data.get("shaping") or ()]
        if not number.isdecimal() or int(number) >= len(stages) or len(rest) != 1:
            raise InvalidRecipe("must be written shaping.INDEX.NAME, with the index from 0", at=("sweep", path))
        (name, params), *_ = stages[int(number)].items()
        stages[int(number)] = {name: {**(params or {}), rest[0]: value}}
        data["shaping"] = stages
    return data


def _read_seeds(given: Any) -> tuple[Seed, ...]:
    if not isinstance(given, list | tuple) or not 1 <= len(given) <= MAX_VALUES:
        raise InvalidRecipe(f"must be a list of 1 to {MAX_VALUES:,} seeds", at=("sweep", SEED), got=given, rule="type")
    return tuple(read_seed(seed) for seed in given)


def _read_axis(place: str, given: Any, *, listed: bool = False) -> Axis:
    if isinstance(given, Mapping) and not listed:
        return Axis(place, _read_range(place, given), is_range=True)
    if not isinstance(given, list | tuple) or not given:
        raise InvalidRecipe("must be a list of values, or a range with from and to", at=("sweep", place), got=given)
    if len(given) > MAX_VALUES:
        raise InvalidRecipe(
            f"must have at most {MAX_VALUES:,} values, got {len(given):,}", at=("sweep", place), rule="maximum"
        )
    wrong = next((value for value in given if not isinstance(value, bool | int | float | str)), None)
    if wrong is not None and not listed:
        raise InvalidRecipe(
            "values must be numbers, strings, true or false", at=("sweep", place), got=wrong, rule="choice"
        )
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
        raise InvalidRecipe("must go from low to high with steps above 0", at=("sweep", place), got=dict(given))
    if step is None:
        count = numbers["count"] if numbers["count"] is not None else 11
        if not isinstance(count, int) or not 1 <= count <= MAX_VALUES:
            raise InvalidRecipe(f"count must be 1 to {MAX_VALUES:,}", at=("sweep", place), got=count, rule="range")
        values = [low + (high - low) * number / max(1, count - 1) for number in range(count)]
    else:
        if (high - low) / step >= MAX_VALUES:
            raise InvalidRecipe(f"must have at most {MAX_VALUES:,} values; use larger steps", at=("sweep", place))
        count = floor((high - low) / step + 1e-9) + 1
        values = [low + step * number for number in range(count)]
    return tuple(round(value) if is_integer and value == round(value) else round(value, 9) for value in values)
