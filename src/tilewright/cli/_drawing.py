"""A map in the terminal: coloured glyphs, or half-block pixels where it is too wide; plain text in a pipe."""

from __future__ import annotations

from functools import cache
from itertools import groupby

import click
import numpy as np
from numpy.typing import NDArray
from rich.color import Color
from rich.segment import Segment, Segments
from rich.style import Style

from ..core.tilemap import TileMap
from ._console import note, results

Rgb = tuple[int, int, int]
SHADE = 0.42
"""How bright a cell's ground is beside its glyph."""
FAINTEST = 130
"""Glyphs of dark tiles are lifted to this brightness: a dark wall must still be seen on a dark terminal."""


def draw(map: TileMap, caption: str, *, plain: bool = False) -> None:
    """Draw a map on standard output, and below it, on standard error, one line about it."""
    console = results()
    fits = map.width <= console.width
    if plain or not console.is_terminal:
        click.echo(str(map))
    elif console.color_system is None or console.no_color:
        click.echo("\n".join(line[: console.width] for line in str(map).split("\n")))
        caption += "" if fits else f", the first {console.width} columns; --plain shows all"
    else:
        for level, cells in enumerate(map.cells if map.cells.ndim == 3 else map.cells[None]):
            if level:
                console.print()
            segments = _glyphs(map, cells, level) if fits else _pixels(map, cells, console.width)
            console.print(Segments(segments), end="")
        caption += "" if fits else f", drawn {console.width} wide; --plain shows every cell"
    note(caption)


def describe(map: TileMap) -> str:
    """`caves 80x50, seed 7`."""
    size = "x".join(str(side) for side in reversed(map.shape))
    if map.recipe is None:
        return f"{size} of {map.tileset.name}"
    return f"{map.recipe.technique} {size}, seed {map.recipe.seed}"


def _glyphs(map: TileMap, cells: NDArray[np.integer], level: int) -> list[Segment]:
    """A segment per run of equal cells; markers show as the first letter of their name."""
    looks = [(tile.glyph, _tile_style(tile.rgb)) for tile in map.tileset]
    marked = {
        (marker.y, marker.x): (marker.name[:1].upper(), _MARKER) for marker in map.markers if marker.level == level
    }
    segments = []
    for row, ids in enumerate(cells.tolist()):
        line = [marked.get((row, column), looks[number]) for column, number in enumerate(ids)]
        segments += [Segment(glyph * len(list(run)), style) for (glyph, style), run in groupby(line)]
        segments.append(Segment.line())
    return segments


def _pixels(map: TileMap, cells: NDArray[np.integer], columns: int) -> list[Segment]:
    """The map shrunk to the terminal's width, two pixels above each other in a character."""
    height, width = cells.shape
    rows = max(1, round(height * columns / width / 2)) * 2
    left = np.arange(columns) * width // columns
    top = np.arange(rows + 1) * height // rows
    colors = map.tileset.colors.astype(np.float64)
    counts = np.diff(np.append(left, width))[:, None]
    lines = []
    for first, last in zip(top[:-1].tolist(), top[1:].tolist(), strict=True):
        band = colors[cells[first : max(last, first + 1)]].mean(axis=0)  # a band at a time: large maps stay cheap
        lines.append((np.add.reduceat(band, left, axis=0) / counts).round().astype(int).tolist())
    segments = []
    for upper, lower in zip(lines[::2], lines[1::2], strict=True):
        pairs = [(tuple(above), tuple(below)) for above, below in zip(upper, lower, strict=True)]
        segments += [Segment("▀" * len(list(run)), _pixel_style(*pair)) for pair, run in groupby(pairs)]
        segments.append(Segment.line())
    return segments


@cache
def _tile_style(rgb: Rgb) -> Style:
    """The glyph in the tile's colour over a shade of it."""
    lift = max(1.0, FAINTEST / max(1, *rgb))
    red, green, blue = (min(255, round(part * lift)) for part in rgb)
    return Style(color=Color.from_rgb(red, green, blue), bgcolor=Color.from_rgb(*(part * SHADE for part in rgb)))


@cache
def _pixel_style(above: Rgb, below: Rgb) -> Style:
    return Style(color=Color.from_rgb(*above), bgcolor=Color.from_rgb(*below))


_MARKER = Style(color="black", bgcolor="bright_white", bold=True)
