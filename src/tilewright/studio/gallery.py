"""What is asked of the gallery: what varies, which measures are its axes, in which order. A value, as the state is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

from ..core.errors import InvalidRecipe

VARIATION_KINDS = ("seed", "knob")
MAX_NAME_LENGTH = 120
MAX_NUMBER = 1e15
"""Of the numbers between which a knob is swept."""
MAX_ROLL = 10**9


@dataclass(frozen=True)
class Gallery:
    """What varies and how it is shown; nothing of it changes the map."""

    what: str = "seed"
    """What varies: the seed, or a knob."""
    knob: str = ""
    """The knob's key; empty for the first that there is."""
    low: float | None = None
    high: float | None = None
    """Between which values it is swept; None for where its usual ones begin and end."""
    same_seed: bool = True
    """Whether all values of the knob have the state's own seed."""
    roll: int = 0
    """From this number the seeds of all variations are drawn."""
    x: str = "floor_share"
    y: str = "path_length"
    """The measures that are the axes."""
    sort: str = ""
    """The measure by which the pictures are sorted; empty for as they come."""
    most_first: bool = True

    def to_data(self) -> dict[str, Any]:
        """Plain data that makes it again; what is as usual is left out."""
        usual = vars(Gallery())
        return {name: value for name, value in vars(self).items() if value != usual[name]}

    @classmethod
    def from_data(cls, data: Any) -> Gallery:
        """A gallery in plain data that anybody may have sent; names that mean nothing here are left out."""
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
            is_good, rule = isinstance(value, str) and value in VARIATION_KINDS, f"one of {', '.join(VARIATION_KINDS)}"
        case "low" | "high":
            is_good, rule = value is None or _is_number(value), f"a number from -{MAX_NUMBER:g} to {MAX_NUMBER:g}"
        case "same_seed" | "most_first":
            is_good, rule = isinstance(value, bool), "true or false"
        case "roll":
            is_good, rule = type(value) is int and 0 <= value < MAX_ROLL, f"a whole number below {MAX_ROLL:,}"
        case _:
            is_good = isinstance(value, str) and len(value) <= MAX_NAME_LENGTH
            rule = f"a text of at most {MAX_NAME_LENGTH} characters"
    if not is_good:
        raise InvalidRecipe(f"{rule}", at=name, got=value)
    return value


def _is_number(value: Any) -> bool:
    return type(value) in (int, float) and abs(value) <= MAX_NUMBER and isfinite(value)
