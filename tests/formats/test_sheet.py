from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import tilewright as tw
from tests.formats.maps import draw_sprites, sprite_map
from tilewright.core.tileset import Sheet, Tile
from tilewright.formats._artwork import Artwork
from tilewright.formats._sheet import (
    MAX_COLUMNS,
    arrange_sprites,
    count_sprite_rows,
    encode_png,
    fit_sheet,
    picture_size,
)
from tilewright.formats._textures import TEXTURES


def test_every_kind_has_a_texture_of_its_own() -> None:
    kinds = ["", *TEXTURES]
    sprites = draw_sprites([Tile(name="a", glyph="a", color="#7f9a5a", kind=kind) for kind in kinds])
    assert sprites.shape == (len(kinds), 16, 16, 3)
    assert len({sprite.tobytes() for sprite in sprites}) == len(kinds)


MULTICOLORED = {
    *("ore", "tree", "planks", "stairs", "awning", "pillar", "chest", "token", "gate", "key", "cart"),
    *("flower", "mushroom", "lily", "snag", "wood", "mountain", "road", "pipe", "pipe seam", "pipe rubble"),
    *("reef", "shoal", "river", "bridge", "silo", "empty silo", "unknown", "crate", "stored-crate", "target"),
    *("city", "base", "airport", "port", "headquarters", "com tower", "lab"),
}
"""Kinds whose textures contain other colors than the tile's."""


@pytest.mark.parametrize("tileset", tw.list_tilesets(), ids=lambda tileset: tileset.name)
def test_sprites_have_the_color_of_their_tile(tileset: tw.Tileset) -> None:
    for tile, sprite in zip(tileset, draw_sprites(tileset.tiles), strict=True):
        if tile.kind not in MULTICOLORED:
            assert np.abs(sprite.mean(axis=(0, 1)) - tile.rgb).max() < 32, tile.name
        assert tile.kind in TEXTURES or tile.kind == "", f"{tile.kind} has no texture"


def test_the_same_tile_looks_the_same_everywhere() -> None:
    cave = tw.make("caves", width=4, height=4, seed=1).tileset
    assert np.array_equal(draw_sprites(cave.tiles)[2], draw_sprites(cave.tiles[2:3])[0])


@pytest.mark.parametrize("size", [(1, 1), (8, 8), (32, 16), (7, 13)])
def test_sprites_are_drawn_in_any_size(size: tuple[int, int]) -> None:
    sprites = draw_sprites([Tile(name="a", glyph="a", color="#7f9a5a", kind="rock")], *size)
    assert sprites.shape == (1, size[1], size[0], 3)


@pytest.mark.parametrize("count", [1, 15, 16, 17, 40])
def test_sprites_are_arranged_in_rows(count: int) -> None:
    sprites = np.arange(count, dtype=np.uint8)[:, None, None, None] + np.zeros((count, 2, 3, 3), dtype=np.uint8)
    picture = arrange_sprites(sprites)
    columns = min(count, MAX_COLUMNS)
    assert picture.shape == (-(-count // columns) * 2, columns * 3, 3)
    for number in range(count):
        row, column = divmod(number, columns)
        assert (picture[row * 2 : row * 2 + 2, column * 3 : column * 3 + 3] == number).all()


def test_sprites_are_cut_from_the_users_picture() -> None:
    red, half = Artwork.of(sprite_map().tileset).draw([0, 1], 4, 4)
    assert (red == (255, 0, 0, 255)).all()
    assert (half[:2] == (0, 255, 0, 255)).all()
    assert (half[2:, :, 3] == 0).all()


def with_sheet(picture: bytes, sprite: int = 0, **sheet: int) -> tw.Tileset:
    found = Sheet.validate({"image": "a.png", **sheet}).with_picture(picture, "a.png")
    bare = tw.Tileset.validate({"name": "mine", "tiles": [{"name": "a", "sprite": sprite}]})
    return bare.model_copy(update={"sheet": found})


def test_a_sheet_must_fit_its_picture() -> None:
    picture = encode_png(np.zeros((34, 50, 3), dtype=np.uint8))
    assert count_sprite_rows(with_sheet(picture, columns=3, margin=1)) == 2
    with pytest.raises(tw.InvalidRecipe, match="its sheet has 4 columns, the picture of 50x34 pixels has 3"):
        count_sprite_rows(with_sheet(picture, columns=4, margin=1))
    with pytest.raises(tw.InvalidRecipe, match="sprite 6 is not in its picture, which has 6 sprites"):
        count_sprite_rows(with_sheet(picture, 6, columns=3, margin=1))
    with pytest.raises(tw.InvalidRecipe, match="has 0"):
        count_sprite_rows(with_sheet(picture, tile_width=200, columns=1))


def test_an_invalid_picture_is_refused_in_one_line() -> None:
    tileset = with_sheet(b"not a picture")
    assert tileset.sheet is not None
    draw = partial(Artwork.of(tileset).draw, [0], 16, 16)
    for act in (lambda: picture_size(tileset.sheet), lambda: count_sprite_rows(tileset), draw):
        with pytest.raises(tw.BadFile, match=r"a\.png: not a readable picture"):
            act()


def with_skin(size: tuple[int, int], tile_size: int = 16, **skin: object) -> tw.Tileset:
    """Return a tileset whose picture has this width and height in pixels."""
    picture = encode_png(np.zeros((size[1], size[0], 3), dtype=np.uint8))
    sheet = Sheet(image="a.png", tile_width=tile_size, tile_height=tile_size).with_picture(picture, "a.png")
    data = {
        "name": "mine",
        "tiles": [{"name": "wall"}],
        "sheet": {"image": "a.png"},
        "skins": [{"tile": "wall", **skin}],
    }
    return tw.Tileset.validate(data).model_copy(update={"sheet": sheet})


def test_a_sheet_must_be_large_enough_for_its_skins() -> None:
    assert count_sprite_rows(fit_sheet(with_skin((128, 96), layout="blob47", first=0))) == 6
    assert count_sprite_rows(fit_sheet(with_skin((752, 16), layout="blob47", first=0, columns=47))) == 1
    assert count_sprite_rows(fit_sheet(with_skin((48, 48), layout="rpgmaker-a2", first=1))) == 3
    cases: list[tuple[tuple[int, int], dict[str, object], str]] = [
        ((128, 80), {"layout": "blob47", "first": 0},
         "the layout blob47 of 'wall' takes 8x6 sprites from sprite 0 on, the picture has 8x5"),
        ((128, 96), {"layout": "cr31", "first": 2},
         "the layout cr31 of 'wall' takes 7 columns from sprite 2 on, the sheet has 6 there"),
        ((160, 96), {"layout": "cr31", "first": 12},
         "the layout cr31 of 'wall' takes 7x7 sprites from sprite 12 on, the picture has 10x6"),
        ((64, 64), {"layout": "single", "sprites": {"": [3, 16]}},
         "sprite 16 is not in its picture, which has 16 sprites"),
    ]  # fmt: skip
    for size, skin, message in cases:
        with pytest.raises(tw.InvalidRecipe, match=message):
            fit_sheet(with_skin(size, 16, **skin))
    with pytest.raises(tw.InvalidRecipe, match="whose width and height must be even, got 15x15"):
        fit_sheet(with_skin((30, 45), 15, layout="rpgmaker-a2", first=0))
