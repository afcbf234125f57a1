"""The canvas of the kernels from a map: which cells may change, which tiles may be placed, and known windows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ...analysis.survey import Survey
from ...core.seeds import Rng
from ...core.site import Site
from ...core.tilemap import TileMap
from ...kernels.canvas import MAX_EDITS, CanvasState, EditCanvas
from ...kernels.patterns import EMPTY, fill_table

RARE = 50
"""By default, a tile is left alone if less than one of this number of cells has it."""
MIN_REPETITION = 0.5
"""Minimum fraction of windows that occur more than once, for 3x3 windows."""
LARGE_WINDOW = np.ones(9, dtype=np.bool_)
SMALL_WINDOW = np.isin(np.arange(9), (4, 5, 7, 8))
"""Cells of a 3x3 window that belong to a pattern of 3x3 or 2x2 cells."""


def choose_tiles(survey: Survey, counted: Sequence[int]) -> list[int]:
    """Return the tiles to place and to replace by default, in ascending order.

    These are the tiles of a good part of the map, the tiles in `counted`, and at least one passable and one impassable
    tile. Pieces of rivers and roads, and objects that stand on other tiles, such as doors, are left alone.
    """
    tileset, cells = survey.map.tileset, survey.map.cells.size
    common = [
        number
        for number, count in enumerate(survey.counts.tolist())
        if count * RARE >= cells and not tileset[number].joins and not tileset[number].over
    ]
    for passable in (True, False):
        if not any(bool(tileset.passable[number]) == passable for number in common):
            other = survey.most_common_tile(passable=passable)
            common += [] if other is None else [other]
    return sorted({*common, *counted})


def add_margin(map: TileMap) -> NDArray[np.uint16]:
    """Return the cells of a map within a margin of a number that is no tile."""
    cells = np.full((map.height + 2, map.width + 2), len(map.tileset), dtype=np.uint16)
    cells[1:-1, 1:-1] = map.cells
    return cells


def find_free_cells(map: TileMap, site: Site, tiles: Sequence[int]) -> NDArray[np.bool_]:
    """Return a mask of the cells that may change.

    Locked cells, cells with markers and cells with other tiles stay as they are. If the outermost ring of the map is
    impassable, it stays closed.
    """
    free: NDArray[np.bool_] = np.isin(map.cells, tiles) & ~site.locked
    for marker in map.markers:
        free[marker.y, marker.x] = False
    ring = np.ones(map.shape, dtype=np.bool_)
    ring[1:-1, 1:-1] = False
    if not ring.all() and not map.passable[ring].any():
        free &= ~ring
    return free


@dataclass(frozen=True, eq=False)
class Patterns:
    """Patterns of a map: its 3x3 windows or, if few of these repeat, its 2x2 windows."""

    multipliers: NDArray[np.uint64]
    """(cell of a 3x3 window,) multiplier of the tile in the key of the window; 0 if the cell does not belong to it."""
    keys: NDArray[np.uint64]
    """Keys of all windows in all views."""
    repetition: float
    """Fraction of the windows that occur more than once: low for random noise."""

    @classmethod
    def of(cls, cells: NDArray[np.uint16], symmetry: int) -> Patterns:
        """Return the patterns of cells with a margin."""
        views = _list_views(cells, symmetry)
        for used in (LARGE_WINDOW, SMALL_WINDOW):
            multipliers = np.where(used, _make_multipliers(), np.uint64(0))
            _, counts = np.unique(_find_keys(cells, multipliers), return_counts=True)
            repetition = int(counts[counts > 1].sum()) / int(counts.sum())
            if repetition >= MIN_REPETITION:
                break
        return cls(multipliers, np.concatenate([_find_keys(view, multipliers) for view in views]), repetition)

    def to_table(self) -> NDArray[np.uint64]:
        """Return a hash table of the keys."""
        known = np.full(1 << (2 * self.keys.size).bit_length(), EMPTY, dtype=np.uint64)
        fill_table(known, self.keys, np.empty(self.keys.size, dtype=np.int64))
        return known


@cache
def _make_multipliers() -> NDArray[np.uint64]:
    rng = Rng.of("windows of improve")
    return np.array([rng.bits() for _ in range(9)], dtype=np.uint64)


def _list_views(cells: NDArray[np.uint16], symmetry: int) -> list[NDArray[np.uint16]]:
    """Return the cells in one, two or eight views: as they are, mirrored left to right, and rotated."""
    views = [cells] if symmetry == 1 else [cells, cells[:, ::-1]]
    return views if symmetry < 8 else [np.rot90(view, turns) for view in views for turns in range(4)]


def _find_keys(cells: NDArray[np.uint16], multipliers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the keys of all windows of cells with a margin."""
    height, width = cells.shape
    total = np.zeros((height - 2, width - 2), dtype=np.uint64)
    for cell in np.flatnonzero(multipliers).tolist():
        row, column = divmod(cell, 3)
        total += cells[row : row + height - 2, column : column + width - 2].astype(np.uint64) * multipliers[cell]
    return total.reshape(-1)


def build_canvas(
    map: TileMap, free: NDArray[np.bool_], tiles: Sequence[int], kept: Sequence[int], patterns: Patterns
) -> EditCanvas:
    """Return the canvas of a map; `kept` are the tiles whose numbers of cells must not change."""
    tileset, cells = map.tileset, add_margin(map)
    wide = np.zeros(cells.shape, dtype=np.uint8)
    wide[1:-1, 1:-1] = free
    counts = np.bincount(map.cells.reshape(-1), minlength=len(tileset)).astype(np.int64)
    allowed = np.zeros(len(tileset), dtype=np.uint8)
    allowed[list(tiles)] = 1
    required = np.full(len(tileset), -1, dtype=np.int64)
    required[list(kept)] = counts[list(kept)]
    state = CanvasState.new()
    state.anchor = cells.shape[1] + 1
    return EditCanvas(
        cells=cells,
        original=cells.copy(),
        free=wide,
        places=np.flatnonzero(wide).astype(np.int64),
        tiles=np.array(tiles, dtype=np.int64),
        allowed=allowed,
        walkable=tileset.passable.astype(np.uint8),
        passable=np.array(map.passable, dtype=np.uint8).reshape(1, 1, *map.shape),
        counts=counts,
        kept=required,
        unseen=np.zeros(cells.shape, dtype=np.uint8),
        known=patterns.to_table(),
        multipliers=patterns.multipliers,
        edits=np.zeros((MAX_EDITS, 2), dtype=np.int64),
        state=state,
    )
