"""Binary: one region with a path of a given length.

Random cells are changed by `improve` until they are one region with a path of the wanted length.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tilewright import GaveUp, Rng, TileMap, improve

from .different import fill_places
from .problem import Content, Control, PcgProblem, Report

TOLERANCE = 7
MIN_DIFFERENCE = 79
"""Minimum number of cells in which two contents differ: 40% of them."""
MIN_PATH = 28
STEPS = 5000
"""Maximum number of moves of `improve`: most contents need some hundred."""
TRIES = 200


class BinaryProblem(PcgProblem):
    name = "binary"
    shape = (14, 14)
    tiles = ({"name": "wall", "glyph": "#", "passable": False}, {"name": "floor", "glyph": "."})
    ranges = (("path", 35, 97),)

    def make(self, controls: Sequence[Control], rng: Rng, report: Report) -> list[Content]:
        found = fill_places(self._make_one, _find_conflicts, controls, rng, report, tries=TRIES)
        return [cells.tolist() for cells in found]

    def _make_one(self, control: Control, rng: Rng) -> NDArray[np.int64] | None:
        cells = (rng.randoms(14 * 14).reshape(self.shape) < 0.5).astype(np.int64)
        low, high = max(MIN_PATH, control["path"] - TOLERANCE), control["path"] + TOLERANCE
        targets = {"regions": 1, "path_length": f"{low}..{high}"}
        try:
            map = improve(TileMap(cells, self.tileset), targets, seed=str(rng.bits()), style=0, steps=STEPS)
        except GaveUp:
            return None
        return map.cells.astype(np.int64)


def _find_conflicts(one: NDArray[np.int64], others: Sequence[NDArray[np.int64]]) -> NDArray[np.bool_]:
    if not others:
        return np.zeros(0, dtype=np.bool_)
    is_similar: NDArray[np.bool_] = np.count_nonzero(np.stack(others) != one, axis=(1, 2)) < MIN_DIFFERENCE
    return is_similar


PROBLEM = BinaryProblem()
