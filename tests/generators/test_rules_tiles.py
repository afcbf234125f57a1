"""Rulebooks with tilesets and shapers: any tileset, appearance of unknown names, rooms as overlays."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import tilewright as tw
from tests.generators.rulebooks import DOCUMENT, names_of


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
