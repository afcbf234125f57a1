from __future__ import annotations

import json
from typing import Any

import pytest

import tilewright as tw
from tests.formats.maps import full_map, read_map
from tests.refusals import refused
from tilewright import formats

OURS = {"name": "tilewright", "value": "{}"}
CHUNK = {"x": 4, "y": 4, "width": 2, "height": 2, "data": [1, 2, 3, 1 | 1 << 31]}
LAYER = {"type": "tilelayer", "name": "ground", "width": 2, "height": 2, "data": [1, 2, 3, 1]}


def tmj(*layers: dict[str, Any], **more: Any) -> dict[str, Any]:
    size = {"width": 2, "height": 2, "tilewidth": 16, "tileheight": 16}
    tilesets = [{"firstgid": 1, "name": "wild", "tilewidth": 16, "tileheight": 16, "tilecount": 9, "columns": 3}]
    return {"type": "map", **size, "tilesets": tilesets, "layers": list(layers), **more}


def read(content: Any) -> tw.TileMap:
    content = content if isinstance(content, bytes) else json.dumps(content).encode()
    return read_map("tmj", content)


def test_the_file_follows_the_documentation_of_tiled() -> None:
    written = json.loads(formats.encode(full_map(), "tmj"))
    assert (written["type"], written["version"], written["orientation"]) == ("map", "1.10", "orthogonal")
    assert (written["nextlayerid"], written["nextobjectid"]) == (len(written["layers"]) + 1, 5)
    tiles = written["layers"][0]
    assert (tiles["x"], tiles["y"], len(tiles["data"])) == (0, 0, 23 * 11)
    assert min(tiles["data"]) > 0


def test_the_picture_cannot_be_embedded() -> None:
    with pytest.raises(tw.InvalidRecipe, match="unknown parameter 'tileset_image'"):
        formats.encode(full_map(), "tmj", tileset_image="embedded")


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"data": "AQAAAAIAAAADAAAAAQAAAA==", "encoding": "base64"},
        {"data": [], "chunks": [CHUNK]},
    ],
)
def test_every_encoding_gives_the_same_cells(change: dict[str, Any]) -> None:
    map = read(tmj({**LAYER, **change}))
    assert map.cells.tolist() == [[0, 1], [2, 0]]
    assert map.tileset.names == ("tile0", "tile1", "tile2")


def level(number: int, **change: Any) -> dict[str, Any]:
    return {**LAYER, "properties": [{"name": "level", "type": "int", "value": number}], **change}


def test_properties_of_the_same_names_are_ignored_in_files_of_other_programs() -> None:
    about = [{"name": "number.a", "value": "x"}, {"name": "layer.a", "value": "x"}]
    map = read(tmj(level(0), properties=about))
    assert (map.shape, dict(map.numbers), dict(map.layers)) == ((2, 2), {}, {})


def test_layers_that_no_longer_fit_are_omitted() -> None:
    document = json.loads(formats.encode(full_map(), "tmj"))
    tiles = document["layers"][0]
    tiles["data"], tiles["height"], document["height"] = tiles["data"][: 5 * 23], 5, 5
    resized = read(document)
    assert resized.shape == (5, 23)
    assert not resized.layers
    assert [marker.name for marker in resized.markers] == ["start"]


def nested(depth: int) -> dict[str, Any]:
    layer: dict[str, Any] = LAYER
    for _ in range(depth):
        layer = {"type": "group", "layers": [layer]}
    return layer


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 10**6, "not JSON"),
        (b'{"width": ' + b"9" * 10**4 + b"}", "not JSON"),
        (b"[1]", "must be a Tiled map or tileset, got [1]"),
        (tmj(), "contains no tile layer"),
        (tmj(LAYER, tilewidth=0), "tilewidth: must be at least 1, got 0"),
        (tmj(LAYER, layers=3), "layers: "),
        (tmj(nested(400)), "layers are nested too deeply"),
        (tmj({**LAYER, "width": 1 << 20, "height": 1 << 20}), "cells, got 1,099,511,627,776"),
        (tmj({**LAYER, "data": [1, 2, 3]}), "layer 'ground': has 3 cells, its size of 2x2 needs 4"),
        (tmj({**LAYER, "data": {"a": 1}}), "layer 'ground': has {'a': 1}, its size of 2x2 needs 4"),
        (tmj({**LAYER, "data": [1, 2, 3, 1 << 32]}), "must contain only gids"),
        (tmj({**LAYER, "data": [1, 2, 3, -1]}), "must contain only gids"),
        (tmj({**LAYER, "data": [1, 2, 3, [1]]}), "must contain only gids"),
        (tmj({**LAYER, "data": [1, 2, 3, None]}), "must contain only gids"),
        (tmj({**LAYER, "data": [1, 2, 3, 70]}), "gid 70 belongs to no tileset"),
        (tmj(LAYER, properties=[OURS, {"name": "number.a", "value": "x"}]), "property 'number_a': must be a number"),
        (tmj(level(0), level(1, width=4, height=1), properties=[OURS]), "all levels of a map must have the same size"),
        (tmj(level(0), level(1, chunks=[CHUNK]), properties=[OURS]), "a map with levels cannot be infinite"),
        (tmj(*(level(n, width=1 << 14, height=1 << 14) for n in (0, 1)), properties=[OURS]), "cells, got 536,870,912"),
    ],
)
def test_bad_files_are_refused_in_one_line(content: Any, message: str) -> None:
    with refused(message, tw.BadFile):
        read(content)
