"""Cells as pictures: the sprites of all layers in a cell, drawn over each other.

Cells with the same sprites look the same, so each such stack is drawn only once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..core.recipe import Recipe
from ..core.skins import ALL_BITS
from ..core.tileset import Tileset
from ._artwork import Artwork, own_sheet
from ._colors import join_channels
from ._layers import NOTHING, View, sprite_layers

MAX_DIRECT_KEYS, MAX_KEYS_PER_CELL = 1 << 22, 16
"""Maximum number of possible keys that are counted in a table instead of being sorted, in all and per cell."""
MAX_CACHED_PICTURES, MAX_CACHED_PIXELS = 4096, 32 * 32
"""Maximum number of pictures of stacks that are cached for a tileset, and maximum number of pixels of each."""
QUARTERS = ((0, 0), (0, 1), (1, 0), (1, 1))
"""Offsets (row, column) of the sprites between cells that a cell shows: a quarter of each."""

Stacks = NDArray[np.int32]
"""Array (stack, part) of sprites; -1 is nothing. The parts are the layers from the lowest; a layer between cells has
four parts."""


Window = tuple[slice, slice]
"""Rows and columns of a part of a map."""


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
        layers = [layer.sprites for layer in sprite_layers(view, recipe)]
        return cls.of_layers(artwork, layers, np.s_[: view.cells.shape[-2], : view.cells.shape[-1]])

    @classmethod
    def of_layers(cls, artwork: Artwork, layers: Sequence[NDArray[np.int32]], window: Window) -> CellStacks:
        """Return the stacks of the cells in a window, given the sprites of each plane."""
        rows, columns = window
        parts: list[NDArray[np.int32]] = []
        for plane, sprites in zip(artwork.planes, layers, strict=True):
            for down, right in QUARTERS if plane.is_dual else QUARTERS[:1]:
                parts.append(sprites[..., _move(rows, down), _move(columns, right)])
        numbers, firsts = _number_stacks(parts, len(artwork) + 1)
        stacks = np.stack([np.ascontiguousarray(part).reshape(-1)[firsts] for part in parts], axis=-1)
        return cls(artwork, numbers, stacks)


def _move(span: slice, by: int) -> slice:
    return slice((span.start or 0) + by, span.stop + by)


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


@dataclass(frozen=True, eq=False)
class StackPicture:
    """The picture of a stack, as indices of its colors."""

    indices: NDArray[np.uint16]
    """Array (row, column) of indices into the colors."""
    colors: NDArray[np.uint32]
    """Colors as 0xrrggbb, in ascending order."""

    @classmethod
    def of_color(cls, color: tuple[int, int, int], height: int, width: int) -> StackPicture:
        code = join_channels(np.array([color], dtype=np.uint8))
        return cls(np.zeros((height, width), dtype=np.uint16), code)


def draw_stack_pictures(artwork: Artwork, stacks: Stacks, height: int, width: int) -> list[StackPicture]:
    """Draw stacks of a tileset. The pictures are cached with its artwork."""
    cache = artwork.pictures
    keys = [(height, width, stack.tobytes()) for stack in stacks]
    found = [cache.get(key) for key in keys]
    new = [place for place, picture in enumerate(found) if picture is None]
    if new:
        codes = join_channels(draw_stacks(artwork, stacks[new], height, width))
        if len(cache) + len(new) > MAX_CACHED_PICTURES:
            cache.clear()
        for place, pixels in zip(new, codes, strict=True):
            colors, indices = np.unique(pixels, return_inverse=True)
            picture = StackPicture(indices.reshape(pixels.shape).astype(np.uint16), colors)
            found[place] = picture
            if height * width <= MAX_CACHED_PIXELS:
                cache[keys[place]] = picture
    return [picture for picture in found if picture is not None]


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
    if limit > min(MAX_DIRECT_KEYS, MAX_KEYS_PER_CELL * keys.size):
        used, ranks = np.unique(keys, return_inverse=True)
        return ranks.reshape(keys.shape), len(used)
    table = np.zeros(limit, dtype=np.int64)
    table[keys.reshape(-1)] = 1
    used = np.flatnonzero(table)
    table[used] = np.arange(len(used))
    return table[keys], len(used)
