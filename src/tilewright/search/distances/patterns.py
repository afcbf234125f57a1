"""Distance of patterns: how differently often the N×N blocks of two maps occur."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...analysis.patterns import Coding
from ...analysis.survey import Survey
from ...core.params import Params, param
from ...core.samples import DEFAULT_PATTERN_SIZE
from ...kernels.differences import compare_keys
from . import distance

MAX_TILES = 1 << 16
"""Maximum number of tiles of a tileset. Keys for this number do not depend on the tileset of a map."""


class PatternDistanceParams(Params):
    """Parameters of the distance `patterns`."""

    pattern_size: int = param(DEFAULT_PATTERN_SIZE, ge=1, le=8, typical=(2, 4))
    """Edge length of the patterns in cells."""


def describe_patterns(survey: Survey, params: PatternDistanceParams) -> NDArray[np.uint64] | None:
    """Return the sorted keys of all patterns of a map; None if the map is smaller than a pattern."""
    cells = survey.map.cells
    keys = Coding(params.pattern_size, cells.ndim, MAX_TILES).keys(cells)
    return np.sort(keys, axis=None) if keys.size else None


def compare_stack(one: NDArray[np.uint64], others: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Return the total variation distance to each of the others."""
    differences = np.empty(len(others), dtype=np.int64)
    compare_keys(one, others, differences)
    return np.asarray(differences / (2 * one.size * others.shape[1]))


@distance(describe_patterns, params=PatternDistanceParams, compare_many=compare_stack, needs="at least one pattern")
def patterns(one: NDArray[np.uint64], other: NDArray[np.uint64]) -> float:
    """Total variation of the patterns: the fraction of patterns that would have to be other ones.

    Patterns are all N×N blocks of a map (N×N×N on 3D maps). The distance is half the sum of the differences between
    their frequencies, 0 if all patterns are equally frequent and 1 if no pattern occurs in both maps. Where on the map
    a pattern occurs does not matter. Maps may differ in size.
    """
    return float(compare_stack(one, other[None])[0])
