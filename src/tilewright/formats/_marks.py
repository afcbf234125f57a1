"""Marks over the picture of a map: the tint and lines of an overlay, the lines of a frame, and icons of markers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from ..core.site import Point
from ..core.tilemap import Marker
from ._icons import OUTLINE, draw_icon, place_icons

if TYPE_CHECKING:
    from ._picture import CanvasLayout, Size

FRAME_LINE, OVERLAY_LINE = (242, 84, 91), (255, 244, 214)
MAX_PALETTE = 256
"""Maximum number of colors of a palette."""


def apply_tint(picture: Image.Image, tint: NDArray[np.uint8], layout: CanvasLayout, cell: Size) -> Image.Image:
    """Return an RGB picture with the tint of every cell over it."""
    full = picture if picture.mode == "RGB" else picture.convert("RGB")
    over = Image.fromarray(layout.spread(tint, (0, 0, 0, 0))).resize(full.size, Image.Resampling.NEAREST)
    full.paste(over, mask=over)
    return full


def draw_lines(
    picture: Image.Image, lines: Sequence[tuple[Point, Point]], layout: CanvasLayout, cell: Size
) -> Image.Image:
    """Draw the lines of an overlay, light with dark edges so that they are visible on all colors."""
    pen, thickness = ImageDraw.Draw(picture), max(1, min(cell) // 4)
    segments = [_line_to_pixels(line, layout, cell) for line in lines]
    for color, wider in ((OUTLINE, 2), (OVERLAY_LINE, 0)):
        for ends in segments:
            pen.line(ends, fill=color, width=thickness + wider)
            for x, y in ends:
                radius = 1.25 * thickness + wider / 2
                pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=color)
    return picture


def _line_to_pixels(line: tuple[Point, Point], layout: CanvasLayout, cell: Size) -> list[Point]:
    """Return the ends of a line in pixels. Integer coordinates are the centers of cells."""
    (top, left), (rows, columns) = layout.level_origin(), cell
    return [((left + x + 0.5) * columns, (top + y + 0.5) * rows) for x, y in line]


def draw_frame_lines(
    picture: Image.Image, lines: Sequence[tuple[Point, Point]], layout: CanvasLayout, cell: Size
) -> Image.Image:
    """Draw the lines of a frame."""
    if len(picture.getpalette() or ()) == 3 * MAX_PALETTE:
        picture = picture.convert("RGB")
    pen = ImageDraw.Draw(picture)
    for line in lines:
        pen.line(_line_to_pixels(line, layout, cell), fill=FRAME_LINE, width=max(1, min(cell) // 4))
    return picture


def draw_markers(picture: Image.Image, markers: Sequence[Marker], layout: CanvasLayout, cell: Size) -> Image.Image:
    """Draw the icons of markers. Markers in the same cell share it."""
    names: dict[Size, list[str]] = {}
    for marker in markers:
        top, left = layout.level_origin(marker.level)
        names.setdefault((top + marker.y, left + marker.x), []).append(marker.name)
    placed = [
        (draw_icon(one.icon, one.side, one.is_dot), column * cell[1] + one.column, row * cell[0] + one.row)
        for (row, column), here in names.items()
        for one in place_icons(here, *cell)
    ]
    if not placed:
        return picture
    icons = {id(pixels): pixels for pixels, _, _ in placed}
    picture, patches = _convert_icons(picture, list(icons.values()))
    images = dict(zip(icons, patches, strict=True))
    masks = {key: Image.fromarray(pixels[..., 3]) for key, pixels in icons.items()}
    for pixels, x, y in placed:
        picture.paste(images[id(pixels)], (x, y), masks[id(pixels)])
    return picture


def _convert_icons(picture: Image.Image, icons: Sequence[NDArray[np.uint8]]) -> tuple[Image.Image, list[Image.Image]]:
    """Return a picture with the colors of icons in its palette, and the icons in the mode of the picture.

    A picture without room in its palette is converted to RGB.
    """
    if picture.mode == "P":
        palette = np.array(picture.getpalette(), dtype=np.uint8).reshape(-1, 3)
        colors, indices = np.unique(
            np.concatenate([pixels[..., :3].reshape(-1, 3) for pixels in icons]), axis=0, return_inverse=True
        )
        if len(palette) + len(colors) <= MAX_PALETTE:
            picture.putpalette(np.concatenate([palette, colors]).tobytes())
            ends = np.cumsum([pixels.shape[0] * pixels.shape[1] for pixels in icons])[:-1]
            parts = np.split((len(palette) + indices.reshape(-1)).astype(np.uint8), ends)
            return picture, [
                Image.fromarray(part.reshape(pixels.shape[:2])) for part, pixels in zip(parts, icons, strict=True)
            ]
        picture = picture.convert("RGB")
    return picture, [Image.fromarray(pixels[..., :3]) for pixels in icons]
