"""Scenes in the real Godot 4. The environment variable TILEWRIGHT_GODOT names its program."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

import tilewright as tw
from tests.formats.maps import deep_map, sprite_map
from tests.formats.test_godot import PLAN, THINGS, read_plan, with_skins
from tests.formats.test_round_trips import MAPS as FOUR_MAPS
from tests.formats.test_round_trips import make_map
from tests.godot import PROGRAM, needs_godot, run_godot, run_script
from tilewright.formats._artwork import Artwork
from tilewright.formats._godot.atlas import Atlas
from tilewright.formats._layers import ground_tiles, sprite_layers

pytestmark = needs_godot
SCRIPTS = Path(__file__).parent / "godot"
COLUMNS = [
    "x",
    "y",
    "source",
    "column",
    "row",
    "alternative",
    "exists",
    "tile_id",
    "passable",
    "collisions",
    "occluders",
    "navigation",
]
"""Numbers that cells.gd writes for each cell of a layer."""
DUNGEON = tw.make("bsp", width=40, height=28, seed=7, shaping=["doors", "place"])
DUAL = with_skins(THINGS, {"tile": "floor", "under": ["wall"]}, {"tile": "wall", "layout": "corner16"})
MAPS = {
    "dungeon": DUNGEON,
    "things": read_plan(PLAN, THINGS),
    "dual grid": read_plan(PLAN, DUAL),
    "blob": read_plan(PLAN, with_skins(THINGS, {"tile": "wall", "layout": "blob47"})),
    "levels": deep_map(),
    "own picture": sprite_map(),
    **{f"finished {name}": make_map(name) for name in FOUR_MAPS},
    "large": tw.make("caves", width=512, height=512, seed=7),
}
GRAY = (77, 77, 77, 255)
"""Color of Godot's window where nothing is drawn."""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a Godot project with all scenes, whose pictures are imported."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "project.godot").write_text('config_version=5\n\n[application]\nconfig/name="check"\n')
    for script in (one for one in SCRIPTS.glob("*.gd") if one.name != "page.gd"):
        (folder / script.name).write_bytes(script.read_bytes())
    for name, map in MAPS.items():
        map.save(folder / "levels" / f"{name.replace(' ', '-')}.tscn")
    run_godot(folder, "--import")
    return folder


def scene_of(name: str) -> str:
    return f"res://levels/{name.replace(' ', '-')}.tscn"


def read_layers(project: Path, name: str) -> list[Mapping[str, NDArray[np.int32]]]:
    """Return what Godot knows about the cells of each layer, by name of the fact."""
    run_script(project, "cells", scene_of(name), str(project / "cells.bin"))
    numbers = np.frombuffer((project / "cells.bin").read_bytes(), dtype="<i4")
    layers: list[Mapping[str, NDArray[np.int32]]] = []
    while len(numbers):
        count = int(numbers[0])
        table = numbers[1 : 1 + count * len(COLUMNS)].reshape(count, len(COLUMNS))
        layers.append(dict(zip(COLUMNS, table.T, strict=True)))
        numbers = numbers[1 + count * len(COLUMNS) :]
    return layers


