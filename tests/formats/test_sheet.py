"""Sheets of sprites, tilesets from files and inside recipes with their pictures, and maps read with a tileset."""

from __future__ import annotations

import base64
import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

import tilewright as tw
from tests.cases import read_table
from tests.formats.maps import declare_png, draw_sprites, encode_image, sheet_of, sprite_map
from tests.formats.skin_sheets import SIDE, draw_sheet
from tests.refusals import refused
from tilewright import formats
from tilewright.core.embedded_pictures import DATA_PREFIX, digest_picture, encode_picture
from tilewright.core.tileset import Sheet, Tile
from tilewright.core.yaml import write_data
from tilewright.formats._artwork import Artwork
from tilewright.formats._resolver import FileResolver
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


TOML = read_table(__file__, "tileset")
WORDS: dict[str, Any] = {"tiles": {"floor": "grass", "wall": "hedge"}, "width": 12, "height": 7, "seed": 3}


def meadow(folder: Path, sprite: int = 6, more: str = "") -> str:
    Image.fromarray(np.arange(64 * 32 * 3, dtype=np.uint8).reshape(32, 64, 3)).save(folder / "art.png")
    (folder / "meadow.toml").write_text(TOML.format(sprite=sprite, more=more))
    return str(folder / "meadow.toml")


def test_columns_are_counted_in_the_picture(tmp_path: Path) -> None:
    map = tw.make("caves", tileset=meadow(tmp_path), **WORDS)
    assert sheet_of(map).columns == 4
    assert map.image(scale=16).size == (12 * 16, 7 * 16)


@pytest.mark.parametrize(
    ("sprite", "more", "reason"),
    [(30, "", "sprite 30 is not in its picture, which has 8 sprites"), (6, "columns = 9", "has 9 columns")],
)
def test_a_sheet_that_does_not_fit_is_refused_at_once(tmp_path: Path, sprite: int, more: str, reason: str) -> None:
    with pytest.raises(tw.InvalidRecipe, match=reason):
        tw.make("caves", tileset=meadow(tmp_path, sprite, more), **WORDS)


@pytest.mark.parametrize("name", ["json", "npz", "png", "tmx"])
def test_a_map_is_read_with_the_given_tileset(tmp_path: Path, name: str) -> None:
    tileset = meadow(tmp_path)
    map = tw.make("caves", tileset=tileset, **WORDS)
    map.save(tmp_path / f"map.{name}")
    again = tw.load(tmp_path / f"map.{name}", tileset=tileset)
    assert again == map
    assert sheet_of(again).picture == sheet_of(map).picture
    if name != "tmx":  # Tiled files are also matched by id, because most of them have no names
        with pytest.raises(tw.BadFile, match="unknown tile"):
            tw.load(tmp_path / f"map.{name}", tileset="terrain")


def test_a_missing_picture_is_replaced_by_drawn_sprites(tmp_path: Path) -> None:
    tw.make("caves", tileset=meadow(tmp_path), **WORDS).save(tmp_path / "map.json")
    lost = tw.load(tmp_path / "map.json")
    written = formats.save(lost, tmp_path / "elsewhere" / "map.tmx")
    assert [path.name for path in written] == ["map.tmx", "map-tiles.png"]
    assert np.array_equal(tw.load(written[0]).cells, lost.cells)


# -- pictures inside the recipe: drawn and exported like a file, outside the digest, bounded -------------------------


def describe_tileset(data: str, **words: Any) -> dict[str, Any]:
    sheet = {"image": "walls.png", "tile_width": SIDE, "tile_height": SIDE, "columns": 8, "data": data, **words}
    return {
        "name": "mine",
        "extends": "dungeon",
        "sheet": sheet,
        "skins": [{"tile": "wall", "layout": "blob47", "first": 0}],
    }


def draw(tileset: Any) -> NDArray[np.uint8]:
    map = tw.make("caves", width=12, height=12, seed=3, tileset=tileset)
    return np.asarray(map.image(scale=16, sprites=True).convert("RGB"))


