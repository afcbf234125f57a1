"""Rulebooks and their tiles: maximum counts, locked tiles, any tileset, unknown names, and rooms as overlays."""

from __future__ import annotations

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
    DOCUMENT,
    TREASURE,
    frames_of,
    layer,
    names_of,
    rectangle,
    simulate_directly,
)
from tests.refusals import refused


def test_maximum_counts_are_never_exceeded() -> None:
    recipe = tw.recipe("rules", data=TREASURE)
    reached = 0
    for seed in range(400):
        for frame in tw.watch(recipe, seed=seed) if seed % 20 == 0 else [tw.run(recipe, seed=seed)]:
            names = Counter(np.array(frame.tileset.names)[frame.cells].flat)
            assert names["treasure"] <= 3
            assert names["gold"] <= 5
        reached += names["treasure"] == 3
    assert reached > 200


@pytest.mark.parametrize("maximum", [0, 1, 3, 50, 70])
def test_as_many_are_placed_as_allowed(maximum: int) -> None:
    names = ["solid", "empty", f"treasure:{maximum}"]
    start = {"mapData": ["12x8"], "names": names, "roomData": ["equal:1x1:1", "treasure:1"]}
    drawn = {"mapData": ["12x8"], "names": names, "generationRules": [layer(1, "room:-1", f"{ALWAYS},treasure:1")]}
    for seed in range(10):
        for data in (start, drawn):
            found = Counter(names_of(tw.make("rules", data=data, seed=seed)).ravel().tolist())
            assert found["treasure"] == min(60, maximum)
        # A tile that is not placed leaves the cell unchanged.
        assert found["empty"] == 60 - found["treasure"]


def test_placed_tiles_count_even_after_they_are_replaced() -> None:
    gone = layer(1, "room:-1", "treasure,all,or,treasure>=0,empty:1")
    names = {"mapData": ["12x8"], "names": ["solid", "empty", "treasure:4"]}
    for seed in range(5):
        once = layer(1, "room:-1", f"{ALWAYS},treasure:1")
        found = names_of(tw.make("rules", data={**names, "generationRules": [once, gone, once]}, seed=seed))
        assert "treasure" not in set(found.flat)
        found = names_of(tw.make("rules", data={**names, "generationRules": [once, once]}, seed=seed))
        assert (found == "treasure").sum() == 4


@pytest.mark.parametrize("how", ["start", "simulation", "rooms"])
def test_limited_tiles_are_spread_over_the_map(how: str) -> None:
    data: dict[str, Any] = {"mapData": ["12x8"], "names": ["solid", "empty", "treasure:3"]}
    if how == "start":
        data["roomData"] = ["equal:1x1:1", "treasure:1"]
    else:
        data["roomData"] = ["equal:2x1:2" if how == "rooms" else "equal:1x1:1"]
        data["generationRules"] = [layer(1, "room:-1", f"{ALWAYS},treasure:1")]
    recipe, tries = tw.recipe("rules", data=data), 3000
    often = np.zeros((8, 12), dtype=int)
    for seed in range(tries):
        often += names_of(tw.run(recipe, seed=seed)) == "treasure"
    places = often[often > 0]
    assert places.size == (48 if how == "rooms" else 60)
    expected = 3 * tries / places.size
    assert np.abs(places - expected).max() < 4.5 * expected**0.5


def test_the_initial_tile_and_the_dug_tile_have_no_limit() -> None:
    data = {
        "mapData": ["15x9", "solid:empty"],
        "names": ["solid:1", "empty:2"],
        "roomData": ["equal:1x1:1", "solid:1|empty:1"],
        "generationRules": [layer(2, "room:-1", "empty,all,or,solid>4,solid:1", fix="connect:plus:2")],
    }
    free = {**data, "names": ["solid", "empty"]}
    for seed in range(20):
        assert np.array_equal(tw.run(data, seed=seed).cells, tw.run(free, seed=seed).cells)


