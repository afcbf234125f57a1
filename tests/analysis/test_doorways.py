"""Where passages are, and where they meet rooms."""

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


def drawn(*rows: str, rooms: tuple[Room, ...] = ()) -> TileMap:
    return TileMap([[int(glyph == "#") for glyph in row] for row in rows], TILES, rooms=rooms)


def places(mask: NDArray[np.bool_]) -> list[list[int]]:
    found: list[list[int]] = np.argwhere(mask).tolist()
    return found


@given(arrays(np.bool_, array_shapes(min_dims=2, max_dims=2, max_side=7)))
def test_a_passage_has_walls_on_two_sides_and_ways_on_the_others(mask: NDArray[np.bool_]) -> None:
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
    assert places(doorways(drawn(*HALL))) == [[2, 3]]
    assert places(doorways(drawn(*HALL), min_cells=9)) == [[2, 3]]
    assert places(doorways(drawn(*HALL), min_cells=10)) == []
    corridor = ("######", "#..#.#", "#....#", "######")
    assert places(doorways(drawn(*corridor))) == [[2, 3]]


def test_rooms_of_the_map_come_first() -> None:
    small = Room(1, 1, 2, 3)
    assert places(doorways(drawn(*HALL, rooms=(small,)), min_cells=6)) == [[2, 3]]
    assert places(doorways(drawn(*HALL, rooms=(small,)), min_cells=7)) == []
    assert places(doorways(drawn(*HALL, rooms=(small,)), of="openings", min_cells=7)) == [[2, 3]]
    walled = Room(0, 0, 4, 5)
    assert places(doorways(drawn(*HALL, rooms=(walled,)))) == [[2, 3]], "a room may be given with its walls"
    closet = ("#####", "#...#", "##.##", "##.##", "#####")
    assert places(doorways(drawn(*closet, rooms=(Room(1, 1, 3, 1),)))) == [[2, 2]]


@given(some.integers(1, 3), some.integers(1, 3))
def test_the_smallest_maps(height: int, width: int) -> None:
    empty = TileMap(np.zeros((height, width), dtype=int), TILES)
    assert not doorways(empty).any()