def test_a_recipe_with_its_picture_looks_like_the_tileset_file(tmp_path: Path) -> None:
    sheet = draw_sheet("blob47")
    sheet.save(tmp_path / "walls.png")
    tw.add_skin(tmp_path / "mine.toml", tmp_path / "walls.png", tile="wall", layout="blob47", base="dungeon")
    from_file = FileResolver(tmp_path).read_tileset("mine.toml")
    embedded = tw.Tileset.of(describe_tileset(encode_picture(encode_image(sheet))))
    assert embedded == from_file
    assert embedded.digest == from_file.digest
    assert (draw(embedded) == draw(from_file)).all()
    assert not (draw(embedded) == draw("dungeon")).all()


def test_every_file_that_names_a_tileset_may_contain_the_picture(tmp_path: Path) -> None:
    data = describe_tileset(encode_picture(encode_image(draw_sheet("blob47"))))
    expected = draw(data)
    recipe = {"technique": "caves", "params": {"width": 12, "height": 12}, "tileset": data, "seed": 3}
    for name, text in (("level.yaml", write_data(recipe)), ("level.json", json.dumps(recipe))):
        (tmp_path / name).write_text(text)
        map = tw.run(tmp_path / name)
        assert (np.asarray(map.image(scale=16, sprites=True).convert("RGB")) == expected).all()
    toml = f'name = "mine"\nextends = "dungeon"\n[sheet]\nimage = "gone.png"\ndata = "{data["sheet"]["data"]}"\n'
    toml += f"tile_width = {SIDE}\ntile_height = {SIDE}\n"
    (tmp_path / "mine.toml").write_text(toml + '[[skins]]\ntile = "wall"\nlayout = "blob47"\nfirst = 0\n')
    assert (draw(str(tmp_path / "mine.toml")) == expected).all()


def test_exports_write_the_picture_but_their_recipe_only_names_it(tmp_path: Path) -> None:
    picture = encode_image(draw_sheet("blob47"))
    map = tw.make(
        "caves", width=12, height=12, seed=3, tileset=tw.Tileset.of(describe_tileset(encode_picture(picture)))
    )
    map.save(tmp_path / "level.tmx")
    assert (tmp_path / "walls.png").read_bytes() == picture
    assert DATA_PREFIX not in (tmp_path / "level.tmx").read_text()
    assert map.recipe is not None
    assert "data" not in map.recipe.to_data()["tileset"]["sheet"]
    assert tw.verify(tmp_path / "level.tmx")


def test_a_missing_picture_is_reported_and_the_base_look_is_drawn() -> None:
    picture = encode_image(draw_sheet("blob47"))
    with pytest.warns(UserWarning, match=r"^the picture walls.png is missing: its tiles are drawn as in the base"):
        missing = tw.Tileset.of(describe_tileset(digest_picture(picture)))
    assert missing.digest == tw.Tileset.of(describe_tileset(encode_picture(picture))).digest
    assert (draw(missing) == draw("dungeon")).all()


@pytest.mark.parametrize(
    ("data", "line"),
    [
        ("walls.png", "tileset: sheet.data: must be a PNG file as data:image/png;base64,..., or the digest of one"),
        (DATA_PREFIX + "????", "tileset: sheet.data: must be a PNG file in base64"),
        (encode_picture(b"GIF89a"), "tileset: sheet.data: must be a PNG file"),
        (encode_picture(declare_png(60000, 60000)), "must have at most 16,777,216 pixels, got 60,000x60,000; crop it"),
        (
            encode_picture(encode_image(Image.new("L", (8, 8))) + bytes(1_200_000)),
            "must have at most 1 MB as PNG, got 1.2 MB; crop it to the sprites in use, or reduce its colors",
        ),
        (DATA_PREFIX + base64.b64encode(bytes(1_600_000)).decode(), "must have at most 1 MB as PNG, got more"),
        (
            encode_picture(encode_image(Image.new("L", (32, 32)))),
            "has 8 columns, the picture of 32x32 pixels has 4",
        ),
        (encode_picture(encode_image(draw_sheet("blob47"))[:60]), "walls.png: not a readable picture"),
    ],
)
def test_hostile_pictures_are_refused_in_one_line(data: str, line: str) -> None:
    with refused(line):
        tw.run({"technique": "caves", "tileset": describe_tileset(data)}).image(sprites=True)
