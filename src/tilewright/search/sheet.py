"""Sheets: the maps of an archive, arranged by their measures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from ..core.params import check_integer
from ..core.pipeline import run
from ..core.tilemap import TileMap
from ..pictures.charts import Box
from ..pictures.sheets import draw_thumbnail, map_width
from .evaluation import find_tileset
from .plots import EMPTY_CELL, LEFT, RIGHT, ColorScale, Plot, describe_archive
from .projection import NO_ELITE, list_values, project

if TYPE_CHECKING:
    from .archive import Archive

MAX_BINS = 24
"""Maximum number of maps in a row or a column; of adjacent bins beyond it, the best map is shown."""
MIN_WIDTH, MAX_WIDTH = 400, 20_000
UNIT_WIDTH = 1100
"""Width of a sheet whose text has the size of a heatmap's text at 96 dots per inch."""


def draw_sheet(
    archive: Archive, *, x: str | None = None, y: str | None = None, title: str | None = None, width: int = 2200
) -> Image.Image:
    """Draw the maps of an archive: see `Archive.sheet`."""
    check_integer("width", width, MIN_WIDTH, MAX_WIDTH)
    projection = project(archive, x, y, max_bins=(MAX_BINS, MAX_BINS))
    rows, columns = projection.rows.shape
    maps = {row: _make_map(archive, row) for row in projection.rows.ravel().tolist() if row != NO_ELITE}
    numbers = projection.take(list_values(archive))
    colors = ColorScale.of(str(archive.definition.objective), numbers)
    scale = width / UNIT_WIDTH
    gap, frame = max(1, round(1.5 * scale)), max(1, round(scale))
    cell = _find_size(list(maps.values()), round((width - (LEFT + RIGHT) * scale) / columns) - gap - 2 * frame)
    step_x, step_y = (side + 2 * frame + gap for side in cell)
    plot = Plot(columns * step_x, rows * step_y, scale)
    for row, column in np.ndindex(rows, columns):
        left = plot.area.left + column * step_x + gap // 2
        top = plot.area.bottom - (row + 1) * step_y + gap // 2
        box = Box(left, top, left + step_x - gap, top + step_y - gap)
        map = maps.get(int(projection.rows[row, column]))
        color = EMPTY_CELL if map is None else tuple(colors.colors(numbers[row, column]).tolist())
        plot.pen.rectangle((box.left, box.top, box.right - 1, box.bottom - 1), color)
        if map is not None:
            thumbnail = draw_thumbnail(map, *cell)
            plot.picture.paste(thumbnail, box.shrink(frame, frame, frame, frame).center(*thumbnail.size))
    axes = f"{projection.x.measure} and {projection.y.measure}" if projection.y else projection.x.measure
    plot.draw_title(title if title is not None else f"Maps by {axes}", describe_archive(archive, projection))
    plot.draw_x_axis(projection.x, projection.merged[0])
    if projection.y is not None:
        plot.draw_y_axis(projection.y, projection.merged[1])
    plot.draw_color_scale(colors)
    return plot.picture


def _find_size(maps: list[TileMap], width: int) -> tuple[int, int]:
    """Return the size of the largest map in pixels, with an integer number of pixels per cell if possible."""
    cells_wide = max((map_width(map) for map in maps), default=1)
    cells_high = max((map.height for map in maps), default=1)
    inner = max(4, width)
    if inner >= cells_wide:
        inner = round(inner / cells_wide) * cells_wide
    return inner, max(4, round(inner * cells_high / cells_wide))


def _make_map(archive: Archive, row: int) -> TileMap:
    """Return the map of an elite, from its stored cells if there are any."""
    stored = archive.contents[row]
    if stored is not None:
        return TileMap(stored, find_tileset(archive.definition))
    return run(archive.elite_at(row).recipe)
