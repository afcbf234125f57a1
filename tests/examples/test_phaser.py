"""The page in examples/phaser, in a real Chromium: Phaser draws our map exactly as we do."""

from __future__ import annotations

import io
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from playwright.sync_api import Browser, Page

import tilewright as tw
from tests.browser import chromium, complaints, serving

EXAMPLE = Path(__file__).parents[2] / "examples" / "phaser"
FOOTER = 38
"""Pixels below the map."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if not (EXAMPLE / "node_modules" / "phaser").is_dir():
        pytest.skip("the npm package phaser is not installed: npm install in examples/phaser")
    with chromium() as browser:
        yield browser


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The example's files, without any map."""
    for name in ("index.html", "main.js"):
        shutil.copy(EXAMPLE / name, tmp_path)
    (tmp_path / "node_modules").symlink_to(EXAMPLE / "node_modules", target_is_directory=True)
    return tmp_path


def opened(browser: Browser, address: str, width: int, height: int) -> Page:
    page = browser.new_page(viewport={"width": width, "height": height + FOOTER})
    page.goto(address)
    return page


def shown(page: Page) -> NDArray[np.uint8]:
    """The pixels of the canvas, once Phaser has drawn."""
    page.evaluate("() => new Promise((done) => game.events.once('postrender', () => requestAnimationFrame(done)))")
    return np.asarray(Image.open(io.BytesIO(page.locator("canvas").screenshot())).convert("RGB"))


def drawn(map: tw.TileMap) -> NDArray[np.uint8]:
    return np.asarray(map.image(scale=16, sprites=True).convert("RGB"))


def assert_equal_pictures(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> None:
    """Compare pixels. Browsers and Pillow round half-transparent shadows differently, by 1 of 255."""
    assert np.abs(one.astype(int) - other).max() <= 1
    assert (one == other).mean() > 0.9


def ready(page: Page, text: str) -> None:
    page.wait_for_function("text => document.getElementById('about').textContent.startsWith(text)", arg=text)


def made_as_told(folder: Path) -> tw.TileMap:
    """Return the map of the example's README."""
    (line,) = (line for line in (EXAMPLE / "README.md").read_text().splitlines() if line.startswith("tilewright make"))
    command = [sys.executable, "-m", *shlex.split(line, comments=True)]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    assert sorted(path.name for path in folder.glob("level*")) == ["level-tiles.png", "level.tmj"]
    return tw.load(folder / "level.tmj")


def test_phaser_shows_the_map_pixel_by_pixel(browser: Browser, folder: Path) -> None:
    map = made_as_told(folder)
    with serving(folder) as address:
        page = opened(browser, "about:blank", 960, 576)
        wrong = complaints(page)
        page.goto(address)
        ready(page, "60 x 36 tiles")
        assert_equal_pictures(shown(page), drawn(map))

        for x, y in [
            (0, 0),
            (59, 35),
            *((int(x), int(y)) for y, x in np.argwhere(map.cells != map.cells[0, 0])[::300]),
        ]:
            page.mouse.move(16 * x + 8, 16 * y + 8)
            page.wait_for_function(
                "text => document.getElementById('tile').textContent === text",
                arg=f"{map.tileset[int(map.cells[y, x])].name} at {x}, {y}",
            )

        page.mouse.move(300, 300)
        page.mouse.down()
        page.mouse.move(300 - 160, 300 - 64, steps=4)
        page.mouse.up()
        assert_equal_pictures(shown(page)[: 576 - 64, : 960 - 160], drawn(map)[64:, 160:])

        before = page.evaluate("game.scene.scenes[0].cameras.main.scrollX")
        page.keyboard.down("ArrowRight")
        page.wait_for_function("before => game.scene.scenes[0].cameras.main.scrollX > before + 16", arg=before)
        page.keyboard.up("ArrowRight")
        page.mouse.wheel(0, -100)
        page.wait_for_function("game.scene.scenes[0].cameras.main.zoom > 1.2")
        assert wrong == []
        page.close()


def test_the_camera_fits_any_map_and_any_window(browser: Browser, folder: Path) -> None:
    map = tw.make("caves", width=20, height=40, seed=3, shaping=["connect", {"place": {"markers": ["start", "exit"]}}])
    map.save(folder / "cave.tmj")
    with serving(folder) as address:
        page = opened(browser, "about:blank", 800, 320)
        wrong = complaints(page)
        page.goto(f"{address}/index.html?map=cave.tmj")
        ready(page, "20 x 40 tiles, cave.tmj")
        for width, height, scale in ((800, 320, 0.5), (700, 1280, 2)):
            page.set_viewport_size({"width": width, "height": height + FOOTER})
            page.wait_for_function("scale => game.scene.scenes[0].cameras.main.zoom === scale", arg=scale)
            pixels = shown(page)
            assert pixels.shape[:2] == (height, width)
            beside = round((width - 20 * 16 * scale) / 2)
            background = pixels[0, 0].tolist()
            assert (pixels[:, : beside - 1] == background).all()
            assert (pixels[:, beside + 1 : width - beside - 1] != background).any(axis=2).mean() > 0.95
        assert wrong == []
        page.close()


def test_a_missing_map_is_told(browser: Browser, folder: Path) -> None:
    with serving(folder) as address:
        page = opened(browser, address, 400, 300)
        ready(page, "cannot load level.tmj")
        page.close()
