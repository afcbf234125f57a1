"""Warnings about a finished map: markers that could not be placed, and degenerate maps learned from samples.

The command line and the studio show them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ..core.errors import ANOTHER_SEED, Problem, pluralize
from ..core.tilemap import TileMap
from .sample_use import find_degeneracy

UNPLACED = "unplaced "
"""Start of the names of numbers that count missing markers, such as `unplaced goblin`."""


def find_map_warnings(map: TileMap) -> tuple[Problem, ...]:
    """Return the problems of a finished map."""
    unplaced = {name: int(number) for name, number in map.numbers.items() if name.startswith(UNPLACED)}
    return (*find_degeneracy(map), *(_describe_unplaced(name, count) for name, count in unplaced.items()))


def count_unplaced(numbers: Mapping[str, float], names: Iterable[str], missing: Mapping[str, int]) -> dict[str, float]:
    """Return the numbers of a map with the number of missing markers of each name.

    Markers that are not missing have no number. Numbers of other markers stay the same.

    >>> count_unplaced({"try": 2, "unplaced orc": 1}, ["orc", "goblin"], {"goblin": 3})
    {'try': 2, 'unplaced goblin': 3.0}
    """
    stale = {UNPLACED + name for name in names}
    kept = {name: number for name, number in numbers.items() if name not in stale}
    return kept | {UNPLACED + name: float(count) for name, count in missing.items()}


def _describe_unplaced(key: str, count: int) -> Problem:
    name = key.removeprefix(UNPLACED)
    text = f"{pluralize(count, 'marker')} {name!r} could not be placed: the map has too few cells that fit"
    return Problem(("shaping",), "unplaced", count, text, (ANOTHER_SEED,), "")
