"""Settings of the gallery of variations.

They are an immutable part of `State`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from ...core.errors import Problem, problem
from ...core.params import param
from ..link_params import Items, LinkParams

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

Name: TypeAlias = Annotated[str, Field(max_length=MAX_NAME_LENGTH)]
Roll: TypeAlias = Annotated[int, Field(ge=0, lt=MAX_ROLL)]
Number: TypeAlias = Annotated[int | float, Field(ge=-MAX_NUMBER, le=MAX_NUMBER)]
FoundParams: TypeAlias = Annotated[
    Mapping[Name, bool | Number | Name | list[Number] | None], Field(max_length=MAX_FOUND_PARAMS)
]


class Gallery(LinkParams):
    """Settings of the gallery: what it varies and how it shows the maps. They do not affect the current map."""

    what: Literal["seed", "knob", "found"] = "seed"
    """What varies: the seed, a parameter ("knob"), or what a search has varied ("found")."""
    knob: Name = ""
    """Key of the parameter; empty for the first parameter."""
    low: Number | None = None
    high: Number | None = None
    """Bounds of the sweep; None for the parameter's usual range."""
    same_seed: bool = True
    """Whether all maps of a sweep have the seed of the current map."""
    roll: Roll = 0
    """Number from which the seeds of all variations are derived."""
    x: Name = "floor_share"
    y: Name = "path_length"
    """Measures of the plot's axes."""
    sort: Name = ""
    """Measure to sort by; empty for the order of generation."""
    most_first: bool = True
    size: int = param(140, ge=MIN_SIZE, le=MAX_SIZE)
    """Minimum width of a picture, in pixels."""
    stars: Items[Name] = param((), max_length=MAX_STARS)
    """Keys of the favorite variations."""
    pinned: Items[Roll] = param((), max_length=MAX_PINNED)
    """Seeds of favorites that stay when the other seeds are chosen again."""
    found: Items[FoundParams] = param((), max_length=MAX_FOUND)
    """Values of the varied parameters by path, for each map that was found by a search."""
    found_owner: Name = ""
    """Technique and recipe of these maps."""

    def find_problems(self) -> Iterable[Problem]:
        values = [value for params in self.found for value in params.values()]
        if sum(len(value) if isinstance(value, list) else 1 for value in values) > MAX_FOUND_NUMBERS:
            yield problem(f"must have at most {MAX_FOUND_NUMBERS:,} values in all", at="found", rule="maximum_length")
