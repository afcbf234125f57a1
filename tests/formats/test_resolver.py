"""Tilesets from files, with their pictures, and maps read with a given tileset."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import tilewright as tw
from tilewright import formats

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
    assert map.tileset.sheet is not None
    assert map.tileset.sheet.columns == 4
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
    assert again.tileset.sheet is not None
    assert again.tileset.sheet.picture == map.tileset.sheet.picture  # type: ignore[union-attr]
    if name != "tmx":  # Tiled files are also matched by id, because most of them have no names
        with pytest.raises(tw.BadFile, match="unknown tile"):
            tw.load(tmp_path / f"map.{name}", tileset="terrain")


def test_a_missing_picture_is_replaced_by_drawn_sprites(tmp_path: Path) -> None:
    tw.make("caves", tileset=meadow(tmp_path), **WORDS).save(tmp_path / "map.json")
    lost = tw.load(tmp_path / "map.json")
    written = formats.save(lost, tmp_path / "elsewhere" / "map.tmx")
    assert [path.name for path in written] == ["map.tmx", "map-tiles.png"]
    assert np.array_equal(tw.load(written[0]).cells, lost.cells)
