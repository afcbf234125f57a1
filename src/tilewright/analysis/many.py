"""Measures of many maps: maps of the same shape and tileset are surveyed together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ..core.entries import Measure
from ..core.registry import measures
from ..core.tilemap import TileMap
from ..core.tileset import Tileset
from .similarity import Similarity
from .survey import Survey, check_comparing

MAX_MAPS, MAX_CELLS = 512, 1 << 20
"""Maximum number of maps that are surveyed together, and of their cells. A larger map is surveyed alone."""


def measure_maps(
    maps: Sequence[TileMap], names: Iterable[str] = (), likes: Sequence[Similarity | None] | None = None
) -> dict[str, NDArray[np.float64]]:
    """Compute measures of many maps.

    Parameters
    ----------
    maps : sequence of TileMap
        The maps to measure, of any shapes and tilesets.
    names : iterable of str
        Names of measures; by default all measures without an argument that apply to at least one map.
    likes : sequence of Similarity, optional
        Samples to compare each map with.

    Returns
    -------
    dict of str to ndarray of float
        Values of all maps by name; NaN where a measure does not apply. They equal those of `measure_map`.

    Examples
    --------
    >>> tiles = Tileset.from_labels(["floor", "wall"])
    >>> found = measure_maps([TileMap([[0, 0]], tiles), TileMap([[1], [0]], tiles)], ["cells", "count.floor"])
    >>> {name: numbers.tolist() for name, numbers in found.items()}
    {'cells': [2.0, 2.0], 'count.floor': [2.0, 1.0]}
    """
    named = [measures.complete(name) for name in names]
    likes = [None] * len(maps) if likes is None else likes
    if any(like is None for like in likes):
        check_comparing(named)
    _check_tiles([entry for entry in named if entry.argument == "tile"], maps)
    entries = named or [entry for entry in measures if not entry.argument]
    found = {entry.name: np.full(len(maps), np.nan) for entry in entries}
    applies = {entry.name: bool(named) for entry in entries}
    for numbers in _iter_groups(maps):
        surveys = Survey.of_each([maps[number] for number in numbers], [likes[number] for number in numbers])
        for entry in entries:
            values = [entry.compute(survey) for survey in surveys]
            found[entry.name][numbers] = [np.nan if value is None else float(value) for value in values]
            applies[entry.name] |= any(value is not None for value in values)
    return {name: numbers for name, numbers in found.items() if applies[name]}


def _iter_groups(maps: Sequence[TileMap]) -> Iterator[list[int]]:
    """Yield the numbers of maps with the same shape and tileset, in groups that fit in memory."""
    groups: dict[tuple[tuple[int, ...], int], list[int]] = {}
    for number, map in enumerate(maps):
        key = map.cells.shape, id(map.tileset)
        group = groups.setdefault(key, [])
        group.append(number)
        if len(group) == MAX_MAPS or (len(group) + 1) * map.cells.size > MAX_CELLS:
            yield groups.pop(key)
    yield from groups.values()


def _check_tiles(entries: Sequence[Measure], maps: Sequence[TileMap]) -> None:
    """Raise UnknownName if the argument of a measure is a tile of no map."""
    if not entries or not maps:
        return
    known = list({id(map.tileset): map.tileset for map in maps}.values())
    for entry in entries:
        assert entry.value is not None
        if all(tileset.find(entry.value) is None for tileset in known):
            entry.check_argument([*known, *_list_recipe_tilesets(maps)])


def _list_recipe_tilesets(maps: Sequence[TileMap]) -> list[Tileset]:
    """Return the tilesets whose tiles maps of the same recipes can have."""
    tilesets = (tileset for map in maps if map.recipe is not None for tileset in map.recipe.tilesets)
    return list({id(tileset): tileset for tileset in tilesets}.values())
