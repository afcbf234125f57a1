"""Rooms: everything is reachable, rooms keep their distance, layouts appear as drawn, and locks are respected."""

from __future__ import annotations

from contextlib import ExitStack
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tilewright as tw
from tilewright import GaveUp, TileMap
from tilewright.core.seeds import Rng
from tilewright.dungeon.dungeon import Links, choose_links
from tilewright.generators.rooms import RoomsParams
from tilewright.testing import block_size

from .dungeons import check_paths, check_rooms, count_doors, inside, some_options

CROSS = "..xxx..\n..xox..\nxxxoxxx\nDoooooD\nxxxoxxx\n..xox..\n..xDx.."
CHAMBERS = "xxxxxxxx\nxooxooox\nxooDooox\nxooxooox\nxxDxxxxx"
HOOK = "xxxxx\nxooox\nxoxxx\nxox..\nxxx.."
RING = "xxxxxxx\nxooooox\nxoxxxox\nxoxxxox\nxoxxxox\nxooooox\nxxxxxxx"
CORRIDORS = ("winding", "straight")
every_technique = pytest.mark.parametrize("technique", ["rooms", "bsp"])
LAYOUTS = (CROSS, CHAMBERS, HOOK, RING, "ooo\n.o.")


# -- properties -----------------------------------------------------------------------------------------------------


@every_technique
@pytest.mark.parametrize("batch", range(4))
def test_promises_hold_with_any_options(technique: str, batch: int) -> None:
    for seed in range(batch * 400, batch * 400 + 400):
        chance = Random(f"{technique} {seed}")
        options = some_options(chance)
        if technique == "bsp":
            options |= {"ratio": chance.choice([1, 1.25, 3]), "jitter": chance.choice([0, 0.25, 0.5])}
            options |= {"leaf": chance.choice([1, 1.3, 3]), "fill": chance.random(), "shift": chance.random()}
        recipe = tw.recipe(technique, **options)
        map = tw.run(recipe, seed=seed)
        check_paths(map)
        check_rooms(map, options, recipe.params.sizes)  # type: ignore[attr-defined]
        assert map.numbers["rooms"] == len(map.rooms)
        assert map.numbers["wanted"] == options.get("rooms", len(map.rooms))


def test_promises_hold_with_drawings() -> None:
    for seed in range(400):
        chance = Random(f"drawings {seed}")
        options = some_options(chance) | {"width": chance.randint(10, 50), "height": chance.randint(10, 40)}
        for name in ("room_width", "room_height"):
            options.pop(name, None)
        layouts = chance.sample(LAYOUTS, chance.randint(1, 4))
        map = tw.make("rooms", seed=seed, layouts=layouts, plain=chance.choice([0, 1]), **options)
        check_paths(map)


@every_technique
def test_defaults_for_a_thousand_seeds(technique: str) -> None:
    recipe = tw.recipe(technique, width=48, height=32)
    for seed in range(1000):
        map = tw.run(recipe, seed=seed)
        check_paths(map)
        degrees = np.bincount(np.array(map.links).ravel(), minlength=len(map.rooms))
        assert all(1 <= count_doors(map, room) <= degrees[room] for room in range(len(map.rooms)))


@every_technique
def test_a_link_has_a_door_at_each_end(technique: str) -> None:
    """Two links rarely share a door, since that costs a path as much as ten steps."""
    maps = [tw.make(technique, seed=seed) for seed in range(60)]
    doors, links = sum(map.where("door").sum() for map in maps), sum(len(map.links) for map in maps)
    assert 1.95 * links <= doors <= 2 * links


@every_technique
def test_as_many_rooms_as_wanted(technique: str) -> None:
    for seed in range(100):
        map = tw.run(tw.recipe(technique, rooms=12, min_rooms=12), seed=seed)
        assert len(map.rooms) == map.numbers["wanted"] == 12


def test_fewer_rooms_than_wanted() -> None:
    map = tw.make("rooms", rooms=1000, seed=1)
    assert map.numbers["wanted"] == 1000
    assert map.numbers["rooms"] == len(map.rooms) < 100


def test_wide_corridors_are_wide() -> None:
    for width in (2, 3, 4):
        for seed in range(20):
            map = tw.make("rooms", corridor_width=width, spacing=width + 6, loops=0, seed=seed, rooms=6)
            corridor = map.where("corridor")
            if not corridor.any():
                continue
            squares = np.lib.stride_tricks.sliding_window_view(corridor, (width, width)).all(axis=(2, 3))
            covered = np.zeros_like(corridor)
            for row, column in np.argwhere(squares).tolist():
                covered[row : row + width, column : column + width] = True
            assert covered.sum() > 0.7 * corridor.sum(), "except close to rooms and to the map's edge"


