"""Conversion of Tiled's tilesets."""

from __future__ import annotations

import os
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.errors import InvalidRecipe, TooLarge, UnknownName, errors_within
from ...core.tileset import ANY_GROUND, CLEAR_KINDS, MAX_TILES, Sheet, Tileset
from ...core.tilesets import tilesets as known_tilesets
from .. import Source
from .._documents import PICTURES, parse_inner_json, read_sibling, validate
from .._files import is_relative
from .._sheet import MAX_COLUMNS, arrange_sprites, encode_png, picture_size, sheet_picture, sprite_box
from .document import LIMITS, MAX_GIDS, TiledTile, TiledTileset, from_json
from .elements import from_xml

TILESETS = (".tsx", ".xml", ".tsj", ".json")
MAX_COMBINED_PIXELS = 1 << 24
"""Maximum number of pixels of the combined picture of several tilesets."""
TILE_KEYS = ("glyph", "color", "passable", "sprite", "code", "over", "joins", "country", "defence", "weight")
"""Fields of a tile that are custom properties of the same name."""


def resolve_tileset(tileset: TiledTileset, source: Source) -> TiledTileset:
    """Load an external tileset, if possible. The path of its picture is made relative to the map."""
    content = read_sibling(tileset.source, source, TILESETS, "its tiles are named by their numbers")
    if content is None:
        return tileset
    with errors_within(tileset.source):
        data = from_xml(content) if tileset.source.lower().endswith((".tsx", ".xml")) else from_json(content)
        outer = validate(TiledTileset, {**data, "firstgid": tileset.firstgid, "source": ""})
    if not is_relative(outer.image):
        return outer
    folder = PurePosixPath(tileset.source.replace("\\", "/")).parent
    return outer.model_copy(update={"image": str(folder / outer.image)})


class _DocumentTile:
    """A tile of a document: its tileset, its local id, its gid and its properties."""

    def __init__(self, tileset: TiledTileset, local_id: int, tile: TiledTile | None) -> None:
        self.tileset, self.local_id, self.gid = tileset, local_id, tileset.firstgid + local_id
        self.properties: Mapping[str, Any] = tile.properties if tile else {}
        self.kind = tile.kind if tile else ""
        number = self.properties.get("tile_id")
        self.id = number if "tilewright" in tileset.properties and isinstance(number, int) else None
        """Tile id in a tileset written by Tilewright, else None."""

    @property
    def rank(self) -> tuple[bool, int, bool, int]:
        """Place in the order of tiles: those with an id by id, with all their data first, then the others by gid."""
        return self.id is None, self.gid if self.id is None else self.id, "glyph" not in self.properties, self.gid

    def is_same(self, other: _DocumentTile | None) -> bool:
        """Return whether both are sprites of the same tile."""
        return other is not None and self.id is not None and self.id == other.id


@dataclass(frozen=True, eq=False)
class TileTable:
    """What the gids of a document show, up to the largest gid used."""

    tiles: NDArray[np.uint16]
    """Array (gid,) of tile ids."""
    masks: NDArray[np.int16]
    """Array (gid,) of the masks of sprites of skins; -1 for other sprites."""


def build_tileset(
    tilesets: list[TiledTileset], used: list[int], things: Collection[int], source: Source
) -> tuple[Tileset, TileTable]:
    """Return the tileset of a document, and what its gids show.

    `things` are gids that are always above others. Tiles of other programs with such a gid are drawn over the ground.
    """
    # First the tiles written by Tilewright by their ids, then the others by gid. Sprites of skins share their tile,
    # which only one of them describes completely.
    tiles = sorted(_collect_tiles(tilesets, used), key=lambda tile: tile.rank)
    is_new = [not tile.is_same(before) for tile, before in zip(tiles, [None, *tiles], strict=False)]
    distinct = [tile for tile, new in zip(tiles, is_new, strict=True) if new]
    if len(distinct) >= MAX_TILES:
        raise TooLarge(f"a tileset must have at most {MAX_TILES:,} tiles, got {len(distinct):,}")
    sheet, positions = _find_sheet(tilesets, distinct, source)
    entries = list(_iter_entries(distinct, positions, things, several=len(tilesets) > 1))
    ids = {tile.gid: int(number) for tile, number in zip(tiles, np.cumsum(is_new) - 1, strict=True)}
    if source.tileset is None:
        if 0 in used and all(entry["name"] != "empty" for entry in entries):
            blank = all(entry.get("glyph") != " " for entry in entries)
            entries.append({"name": "empty", "color": "#000000"} | ({"glyph": " "} if blank else {}))
        name = (tilesets[0].name if tilesets else "") or "tiled"
        about = {**_find_rules(tilesets), **({"sheet": sheet.to_data()} if sheet else {})}
        tileset = Tileset.validate({"name": name, "tiles": entries, **about})
        tileset = known_tilesets.complete(tileset.model_copy(update={"sheet": sheet}))
    else:
        tileset = source.tileset.with_tiles(["empty"] if 0 in used else [])
        wanted = set(used)
        ids = {
            tile.gid: _find_tile_id(tileset, entries[ids[tile.gid]]["name"], tile)
            for tile in tiles
            if tile.gid in wanted
        }
    table = TileTable(np.zeros(used[-1] + 1, dtype=np.uint16), np.full(used[-1] + 1, -1, dtype=np.int16))
    for gid in used:
        table.tiles[gid] = ids[gid] if gid else tileset.id("empty")
    for tile in tiles:
        mask = tile.properties.get("mask")
        if tile.gid <= used[-1] and tile.id is not None and isinstance(mask, int) and 0 <= mask < 256:
            table.masks[tile.gid] = mask
    return tileset, table


