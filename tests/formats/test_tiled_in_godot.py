"""Tiled files in Godot 4, imported by the plugin YATI (https://github.com/Kiamo2/YATI).

`TILEWRIGHT_GODOT` names the Godot binary and `TILEWRIGHT_YATI` the folder of the plugin.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

import tilewright as tw
from tests.formats.test_tiled_layers import SKINS, make_map
from tilewright import formats

GODOT, YATI = os.environ.get("TILEWRIGHT_GODOT", ""), os.environ.get("TILEWRIGHT_YATI", "")
PROJECT = """config_version=5
[application]
config/name="test"
[editor_plugins]
enabled=PackedStringArray("res://addons/YATI/plugin.cfg")
"""
# A point in the middle of a cell may be on an edge between two convex parts of a shape, so another point is asked.
SCRIPT = Path(__file__).parent / "scripts/solid.gd"


def run_godot(folder: Path, *arguments: str) -> str:
    command = [GODOT, "--headless", "--path", str(folder), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    return done.stdout + done.stderr


@pytest.mark.skipif(not GODOT or not YATI, reason="TILEWRIGHT_GODOT and TILEWRIGHT_YATI name no Godot and no YATI")
def test_solid_cells_collide_and_rooms_are_areas(tmp_path: Path) -> None:
    shutil.copytree(YATI, tmp_path / "addons" / "YATI")
    (tmp_path / "project.godot").write_text(PROJECT)
    shutil.copy(SCRIPT, tmp_path / "check.gd")
    maps = {name.replace(" ", "_"): make_map(skins) for name, skins in SKINS.items()}
    markers = [tw.Marker("orc", 3, 2, properties={"boss": True, "speed": 0.5}), tw.Marker("start", 1, 1)]
    for name, map in maps.items():
        numbered = map.replace(rooms=[tw.Room(0, 0, 3, 4)], markers=markers, numbers={"rooms": 1.0})
        formats.save(numbered, tmp_path / f"{name}.tmx")
    solid = {name: (~map.passable).tolist() for name, map in maps.items()}
    (tmp_path / "solid.json").write_text(json.dumps(solid))
    imported = run_godot(tmp_path, "--import")
    assert "metadata identifier" not in imported
    output = run_godot(tmp_path, "--script", "check.gd")
    results = [json.loads(line.removeprefix("RESULT ")) for line in output.splitlines() if line.startswith("RESULT")]
    assert [result["wrong"] for result in results] == [0] * len(maps)
    for result in results:
        assert result["kinds"]["Area2D"] == 1
        assert result["kinds"]["Marker2D"] == 2
        assert "StaticBody2D" not in result["kinds"]
