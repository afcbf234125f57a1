"""Cells as pictures: the sprites of all layers in a cell, drawn over each other, and maps as pictures of their cells.

Cells with the same sprites look the same, so each such stack is drawn only once. Pictures of maps are indices of
colors. The pictures of all frames of an animation share one palette. Of each frame, only the cells that differ from the
previous frame are composed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ..core.recipe import Recipe
from ..core.skins import ALL_BITS
from ..core.tileset import Tileset
from ._artwork import Artwork, own_sheet
from ._colors import join_channels, merge_colors, split_channels
from ._layers import NOTHING, VariantSource, View, find_ground, find_sprites, sprite_layers
from ._marks import MAX_PALETTE

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
    rows, columns = _list_halves(height), _list_halves(width)
    for plane in artwork.planes:
        if not plane.is_dual:
            _paste(pixels, drawn, places[:, part])
            part += 1
            continue
        for down, right in QUARTERS:
            (row, sprite_row), (column, sprite_column) = rows[down], columns[right]
            _paste(pixels[:, row, column], drawn[:, sprite_row, sprite_column], places[:, part])
            part += 1
    return pixels


def _list_halves(side: int) -> tuple[tuple[slice, slice], tuple[slice, slice]]:
    """Return the first and the second half of a cell's side, each with the half of a sprite between cells there."""
    half = side // 2
    return (slice(0, side - half), slice(half, None)), (slice(side - half, None), slice(0, half))


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


@dataclass(frozen=True, eq=False)
class _Composition:
    """The pictures in the cells of a view, and what they were found from."""

    artwork: Artwork
    cells: NDArray[np.integer]
    """Array (level, row, column), as all arrays here."""
    ground: NDArray[np.integer]
    pictures: NDArray[np.int32]
    """Indices into the pictures of the painter."""


class SpritePainter:
    """Pictures of views in sprites of one size. Add all views before painting the first."""

    def __init__(self, height: int, width: int, background: tuple[int, int, int], recipe: Recipe | None) -> None:
        self.height, self.width, self.recipe = height, width, recipe
        code = join_channels(np.array([background], dtype=np.uint8))
        self._pictures = [StackPicture(np.zeros((height, width), dtype=np.uint16), code)]
        self._numbers: dict[tuple[str, bytes], int] = {}
        self._last: _Composition | None = None

    def add(self, view: View) -> NDArray[np.int32]:
        """Return an array of the shape of the cells of numbers of pictures; 0 is the background."""
        artwork, shape = Artwork.of(view.tileset), view.cells.shape
        cells = np.ascontiguousarray(view.cells).reshape(-1, *shape[-2:])
        ground = find_ground(cells, view.tileset)
        source = VariantSource.of(view, self.recipe)
        last = self._last
        if last is None or last.artwork is not artwork or last.cells.shape != cells.shape:
            pictures = np.zeros(cells.shape, dtype=np.int32)
            changed = np.ones(cells.shape, dtype=np.bool_)
        else:
            pictures = last.pictures.copy()
            changed = (cells != last.cells) | (ground != last.ground)
        if changed.any():
            top, bottom = _find_span(changed, 1)
            left, right = _find_span(changed, 2)
            # The sprites of a cell depend on its neighbors, so a part is composed with a frame of one cell.
            upper, lower = max(0, top - 1), min(cells.shape[1], bottom + 1)
            outer, inner = max(0, left - 1), min(cells.shape[2], right + 1)
            part = np.s_[:, upper:lower, outer:inner]
            layers = find_sprites(artwork, cells[part], ground[part], source.shift(upper, outer))
            window = np.s_[top - upper : bottom - upper, left - outer : right - outer]
            stacks = CellStacks.of_layers(artwork, layers, window)
            pictures[:, top:bottom, left:right] = self._number(stacks)[stacks.numbers]
        self._last = _Composition(artwork, cells.copy(), ground.copy(), pictures)
        return pictures.reshape(shape)

    def _number(self, stacks: CellStacks) -> NDArray[np.int32]:
        """Return the number of the picture of each stack. New ones are drawn."""
        digest = stacks.artwork.tileset.look_digest
        keys = [(digest, stack.tobytes()) for stack in stacks.stacks]
        new = [place for place, key in enumerate(keys) if key not in self._numbers]
        drawn = draw_stack_pictures(stacks.artwork, stacks.stacks[new], self.height, self.width)
        for place, picture in zip(new, drawn, strict=True):
            self._numbers[keys[place]] = len(self._pictures)
            self._pictures.append(picture)
        return np.array([self._numbers[key] for key in keys], dtype=np.int32)

    def paint(
        self, sheets: Sequence[NDArray[np.int32]], icons: NDArray[np.uint8], lines: NDArray[np.uint8], *, exact: bool
    ) -> list[Image.Image]:
        """Return the pictures of arrays (row, column) of numbers of pictures.

        They share a palette that also has the colors of icons and lines, arrays (color, 3). If there are too many
        colors, nearly equal ones are merged, except those of lines, unless colors must be `exact`. Pictures of too many
        different colors are RGB. The palette has a free entry, which animations use for transparent pixels.
        """
        starts = np.cumsum([0, *(len(picture.colors) for picture in self._pictures)])
        parts = [*(picture.colors for picture in self._pictures), join_channels(icons)]
        codes, places = np.unique(np.concatenate(parts), return_inverse=True)
        merged = merge_colors(codes, MAX_PALETTE - 1 - len(lines), exact=exact)
        values = places if merged is None else merged[1][places]
        blocks = np.stack(
            [values[start + picture.indices] for start, picture in zip(starts, self._pictures, strict=False)]
        )
        pixels = self._arrange(blocks, sheets)
        if merged is None:
            return [Image.fromarray(split_channels(codes[one])) for one in pixels]
        palette = np.concatenate([merged[0], lines]).tobytes()
        return [_make_palette_picture(one, palette) for one in pixels]

    def _arrange(self, blocks: NDArray[Any], sheets: Sequence[NDArray[np.int32]]) -> Iterator[NDArray[Any]]:
        """Yield the pixels of arrays (row, column) of numbers of pictures. Unchanged rows are copied."""
        before: NDArray[np.int32] | None = None
        for sheet in sheets:
            rows, columns = sheet.shape
            if before is None:
                pixels = np.empty((rows, self.height, columns, self.width), dtype=blocks.dtype)
                changed = np.ones(rows, dtype=np.bool_)
            else:
                pixels, changed = pixels.copy(), (sheet != before).any(axis=1)
            for row in np.flatnonzero(changed):
                pixels[row] = blocks[sheet[row]].transpose(1, 0, 2)
            before = sheet
            yield pixels.reshape(rows * self.height, columns * self.width)


def _make_palette_picture(pixels: NDArray[np.uint8], palette: bytes) -> Image.Image:
    picture = Image.fromarray(pixels)
    picture.putpalette(palette)
    return picture


def _find_span(mask: NDArray[np.bool_], axis: int) -> tuple[int, int]:
    """Return the first place of a mask along an axis and the place after the last, with a margin of one."""
    places = np.flatnonzero(np.moveaxis(mask, axis, 0).reshape(mask.shape[axis], -1).any(axis=1))
    return max(0, int(places[0]) - 1), min(mask.shape[axis], int(places[-1]) + 2)
