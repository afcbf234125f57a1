"""The maze kernels against direct versions that store places as (row, column) and links as sets."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tilewright.core.seeds import Rng
from tilewright.kernels import maze

Place = tuple[int, int]
Link = frozenset[Place]
STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))
CASES = 150


class Case:
    """Grid of places with random holes, possible links and given links."""

    def __init__(self, seed: int, *, whole: bool = False) -> None:
        chance = np.random.default_rng(seed)
        self.rows, self.columns = (int(side) for side in chance.integers(1, 7, 2))
        self.places = [(row, column) for row in range(self.rows) for column in range(self.columns)]
        closed = set() if whole or seed % 3 else {place for place in self.places if chance.random() < 0.2}
        self.open = [place for place in self.places if place not in closed]
        share = 1.0 if whole or seed % 2 else 0.8
        self.possible: set[Link] = set()
        for row, column in self.open:
            for other in ((row, column + 1), (row + 1, column)):
                if other in self.open and chance.random() < share:
                    self.possible.add(frozenset({(row, column), other}))
        some = 0.0 if whole or seed % 4 < 2 else 0.3
        self.given = {link for link in sorted(self.possible, key=sorted) if chance.random() < some}
        self.links = set(self.given)
        self.seed = seed
        self.budget = int(chance.integers(1, 9))

    def list_neighbors(self, place: Place) -> list[Place]:
        """Return the neighbors that may be linked: north, east, south, west."""
        around = [(place[0] + y, place[1] + x) for y, x in STEPS]
        return [other for other in around if frozenset({place, other}) in self.possible]

    def number(self, place: Place) -> int:
        return place[0] * self.columns + place[1]

    def masks(self, links: set[Link]) -> NDArray[np.uint8]:
        masks = np.zeros(self.rows * self.columns, dtype=np.uint8)
        for link in links:
            for one in link:
                (other,) = link - {one}
                masks[self.number(one)] |= 1 << STEPS.index((other[0] - one[0], other[1] - one[1]))
        return masks

    def parts(self, links: set[Link]) -> list[set[Place]]:
        """Return the connected components, in reading order of their first places."""
        found: list[set[Place]] = []
        for place in self.places:
            if not any(place in part for part in found):
                part, waiting = {place}, [place]
                while waiting:
                    here = waiting.pop()
                    for link in links:
                        if here in link and not link <= part:
                            part |= link
                            waiting += link - {here}
                found.append(part)
        return found

    def join(self, one: Place, other: Place) -> None:
        """Link two places unless they are connected."""
        if not any(one in part and other in part for part in self.parts(self.links)):
            self.links.add(frozenset({one, other}))

    def seen(self) -> NDArray[np.uint8]:
        seen = np.ones(self.rows * self.columns, dtype=np.uint8)
        for place in self.open:
            seen[self.number(place)] = maze.FRESH
        return seen

    def above(self) -> NDArray[np.int32]:
        above = np.empty(self.rows * self.columns if self.given else 0, dtype=np.int32)
        if self.given:
            maze.build_forest(self.masks(self.given), above, self.columns)
        return above


def draw_one(rng: Rng, options: list[Place]) -> Place:
    return options[rng.below(len(options)) if len(options) > 1 else 0]


def plain_backtracker(case: Case, rng: Rng) -> None:
    fresh = list(case.open)
    while fresh:
        stack = [fresh.pop(0)]
        while stack:
            options = [other for other in case.list_neighbors(stack[-1]) if other in fresh]
            if options:
                other = draw_one(rng, options)
                case.join(stack[-1], other)
                fresh.remove(other)
                stack.append(other)
            else:
                stack.pop()


def plain_prim(case: Case, rng: Rng) -> None:
    inside: set[Place] = set()
    while len(inside) < len(case.open):
        frontier = [next(place for place in case.open if place not in inside)]
        first = True
        while frontier:
            position = 0 if first else rng.below(len(frontier))
            place, frontier[position] = frontier[position], frontier[-1]
            frontier.pop()
            if not first:
                case.join(place, draw_one(rng, [other for other in case.list_neighbors(place) if other in inside]))
            first = False
            inside.add(place)
            frontier += [other for other in case.list_neighbors(place) if other not in inside and other not in frontier]


@pytest.mark.parametrize(("kernel", "plain"), [(maze.backtrack, plain_backtracker), (maze.prim, plain_prim)])
def test_growing_as_the_plain_methods_do(kernel: Callable[..., bool], plain: Callable[[Case, Rng], None]) -> None:
    for seed in range(CASES):
        case = Case(seed)
        links, seen, rng = case.masks(case.given), case.seen(), Rng.of(seed)
        stack, state = np.empty(links.size, dtype=np.int32), maze.MazeState.new()
        arrays = maze.MazeArrays(case.masks(case.possible), links, seen, case.above(), case.columns)
        while kernel(arrays, stack, rng.state, state, case.budget):
            pass
        plain(case, Rng.of(seed))
        assert links.tolist() == case.masks(case.links).tolist(), seed


def test_kruskal_as_the_plain_method_does() -> None:
    for seed in range(CASES):
        case = Case(seed)
        possible, links, rng = case.masks(case.possible), case.masks(case.given), Rng.of(seed)
        edges = np.empty(2 * links.size, dtype=np.int32)
        edges = edges[: maze.list_edges(possible, edges)]
        listed = [(place, other) for place in case.places for other in case.list_neighbors(place) if other > place]
        assert edges.tolist() == [2 * case.number(one) + (other[0] > one[0]) for one, other in listed]
        state = maze.MazeState.new()
        while maze.shuffle(edges, rng.state, state, case.budget):
            pass
        above, state = np.empty(links.size, dtype=np.int32), maze.MazeState.new()
        maze.build_forest(links, above, case.columns)
        while maze.kruskal(links, above, edges, state, case.columns, case.budget):
            pass
        for one, other in Rng.of(seed).shuffle(listed):
            case.join(one, other)
        assert links.tolist() == case.masks(case.links).tolist(), seed


def test_the_forest_has_the_first_place_of_every_component_as_root() -> None:
    for seed in range(CASES):
        case = Case(seed)
        above = np.empty(case.rows * case.columns, dtype=np.int32)
        maze.build_forest(case.masks(case.possible), above, case.columns)
        for _ in range(above.size):
            above = above[above]
        for part in case.parts(case.possible):
            assert {int(above[case.number(place)]) for place in part} == {case.number(min(part))}


def plain_wilson(case: Case, rng: Rng, stride: int, steps: int) -> int:
    """Add random walks without their loops; return the steps that are left."""
    inside = {min(part) for part in case.parts(case.possible)}
    for number in range(len(case.places)):
        start = case.places[number * stride % len(case.places)]
        if start in inside or start not in case.open:
            continue
        path = [start]
        while path[-1] not in inside:
            if steps == 0:
                return 0
            steps -= 1
            other = draw_one(rng, case.list_neighbors(path[-1]))
            path = path[: path.index(other) + 1] if other in path else [*path, other]
        for one, other in pairwise(path):
            case.join(one, other)
        inside |= set(path)
    return steps


@pytest.mark.parametrize("steps", [1_000_000, 5, 0])
def test_wilson_as_the_plain_method_does(steps: int) -> None:
    for seed in range(CASES):
        case = Case(seed)
        links, seen, rng = case.masks(case.given), case.seen(), Rng.of(seed)
        for part in case.parts(case.possible):
            seen[case.number(min(part))] = maze.INSIDE
        stride = next(step for step in range(links.size * 5 // 8 or 1, 0, -1) if np.gcd(step, links.size) == 1)
        state, exits = maze.MazeState.new(), np.zeros(links.size, dtype=np.uint8)
        state.steps_left = steps
        arrays = maze.MazeArrays(case.masks(case.possible), links, seen, case.above(), case.columns)
        while maze.wilson(arrays, exits, rng.state, state, stride, case.budget):
            pass
        left = plain_wilson(case, Rng.of(seed), stride, steps)
        assert links.tolist() == case.masks(case.links).tolist(), seed
        assert state.steps_left == left


def plain_division(case: Case, rng: Rng, row: int, column: int, height: int, width: int) -> None:
    if height == 1 or width == 1:
        return
    upright = width > height or (width == height and rng.below(2) == 0)
    at = 1 + rng.below((width if upright else height) - 1)
    if upright:
        line = [((row + y, column + at - 1), (row + y, column + at)) for y in range(height)]
        halves = (row, column, height, at), (row, column + at, height, width - at)
    else:
        line = [((row + at - 1, column + x), (row + at, column + x)) for x in range(width)]
        halves = (row, column, at, width), (row + at, column, height - at, width)
    links = [frozenset(pair) for pair in line if frozenset(pair) in case.links]
    if links:
        kept = links[rng.below(len(links))]
        case.links -= set(links) - {kept}
    for half in halves:
        plain_division(case, rng, *half)


def test_division_as_the_plain_method_does() -> None:
    for seed in range(CASES):
        case = Case(seed)
        links, rng, state = case.masks(case.possible), Rng.of(seed), maze.MazeState.new()
        stack = np.empty(case.rows + case.columns + 1, dtype=maze.RECTANGLE)
        stack[0] = 0, 0, case.rows, case.columns
        state.pending = 1
        while maze.divide(links, stack, rng.state, state, case.columns, case.budget):
            pass
        case.links = set(case.possible)
        plain_division(case, Rng.of(seed), 0, 0, case.rows, case.columns)
        assert links.tolist() == case.masks(case.links).tolist(), seed


def plain_braid(case: Case, rng: Rng, share: float) -> None:
    chosen = rng.cells((case.rows, case.columns)) < share

    def is_dead_end(place: Place) -> bool:
        return sum(place in link for link in case.links) == 1

    def isolates_a_post(place: Place, other: Place) -> bool:
        links = case.links | {frozenset({place, other})}
        corners = [(y, x) for y, x in case.places if {place, other} <= {(y, x), (y, x + 1), (y + 1, x), (y + 1, x + 1)}]
        rings = [((y, x), (y, x + 1), (y + 1, x + 1), (y + 1, x), (y, x)) for y, x in corners]
        return any(all(frozenset(pair) in links for pair in pairwise(ring)) for ring in rings)

    def worth(other: Place) -> int:
        if is_dead_end(other) and not chosen[other]:
            return 1
        return (2 if isolates_a_post(place, other) else 4) + is_dead_end(other)

    for place in case.places:
        closed = [other for other in case.list_neighbors(place) if frozenset({place, other}) not in case.links]
        if is_dead_end(place) and chosen[place] and closed:
            best = max(worth(other) for other in closed)
            case.links.add(frozenset({place, draw_one(rng, [other for other in closed if worth(other) == best])}))


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_braiding_as_the_plain_method_does(share: float) -> None:
    for seed in range(CASES):
        case = Case(seed)
        plain_backtracker(case, Rng.of("tree"))
        links, rng, state = case.masks(case.links), Rng.of(seed), maze.MazeState.new()
        fixed = case.masks(case.possible), links, rng.level_key(), share, rng.state, state, case.columns
        while maze.braid(*fixed, case.budget):
            pass
        plain_braid(case, Rng.of(seed), share)
        assert links.tolist() == case.masks(case.links).tolist(), seed


def test_carving_cell_by_cell() -> None:
    chance = np.random.default_rng(4)
    for seed in range(CASES):
        case = Case(seed)
        top, left, height, width, wall = (int(number) for number in chance.integers(1, 4, 5))
        shown = chance.integers(0, 2, case.rows * case.columns).astype(np.uint8)
        links = {link for link in case.possible if all(shown[case.number(place)] for place in link)}
        shape = top + case.rows * (height + wall) + 1, left + case.columns * (width + wall) + 1
        cells = np.ones(shape, dtype=np.uint8)
        layout = maze.MazeLayout(case.columns, top, left, height, width, wall)
        for row in range(case.rows):
            maze.carve(case.masks(links), shown, layout, cells, row, row + 1)
        for y, x in np.ndindex(*shape):
            row, v = divmod(y - top, height + wall)
            column, u = divmod(x - left, width + wall)
            here = (row, column)
            inside = here in case.places and bool(shown[case.number(here)])
            floor = inside and v < height and u < width
            floor |= inside and v < height and u >= width and frozenset({here, (row, column + 1)}) in links
            floor |= inside and v >= height and u < width and frozenset({here, (row + 1, column)}) in links
            assert cells[y, x] == (maze.FLOOR if floor else maze.WALL)


def test_flooding_finds_the_farthest() -> None:
    chance = np.random.default_rng(5)
    for _ in range(CASES):
        cells = np.pad((chance.random(chance.integers(1, 9, 2)) < 0.3).astype(np.uint8), 1, constant_values=1)
        if cells.all():
            continue
        y, x = divmod(int(np.argmin(cells)), cells.shape[1])
        distances, waiting = {(y, x): 0}, deque([(y, x)])
        while waiting:
            here = waiting.popleft()
            for dy, dx in STEPS:
                other = here[0] + dy, here[1] + dx
                if not cells[other] and other not in distances:
                    distances[other] = distances[here] + 1
                    waiting.append(other)
        queue, state = np.empty(cells.size, dtype=np.int64), maze.FloodState.new()
        state.end = state.last = 1
        queue[0] = y * cells.shape[1] + x
        cells[y, x] = maze.REACHED
        budget = int(chance.integers(1, 9))
        while maze.flood(cells.reshape(-1), cells.shape[1], maze.FLOOR, maze.REACHED, queue, state, budget):
            pass
        met: dict[Any, int] = {divmod(int(at), cells.shape[1]): 0 for at in queue[: state.end]}
        assert met.keys() == distances.keys() == {tuple(at) for at in np.argwhere(cells == maze.REACHED).tolist()}
        last = divmod(int(queue[state.end - 1]), cells.shape[1])
        assert distances[last] == state.distance == max(distances.values())
