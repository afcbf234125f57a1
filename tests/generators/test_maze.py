"""Mazes: perfect ones are trees, braided ones have no dead ends, Wilson's are uniform, and locks are respected."""

from __future__ import annotations

from collections import Counter, deque
from typing import Any, Literal, get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from numpy.typing import NDArray
from scipy import ndimage

import tilewright as tw
from tilewright import GaveUp, TileMap
from tilewright.generators._maze import methods
from tilewright.generators.maze import MazeParams

Method = Literal["backtracker", "prim", "kruskal", "wilson", "division"]
METHODS: tuple[Method, ...] = get_args(MazeParams.model_fields["method"].annotation)
SIZES = ((1, 1), (1, 9), (8, 1), (2, 2), (2, 7), (3, 3), (4, 5), (5, 5), (6, 12), (7, 4), (17, 9), (20, 33), (41, 31))
Mask = NDArray[np.bool_]


def floors(map: TileMap) -> Mask:
    mask: Mask = map.where("floor")
    return mask


def is_connected(floor: Mask) -> bool:
    return int(ndimage.label(floor)[1]) == 1


def neighbour_pairs(floor: Mask) -> int:
    return int((floor[1:] & floor[:-1]).sum() + (floor[:, 1:] & floor[:, :-1]).sum())


def is_tree(floor: Mask) -> bool:
    """Return whether the floor is connected and has one pair of neighbors less than cells (passages of one cell)."""
    return is_connected(floor) and neighbour_pairs(floor) == int(floor.sum()) - 1


def degrees(floor: Mask) -> NDArray[np.int64]:
    """Return the number of exits (row, column) of each place, for passages and walls of one cell."""
    padded = np.pad(floor, 1)
    exits = padded[:-2, 1:-1].astype(np.int64) + padded[2:, 1:-1] + padded[1:-1, :-2] + padded[1:-1, 2:]
    places: NDArray[np.int64] = exits[1:-1:2, 1:-1:2]
    return places


