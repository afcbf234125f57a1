"""Rule-based maps: divisions, automata over areas, maximum counts, frames, links, tiles and locks."""

from __future__ import annotations

import json
from collections import Counter
from itertools import combinations, pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

import tilewright as tw
from tests.generators.rulebooks import (
    ALWAYS,
    COMPARE,
    DOCUMENT,
    PLUS,
    TREASURE,
    cells_of,
    frames_of,
    layer,
    names_of,
    of_room,
    rectangle,
    simulate_directly,
)
from tests.plain import find_regions
from tilewright.testing import block_size


@pytest.mark.parametrize("data", DOCUMENT.values(), ids=DOCUMENT)
def test_the_documents_examples_run_as_they_are(data: dict[str, Any]) -> None:
    for seed in range(20):
        found = tw.run(data, seed=seed)
        assert f"{found.width}x{found.height}" == data["mapData"][0]
        assert set(names_of(found).flat) <= {"solid", "empty"}
        names = names_of(found)
        assert (names[0] == "solid").all()
        assert (names[:, -1] == "solid").all()


# -- rooms ----------------------------------------------------------------------------------------------------


def test_equal_rooms_are_cells_of_a_grid_without_their_rings() -> None:
    places: Counter[tuple[int, int]] = Counter()
    for seed in range(1600):
        found = tw.make("rules", data={"mapData": ["42x21"], "roomData": ["equal:4x2:3"]}, seed=seed)
        assert len(set(found.rooms)) == 3
        places[found.rooms[0].x, found.rooms[0].y] += 1
        assert cells_of(names_of(found) == "empty") == set().union(*map(of_room, found.rooms))
        assert all((room.width, room.height) == (8, 8) for room in found.rooms)
    # Ids are positions after the shuffle: room 0 is each of them equally often.
    assert set(places) == set(product((1, 11, 21, 31), (1, 11)))
    assert all(abs(count - 200) < 70 for count in places.values())


@pytest.mark.parametrize(
    ("size", "division", "least"),
    [
        ("40x30", "tree:4x3:7", (4, 3)),
        ("40x30", "tree:5x4:1", (5, 4)),
        ("24x20", "tree:4x3:16", (4, 3)),
        ("29x24", "tree:4x3:16", (4, 3)),
        ("9x100", "TREE : 1 x 1 : 50", (1, 1)),
    ],
)
def test_a_tree_has_rooms_of_different_sizes_none_below_the_minimum(
    size: str, division: str, least: tuple[int, int]
) -> None:
    sizes = set()
    for seed in range(50):
        found = tw.make("rules", data={"mapData": [size], "roomData": [division]}, seed=seed)
        assert len(found.rooms) == int(division.rpartition(":")[2])
        assert all(room.width >= least[0] and room.height >= least[1] for room in found.rooms)
        assert cells_of(names_of(found) == "empty") == set().union(*map(of_room, found.rooms))
        assert sum(room.width * room.height for room in found.rooms) == (names_of(found) == "empty").sum()
        for one, other in combinations(found.rooms, 2):  # Walls separate any two.
            assert not rectangle(one.x - 1, one.y - 1, one.width + 2, one.height + 2) & of_room(other)
        sizes |= {(room.width, room.height) for room in found.rooms}
    assert len(sizes) > 1 or size in ("24x20", "40x30")


def test_rooms_have_the_same_ids_in_all_layers() -> None:
    data = {
        "mapData": ["50x24", "solid:empty"],
        "names": ["solid", "empty", "moss", "bog", "sand"],
        "roomData": ["equal:5x2:6"],
        "generationRules": [
            layer(1, "room:4,2", f"{ALWAYS},moss:1"),
            layer(1, "room:5", f"{ALWAYS},bog:1"),
            layer(1, "room:2,4,2", "moss,all,or,moss>=0,sand:1"),
            layer(1, "room:4", "sand,all,or,sand>=0,bog:1"),
        ],
    }
    for division in ("equal:5x2:6", "tree:3x3:6"):
        for seed in range(40):
            found = tw.make("rules", data={**data, "roomData": [division]}, seed=seed)
            tiles = [set(names_of(found)[tuple(zip(*of_room(room), strict=True))]) for room in found.rooms]
            assert tiles == [{"empty"}, {"empty"}, {"sand"}, {"empty"}, {"bog"}, {"bog"}]


