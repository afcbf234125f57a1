"""Pictures of maps in sprites, as indices of colors.

The pictures of all frames of an animation share one palette. Of each frame, only the cells that differ from the
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
from ._artwork import Artwork
from ._colors import join_channels, merge_colors, split_channels
from ._composition import CellStacks, StackPicture, draw_stack_pictures
from ._layers import VariantSource, View, find_ground, find_sprites
from ._marks import MAX_PALETTE


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
        self._pictures = [StackPicture.of_color(background, height, width)]
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