@pytest.mark.parametrize("name", MAPS)
def test_godot_has_no_wrong_cell(project: Path, name: str) -> None:
    map = MAPS[name]
    layers = read_layers(project, name)
    depth = map.shape[0] if map.cells.ndim == 3 else 1
    expected = sprite_layers(map, keep_hidden=True)
    atlas = Atlas.of(Artwork.of(map.tileset))
    per_level = len(layers) // depth
    assert per_level == len(expected) + bool(len(atlas.invisible))
    wrong = 0
    for level in range(depth):
        cells = map.cells[level] if map.cells.ndim == 3 else map.cells
        counts = {fact: np.zeros(cells.shape, dtype=int) for fact in ("collisions", "occluders", "navigation", "own")}
        for number, found in enumerate(layers[level * per_level : (level + 1) * per_level]):
            assert found["exists"].all()
            row, column = found["y"], found["x"]
            if number < len(expected):
                sprites = expected[number].sprites[level] if map.cells.ndim == 3 else expected[number].sprites
                shown = (sprites >= 0) & atlas.is_visible[sprites]
                shown[row, column] = False
                assert not shown.any()
                code = found["source"] | found["column"].astype(np.int64) << 16 | found["row"].astype(np.int64) << 32
                wanted = atlas.solid[sprites[row, column]].astype(np.int64)
                place = (1 << 48) - 1  # without the alternative, which decides the collision
                wrong += int((code & place != wanted & place).sum())
                if any(expected[number].offset):
                    assert not any(found[fact].any() for fact in ("collisions", "occluders", "navigation"))
                    continue
            for fact in ("collisions", "occluders", "navigation"):
                counts[fact][row, column] += found[fact]
            counts["own"][row, column] |= found["tile_id"] == cells[row, column]
        passable = map.tileset.passable[cells]
        wrong += int((counts["collisions"] != ~passable).sum())
        wrong += int((counts["navigation"] != passable).sum())
        wrong += int((counts["occluders"] != map.tileset.blocks_sight[cells]).sum())
        wrong += int((counts["own"] == 0).sum())
    assert wrong == 0


@pytest.mark.parametrize("name", ["dungeon", "things", "dual grid", "levels"])
def test_bodies_and_rays_stop_at_impassable_cells(project: Path, name: str) -> None:
    map = MAPS[name]
    passable = map.passable[0] if map.cells.ndim == 3 else map.passable
    (found,) = run_script(project, "physics", scene_of(name), str(map.width), str(map.height), "16")
    assert np.array_equal(np.array(found["solid"]).reshape(passable.shape), ~passable)
    expected = []
    for row, column in np.argwhere(passable).tolist():
        above, below = passable[:row, column][::-1], passable[row + 1 :, column]
        before, after = passable[row, :column][::-1], passable[row, column + 1 :]
        starts = (0.5 + 1.3 / 16, 0.5 - 0.7 / 16, 0.5 - 1.3 / 16, 0.5 + 0.7 / 16)
        for line, start in zip((above, after, below, before), starts, strict=True):
            expected.append(-1.0 if line.all() else int(line.argmin()) + start)
    assert np.allclose(found["reach"], expected, atol=1e-3)


def test_navigation_finds_the_way_from_start_to_exit(project: Path) -> None:
    (found,) = run_script(project, "physics", scene_of("dungeon"), "40", "28", "16")
    start, goal = (next(one for one in DUNGEON.markers if one.name == name) for name in ("start", "exit"))
    path = np.array(found["path"])
    assert np.allclose(path[0], (start.x + 0.5, start.y + 0.5))
    assert np.allclose(path[-1], (goal.x + 0.5, goal.y + 0.5))
    for one, other in pairwise(path):
        for share in np.linspace(0.01, 0.99, 40):
            # Points on an edge belong to the cells at both sides of it.
            x, y = one + share * (other - one)
            around = {(int(y + dy), int(x + dx)) for dy in (-1e-3, 1e-3) for dx in (-1e-3, 1e-3)}
            assert any(DUNGEON.passable[place] for place in around)


def skinned(layout: str) -> tw.TileMap:
    """Return the dungeon with a skin of its walls, which replace the rock."""
    tileset = with_skins(DUNGEON.tileset, {"tile": "wall", "layout": layout})
    cells = np.where(DUNGEON.where("rock"), tileset.id("wall"), DUNGEON.cells)
    return tw.TileMap(cells, tileset)


TERRAINS = {"blob47": skinned("blob47"), "edge16": skinned("edge16"), "cave": make_map("cave")}


