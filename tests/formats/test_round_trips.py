"""Formats that hold whole maps return them: examples, any map, and the recipe."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import tilewright as tw
from tests.formats.maps import EXAMPLES, maps, read_map, same, xml_safe
from tilewright import formats

LOSSLESS: dict[str, list[dict[str, Any]]] = {
    "apng": [{"scale": 2}],
    "gif": [{"scale": 2}],
    "godot": [{}, {"packed": True}],
    "json": [{}, {"packed": True}, {"packed": False}],
    "ldtk": [{}],
    "npz": [{}],
    "png": [{}, {"scale": 1}, {"scale": 7, "grid": True, "markers": True}],
    "tmj": [{}],
    "tmx": [{}],
    "uvtt": [{"scale": 2}],
    "vox": [{}, {"empty": ()}],
    "webp": [{"scale": 2}],
    "xp": [{"fallback": "?"}],
}
"""Options with which a format keeps everything."""
CELLS_ONLY = ("csv", "txt")
VARIANTS = [(name, options) for name, variants in LOSSLESS.items() for options in variants]


def is_unfit(name: str, map: tw.TileMap) -> bool:
    """Return whether a format cannot hold a map: its levels, its many colors, or a marker without a name."""
    return (
        (name == "uvtt" and map.cells.ndim == 3)
        or (name == "vox" and len(np.unique(map.cells)) > 255)
        or (name == "ldtk" and not all(marker.name for marker in map.markers))
    )


def check_round_trip(name: str, map: tw.TileMap, options: dict[str, Any]) -> None:
    if is_unfit(name, map):
        return
    map = xml_safe(map) if name == "tmx" else map
    content = formats.encode(map, name, **options)
    assert same(read_map(name, content), map)
    assert formats.encode(read_map(name, content), name, **options) == content


@pytest.mark.parametrize("map", EXAMPLES.values(), ids=EXAMPLES)
@pytest.mark.parametrize(("name", "options"), VARIANTS, ids=str)
def test_examples_are_read_back(name: str, options: dict[str, Any], map: tw.TileMap) -> None:
    check_round_trip(name, map, options)


@pytest.mark.parametrize("name", LOSSLESS)
@settings(max_examples=40)
@given(map=maps())
def test_any_map_is_read_back(name: str, map: tw.TileMap) -> None:
    check_round_trip(name, map, LOSSLESS[name][0])


@pytest.mark.parametrize("map", EXAMPLES.values(), ids=EXAMPLES)
@pytest.mark.parametrize("name", CELLS_ONLY)
def test_examples_are_read_back_with_their_tileset(name: str, map: tw.TileMap) -> None:
    again = read_map(name, formats.encode(map, name), map.tileset)
    assert np.array_equal(again.cells, map.cells)
    assert again.tileset == map.tileset


@pytest.mark.parametrize("name", CELLS_ONLY)
@settings(max_examples=30)
@given(map=maps())
def test_cells_of_any_map_are_read_back(name: str, map: tw.TileMap) -> None:
    again = read_map(name, formats.encode(map, name), map.tileset)
    assert again.cells.tolist() in (map.cells.tolist(), map.cells[0].tolist())


@pytest.mark.parametrize("name", [*LOSSLESS, "html"])
def test_saved_maps_are_verified(name: str, tmp_path: Path) -> None:
    map = tw.make("bsp", width=40, height=28, seed="a\\n", shaping=["doors", "place"])
    for extension in formats.format_registry.get(name).extensions:
        map.save(tmp_path / f"level{extension}")
        again = tw.load(tmp_path / f"level{extension}")
        assert again == map
        assert again.recipe == map.recipe
        assert tw.verify(tmp_path / f"level{extension}").outcome == "same"
