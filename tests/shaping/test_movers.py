"""Crop, flip and rotate: the shapers that only move cells."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tests.cases import read_table
from tilewright.core.tilemap import Marker, Room, TileMap
from tilewright.core.tilesets import tilesets

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


def test_levels_move_equally() -> None:
    levels = TileMap(np.stack([BASE.cells, BASE.cells[::-1]]), BASE.tileset)
    for shaper in ("crop", "flip", "rotate"):
        params: dict[str, Any] = {"margin": 1} if shaper == "crop" else {}
        wanted = [tw.shape(TileMap(level, BASE.tileset), shaper, **params).cells for level in levels.cells]
        assert np.array_equal(tw.shape(levels, shaper, **params).cells, np.stack(wanted))


def test_four_quarter_turns_and_two_flips_change_nothing() -> None:
    marked = BASE.replace(markers=[Marker("start", 3, 1)], rooms=[Room(1, 1, 3, 2)], recipe=None)
    turned = marked
    for _ in range(4):
        turned = tw.shape(turned, "rotate")
    assert turned == marked
    assert tw.shape(tw.shape(marked, "flip"), "flip") == marked


def test_rooms_and_markers_move_with_the_cells() -> None:
    marked = BASE.replace(markers=[Marker("start", 3, 1)], rooms=[Room(1, 1, 3, 2)], recipe=None)
    flipped = tw.shape(marked, "flip")
    assert flipped.markers == (Marker("start", 5, 1),)
    assert flipped.rooms == (Room(5, 1, 3, 2),)
    assert tw.shape(marked, "crop", x=4).markers == ()


AWBW = tilesets.get("awbw")


@pytest.mark.parametrize(("shaper", "params", "wanted"), read_table(__file__, "pieces turn with the map"))
def test_pieces_turn_with_the_map(shaper: str, params: dict[str, Any], wanted: list[list[str]]) -> None:
    before = [["road es", "plain"], ["shoal n", "pipe end e"]]
    base = TileMap([[AWBW.id(name) for name in row] for row in before], AWBW)
    after = tw.shape(base, shaper, **params)
    assert [[AWBW[int(one)].name for one in row] for row in after.cells] == wanted


def test_locked_pieces_turn_with_the_map() -> None:
    locks = [["road es", "?", "?"], ["?", "?", "shoal n"]]
    stages: list[dict[str, Any]] = [{"rotate": {}}, {"flip": {}}, {"mirror": {"axis": "vertical"}}]
    recipe = {"technique": "markov", "params": {"width": 3, "height": 2}, "tileset": "awbw", "locks": locks, "seed": 3}
    turned = tw.run({**recipe, "shaping": stages[:2]})
    assert [AWBW[int(turned.cells[at])].name for at in ((0, 0), (2, 1))] == ["road es", "shoal w"]
    after = tw.shape(turned, "mirror", axis="vertical")
    assert after == tw.run({**recipe, "shaping": stages})
    assert AWBW[int(after.cells[2, 0])].name == "road ne"
    assert AWBW[int(after.cells[0, 1])].name == "shoal w"