@pytest.mark.parametrize("name", TERRAINS)
def test_the_terrain_solver_of_godot_picks_the_same_tiles(project: Path, name: str) -> None:
    map = TERRAINS[name]
    map.save(project / f"terrain-{name}.tscn")
    run_godot(project, "--import")
    is_wall = map.where("wall")
    around = np.pad(is_wall, 2, constant_values=True)  # The outside of the map counts as wall.
    painted = [[x - 2, y - 2] for y, x in np.argwhere(around).tolist()]
    (project / "painted.json").write_text(json.dumps(painted))
    (picked,) = run_script(project, "terrain", f"res://terrain-{name}-tiles.tres", "0", "0", "res://painted.json")
    artwork = Artwork.of(map.tileset)
    atlas = Atlas.of(artwork)
    skin = next(number for number, one in enumerate(map.tileset.skins) if one.tile == "wall")
    compared = 0
    for layer in sprite_layers(map, keep_hidden=True):
        shown = {
            (column, row): int(atlas.solid[number])
            for (row, column), number in np.ndenumerate(layer.sprites)
            if number >= 0 and artwork.sprites[number].skin == skin and is_wall[row, column]
        }
        for (x, y), (source, column, row, alternative) in zip(painted, picked, strict=True):
            if (x, y) in shown:
                assert source | column << 16 | row << 32 | alternative << 48 == shown[x, y], (x, y)
                compared += 1
    assert compared == is_wall.sum() > 300


@pytest.mark.parametrize("name", ["dungeon", "things", "dual grid", "levels", "own picture"])
def test_scenes_that_godot_saved_again_are_read(project: Path, name: str) -> None:
    copy = f"res://levels/{name.replace(' ', '-')}-copy.tscn"
    assert run_script(project, "resave", scene_of(name), copy) == [0]
    assert tw.load(project / copy.removeprefix("res://")) == MAPS[name]


@pytest.mark.parametrize(
    "name", ["dungeon", "things", "dual grid", "blob", *(f"finished {name}" for name in FOUR_MAPS)]
)
def test_godot_draws_the_same_picture(project: Path, name: str) -> None:
    map = MAPS[name]
    side = map.tileset.sheet.tile_width if map.tileset.sheet else 16
    size = (map.width * side, map.height * side)
    script = ["--script", "render.gd", "--", scene_of(name), str(project / "shot.png")]
    window = ["--rendering-driver", "opengl3", "--audio-driver", "Dummy", "--resolution", "1024x1024"]
    command = [PROGRAM, *window, "--path", str(project), *script]
    result = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)
    if result.returncode or not (project / "shot.png").exists():
        pytest.skip("Godot cannot open a window")
    shot = Image.open(project / "shot.png").convert("RGB").crop((0, 0, *size))
    (project / "shot.png").unlink()
    expected = Image.new("RGBA", size, GRAY)
    expected.alpha_composite(map.image(scale=side, sprites=True, markers=False).convert("RGBA"))
    difference = np.asarray(shot).astype(int) - np.asarray(expected.convert("RGB"))
    assert abs(difference).max() <= 1  # Half-transparent pixels are rounded differently.


def test_the_functions_of_the_page_work(project: Path) -> None:
    page = (Path(__file__).parents[2] / "docs/engines/godot.md").read_text()
    blocks = re.findall(r"```gdscript\n(func .*?)```", page, re.DOTALL)
    script = "\n".join(["extends SceneTree", *blocks, (SCRIPTS / "page.gd").read_text()])
    (project / "all.gd").write_text(script)
    (found,) = run_script(project, "all")
    map = MAPS["things"]
    ground = ground_tiles(map)
    assert len(found["ground"]) == map.where("statue", "door", "bridge").sum()
    for x, y, tile, walks, is_open, is_passable in found["ground"]:
        assert tile == ground[y, x]
        assert walks == is_open == is_passable == map.tileset[int(tile)].passable
    assert found["left"] == 0
    layers = len(found["shown"]) // 3
    assert found["shown"] == [[False, False]] * 2 * layers + [[True, True]] * layers
