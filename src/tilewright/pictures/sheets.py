"""Sheets: many maps in one picture."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import sqrt

from PIL import Image

from ..core.errors import InvalidRecipe, TooLarge
from ..core.params import check_integer
from ..core.tilemap import TileMap
from .charts import LARGE, MUTED, NORMAL, SMALL, Box, Canvas, Panels

GAP, CAPTION = 10, 20
"""Pixels between maps, and height of a caption in pixels."""
ROW_GAP, ROW_TITLE = 12, 28
"""Pixels between the maps of a comparison, and height of a row's title in pixels."""
MIN_WIDTH, MIN_ROW_WIDTH, MAX_WIDTH = 100, 200, 20_000
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
    columns = columns or choose_columns(maps)
    inner = max(1, (width - GAP) // columns - GAP)
    inner = inner // wide * wide if inner >= wide else inner
    height = max(1, inner * high // wide)
    panels = Panels(columns, inner, height + CAPTION, GAP, GAP, GAP)
    canvas = make_canvas(columns * (inner + GAP) + GAP, panels.count_rows(len(maps)) * (panels.height + GAP) + GAP)
    draw_cards(canvas, panels, zip((draw_thumbnail(map, inner, height) for map in maps), captions, strict=True))
    return canvas.picture


def choose_columns(maps: Sequence[TileMap]) -> int:
    """Return the number of maps per row that makes a sheet about square."""
    wide, high = max(map_width(map) for map in maps), max(map.height for map in maps)
    return min(len(maps), max(1, round(sqrt(len(maps) * high / wide))))


def draw_comparison_sheet(
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
    check_integer("width", width, MIN_ROW_WIDTH, MAX_WIDTH)
    rows = {f"samples ({len(samples)})" if len(samples) > 1 else "sample": samples, **maps}
    space = max(1, (width - ROW_GAP) // columns - ROW_GAP)
    heights = [max((_fit_row(map, space) for map in shown[:columns]), default=ROW_TITLE) for shown in rows.values()]
    canvas = make_canvas(width, ROW_GAP + sum(ROW_TITLE + one + ROW_GAP for one in heights))
    top = ROW_GAP
    for (title, shown), row_height in zip(rows.items(), heights, strict=True):
        canvas.draw_text((ROW_GAP, top), title, LARGE)
        if not shown:
            canvas.draw_text((ROW_GAP, top + ROW_TITLE), "no maps", NORMAL, MUTED)
        for number, map in enumerate(shown[:columns]):
            picture = draw_thumbnail(map, space, row_height)
            left, upper = ROW_GAP + number * (space + ROW_GAP), top + ROW_TITLE
            canvas.picture.paste(picture, (left, upper))
            canvas.draw_border(Box(left, upper, left + picture.width, upper + picture.height))
        top += ROW_TITLE + row_height + ROW_GAP
    return canvas.picture


def _fit_row(map: TileMap, width: int) -> int:
    """Return the height of a map's picture that is as wide as possible, with an integer number of pixels per cell."""
    scale = width // map.width
    return map.height * scale if scale else max(1, map.height * width // map.width)


def make_canvas(width: int, height: int) -> Canvas:
    """Return an empty sheet. Raise TooLarge if it would have too many pixels."""
    if width * height > MAX_PIXELS:
        raise TooLarge(f"a sheet of {width:,} x {height:,} pixels is too large; use a smaller width")
    return Canvas(width, height)


def draw_cards(canvas: Canvas, panels: Panels, cards: Iterable[tuple[Image.Image, str]]) -> None:
    """Draw a picture in the middle of each panel, with a caption below it."""
    for number, (picture, caption) in enumerate(cards):
        box = panels.box(number)
        left, top = box.shrink(0, 0, 0, CAPTION).center(*picture.size)
        canvas.picture.paste(picture, (left, top))
        canvas.draw_border(Box(left, top, left + picture.width, top + picture.height).shrink(1, 1, 1, 1))
        place = (box.left + box.width / 2, box.bottom - CAPTION + 4)
        canvas.draw_text(place, caption, SMALL, MUTED, "ma", max_width=box.width)


def draw_thumbnail(map: TileMap, width: int, height: int) -> Image.Image:
    """Draw a map as large as a space allows, with an integer number of pixels per cell if possible."""
    cells = map_width(map)
    thumbnail = map.image(scale=max(1, min(width // cells, height // map.height))).convert("RGB")
    if thumbnail.width > width or thumbnail.height > height:
        thumbnail.thumbnail((width, height), Image.Resampling.BOX)
    return thumbnail


def map_width(map: TileMap) -> int:
    """Return the width of a map's picture in cells."""
    return total_width(map.shape[0] if map.cells.ndim == 3 else 1, map.width)


def total_width(levels: int, width: int) -> int:
    """Return the width of a map in cells, with its levels side by side."""
    return levels * (width + 1) - 1
