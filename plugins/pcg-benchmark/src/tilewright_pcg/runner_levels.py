"""Levels of loderunner: floors, ladders and ropes on a grid of 2x2 blocks, judged by the benchmark's rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilewright import Rng

from .kernels.loderunner import (
    BRICK,
    CLIMBING,
    EMPTY,
    ENEMY,
    FALLING,
    GOLD,
    HANGING,
    LADDER,
    PLAYER,
    ROPE,
    WALKING,
    explore_level,
)  # fmt: skip
from .problem import Control

BLOCK_ROWS, BLOCK_COLUMNS = 11, 16
ROWS, COLUMNS = 2 * BLOCK_ROWS, 2 * BLOCK_COLUMNS
"""Size of the level in the game, with a bottom of bricks."""
MIN_GOLD, MAX_GOLD = 6, 12
MIN_ENEMIES, MAX_ENEMIES = 3, 6
MIN_USED = 0.75
MIN_STYLE, MAX_STYLE = 0.7501, 0.9999
"""Range of the sum of the distances to the benchmark's histograms."""
MIN_LADDERS = 8
"""Minimum number of ladder cells: without climbing, the distance to the benchmark's histograms is too large."""
MARGIN = 1
DROP_CHANCE = 0.3
HANGING_CHANCE = 0.7
MIN_THINGS = MIN_GOLD + MIN_ENEMIES + 1
"""Minimum number of free blocks: for gold, enemies and the player."""
STYLES = (("walking", WALKING, False), ("hanging", HANGING, False), ("climbing", CLIMBING, True),
          ("falling", FALLING, True))  # fmt: skip
WEIGHTS = (0.9, 0.9, 0.9, 0.1)


@dataclass(frozen=True)
class RunnerThresholds:
    """Thresholds of a variant of the problem."""

    cells: int
    """Number of cells of a content."""
    tolerance: int
    """Accepted difference of ladders and ropes from the control."""
    histograms: Mapping[str, NDArray[np.float64]]
    """The benchmark's histograms of its own levels."""

    @classmethod
    def read(cls, benchmark: Any) -> RunnerThresholds:
        """Return the rules of a problem of the benchmark, given its environment."""
        values = vars(vars(benchmark)["_problem"])
        found = {name: np.asarray(values[f"_{name}"], dtype=np.float64) for name, _, _ in STYLES}
        return cls(values["_width"] * values["_height"], values["_cerror"], found)

    def accepts(self, level: NDArray[np.uint8], control: Control) -> bool:
        """Return whether a level passes quality and control."""
        for name, tile in (("ladder", LADDER), ("rope", ROPE)):
            if abs(int(np.count_nonzero(level == tile)) - control[name]) > self.tolerance:
                return False
        if not MIN_GOLD <= np.count_nonzero(level == GOLD) <= MAX_GOLD:
            return False
        if not MIN_ENEMIES <= np.count_nonzero(level == ENEMY) <= MAX_ENEMIES:
            return False
        if _count_islands(level) > self.cells // 10:
            return False
        explored = np.zeros(level.shape, dtype=np.uint8)
        ((row, column),) = np.argwhere(level == PLAYER).tolist()
        if explore_level(level, row, column, explored) < self.cells // 5 or not explored[level == GOLD].all():
            return False
        is_top = (level[1:] == BRICK) & (level[:-1] != BRICK)
        is_climbed = (level == LADDER) | (level == ROPE)
        count = np.count_nonzero(is_top) + np.count_nonzero(is_climbed)
        used = np.count_nonzero(explored[:-1][is_top]) + np.count_nonzero(explored[is_climbed])
        return bool(used >= MIN_USED * count) and MIN_STYLE <= self.find_style(explored) <= MAX_STYLE

    def find_style(self, explored: NDArray[np.uint8]) -> float:
        """Return the weighted sum of the distances to the benchmark's histograms."""
        total = 0.0
        for (name, way, is_vertical), weight in zip(STYLES, WEIGHTS, strict=True):
            own = _count_gaps((explored.T if is_vertical else explored) == way)
            total += weight * _find_distance(own / max(1.0, float(own.sum())), self.histograms[name])
        return total


def read_patterns(benchmark: Any) -> NDArray[np.int64]:
    """Return the 2x2 patterns of the benchmark as rows of four tiles, given its environment."""
    patterns = vars(vars(benchmark)["_problem"])["_patterns"]
    return np.array(patterns, dtype=np.int64).reshape(len(patterns), 4)


def _count_islands(level: NDArray[np.uint8]) -> int:
    """Return the number of runs of bricks and ropes in rows, and of ladders in columns."""
    count = 0
    for mask in (level == BRICK, level == ROPE, (level == LADDER).T):
        count += int(np.count_nonzero(mask[:, 0]) + np.count_nonzero(mask[:, 1:] & ~mask[:, :-1]))
    return count


