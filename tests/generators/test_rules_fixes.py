"""Fixes: `connect` always connects, `delete` keeps the largest region, `none` does nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as some

import tilewright as tw
from tests.generators.rulebooks import (
    DOCUMENT,
    PLUS,
    Cell,
    cells_of,
    frames_of,
    names_of,
    of_room,
    offsets_of,
    rectangle,
)
from tests.plain import find_regions
from tests.refusals import refused

NEIGHBOURHOODS = {
    "plus": "010,101,010",
    "all": "111,101,111",
    "one side": "000,001,010",
    "even": "11,10",
    "even with far": "1000,0000,0001,0010",
    "flat and high": "0,1,0,0,0,0,1",
    "bent": "100,001,000",
    "knight": "01010,10001,00000,10001,01010",
    "half a knight": "00000,00000,00000,10001,01010",
    "far with a unit": "1000001,0000000,0000000,0000100,0000000,0001000,0000000",
    "rook": "0010,0010,1101,0010",
    "two and three": "0001000,0001000,0000000,1100011,0000000,0001000,0001000",
    "corners and one": "101,000,111",
}
"""Some cannot connect, anywhere or in narrow areas, and are refused there."""


def is_connected(width: int, height: int, offsets: list[Cell]) -> bool:
    """Return whether every cell of a rectangle can be reached from every other."""
    return len(find_regions(rectangle(0, 0, width, height), offsets)) == 1


def book(
    width: int, height: int, matrix: str, *, where: str = "map:-1", fix: str = "connect:odd:1", **more: Any
) -> Any:
    """Return a rulebook whose rooms are noise, and whose only layer repairs it."""
    return {
        "mapData": [f"{width}x{height}", "solid:empty"],
        "roomData": ["equal:1x1:1", "solid:3|empty:1|moss:1"],
        "names": ["solid", "empty", "moss"],
        "neighbourhoods": {"odd": matrix},
        "generationRules": [{"genData": ["0", where, fix]}],
        **more,
    }


def recipe_of(data: Any) -> tw.Recipe | None:
    """Return None if the recipe is refused because its neighborhood cannot connect."""
    try:
        return tw.recipe("rules", data=data)
    except tw.InvalidRecipe as error:
        if "neighborhood" in str(error) and ("cannot connect" in str(error) or "joins no two cells" in str(error)):
            return None
        raise


def open_cells(map: tw.TileMap) -> set[Cell]:
    return cells_of(names_of(map) != "solid")


@pytest.mark.parametrize("thickness", [1, 2, 3, 4])
@pytest.mark.parametrize("matrix", NEIGHBOURHOODS.values(), ids=NEIGHBOURHOODS)
def test_connect_connects(matrix: str, thickness: int) -> None:
    offsets, run_count = offsets_of(matrix), 0
    sides = [(3, 3), (4, 3), (3, 9), (5, 5), (7, 4), (6, 13), (15, 7), (18, 17)]
    for width, height in sides:
        data = book(width, height, matrix, fix=f"connect:odd:{thickness}")
        recipe = recipe_of(data)
        assert (recipe is not None) == is_connected(width, height, offsets), (width, height)
        for seed in range(12):
            if recipe is None:
                break
            found = tw.run(recipe, seed=seed)
            assert len(find_regions(open_cells(found), offsets)) <= 1, (width, height, seed)
            run_count += 1
    assert run_count >= 12 or matrix == NEIGHBOURHOODS["flat and high"]


@some.composite
def matrices(draw: some.DrawFn) -> str:
    """Return any matrix of up to 7x7, most of them with few ones."""
    width, height = draw(some.integers(1, 7)), draw(some.integers(1, 7))
    places = some.tuples(some.integers(0, height - 1), some.integers(0, width - 1))
    ones = draw(some.lists(places, min_size=1, max_size=7))
    return ",".join("".join("1" if (row, column) in ones else "0" for column in range(width)) for row in range(height))


@given(matrices(), some.integers(3, 14), some.integers(3, 14), some.integers(1, 4), some.data())
@settings(max_examples=600)
def test_connect_connects_by_any_neighborhood_or_is_refused(
    matrix: str, width: int, height: int, thickness: int, data: some.DataObject
) -> None:
    offsets = offsets_of(matrix)
    wide, high = data.draw(some.integers(1, width)), data.draw(some.integers(1, height))
    x, y = data.draw(some.integers(0, width - wide)), data.draw(some.integers(0, height - high))
    place = data.draw(some.sampled_from(["map:-1", f"map:{x},{y},{wide},{high}", "room:-1", "room:0"]))
    area = {
        "map:-1": (0, 0, width, height),
        "room:-1": (1, 1, width - 2, height - 2),
        "room:0": (1, 1, width - 2, height - 2),
    }.get(place, (x, y, wide, high))
    recipe = recipe_of(book(width, height, matrix, where=place, fix=f"connect:odd:{thickness}"))
    if recipe is None:  # It cannot connect there, or anywhere, not even in an area wide enough for any step.
        assert not is_connected(area[2], area[3], offsets) or not is_connected(50, 50, offsets)
    else:
        assert is_connected(area[2], area[3], offsets)
    for seed in range(6):
        if recipe is None:
            break
        found = tw.run(recipe, seed=seed)
        assert len(find_regions(open_cells(found) & rectangle(*area), offsets)) <= 1, seed


@given(matrices(), some.integers(0, 10**6))
@settings(max_examples=150)
def test_connect_connects_every_room_by_itself(matrix: str, seed: int) -> None:
    offsets = offsets_of(matrix)
    for division in ("equal:3x2:5", "tree:4x3:6"):
        recipe = recipe_of(book(38, 21, matrix, where="room:-1", roomData=[division, "solid:2|empty:1"]))
        if recipe is None:
            assert not is_connected(10, 8, offsets) or not is_connected(4, 3, offsets)
            continue
        found = tw.run(recipe, seed=seed)
        for room in found.rooms:
            assert len(find_regions(open_cells(found) & of_room(room), offsets)) <= 1


def test_an_area_connected_by_long_paths_is_not_refused() -> None:
    """Steps of (1, -3), (3, -3) and (3, 2) lead from every cell of 13x4 to every other, in both directions."""
    matrix = "0000000,0000000,0000000,0000000,1000000,0000000,1000010"
    offsets = offsets_of(matrix)
    for width, height in ((13, 4), (30, 4)):
        assert is_connected(width, height, offsets)
        recipe = tw.recipe("rules", data=book(width, height, matrix))
        for seed in range(20):
            assert len(find_regions(open_cells(tw.run(recipe, seed=seed)), offsets)) <= 1


def test_the_documented_examples_are_always_connected() -> None:
    """ProcEngine leaves two of a thousand unconnected."""
    for data in (DOCUMENT["first"], DOCUMENT["second"]):
        recipe = tw.recipe("rules", data=data)
        for seed in range(1500):
            assert len(find_regions(open_cells(tw.run(recipe, seed=seed)), PLUS)) == 1


def test_large_open_maps_need_no_recursion() -> None:
    data = {**DOCUMENT["first"], "mapData": ["600x500", "solid:empty"]}
    found = tw.run(data, seed=1)
    assert tw.measure(found, "regions") == {"regions": 1}


@given(some.integers(0, 10**6), some.sampled_from(["connect:plus:1", "connect:plus:3", "connect:knight:2"]))
@settings(max_examples=60)
def test_only_initial_tiles_are_dug_and_with_the_dig_tile(seed: int, fix: str) -> None:
    data = book(20, 14, NEIGHBOURHOODS["knight"], fix=fix.replace("knight", "odd"))
    frames = frames_of({"data": data}, seed)
    before, after = frames[1][1], frames[-1][1]
    changed = before != after
    assert (before[changed] == "solid").all()
    assert (after[changed] == "empty").all()
    # Nothing is dug if nothing is unconnected.
    again = tw.run({**data, "generationRules": [*data["generationRules"], *data["generationRules"]]}, seed=seed)
    assert np.array_equal(names_of(again), after)


def test_a_tunnel_has_the_given_thickness_at_any_position() -> None:
    for thickness in (1, 2, 3, 4):
        rows = set()
        for seed in range(40):
            found = tw.make(
                "rules",
                data={
                    "mapData": ["30x12", "solid:empty"],
                    "roomData": ["equal:2x1:2"],
                    "generationRules": [{"genData": ["0", "map:-1", f"connect:plus:{thickness}"]}],
                },
                seed=seed,
            )
            wall = names_of(found)[:, 14:16] == "empty"  # Two columns between the rooms.
            assert wall.sum(axis=0).tolist() == [thickness, thickness]
            assert np.array_equal(wall[:, 0], wall[:, 1])
            rows.add(int(wall[:, 0].argmax()))
        assert rows == set(range(1, 12 - thickness))


def test_a_tunnel_between_two_cells_is_shaped_like_an_l() -> None:
    data = {
        "mapData": ["24x16", "solid:empty"],
        "names": ["solid", "empty", "seed:2"],
        "roomData": ["equal:1x1:1", "seed:1"],
        "generationRules": [{"genData": ["0", "map:-1", "connect:plus:1"]}],
    }
    for seed in range(100):
        names = names_of(tw.run(data, seed=seed))
        (top, one), (bottom, other) = sorted(cells_of(names == "seed"))
        left, width, height = min(one, other), abs(one - other) + 1, bottom - top + 1
        first = rectangle(left, top, width, 1) | rectangle(other, top, 1, height)
        second = rectangle(left, bottom, width, 1) | rectangle(one, top, 1, height)
        assert cells_of(names != "solid") in (first, second)


@pytest.mark.parametrize("matrix", ["010,101,010", "111,101,111", "101,000,101", "00100,00000,10001,00000,00100"])
def test_delete_keeps_the_largest_part(matrix: str) -> None:
    offsets, deleted = offsets_of(matrix), 0
    for seed in range(150):
        frames = frames_of({"data": book(12, 9, matrix, fix="delete:odd:1")}, seed)
        before, after = frames[1][1], frames[-1][1]
        parts = find_regions(cells_of(before != "solid"), offsets)
        left = cells_of(after != "solid")
        assert left in parts
        assert len(left) == max(len(part) for part in parts)
        assert (after[before != after] == "solid").all()
        assert all(after[cell] == before[cell] for cell in left)
        deleted += len(parts) > 1
    assert deleted > 100


@given(some.integers(0, 10**6), some.sampled_from(["none", "none:plus:1", "None : all : 3", "none:zeros:2"]))
@settings(max_examples=40)
def test_none_does_nothing(seed: int, fix: str) -> None:
    data = book(14, 10, "000,000", fix=fix.replace("zeros", "odd"))
    data["roomData"] = [*data["roomData"], fix.replace("zeros", "odd")]
    frames = frames_of({"data": data}, seed)
    assert np.array_equal(frames[1][1], frames[-1][1])


def test_a_fix_works_inside_its_rectangle_alone() -> None:
    offsets = PLUS
    for seed in range(60):
        data = book(20, 16, "1", where="map:4,3,9,8", fix="connect:plus:1")
        frames = frames_of({"data": data}, seed)
        before, after = frames[1][1], frames[-1][1]
        area = rectangle(4, 3, 9, 8)
        assert cells_of(before != after) <= area
        assert len(find_regions(cells_of(after != "solid") & area, offsets)) == 1
        data = book(20, 16, "1", where="map:4,3,9,8", fix="delete:plus:1")
        frames = frames_of({"data": data}, seed)
        before, after = frames[1][1], frames[-1][1]
        assert cells_of(before != after) <= area
        assert len(find_regions(cells_of(after != "solid") & area, offsets)) == 1


def test_the_third_part_of_room_data_repairs_every_room_before_the_first_layer() -> None:
    data = {
        "mapData": ["40x14", "solid:empty"],
        "roomData": ["equal:3x1:3", "solid:1|empty:1", "connect:plus:1"],
        "generationRules": [{"genData": ["1", "room:0", "none"], "rules": ["empty,all,or,empty>=0,solid:1"]}],
    }
    for seed in range(60):
        found = tw.run(data, seed=seed)
        frames = frames_of({"data": data}, seed)
        filled, mended = (next(n for n, frame in enumerate(frames) if word in frame[0]) for word in ("room 2", "layer"))
        before = frames[mended - 1][1]
        for room in found.rooms:
            assert len(find_regions(cells_of(before != "solid") & of_room(room), PLUS)) == 1
            assert cells_of(before != frames[filled][1]) <= set().union(*map(of_room, found.rooms))
        assert not open_cells(found) & of_room(found.rooms[0])
    kept = tw.run({**data, "roomData": ["equal:3x1:3", "solid:2|empty:1", "delete:plus:1"]}, seed=1)
    for room in kept.rooms[1:]:
        assert len(find_regions(open_cells(kept) & of_room(room), PLUS)) == 1


def test_the_third_part_of_map_data_repairs_the_complete_map_at_the_end() -> None:
    data: dict[str, Any] = {
        "mapData": ["40x14", "solid:empty", "connect:plus:1"],
        "roomData": ["equal:3x1:3", "solid:1|empty:1"],
        "generationRules": [{"genData": ["1", "room:-1", "none"], "rules": ["empty,all,or,solid>5,solid:1"]}],
    }
    several = 0
    for seed in range(60):
        assert len(find_regions(open_cells(tw.run(data, seed=seed)), PLUS)) == 1
        without = tw.run({**data, "mapData": data["mapData"][:2]}, seed=seed)
        several += len(find_regions(open_cells(without), PLUS)) > 1
        kept = tw.run({**data, "mapData": ["40x14", "solid:empty", "delete:plus:1"]}, seed=seed)
        assert open_cells(kept) in find_regions(open_cells(without), PLUS)
    assert several == 60


CANNOT = [
    ("000,000,000", "15x7", "map:-1"),
    ("1", "15x7", "map:-1"),
    ("000,010,000", "15x7", "map:-1"),
    ("101,000,101", "15x7", "map:-1"),
    ("00100,00000,10001,00000,00100", "15x7", "map:-1"),
    ("000,101,000", "15x7", "map:-1"),
    ("01010,10001,00000,10001,01010", "15x3", "room:-1"),
    ("01010,10001,00000,10001,01010", "15x7", "map:2,2,3,3"),
    ("01010,10001,00000,10001,01010", "15x7", "map:0,0,15,2"),
]


@pytest.mark.parametrize(("matrix", "size", "where"), CANNOT)
def test_a_neighborhood_that_cannot_connect_is_refused_before_any_work(matrix: str, size: str, where: str) -> None:
    width, height = map(int, size.split("x"))
    with refused("", tw.InvalidRecipe, limit=400) as caught:
        tw.recipe("rules", data=book(width, height, matrix, where=where))
    line = str(caught.value)
    for word in ("generationRules.0", "connect:odd:1", matrix):
        assert word in line, line
    sections: tuple[tuple[str, dict[str, Any]], ...] = (
        ("mapData", {"mapData": [size, "solid:empty", "connect:odd:1"]}),
        ("roomData", {"roomData": ["equal:1x1:1", "empty:1", "connect:odd:1"]}),
    )
    for section, parts in sections:
        if where == ("map:-1" if section == "mapData" else "room:-1"):
            with pytest.raises(tw.InvalidRecipe, match=f"{section}: .*connect:odd:1"):
                tw.recipe("rules", data=book(width, height, matrix, fix="none", **parts))


def test_a_knight_needs_a_place_wide_enough_in_rooms_of_any_size() -> None:
    knight = NEIGHBOURHOODS["knight"]
    for division in ("tree:3x3:4", "tree:2x9:3", "equal:8x6:3"):
        with pytest.raises(tw.InvalidRecipe, match=r"generationRules\.0: 'connect:odd:1'"):
            tw.recipe("rules", data=book(40, 30, knight, where="room:-1", roomData=[division, "empty:1"]))
    for seed in range(30):
        found = tw.run(book(40, 30, knight, where="room:-1", roomData=["tree:3x4:6", "empty:1|solid:2"]), seed=seed)
        for room in found.rooms:
            assert len(find_regions(open_cells(found) & of_room(room), offsets_of(knight))) <= 1


@given(some.integers(0, 10**6), some.floats(0, 0.6), some.sampled_from(["plus", "all"]), some.integers(1, 3))
@settings(max_examples=250)
def test_with_locks_it_connects_or_names_blocking_cells(seed: int, share: float, word: str, thick: int) -> None:
    random = np.random.default_rng(seed)
    data = book(10, 8, "1", fix=f"connect:{word}:{thick}")
    offsets = offsets_of(NEIGHBOURHOODS[word])
    other = tw.run(book(10, 8, "1", fix="none"), seed=f"other-{seed}")
    locked = random.random(other.shape) < share
    assume(locked.any())
    recipe = tw.recipe("rules", data=data, locks=other.to_locks(locked))
    # Rooms are filled at random, so look up the cells before the fix.
    before = next(frame for frame in tw.watch(recipe, seed=seed) if frame.note == "room 0")
    open_before = cells_of(np.array(before.tileset.names)[before.cells] != "solid")
    walls = cells_of(locked) - open_before
    ground = find_regions(rectangle(0, 0, 10, 8) - walls, offsets)
    needed = [place for place in ground if place & open_before]
    if len(needed) <= 1:
        found = tw.run(recipe, seed=seed)
        assert np.array_equal(found.cells[locked], other.cells[locked])
        assert len(find_regions(open_cells(found), offsets)) <= 1
        return
    # Retries fill the rooms again and may succeed.
    result: tw.TileMap | tw.GaveUp
    try:
        result = tw.run(recipe, seed=seed)
    except tw.GaveUp as error:
        result = error
    if isinstance(result, tw.TileMap):
        assert len(find_regions(open_cells(result), offsets)) <= 1
    else:
        assert result.tries > 1
        assert set(result.cells)
        assert set(result.cells) <= cells_of(locked)


@pytest.mark.parametrize("fix", ["connect:plus:1", "delete:plus:1"])
def test_a_rectangle_of_another_map_can_be_locked_despite_other_rooms(fix: str) -> None:
    data = {
        "mapData": ["60x40", "solid:empty"],
        "roomData": ["tree:6x5:8", "solid:1|empty:2"],
        "generationRules": [
            {"genData": ["2", "room:-1", fix], "rules": ["empty,all,or,solid>5,solid:1"]},
            {"genData": ["0", "map:-1", fix]},
        ],
    }
    kept = 0
    for seed in range(100):
        other = tw.run(data, seed=f"other-{seed}")
        corner = np.s_[seed % 31 : seed % 31 + 10, seed * 7 % 51 : seed * 7 % 51 + 10]
        try:
            found = tw.make("rules", data=data, locks=other.to_locks(corner), seed=seed)
        except tw.GaveUp:
            continue
        assert np.array_equal(found.cells[corner], other.cells[corner])
        kept += 1
    assert kept >= 95


@given(some.integers(0, 10**6), some.sampled_from(["010,101,010", "101,000,101", "00100,00000,10001,00000,00100"]))
@settings(max_examples=100)
def test_delete_keeps_locked_cells_and_all_in_one_part_or_gives_up(seed: int, matrix: str) -> None:
    offsets = offsets_of(matrix)
    other = tw.run(book(12, 9, "1", fix="none"), seed=f"other-{seed}")
    locked = np.random.default_rng(seed).random(other.shape) < 0.06
    recipe = tw.recipe("rules", data=book(12, 9, matrix, fix="delete:odd:1"), locks=other.to_locks(locked))
    before = next(frame for frame in tw.watch(recipe, seed=seed) if frame.note == "room 0")
    open_before = cells_of(np.array(before.tileset.names)[before.cells] != "solid")
    ground = find_regions(rectangle(0, 0, 12, 9) - (cells_of(locked) - open_before), offsets)
    needed = [place for place in ground if place & open_before]
    try:
        found = tw.run(recipe, seed=seed)
    except tw.GaveUp:
        if len(needed) > 1:
            return  # Locked cells are in regions that nothing can join.
        raise
    assert np.array_equal(found.cells[locked], other.cells[locked])
    assert len(find_regions(open_cells(found), offsets)) == 1