# -- links --------------------------------------------------------------------------------------------------------


def run_choose_links(p: RoomsParams, rooms: NDArray[np.int64], rng: Rng) -> Links:
    choosing = choose_links(p, rooms, rng)
    while True:
        try:
            next(choosing)
        except StopIteration as done:
            links: Links = done.value
            return links


@pytest.mark.parametrize("links", ["delaunay", "nearest", "row"])
def test_links_are_a_tree_and_short_loops(links: Any) -> None:
    for seed in range(150):
        chance = Random(seed)
        # Many on a grid, so that four are on a circle and many distances are equal; some are duplicates.
        rooms = np.array(
            [(chance.randrange(6) * 6, chance.randrange(5) * 6, 3, 3) for _ in range(chance.randint(1, 25))]
        )
        p = RoomsParams(links=links, loops=chance.choice([0, 0.5, 1]), longest_loop=chance.randint(3, 9))
        found = run_choose_links(p, rooms, Rng.of(seed))
        again = run_choose_links(p, rooms, Rng.of(seed))
        assert np.array_equal(found.chosen, again.chosen)
        assert len(found.tree) == len(rooms) - 1
        distance = np.where(np.eye(len(rooms), dtype=bool), 0.0, np.inf)
        for one, other in found.tree.tolist():
            distance[one, other] = distance[other, one] = 1
        for middle in range(len(rooms)):
            distance = np.minimum(distance, distance[:, middle, None] + distance[None, middle])
        assert np.isfinite(distance).all(), "the tree joins all rooms"
        for one, other in found.loops.tolist():
            assert 2 <= distance[one, other] <= p.longest_loop - 1
        pairs = [tuple(sorted(pair)) for pair in found.chosen.tolist()]
        assert len(set(pairs)) == len(pairs)
        if links == "row":
            assert np.bincount(found.tree.ravel(), minlength=1).max(initial=0) <= 2
        if p.loops == 0:
            assert len(found.loops) == 0


def test_the_tree_of_a_triangulation_is_the_shortest() -> None:
    for seed in range(100):
        chance = Random(seed)
        rooms = np.array([(chance.randrange(60), chance.randrange(40), 2, 2) for _ in range(chance.randint(2, 14))])
        tree = run_choose_links(RoomsParams(), rooms, Rng.of(seed)).tree

        def apart(one: int, other: int, rooms: NDArray[np.int64] = rooms) -> float:
            return float(np.hypot(*(rooms[one, :2] - rooms[other, :2])))

        part, total = list(range(len(rooms))), 0.0
        for one, other in sorted(combinations(range(len(rooms)), 2), key=lambda pair: apart(*pair)):
            if part[one] != part[other]:
                total += apart(one, other)
                part = [part[one] if number == part[other] else number for number in part]
        assert sum(apart(one, other) for one, other in tree.tolist()) == pytest.approx(total)


def test_points_in_a_line_or_in_one_place_are_joined() -> None:
    for rooms in (
        [(3 * number, 1, 1, 1) for number in range(50)],
        [(1, 3 * number, 1, 1) for number in range(50)],
        [(5, 5, 1, 1)] * 30,
        [(number % 2, 0, 1, 1) for number in range(30)],
    ):
        assert len(run_choose_links(RoomsParams(), np.array(rooms), Rng.of(1)).tree) == len(rooms) - 1


# -- layouts --------------------------------------------------------------------------------------------------------


def rotate_and_mirror(drawing: str, turned: bool = True) -> list[NDArray[np.str_]]:
    cells = np.array([list(line) for line in drawing.split("\n")])
    if not turned:
        return [cells]
    return [np.rot90(view, turns) for view in (cells, cells[:, ::-1]) for turns in range(4)]


