"""Programs that read LDtk projects, where a machine has them.

`TILEWRIGHT_LDTK_SCHEMA` names LDtk's JSON_SCHEMA.json, `TILEWRIGHT_EXCALIBUR` a folder in which npm installed
excalibur, @excaliburjs/plugin-ldtk and jsdom, `TILEWRIGHT_GODOT` a Godot 4 program, and `TILEWRIGHT_LDTK_IMPORTER` the
folder addons of godot-ldtk-importer.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from PIL import Image

import tilewright as tw
from tests.formats.maps import EXAMPLES
from tilewright import formats

SCRIPTS = Path(__file__).parent / "scripts"
PROJECT = """config_version=5
[editor_plugins]
enabled=PackedStringArray("res://addons/ldtk-importer/plugin.cfg")
"""


def need(variable: str) -> Path:
    """Return the path in a variable of the environment, or skip the test."""
    if variable not in os.environ:
        pytest.skip(f"{variable} is not set")
    return Path(os.environ[variable])


def make_dungeon() -> tw.TileMap:
    return tw.make("bsp", width=40, height=28, seed=7, shaping=["doors", "place"])


def test_the_schema_of_ldtk() -> None:
    schema = json.loads(need("TILEWRIGHT_LDTK_SCHEMA").read_text())
    for map in (*EXAMPLES.values(), make_dungeon()):
        for rules in (True, False):
            project = json.loads(formats.encode(map, "ldtk", rules=rules))
            errors = list(jsonschema.Draft7Validator(schema).iter_errors(project))
            assert not errors, errors[0].message


def test_excalibur_reads_projects(tmp_path: Path) -> None:
    folder = need("TILEWRIGHT_EXCALIBUR")
    make_dungeon().save(tmp_path / "level.ldtk")
    project = json.loads((tmp_path / "level.ldtk").read_bytes())
    del project["levels"][0]["layerInstances"][0]["__gridSize"]
    (tmp_path / "broken.ldtk").write_text(json.dumps(project))
    shutil.copy(SCRIPTS / "parse_ldtk.cjs", tmp_path / "parse.cjs")
    environment = {**os.environ, "NODE_PATH": str(folder / "node_modules")}
    found = [
        subprocess.run(
            ["node", tmp_path / "parse.cjs", tmp_path / name], capture_output=True, check=True, env=environment
        )
        for name in ("level.ldtk", "broken.ldtk")
    ]
    assert [one.stdout.split()[-1] for one in found] == [b"true", b"false"]


def test_the_importer_of_godot_shows_every_sprite(tmp_path: Path) -> None:
    godot, importer = need("TILEWRIGHT_GODOT"), need("TILEWRIGHT_LDTK_IMPORTER")
    shutil.copytree(importer, tmp_path / "addons")
    (tmp_path / "project.godot").write_text(PROJECT)
    shutil.copy(SCRIPTS / "count.gd", tmp_path)
    map = make_dungeon()
    map.save(tmp_path / "level.ldtk")
    subprocess.run([godot, "--headless", "--import", "--path", tmp_path], capture_output=True, timeout=300, check=False)
    done = subprocess.run(
        [godot, "--headless", "--path", tmp_path, "--script", "count.gd"],
        capture_output=True,
        timeout=100,
        check=False,
        text=True,
    )
    rows = [line.split() for line in done.stdout.splitlines() if line.startswith("layer ")]
    counts = {name: int(count) for _, name, count in rows}
    level = json.loads((tmp_path / "level.ldtk").read_bytes())["levels"][0]
    alpha = np.asarray(Image.open(tmp_path / "level-tiles.png").convert("RGBA"))[..., 3]
    assert counts["Cells-values"] == map.cells.size
    for layer in level["layerInstances"]:
        if layer["__type"] == "AutoLayer":
            assert counts[layer["__identifier"]] == sum(_is_visible(tile, alpha) for tile in layer["autoLayerTiles"])


def _is_visible(tile: dict[str, Any], alpha: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> bool:
    """Return whether a tile has a pixel. The importer leaves out the others."""
    x, y = tile["src"]
    return bool(alpha[y : y + 16, x : x + 16].any())
