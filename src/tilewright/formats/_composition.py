"""Cells as pictures: the sprites of all layers in a cell, drawn over each other.

Cells with the same sprites look the same, so each such stack is drawn only once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.recipe import Recipe
from ..core.skins import ALL_BITS
from ..core.tileset import Tileset
from ._artwork import Artwork, own_sheet
from ._layers import NOTHING, View, sprite_layers

MAX_DIRECT_KEYS = 1 << 22
"""Maximum number of keys that are counted in a table instead of being sorted."""
QUARTERS = ((0, 0), (0, 1), (1, 0), (1, 1))
"""Offsets (row, column) of the sprites between cells that a cell shows: a quarter of each."""

Stacks = NDArray[np.int32]
"""Array (stack, part) of sprites; -1 is nothing. The parts are the layers from the lowest; a layer between cells has
four parts."""


@dataclass(frozen=True, eq=False)
class CellStacks:
    """The stacks of sprites in the cells of a map."""

    artwork: Artwork
    numbers: NDArray[np.int32]
    """Array of the shape of the cells of indices into `stacks`."""
    stacks: Stacks

    @classmethod
    def of(cls, view: View, recipe: Recipe | None = None) -> CellStacks:
        """Return the stacks of a map. The recipe is that of `sprite_layers`."""
        artwork = Artwork.of(view.tileset)
        rows, columns = view.cells.shape[-2:]
        parts: list[NDArray[np.int32]] = []
        for plane, layer in zip(artwork.planes, sprite_layers(view, recipe), strict=True):
            if not plane.is_dual:
                parts.append(layer.sprites)
                continue
            for down, right in QUARTERS:
                parts.append(layer.sprites[..., down : down + rows, right : right + columns])
        numbers, firsts = _number_stacks(parts, len(artwork) + 1)
        stacks = np.stack([np.ascontiguousarray(part).reshape(-1)[firsts] for part in parts], axis=-1)
        return cls(artwork, numbers, stacks)


def tile_stacks(tileset: Tileset) -> Stacks:
    """Return the stacks of single tiles by tile id, as a palette shows them.

    A tile with a skin in the tileset's own picture is shown by its sprite among equal neighbors.
    """
    artwork = Artwork.of(tileset)
    parts = sum(len(QUARTERS) if plane.is_dual else 1 for plane in artwork.planes)
    stacks = np.full((len(tileset), parts), NOTHING, dtype=np.int32)
    stacks[:, 0] = np.arange(len(tileset))
    for table in (table for plane in artwork.planes for table in plane.tables if not table.skin.toward):
        inside = table.first[:, ALL_BITS]
        own = np.array([artwork.sprites[number].is_own for number in inside], dtype=np.bool_)
        stacks[table.tiles[own], 0] = inside[own]
    return stacks


def find_flat_colors(tileset: Tileset) -> list[str]:
    """Return the colors of tiles for maps that are drawn without sprites.

    A tile with a sprite in the tileset's own picture has the mean color of that sprite.
    """
    colors = [tile.color for tile in tileset]
    if own_sheet(tileset) is None:
        return colors
    artwork = Artwork.of(tileset)
    numbers = tile_stacks(tileset)[:, 0].tolist()
    own = [(tile, number) for tile, number in enumerate(numbers) if artwork.sprites[number].is_own]
    drawn = artwork.draw([number for _, number in own], *artwork.native_size).astype(np.float64)
    for (tile, _), pixels in zip(own, drawn.reshape(len(own), -1, 4), strict=True):
        weight = pixels[:, 3].sum()
        if weight:
            red, green, blue = (pixels[:, :3] * pixels[:, 3:]).sum(axis=0) / weight
            colors[tile] = f"#{round(red):02x}{round(green):02x}{round(blue):02x}"
    return colors


def draw_stacks(artwork: Artwork, stacks: Stacks, height: int, width: int) -> NDArray[np.uint8]:
    """Draw stacks over the color of their lowest tile. Return an array (stack, row, column, 3)."""
    used, places = np.unique(stacks, return_inverse=True)
    places = places.reshape(stacks.shape)
    drawn = np.zeros((len(used), height, width, 4), dtype=np.uint8)
    sprites = used >= 0
    drawn[sprites] = artwork.draw(used[sprites].tolist(), height, width)
    colors = artwork.tileset.colors
    lowest = stacks[np.arange(len(stacks)), (stacks >= 0).argmax(axis=1)]
    tiles = np.array([sprite.tile for sprite in artwork.sprites])[lowest]
    pixels = np.broadcast_to(colors[tiles][:, None, None], (len(stacks), height, width, 3)).copy()
    part = 0
    half_row, half_column = height // 2, width // 2
    for plane in artwork.planes:
        if not plane.is_dual:
            _paste(pixels, drawn, places[:, part])
            part += 1
            continue
        for down, right in QUARTERS:
            inside = np.s_[
                :,
                height - half_row if down else 0 : None if down else height - half_row,
                width - half_column if right else 0 : None if right else width - half_column,
            ]
            outside = np.s_[
                :,
                0 if down else half_row : half_row if down else None,
                0 if right else half_column : half_column if right else None,
            ]
            _paste(pixels[inside], drawn[outside], places[:, part])
            part += 1
    return pixels


def _paste(pixels: NDArray[np.uint8], sprites: NDArray[np.uint8], places: NDArray[np.integer]) -> None:
    """Draw a sprite over each picture, in place."""
    alpha = sprites[..., 3].reshape(len(sprites), -1)
    is_empty, is_full = (alpha == 0).all(axis=1)[places], (alpha == 255).all(axis=1)[places]
    pixels[is_full] = sprites[places[is_full], ..., :3]
    mixed = np.flatnonzero(~is_empty & ~is_full)
    over = sprites[places[mixed]].astype(np.uint16)
    share = over[..., 3:]
    pixels[mixed] = (over[..., :3] * share + pixels[mixed] * (255 - share) + 127) // 255


def _number_stacks(parts: list[NDArray[np.int32]], base: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return the number of the stack in each cell, and the flat index of a cell with each stack."""
    numbers = np.zeros(parts[0].shape, dtype=np.int64)
    count = 1
    for part in parts:
        keys = numbers * base + (part + 1)
        numbers, count = _rank(keys, count * base)
    firsts = np.empty(count, dtype=np.int64)
    flat = numbers.reshape(-1)
    firsts[flat] = np.arange(len(flat))
    return numbers.astype(np.int32), firsts


def _rank(keys: NDArray[np.int64], limit: int) -> tuple[NDArray[np.int64], int]:
    """Replace keys below a limit by their ranks. Return the ranks and their number."""
    if limit > MAX_DIRECT_KEYS:
        used, ranks = np.unique(keys, return_inverse=True)
        return ranks.reshape(keys.shape), len(used)
    table = np.zeros(limit, dtype=np.int64)
    table[keys.reshape(-1)] = 1
    used = np.flatnonzero(table)
    table[used] = np.arange(len(used))
    return table[keys], len(used)
