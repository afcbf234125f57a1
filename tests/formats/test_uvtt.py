"""Universal VTT: walls, portals, lights and the picture, read as tabletops read them."""

from __future__ import annotations

import io
import json
import re
from base64 import b64decode
from collections import Counter
from functools import partial
from math import pi
from typing import Any

import numpy as np
import pytest
from PIL import Image

import tilewright as tw
from tests.formats.maps import deep_map, full_map, read_map, same, sheet_of, sprite_map
from tests.plain import find_edges, list_unit_edges
from tests.refusals import refused
from tests.tilesets import make_tileset
from tilewright import formats
from tilewright.formats.uvtt import UvttParams, choose_scale

read = partial(read_map, "uvtt")
KEYS = [
    "format",
    "resolution",
    "line_of_sight",
    "objects_line_of_sight",
    "portals",
    "environment",
    "lights",
    "tilewright",
    "image",
]
TILES = make_tileset(
    "floor .; wall # solid; door +; iron gate / opaque; portcullis G kind=gate; open door ' clear; "
    "window W solid clear; pond ~ solid kind=water; curtain c opaque"
)


def make_map(*rows: str, **details: Any) -> tw.TileMap:
    return tw.TileMap([[TILES.by_glyph[glyph] for glyph in row] for row in rows], TILES, **details)


def encode(map: tw.TileMap, **options: object) -> dict[str, Any]:
    document = json.loads(formats.encode(map, "uvtt", **{"scale": 4, **options}))
    assert isinstance(document, dict)
    return document


def rasterize(document: dict[str, Any]) -> Counter[tuple[str, int, int]]:
    """Return the unit edges of all walls; each wall must be a closed line along edges of cells."""
    walls = [[(point["x"], point["y"]) for point in wall] for wall in document["line_of_sight"]]
    assert all(wall[0] == wall[-1] for wall in walls)
    return Counter(edge for wall in walls for edge in list_unit_edges(wall[:-1]))


def dungeon() -> tw.TileMap:
    return tw.make("bsp", width=40, height=28, seed=7, shaping=["doors", "place"])


def test_all_keys_and_an_exact_picture() -> None:
    map = dungeon()
    document = encode(map, scale=None)
    assert list(document) == KEYS
    assert document["format"] == 0.3
    assert document["resolution"] == {
        "map_origin": {"x": 0, "y": 0},
        "map_size": {"x": 40, "y": 28},
        "pixels_per_grid": 70,
    }
    assert document["environment"] == {"baked_lighting": False, "ambient_light": "ffffffff"}
    assert document["objects_line_of_sight"] == document["lights"] == []
    with Image.open(io.BytesIO(b64decode(document["image"], validate=True))) as picture:
        assert (picture.format, picture.size) == ("PNG", (40 * 70, 28 * 70))
        expected = map.image(sprites=True, scale=70)
        assert np.array_equal(np.asarray(picture.convert("RGB")), np.asarray(expected.convert("RGB")))


def test_the_picture_of_sprites_that_are_not_square_has_square_cells() -> None:
    map = sprite_map()
    tall = sheet_of(map).model_copy(update={"tile_height": 2})
    tileset = map.tileset.model_copy(update={"sheet": tall.with_picture(sheet_of(map).picture, "")})
    document = encode(map.replace(tileset=tileset), scale=10)
    with Image.open(io.BytesIO(b64decode(document["image"]))) as picture:
        assert picture.size == (30, 20)


def test_roll20_needs_no_picture() -> None:
    document = encode(dungeon(), image=False)
    assert list(document) == KEYS
    assert document["image"] == ""
    assert len(document["line_of_sight"]) > 3


def test_roll20_removes_html_from_the_text() -> None:
    tileset = tw.Tileset.from_labels(["<", "b", ">", "&nbsp;"])
    map = tw.TileMap([[0, 1, 2, 3]], tileset, markers=[tw.Marker("<b>&nbsp;", 0, 0)])
    text = formats.encode(map, "uvtt", image=False).decode()
    assert re.sub("<[^>]*>|&nbsp;", "", text) == text
    assert same(read(text.encode()), map)
    assert formats.encode(full_map(), "uvtt", image=False).isascii()


