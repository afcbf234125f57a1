"""Textures of pieces, coasts and buildings: they join and depend on their surroundings."""

from __future__ import annotations

import io

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

import tilewright as tw
from tests.formats.maps import draw_sprites, read_map
from tilewright import formats
from tilewright.core.pieces import SIDES
from tilewright.core.tileset import Tile
from tilewright.core.tilesets import tilesets
from tilewright.formats._layers import sprite_layers
from tilewright.formats._textures import TEXTURES

WAR = tilesets.get("awbw")
SPRITES = dict(zip(WAR.names, draw_sprites(WAR.tiles).astype(int), strict=True))
EDGES = {"n": np.s_[0], "e": np.s_[:, -1], "s": np.s_[-1], "w": np.s_[:, 0]}
COUNTRIES = sorted({tile.country for tile in WAR if tile.country})
BUILDINGS = sorted({tile.kind for tile in WAR if tile.country})


def pieces(kind: str, side: str) -> list[str]:
    return [tile.name for tile in WAR if tile.kind == kind and side in tile.joins]


def make_map(*rows: str) -> tw.TileMap:
    """Return a map from rows of comma-separated tile names."""
    return tw.TileMap([[WAR.id(name.strip()) for name in row.split(",")] for row in rows], WAR)


def cell_pixels(map: tw.TileMap, row: int, column: int) -> NDArray[np.int_]:
    """Return the pixels of a cell."""
    pixels = np.asarray(map.image(scale=16).convert("RGB")).astype(int)
    return pixels[row * 16 : row * 16 + 16, column * 16 : column * 16 + 16]


def fraction(pixels: NDArray[np.int_], test: str) -> float:
    """Return the fraction of the pixels with the color of water or sand."""
    red, green, blue = np.moveaxis(pixels, -1, 0)
    return float({"water": (blue > red + 40) & (blue > green), "sand": (red > 205) & (blue < 190)}[test].mean())


def test_every_tile_has_a_sprite_of_its_own() -> None:
    assert all(tile.kind in TEXTURES for tile in WAR)
    assert len({sprite.tobytes() for sprite in SPRITES.values()}) == len(WAR)


@pytest.mark.parametrize("kind", ["road", "river", "pipe"])
def test_open_sides_join_and_closed_ones_do_not(kind: str) -> None:
    for side, facing in ("ns", "ew"):
        edges = [SPRITES[name][EDGES[side]] for name in pieces(kind, side)]
        edges += [SPRITES[name][EDGES[facing]] for name in pieces(kind, facing)]
        closed = [tile.name for tile in WAR if tile.kind == kind and side not in tile.joins]
        meadow = SPRITES["plain"][EDGES[side]]
        # The piece spans the same pixels, except for a shadow of one or two.
        spans = [np.abs(edge - meadow).sum(axis=1) > 60 for edge in edges]
        assert all(span[4:12].all() for span in spans)
        assert all((span != spans[0]).sum() <= 2 for span in spans)
        assert all(np.abs(edge[5:11] - edges[0][5:11]).max() < 75 for edge in edges)
        for name in closed:
            span = np.abs(SPRITES[name][EDGES[side]] - meadow).sum(axis=1) > 60
            assert span[4:12].sum() == 0, (name, side)


@pytest.mark.parametrize("kind", ["pipe seam", "pipe rubble"])
def test_seams_and_rubble_join_pipes(kind: str) -> None:
    for side in SIDES:
        pipe = SPRITES[pieces("pipe", side)[0]][EDGES[side]]
        for name in pieces(kind, side):
            assert np.abs(SPRITES[name][EDGES[side]] - pipe)[3:13].max() < 40, (name, side)


def test_a_bridge_carries_the_road() -> None:
    for side in SIDES:
        road = SPRITES[pieces("road", side)[0]][EDGES[side]]
        bridge = SPRITES[pieces("bridge", side)[0]][EDGES[side]]
        assert np.abs(road - bridge)[5:11].max() < 60


@pytest.mark.parametrize("kind", BUILDINGS)
def test_countries_and_buildings_look_different(kind: str) -> None:
    own = {tile.country: SPRITES[tile.name] for tile in WAR if tile.kind == kind}
    assert len(own) >= len(COUNTRIES) - 1
    for country, sprite in own.items():
        for other, picture in own.items():
            assert country == other or np.abs(sprite - picture).sum(axis=2).max() > 30, (country, other)
        rest = [SPRITES[tile.name] for tile in WAR if tile.country == country and tile.kind != kind]
        assert all((np.abs(sprite - picture).sum(axis=2) > 90).mean() > 0.25 for picture in rest)


def test_nothing_looks_like_an_unknown_tile() -> None:
    unknown = draw_sprites([Tile(name="unknown 300", glyph="u", color="#a56ad6", kind="unknown")])[0].astype(int)
    for name, sprite in SPRITES.items():
        assert (np.abs(sprite - unknown).sum(axis=2) > 90).mean() > 0.6, name


# -- coasts ----------------------------------------------------------------------------------------------------


