"""Own tiles in a browser: choose a picture and its sprites, see them on the map, and share them."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw
from playwright.sync_api import expect

import tilewright as tw
from tests.studio.page import Studio
from tests.studio.screens import check_targets
from tilewright.studio.state import State

COLORS = {"red": "#c02020", "green": "#20c020", "blue": "#2020c0"}
CAVE: dict[str, Any] = {"technique": "caves", "params": {"width": 14, "height": 10}, "seed": 3}


def draw_sheet() -> bytes:
    """Return a picture of three sprites of 16x16 pixels in plain colors."""
    picture = Image.new("RGB", (48, 16))
    for place, color in enumerate(COLORS.values()):
        ImageDraw.Draw(picture).rectangle((16 * place, 0, 16 * place + 15, 15), fill=color)
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    return buffer.getvalue()


def find_cells() -> tuple[tuple[int, int], tuple[int, int]]:
    """Return a cell (x, y) of floor and one of wall in the middle of the map."""
    walls = tw.run(CAVE).where("wall")
    (y, x), (row, column) = np.argwhere(~walls)[0].tolist(), np.argwhere(walls)[0].tolist()
    return (x, y), (column, row)


def shows_colors(studio: Studio, floor: str, wall: str) -> None:
    """Wait until the floor and the walls have these colors."""
    cells, expected = find_cells(), [COLORS.get(floor, floor), COLORS.get(wall, wall)]
    for _ in range(200):
        if studio.colors([*cells]) == expected:
            return
    assert studio.colors([*cells]) == expected


def click_sprite(studio: Studio, position: int) -> None:
    box = studio.box("own-sheet")
    studio["own-sheet"].click(position={"x": box["width"] * (2 * position + 1) / 6, "y": box["height"] / 2})


def test_a_picture_becomes_the_tiles_of_the_map_and_of_its_files(studio: Studio, tmp_path: Path) -> None:
    studio.open(CAVE)
    studio["own-tiles"].click()
    studio.upload("own-open", "not a picture.png", b"nothing")
    expect(studio["own-line"]).to_have_text("not a picture.png: must be a picture: PNG, GIF, WEBP, BMP, JPEG")
    studio.drop("own-open", "plain.png", draw_sheet())
    expect(studio["own-facts"]).to_have_text("3×1 sprites of 16×16 pixels")
    expect(studio["own-line"]).to_be_hidden()
    expect(studio["own-name-0"]).to_have_value("wall")
    expect(studio["own-name-1"]).to_have_value("floor")
    expect(studio["own-preview"]).to_have_attribute("src", re.compile("^data:image/png"))
    first = studio["own-preview"].get_attribute("src") or ""

    studio["own-sprite-0"].click()
    click_sprite(studio, 2)
    expect(studio["own-preview"]).not_to_have_attribute("src", first)
    studio.enter("own-name-0", "ice")
    studio["own-passable-0"].click()
    expect(studio["own-passable-0"]).to_have_attribute("aria-checked", "true")
    with zipfile.ZipFile(studio.download("own-download", tmp_path)) as archive:
        assert archive.namelist() == ["mytiles.toml", "plain.png"]
        archive.extractall(tmp_path)
    from_file = tw.make("caves", width=14, height=10, seed=3, tileset=tmp_path / "mytiles.toml", tiles={"wall": "ice"})

    studio["own-apply"].click()
    expect(studio["own-dialog"]).to_have_count(0)
    expect(studio["own-tiles"]).to_contain_text("mytiles")
    studio.shows(from_file)
    shows_colors(studio, "green", "blue")
    assert from_file.tileset[from_file.tileset.id("ice")].passable

    # The list of tilesets names them. Another tileset replaces them, with a note.
    expect(studio["tileset"]).to_have_value("mytiles (your own tiles)")
    studio.choose("tileset", "dungeon")
    expect(studio["removed-tiles"]).to_contain_text("Your own tiles were removed")
    studio["removed-tiles-undo"].click()
    expect(studio["removed-tiles"]).to_be_hidden()
    expect(studio["tileset"]).to_have_value("mytiles (your own tiles)")
    studio.shows(from_file)

    studio.page.reload()
    studio.ready()
    shows_colors(studio, "green", "blue")
    studio.tab("shape")
    saved = tw.run(studio.download("save-recipe", tmp_path))
    assert saved == from_file.replace(recipe=saved.recipe)
    assert saved.tileset.sheet is not None
    assert saved.tileset.sheet.picture
    studio.tab("make")
    studio["own-remove"].click()
    expect(studio["own-remove"]).to_be_hidden()
    studio.shows(tw.run(CAVE))


def test_a_link_to_a_missing_picture_says_so(studio: Studio) -> None:
    sheet = {"image": "plain.png", "tile_width": 16, "tile_height": 16, "columns": 3, "data": f"blake2b:{'0' * 32}"}
    tileset = {"name": "mytiles", "extends": "cave", "sheet": sheet, "skins": [{"tile": "wall", "first": 2}]}
    studio.open(State.from_recipe({**CAVE, "tileset": tileset}))
    line = "plain.png is missing here, so the tileset's own look is shown; choose the picture again"
    expect(studio["own-missing"]).to_have_text(line)
    expect(studio.page.locator(".q-notification")).to_contain_text(line)
    assert (studio.cells() == np.array(tw.run(CAVE).tileset.names)[tw.run(CAVE).cells]).all()


def test_own_tiles_on_a_phone(phone: Studio) -> None:
    phone.open(CAVE)
    phone["own-tiles"].tap()
    phone.upload("own-open", "plain.png", draw_sheet())
    expect(phone["own-preview"]).to_have_attribute("src", re.compile("^data:image/png"))
    phone["own-sprite-0"].tap()
    click_sprite(phone, 1)
    check_targets(phone, "own-close", "own-open", "own-sprite-0", "own-drop-0", "own-download", "own-apply")
    phone["own-apply"].tap()
    expect(phone["own-dialog"]).to_have_count(0)
    expect(phone["own-tiles"]).to_contain_text("mytiles")
