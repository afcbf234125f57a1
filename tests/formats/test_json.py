from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import tilewright as tw
from tests.formats.maps import EXAMPLES, full_map, maps, same, sprite_map
from tilewright import formats
from tilewright.core.grid import pack
from tilewright.formats import Source, decode

JSON = formats.format_registry.get("json")
MAP = tw.make("caves", width=4, height=3, seed=1)


def read(content: bytes) -> tw.TileMap:
    return decode(Source(content, "x.json"), JSON)[0].map


def encode_changed(**values: Any) -> bytes:
    """Return a map's JSON with some values replaced."""
    return json.dumps({**json.loads(formats.encode(MAP, "json")), **values}).encode()


@pytest.mark.parametrize("map", EXAMPLES.values(), ids=EXAMPLES)
@pytest.mark.parametrize("packed", [None, True, False])
def test_reading_back_gives_the_same_map(map: tw.TileMap, packed: bool | None) -> None:
    assert same(read(formats.encode(map, "json", packed=packed)), map)


@settings(max_examples=50)
@given(maps())
def test_any_map_round_trips(map: tw.TileMap) -> None:
    content = formats.encode(map, "json")
    assert same(read(content), map)
    assert formats.encode(read(content), "json") == content


def test_provenance_is_stored(tmp_path: Path) -> None:
    MAP.save(tmp_path / "a.json")
    assert tw.load(tmp_path / "a.json").recipe == MAP.recipe
    assert tw.verify(tmp_path / "a.json").outcome == "same"


def test_people_and_games_can_read_it() -> None:
    text = formats.encode(MAP, "json").decode()
    assert json.loads(text)["cells"] == MAP.cells.tolist()
    assert f"\n    {MAP.cells[1].tolist()},\n" in text
    assert '\n      {"name": "floor", "glyph": ".", "color": "#c9b28c", "kind": "ground"},\n' in text
    # The JSON is strict, even if the map contains NaN or infinity.
    json.loads(formats.encode(full_map(), "json"), parse_constant=pytest.fail)


def test_a_sheet_is_read_without_its_picture() -> None:
    again = read(formats.encode(sprite_map(), "json"))
    assert again == sprite_map()
    assert again.tileset.sheet is not None
    assert not again.tileset.sheet.picture


def test_large_maps_are_packed() -> None:
    map = tw.TileMap(np.zeros((300, 300), np.uint8), MAP.tileset)
    content = formats.encode(map, "json")
    assert len(content) < 3000
    assert read(content) == map
    assert read(formats.encode(map, "json", packed=False)) == map


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"shape": [3, 4, 5, 6]}, "shape"),
        ({"shape": [3]}, "shape"),
        ({"shape": [0, 4]}, "shape.0: must be at least 1, got 0"),
        ({"shape": [True, 4]}, "shape"),
        ({"shape": [10**9, 10**9]}, "shape"),
        ({"shape": [60_000, 60_000]}, "cells, got 3,600,000,000"),
        ({"shape": [3, 5]}, "cells: list 1 of 3 must have 5 values, got 4 values"),
        ({"shape": [4, 4]}, "cells: list 1 of 1 must have 4 values, got 3 values"),
        ({"cells": [[0, 0, 0, 0]] * 2 + [[0]]}, "cells: list 3 of 3 must have 4 values, got 1 values"),
        ({"cells": [[0, 0, 0, 99]] * 3}, "cells: tileset 'cave' has ids 0..6, got 99"),
        ({"cells": [[0, 0, 0, -1]] * 3}, "cells: tileset 'cave' has ids 0..6, got -1"),
        ({"cells": [[0, 0, 0, 1.5]] * 3}, "cells: must be integers, got 1.5"),
        ({"cells": [[0, 0, 0, True]] * 3}, "cells: must be integers, got True"),
        ({"cells": [[0, 0, 0, "1"]] * 3}, "cells: must be integers, got '1'"),
        ({"cells": [[0, 0, 0, 10**30]] * 3}, "cells: contains a number out of range"),
        ({"cells": "????"}, "cells: must be base64"),
        ({"cells": "eJwDAAAAAAE="}, "cells: 0 bytes do not fill an array"),
        ({"cells": None}, "cells"),
        ({"layers": []}, ""),
        ({"layers": ["height"]}, "layers: must be layers by name"),
        ({"layers": {"height": [[1.0]]}}, "layers.height: list 1 of 1 must have 3 values"),
        ({"layers": {"height": [[1, 2, 3, 10**400]] * 3}}, "a number has 401 digits"),
        ({"rooms": [{"x": 2, "y": 0, "width": 3, "height": 1}]}, "rooms.0: is outside the map"),
        ({"rooms": [{"x": 0, "y": 0, "width": 0, "height": 1}]}, "rooms.0: is outside the map"),
        ({"rooms": [{"x": 0, "y": 0}]}, "rooms.0.width: is required"),
        ({"links": [[0, 0]]}, "links.0: there are 0 rooms"),
        ({"links": [[0]]}, "links.0"),
        ({"markers": [{"name": "start", "x": 4, "y": 0}]}, "markers.0: is outside the map"),
        ({"markers": [{"name": "start", "x": 0, "y": 0, "level": 1}]}, "markers.0: is outside the map"),
        ({"markers": {"start": 3}}, "markers"),
        ({"numbers": {"a": "many"}}, "numbers"),
        ({"numbers": [1]}, "numbers"),
        ({"tileset": "cave"}, "tileset"),
        ({"tileset": {"tiles": []}}, "tileset"),
        ({"tileset": {"tiles": [{"name": "a"}, {"name": "a"}]}}, "tiles 0 and 1 share the name 'a'"),
        ({"celsl": 1}, "unknown parameter 'celsl'; did you mean 'cells'?"),
    ],
)
def test_what_breaks_a_rule_is_refused(values: dict[str, Any], message: str) -> None:
    if not message:
        assert read(encode_changed(**values)) == MAP
        return
    with pytest.raises(tw.BadFile) as caught:
        read(encode_changed(**values))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "provenance", [None, 3, [], {}, {"recipe": 7}, {"recipe": {"technique": "caves", "params": []}}]
)
def test_invalid_provenance_leaves_the_map_readable(provenance: Any) -> None:
    map = read(encode_changed(provenance=provenance))
    assert map == MAP
    assert map.recipe is None


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"null",
        b"[]",
        b"{",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"provenance": ' + b"[" * 900 + b"]" * 900 + b"}",
        b'{"shape": ' + b"9" * 100_000 + b"}",
        b'{"shape": [NaN, 4]}',
        b"[" + b"{}," * 2_000_000 + b"{}]",
        b'{"cells": [' + b"0," * 9_000_000 + b"0]}",
    ],
    ids=lambda content: content[:12].decode("latin-1"),
)
def test_hostile_text_is_refused(content: bytes) -> None:
    with pytest.raises(tw.BadFile) as caught:
        read(content)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    "locks",
    [
        {"shape": [16384, 16384], "words": ["floor"], "cells": pack(bytes(1 << 24))},
        {"count": 1 << 28, "axes": 2, "words": ["floor"], "places": pack(bytes(1 << 24))},
    ],
)
def test_a_decompression_bomb_in_the_recipe_is_not_unpacked(locks: dict[str, Any]) -> None:
    recipe = {"technique": "caves", "locks": locks}
    tracemalloc.start()
    try:
        assert read(encode_changed(provenance={"recipe": recipe})).recipe is None
        assert tracemalloc.get_traced_memory()[1] < 1 << 22
    finally:
        tracemalloc.stop()