def test_the_sea_has_a_shore_only_beside_land() -> None:
    map = make_map("sea, sea, sea", "sea, sea, plain", "sea, sea, sea")
    middle = cell_pixels(map, 1, 1)
    assert fraction(middle[:, -1:], "sand") == 1
    assert fraction(middle[:, :10], "sand") == 0
    assert fraction(cell_pixels(map, 0, 1)[-1:, -1:], "sand") == 1, "the corner of the land"
    assert fraction(cell_pixels(map, 0, 0), "sand") == 0
    assert np.array_equal(cell_pixels(map, 0, 0), SPRITES["sea"]), "the edge of the map is not a shore"


def test_a_bay_is_round() -> None:
    bay = cell_pixels(make_map("plain, plain, plain", "plain, sea, plain", "plain, sea, plain"), 1, 1)
    assert np.array_equal(bay[0, 0], SPRITES["plain"][0, 0])
    assert fraction(bay[-1:, 4:12], "water") == 1


def test_shores_continue_from_cell_to_cell() -> None:
    map = make_map("plain, plain, plain, plain", "sea, sea, shoal n, shoal n", "sea, sea, sea, sea")
    pixels = np.asarray(map.image(scale=16).convert("RGB")).astype(int)
    for column in (16, 32, 48):
        left, right = pixels[16:32, column - 1], pixels[16:32, column]
        assert (np.abs(left - right).sum(axis=1) > 60).sum() <= 3, column


def test_a_river_widens_at_the_sea_and_is_rounded_at_its_source() -> None:
    map = make_map("plain, plain, plain, sea", "plain, river ew, river ew, sea", "plain, plain, plain, sea")
    mouth, spring = cell_pixels(map, 1, 2), cell_pixels(map, 1, 1)
    assert fraction(mouth[:, -1:], "water") > fraction(mouth[:, :1], "water") > 0.3
    assert fraction(spring[:, :1], "water") == 0
    assert fraction(spring[:, -1:], "water") == fraction(mouth[:, :1], "water")
    assert fraction(cell_pixels(map, 1, 3)[4:12, :1], "water") == 1, "no sand before the mouth"
    assert fraction(cell_pixels(make_map("river es, plain"), 0, 0)[-1:], "water") > 0.3, "it leaves the map"


def test_a_bridge_shows_what_it_spans() -> None:
    over_sea = cell_pixels(make_map("sea, sea, sea", "road ew, bridge ew, road ew", "sea, sea, sea"), 1, 1)
    over_river = cell_pixels(
        make_map("plain, river ns, plain", "road ew, bridge ew, road ew", "plain, river ns, plain"), 1, 1
    )
    assert fraction(over_sea[:2], "water") > 0.6 > fraction(over_river[:2], "water") > 0.3
    assert np.array_equal(over_river[5:11], over_sea[5:11])
    chain = make_map("sea, sea", "bridge ew, bridge ew", "sea, sea")
    assert fraction(cell_pixels(chain, 1, 0)[:2], "water") == 1


def test_a_shoal_has_sand_toward_all_land() -> None:
    map = make_map("plain, plain, plain", "sea, shoal n, plain", "sea, sea, sea")
    beach = cell_pixels(map, 1, 1)
    assert fraction(beach[1:6, 7:12], "sand") == 1
    assert fraction(beach[4:9, 10:15], "sand") == 1
    assert fraction(beach[12:, :4], "water") == 1
    alone = cell_pixels(make_map("sea, sea, sea", "sea, shoal s, sea", "sea, sea, sea"), 1, 1)
    assert fraction(alone[7:9, 7:9], "sand") == 1 > fraction(alone[:4], "sand") == 0


def test_levels_have_separate_coasts() -> None:
    sea, plain = WAR.id("sea"), WAR.id("plain")
    ground = sprite_layers(tw.TileMap([[[sea, sea]], [[sea, plain]]], WAR))[0].sprites
    assert ground[0, 0, 0] == ground[0, 0, 1] != ground[1, 0, 0]
    assert ground[1, 0, 1] == plain


def test_tilesets_without_skins_have_one_sprite_per_tile() -> None:
    map = tw.make("fashion", width=9, height=7, seed=4)
    assert not map.tileset.skins
    sprites = draw_sprites(map.tileset.tiles)
    expected = sprites[map.cells].swapaxes(1, 2).reshape(7 * 16, 9 * 16, 3)
    assert np.array_equal(np.asarray(map.image(sprites=True).convert("RGB")), expected)


# -- pictures --------------------------------------------------------------------------------------------------


def test_maps_of_pieces_are_drawn_with_sprites_by_default() -> None:
    map = make_map("sea, shoal w, plain, city", "reef, sea, shoal s, orange star base")
    content = formats.encode(map, "png")
    assert Image.open(io.BytesIO(content)).size == (256, 128)
    assert read_map("png", content) == map
    flat = map.image(scale=2, sprites=False)
    assert np.array_equal(np.asarray(flat)[::2, ::2], map.cells)
    assert np.array_equal(np.asarray(map.image(scale=2)), np.asarray(flat)), "cells are too small for sprites"
