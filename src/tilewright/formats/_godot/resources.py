"""The tileset resource: atlas sources with collision, occluders, navigation, terrains and custom data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from ...core.caching import cached_by_size
from ...core.errors import TooLarge
from ...core.skins import ALL_BITS, CORNER_BITS, EDGE_BITS, LAYOUTS
from ...core.tileset import Sheet, Tile, Tileset
from .. import _sheet
from .._artwork import Artwork, Sprite
from . import GodotParams, find_picture, picture_name
from .atlas import BARE, BETWEEN, CELL_ITSELF, Atlas, AtlasTile
from .values import Value, format_section, format_value, format_vector, quote

MAX_PICTURE_SIDE = 16_384
"""Maximum width and height of a picture in Godot."""
PEERING_BITS = (
    "top_side",
    "top_right_corner",
    "right_side",
    "bottom_right_corner",
    "bottom_side",
    "bottom_left_corner",
    "left_side",
    "top_left_corner",
)
"""Godot's names of the neighbors, in the order of the bits of a mask."""
TERRAIN_MODES = {ALL_BITS: 0, CORNER_BITS: 1, EDGE_BITS: 2}
"""Godot's terrain modes by the neighbors that matter."""
TYPES = {bool: 1, int: 2, float: 3, str: 4}
"""Godot's numbers of the types of values."""


@dataclass(frozen=True, slots=True)
class TilesetFiles:
    """The files of a tileset, and what scenes need to refer to it."""

    resource: bytes
    """Content of the .tres file."""
    pictures: Mapping[str, bytes]
    """Pictures to write beside it, by file name."""
    atlas: Atlas
    cell: tuple[int, int]
    """Width and height of a cell in pixels."""


def build_tileset(tileset: Tileset, options: GodotParams, path: Path, folder: str) -> TilesetFiles:
    """Build the files of a tileset.

    Parameters
    ----------
    tileset
        The tileset.
    options
        Options of the format.
    path
        Path of the .tres file, or its bare name. The drawn picture has the same stem.
    folder
        Folder of this file in the project, such as `res://levels/`.

    Returns
    -------
    TilesetFiles
        The files.
    """
    artwork = Artwork.of(tileset)
    atlas = Atlas.of(artwork)
    sheet = tileset.sheet if artwork.sheet else None  # The artwork is shared by tilesets with another path.
    cell = (sheet.tile_width, sheet.tile_height) if sheet else (options.tile_size, options.tile_size)
    pictures: dict[str, bytes] = {}
    sheet_path, drawn_name = "", f"{path.stem}.png"
    if sheet is not None and atlas.sheet:
        sheet_path = find_picture(sheet, options, path)
        if not sheet_path:
            name = picture_name(sheet)
            pictures[name] = sheet.picture
            sheet_path, drawn_name = folder + name, f"{path.stem}-drawn.png" if name == drawn_name else drawn_name
    if atlas.drawn:
        pictures[drawn_name] = _draw_picture(artwork, cell)
    resource = _encode_resource(artwork, options, cell, sheet_path, folder + drawn_name)
    return TilesetFiles(resource, pictures, atlas, cell)


