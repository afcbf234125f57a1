"""Sheets: the maps of an archive, arranged by their measures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image

from ..core.params import check_integer
from ..core.pipeline import run
from ..core.tilemap import TileMap
from ..corpus._charts import Color, draw_thumbnail, map_width
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
    space = _Space.of(list(maps.values()), (width - (LEFT + RIGHT) * scale) / columns, scale)
    plot = Plot(columns * space.step_x, rows * space.step_y, scale)
    for row in range(rows):
        for column in range(columns):
            left = plot.area.left + column * space.step_x
            top = plot.area.bottom - (row + 1) * space.step_y
            map = maps.get(int(projection.rows[row, column]))
            if map is None:
                space.draw_frame(plot, left, top, EMPTY_CELL)
                continue
            red, green, blue = colors.colors(np.array(numbers[row, column])).tolist()
            space.draw_frame(plot, left, top, (red, green, blue))
            space.draw_map(plot, left, top, map)
    axes = f"{projection.x.measure} and {projection.y.measure}" if projection.y else projection.x.measure
    plot.draw_title(title if title is not None else f"Maps by {axes}", describe_archive(archive, projection))
    plot.draw_x_axis(projection.x, projection.merged[0])
    if projection.y is not None:
        plot.draw_y_axis(projection.y, projection.merged[1])
    plot.draw_color_scale(colors)
    return plot.canvas.picture


@dataclass(frozen=True)
class _Space:
    """The space of a map in a sheet: the map, its frame and half a gap on each side, in pixels."""

    width: int
    height: int
    frame: int
    gap: int

    @classmethod
    def of(cls, maps: list[TileMap], width: float, scale: float) -> _Space:
        """Return a space for the largest map, with an integer number of pixels per cell if possible."""
        frame, gap = max(1, round(scale)), max(1, round(1.5 * scale))
        cells_wide = max((map_width(map) for map in maps), default=1)
        cells_high = max((map.height for map in maps), default=1)
        inner = max(4, round(width) - gap - 2 * frame)
        if inner >= cells_wide:
            inner = round(inner / cells_wide) * cells_wide
        return cls(inner, max(4, round(inner * cells_high / cells_wide)), frame, gap)

    @property
    def step_x(self) -> int:
        return self.width + 2 * self.frame + self.gap

    @property
    def step_y(self) -> int:
        return self.height + 2 * self.frame + self.gap

    def draw_frame(self, plot: Plot, left: int, top: int, color: Color) -> None:
        """Fill the space of a map, on which the map is drawn."""
        left, top = left + self.gap // 2, top + self.gap // 2
        place = (left, top, left + self.step_x - self.gap - 1, top + self.step_y - self.gap - 1)
        plot.canvas.pen.rectangle(place, color)

    def draw_map(self, plot: Plot, left: int, top: int, map: TileMap) -> None:
        picture = draw_thumbnail(map, self.width, self.height)
        x = left + self.gap // 2 + self.frame + (self.width - picture.width) // 2
        y = top + self.gap // 2 + self.frame + (self.height - picture.height) // 2
        plot.canvas.picture.paste(picture, (x, y))


def _make_map(archive: Archive, row: int) -> TileMap:
    """Return the map of an elite, from its stored cells if there are any."""
    stored = archive.contents[row]
    if stored is not None:
        return TileMap(stored, find_tileset(archive.definition))
    return run(archive.elite_at(row).recipe)