def _find_rules(tilesets: list[TiledTileset]) -> dict[str, Any]:
    """Return the joints, adjacency rules and skins of a tileset written by Tilewright."""
    for tileset in tilesets:
        text = tileset.properties.get("rules") if "tilewright" in tileset.properties else None
        rules = parse_inner_json(text, LIMITS)
        if isinstance(rules, dict):
            return {key: rules[key] for key in ("joints", "beside", "skins") if key in rules}
    return {}


def _collect_tiles(tilesets: list[TiledTileset], used: list[int]) -> Iterable[_DocumentTile]:
    """Return all tiles that a document describes or uses."""
    known: dict[int, _DocumentTile] = {}
    ends = [tileset.firstgid for tileset in tilesets[1:]] + [MAX_GIDS]
    for tileset, end in zip(tilesets, ends, strict=False):
        if tileset.tilecount is not None:
            end = min(end, tileset.firstgid + tileset.tilecount)
        # Collections of pictures have gaps in their ids, so all described tiles are used, whatever their ids.
        described = {tile.id: tile for tile in tileset.tiles}
        here = used[bisect_left(used, tileset.firstgid) : bisect_left(used, end)]
        for local in described.keys() | {gid - tileset.firstgid for gid in here}:
            tile = _DocumentTile(tileset, local, described.get(local))
            known[tile.gid] = tile
    missing = [gid for gid in used if gid and gid not in known]
    if missing:
        raise InvalidRecipe(f"gid {missing[0]} belongs to no tileset")
    return known.values()


def _iter_entries(
    tiles: list[_DocumentTile], positions: Mapping[int, int], things: Collection[int], *, several: bool
) -> Iterator[dict[str, Any]]:
    """Yield the data of tiles: those written by Tilewright unchanged, others with a name."""
    taken: set[str] = set()
    for tile in tiles:
        if tile.id is not None:
            entry = _own_entry(tile)
        else:
            entry = {"name": _choose_name(tile, taken, several), "kind": tile.kind}
            if isinstance(tile.properties.get("passable"), bool):
                entry["passable"] = tile.properties["passable"]
            if tile.gid in positions:
                entry["sprite"] = positions[tile.gid]
            if tile.gid in things:
                entry["over"] = ANY_GROUND
        taken.add(entry["name"])
        yield entry


def _own_entry(tile: _DocumentTile) -> dict[str, Any]:
    """Return the data of a tile written by Tilewright."""
    about = tile.properties
    entry = {key: about[key] for key in TILE_KEYS if key in about}
    costs = {name[len("cost_") :]: value for name, value in about.items() if name.startswith(("cost_", "cost."))}
    entry = {"name": str(about.get("name", f"tile{tile.local_id}")), "kind": tile.kind, "costs": costs, **entry}
    # Files say for every tile whether it blocks sight; a tileset only where it differs from the default.
    by_default = not entry.get("passable", True) and tile.kind not in CLEAR_KINDS
    if isinstance(about.get("blocks_sight"), bool) and about["blocks_sight"] != by_default:
        entry["blocks_sight"] = about["blocks_sight"]
    return entry


