"""Distance of visited cells: how little the cells on the paths from start to exit overlap."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...analysis.survey import Survey
from ...kernels.differences import compare_cells
from . import distance, refuse_other_size


def describe_visits(survey: Survey, params: Any) -> NDArray[np.uint16] | None:
    """Return 1 for cells on the hot path and 0 for others; None if there is no path."""
    return None if survey.hot_path is None else survey.hot_path.cells.astype(np.uint16)


def compare_stack(one: NDArray[np.uint16], others: NDArray[np.uint16]) -> NDArray[np.float64]:
    """Return the Jaccard distance to each of the others. Each has at least one cell on its path."""
    different, either = np.empty((2, len(others)), dtype=np.int64)
    compare_cells(one.reshape(-1), others.reshape(len(others), -1), different, either)
    return different / either


@distance(describe_visits, compare_many=compare_stack, needs="a path from start to exit")
def visits(one: NDArray[np.uint16], other: NDArray[np.uint16]) -> float:
    """Jaccard distance of the cells that players visit: 1 if no cell is on the paths of both maps.

    The visited cells are those on paths from start to exit that are at most 10% longer than the shortest. The distance
    is the number of cells visited on only one of the maps, divided by the number visited on any of them. Both maps must
    have the same size.

    Source: Jaccard, "The distribution of the flora in the alpine zone", 1912.
    """
    refuse_other_size("visits", one, other)
    return float(compare_stack(one, other[None])[0])
