"""Advance Wars By Web: rows of comma-separated terrain ids, as the site uses them. Stores no other data.

The extension `.awbw` selects this format; a `.csv` of the site is read with `--from awbw` and written with `--format
awbw`. Ids are the codes of tiles in the tileset `awbw`, or in your own, which may begin with `extends = "awbw"`. An id
without a tile becomes the tile `unknown N`, is listed in a warning, and is written unchanged. An empty field, 0 and 195
are all the teleport tile. Maps of any size are read. The site accepts 5 to 50 cells per side; writing other sizes gives
a warning.

Two more formats are read. The old format has one character per cell and a space for the teleport tile; it lacks the
newer countries, and is written with the option `old`. The site's JSON (`api/map/map_info.php`) stores a map column by
column; its units become markers such as `unit infantry orange star`.

The format is detected: text that begins as JSON is JSON; text is ids if at least half of the non-empty fields between
commas are numbers; all other text is the old format, in which a comma is sea and some digits are buildings. If the
detection is wrong, set `old`.
"""

from __future__ import annotations

import re
import tomllib
import warnings
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import BadFile, InvalidRecipe, TooLarge, pluralize, short_repr
from ..core.grid import MAX_CELLS
from ..core.params import MAX_SIDE, Params, as_int, param
from ..core.stored import parse_json
from ..core.tilemap import Marker, TileMap
from ..core.tileset import Tile, Tileset
from ..core.tilesets import tilesets
from ..formats import LoadedMap, Source, file_format
from ..formats._documents import check_row_lengths, read_text

TELEPORT = 195
NOTHING = 0
"""Another id that the site writes for the teleport tile."""
MAX_DIGITS = 9
MAX_UNKNOWN_IDS = 1000
"""Maximum number of different ids without a tile."""
MIN_MAP_SIDE, MAX_MAP_SIDE = 5, 50
"""Minimum and maximum width and height that the site accepts."""
ID = re.compile(rf"[0-9]{{1,{MAX_DIGITS}}}")
NUMBER = re.compile(r"[\"']?[-+]?(?:[0-9][0-9.]*(?:e[-+]?[0-9]+)?|nan|inf(?:inity)?)[\"']?", re.IGNORECASE | re.ASCII)
"""A string intended as a number, valid or not."""
DOCUMENT = re.compile(
    r'\{\s*(?:"[^"\n]*(?:"\s*:|"?$)|\}$)|\[\s*(?:\[\s*)?(?:"?[0-9]+"?\s*(?:,\s*"?[0-9]|\])|\{\s*")', re.ASCII
)
"""Start of JSON, even if truncated; rarely matches a map in the old format."""
OTHER_SEPARATORS = {";": "semicolons", "\t": "tabs"}
COUNTRIES, UNITS, RUNS = tomllib.loads(Path(__file__).with_name("names.toml").read_text("utf-8")).values()
"""Names of countries by code, names of units by id, and runs of characters of the old format by their first id."""
SYMBOLS: dict[int, str] = {int(first) + place: one for first, run in RUNS.items() for place, one in enumerate(run)}
"""Characters of the old format by id; other ids have none."""


class AwbwParams(Params):
    """Options of Advance Wars By Web maps."""

    old: bool | None = param(None)
    """Whether to use the old format, one character per cell; by default write ids and detect when reading."""


def _encode_tile(tile: Tile, tileset: Tileset, *, old: bool) -> str:
    """Return the id of a tile, or its character in the old format."""
    if tile.code is None:
        raise InvalidRecipe(
            f"the tile {tile.name!r} of tileset {tileset.name!r} has no code (the site's id); make the map with "
            "tileset awbw, or add codes to the tiles",
            place="awbw",
        )
    if not ID.fullmatch(str(tile.code)):
        raise InvalidRecipe(f"the code {tile.code} of the tile {tile.name!r} is not an id of the site", place="awbw")
    if not old:
        return str(tile.code)
    if tile.code not in SYMBOLS:
        raise InvalidRecipe(f"the old format has no character for the tile {tile.name!r} (id {tile.code})", at="old")
    return SYMBOLS[tile.code]


