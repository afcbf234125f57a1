"""Shapers of passages: prune_dead_ends, walls, widen and smooth, compared with simple implementations."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray

import tilewright as tw
from tests.tilesets import make_tileset
from tilewright.core.tilemap import Marker, TileMap

TILES = make_tileset('floor .; rock _ solid; wall # solid; grass "')
STEPS = ((0, 1), (0, -1), (1, 0), (-1, 0))


def make_map(*rows: str, **more: object) -> TileMap:
    return TileMap([[TILES.id(glyph) for glyph in row] for row in rows], TILES, **more)  # type: ignore[arg-type]


def noise(seed: int, tiles: int = 4) -> TileMap:
    random = np.random.default_rng(seed)
    return TileMap(random.integers(0, tiles, random.integers(1, 14, 2)), TILES)


def open_around(open_: NDArray[np.bool_], row: int, column: int) -> int:
    height, width = open_.shape
    near = [(row + down, column + right) for down, right in STEPS]
    return sum(bool(open_[y, x]) for y, x in near if 0 <= y < height and 0 <= x < width)


# -- prune_dead_ends ------------------------------------------------------------------------------------------


def test_dead_ends_are_filled() -> None:
    before = make_map(
        "############",
        "#....#.....#",
        "#.##.#.###.#",
        "#....#...#.#",
        "####.#####.#",
        "#..........#",
        "#.##########",
    )
    after = make_map(
        "############",
        "#....#######",
        "#.##.#######",
        "#....#######",
        "############",
        "############",
        "############",
    )
    assert tw.shape(before, "prune_dead_ends", tile="wall") == after


def test_no_dead_end_is_left_and_loops_stay() -> None:
    for seed in range(200):
        before = noise(seed)
        after = tw.shape(before, "prune_dead_ends")
        open_ = after.passable
        assert not (open_ & ~before.passable).any()
        ends = [(y, x) for y, x in np.argwhere(open_).tolist() if open_around(open_, y, x) == 1]
        assert ends == []
        # A cell of a 2x2 block of floor is never a dead end.
        blocks = (
            before.passable[:-1, :-1] & before.passable[1:, :-1] & before.passable[:-1, 1:] & before.passable[1:, 1:]
        )
        for y, x in np.argwhere(blocks).tolist():
            assert open_[y : y + 2, x : x + 2].all()
        assert tw.measure(after, "regions")["regions"] == tw.measure(before, "regions")["regions"]


def prune_simply(before: NDArray[np.bool_], rounds: int) -> NDArray[np.bool_]:
    """Fill dead ends round by round, in the order in which they are found."""
    open_ = before.copy()
    ends = [(y, x) for y, x in np.argwhere(open_).tolist() if open_around(open_, y, x) == 1]
    for _ in range(rounds):
        later = []
        for y, x in ends:
            if open_[y, x] and open_around(open_, y, x) == 1:
                open_[y, x] = False
                later += [(y + down, x + right) for down, right in STEPS if _is_open(open_, y + down, x + right)]
        ends = later
    return open_


def _is_open(open_: NDArray[np.bool_], y: int, x: int) -> bool:
    return 0 <= y < open_.shape[0] and 0 <= x < open_.shape[1] and bool(open_[y, x])


def test_pruning_equals_a_simple_implementation() -> None:
    for seed in range(150):
        before, length = noise(seed), 1 + seed % 6
        after = tw.shape(before, "prune_dead_ends", length=length)
        assert np.array_equal(after.passable, prune_simply(before.passable, length))


def test_length_limits_the_filled_cells_of_each_end() -> None:
    before = make_map("###########", "#.........#", "#.#########", "#.#########", "#..########", "#..########")
    for length in range(1, 14):
        after = tw.shape(before, "prune_dead_ends", length=length)
        assert int(before.passable.sum() - after.passable.sum()) == min(length, 11)
    assert tw.shape(before, "prune_dead_ends", share=0.0) == before


def test_markers_and_the_paths_to_them_stay() -> None:
    rows = ("########", "#......#", "#.####.#", "#.####.#", "#.####.#")
    marked = make_map(*rows, markers=[Marker("exit", 1, 4)])
    after = tw.shape(marked, "prune_dead_ends")
    assert [tuple(cell) for cell in np.argwhere(after.passable).tolist()] == [(4, 1)]
    both = make_map(*rows, markers=[Marker("start", 6, 4), Marker("exit", 1, 4)])
    assert tw.shape(both, "prune_dead_ends") == both


# -- walls ----------------------------------------------------------------------------------------------------


def test_solid_cells_that_touch_a_floor_become_walls() -> None:
    assert tw.shape(make_map("     ", "  .  ", "     ", "     "), "walls") == make_map(
        " ### ", " #.# ", " ### ", "     "
    )
    for seed in range(100):
        before, thickness = noise(seed), 1 + seed % 3
        after = tw.shape(before, "walls", thickness=thickness, of="rock")
        for (row, column), tile in np.ndenumerate(before.cells):
            around = before.passable[
                max(0, row - thickness) : row + thickness + 1, max(0, column - thickness) : column + thickness + 1
            ]
            walled = TILES[tile].name == "rock" and around.any()
            assert after.cells[row, column] == (TILES.id("wall") if walled else tile)


# -- widen ----------------------------------------------------------------------------------------------------


def test_passages_grow_and_the_rim_stays_closed() -> None:
    before = make_map("#######", "#######", "###.###", "#######", "#######")
    assert tw.shape(before, "widen") == make_map("#######", "###.###", "##...##", "###.###", "#######")
    for seed in range(100):
        before, by = noise(seed), 1 + seed % 3
        after = tw.shape(before, "widen", by=by, border=seed % 2 == 0)
        height, width = before.shape
        for (row, column), tile in np.ndenumerate(before.cells):
            steps = [abs(row - y) + abs(column - x) for y, x in np.argwhere(before.passable).tolist()]
            rim = row in (0, height - 1) or column in (0, width - 1)
            if before.passable[row, column] or (rim and seed % 2 == 0):
                assert after.cells[row, column] == tile
            elif seed % 2:
                assert after.passable[row, column] == (min(steps, default=99) <= by)


# -- smooth ---------------------------------------------------------------------------------------------------


def test_every_cell_takes_the_most_common_tile() -> None:
    for seed in range(100):
        before = noise(seed, tiles=2 + seed % 3)
        after = tw.shape(before, "smooth")
        for (row, column), tile in np.ndenumerate(before.cells):
            block = before.cells[max(0, row - 1) : row + 2, max(0, column - 1) : column + 2]
            votes = Counter(block.reshape(-1).tolist())
            most = max(votes.values())
            expected = tile if votes[int(tile)] == most else min(one for one, count in votes.items() if count == most)
            assert after.cells[row, column] == expected


def test_several_steps_equal_repeated_calls() -> None:
    before = tw.make("caves", steps=0, width=30, height=20, seed=3)
    twice = tw.shape(tw.shape(before, "smooth"), "smooth")
    assert np.array_equal(tw.shape(before, "smooth", steps=2).cells, twice.cells)
