"""Fitting pieces together: for every river, road, pipe, beach and bridge the piece that its neighbours ask for."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.pieces import SIDES
from ..core.pipeline import exhausted
from ..core.site import Frame
from ..core.tileset import Tileset
from ..kernels import autotile as kernels
from .grammar import cache_by_tileset

ROUNDS = 24
"""At most so many, of which the later ones draw no dead end on; two or three are the rule."""
EXTENDING = 4


@dataclass(frozen=True, eq=False)
class Fitter:
    """A tileset's joints as the tables that the kernels ask for; see kernels/autotile."""

    tiles: NDArray[np.int64]
    pieces: NDArray[np.int64]
    relation: NDArray[np.int64]
    gives: NDArray[np.int64]
    stands: NDArray[np.int64]

    @classmethod
    def of(cls, tileset: Tileset) -> Fitter:
        joints = {joint.kind: joint for joint in tileset.joints}
        kinds = {kind: number for number, kind in enumerate(dict.fromkeys(tile.kind for tile in tileset))}
        sets = [sum(1 << SIDES.index(side) for side in tile.joins) for tile in tileset]
        groups: dict[tuple[str, str], int] = {}
        for tile in tileset:
            if tile.joins and tile.kind in joints:
                groups.setdefault((tile.kind, tile.country), len(groups))
        edge = len(kinds)
        tiles = np.array(
            [
                (kinds[tile.kind], sides, groups.get((tile.kind, tile.country), -1))
                for tile, sides in zip(tileset, sets, strict=True)
            ]
            + [(edge, 0, -1)]
        )
        pieces = np.full((len(groups), 19), -1, dtype=np.int64)
        for number in reversed(range(len(tileset))):
            if tiles[number, 2] >= 0:
                pieces[tiles[number, 2], tiles[number, 1]] = number
        relation = np.zeros((edge + 1, edge + 1), dtype=np.int64)
        gives = np.full((edge + 1, max([1, *(len(joint.gives_way) for joint in joints.values())])), -1, dtype=np.int64)
        for kind, joint in joints.items():
            row = relation[kinds[kind]]
            for words, bit in (
                (joint.joins, kernels.JOINS),
                (joint.under, kernels.UNDER),
                (joint.meets, kernels.MEETS),
                (joint.loose, kernels.LOOSE),
            ):
                row[[kinds[word] for word in words]] |= bit
            row[edge] = kernels.EDGE * joint.edge
            gives[kinds[kind], : len(joint.gives_way)] = [kinds[word] for word in joint.gives_way]
        for (kind, _), group in groups.items():
            there = pieces[group, :16] >= 0
            numbers = np.array([sides.bit_count() for sides in range(16)])
            few = numbers < 2
            limited = not there[~few].all()
            pieces[group, kernels.LIMITED] = limited
            pieces[group, kernels.EXTENDS] = not (limited or joints[kind].loose or there[few].any())
            pieces[group, kernels.LEAST] = numbers[there].min()
        stands = np.full(edge + 1, -1, dtype=np.int64)
        for number in sorted(range(len(tileset)), key=lambda number: (tileset[number].country != "", number))[::-1]:
            stands[tiles[number, 0]] = number
        return cls(tiles, pieces, relation, gives, stands)


@cache_by_tileset
def fitter_of(tileset: Tileset) -> Fitter:
    """Return a tileset's tables."""
    return Fitter.of(tileset)


def fitted(
    cells: NDArray[Any], tileset: Tileset, frozen: NDArray[np.bool_] | None = None, *, keep: bool = False
) -> NDArray[Any]:
    """The tile ids of a flat map after every piece in it was made to fit.

    Cells that are frozen stay, and what stands beside them adapts. With `keep`, pieces that fit stay as they are and go
    on to each other only where one of them does now; else all neighbours go on to each other whose kinds join.
    """
    return exhausted(fitting(cells, tileset, frozen, keep=keep))


def fitting(
    cells: NDArray[Any], tileset: Tileset, frozen: NDArray[np.bool_] | None = None, *, keep: bool = False
) -> Generator[Frame, None, NDArray[Any]]:
    """As `fitted`, with a frame after every round."""
    if not tileset.joints:
        return cells.copy()
    tables = fitter_of(tileset)
    rows, columns = cells.shape
    width = columns + 2
    wide = np.full((rows + 2, width), len(tileset), dtype=np.int64)
    inner = wide[1:-1, 1:-1]
    inner[:] = cells
    held = np.zeros(wide.shape, dtype=np.uint8)
    if frozen is not None:
        held[1:-1, 1:-1] = frozen
    flat, flat_held = wide.reshape(-1), held.reshape(-1)
    for number in range(ROUNDS):
        extend = number < EXTENDING
        if not kernels.fit(
            flat, flat_held, width, tables.tiles, tables.pieces, tables.relation, tables.gives, tables.stands,
            keep, extend,
        ):  # fmt: skip
            break
        yield Frame(lambda: inner.astype(tileset.dtype), f"round {number + 1}")
    kernels.clear(flat, flat_held, width, tables.tiles, tables.relation, tables.gives, tables.stands)
    return inner.astype(tileset.dtype)