@pytest.mark.parametrize("technique", ["bsp", "caves", "rooms", "maze"])
def test_walls_are_the_edges_of_what_blocks_sight(technique: str) -> None:
    map = tw.make(technique, width=40, height=28, seed=7)
    document = encode(map, image=False)
    names = np.array([tile.name == "door" or tile.name.endswith(" door") for tile in map.tileset])
    clear = ~map.tileset.blocks_sight[map.cells] | names[map.cells]
    edges = rasterize(document)
    assert set(edges) == find_edges(clear)
    assert set(edges.values()) == {1}
    assert len(document["portals"]) == names[map.cells].sum()


def test_water_has_no_walls_and_curtains_do() -> None:
    document = encode(make_map(".~.", "c.."))
    assert set(rasterize(document)) == find_edges(np.array([[True, True, True], [False, True, True]]))
    assert document["portals"] == []


def test_doors_cross_their_cells() -> None:
    document = encode(make_map("#####", "#.+.#", "###/#", "#G..#", "#####"))
    west_east, south_north, beside_wall = document["portals"]
    assert west_east == {
        "position": {"x": 2.5, "y": 1.5},
        "bounds": [{"x": 2.5, "y": 1.0}, {"x": 2.5, "y": 2.0}],
        "rotation": pi / 2,
        "closed": True,
        "freestanding": False,
    }
    assert south_north["bounds"] == [{"x": 3.0, "y": 2.5}, {"x": 4.0, "y": 2.5}]
    assert south_north["rotation"] == 0.0
    assert beside_wall["bounds"] == [{"x": 1.5, "y": 3.0}, {"x": 1.5, "y": 4.0}]
    clear = np.array([[glyph != "#" for glyph in row] for row in ("#####", "#...#", "###.#", "#...#", "#####")])
    assert set(rasterize(document)) == find_edges(clear)


def test_both_leaves_of_a_double_door_have_the_same_direction() -> None:
    document = encode(make_map(".#.", ".+.", ".+.", ".#."))
    assert [portal["rotation"] for portal in document["portals"]] == [pi / 2, pi / 2]


def test_open_doors_are_open_and_windows_are_portals_that_are_not_closed() -> None:
    document = encode(make_map("#####", "#.'.#", "#####", "..W..", "#####"))
    (window,) = document["portals"]
    assert window["position"] == {"x": 2.5, "y": 3.5}
    assert window["closed"] is False
    clear = np.array([[glyph != "#" for glyph in row] for row in ("#####", "#...#", "#####", ".....", "#####")])
    assert set(rasterize(document)) == find_edges(clear)


def test_doors_may_be_named() -> None:
    document = encode(make_map(".c."), doors=["curtain"])
    assert len(document["portals"]) == 1
    assert set(rasterize(document)) == find_edges(np.ones((1, 3), dtype=np.bool_))
    with pytest.raises(tw.UnknownName, match="unknown tile 'hatch'"):
        encode(make_map("..."), doors=["hatch"])


def test_an_inset_shows_walls_and_keeps_doors_closed() -> None:
    document = encode(make_map("#####", "#.+.#", "#####"), inset=0.25)
    (wall,) = document["line_of_sight"]
    assert [(point["x"], point["y"]) for point in wall] == [
        (0.75, 0.75),
        (4.25, 0.75),
        (4.25, 2.25),
        (0.75, 2.25),
        (0.75, 0.75),
    ]
    assert document["portals"][0]["bounds"] == [{"x": 2.5, "y": 0.75}, {"x": 2.5, "y": 2.25}]
    at_the_border = encode(make_map(".+."), inset=0.25)
    assert at_the_border["portals"][0]["bounds"] == [{"x": 1.5, "y": 0.0}, {"x": 1.5, "y": 1.0}]
    assert {(point["x"], point["y"]) for point in at_the_border["line_of_sight"][0]} == {(0, 0), (3, 0), (3, 1), (0, 1)}


