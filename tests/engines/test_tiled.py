"""Projects for Tiled: levels that share a tileset, and a world."""

from __future__ import annotations

import json
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

import tilewright as tw
from tests.formats.test_tiled import rasterizer, render_with_tiled
from tilewright.engines import arrange_levels

DUNGEON = tw.recipe("bsp", width=30, height=20, shaping=["doors", "place"])


def write_own_tiles(folder: Path) -> Path:
    """Write a tileset with its own sheet, in which two tiles have a sprite and one has none."""
    pixels = np.random.default_rng(1).integers(0, 255, (8, 16, 4), dtype=np.uint8)
    pixels[..., 3] = 255
    Image.fromarray(pixels).save(folder / "my sheet.PNG", "PNG")
    (folder / "own.toml").write_text(
        '[sheet]\nimage = "my sheet.PNG"\ntile_width = 8\ntile_height = 8\n\n'
        '[[tiles]]\nname = "wall"\nglyph = "#"\npassable = false\nsprite = 1\n\n'
        '[[tiles]]\nname = "floor"\nglyph = "."\nsprite = 0\n\n[[tiles]]\nname = "extra"\nglyph = "x"\n'
    )
    return folder / "own.toml"


def test_all_levels_share_one_tileset_and_picture(tmp_path: Path) -> None:
    done = tw.export_project(DUNGEON, tmp_path, engine="tiled", count=3, seed=7)
    assert [name for name in done.written if not name.startswith("level")] == ["tiles.tsx", "tiles-2.tsx", "tiles.png"]
    for name, seed in done.seeds.items():
        tilesets = ET.parse(tmp_path / f"{name}.tmx").getroot().findall("tileset")
        assert [tileset.get("source") for tileset in tilesets] == ["tiles.tsx", "tiles-2.tsx"]
        assert tw.load(tmp_path / f"{name}.tmx") == tw.run(DUNGEON, seed=seed)
    for name in ("tiles.tsx", "tiles-2.tsx"):
        root = ET.parse(tmp_path / name).getroot()
        assert root.tag == "tileset"
        assert "firstgid" not in root.attrib
        image = root.find("image")
        assert image is not None
        assert image.get("source") == "tiles.png"
        with Image.open(tmp_path / "tiles.png") as picture:
            assert picture.size == (int(image.get("width", 0)), int(image.get("height", 0)))


def test_the_world_has_all_levels_side_by_side(tmp_path: Path) -> None:
    tw.export_project(DUNGEON, tmp_path, engine="tiled", count=5, seed=7, gap=1, tile_size=10)
    world = json.loads((tmp_path / "levels.world").read_text())
    assert world["type"] == "world"
    assert [(one["fileName"], one["x"], one["y"]) for one in world["maps"]] == [
        ("level-1.tmx", 0, 0),
        ("level-2.tmx", 310, 0),
        ("level-3.tmx", 620, 0),
        ("level-4.tmx", 0, 210),
        ("level-5.tmx", 310, 210),
    ]
    assert {(one["width"], one["height"]) for one in world["maps"]} == {(300, 200)}


@pytest.mark.parametrize("count", range(1, 40))
def test_levels_never_overlap(count: int) -> None:
    rng = np.random.default_rng(count)
    sizes = [(int(width), int(height)) for width, height in rng.integers(1, 20, (count, 2))]
    gap = count % 3
    covered: set[tuple[int, int]] = set()
    for (x, y), (width, height) in zip(arrange_levels(sizes, gap), sizes, strict=True):
        cells = {(column, row) for column in range(x, x + width + gap) for row in range(y, y + height + gap)}
        assert not covered & cells
        covered |= cells


def test_the_users_own_picture_is_copied(tmp_path: Path) -> None:
    own = write_own_tiles(tmp_path)
    recipe = tw.recipe("caves", width=12, height=8, tileset=str(own))
    done = tw.export_project(recipe, tmp_path / "game", engine="tiled", count=2, seed=1)
    assert {"tiles.tsx", "tiles-2.tsx", "tiles.png", "tiles-2.png"} <= set(done.written)
    assert (tmp_path / "game" / "tiles.png").read_bytes() == (tmp_path / "my sheet.PNG").read_bytes()
    shutil.move(tmp_path / "game", tmp_path / "elsewhere")
    own.unlink()
    loaded = tw.load(tmp_path / "elsewhere" / "level-2.tmx")
    assert loaded.tileset.sheet is not None
    assert loaded.tileset.sheet.picture == (tmp_path / "my sheet.PNG").read_bytes()
    assert (loaded.cells == tw.run(recipe, seed="1-1").cells).all()


def rasterize(source: Path) -> NDArray[np.uint8]:
    """Return what Tiled draws for a map or a world, without objects and opacity."""
    return render_with_tiled(source)[..., :3]


def draw(map: tw.TileMap, scale: int) -> NDArray[np.uint8]:
    return np.asarray(map.image(scale=scale, markers=False).convert("RGB"))


@rasterizer
@pytest.mark.parametrize("own", [False, True], ids=["drawn", "own"])
def test_tiled_draws_the_levels_as_single_maps_and_as_the_png(tmp_path: Path, own: bool) -> None:
    recipe = DUNGEON
    if own:
        recipe = tw.recipe("caves", width=12, height=8, tileset=str(write_own_tiles(tmp_path)))
    done = tw.export_project(recipe, tmp_path / "game", engine="tiled", count=2, seed=7)
    for name, seed in done.seeds.items():
        made, drawn = tw.run(recipe, seed=seed), rasterize(done.folder / f"{name}.tmx")
        made.save(tmp_path / f"{name}.tmx")
        assert np.array_equal(drawn, rasterize(tmp_path / f"{name}.tmx"))
        # Tiled rounds the colors of half-transparent shadows in another way; an own picture has none here.
        difference = np.abs(drawn.astype(np.int16) - draw(made, 8 if own else 16))
        assert difference.max() <= (0 if own else 1)


@rasterizer
def test_tiled_draws_the_world(tmp_path: Path) -> None:
    done = tw.export_project(DUNGEON, tmp_path, engine="tiled", count=5, seed=7)
    world = rasterize(tmp_path / "levels.world")
    assert world.shape == ((20 + 2 + 20) * 16, (30 + 2 + 30 + 2 + 30) * 16, 3)
    for number, name in enumerate(done.seeds):
        top, left = number // 3 * 22 * 16, number % 3 * 32 * 16
        part = world[top : top + 20 * 16, left : left + 30 * 16]
        assert np.array_equal(part, rasterize(tmp_path / f"{name}.tmx"))
