"""Projects for Godot: levels that share a tileset, a scene that shows them, and the project file."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import tilewright as tw
from tests.engines.test_all import read_all
from tests.engines.test_tiled import write_own_tiles
from tests.godot import needs_godot, run_godot, run_script
from tilewright.engines._folder import MANIFEST

DUNGEON = tw.recipe("bsp", width=30, height=20, shaping=["doors", "place"])
LEVELS = ["levels/level-1.tscn", "levels/level-2.tscn", "levels/level-3.tscn"]
SHARED = ["levels/tiles.png", "levels/tiles.tres", "main.gd", "main.tscn"]


def export(folder: Path, count: int = 3, **settings: Any) -> tw.ExportedProject:
    return tw.export_project(DUNGEON, folder, engine="godot", **{"count": count, "seed": 7, **settings})


def list_paths(folder: Path) -> set[str]:
    """Return all paths of the project that the exported files contain."""
    texts = [path.read_text() for path in folder.rglob("*") if path.suffix in (".tscn", ".tres")]
    return {found for text in texts for found in re.findall(r'"(res://[^"]*)"', text)}


def test_levels_share_one_tileset_and_are_read_back(tmp_path: Path) -> None:
    done = export(tmp_path)
    assert sorted(read_all(tmp_path)) == sorted([*LEVELS, *SHARED, "project.godot", MANIFEST])
    assert list_paths(tmp_path) == {"res://main.gd", "res://levels/tiles.tres", "res://levels/tiles.png"}
    for name, seed in done.seeds.items():
        path = tmp_path / "levels" / f"{name}.tscn"
        assert tw.load(path) == tw.run(DUNGEON, seed=seed)
        assert tw.verify(path).outcome == "same"


def test_the_scene_and_the_tileset_do_not_depend_on_the_number_of_levels(tmp_path: Path) -> None:
    export(tmp_path / "one", 1)
    export(tmp_path / "three", 3)
    for name in (*SHARED, LEVELS[0]):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "three" / name).read_bytes()


def test_the_project_file_is_written_once_and_belongs_to_the_user(tmp_path: Path) -> None:
    assert "project.godot" in export(tmp_path).written
    text = (tmp_path / "project.godot").read_text()
    assert 'run/main_scene="res://main.tscn"' in text
    assert "project.godot" not in json.loads((tmp_path / MANIFEST).read_text())["files"]
    (tmp_path / "project.godot").write_text(text + "\n[input]\n")  # as the editor does
    assert export(tmp_path, 2).removed == (LEVELS[2],)
    assert (tmp_path / "project.godot").read_text() == text + "\n[input]\n"


@pytest.mark.parametrize("inner", ["", "art/levels"])
def test_an_existing_project_is_not_touched(tmp_path: Path, inner: str) -> None:
    (tmp_path / "project.godot").write_text("config_version=5\n")
    (tmp_path / "player.gd").write_text("extends Node2D\n")
    done = export(tmp_path / inner)
    assert "project.godot" not in done.written
    assert (tmp_path / "project.godot").read_text() == "config_version=5\n"
    assert (tmp_path / "player.gd").read_text() == "extends Node2D\n"
    root = f"res://{inner}/" if inner else "res://"
    assert list_paths(tmp_path) == {f"{root}main.gd", f"{root}levels/tiles.tres", f"{root}levels/tiles.png"}


def test_a_scene_of_the_user_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "project.godot").write_text("config_version=5\n")
    (tmp_path / "main.tscn").write_text("mine")
    with pytest.raises(tw.BadFile, match=r"not written by an export: main\.tscn; name another folder"):
        export(tmp_path)
    assert sorted(read_all(tmp_path)) == ["main.tscn", "project.godot"]


def test_a_folder_of_the_project_may_be_given(tmp_path: Path) -> None:
    assert "project.godot" not in export(tmp_path, res="res://art").written
    assert list_paths(tmp_path) == {"res://art/main.gd", "res://art/levels/tiles.tres", "res://art/levels/tiles.png"}


def test_the_users_own_picture_is_copied_unless_it_is_in_the_project(tmp_path: Path) -> None:
    recipe = tw.recipe("caves", width=12, height=8, tileset=str(write_own_tiles(tmp_path)))
    done = tw.export_project(recipe, tmp_path / "game", engine="godot", count=2, seed=1)
    assert "levels/my sheet.PNG" in done.written
    (tmp_path / "project.godot").write_text("config_version=5\n")
    inside = tw.export_project(recipe, tmp_path / "other", engine="godot", count=2, seed=1)
    assert not any("sheet" in name for name in inside.written)
    assert "res://my sheet.PNG" in (tmp_path / "other" / "levels" / "tiles.tres").read_text()


def test_exporting_again_to_a_new_project_changes_nothing(tmp_path: Path) -> None:
    recipe = tw.recipe("caves", width=12, height=8, tileset=str(write_own_tiles(tmp_path)))
    for number in range(2):
        done = tw.export_project(recipe, tmp_path, engine="godot", count=2, seed=1)
        assert bool(done.written) == (number == 0)
        assert not done.removed
    assert "res://my sheet.PNG" in (tmp_path / "levels" / "tiles.tres").read_text()


# -- the real engine ------------------------------------------------------------------------------------------


def show_levels(project: Path) -> Any:
    """Import a project, run its main scene, and return what it shows."""
    script = Path(__file__).parent / "godot" / "levels.gd"
    (project / script.name).write_bytes(script.read_bytes())
    run_godot(project, "--import")
    (found,) = run_script(project, "levels")
    return found


@needs_godot
@pytest.mark.parametrize("inner", ["", "art/levels"])
def test_godot_shows_all_levels(tmp_path: Path, inner: str) -> None:
    if inner:
        (tmp_path / "project.godot").write_text(
            f'config_version=5\n\n[application]\n\nconfig/name="game"\nrun/main_scene="res://{inner}/main.tscn"\n'
        )
    done = export(tmp_path / inner)
    found = show_levels(tmp_path)
    assert found["count"] == 3
    shown = found["shown"]
    assert [one["level"] for one in shown] == [1, 2, 3, 1, 1, 3, 2]  # right, right, right, left and left, then set
    assert {one["children"] for one in shown} == {3}  # camera, title and one level
    assert {one["invalid"] for one in shown} == {0}
    assert len({one["tileset"] for one in shown}) == 1
    for one in shown:
        assert one["title"] == f"Level {one['level']} of 3"
        assert one["center"] == [240, 160]
        assert one["zoom"] > 0
        assert one["cells"] >= tw.run(DUNGEON, seed=done.seeds[f"level-{one['level']}"]).cells.size
    changed = export(tmp_path / inner, 2, seed=8)  # The import did not change an exported file.
    assert changed.removed == (LEVELS[2],)
    assert show_levels(tmp_path)["count"] == 2
