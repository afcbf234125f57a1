"""What measures and shapers ask of a map, worked out once and only when asked for."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..core import registry
from ..core.tilemap import TileMap
from .regions import Regions, regions_of


class Survey:
    """A map, looked at."""

    def __init__(self, map: TileMap) -> None:
        self.map = map

    @cached_property
    def passable(self) -> NDArray[np.bool_]:
        """The cells that one can walk on."""
        return self.map.passable

    @cached_property
    def regions(self) -> Regions:
        """The connected regions of passable cells, without diagonal steps."""
        return regions_of(self.passable)

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """(tile,) how many cells hold each tile."""
        return np.bincount(self.map.cells.reshape(-1), minlength=len(self.map.tileset))

    def commonest(self, *, passable: bool) -> int | None:
        """The most common tile of those that are passable, or are not; of equally common ones the first.

        None if the tileset has no such tile at all.
        """
        fitting = np.flatnonzero(self.map.tileset.passable == passable)
        return int(fitting[np.argmax(self.counts[fitting])]) if fitting.size else None


def measured(map: TileMap, names: Iterable[str] = ()) -> dict[str, float]:
    """The measures of these names, nan where one does not apply; without names, all that apply."""
    survey = Survey(map)
    asked = [registry.measures.get(name) for name in names]
    found = {entry.name: entry.body(survey) for entry in asked or registry.measures}
    if not asked:
        return {name: float(number) for name, number in found.items() if number is not None}
    return {name: np.nan if number is None else float(number) for name, number in found.items()}
