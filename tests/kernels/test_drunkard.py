"""The drunkard's walk kernel against a direct implementation."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as some
from numpy.typing import NDArray

from tilewright.core.seeds import Rng
from tilewright.kernels.drunkard import BLOCKED, FLOOR, ROCK, WALKER, WalkRules, WalkState, walk

HEADINGS = [(-1, 0), (0, 1), (1, 0), (0, -1)]
Place = tuple[int, int]


class Walker:
    def __init__(self, waits: int) -> None:
        self.waits = waits
        self.at: Place | None = None
        self.heading = self.left = self.idle = 0
        self.over = False


class Plain:
    """The same walk, walker by walker, with rows and columns."""

    def __init__(self, cells: NDArray[np.uint8], rng: Rng, count: int, **rules: Any) -> None:
        self.cells, self.rng, self.rules = cells, rng, rules
        self.floors = [(int(y), int(x)) for y, x in np.argwhere(cells == FLOOR)]
        self.dug, self.started, self.steps = len(self.floors), 0, 0
        self.walkers = [Walker(number * rules["steps"] // count) for number in range(count)]

    def lean(self, at: Place) -> int:
        bias = self.rules["bias"]
        if bias and self.rng.random() < abs(bias):
            down, right = (side - 1 - 2 * place for side, place in zip(self.cells.shape, at, strict=True))
            sign = 1 if bias > 0 else -1
            if down or right:
                if self.rng.below(abs(down) + abs(right)) < abs(down):
                    return 2 if sign * down > 0 else 0
                return 1 if sign * right > 0 else 3
        return self.rng.below(4)

    def ahead(self, at: Place, heading: int) -> Place:
        return at[0] + HEADINGS[heading][0], at[1] + HEADINGS[heading][1]

    def first(self, at: Place, heading: int, kinds: tuple[int, ...]) -> int | None:
        turns = [(heading + turn) % 4 for turn in range(4)]
        return next((turn for turn in turns if self.cells[self.ahead(at, turn)] in kinds), None)

    def begin(self) -> Place | None:
        while self.floors:
            chosen = self.rng.below(len(self.floors))
            if self.first(self.floors[chosen], 0, (ROCK,)) is not None:
                return self.floors[chosen]
            last = self.floors.pop()
            if chosen < len(self.floors):
                self.floors[chosen] = last
        return None

    def run(self) -> None:
        rules = self.rules
        while True:
            for walker in self.walkers:
                if self.dug >= rules["goal"] or all(one.over for one in self.walkers):
                    return
                if walker.over:
                    continue
                if walker.at is None and walker.waits:
                    walker.waits -= 1
                elif walker.at is None and self.started == rules["lives"]:
                    walker.over = True
                elif not self.step(walker):
                    return

    def step(self, walker: Walker) -> bool:
        rules = self.rules
        heading: int | None
        if walker.at is None:
            if rules["middle"] is not None and walker.idle < rules["patience"]:
                walker.at, heading = rules["middle"], self.lean(rules["middle"])
            else:
                walker.at = self.begin()
                if walker.at is None:
                    return False
                heading = self.first(walker.at, self.rng.below(4), (ROCK,))
            self.started += 1
            walker.left, walker.idle = rules["steps"], 0
        else:
            heading = self.lean(walker.at) if self.rng.random() < rules["turn"] else walker.heading
        assert heading is not None
        if self.cells[self.ahead(walker.at, heading)] == BLOCKED:
            heading = self.first(walker.at, self.rng.below(4), (ROCK, FLOOR))
        self.steps += 1
        walker.left -= 1
        walker.idle += 1
        if heading is not None:
            walker.at = self.ahead(walker.at, heading)
            if self.cells[walker.at] == ROCK:
                self.cells[walker.at] = FLOOR
                self.floors.append(walker.at)
                self.dug += 1
                walker.idle = 0
        walker.heading = heading or 0
        if not walker.left or walker.idle >= rules["patience"]:
            walker.at = None
        return True


@given(
    some.tuples(some.integers(1, 12), some.integers(1, 12)), some.integers(1, 5), some.integers(1, 40),
    some.sampled_from([0.0, 0.3, 1.0]), some.sampled_from([-1.0, -0.4, 0.0, 0.4, 1.0]), some.booleans(),
    some.sampled_from([0.0, 0.2, 0.5]), some.integers(1, 30) | some.none(), some.integers(1, 100),
    some.integers(0, 10**6),
)  # fmt: skip
@settings(deadline=None, max_examples=100)
def test_walks_as_the_plain_version_does(
    shape: Place, count: int, steps: int, turn: float, bias: float, centre: bool, blocked: float,
    lives: int | None, budget: int, seed: int,
) -> None:  # fmt: skip
    """The budget does not affect the result."""
    rng = Rng.of(seed)
    cells = np.full((shape[0] + 2, shape[1] + 2), BLOCKED, dtype=np.uint8)
    cells[1:-1, 1:-1] = np.where(rng.child("walls").cells(shape) < blocked, BLOCKED, ROCK)
    middle = (shape[0] // 2 + 1, shape[1] // 2 + 1)
    cells[middle] = FLOOR
    goal = int(np.count_nonzero(cells != BLOCKED) * 0.8) + 1
    rules = {"steps": steps, "turn": turn, "bias": bias, "goal": goal, "lives": lives or 1000, "patience": 20}
    plain = Plain(cells.copy(), rng.child("walk"), count, middle=middle if centre else None, **rules)
    plain.run()

    flat, row = cells.reshape(-1), cells.shape[1]
    at = middle[0] * row + middle[1]
    starts, progress = np.full(cells.size, at, dtype=np.int64), WalkState.new()
    progress.dug = progress.listed = 1
    walkers = np.zeros(count, dtype=WALKER)
    walkers["place"] = -1
    walkers["left"] = np.arange(count) * steps // count
    state = rng.child("walk").state
    walk_rules = WalkRules(turn, bias, steps, lives or 1000, 20, at if centre else -1)
    for _ in range(100_000):
        if not walk(state, flat, row, walkers, starts, progress, walk_rules, goal, budget):
            break
    assert cells.tolist() == plain.cells.tolist()
    assert (progress.dug, progress.started, progress.steps) == (plain.dug, plain.started, plain.steps)
