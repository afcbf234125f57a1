from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

import tilewright as tw
from tests.cases import read_table
from tests.formats.ldtk_editor import SCHEMA, evaluate
from tests.formats.maps import EXAMPLES, deep_map, full_map, numbered_map, same, sheet_of, sprite_map, with_sheet
from tests.refusals import refused
from tilewright import formats
from tilewright.core.tileset import Tileset
from tilewright.formats import Source, decode
from tilewright.formats._artwork import Artwork
from tilewright.formats._layers import sprite_layers
from tilewright.formats._ldtk import LdtkParams
from tilewright.formats._ldtk.writing import write_project

LDTK = formats.format_registry.get("ldtk")
TERRAINS = ["deep", "water", "sand", "grass"]


def encode(map: tw.TileMap, **options: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(formats.encode(map, "ldtk", **options))
    return found


def read(project: Any, tileset: Tileset | None = None, **options: Any) -> list[tw.TileMap]:
    content = project if isinstance(project, bytes) else json.dumps(project).encode()
    return [found.map for found in decode(Source(content, "x.ldtk", tileset), LDTK, **options)]


def find_layer(level: dict[str, Any], name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(layer for layer in level["layerInstances"] if layer["__identifier"] == name)
    return found


def make_tileset(skins: list[dict[str, Any]], **over: str) -> Tileset:
    names = [*TERRAINS, "wall", "door", "tree", "key"]
    tiles = [{"name": name, "over": over.get(name, "")} for name in names]
    return Tileset.validate({"name": "test", "tiles": tiles, "skins": skins})


def make_map(tileset: Tileset, height: int = 14, width: int = 17, seed: int = 1) -> tw.TileMap:
    """Return random cells in which equal tiles are often side by side."""
    rng = np.random.default_rng(seed)
    cells = rng.integers(0, len(tileset), size=(height, width))
    for _ in range(3):
        still = rng.random(cells.shape) < 0.5
        cells = np.where(still, cells, np.roll(cells, rng.integers(-1, 2), axis=int(rng.integers(2))))
    return tw.TileMap(cells, tileset)


# -- round trip ---------------------------------------------------------------------------------------------------


def test_properties_of_markers() -> None:
    values: dict[str, bool | int | float | str] = {"hp": 7, "speed": 2.0, "is boss": True, "says": 'a\\n\n"b"'}
    markers = [tw.Marker("orc", 1, 2, properties=values), tw.Marker("orc", 2, 2, properties={"hp": "many"})]
    project = encode(full_map().replace(markers=[*markers, tw.Marker("Orc", 3, 3)]))
    found = read(project)[0].markers
    assert [(one.name, one.x, one.y, dict(one.properties)) for one in found] == [
        ("orc", 1, 2, values),
        ("orc", 2, 2, {"hp": "many"}),
        ("Orc", 3, 3, {}),
    ]
    entities = {one["identifier"]: one for one in project["defs"]["entities"]}
    assert set(entities) == {"Room", "Orc", "orc_2"}
    kinds = {field["identifier"]: field["__type"] for field in entities["orc_2"]["fieldDefs"]}
    assert kinds == {"hp": "Int", "hp_2": "String", "is_boss": "Bool", "says": "String", "speed": "Float"}


def test_things_over_any_ground_have_their_own_grid() -> None:
    tileset = make_tileset([], door="sand", tree="*")
    map = tw.TileMap([[2, 2, 2], [6, 5, 6], [3, 3, 3]], tileset)
    level = encode(map)["levels"][0]
    assert find_layer(level, "Cells")["intGridCsv"] == [3, 3, 3, 3, 6, 3, 4, 4, 4]
    assert find_layer(level, "Things")["intGridCsv"] == [0, 0, 0, 7, 0, 7, 0, 0, 0]
    assert read(encode(map)) == [map]


def test_levels_of_a_map_are_floors() -> None:
    map = deep_map()
    project = encode(map)
    assert [level["worldDepth"] for level in project["levels"]] == [0, 1, 2]
    assert [[one["dir"] for one in level["__neighbours"]] for level in project["levels"]] == [[">"], ["<", ">"], ["<"]]
    assert same(read(project)[0], map)
    (floor,) = read(project, level="3")
    assert floor.cells.tolist() == map.cells[2].tolist()
    assert [(marker.name, marker.level) for marker in floor.markers] == [("key", 0)]
    del project["levels"][0]
    assert [one.shape for one in read(project)] == [(6, 5), (6, 5)]


def test_several_levels_in_one_world() -> None:
    levels = [(f"level {number}", tw.make("caves", width=20 + number, height=12, seed=number)) for number in range(5)]
    places = [(30 * number, number) for number in range(5)]
    files = write_project(levels, LdtkParams(), Path("world.ldtk"), places=places)
    assert list(files) == ["world.ldtk", "world-tiles.png"]
    project = json.loads(files["world.ldtk"])
    assert read(project) == [map for _, map in levels]
    assert read(project, level="level_3") == [levels[3][1]]
    assert read(project, level="2") == [levels[1][1]]
    assert [(level["worldX"] // 16, level["worldY"] // 16) for level in project["levels"]] == places
    with pytest.raises(tw.BadFile, match="unknown level 'level_9'"):
        read(project, level="level_9")


def test_levels_need_the_same_tileset() -> None:
    with pytest.raises(tw.InvalidRecipe, match="all levels of an LDtk project must have the same tileset"):
        write_project([("a", full_map()), ("b", deep_map())], LdtkParams(), Path("x.ldtk"), places=[(0, 0), (40, 0)])


# -- rules --------------------------------------------------------------------------------------------------------

SKINS: dict[str, tuple[list[dict[str, Any]], dict[str, str]]] = read_table(__file__, "skins")


@pytest.mark.parametrize("shape", [(14, 17), (1, 1), (1, 9), (6, 1), (25, 31)])
@pytest.mark.parametrize("name", SKINS)
def test_the_editor_makes_the_same_tiles_by_the_rules(name: str, shape: tuple[int, int]) -> None:
    skins, over = SKINS[name]
    map = make_map(make_tileset(skins, **over), *shape)
    project = encode(map)
    level = project["levels"][0]
    layers = [layer for layer in level["layerInstances"] if layer["__type"] in ("AutoLayer", "Tiles")]
    assert all(layer["__type"] == "AutoLayer" for layer in layers)
    for layer in layers:
        rules = evaluate(project, level, layer)
        tiles = {tile["d"][1]: tile for tile in layer["autoLayerTiles"]}
        assert len(tiles) == len(layer["autoLayerTiles"])
        assert {cell: rule for cell, (rule, _) in rules.items()} == {cell: one["d"][0] for cell, one in tiles.items()}
        assert all(tile["t"] in rules[cell][1] for cell, tile in tiles.items())
    assert read(project) == [map]


@pytest.mark.parametrize("name", SKINS)
def test_tiles_are_the_sprites_of_the_map(name: str) -> None:
    skins, over = SKINS[name]
    map = make_map(make_tileset(skins, **over))
    for rules in (True, False):
        level = encode(map, rules=rules)["levels"][0]
        shown: list[tuple[int, int, int]] = []
        for layer in level["layerInstances"]:
            left, top = layer["__pxTotalOffsetX"], layer["__pxTotalOffsetY"]
            tiles = layer["autoLayerTiles"] + layer["gridTiles"]
            shown += [(tile["px"][0] + left, tile["px"][1] + top, tile["t"]) for tile in tiles]
        expected = [
            (round((x + layer.offset[1]) * 16), round((y + layer.offset[0]) * 16), int(sprite))
            for layer in sprite_layers(map, keep_hidden=rules)
            for (y, x), sprite in np.ndenumerate(layer.sprites)
            if sprite >= 0
        ]
        assert sorted(shown) == sorted(expected)


@pytest.mark.parametrize("layout", ["blob47", "corner16"])
def test_skins_that_no_rule_expresses_are_simplified(layout: str) -> None:
    skins = [
        {"tile": "wall", "with": ["deep", "water"], "layout": layout},
        {"tile": "door", "with": ["water", "sand"], "layout": layout},
        {"tile": "key", "with": ["sand", "deep"], "layout": layout},
    ]
    project = encode(make_map(make_tileset(skins)))
    names = [group["name"] for layer in project["defs"]["layers"] for group in layer["autoRuleGroups"]]
    assert {"wall", "door (simplified)", "key (simplified)", "tiles"} == set(names)
    for layer in project["levels"][0]["layerInstances"]:
        definition = next(one for one in project["defs"]["layers"] if one["uid"] == layer["layerDefUid"])
        uids = {rule["uid"] for group in definition["autoRuleGroups"] for rule in group["rules"]}
        assert {tile["d"][0] for tile in layer["autoLayerTiles"]} <= uids
    assert read(project) == [make_map(make_tileset(skins))]


@pytest.mark.parametrize("name", ["cave", "dungeon"])
def test_rules_of_built_in_tilesets(name: str) -> None:
    map = make_map(Tileset.of(name), 30, 30)
    project = encode(map)
    level = project["levels"][0]
    groups = [group for layer in project["defs"]["layers"] for group in layer["autoRuleGroups"]]
    simple = {rule["uid"] for group in groups if "(simplified)" in group["name"] for rule in group["rules"]}
    for layer in level["layerInstances"]:
        rules = evaluate(project, level, layer) if layer["__type"] == "AutoLayer" else {}
        tiles = {tile["d"][1]: tile for tile in layer["autoLayerTiles"]}
        assert {cell: rule for cell, (rule, _) in rules.items()} == {cell: one["d"][0] for cell, one in tiles.items()}
        assert all(tile["t"] in rules[cell][1] for cell, tile in tiles.items() if tile["d"][0] not in simple)


def test_a_tileset_of_many_tiles_has_no_rules() -> None:
    level = encode(numbered_map(1200))["levels"][0]
    assert find_layer(level, "Ground")["__type"] == "Tiles"


def test_variants_are_repeated_by_their_weights() -> None:
    own = sprite_map().tileset
    assert own.sheet is not None
    skins = [{"tile": "red", "layout": "single", "sprites": {"": [[0, 2.0], [1, 1.0]]}}]
    tileset = Tileset.validate({"name": "w", "tiles": own.tiles, "skins": skins, "sheet": own.sheet})
    tileset = tileset.model_copy(update={"sheet": own.sheet})
    project = encode(tw.TileMap(np.zeros((9, 9), dtype=int), tileset))
    rules = [
        rule["tileRectsIds"]
        for layer in project["defs"]["layers"]
        for group in layer["autoRuleGroups"]
        for rule in group["rules"]
    ]
    first, second = (int(number) for number in np.flatnonzero([one.skin == 0 for one in Artwork.of(tileset).sprites]))
    assert [[first], [first], [second]] in rules
    used = {tile["t"] for tile in find_layer(project["levels"][0], "Ground")["autoLayerTiles"]}
    assert used == {first, second}


# -- the file -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EXAMPLES)
@pytest.mark.parametrize("rules", [True, False])
def test_the_file_follows_the_schema(name: str, rules: bool) -> None:
    project = encode(EXAMPLES[name], rules=rules)
    errors = list(jsonschema.Draft7Validator(SCHEMA).iter_errors(project))
    assert not errors, errors[0].message


def test_numbers_and_identifiers_are_unique() -> None:
    project = encode(full_map().replace(markers=[tw.Marker(name, 0, 0) for name in ("a b", "a_b", "A b", "room", "")]))
    uids, iids, identifiers = [], [], []
    pending: list[Any] = [project]
    while pending:
        one = pending.pop()
        pending += one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
        if isinstance(one, dict):
            # Groups of values are numbered in each layer.
            uids += [one["uid"]] if "uid" in one and set(one) != {"uid", "identifier", "color"} else []
            iids += [one["iid"]] if "iid" in one else []
    identifiers = [one["identifier"].lower() for one in project["defs"]["entities"]]
    assert len(set(uids)) == len(uids)
    assert max(uids) < project["nextUid"]
    assert len(set(iids)) == len(iids)
    assert len(set(identifiers)) == len(identifiers)


def test_the_picture_of_a_tileset_is_used_if_it_has_all_sprites(tmp_path: Path) -> None:
    map = sprite_map()
    paths = formats.save(map, tmp_path / "a.ldtk")
    assert [path.name for path in paths] == ["a.ldtk", "a-tiles.png"]
    sheet = sheet_of(map)
    full = tw.TileMap([[0, 1]], Tileset.validate({"name": "s", "tiles": map.tileset.tiles[:2]}))
    full = with_sheet(full, sheet)
    paths = formats.save(full, tmp_path / "b.ldtk")
    assert [path.name for path in paths] == ["b.ldtk", "tiles.png"]
    project = json.loads(paths[0].read_bytes())
    assert (project["defs"]["tilesets"][0]["relPath"], project["defs"]["tilesets"][0]["spacing"]) == ("tiles.png", 1)
    found = tw.load(paths[0])
    assert found == full
    assert sheet_of(found).picture == paths[1].read_bytes()


def test_tiles_must_be_square() -> None:
    sheet = sheet_of(sprite_map())
    wide = sheet.model_copy(update={"tile_width": 2}).with_picture(sheet.picture, "")
    map = sprite_map().replace(tileset=sprite_map().tileset.model_copy(update={"sheet": wide}))
    with pytest.raises(tw.InvalidRecipe, match="LDtk needs square tiles, those of tileset 'drawn' have 2x4 pixels"):
        formats.encode(map, "ldtk")


def test_large_maps_are_minified_and_huge_ones_refused() -> None:
    large = tw.make("caves", width=300, height=300, seed=1)
    content = formats.encode(large, "ldtk")
    assert json.loads(content)["minifyJson"]
    assert b"\t" not in content
    assert read(content) == [large]
    with pytest.raises(tw.TilewrightError, match="must have at most 2,097,152 sprites"):
        formats.encode(numbered_map(2, 1500, 1500), "ldtk")


# -- edits and other projects -------------------------------------------------------------------------------------


def test_edits_in_the_editor_are_read() -> None:
    map = tw.make("bsp", width=30, height=20, seed=3).replace(markers=[tw.Marker("start", 1, 1)])
    project = encode(map)
    level = project["levels"][0]
    cells = find_layer(level, "Cells")
    wall, floor = map.tileset.id("wall") + 1, map.tileset.id("floor") + 1
    cells["intGridCsv"] = [floor if value == wall else value for value in cells["intGridCsv"]]
    cells["intGridCsv"][0] = 0
    entities = find_layer(level, "Entities")["entityInstances"]
    start = next(one for one in entities if one["__identifier"] == "start")
    start["__grid"], start["px"] = [2, 3], [32, 48]
    boss = {"identifier": "Boss", "uid": 9000, "tags": [], "doc": "The last one.", "fieldDefs": []}
    project["defs"]["entities"].append(boss)
    health = {"__identifier": "hp", "__type": "Int", "__value": 9, "defUid": 1, "realEditorValues": []}
    other = {"__identifier": "loot", "__type": "Array<Int>", "__value": [1], "defUid": 2, "realEditorValues": []}
    entities.append(
        {**start, "__identifier": "Boss", "defUid": 9000, "__grid": [5, 5], "fieldInstances": [health, other]}
    )
    rooms = [one for one in entities if one["__identifier"] == "Room"]
    entities.remove(rooms[0])
    (found,) = read(project)
    assert found.tileset[found.cells[0, 0]].name == "empty"
    assert not (found.cells == map.tileset.id("wall")).any()
    markers = {marker.name: marker for marker in found.markers}
    assert (markers["start"].x, markers["start"].y) == (2, 3)
    assert (markers["Boss"].x, dict(markers["Boss"].properties)) == (5, {"hp": 9})
    assert found.rooms == map.rooms[1:]
    assert found.links == tuple((a - 1, b - 1) for a, b in map.links if a and b)
    assert found.recipe is None


def test_edits_are_kept_when_the_map_is_rebuilt(tmp_path: Path) -> None:
    map = tw.make("caves", width=30, height=20, seed=3)
    project = encode(map)
    cells = find_layer(project["levels"][0], "Cells")
    floor = map.tileset.id("floor") + 1
    for cell in range(30 * 9 + 5, 30 * 9 + 25):
        cells["intGridCsv"][cell] = floor
    path = tmp_path / "cave.ldtk"
    path.write_text(json.dumps(project))
    edited = tw.load(path)
    locks = edited.to_locks(np.s_[9, 5:25])
    rebuilt = tw.make("caves", width=30, height=20, seed=4, locks=locks)
    assert (rebuilt.cells[9, 5:25] == floor - 1).all()
    assert tw.measure(rebuilt)
    rebuilt.save(path)
    assert tw.load(path) == rebuilt


def make_foreign(**layer: Any) -> dict[str, Any]:
    """Return a project of the editor with two levels and few keys."""
    values = [
        {"value": 1, "identifier": "walls", "color": "#112233"},
        {"value": 4, "identifier": None, "color": "#445566"},
    ]
    layers = [{"identifier": "Grid", "type": "IntGrid", "uid": 1, "intGridValues": values}]
    base = {"__cWid": 3, "__cHei": 2, "__gridSize": 8}
    grid = {
        "__identifier": "Grid",
        "__type": "IntGrid",
        "layerDefUid": 1,
        "intGridCsv": [1, 0, 4, 1, 1, 1],
        **base,
        **layer,
    }
    hero = {"__identifier": "Hero", "__grid": [2, 1], "px": [20, 12], "width": 8, "height": 8, "defUid": 7}
    room = {"__identifier": "Room", "__grid": [0, 0], "px": [0, 0], "width": 16, "height": 16, "defUid": 8}
    things = {"__identifier": "Units", "__type": "Entities", "entityInstances": [hero, room], **base}
    level = {"identifier": "One", "iid": "a", "pxWid": 24, "pxHei": 16, "layerInstances": [things, grid]}
    return {
        "jsonVersion": "1.5.3",
        "defs": {"layers": layers},
        "levels": [level, {**level, "identifier": "Two", "iid": "b"}],
    }


def test_projects_of_others() -> None:
    one, two = read(make_foreign())
    assert one == two
    assert [[one.tileset[tile].name for tile in row] for row in one.cells] == [
        ["walls", "empty", "tile3"],
        ["walls"] * 3,
    ]
    assert one.tileset[0].color == "#112233"
    assert one.markers == (tw.Marker("Hero", 2, 1),)
    assert one.rooms == (tw.Room(0, 0, 2, 2),)
    worlds = {**make_foreign(), "levels": [], "worlds": [{"levels": make_foreign()["levels"]}]}
    assert read(worlds) == [one, two]
    given = Tileset.from_labels(["floor", "walls", "empty", "tile3"])
    assert read(make_foreign(), given)[0].cells.tolist() == [[1, 2, 3], [1, 1, 1]]


def test_tile_layers_of_others() -> None:
    tiles = [
        {"px": [8 * x, 8 * y], "src": [0, 0], "f": 0, "t": t, "d": [0], "a": 1} for x, y, t in [(0, 0, 5), (2, 1, 6)]
    ]
    over = [{**tiles[0], "t": 9}]
    project = make_foreign(__type="Tiles", gridTiles=tiles, __tilesetDefUid=3)
    data = [{"tileId": 5, "data": '{"name": "mud", "passable": false}'}, {"tileId": 9, "data": "lava"}]
    project["defs"]["tilesets"] = [{"identifier": "Art", "uid": 3, "relPath": "art.png", "customData": data}]
    layers = project["levels"][0]["layerInstances"]
    layers.insert(0, {**layers[1], "__identifier": "Top", "gridTiles": over})
    names = [[map.tileset[tile].name for tile in row] for map in read(project)[:1] for row in map.cells]
    assert names == [["lava", "empty", "empty"], ["empty", "empty", "tile6"]]
    (map,) = read(project, layer="Grid", level="1")
    assert not map.tileset[map.cells[0, 0]].passable
    with pytest.raises(tw.BadFile, match=r"unknown layer 'Gird'.*Grid"):
        read(project, layer="Gird")


def test_levels_in_files_of_their_own(tmp_path: Path) -> None:
    project = make_foreign()
    (tmp_path / "w").mkdir()
    for level in project["levels"]:
        (tmp_path / "w" / f"{level['identifier']}.ldtkl").write_text(json.dumps(level))
        level |= {"layerInstances": None, "externalRelPath": f"w/{level['identifier']}.ldtkl"}
    (tmp_path / "w.ldtk").write_text(json.dumps(project))
    assert [one.map for one in formats.load_all(tmp_path / "w.ldtk")] == read(make_foreign())
    (tmp_path / "w" / "Two.ldtkl").unlink()
    with pytest.raises(tw.BadFile, match=r"w/Two\.ldtkl: the file of this level cannot be read"):
        tw.load(tmp_path / "w.ldtk")
    project["levels"][1]["externalRelPath"] = "../../secret.ldtkl"
    (tmp_path / "w.ldtk").write_text(json.dumps(project))
    with pytest.raises(tw.BadFile, match="cannot be read"):
        tw.load(tmp_path / "w.ldtk")


@pytest.mark.parametrize(
    ("project", "message"),
    [
        (b"[" * 100_000, "nested too deeply"),
        (b'{"defs": {}, "a": ' + b"[" * 900 + b"]" * 900 + b"}", "contains no level"),
        (b"[" + b'{"a":0},' * ((1 << 20) + 1) + b"0]", "must have at most 1,048,576 objects besides tiles"),
        (b"[" + b"[]," * (9 << 20) + b"0]", "must have at most 9,437,184 lists and objects"),
        (b"[]", "must be an LDtk project"),
        (b"{", "not JSON"),
        ({}, "defs: "),
        ({"defs": {}}, "contains no level"),
        ({"defs": {}, "levels": [{"identifier": "A"}]}, "level 'A': has no layers"),
        ({"defs": {}, "levels": [{"layerInstances": []}]}, "has no IntGrid layer and no tile layer"),
        ({"defs": {}, "levels": 3}, "levels: "),
        *((make_foreign(**changes), message) for changes, message in read_table(__file__, "mistakes")),
    ],
    ids=lambda value: value if isinstance(value, str) else "project",
)
def test_hostile_projects(project: Any, message: str) -> None:
    with refused(message, tw.BadFile):
        read(project)


def test_a_damaged_field_is_ignored() -> None:
    project = encode(full_map())
    project["levels"][0]["fieldInstances"][0]["__value"] = "no base64"
    (found,) = read(project)
    names = [[found.tileset[tile].name for tile in row] for row in found.cells]
    assert names == [[full_map().tileset[tile].name for tile in row] for row in full_map().cells]