def test_rooms_start_as_tiles_by_weight() -> None:
    data = {
        "names": ["solid", "empty", "moss", "bog"],
        "roomData": ["equal:1x1:1", "solid:1|empty:2.5|moss:0|bog:6.5"],
    }
    found = tw.make("rules", data=data, width=202, height=152, seed=1)
    shares = Counter(names_of(found)[1:-1, 1:-1].ravel().tolist())
    assert "moss" not in shares
    for name, share in (("solid", 0.1), ("empty", 0.25), ("bog", 0.65)):
        assert abs(shares[name] / 30_000 - share) < 0.015


# -- automata -------------------------------------------------------------------------------------------------


def test_neighbors_outside_the_map_are_not_counted() -> None:
    data = {"mapData": ["9x6"], "roomData": ["equal:1x1:1", "solid:1"]}
    found = tw.make("rules", data={**data, "generationRules": [layer(1, "map:-1", "solid,all,or,solid<8,empty:1")]})
    assert cells_of(names_of(found) == "empty") == rectangle(0, 0, 9, 6) - rectangle(1, 1, 7, 4)
    beyond = {"far": "1" * 25 + ",".join([""] + ["0" * 25] * 24)}
    rules = [layer(1, "map:-1", "solid,far,or,solid==0,empty:1")]
    found = tw.make("rules", data={**data, "neighbourhoods": beyond, "generationRules": rules})
    assert (names_of(found) == "empty").all()


def test_neighbors_outside_the_area_but_inside_the_map_are_counted() -> None:
    data = {"mapData": ["12x9"], "roomData": ["equal:1x1:1", "solid:1"]}
    rules = [layer(1, "map:3,2,4,5", "solid,all,and,solid==8,empty:1")]
    found = tw.make("rules", data={**data, "generationRules": rules})
    assert cells_of(names_of(found) == "empty") == rectangle(3, 2, 4, 5)
    rules = [layer(1, "room:0", "empty,all,and,solid>=3,solid:1")]
    found = tw.make("rules", data={"mapData": ["12x9"], "generationRules": rules})
    assert cells_of(names_of(found) == "empty") == rectangle(2, 2, 8, 5)


def test_a_later_rule_overwrites_and_reads_what_was_there_before() -> None:
    data = {"mapData": ["8x8"], "names": ["solid", "empty", "moss", "bog"]}
    rules = [f"{ALWAYS},moss:1", f"{ALWAYS},bog:1", "moss,all,or,moss>=0,solid:1", "bog,all,or,bog>=0,solid:1"]
    found = tw.make("rules", data={**data, "generationRules": [layer(1, "room:-1", *rules)]})
    assert set(names_of(found)[1:-1, 1:-1].flat) == {"bog"}
    found = tw.make("rules", data={**data, "generationRules": [layer(2, "room:-1", *rules)]})
    assert set(names_of(found).flat) == {"solid"}


def test_every_cell_changes_at_the_same_time() -> None:
    """A fire spreads by one cell with every simulation, equally fast in all directions."""
    data = {
        "mapData": ["21x21"],
        "names": ["solid", "empty", "fire:1"],
        "roomData": ["equal:1x1:1", "solid:1"],
        "generationRules": [
            layer(1, "map:10,10,1,1", "solid,all,or,solid>=0,fire:1"),
            layer(7, "map:-1", "solid,plus,or,empty>0|fire>0,empty:1"),
        ],
    }
    found = names_of(tw.make("rules", data=data))
    distance = np.add.outer(np.abs(np.arange(21) - 10), np.abs(np.arange(21) - 10))
    assert np.array_equal(found != "solid", distance <= 7)


def test_a_layer_without_simulations_or_rules_only_repairs() -> None:
    bare = tw.make("rules", data={"roomData": ["equal:2x1:2"]}, seed=1)
    for one in ({"rules": [f"{ALWAYS},solid:1"]}, layer(0, "map:-1", f"{ALWAYS},solid:1"), layer(9, "map:-1")):
        data = {"roomData": ["equal:2x1:2"], "generationRules": [one]}
        assert np.array_equal(tw.make("rules", data=data, seed=1).cells, bare.cells)


def test_replacements_are_drawn_by_weight_in_every_simulation() -> None:
    data = {"names": ["solid", "empty", "moss"], "mapData": ["102x102"]}
    for simulations, share in ((1, 0.75), (2, 0.5625), (3, 0.421875)):
        rules = [layer(simulations, "room:-1", f"{ALWAYS},empty:3|moss:1")]
        found = tw.make("rules", data={**data, "generationRules": rules}, seed=1)
        assert abs((names_of(found)[1:-1, 1:-1] == "empty").mean() - share) < 0.025
        layers = [layer(1, "room:-1", f"{ALWAYS},empty:3|moss:1")] * simulations
        found = tw.make("rules", data={**data, "generationRules": layers}, seed=1)
        assert abs((names_of(found)[1:-1, 1:-1] == "empty").mean() - share) < 0.025