def read(source: Source, options: AwbwParams) -> list[LoadedMap]:
    if len(source.content) > MAX_CELLS:
        raise TooLarge(f"a map of Advance Wars By Web must have at most {MAX_CELLS:,} bytes")
    tileset = source.tileset or tilesets.get("awbw")
    if all(tile.code is None for tile in tileset):
        raise InvalidRecipe(f"tileset {tileset.name!r} has no codes, which identify tiles of Advance Wars By Web")
    text = read_text(source)
    if not text.strip("\n" if options.old else None):
        raise BadFile("contains no cells", at=source.name)
    if not options.old and (document := _parse_json(text)) is not None:
        ids, markers = _parse_columns(document), _read_units(document)
    else:
        lines = _split_lines(text)
        if not options.old:
            _refuse_other_separators(lines, source.name)
        old = not _holds_ids(lines) if options.old is None else options.old
        ids = _parse_symbols(lines, source.name) if old else _parse_ids(lines, source.name)
        markers = []
    map = _build_map(ids, tileset, source.name)
    inside = [marker for marker in markers if 0 <= marker.x < map.width and 0 <= marker.y < map.height]
    if len(inside) < len(markers):
        beyond = pluralize(len(markers) - len(inside), "unit")
        warnings.warn(f"{source.name}: {beyond} outside the map skipped", stacklevel=2)
    return [LoadedMap(map.replace(markers=inside))]


# -- text ------------------------------------------------------------------------------------------------------


def _split_lines(text: str) -> list[str]:
    """Return the rows of text, without the empty lines at its end."""
    text = text.rstrip("\n")
    if text.count("\n") >= MAX_SIDE:
        raise TooLarge(f"must have at most {MAX_SIDE:,} rows, got {text.count(chr(10)) + 1:,}")
    lines = text.split("\n")
    while len(lines) > 1 and not lines[-1].strip() and len(lines[-1]) != len(lines[0]):
        lines.pop()
    return lines


def _holds_ids(lines: Iterable[str]) -> bool:
    """Return whether most fields between commas are numbers, valid or not."""
    filled = numbers = 0
    for field in chain.from_iterable(line.split(",") for line in lines):
        if text := field.strip():
            filled += 1
            numbers += NUMBER.fullmatch(text) is not None
    return filled > 0 and 2 * numbers >= filled


def _refuse_other_separators(lines: Sequence[str], name: str) -> None:
    """Raise BadFile for ids between semicolons or tabs, which would be read as the old format."""
    for between, noun in OTHER_SEPARATORS.items():
        if 2 * sum(_separates_numbers(line, between) for line in lines) > len(lines):
            raise BadFile(f"ids must be separated by commas, not by {noun}", at=name)


def _separates_numbers(line: str, between: str) -> bool:
    fields = [field.strip() for field in line.split(between)]
    return len(fields) > 1 and any(fields) and all(not field or NUMBER.fullmatch(field) for field in fields)


def _parse_ids(lines: Sequence[str], name: str) -> NDArray[np.int64]:
    """Return (row, column) ids."""
    rows: list[list[int]] = []
    ends = set()
    while not lines[-1].strip():
        lines = lines[:-1]
    for number, line in enumerate(lines, 1):
        if line.count(",") >= MAX_SIDE:
            raise BadFile(f"row {number} must have at most {MAX_SIDE:,} cells", at=(name, "row", number), place=name)
        fields = [field.strip() for field in line.split(",")]
        if rows and len(fields) != len(rows[0]):
            raise BadFile(
                f"row {number} has {pluralize(len(fields), 'cell')}, the first has {len(rows[0])}",
                at=(name, "row", number),
                place=name,
            )
        for column, field in enumerate(fields, 1):
            if field and not ID.fullmatch(field):
                raise BadFile(
                    f"row {number}, column {column}: {_invalid_id_message(field)}", at=(name, "row", number), place=name
                )
        rows.append([int(field or NOTHING) for field in fields])
        ends.add(fields[-1])
    if ends == {""} and any(map(any, rows)):
        warnings.warn(f"{name}: all rows end with a comma, so the last column is all teleport tiles", stacklevel=2)
    return np.array(rows, dtype=np.int64)


