"""Divisions: equal to their definitions draw by draw, and every allowed division occurs."""

from __future__ import annotations

from collections import Counter
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from numpy.typing import NDArray

from tilewright.core.seeds import Rng
from tilewright.kernels.rooms import divide_equally, divide_tree

Rectangle = tuple[int, int, int, int]
"""Rectangle as x, y, width, height."""


def divide_in_grid(width: int, height: int, columns: int, rows: int, rooms: int, seed: int | str) -> list[Rectangle]:
    found = np.empty((rooms, 4), dtype=np.int64)
    divide_equally(width, height, columns, rows, Rng.of(seed).state, found)
    return [(x, y, across, down) for x, y, across, down in found.tolist()]


def divide_in_tree(width: int, height: int, least: tuple[int, int], rooms: int, seed: int | str) -> list[Rectangle]:
    """Return rooms whose floors have at least the minimum size."""
    found = np.empty((rooms, 4), dtype=np.int64)
    divide_tree(width, height, least[0] + 2, least[1] + 2, Rng.of(seed).state, found)
    return [(x, y, across, down) for x, y, across, down in found.tolist()]


def count_max_rooms(width: int, height: int, least: tuple[int, int]) -> int:
    return (width // (least[0] + 2)) * (height // (least[1] + 2))


def without_ring(part: Rectangle) -> Rectangle:
    x, y, width, height = part
    return x + 1, y + 1, width - 2, height - 2


def plain_tree(width: int, height: int, least: tuple[int, int], rooms: int, seed: int | str) -> list[Rectangle]:
    """Compute the definition: any cut is possible after which the rooms still fit."""
    rng, wide, high = Rng.of(seed), least[0] + 2, least[1] + 2
    parts = [(0, 0, width, height)]

    def halves(part: Rectangle, upright: bool, cut: int) -> tuple[Rectangle, Rectangle]:
        x, y, w, h = part
        return ((x, y, cut, h), (x + cut, y, w - cut, h)) if upright else ((x, y, w, cut), (x, y + cut, w, h - cut))

    def room_for(parts: list[Rectangle]) -> int:
        return sum((w // wide) * (h // high) for _, _, w, h in parts)

    while len(parts) < rooms:
        large = [part for part in parts if part[2] >= 2 * wide or part[3] >= 2 * high]
        mark = rng.below(sum(w * h for _, _, w, h in large))
        for part in large:
            mark -= part[2] * part[3]
            if mark < 0:
                break
        _, _, w, h = part
        upright = w > h or (w == h and rng.below(2) == 0)
        if upright and w < 2 * wide:
            upright = False
        elif not upright and h < 2 * high:
            upright = True
        rest = [other for other in parts if other != part]
        side, smallest = (w, wide) if upright else (h, high)
        cuts = [
            cut
            for cut in range(smallest, side - smallest + 1)
            if room_for([*rest, *halves(part, upright, cut)]) >= rooms
        ]
        first, second = halves(part, upright, cuts[rng.below(len(cuts))])
        parts[parts.index(part)] = first
        parts.append(second)
    for number in range(rooms):
        other = number + rng.below(rooms - number)
        parts[number], parts[other] = parts[other], parts[number]
    return [without_ring(part) for part in parts]


def count_cover(width: int, height: int, rooms: list[Rectangle]) -> NDArray[np.int64]:
    """Return the number of rooms, including the walls around each, that every cell belongs to."""
    count = np.zeros((height, width), dtype=np.int64)
    for x, y, w, h in rooms:
        assert min(x, y) >= 1
        assert x + w < width
        assert y + h < height
        count[y - 1 : y + h + 1, x - 1 : x + w + 1] += 1
    return count


@given(some.integers(1, 9), some.integers(1, 9), some.integers(1, 40), some.integers(1, 40), some.data())
@settings(max_examples=150)
def test_equal_rooms_are_cells_of_a_grid_without_their_rings(
    columns: int, rows: int, more: int, further: int, data: some.DataObject
) -> None:
    width, height = 3 * columns + more - 1, 3 * rows + further - 1
    rooms = data.draw(some.integers(1, columns * rows))
    wide, high = width // columns, height // rows
    grid = [without_ring((x * wide, y * high, wide, high)) for y, x in product(range(rows), range(columns))]
    found = divide_in_grid(width, height, columns, rows, rooms, data.draw(some.integers(0, 999)))
    assert len(found) == len(set(found)) == rooms
    assert set(found) <= set(grid)
    assert count_cover(width, height, found).max() == 1


def test_equal_rooms_come_in_every_order_equally_often() -> None:
    tries = 4800
    orders = Counter(tuple(divide_in_grid(20, 20, 2, 2, 3, seed)) for seed in range(tries))
    grid = [(x, y, 8, 8) for y in (1, 11) for x in (1, 11)]
    assert set(orders) == set(permutations(grid, 3))
    assert all(abs(count - tries / 24) < 5 * (tries / 24) ** 0.5 for count in orders.values())


@some.composite
def trees(draw: some.DrawFn) -> tuple[int, int, tuple[int, int], int, int]:
    """Draw maps with space for any number of rooms, with or without slack."""
    least = draw(some.tuples(some.integers(1, 6), some.integers(1, 6)))
    width = draw(some.integers(least[0] + 2, 60))
    height = draw(some.integers(least[1] + 2, 60))
    fit = count_max_rooms(width, height, least)
    return width, height, least, draw(some.integers(1, fit) | some.just(fit)), draw(some.integers(0, 10**6))


@given(trees())
@settings(max_examples=400)
def test_a_tree_keeps_minimum_sizes_and_has_the_given_number_of_rooms(
    given: tuple[int, int, tuple[int, int], int, int],
) -> None:
    width, height, least, rooms, seed = given
    found = divide_in_tree(width, height, least, rooms, seed)
    assert len(found) == rooms
    assert all(w >= least[0] and h >= least[1] for _, _, w, h in found)
    assert (count_cover(width, height, found) == 1).all()  # No cell is left over, and walls separate any two rooms.


@given(trees())
@settings(max_examples=200)
def test_a_tree_is_cut_as_defined(given: tuple[int, int, tuple[int, int], int, int]) -> None:
    width, height, least, rooms, seed = given
    assert divide_in_tree(width, height, least, rooms, seed) == plain_tree(width, height, least, rooms, seed)


@pytest.mark.parametrize(
    ("width", "height", "least", "rooms"),
    [
        (3, 3, (1, 1), 1),
        (6, 3, (1, 1), 2),
        (300, 3, (1, 1), 100),
        (3, 301, (1, 1), 100),
        (59, 59, (1, 1), 361),
        (4096, 4096, (30, 30), 16_384),
        (65_536, 65_536, (4094, 4094), 256),
        (65_536, 65_536, (1, 1), 500),
    ],
)
def test_extremes(width: int, height: int, least: tuple[int, int], rooms: int) -> None:
    assert rooms <= count_max_rooms(width, height, least)
    for seed in range(3):
        found = np.array(divide_in_tree(width, height, least, rooms, seed))
        assert (found[:, 2:] >= least).all()
        assert int(((found[:, 2] + 2) * (found[:, 3] + 2)).sum()) == width * height
        assert (found[:, :2] >= 1).all()
        assert (found[:, :2] + found[:, 2:] < (width, height)).all()


def widths(rooms: list[Rectangle]) -> tuple[int, ...]:
    return tuple(w for _, _, w, _ in sorted(rooms))


@pytest.mark.parametrize(("width", "rooms", "divisions"), [(23, 4, 20), (23, 3, 45), (24, 2, 15), (17, 3, 6)])
def test_every_division_occurs(width: int, rooms: int, divisions: int) -> None:
    """One row of rooms at least 3 wide: all divisions of the columns."""
    possible = {parts for parts in product(range(3, width), repeat=rooms) if sum(parts) + 2 * rooms == width}
    assert len(possible) == divisions
    assert {widths(divide_in_tree(width, 5, (3, 3), rooms, seed)) for seed in range(3000)} == possible


def test_two_rooms_are_cut_at_any_position_equally_often() -> None:
    tries = 3300
    found = Counter(widths(divide_in_tree(20, 6, (3, 3), 2, seed)) for seed in range(tries))
    assert set(found) == {(left, 16 - left) for left in range(3, 14)}
    assert all(abs(count - tries / 11) < 5 * (tries / 11) ** 0.5 for count in found.values())


def test_the_longer_side_is_cut_and_either_of_a_square() -> None:
    assert all(room[3] == 8 for seed in range(200) for room in divide_in_tree(14, 10, (1, 1), 2, seed))
    assert all(room[2] == 8 for seed in range(200) for room in divide_in_tree(10, 14, (1, 1), 2, seed))
    square = [divide_in_tree(10, 10, (1, 1), 2, seed)[0][3] == 8 for seed in range(400)]
    assert 140 < sum(square) < 260
    # The longer side cannot be cut here, since both parts would be too narrow.
    assert all(room[2] == 18 for seed in range(50) for room in divide_in_tree(20, 12, (9, 2), 2, seed))


def test_the_larger_room_is_cut_more_often() -> None:
    """A third room comes from a part in proportion to its area."""
    expected: Counter[tuple[int, ...]] = Counter()
    for cut in range(5, 36):  # One row of 40 columns, parts of at least 5: every pair of cuts, with its probability.
        parts = (cut, 40 - cut)
        large = [at for at in (0, 1) if parts[at] >= 10]
        for at in large:
            for second in range(5, parts[at] - 4):
                halves = (second, parts[at] - second)
                three = (*halves, parts[1]) if at == 0 else (parts[0], *halves)
                chance = parts[at] / sum(parts[one] for one in large) / 31 / (parts[at] - 9)
                expected[tuple(part - 2 for part in three)] += chance  # type: ignore[assignment]
    tries = 6000
    found = Counter(widths(divide_in_tree(40, 5, (3, 3), 3, seed)) for seed in range(tries))
    assert abs(sum(expected.values()) - 1) < 1e-9
    assert set(found) <= set(expected)
    distance = sum(abs(found[way] / tries - chance) for way, chance in expected.items())
    # The expected difference between a sample of this size and its distribution.
    noise = sum((2 * chance * (1 - chance) / np.pi / tries) ** 0.5 for chance in expected.values())
    assert distance < 1.15 * noise


def test_every_room_may_be_the_first() -> None:
    first = Counter(divide_in_tree(40, 5, (8, 3), 4, seed)[0] for seed in range(800))
    assert len(first) == 4
    assert min(first.values()) > 130
