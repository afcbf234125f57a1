"""Distances and paths as the benchmark finds them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Cell = tuple[int, int]
SHIFTS = ((0, -1), (0, 1), (-1, 0), (1, 0))
"""Left, right, up and down: the order in which the benchmark prefers neighbors."""


def list_neighbors(cell: Cell, shape: tuple[int, int]) -> Iterator[Cell]:
    """Yield the neighbors of a cell within the map."""
    for down, right in SHIFTS:
        row, column = cell[0] + down, cell[1] + right
        if 0 <= row < shape[0] and 0 <= column < shape[1]:
            yield row, column


def find_distances(is_open: NDArray[np.bool_], start: Cell) -> NDArray[np.int64]:
    """Return the number of steps from a cell to all others through open cells; -1 where none leads."""
    rows, columns = is_open.shape
    steps = np.full((rows, columns), -1, dtype=np.int64)
    if not is_open[start]:
        return steps
    steps[start] = 0
    queue = [start]
    for cell in queue:
        for other in list_neighbors(cell, (rows, columns)):
            if is_open[other] and steps[other] < 0:
                steps[other] = steps[cell] + 1
                queue.append(other)
    return steps


def trace_path(steps: NDArray[np.int64], end: Cell) -> list[Cell]:
    """Return a shortest path to a cell, given the distances from its start."""
    rows, columns = steps.shape
    path = [end]
    while steps[path[-1]] > 0:
        cell = path[-1]
        path.append(next(other for other in list_neighbors(cell, (rows, columns)) if steps[other] == steps[cell] - 1))
    return path[::-1]
