"""Four kinds of maps in every format: a cave, a dungeon with doors, keys and monsters, an overworld and a war map."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright import formats
from tilewright.formats import format_registry

MAPS = ("cave", "dungeon", "overworld", "war map")
UNFIT = {
    "awbw": ("cave", "dungeon", "overworld"),
    "raw": ("cave", "dungeon", "war map"),
}
"""Maps that a format cannot hold: awbw needs a war map, and raw a layer of heights."""
CELLS_ONLY = ("csv", "fbca", "txt")
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
@pytest.mark.parametrize("format", [entry.name for entry in format_registry if entry.write])
def test_every_format_holds_the_maps(format: str, name: str, tmp_path: Path) -> None:
    map, entry = make_map(name), format_registry.get(format)
    path = tmp_path / f"level{entry.extensions[0]}"
    if name in UNFIT.get(format, ()):
        with pytest.raises(tw.TilewrightError) as caught:
            formats.save(map, path, format=format)
        assert "\n" not in str(caught.value)
        assert not list(tmp_path.iterdir()), "nothing half-written"
        return
    options: dict[str, Any] = OPTIONS.get(format, {})
    written = formats.save(map, path, format=format, **options)
    content = {file.name: file.read_bytes() for file in written}
    for file in written:
        file.unlink()
    again = formats.save(map, path, format=format, **options)
    assert {file.name: file.read_bytes() for file in again} == content, "deterministic"
    if entry.read is None:
        return
    tileset = map.tileset if format in CELLS_ONLY else None
    found = formats.load_all(path, format=format, tileset=tileset)[0].map
    names = np.array(found.tileset.names)[found.cells]
    assert np.array_equal(names, np.array(map.tileset.names)[map.cells])
    if format not in (*CELLS_ONLY, "awbw", "vox"):
        assert set(found.markers) == set(map.markers)
        assert found.rooms == map.rooms


def test_maps_have_what_they_are_named_for() -> None:
    dungeon = make_map("dungeon")
    assert {marker.name for marker in dungeon.markers} >= {"start", "exit", "goblin", "key red", "lock red"}
    assert dungeon.where("door").any()
    assert "height" in make_map("overworld").layers
