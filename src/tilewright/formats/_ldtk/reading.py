"""Build maps from projects, written by Tilewright or made in the editor.

Every level of a project is a map; the levels that Tilewright wrote for the floors of a map are one map again. Of other
projects, the first IntGrid layer is read (`layer` selects another): tiles have the names and colors of its values. In
projects without an IntGrid, all tile layers are flattened, and tiles are named by their custom data or number. Cells
without a value or a tile are the tile `empty`. Entities become markers with their plain fields as properties; entities
called Room become rooms.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.errors import BadFile, InvalidRecipe, TilewrightError, TooLarge, UnknownName, check_limit, errors_within
from ...core.grid import unpack
from ...core.stored import parse_json
from ...core.tilemap import Marker, Room
from ...core.tileset import MAX_TILES, Sheet, Tileset
from .. import LoadedMap, Source
from .._data import MAX_LABEL, StoredMap
from .._documents import PICTURES, read_sibling, validate
from . import CELLS_LAYER, LABEL_FIELD, ROOM_TAG, THINGS_LAYER, LdtkParams, list_identifiers
from .document import LdtkLabel, LdtkLayer, LdtkLevel, LdtkProject, LdtkTilesetDef, Numbers, flatten_tiles, parse

EMPTY = "empty"


@dataclass(frozen=True)
class _Content:
    """The content of a level: numbers, their names, and everything that is in its entities."""

    level: LdtkLevel
    label: LdtkLabel
    numbers: Numbers
    legend: _Legend
    rooms: list[tuple[int, Room]]
    """Rooms with their numbers, to which links refer."""
    markers: list[Marker]


@dataclass(frozen=True)
class _Legend:
    """The tiles of a layer: their data by number, with a name, and the sheet of their sprites."""

    name: str
    tiles: Mapping[int, Mapping[str, Any]]
    sheet: Sheet | None = None


def read_project(source: Source, options: LdtkParams) -> list[LoadedMap]:
    """Return the maps of a project."""
    project = validate(LdtkProject, parse(source.content))
    levels = [*project.levels, *(level for world in project.worlds for level in world.levels)]
    if not levels:
        raise InvalidRecipe("contains no level")
    chosen = [_choose_level(levels, options.level)] if options.level else levels
    contents = [_read_level(_load_level(level, source), project, source, options) for level in chosen]
    if sum(content.numbers.size for content in contents) * 8 > 1 << 31:
        raise TooLarge("its levels have too many cells; select one with level")
    known = next((found for content in contents if (found := _read_tileset(content.label, project, source))), None)
    tileset, tables = _build_tileset(contents, known or source.tileset)
    cells = [table[content.numbers + 1] for content, table in zip(contents, tables, strict=True)]
    return [
        _build_map([contents[number] for number in floors], [cells[number] for number in floors], tileset)
        for floors in _group_floors(contents, bool(options.level))
    ]


def _choose_level(levels: list[LdtkLevel], wanted: str) -> LdtkLevel:
    named = [level for level in levels if level.identifier == wanted]
    if named:
        return named[0]
    if wanted.isascii() and wanted.isdecimal() and 0 < int(wanted[:9]) <= len(levels):
        return levels[int(wanted[:9]) - 1]
    raise UnknownName("level", wanted, [level.identifier for level in levels])


def _load_level(level: LdtkLevel, source: Source) -> LdtkLevel:
    """Return a level with its layers, which a project may store in a file of their own."""
    if level.layers is not None:
        return level
    if not level.file:
        raise InvalidRecipe("has no layers", at=f"level {level.identifier!r}")
    content = read_sibling(level.file, source, (".ldtkl",))
    if content is None:
        raise BadFile("the file of this level cannot be read", at=level.file)
    with errors_within(level.file, kind=TilewrightError):
        return validate(LdtkLevel, parse(content))


# -- levels ---------------------------------------------------------------------------------------------------


def _read_level(level: LdtkLevel, project: LdtkProject, source: Source, options: LdtkParams) -> _Content:
    found = _read_label(level)
    layers = level.layers or ()
    with errors_within(f"level {level.identifier!r}", kind=TilewrightError):
        numbers, legend = _read_numbers(layers, project, source, options.layer, is_own=found is not None)
        rooms, markers = _read_entities(layers, project, numbers.shape)
    return _Content(level, found or LdtkLabel(), numbers, legend, rooms, markers)


def _read_label(level: LdtkLevel) -> LdtkLabel | None:
    """Return the data of the level field `tilewright`; None if there is none, or if it was damaged."""
    for field in level.fields:
        if field.identifier == LABEL_FIELD and isinstance(field.value, str) and field.value:
            with suppress(TilewrightError):
                return validate(LdtkLabel, parse_json(unpack(field.value, MAX_LABEL, LABEL_FIELD)))
    return None


def _read_numbers(
    layers: Iterable[LdtkLayer], project: LdtkProject, source: Source, wanted: str, *, is_own: bool
) -> tuple[Numbers, _Legend]:
    """Return the values or tile numbers of a level, and what they mean."""
    grids = [layer for layer in layers if layer.type == "IntGrid"]
    tiled = [layer for layer in layers if layer.type in ("Tiles", "AutoLayer")]
    if wanted:
        chosen = [layer for layer in (*grids, *tiled) if layer.identifier == wanted]
        if not chosen:
            raise UnknownName("layer", wanted, [layer.identifier for layer in (*grids, *tiled)])
    else:
        own = [name for name in (CELLS_LAYER, THINGS_LAYER) if is_own]
        chosen = [layer for name in own for layer in grids if layer.identifier == name] or grids[:1] or tiled
    if not chosen:
        raise InvalidRecipe("has no IntGrid layer and no tile layer")
    if chosen[0].type != "IntGrid":
        return flatten_tiles(chosen), _describe_tiles(chosen, project, source)
    numbers = chosen[0].read_values()
    for things in chosen[1:]:
        over = things.read_values()
        if over.shape != numbers.shape:
            raise InvalidRecipe(f"layer {things.identifier!r} must have the size of {chosen[0].identifier!r}")
        numbers = np.where(over >= 0, over, numbers)
    return numbers, _describe_values(chosen, project)


def _describe_values(layers: list[LdtkLayer], project: LdtkProject) -> _Legend:
    definitions = [one for one in project.defs.layers if one.uid in {layer.definition for layer in layers}]
    tiles: dict[int, Mapping[str, Any]] = {}
    for value in (value for layer in definitions for value in layer.values):
        entry = {"name": value.identifier[:80]} if value.identifier.strip() else {}
        tiles.setdefault(value.value - 1, entry | ({"color": value.color} if value.color else {}))
    return _Legend("ldtk", tiles)


def _describe_tiles(layers: list[LdtkLayer], project: LdtkProject, source: Source) -> _Legend:
    """Return the tiles of a tileset, named by their custom data if it is JSON with a name or a short text."""
    used = next((layer.tileset for layer in layers if layer.tileset is not None), None)
    tileset = next((one for one in project.defs.tilesets if one.uid == used), None)
    if tileset is None:
        return _Legend("ldtk", {})
    tiles: dict[int, Mapping[str, Any]] = {}
    for one in tileset.custom_data:
        data = one.read_object()
        about = {key: data[key] for key in ("name", "kind", "passable") if key in data}
        text = one.data.strip()
        tiles[one.tile] = about or ({"name": text} if 0 < len(text) <= 40 and "\n" not in text else {})
    return _Legend(tileset.identifier or "ldtk", tiles, _find_sheet(tileset, source))


def _find_sheet(tileset: LdtkTilesetDef, source: Source) -> Sheet | None:
    """Return the sheet of a tileset, if its picture can be read."""
    picture = read_sibling(tileset.path, source, PICTURES)
    if picture is None or not tileset.columns or not tileset.size:
        return None
    grid = {"columns": tileset.columns, "margin": tileset.padding, "spacing": tileset.spacing}
    sizes = {"tile_width": tileset.size, "tile_height": tileset.size}
    return Sheet.validate({"image": tileset.path, **sizes, **grid}).with_picture(picture, "")


# -- entities -------------------------------------------------------------------------------------------------


def _read_entities(
    layers: Iterable[LdtkLayer], project: LdtkProject, shape: tuple[int, ...]
) -> tuple[list[tuple[int, Room]], list[Marker]]:
    """Return the rooms with their numbers, and the markers inside a level."""
    definitions = {one.uid: one for one in project.defs.entities}
    rooms: list[tuple[int, Room]] = []
    markers: list[Marker] = []
    for layer in layers:
        for entity in layer.entities:
            definition = definitions.get(entity.definition)
            is_room = ROOM_TAG in definition.tags if definition and definition.tags else entity.identifier == "Room"
            if is_room:
                room = entity.read_room(layer.size)
                if 0 <= room.x < room.x + room.width <= shape[1] and 0 <= room.y < room.y + room.height <= shape[0]:
                    rooms.append((entity.read_room_number(len(rooms)), room))
                continue
            marker = entity.read_marker(layer.size, definition)
            if 0 <= marker.x < shape[1] and 0 <= marker.y < shape[0]:
                markers.append(marker)
    return rooms, markers


# -- maps -----------------------------------------------------------------------------------------------------


def _read_tileset(label: LdtkLabel, project: LdtkProject, source: Source) -> Tileset | None:
    """Return the tileset of a level that Tilewright wrote, with the picture of its sheet."""
    if not isinstance(label.tileset, dict):
        return None
    try:
        tileset = Tileset.of(label.tileset)
    except TilewrightError:
        return None
    if tileset.sheet is None:
        return tileset
    for one in project.defs.tilesets:
        if one.path.replace("\\", "/").rpartition("/")[2] == tileset.sheet.to_data()["image"]:
            picture = read_sibling(one.path, source, PICTURES)
            if picture is not None:
                return tileset.model_copy(update={"sheet": tileset.sheet.with_picture(picture, "")})
    return tileset


def _group_floors(contents: list[_Content], alone: bool) -> Iterator[list[int]]:
    """Yield the positions of the floors of each map, from the lowest. Floors without a lowest one are maps."""
    floors: dict[str, list[int]] = {}
    for number, content in enumerate(contents):
        first = content.label.floor_of or content.level.iid
        floors.setdefault(first if first and not alone else str(number), []).append(number)
    for group in floors.values():
        numbers = [contents[number].label.floor for number in group]
        same = len({contents[number].numbers.shape for number in group}) == 1
        if same and numbers == [*range(len(group))]:
            yield group
        else:
            yield from ([number] for number in group)


def _build_map(floors: list[_Content], levels: list[NDArray[np.uint16]], tileset: Tileset) -> LoadedMap:
    first, label = floors[0], floors[0].label
    cells = np.stack(levels) if len(floors) > 1 or len(label.shape) == 3 else levels[0]
    markers = [replace(marker, level=level) for level, floor in enumerate(floors) for marker in floor.markers]
    numbers = {number: position for position, (number, _) in enumerate(first.rooms)}
    ends = [(numbers.get(one), numbers.get(other)) for one, other in label.links]
    data = {
        "shape": cells.shape,
        "tileset": tileset,
        "rooms": [room for _, room in first.rooms],
        "links": [link for link in ends if None not in link],
        "markers": markers,
        "numbers": label.numbers or {},
        "layers": label.layers,
        "provenance": label.provenance,
    }
    with errors_within(f"level {first.level.identifier!r}", kind=TilewrightError):
        stored = StoredMap.validate(data)
        layers = {}
        with suppress(InvalidRecipe):  # The level was resized.
            layers = stored.read_layers()
        return stored.build_map(cells, layers)


def _build_tileset(contents: list[_Content], base: Tileset | None) -> tuple[Tileset, list[NDArray[np.uint16]]]:
    """Return the tileset of all levels, and for each level an array of the tile ids of its numbers from -1."""
    used = [_find_used(content) for content in contents]
    legend = contents[0].legend
    if base is None:
        entries = _list_entries(legend, sorted({number for level in used for number in level}))
        check_limit("tiles", len(entries), MAX_TILES, of="a tileset")
        tileset = Tileset.validate({"name": legend.name, "tiles": [*entries.values()]})
        tileset = tileset.model_copy(update={"sheet": legend.sheet})
        names = [{number: str(entries[number]["name"]) for number in level} for level in used]
    else:
        identifiers = {name.lower(): number for number, name in enumerate(list_identifiers(base.names))}
        names = [
            {number: _find_name_in(base, identifiers, number, content.legend) for number in numbers}
            for content, numbers in zip(contents, used, strict=True)
        ]
        tileset = base.with_tiles(dict.fromkeys(name for level in names for name in level.values()))
    tables = []
    for level in names:
        table = np.zeros(max(level) + 2, dtype=np.uint16)
        for number, name in level.items():
            table[number + 1] = tileset.by_name[name]
        tables.append(table)
    return tileset, tables


def _find_used(content: _Content) -> list[int]:
    used = [int(number) for number in np.unique(content.numbers).tolist()]
    if used[-1] >= MAX_TILES:
        raise TooLarge(f"a tileset must have at most {MAX_TILES:,} tiles, got the number {used[-1]:,}")
    return used


def _find_name_in(base: Tileset, identifiers: Mapping[str, int], number: int, legend: _Legend) -> str:
    """Return the name of a number in a tileset: that of the tile with its identifier, or with this id.

    A value that was added in the editor, and is not in the tileset, has its own name.
    """
    if number < 0:
        return EMPTY
    own = str(legend.tiles.get(number, {}).get("name", ""))
    if own:
        return base.names[identifiers[own.lower()]] if own.lower() in identifiers else own
    return base.names[number] if number < len(base) else f"tile{number}"


def _list_entries(legend: _Legend, used: list[int]) -> dict[int, dict[str, Any]]:
    """Return the tiles of a legend, and those that are used, by number. Each has a name of its own."""
    taken: set[str] = {EMPTY}
    entries: dict[int, dict[str, Any]] = {}
    for number in sorted({*legend.tiles, *(number for number in used if number >= 0)}):
        about = legend.tiles.get(number, {})
        name = str(about.get("name", "")) or f"tile{number}"
        if name in taken or name == "?":
            name = f"{name} {number}"
        taken.add(name)
        entries[number] = {**about, "name": name, **({"sprite": number} if legend.sheet else {})}
    if -1 in used:
        entries[-1] = {"name": EMPTY, "color": "#000000", "glyph": " "}
    return entries
