"""Which tile of an atlas source shows a sprite.

A tileset has up to two sources: the user's own picture, and the sprites that are drawn. A tile of a source is found by
its column, row and alternative. The alternative 0 of a sprite has the collision, occluder and navigation of its tile.
Another alternative shows the same sprite without them: it is for cells in which another layer shows the tile of the
map, such as the floor under a statue. Sprites that share a place in the user's picture are further alternatives there.

Sprites between cells (dual grid) cannot carry the collision of a cell. So a tileset with such sprites also has
invisible tiles, one for each tile of the map, for a layer that shows nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, sqrt

import numpy as np
from numpy.typing import NDArray

from ...core.caching import cached_by_size
from ...core.errors import TooLarge
from ...core.skins import LAYOUTS
from .._artwork import Artwork

MIN_COLUMNS = 16
MAX_ALTERNATIVES = 1 << 12
"""Number of alternatives of a tile; higher bits of the number flip the tile."""
MAX_DRAWN_SPRITES = 1 << 12
"""Maximum number of sprites that are in memory at once."""

Codes = NDArray[np.uint64]
"""Source, column, row and alternative as 16 bits each, the first in the lowest bits, as in `tile_map_data`."""


CELL_ITSELF, BARE, BETWEEN = 0, 1, 2
"""What a tile of an atlas source is for: a cell of the map, with collision, occluder and navigation; the same picture
without them, in cells where another layer shows the tile of the map; or a sprite between cells."""


@dataclass(frozen=True, slots=True)
class AtlasTile:
    """A tile of an atlas source."""

    source: int
    column: int
    row: int
    alternative: int
    sprite: int | None
    """Number of the sprite in the artwork; None for an invisible tile."""
    tile: int
    """Tile id."""
    role: int
    """CELL_ITSELF, BARE or BETWEEN."""

    @property
    def code(self) -> int:
        return self.source | self.column << 16 | self.row << 32 | self.alternative << 48


@dataclass(frozen=True, slots=True)
class Atlas:
    """The tiles of all sources of a tileset, and the codes of sprites."""

    sheet: tuple[AtlasTile, ...]
    """Tiles in the user's own picture."""
    drawn: tuple[AtlasTile, ...]
    """Tiles in the drawn picture."""
    drawn_sprites: tuple[int, ...]
    """Numbers of the sprites in the drawn picture, row by row. Invisible tiles follow."""
    columns: int
    """Number of columns of the drawn picture."""
    places: int
    """Number of places in the drawn picture."""
    tiles: NDArray[np.int64]
    """(sprite,) tile id, or -1 for sprites between cells."""
    is_visible: NDArray[np.bool_]
    """(sprite,) whether a pixel of the sprite is not transparent."""
    solid: Codes
    """(sprite,) code of the tile with collision; 0 for sprites that no map shows."""
    bare: Codes
    """(sprite,) code of the tile without collision."""
    invisible: Codes
    """(tile,) code of the invisible tile; empty without sprites between cells."""

    @staticmethod
    @cached_by_size
    def of(artwork: Artwork) -> Atlas:
        """Assign the sprites of a tileset to tiles. The result is cached."""
        tileset = artwork.tileset
        sheet_columns = artwork.sheet.columns if artwork.sheet else 1
        shown = _find_shown(artwork)
        drawn_sprites = tuple(number for number in shown if artwork.sprites[number].position is None)
        is_dual = [one.skin is not None and LAYOUTS[tileset.skins[one.skin].layout].is_dual for one in artwork.sprites]
        hidden_places = -(-len(tileset) // MAX_ALTERNATIVES) if any(is_dual) else 0
        places = len(drawn_sprites) + hidden_places
        columns = min(max(MIN_COLUMNS, ceil(sqrt(places))), max(places, 1))
        order = {number: place for place, number in enumerate(drawn_sprites)}
        own_source, drawn_source = _Source(0), _Source(1 if len(drawn_sprites) < len(shown) else 0)
        is_layered = bool(tileset.skins) or any(tile.over for tile in tileset)
        solid, bare = (np.zeros(len(artwork.sprites), dtype=np.uint64) for _ in range(2))
        for number in shown:
            sprite = artwork.sprites[number]
            if sprite.position is None:
                source, (row, column) = drawn_source, divmod(order[number], columns)
            else:
                source, (row, column) = own_source, divmod(sprite.position, sheet_columns)
            role = BETWEEN if is_dual[number] else CELL_ITSELF
            solid[number] = bare[number] = source.add(column, row, number, sprite.tile, role)
            if is_layered and role == CELL_ITSELF and not tileset[sprite.tile].over:
                bare[number] = source.add(column, row, number, sprite.tile, BARE)
        invisible = np.zeros(len(tileset) if hidden_places else 0, dtype=np.uint64)
        for tile in range(len(invisible)):
            row, column = divmod(len(drawn_sprites) + tile // MAX_ALTERNATIVES, columns)
            invisible[tile] = drawn_source.add(column, row, None, tile, CELL_ITSELF)
        tiles = np.array([-1 if dual else one.tile for one, dual in zip(artwork.sprites, is_dual, strict=True)])
        return Atlas(
            tuple(own_source.tiles),
            tuple(drawn_source.tiles),
            drawn_sprites,
            columns,
            places,
            tiles,
            _find_visible(artwork, shown),
            solid,
            bare,
            invisible,
        )

    def to_table(self) -> NDArray[np.int64]:
        """Return an array (tile of a source, 3) of codes, tile ids and roles."""
        return np.array([(one.code, one.tile, one.role) for one in (*self.sheet, *self.drawn)], dtype=np.int64)


def _find_shown(artwork: Artwork) -> list[int]:
    """Return the sprites that a map can show. A tile with a skin for all masks has a sprite that no map shows."""
    tiles = len(artwork.tileset)
    is_shown = np.ones(len(artwork.sprites), dtype=np.bool_)
    is_shown[:tiles] = False
    for plane in artwork.planes:
        is_shown[:tiles] |= plane.singles
        for table in plane.tables:
            is_shown[table.first[table.first < tiles]] = True
    return [int(number) for number in np.flatnonzero(is_shown)]


def _find_visible(artwork: Artwork, shown: list[int]) -> NDArray[np.bool_]:
    """Return an array (sprite,) of whether a pixel is not transparent. Skins of shadows, too, have empty sprites."""
    is_visible = np.zeros(len(artwork.sprites), dtype=np.bool_)
    for start in range(0, len(shown), MAX_DRAWN_SPRITES):
        numbers = shown[start : start + MAX_DRAWN_SPRITES]
        is_visible[numbers] = artwork.draw(numbers, *artwork.native_size)[..., 3].any(axis=(1, 2))
    return is_visible


class _Source:
    """The tiles of a source, while they are assigned."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._alternatives: dict[tuple[int, int], int] = {}
        self.tiles: list[AtlasTile] = []

    def add(self, column: int, row: int, sprite: int | None, tile: int, role: int) -> int:
        """Add a tile with the next free alternative, and return its code."""
        alternative = self._alternatives.get((column, row), 0)
        if alternative >= MAX_ALTERNATIVES:
            raise TooLarge(f"godot: at most {MAX_ALTERNATIVES:,} tiles can share a sprite (column {column}, row {row})")
        self._alternatives[column, row] = alternative + 1
        self.tiles.append(AtlasTile(self._number, column, row, alternative, sprite, tile, role))
        return self.tiles[-1].code
