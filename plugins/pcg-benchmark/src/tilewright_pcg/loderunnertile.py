"""Lode Runner by tiles: floors with ladders, ropes and gold, with given numbers of ladder and rope cells.

A content is the level without the bottom of bricks that the benchmark adds. The benchmark compares how levels are
explored with its own levels, so that making contents needs the installed benchmark.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tilewright import GaveUp, Rng

from .judge import open_benchmark
from .problem import Content, Control, PcgProblem, Report
from .runner_levels import COLUMNS, ROWS, RunnerThresholds, draw_runner_level

TRIES = 5000
TILES = (
    {"name": "brick", "glyph": "#", "passable": False},
    {"name": "floor", "glyph": "."},
    {"name": "player", "glyph": "@"},
    {"name": "gold", "glyph": "g"},
    {"name": "enemy", "glyph": "e"},
    {"name": "ladder", "glyph": "H"},
    {"name": "rope", "glyph": "-"},
)


class RunnerTileProblem(PcgProblem):
    name = "loderunnertile"
    shape = (ROWS - 1, COLUMNS)
    tiles = TILES
    ranges: tuple[tuple[str, int, int], ...] = (("ladder", 0, 133), ("rope", 0, 133))
    game = "runner,dig=false,enemies=false,enter_ladders=false"

    def make(self, controls: Sequence[Control], rng: Rng, report: Report) -> list[Content]:
        rules = RunnerThresholds.read(open_benchmark(self.name))
        found = []
        for place, control in enumerate(controls):
            found.append(self.encode(_make_level(control, rules, rng.child("place", place))))
            report(place + 1)
        return found

    def encode(self, level: NDArray[np.uint8]) -> Content:
        """Return a level with its bottom as a content."""
        return level[:-1].astype(np.int64).tolist()


def _make_level(control: Control, rules: RunnerThresholds, rng: Rng) -> NDArray[np.uint8]:
    for number in range(TRIES):
        level = draw_runner_level(control, rules.tolerance, rng.child("try", number))
        if level is not None and rules.accepts(level, control):
            return level
    raise GaveUp(f"no level of {TRIES:,} meets ladder {control['ladder']}, rope {control['rope']}", tries=TRIES)


PROBLEM = RunnerTileProblem()
