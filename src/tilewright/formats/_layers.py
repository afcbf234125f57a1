"""Layers of sprites: what every picture, export and the studio show of a map.

A cell has at most one sprite in each layer. The ground comes first; tiles with `over` are things, in the last layer,
and the ground beneath them is derived from `over`. The cells of the map do not change.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.recipe import Recipe
from ..core.registry import techniques
from ..core.seeds import Rng
from ..core.site import Frame
from ..core.skins import CORNER_BITS, OFFSETS
from ..core.tilemap import TileMap
from ..core.tileset import ANY_GROUND, Tileset
from ._artwork import THINGS, Artwork, Plane, SkinTable

View = TileMap | Frame
Tiles = NDArray[np.integer]
Sprites = NDArray[np.int32]
NOTHING = -1
STREAM = "sprites"
"""Name of the random stream that chooses variants."""


@dataclass(frozen=True, slots=True, eq=False)
class SpriteLayer:
    """A layer of sprites."""

    name: str
    offset: tuple[float, float]
    """Row and column of the first sprite, in cells: (0, 0), or (-0.5, -0.5) for sprites between cells."""
    sprites: Sprites
    """Array of the shape of the cells of indices into the sprites of the artwork; -1 is nothing. Layers of sprites
    between cells have one more row and column."""


def sprite_layers(view: View, recipe: Recipe | None = None, *, keep_hidden: bool = False) -> list[SpriteLayer]:
    """Return the layers of sprites that show a map, the lowest first.

    Their names and number depend only on the tileset. Sprites that are completely hidden by others are left out, unless
    `keep_hidden` asks for them: in an editor, they appear when what hides them is erased. The seed of the recipe
    chooses variants; by default, the recipe is that of the map. Frames before the last have none.
    """
    artwork = Artwork.of(view.tileset)
    shape = view.cells.shape
    cells = np.ascontiguousarray(view.cells).reshape(-1, *shape[-2:])
    ground = find_ground(cells, view.tileset)
    layers = find_sprites(artwork, cells, ground, VariantSource.of(view, recipe), keep_hidden=keep_hidden)
    found = []
    for plane, sprites in zip(artwork.planes, layers, strict=True):
        offset = (-0.5, -0.5) if plane.is_dual else (0.0, 0.0)
        found.append(SpriteLayer(plane.name, offset, sprites.reshape(*shape[:-2], *sprites.shape[-2:])))
    return found


def find_sprites(
    artwork: Artwork, cells: Tiles, ground: Tiles, source: VariantSource, *, keep_hidden: bool = False
) -> list[Sprites]:
    """Return an array (level, row, column) of sprites for each plane of the artwork.

    The sprites of a cell depend on the cells and the ground of the cell and its eight neighbors.
    """
    layers = []
    for plane in artwork.planes:
        tiles = cells if plane.name == THINGS else ground
        sprites = _draw_between(plane, cells, ground, source) if plane.is_dual else _fill(plane, tiles, cells, source)
        layers.append(sprites)
    if not keep_hidden:
        _leave_out_hidden(layers, artwork)
    return layers


def ground_tiles(view: View) -> Tiles:
    """Return the cells of a map, where tiles with `over` are replaced by the ground beneath them."""
    cells = np.ascontiguousarray(view.cells)
    return find_ground(cells.reshape(-1, *cells.shape[-2:]), view.tileset).reshape(cells.shape)


# -- ground -------------------------------------------------------------------------------------------------------


def find_ground(cells: Tiles, tileset: Tileset) -> Tiles:
    """Return an array (level, row, column) of the tiles on the ground.

    The ground under a tile over `*` is the most common tile among its eight neighbors that is not itself over another;
    ties go to the lower tile id. Around a passable tile, impassable neighbors count only if there are no others, so
    that a key in a corridor is not drawn over a wall. Where no neighbor counts, the ground of the neighbors does.
    """
    over = [tile.over for tile in tileset]
    if not any(over):
        return cells
    is_thing = np.array([bool(name) for name in over])
    if not is_thing[cells].any():
        return cells
    ground = cells.copy()
    for number, name in enumerate(over):
        if name and name != ANY_GROUND:
            ground[cells == number] = tileset.by_name[name]
    is_open = np.array([name == ANY_GROUND for name in over])[cells]
    # In the first pass only tiles that are not themselves things count, then also the ground that was found.
    counts = ~is_thing[cells]
    places = np.argwhere(is_open)
    while len(places):
        found, tiles = _find_most_common(places, cells, ground, counts, tileset)
        places = places[found]
        ground[tuple(places.T)] = tiles[found]
        counts[tuple(places.T)] = True
        is_open[tuple(places.T)] = False
        places = _find_neighbors(places, is_open)
    ground[is_open] = next((n for n, tile in enumerate(tileset) if tile.passable and not tile.over), 0)
    return ground


def _find_neighbors(places: NDArray[np.int64], mask: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the cells of a mask beside any of the places."""
    padded = mask.shape[0], mask.shape[1] + 2, mask.shape[2] + 2
    around = places[:, None] + np.array([(0, down + 1, right + 1) for down, right in OFFSETS])
    flat = np.unique(np.ravel_multi_index(tuple(around.reshape(-1, 3).T), padded))
    level, row, column = np.unravel_index(flat, padded)
    inside = (row > 0) & (row <= mask.shape[1]) & (column > 0) & (column <= mask.shape[2])
    beside: NDArray[np.int64] = np.stack([level[inside], row[inside] - 1, column[inside] - 1], axis=1)
    found: NDArray[np.int64] = beside[mask[tuple(beside.T)]]
    return found


