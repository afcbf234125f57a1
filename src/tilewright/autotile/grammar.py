"""Grammar of pieces: which tiles may be neighbors, by the joints of a tileset."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import update_wrapper, wraps
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from ..core.caching import cached_by_size
from ..core.pieces import SIDES, STEPS
from ..core.tileset import Tileset

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class _SameTileset:
    """A cache key of a tileset, compared by identity, because comparing tilesets takes longer."""

    tileset: Tileset

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _SameTileset) and self.tileset is other.tileset

    def __hash__(self) -> int:
        return id(self.tileset)


def cache_by_tileset(build: Callable[[Tileset], T]) -> Callable[[Tileset], T]:
    """Cache the tables of recent tilesets by identity."""

    def build_for(key: _SameTileset) -> T:
        return build(key.tileset)

    find_for = cached_by_size(update_wrapper(build_for, build))

    @wraps(build)
    def find(tileset: Tileset) -> T:
        return find_for(_SameTileset(tileset))

    return find


@dataclass(frozen=True, eq=False)
class Grammar:
    """Joints of a tileset as tables of pairs of tiles. The tile after the last one is the edge of the map."""

    open: NDArray[np.bool_]
    """(tile, side) whether the tile continues at the side; always False for the edge of the map."""
    fits: NDArray[np.bool_]
    """(side, tile, other tile) whether the other tile may be the neighbor of the tile at that side."""
    pieces: NDArray[np.bool_]
    """(tile,) whether the tile is a piece: its kind has a joint, and it continues at a side."""

    @classmethod
    def of(cls, tileset: Tileset) -> Grammar:
        """Return the grammar of a tileset."""
        edge = len(tileset)
        kinds = np.array([tile.kind for tile in tileset])
        opened = np.array([[side in tile.joins for side in SIDES] for tile in tileset] + [[False] * 4])
        fits = np.ones((4, edge, edge + 1), dtype=np.bool_)
        pieces = np.zeros(edge, dtype=np.bool_)
        for joint in tileset.joints:
            pieces |= (kinds == joint.kind) & opened[:-1].any(axis=1)
            unconditional = np.isin(kinds, (*joint.meets, *joint.may_stop_at))
            for side in range(4):
                back = opened[:-1, (side + 2) % 4]
                conditional = np.where(back, np.isin(kinds, joint.joins), np.isin(kinds, joint.passes_under))
                continues = (kinds == joint.kind) & opened[:-1, side]
                fits[side, continues] = [*(unconditional | conditional), joint.edge]
        return cls(opened, fits, pieces)

    def find_misfits(self, cells: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Return the mask of the pieces of a 2D map that continue at a side where their neighbor does not allow it."""
        around = np.pad(cells.astype(np.intp), 1, constant_values=len(self.pieces))
        wrong = np.zeros(cells.shape, dtype=np.bool_)
        rows, columns = cells.shape
        for side, (down, right) in enumerate(STEPS):
            other = around[1 + down : 1 + down + rows, 1 + right : 1 + right + columns]
            wrong |= ~self.fits[side, cells, other]
        return wrong


@cache_by_tileset
def grammar_of(tileset: Tileset) -> Grammar:
    """Return the grammar of a tileset, cached. Without joints, all tiles fit."""
    return Grammar.of(tileset)


TileClasses = tuple[int, ...]
"""For every label of the samples, the label that replaces it in what is learned."""


def find_tile_classes(tileset: Tileset, ids: Sequence[int]) -> TileClasses:
    """Return, for every label, the first label whose tile is a piece of the same group, else itself."""
    jointed = {joint.kind for joint in tileset.joints}
    first: dict[tuple[str, str], int] = {}
    tile_classes = []
    for label, number in enumerate(ids):
        tile = tileset[number]
        is_piece = tile.kind in jointed and tile.joins
        tile_classes.append(first.setdefault(tile.group, label) if is_piece else label)
    return tuple(tile_classes)
