"""Textures: pieces, coasts, buildings and terrains join and depend on their surroundings."""

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
from tilewright.core.skins import ALL_BITS, DIRECTIONS, EDGE_BITS, LAYOUTS
from tilewright.core.tileset import Tile
from tilewright.core.tilesets import tilesets
from tilewright.formats._artwork import Artwork, Sprite
from tilewright.formats._layers import sprite_layers
from tilewright.formats._textures import SKIN_TEXTURES, TEXTURES

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
    assert np.array_equal(np.asarray(map.image(scale=16, sprites=True).convert("RGB")), expected)


# -- pictures --------------------------------------------------------------------------------------------------


def test_maps_of_pieces_are_drawn_with_sprites_by_default() -> None:
    map = make_map("sea, shoal w, plain, city", "reef, sea, shoal s, orange star base")
    content = formats.encode(map, "png")
    assert Image.open(io.BytesIO(content)).size == (256, 128)
    assert read_map("png", content) == map
    flat = map.image(scale=2, sprites=False)
    assert np.array_equal(np.asarray(flat)[::2, ::2], map.cells)
    assert np.array_equal(np.asarray(map.image(scale=2)), np.asarray(flat)), "cells are too small for sprites"


BUILT_IN = tw.list_tilesets()
JOINED = ("awbw", "cave", "countryside", "dungeon", "terrain")
TERRAINS = {
    "cave": ("wall", "water", "moss", "chasm"),
    "dungeon": ("wall", "rock", "water", "grass"),
    "terrain": ("water", "deep", "grass", "forest", "hill", "mountain", "snow"),
    "countryside": ("wood", "mountain"),
}
"""Tiles whose terrain joins."""
JOINED_TERRAINS = [(name, tile) for name, tiles in TERRAINS.items() for tile in tiles]
DIGESTS = {
    "awbw": "de5e1c50500594f878a2b2efe68798f3",
    "cave": "2997bafb1a81fe43e164192c9fdfbb9d",
    "countryside": "6dd9bc25e5af90215924ff39a710af08",
    "dungeon": "c9a90012bc75a3bd0ba331c3a21eff3b",
    "fashion": "33afb27a22abe51dc9e5b044ee25785e",
    "palette": "8415efa42753cdec21fe00618e395c65",
    "terrain": "1b7d5b596175c36190f9c8cb24e79782",
}
"""Digests in 0.2.0. Skins and `over` are not part of them, so files of 0.2.0 still verify."""


def draw_all(tileset: tw.Tileset) -> NDArray[np.int64]:
    artwork = Artwork.of(tileset)
    return artwork.draw(range(len(artwork)), 16, 16).astype(np.int64)


def find_sprites(tileset: tw.Tileset, tile: str) -> dict[tuple[int, int, int], Sprite]:
    """Return the sprites of a tile that depend on all neighbors, by index, mask and variant."""
    return {
        (number, sprite.mask, sprite.variant): sprite
        for number, sprite in enumerate(Artwork.of(tileset).sprites)
        if sprite.skin is not None
        and tileset[sprite.tile].name == tile
        and tileset.skins[sprite.skin].layout == "blob47"
    }


def make_random_map(tileset: tw.Tileset, names: tuple[str, ...], seed: int, size: int = 14) -> tw.TileMap:
    """Return a map of patches of tiles, at least two cells wide."""
    numbers = np.random.default_rng(seed).integers(0, len(names), size=(size, size))
    cells = np.array([tileset.id(name) for name in names])[numbers]
    return tw.TileMap(cells.repeat(2, axis=0).repeat(2, axis=1), tileset)


# -- all tilesets ----------------------------------------------------------------------------------------------


def test_digests_are_those_of_the_release() -> None:
    digests = {tileset.name: tileset.digest for tileset in BUILT_IN}
    assert {name: digests[name] for name in DIGESTS} == DIGESTS


@pytest.mark.parametrize("tileset", BUILT_IN, ids=lambda tileset: tileset.name)
def test_all_sprites_are_drawn(tileset: tw.Tileset) -> None:
    pixels = draw_all(tileset)
    assert len(tileset) <= len(pixels) <= 1200
    assert len(Artwork.of(tileset).planes) <= 5
    known = {"", *TEXTURES, *SKIN_TEXTURES}
    assert {skin.texture for skin in tileset.skins} <= known
    for sprite, drawn in zip(Artwork.of(tileset).sprites, pixels, strict=True):
        tile = tileset[sprite.tile]
        assert (drawn[..., 3] == 255).all() or sprite.skin is not None or tile.over, tile.name