# -- locks ----------------------------------------------------------------------------------------------------


def test_locked_tiles_count_towards_the_maximum() -> None:
    data = {
        "mapData": ["14x9", "solid:empty"],
        "names": ["solid", "empty", "treasure:3", "gold:2"],
        "roomData": ["equal:1x1:1", "treasure:1|gold:1"],
        "generationRules": [layer(2, "map:-1", f"{ALWAYS},treasure:1", fix="connect:plus:1")],
    }
    spots = [(1, 1, "treasure"), (12, 7, "treasure"), (5, 5, "treasure")]
    for count, seed in product(range(4), range(15)):
        found = names_of(tw.make("rules", data=data, locks=spots[:count], seed=seed))
        assert (found == "treasure").sum() == 3
        assert (found == "gold").sum() == 2
        assert all(found[y, x] == "treasure" for x, y, _ in spots[:count])


def test_locks_that_alone_hold_too_many_are_refused() -> None:
    data = {**TREASURE, "names": ["solid", "empty", "treasure:1", "gold:5"]}
    locks = [[2, 2, "treasure"], [3, 2, "treasure"]]
    with refused("locks: must contain at most 1 of 'treasure', got 2", tw.InvalidRecipe):
        tw.make("rules", data=data, locks=locks, seed=1)


def test_locks_of_other_tiles_count_for_no_name() -> None:
    """Moss is a tile of the tileset, but not of the rulebook; it does not count as treasure, the first name."""
    data = {
        "mapData": ["14x9", "wall:floor"],
        "names": ["treasure:1", "floor", "wall"],
        "roomData": ["equal:1x1:1", "treasure:1"],
    }
    locks = [[x, 3, "moss"] for x in range(2, 6)]
    found = names_of(tw.make("rules", data=data, tileset="cave", locks=locks, seed=1))
    assert (found == "moss").sum() == 4
    assert (found == "treasure").sum() == 1


@given(some.integers(0, 10**6), some.floats(0, 0.3))
@settings(max_examples=150)
def test_locked_cells_are_kept_in_every_frame_and_counted_by_rules(seed: int, share: float) -> None:
    data: dict[str, Any] = {
        "mapData": ["16x12", "solid:empty"],
        "names": ["solid", "empty", "moss"],
        "roomData": ["equal:2x1:2", "solid:1|empty:1|moss:1"],
        "generationRules": [layer(2, "map:-1", "empty,plus,or,moss>0,moss:1", "moss,all,or,solid>5,solid:1")],
    }
    other = tw.run(data, seed=f"other-{seed}")
    locked = np.random.default_rng(seed).random(other.shape) < share
    locked_names = names_of(other)[locked]
    shown = [names for _, names in frames_of({"data": data, "locks": other.to_locks(locked)}, seed)]
    for names in shown:
        assert np.array_equal(names[locked], locked_names)
    plus = {"plus": "010,101,010", "all": "111,101,111"}
    for before, after in pairwise(shown[2:5]):
        wanted = simulate_directly(before, rectangle(0, 0, 16, 12), data["generationRules"][0]["rules"], plus)
        assert np.array_equal(wanted[~locked], after[~locked])


# -- tilesets and overlays -------------------------------------------------------------------------------------------


def test_rooms_can_be_overlaid() -> None:
    data = {"mapData": ["50x30"], "roomData": ["equal:3x2:4"]}
    caves = {"technique": "caves", "params": {"walls": 0.4}}
    bare = tw.make("rules", data=data, seed=3)
    found = tw.make("rules", data=data, seed=3, shaping=[{"overlay": {"where": "rooms", "recipe": caves}}])
    assert found.rooms[:4] == bare.rooms
    inside = np.zeros(found.shape, dtype=bool)
    for room in bare.rooms:
        place = np.s_[room.y : room.y + room.height, room.x : room.x + room.width]
        inside[place] = True
        assert {"floor", "wall"} == set(names_of(found)[place].flat)
    assert np.array_equal(names_of(found)[~inside], names_of(bare)[~inside])


