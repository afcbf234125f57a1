"""A map in the terminal: coloured glyphs, or half-block pixels where it is too large; plain text in a pipe."""

from __future__ import annotations

from colorsys import rgb_to_hsv
from functools import cache
from itertools import groupby, zip_longest
from typing import Literal

import click
import numpy as np
from numpy.typing import NDArray
from rich.color import Color
from rich.segment import Segment, Segments
from rich.style import Style

from ..core.tilemap import TileMap
from ._console import note, results

Rgb = tuple[int, int, int]
Look = Literal["glyphs", "blocks", "plain"]
SHADE = 0.42
"""How bright a cell's ground is beside its glyph."""
FAINTEST = 130
"""Glyphs of dark tiles are lifted to this brightness: a dark wall must still be seen on a dark terminal."""
HUES = ((20, "red"), (65, "yellow"), (165, "green"), (200, "cyan"), (265, "blue"), (345, "magenta"), (360, "red"))
"""The colours of a terminal that has but sixteen, each with the hue, in degrees, where it ends."""

OPTIONS = (
    click.Option(
        ["look", "--glyphs"], flag_value="glyphs", help="Draw every cell as its glyph, however large the map."
    ),
    click.Option(["look", "--blocks"], flag_value="blocks", help="Draw a small picture, two cells in a character."),
    click.Option(["look", "--plain"], flag_value="plain", help="Draw without colours, every cell as its glyph."),
)


def draw(map: TileMap, caption: str, *, look: Look | None = None) -> None:
    """Draw a map on standard output, and below it, on standard error, one line about it."""
    console = results()
    columns = min(map.width, console.width)
    if look == "plain" or not console.is_terminal:
        click.echo(str(map))
    elif console.color_system is None or console.no_color:
        shown = map.width if look == "glyphs" else columns
        click.echo("\n".join(line[:shown] for line in str(map).split("\n")))
        caption += "" if shown == map.width else f", the first {shown} columns; --plain shows all"
    else:
        few = console.color_system in ("standard", "windows")
        large = map.width > console.width or map.height > console.height
        blocks = look == "blocks" or (look is None and large)
        for level, cells in enumerate(map.cells if map.cells.ndim == 3 else map.cells[None]):
            if level:
                console.print()
            segments = _pixels(map, cells, columns, few=few) if blocks else _glyphs(map, cells, level, few=few)
            console.print(Segments(segments), end="", crop=False)
        if blocks and look is None:
            caption += f", drawn {columns} wide; --glyphs shows every cell"
    note(caption)


def describe(map: TileMap) -> str:
    """`caves 80x50, seed 7`, and which try it was if several were needed."""
    size = "x".join(str(side) for side in reversed(map.shape))
    if map.recipe is None:
        return f"{size} of {map.tileset.name}"
    tried = f", try {map.recipe.attempt + 1}" if map.recipe.attempt else ""
    return f"{map.recipe.technique} {size}, seed {map.recipe.seed}{tried}"


def _glyphs(map: TileMap, cells: NDArray[np.integer], level: int, *, few: bool) -> list[Segment]:
    """A segment per run of equal cells; markers show as the first letter of their name."""
    looks = [(tile.glyph, _tile_style(tile.rgb, few)) for tile in map.tileset]
    marked = {
        (marker.y, marker.x): (marker.name[:1].upper(), _MARKER) for marker in map.markers if marker.level == level
    }
    segments = []
    for row, ids in enumerate(cells.tolist()):
        line = [marked.get((row, column), looks[number]) for column, number in enumerate(ids)]
        segments += [Segment(glyph * len(list(run)), style) for (glyph, style), run in groupby(line)]
        segments.append(Segment.line())
    return segments


def _pixels(map: TileMap, cells: NDArray[np.integer], columns: int, *, few: bool) -> list[Segment]:
    """The map shrunk to so many columns, two pixels above each other in a character."""
    height, width = cells.shape
    rows = max(1, round(height * columns / width))
    left = np.arange(columns) * width // columns
    top = np.arange(rows + 1) * height // rows
    colors = map.tileset.colors.astype(np.float64)
    counts = np.diff(np.append(left, width))[:, None]
    lines = []
    for first, last in zip(top[:-1].tolist(), top[1:].tolist(), strict=True):
        band = colors[cells[first : max(last, first + 1)]].mean(axis=0)  # a band at a time: large maps stay cheap
        pixels = (np.add.reduceat(band, left, axis=0) / counts).round().astype(int).tolist()
        lines.append([(red, green, blue) for red, green, blue in pixels])
    segments = []
    alone: list[Rgb | None] = [None] * columns  # below the last of an odd number of rows
    for upper, lower in zip_longest(lines[::2], lines[1::2], fillvalue=alone):
        pairs = zip(upper, lower, strict=True)
        segments += [Segment("▀" * len(list(run)), _pixel_style(*pair, few)) for pair, run in groupby(pairs)]
        segments.append(Segment.line())
    return segments


@cache
def _tile_style(rgb: Rgb, few: bool) -> Style:
    """The glyph in the tile's colour over a shade of it; of few colours both would often be the same one."""
    if few:
        return Style(color=_ansi(rgb))
    lift = max(1.0, FAINTEST / max(1, *rgb))
    red, green, blue = (min(255, round(part * lift)) for part in rgb)
    return Style(color=Color.from_rgb(red, green, blue), bgcolor=Color.from_rgb(*(part * SHADE for part in rgb)))


@cache
def _pixel_style(above: Rgb, below: Rgb | None, few: bool) -> Style:
    upper, lower = (rgb and (_ansi(rgb) if few else Color.from_rgb(*rgb)) for rgb in (above, below))
    return Style(color=upper, bgcolor=lower)


def _ansi(rgb: Rgb) -> str:
    """The nearest of sixteen colours by hue, not by distance, so that water stays blue; never black."""
    hue, saturation, value = rgb_to_hsv(*(part / 255 for part in rgb))
    if saturation < 0.3:
        return "bright_black" if value < 0.45 else "white" if value < 0.8 else "bright_white"
    name = next(name for end, name in HUES if hue * 360 <= end)
    return name if value < 0.6 else f"bright_{name}"


_MARKER = Style(color="black", bgcolor="bright_white", bold=True)
