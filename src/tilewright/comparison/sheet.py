"""Sheets: the samples and the maps of each technique in one picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PIL import Image

from ..core.errors import TooLarge
from ..core.params import check_integer
from ..core.tilemap import TileMap
from ..corpus._charts import FAINT, INK, LARGE, MUTED, NORMAL, Canvas, draw_thumbnail

GAP, TITLE = 12, 28
"""Pixels between maps, and height of a row's title in pixels."""
MIN_WIDTH, MAX_WIDTH = 200, 20_000
MAX_PIXELS = 1 << 27


def draw_sheet(
    samples: Sequence[TileMap], maps: Mapping[str, Sequence[TileMap]], *, columns: int = 4, width: int = 1400
) -> Image.Image:
    """Draw samples in the first row, and maps of each technique in a row below, with the name of the technique.

    Parameters
    ----------
    samples : sequence of TileMap
        The samples, of which the first `columns` are drawn.
    maps : mapping of str to sequence of TileMap
        Maps by technique, of which the first `columns` are drawn.
    columns : int
        Number of maps per row.
    width : int
        Width of the sheet in pixels.

    Returns
    -------
    PIL.Image.Image
    """
    check_integer("columns", columns, 1, 20)
    check_integer("width", width, MIN_WIDTH, MAX_WIDTH)
    rows = {f"samples ({len(samples)})" if len(samples) > 1 else "sample": samples, **maps}
    space = max(1, (width - GAP) // columns - GAP)
    heights = [max((_fit_height(map, space) for map in shown[:columns]), default=TITLE) for shown in rows.values()]
    height = GAP + sum(TITLE + one + GAP for one in heights)
    if width * height > MAX_PIXELS:
        raise TooLarge(f"a sheet of {width:,} x {height:,} pixels is too large; use a smaller width")
    canvas = Canvas(width, height)
    top = GAP
    for (title, shown), row_height in zip(rows.items(), heights, strict=True):
        canvas.draw_text((GAP, top), title, LARGE, INK)
        if not shown:
            canvas.draw_text((GAP, top + TITLE), "no maps", NORMAL, MUTED)
        for number, map in enumerate(shown[:columns]):
            picture = draw_thumbnail(map, space, row_height)
            left = GAP + number * (space + GAP)
            canvas.picture.paste(picture, (left, top + TITLE))
            outline = (left - 1, top + TITLE - 1, left + picture.width, top + TITLE + picture.height)
            canvas.pen.rectangle(outline, outline=FAINT)
        top += TITLE + row_height + GAP
    return canvas.picture


def _fit_height(map: TileMap, width: int) -> int:
    """Return the height of a map's picture that is as wide as possible, with an integer number of pixels per cell."""
    scale = width // map.width
    return map.height * scale if scale else max(1, map.height * width // map.width)
