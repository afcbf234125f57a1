"""Tilesets of documents: the sprites of a tileset, in pictures, with their gids, and Wang sets (Tiled's terrains).

Sprites in the user's own picture have their position there as local id; drawn sprites are in a second picture. Sprites
of different tiles that share a position are in further tilesets on the same picture, so that every gid shows one tile.

A collision shape belongs to a sprite, but whether a cell is solid depends on its tile: the water beneath a bridge must
not stop a walker. Sprites of impassable tiles that can be beneath others, or between cells, are therefore also in a
tileset without collision shapes on the same picture, `NAME (below)`.

Wang sets are made from skins, so that Tiled's terrain brush chooses the sprites that Tilewright chooses. The first
color of a set is the tile of the skin and the second is everything else. Tiled's order of the eight directions is that
of the masks, clockwise from the north.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import numpy as np
from numpy.typing import NDArray

from ...core.caching import cached_by_size
from ...core.skins import ALL_BITS, CORNER_BITS, DIRECTIONS, EDGE_BITS, LAYOUTS
from ...core.tileset import ANY_GROUND, Sheet, Tile, Tileset
from .. import _sheet
from .._artwork import THINGS, Artwork
from . import Document, TiledParams
from .elements import ColorProperty, TileEntries, WangSets, encode_properties

Size = tuple[int, int]
"""Width and height of a sprite in pixels."""
Locals = dict[int, int]
"""Sprites of a document's tileset by local id; of several sprites with one local id, that of a skin."""


@dataclass(frozen=True, eq=False)
class SpriteGids:
    """The gids of the sprites of a tileset. The last entry of each array is for no sprite."""

    solid: NDArray[np.uint32]
    """Array (sprite + 1,) of gids with the collision shapes of impassable tiles."""
    plain: NDArray[np.uint32]
    """Array (sprite + 1,) of gids without collision shapes."""


@dataclass(frozen=True, eq=False)
class _Plan:
    """The tilesets of all documents with the same tileset and options."""

    parts: tuple[tuple[Document, bool], ...]
    """Each tileset of the document, without its picture, and whether its picture is the user's own."""
    gids: SpriteGids
    picture: bytes
    """Picture of the drawn sprites; empty if there are none."""


