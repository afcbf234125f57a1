from __future__ import annotations

import json
import tracemalloc
from functools import partial
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tests.cases import read_table
from tests.formats.maps import full_map, read_map, sheet_of, sprite_map
from tests.refusals import refused
from tilewright import formats
from tilewright.core.grid import pack

MAP = tw.make("caves", width=4, height=3, seed=1)
read = partial(read_map, "json")


def encode_changed(**values: Any) -> bytes:
    """Return a map's JSON with some values replaced."""
    return json.dumps({**json.loads(formats.encode(MAP, "json")), **values}).encode()


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
    assert not sheet_of(again).picture


def test_large_maps_are_packed() -> None:
    map = tw.TileMap(np.zeros((300, 300), np.uint8), MAP.tileset)
    content = formats.encode(map, "json")
    assert len(content) < 3000
    assert read(content) == map
    assert read(formats.encode(map, "json", packed=False)) == map


LONG = {"layers": {"height": [[1, 2, 3, 10**400]] * 3}}, "a number has 401 digits"


@pytest.mark.parametrize(("values", "message"), [*read_table(__file__, "mistakes"), LONG])
def test_what_breaks_a_rule_is_refused(values: dict[str, Any], message: str) -> None:
    if not message:
        assert read(encode_changed(**values)) == MAP
        return
    with refused(message, tw.BadFile):
        read(encode_changed(**values))


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
    with refused("", tw.BadFile, start="x.json: "):
        read(content)


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