def shrink(floor: Mask, passage: int, wall: int) -> Mask:
    """Return the same maze with passages and walls of one cell, without borders."""
    lines = []
    for side in floor.shape:
        count = max(1, (side - wall) // (passage + wall))
        width = min(passage, side)
        first = (side - count * (width + wall) + wall) // 2
        starts = [first + number * (width + wall) for number in range(count)]
        lines.append(sorted([*starts, *(start + width for start in starts[:-1])]))
    return floor[np.ix_(*lines)]


@pytest.mark.parametrize("method", METHODS)
def test_a_perfect_maze_is_a_tree_of_all_its_places(method: Method) -> None:
    for width, height in SIZES:
        recipe = tw.recipe("maze", width=width, height=height, method=method)
        columns, rows = max(1, (width - 1) // 2), max(1, (height - 1) // 2)
        for seed in range(60):
            floor = floors(tw.run(recipe, seed=seed))
            assert is_tree(floor), (width, height, seed)
            assert floor.sum() == 2 * rows * columns - 1, "a cell for every place and for every link"


@given(
    some.sampled_from(METHODS), some.integers(1, 40), some.integers(1, 40), some.integers(1, 5), some.integers(1, 5),
    some.integers(0, 10**6),
)  # fmt: skip
@settings(deadline=None, max_examples=300)
def test_passages_and_walls_of_any_width(
    method: Method, width: int, height: int, passage: int, wall: int, seed: int
) -> None:
    made = tw.make("maze", width=width, height=height, method=method, passage=passage, wall=wall, seed=seed)
    floor = floors(made)
    assert is_connected(floor)
    small = shrink(floor, passage, wall)
    assert is_tree(small)
    assert small[::2, ::2].all()
    columns, rows = small.shape[1] // 2 + 1, small.shape[0] // 2 + 1
    broad, deep = min(passage, width), min(passage, height)
    down = int(small[1::2].sum())
    along = int(small[:, 1::2].sum())
    assert floor.sum() == rows * columns * broad * deep + down * wall * broad + along * wall * deep


def test_cells_left_over_make_the_far_border_thicker() -> None:
    floor = floors(tw.make("maze", width=12, height=10, seed=3))
    assert np.argwhere(floor).min(axis=0).tolist() == [1, 1]
    assert np.argwhere(floor).max(axis=0).tolist() == [7, 9]
    floor = floors(tw.make("maze", width=23, height=23, passage=4, wall=2, seed=3))  # 3 cells left over
    assert np.argwhere(floor).min(axis=0).tolist() == [3, 3]
    assert np.argwhere(floor).max(axis=0).tolist() == [18, 18]


@pytest.mark.parametrize("method", METHODS)
def test_braided_mazes_have_no_dead_ends(method: Method) -> None:
    for width, height in ((5, 5), (7, 5), (6, 12), (21, 17), (41, 31)):
        recipe = tw.recipe("maze", width=width, height=height, method=method, braid=1)
        for seed in range(40):
            floor = floors(tw.run(recipe, seed=seed))
            assert is_connected(floor)
            assert degrees(floor[: (height - 1) // 2 * 2 + 1, : (width - 1) // 2 * 2 + 1]).min() >= 2


def test_a_single_row_keeps_its_ends() -> None:
    assert str(tw.make("maze", width=9, height=3, braid=1, seed=1)).splitlines()[1] == "#.......#"


def test_braid_is_the_share_of_dead_ends_that_are_opened() -> None:
    left = {}
    for braid in (0.0, 0.25, 0.5, 0.75):
        recipe = tw.recipe("maze", braid=braid, method="prim")
        left[braid] = np.mean([(degrees(floors(tw.run(recipe, seed=seed))) == 1).sum() for seed in range(20)])
    for braid, number in left.items():
        assert number / left[0.0] == pytest.approx(1 - braid, abs=0.06)


def count_trees(method: Method, count: int) -> Counter[bytes]:
    recipe = tw.recipe("maze", width=7, height=7, method=method)
    return Counter(tw.run(recipe, seed=seed).cells.tobytes() for seed in range(count))


def chi_square(trees: Counter[bytes], kinds: int) -> float:
    expected = sum(trees.values()) / kinds
    return sum((number - expected) ** 2 for number in trees.values()) / expected + (kinds - len(trees)) * expected


def test_wilson_makes_every_maze_equally_often() -> None:
    """Three by three places have 192 spanning trees; the expected chi-square is 191 with a deviation of about 20."""
    trees = count_trees("wilson", 192 * 40)
    assert len(trees) == 192
    assert chi_square(trees, 192) < 191 + 5 * 20
    assert chi_square(count_trees("backtracker", 192 * 40), 192) > 1000, "the other methods do not"


@pytest.mark.parametrize("steps", [0, 1])
def test_wilson_ends_at_its_step_limit(steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = tw.recipe("maze", width=61, height=41, method="wilson")
    usual = [tw.run(recipe, seed=seed) for seed in range(20)]
    monkeypatch.setattr(methods, "STEPS_PER_PLACE", steps)
    for seed, before in enumerate(usual):
        made = tw.run(recipe, seed=seed)
        assert is_tree(floors(made))
        assert (made != before) or steps


def test_wilson_walks_in_long_corridors_are_bounded() -> None:
    for width in (3, 5):
        assert is_tree(floors(tw.make("maze", width=width, height=30_001, method="wilson", seed=1)))


def test_every_method_has_its_character() -> None:
    share, length = {}, {}
    for method in METHODS:
        maps = [tw.make("maze", method=method, seed=seed) for seed in range(20)]
        share[method] = np.mean([(degrees(floors(made)) == 1).mean() for made in maps])
        length[method] = np.mean([made.numbers["longest_way"] for made in maps])
    assert 0.08 < share["backtracker"] < 0.13
    assert 0.27 < share["kruskal"] < 0.33
    assert 0.27 < share["wilson"] < 0.32
    assert 0.32 < share["prim"] < 0.40
    assert 0.20 < share["division"] < 0.34
    assert length["backtracker"] > 2 * max(length["wilson"], length["kruskal"]) > 2 * length["prim"]


def farthest(floor: Mask, start: tuple[int, int]) -> int:
    distances, waiting = {start: 0}, deque([start])
    while waiting:
        y, x = waiting.popleft()
        for other in ((y - 1, x), (y, x + 1), (y + 1, x), (y, x - 1)):
            inside = 0 <= other[0] < floor.shape[0] and 0 <= other[1] < floor.shape[1]
            if inside and floor[other] and other not in distances:
                distances[other] = distances[y, x] + 1
                waiting.append(other)
    return max(distances.values())


@pytest.mark.parametrize("method", METHODS)
def test_start_and_exit_are_farthest_apart(method: Method) -> None:
    for seed in range(10):
        made = tw.make("maze", width=15, height=12, method=method, seed=seed)
        floor = floors(made)
        longest = max(farthest(floor, (y, x)) for y, x in np.argwhere(floor).tolist())
        assert made.numbers["longest_way"] == longest
        assert [marker.name for marker in made.markers] == ["start", "exit"]
        for marker in made.markers:
            assert farthest(floor, (marker.y, marker.x)) == longest


@pytest.mark.parametrize("method", METHODS)
def test_frames_are_few_and_show_the_maze_growing(method: Method) -> None:
    for width in (9, 81, 401):
        *frames, _ = tw.watch("maze", width=width, height=61, method=method, seed=2)
        assert len(frames) < 400
        assert len(frames) > 30 or width == 9
        sizes = [int((frame.cells == frame.tileset.find("floor")).sum()) for frame in frames if frame.cells is not None]
        grows = sizes[1:] if method != "division" else sizes[:0:-1]
        # Wilson's walks are shown while they walk, and lose their loops.
        assert grows == sorted(grows) or method == "wilson"


# -- locks --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("passage", "wall"), [(1, 1), (2, 1), (3, 2)])
def test_a_locked_rectangle_leaves_the_maze_perfect(method: Method, passage: int, wall: int) -> None:
    words: dict[str, Any] = {"width": 31, "height": 26, "method": method, "passage": passage, "wall": wall}
    for seed in range(50):
        other = tw.make("maze", **words, seed=f"other-{seed}")
        row, column = (seed * 5) % 17, (seed * 7) % 22
        mask = np.zeros(other.shape, dtype=bool)
        mask[row : row + 10, column : column + 10] = True
        made = tw.make("maze", **words, seed=seed, locks=other.to_locks(mask))
        assert np.array_equal(made.cells[mask], other.cells[mask])
        assert is_connected(floors(made))
        if passage == 1:
            assert is_tree(floors(made)), seed


@given(
    width=some.integers(1, 24), height=some.integers(1, 20), share=some.floats(0, 0.5), walls=some.floats(0, 1),
    method=some.sampled_from(METHODS), passage=some.integers(1, 3), wall=some.integers(1, 2),
    braid=some.sampled_from([0.0, 0.5, 1.0]), seed=some.integers(0, 10**6),
)  # fmt: skip
@settings(deadline=None, max_examples=400)
def test_any_locks_are_respected_or_the_error_names_cells(
    width: int, height: int, share: float, walls: float, seed: int, **params: Any
) -> None:
    chance = np.random.default_rng(seed)
    locked = chance.random((height, width)) < share
    solid = locked & (chance.random((height, width)) < walls)
    locks = [[int(x), int(y), "wall" if solid[y, x] else "floor"] for y, x in np.argwhere(locked)]
    apart = len(np.unique(ndimage.label(~solid)[0][locked & ~solid])) > 1
    recipe = tw.recipe("maze", width=width, height=height, locks=locks, **params)
    if apart:
        with pytest.raises(GaveUp) as error:
            tw.run(recipe, seed=seed)
        assert error.value.cells
        assert all(locked[cell] and not solid[cell] for cell in error.value.cells)
        return
    made = tw.run(recipe, seed=seed)
    floor = floors(made)
    assert not (floor & solid).any()
    assert floor[locked & ~solid].all()
    assert not floor.any() or is_connected(floor)


def test_locked_floors_are_given_links_and_locked_walls_are_none() -> None:
    for seed in range(30):
        locks = [[10, 9, "floor"], [6, 5, "wall"], [13, 13, "wall"]]
        floor = floors(tw.make("maze", width=21, height=21, seed=seed, locks=locks))
        assert floor[9, 10]
        assert not floor[5, 6]
        assert is_tree(floor)


def test_a_locked_floor_between_four_places_is_dug_to() -> None:
    for seed in range(30):
        floor = floors(tw.make("maze", width=21, height=21, seed=seed, locks=[[10, 10, "floor"], [0, 3, "floor"]]))
        assert floor[10, 10]
        assert floor[3, 0]
        assert is_connected(floor)


def test_regions_cut_off_by_locked_walls_are_filled() -> None:
    line = [[10, y, "wall"] for y in range(15)]
    floor = floors(tw.make("maze", width=31, height=15, seed=1, locks=line))
    assert not floor[:, :10].any(), "the smaller region"
    assert is_tree(floor)
    floor = floors(tw.make("maze", width=31, height=15, seed=1, locks=[*line, [3, 3, "floor"]]))
    assert floor[3, 3]
    assert not floor[:, 11:].any(), "the region without a locked floor"


def test_gives_up_where_locked_walls_separate_floors() -> None:
    line = [[10, y, "wall"] for y in range(15)]
    with pytest.raises(GaveUp) as error:
        tw.make("maze", width=31, height=15, seed=1, locks=[*line, [3, 5, "floor"], [20, 5, "floor"]])
    assert str(error.value) == ("gave up: locked walls separate locked floors; unlock a wall between them (at x=3 y=5)")


def test_a_cave_can_be_locked_in_a_maze() -> None:
    for seed in range(20):
        cave = tw.make("caves", width=41, height=31, tileset="dungeon", seed=seed, shaping=["keep_largest"])
        mask = np.zeros(cave.shape, dtype=bool)
        mask[8:22, 10:30] = True
        mask &= ~(cave.where("wall") & ~ndimage.binary_dilation(cave.where("floor")))
        try:
            made = tw.make("maze", width=41, height=31, seed=seed, locks=cave.to_locks(mask))
        except GaveUp:
            continue  # Part of the cave is reachable only through cells that are not locked.
        assert is_connected(floors(made))


def test_nothing_but_walls_is_a_map_without_a_maze() -> None:
    made = tw.make("maze", width=3, height=3, locks=[[1, 1, "wall"]], seed=1)
    assert not floors(made).any()
    assert made.markers == ()
