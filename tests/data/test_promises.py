"""The built-in recipes: every map has what the recipe's description says.

A promise is a phrase of the description and a condition that each map of `SEEDS` seeds meets.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias

import numpy as np
import pytest
from numpy.typing import NDArray

import tilewright as tw
from tilewright import data
from tilewright.analysis.paths import steps_from
from tilewright.analysis.regions import Regions, regions_of
from tilewright.core.owners import NEUTRAL
from tilewright.core.tilemap import TileMap
from tilewright.core.yaml import read_head_comment
from tilewright.generators.rooms import RoomsParams
from tilewright.kernels.scatter import DRAWN_FLOOR, DRAWN_WALL

SEEDS = 60
COLORS = ("red", "blue", "yellow")
Mask: TypeAlias = NDArray[np.bool_]
Promise: TypeAlias = Callable[[TileMap], bool]


def mask(map: TileMap, *tiles: str) -> Mask:
    """Return the cells with one of some tiles."""
    return np.isin(map.cells, [map.tileset.id(name) for name in tiles if name in map.tileset.by_name])


def grow(cells: Mask, steps: int = 1) -> Mask:
    """Return the cells at most some steps, diagonal ones included, from the cells of a mask."""
    for _ in range(steps):
        padded = np.pad(cells, 1)
        height, width = cells.shape
        shifts = [padded[y : y + height, x : x + width] for y in range(3) for x in range(3)]
        cells = np.logical_or.reduce(shifts)
    return cells


def beside(cells: Mask) -> Mask:
    """Return the neighbors of a mask along the axes, which are not in it."""
    padded = np.pad(cells, 1)
    near: Mask = padded[:-2, 1:-1] | padded[2:, 1:-1] | padded[1:-1, :-2] | padded[1:-1, 2:]
    return near & ~cells


def regions(map: TileMap, *tiles: str) -> Regions:
    return regions_of(mask(map, *tiles))


def masks(map: TileMap, *tiles: str) -> list[Mask]:
    """Return the mask of each region of some tiles."""
    found = regions(map, *tiles)
    return [found.labels == number for number in range(1, found.count + 1)]


def has(*tiles: str) -> Promise:
    return lambda map: all(mask(map, tile).any() for tile in tiles)


def count(tile: str, number: int) -> Promise:
    return lambda map: int(np.count_nonzero(mask(map, tile))) == number


def count_markers(name: str, number: int) -> Promise:
    return lambda map: sum(marker.name == name for marker in map.markers) == number


def measures(**expected: Any) -> Promise:
    return lambda map: {**tw.measure(map, *expected)} == expected


def touch(tiles: tuple[str, ...], others: tuple[str, ...]) -> Promise:
    """Return whether each region of some tiles is beside one of the other tiles."""
    return lambda map: all((beside(region) & mask(map, *others)).any() for region in masks(map, *tiles))


def is_closed(map: TileMap) -> bool:
    edge = np.ones(map.shape, dtype=np.bool_)
    edge[1:-1, 1:-1] = False
    return not (edge & map.passable).any()


def spans(axis: int, *tiles: str) -> Promise:
    """Return whether one region reaches from the first to the last row (axis 0) or column (axis 1) in the border."""

    def condition(map: TileMap) -> bool:
        for region in masks(map, *tiles):
            lines = region if axis == 0 else region.T
            if lines[:2].any() and lines[-2:].any():
                return True
        return False

    return condition


def are_all_reachable(map: TileMap) -> bool:
    found = regions_of(map.passable).labels
    return len({int(found[marker.y, marker.x]) for marker in map.markers} | {0}) == 2


def owners(map: TileMap) -> set[str]:
    return {tile.country for tile in map.tileset if mask(map, tile.name).any()} - {"", NEUTRAL}


def holds(name: str, low: int, high: int = 1 << 30) -> Promise:
    """Return whether the number of regions of a tile is between two numbers."""
    return lambda map: low <= regions(map, name).count <= high


def all_of(*promises: Promise) -> Promise:
    return lambda map: all(promise(map) for promise in promises)


def count_at_most(**limits: int) -> Promise:
    return lambda map: all(np.count_nonzero(mask(map, tile)) <= limit for tile, limit in limits.items())


def near(tile: str, others: tuple[str, ...], steps: int) -> Promise:
    """Return whether each cell of a tile is at most some steps from one of the other tiles."""
    return lambda map: not (mask(map, tile) & ~grow(mask(map, *others), steps)).any()


def is_symmetric(map: TileMap) -> bool:
    return all((map.cells == other).mean() > 0.97 for other in (map.cells[::-1], map.cells[:, ::-1]))


def has_an_inland_desert(map: TileMap) -> bool:
    return bool((mask(map, "sand") & ~grow(mask(map, "water", "deep"), 2)).any())


def has_fences_around_fields(map: TileMap) -> bool:
    return all(
        not (beside(field) & ~mask(map, "fence along", "fence across", "fence post", "gate")).any()
        for field in masks(map, "crops")
    )


def count_exits(map: TileMap) -> NDArray[np.int64]:
    """Return the number of passable neighbors of each cell."""
    padded = np.pad(map.passable, 1).astype(np.int64)
    return padded[:-2, 1:-1] + padded[2:, 1:-1] + padded[1:-1, :-2] + padded[1:-1, 2:]


def has_treasure_in_dead_ends(map: TileMap) -> bool:
    exits = count_exits(map)
    return all(exits[marker.y, marker.x] == 1 for marker in map.markers if marker.name == "treasure")


def has_treasure_in_three_rooms(map: TileMap) -> bool:
    treasure = mask(map, "treasure")
    rooms = [room for room in map.rooms if treasure[room.y :, room.x :][: room.height, : room.width].any()]
    return len(rooms) == int(treasure.sum()) == 3


def has_one_large_lake(map: TileMap) -> bool:
    lakes = masks(map, "water", "deep")
    return len(lakes) == 1 and int(lakes[0].sum()) >= 150


def has_short_pieces(map: TileMap) -> bool:
    """Return whether ponds, rivers, roads or pipes of fewer than four cells are left."""
    for starts in (("sea", "reef", "shoal"), ("road", "bridge", "river", "pipe")):
        tiles = [name for name in map.tileset.names if name.startswith(starts)]
        if any(region.sum() < 4 for region in masks(map, *tiles)):
            return True
    return False


def has_two_parks(map: TileMap) -> bool:
    found = masks(map, "park", "pond", "tree", "flower", "path")
    return sum((region & mask(map, "park")).any() for region in found) == 2


def has_yards_behind_houses(map: TileMap) -> bool:
    """Return whether there is a yard, and no yard is open to a street, a park or the market."""
    yards = mask(map, "garden")
    return bool(yards.any()) and not (beside(yards) & mask(map, "street", "park", "plaza")).any()


@cache
def read_layouts() -> list[NDArray[np.uint8]]:
    """Return the cells of the hand-drawn rooms of the crypt."""
    params = tw.recipe("crypt").params
    assert isinstance(params, RoomsParams)
    return [layout.cells for layout in params.layouts]


def contains_layout(map: TileMap, number: int) -> bool:
    """Return whether a room of the crypt has the floors and walls of a drawing, in any orientation."""
    turns = [np.rot90(read_layouts()[number], turn) for turn in range(4)]
    for view in (*turns, *(turned[:, ::-1] for turned in turns)):
        spaces = np.lib.stride_tricks.sliding_window_view(map.passable, view.shape)
        floors, walls = spaces[..., view == DRAWN_FLOOR], spaces[..., view == DRAWN_WALL]
        if (floors.all(axis=-1) & ~walls.any(axis=-1)).any():
            return True
    return False


def is_exit_as_far_as_possible(map: TileMap) -> bool:
    (start,), (exit,) = ([(m.y, m.x) for m in map.markers if m.name == name] for name in ("start", "exit"))
    steps = steps_from(map.passable, np.array([start]))
    return bool(steps[exit] == steps[np.isfinite(steps)].max())


def has_two_kinds_of_beds(map: TileMap) -> bool:
    """Return whether there are two of mazes, flower beds, orchards and ponds.

    Only the hedges of a maze are not beside a walk between beds.
    """
    is_maze = (mask(map, "hedge") & ~grow(mask(map, "gravel"))).any()
    return int(is_maze) + sum(bool(mask(map, tile).any()) for tile in ("flower", "tree", "pond")) >= 2


def has_pale_shores(map: TileMap) -> bool:
    """Return whether most neighbors of the dark state are pale."""
    shores = beside(mask(map, "state1"))
    return bool(mask(map, "state0")[shores].mean() > 0.5)


def is_mainly(tile: str) -> Promise:
    return lambda map: int(np.bincount(map.cells.reshape(-1)).argmax()) == map.tileset.id(tile)


def has_plants_on_its_edges(map: TileMap) -> bool:
    plants = mask(map, "forest", "grass", "moss")
    return all(side.any() for side in (plants[0], plants[-1], plants[:, 0], plants[:, -1]))


def is_nearly_stable(map: TileMap) -> bool:
    """Return whether the rules of the description would change at most one cell in a hundred."""
    padded = np.pad(map.passable, 1).astype(int)
    around = sum(padded[y : y + map.height, x : x + map.width] for y in range(3) for x in range(3)) - map.passable
    changes = np.where(map.passable, around <= 2, around >= 5)
    return bool(changes.mean() <= 0.01)


def has_a_river_through_the_map(map: TileMap) -> bool:
    """Return whether the river leads from one edge of the map to another, and winds."""
    river = max(masks(map, "river", "bridge"), key=np.count_nonzero)
    edges = [bool(side.any()) for side in (river[0], river[-1], river[:, 0], river[:, -1])]
    return edges.count(True) >= 2 and not is_straight(river)


def is_straight(river: Mask) -> bool:
    """Return whether a river has the same columns in all its rows, or the same rows in all its columns."""
    return all(len(np.unique(lines[lines.any(axis=1)], axis=0)) == 1 for lines in (river, river.T))


def has_no_dead_ends_in_corridors(map: TileMap) -> bool:
    return not (count_exits(map)[mask(map, "corridor", "door")] == 1).any()


def has_two_locks_with_keys(map: TileMap) -> bool:
    """Return whether two colors have locks, which may have several doors each, and one key each."""
    locks = {marker.name.removeprefix("lock ") for marker in map.markers if marker.name.startswith("lock ")}
    keys = [marker.name.removeprefix("key ") for marker in map.markers if marker.name.startswith("key ")]
    return len(locks) == 2 and locks == {*keys} and len(keys) == 2


def are_doors_away_from_pools(map: TileMap) -> bool:
    doors = np.isin(map.cells, [tile for tile, name in enumerate(map.tileset.names) if name.endswith("door")])
    return bool(doors.any()) and not (beside(doors) & mask(map, "water")).any()


def are_short_pieces_removed_before_the_buildings(map: TileMap) -> bool:
    assert map.recipe is not None
    assert map.recipe.shaping[-1].shaper == "players"
    data = map.recipe.to_data()
    return not has_short_pieces(tw.run({**data, "shaping": data["shaping"][:-1]}))


PROMISES: dict[str, dict[str, Promise]] = {
    "archipelago": {
        "Islands in the sea": lambda map: regions_of(~mask(map, "deep", "sea", "shallow")).count >= 2,
        "shallow water, beaches, meadows, woods, mountains": has("shallow", "beach", "grass", "forest", "mountain"),
        "fishing villages": all_of(has("house"), near("house", ("sea", "shallow", "beach"), 6)),
        "one treasure": count("treasure", 1),
    },
    "city-blocks": {
        "between streets": lambda map: regions(map, "street").count >= 1,
        "rows of houses around green yards": all_of(has("door"), has_yards_behind_houses),
        "two parks": has_two_parks,
        "a market square with a fountain": all_of(has("market"), count("fountain", 1)),
        "Walls between houses": all_of(has("wall"), measures(regions=1)),
    },
    "crypt": {
        "at least two of hand-drawn chapels, tombs with an antechamber and ring-shaped ambulatories": (
            lambda map: sum(contains_layout(map, number) for number in range(3)) >= 2
        ),
        "The entrance and the exit": all_of(count_markers("start", 1), count_markers("exit", 1), are_all_reachable),
        "are as far apart as possible": is_exit_as_far_as_possible,
    },
    "crystal-cave": {
        "pools, moss, veins of ore and crystals": has("water", "moss", "ore", "crystal"),
        "bats and treasure": all_of(count_markers("bat", 6), count_markers("treasure", 4)),
        "between the start and the exit": all_of(count_markers("start", 1), count_markers("exit", 1)),
        "Pools never separate two parts of the cave": all_of(measures(regions=1), touch(("water",), ("floor", "moss"))),
    },
    "farm-village": {
        "houses with gardens": lambda map: mask(map, "door").sum() >= 12 and mask(map, "flowers").sum() >= 10,
        "wells": lambda map: mask(map, "well").sum() >= 2,
        "fenced fields": all_of(has("crops"), has_fences_around_fields, touch(("crops",), ("gate",))),
        "paths that lead to every door": lambda map: not (mask(map, "door") & ~beside(mask(map, "path"))).any(),
    },
    "flooded-cavern": {
        "Connected caves": measures(regions=1),
        "pools of water": all_of(holds("water", 3), touch(("water",), ("floor",))),
        "pillars of ore": all_of(has("ore"), touch(("ore",), ("floor", "water"))),
        "a closed border": is_closed,
    },
    "formal-garden": {
        "symmetric": is_symmetric,
        "at least two of hedge mazes, flower beds, orchards and ponds": has_two_kinds_of_beds,
        "between gravel walks": touch(("hedge",), ("gravel", "path")),
        "Gaps in the hedges are the entrances": all_of(has("path"), measures(regions=1)),
    },
    "frontier": {
        "all owners are replaced by two": lambda map: set() < owners(map) <= {"orange star", "blue moon"},
        "of fewer than four cells are removed": lambda map: not has_short_pieces(map),
    },
    "gold-mine": {
        "floors of brick with ladders and ropes": has("brick", "ladder", "rope"),
        "All gold can be collected": all_of(has("gold", "player"), measures(completable=1)),
    },
    "island-kingdom": {
        "an island in the sea": is_closed,
        "beaches, deserts, woods, hills and snowy mountains": all_of(
            has("sand", "forest", "hill", "mountain", "snow"), has_an_inland_desert
        ),
        "towns and dungeons": all_of(count_markers("town", 5), count_markers("dungeon", 3)),
        "can be reached from the start on foot": are_all_reachable,
    },
    "islets": {
        "Dark islets with a pale shore": all_of(holds("state1", 5), has_pale_shores),
        "green land and blue lakes": all_of(is_mainly("state2"), holds("state3", 2)),
        "six states": lambda map: len(np.unique(map.cells)) == 6,
    },
    "jungle-ruin": {
        "courts with columns and basins behind thick walls": has("column", "pond", "wall"),
        "an altar with treasure": all_of(count("altar", 1), near("treasure", ("altar",), 3), has("treasure")),
        "Plants grow from the edges": all_of(has("forest", "moss"), has_plants_on_its_edges),
        "through cracks, and break down the walls": has("rubble"),
    },
    "lake-cave": {
        "one large lake": has_one_large_lake,
        "beaches of sand and pebbles": has("sand", "pebbles"),
        "moss by the water": all_of(has("moss"), near("moss", ("water", "deep", "sand", "pebbles"), 8)),
        "mushrooms in remote corners": all_of(has("mushroom"), near("mushroom", ("rock", "cliff"), 1)),
    },
    "locked-dungeon": {
        "three locked doors": all_of(measures(doors_between=1), *(count(f"{color} door", 1) for color in COLORS)),
        "Earlier keys lead to each key, and all keys to the exit": measures(solvable=1),
    },
    "open-caves": {
        "caves": measures(regions=1),
        "for ten steps": is_nearly_stable,
    },
    "ore-mine": {
        "galleries with rails from side to side": spans(1, "rail", "cart"),
        "drifts that branch off and end in chambers": all_of(has("timber", "rubble"), measures(regions=1)),
        "The amount of each ore is limited": all_of(
            has("coal", "iron", "gold", "crystal"), count_at_most(coal=50, iron=30, gold=12, crystal=8)
        ),
    },
    "platformer": {
        "that can be finished": measures(completable=1),
        "ground with spikes in its gaps, platforms, ladders and coins": has(
            "turf", "spikes", "platform", "ladder", "coin"
        ),
    },
    "river-valley": {
        "a winding river": has_a_river_through_the_map,
        "a road with a bridge": has("road", "bridge"),
        "a village beside it": lambda map: mask(map, "house").sum() >= 5 and near("house", ("road", "bridge"), 8)(map),
        "fields, pastures and woods": has("field", "meadow", "forest"),
    },
    "roguelike-dungeon": {
        "grass and pools": all_of(has("grass", "water"), measures(regions=1)),
        "locked doors and their keys": all_of(
            measures(doors_between=1), has_two_locks_with_keys, are_doors_away_from_pools
        ),
        "treasure, potions and monsters": all_of(
            count_markers("treasure", 4), count_markers("potion", 2), count_markers("monster", 6)
        ),
        "The keys can be collected in some order": measures(solvable=1, completable=1),
        "the exit is behind the last locked door": lambda map: tw.measure(map, "keys_needed")["keys_needed"] >= 1,
    },
    "skirmish": {
        "two-player map": measures(player_count=2),
        "a half turn": lambda map: tw.measure(map, "symmetry_turn")["symmetry_turn"] == 1,
        "a headquarters, bases and cities": lambda map: (
            len(masks(map, "orange star headquarters")) == len(masks(map, "blue moon headquarters")) == 1
            and mask(map, "orange star base").sum() == mask(map, "blue moon base").sum() >= 1
        ),
        "cities that infantry can reach": all_of(has("orange star city"), measures(capturable_reach=1)),
        "before buildings are placed": are_short_pieces_removed_before_the_buildings,
    },
    "stone-labyrinth": {
        "stone passages with grass": all_of(has("grass"), measures(regions=1)),
        "treasure in dead ends": all_of(count_markers("treasure", 5), has_treasure_in_dead_ends),
        "monsters on the way": count_markers("monster", 5),
    },
    "swamp": {
        "pools with lilies, mud with dead trees, reeds and wet woods": has("lily", "mud", "dead tree", "reed", "tree"),
        "all paths are connected": measures(regions=1),
    },
    "treasure-dungeon": {
        "halls, pools, grottoes and ruined chambers": has("column", "pond", "moss", "rubble"),
        "behind doors": measures(doors_between=1),
        "three rooms have a treasure and its guards": all_of(
            has_treasure_in_three_rooms,
            # Two rooms are at least three cells apart.
            near("treasure", ("monster",), 2),
        ),
        "Dead-end tunnels are filled": has_no_dead_ends_in_corridors,
    },
    "warehouse": {
        "push all crates onto the targets": all_of(count("crate", 4), count("target", 4), count_markers("start", 1)),
        "with walls inside": lambda map: bool(mask(map, "wall")[1:-1, 1:-1].any()),
        "a wanted number of pushes": measures(pushes=18),
        "each puzzle can be solved": measures(completable=1),
    },
}
"""Conditions by recipe and phrase of its description."""


@cache
def make_maps(name: str) -> list[TileMap]:
    return [tw.run(name, seed=seed) for seed in range(SEEDS)]


def test_every_recipe_has_promises_from_its_description() -> None:
    assert set(PROMISES) == set(data.list_names("recipes"))
    for name, promises in PROMISES.items():
        description = read_head_comment(data.read_text("recipes", name))
        for phrase in promises:
            assert phrase in description


@pytest.mark.parametrize(("name", "phrase"), [(name, phrase) for name in PROMISES for phrase in PROMISES[name]])
def test_maps_keep_the_promise(name: str, phrase: str) -> None:
    broken = [seed for seed, map in enumerate(make_maps(name)) if not PROMISES[name][phrase](map)]
    assert not broken


def test_water_of_the_roguelike_dungeon_is_not_only_at_the_border() -> None:
    inner = total = 0
    for map in make_maps("roguelike-dungeon"):
        water = mask(map, "water")
        total += int(water.sum())
        inner += int(water[6:-6, 6:-6].sum())
    assert total - inner < 0.7 * total


def test_four_locks_in_a_dungeon_with_loops() -> None:
    for seed in range(SEEDS):
        map = tw.run(tw.recipe("locked-dungeon", knobs={"keys": 4, "loops": 0.3}), seed=seed)
        assert tw.measure(map, "solvable", "keys_needed", "doors_between") == {
            "solvable": 1,
            "keys_needed": 4,
            "doors_between": 1,
        }