def _invalid_id_message(value: object) -> str:
    return f"an id must be an integer of at most {MAX_DIGITS} digits, got {short_repr(value)}"


def _parse_symbols(lines: list[str], name: str) -> NDArray[np.int64]:
    """Return (row, column) ids of the characters of the old format."""
    if len(lines[0]) > MAX_SIDE:
        raise BadFile(f"row 1 must have at most {MAX_SIDE:,} cells", at=name)
    known = {symbol: code for code, symbol in SYMBOLS.items()}
    unknown = sorted(set().union(*lines) - known.keys())
    if unknown:
        row = next(number for number, line in enumerate(lines) if unknown[0] in line)
        place = f"row {row + 1}, column {lines[row].index(unknown[0]) + 1}"
        raise BadFile(
            f"{place}: neither rows of ids nor the old format, which has no {short_repr(unknown[0])}", at=name
        )
    return np.array([[known[symbol] for symbol in line] for line in check_row_lengths(lines, name)], dtype=np.int64)


# -- site's JSON -----------------------------------------------------------------------------------------------


def _parse_json(text: str) -> dict[str, Any] | None:
    """Return the JSON object in text; None if the text is not JSON and does not look like it."""
    stripped = text.strip()
    if not stripped.startswith(("{", "[")):
        return None
    try:
        return parse_json(stripped, message="damaged JSON")
    except (InvalidRecipe, TooLarge):
        if not DOCUMENT.match(stripped):
            return None
        raise


def _parse_columns(document: Mapping[str, Any]) -> NDArray[np.int64]:
    """Return (row, column) ids of the site's map, which is stored column by column."""
    columns = document.get("Terrain Map")
    if columns is None:
        message = document.get("message")
        remark = f"; it says {short_repr(message)}" if isinstance(message, str) else ""
        raise InvalidRecipe(f"must contain a 'Terrain Map', as the site's JSON does{remark}")
    if not isinstance(columns, list) or not all(isinstance(column, list) for column in columns):
        raise InvalidRecipe("must be a list of columns, each a list of ids", at="Terrain Map", got=columns, rule="type")
    if not columns or not columns[0]:
        raise InvalidRecipe("contains no cells", at="Terrain Map")
    if max(len(columns), len(columns[0])) > MAX_SIDE:
        raise TooLarge(f"must have at most {MAX_SIDE:,} cells per side", at="Terrain Map")
    for number, column in enumerate(columns, 1):
        if len(column) != len(columns[0]):
            text = f"Terrain Map: column {number} has {pluralize(len(column), 'cell')}, the first has {len(columns[0])}"
            raise InvalidRecipe(text)
    for key, side in (("Size X", len(columns)), ("Size Y", len(columns[0]))):
        if key in document and _parse_int(document[key]) != side:
            raise InvalidRecipe(f"must be {side} as in the Terrain Map, got {short_repr(document[key])}", at=key)
    ids = [[_parse_id(value, x, y) for y, value in enumerate(column)] for x, column in enumerate(columns)]
    return np.array(ids, dtype=np.int64).T


def _parse_id(value: object, x: int, y: int) -> int:
    if value is None or value == "":
        return NOTHING
    number = _parse_int(value)
    if number is None or not 0 <= number < 10**MAX_DIGITS:
        raise InvalidRecipe(f"x={x} y={y}: {_invalid_id_message(value)}", at=("Terrain Map", x, y), place="Terrain Map")
    return number