def _choose_name(tile: _DocumentTile, taken: set[str], several: bool) -> str:
    """Choose the name of another program's tile: its own name, its local id, or its gid, whichever is unused."""
    own_name = tile.properties.get("name")
    if isinstance(own_name, str) and 0 < len(own_name) <= 80 and own_name not in taken:
        return own_name
    name = f"{tile.tileset.name[:60]} {tile.local_id}" if several and tile.tileset.name else f"tile{tile.local_id}"
    return name if name not in taken else f"{name} ({tile.gid})"


def _find_tile_id(tileset: Tileset, name: str, tile: _DocumentTile) -> int:
    """Return the id of a tile in the given tileset, found by name or else by local id."""
    if name in tileset.by_name:
        return tileset.by_name[name]
    if tile.local_id >= len(tileset):
        raise UnknownName("tile", name, tileset.names, f"tileset {tileset.name!r}")
    return tile.local_id


def _find_sheet(
    tilesets: list[TiledTileset], tiles: list[_DocumentTile], source: Source
) -> tuple[Sheet | None, dict[int, int]]:
    """Return the sheet of a document, and the positions in it of the tiles of other programs, by gid.

    Pictures of several tilesets of other programs are combined. Tiles whose picture is missing have no position.
    """
    for tileset in tilesets:
        data = parse_inner_json(tileset.properties.get("sheet"), LIMITS)
        if isinstance(data, dict):
            # The picture of a tileset of drawn sprites is not that of the sheet.
            is_drawn = tileset.properties.get("tilewright") == "drawn"
            sheet = Sheet.validate(data)
            return (sheet if is_drawn else _with_picture(sheet, tileset, source)), {}
    sheets = [
        (tileset, _read_sheet(tileset, source))
        for tileset in tilesets
        if tileset.image and tileset.tilewidth and "tilewright" not in tileset.properties
    ]
    if not sheets:
        return None, {}
    first, sheet = sheets[0]
    combined = [tile for tile in tiles if any(tile.tileset is one and found.picture for one, found in sheets)]
    sizes = {(found.tile_width, found.tile_height) for _, found in sheets if found.picture}
    width, height = next(iter(sizes), (0, 0))
    is_too_large = len(combined) * width * height > MAX_COMBINED_PIXELS
    if len(sizes) > 1 or is_too_large or all(tile.tileset is first for tile in combined):
        return sheet, {tile.gid: tile.local_id for tile in tiles if tile.tileset is first}
    by_gid = {tileset.firstgid: found for tileset, found in sheets}
    pixels = np.stack([_cut_sprite(by_gid[tile.tileset.firstgid], tile.local_id) for tile in combined])
    name = f"{PurePosixPath(source.name).stem or 'map'}-sheet.png"
    columns = min(MAX_COLUMNS, len(combined))
    sheet = Sheet(image=name, tile_width=width, tile_height=height, columns=columns)
    picture = encode_png(arrange_sprites(pixels))
    return sheet.with_picture(picture, ""), {tile.gid: number for number, tile in enumerate(combined)}


def _read_sheet(tileset: TiledTileset, source: Source) -> Sheet:
    """Return the sheet of a tileset of another program."""
    step = tileset.tilewidth + tileset.spacing
    data = {
        "image": tileset.image,
        "tile_width": tileset.tilewidth,
        "tile_height": tileset.tileheight,
        "columns": tileset.columns or max(1, (tileset.imagewidth - tileset.margin + tileset.spacing) // step),
        "margin": tileset.margin,
        "spacing": tileset.spacing,
    }
    sheet = _with_picture(Sheet.validate(data), tileset, source)
    if not sheet.picture or tileset.columns or tileset.imagewidth:
        return sheet
    width, _ = picture_size(sheet) or (0, 0)  # Old files describe neither the columns nor the picture.
    columns = max(1, (width - sheet.margin + sheet.spacing) // step)
    return sheet.model_copy(update={"columns": columns})


def _with_picture(sheet: Sheet, tileset: TiledTileset, source: Source) -> Sheet:
    """Return a sheet with its picture, if it can be opened, and where the picture is, so that a file written later
    refers to it."""
    picture = read_sibling(tileset.image, source, PICTURES, "its sprites are drawn by color")
    path = os.path.normpath(Path(source.folder, tileset.image.replace("\\", "/"))) if source.folder else ""
    return sheet.with_picture(picture, path) if picture else sheet


def _cut_sprite(sheet: Sheet, number: int) -> NDArray[np.uint8]:
    """Return a sprite of a picture, an array (row, column, 4); transparent outside the picture, as in Tiled."""
    return np.asarray(sheet_picture(sheet).crop(sprite_box(sheet, number)))
