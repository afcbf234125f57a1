"""Scans: the order in which a map's cells are drawn."""

from __future__ import annotations

import numpy as np

from ...core.caching import cached_by_size
from ...kernels.types import Int64_1D, Int64_2D
from .contexts import MARGIN
from .directions import Turn


@cached_by_size
def order_places(turn: Turn | None, shape: tuple[int, int], *, serpentine: bool = False) -> Int64_1D:
    """Return the places of all cells in a padded flat map, in the order of a scan; a spiral if `turn` is None.

    In a serpentine scan, every second row or column runs in the opposite direction.
    """
    rows, columns = (side + 2 * MARGIN for side in shape)
    places = np.arange(rows * columns, dtype=np.int64).reshape(rows, columns)[MARGIN:-MARGIN, MARGIN:-MARGIN]
    return _order_spiral(places) if turn is None else _order_lines(places, turn, serpentine=serpentine)


def _order_lines(places: Int64_2D, turn: Turn, *, serpentine: bool) -> Int64_1D:
    swapped, across, upside = turn
    turned = places[:: 1 if upside else -1, :: -1 if across else 1]
    lines = np.ascontiguousarray(turned.T if swapped else turned)
    if serpentine:
        lines[1::2] = lines[1::2, ::-1].copy()
    return lines.reshape(-1)


def _order_spiral(places: Int64_2D) -> Int64_1D:
    """Order places ring by ring around the center, each ring from its lower right corner: up, left, down, right."""
    rows, columns = (side // 2 for side in places.shape)
    down, right = np.ogrid[-rows : places.shape[0] - rows, -columns : places.shape[1] - columns]
    ring = np.maximum(np.abs(down), np.abs(right))
    up = (right == ring) & (down < ring)
    left = (down == -ring) & (right < ring)
    lowered = (right == -ring) & (down > -ring)
    along = np.where(
        up, ring - down, np.where(left, 3 * ring - right, np.where(lowered, 5 * ring + down, 7 * ring + right))
    )
    return places.reshape(-1)[np.lexsort((along.reshape(-1), ring.reshape(-1)))]
