"""Rooms on a grid: the map has exactly the given rooms and links, with any options and with locked cells."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest
from scipy import ndimage

import tilewright as tw
from tests.cases import read_table
from tests.refusals import refused
from tilewright import GaveUp, InvalidRecipe, TileMap

from .dungeons import check_paths, inside

Link = tuple[str, str]


def name_cell(row: int, column: int) -> str:
    return f"{'abcdefghij'[column]}{row + 1}"


def draw_graph(chance: Random) -> tuple[list[str], set[Link], tuple[int, int]]:
    """Return random strings for `graph`, the links that they describe, and the columns and rows of the grid."""
    rows, columns = chance.randint(1, 5), chance.randint(1, 6)
    cells = [(row, column) for row in range(rows) for column in range(columns)]
    possible = [
        (name_cell(row, column), name_cell(row + down, column + 1 - down))
        for row, column in cells
        for down in (0, 1)
        if row + down < rows and column + 1 - down < columns
    ]
    density = chance.choice([0.1, 0.4, 0.7, 1])
    links = {link for link in possible if chance.random() < density}
    lone = [name_cell(*cell) for cell in cells if not links or chance.random() < 0.2]
    strings = [*(chance.choice(["{}-{}", "{1}-{0}"]).format(*link) for link in sorted(links)), *lone]
    if chance.random() < 0.5:
        strings.append(f"{columns}x{rows}")
    return chance.sample(strings, len(strings)), links, (columns, rows)


def draw_options(chance: Random, grid: tuple[int, int]) -> dict[str, Any]:
    """Return random options for a grid, and a map that is large enough."""
    spacing = chance.choice([1, 2, 3, 3, 4, 7])
    options: dict[str, Any] = {
        "spacing": spacing,
        "corridor_width": chance.choice([1, 1, 2, 3, 5]),
        "doors": chance.choice(["near", "anywhere"]),
    }
    smallest = [2, 2]
    if chance.random() < 0.5:
        smallest = [chance.randint(1, 4), chance.randint(1, 4)]
        options["room_width"], options["room_height"] = ((side, side + chance.randint(0, 6)) for side in smallest)
    for name, cells, side in zip(("width", "height"), grid, smallest, strict=True):
        options[name] = max(3, 2 + cells * side + (cells - 1) * spacing + chance.choice([0, 1, 3, 10, 30]))
    return options


def find_passages(map: TileMap, *, diagonals: bool = False) -> list[set[int]]:
    """Return the rooms that each connected group of open cells outside rooms touches."""
    owners = np.full(map.shape, -1)
    for number in range(len(map.rooms)):
        assert map.passable[inside(map, number)].all()
        assert (owners[inside(map, number)] == -1).all(), "rooms overlap"
        owners[inside(map, number)] = number
    for one, other in ((owners[1:], owners[:-1]), (owners[:, 1:], owners[:, :-1])):
        assert ((one == other) | (one < 0) | (other < 0)).all(), "rooms touch"
    groups, count = ndimage.label(map.passable & (owners < 0), np.ones((3, 3)) if diagonals else None)
    found = []
    for group in range(1, count + 1):
        touched = owners[ndimage.binary_dilation(groups == group)]
        found.append({int(room) for room in touched if room >= 0})
    return found


def name_links(map: TileMap) -> set[Link]:
    return {(map.rooms[one].name, map.rooms[other].name) for one, other in map.links}


# -- given links ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch", range(5))
def test_the_map_has_exactly_the_given_links(batch: int) -> None:
    for seed in range(batch * 500, batch * 500 + 500):
        chance = Random(f"graph {seed}")
        strings, links, grid = draw_graph(chance)
        options = draw_options(chance, grid)
        map = tw.make("rooms", graph=strings, seed=seed, **options)
        rooms = {name for string in strings if "x" not in string for name in string.split("-")}
        assert sorted(room.name for room in map.rooms) == sorted(rooms)
        assert map.numbers["rooms"] == map.numbers["wanted"] == len(rooms)
        assert name_links(map) == links
        expected = sorted(map.links)
        assert sorted(tuple(sorted(pair)) for pair in find_passages(map)) == expected, "one corridor for each link"
        for room in map.rooms:
            assert room.width <= options.get("room_width", (0, 12))[1]
            assert room.height <= options.get("room_height", (0, 9))[1]
        if options["spacing"] >= 3 and all(min(room.width, room.height) >= 3 for room in map.rooms):
            assert sorted(tuple(sorted(pair)) for pair in find_passages(map, diagonals=True)) == expected
        if ndimage.label(map.passable)[1] == 1:
            check_paths(map)


def test_rooms_are_in_the_order_and_places_of_the_grid() -> None:
    for seed in range(50):
        map = tw.make("rooms", graph="a1-b1-c1 a2-b2-c2 a1-a2", seed=seed)
        assert [room.name for room in map.rooms] == ["a1", "b1", "c1", "a2", "b2", "c2"]
        for first in (0, 3):
            one, two, three = map.rooms[first : first + 3]
            assert one.x + one.width + 3 <= two.x
            assert two.x + two.width + 3 <= three.x
        assert max(room.y + room.height for room in map.rooms[:3]) + 3 <= min(room.y for room in map.rooms[3:])


@pytest.mark.parametrize(
    "given",
    ["a1-b1-b2", "A1-B1, b1-b2", ["a1-b1", "b2-b1"], ("a1 b1-b2", "a1-b1"), "b2-b1-a1\n", "2x2; a1-b1-b2"],
)
def test_spellings_of_one_graph_make_one_map(given: Any) -> None:
    assert np.array_equal(tw.make("rooms", graph=given, seed=3).cells, tw.make("rooms", graph="a1-b1-b2", seed=3).cells)


def test_columns_after_z_have_two_letters() -> None:
    chain = "-".join(f"{letters}1" for letters in ["x", "y", "z", "aa", "ab"])
    map = tw.make("rooms", graph=chain, width=200, height=9, seed=1)
    assert [room.name for room in map.rooms] == chain.split("-")
    assert len(map.links) == 4


def test_rooms_in_narrow_gaps_share_a_wall_with_one_door() -> None:
    for seed in range(30):
        map = tw.make("rooms", graph="a1-b1", spacing=1, room_width=(9, 9), width=21, height=7, seed=seed)
        assert map.where("door").sum() == 1
        assert map.where("corridor").sum() == 0


@pytest.mark.parametrize(("given", "line", "fix"), read_table(__file__, "invalid graphs are reported in one line"))
def test_invalid_graphs_are_reported_in_one_line(given: Any, line: str, fix: list[str] | None) -> None:
    with refused(line, InvalidRecipe) as caught:
        tw.recipe("rooms", graph=given)
    first = caught.value.problems[0]
    assert first.path[:2] == ("params", "graph")
    assert first.rule in ("neighbors", "format", "conflict", "range", "tuple_type", "type")
    if fix is not None:
        fixed = first.fixes[0].apply({"technique": "rooms", "params": {"graph": given}})
        assert fixed["params"]["graph"] == fix


@pytest.mark.parametrize(
    ("params", "line", "fix"),
    [
        ({"graph": "9x2", "width": 30}, "graph: a 9x2 grid of rooms needs a map of at least 44x9 cells, got 30x50", 44),
        ({"graph": "a1-b1", "room_width": (40, 40)}, "graph: a 2x1 grid of rooms needs a map of at least 85x4", 85),
        ({"graph": "4x3", "rooms": 13}, "rooms: must be at most 12, the number of cells of a 4x3 grid, got 13", 12),
        ({"graph": "a1-b1", "rooms": 3}, "rooms: must be 2, the number of rooms in graph, or unset, got 3", None),
        ({"graph": "a1-b1", "min_rooms": 3}, "min_rooms: must be at most 2, the number of rooms in graph, got 3", 2),
        ({"graph": "a1-b1", "layouts": ["ooo\n.o."]}, "layouts: cannot be used with graph", None),
    ],
)
def test_graphs_that_do_not_fit_other_parameters(params: dict[str, Any], line: str, fix: int | None) -> None:
    with refused(line, InvalidRecipe) as caught:
        tw.recipe("rooms", **params)
    (found,) = caught.value.problems
    assert found.fixes[0].value == fix
    tw.Recipe.of(found.fixes[0].apply({"technique": "rooms", "params": params}))


# -- random graphs --------------------------------------------------------------------------------------------------


def test_a_size_alone_grows_a_random_graph() -> None:
    seen = set()
    for seed in range(200):
        chance = Random(seed)
        rooms, loops = chance.randint(1, 12), chance.choice([0, 0.3, 1])
        map = tw.make("rooms", graph="4x3", rooms=rooms, loops=loops, longest_loop=40, seed=seed)
        assert len(map.rooms) == map.numbers["wanted"] == rooms
        check_paths(map)
        assert sorted(tuple(sorted(pair)) for pair in find_passages(map)) == sorted(map.links)
        names = {room.name for room in map.rooms}
        near = {
            (one, other)
            for one in names
            for other in names
            if (one[0] == other[0] and int(other[1:]) - int(one[1:]) == 1)
            or (one[1:] == other[1:] and ord(other[0]) - ord(one[0]) == 1)
        }
        assert name_links(map) <= near
        if loops != 0.3:
            assert len(map.links) == (rooms - 1 if loops == 0 else len(near))
        seen.add((frozenset(names), frozenset(map.links)))
    assert len(seen) > 100
    assert len(tw.make("rooms", graph="4x3", seed=1).rooms) == 12


def test_large_grids() -> None:
    map = tw.make("rooms", graph="100x100", width=702, height=702, seed=1)
    assert len(map.rooms) == 10_000
    assert tw.measure(map, "regions")["regions"] == 1


# -- locks ----------------------------------------------------------------------------------------------------------

FULL = "a1-b1-c1-d1 a2-b2-c2-d2 a3-b3-c3-d3 a1-a2-a3 b1-b2-b3 c1-c2-c3 d1-d2-d3"


def keep(map: TileMap, x: int, y: int, size: int = 10) -> list[tuple[int, int, str]]:
    """Return locks for a square of a map."""
    return [
        (column, row, map.tileset[int(map.cells[row, column])].name)
        for row in range(y, y + size)
        for column in range(x, x + size)
    ]


def check_locked(map: TileMap, locks: list[tuple[int, int, str]]) -> None:
    """Check that locks hold, that passages join exactly the linked rooms, and that all open cells are connected."""
    assert all(map.tileset[int(map.cells[y, x])].name == tile for x, y, tile in locks)
    found = find_passages(map)
    assert all(1 <= len(rooms) <= 2 for rooms in found)
    assert {tuple(sorted(rooms)) for rooms in found if len(rooms) == 2} == set(map.links)
    assert tw.measure(map, "regions")["regions"] == 1


@pytest.mark.parametrize(
    "params",
    [
        {"graph": "4x3"},
        {"graph": FULL},
        {"graph": "4x3", "width": 40, "height": 30},
        {"graph": "6x4", "spacing": 2, "width": 60, "height": 40},
        {"graph": "3x3", "spacing": 1},
        {"graph": "5x4", "corridor_width": 3, "spacing": 5, "width": 60, "height": 40},
    ],
)
def test_a_square_of_another_map_can_be_kept(params: dict[str, Any]) -> None:
    failed = 0
    for seed in range(60):
        chance = Random(seed)
        other = tw.make("rooms", seed=f"other {seed}", **params)
        locks = keep(other, chance.randint(0, other.shape[1] - 10), chance.randint(0, other.shape[0] - 10))
        try:
            check_locked(tw.make("rooms", seed=seed, locks=locks, **params), locks)
        except GaveUp:
            failed += 1
    assert failed <= 3


def test_a_part_of_the_same_map_usually_keeps_all_of_it() -> None:
    kept = 0
    for seed in range(20):
        map = tw.make("rooms", graph=FULL, seed=seed)
        locks = keep(map, 20 + seed, 10 + seed, 20)
        kept += np.array_equal(tw.make("rooms", graph=FULL, seed=seed, locks=locks).cells, map.cells)
    assert kept >= 18


def test_scattered_locks_are_kept() -> None:
    for seed in range(150):
        chance = Random(seed)
        tiles = {
            (chance.randrange(60), chance.randrange(40)): chance.choice(["floor", "corridor", "door", "wall", "rock"])
            for _ in range(chance.randint(1, 12))
        }
        locks = [(x, y, tile) for (x, y), tile in tiles.items()]
        check_locked(tw.make("rooms", graph=FULL, width=60, height=40, locks=locks, seed=seed), locks)


def test_locked_walls_without_space_for_a_room_give_up_and_name_the_room() -> None:
    locks = [(x, y, "wall") for x in range(20) for y in range(24)]
    with pytest.raises(GaveUp, match="graph: locked cells leave no space for room a1") as caught:
        tw.make("rooms", graph="a1-b1", width=40, height=24, locks=locks, seed=1)
    assert caught.value.cells


def test_a_locked_floor_between_rooms_without_a_link_does_not_link_them() -> None:
    locks = [(x, 10, "floor") for x in range(12, 29)]
    for seed in range(30):
        map = tw.make("rooms", graph="a1 a2 b1 b2 a1-b1 a1-a2 b1-b2", width=40, height=24, locks=locks, seed=seed)
        check_locked(map, locks)
        assert name_links(map) == {("a1", "b1"), ("a1", "a2"), ("b1", "b2")}


# -- frames ---------------------------------------------------------------------------------------------------------


def test_rooms_then_links_then_corridors_are_shown() -> None:
    frames = list(tw.watch("rooms", graph="3x2", seed=7))
    notes = [frame.note for frame in frames]
    last = frames[-1].map
    assert last is not None
    assert [note for note in notes if "room" in note][:6] == ["1 room", *(f"{count} rooms" for count in range(2, 7))]
    (links,) = [frame for frame in frames if frame.note == "links"]
    assert len(links.lines) == len(last.links) == sum(note.startswith("corridor") for note in notes)
    assert last == tw.make("rooms", graph="3x2", seed=7)
