"""Passages, and doorways between passages and rooms."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as some
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray

from tilewright.analysis.doorways import doorways, passages
from tilewright.core.tilemap import Room, TileMap
from tilewright.core.tileset import Tileset

TILES = Tileset.validate({"name": "two", "tiles": [{"name": "."}, {"name": "#", "passable": False}]})
HALL = (
    "#########",
    "#..#...##",
    "#.......#",
    "#..#...##",
    "#########",
)


def parse_map(*rows: str, rooms: tuple[Room, ...] = ()) -> TileMap:
    return TileMap([[int(glyph == "#") for glyph in row] for row in rows], TILES, rooms=rooms)


def list_cells(mask: NDArray[np.bool_]) -> list[list[int]]:
    found: list[list[int]] = np.argwhere(mask).tolist()
    return found


@given(arrays(np.bool_, array_shapes(min_dims=2, max_dims=2, max_side=7)))
def test_passage_has_walls_on_two_sides_and_is_open_on_the_others(mask: NDArray[np.bool_]) -> None:
    found = passages(mask)
    for row in range(mask.shape[0]):
        for column in range(mask.shape[1]):
            inner = 0 < row < mask.shape[0] - 1 and 0 < column < mask.shape[1] - 1
            fits = False
            if inner and mask[row, column]:
                upright = (mask[row - 1, column], mask[row + 1, column])
                level = (mask[row, column - 1], mask[row, column + 1])
                fits = (all(upright) and not any(level)) or (all(level) and not any(upright))
            assert found[row, column] == fits


def test_openings_are_blocks_of_two_by_two() -> None:
    assert list_cells(doorways(parse_map(*HALL))) == [[2, 3]]
    assert list_cells(doorways(parse_map(*HALL), min_cells=9)) == [[2, 3]]
    assert list_cells(doorways(parse_map(*HALL), min_cells=10)) == []
    corridor = ("######", "#..#.#", "#....#", "######")
    assert list_cells(doorways(parse_map(*corridor))) == [[2, 3]]


def test_rooms_of_the_map_take_precedence() -> None:
    small = Room(1, 1, 2, 3)
    assert list_cells(doorways(parse_map(*HALL, rooms=(small,)), min_cells=6)) == [[2, 3]]
    assert list_cells(doorways(parse_map(*HALL, rooms=(small,)), min_cells=7)) == []
    assert list_cells(doorways(parse_map(*HALL, rooms=(small,)), of="openings", min_cells=7)) == [[2, 3]]
    walled = Room(0, 0, 4, 5)
    assert list_cells(doorways(parse_map(*HALL, rooms=(walled,)))) == [[2, 3]], "a room may include its walls"
    closet = ("#####", "#...#", "##.##", "##.##", "#####")
    assert list_cells(doorways(parse_map(*closet, rooms=(Room(1, 1, 3, 1),)))) == [[2, 2]]


@given(some.integers(1, 3), some.integers(1, 3))
def test_the_smallest_maps(height: int, width: int) -> None:
    empty = TileMap(np.zeros((height, width), dtype=int), TILES)
    assert not doorways(empty).any()
