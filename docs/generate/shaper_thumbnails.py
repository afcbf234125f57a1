"""Thumbnails of shapers for the studio: a small map before and after each one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image as Pillow
from PIL import ImageDraw
from PIL.Image import Image

import tilewright as tw

WIDTH, HEIGHT = 18, 11
"""Size of the maps in cells."""
SCALE, GAP = 8, 20
"""Pixels of a cell, and between the two maps."""
ARROW = (140, 132, 120, 255)
Source = dict[str, Any] | tuple[str, str]
"""A recipe, or the name of a tileset and a drawing."""

CAVE: dict[str, Any] = {"technique": "caves", "params": {"walls": 0.47}, "seed": 1}
LAND: dict[str, Any] = {"technique": "noise", "params": {"feature_size": 9}, "seed": 6}
CAVES = """
##################
###....#####...###
##......###.....##
##......###.....##
###....#####...###
##################
####...######.####
##......####...###
#......#####...###
##....########.###
##################
"""
PEBBLES = """
##################
##.....##.....####
#..#......#.....##
#.......#....#..##
##...#.........###
#.......#......###
#..#.......#....##
##......#.......##
#....#.....#...###
###......##...####
##################
"""
ROOMS = """
##################
#....########....#
#....########....#
#................#
#....###.####....#
########.#########
########.#########
##.....#.#.....###
##.............###
##.....###.....###
##################
"""
TUNNELS = """
##################
#.......##########
#.#####.####.#####
#.#####.####.#####
#.......####.#####
####.#######.#####
####.............#
####.#######.###.#
####.#######.###.#
####.####......#.#
##################
"""
ROCK = """
rrrrrrrrrrrrrrrrrr
rrrrrrrrrrrrrrrrrr
rrr....rrrrrrrrrrr
rrr....rrrr....rrr
rrr............rrr
rrr....rrrr....rrr
rrrrr.rrrrr....rrr
rrrrr.rrrrrrrrrrrr
rrr.....rrrrrrrrrr
rrrrrrrrrrrrrrrrrr
rrrrrrrrrrrrrrrrrr
"""
ROADS = """
,,,,,,,,,,,,,,,,,,
,,^^,,,,,,,,,f,,,,
,,,^,,,,---,,ff,,,
,,,,,,,,-,-,,,,,,,
,-------------,,,,
,-,,,,,,-,,,,-,,,,
,-,,f,,,-,,,,-,,,,
,-,,ff,,-,,,,-,,,,
,--------,,,,---,,
,,,,,,,,,,,,,,,,,,
,,,,,,,,,,,,,,,,,,
"""
BUILDINGS = """
,,,,,,,,,,,,,,,,,,
,,c,,,^^,,,,f,,,,,
,,,,,,,,,,c,,,,,,,
,,,,,b,,,,,,,,,,,,
,,,,,,,,,,,,,,c,,,
,,c,,,,,,f,,,,,,,,
,,,,,,,,,,,,,b,,,,
,,,,^,,,,,,,,,,,,,
,,,,,,c,,,,,,,,c,,
,f,,,,,,,,,,,,,,,,
,,,,,,,,,,,,,,,,,,
"""
CHASM = """
..................
..................
..................
................##
................##
................##
................##
................##
###.............##
###.............##
###.............##
"""
STOREROOM = """
##################
#####....#########
####.....#########
####..#..####..###
###...........####
###..##.......####
###..##..#..######
####........######
######...#########
##################
##################
"""
TILESETS = {
    "warehouse": {"#": "wall", ".": "floor"},
    "cave": {"#": "wall", ".": "floor"},
    "dungeon": {"#": "wall", ".": "floor", "r": "rock"},
    "awbw": {
        ",": "plain",
        "^": "mountain",
        "f": "wood",
        "-": "road ew",
        "c": "green earth city",
        "b": "red fire base",
    },
}
"""Tiles of the drawings by glyph, in each tileset."""
GRASS = {"recipe": {"technique": "caves"}, "on": "floor", "tiles": {"wall": "grass", "floor": "floor"}}

EXAMPLES: dict[str, tuple[Source, dict[str, Any]]] = {
    "autotile": (("awbw", ROADS), {}),
    "border": (CAVE, {"thickness": 2}),
    "connect": (("cave", CAVES), {}),
    "countries": (("awbw", BUILDINGS), {}),
    "crates": (("warehouse", STOREROOM), {"pushes": 12}),
    "crop": (CAVE, {"x": 4, "y": 2, "width": 10, "height": 7}),
    "doors": (("dungeon", ROOMS), {}),
    "flip": (CAVE, {}),
    "improve": (("cave", CAVES), {"targets": {"regions": 1, "path_length": "24.."}}),
    "keep_largest": (("cave", CAVES), {}),
    "lock_and_key": (("dungeon", ROOMS), {"count": 2}),
    "make_playable": (("dungeon", CHASM), {"game": "platformer"}),
    "mirror": (CAVE, {}),
    "overlay": (("dungeon", ROOMS), GRASS),
    "paint": (("cave", CAVES), {"of": "floor", "largest": 1, "tile": "water"}),
    "place": (CAVE, {}),
    "players": (("awbw", ROADS), {"neutral_cities": 2, "bases": 1}),
    "prune_dead_ends": (("dungeon", TUNNELS), {}),
    "remove_small_regions": (LAND, {"min_cells": 6}),
    "replace": (CAVE, {"tile": "floor", "by": "moss", "share": 0.3}),
    "rotate": (CAVE, {"turns": 2}),
    "smooth": (("cave", PEBBLES), {"steps": 2}),
    "thicken": (("cave", CAVES), {"floor_share": 0.15}),
    "walls": (("dungeon", ROCK), {}),
    "widen": (("cave", TUNNELS), {}),
}
"""Map before each shaper, as a recipe or a drawing, and the parameters of the shaper."""


def draw_shaper(name: str) -> Image:
    """Return a map before and after a shaper, side by side with an arrow between them."""
    source, params = EXAMPLES[name]
    before = _read_drawing(*source) if isinstance(source, tuple) else _make_map(source)
    size = (2 * WIDTH * SCALE + GAP, HEIGHT * SCALE)
    picture = Pillow.new("RGBA", size)
    for left, map in ((0, before), (WIDTH * SCALE + GAP, tw.shape(before, name, **params, seed=7))):
        drawn = map.image(scale=SCALE, sprites=True, markers=True)
        picture.paste(drawn, (left + (WIDTH * SCALE - drawn.width) // 2, (size[1] - drawn.height) // 2))
    middle, row = WIDTH * SCALE + GAP // 2, size[1] // 2
    ImageDraw.Draw(picture).polygon([(middle - 5, row - 6), (middle - 5, row + 6), (middle + 6, row)], fill=ARROW)
    return picture.quantize(64, method=Pillow.Quantize.FASTOCTREE)


def save_shaper(name: str, path: Path) -> None:
    """Save the thumbnail of a shaper."""
    draw_shaper(name).save(path, optimize=True)


def _make_map(recipe: dict[str, Any]) -> tw.TileMap:
    return tw.run({**recipe, "params": {**recipe["params"], "width": WIDTH, "height": HEIGHT}})


def _read_drawing(name: str, drawing: str) -> tw.TileMap:
    tileset = tw.Tileset.of(name)
    ids = {glyph: tileset.id(tile) for glyph, tile in TILESETS[name].items()}
    return tw.TileMap(np.array([[ids[glyph] for glyph in line] for line in drawing.split()]), tileset)
