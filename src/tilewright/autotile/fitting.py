"""Fitting pieces together: for every river, road, pipe, beach and bridge the piece that its neighbours ask for."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.pieces import SIDES
from ..core.pipeline import drain
from ..core.site import Frame
from ..core.tileset import Tileset
from ..kernels import autotile as kernels
from ..kernels.autotile import PieceTables
from .grammar import cache_by_tileset

MAX_ROUNDS = 24
"""At most so many, of which the later ones draw no dead end on; two or three are the rule."""
EXTENDING_ROUNDS = 4


@cache_by_tileset
def tables_of(tileset: Tileset) -> PieceTables:
    """Return a tileset's joints as the tables that the kernels take."""
    joints = {joint.kind: joint for joint in tileset.joints}
    kinds = {kind: number for number, kind in enumerate(dict.fromkeys(tile.kind for tile in tileset))}
    numbers: dict[tuple[str, str], int] = {}
    for tile in tileset:
        if tile.joins and tile.kind in joints:
            numbers.setdefault((tile.kind, tile.country), len(numbers))
    edge = len(kinds)
    tiles = np.array(
        [
            (
                kinds[tile.kind],
                sum(1 << SIDES.index(side) for side in tile.joins),
                numbers.get((tile.kind, tile.country), -1),
            )
            for tile in tileset
        ]
        + [(edge, 0, -1)],
        dtype=kernels.TILE,
    )
    pieces = np.full((len(numbers), 16), -1, dtype=np.int64)
    stands = np.full(edge + 1, -1, dtype=np.int64)
    for number in reversed(range(len(tileset))):
        if tiles[number]["group"] >= 0:
            pieces[tiles[number]["group"], tiles[number]["sides"]] = number
    for number in sorted(range(len(tileset)), key=lambda number: (tileset[number].country != "", number))[::-1]:
        stands[tiles[number]["kind"]] = number
    relation = np.zeros((edge + 1, edge + 1), dtype=np.int64)
    gives = np.full((edge + 1, max([1, *(len(joint.fallback) for joint in joints.values())])), -1, dtype=np.int64)
    for kind, joint in joints.items():
        row = relation[kinds[kind]]
        for words, bit in (
            (joint.joins, kernels.JOINS),
            (joint.passes_under, kernels.PASSES_UNDER),
            (joint.meets, kernels.MEETS),
            (joint.may_stop_at, kernels.MAY_STOP_AT),
        ):
            row[[kinds[word] for word in words]] |= bit
        row[edge] = kernels.EDGE * joint.edge
        gives[kinds[kind], : len(joint.fallback)] = [kinds[word] for word in joint.fallback]
    groups = np.zeros(len(numbers), dtype=kernels.GROUP)
    counts = np.array([sides.bit_count() for sides in range(16)])
    for (kind, _), number in numbers.items():
        there, few = pieces[number] >= 0, counts < 2
        limited = not there[~few].all()
        groups[number] = limited, not (limited or joints[kind].may_stop_at or there[few].any()), counts[there].min()
    return PieceTables(tiles, groups, pieces, relation, gives, stands)


def fit_pieces(
    cells: NDArray[Any], tileset: Tileset, frozen: NDArray[np.bool_] | None = None, *, keep: bool = False
) -> NDArray[Any]:
    """The tile ids of a flat map after every piece in it was made to fit.

    Cells that are frozen stay, and what stands beside them adapts. With `keep`, pieces that fit stay as they are and go
    on to each other only where one of them does now; else all neighbours go on to each other whose kinds join.
    """
    return drain(fit_in_rounds(cells, tileset, frozen, keep=keep))


def fit_in_rounds(
    cells: NDArray[Any], tileset: Tileset, frozen: NDArray[np.bool_] | None = None, *, keep: bool = False
) -> Generator[Frame, None, NDArray[Any]]:
    """As `fitted`, with a frame after every round."""
    if not tileset.joints:
        return cells.copy()
    tables = tables_of(tileset)
    rows, columns = cells.shape
    width = columns + 2
    wide = np.full((rows + 2, width), len(tileset), dtype=np.int64)
    inner = wide[1:-1, 1:-1]
    inner[:] = cells
    held = np.zeros(wide.shape, dtype=np.uint8)
    if frozen is not None:
        held[1:-1, 1:-1] = frozen
    fit = kernels.new_fit(wide.reshape(-1), held.reshape(-1), width, keep=keep)
    for number in range(MAX_ROUNDS):
        if not kernels.fit_pieces(fit, tables, number < EXTENDING_ROUNDS):
            break
        yield Frame(lambda: inner.astype(tileset.dtype), f"round {number + 1}")
    kernels.replace_misfits(fit, tables)
    return inner.astype(tileset.dtype)