def matches_drawing(map: TileMap, number: int, view: NDArray[np.str_]) -> bool:
    """Return whether a room is as in a drawing: its floors and walls, and doors only where they are drawn."""
    rows, columns = (np.flatnonzero((view == "o").any(axis=axis)) for axis in (1, 0))
    room = map.rooms[number]
    top, left = room.y - rows[0], room.x - columns[0]
    if top < 0 or left < 0 or top + len(view) > map.shape[0] or left + len(view[0]) > map.shape[1]:
        return False
    place = np.s_[top : top + len(view), left : left + len(view[0])]
    floor, wall, door = (map.where(name)[place] for name in ("floor", "wall", "door"))
    has_doors = (view == "D").any()
    shut = wall if has_doors else wall | door
    return bool(floor[view == "o"].all() and shut[view == "x"].all() and (wall | door)[view == "D"].all())


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("drawing", [CROSS, CHAMBERS, HOOK, RING])
def test_drawings_appear_as_drawn(drawing: str, turned: bool) -> None:
    seen: set[bytes] = set()
    for seed in range(60):
        map = tw.make("rooms", layouts=[drawing], plain=0, turned=turned, rooms=5, seed=seed)
        assert len(map.rooms) == 5
        for number in range(5):
            fitting = [view for view in rotate_and_mirror(drawing, turned) if matches_drawing(map, number, view)]
            assert fitting
            seen.add(fitting[0].tobytes() + bytes(fitting[0].shape))
    assert len(seen) == len({view.tobytes() + bytes(view.shape) for view in rotate_and_mirror(drawing, turned)})


def test_inner_doors_are_always_present() -> None:
    for seed in range(60):
        map = tw.make("rooms", layouts=[CHAMBERS], plain=0, rooms=6, seed=seed)
        for number in range(len(map.rooms)):
            assert map.where("door")[inside(map, number)].sum() == 1


def test_dense_spaced_and_filed_drawings_are_the_same(tmp_path: Path) -> None:
    spaced = "\n".join(" ".join(line) for line in CROSS.split("\n"))
    (tmp_path / "cross.txt").write_text(CROSS + "\n")
    (tmp_path / "spaced.txt").write_text(spaced + "\n")
    lines = CROSS.split("\n")
    expected = tw.make("rooms", layouts=[CROSS], seed=3)
    for form in (spaced, lines, [list(line) for line in lines], {"drawing": CROSS, "weight": 1}):
        assert tw.make("rooms", layouts=[form], seed=3) == expected
    for name in ("cross.txt", "spaced.txt"):
        assert np.array_equal(tw.make("rooms", layouts=[str(tmp_path / name)], seed=3).cells, expected.cells)


def test_weights_are_how_often_a_drawing_is_tried() -> None:
    """The layouts have equal sizes, so that both fit equally often."""
    square, pillar = "xxxxx\nxooox\nxooox\nxooox\nxxxxx", "xxxxx\nxooox\nxoxox\nxooox\nxxxxx"
    layouts = [{"drawing": square, "weight": 3}, {"drawing": pillar, "weight": 1}]
    counts = [0, 0]
    for seed in range(200):
        map = tw.make("rooms", layouts=layouts, plain=0, rooms=8, seed=seed)
        for number in range(len(map.rooms)):
            counts[int(map.where("floor")[inside(map, number)].sum() == 8)] += 1
    assert counts[1] / sum(counts) == pytest.approx(0.25, abs=0.04)


# -- frames -------------------------------------------------------------------------------------------------------


def test_rooms_appear_one_by_one_then_links_then_corridors() -> None:
    frames = list(tw.watch("rooms", seed=7, width=60, height=40))
    rooms = [frame for frame in frames if frame.note[0].isdigit()]
    last = frames[-1].map
    assert last is not None
    count = len(last.rooms)
    assert [frame.note for frame in rooms] == ["1 room", *(f"{number} rooms" for number in range(2, count + 1))]
    floor = last.tileset.id("floor")
    floors = [int((frame.cells == floor).sum()) for frame in rooms]
    areas = np.cumsum([room.width * room.height for room in last.rooms])
    assert floors == areas.tolist()
    (near,) = [frame for frame in frames if frame.note == "links considered"]
    tree = [frame for frame in frames if frame.note == "tree"]
    loops = [frame for frame in frames if frame.note == "loops"]
    corridors = [frame for frame in frames if frame.note.startswith("corridor")]
    assert [len(frame.lines) for frame in tree] == list(range(1, count))
    links = len(tree) + len(loops)
    assert len(near.lines) >= links == len(corridors)
    assert set((loops or tree)[-1].lines) <= set(near.lines)
    assert [len(frame.lines) for frame in corridors] == list(range(links))[::-1]
    done = [frame.progress for frame in frames if frame.progress is not None]
    assert done == sorted(done)
    assert np.array_equal(frames[-2].cells, last.cells)
    assert last == tw.make("rooms", seed=7, width=60, height=40)


# -- locks --------------------------------------------------------------------------------------------------------


