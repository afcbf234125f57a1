"""Universal VTT (.dd2vtt, .uvtt) for virtual tabletops: the picture with walls, doors and lights in one file.

Foundry, MapTool, Fantasy Grounds, Owlbear and Roll20 read it, some with a module or script.

Walls are closed lines around the cells whose tiles do not block sight; the tileset decides which tiles do. Doors are
tiles named `door`, `gate` or `... door`, and tiles of the kind gate: the walls leave their cells open, and a closed
portal crosses each. A tile with `blocks_sight = false`, such as an open door, has no portal. An impassable tile named
`window` or `... window` that does not block sight gets a portal that is not closed, which is a window.

All walls are in `line_of_sight`, also those around single columns and trees, because Foundry's importer ignores
`objects_line_of_sight`. The format has no notes: markers can be drawn into the picture, or be lights. A marker with a
property `light` is a light of that range in cells. The format has no levels.

The key `tilewright`, which other programs ignore, contains the map. Reading returns the same map. Files of other
programs contain no tiles, and are not read.
"""

from __future__ import annotations

import warnings
from base64 import b64encode
from collections.abc import Iterator, Mapping
from json import dumps
from math import isqrt, pi
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..core.errors import BadFile, InvalidRecipe, check_limit, pluralize
from ..core.params import MAX_SIDE, Params, param
from ..core.stored import parse_json
from ..core.tilemap import Marker, TileMap
from ..core.tileset import Tile
from ..kernels.outline import trace
from . import LoadedMap, Source, file_format
from ._data import StoredMap, describe_map, encode_label, escape_json, pack_array
from ._documents import read_text
from ._files import encode_image
from ._picture import PictureParams, draw

VERSION = 0.3
"""Version of the format. MapTool refuses all but 0.2 and 0.3."""
DEFAULT_SCALE = 70
"""Pixels per cell, those of Roll20's grid. Old versions of its script place walls correctly only at this scale."""
MAX_DEFAULT_PIXELS = 1 << 26
"""Maximum number of pixels of the picture, unless a scale is given."""
MAX_CORNERS = 1 << 19
"""Maximum number of corners of walls; the reader accepts this number."""
MAX_INSET = 0.3
"""Maximum inset: lines shorter than 0.3 cells are thinned out by Foundry's importer, and 0.4 cells are left."""
LIGHT_COLOR = "ffffd9a0"
"""Color of lights as AARRGGBB, the yellow of torches."""
MARKER_RANGE = 6.0
"""Range of the light of a marker in cells, about 30 feet."""
LIGHT_NAMES = frozenset({"brazier", "campfire", "candle", "fire", "lamp", "lantern", "light", "torch"})
KEY = "tilewright"


class UvttParams(Params):
    """Options of Universal VTT files."""

    scale: int | None = param(None, ge=1, le=256, typical=(50, 140))
    """Pixels per cell; by default 70, and less for large maps."""
    image: bool = param(True)
    """Whether the file contains the picture; false for Roll20, where it is uploaded separately with scale=70."""
    doors: tuple[str, ...] | None = param(None, tiles=True)
    """Tiles that are doors, by name or glyph; by default those named door or gate, and those of the kind gate."""
    lights: Literal["none", "rooms", "markers"] = param("none")
    """Lights: none, one per room, or one per marker named torch, lamp, fire and the like or with a property light."""
    sprites: bool | None = param(None)
    """Whether to draw sprites instead of colors; by default if the tileset has any."""
    markers: bool = param(True)
    """Whether to draw an icon for every marker into the picture."""
    inset: float = param(0.0, ge=0, le=MAX_INSET)
    """Distance in cells by which walls move into the solid cells, so that players see a part of them."""


class Openings(NamedTuple):
    """Masks (row, column) of the cells that walls and portals depend on."""

    clear: NDArray[np.bool_]
    """Cells inside the walls: those that do not block sight, and doors."""
    doors: NDArray[np.bool_]
    windows: NDArray[np.bool_]


def read(source: Source, options: UvttParams) -> list[LoadedMap]:
    label = parse_json(read_text(source)).get(KEY)
    if not isinstance(label, dict):
        reason = "contains no tiles, because another program made it; only files of Tilewright are read as maps"
        raise BadFile(reason, at=source.name)
    return [StoredMap.read(label, source.content).to_map()]


