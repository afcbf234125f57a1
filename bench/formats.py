"""Time to write a map, in milliseconds, after the sprite sheet of its tileset was drawn in the process."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import tilewright as tw
from tilewright.formats import encode
from tilewright.formats.uvtt import trace_loops

from .row import Row, best_times


def rows() -> Iterator[Row]:
    yield _time_writing("tmx 40x28, second write in a process", tw.make("caves", width=40, height=28, seed=1), 20, 3)
    large = tw.make("caves", width=512, height=512, seed=1)
    yield _time_writing("tmx 512x512", large, 5, 100)
    yield _time_writing("tmx 512x512, three terrains between cells, and things", _with_terrains(large), 5, 100)
    yield _time_writing("godot 512x512", large, 5, 150, ".tscn")
    yield _time_writing(
        "godot 512x512, three terrains between cells, and things", _with_terrains(large), 5, 150, ".tscn"
    )
    yield _time_writing("ldtk 512x512", large, 5, 1000, ".ldtk")
    yield _time_writing(
        "ldtk 512x512, three terrains between cells, and things", _with_terrains(large), 5, 1000, ".ldtk"
    )
    yield from _tabletop_rows()


def _time_writing(what: str, map: tw.TileMap, rounds: int, at_most: float, extension: str = ".tmx") -> Row:
    with TemporaryDirectory() as folder:
        write = partial(map.save, Path(folder) / f"map{extension}")
        write()
        (seconds,) = best_times(write, rounds=rounds)
    return Row(what=what, unit="ms", ours=1000 * seconds, at_most=at_most)


def _with_terrains(cave: tw.TileMap) -> tw.TileMap:
    """Return a map of water, sand and grass with some stones, in the shape of a cave."""
    names = ("water", "sand", "grass")
    skins = [{"tile": name, "under": names[number + 1 :], "layout": "corner16"} for number, name in enumerate(names)]
    tiles = [{"name": name, "kind": name} for name in names] + [{"name": "stone", "over": "*", "passable": False}]
    tileset = tw.Tileset.validate({"name": "terrains", "tiles": tiles, "skins": skins})
    is_land = cave.where("floor")
    cells = np.where(is_land, np.where(np.roll(is_land, 9, axis=(0, 1)), 2, 1), 0)
    cells[::7, ::5] = 3
    return tw.TileMap(cells, tileset)


def _tabletop_rows() -> Iterator[Row]:
    """Yield the times to trace walls, and to write them with doors and provenance, but without the picture."""
    cave = tw.make("caves", width=512, height=512, seed=7)
    clear = ~cave.tileset.blocks_sight[cave.cells]
    trace, write = partial(trace_loops, clear), partial(encode, cave, "uvtt", image=False)
    trace()
    seconds = best_times(trace, write, rounds=10)
    for what, time in zip(("uvtt outlines of a cave 512x512", "uvtt 512x512 without picture"), seconds, strict=True):
        yield Row(what=what, unit="ms", ours=1000 * time, at_most=100)
