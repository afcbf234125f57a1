"""Field of view: symmetric, complete in empty rooms, limited by the radius."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray

import tilewright as tw
from tests.refusals import refused
from tests.tilesets import make_tileset
from tilewright.analysis.fov import field_of_view
from tilewright.core.tilemap import Marker, TileMap
from tilewright.core.tileset import Tileset

masks = arrays(np.bool_, array_shapes(min_dims=2, max_dims=2, max_side=10), elements=some.sampled_from([1, 1, 1, 0]))


@given(masks, some.none() | some.integers(0, 9))
def test_visibility_is_symmetric(clear: NDArray[np.bool_], radius: int | None) -> None:
    cells = [tuple(cell) for cell in np.argwhere(clear).tolist()]
    seen = {cell: field_of_view(clear, cell, radius=radius) for cell in cells}
    for one in cells:
        assert seen[one][one]
        for other in cells:
            assert seen[one][other] == seen[other][one]


@given(masks)
def test_neighbors_and_straight_lines_are_visible(clear: NDArray[np.bool_]) -> None:
    for row, column in np.argwhere(clear).tolist():
        seen = field_of_view(clear, (row, column))
        assert seen[max(row - 1, 0) : row + 2, max(column - 1, 0) : column + 2].all()
        for line, mark in ((clear[row, column:], seen[row, column:]), (clear[row:, column], seen[row:, column])):
            blocked = int(np.argmin(line)) if not line.all() else len(line) - 1
            assert mark[: blocked + 1].all()
            assert not mark[blocked + 1 :].any() or line[: blocked + 1].all()


def test_empty_room_is_visible_with_its_walls() -> None:
    room = np.zeros((9, 14), dtype=np.bool_)
    room[1:-1, 1:-1] = True
    for cell in np.argwhere(room).tolist():
        assert field_of_view(room, cell).all()


def test_the_radius_makes_a_circle() -> None:
    seen = field_of_view(np.ones((9, 9), dtype=bool), (4, 4), radius=3)
    y, x = np.indices(seen.shape) - 4
    assert np.array_equal(seen, x * x + y * y <= 12)
    assert field_of_view(np.ones((9, 9), dtype=bool), (4, 4), radius=0).sum() == 1
    assert field_of_view(np.ones((9, 9), dtype=bool), (4, 4), radius=10**30).all()


TILES = make_tileset("floor .; wall # solid; water ~ solid kind=water; door + opaque; glass | solid clear")


def look(row: str, column: int) -> str:
    """Return a row of glyphs with a blank for each cell that is not visible from a column."""
    map = TileMap([[TILES.by_glyph[glyph] for glyph in row]], TILES)
    seen = field_of_view(map, (0, column))
    return "".join(glyph if visible else " " for glyph, visible in zip(row, seen[0].tolist(), strict=True))


@pytest.mark.parametrize(
    ("row", "column", "visible"),
    [
        (".~~.#.", 0, ".~~.# "),
        (".|.+.", 0, ".|.+ "),
        ("..+..#.", 2, "..+..# "),
        ("..+.+.", 2, "..+.+ "),
        ("#~.", 1, "#~."),
    ],
)
def test_tiles_block_sight_as_the_tileset_says(row: str, column: int, visible: str) -> None:
    assert look(row, column) == visible


@given(arrays(np.int64, array_shapes(min_dims=2, max_dims=2, max_side=8), elements=some.integers(0, 4)))
def test_transparent_cells_see_each_other_and_doorways_see_out(cells: NDArray[np.int64]) -> None:
    map = TileMap(cells, TILES)
    clear = ~TILES.blocks_sight[cells]
    seen = {tuple(cell): field_of_view(map, cell) for cell in np.argwhere(clear | map.passable).tolist()}
    for one, mask in seen.items():
        # A doorway is as visible to others as a wall, and sees as much as an open cell in its place.
        opened = clear.copy()
        opened[one] = True
        assert np.array_equal(mask, field_of_view(opened, one))
        for other in seen:
            assert not (clear[one] and clear[other]) or mask[other] == seen[other][one]


def test_built_in_tilesets_declare_what_blocks_sight() -> None:
    blocking = {
        tileset.name: {tile.name for tile in tileset if tile.is_opaque == tile.passable}
        for tileset in tw.list_tilesets()
    }
    doors = {f"{color} door" for color in ("red", "blue", "yellow", "green", "purple", "orange", "cyan", "white")}
    assert blocking["dungeon"] == {"door", *doors, "water"}
    assert blocking["cave"] == {"water", "chasm"}
    assert blocking["terrain"] == {"deep", "water"}
    assert {name.split()[0] for name in blocking["countryside"]} == {"river"}
    assert blocking["awbw"] == {"sea", "reef"}
    assert blocking["fashion"] == set()
    low = {"chasm", "pit", "lily", "window", "fence", "cart", "altar"}
    wet = {"water", "deep", "sea", "lake", "river", "pond", "fountain", "lava", "swamp"}
    assert blocking["palette"] == {"door", "gate", *low, *wet}


def test_a_tile_that_is_neither_passable_nor_transparent_hides_what_is_behind_it() -> None:
    tiles = [{"name": "floor"}, {"name": "wall", "passable": False}, {"name": "ice", "passable": False}]
    level = TileMap(
        [[0, 2, 0, 1, 0]], Tileset.validate({"name": "some", "tiles": tiles}), markers=[Marker("lamp", 0, 0)]
    )
    assert field_of_view(level, "lamp").tolist() == [[True, True, False, False, False]]


@pytest.mark.parametrize(
    ("map", "options", "message"),
    [
        (np.ones((2, 2, 2), bool), {}, "map: must have one level, got 2"),
        (np.zeros((2, 2), bool), {}, "viewer: must not be in a wall, got (0, 0)"),
        (
            np.ones((2, 2), bool),
            {"viewer": (0, 2)},
            "viewer: (0, 2) is outside the map of 2 rows and 2 columns; the row comes first",
        ),
        (np.ones((2, 2), bool), {"radius": -1}, "radius: must be an integer of at least 0, got -1"),
        (np.ones((2, 2), bool), {"radius": 1.5}, "radius: must be an integer of at least 0, got 1.5"),
    ],
)
def test_invalid_arguments(map: NDArray[np.bool_], options: dict[str, object], message: str) -> None:
    with refused(message, tw.InvalidRecipe, exact=True):
        field_of_view(map, **{"viewer": (0, 0), **options})  # type: ignore[arg-type]
