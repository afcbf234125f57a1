"""Hamming distance: the fraction of cells that differ."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...analysis.survey import Survey
from ...kernels.differences import compare_cells
from . import distance, refuse_other_size


def describe_cells(survey: Survey, params: Any) -> NDArray[np.uint16]:
    """Return the cells of a map."""
    return survey.map.cells.astype(np.uint16)


def compare_stack(one: NDArray[np.uint16], others: NDArray[np.uint16]) -> NDArray[np.float64]:
    """Return the fraction of cells that differ from each of the others."""
    different, either = np.empty((2, len(others)), dtype=np.int64)
    compare_cells(one.reshape(-1), others.reshape(len(others), -1), different, either)
    return different / one.size


@distance(describe_cells, compare_many=compare_stack)
def hamming(one: NDArray[np.uint16], other: NDArray[np.uint16]) -> float:
    """Fraction of cells that differ.

    Both maps must have the same size. Maps of two tiles that have nothing in common differ by 0.5 on average if half of
    the cells hold each tile.

    Source: Hamming, "Error detecting and error correcting codes", 1950.
    """
    refuse_other_size("hamming", one, other)
    return float(compare_stack(one, other[None])[0])
