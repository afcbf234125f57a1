"""Heatmaps in the terminal: two columns per cell in colors, or shades in a pipe."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import click
import numpy as np
from numpy.typing import NDArray
from rich.color import Color
from rich.segment import Segment, Segments
from rich.style import Style

from ..core.errors import format_number
from ..core.measure_groups import format_short
from ._console import output_width, stdout_console

if TYPE_CHECKING:
    from ..search import Archive

SHADES = "·░▒▓█"
"""Empty cells, then low to high values."""
MAX_ROWS = 32


def is_colored() -> bool:
    """Return whether standard output is a terminal with enough colors for a heatmap."""
    console = stdout_console()
    return console.is_terminal and not console.no_color and console.color_system in ("256", "truecolor")


def draw_heatmap(archive: Archive, x: str | None = None, y: str | None = None, values: str | None = None) -> None:
    """Draw the values of the elites, with the ranges of the axes."""
    from ..search.pictures import EMPTY_CELL, ColorScale, axis_label, list_values, project

    projection = project(archive, x, y, max_bins=(max(1, (output_width() - 12) // 2), MAX_ROWS))
    numbers = projection.take(list_values(archive, values))
    scale = ColorScale.of(values or str(archive.definition.objective), numbers)
    rows, columns = numbers.shape
    pixels = np.where(projection.filled[..., None], scale.colors(numbers), np.array(EMPTY_CELL, dtype=np.uint8) // 6)
    margin = [""] * rows
    if projection.y is not None:
        margin[0] = format_short(float(projection.y.edges[0]))
        margin[-1] = format_short(float(projection.y.edges[-1]))
    room = max(len(text) for text in margin)
    shades = _shade(numbers, scale.low, scale.high)
    console = stdout_console()
    if projection.y is not None:
        click.echo(axis_label(projection.y))
    for row in reversed(range(rows)):
        head = f"{margin[row]:>{room}} "
        if is_colored():
            colors = [Color.from_rgb(*color) for color in pixels[row].tolist()]
            runs = [(color, len(list(run))) for color, run in groupby(colors)]
            cells = [Segment("  " * count, Style(bgcolor=color)) for color, count in runs]
            console.print(Segments([Segment(head), *cells, Segment.line()]), end="", crop=False)
        else:
            click.echo(head + "".join(letter * 2 for letter in shades[row]))
    low, high = (format_short(float(edge)) for edge in projection.x.edges[[0, -1]])
    click.echo(f"{'':{room}} {low}{high:>{max(len(high), 2 * columns - len(low))}}")
    shown = f"{scale.label} {format_number(scale.low)} to {format_number(scale.high)}"
    click.echo(f"{'':{room}} {axis_label(projection.x)}; {shown}")


def _shade(numbers: NDArray[np.float64], low: float, high: float) -> list[str]:
    """Return a character for each cell, by row."""
    span = high - low if high > low else 1.0
    levels = 1 + np.floor(np.nan_to_num((numbers - low) / span) * (len(SHADES) - 1))
    shown = np.where(np.isnan(numbers), 0, np.clip(levels, 1, len(SHADES) - 1)).astype(int)
    return ["".join(SHADES[level] for level in row) for row in shown.tolist()]
