"""Optimization runs in parallel threads with results in a fixed order, of whole maps and of blocks of large maps.

At every stage of annealing, a large map is cut into different blocks. Each block is annealed separately, together with
the patterns across its edges. Strips of frozen cells separate the blocks and are so wide that no pattern overlaps two
blocks. The next stage cuts the map at other positions, so every cell can change at some stage.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain, islice, pairwise, product
from math import prod
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ...analysis.patterns import Sides, Tiles, Wrap
from ...core.seeds import Rng
from .pattern_counter import PatternCounter

STAGES = 48
SHIFTS = (0.0, 0.5, 0.25, 0.75)
"""Offsets of the cuts at successive stages, as fractions of the block size."""


@dataclass(frozen=True, eq=False)
class Block:
    """Block of a map with the frozen cells around it that its patterns overlap."""

    places: tuple[NDArray[np.int64], ...]
    """Map coordinates along every axis."""
    frozen: NDArray[np.bool_]
    """Mask of the cells that do not change."""
    wrap: Wrap
    """For each axis, whether the block wraps around: it spans the complete axis, and the map wraps."""
    sides: Sides
    """For each axis, which of its two edges are edges of the map that are compared with those of the sample."""

    @property
    def cells(self) -> int:
        """Number of cells that can change."""
        return int(np.count_nonzero(~self.frozen))

    def extract(self, tiles: Tiles) -> Tiles:
        """Return a copy of the block's part of a map."""
        return tiles[np.ix_(*self.places)]

    def put(self, tiles: Tiles, new: Tiles) -> None:
        """Write the cells that can change into the map."""
        inner = self.extract(tiles)
        inner[~self.frozen] = new[~self.frozen]
        tiles[np.ix_(*self.places)] = inner


def has_blocks(shape: Sequence[int], block_size: int) -> bool:
    """Return whether a map is large enough to be split into blocks."""
    return prod(shape) >= 4 * block_size ** len(shape) and max(shape) >= 2 * block_size


def split_blocks(
    stage: int, shape: Sequence[int], block_size: int, reach: int, wrap: Wrap, sides: Sides
) -> Iterator[Block]:
    """Yield the blocks of a map at a stage; `reach` is the largest pattern size minus 1."""
    shift = SHIFTS[stage % len(SHIFTS)]
    axes = [
        list(_split_axis(length, block_size, shift, reach, round_, edges))
        for length, round_, edges in zip(shape, wrap, sides, strict=True)
    ]
    for chosen in product(*axes):
        places, frozen, wraps, edges = zip(*chosen, strict=True)
        is_frozen = np.zeros([len(along) for along in places], dtype=np.bool_)
        for axis, along in enumerate(frozen):
            is_frozen |= along.reshape([-1 if other == axis else 1 for other in range(len(shape))])
        yield Block(places, is_frozen, wraps, edges)


def _split_axis(
    length: int, block_size: int, shift: float, reach: int, round_: bool, edges: tuple[bool, bool]
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.bool_], bool, tuple[bool, bool]]]:
    """Split one axis into blocks and yield four values for each block.

    The values are the map coordinates of the block along the axis, a mask of the frozen coordinates, whether the block
    wraps around, and which of its two edges are compared with those of the sample.
    """
    count = round(length / block_size)
    if count < 2:
        yield np.arange(length), np.zeros(length, dtype=np.bool_), round_, edges
        return
    first = int(shift * length / count)
    cuts = [first + length * number // count for number in range(count + 1)]
    if not round_:
        cuts = sorted({0, *(cut for cut in cuts if cut < length), length})
    for here, there in pairwise(cuts):
        open_before, open_behind = round_ or here > 0, round_ or there < length
        # The last `reach` cells before the next block are frozen. Patterns of this block overlap `reach` cells on both
        # sides.
        start, stop = here - (reach if open_before else 0), there
        places = np.arange(start, stop)
        frozen = places < here
        frozen |= (places >= there - reach) & open_behind
        yield places % length, frozen, False, (edges[0] and here == 0, edges[1] and there == length)


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
