"""Formats that hold whole maps return them: examples, any map, and the recipe."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

import tilewright as tw
from tests.formats.maps import EXAMPLES, maps, read_map, same, xml_safe
from tests.refusals import refused
from tilewright import formats
from tilewright.formats import format_registry

LOSSLESS: dict[str, list[dict[str, Any]]] = {
    "apng": [{"scale": 2}],
    "gif": [{"scale": 2}],
    "godot": [{}, {"packed": True}],
    "html": [{}],
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


@pytest.mark.parametrize("name", LOSSLESS)
def test_saved_maps_are_verified(name: str, tmp_path: Path) -> None:
    map = tw.make("bsp", width=40, height=28, seed="a\\n", shaping=["doors", "place"])
    for extension in formats.format_registry.get(name).extensions:
        map.save(tmp_path / f"level{extension}")
        again = tw.load(tmp_path / f"level{extension}")
        assert again == map
        assert again.recipe == map.recipe
        assert tw.verify(tmp_path / f"level{extension}").outcome == "same"


MAPS = ("cave", "dungeon", "overworld", "war map")
UNFIT = {
    "awbw": ("cave", "dungeon", "overworld"),
    "raw": ("cave", "dungeon", "war map"),
}
"""Maps that a format cannot hold: awbw needs a war map, and raw a layer of heights."""
NEED_TILESET = ("csv", "fbca", "txt")
"""Formats that hold only cells, so that they are read with the tileset of the map."""
OPTIONS = {"xp": {"fallback": "?"}}
"""Options that a format needs: REXPaint lacks the characters of some tiles of war maps."""


@cache
def make_map(name: str) -> tw.TileMap:
    if name == "cave":
        return tw.make("caves", width=40, height=28, seed=7, shaping=["keep_largest", "place"])
    if name == "dungeon":
        shaping: list[Any] = ["lock_and_key", {"place": {"markers": ["goblin"], "rule": "random", "count": 5}}]
        return tw.make("bsp", width=40, height=28, seed=7, shaping=shaping)
    if name == "overworld":
        return tw.make("noise", width=48, height=32, seed=5)
    return tw.run("skirmish", seed=3)


@pytest.mark.parametrize("name", MAPS)
@pytest.mark.parametrize("format", format_registry.names())
def test_every_format_holds_the_maps(format: str, name: str, tmp_path: Path) -> None:
    map, entry = make_map(name), format_registry.get(format)
    path = tmp_path / f"level{entry.extensions[0]}"
    if name in UNFIT.get(format, ()):
        with refused(""):
            formats.save(map, path, format=format)
        assert not list(tmp_path.iterdir()), "nothing half-written"
        return
    options: dict[str, Any] = OPTIONS.get(format, {})
    written = formats.save(map, path, format=format, **options)
    content = {file.name: file.read_bytes() for file in written}
    assert written[0] == path
    for file in written:
        file.unlink()
    again = formats.save(map, path, format=format, **options)
    assert {file.name: file.read_bytes() for file in again} == content, "deterministic"
    if entry.read is None:
        return
    tileset = map.tileset if format in NEED_TILESET else None
    found = formats.load_all(path, format=format, tileset=tileset)[0].map
    names = np.array(found.tileset.names)[found.cells]
    assert np.array_equal(names, np.array(map.tileset.names)[map.cells])
    if format not in (*NEED_TILESET, "awbw", "vox"):
        assert set(found.markers) == set(map.markers)
        assert found.rooms == map.rooms


def test_maps_have_what_they_are_named_for() -> None:
    dungeon = make_map("dungeon")
    assert {marker.name for marker in dungeon.markers} >= {"start", "exit", "goblin", "key red", "lock red"}
    assert dungeon.where("door").any()
    assert "height" in make_map("overworld").layers
