"""Layers of sprites in TMX and TMJ: skins, ground under things, Wang sets and collision shapes."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

import tilewright as tw
from tests.formats.maps import encode_image
from tests.formats.test_tiled import assert_same_colors, both, encode_files, rasterizer, render_with_tiled, round_trip
from tests.tilesets import parse_tiles
from tilewright import formats
from tilewright.core.skins import LAYOUTS, reduce_mask
from tilewright.core.tileset import Sheet
from tilewright.formats import Source, decode

TILES = parse_tiles(
    "floor kind=stone; wall kind=brick solid; water kind=water solid; sand kind=sand opaque; "
    "grass kind=grass weight=2 foot=1.5; door kind=door over=floor opaque; statue over=* solid; bridge over=water"
)
TERRAINS: list[dict[str, Any]] = [
    {"tile": "water", "under": ["sand", "grass"]},
    {"tile": "sand", "under": ["grass"]},
    {"tile": "grass"},
]
SKINS: dict[str, list[dict[str, Any]]] = {
    "none": [],
    "blob47": [{"tile": "wall", "with": ["door"], "layout": "blob47"}],
    "edge16": [{"tile": "wall", "layout": "edge16", "outside": False}],
    "corner16": [{"tile": "wall", "layout": "corner16"}],
    "terrains": [{**skin, "layout": "blob47"} for skin in TERRAINS],
    "terrains between cells": [{**skin, "layout": "corner16"} for skin in TERRAINS],
    "hidden": [{"tile": "grass", "layout": "edge16"}, {"tile": "sand", "under": ["grass"], "layout": "edge16"}],
}
by_skin = pytest.mark.parametrize("skins", SKINS.values(), ids=list(SKINS))
BETWEEN = ("corner16", "terrains between cells")


def make_map(skins: list[dict[str, Any]], *, deep: bool = False) -> tw.TileMap:
    """Return a map with patches of terrain and some things."""
    rng = np.random.default_rng(3)
    cells = np.kron(rng.choice(5, size=(7, 10), p=[0.25, 0.25, 0.2, 0.15, 0.15]), np.ones((3, 3), dtype=int))
    is_thing = rng.random(cells.shape) < 0.08
    cells[is_thing] = rng.integers(5, 8, size=is_thing.sum())
    tileset = tw.Tileset.validate({"name": "mixed", "tiles": TILES, "skins": skins})
    return tw.TileMap(np.stack([cells, cells[::-1]]) if deep else cells, tileset)


@both
@by_skin
@pytest.mark.parametrize("deep", [False, True])
def test_reading_back_gives_the_same_map(name: str, skins: list[dict[str, Any]], deep: bool) -> None:
    map = make_map(skins, deep=deep)
    found = round_trip(map, name).map
    assert found == map
    assert found.tileset.to_data() == map.tileset.to_data()


@pytest.mark.parametrize("recipe", ["archipelago", "skirmish"])
def test_the_tilesets_of_recipes_are_read_back(recipe: str) -> None:
    map = tw.run(recipe, seed=3)
    found = round_trip(map, "tmx").map
    assert found == map
    assert found.tileset.to_data() == map.tileset.to_data()


def test_layers_depend_on_the_tileset_only() -> None:
    for skins in SKINS.values():
        map = make_map(skins)
        plain = map.replace(cells=np.zeros_like(map.cells))
        names = [
            [
                layer["name"]
                for layer in json.loads(formats.encode(one, "tmj"))["layers"]
                if layer["type"] == "tilelayer"
            ]
            for one in (map, plain)
        ]
        assert names[0] == names[1]
        assert names[0][-1] == "things"


def test_levels_with_several_layers_are_groups_that_can_be_read_alone() -> None:
    map = make_map(SKINS["blob47"], deep=True)
    document = json.loads(formats.encode(map, "tmj"))
    assert [(layer["type"], layer["name"]) for layer in document["layers"]] == [
        ("group", "level 0"),
        ("group", "level 1"),
    ]
    assert [layer["visible"] for layer in document["layers"]] == [True, False]
    source, entry = Source(formats.encode(map, "tmj"), "x.tmj"), formats.format_registry.get("tmj")
    for wanted in ("level 1", "2"):
        assert np.array_equal(decode(source, entry, layer=wanted)[0].map.cells, map.cells[1])


# -- pictures -------------------------------------------------------------------------------------------------


def own_picture(size: int, columns: int, rows: int) -> bytes:
    """Return a picture of opaque sprites, each of its own color."""
    colors = np.random.default_rng(5).integers(0, 256, size=(rows, columns, 3), dtype=np.uint8)
    return encode_image(Image.fromarray(colors.repeat(size, axis=0).repeat(size, axis=1)))


def with_sheet(map: tw.TileMap) -> tw.TileMap:
    """Return the map with sprites of a picture of our own for the wall and its skin; other tiles are drawn."""
    sheet = Sheet(image="mine.png", tile_width=8, tile_height=8, columns=8).with_picture(own_picture(8, 8, 7), "")
    tiles = [{**tile, **({"sprite": 46} if tile["name"] == "wall" else {})} for tile in TILES]
    skins = [{"tile": "wall", "with": ["door"], "layout": "blob47", "first": 0}]
    tileset = tw.Tileset.validate({"name": "mine", "tiles": tiles, "skins": skins, "sheet": sheet.to_data()})
    return map.replace(tileset=tileset.model_copy(update={"sheet": sheet}))


def test_the_users_picture_stays_referenced() -> None:
    map = with_sheet(make_map([]))
    files = encode_files(map, "tmj")
    document = json.loads(files["level.tmj"])
    assert list(files) == ["level.tmj", "mine.png", "level-tiles.png"]
    assert [one["image"] for one in document["tilesets"]] == [
        "mine.png",
        "level-tiles.png",
        "mine.png",
        "level-tiles.png",
    ]
    walls = {tile["id"] for tile in document["tilesets"][0]["tiles"]}
    assert walls == {*range(47)}
    assert round_trip(map, "tmj").map == map


@rasterizer
@pytest.mark.parametrize("suffix", ["tmx", "tmj"])
@pytest.mark.parametrize("skins", [*SKINS, "own picture"])
def test_tiled_draws_the_same_pixels_as_our_picture(skins: str, suffix: str, tmp_path: Path) -> None:
    map = make_map(SKINS.get(skins, []))
    map = with_sheet(map) if skins == "own picture" else map
    scale = 8 if skins == "own picture" else 16
    formats.save(map, tmp_path / f"level.{suffix}")
    picture = Image.open(io.BytesIO(formats.encode(map, "png", scale=scale, sprites=True)))
    wanted = np.asarray(picture.convert("RGB"))
    found = render_with_tiled(tmp_path / f"level.{suffix}")
    # Layers that start half a cell outside the map make Tiled's picture larger.
    edge = scale // 2 if skins in BETWEEN else 0
    found = found[edge : edge + wanted.shape[0], edge : edge + wanted.shape[1]]
    assert found.shape[:2] == wanted.shape[:2]
    is_opaque = found[..., 3] == 255
    assert is_opaque.mean() > 0.95
    assert_same_colors(found[is_opaque][:, :3], wanted[is_opaque], map.tileset)


@rasterizer
def test_tiled_draws_maps_of_our_tilesets(tmp_path: Path) -> None:
    for number, map in enumerate(
        [
            tw.make("caves", width=40, height=28, seed=7),
            tw.make("bsp", width=40, height=28, seed=7, shaping=["doors", "place"]),
            tw.make("noise", width=40, height=28, seed=2),
            tw.run("skirmish", seed=3),
        ]
    ):
        formats.save(map, tmp_path / f"{number}.tmx")
        found = render_with_tiled(tmp_path / f"{number}.tmx")
        wanted = np.asarray(map.image(scale=16, sprites=True, markers=False).convert("RGB"))
        edge = found.shape[0] - wanted.shape[0]
        assert (found[edge:, edge:, 3] == 255).all()
        assert_same_colors(found[edge:, edge:, :3], wanted, map.tileset)


# -- Wang sets ------------------------------------------------------------------------------------------------


def wang_sets(map: tw.TileMap) -> list[dict[str, Any]]:
    document = json.loads(formats.encode(map, "tmj"))
    return [{**one, "tileset": part["name"]} for part in document["tilesets"] for one in part.get("wangsets", ())]


def test_skins_become_wang_sets() -> None:
    for layout, kind in (("blob47", "mixed"), ("edge16", "edge"), ("corner16", "corner")):
        map = make_map(SKINS[layout])
        (found,) = wang_sets(map)
        assert (found["name"], found["type"]) == ("wall", kind)
        assert [color["name"] for color in found["colors"]] == ["wall", "other"]
        ids = [tuple(tile["wangid"]) for tile in found["wangtiles"]]
        assert len(set(ids)) == len(ids)  # Tiled has no choice
        own = [number for number in LAYOUTS[layout].all_masks if number]
        floor = 0 if layout == "corner16" else 1
        assert len(ids) == len(own) + floor


def test_wang_ids_are_the_masks_of_the_sprites() -> None:
    document = json.loads(formats.encode(make_map(SKINS["blob47"]), "tmj"))
    part = document["tilesets"][0]
    masks = {
        tile["id"]: next((one["value"] for one in tile["properties"] if one["name"] == "mask"), 0)
        for tile in part["tiles"]
    }
    for tile in part["wangsets"][0]["wangtiles"]:
        mask = masks[tile["tileid"]]
        assert tile["wangid"] == [1 if mask >> bit & 1 else 2 for bit in range(8)]
        assert mask == reduce_mask(mask)


def test_both_formats_have_the_same_wang_sets_and_shapes() -> None:
    map = make_map(SKINS["terrains"])
    document = json.loads(formats.encode(map, "tmj"))
    root = ET.fromstring(formats.encode(map, "tmx"))
    for part, element in zip(document["tilesets"], root.iter("tileset"), strict=True):
        found = [
            (int(tile.attrib["tileid"]), [int(number) for number in tile.attrib["wangid"].split(",")])
            for tile in element.iter("wangtile")
        ]
        assert found == [
            (tile["tileid"], tile["wangid"]) for one in part.get("wangsets", ()) for tile in one["wangtiles"]
        ]
        shapes = {int(tile.attrib["id"]) for tile in element.iter("tile") if tile.find("objectgroup") is not None}
        assert shapes == {tile["id"] for tile in part["tiles"] if "objectgroup" in tile}


TILED = os.environ.get("TILEWRIGHT_TILED", "tiled")
REFILL = (Path(__file__).parent / "scripts/refill_wang_sets.js").read_text()


def has_wang_edit() -> bool:
    """Return whether Tiled 1.8 or newer with a terrain brush for scripts can be run."""
    if not shutil.which(TILED):
        return False
    done = subprocess.run([TILED, "--version"], capture_output=True, text=True, env=offscreen(), timeout=60)
    version = done.stdout.split()[-1].split(".") if done.stdout else ["0", "0"]
    return [int(part) for part in version[:2]] >= [1, 10]


def offscreen() -> dict[str, str]:
    return {**os.environ, "QT_QPA_PLATFORM": "offscreen"}


@pytest.mark.skipif(not has_wang_edit(), reason="Tiled 1.10 or newer is missing (TILEWRIGHT_TILED names it)")
@pytest.mark.parametrize("skins", ["blob47", "edge16", "corner16", "terrains", "terrains between cells"])
def test_the_terrain_brush_of_tiled_chooses_the_same_sprites(skins: str, tmp_path: Path) -> None:
    # A wall joins a door on the floor, which Tiled's terrains cannot express.
    alone = [{key: value for key, value in skin.items() if key != "with"} for skin in SKINS[skins]]
    formats.save(make_map(alone), tmp_path / "level.tmx")
    (tmp_path / "refill.js").write_text(REFILL.replace("PATH", json.dumps(str(tmp_path / "level.tmx"))))
    command = [TILED, "--evaluate", str(tmp_path / "refill.js")]
    done = subprocess.run(command, capture_output=True, text=True, env=offscreen(), timeout=120)
    filled, changed = (int(part.split()[-1]) for part in done.stdout.split("filled", 1)[1].splitlines()[0].split(","))
    assert filled > 50
    assert changed == 0


# -- collision shapes -----------------------------------------------------------------------------------------


def solid_cells(map: tw.TileMap, **options: Any) -> NDArray[np.bool_]:
    """Return which cells have a collision shape in any layer."""
    document = json.loads(formats.encode(map, "tmj", **options))
    solid = {
        part["firstgid"] + tile["id"]
        for part in document["tilesets"]
        for tile in part["tiles"]
        if "objectgroup" in tile
    }
    found = np.zeros(map.shape, dtype=np.bool_)
    for layer in document["layers"]:
        if layer["type"] != "tilelayer":
            continue
        gids = np.array(layer["data"]).reshape(layer["height"], layer["width"])
        here = np.isin(gids, sorted(solid))
        if layer.get("offsetx"):
            assert not here.any()
        else:
            found |= here
    return found


@by_skin
def test_the_cells_of_impassable_tiles_are_solid(skins: list[dict[str, Any]]) -> None:
    """A bridge over water is not, a statue on the floor is."""
    map = make_map(skins)
    assert np.array_equal(solid_cells(map), ~map.passable)
    assert not solid_cells(map, collisions=False).any()


def test_collision_shapes_cover_their_tile() -> None:
    document = json.loads(formats.encode(make_map([]), "tmj", tile_size=24))
    (shape,) = document["tilesets"][0]["tiles"][1]["objectgroup"]["objects"]
    assert (shape["x"], shape["y"], shape["width"], shape["height"]) == (0, 0, 24, 24)


# -- edits in Tiled -------------------------------------------------------------------------------------------


def edit(map: tw.TileMap, change: Any) -> tw.TileMap:
    """Return the map that is read after a change of its document."""
    document = json.loads(formats.encode(map, "tmj"))
    by_name = {layer["name"]: layer for layer in document["layers"]}
    change(document, by_name)
    return decode(Source(json.dumps(document).encode(), "x.tmj"), formats.format_registry.get("tmj"))[0].map


def find_gid(document: dict[str, Any], name: str, mask: int = 0) -> int:
    """Return the last gid of a tile, with a mask."""
    found = 0
    for part in document["tilesets"]:
        for tile in part["tiles"]:
            about = {one["name"]: one["value"] for one in tile["properties"]}
            if about["name"] == name and about.get("mask", 0) == mask:
                found = part["firstgid"] + tile["id"]
    return found


@by_skin
def test_painted_and_erased_things_are_read(skins: list[dict[str, Any]]) -> None:
    map = make_map(skins)
    (row, column), (free_row, free_column) = np.argwhere(map.where("door"))[0], np.argwhere(map.where("floor"))[0]

    def change(document: dict[str, Any], layers: dict[str, Any]) -> None:
        layers["things"]["data"][row * map.width + column] = 0
        layers["things"]["data"][free_row * map.width + free_column] = find_gid(document, "statue")
        layers["things"]["visible"] = False  # as while editing the ground

    found = edit(map, change)
    assert found.tileset[int(found.cells[free_row, free_column])].name == "statue"
    assert found.tileset[int(found.cells[row, column])].name in ("floor", "wall")
    assert (found.cells != map.cells).sum() == 2


@pytest.mark.parametrize("skins", ["none", "blob47", "edge16", "hidden"])
def test_painted_ground_is_read(skins: str) -> None:
    map = make_map(SKINS[skins])
    at = int(np.flatnonzero(map.where("floor"))[0])

    def change(document: dict[str, Any], layers: dict[str, Any]) -> None:
        layers["ground"]["data"][at] = find_gid(document, "wall")

    found = edit(map, change)
    assert found.where("wall").flat[at]
    assert (found.cells != map.cells).sum() == 1


def test_terrain_painted_between_cells_is_read() -> None:
    tileset = tw.Tileset.validate({"name": "mixed", "tiles": TILES, "skins": SKINS["corner16"]})
    cells = np.zeros((6, 6), dtype=int)
    map = tw.TileMap(cells, tileset)
    painted = tw.TileMap(np.where(np.pad(np.ones((2, 3)), ((1, 3), (2, 1))) > 0, 1, cells), tileset)
    drawing = {layer["name"]: layer["data"] for layer in json.loads(formats.encode(painted, "tmj"))["layers"]}

    def change(document: dict[str, Any], layers: dict[str, Any]) -> None:
        for name in ("ground", "ground 2"):
            layers[name]["data"] = drawing[name]

    assert edit(map, change) == painted


def test_tiles_painted_on_the_layer_of_cells_are_read() -> None:
    map = make_map(SKINS["corner16"])

    def change(document: dict[str, Any], layers: dict[str, Any]) -> None:
        data = layers["cells"]["data"]
        data[0], data[1] = data[1], find_gid(document, "water")

    found = edit(map, change)
    assert found.where("water")[0, 1]
    assert (found.cells.ravel()[2:] == map.cells.ravel()[2:]).all()


def test_tiles_on_a_new_layer_are_read() -> None:
    map = make_map(SKINS["blob47"])

    def change(document: dict[str, Any], layers: dict[str, Any]) -> None:
        data = [0] * map.cells.size
        data[5] = find_gid(document, "grass")
        added = {"type": "tilelayer", "name": "mine", "width": map.width, "height": map.height, "data": data}
        document["layers"] += [added, {**added, "name": "hidden", "visible": False, "data": [1] * map.cells.size}]

    found = edit(map, change)
    assert found.where("grass").flat[5]
    assert (found.cells != map.cells).sum() <= 1


# -- markers and rooms ----------------------------------------------------------------------------------------


@both
def test_markers_keep_their_class_and_properties(name: str) -> None:
    about: dict[str, bool | int | float | str] = {"level": 3, "boss": True, "speed": 0.5, "says": 'a "b"'}
    for deep in (False, True):
        map = make_map([], deep=deep)
        markers = [tw.Marker("orc", 3, 2, int(deep), about), tw.Marker("marker", 1, 1, 0, {"level": 2})]
        map = map.replace(markers=markers)
        assert round_trip(map, name).map.markers == tuple(markers)
    document = json.loads(formats.encode(map, "tmj"))
    orc = document["layers"][-1]["objects"][0]
    assert (orc["name"], orc["type"], orc["point"]) == ("orc", "orc", True)


def test_rooms_are_areas_for_godot() -> None:
    map = make_map([]).replace(rooms=[tw.Room(0, 0, 3, 4)])
    (room,) = json.loads(formats.encode(map, "tmj"))["layers"][-1]["objects"]
    assert room["properties"] == [{"name": "godot_node_type", "type": "string", "value": "area"}]


def test_no_property_has_a_dot() -> None:
    """Godot does not accept dots in the names of metadata."""
    map = make_map(SKINS["terrains"]).replace(numbers={"a": 1.0}, layers={"height": np.zeros((21, 30))})
    document = json.loads(formats.encode(map, "tmj"))
    text = json.dumps(document)
    assert '"number_a"' in text
    assert '"layer_height"' in text
    assert '"cost_foot"' in text
    names: set[str] = set()

    def collect(part: Any) -> None:
        for one in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
            collect(one)
        if isinstance(part, dict) and isinstance(part.get("properties"), list):
            names.update(one["name"] for one in part["properties"])

    collect(document)
    assert not [name for name in names if "." in name]
