"""Labels of connected regions for steps along the axes or with diagonals, on a map without a margin.

The algorithm is that of `flood`, which labels regions for any neighborhood. Here, cells that are connected through a
common neighbor are not compared.
"""

from __future__ import annotations

import numpy as np

from . import inline, kernel
from .flood import find_root, number_roots
from .types import Int32_1D, Int32_3D, Int64_1D, ReadOnlyUint8_3D


@inline
def _connect(parents: Int32_1D, label: int, near: int) -> int:
    """Record that two labels are connected, and return one of them; 0 is no label."""
    if label == 0 or near == 0 or label == near:
        return label | near
    one, other = find_root(parents, label), find_root(parents, near)
    if one < other:
        parents[other] = one
        return one
    parents[one] = other
    return other


@kernel
def label_axes(mask: ReadOnlyUint8_3D, diagonal: bool, labels: Int32_3D) -> Int64_1D:
    """Label the connected regions of the nonzero cells (level, row, column) of a mask.

    Regions are numbered from 1 in the reading order of their first cells; the other cells get 0. Return the number of
    cells of each region, with 0 for number 0.
    """
    levels, height, width = mask.shape
    parents = np.empty(mask.size + 1, dtype=np.int32)
    parents[0] = 0
    count = 0
    for level in range(levels):
        for row in range(height):
            cells, line = mask[level, row], labels[level, row]
            above = labels[level, row - 1] if row > 0 else line
            for column in range(width):
                if cells[column] == 0:
                    line[column] = 0
                    continue
                label = int(line[column - 1]) if column > 0 else 0
                if row > 0:
                    before = int(above[column - 1]) if column > 0 else 0
                    over = int(above[column])
                    if not diagonal:
                        if label == 0 or before == 0:  # Otherwise, these two connect the left cell and the one above.
                            label = _connect(parents, label, over)
                    elif over:
                        label = over  # All other cells are its neighbors.
                    else:
                        label = label or before
                        if column + 1 < width:
                            label = _connect(parents, label, int(above[column + 1]))
                if level > 0:
                    reach = 1 if diagonal else 0
                    for near_row in range(max(0, row - reach), min(height, row + reach + 1)):
                        for near in range(max(0, column - reach), min(width, column + reach + 1)):
                            label = _connect(parents, label, int(labels[level - 1, near_row, near]))
                if label == 0:
                    count += 1
                    label = count
                    parents[label] = label
                line[column] = label
    regions = number_roots(parents, count)
    sizes = np.zeros(regions + 1, dtype=np.int64)
    for level in range(levels):
        for row in range(height):
            line = labels[level, row]
            last, run = 0, 0
            for column in range(width):
                number = parents[line[column]]
                line[column] = number
                if number != last:
                    sizes[last] += run
                    last, run = int(number), 0
                run += 1
            sizes[last] += run
    sizes[0] = 0
    return sizes