def _parse_int(value: object) -> int | None:
    """Return an integer, which may be a string; None if it is not one."""
    return int(value) if isinstance(value, str) and ID.fullmatch(value) else as_int(value)


def _read_units(document: Mapping[str, Any]) -> list[Marker]:
    """Return the units on the site's map as markers."""
    units = document.get("Predeployed Units") or []
    if not isinstance(units, list) or not all(isinstance(unit, dict) for unit in units):
        raise InvalidRecipe("must be a list of units", at="Predeployed Units", got=units, rule="type")
    markers = []
    for number, unit in enumerate(units):
        kind, x, y = (_parse_int(unit.get(key)) for key in ("Unit ID", "Unit X", "Unit Y"))
        if kind is None or x is None or y is None:
            raise InvalidRecipe("must have integers as Unit ID, Unit X and Unit Y", at=("Predeployed Units", number))
        country = unit.get("Country Code")
        owner = COUNTRIES.get(country, country[:20]) if isinstance(country, str) else ""
        name = UNITS.get(str(kind)) or str(kind)[:20]
        markers.append(Marker(f"unit {name} {owner}".rstrip(), x, y))
    return markers


# -- ids and tiles ---------------------------------------------------------------------------------------------


def _build_map(ids: NDArray[np.int64], tileset: Tileset, name: str) -> TileMap:
    """Return the map with these ids; the tileset gains a tile for every id without one."""
    codes = {tile.code: number for number, tile in reversed(list(enumerate(tileset)))}
    if NOTHING not in codes:
        ids = np.where(ids == NOTHING, TELEPORT, ids)
    used, cells, counts = np.unique(ids, return_inverse=True, return_counts=True)
    unknown = {code: count for code, count in zip(used.tolist(), counts.tolist(), strict=True) if code not in codes}
    if len(unknown) > MAX_UNKNOWN_IDS:
        raise TooLarge(f"{len(unknown):,} different ids without a tile; not a map of Advance Wars By Web")
    if unknown:
        listed = ", ".join(f"{code} ({pluralize(count, 'cell')})" for code, count in unknown.items())
        warnings.warn(
            f"{name}: unknown ids, kept as tiles 'unknown N': {listed}; define them in your own tileset to name them",
            stacklevel=2,
        )
        tileset = tileset.with_tiles({"name": f"unknown {code}", "kind": "unknown", "code": code} for code in unknown)
        codes |= {code: tileset.by_name[f"unknown {code}"] for code in unknown}
    numbers = np.array([codes[code] for code in used.tolist()], dtype=tileset.dtype)
    return TileMap(numbers[cells].reshape(ids.shape), tileset)


@file_format(
    AwbwParams,
    read=read,
    shared_extensions=(".csv", ".txt", ".json"),
    media_type="text/plain; charset=utf-8",
    use="games",
    engines=("Advance Wars By Web",),
)
def awbw(map: TileMap, options: AwbwParams, path: Path) -> Mapping[str, bytes]:
    if map.cells.ndim == 3:
        raise InvalidRecipe(
            f"cannot hold a map with levels, got {pluralize(map.cells.shape[0], 'level')}", place="awbw"
        )
    written = np.full(len(map.tileset), "", dtype=object)
    for number in np.unique(map.cells).tolist():
        written[number] = _encode_tile(map.tileset[number], map.tileset, old=bool(options.old))
    if not all(MIN_MAP_SIDE <= side <= MAX_MAP_SIDE for side in map.cells.shape):
        size = f"{map.width}x{map.height}"
        warnings.warn(
            f"{path.name}: Advance Wars By Web accepts maps of {MIN_MAP_SIDE} to {MAX_MAP_SIDE} cells per side, "
            f"got {size}",
            stacklevel=2,
        )
    between = "" if options.old else ","
    rows = [between.join(row) for row in written[map.cells].tolist()]
    return {path.name: ("\n".join(rows) + "\n").encode()}
