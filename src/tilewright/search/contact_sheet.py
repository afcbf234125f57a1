"""Contact sheets: a list of maps in one picture."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, sqrt

from PIL import Image

from ..core.errors import InvalidRecipe, TooLarge
from ..core.params import check_integer
from ..core.tilemap import TileMap
from ..corpus._charts import FAINT, MUTED, SMALL, Canvas, draw_thumbnail, map_width

GAP, CAPTION = 10, 20
"""Pixels between maps, and height of a caption in pixels."""
MIN_WIDTH, MAX_WIDTH = 100, 20_000
MAX_PIXELS = 1 << 27


def draw_contact_sheet(
    maps: Sequence[TileMap], captions: Sequence[str], *, columns: int | None = None, width: int = 1200
) -> Image.Image:
    """Draw maps row by row, with a caption below each.

    Parameters
    ----------
    maps : sequence of TileMap
        The maps.
    captions : sequence of str
        Caption of each map.
    columns : int, optional
        Number of maps per row. By default, a number that makes the sheet about square.
    width : int
        Maximum width of the sheet in pixels. Each cell has an integer number of pixels, if possible.

    Returns
    -------
    PIL.Image.Image
    """
    check_integer("width", width, MIN_WIDTH, MAX_WIDTH)
    if columns is not None:
        check_integer("columns", columns, 1, len(maps))
    if not maps:
        raise InvalidRecipe("must have at least one map", at="maps", rule="missing")
    wide, high = max(map_width(map) for map in maps), max(map.height for map in maps)
    columns = columns or min(len(maps), max(1, round(sqrt(len(maps) * high / wide))))
    inner = max(1, (width - GAP) // columns - GAP)
    inner = inner // wide * wide if inner >= wide else inner
    step_x, height = inner + GAP, max(1, inner * high // wide)
    step_y, rows = height + CAPTION + GAP, ceil(len(maps) / columns)
    if columns * step_x * rows * step_y > MAX_PIXELS:
        raise TooLarge(f"a sheet of {columns * step_x:,} x {rows * step_y:,} pixels is too large; use a smaller width")
    canvas = Canvas(columns * step_x + GAP, rows * step_y + GAP)
    for number, (map, caption) in enumerate(zip(maps, captions, strict=True)):
        row, column = divmod(number, columns)
        picture = draw_thumbnail(map, inner, height)
        left, top = GAP + column * step_x + (inner - picture.width) // 2, GAP + row * step_y
        canvas.picture.paste(picture, (left, top))
        canvas.pen.rectangle((left, top, left + picture.width - 1, top + picture.height - 1), outline=FAINT)
        center = GAP + column * step_x + inner / 2
        canvas.draw_text((center, top + height + 4), caption, SMALL, MUTED, "ma", max_width=inner)
    return canvas.picture
