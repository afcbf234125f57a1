"""Tiles of cells, from the layers of a level.

Usually the topmost sprite in a cell shows its tile. In Tilewright's files whose sprites do not show the tiles of all
cells, because some are between cells, a transparent layer holds the tile of every cell. If the drawing was edited, the
cells in which a layer shows something else than these tiles are read from the drawing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.skins import CORNER_BITS, OFFSETS
from ...core.tilemap import TileMap
from ...core.tileset import Tileset
from .._artwork import Artwork
from .._layers import sprite_layers
from . import CELLS, digest_gids
from .cells import Gids, Place, flatten_layers
from .document import TiledLayer, TiledMap
from .tiles import TileTable

ABSENT, UNKNOWN = -1, -2
"""Numbers in arrays of tiles: no sprite, and no information."""
Tiles = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class LevelGids:
    """The gids of a level."""

    flat: Gids
    """Topmost gids; of a level with a layer of cells, the gids of that layer."""
    drawing: tuple[tuple[str, Gids, bool], ...] = ()
    """Name and gids of each edited layer, and whether its sprites are between cells; the lowest first."""

    lowest: Gids | None = None
    """Lowest gids, of a level without a layer of cells."""

    @property
    def things(self) -> set[int]:
        """Gids that are above another gid wherever they are."""
        if self.lowest is None or self.lowest is self.flat:
            return set()
        return {*np.unique(self.flat).tolist()} - {*np.unique(self.lowest).tolist()}

    @property
    def shape(self) -> tuple[int, ...]:
        return self.flat.shape

    @property
    def used(self) -> list[Gids]:
        """Arrays (row, column) with all gids that occur; 0 only if a cell has no tile."""
        drawn = [np.unique(gids[gids != 0])[None] for _, gids, _ in self.drawing]
        return [self.flat, *(gids for gids in drawn if gids.size)]


def read_level(layers: Sequence[TiledLayer], document: TiledMap) -> tuple[LevelGids, Place]:
    """Return the gids of a level, and the row and column of its first cell."""
    truth = next((layer for layer in layers if layer.properties.get("tilewright") == CELLS), None)
    if truth is None or len(layers) == 1:
        found = flatten_layers(layers, document)
        return LevelGids(found.topmost, lowest=found.lowest), found.place
    found = flatten_layers([truth], document)
    flat, place = found.topmost, found.place
    others = [layer for layer in layers if layer is not truth]
    gids = [flatten_layers([layer], document).topmost for layer in others]
    if truth.properties.get("drawing") == digest_gids(gids):
        return LevelGids(flat), place
    is_between = [layer.offsetx % document.tilewidth != 0 for layer in others]
    names = [layer.name for layer in others]
    return LevelGids(flat, tuple(zip(names, gids, is_between, strict=True))), place


def decode_levels(
    levels: Sequence[LevelGids], tileset: Tileset, table: TileTable
) -> tuple[Tileset, NDArray[np.uint16]]:
    """Return the tiles of all cells, an array (level, row, column), and the tileset, with `empty` if it is needed."""
    cells = [_decode_level(level, tileset, table) for level in levels]
    if any((level == ABSENT).any() for level in cells):
        tileset = tileset.with_tiles(["empty"])
        cells = [np.where(level == ABSENT, tileset.id("empty"), level) for level in cells]
    return tileset, np.stack(cells).astype(np.uint16)


def _decode_level(level: LevelGids, tileset: Tileset, table: TileTable) -> Tiles:
    # Row by row, because the gids of a large map take much memory.
    cells = np.stack([table.tiles[row] for row in level.flat]).astype(np.int32)
    if not level.drawing:
        return cells
    artwork = Artwork.of(tileset)
    of_sprite = np.array([(sprite.tile, sprite.mask) for sprite in artwork.sprites] + [(ABSENT, 0)], dtype=np.int32)
    expected = {layer.name: layer.sprites for layer in sprite_layers(TileMap(cells, tileset), keep_hidden=True)}
    changed, topmost = np.zeros(cells.shape, dtype=np.bool_), np.full(cells.shape, ABSENT, dtype=np.int32)
    for name, gids, is_between in level.drawing:
        tiles = np.where(gids == 0, ABSENT, table.tiles[gids].astype(np.int32))
        shown = _find_shown(tiles, np.maximum(table.masks[gids], 0), is_between, cells.shape)
        sprites = expected.get(name)
        wanted = np.full(cells.shape, ABSENT, dtype=np.int32)
        if sprites is not None:
            sprites = sprites[: gids.shape[0], : gids.shape[1]]
            wanted = _find_shown(of_sprite[sprites, 0], of_sprite[sprites, 1], is_between, cells.shape)
        changed |= shown != wanted
        topmost = np.where(shown >= 0, shown, topmost)
    return np.where(changed, topmost, cells)


def _find_shown(tiles: Tiles, masks: NDArray[np.integer], is_between: bool, shape: tuple[int, ...]) -> Tiles:
    """Return the tile that a layer shows in each cell, given the tiles and masks of its sprites.

    A tile of sprites between cells is shown where all four sprites around a cell have it.
    """
    rows, columns = shape
    shown = np.full(shape, UNKNOWN, dtype=np.int32)
    if not is_between:
        part = tiles[:rows, :columns]
        shown[: part.shape[0], : part.shape[1]] = part
        return shown
    for number, (down, right) in enumerate(OFFSETS):
        if CORNER_BITS >> number & 1:
            # The cell in this direction from a corner; the sprite of the corner is in the opposite direction.
            row, column = (1 - down) // 2, (1 - right) // 2
            here = np.where(masks >> number & 1, tiles, ABSENT)[row:, column:][:rows, :columns]
            part = shown[: here.shape[0], : here.shape[1]]
            part[:] = np.where((part == UNKNOWN) | (part == here), here, ABSENT)
    return shown
