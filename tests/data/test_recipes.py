"""The rule books that ship: finished, walkable and within their own limits, for any seed, also at half the size."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

import tilewright as tw
from tilewright import data
from tilewright.core.recipe import Recipe
from tilewright.core.registry import tilesets
from tilewright.core.tilemap import TileMap
from tilewright.formats._resolver import FileResolver

SHIPPED = {name: Recipe.of(name, FileResolver()).to_data() for name in data.list_names("recipes")}
BOOKS = {name: recipe for name, recipe in SHIPPED.items() if recipe["technique"] == "rules"}
every_book = pytest.mark.parametrize("name", BOOKS)
both_sizes = pytest.mark.parametrize("size", [(80, 50), (40, 25)], ids=str)


@cache
def some(name: str, size: tuple[int, int]) -> list[TileMap]:
    """A few maps by a recipe."""
    params = {**BOOKS[name]["params"], "width": size[0], "height": size[1]}
    return [tw.run({**BOOKS[name], "params": params, "seed": seed}) for seed in range(4)]


def tiles(map: TileMap) -> Counter[str]:
    return Counter(map.tileset[number].name for number in map.cells.ravel().tolist())


@both_sizes
@every_book
def test_nothing_is_left_that_only_the_rules_speak_of(name: str, size: tuple[int, int]) -> None:
    words = set(tilesets.get("palette").names)
    for map in some(name, size):
        assert tiles(map).keys() <= words


@both_sizes
@every_book
def test_all_of_it_can_be_walked(name: str, size: tuple[int, int]) -> None:
    for map in some(name, size):
        regions = tw.measure(map, "regions")["regions"]
        assert regions >= 1 if name == "archipelago" else regions == 1


@both_sizes
@every_book
def test_no_tile_is_placed_more_often_than_the_book_says(name: str, size: tuple[int, int]) -> None:
    limits = {tile["name"]: tile["maximum"] for tile in BOOKS[name]["params"]["names"] if tile["maximum"] >= 0}
    for map in some(name, size):
        found = tiles(map)
        assert all(found[tile] <= limit for tile, limit in limits.items())


@both_sizes
def test_the_dungeon_hides_three_treasures_in_three_rooms(size: tuple[int, int]) -> None:
    for map in some("treasure-dungeon", size):
        treasure = map.cells == map.tileset.id("treasure")
        holding = [room for room in map.rooms if treasure[room.y :, room.x :][: room.height, : room.width].any()]
        assert treasure.sum() == len(holding) == 3


def test_the_garden_is_the_same_on_all_sides() -> None:
    # But for gaps in hedges, where mirroring has parted something.
    map = tw.run("formal-garden", seed=7)
    assert (map.cells == map.cells[::-1]).mean() > 0.98
    assert (map.cells == map.cells[:, ::-1]).mean() > 0.98
