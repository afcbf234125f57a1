"""Tilesets whose picture is inside the recipe: drawn and exported like a file, outside the digest, bounded."""

from __future__ import annotations

import base64
import io
import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

import tilewright as tw
from tests.formats.skin_sheets import SIDE, draw_sheet
from tests.refusals import refused
from tilewright.core.embedded_pictures import DATA_PREFIX, digest_picture, encode_picture
from tilewright.core.yaml import write_data
from tilewright.formats._resolver import FileResolver


def encode(picture: Image.Image, format: str = "PNG") -> bytes:
    buffer = io.BytesIO()
    picture.save(buffer, format)
    return buffer.getvalue()


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
    embedded = tw.Tileset.of(describe_tileset(encode_picture(encode(sheet))))
    assert embedded == from_file
    assert embedded.digest == from_file.digest
    assert (draw(embedded) == draw(from_file)).all()
    assert not (draw(embedded) == draw("dungeon")).all()


def test_every_file_that_names_a_tileset_may_contain_the_picture(tmp_path: Path) -> None:
    data = describe_tileset(encode_picture(encode(draw_sheet("blob47"))))
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
    picture = encode(draw_sheet("blob47"))
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
    picture = encode(draw_sheet("blob47"))
    with pytest.warns(UserWarning, match=r"^the picture walls.png is missing: its tiles are drawn as in the base"):
        missing = tw.Tileset.of(describe_tileset(digest_picture(picture)))
    assert missing.digest == tw.Tileset.of(describe_tileset(encode_picture(picture))).digest
    assert (draw(missing) == draw("dungeon")).all()


def _make_bomb() -> bytes:
    content = bytearray(encode(Image.new("1", (8, 8))))
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
            encode_picture(encode(Image.new("L", (8, 8))) + bytes(1_200_000)),
            "must have at most 1 MB as PNG, got 1.2 MB; crop it to the sprites in use, or reduce its colors",
        ),
        (DATA_PREFIX + base64.b64encode(bytes(1_600_000)).decode(), "must have at most 1 MB as PNG, got more"),
        (encode_picture(encode(Image.new("L", (32, 32)))), "sheet has 8 columns, the picture of 32x32 pixels has 4"),
        (encode_picture(encode(draw_sheet("blob47"))[:60]), "walls.png: not a readable picture"),
    ],
)
def test_hostile_pictures_are_refused_in_one_line(data: str, line: str) -> None:
    with refused(line):
        tw.run({"technique": "caves", "tileset": describe_tileset(data)}).image(sprites=True)
