"""Optimization runs, executed in parallel threads with results in a fixed order."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain, islice
from typing import Literal

from ...core.seeds import Rng
from .pattern_counter import PatternCounter

STEPS_PER_SUM = 1 << 17
"""Annealing steps between two updates of a counter's divergence."""
INITIAL_RUNS, MAX_RUNS = 8, 32
"""Number of runs started at once, and maximum number of unfinished runs, whatever the number of processors."""
CROSSING = 0.3
"""Fraction of children with two parents in the genetic algorithm."""


@dataclass
class Run:
    """Optimization of one counter with its own random stream, independent of other runs."""

    counter: PatternCounter
    rng: Rng
    steps: int
    """Number of steps of the complete annealing schedule."""
    last: int
    """Step at which this run ends, exclusive."""
    done: int = 0
    optimiser: Literal["annealing", "evolution", "genetic"] = "annealing"
    noise: float = 0.0

    def advance(self, count: int) -> None:
        """Run `count` steps, or fewer if fewer are left."""
        for _ in self._run_until(min(self.done + count, self.last)):
            pass

    def iter_blocks(self) -> Iterator[int]:
        """Run to the end and yield the step reached after every block of work."""
        while self.done < self.last:
            yield from self._run_until(min(self.done + STEPS_PER_SUM, self.last))

    def _run_until(self, last: int) -> Iterator[int]:
        if self.optimiser == "annealing":
            for reached in self.counter.anneal(self.rng, self.done, last, self.steps):
                self.done = reached
                yield reached
        else:
            crossing = CROSSING if self.optimiser == "genetic" else 0.0
            for first in range(self.done, last, self.counter.generations_per_block):
                self.done = min(last, first + self.counter.generations_per_block)
                self.counter.evolve(self.rng, first, self.done, noise=self.noise, crossing=crossing)
                yield self.done
        self.done = last


def improve(runs: Iterable[Run]) -> Iterator[tuple[int, Run]]:
    """Execute all runs and yield the index and run after each block of its work.

    Runs execute in one thread per processor, and the order of the results does not depend on the threads. A yielded run
    pauses while the other runs continue. After the initial ones, a run is taken from `runs` when there is room for it.
    """
    new = ((number, run, run.iter_blocks()) for number, run in enumerate(runs))
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        active = deque((*one, pool.submit(next, one[-1], None)) for one in islice(new, INITIAL_RUNS))
        try:
            while active:
                number, run, blocks, reached = active.popleft()
                reached.result()
                yield number, run
                same = [(number, run, blocks)] if run.done < run.last else []
                for one in chain(same, islice(new, min(2, MAX_RUNS - len(active)) - len(same))):
                    active.append((*one, pool.submit(next, one[-1], None)))
        finally:
            for *_, reached in active:
                reached.cancel()
