"""Build projects from maps of one tileset."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.errors import InvalidRecipe, check_limit
from ...core.grid import MAX_INLINE_CELLS, pack
from ...core.tilemap import TileMap
from .._artwork import THINGS
from .._data import describe_map, pack_array
from .._layers import SpriteLayer, ground_tiles, sprite_layers
from . import CELLS_LAYER, THINGS_LAYER, LdtkParams, choose_identifier
from .definitions import Data, EntityWriter, TilePicture, load_templates, make_field_value, make_iid, make_project
from .layers import BORDER, LayerPlan, SpritePlan, locate_borders, plan_layers

MAX_SPRITES = 1 << 21
"""Maximum number of sprites in all layers of a project."""
Place = tuple[int, int]
"""Column and row, or x and y in pixels."""


class JsonText(str):
    """A list that is already encoded as JSON."""

    __slots__ = ()


def write_project(
    levels: Sequence[tuple[str, TileMap]], options: LdtkParams, path: Path, *, places: Sequence[Place] = ((0, 0),)
) -> Mapping[str, bytes]:
    """Return the files of a project: the project, and the picture of its tileset if it is drawn or copied.

    Parameters
    ----------
    levels
        Names and maps of the levels, at least one. All maps must have the same tileset. The floors of a map with levels
        are levels of their own, above each other.
    options
        Options of the format.
    path
        Path of the project, absolute or a bare name.
    places
        Column and row of each map in the world, in cells.

    Returns
    -------
    mapping of str to bytes
        Contents by file name, the project first.

    Raises
    ------
    InvalidRecipe
        If tilesets differ, or tiles are not square.
    TooLarge
        If the levels have too many sprites.
    """
    maps = [map for _, map in levels]
    tileset = maps[0].tileset
    if any(map.tileset.look_digest != tileset.look_digest for map in maps):
        raise InvalidRecipe("all levels of an LDtk project must have the same tileset")
    uids = count(1)
    picture = TilePicture.of(tileset, options, path, next(uids))
    plan = plan_layers(tileset, picture, uids, with_rules=options.rules)
    cells = sum(map.cells.size for map in maps)
    advice = "use tmx, or a smaller map"
    check_limit("sprites", cells * len(plan.sprites), MAX_SPRITES, of="an LDtk project", advice=advice)
    entities = EntityWriter(maps, picture.size, uids)
    writer = _LevelWriter(path.stem, picture, plan, entities)
    written = [*writer.iter_levels(levels, places, uids)]
    definitions = {
        "layers": [entities.layer, *plan.definitions],
        "entities": entities.definitions,
        "tilesets": [picture.definition],
        "enums": [],
        "externalEnums": [],
        "levelFields": [entities.label_field],
    }
    is_large = cells > MAX_INLINE_CELLS
    project = make_project(path.stem, uids, picture.size, is_large, definitions, written)
    # Long lists have one line per row of cells; small projects are also indented.
    return {path.name: "".join([*_iter_parts(project, None if is_large else "\t"), "\n"]).encode(), **picture.pictures}


# -- levels ---------------------------------------------------------------------------------------------------


class _Floor(NamedTuple):
    """A floor of a map, which is a level of its own."""

    map: TileMap
    number: int
    name: str
    uid: int
    place: Place
    """Place of the level in the world, in pixels."""

    def take(self, cells: NDArray[Any]) -> NDArray[Any]:
        """Return the part of an array of the map's cells that belongs to the floor."""
        return cells[self.number] if self.map.cells.ndim == 3 else cells


