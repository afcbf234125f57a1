"""Maps in the terminal: colored glyphs, half-block pixels for large maps, plain text in a pipe."""

from __future__ import annotations

from functools import lru_cache
from itertools import groupby, zip_longest
from typing import TYPE_CHECKING, Literal

import click
import numpy as np
from numpy.typing import NDArray
from rich.color import Color
from rich.segment import Segment, Segments
from rich.style import Style

from ..core.errors import InvalidRecipe, UnknownName, errors_within
from ..core.tilemap import TileMap
from ._console import info, stderr_console, stdout_console
from ._letters import Rgb, assign_letters, draw_legend, list_places, nearest_ansi

if TYPE_CHECKING:
    from ..overlays.kinds import OverlayRequest
    from ..overlays.overlay import Overlay

DrawMode = Literal["glyphs", "blocks", "plain"]
Marks = dict[tuple[int, int], tuple[str, Style]]
"""Letters and styles of the markers of a level, by row and column."""
SHADE = 0.42
"""Brightness of a cell's background relative to its glyph."""
LINE = (255, 244, 214)
MIN_BRIGHTNESS = 130
"""Minimum brightness of glyphs, so that dark tiles are visible on a dark terminal."""

OPTIONS = (
    click.Option(["look", "--glyphs"], flag_value="glyphs", help="Draw each cell as its glyph, for maps of any size."),
    click.Option(["look", "--blocks"], flag_value="blocks", help="Draw a small picture, two cells per character."),
    click.Option(["look", "--plain"], flag_value="plain", help="Draw each cell as its glyph, without colors."),
)


def read_overlay(text: str | None) -> OverlayRequest | None:
    """Parse and validate an overlay given on the command line."""
    if text is None:
        return None
    from ..overlays.kinds import OverlayRequest  # This imports kernels.

    with errors_within("overlay", kind=(InvalidRecipe, UnknownName), into=InvalidRecipe):
        return OverlayRequest.parse(text)


def draw(map: TileMap, caption: str, *, look: DrawMode | None = None, overlay: OverlayRequest | None = None) -> None:
    """Draw a map on standard output, then a caption and the legends of markers and overlay on standard error.

    Only drawings with colors have letters of markers and an overlay; in others, each character is a tile.
    """
    console = stdout_console()
    computed = None if overlay is None else overlay.compute(map)
    colored = False
    columns = min(map.width, console.width)
    if look == "plain" or not console.is_terminal:
        click.echo(str(map))
    elif console.color_system is None or console.no_color:
        shown = map.width if look == "glyphs" else columns
        click.echo("\n".join(line[:shown] for line in str(map).split("\n")))
        caption += "" if shown == map.width else f", only {shown} columns shown; --plain shows all"
    else:
        few_colors, colored = console.color_system in ("standard", "windows"), True
        letters = assign_letters(map)
        colors = None if computed is None else _blend_overlay(map, computed)
        large = map.width > console.width or map.height > console.height
        blocks = look == "blocks" or (look is None and large)
        for level, cells in enumerate(map.cells if map.cells.ndim == 3 else map.cells[None]):
            if level:
                console.print()
            ground = None if colors is None else colors[level]
            marks = {
                (marker.y, marker.x): (letters[marker.name].glyph, letters[marker.name].style(few_colors))
                for marker in reversed(map.markers)  # The first marker of a cell is shown.
                if marker.level == level
            }
            if blocks:
                segments = _pixel_segments(map, cells, ground, marks, columns, few_colors=few_colors)
            else:
                segments = _glyph_segments(map, cells, ground, marks, few_colors=few_colors)
            console.print(Segments(segments), end="", crop=False)
        if blocks and look is None:
            caption += f", reduced to {columns} columns; --glyphs shows each cell"
    info(caption)
    if map.markers and colored:
        stderr_console().print(draw_legend(map.markers, letters, few_colors=few_colors))
    elif map.markers:
        info(list_places(map))
    if computed is not None:
        info(computed.legend + ("" if colored else "; an overlay needs a terminal with colors, or a .png file"))


def describe(map: TileMap) -> str:
    """Return a caption such as `caves 80x50, seed 7`.

    The caption contains the number of the try if it is not the first, and the divergence if the technique reports it.
    """
    size = "x".join(str(side) for side in reversed(map.shape))
    if map.recipe is None:
        return f"{size} of {map.tileset.name}"
    tried = f", try {map.recipe.attempt + 1}" if map.recipe.attempt else ""
    divergence = f", divergence {map.numbers['divergence']:.2f}" if "divergence" in map.numbers else ""
    return f"{map.recipe.title} {size}, seed {map.recipe.seed}{tried}{divergence}"