def _find_most_common(
    places: NDArray[np.int64], cells: Tiles, ground: Tiles, counts: NDArray[np.bool_], tileset: Tileset
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """Return, for each place, whether a neighbor counts, and the most common tile among those that do."""
    levels, rows, columns = places.T
    tiles = len(tileset)
    around = np.full((len(places), len(OFFSETS)), tiles, dtype=np.int64)
    for number, (down, right) in enumerate(OFFSETS):
        row, column = rows + down, columns + right
        inside = (row >= 0) & (row < ground.shape[1]) & (column >= 0) & (column < ground.shape[2])
        at = levels[inside], row[inside], column[inside]
        around[inside, number] = np.where(counts[at], ground[at], tiles)
    is_open = np.append(tileset.passable, False)[around]
    can_stand = tileset.passable[cells[tuple(places.T)]] & is_open.any(axis=1)
    around[can_stand[:, None] & ~is_open] = tiles
    around.sort(axis=1)
    # Number of equal tiles up to each place of the sorted row; the first maximum is the lowest tile id.
    run = np.ones(around.shape, dtype=np.int64)
    for number in range(1, around.shape[1]):
        run[:, number] = np.where(around[:, number] == around[:, number - 1], run[:, number - 1] + 1, 1)
    run[around == tiles] = 0
    best = run.argmax(axis=1)
    each = np.arange(len(places))
    return run[each, best] > 0, around[each, best]


# -- sprites ------------------------------------------------------------------------------------------------------


def _fill(plane: Plane, tiles: Tiles, cells: Tiles, source: VariantSource) -> Sprites:
    """Return the sprites of a plane with a sprite per cell."""
    singles = np.where(plane.singles, np.arange(len(plane.singles), dtype=np.int32), np.int32(NOTHING))
    sprites = np.take(singles, tiles)
    for table in plane.tables:
        covered = np.take(table.covered, tiles)
        if not covered.any():
            continue
        first = table.first[0] if len(table.first) == 1 else None
        masks = find_masks(table, cells, tiles)
        chosen = np.take(first, masks) if first is not None else table.first[np.take(table.rows, tiles), masks]
        np.copyto(sprites, source.choose(table, chosen), where=covered)
    return sprites


def find_masks(table: SkinTable, cells: Tiles, ground: Tiles) -> NDArray[np.uint8]:
    """Return an array (level, row, column) of the neighbors that count as the same, as bits by direction.

    A neighbor counts if its tile or the ground under it counts.
    """
    bits = np.take(table.bits, cells)
    if ground is not cells:
        bits |= np.take(table.bits, ground)
    levels, rows, columns = bits.shape
    padded = np.full((levels, rows + 2, columns + 2), 255 if table.skin.outside else 0, dtype=np.uint8)
    padded[:, 1:-1, 1:-1] = bits
    masks = np.zeros_like(bits)
    wanted = table.layout.bits
    part = np.empty_like(bits)
    for number, (down, right) in enumerate(OFFSETS):
        if wanted >> number & 1:
            neighbors = padded[:, 1 + down : 1 + down + rows, 1 + right : 1 + right + columns]
            np.bitwise_and(neighbors, np.uint8(1 << number), out=part)
            masks |= part
    return masks


def _draw_between(plane: Plane, cells: Tiles, ground: Tiles, source: VariantSource) -> Sprites:
    """Return the sprites of a plane between cells: each depends on the four cells around a corner."""
    levels, rows, columns = cells.shape
    sprites = np.full((levels, rows + 1, columns + 1), NOTHING, dtype=np.int32)
    for table in plane.tables:
        same = (table.bits != 0)[cells] | (table.bits != 0)[ground]
        edge = ((0, 0), (1, 1), (1, 1))
        padded = np.pad(same, edge, mode="edge") if table.skin.outside else np.pad(same, edge)
        masks = np.zeros(sprites.shape, dtype=np.uint8)
        for number, (down, right) in enumerate(OFFSETS):
            if CORNER_BITS >> number & 1:
                row, column = (down + 1) // 2, (right + 1) // 2
                masks |= padded[:, row : row + rows + 1, column : column + columns + 1].view(np.uint8) << np.uint8(
                    number
                )
        shown = masks > 0
        np.copyto(sprites, source.choose(table, np.take(table.first[0], masks)), where=shown)
    return sprites


def _leave_out_hidden(layers: list[Sprites], artwork: Artwork) -> None:
    """Remove sprites under sprites that hide everything beneath them. Sprites between cells are kept."""
    if len(layers) < 2:
        return
    opaque = np.append(artwork.is_opaque, False)  # The last entry is for -1.
    hidden: NDArray[np.bool_] | None = None
    for sprites, plane in reversed(list(zip(layers, artwork.planes, strict=True))):
        if plane.is_dual:
            continue
        hides = np.take(opaque, sprites)
        if hidden is not None:
            sprites[hidden] = NOTHING
            hides |= hidden
        hidden = hides


@dataclass(frozen=True, slots=True)
class VariantSource:
    """Random choice of variants by absolute position, from a stream of the map's seed."""

    rng: Rng
    origin: tuple[int, int]
    """Row and column of the first cell in its world."""

    @classmethod
    def of(cls, view: View, recipe: Recipe | None) -> VariantSource:
        map = view if isinstance(view, TileMap) else view.map
        if recipe is None and map is not None:
            recipe = map.recipe
        if recipe is None:
            return cls(Rng.of(0).child(STREAM), (0, 0))
        offset = techniques.get(recipe.technique).offset_of(recipe.params)
        origin = (offset[1], offset[0]) if offset is not None else (0, 0)
        return cls(Rng.of(recipe.seed or 0).child(STREAM), origin)

    def shift(self, rows: int, columns: int) -> VariantSource:
        """Return the source for a part of the map whose first cell is at this position."""
        return VariantSource(self.rng, (self.origin[0] + rows, self.origin[1] + columns))

    def choose(self, table: SkinTable, first: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the sprites of cells, given the first variants."""
        if table.shares is None:
            return first
        numbers = self.rng.child(table.skin.tile).cells(first.shape, (0, *self.origin))
        chosen = first.copy()
        possible = np.maximum(table.first - table.start, NOTHING)
        for limits in table.shares.T[:-1]:
            # Usually all sprites of a skin have equally many variants of equal weights.
            used = np.unique(limits[possible])
            is_even = len(used) == 1
            chosen += numbers >= (used[0] if is_even else np.take(limits, np.maximum(first - table.start, NOTHING)))
        return chosen
