"""Heatmaps: the objective of the best elite of each cell as a color."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ..core.params import check_integer
from ..pictures.charts import INK, PANEL
from .plots import EMPTY_CELL, SCREEN_DPI, ColorScale, Plot, describe_archive
from .projection import Projection, list_values, project

if TYPE_CHECKING:
    from .archive import Archive

AREA = 460
"""Width of the cells at 96 dots per inch."""
MIN_RATIO, MAX_RATIO = 0.45, 1.3
"""Limits of the ratio of the area's height to its width. Cells are squares where they allow it."""
BAR_HEIGHT = 240
MAX_DPI = 1200


def draw_heatmap(
    archive: Archive,
    *,
    x: str | None = None,
    y: str | None = None,
    values: str | None = None,
    limits: tuple[float, float] | None = None,
    title: str | None = None,
    dpi: int = 2 * SCREEN_DPI,
) -> Image.Image:
    """Draw an archive as colors: see `Archive.heatmap`."""
    check_integer("dpi", dpi, SCREEN_DPI // 2, MAX_DPI)
    scale = dpi / SCREEN_DPI
    side = round(AREA * scale)
    projection = project(archive, x, y, max_bins=(side, side))
    label = values or str(archive.definition.objective)
    numbers = projection.take(list_values(archive, values))
    colors = ColorScale.of(label, numbers, limits)
    picture = _draw_bars if projection.y is None else _draw_cells
    plot = picture(archive, projection, numbers, colors, scale)
    axes = f"{projection.x.measure} and {projection.y.measure}" if projection.y else projection.x.measure
    plot.draw_title(title if title is not None else f"{label} by {axes}", describe_archive(archive, projection))
    plot.draw_x_axis(projection.x, projection.merged[0])
    plot.picture.info["dpi"] = (dpi, dpi)
    return plot.picture


def _draw_cells(
    archive: Archive, projection: Projection, numbers: NDArray[np.float64], colors: ColorScale, scale: float
) -> Plot:
    """Draw each cell in its color. The cell of the best elite has a frame."""
    rows, columns = numbers.shape
    height = AREA * min(max(rows / columns, MIN_RATIO), MAX_RATIO)
    cell_width, cell_height = max(1, round(AREA * scale / columns)), max(1, round(height * scale / rows))
    plot = Plot(cell_width * columns, cell_height * rows, scale)
    pixels = np.where(projection.filled[..., None], colors.colors(numbers), np.array(EMPTY_CELL, dtype=np.uint8))
    blocks = pixels[::-1].repeat(cell_height, 0).repeat(cell_width, 1)
    gap = min(round(scale), min(cell_width, cell_height) // 6)
    for offset in range(gap):
        blocks[offset::cell_height] = PANEL
        blocks[:, offset::cell_width] = PANEL
    plot.picture.paste(Image.fromarray(blocks), (plot.area.left, plot.area.top))
    plot.draw_border(plot.area)
    best = archive.best_row if len(archive) else None
    for row, column in np.argwhere(projection.rows == best).tolist():
        left, top = plot.area.left + column * cell_width, plot.area.bottom - (row + 1) * cell_height
        place = (left, top, left + cell_width - 1 + gap, top + cell_height - 1 + gap)
        plot.pen.rectangle(place, outline=INK, width=max(1, plot.pixels(1.5)))
    assert projection.y is not None
    plot.draw_y_axis(projection.y, projection.merged[1])
    plot.draw_color_scale(colors)
    return plot


def _draw_bars(
    archive: Archive, projection: Projection, numbers: NDArray[np.float64], colors: ColorScale, scale: float
) -> Plot:
    """Draw a bar for each bin of an archive with one axis."""
    columns = numbers.shape[1]
    cell_width = max(1, round(AREA * scale / columns))
    plot = Plot(cell_width * columns, round(BAR_HEIGHT * scale), scale)
    area, gap = plot.area, min(round(scale), cell_width // 6)
    low = min(0.0, colors.low) if np.isfinite(colors.low) else 0.0
    span = (colors.high - low) or 1.0
    plot.pen.rectangle((area.left, area.top, area.right - 1, area.bottom - 1), PANEL)
    for column in np.flatnonzero(projection.filled[0]).tolist():
        value = float(numbers[0, column])
        if not np.isfinite(value):
            continue
        left, bar = area.left + column * cell_width, max(2, round((value - low) / span * area.height))
        red, green, blue = colors.colors(np.array(value)).tolist()
        top = max(area.top, area.bottom - bar)
        plot.pen.rectangle((left + gap, top, left + cell_width - 1, area.bottom - 1), (red, green, blue))
    plot.draw_border(plot.area)
    plot.draw_values(replace(colors, low=low), colors.label)
    return plot
