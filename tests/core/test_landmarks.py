"""Edits of markers and rooms by hand: merged, applied to any map, and stored as plain data."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tests.cases import read_table
from tilewright.core.errors import TilewrightError
from tilewright.core.landmarks import MAX_LANDMARK_EDITS, Change, LandmarkEdits
from tilewright.core.tilesets import tilesets

TILES = tw.Tileset.from_labels([".", "#"])
START, GOBLIN, OTHER = tw.Marker("start", 1, 1), tw.Marker("goblin", 2, 2), tw.Marker("goblin", 5, 3)
HALL, CELLAR, ATTIC = tw.Room(0, 0, 3, 3), tw.Room(4, 0, 3, 3), tw.Room(4, 4, 2, 2)
MAP = tw.TileMap(
    np.zeros((8, 8), dtype=np.uint8),
    TILES,
    markers=[START, GOBLIN, OTHER],
    rooms=[HALL, CELLAR, ATTIC],
    links=[(0, 1), (1, 2)],
)


def edit(map: tw.TileMap, *changes: tuple[Any, Any]) -> LandmarkEdits:
    """Apply changes of markers and rooms one after the other, as a user does."""
    edits = LandmarkEdits()
    for before, after in changes:
        is_room = isinstance(before or after, tw.Room)
        change = (Change(before, after),)
        edits = edits.merge(LandmarkEdits(rooms=change) if is_room else LandmarkEdits(change), edits.apply(map))
    return edits


def test_markers_are_added_moved_renamed_and_removed() -> None:
    orc = tw.Marker("orc", 5, 3, properties={"health": 12})
    edits = edit(MAP, (None, tw.Marker("exit", 7, 7)), (START, tw.Marker("start", 6, 6)), (OTHER, orc), (GOBLIN, None))
    edited = edits.apply(MAP)
    assert edited.markers == (tw.Marker("start", 6, 6), orc, tw.Marker("exit", 7, 7))
    assert (edited.rooms, edited.links) == (MAP.rooms, MAP.links)
    assert edited.recipe is MAP.recipe
    assert edits.apply(MAP.replace(markers=())).markers == (tw.Marker("exit", 7, 7), tw.Marker("start", 6, 6), orc)


def test_several_changes_of_a_marker_are_one() -> None:
    moved = [tw.Marker("start", x, 4) for x in range(4)]
    edits = edit(MAP, (START, moved[0]), *pairwise(moved))
    assert edits.markers == (Change(START, moved[-1], passable=True),)
    assert not edit(MAP, (START, moved[0]), (moved[0], START))
    assert not edit(MAP, (None, moved[0]), (moved[0], None))


def test_markers_of_another_map_are_matched_by_name() -> None:
    """A new seed places markers elsewhere: moved ones stay, and one goblin less is there."""
    edits = edit(MAP, (START, tw.Marker("start", 6, 6)), (GOBLIN, None))
    other = MAP.replace(markers=[tw.Marker("goblin", 7, 1), tw.Marker("start", 0, 5), tw.Marker("goblin", 3, 3)])
    assert edits.apply(other).markers == (tw.Marker("start", 6, 6), tw.Marker("goblin", 3, 3))
    # A goblin in the cell of the removed one is preferred.
    other = MAP.replace(markers=[tw.Marker("goblin", 7, 1), GOBLIN])
    assert edits.apply(other).markers == (tw.Marker("goblin", 7, 1), tw.Marker("start", 6, 6))


def test_a_marker_moves_to_the_nearest_cell_that_is_as_passable_as_that_where_it_was_placed() -> None:
    chest, torch = tw.Marker("chest", 2, 5), tw.Marker("torch", 6, 2)
    cave = tilesets.get("cave")
    floor, walls = np.full((8, 8), cave.id("floor")), np.full((8, 8), cave.id("wall"))
    floor[2, 6] = cave.id("wall")
    edits = edit(tw.TileMap(floor, cave), (None, chest), (None, torch))
    assert LandmarkEdits.from_data(edits.to_data()) == edits, "links keep it"
    walls[[0, 7, 4], [2, 5, 2]] = cave.id("floor")
    other = tw.TileMap(walls, cave)
    settled = tw.Marker("chest", 2, 4)
    assert edits.apply(other).markers == (settled, torch), "the torch was placed on a wall"
    # The chest is edited where it is shown, and is still one chest.
    moved = tw.Marker("chest", 5, 7)
    again = edits.merge(LandmarkEdits((Change(settled, moved),)), edits.apply(other))
    assert again.apply(other).markers == (moved, torch)
    assert not edits.merge(LandmarkEdits((Change(settled, None),)), edits.apply(other)).apply(other).markers[1:]
    nowhere = tw.TileMap(np.full((8, 8), cave.id("wall")), cave)
    assert edits.apply(nowhere).markers == (chest, torch), "there is no passable cell"


def test_rooms_keep_their_links() -> None:
    moved, added = tw.Room(5, 1, 2, 2), tw.Room(0, 5, 3, 2)
    edited = edit(MAP, (CELLAR, moved), (None, added)).apply(MAP)
    assert edited.rooms == (HALL, moved, ATTIC, added)
    assert edited.links == MAP.links
    assert edited.markers == MAP.markers
    kitchen = tw.Room(4, 0, 3, 3, "kitchen")
    assert edit(MAP, (CELLAR, kitchen)).apply(MAP).rooms == (HALL, kitchen, ATTIC)
    removed = edit(MAP, (HALL, None), (None, added)).apply(MAP)
    assert removed.rooms == (CELLAR, ATTIC, added)
    assert removed.links == ((0, 1),)
    # A map of another seed has other rooms. Only the added one stays.
    other = MAP.replace(rooms=[tw.Room(1, 1, 2, 2)], links=())
    assert edit(MAP, (CELLAR, moved), (None, added)).apply(other).rooms == (tw.Room(1, 1, 2, 2), added)


def test_what_is_outside_a_smaller_map_is_left_out() -> None:
    edits = edit(MAP, (None, tw.Marker("exit", 7, 7)), (None, tw.Room(5, 5, 3, 3)), (START, tw.Marker("start", 6, 6)))
    small = tw.TileMap(np.zeros((4, 4), dtype=np.uint8), TILES, markers=[START])
    assert edits.apply(small) == small.replace(markers=())
    deep = tw.TileMap(np.zeros((2, 8, 8), dtype=np.uint8), TILES)
    assert edit(deep, (None, tw.Marker("exit", 1, 1, 1))).apply(MAP).markers == MAP.markers


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ((None, tw.Marker("exit", 8, 0)), "outside"),
        ((None, tw.Marker("exit", 0, -1)), "outside"),
        ((None, tw.Marker("exit", 0, 0, 1)), "outside"),
        ((tw.Marker("start", 3, 3), None), "no such marker"),
        ((None, tw.Room(6, 6, 3, 1)), "outside"),
        ((tw.Room(6, 6, 1, 1), None), "no such room"),
    ],
)
def test_changes_that_do_not_fit_the_map_are_refused(change: tuple[Any, Any], line: str) -> None:
    with pytest.raises(TilewrightError, match=line):
        edit(MAP, change)


def test_edits_are_plain_data() -> None:
    exit, kitchen = tw.Marker("exit", 7, 7, properties={"open": False}), tw.Room(5, 1, 2, 2, "kitchen")
    edits = edit(MAP, (None, exit), (GOBLIN, None), (CELLAR, kitchen))
    assert LandmarkEdits.from_data(edits.to_data()) == edits
    assert LandmarkEdits.from_data({}) == LandmarkEdits()
    assert LandmarkEdits().to_data() == {}


@pytest.mark.parametrize(
    "data",
    [
        *read_table(__file__, "hostile data is refused"),
        {"markers": [[None, ["x" * 101, 1, 1]]]},
        {"markers": [[None, ["exit", 1, 1, 0, {"a": 1 << 80}]]]},
        {"markers": [[None, ["exit", 1, 1]]] * (MAX_LANDMARK_EDITS + 1)},
        {"rooms": [[None, [0, 0, 1, 1, "x" * 101]]]},
    ],
)
def test_hostile_data_is_refused(data: Any) -> None:
    with pytest.raises(TilewrightError):
        LandmarkEdits.from_data(data)


@pytest.mark.parametrize("ending", ["json", "npz", "png", "tmx", "tmj", "ldtk"])
def test_files_keep_the_names_of_rooms(ending: str, tmp_path: Path) -> None:
    rooms = [replace(HALL, name="great hall"), CELLAR, replace(ATTIC, name="room 0")]
    named = tw.make("caves", width=8, height=8, seed=3).replace(rooms=rooms, links=[(0, 1), (1, 2)])
    named.save(tmp_path / f"map.{ending}")
    found = tw.load(tmp_path / f"map.{ending}")
    assert (found.rooms, found.links) == (named.rooms, named.links)
    assert tw.shape(named, "flip").rooms[0].name == "great hall"
