"""State of the gallery: what varies, the measures of its axes, the sort order and the favorites.

It is an immutable part of `State`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from ..core.errors import InvalidRecipe

VARIATION_KINDS = ("seed", "knob", "found")
MAX_NAME_LENGTH = 120
MAX_NUMBER = 1e15
"""Maximum absolute value of the bounds of a sweep."""
MAX_ROLL = 10**9
MAX_STARS = 200
MAX_PINNED = 24
MAX_FOUND = 24
MAX_FOUND_PARAMS = 64
MAX_FOUND_NUMBERS = 20_000
"""Limits of the maps that were found by a search: maps, parameters of each, and numbers of all together."""
MIN_SIZE, MAX_SIZE = 80, 480
"""Bounds of the width of a picture, in pixels."""


@dataclass(frozen=True)
class Gallery:
    """Settings of the gallery: what it varies and how it shows the maps. They do not affect the current map."""

    what: str = "seed"
    """What varies: the seed, a parameter ("knob"), or what a search has varied ("found")."""
    knob: str = ""
    """Key of the parameter; empty for the first parameter."""
    low: float | None = None
    high: float | None = None
    """Bounds of the sweep; None for the parameter's usual range."""
    same_seed: bool = True
    """Whether all maps of a sweep have the seed of the current map."""
    roll: int = 0
    """Number from which the seeds of all variations are derived."""
    x: str = "floor_share"
    y: str = "path_length"
    """Measures of the plot's axes."""
    sort: str = ""
    """Measure to sort by; empty for the order of generation."""
    most_first: bool = True
    size: int = 140
    """Minimum width of a picture, in pixels."""
    stars: tuple[str, ...] = ()
    """Keys of the favorite variations."""
    pinned: tuple[int, ...] = ()
    """Seeds of favorites that stay when the other seeds are chosen again."""
    found: tuple[Mapping[str, Any], ...] = ()
    """Values of the varied parameters by path, for each map that was found by a search."""
    found_owner: str = ""
    """Technique and recipe of these maps."""

    def to_data(self) -> dict[str, Any]:
        """Return plain data for `from_data`. Defaults are left out."""
        defaults = vars(Gallery())
        return {name: value for name, value in vars(self).items() if value != defaults[name]}

    @classmethod
    def from_data(cls, data: Any) -> Gallery:
        """Read the gallery from plain data of an untrusted source. Unknown names are ignored."""
        if not isinstance(data, Mapping):
            raise InvalidRecipe("must be a set of named values", at="gallery", got=data, rule="type")
        known = vars(cls())
        try:
            return cls(**{name: _read_field(name, value) for name, value in data.items() if name in known})
        except InvalidRecipe as error:
            raise error.within("gallery") from None


def _read_field(name: str, value: Any) -> Any:
    match name:
        case "what":
            is_valid, rule = isinstance(value, str) and value in VARIATION_KINDS, f"one of {', '.join(VARIATION_KINDS)}"
        case "low" | "high":
            is_valid, rule = value is None or _is_number(value), f"a number from -{MAX_NUMBER:g} to {MAX_NUMBER:g}"
        case "same_seed" | "most_first":
            is_valid, rule = isinstance(value, bool), "true or false"
        case "roll":
            is_valid, rule = type(value) is int and 0 <= value < MAX_ROLL, f"an integer from 0 to {MAX_ROLL - 1:,}"
        case "size":
            is_valid = type(value) is int and MIN_SIZE <= value <= MAX_SIZE
            rule = f"an integer from {MIN_SIZE} to {MAX_SIZE}"
        case "stars":
            is_valid = _is_list(value, MAX_STARS, lambda star: isinstance(star, str) and len(star) <= MAX_NAME_LENGTH)
            rule = f"a list of at most {MAX_STARS} strings of at most {MAX_NAME_LENGTH} characters"
        case "pinned":
            is_valid = _is_list(value, MAX_PINNED, lambda seed: type(seed) is int and 0 <= seed < MAX_ROLL)
            rule = f"a list of at most {MAX_PINNED} seeds"
        case "found":
            is_valid = _is_list(value, MAX_FOUND, _is_found) and _count_numbers(value) <= MAX_FOUND_NUMBERS
            rule = f"at most {MAX_FOUND} sets of values of parameters"
        case _:
            is_valid = isinstance(value, str) and len(value) <= MAX_NAME_LENGTH
            rule = f"a string of at most {MAX_NAME_LENGTH} characters"
    if not is_valid:
        raise InvalidRecipe(f"must be {rule}", at=name, got=value)
    return tuple(value) if isinstance(value, list) else value


def _is_list(value: Any, max_length: int, is_item: Callable[[Any], bool]) -> bool:
    return isinstance(value, list) and len(value) <= max_length and all(map(is_item, value))


def _is_found(values: Any) -> bool:
    """Return whether these are values of parameters by path: scalars, or lists of numbers."""
    if not isinstance(values, dict) or not len(values) <= MAX_FOUND_PARAMS:
        return False
    return all(
        len(path) <= MAX_NAME_LENGTH
        and (
            value is None
            or isinstance(value, bool)
            or _is_number(value)
            or (isinstance(value, str) and len(value) <= MAX_NAME_LENGTH)
            or (isinstance(value, list) and all(map(_is_number, value)))
        )
        for path, value in values.items()
    )


def _count_numbers(found: list[dict[str, Any]]) -> int:
    return sum(len(value) if isinstance(value, list) else 1 for values in found for value in values.values())


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) <= MAX_NUMBER and isfinite(value)