NAMES = ("solid", "empty", "moss", "bog")


@some.composite
def automata(draw: some.DrawFn) -> dict[str, Any]:
    """Return rulebooks whose rules are deterministic and without fixes; only the start is random."""
    width, height = draw(some.integers(6, 14)), draw(some.integers(6, 12))
    side = some.integers(1, 5)
    around = {"plus": "010,101,010", "all": "111,101,111"}
    for name in ("odd", "strange"):
        wide, high = draw(side), draw(side)
        row = some.text("01", min_size=wide, max_size=wide)
        around[name] = ",".join(draw(some.lists(row, min_size=high, max_size=high)))
    tile, count = some.sampled_from(NAMES), some.integers(-2, 9)
    condition = some.builds("{}{}{}".format, tile, some.sampled_from(list(COMPARE)), count)
    conditions = some.lists(condition, min_size=1, max_size=3).map("|".join)
    rule = some.builds(
        "{},{},{},{},{}:1".format,
        tile,
        some.sampled_from(list(around)),
        some.sampled_from(["and", "or"]),
        conditions,
        tile,
    )
    rooms = draw(some.integers(1, 4))
    x, y = draw(some.integers(0, width - 1)), draw(some.integers(0, height - 1))
    place = some.sampled_from(
        [
            "map:-1",
            f"map:{x},{y},{draw(some.integers(1, width - x))},{draw(some.integers(1, height - y))}",
            "room:-1",
            f"room:{draw(some.integers(0, rooms - 1))}",
            ",".join(["room:0", *map(str, range(1, rooms))]),
        ]
    )
    layers = some.lists(
        some.builds(
            lambda simulations, place, rules: layer(simulations, place, *rules),
            some.integers(1, 3),
            place,
            some.lists(rule, min_size=1, max_size=4),
        ),
        min_size=1,
        max_size=3,
    )
    return {
        "mapData": [f"{width}x{height}", "solid:empty"],
        "names": list(NAMES),
        "neighbourhoods": around,
        "roomData": [draw(some.sampled_from(["equal:2x2", "tree:1x1"])) + f":{rooms}", "solid:1|empty:1|moss:1"],
        "generationRules": draw(layers),
    }


@given(automata(), some.integers(0, 10**6))
@settings(max_examples=250)
def test_every_simulation_follows_the_definition(data: dict[str, Any], seed: int) -> None:
    *frames, (_, last) = frames_of({"data": data}, seed)
    rooms = [of_room(room) for room in tw.run(data, seed=seed).rooms]
    shown = [cells for _, cells in frames[len(rooms) :]]
    places = []
    for one in data["generationRules"]:
        kind, _, numbers = one["genData"][1].partition(":")
        if kind == "room":
            area = set().union(*(rooms if numbers == "-1" else [rooms[int(number)] for number in numbers.split(",")]))
        else:
            whole = rectangle(0, 0, *last.shape[::-1])
            area = whole if numbers == "-1" else rectangle(*map(int, numbers.split(",")))
        places += [(area, one["rules"])] * int(one["genData"][0])
    assert len(shown) == len(places) + 1
    for (before, after), (area, rules) in zip(pairwise(shown), places, strict=True):
        assert np.array_equal(simulate_directly(before, area, rules, data["neighbourhoods"]), after)
    assert np.array_equal(shown[-1], last)


# -- frames ---------------------------------------------------------------------------------------------------------


def test_a_frame_after_every_room_simulation_and_fix() -> None:
    data = {
        "mapData": ["40x16", "solid:empty", "connect:plus:1"],
        "roomData": ["equal:4x1:3", "solid:1|empty:1", "connect:plus:1"],
        "generationRules": [
            layer(2, "room:-1", "empty,all,or,solid>4,solid:1", fix="connect:plus:1"),
            layer(1, "map:-1", "solid,all,or,empty>4,empty:1", fix="none"),
        ],
    }
    for seed in range(10):
        rooms = [of_room(room) for room in tw.run(data, seed=seed).rooms]
        frames = frames_of({"data": data}, seed)
        cells = [cells_of(shown != "solid") for _, shown in frames]
        assert cells[0] == set()
        for number, room in enumerate(rooms, 1):  # Filled one after the other.
            assert cells[number] - cells[number - 1] <= room
            assert cells[number] & room
        for number, room in enumerate(rooms, 4):  # Then repaired one after the other.
            assert cells[number] - cells[number - 1] <= room
            assert len(find_regions(cells[number] & room, PLUS)) == 1
        after = 7 + 2
        for number, room in enumerate(rooms, after):
            assert cells[number] - cells[number - 1] <= room
            assert len(find_regions(cells[number] & room, PLUS)) <= 1
        assert len(frames) == after + 3 + 1 + 1 + 1  # a simulation of the map, its fix, the map itself
        assert len(find_regions(cells[-1], PLUS)) == 1
        assert cells[-1] == cells[-2]


