"""Marks over the picture of a map: the tint and lines of an overlay, the lines of a frame, and icons of markers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from ..core.site import Point
from ..core.tilemap import Marker
from ._colors import find_nearest
from ._icons import OUTLINE, Icon, draw_icon, place_icons

if TYPE_CHECKING:
    from ._picture import CanvasLayout, Size

Lines = Sequence[tuple[Point, Point]]
"""Ends of lines, in cells."""
FRAME_LINE, OVERLAY_LINE = (242, 84, 91), (255, 244, 214)
MAX_PALETTE = 256
"""Maximum number of colors of a palette."""


def apply_tint(picture: Image.Image, tint: NDArray[np.uint8], layout: CanvasLayout, cell: Size) -> Image.Image:
    """Return an RGB picture with the tint of every cell over it."""
    full = picture if picture.mode == "RGB" else picture.convert("RGB")
    over = Image.fromarray(layout.spread(tint, (0, 0, 0, 0))).resize(full.size, Image.Resampling.NEAREST)
    full.paste(over, mask=over)
    return full


def draw_lines(picture: Image.Image, lines: Lines, layout: CanvasLayout, cell: Size) -> Image.Image:
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


def draw_frame_lines(picture: Image.Image, lines: Lines, layout: CanvasLayout, cell: Size) -> Image.Image:
    """Draw the lines of a frame."""
    if len(picture.getpalette() or ()) == 3 * MAX_PALETTE:
        picture = picture.convert("RGB")
    pen = ImageDraw.Draw(picture)
    for line in lines:
        pen.line(_line_to_pixels(line, layout, cell), fill=FRAME_LINE, width=max(1, min(cell) // 4))
    return picture


def draw_markers(picture: Image.Image, markers: Sequence[Marker], layout: CanvasLayout, cell: Size) -> Image.Image:
    """Draw the icons of markers. Markers in the same cell share it."""
    images: dict[tuple[Icon, int, bool], tuple[Image.Image, Image.Image]] = {}
    for (level, row, column), here in _find_names(markers).items():
        top, left = layout.level_origin(level)
        for one in place_icons(here, *cell):
            key = one.icon, one.side, one.is_dot
            if key not in images:
                pixels = draw_icon(*key)
                images[key] = _convert_icon(pixels, picture), Image.fromarray(pixels[..., 3])
            image, mask = images[key]
            picture.paste(image, ((left + column) * cell[1] + one.column, (top + row) * cell[0] + one.row), mask)
    return picture


def find_icon_colors(markers: Sequence[Marker], cell: Size) -> NDArray[np.uint8]:
    """Return the colors of the icons of markers, an array (color, 3)."""
    icons = {
        (one.icon, one.side, one.is_dot) for here in _find_names(markers).values() for one in place_icons(here, *cell)
    }
    colors = [draw_icon(*icon)[..., :3].reshape(-1, 3) for icon in icons]
    return np.unique(np.concatenate(colors), axis=0) if colors else np.empty((0, 3), dtype=np.uint8)


def _find_names(markers: Sequence[Marker]) -> dict[tuple[int, int, int], list[str]]:
    """Return the names of the markers of each cell (level, row, column)."""
    names: dict[tuple[int, int, int], list[str]] = {}
    for marker in markers:
        names.setdefault((marker.level, marker.y, marker.x), []).append(marker.name)
    return names


def _convert_icon(icon: NDArray[np.uint8], picture: Image.Image) -> Image.Image:
    """Return an icon in the mode of a picture, with the nearest colors of its palette."""
    if picture.mode != "P":
        return Image.fromarray(icon[..., :3])
    palette = np.array(picture.getpalette(), dtype=np.uint8).reshape(-1, 3)
    return Image.fromarray(find_nearest(icon[..., :3], palette))