@pytest.mark.parametrize("name", JOINED)
def test_every_cell_is_covered(name: str) -> None:
    tileset = tilesets.get(name)
    cells = np.random.default_rng(1).integers(0, len(tileset), size=(30, 30))
    map = tw.TileMap(cells, tileset)
    artwork = Artwork.of(tileset)
    hidden = np.zeros(cells.shape, dtype=np.bool_)
    for plane, layer in zip(artwork.planes, sprite_layers(map), strict=True):
        assert not plane.is_dual
        hidden |= np.append(artwork.is_opaque, False)[layer.sprites]
    assert hidden.all()


# -- terrains --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "tile"), JOINED_TERRAINS)
def test_every_mask_has_a_sprite_of_its_own(name: str, tile: str) -> None:
    tileset = tilesets.get(name)
    pixels = draw_all(tileset)
    shown = {mask: pixels[number].tobytes() for number, mask, variant in find_sprites(tileset, tile) if variant == 0}
    assert set(shown) == set(LAYOUTS["blob47"].all_masks)
    # Crowns and peaks are left out one by one, so that an open corner may make no difference.
    bits = EDGE_BITS if tile in ("forest", "wood") or (name, tile) == ("countryside", "mountain") else ALL_BITS
    assert len(set(shown.values())) >= len({mask & bits for mask in shown})


@pytest.mark.parametrize(("name", "tile"), JOINED_TERRAINS)
def test_sprites_join_at_sides_that_are_the_same(name: str, tile: str) -> None:
    """Sprites that can be neighbors have the same outline at their common side."""
    tileset = tilesets.get(name)
    pixels = draw_all(tileset)
    sprites = [
        (mask, pixels[number][..., 3] > 128) for number, mask, variant in find_sprites(tileset, tile) if not variant
    ]
    # The corners next to a side, in both sprites that have it in common.
    for side, first, second, edges in (
        ("e", ("ne", "n", "se", "s"), ("n", "nw", "s", "sw"), (np.s_[:, -1], np.s_[:, 0])),
        ("s", ("sw", "w", "se", "e"), ("w", "nw", "e", "ne"), (np.s_[-1], np.s_[0])),
    ):
        facing = {"e": "w", "s": "n"}[side]
        for mask, alpha in sprites:
            for other, other_alpha in sprites:
                if not (_has(mask, side) and _has(other, facing)):
                    continue
                # (own side, own corner) must equal (other's corner, other's side) where both are known.
                pairs = [(first[1], second[1]), (first[0], second[0]), (first[3], second[3]), (first[2], second[2])]
                if all(_agrees(mask, one, other, two) for one, two in pairs):
                    differences = (alpha[edges[0]] != other_alpha[edges[1]]).sum()
                    assert differences <= 4, (tile, side, mask, other)


def _has(mask: int, direction: str) -> bool:
    return bool(mask >> DIRECTIONS.index(direction) & 1)


def _agrees(mask: int, one: str, other: int, two: str) -> bool:
    """Return whether two sprites say the same about a cell that both see. A corner without its sides is unknown."""
    known = []
    for value, direction in ((mask, one), (other, two)):
        sides = direction if len(direction) == 2 else ""
        known.append(_has(value, direction) if all(_has(value, side) for side in sides) else None)
    return None in known or known[0] == known[1]


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("cave", ("floor", "wall", "water", "moss", "chasm")),
        ("dungeon", ("wall", "floor", "water", "grass")),
        ("terrain", ("deep", "water", "sand", "grass", "forest", "hill", "mountain", "snow")),
        ("countryside", ("plain", "wood", "mountain")),
    ],
)
def test_there_is_no_seam_within_a_terrain(name: str, names: tuple[str, ...]) -> None:
    """Across cell borders within one tile, colors change no more than inside the cells."""
    tileset = tilesets.get(name)
    map = make_random_map(tileset, names, 5)
    pixels = np.asarray(map.image(scale=16, sprites=True).convert("RGB")).astype(np.int64)
    across: dict[int, list[float]] = {}
    inside: dict[int, list[float]] = {}
    for turned, cells in ((pixels, map.cells), (pixels.swapaxes(0, 1), map.cells.T)):
        steps = np.abs(np.diff(turned, axis=1)).sum(axis=2)  # (row, step)
        for row, column in np.argwhere(cells[:, :-1] == cells[:, 1:]):
            rows, border = slice(row * 16, row * 16 + 16), column * 16 + 15
            tile = int(cells[row, column])
            across.setdefault(tile, []).append(float(steps[rows, border].mean()))
            inside.setdefault(tile, []).append(float(steps[rows, border - 12 : border - 3].mean(axis=0).max()))
    for tile, values in across.items():
        assert np.mean(values) <= 1.2 * np.mean(inside[tile]) + 8, tileset[tile].name