def test_a_rulebook_can_be_overlaid_on_rooms() -> None:
    outer = {"mapData": ["60x30"], "roomData": ["tree:9x9:4"]}
    inner = {**DOCUMENT["second"], "names": ["Empty", "Solid", "gem:2"]}
    inner["roomData"] = ["equal:1x1:1", "solid:1|empty:2|gem:1"]
    for recipe in (inner, {"technique": "rules", "params": {"data": inner}}):
        stage = {"overlay": {"where": "rooms", "recipe": recipe}}
        found = tw.run({**outer, "shaping": [stage]}, seed=2)
        assert (names_of(found) == "gem").sum() == 8
        for room in tw.run(outer, seed=2).rooms:
            inside = names_of(found)[room.y : room.y + room.height, room.x : room.x + room.width]
            assert (inside[0] == "solid").all()
            assert (inside == "gem").sum() == 2
    large = {**inner, "roomData": ["equal:9x9:9"], "mapData": ["90x90"]}
    with pytest.raises(tw.InvalidRecipe, match=r"overlay: recipe: .*'equal:9x9:9'") as caught:
        tw.run({**outer, "shaping": [{"overlay": {"where": "rooms", "recipe": large}}]}, seed=2)
    assert "\n" not in str(caught.value)


def test_names_that_a_tileset_has_are_its_tiles_and_others_are_added() -> None:
    data = {
        "names": ["Wall", "floor", "blue glow", "treasure", "tooth"],
        "mapData": ["15x9", "wall:floor"],
        "roomData": ["equal:1x1:1", "floor:1|blue glow:1|treasure:1|tooth:1"],
    }
    plain = tw.make("rules", data=data, seed=1)
    for name in (tileset.name for tileset in tw.list_tilesets()):
        found = tw.make("rules", data=data, tileset=name, seed=1)
        given = next(tileset for tileset in tw.list_tilesets() if tileset.name == name)
        assert found.tileset.tiles[: len(given)] == given.tiles
        assert np.array_equal(names_of(found), names_of(plain))
        assert len(set(str(found)) - {"\n"}) == 5
        added = [tile.name for tile in found.tileset.tiles[len(given) :]]
        assert sorted(added) == sorted({"wall", "floor", "blue glow", "treasure", "tooth"} - set(given.names))
    renamed = tw.make("rules", data=data, tileset="cave", tiles={"treasure": "crystal"}, seed=1)
    assert np.array_equal(names_of(renamed) == "crystal", names_of(plain) == "treasure")
    assert "treasure" not in renamed.tileset.names


def test_unknown_names_look_different() -> None:
    names = [f"thing {number}" for number in range(40)]
    start = "|".join(f"{name}:1" for name in names)
    data = {"names": ["solid", "empty", *names], "roomData": ["equal:1x1:1", start]}
    found = tw.make("rules", data=data, width=40, height=40, seed=1)
    assert found.tileset.names == ("solid", "empty", *names)
    assert len({tile.glyph for tile in found.tileset}) == 42
    colors = found.tileset.colors.astype(int)
    nearest = min(int(np.abs(one - other).sum()) for one, other in combinations(colors, 2))
    assert nearest >= 12
    first = min(int(np.abs(one - other).sum()) for one, other in combinations(colors[:10], 2))
    assert first >= 40
    passable = [tile.name for tile in found.tileset if tile.passable]
    assert passable == ["empty", *names]  # The tile that fills the map is not passable.


def test_a_name_may_be_a_number_or_a_glyph() -> None:
    data = {"names": ["0", "1", "2"], "mapData": ["9x7", "1:0"], "roomData": ["equal:1x1:1", "0:1|2:1"]}
    found = tw.make("rules", data=data, seed=1)
    assert set(names_of(found).flat) == {"0", "1", "2"}
    assert (names_of(found)[0] == "1").all()
