"""Sizes of maps that a distance compares cell by cell."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from ...core.errors import InvalidRecipe
from ...core.tilemap import format_size


def refuse_other_size(name: str, one: NDArray[Any], other: NDArray[Any]) -> None:
    """Raise InvalidRecipe if two maps differ in size."""
    if one.shape != other.shape:
        text = f"{name} compares maps of one size, got {format_size(one.shape)} and {format_size(other.shape)}"
        raise InvalidRecipe(f"{text}; use patterns or path", at="distance", place="distance", rule="size")
