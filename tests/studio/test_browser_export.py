"""Export in a browser: every format is read back; code, recipe and link reproduce the map."""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, expect

import tilewright as tw
from tests.studio.page import Studio, serving
from tilewright.studio.state import State

SMALL: dict[str, Any] = {"technique": "caves", "params": {"width": 24, "height": 16}, "seed": 7}
FORMATS = [format.name for format in tw.list_formats() if format.read and format.name != "awbw"]


def read_back(path: Path, map: tw.TileMap) -> tw.TileMap:
    """Return the map in a downloaded file or zip archive."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            archive.extractall(path.parent)
            path = path.parent / archive.namelist()[0]
    return tw.load(path, tileset=map.tileset)


def test_every_format_is_read_back(studio: Studio, tmp_path: Path) -> None:
    studio.open(SMALL)
    studio.tab("export")
    map = tw.run(SMALL)
    for name in FORMATS:
        studio[f"format-{name}"].click()
        path = studio.download("download", tmp_path)
        assert read_back(path, map) == map, name
    with Image.open(tmp_path / "map.gif") as animation:
        assert getattr(animation, "n_frames", 1) > 2

    studio["format-awbw"].click()
    expect(studio["file-status"]).to_contain_text("make the map with tileset awbw")
    assert "\n" not in studio["file-status"].inner_text()


def test_pictures_have_their_options_and_files_their_names(studio: Studio, tmp_path: Path) -> None:
    studio.open(SMALL)
    studio.tab("export")
    studio.set_param("scale", 5)
    studio["param-sprites"].get_by_text("off").click()
    studio["file-name"].fill("my cave")
    expect(studio["file-status"]).to_contain_text("120×80 pixels")
    path = studio.download("download", tmp_path)
    assert path.name == "my cave.png"
    with Image.open(path) as picture:
        expected = tw.run(SMALL).image(scale=5, sprites=False)
        assert np.array_equal(np.asarray(picture.convert("RGB")), np.asarray(expected.convert("RGB")))
    studio.enter("param-scale", "99999")
    expect(studio.page.locator(".tc-row:has([data-testid=param-scale])")).to_have_attribute(
        "data-error", re.compile("must be at most")
    )


def test_the_shell_and_python_make_exactly_this_map(studio: Studio, tmp_path: Path) -> None:
    recipe = {**SMALL, "shaping": ["connect", {"border": {"thickness": 2}}]}
    studio.open(recipe)
    map = tw.run(recipe)
    studio.shows(map)
    studio.tab("export")
    studio["export-part"].get_by_text("Recipe, code, link").click()
    command = studio["command-line"].inner_text()
    assert command.startswith("tilewright ")
    script = tmp_path / "made.sh"
    script.write_text(f"tilewright() {{ '{sys.executable}' -m tilewright \"$@\"; }}\n{command}\n")
    subprocess.run(["bash", str(script)], cwd=tmp_path, check=True, capture_output=True)
    (output,) = (path for path in tmp_path.iterdir() if path != script)
    assert tw.load(output, tileset=map.tileset) == map

    names: dict[str, Any] = {}
    with contextlib.chdir(tmp_path):
        exec(studio["python-lines"].inner_text(), names)
    assert map in [value for value in names.values() if isinstance(value, tw.TileMap)]

    for button in ("recipe-yaml", "recipe-json"):
        assert tw.run(studio.download(button, tmp_path)) == map
    assert studio.copy("copy-command-line") == command


@pytest.fixture
def painted(studio: Studio) -> Studio:
    """Open a map with locked cells in its recipe, painted and locked cells, and cells that are only painted."""
    studio.open({**SMALL, "shaping": ["connect"]})
    studio.take("brush", "water")
    studio.stroke((3, 4), (7, 4))
    studio["regenerate"].click()
    expect(studio.map).to_have_attribute("data-painted", "0")
    studio.take("brush", "moss")
    studio.stroke((10, 8), (10, 10))
    studio["locking"].click()
    studio.take("rectangle", "ore")
    studio.stroke((15, 2), (17, 3))
    expect(studio.map).to_have_attribute("data-painted", "9")
    expect(studio.map).to_have_attribute("data-locked", "8")
    return studio


def test_a_link_reopens_the_map_also_after_a_restart(painted: Studio, browser: Browser, tmp_path: Path) -> None:
    cells = painted.cells()
    link = painted.copy("copy-link")
    assert link.startswith(f"{painted.address}/#")
    painted.page.wait_for_function("(link) => location.href === link", arg=link)

    with serving(tmp_path / "log.txt") as restarted, browser.new_context() as context:
        for address in (painted.address, restarted):
            reopened = Studio(context, address)
            reopened.open(link.partition("#")[2])
            reopened.holds(cells)
            expect(reopened.map).to_have_attribute("data-painted", "9")
            expect(reopened.map).to_have_attribute("data-locked", "8")
            with reopened.another():
                reopened["regenerate"].click()
            assert (reopened.cells()[4, 3:8] == "water").all()
            assert (reopened.cells()[8:11, 10] == "moss").all()
            reopened.close()


def test_painted_cells_are_in_the_file(painted: Studio, tmp_path: Path) -> None:
    cells = painted.cells()
    painted.tab("export")
    expect(painted["export-painted"]).to_be_visible()
    painted["format-json"].click()
    map = tw.load(painted.download("download", tmp_path))
    assert np.array_equal(np.array(map.tileset.names)[map.cells], cells)


def test_the_link_contains_the_view_settings(studio: Studio) -> None:
    studio.open(State.from_recipe(SMALL).with_view_settings(tab="shape", grid=True, sprites=False, overlay="distance"))
    expect(studio["tab-shape"]).to_have_attribute("aria-selected", "true")
    expect(studio["grid"]).to_have_attribute("aria-pressed", "true")
    expect(studio["sprites"]).not_to_have_attribute("aria-pressed", "true")
    expect(studio["legend"]).to_be_visible()
