"""Lock and key: every map is solvable and every lock is needed."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tilewright as tw
from tests.tilesets import TWO
from tilewright.analysis.keys import play
from tilewright.analysis.map_warnings import find_map_warnings
from tilewright.analysis.regions import regions_of
from tilewright.core.tilemap import Marker, TileMap
from tilewright.shaping._key_areas import AreaGraph
from tilewright.shaping._key_cuts import WalkableMap

from .halls import KINDS, halls, make_map

every_kind = pytest.mark.parametrize("kind", [kind for kind in KINDS if not kind.endswith("without doors")])
SIZES = ((40, 26), (15, 9), (9, 31), (61, 7), (5, 5))


def cells(map: TileMap, name: str) -> list[tuple[int, int]]:
    return [(marker.y, marker.x) for marker in map.markers if marker.name == name]


def colors(map: TileMap, kind: str) -> list[str]:
    return [marker.name.partition(" ")[2] for marker in map.markers if marker.name.split(" ")[0] == kind]


def distinct(map: TileMap, kind: str) -> list[str]:
    return list(dict.fromkeys(colors(map, kind)))


@every_kind
def test_every_map_is_solvable_and_every_lock_closes_an_area(kind: str) -> None:
    locked = 0
    for seed in range(40):
        base = make_map(kind, seed, *SIZES[0 if kind == "rules" else seed % len(SIZES)])
        if not base.passable.any():
            continue
        found = tw.shape(
            base, "lock_and_key", min_count=0, min_cells=1 + seed % 9, exit_behind=seed % 3 > 0, count=1 + seed % 7
        )
        assert (found.passable == base.passable).all()
        assert tw.measure(found, "solvable") == {"solvable": 1}
        names = distinct(found, "lock")
        assert names == colors(found, "key")
        assert len({(m.y, m.x) for m in found.markers}) == len(found.markers) or base.passable.sum() < 4
        locked += len(names)
        for number, color in enumerate(names):
            _check_lock(found, number, color)
        if seed % 3 and names:
            assert tw.measure(found, "keys_needed") == {"keys_needed": len(names)}
    assert locked > 20


def _check_lock(map: TileMap, number: int, color: str) -> None:
    """Check that an area stays closed without the key, and that the earlier keys are enough to reach it."""
    without = play(map, without=(color,))
    closed = play(map).reached & ~without.reached
    assert closed.sum() > number % 2
    assert all(closed[cell] for cell in cells(map, f"lock {color}"))
    later = tuple(colors(map, "key")[number:])
    early = play(map, without=later)
    assert all(early.reached[cell] for cell in cells(map, f"key {color}"))


def test_the_built_in_recipe_never_gives_up() -> None:
    for seed in range(30):
        found = tw.run("locked-dungeon", seed=seed)
        assert tw.measure(found, "solvable", "keys_needed", "regions") == {
            "solvable": 1,
            "keys_needed": 3,
            "regions": 1,
        }


@pytest.mark.parametrize("technique", ["rooms", "bsp", "drunkard"])
def test_three_locks_fit_maps_with_loops(technique: str) -> None:
    fitted = 0
    for seed in range(20):
        base = tw.make(technique, width=60, height=36, seed=seed)
        found = tw.shape(base, "lock_and_key", min_count=0)
        fitted += distinct(found, "lock") == ["red", "blue", "yellow"]
    assert fitted >= 19


def test_doors_of_a_lock_are_few_straight_and_complete() -> None:
    several = wide = 0
    for seed in range(40):
        base = halls(seed, loops=0.8) if seed % 2 else make_map("drunkard", seed)
        found = tw.shape(base, "lock_and_key", min_count=0, max_doors=3, max_width=2)
        names = distinct(found, "lock")
        behind = [play(found, without=tuple(names[number:])).reached for number in range(len(names) + 1)]
        for number, color in enumerate(names):
            doors = doors_of(found, color)
            rows = regions_of(doors)
            assert rows.count <= 3
            assert rows.sizes.max() <= 2
            several += rows.count > 1
            wide += int(rows.sizes.max()) > 1
            assert not (behind[number] & doors).any()
            assert (behind[number + 1] & doors).sum() == doors.sum()
            assert (behind[number + 1] & ~behind[number] & ~doors).sum() >= 8
        if names and seed % 2:
            assert (found.where("red door") == doors_of(found, "red")).all()
    assert several > 20
    assert wide > 5


def test_no_row_of_doors_divides_a_room() -> None:
    locks = 0
    for seed in range(50):
        found = tw.run(
            {
                "technique": "rooms",
                "params": {"loops": 0.3},
                "shaping": [{"lock_and_key": {"count": 4, "min_count": 0}}],
            },
            seed=seed,
        )
        inside = np.zeros(found.shape, dtype=bool)
        for room in found.rooms:
            inside[room.y : room.y + room.height, room.x : room.x + room.width] = True
        for color in distinct(found, "lock"):
            rows = regions_of(doors_of(found, color))
            rows_inside = rows.labels[inside & (rows.labels > 0)]
            assert np.all(np.asarray(rows.sizes)[rows_inside] == 1)
            locks += 1
    assert locks > 150


def test_locks_that_do_not_fit_are_reported() -> None:
    stage = {"lock_and_key": {"count": 8, "min_count": 0}}
    reported = 0
    for seed in range(20):
        found = tw.run({"technique": "rooms", "params": {"width": 30, "height": 20}, "shaping": [stage]}, seed=seed)
        missing = 8 - len(distinct(found, "lock"))
        assert found.numbers.get("unplaced lock", 0) == missing
        assert [problem.rule for problem in find_map_warnings(found)] == ["unplaced"] * (missing > 0)
        reported += missing > 0
    assert reported > 10
    again = tw.shape(found, "lock_and_key", count=1, min_count=0)
    assert "unplaced lock" not in again.numbers


def doors_of(map: TileMap, color: str) -> Any:
    mask = np.zeros(map.shape, dtype=bool)
    for cell in cells(map, f"lock {color}"):
        mask[cell] = True
    return mask


def test_single_doors_on_request() -> None:
    for seed in range(10):
        found = tw.shape(halls(seed, loops=0.5), "lock_and_key", min_count=0, max_doors=1, max_width=1)
        assert colors(found, "lock") == distinct(found, "lock")


def test_keys_replace_only_plain_floor() -> None:
    for seed in range(10):
        base = tw.shape(halls(seed), "replace", tile="floor", by="treasure", share=0.4)
        found = tw.shape(base, "lock_and_key", count=2, min_cells=1)
        assert (found.where("treasure") == base.where("treasure")).all()
        assert distinct(found, "key") == ["red", "blue"]


def test_the_requested_number_of_locks_with_distinct_colors() -> None:
    many = tw.shape(make_map("maze", 3, 81, 61), "lock_and_key", count=40)
    names = colors(many, "lock")
    assert names[:3] == ["red", "blue", "yellow"]
    assert names[8:10] == ["red 2", "blue 2"]
    assert len(set(names)) == 40
    assert tw.measure(many, "solvable", "keys_needed") == {"solvable": 1, "keys_needed": 40}
    own = tw.shape(make_map("maze", 3), "lock_and_key", colors=["brass", "iron"], keys=2)
    assert colors(own, "lock") == ["brass", "iron", "brass 2"]
    assert colors(own, "key") == ["brass", "brass", "iron", "iron", "brass 2", "brass 2"]


def test_areas_have_the_minimum_size() -> None:
    for seed in range(30):
        found = tw.shape(make_map("maze", seed), "lock_and_key", count=4, min_cells=30)
        blocked = found.passable.copy()
        for color in colors(found, "lock"):
            blocked[cells(found, f"lock {color}")[0]] = False
        sizes = tw.measure(TileMap(np.where(blocked, 0, 1), TWO), "regions")
        assert sizes == {"regions": 5}
        assert _smallest(blocked) >= 30


def _smallest(mask: Any) -> int:
    return int(regions_of(mask).sizes[1:].min())


def test_tiles_follow_the_colors_and_existing_doors_are_preferred() -> None:
    for seed in range(10):
        found = tw.shape(make_map("maze", seed), "lock_and_key", count=2)
        for color in ("red", "blue"):
            assert np.argwhere(found.where(f"{color} door")).tolist() == [list(cells(found, f"lock {color}")[0])]
            assert np.argwhere(found.where(f"{color} key")).tolist() == [list(cells(found, f"key {color}")[0])]
    cave = make_map("caves", 3)
    bare = tw.shape(cave, "lock_and_key", min_count=1)
    assert (bare.cells == cave.cells).all(), "a tileset without doors keeps its tiles"
    mossy = tw.shape(cave, "lock_and_key", min_count=1, tile="moss")
    assert mossy.where("moss").sum() == len(colors(mossy, "lock"))
    doors = tw.shape(halls(4), "doors", share=0.5)
    taken = tw.shape(doors, "lock_and_key", count=2, min_cells=1)
    assert all(doors.where("door")[cells(taken, f"lock {color}")[0]] for color in ("red", "blue"))


def test_running_again_replaces_earlier_locks() -> None:
    once = tw.shape(make_map("maze", 5), "lock_and_key", count=5)
    again = tw.shape(once, "lock_and_key", count=2)
    assert colors(again, "lock") == ["red", "blue"]
    assert not again.where("yellow door", "green key").any()
    assert again.where("red door").sum() == again.where("red key").sum() == 1
    assert tw.measure(again, "solvable", "keys_needed") == {"solvable": 1, "keys_needed": 2}
    assert cells(again, "start") == cells(once, "start")


def test_existing_markers_are_used_and_missing_ones_added() -> None:
    base = make_map("maze", 7)
    first, *_, end = [tuple(cell) for cell in np.argwhere(base.passable).tolist()]
    both = [Marker("start", first[1], first[0]), Marker("exit", end[1], end[0]), Marker("loot", 1, 3)]
    for markers in (both, both[:1], both[1:2], []):
        found = tw.shape(base.replace(markers=markers), "lock_and_key")
        assert found.markers[: len(markers)] == tuple(markers)
        assert len(cells(found, "start")) == len(cells(found, "exit")) == 1
        assert tw.measure(found, "solvable", "keys_needed") == {"solvable": 1, "keys_needed": 3}
    walled = tw.shape(base.replace(markers=[Marker("start", 0, 0)]), "lock_and_key")
    assert base.passable[cells(walled, "start")[0]]


def test_several_starts_and_exits() -> None:
    for seed in range(30):
        base = make_map(("maze", "braided maze", "rooms")[seed % 3], seed).replace(markers=[])
        cells_ = np.argwhere(base.passable)[np.random.default_rng(seed).permutation(base.passable.sum())[:4]].tolist()
        markers = [Marker(name, x, y) for name, (y, x) in zip(("start", "start", "exit", "exit"), cells_, strict=True)]
        found = tw.shape(base.replace(markers=markers), "lock_and_key", min_count=0, min_cells=2)
        assert tw.measure(found, "solvable") == {"solvable": 1}
        if colors(found, "lock"):
            assert tw.measure(found, "keys_needed") == {"keys_needed": len(distinct(found, "lock"))}


def test_locked_cells_keep_their_tiles() -> None:
    for seed in range(20):
        plain = make_map("maze", seed)
        mask = np.random.default_rng(seed).random(plain.shape) < 0.5
        found = make_map(
            "maze", seed, locks=plain.to_locks(mask), shaping=[{"lock_and_key": {"count": 3, "min_cells": 4}}]
        )
        assert (found.cells[mask] == plain.cells[mask]).all()
        assert tw.measure(found, "solvable") == {"solvable": 1}


# -- minimum cuts between areas, compared with all combinations of rows ----------------------------------------------


def board(seed: int) -> tuple[AreaGraph, NDArray[np.bool_]]:
    """Return the graph of a small map with narrow passages, and the cells reachable from its first cell."""
    passable = np.pad(np.random.default_rng(seed).random((7, 9)) < 0.62, 1)
    start = tuple(np.argwhere(passable)[0].tolist())
    map = TileMap(np.where(passable, 0, 1), TWO)
    ground = WalkableMap.of(map, (start[0], start[1]), np.zeros_like(passable))
    return AreaGraph.of(ground, 1 + seed % 3, np.random.default_rng(seed).random(passable.shape)), ground.region


def are_separated(areas: AreaGraph, region: NDArray[np.bool_], rows: tuple[int, ...], here: int, there: int) -> bool:
    open_ = region.copy()
    for row in rows:
        for cell in areas.rows[row]:
            open_[cell] = False
    labels = regions_of(open_).labels
    return bool(labels[areas.node == here][0] != labels[areas.node == there][0])


def test_cuts_have_the_minimum_cost() -> None:
    cuts = 0
    for seed in range(120):
        areas, region = board(seed)
        if areas.count < 2 or len(areas.rows) > 9:
            continue
        here, there = np.random.default_rng(seed).permutation(areas.count)[:2].tolist()
        flags = np.zeros((2, len(areas.neighbors)), dtype=bool)
        flags[0, here] = flags[1, there] = True
        beyond, closed = areas.find_min_cut(flags[0], flags[1], np.ones(len(areas.neighbors), dtype=bool))
        every = [rows for many in range(len(areas.rows) + 1) for rows in combinations(range(len(areas.rows)), many)]
        best = min(
            int(areas.cost[list(rows)].sum()) for rows in every if are_separated(areas, region, rows, here, there)
        )
        assert are_separated(areas, region, tuple(closed), here, there)
        assert int(areas.cost[closed].sum()) == best
        assert beyond[there]
        assert not beyond[here]
        cuts += 1
    assert cuts > 40


def test_rows_are_straight_and_never_side_by_side() -> None:
    for seed in range(60):
        areas, region = board(seed)
        for number, cells in enumerate(areas.rows):
            ys, xs = (np.array(axis) for axis in zip(*cells, strict=True))
            assert len(cells) <= 1 + seed % 3
            assert np.ptp(ys) + np.ptp(xs) == len(cells) - 1
            near = {(y + dy, x + dx) for y, x in cells for dy, dx in ((0, 1), (1, 0), (0, -1), (-1, 0))} - set(cells)
            assert all(areas.node[cell] < areas.count for cell in near), number
            assert region[ys, xs].all()
