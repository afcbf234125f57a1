"""Properties of markers: checked, and kept by everything that copies markers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tests.refusals import refused
from tilewright import formats
from tilewright.core.registry import shapers

PROPERTIES: dict[str, bool | int | float | str] = {
    "health": 3,
    "is_asleep": True,
    "speed": 1.5,
    "line": "Höher!\n",
    "nothing": "",
    "debt": -(1 << 62),
}

FILES = ("x.json", "x.npz", "x.png", "x.gif", "x.webp", "x.apng", "x.vox", "x.tmx", "x.tmj", "x.ldtk", "x.tscn")


def guarded(*, levels: int = 0) -> tw.TileMap:
    """Return a map of rooms whose first marker has properties."""
    map = tw.make("bsp", width=32, height=24, seed=3)
    y, x = np.argwhere(map.passable)[0].tolist()
    marker = tw.Marker("guard", x, y, properties=PROPERTIES)
    if levels:
        return tw.TileMap(
            np.stack([map.cells] * levels), map.tileset, markers=[tw.Marker("guard", x, y, 1, PROPERTIES)]
        )
    return map.replace(markers=[*map.markers, marker])


def guards(map: tw.TileMap) -> list[tw.Marker]:
    return [marker for marker in map.markers if marker.name == "guard"]


@pytest.mark.parametrize(("file", "levels"), [*((file, levels) for file in FILES for levels in (0, 2)), ("x.uvtt", 0)])
def test_files_keep_properties(file: str, levels: int, tmp_path: Path) -> None:
    map = guarded(levels=levels)
    map.save(tmp_path / file)
    again = tw.load(tmp_path / file)
    assert guards(again) == guards(map)
    found = guards(again)[0].properties
    assert {name: type(value) for name, value in found.items()} == {name: type(one) for name, one in PROPERTIES.items()}


PARAMS: dict[str, dict[str, Any]] = {
    "crop": {"width": 30, "height": 22},
    "lock_and_key": {"count": 1},
    "overlay": {"recipe": {"technique": "caves"}, "width": 4, "height": 4},
    "paint": {"tile": "floor", "of": "wall"},
    "replace": {"tile": "door", "by": "floor"},
}
"""Parameters of shapers that need some here."""


@pytest.mark.parametrize("name", sorted(set(shapers.names()) - {"countries", "players"}))
def test_shapers_keep_properties(name: str) -> None:
    found = guards(tw.shape(guarded(), name, seed=1, **PARAMS.get(name, {})))
    assert found
    assert all(marker.properties == PROPERTIES for marker in found)


def test_maps_with_different_properties_are_different() -> None:
    map = guarded()
    other = map.replace(markers=[tw.Marker("guard", marker.x, marker.y) for marker in guards(map)])
    assert map.replace(markers=guards(map)) != other


@pytest.mark.parametrize(
    ("properties", "message"),
    [
        ({"": 1}, "markers.0.properties: names must have 1 to 200 characters, got ''"),
        ({"x" * 201: 1}, "names must have 1 to 200 characters"),
        ({"a": None}, "markers.0.properties.a: must be a string, number, true or false, got None"),
        ({"a": [1]}, "must be a string, number, true or false"),
        ({"a": float("nan")}, "markers.0.properties.a: must be a finite number of 64 bits, got nan"),
        ({"a": 1 << 63}, "must be a finite number of 64 bits"),
        ({"a": "x" * 65_537}, "must have at most 65,536 characters, got 65,537"),
        ({str(number): 1 for number in range(1001)}, "must have at most 1,000 properties, got 1,001"),
    ],
)
def test_invalid_properties_are_refused(properties: dict[str, Any], message: str) -> None:
    map = guarded()
    with refused(message, tw.InvalidRecipe):
        map.replace(markers=[tw.Marker("a", 1, 1, properties=properties)])


@pytest.mark.parametrize("value", [None, [1], {"a": 1}, 1 << 70, "x" * 70_000])
def test_files_with_invalid_properties_are_refused_in_one_line(value: object) -> None:
    data = json.loads(formats.encode(guarded(), "json"))
    data["markers"][-1]["properties"]["health"] = value
    source = formats.Source(json.dumps(data).encode(), "x.json")
    with refused("properties"):
        formats.decode(source, formats.format_of("x.json"))
