"""Projects for LDtk: all levels in one world, with one tileset."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import tilewright as tw
from tests.engines.test_tiled import write_own_tiles
from tests.formats.ldtk_editor import SCHEMA
from tests.formats.maps import deep_map
from tilewright.engines import Level, engine_registry
from tilewright.engines._folder import MANIFEST

DUNGEON = tw.recipe("bsp", width=30, height=20, shaping=["doors", "place"])


def export(folder: Path, count: int = 3, **settings: Any) -> tw.ExportedProject:
    return tw.export_project(DUNGEON, folder, engine="ldtk", **{"count": count, "seed": 7, **settings})


def read_project(folder: Path) -> Any:
    return json.loads((folder / "levels.ldtk").read_text())


def test_all_levels_are_in_one_world(tmp_path: Path) -> None:
    done = export(tmp_path, 5)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["levels-tiles.png", "levels.ldtk", MANIFEST]
    project = read_project(tmp_path)
    jsonschema.validate(project, SCHEMA)
    assert [level["identifier"] for level in project["levels"]] == [f"level_{number}" for number in range(1, 6)]
    assert len(project["defs"]["tilesets"]) == 1
    places = [(level["worldX"] // 16, level["worldY"] // 16) for level in project["levels"]]
    assert places == [(0, 0), (32, 0), (64, 0), (0, 22), (32, 22)]
    for number, seed in enumerate(done.seeds.values()):
        assert tw.load(tmp_path / "levels.ldtk", index=number) == tw.run(DUNGEON, seed=seed)
        assert tw.verify(tmp_path / "levels.ldtk", index=number).outcome == "same"


def test_exporting_again(tmp_path: Path) -> None:
    export(tmp_path)
    assert export(tmp_path).written == ()
    assert export(tmp_path, 4).written == ("levels.ldtk",)
    project = read_project(tmp_path)
    project["levels"][0]["worldX"] = 5000  # as after dragging a level in the editor
    (tmp_path / "levels.ldtk").write_text(json.dumps(project))
    with pytest.raises(tw.BadFile, match=r"edited since the last export: levels\.ldtk"):
        export(tmp_path, 4, seed=8)
    assert export(tmp_path, 4, seed=8, edited="keep").kept == ("levels.ldtk",)
    assert read_project(tmp_path) == project


def test_floors_of_a_map_are_above_each_other(tmp_path: Path) -> None:
    map, engine = deep_map(), engine_registry.get("ldtk")
    built = engine.build([Level("one", map), Level("two", map)], engine.params.validate({"gap": 0}), tmp_path)
    levels = json.loads(built.files["levels.ldtk"])["levels"]
    depths = [*range(len(map.cells))]
    assert [level["worldDepth"] for level in levels] == depths * 2
    assert [level["worldX"] for level in levels] == [0] * len(depths) + [map.width * 16] * len(depths)


def test_the_users_own_picture_is_copied(tmp_path: Path) -> None:
    recipe = tw.recipe("caves", width=12, height=8, tileset=str(write_own_tiles(tmp_path)))
    tw.export_project(recipe, tmp_path / "game", engine="ldtk", count=2, seed=1)
    for tileset in read_project(tmp_path / "game")["defs"]["tilesets"]:
        assert (tmp_path / "game" / tileset["relPath"]).is_file()


def test_tiles_must_be_square_and_nothing_is_written(tmp_path: Path) -> None:
    own = write_own_tiles(tmp_path)
    own.write_text(own.read_text().replace("tile_height = 8", "tile_height = 4"))
    recipe = tw.recipe("caves", width=12, height=8, tileset=str(own))
    with pytest.raises(tw.TilewrightError, match="square"):
        tw.export_project(recipe, tmp_path / "game", engine="ldtk", count=2, seed=1)
    assert not (tmp_path / "game").exists()
