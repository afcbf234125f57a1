"""Programs that read LDtk projects and Tiled maps, where a machine has them.

`TILEWRIGHT_LDTK_SCHEMA` names LDtk's JSON_SCHEMA.json, `TILEWRIGHT_EXCALIBUR` a folder in which npm installed
excalibur, @excaliburjs/plugin-ldtk and jsdom, `TILEWRIGHT_GODOT` a Godot 4 program, `TILEWRIGHT_LDTK_IMPORTER` the
folder addons of godot-ldtk-importer, and `TILEWRIGHT_YATI` the folder of the plugin YATI
(https://github.com/Kiamo2/YATI), which imports maps of Tiled.
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
from tests.formats.test_tiled_layers import SKINS, make_map
from tilewright import formats

SCRIPTS = Path(__file__).parent / "scripts"


def need(variable: str) -> Path:
    """Return the path in a variable of the environment, or skip the test."""
    if variable not in os.environ:
        pytest.skip(f"{variable} is not set")
    return Path(os.environ[variable])


def run_in_godot(folder: Path, plugin: str, script: str) -> tuple[str, list[list[str]]]:
    """Import a project with a plugin, and run a script. Return the messages, and the lines as a word and the rest."""
    enabled = f'enabled=PackedStringArray("res://addons/{plugin}/plugin.cfg")'
    (folder / "project.godot").write_text(f"config_version=5\n[editor_plugins]\n{enabled}\n")
    shutil.copy(SCRIPTS / script, folder)
    command = [str(need("TILEWRIGHT_GODOT")), "--headless", "--path", str(folder)]
    done = [
        subprocess.run([*command, *more], capture_output=True, timeout=300, check=False, text=True)
        for more in (["--import"], ["--script", script])
    ]
    lines = [line.split(maxsplit=1) for line in done[1].stdout.splitlines() if line.strip()]
    return done[0].stdout + done[0].stderr, lines


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
    shutil.copytree(need("TILEWRIGHT_LDTK_IMPORTER"), tmp_path / "addons")
    map = make_dungeon()
    map.save(tmp_path / "level.ldtk")
    _, lines = run_in_godot(tmp_path, "ldtk-importer", "count.gd")
    rows = [rest[0].split() for word, *rest in lines if word == "layer"]
    counts = {name: int(count) for name, count in rows}
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


def test_solid_cells_collide_and_rooms_are_areas_in_godot(tmp_path: Path) -> None:
    shutil.copytree(need("TILEWRIGHT_YATI"), tmp_path / "addons" / "YATI")
    maps = {name.replace(" ", "_"): make_map(skins) for name, skins in SKINS.items()}
    markers = [tw.Marker("orc", 3, 2, properties={"boss": True, "speed": 0.5}), tw.Marker("start", 1, 1)]
    for name, map in maps.items():
        numbered = map.replace(rooms=[tw.Room(0, 0, 3, 4)], markers=markers, numbers={"rooms": 1.0})
        formats.save(numbered, tmp_path / f"{name}.tmx")
    solid = {name: (~map.passable).tolist() for name, map in maps.items()}
    (tmp_path / "solid.json").write_text(json.dumps(solid))
    imported, lines = run_in_godot(tmp_path, "YATI", "solid.gd")
    assert "metadata identifier" not in imported
    results = [json.loads(rest[0]) for word, *rest in lines if word == "RESULT"]
    assert [result["wrong"] for result in results] == [0] * len(maps)
    for result in results:
        assert result["kinds"]["Area2D"] == 1
        assert result["kinds"]["Marker2D"] == 2
        assert "StaticBody2D" not in result["kinds"]