def _count_gaps(mask: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the benchmark's histogram of a mask: distances of all cells outside it from the first inside it."""
    counts = np.zeros(mask.shape[1])
    for row in mask:
        if row.any():
            first = int(row.argmax())
            counts[: len(row) - first] += ~row[first:]
    return counts


def _find_distance(one: NDArray[np.float64], two: NDArray[np.float64]) -> float:
    """Return the Jensen-Shannon distance of two distributions."""
    size = min(one.size, two.size)
    middle = 0.5 * (one[:size] + two[:size])
    total = 0.0
    for part in (one[:size], two[:size]):
        inside = part > 0
        for value in (part[inside] * np.log(part[inside] / middle[inside])).tolist():
            total += 0.5 * value
    return float(np.sqrt(max(0.0, total) / np.log(2.0)))


class BlockLevel:
    """A level that is being drawn: floors on block rows, with ladders between them, ropes and things on them."""

    def __init__(self, rng: Rng) -> None:
        self._rng = rng
        rows = rng.shuffle(range(1, BLOCK_ROWS - 1))[: rng.between(3, 7)]
        self.floors = sorted([*rows, BLOCK_ROWS - 1])
        self.level = np.full((ROWS, COLUMNS), EMPTY, dtype=np.uint8)
        for floor in self.floors:
            self.level[2 * floor + 1] = BRICK
        self._sides = [rng.below(2) for _ in range(BLOCK_COLUMNS)]
        """Side of the ladder in each column of blocks: a block has one ladder at most."""
        self._is_taken = np.zeros((BLOCK_ROWS, BLOCK_COLUMNS), dtype=np.bool_)

    def connect(self, ladders: int) -> None:
        """Connect all floors by ladders of about that many cells, and by gaps to fall through."""
        rng, used = self._rng, 0
        for upper, lower in pairwise(self.floors):
            if used + 2 * (lower - upper) + 1 > ladders or rng.chance(DROP_CHANCE):
                self._open_gap(upper)
            else:
                used += self._add_ladder(upper, lower)
        for _ in range(200):
            upper = rng.below(len(self.floors) - 1)
            lower = min(len(self.floors) - 1, upper + rng.between(1, 4))
            first, last = self.floors[upper], self.floors[lower]
            if used + 2 * (last - first) + 1 <= ladders:
                used += self._add_ladder(first, last)

    def _open_gap(self, floor: int) -> None:
        column = self._rng.choice((0, BLOCK_COLUMNS - 1))
        if not self._is_taken[floor, column]:
            self.level[2 * floor + 1, 2 * column : 2 * column + 2] = EMPTY
            self._is_taken[floor, column] = True

    def _add_ladder(self, upper: int, lower: int) -> int:
        """Add a ladder if its blocks are free; return the number of its cells."""
        column = self._rng.below(BLOCK_COLUMNS)
        if self._is_taken[upper : lower + 1, column].any():
            return 0
        self.level[2 * upper : 2 * lower + 1, 2 * column + self._sides[column]] = LADDER
        self._is_taken[upper : lower + 1, column] = True
        return 2 * (lower - upper) + 1

    def add_ropes(self, ropes: int) -> None:
        """Add about that many cells of ropes, in runs above floors or from ladders, and keep blocks free for things."""
        rng = self._rng
        free = len(self.free_blocks)
        for _ in range(400):
            if ropes < 2:
                break
            hangs = rng.chance(HANGING_CHANCE)
            row = rng.below(BLOCK_ROWS - 1) if hangs else rng.choice(self.floors)
            column = rng.below(BLOCK_COLUMNS)
            step = 1 if not hangs or self._sides[column] else -1
            if hangs:
                # A rope between floors starts at a ladder, on the ladder's side of its block.
                if row in self.floors or self.level[2 * row, 2 * column + self._sides[column]] != LADDER:
                    continue
                column += step
            for _ in range(rng.between(1, 12)):
                if ropes < 2 or not 0 <= column < BLOCK_COLUMNS or self._is_taken[row, column]:
                    break
                if not hangs and free <= MIN_THINGS:
                    break
                self.level[2 * row, 2 * column : 2 * column + 2] = ROPE
                self._is_taken[row, column] = True
                ropes -= 2
                free -= not hangs
                column += step

    @property
    def free_blocks(self) -> list[tuple[int, int]]:
        return [(floor, column) for floor in self.floors for column in np.flatnonzero(~self._is_taken[floor]).tolist()]

    def place_things(self) -> bool:
        """Place the player on the highest floor with a free block, and gold and enemies; return whether they fit."""
        rng, blocks = self._rng, self.free_blocks
        extra = max(0, len(blocks) - MIN_THINGS)
        gold = rng.between(MIN_GOLD, min(MAX_GOLD, MIN_GOLD + extra // 2))
        enemies = rng.between(MIN_ENEMIES, min(MAX_ENEMIES, MIN_ENEMIES + extra // 2))
        things = [GOLD] * gold + [ENEMY] * enemies
        top = [block for block in blocks if block[0] == self.floors[0]]
        if not top or len(blocks) < len(things) + 1:
            return False
        start = rng.choice(top)
        others = rng.shuffle([block for block in blocks if block != start])
        for thing, (floor, column) in [(PLAYER, start), *zip(things, others, strict=False)]:
            self.level[2 * floor, 2 * column + rng.below(2)] = thing
        return True


def draw_runner_level(control: Control, tolerance: int, rng: Rng) -> NDArray[np.uint8] | None:
    """Return a random level with about the wanted ladders and ropes, in patterns that the benchmark has."""
    drawn = BlockLevel(rng)
    spread = tolerance - MARGIN
    drawn.connect(max(MIN_LADDERS, control["ladder"] + rng.between(-spread // 2, spread)))
    drawn.add_ropes(max(0, control["rope"] + rng.between(-spread, spread)))
    return drawn.level if drawn.place_things() else None
