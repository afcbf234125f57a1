"""Fitting pieces: choose the piece of every river, road, pipe, beach and bridge that fits its neighbors."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.pieces import SIDES
from ..core.site import Frame
from ..core.tileset import Tileset
from ..kernels import autotile as kernels
from ..kernels.autotile import FitArrays, PieceTables
from .grammar import cache_by_tileset


@cache_by_tileset
def tables_of(tileset: Tileset) -> PieceTables:
    """Return the joints of a tileset as kernel tables."""
    joints = {joint.kind: joint for joint in tileset.joints}
    kinds = {kind: number for number, kind in enumerate(dict.fromkeys(tile.kind for tile in tileset))}
    numbers: dict[tuple[str, str], int] = {}
    for tile in tileset:
        if tile.joins and tile.kind in joints:
            numbers.setdefault(tile.group, len(numbers))
    edge = len(kinds)
    tiles = np.array(
        [
            (kinds[tile.kind], sum(1 << SIDES.index(side) for side in tile.joins), numbers.get(tile.group, -1))
            for tile in tileset
        ]
        + [(edge, 0, -1)],
        dtype=kernels.TILE,
    )
    pieces = np.full((len(numbers), 16), -1, dtype=np.int64)
    kind_tiles = np.full(edge + 1, -1, dtype=np.int64)
    for number in reversed(range(len(tileset))):
        if tiles[number]["group"] >= 0:
            pieces[tiles[number]["group"], tiles[number]["sides"]] = number
    for number in sorted(range(len(tileset)), key=lambda number: (tileset[number].country != "", number))[::-1]:
        kind_tiles[tiles[number]["kind"]] = number
    relation = np.zeros((edge + 1, edge + 1), dtype=np.int64)
    fallbacks = np.full((edge + 1, max([1, *(len(joint.fallback) for joint in joints.values())])), -1, dtype=np.int64)
    for kind, joint in joints.items():
        row = relation[kinds[kind]]
        for others, bit in (
            (joint.joins, kernels.JOINS),
            (joint.passes_under, kernels.PASSES_UNDER),
            (joint.meets, kernels.MEETS),
            (joint.may_stop_at, kernels.MAY_STOP_AT),
        ):
            row[[kinds[other] for other in others]] |= bit
        row[edge] = kernels.EDGE * joint.edge
        fallbacks[kinds[kind], : len(joint.fallback)] = [kinds[other] for other in joint.fallback]
    groups = np.zeros(len(numbers), dtype=kernels.GROUP)
    counts = np.array([sides.bit_count() for sides in range(16)])
    for (kind, _), number in numbers.items():
        exists, is_end = pieces[number] >= 0, counts < 2
        limited = not exists[~is_end].all()
        extends = not (limited or joints[kind].may_stop_at or exists[is_end].any())
        groups[number] = limited, extends, counts[exists].min()
    return PieceTables(tiles, groups, pieces, relation, fallbacks, kind_tiles)


def fit_pieces(
    cells: NDArray[Any], tileset: Tileset, frozen: NDArray[np.bool_] | None = None, *, keep: bool = False
) -> NDArray[Any]:
    """Choose pieces so that every piece of a 2D map fits its neighbors.

    Parameters
    ----------
    cells
        (row, column) tile ids.
    tileset
        Tileset with joints.
    frozen
        Mask of cells that do not change; their neighbors adapt to them.
    keep
        If True, pieces that already fit do not change, and two neighbors are connected only if at least one of them is
        already open toward the other. If False, all neighbors whose kinds join are connected.

    Returns
    -------
    numpy.ndarray
        (row, column) tile ids. A piece that cannot fit is replaced by a fallback tile.

    Examples
    --------
    >>> import tilewright as tw
    >>> map = tw.make("markov", width=8, height=8, seed=1)
    >>> fit_pieces(map.cells, map.tileset, keep=True).shape
    (8, 8)
    """
    if not tileset.joints:
        return cells.copy()
    fit, inner = _make_fit(cells, tileset, frozen, keep=keep)
    kernels.fit_all_pieces(fit, tables_of(tileset))
    return inner.astype(tileset.dtype)


def fit_in_rounds(
    cells: NDArray[Any], tileset: Tileset, frozen: NDArray[np.bool_] | None = None, *, keep: bool = False
) -> Generator[Frame, None, NDArray[Any]]:
    """Choose pieces as `fit_pieces` does, and yield a frame after every round."""
    if not tileset.joints:
        return cells.copy()
    tables = tables_of(tileset)
    fit, inner = _make_fit(cells, tileset, frozen, keep=keep)
    for number in range(kernels.MAX_ROUNDS):
        if not kernels.fit_pieces(fit, tables, number < kernels.EXTENDING_ROUNDS):
            break
        yield Frame(lambda: inner.astype(tileset.dtype), f"round {number + 1}")
    kernels.replace_misfits(fit, tables)
    return inner.astype(tileset.dtype)


def _make_fit(
    cells: NDArray[Any], tileset: Tileset, frozen: NDArray[np.bool_] | None, *, keep: bool
) -> tuple[FitArrays, NDArray[np.int64]]:
    """Return the arrays of the kernels for a 2D map, and the view of its cells in them."""
    rows, columns = cells.shape
    wide = np.full((rows + 2, columns + 2), len(tileset), dtype=np.int64)
    inner = wide[1:-1, 1:-1]
    inner[:] = cells
    is_frozen = np.zeros(wide.shape, dtype=np.uint8)
    if frozen is not None:
        is_frozen[1:-1, 1:-1] = frozen
    return kernels.new_fit(wide.reshape(-1), is_frozen.reshape(-1), columns + 2, keep=keep), inner