def _blend_overlay(map: TileMap, overlay: Overlay) -> NDArray[np.uint8]:
    """Return the colors of a map's cells with its overlay, including lines, as an array (level, row, column, 3)."""
    colors = overlay.blend(map.tileset.colors[map.cells])
    for (x, y), (end_x, end_y) in overlay.lines:  # Only 2D maps have lines.
        points = np.linspace((y, x), (end_y, end_x), int(max(abs(end_x - x), abs(end_y - y))) + 2)
        rows, columns = points.round().astype(int).T
        colors[rows, columns] = LINE
    return colors.reshape(-1, map.height, map.width, 3)


def _glyph_segments(
    map: TileMap, cells: NDArray[np.integer], ground: NDArray[np.uint8] | None, marks: Marks, *, few_colors: bool
) -> list[Segment]:
    """Return a segment for each run of equal cells, on background colors if given."""
    styles = [(tile.glyph, _tile_style(tile.rgb, few_colors)) for tile in map.tileset]
    segments = []
    for row, ids in enumerate(cells.tolist()):
        line = [styles[tile_id] for tile_id in ids]
        if ground is not None:
            colors = [(red, green, blue) for red, green, blue in ground[row].tolist()]
            line = [(glyph, _ground_style(rgb, few_colors)) for (glyph, _), rgb in zip(line, colors, strict=True)]
        line = [marks.get((row, column), drawn) for column, drawn in enumerate(line)]
        segments += [Segment(glyph * len(list(run)), style) for (glyph, style), run in groupby(line)]
        segments.append(Segment.line())
    return segments


def _pixel_segments(
    map: TileMap,
    cells: NDArray[np.integer],
    ground: NDArray[np.uint8] | None,
    marks: Marks,
    columns: int,
    *,
    few_colors: bool,
) -> list[Segment]:
    """Return the map reduced to a number of columns, two pixels per character."""
    height, width = cells.shape
    rows = max(1, round(height * columns / width))
    left = np.arange(columns) * width // columns
    top = np.arange(rows + 1) * height // rows
    counts = np.diff(np.append(left, width))[:, None]
    lines = []
    for first, last in zip(top[:-1].tolist(), top[1:].tolist(), strict=True):
        part = slice(first, max(last, first + 1))
        # One band of rows at a time, to save memory on large maps.
        band = (map.tileset.colors[cells[part]] if ground is None else ground[part]).mean(axis=0)
        pixels = (np.add.reduceat(band, left, axis=0) / counts).round().astype(int).tolist()
        lines.append([(red, green, blue) for red, green, blue in pixels])
    bands, spans = np.searchsorted(top, range(height), "right") - 1, np.searchsorted(left, range(width), "right") - 1
    reduced = {(int(bands[row]) // 2, int(spans[column])): mark for (row, column), mark in marks.items()}
    segments = []
    blank: list[Rgb | None] = [None] * columns  # If the number of rows is odd, a row is added below the last.
    for row, (upper, lower) in enumerate(zip_longest(lines[::2], lines[1::2], fillvalue=blank)):
        pairs = zip(upper, lower, strict=True)
        line = [
            reduced.get((row, column)) or ("▀", _pixel_style(*pair, few_colors)) for column, pair in enumerate(pairs)
        ]
        segments += [Segment(glyph * len(list(run)), style) for (glyph, style), run in groupby(line)]
        segments.append(Segment.line())
    return segments


@lru_cache(maxsize=4096)
def _tile_style(rgb: Rgb, few_colors: bool) -> Style:
    """Return a style with the glyph in the tile's color on a darker shade. With few colors, there is no background."""
    if few_colors:
        return Style(color=nearest_ansi(rgb))
    lift = max(1.0, MIN_BRIGHTNESS / max(1, *rgb))
    red, green, blue = (min(255, round(part * lift)) for part in rgb)
    return Style(color=Color.from_rgb(red, green, blue), bgcolor=Color.from_rgb(*(part * SHADE for part in rgb)))


@lru_cache(maxsize=4096)
def _ground_style(rgb: Rgb, few_colors: bool) -> Style:
    """Return a style with a glyph darker than its background, or lighter on a dark background."""
    if few_colors:
        return Style(color="black", bgcolor=nearest_ansi(rgb))
    bright = (299 * rgb[0] + 587 * rgb[1] + 114 * rgb[2]) / 1000 > 100
    red, green, blue = (round(part * 0.5) if bright else min(255, part + 70) for part in rgb)
    return Style(color=Color.from_rgb(red, green, blue), bgcolor=Color.from_rgb(*rgb))


@lru_cache(maxsize=4096)
def _pixel_style(above: Rgb, below: Rgb | None, few_colors: bool) -> Style:
    upper, lower = (rgb and (nearest_ansi(rgb) if few_colors else Color.from_rgb(*rgb)) for rgb in (above, below))
    return Style(color=upper, bgcolor=lower)
