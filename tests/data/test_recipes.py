"""The built-in rulebooks: maps are finished, connected and within their limits, for any seed and also at half size."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

import tilewright as tw
from tilewright import data
from tilewright.core.recipe import Recipe
from tilewright.core.tilemap import TileMap
from tilewright.core.tilesets import tilesets
from tilewright.formats._resolver import FileResolver

BUILT_IN = {name: Recipe.of(name, FileResolver()).to_data() for name in data.list_names("recipes")}
RULEBOOKS = {name: recipe for name, recipe in BUILT_IN.items() if recipe["technique"] == "rules"}
every_rulebook = pytest.mark.parametrize("name", RULEBOOKS)
both_sizes = pytest.mark.parametrize("size", [(80, 50), (40, 25)], ids=str)


@cache
def make_maps(name: str, size: tuple[int, int]) -> list[TileMap]:
    """Return a few maps of a recipe."""
    params = {**RULEBOOKS[name]["params"], "width": size[0], "height": size[1]}
    return [tw.run({**RULEBOOKS[name], "params": params, "seed": seed}) for seed in range(4)]


def tiles(map: TileMap) -> Counter[str]:
    return Counter(map.tileset[number].name for number in map.cells.ravel().tolist())


@both_sizes
@every_rulebook
def test_no_intermediate_tile_is_left(name: str, size: tuple[int, int]) -> None:
    words = set(tilesets.get("palette").names)
    for map in make_maps(name, size):
        assert tiles(map).keys() <= words


@both_sizes
@every_rulebook
def test_the_map_is_connected(name: str, size: tuple[int, int]) -> None:
    for map in make_maps(name, size):
        regions = tw.measure(map, "regions")["regions"]
        assert regions >= 1 if name == "archipelago" else regions == 1


@both_sizes
@every_rulebook
def test_no_tile_exceeds_the_maximum_of_the_rulebook(name: str, size: tuple[int, int]) -> None:
    limits = {tile["name"]: tile["maximum"] for tile in RULEBOOKS[name]["params"]["names"] if tile["maximum"] >= 0}
    for map in make_maps(name, size):
        found = tiles(map)
        assert all(found[tile] <= limit for tile, limit in limits.items())


@both_sizes
def test_the_dungeon_has_three_treasures_in_three_rooms(size: tuple[int, int]) -> None:
    for map in make_maps("treasure-dungeon", size):
        treasure = map.cells == map.tileset.id("treasure")
        holding = [room for room in map.rooms if treasure[room.y :, room.x :][: room.height, : room.width].any()]
        assert treasure.sum() == len(holding) == 3


def test_the_garden_is_symmetric() -> None:
    # Except for gaps in hedges, which reconnect regions that mirroring separated.
    map = tw.run("formal-garden", seed=7)
    assert (map.cells == map.cells[::-1]).mean() > 0.98
    assert (map.cells == map.cells[:, ::-1]).mean() > 0.98