@pytest.mark.parametrize("division", ["equal:4x3:7", "tree:4x3:7"])
def test_links_are_the_rooms_that_tunnels_join(division: str) -> None:
    data = {
        "mapData": ["48x33", "solid:empty"],
        "roomData": [division, "empty:1"],
        "generationRules": [layer(0, "map:-1", fix="connect:plus:1")],
    }
    for seed in range(60):
        found = tw.run(data, seed=seed)
        rooms, dug = [of_room(room) for room in found.rooms], cells_of(names_of(found) == "empty")
        assert len(found.links) == len(set(found.links)) == 6
        assert all(0 <= one < other < 7 for one, other in found.links)
        group = list(range(7))
        for one, other in found.links:
            group = [group[one] if member == group[other] else member for member in group]
        assert len(set(group)) == 1
        assert len(find_regions(dug, PLUS)) == 1
        for one, other in found.links:
            # A tunnel joins the two: cells outside the rooms that touch both, or touch cells that touch them.
            corridors = find_regions(dug - set().union(*rooms), PLUS)
            ends = (rooms[one], rooms[other])
            assert any(all(len(find_regions(corridor | end, PLUS)) == 1 for end in ends) for corridor in corridors)


def test_links_of_rooms_with_noise_inside_join_connected_rooms() -> None:
    data = {
        "mapData": ["40x24", "solid:empty", "connect:plus:1"],
        "roomData": ["tree:4x4:6", "solid:1|empty:2"],
        "generationRules": [layer(2, "room:-1", "empty,all,or,solid>5,solid:1", fix="connect:plus:1")],
    }
    for seed in range(40):
        found = tw.run(data, seed=seed)
        dug = cells_of(names_of(found) == "empty")
        assert len(find_regions(dug, PLUS)) == 1
        filled = [number for number, room in enumerate(found.rooms) if of_room(room) & dug]
        group = {number: number for number in filled}
        for one, other in found.links:
            assert {one, other} <= set(filled)
            group = {n: group[one] if label == group[other] else label for n, label in group.items()}
        assert len(set(group.values())) == 1


def test_no_links_where_nothing_was_dug_between_rooms() -> None:
    data = {"mapData": ["40x24"], "roomData": ["equal:3x2:5", "solid:1|empty:1"]}
    for rules in ([], [layer(1, "room:-1", "empty,all,or,solid>5,solid:1", fix="connect:plus:1")]):
        assert tw.run({**data, "generationRules": rules}, seed=1).links == ()


def test_links_are_between_rooms_joined_in_the_final_map() -> None:
    """Tunnels that a later layer fills again join nothing."""
    rules = [layer(0, "map:-1", fix="connect:plus:1"), layer(1, "map:-1", "empty,plus,and,solid>=2,solid:1")]
    data = {"mapData": ["40x24", "solid:empty"], "roomData": ["equal:4x2:6"], "generationRules": rules}
    for seed in range(20):
        found = tw.run(data, seed=seed)
        parts = find_regions(cells_of(names_of(found) == "empty"), PLUS)
        assert len(parts) > 1
        for one, other in found.links:
            assert any(part & of_room(found.rooms[one]) and part & of_room(found.rooms[other]) for part in parts)


# -- reproducibility ------------------------------------------------------------------------------------------------


def test_the_size_of_blocks_changes_nothing() -> None:
    recipes = [tw.recipe("rules", data=data) for data in (*DOCUMENT.values(), TREASURE)]
    whole = [tw.run(recipe, seed=5) for recipe in recipes]
    for recipe, before in zip(recipes, whole, strict=True):
        with block_size(1, "rules"), block_size(12, "tunnels"):
            frames = list(tw.watch(recipe, seed=5))
        assert frames[-1].map == before
        assert len(frames) > 20 or recipe is recipes[2]


def test_a_finished_map_can_be_regenerated() -> None:
    found = tw.run({**TREASURE, "seed": "again", "tileset": "cave"})
    assert found.recipe is not None
    assert found.recipe.seed == "again"
    again = tw.run(json.loads(json.dumps(found.recipe.to_data())))
    assert again == found
    assert again.recipe == found.recipe
    assert tw.run(found.recipe, seed="other") != found
