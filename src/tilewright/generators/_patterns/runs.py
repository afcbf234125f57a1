"""Runs: boards that an optimiser improves, several of them at once where there are processors for it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal

from ...core.seeds import Rng
from .board import Board

STEPS_PER_BLOCK = {"annealing": 1 << 17, "evolution": 1 << 14, "genetic": 1 << 13}
"""Between two yields: a few hundredths of a second."""
CROSSING = 0.3
"""Share of a genetic algorithm's children that have two parents."""


@dataclass
class Run:
    """A board and the stream that it draws from; what happens to it depends on no other run."""

    board: Board
    rng: Rng
    steps: int
    """From the start to the end of cooling."""
    last: int
    """The step before which this run ends."""
    done: int = 0
    optimiser: Literal["annealing", "evolution", "genetic"] = "annealing"
    noise: float = 0.0

    def go_on(self, count: int) -> None:
        """So many steps more, or what is left of them."""
        last = min(self.done + count, self.last)
        if self.optimiser == "annealing":
            self.board.anneal(self.rng, self.done, last, self.steps)
        else:
            crossing = CROSSING if self.optimiser == "genetic" else 0.0
            self.board.evolve(self.rng, self.done, last, noise=self.noise, crossing=crossing)
        self.done = last


def improved(runs: Sequence[Run]) -> Iterator[float]:
    """Let all runs go on to their ends, giving the share done between blocks of steps.

    Runs go on in threads, as many as there are processors: how many these are changes nothing.
    """
    left = max(run.last - run.done for run in runs)
    block = max(1, STEPS_PER_BLOCK[runs[0].optimiser] // len(runs[0].board.cells))
    with ThreadPoolExecutor(min(len(runs), os.cpu_count() or 1)) as pool:
        for done in range(block, left + block, block):
            if len(runs) == 1:
                runs[0].go_on(block)
            else:
                list(pool.map(Run.go_on, runs, [block] * len(runs)))
            yield min(1.0, done / left)
