"""Scenes of Godot, decoded independently of the implementation."""

from __future__ import annotations

import base64
import io
import json
import re
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

import tilewright as tw
from tests.cases import read_table
from tests.formats.maps import EXAMPLES, deep_map, full_map, read_map, same, sheet_of, sprite_map, with_sheet
from tests.refusals import refused
from tests.tilesets import make_tileset
from tilewright import formats
from tilewright.formats._layers import ground_tiles

GODOT = formats.format_registry.get("godot")
read = partial(read_map, "godot")
VECTOR = re.compile(r"\w+\(([^()]*)\)")
THINGS = make_tileset(
    "floor kind=stone; wall kind=brick solid; chasm kind=pit solid; door over=floor opaque; statue over=* solid; "
    "bridge over=chasm",
    "things",
)
PLAN = """
#########
#...s...#
#.......+
##~~b~~##
#.......#
#########
"""


@dataclass
class Section:
    """A section of a text file of Godot."""

    tag: str
    attributes: dict[str, str]
    properties: dict[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return str(json.loads(self.attributes["name"]))

    def numbers(self, key: str) -> list[float]:
        found = VECTOR.fullmatch(self.properties[key])
        assert found
        return [float(number) for number in found[1].split(",")]

    def text(self, key: str) -> str:
        return str(json.loads(self.properties[key]))


def parse(content: bytes) -> list[Section]:
    """Parse a text file in which every property is on one line."""
    sections = []
    for line in content.decode().splitlines():
        if line.startswith("["):
            tag, _, rest = line[1:-1].partition(" ")
            found = re.findall(r'(\w+)=("(?:[^"\\]|\\.)*"|\[.*?\]|\S+)', rest)
            sections.append(Section(tag, dict(found)))
        elif line:
            key, equals, value = line.partition(" = ")
            assert equals
            assert key not in sections[-1].properties
            sections[-1].properties[key] = value
    return sections


@dataclass(frozen=True)
class Placed:
    """A tile of an atlas in a cell of a layer."""

    layer: str
    key: tuple[int, int, int, int]
    """Source, column, row, alternative."""
    data: Mapping[str, str]


class Scene:
    """A decoded scene with its tileset."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        names = list(files)
        self.files = files
        self.header, self.reference, self.root, *self.nodes = parse(files[names[0]])
        assert names[1] == json.loads(self.reference.attributes["path"]).rpartition("/")[2]
        resource = parse(files[names[1]])
        self.tileset = resource[-1].properties
        self.pictures = [json.loads(one.attributes["path"]) for one in resource if one.tag == "ext_resource"]
        sources = [one for one in resource if one.attributes.get("type") == '"TileSetAtlasSource"']
        self.sources = [one.properties for one in sources]
        self.tiles: dict[tuple[int, int, int, int], dict[str, str]] = {}
        for number, source in enumerate(self.sources):
            for key, value in source.items():
                if found := re.fullmatch(r"(\d+):(\d+)/(\d+)(?:/(.*))?", key):
                    column, row, alternative = int(found[1]), int(found[2]), int(found[3])
                    data = self.tiles.setdefault((number, column, row, alternative), {})
                    if found[4]:
                        data[found[4]] = value
                    else:
                        assert value == str(alternative)
                        assert not data
        shift = [key for key in self.tileset if key.startswith("custom_data_layer_") and key.endswith("/name")]
        self.custom = {json.loads(self.tileset[key]): key.split("_")[3].split("/")[0] for key in shift}

    @property
    def layers(self) -> list[Section]:
        return [node for node in self.nodes if node.attributes["type"] == '"TileMapLayer"']

    def of_type(self, kind: str) -> list[Section]:
        return [node for node in self.nodes if node.attributes["type"] == f'"{kind}"']

    def iter_cells(self, layer: Section) -> Iterator[tuple[int, int, Placed]]:
        """Yield column, row and tile of each cell of a layer."""
        found = VECTOR.fullmatch(layer.properties["tile_map_data"])
        assert found
        packed = found[1].startswith('"')
        assert self.header.attributes["format"] == ("4" if packed else "3")
        data = base64.b64decode(found[1][1:-1]) if packed else bytes(int(one) for one in found[1].split(",") if one)
        assert data[:2] in (b"\0\0", b"")
        for x, y, source, column, row, alternative in struct.iter_unpack("<hhHHHH", data[2:]):
            key = (source, column, row, alternative)
            assert key in self.tiles, "Godot shows nothing for a tile that does not exist"
            yield x, y, Placed(layer.name, key, self.tiles[key])

    def custom_data(self, tile: Placed) -> dict[str, Any]:
        return {
            name: json.loads(tile.data[f"custom_data_{number}"])
            for name, number in self.custom.items()
            if f"custom_data_{number}" in tile.data
        }


SHAPES = {
    "collision": "physics_layer_0/polygon_0/points",
    "occluder": "occlusion_layer_0/polygon",
    "navigation": "navigation_layer_0/polygon",
}


def write(map: tw.TileMap, path: Path = Path("level.tscn"), **options: Any) -> Scene:
    return Scene(GODOT.write(map, GODOT.params.validate(options), path))


def check_cells(map: tw.TileMap, scene: Scene) -> None:
    """Check that each cell has the shapes and the data of the map's tile exactly once, over all layers."""
    levels = map.cells if map.cells.ndim == 3 else map.cells[None]
    found: dict[tuple[int, int, int], list[Placed]] = {}
    for layer in scene.layers:
        parent = json.loads(layer.attributes["parent"])
        level = 0 if parent == "." else int(parent.removeprefix("Level"))
        for x, y, one in scene.iter_cells(layer):
            found.setdefault((level, y, x), []).append(one)
    for (level, y, x), number in np.ndenumerate(levels):
        tile = map.tileset[int(number)]
        placed = found.pop((level, y, x))
        for name, key in SHAPES.items():
            wanted = {
                "collision": not tile.passable,
                "occluder": bool(map.tileset.blocks_sight[number]),
                "navigation": tile.passable,
            }[name]
            carriers = [one for one in placed if key in one.data]
            assert len(carriers) == wanted
            assert all(scene.custom_data(one)["tile_id"] == number for one in carriers)
        own = [data for one in placed if (data := scene.custom_data(one)) and data["tile_id"] == number]
        assert own
        assert all((one["name"], one["kind"], one["passable"]) == (tile.name, tile.kind, tile.passable) for one in own)
    # Layers between cells have a further row and column, without shapes.
    assert all(not {*SHAPES.values()} & {*one.data} for tiles in found.values() for one in tiles)


def read_plan(plan: str, tileset: tw.Tileset) -> tw.TileMap:
    names = {"#": "wall", ".": "floor", "s": "statue", "+": "door", "~": "chasm", "b": "bridge"}
    rows = [[tileset.id(names[glyph]) for glyph in line] for line in plan.strip().splitlines()]
    return tw.TileMap(rows, tileset)


def with_skins(tileset: tw.Tileset, *skins: Mapping[str, Any]) -> tw.Tileset:
    return tw.Tileset.validate({**tileset.to_data(), "skins": skins})


# -- cells ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("packed", [False, True])
def test_every_cell_has_its_tile_and_its_shapes(name: str, packed: bool) -> None:
    check_cells(EXAMPLES[name], write(EXAMPLES[name], packed=packed))


@pytest.mark.parametrize("name", ["cave", "dungeon", "terrain", "countryside", "awbw"])
def test_every_built_in_tileset_is_written(name: str) -> None:
    tileset = next(one for one in tw.list_tilesets() if one.name == name)
    map = tw.TileMap(np.random.default_rng(3).integers(0, len(tileset), size=(20, 30)), tileset)
    scene = write(map)
    check_cells(map, scene)
    for path, content in list(scene.files.items())[2:]:
        picture = Image.open(io.BytesIO(content))
        assert f"res://{path}" in scene.pictures
        for source, column, row, _ in scene.tiles:
            assert source == 0
            assert (column + 1) * 16 <= picture.width
            assert (row + 1) * 16 <= picture.height


def test_the_tile_of_the_map_decides_the_collision_and_not_the_ground_under_it() -> None:
    map = read_plan(PLAN, THINGS)
    scene = write(map)
    assert [layer.name for layer in scene.layers] == ["Ground", "Things"]
    check_cells(map, scene)
    things = {(x, y): scene.custom_data(tile)["name"] for x, y, tile in scene.iter_cells(scene.layers[1])}
    assert things == {(4, 1): "statue", (8, 2): "door", (4, 3): "bridge"}


def test_the_lowest_layer_of_a_tile_has_its_collision_and_not_its_shadow() -> None:
    shadow = {"tile": "floor", "toward": ["wall"], "layout": "edge16", "outside": False}
    map = read_plan(PLAN, with_skins(THINGS, {"tile": "floor"}, shadow))
    scene = write(map)
    check_cells(map, scene)
    ground, shadows, _ = scene.layers
    floor = {(x, y) for x, y, tile in scene.iter_cells(ground) if SHAPES["navigation"] in tile.data}
    assert floor == {(x, y) for y, x in np.argwhere(map.where("floor")).tolist()}
    assert not any({*SHAPES.values()} & {*tile.data} for _, _, tile in scene.iter_cells(shadows))


def test_sprites_between_cells_have_no_collision_but_the_cells_do() -> None:
    tileset = with_skins(THINGS, {"tile": "floor", "under": ["wall"]}, {"tile": "wall", "layout": "corner16"})
    map = read_plan(PLAN, tileset)
    scene = write(map)
    check_cells(map, scene)
    between = [layer for layer in scene.layers if "position" in layer.properties]
    assert [layer.numbers("position") for layer in between] == [[-8, -8]]
    assert scene.layers[-1].name == "Cells"
    hidden = {(x, y) for x, y, _ in scene.iter_cells(scene.layers[-1])}
    assert hidden == {(x, y) for y, x in np.argwhere(map.where("wall")).tolist()}
    picture = np.asarray(Image.open(io.BytesIO(scene.files["level-tiles.png"])))
    _, column, row, _ = next(tile.key for _, _, tile in scene.iter_cells(scene.layers[-1]))
    assert not picture[row * 16 : row * 16 + 16, column * 16 : column * 16 + 16].any()


def test_levels_are_layers_of_which_the_first_is_visible() -> None:
    map = deep_map()
    scene = write(map)
    check_cells(map, scene)
    levels = [node for node in scene.nodes if node.name.startswith("Level")]
    assert [level.properties.get("visible", "true") for level in levels] == ["true", "false", "false"]
    enabled = {layer.attributes["parent"]: layer.properties.get("enabled", "true") for layer in scene.layers}
    assert enabled == {'"Level0"': "true", '"Level1"': "false", '"Level2"': "false"}
    (marker,) = scene.of_type("Marker2D")
    assert marker.properties["metadata/level"] == "2"


def test_cells_are_numbers_in_small_maps_and_packed_in_large_ones() -> None:
    assert write(tw.make("caves", width=64, height=64, seed=1)).header.attributes["format"] == "3"
    assert write(tw.make("caves", width=65, height=64, seed=1)).header.attributes["format"] == "4"


def test_large_maps_have_no_navigation_by_default() -> None:
    small, large = (tw.make("caves", width=width, height=256, seed=1) for width in (256, 257))
    assert "navigation_enabled" not in write(small).layers[0].properties
    assert write(large).layers[0].properties["navigation_enabled"] == "false"
    assert "navigation_enabled" not in write(large, navigation=True).layers[0].properties


@pytest.mark.parametrize(("option", "word"), [("collisions", "physics"), ("occluders", "occ"), ("navigation", "nav")])
def test_shapes_can_be_left_out(option: str, word: str) -> None:
    map = read_plan(PLAN, THINGS)
    assert word in write(map).files["level-tiles.tres"].decode()
    assert word not in write(map, Path("level.tscn"), **{option: False}).files["level-tiles.tres"].decode()


# -- markers and rooms ------------------------------------------------------------------------------------------


def test_markers_are_nodes_in_a_group_of_their_name() -> None:
    properties: dict[str, bool | int | float | str] = {
        "health": 3,
        "boss": True,
        "speed": 0.5,
        "title": 'a "b"\\',
        "cell": "x",
        "2 odd.name": -1,
    }
    markers = [
        tw.Marker("monster", 1, 2, properties=properties),
        tw.Marker("monster", 3, 4),
        tw.Marker('a.b/c:"%@\n\ud800é', 5, 6),
        tw.Marker("", 0, 0),
    ]
    scene = write(full_map().replace(markers=markers))
    nodes = scene.of_type("Marker2D")
    assert [node.name for node in nodes] == ["monster", "monster_2", "a_b_c_____" + "_é", "marker"]
    assert [node.attributes.get("groups") for node in nodes[:2]] == ['["monster"]'] * 2
    assert json.loads(nodes[2].attributes["groups"]) == ['a.b/c:"%@\n\ufffdé']
    assert "groups" not in nodes[3].attributes
    assert [node.numbers("position") for node in nodes] == [
        [(marker.x + 0.5) * 16, (marker.y + 0.5) * 16] for marker in markers
    ]
    assert [node.numbers("metadata/cell") for node in nodes] == [[marker.x, marker.y] for marker in markers]
    metadata = {
        key.removeprefix("metadata/"): json.loads(value)
        for key, value in nodes[0].properties.items()
        if key.startswith("metadata/") and key != "metadata/cell"
    }
    assert metadata == {
        "marker": "monster",
        "health": 3,
        "boss": True,
        "speed": 0.5,
        "title": 'a "b"\\',
        "cell_2": "x",
        "_2_odd_name": -1,
    }


def test_rooms_are_frames_and_links_are_metadata() -> None:
    map = tw.make("bsp", width=40, height=28, seed=7)
    scene = write(map, tile_size=8)
    rooms = scene.of_type("ReferenceRect")
    edges = ["offset_left", "offset_top", "offset_right", "offset_bottom"]
    assert [[float(room.properties[edge]) for edge in edges] for room in rooms] == [
        [room.x * 8, room.y * 8, (room.x + room.width) * 8, (room.y + room.height) * 8] for room in map.rooms
    ]
    (parent,) = (node for node in scene.nodes if node.name == "Rooms")
    assert json.loads(parent.properties["metadata/links"]) == [list(link) for link in map.links]


def test_the_provenance_is_on_the_root() -> None:
    scene = write(tw.make("caves", width=20, height=10, seed=7))
    assert json.loads(scene.root.text("metadata/tilewright"))["provenance"]["seed"] == "7"
    assert scene.root.name == "level"


# -- tilesets ---------------------------------------------------------------------------------------------------


def test_a_tileset_keeps_its_own_picture(tmp_path: Path) -> None:
    map = sprite_map()
    scene = write(map)
    check_cells(map, scene)
    assert list(scene.files) == ["level.tscn", "level-tiles.tres", "tiles.png", "level-tiles.png"]
    assert scene.files["tiles.png"] == sheet_of(map).picture
    own, drawn = scene.sources
    assert own["separation"] == "Vector2i(1, 1)"
    assert own["texture_region_size"] == drawn["texture_region_size"] == "Vector2i(4, 4)"
    assert "separation" not in drawn
    assert write(map, image_path="res://art/mine.png").pictures == ["res://art/mine.png", "res://level-tiles.png"]
    assert "tiles.png" not in write(map, image_path="res://art/mine.png").files


def test_tiles_that_share_a_sprite_are_alternatives() -> None:
    tiles = [{"name": f"t{number}", "sprite": number % 2, "passable": number < 2} for number in range(5)]
    sheet = sprite_map().tileset.sheet
    tileset = tw.Tileset.validate({"name": "shared", "tiles": tiles}).model_copy(update={"sheet": sheet})
    map = tw.TileMap([[0, 1, 2, 3, 4]], tileset)
    scene = write(map)
    check_cells(map, scene)
    assert {key[:3] for key in scene.tiles} == {(0, 0, 0), (0, 1, 0)}


def test_paths_follow_the_project(tmp_path: Path) -> None:
    (tmp_path / "project.godot").write_text("config_version=5\n")
    (tmp_path / "art").mkdir()
    map = sprite_map()
    sheet = sheet_of(map)
    (tmp_path / "art/tiles.png").write_bytes(sheet.picture)
    owned = sheet.with_picture(sheet.picture, str(tmp_path / "art/tiles.png"))
    map = with_sheet(map, owned)
    path = tmp_path / "levels/one/level.tscn"
    scene = write(map, path)
    assert json.loads(scene.reference.attributes["path"]) == "res://levels/one/level-tiles.tres"
    assert scene.pictures == ["res://art/tiles.png", "res://levels/one/level-tiles.png"]
    assert "tiles.png" not in scene.files
    elsewhere = write(map, path, res="res://other")
    assert json.loads(elsewhere.reference.attributes["path"]) == "res://other/level-tiles.tres"


SIDES = ("top", "right", "bottom", "left")
CORNERS = ("top_right", "bottom_right", "bottom_left", "top_left")
BITS = [name for pair in zip(SIDES, CORNERS, strict=True) for name in (f"{pair[0]}_side", f"{pair[1]}_corner")]


@pytest.mark.parametrize(
    ("layout", "mode", "count", "used"), [("blob47", 0, 47, 0xFF), ("corner16", 1, 16, 0xAA), ("edge16", 2, 16, 0x55)]
)
def test_skins_become_terrains(layout: str, mode: int, count: int, used: int) -> None:
    tileset = with_skins(THINGS, {"tile": "wall", "layout": layout})
    map = read_plan(PLAN, tileset)
    scene = write(map)
    assert scene.tileset["terrain_set_0/mode"] == str(mode)
    assert scene.tileset["terrain_set_0/terrain_0/name"] == '"wall"'
    masks = []
    for data in scene.tiles.values():
        if "terrain_set" in data:
            assert (data["terrain_set"], data["terrain"]) == ("0", "0")
            bits = [f"terrains_peering_bit/{name}" in data for name in BITS]
            masks.append(sum(1 << number for number, bit in enumerate(bits) if bit))
    assert len(masks) == len(set(masks)) == count
    assert all(mask & ~used == 0 for mask in masks)
    assert "terrain" not in write(map, terrains=False).files["level-tiles.tres"].decode()


def test_all_maps_of_a_tileset_share_its_files() -> None:
    one, other = (write(tw.make("caves", width=20, height=10, seed=seed)) for seed in (1, 2))
    assert one.files["level.tscn"] != other.files["level.tscn"]
    assert list(one.files.items())[1:] == list(other.files.items())[1:]


# -- reading ----------------------------------------------------------------------------------------------------


def test_maps_with_skins_things_and_a_picture_are_read_back() -> None:
    skins = ({"tile": "floor", "under": ["wall"]}, {"tile": "wall", "layout": "corner16"})
    for map in (read_plan(PLAN, THINGS), read_plan(PLAN, with_skins(THINGS, *skins)), sprite_map()):
        assert same(read(formats.encode(map, "godot")), map)


def test_painted_tiles_are_read_and_removed_things_show_the_ground() -> None:
    map = read_plan(PLAN, THINGS)
    content = formats.encode(map, "godot", packed=True)
    scene = write(map, packed=True)
    ground, things = scene.layers
    wall = next(tile.key for _, _, tile in scene.iter_cells(ground) if scene.custom_data(tile)["name"] == "wall")
    painted = [struct.pack("<hhHHHH", x, y, *tile.key) for x, y, tile in scene.iter_cells(ground)]
    painted = [one for one in painted if one[:4] != struct.pack("<hh", 1, 1)] + [struct.pack("<hhHHHH", 1, 1, *wall)]
    edited = content.decode().replace(
        ground.properties["tile_map_data"],
        f'PackedByteArray("{base64.b64encode(bytes(2) + b"".join(painted)).decode()}")',
    )
    edited = edited.replace(things.properties["tile_map_data"], "PackedByteArray()")
    expected = ground_tiles(map).copy()
    expected[1, 1] = THINGS.id("wall")
    assert not np.array_equal(expected, map.cells)
    assert np.array_equal(read(edited.encode()).cells, expected)


@pytest.mark.parametrize(("old", "new", "message"), read_table(__file__, "broken scenes are refused"))
def test_broken_scenes_are_refused(old: str, new: str, message: str) -> None:
    content = formats.encode(read_plan(PLAN, THINGS), "godot").decode()
    assert old in content
    with refused(message, tw.BadFile):
        read(content.replace(old, new, 1).encode())


# -- limits -----------------------------------------------------------------------------------------------------


def test_maps_beyond_16_bits_are_refused(tmp_path: Path) -> None:
    tileset = tw.Tileset.from_labels(["a"])
    largest = tw.TileMap(np.zeros((1, 32_767), np.uint8), tileset)
    assert same(read(formats.encode(largest, "godot")), largest)
    for shape in ((1, 32_768), (32_768, 1)):
        with pytest.raises(tw.TooLarge, match="at most 32,767 cells per side"):
            tw.TileMap(np.zeros(shape, np.uint8), tileset).save(tmp_path / "level.tscn")
    with pytest.raises(tw.TooLarge, match="at most 16,777,216 cells"):
        tw.TileMap(np.zeros((4097, 4097), np.uint8), tileset).save(tmp_path / "level.tscn")
    assert not list(tmp_path.iterdir())


def test_too_large_pictures_are_refused() -> None:
    map = tw.TileMap([[0]], tw.Tileset.from_labels([f"t{number}" for number in range(5000)]))
    with pytest.raises(tw.TooLarge, match="at most 16,384 pixels per side, got 18,176x18,176; use a smaller tile_size"):
        write(map, tile_size=256)


@pytest.mark.parametrize("option", ["res", "image_path"])
def test_paths_outside_the_project_are_refused(option: str) -> None:
    with pytest.raises(tw.InvalidRecipe, match="must start with res://"):
        write(full_map(), Path("level.tscn"), **{option: "levels"})
