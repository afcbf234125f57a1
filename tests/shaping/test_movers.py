"""Crop, flip and rotate: the shapers that only move cells."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright.core.tilemap import Marker, Room, TileMap

BASE = tw.make("caves", width=9, height=5, walls=0.5, steps=1, seed=2)


@pytest.mark.parametrize(
    ("shaper", "params", "wanted"),
    [
        ("crop", {}, BASE.cells),
        ("crop", {"x": 2, "y": 1}, BASE.cells[1:, 2:]),
        ("crop", {"x": 2, "y": 1, "width": 3, "height": 2}, BASE.cells[1:3, 2:5]),
        ("crop", {"margin": 2}, BASE.cells[2:-2, 2:-2]),
        ("flip", {}, BASE.cells[:, ::-1]),
        ("flip", {"axis": "vertical"}, BASE.cells[::-1]),
        ("rotate", {}, np.rot90(BASE.cells, -1)),
        ("rotate", {"turns": 2}, BASE.cells[::-1, ::-1]),
        ("rotate", {"turns": 3}, np.rot90(BASE.cells)),
    ],
)
def test_cells_move(shaper: str, params: dict[str, Any], wanted: Any) -> None:
    assert np.array_equal(tw.shape(BASE, shaper, **params).cells, wanted)


def test_levels_move_alike() -> None:
    levels = TileMap(np.stack([BASE.cells, BASE.cells[::-1]]), BASE.tileset)
    for shaper in ("crop", "flip", "rotate"):
        params = {"margin": 1} if shaper == "crop" else {}
        wanted = [tw.shape(TileMap(level, BASE.tileset), shaper, **params).cells for level in levels.cells]
        assert np.array_equal(tw.shape(levels, shaper, **params).cells, np.stack(wanted))


def test_four_quarter_turns_and_two_flips_are_none() -> None:
    marked = BASE.replaced(markers=[Marker("start", 3, 1)], rooms=[Room(1, 1, 3, 2)], recipe=None)
    turned = marked
    for _ in range(4):
        turned = tw.shape(turned, "rotate")
    assert turned == marked
    assert tw.shape(tw.shape(marked, "flip"), "flip") == marked


def test_what_is_known_moves_along() -> None:
    marked = BASE.replaced(markers=[Marker("start", 3, 1)], rooms=[Room(1, 1, 3, 2)], recipe=None)
    flipped = tw.shape(marked, "flip")
    assert flipped.markers == (Marker("start", 5, 1),)
    assert flipped.rooms == (Room(5, 1, 3, 2),)
    assert tw.shape(marked, "crop", x=4).markers == ()


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"x": 9}, "crop: columns 9..8 and rows 0..4 cannot be cut out of a map of 9x5"),
        ({"x": 4, "width": 6}, "crop: columns 4..9 and rows 0..4 cannot be cut out of a map of 9x5"),
        ({"margin": 3}, "crop: a margin of 3 cannot be cut out of a map of 9x5"),
        ({"margin": 1, "x": 1}, "crop: margin: give either a margin or a rectangle"),
        ({"x": -1}, "crop: x: must be at least 0, got -1"),
    ],
)
def test_what_cannot_be_cut_out(params: dict[str, Any], message: str) -> None:
    with pytest.raises(tw.InvalidRecipe, match=message):
        tw.shape(BASE, "crop", **params)
