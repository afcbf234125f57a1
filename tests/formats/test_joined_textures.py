"""Sprites of the built-in tilesets: terrains join, and things have a transparent background."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import tilewright as tw
from tilewright.core.skins import ALL_BITS, DIRECTIONS, EDGE_BITS, LAYOUTS
from tilewright.core.tilesets import tilesets
from tilewright.formats._artwork import Artwork, Sprite
from tilewright.formats._layers import sprite_layers
from tilewright.formats._textures import SKIN_TEXTURES, TEXTURES

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
