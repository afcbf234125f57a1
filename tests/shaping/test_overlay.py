"""Overlay: a recipe inside a map."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tests.refusals import refused
from tilewright.analysis.doorways import find_doors, passages
from tilewright.analysis.regions import regions_of
from tilewright.core.tilemap import Marker, Room, TileMap
from tilewright.core.tileset import Tileset

BASE = tw.make("caves", width=40, height=30, walls=0.5, seed=2)
SWAMP = {"technique": "caves", "params": {"walls": 0.4}, "tiles": {"floor": "moss", "wall": "water"}}


def test_in_a_rectangle() -> None:
    after = tw.shape(BASE, "overlay", recipe=SWAMP, x=5, y=3, width=20, height=10)
    inside = np.zeros(BASE.shape, dtype=bool)
    inside[3:13, 5:25] = True
    assert np.array_equal(after.where("moss", "water"), inside)
    assert (after.cells == BASE.cells)[~inside].all()
    assert after.where("moss").any()


def test_on_the_cells_of_a_tile() -> None:
    after = tw.shape(BASE, "overlay", recipe=SWAMP, on="wall")
    assert np.array_equal(after.where("moss", "water"), BASE.where("wall"))
    assert tw.shape(BASE, "overlay", recipe=SWAMP, on="ore") == BASE


def test_in_every_room_with_a_separate_stream() -> None:
    rooms = [Room(1, 1, 12, 9), Room(20, 5, 12, 9), Room(3, 20, 5, 6)]
    after = tw.shape(BASE.replace(rooms=rooms, recipe=None), "overlay", recipe=SWAMP, where="rooms")
    parts = [after.cells[r.y : r.y + r.height, r.x : r.x + r.width] for r in rooms]
    assert sum(part.size for part in parts) == after.where("moss", "water").sum()
    assert not np.array_equal(parts[0], parts[1])


def test_a_recipe_with_a_seed_gives_the_same_map_everywhere() -> None:
    seeded = {**SWAMP, "seed": 7}
    alone = tw.run({**SWAMP, "params": {"walls": 0.4, "width": 20, "height": 10}}, seed=7)
    for seed in (1, 2):
        outer = tw.make("caves", width=40, height=30, seed=seed)
        after = tw.shape(outer, "overlay", recipe=seeded, x=5, y=3, width=20, height=10)
        assert np.array_equal(after.cells[3:13, 5:25], alone.cells)
    first, second = (
        tw.shape(tw.make("caves", width=40, height=30, seed=seed), "overlay", recipe=SWAMP).cells for seed in (1, 2)
    )
    assert not np.array_equal(first, second)


def test_tiles_are_matched_by_name_and_missing_ones_added_with_their_appearance() -> None:
    tiles = [{"name": "wall", "glyph": "x", "passable": False}, {"name": "door", "glyph": "*", "color": "#123456"}]
    inner = Tileset.validate({"name": "own", "tiles": tiles})
    recipe = {"technique": "caves", "tileset": inner, "tiles": {"floor": "door"}, "params": {"walls": 0.3}}
    after = tw.shape(BASE, "overlay", recipe=recipe, width=10, height=10)
    assert after.tileset.names == (*BASE.tileset.names, "door")
    added = after.tileset[after.tileset.id("door")]
    assert added.color == "#123456"
    assert added.glyph not in [tile.glyph for tile in BASE.tileset], "ore already has that glyph"
    assert set(np.unique(after.cells[:10, :10])) == {after.tileset.id("wall"), after.tileset.id("door")}
    assert after.recipe is not None
    for frame in tw.watch(after.recipe):
        assert frame.cells.max() < len(frame.tileset)


def test_a_tileset_that_grows_beyond_a_byte() -> None:
    full = Tileset.validate({"name": "full", "tiles": [{"name": f"tile {number}"} for number in range(256)]})
    after = tw.shape(TileMap(np.full((9, 9), 255, dtype=np.uint8), full), "overlay", recipe=SWAMP, width=4, height=4)
    assert after.cells.dtype == np.uint16
    assert after.cells[8, 8] == 255
    assert (after.cells > 255).sum() == 16


def test_locks_inside_are_seen_by_the_inner_recipe() -> None:
    block = TileMap(np.zeros((30, 40), dtype=np.uint8), BASE.tileset).to_locks(np.s_[10:20, 10:20])
    solid = {"overlay": {"recipe": {"technique": "caves", "params": {"walls": 1.0}, "shaping": ["connect"]}}}
    after = tw.make("caves", width=40, height=30, walls=0.5, seed=2, locks=block, shaping=[solid])
    assert after.where("floor")[10:20, 10:20].all()
    assert after.where("floor").sum() == 100
    # Only a recipe that has the locked floors can connect them.
    apart = tw.make(
        "caves", width=9, height=3, walls=0, seed=1, locks=[[0, 1, "floor"], [8, 1, "floor"]], shaping=[solid]
    )
    assert tw.measure(apart, "regions") == {"regions": 1}
    assert apart.where("wall").any()


def test_locks_are_kept_if_the_inner_recipe_has_no_such_tile_or_moves_cells() -> None:
    locks = [[3, 3, "crystal"], [5, 5, "moss"]]
    for recipe in ({"technique": "caves", "tileset": "dungeon"}, {**SWAMP, "shaping": ["flip"]}):
        after = tw.make("caves", width=12, height=12, seed=1, locks=locks, shaping=[{"overlay": {"recipe": recipe}}])
        assert after.tileset[int(after.cells[3, 3])].name == "crystal"
        assert after.tileset[int(after.cells[5, 5])].name == "moss"


def test_the_inner_recipe_keeps_its_own_locks() -> None:
    recipe = {**SWAMP, "locks": [[0, 0, "ore"], [1, 0, "crystal"]]}
    stage = {"overlay": {"recipe": recipe, "x": 2, "y": 2, "width": 6, "height": 6}}
    after = tw.make("caves", width=12, height=12, seed=1, locks=[[3, 2, "chasm"]], shaping=[stage])
    assert str(after).split("\n")[2][2:4] == "*:"


def test_an_inner_error_names_cells_of_the_outer_map() -> None:
    walls = [[x, y, "wall"] for x in range(4, 7) for y in range(4, 7) if (x, y) != (5, 5)]
    locks = [*walls, [5, 5, "floor"], [9, 9, "floor"]]
    stage = {"overlay": {"recipe": {"technique": "caves", "shaping": ["connect"]}, "x": 2, "y": 1, "width": 9}}
    with pytest.raises(tw.GaveUp, match="overlay: locked cells") as caught:
        tw.make("caves", width=12, height=12, seed=1, locks=locks, shaping=[stage])
    assert all((x, y) in {(place[0], place[1]) for place in walls} for y, x in caught.value.cells)


def nested(depth: int) -> dict[str, Any]:
    recipe: dict[str, Any] = {"technique": "caves"}
    for _ in range(depth - 1):
        recipe = {"technique": "caves", "shaping": [{"overlay": {"recipe": recipe}}]}
    return recipe


def test_recipes_are_nested_at_most_eight_deep() -> None:
    assert tw.shape(BASE, "overlay", recipe=nested(8)).shape == BASE.shape
    for depth in (9, 300):
        with refused("recipes must be nested at most 8 deep", tw.InvalidRecipe, limit=400):
            tw.shape(BASE, "overlay", recipe=nested(depth))
    recipe = tw.recipe("caves")
    for _ in range(8):
        recipe = tw.recipe("caves", shaping=[{"overlay": {"recipe": recipe}}])
    with pytest.raises(tw.InvalidRecipe, match="recipes must be nested at most 8 deep"):
        tw.recipe("caves", shaping=[{"overlay": {"recipe": recipe}}])


def test_inner_tiles_become_others_of_the_map() -> None:
    book = {"names": ["rock", "ground"], "mapData": ["40x20", "rock:ground"], "roomData": ["equal:2x1:2"]}
    inner = {"technique": "caves", "params": {"walls": 0.4}}
    stage = {"overlay": {"where": "rooms", "recipe": inner, "tiles": {"wall": "rock", "floor": "ground"}}}
    found = tw.run({**book, "shaping": [stage]}, seed=3)
    assert found.tileset.names == ("rock", "ground")
    for room in found.rooms:
        inside = found.cells[room.y : room.y + room.height, room.x : room.x + room.width]
        assert set(np.unique(inside).tolist()) == {0, 1}
    assert found.recipe is not None
    assert tw.run(found.recipe) == found
    wrong = {"overlay": {"where": "rooms", "recipe": inner, "tiles": {"wall": "stone"}}}
    with pytest.raises(tw.TilewrightError, match="overlay: tiles: unknown tile 'stone'"):
        tw.run({**book, "shaping": [wrong]}, seed=3)


POOLS = {"technique": "caves", "params": {"walls": 0.5}, "tiles": {"wall": "water"}}


def test_kept_connections() -> None:
    """Pools divide nothing, and close no door, passage or marker."""
    pool_cells = 0
    bases: list[dict[str, Any]] = [
        {"technique": "rooms"},
        {"technique": "bsp", "params": {"loops": 0.3}},
        {"technique": "caves", "params": {"walls": 0.47}},
    ]
    for seed in range(200):
        given = bases[seed % 3]
        base = tw.run({**given, "params": {**given.get("params", {}), "width": 36, "height": 24}}, seed=seed)
        free = np.argwhere(base.passable)
        y, x = free[seed % len(free)].tolist()
        base = base.replace(markers=[*base.markers, Marker("chest", x, y)])
        after = tw.shape(base, "overlay", recipe=POOLS, on="floor", keep_connected=True)
        pools = after.where("water")
        ways = find_doors(base) | passages(base.passable)
        beside = np.pad(ways, 1)
        near = ways | beside[2:, 1:-1] | beside[:-2, 1:-1] | beside[1:-1, 2:] | beside[1:-1, :-2]
        assert regions_of(after.passable).count == regions_of(base.passable).count
        assert not (pools & near).any()
        assert not pools[y, x]
        pool_cells += int(pools.sum())
    assert pool_cells > 200 * 40


def test_kept_connections_lead_to_locked_cells() -> None:
    stage = {"overlay": {"recipe": POOLS, "on": "floor", "keep_connected": True}}
    for seed in range(50):
        places = [(x, y) for x in range(3, 30, 9) for y in range(2 + seed % 5, 20, 6)]
        locks = [[x, y, "floor"] for x, y in places]
        base, after = (
            tw.make("caves", width=30, height=20, walls=0.4, seed=seed, locks=locks, shaping=shaping)
            for shaping in ([], [stage])
        )
        assert after.where("water").any()
        assert all(after.cells[y, x] == base.cells[y, x] for x, y in places)
        assert regions_of(after.passable).count == regions_of(base.passable).count


def test_kept_connections_leave_out_only_impassable_tiles() -> None:
    recipe = {"technique": "caves", "params": {"walls": 0.5}, "tiles": {"wall": "water", "floor": "moss"}}
    base = tw.make("caves", width=40, height=30, seed=3)
    after = tw.shape(base, "overlay", recipe=recipe, on="floor", keep_connected=True)
    free = tw.shape(base, "overlay", recipe=recipe, on="floor")
    assert np.array_equal(after.where("moss"), free.where("moss"))
    assert (free.where("water") | ~after.where("water")).all()
    assert after.where("floor").any()
