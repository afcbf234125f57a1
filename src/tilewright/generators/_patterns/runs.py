"""Runs: counters that an optimiser improves, several of them at once where there are processors for it."""

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
"""Steps of annealing after which a counter's divergence is known again."""
INITIAL_RUNS, MAX_RUNS = 8, 32
"""Runs that begin together, and runs that are on their way together, whatever the processors."""
CROSSING = 0.3
"""Share of a genetic algorithm's children that have two parents."""


@dataclass
class Run:
    """A counter and the stream that it draws from; what happens to it depends on no other run."""

    counter: PatternCounter
    rng: Rng
    steps: int
    """From the start to the end of cooling."""
    last: int
    """The step before which this run ends."""
    done: int = 0
    optimiser: Literal["annealing", "evolution", "genetic"] = "annealing"
    noise: float = 0.0

    def advance(self, count: int) -> None:
        """So many steps more, or what is left of them."""
        for _ in self._run_until(min(self.done + count, self.last)):
            pass

    def iter_blocks(self) -> Iterator[int]:
        """Go on to the end, giving the step reached after every block of work."""
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
    """Let all runs go on to their ends, giving each with its number whenever it has done a block of its work.

    Runs go on in threads, as many as there are processors, and are given in an order that these do not change: one that
    is given rests meanwhile, others go on. A run is asked for when one before it has ended, but for the first ones.
    """
    fresh = ((number, run, run.iter_blocks()) for number, run in enumerate(runs))
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        going = deque((*one, pool.submit(next, one[-1], None)) for one in islice(fresh, INITIAL_RUNS))
        try:
            while going:
                number, run, blocks, reached = going.popleft()
                reached.result()
                yield number, run
                same = [(number, run, blocks)] if run.done < run.last else []
                for one in chain(same, islice(fresh, min(2, MAX_RUNS - len(going)) - len(same))):
                    going.append((*one, pool.submit(next, one[-1], None)))
        finally:
            for *_, reached in going:
                reached.cancel()