@file_format(
    UvttParams,
    read=read,
    extensions=(".dd2vtt", ".uvtt"),
    media_type="application/json",
    use="virtual tabletops",
    engines=(
        "Foundry VTT (module Universal Battlemap Importer)",
        "Roll20 (script UniversalVTTImporter)",
        "MapTool",
        "Fantasy Grounds",
        "Owlbear Rodeo (extension)",
    ),
)
def uvtt(map: TileMap, options: UvttParams, path: Path) -> Mapping[str, bytes]:
    if map.cells.ndim == 3:
        raise InvalidRecipe(
            f"a map for tabletops has one level, got {pluralize(map.cells.shape[0], 'level')}; take one level, "
            "such as tw.TileMap(map.cells[0], map.tileset)",
            place="uvtt",
        )
    openings = find_openings(map, options)
    scale = choose_scale(map, options)
    resolution = {
        "map_origin": {"x": 0, "y": 0},
        "map_size": {"x": map.width, "y": map.height},
        "pixels_per_grid": scale,
    }
    lights = _build_lights(map, openings.clear, options.lights)
    if options.lights != "none" and not lights:
        missing = "rooms" if options.lights == "rooms" else "markers such as torch, nor any with a property light"
        warnings.warn(f"{path.name}: no lights, because the map has no {missing}", stacklevel=2)
    parts = {
        "format": dumps(VERSION),
        "resolution": dumps(resolution),
        "line_of_sight": _format_walls(openings.clear, options.inset),
        "objects_line_of_sight": "[]",
        "portals": _format_list(_iter_portals(openings, options.inset)),
        "environment": dumps({"baked_lighting": False, "ambient_light": "ffffffff"}),
        "lights": _format_list(lights),
        KEY: _encode_map(map),
        "image": f'"{_encode_picture(map, options, scale) if options.image else ""}"',
    }
    text = ",\n".join(f'"{name}": {part}' for name, part in parts.items())
    return {path.name: f"{{\n{text}\n}}\n".encode("ascii")}


def _encode_map(map: TileMap) -> str:
    """Return the map as JSON without `<`, `>` and `&`, because Roll20's script removes HTML from the text."""
    return escape_json(encode_label(map, {**describe_map(map), "cells": pack_array(map.cells)}, "file"))