def test_a_terrain_continues_under_those_above_it() -> None:
    tileset = tilesets.get("terrain")
    cells = [[tileset.id(name) for name in ("water", "sand", "grass", "hill", "mountain", "snow")]] * 3
    shown = [
        {tileset[Artwork.of(tileset).sprites[number].tile].name for number in layer.sprites[1] if number >= 0}
        for layer in sprite_layers(tw.TileMap(cells, tileset))
    ]
    assert [sorted(names) for names in shown] == [
        ["sand", "water"],
        ["grass"],
        ["hill"],
        ["mountain"],
        ["snow"],
    ]


def test_the_inside_of_a_large_area_varies() -> None:
    for name, tile in (("cave", "floor"), ("dungeon", "floor"), ("terrain", "grass"), ("countryside", "plain")):
        tileset = tilesets.get(name)
        ground = sprite_layers(tw.TileMap(np.full((20, 20), tileset.id(tile)), tileset))
        assert max(len(np.unique(layer.sprites)) for layer in ground) >= 3, name


def test_walls_show_a_face_only_toward_the_south() -> None:
    tileset = tilesets.get("dungeon")
    cells = np.full((3, 3), tileset.id("floor"))
    cells[1, 1] = tileset.id("wall")
    pixels = np.asarray(tw.TileMap(cells, tileset).image(scale=16, sprites=True).convert("RGB")).astype(int)
    wall = pixels[16:32, 16:32].sum(axis=2)
    assert wall[:7, 2:14].mean() > wall[8:15, 2:14].mean() + 40
    shadow, light = pixels[33:35, 16:32], pixels[40:47, 16:32]
    assert shadow.mean() < light.mean() * 0.75


# -- things ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["dungeon", "countryside"])
def test_things_have_a_transparent_background(name: str) -> None:
    tileset = tilesets.get(name)
    artwork, pixels = Artwork.of(tileset), draw_all(tileset)
    things = {number for number, tile in enumerate(tileset) if tile.over}
    assert things
    # A door in a wall that runs west and east fills its cell.
    doors = {number for number in things if tileset[number].name.endswith("door")}
    for sprite, drawn in zip(artwork.sprites, pixels, strict=True):
        if sprite.tile in things - doors:
            assert (drawn[..., 3] == 0).any(), tileset[sprite.tile].name
            assert (drawn[..., 3] == 255).mean() > 0.15, tileset[sprite.tile].name


def test_a_key_is_drawn_over_the_ground_around_it() -> None:
    tileset = tilesets.get("dungeon")
    pictures = {}
    for ground in ("floor", "corridor"):
        cells = np.full((3, 3), tileset.id(ground))
        plain = np.asarray(tw.TileMap(cells, tileset).image(scale=16, sprites=True).convert("RGB"))[16:32, 16:32]
        cells[1, 1] = tileset.id("red key")
        pictures[ground] = np.asarray(tw.TileMap(cells, tileset).image(scale=16, sprites=True).convert("RGB"))[
            16:32, 16:32
        ]
        assert (pictures[ground] == plain).all(axis=2).mean() > 0.3
    same = (pictures["floor"] == pictures["corridor"]).all(axis=2)
    assert 0.2 < same.mean() < 0.6


def test_doors_fit_their_wall() -> None:
    tileset = tilesets.get("dungeon")
    wall, floor, door = (tileset.id(name) for name in ("wall", "floor", "door"))
    across = tw.TileMap([[floor] * 3, [wall, door, wall], [floor] * 3], tileset)
    along = tw.TileMap([[floor, wall, floor], [floor, door, floor], [floor, wall, floor]], tileset)
    shown = [sprite_layers(map)[-1].sprites[1, 1] for map in (across, along)]
    front, side = Artwork.of(tileset).draw(shown, 16, 16)[..., 3]
    assert (front == 255).all()
    assert (side[:, :4] == 0).all()
    assert (side[1:15, 6:10] == 255).all()


def test_spikes_and_clouds_are_drawn_over_the_sky() -> None:
    tileset = tw.Grid.of("platforms").tileset
    assert tileset is not None
    sky, *others = (tileset.id(name) for name in ("sky", "spikes", "cloud west", "cloud", "cloud east"))
    pixels = np.asarray(tw.TileMap([[sky] * 4, others, [sky] * 4], tileset).image(scale=16).convert("RGB"))
    assert (pixels[16, :] == pixels[0, :]).all(), "the first row of pixels below the sky"
    assert (pixels[16:32] != pixels[:16]).any(axis=-1).mean() > 0.4
