"""Tilesets from files and inside recipes, with their pictures, and maps read with a given tileset."""

from __future__ import annotations

import base64
import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

import tilewright as tw
from tests.formats.maps import encode_image, sheet_of
from tests.formats.skin_sheets import SIDE, draw_sheet
from tests.refusals import refused
from tilewright import formats
from tilewright.core.embedded_pictures import DATA_PREFIX, digest_picture, encode_picture
from tilewright.core.yaml import write_data
from tilewright.formats._resolver import FileResolver

TOML = """
name = "meadow"
[sheet]
image = "art.png"
{more}
[[tiles]]
name = "grass"
sprite = 1
[[tiles]]
name = "hedge"
sprite = {sprite}
passable = false
"""
WORDS: dict[str, Any] = {"tiles": {"floor": "grass", "wall": "hedge"}, "width": 12, "height": 7, "seed": 3}


def meadow(folder: Path, sprite: int = 6, more: str = "") -> str:
    Image.fromarray(np.arange(64 * 32 * 3, dtype=np.uint8).reshape(32, 64, 3)).save(folder / "art.png")
    (folder / "meadow.toml").write_text(TOML.format(sprite=sprite, more=more))
    return str(folder / "meadow.toml")


def test_columns_are_counted_in_the_picture(tmp_path: Path) -> None:
    map = tw.make("caves", tileset=meadow(tmp_path), **WORDS)
    assert sheet_of(map).columns == 4
    assert map.image().size == (12 * 16, 7 * 16)


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


def _make_bomb() -> bytes:
    content = bytearray(encode_image(Image.new("1", (8, 8))))
    content[16:24] = (60_000).to_bytes(4, "big") * 2
    content[29:33] = zlib.crc32(content[12:29]).to_bytes(4, "big")
    return bytes(content)


@pytest.mark.parametrize(
    ("data", "line"),
    [
        ("walls.png", "tileset: sheet.data: must be a PNG file as data:image/png;base64,..., or the digest of one"),
        (DATA_PREFIX + "????", "tileset: sheet.data: must be a PNG file in base64"),
        (encode_picture(b"GIF89a"), "tileset: sheet.data: must be a PNG file"),
        (encode_picture(_make_bomb()), "must have at most 16,777,216 pixels, got 60,000x60,000; crop it"),
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