@cached_by_size
def _draw_picture(artwork: Artwork, cell: tuple[int, int]) -> bytes:
    """Return the picture of the sprites that are not in the user's own picture, as PNG."""
    atlas, (width, height) = Atlas.of(artwork), cell
    rows = -(-atlas.places // atlas.columns)
    if max(atlas.columns * width, rows * height) > MAX_PICTURE_SIDE:
        raise TooLarge(
            f"godot: the picture of a tileset must have at most {MAX_PICTURE_SIDE:,} pixels per side, "
            f"got {atlas.columns * width:,}x{rows * height:,}; use a smaller tile_size"
        )
    sprites = np.zeros((atlas.places, height, width, 4), dtype=np.uint8)
    sprites[: len(atlas.drawn_sprites)] = artwork.draw(atlas.drawn_sprites, height, width)
    return _sheet.encode_png(_sheet.arrange_sprites(sprites, atlas.columns))


@cached_by_size
def _encode_resource(
    artwork: Artwork, options: GodotParams, cell: tuple[int, int], sheet_path: str, drawn_path: str
) -> bytes:
    return _Writer(artwork, options, cell).encode(sheet_path, drawn_path)


@dataclass(frozen=True)
class _Writer:
    """Writes a tileset as a resource."""

    artwork: Artwork
    options: GodotParams
    cell: tuple[int, int]

    @property
    def tileset(self) -> Tileset:
        return self.artwork.tileset

    def encode(self, sheet_path: str, drawn_path: str) -> bytes:
        """Return the resource, given the paths of its pictures in the project."""
        atlas = Atlas.of(self.artwork)
        candidates = ((sheet_path, self.artwork.sheet, atlas.sheet), (drawn_path, None, atlas.drawn))
        sources = [source for source in candidates if source[2]]
        sections = ['[gd_resource type="TileSet" format=3]\n\n']
        for number, (picture, _, _) in enumerate(sources):
            head = f'ext_resource type="Texture2D" path={quote(picture)} id="{number + 1}"'
            sections.append(format_section(head, {}))
        sections += self._iter_shapes()
        for number, (_, sheet, tiles) in enumerate(sources):
            properties = self._source_properties(number, sheet)
            for one in tiles:
                properties |= self._tile_properties(one)
            sections.append(format_section(f'sub_resource type="TileSetAtlasSource" id="{number + 1}"', properties))
        sections.append(format_section("resource", self._tileset_properties(len(sources))))
        return "".join(sections).encode()

    @cached_property
    def box(self) -> str:
        """Corners of a cell, relative to its center."""
        right, bottom = self.cell[0] / 2, self.cell[1] / 2
        return format_vector("PackedVector2Array", (-right, -bottom, right, -bottom, right, bottom, -right, bottom))

    def _iter_shapes(self) -> Iterator[str]:
        """Yield the polygons that all tiles share."""
        if self.options.occluders:
            yield format_section('sub_resource type="OccluderPolygon2D" id="occluder"', {"polygon": self.box})
        if self.options.navigation is not False:
            walk = {
                "vertices": self.box,
                "polygons": "Array[PackedInt32Array]([PackedInt32Array(0, 1, 2, 3)])",
                "outlines": f"Array[PackedVector2Array]([{self.box}])",
            }
            yield format_section('sub_resource type="NavigationPolygon" id="walk"', walk)

    def _source_properties(self, number: int, sheet: Sheet | None) -> dict[str, str]:
        is_second = sheet is None and number > 0
        properties = {
            "resource_name": quote(f"{self.tileset.name} (drawn)" if is_second else self.tileset.name),
            "texture": f'ExtResource("{number + 1}")',
        }
        if sheet is not None and sheet.margin:
            properties["margins"] = format_vector("Vector2i", (sheet.margin, sheet.margin))
        if sheet is not None and sheet.spacing:
            properties["separation"] = format_vector("Vector2i", (sheet.spacing, sheet.spacing))
        return {**properties, "texture_region_size": format_vector("Vector2i", self.cell)}

    def _tileset_properties(self, sources: int) -> dict[str, str]:
        properties = {"resource_name": quote(self.tileset.name), "tile_size": format_vector("Vector2i", self.cell)}
        if self.options.occluders:
            properties["occlusion_layer_0/light_mask"] = "1"
        if self.options.collisions:
            properties["physics_layer_0/collision_layer"] = "1"
        for number, (skin, tiles) in enumerate(self.terrains.items()):
            bits = LAYOUTS[self.tileset.skins[skin].layout].bits
            properties[f"terrain_set_{number}/mode"] = str(TERRAIN_MODES[bits])
            for terrain, tile in enumerate(tiles):
                color = (part / 255 for part in self.tileset[tile].rgb)
                properties[f"terrain_set_{number}/terrain_{terrain}/name"] = quote(self.tileset[tile].name)
                properties[f"terrain_set_{number}/terrain_{terrain}/color"] = format_vector("Color", (*color, 1))
        if self.options.navigation is not False:
            properties["navigation_layer_0/layers"] = "1"
        for number, (name, kind) in enumerate(self.custom_layers.items()):
            properties[f"custom_data_layer_{number}/name"] = quote(name)
            properties[f"custom_data_layer_{number}/type"] = str(TYPES[kind])
        return properties | {f"sources/{number}": f'SubResource("{number + 1}")' for number in range(sources)}

    # -- tiles ------------------------------------------------------------------------------------------------

    def _tile_properties(self, one: AtlasTile) -> dict[str, str]:
        """Return the properties of a tile of an atlas source."""
        found = {"": str(one.alternative)}
        if one.sprite is not None and one.role != BARE:
            found |= self._terrain_properties(self.artwork.sprites[one.sprite])
        if one.role == CELL_ITSELF:
            found |= self._solid_properties(one.tile)
        if one.role != BETWEEN:
            values = describe_tile(self.tileset, one.tile)
            for number, (name, kind) in enumerate(self.custom_layers.items()):
                found[f"/custom_data_{number}"] = format_value(values.get(name, kind()))
        key = f"{one.column}:{one.row}/{one.alternative}"
        return {f"{key}{name}": value for name, value in found.items()}

    def _terrain_properties(self, sprite: Sprite) -> dict[str, str]:
        found = {} if sprite.weight == 1 else {"/probability": format_value(float(sprite.weight))}
        if sprite.skin not in self.terrains:
            return found
        tiles = self.terrains[sprite.skin]
        terrain = str(tiles.index(sprite.tile))
        # Godot reads the set first, then the terrain, then its bits.
        found |= {"/terrain_set": str([*self.terrains].index(sprite.skin)), "/terrain": terrain}
        for bit, name in enumerate(PEERING_BITS):
            if sprite.mask >> bit & 1:
                found[f"/terrains_peering_bit/{name}"] = terrain
        return found

    def _solid_properties(self, number: int) -> dict[str, str]:
        """Return the occluder, the collision and the navigation of a tile."""
        found: dict[str, str] = {}
        passable = self.tileset[number].passable
        if self.options.occluders and self.tileset.blocks_sight[number]:
            found["/occlusion_layer_0/polygon"] = 'SubResource("occluder")'
        if self.options.collisions and not passable:
            found["/physics_layer_0/polygon_0/points"] = self.box
        if self.options.navigation is not False and passable:
            found["/navigation_layer_0/polygon"] = 'SubResource("walk")'
        return found

    @cached_property
    def terrains(self) -> dict[int, list[int]]:
        """Tile ids of the terrains of each skin. Each skin is a terrain set of its own, because tiles of other skins
        count as different."""
        found: dict[int, list[int]] = {}
        for sprite in self.artwork.sprites if self.options.terrains else ():
            if sprite.skin is None:
                continue
            skin = self.tileset.skins[sprite.skin]
            if LAYOUTS[skin.layout].bits in TERRAIN_MODES and not skin.toward:
                tiles = found.setdefault(sprite.skin, [])
                if sprite.tile not in tiles:
                    tiles.append(sprite.tile)
        return found

    @cached_property
    def custom_layers(self) -> dict[str, type[Value]]:
        """Types of the custom data by name."""
        described = [describe_tile(self.tileset, number) for number in range(len(self.tileset))]
        return {name: type(value) for values in described for name, value in values.items()}


def describe_tile(tileset: Tileset, number: int) -> dict[str, Value]:
    """Return the custom data of a tile."""
    tile = tileset[number]
    found: dict[str, Value] = {
        "name": tile.name,
        "tile_id": number,
        "kind": tile.kind,
        "passable": tile.passable,
        "blocks_sight": bool(tileset.blocks_sight[number]),
    }
    return found | _describe_rules(tile)


def _describe_rules(tile: Tile) -> dict[str, Value]:
    """Return what only some tilesets set."""
    found: dict[str, Value] = {}
    if tile.country:
        found["country"] = tile.country
    if tile.defence is not None:
        found["defence"] = float(tile.defence)
    if tile.code is not None:
        found["code"] = tile.code
    return found | {f"cost_{mover}": float(cost) for mover, cost in tile.costs}