def test_locked_floors_are_reached_and_locked_walls_kept() -> None:
    for seed in range(300):
        chance = Random(seed)
        options = some_options(chance) | {
            "width": chance.randint(12, 50),
            "height": chance.randint(12, 30),
            "min_rooms": 0,
        }
        options = {name: value for name, value in options.items() if not name.startswith("room_")}
        tiles = {}
        for _ in range(chance.randint(1, 12)):
            place = chance.randrange(1, options["width"] - 1), chance.randrange(1, options["height"] - 1)
            tiles[place] = chance.choice(["floor", "corridor", "door", "wall", "wall", "rock"])
        locks = [(x, y, tile) for (x, y), tile in tiles.items()]
        map = tw.make("rooms", seed=seed, locks=locks, **options)  # Too few walls to separate anything.
        assert tw.measure(map, "regions")["regions"] == 1
        for x, y, tile in locks:
            assert map.tileset[int(map.cells[y, x])].name == tile


def test_a_locked_wall_across_the_map_gives_up_and_names_its_cells() -> None:
    locks = [(20, y, "wall") for y in range(25)] + [(5, 5, "floor"), (35, 20, "floor")]
    for technique in ("rooms", "bsp"):
        with pytest.raises(GaveUp, match="locked walls separate locked floors") as caught:
            tw.make(technique, width=40, height=25, locks=locks, seed=1)
        assert caught.value.cells
        assert all(column == 20 for _, column in caught.value.cells)


def test_rooms_on_one_side_of_a_locked_wall_where_no_floor_is_locked() -> None:
    for seed in range(20):
        map = tw.make("rooms", width=40, height=25, locks=[(20, y, "wall") for y in range(25)], seed=seed)
        assert tw.measure(map, "regions")["regions"] == 1


def test_no_jitter_of_bsp_cuts_in_the_middle() -> None:
    map = tw.make("bsp", width=65, height=65, rooms=4, jitter=0, shift=0, fill=1, ratio=1, seed=3, room_width=(1, 60),
                  room_height=(1, 60))  # fmt: skip
    sizes = {(30, 30), (30, 60), (60, 30), (60, 12), (12, 60), (30, 12)}
    assert {(room.width, room.height) for room in map.rooms} <= sizes
    assert len(map.rooms) == 4


def test_fill_of_bsp_makes_rooms_fill_their_parts() -> None:
    shares = []
    for fill in (0.0, 0.5, 1.0):
        recipe = tw.recipe("bsp", fill=fill)
        shares.append(np.mean([tw.run(recipe, seed=seed).where("floor").mean() for seed in range(20)]))
    assert shares[0] < shares[1] < shares[2]


def test_frames_of_bsp_show_cuts_then_rooms_then_links_then_corridors() -> None:
    frames = list(tw.watch("bsp", seed=7, width=60, height=40))
    notes = [frame.note.split()[-1] if frame.note[0].isdigit() else frame.note.split()[0] for frame in frames]
    order = ["rock", "parts", "room", "rooms", "links", "tree", "loops", "corridor", "doors", "walls"]
    assert [note for at, note in enumerate(notes) if at == 0 or note != notes[at - 1]][: len(order)] == order
    parts = [frame for frame in frames if frame.note.endswith("parts")]
    assert [len(frame.lines) for frame in parts] == [4 * (number + 2) for number in range(len(parts))]
    assert frames[-1].map == tw.make("bsp", seed=7, width=60, height=40)
    assert np.array_equal(frames[-2].cells, frames[-1].map.cells)


def test_the_crypt_recipe_is_passable_from_start_to_exit() -> None:
    for seed in range(40):
        map = tw.run("crypt", seed=seed)
        check_paths(map)
        assert sorted(marker.name for marker in map.markers) == ["exit", "start"]
        assert len(map.rooms) > 10


def test_blocks_change_nothing() -> None:
    variants: list[dict[str, Any]] = [
        {"links": links, "corridors": corridors} for links in ("delaunay", "nearest", "row") for corridors in CORRIDORS
    ]
    usual = [tw.make(name, seed=7, **variant) for name in ("rooms", "bsp") for variant in variants]
    sizes = {"rooms": 10, "bsp": 3, "dungeon": 100, "corridors": 5, "corridors.heap": 1, "links": 20}
    with ExitStack() as stack:
        for name, size in sizes.items():
            stack.enter_context(block_size(size, name))
        assert [tw.make(name, seed=7, **variant) for name in ("rooms", "bsp") for variant in variants] == usual