def build_tilesets(
    tileset: Tileset, options: TiledParams, path: Path, *, embedded: bool
) -> tuple[list[Document], SpriteGids, dict[str, bytes]]:
    """Return the tilesets of a document, the gids of all sprites, and the pictures to write beside it, by file name."""
    artwork = Artwork.of(tileset)
    if tileset.sheet is not None and artwork.sheet is None and not options.image_path:
        tileset = tileset.model_copy(update={"sheet": None})  # The picture is not available, so sprites are drawn.
    sheet, image = tileset.sheet, f"{path.stem}-tiles.png"
    size = (sheet.tile_width, sheet.tile_height) if sheet else (options.tile_size, options.tile_size)
    plan = _plan_tilesets(artwork, size, options.collisions, embedded, sheet is not None)
    place = options.image_path or (_sheet.find_relative_path(sheet, path) if sheet else "")
    pictures: dict[str, bytes] = {}
    documents: list[Document] = []
    for part, is_on_sheet in plan.parts:
        about: Document = {}
        if is_on_sheet:
            assert sheet is not None
            about = _describe_picture(tileset, sheet, place)
            if sheet.picture and not place:
                pictures[about["image"]] = sheet.picture
        elif not embedded:
            rows = -(-part["tilecount"] // part["columns"])
            about = {"image": image, "imagewidth": part["columns"] * size[0], "imageheight": rows * size[1]}
            pictures[image] = plan.picture
        # As in Tiled's own files, the tiles are after the picture.
        documents.append({**part, **about})
    return documents, plan.gids, pictures


@cached_by_size
def _plan_tilesets(artwork: Artwork, size: Size, collisions: bool, embedded: bool, has_sheet: bool) -> _Plan:
    """Return the tilesets of a document. With a sheet, sprites are used at their positions in it."""
    tileset = artwork.tileset
    positions = _find_positions(artwork) if has_sheet and not embedded else {}
    pixels, drawn = None, [number for number in range(len(artwork)) if number not in positions]
    if drawn:
        pixels = artwork.draw(drawn, size[1], size[0])
    parts: list[tuple[str, str, Locals, dict[int, int], int]] = []
    for number, (locals, local_ids) in enumerate(_arrange(artwork, positions), 1):
        name = tileset.name if number == 1 else f"{tileset.name} ({number})"
        parts.append((name, "sheet", locals, local_ids, _count_places(tileset, positions)))
    if drawn:
        look = "embedded" if embedded else "drawn"
        name = f"{tileset.name} (drawn)" if parts else tileset.name
        locals = dict(enumerate(drawn))
        parts.append((name, look, locals, {sprite: local for local, sprite in locals.items()}, len(drawn)))
    below = find_tiles_below(artwork) if collisions else np.zeros(len(tileset), dtype=np.bool_)
    is_below = below[[sprite.tile for sprite in artwork.sprites]]
    gids = SpriteGids(*(np.zeros(len(artwork) + 1, dtype=np.uint32) for _ in range(2)))
    found: list[tuple[Document, bool]] = []
    free = 1
    for copy in (False, True):
        for name, look, locals, local_ids, count in parts:
            chosen = {local: sprite for local, sprite in locals.items() if is_below[sprite] or not copy}
            if not chosen:
                continue
            pictures = {}
            if look == "embedded":
                assert pixels is not None
                pictures = {sprite: _sheet.encode_png(pixels[local]) for local, sprite in chosen.items()}
            tiles = TileEntries(
                _encode_tile(
                    artwork,
                    sprite,
                    local,
                    size,
                    is_solid=collisions and not copy,
                    is_first=not copy and local_ids.get(artwork.sprites[sprite].tile) == local,
                    picture=pictures.get(sprite),
                )
                for local, sprite in sorted(chosen.items())
            )
            title, is_drawn = f"{name} (below)" if copy else name, all(part[1] == "drawn" for part in parts)
            document = {"firstgid": free, **_describe_tileset(tileset, title, look, size, stores_sheet=is_drawn)}
            document |= {"tilecount": count, "columns": 0 if look == "embedded" else min(_sheet.MAX_COLUMNS, count)}
            document["tiles"] = tiles
            wang_sets = build_wang_sets(artwork, chosen, is_below, copy=copy)
            found.append((document | ({"wangsets": wang_sets} if wang_sets else {}), look == "sheet"))
            for sprite, local in local_ids.items():
                if is_below[sprite] or not copy:
                    (gids.plain if copy else gids.solid)[sprite] = free + local
            free += count
    np.copyto(gids.plain, gids.solid, where=gids.plain == 0)
    picture = _sheet.encode_png(_sheet.arrange_sprites(pixels)) if pixels is not None and not embedded else b""
    return _Plan(tuple(found), gids, picture)


def _find_positions(artwork: Artwork) -> dict[int, int]:
    """Return the positions in the user's own picture by sprite."""
    tileset = artwork.tileset
    if artwork.sheet is not None:
        return {n: sprite.position for n, sprite in enumerate(artwork.sprites) if sprite.position is not None}
    assert tileset.sheet is not None
    # The picture was not read, but the document names it, so the sprites are those that the picture would have.
    tables = [skin.list_sprites(tileset.sheet.columns) for skin in tileset.skins]
    found = {}
    for number, sprite in enumerate(artwork.sprites):
        own = tileset[sprite.tile].sprite
        position = own if sprite.skin is None else next((at for at, _ in tables[sprite.skin].get(sprite.mask, ())), own)
        if position is not None:
            found[number] = position
    return found


def _arrange(artwork: Artwork, positions: Mapping[int, int]) -> Iterator[tuple[Locals, dict[int, int]]]:
    """Yield the sprites of each tileset on the user's picture: by local id, and the local ids by sprite.

    Sprites of one tile share a position. There are as many tilesets as the most common position has tiles.
    """
    copies: list[dict[int, int]] = []
    locals: list[Locals] = []
    local_ids: list[dict[int, int]] = []
    for number, position in positions.items():
        sprite = artwork.sprites[number]
        copy = next((k for k, tiles in enumerate(copies) if tiles.get(position, sprite.tile) == sprite.tile), None)
        if copy is None:
            copy = len(copies)
            copies.append({})
            locals.append({})
            local_ids.append({})
        copies[copy][position] = sprite.tile
        known = locals[copy].get(position)
        if known is None or artwork.sprites[known].skin is None:
            locals[copy][position] = number
        local_ids[copy][number] = position
    yield from zip(locals, local_ids, strict=True)


def _count_places(tileset: Tileset, positions: Mapping[int, int]) -> int:
    """Return the number of places for sprites in the user's picture."""
    assert tileset.sheet is not None
    rows = _sheet.count_sprite_rows(tileset)
    return max(rows * tileset.sheet.columns, 1 + max(positions.values()))


def find_tiles_below(artwork: Artwork) -> NDArray[np.bool_]:
    """Return an array (tile,) of the impassable tiles with sprites that can be in a cell of another tile."""
    tileset = artwork.tileset
    below = np.zeros(len(tileset), dtype=np.bool_)
    if needs_cells(artwork):
        below[:] = True
    for tile in tileset:
        if tile.over == ANY_GROUND:
            below |= np.array([not other.over for other in tileset])
        elif tile.over:
            below[tileset.by_name[tile.over]] = True
    for skin in tileset.skins:
        if skin.under:
            below[tileset.find_tiles(skin.tile)] = True
    return below & ~tileset.passable


def needs_cells(artwork: Artwork) -> bool:
    """Return whether the tiles of a map cannot be read from its sprites, because sprites are between cells or a tile
    is hidden beneath another."""
    tileset = artwork.tileset
    is_thing = np.array([bool(tile.over) for tile in tileset])
    topmost = np.full(len(tileset), -1)
    for plane in artwork.planes:
        if plane.is_dual:
            return True
        shown = is_thing if plane.name == THINGS else ~is_thing
        topmost = np.where(plane.singles, np.arange(len(tileset)), topmost)
        for table in plane.tables:
            topmost = np.where(table.covered & shown, table.tiles[0], topmost)
            own = table.tiles[shown[table.tiles]]
            topmost[own] = own
    return bool((topmost != np.arange(len(tileset))).any())


# -- documents ------------------------------------------------------------------------------------------------


def _describe_picture(tileset: Tileset, sheet: Sheet, place: str) -> Document:
    """Describe the user's picture, at `place` or, if the picture can be copied, beside the map."""
    rows = _sheet.count_sprite_rows(tileset)
    width, height = _sheet.picture_size(sheet) or (
        sheet.margin + sheet.columns * (sheet.tile_width + sheet.spacing) - sheet.spacing,
        sheet.margin + rows * (sheet.tile_height + sheet.spacing) - sheet.spacing,
    )
    original = sheet.image.replace("\\", "/")
    image = place or (PurePosixPath(original).name if sheet.picture else original)
    grid = {"columns": sheet.columns, "margin": sheet.margin, "spacing": sheet.spacing}
    return {**grid, "image": image, "imagewidth": width, "imageheight": height}


def _describe_tileset(tileset: Tileset, name: str, look: str, size: Size, *, stores_sheet: bool) -> Document:
    """Return the common data of tilesets. `look` stores the origin of the picture, which readers need.

    With `stores_sheet`, a tileset of drawn sprites also stores the sheet, because no other tileset does.
    """
    about = {"tilewright": look}
    if tileset.sheet is not None and (look != "drawn" or stores_sheet):
        about["sheet"] = json.dumps(tileset.sheet.to_data())
    rules = {key: value for key, value in tileset.to_data().items() if key in ("joints", "beside", "skins")}
    if rules:
        about["rules"] = json.dumps(rules, separators=(",", ":"))
    sizes = {"tilewidth": size[0], "tileheight": size[1], "margin": 0, "spacing": 0}
    return {"name": name, **sizes, "properties": encode_properties(about)}


def _encode_tile(
    artwork: Artwork, number: int, local: int, size: Size, *, is_solid: bool, is_first: bool, picture: bytes | None
) -> Document:
    """Describe a sprite by its tile. A solid sprite of an impassable tile has a collision shape.

    The first sprite of a tile has all of its properties, the others those that games ask for.
    """
    sprite = artwork.sprites[number]
    tile = artwork.tileset[sprite.tile]
    about: dict[str, object] = {
        "tile_id": sprite.tile,
        "name": tile.name,
        "passable": tile.passable,
        "blocks_sight": tile.is_opaque,
    }
    if is_first:
        about |= _describe_tile(tile)
    skin = artwork.tileset.skins[sprite.skin] if sprite.skin is not None else None
    if skin is not None and LAYOUTS[skin.layout].bits:
        about["mask"] = sprite.mask
    entry: Document = {"id": local, **({"type": tile.kind} if tile.kind else {})}
    if sprite.weight != 1:
        entry["probability"] = sprite.weight
    entry["properties"] = encode_properties(about)
    if picture is not None:
        entry |= {"picture": picture, "imagewidth": size[0], "imageheight": size[1]}
    if is_solid and not tile.passable:
        entry["objectgroup"] = _make_collision_shape(size)
    return entry


def _describe_tile(tile: Tile) -> dict[str, object]:
    about: dict[str, object] = {"glyph": tile.glyph, "color": ColorProperty("#ff" + tile.color[1:])}
    for key in ("sprite", "code", "defence"):
        if getattr(tile, key) is not None:
            about[key] = getattr(tile, key)
    about |= {key: getattr(tile, key) for key in ("over", "joins", "country") if getattr(tile, key)}
    if tile.weight != 1:
        about["weight"] = tile.weight
    return about | {f"cost_{mover}": cost for mover, cost in tile.costs}


def _make_collision_shape(size: Size) -> Document:
    """Return the shape of a solid cell, as Tiled's collision editor stores it."""
    place = {"x": 0, "y": 0, "width": size[0], "height": size[1], "rotation": 0}
    shape = {"id": 1, "name": "", "type": "", **place, "visible": True}
    group = {"type": "objectgroup", "id": 2, "name": "", "draworder": "index", "x": 0, "y": 0, "opacity": 1}
    return {**group, "visible": True, "objects": [shape]}


TYPES = {ALL_BITS: "mixed", CORNER_BITS: "corner", EDGE_BITS: "edge"}
SAME, OTHER = 1, 2
"""Colors of a set, which Tiled numbers from 1. 0 means that the direction does not matter."""


def build_wang_sets(artwork: Artwork, locals: Locals, is_below: NDArray[np.bool_], *, copy: bool) -> WangSets:
    """Return a set for every tile of every skin with sprites in a document's tileset.

    Parameters
    ----------
    artwork
        Sprites of the tileset.
    locals
        Sprites by local id.
    is_below
        Array (sprite,) of whether a sprite is also in a tileset without collision shapes.
    copy
        Whether this is such a tileset. It has the sets of sprites between cells, the other one all others.
    """
    tileset = artwork.tileset
    found: dict[tuple[int, int], dict[int, int]] = {}
    for local, number in sorted(locals.items()):
        sprite = artwork.sprites[number]
        if sprite.skin is not None:
            skin, tile = tileset.skins[sprite.skin], tileset[sprite.tile]
            layout = LAYOUTS[skin.layout]
            # A brush cannot paint pieces of rivers and roads, nor what depends only on other tiles.
            if skin.toward or tile.joins:
                continue
            if layout.bits in TYPES and copy == (layout.is_dual and bool(is_below[number])):
                found.setdefault((sprite.skin, sprite.tile), {})[local] = sprite.mask
    local_ids = {sprite: local for local, sprite in locals.items()}
    return WangSets(
        _make_wang_set(artwork, skin, tile, masks, local_ids) for (skin, tile), masks in sorted(found.items())
    )


def _make_wang_set(
    artwork: Artwork, skin: int, tile: int, masks: Mapping[int, int], local_ids: Mapping[int, int]
) -> Document:
    tileset = artwork.tileset
    layout = LAYOUTS[tileset.skins[skin].layout]
    full = next((local for local, mask in masks.items() if mask == layout.bits), -1)
    # The sprite without neighbors looks to Tiled like any cell of the other color, which it would replace.
    wang_tiles: list[Document] = [
        {"tileid": local, "wangid": _make_wang_id(mask, layout.bits)} for local, mask in masks.items() if mask
    ]
    other = None if layout.is_dual else _find_other(artwork, skin, local_ids)
    if other is not None:
        wang_tiles.append({"tileid": local_ids[other], "wangid": _make_wang_id(0, layout.bits)})
    background = ("#000000", -1) if other is None else (tileset[other].color, local_ids[other])
    colors = [_make_color(tileset[tile].name, tileset[tile].color, full), _make_color("other", *background)]
    wang_tiles.sort(key=lambda one: one["tileid"])
    return {
        "name": tileset[tile].name,
        "type": TYPES[layout.bits],
        "tile": full,
        "colors": colors,
        "wangtiles": wang_tiles,
    }


def _find_other(artwork: Artwork, skin: int, local_ids: Mapping[int, int]) -> int | None:
    """Return the sprite of the first tile without a skin beside which the skin ends, in the same plane."""
    for plane in artwork.planes:
        for table in plane.tables:
            if table.skin is artwork.tileset.skins[skin]:
                free = np.flatnonzero(plane.singles & (table.bits == 0)).tolist()
                return next((tile for tile in free if tile in local_ids), None)
    return None


def _make_wang_id(mask: int, bits: int) -> list[int]:
    return [(SAME if mask >> n & 1 else OTHER) if bits >> n & 1 else 0 for n in range(len(DIRECTIONS))]


def _make_color(name: str, color: str, local: int) -> Document:
    return {"name": name, "color": color, "tile": local, "probability": 1}
