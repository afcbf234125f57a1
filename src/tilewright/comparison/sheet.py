"""Sheets: the samples and the maps of each technique in one picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PIL import Image

from ..core.params import check_integer
from ..core.tilemap import TileMap
from ..pictures.charts import LARGE, MUTED, NORMAL, Box
from ..pictures.sheets import draw_thumbnail, make_canvas

GAP, TITLE = 12, 28
"""Pixels between maps, and height of a row's title in pixels."""
MIN_WIDTH, MAX_WIDTH = 200, 20_000


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
    canvas = make_canvas(width, GAP + sum(TITLE + one + GAP for one in heights))
    top = GAP
    for (title, shown), row_height in zip(rows.items(), heights, strict=True):
        canvas.draw_text((GAP, top), title, LARGE)
        if not shown:
            canvas.draw_text((GAP, top + TITLE), "no maps", NORMAL, MUTED)
        for number, map in enumerate(shown[:columns]):
            picture = draw_thumbnail(map, space, row_height)
            left, upper = GAP + number * (space + GAP), top + TITLE
            canvas.picture.paste(picture, (left, upper))
            canvas.draw_border(Box(left, upper, left + picture.width, upper + picture.height))
        top += TITLE + row_height + GAP
    return canvas.picture


def _fit_height(map: TileMap, width: int) -> int:
    """Return the height of a map's picture that is as wide as possible, with an integer number of pixels per cell."""
    scale = width // map.width
    return map.height * scale if scale else max(1, map.height * width // map.width)