def test_rooms_are_lit_at_an_open_cell_near_their_center() -> None:
    map = make_map(".....", ".###.", ".....", rooms=[tw.Room(0, 0, 5, 3), tw.Room(1, 1, 3, 1)])
    (light,) = encode(map, lights="rooms")["lights"]
    assert light == {
        "position": {"x": 2.5, "y": 0.5},
        "range": 3.42,
        "intensity": 1.0,
        "color": "ffffd9a0",
        "shadows": True,
    }
    lights = encode(dungeon(), lights="rooms")["lights"]
    assert len(lights) == len(dungeon().rooms)
    for light, room in zip(lights, dungeon().rooms, strict=True):
        assert room.x < light["position"]["x"] < room.x + room.width
        assert room.y < light["position"]["y"] < room.y + room.height


def test_markers_are_lights_by_name_or_property() -> None:
    markers = [
        tw.Marker("wall torch", 0, 0),
        tw.Marker("monster", 1, 0),
        tw.Marker("crystal", 2, 0, properties={"light": 2.5}),
        tw.Marker("torch", 0, 1, properties={"light": False}),
        tw.Marker("statue", 1, 1, properties={"light": True}),
        tw.Marker("lamp", 2, 1, properties={"light": "bright"}),
    ]
    lights = encode(make_map("...", "...", markers=markers), lights="markers")["lights"]
    found = [(light["position"]["x"], light["position"]["y"], light["range"]) for light in lights]
    assert found == [(0.5, 0.5, 6.0), (2.5, 0.5, 2.5), (1.5, 1.5, 6.0)]


@pytest.mark.parametrize(("lights", "missing"), [("rooms", "rooms"), ("markers", "markers such as torch")])
def test_a_map_without_lights_gives_a_warning(lights: str, missing: str) -> None:
    with pytest.warns(UserWarning, match=rf"^map.dd2vtt: no lights, because the map has no {missing}"):
        assert encode(make_map("..."), lights=lights)["lights"] == []


def test_large_maps_have_a_smaller_scale() -> None:
    map = tw.TileMap(np.zeros((600, 700), dtype=np.uint8), TILES)
    assert choose_scale(map, UvttParams()) == 12
    assert encode(map, scale=None, image=False)["resolution"]["pixels_per_grid"] == 70
    with pytest.raises(tw.TooLarge, match=r"a picture must have at most .* pixels"):
        encode(map, scale=256)


def test_levels_and_too_many_walls_are_refused() -> None:
    with pytest.raises(tw.InvalidRecipe) as error:
        encode(deep_map())
    assert str(error.value) == (
        "uvtt: a map for tabletops has one level, got 3 levels; take one level, such as "
        "tw.TileMap(map.cells[0], map.tileset)"
    )
    board = np.indices((600, 600)).sum(axis=0) % 2
    with pytest.raises(tw.TooLarge, match=r"walls for tabletops must have at most 524,288 corners, got 720,000; crop"):
        encode(tw.TileMap(board, TILES), image=False)


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b'{"format": 0.3, "image": ""}', "contains no tiles, because another program made it"),
        (b'{"tilewright": []}', "contains no tiles, because another program made it"),
        (b'{"tilewright": {}}', "tileset"),
        (b"\xff\xfe", "not UTF-8 text"),
        (b"[1, 2]", "must be a JSON object"),
        (b"[" * 100_000, "nested too deeply"),
        (
            b'{"tilewright": {"shape": [60000, 4000], "tileset": {"tiles": [{"name": "a"}]}, "cells": ""}}',
            "must have at most 16,777,216 cells",
        ),
    ],
)
def test_other_files_are_refused_in_one_line(content: bytes, text: str) -> None:
    with refused(text, tw.BadFile, start="x.uvtt: "):
        read(content)