def choose_scale(map: TileMap, options: UvttParams, max_pixels: int = MAX_DEFAULT_PIXELS) -> int:
    """Return the given number of pixels per cell, or a default for a picture of at most `max_pixels` pixels."""
    if not options.image:
        return options.scale or DEFAULT_SCALE
    return options.scale or max(1, min(DEFAULT_SCALE, isqrt(max_pixels // map.cells.size)))


def find_openings(map: TileMap, options: UvttParams) -> Openings:
    """Return the masks of clear cells, doors and windows."""
    blocks = map.tileset.blocks_sight
    if options.doors is None:
        is_door = np.array([_is_door(tile) for tile in map.tileset])
    else:
        is_door = np.zeros(len(map.tileset), dtype=np.bool_)
        is_door[[map.tileset.id(name) for name in options.doors]] = True
    windows = [_get_noun(tile.name) == "window" and not tile.passable for tile in map.tileset]
    is_window = np.array(windows) & ~blocks & ~is_door
    return Openings((is_door | ~blocks)[map.cells], is_door[map.cells], is_window[map.cells])


def _is_door(tile: Tile) -> bool:
    return tile.blocks_sight is not False and (tile.kind == "gate" or _get_noun(tile.name) in ("door", "gate"))


def _get_noun(name: str) -> str:
    """Return the last word of a name: `door` for `red door`."""
    return name.lower().rpartition(" ")[2]


def _format_walls(clear: NDArray[np.bool_], inset: float) -> str:
    """Return the walls as JSON, one closed line per text line."""
    height, width = clear.shape
    loops = trace_loops(clear)
    corners = sum(map(len, loops))
    check_limit("corners", corners, MAX_CORNERS, of="walls for tabletops", advice="crop the map")
    walls = [loop.tolist() for loop in loops]
    if inset:
        walls = [loop.round(4).tolist() for loop in move_out(loops, inset, width, height)]
    lines = []
    for loop in walls:
        points = [f'{{"x":{x},"y":{y}}}' for x, y in loop]
        lines.append(f"[{','.join([*points, points[0]])}]")
    return _join_lines(lines)


def _iter_portals(openings: Openings, inset: float) -> Iterator[dict[str, object]]:
    """Yield a portal for each door and window, across its cell."""
    height, width = openings.clear.shape
    # How much a neighbor bounds a passage: walls and the outside count more than the next leaf of a double door.
    bounds = np.pad(np.where(openings.clear, 0, 2), 1, constant_values=2)
    portals = openings.doors | openings.windows
    bounds[1:-1, 1:-1][portals] = 1
    for y, x in np.argwhere(portals).tolist():
        above, below, left, right = bounds[y, x + 1], bounds[y + 2, x + 1], bounds[y + 1, x], bounds[y + 1, x + 2]
        if above + below > left + right:
            ends = [(x + 0.5, y - inset * (above == 2)), (x + 0.5, y + 1 + inset * (below == 2))]
            rotation = pi / 2
        else:
            ends = [(x - inset * (left == 2), y + 0.5), (x + 1 + inset * (right == 2), y + 0.5)]
            rotation = 0.0
        yield {
            "position": {"x": x + 0.5, "y": y + 0.5},
            "bounds": [{"x": _limit(end[0], width), "y": _limit(end[1], height)} for end in ends],
            "rotation": rotation,
            "closed": bool(openings.doors[y, x]),
            "freestanding": False,
        }


def _limit(value: float, side: int) -> float:
    """Return a coordinate inside the map, with as many digits as those of walls."""
    return round(min(max(float(value), 0.0), float(side)), 4)


def _build_lights(map: TileMap, clear: NDArray[np.bool_], source: str) -> list[dict[str, object]]:
    """Return the lights of rooms or markers."""
    if source == "markers":
        reaches = [_get_marker_range(marker) for marker in map.markers]
        lit = zip(map.markers, reaches, strict=True)
        return [_make_light(marker.x, marker.y, reach) for marker, reach in lit if reach > 0]
    lights = []
    for room in map.rooms if source == "rooms" else ():
        rows, columns = np.nonzero(clear[room.y : room.y + room.height, room.x : room.x + room.width])
        if len(rows):
            # The clear cell nearest to the center of the room, the first in reading order.
            nearest = np.argmin((2 * rows + 1 - room.height) ** 2 + (2 * columns + 1 - room.width) ** 2)
            reach = float(np.sqrt(room.width**2 + room.height**2)) / 2 + 0.5
            lights.append(_make_light(room.x + int(columns[nearest]), room.y + int(rows[nearest]), round(reach, 2)))
    return lights


def _get_marker_range(marker: Marker) -> float:
    """Return the range of the light of a marker in cells; 0 if it is not a light."""
    value = marker.properties.get("light", _get_noun(marker.name) in LIGHT_NAMES)
    if isinstance(value, bool | str):
        return MARKER_RANGE if value is True else 0.0
    return float(value) if 0 < value <= MAX_SIDE else 0.0


def _make_light(x: int, y: int, reach: float) -> dict[str, object]:
    position = {"x": x + 0.5, "y": y + 0.5}
    return {"position": position, "range": reach, "intensity": 1.0, "color": LIGHT_COLOR, "shadows": True}


def _encode_picture(map: TileMap, options: UvttParams, scale: int) -> str:
    """Return the picture as base64 of a PNG file, exactly `scale` pixels per cell."""
    picture = draw(
        map, PictureParams(scale=scale, sprites=options.sprites, markers=options.markers), cell=(scale, scale)
    )
    return b64encode(encode_image(picture)).decode("ascii")


def _format_list(values: Iterator[dict[str, object]] | list[dict[str, object]]) -> str:
    return _join_lines([dumps(value) for value in values])


def _join_lines(lines: list[str]) -> str:
    return "[\n{}\n]".format(",\n".join(lines)) if lines else "[]"


def trace_loops(is_open: NDArray[np.bool_]) -> list[NDArray[np.int32]]:
    """Return the loops around the open cells of a mask (row, column). Cells outside the mask are solid.

    A loop is an array (corner, 2) of x and y in cells, without the first corner at its end. The open cells are on the
    right of each line, so loops run clockwise around open cells and counterclockwise around solid cells within them.
    Open cells that touch only at a corner have separate loops, so that nothing is visible through the corner. The loops
    have no corners inside straight lines, and start at their first corner in reading order.

    >>> trace_loops(np.array([[True, True], [False, False]]))[0].tolist()
    [[0, 0], [2, 0], [2, 1], [0, 1]]
    """
    padded = np.pad(is_open, 1)
    northwest, northeast = padded[:-1, :-1], padded[:-1, 1:]
    southwest, southeast = padded[1:, :-1], padded[1:, 1:]
    edges = (southeast & ~northeast).astype(np.uint8)
    edges |= (southwest & ~southeast).astype(np.uint8) << 1
    edges |= (northwest & ~southwest).astype(np.uint8) << 2
    edges |= (northeast & ~northwest).astype(np.uint8) << 3
    # A corner is where one or three of four cells are open; at two open cells in a diagonal, two loops have corners.
    diagonal = (northwest == southeast) & (northeast == southwest) & (northwest != northeast)
    odd = northwest ^ northeast ^ southwest ^ southeast
    total = int(odd.sum()) + 2 * int(diagonal.sum())
    corners = np.empty((total, 2), dtype=np.int32)
    ends = np.empty(total // 4, dtype=np.int64)
    loops = trace(edges, corners, ends)
    return np.split(corners, ends[: loops - 1]) if loops else []


def move_out(loops: list[NDArray[np.int32]], distance: float, width: int, height: int) -> list[NDArray[np.float64]]:
    """Return the loops with every line moved by a distance of less than half a cell into the solid cells.

    Lines along the border of the map, which is width x height cells, stay there.
    """
    if not loops:
        return []
    corners = np.concatenate(loops)
    ends = np.cumsum([len(loop) for loop in loops])
    first, last = np.concatenate([[0], ends[:-1]]), ends - 1
    following, previous = np.arange(1, len(corners) + 1), np.arange(-1, len(corners) - 1)
    following[last], previous[first] = first, last
    # Signs of the line that leaves each corner: one of x and y is 0.
    leaving = np.sign(corners[following] - corners)
    # The left of a line (dx, dy) is (dy, -dx), because y points down.
    outward = (leaving + leaving[previous])[:, ::-1] * np.array([1, -1])
    moved = np.clip(corners + distance * outward, 0.0, np.array([width, height], dtype=np.float64))
    return np.split(moved, ends[:-1])
