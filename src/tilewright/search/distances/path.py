"""Distance of paths: how much the shapes of the paths from start to exit differ."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...analysis.paths import shortest_path
from ...analysis.survey import Survey
from ...kernels.differences import count_edits
from . import distance


def describe_steps(survey: Survey, params: Any) -> NDArray[np.uint8] | None:
    """Return the steps of a shortest path from start to exit, as numbers of directions; None if there is no path."""
    route = survey.route
    if route is None:
        return None
    steps = np.diff(shortest_path(survey.passable, route.start, route.exit), axis=0)
    directions = 2 * np.abs(steps).argmax(axis=1) + (steps.sum(axis=1) > 0)
    return np.asarray(directions, dtype=np.uint8)


@distance(describe_steps, needs="a path from start to exit")
def path(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> float:
    """Edit distance of the steps from start to exit, relative to the longer path.

    Each path is a sequence of steps: up, down, left, right. The distance is the minimum number of steps to insert,
    remove or replace, divided by the number of steps of the longer path. Where on the map the path is does not matter.
    Without the markers start and exit, paths lead between two distant cells, as for the measure path_length. Of several
    shortest paths, always the same one counts.

    Source: Levenshtein, "Binary codes capable of correcting deletions, insertions, and reversals", 1966.
    """
    longer = max(one.size, other.size)
    return count_edits(one, other) / longer if longer else 0.0