class _LevelWriter:
    """Writer of the levels of a project."""

    def __init__(self, name: str, picture: TilePicture, plan: LayerPlan, entities: EntityWriter) -> None:
        self.name, self.picture, self.plan, self.entities = name, picture, plan, entities

    def iter_levels(
        self, levels: Sequence[tuple[str, TileMap]], places: Sequence[Place], uids: Iterator[int]
    ) -> Iterator[Data]:
        """Yield the floors of all maps, at their places in cells."""
        taken: set[str] = set()
        for (name, map), (x, y) in zip(levels, places, strict=True):
            base = choose_identifier(name, taken)
            floors = 1 if map.cells.ndim == 2 else len(map.cells)
            names = [base, *(choose_identifier(f"{base}_floor_{floor}", taken) for floor in range(1, floors))]
            yield from self._iter_floors(map, names, (x * self.picture.size, y * self.picture.size), uids)

    def _iter_floors(self, map: TileMap, names: Sequence[str], place: Place, uids: Iterator[int]) -> Iterator[Data]:
        iids = [make_iid(self.name, name) for name in names]
        ground = ground_tiles(map)
        layers = sprite_layers(map, keep_hidden=any(plan.is_auto for plan in self.plan.sprites))
        for number, name in enumerate(names):
            neighbors = [
                {"levelIid": iids[other], "dir": "<" if other < number else ">"}
                for other in (number - 1, number + 1)
                if 0 <= other < len(names)
            ]
            floor = _Floor(map, number, name, next(uids), place)
            label = _describe_level(map) if number == 0 else {"floor_of": iids[0], "floor": number}
            yield load_templates()["level"] | {
                "identifier": name,
                "iid": iids[number],
                "uid": floor.uid,
                "worldX": place[0],
                "worldY": place[1],
                "worldDepth": number,
                "pxWid": map.width * self.picture.size,
                "pxHei": map.height * self.picture.size,
                "fieldInstances": [make_field_value(self.entities.label_field, pack(json.dumps(label).encode()))],
                "layerInstances": [*self._iter_layers(floor, floor.take(ground), layers)],
                "__neighbours": neighbors,
            }

    def _iter_layers(self, floor: _Floor, ground: NDArray[Any], layers: Sequence[SpriteLayer]) -> Iterator[Data]:
        """Yield the layers of a floor, from the top."""
        cells = floor.take(floor.map.cells)
        grids = {CELLS_LAYER: np.where(self.plan.cells.tiles[cells], cells, ground), THINGS_LAYER: cells}
        contents: dict[int, tuple[int, Data]] = {}
        for grid in (self.plan.cells, self.plan.things):
            if grid is not None:
                shown = grids[grid.name]
                values = np.where(grid.tiles[shown], shown.astype(np.int64) + 1, 0)
                contents[grid.uid] = (0, {"intGridCsv": _encode_values(values)})
        for plan in self.plan.sprites:
            layer = layers[plan.plane]
            sprites, is_between = floor.take(layer.sprites), layer.offset != (0, 0)
            if plan.grid is None:
                centers = np.zeros_like(sprites)
            elif is_between:
                centers = locate_borders(*cells.shape)
            else:
                centers = grids[plan.grid.name]
                if layer.name == THINGS:
                    sprites = np.where(plan.grid.tiles[cells], sprites, -1)
            key = "autoLayerTiles" if plan.is_auto else "gridTiles"
            tiles = self._encode_tiles(sprites, centers, plan)
            contents[plan.definition["uid"]] = (-BORDER if is_between else 0, {key: tiles})
        entities = self.entities.list_entities(floor.map, floor.number, (self.name, floor.name), floor.place)
        contents[self.entities.layer["uid"]] = (0, {"entityInstances": entities})
        for definition in (self.entities.layer, *self.plan.definitions):
            yield self._make_layer(definition, floor, *contents[definition["uid"]])

    def _make_layer(self, definition: Data, floor: _Floor, offset: int, lists: Data) -> Data:
        """Return a layer, which is moved right and down by some pixels."""
        has_tileset = definition["tilesetDefUid"] is not None
        own = {
            "__identifier": definition["identifier"],
            "__type": definition["type"],
            # The editor counts the cells between the offset and the far end of the level.
            "__cWid": floor.map.width + (offset < 0),
            "__cHei": floor.map.height + (offset < 0),
            "__gridSize": self.picture.size,
            "__pxTotalOffsetX": offset + definition["pxOffsetX"],
            "__pxTotalOffsetY": offset + definition["pxOffsetY"],
            "__tilesetDefUid": definition["tilesetDefUid"],
            "__tilesetRelPath": self.picture.definition["relPath"] if has_tileset else None,
            "iid": make_iid(self.name, floor.name, definition["identifier"]),
            "levelId": floor.uid,
            "layerDefUid": definition["uid"],
            "pxOffsetX": offset,
            "pxOffsetY": offset,
        }
        return load_templates()["layer_instance"] | own | lists

    def _encode_tiles(self, sprites: NDArray[np.int32], centers: NDArray[Any], plan: SpritePlan) -> JsonText:
        """Return the tiles of a layer as JSON. Its rules are found by sprites and centers."""
        size, width = self.picture.size, sprites.shape[1]
        step = int(centers.max()) + 1
        keys = sprites * np.int64(step) + centers + step  # Keys below `step` mean no sprite.
        is_used = np.zeros(int(keys.max()) + 1, dtype=np.bool_)
        is_used[keys.reshape(-1)] = True
        distinct = np.flatnonzero(is_used)
        indices_by_key = np.cumsum(is_used) - 1
        pairs = [(int(key) // step - 1, int(key) % step) for key in distinct]
        middles = ["" if sprite < 0 else self._encode_sprite(sprite, center, plan) for sprite, center in pairs]
        starts = [f'{{"px":[{column * size},' for column in range(width)]
        rows = [line.tolist() for line in indices_by_key[keys]]
        is_full = bool(distinct[0] >= step)
        lines = []
        for row, indices in enumerate(rows):
            y, first = str(row * size), row * width
            if is_full:
                parts = [
                    f'{start}{y}{middles[index]}{place}],"a":1}}'
                    for start, index, place in zip(starts, indices, range(first, first + width), strict=True)
                ]
            else:
                parts = [
                    f'{starts[column]}{y}{middles[index]}{first + column}],"a":1}}'
                    for column, index in enumerate(indices)
                    if middles[index]
                ]
            if parts:
                lines.append(",".join(parts))
        return JsonText(f"[{','.join(lines)}]" if len(lines) < 2 else "[\n" + ",\n".join(lines) + "\n]")

    def _encode_sprite(self, sprite: int, center: int, plan: SpritePlan) -> str:
        """Return the part of a tile's JSON between its y and the number of its cell."""
        number = int(self.picture.numbers[sprite])
        x, y = self.picture.find_source(number)
        rule = f"{plan.rules[sprite, center]}," if plan.is_auto else ""
        return f'],"src":[{x},{y}],"f":0,"t":{number},"d":[{rule}'


def _describe_level(map: TileMap) -> Data:
    """Return the data of a map that LDtk has no place for."""
    label = describe_map(map)
    for name in ("rooms", "markers"):
        label.pop(name, None)
    if map.layers and map.cells.size <= MAX_INLINE_CELLS:
        label["layers"] = {name: pack_array(layer) for name, layer in map.layers.items()}
    return label


def _encode_values(values: NDArray[Any]) -> JsonText:
    """Return the values of an IntGrid as JSON, one line per row."""
    rows = [",".join(map(str, row)) for row in values.tolist()]
    return JsonText("[\n" + ",\n".join(rows) + "\n]")


# -- JSON -----------------------------------------------------------------------------------------------------


def _iter_parts(data: Mapping[str, Any], indent: str | None) -> Iterator[str]:
    """Yield the parts of an object as JSON. Its layers have lists that are already encoded."""
    separators = (",", ":") if indent is None else None
    nested = {key: data[key] for key in ("levels", "layerInstances") if key in data}
    ready = {key: value for key, value in data.items() if isinstance(value, JsonText)}
    plain = {key: value for key, value in data.items() if key not in nested and key not in ready}
    yield json.dumps(plain, indent=indent, separators=separators)[:-1].rstrip()
    for key, objects in nested.items():
        yield f',"{key}":['
        for number, one in enumerate(objects):
            yield "," if number else ""
            yield from _iter_parts(one, indent)
        yield "]"
    for key, text in ready.items():
        yield f',"{key}":'
        yield text
    yield "}"
