"""The built-in samples: complete drawings in which all tiles follow their rules."""

from __future__ import annotations

import tomllib
from collections import Counter
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import tilewright as tw
from tilewright import data
from tilewright.core.grid import FREE, Grid
from tilewright.formats._textures import TEXTURES

WRAPPING = ("bricks", "pavement", "weave")
ALL = data.list_names("samples")
every_sample = pytest.mark.parametrize("name", ALL)
SIDES = {"right": (0, 1), "below": (1, 0), "left": (0, -1), "above": (-1, 0)}
RIGHT, BELOW, LEFT, ABOVE = AROUND = tuple(SIDES.values())
NEIGHBORS = tomllib.loads(Path(__file__).with_name("neighbors.toml").read_text("utf-8"))
OPEN = {glyph: [SIDES[side] for side in sides] for glyph, sides in NEIGHBORS["open"].items()}
"""Sides at which a wire or a pin of the circuit continues."""


def sample(name: str) -> tw.TileMap:
    grid = Grid.of(name)
    assert grid.tileset is not None
    return tw.TileMap(grid.to_tile_ids(grid.tileset), grid.tileset)


def glyphs(name: str) -> NDArray[np.str_]:
    map = sample(name)
    return np.array([tile.glyph for tile in map.tileset])[map.cells]


def beside(drawing: NDArray[np.str_], side: tuple[int, int], *, wrap: bool) -> NDArray[np.str_]:
    """Return the neighbor of every cell on one side; empty beyond the edge, unless it wraps."""
    around = np.pad(drawing, 1, mode="wrap") if wrap else np.pad(drawing, 1, constant_values="")
    height, width = drawing.shape
    return around[1 + side[0] :, 1 + side[1] :][:height, :width]


def test_there_are_samples_of_every_kind() -> None:
    assert {"dungeon", "platforms", "overworld", "circuit", "garden", "village", *WRAPPING} <= set(ALL)


def test_every_drawing_has_its_tileset_and_every_tileset_its_drawing() -> None:
    found = {entry.name for entry in (files(data) / "samples").iterdir()}
    assert found - set(data.list_collections()) == {f"{name}.{ending}" for name in ALL for ending in ("txt", "toml")}


@every_sample
def test_tileset_and_drawing_have_the_same_glyphs(name: str) -> None:
    map = sample(name)
    assert map.tileset.name == name
    assert set(data.read_text("samples", name)) - {"\n"} == set(map.tileset.by_glyph)
    assert len(set(map.tileset.names)) == len({tile.color for tile in map.tileset}) == len(map.tileset)


@every_sample
def test_kinds_have_sprites(name: str) -> None:
    assert {tile.kind for tile in sample(name).tileset} <= {"", *TEXTURES}


@every_sample
def test_the_drawing_is_complete(name: str) -> None:
    text = data.read_text("samples", name)
    grid = Grid.of(text)
    assert (grid.cells != FREE).all()
    assert str(sample(name)) == text.rstrip("\n")
    assert not any(line != line.strip() for line in text.split("\n"))  # editors remove spaces at the ends
    assert grid.cells.ndim == (3 if name == "keep" else 2)


@every_sample
def test_no_tile_is_rare(name: str) -> None:
    counts = Counter(sample(name).cells.ravel().tolist())
    assert min(counts.values()) >= 3


def test_all_samples_differ() -> None:
    drawings = [Grid.of(sample(name)) for name in ALL]
    assert len(set(drawings)) == len(ALL)
    assert len({sample(name).tileset.digest for name in ALL}) == len(ALL)


@pytest.mark.parametrize("name", NEIGHBORS["allowed"])
def test_objects_of_several_tiles_are_complete(name: str) -> None:
    drawing, wrap = glyphs(name), name in WRAPPING
    for glyph, sides in NEIGHBORS["allowed"][name].items():
        for side, allowed in sides.items():
            found = set(beside(drawing, SIDES[side], wrap=wrap)[drawing == glyph].tolist()) - {""}
            assert found <= set(allowed), (glyph, side)


@pytest.mark.parametrize("name", WRAPPING)
def test_small_samples_continue_across_their_edges(name: str) -> None:
    # Objects cross both seams, and the test above checks that they are complete there.
    drawing = glyphs(name)
    assert max(drawing.shape) <= 8
    across = {"bricks": {"##", "%%", "-#", "-%", "-|"}, "pavement": {"ab", "ac", "<>", "^v"}, "weave": {"--", "||"}}
    for first, last in ((drawing[0], drawing[-1]), (drawing[:, 0], drawing[:, -1])):
        assert {f"{one}{other}" for one, other in zip(last, first, strict=True)} & across[name]


def test_strands_of_the_weave_alternate_over_and_under() -> None:
    # Every second row and column is a strand; at a crossing, the upper one is visible.
    crossings = glyphs("weave")[::2, ::2]
    assert (crossings != np.roll(crossings, 1, axis=0)).all()
    assert (crossings != np.roll(crossings, 1, axis=1)).all()


def test_no_wire_of_the_circuit_is_unconnected_or_touches_another() -> None:
    drawing = glyphs("circuit")
    for side in AROUND:
        back = (-side[0], -side[1])
        for glyph, other in zip(drawing.flat, beside(drawing, side, wrap=False).flat, strict=True):
            if side in OPEN.get(glyph, ()):
                assert other == "o" or back in OPEN.get(other, ()), (glyph, side, other)
            elif glyph in "─│┌┐└┘":
                assert other not in "─│┌┐└┘┼o", (glyph, side, other)


def test_every_pad_of_the_circuit_has_one_wire() -> None:
    drawing = glyphs("circuit")
    for row, column in np.argwhere(drawing == "o").tolist():
        joined = [(-down, -right) in OPEN.get(drawing[row + down, column + right], ()) for down, right in AROUND]
        assert sum(joined) == 1, (row, column)


def test_doors_of_the_dungeon_are_in_walls() -> None:
    drawing = glyphs("dungeon")
    walls = {side: beside(drawing, side, wrap=False) == "#" for side in AROUND}
    upright, level = walls[ABOVE] & walls[BELOW], walls[LEFT] & walls[RIGHT]
    assert (upright ^ level)[drawing == "+"].all()


def test_the_garden_is_symmetric() -> None:
    drawing = glyphs("garden")
    assert (drawing == drawing[::-1]).all()
    assert (drawing == drawing[:, ::-1]).all()


def test_stairs_and_pillars_of_the_keep_are_above_each_other() -> None:
    drawing = glyphs("keep")
    up, down, pillar = drawing == ">", drawing == "<", drawing == "I"
    assert (up[:-1] == down[1:]).all()
    assert not up[-1].any()
    assert not down[0].any()
    assert (pillar[:-1] >= pillar[1:]).all()


@pytest.mark.parametrize("name", ["caverns", "dungeon", "garden", "overworld", "ruins", "village"])
def test_the_sample_is_connected(name: str) -> None:
    assert tw.measure(sample(name), "regions")["regions"] == 1
