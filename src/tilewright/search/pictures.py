"""Pictures of an archive: the best elites by two of its axes, as a heatmap or as a sheet of maps.

All lengths are given for 96 dots per inch and multiplied by a factor, so that text stays sharp in print.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil, floor, isfinite
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ..core.errors import InvalidRecipe, UnknownName, pluralize
from ..core.measure_groups import format_short
from ..core.params import check_integer
from ..core.pipeline import run
from ..core.registry import measures as measure_registry
from ..core.tilemap import TileMap
from ..pictures.charts import INK, MUTED, PANEL, Box, Canvas, Color, Scale, blend_colors
from ..pictures.sheets import draw_thumbnail, map_width
from .axes import MeasureAxis
from .evaluation import find_tileset

if TYPE_CHECKING:
    from .archive import Archive

NO_ELITE = -1


@dataclass(frozen=True)
class Projection:
    """Rows of the best elites by bins of one or two axes."""

    x: MeasureAxis
    y: MeasureAxis | None
    """Vertical axis; None for an archive with one axis."""
    rows: NDArray[np.int64]
    """Array (y, x) of rows of the archive, -1 for empty cells. Without a vertical axis, there is one row."""
    merged: tuple[int, int] = (1, 1)
    """Number of adjacent bins along x and y that one entry contains."""

    @property
    def filled(self) -> NDArray[np.bool_]:
        """Array (y, x) of whether there is an elite."""
        return np.not_equal(self.rows, NO_ELITE)

    def take(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the values of the elites, given those of all rows, as an array (y, x); NaN for empty cells."""
        found = np.full(self.rows.shape, np.nan)
        found[self.filled] = values[self.rows[self.filled]]
        return found


def project(
    archive: Archive, x: str | None = None, y: str | None = None, *, max_bins: tuple[int, int] | None = None
) -> Projection:
    """Return the best elites of an archive by two of its axes.

    Parameters
    ----------
    archive : Archive
        The archive.
    x, y : str, optional
        Measures of the horizontal and the vertical axis. By default, the first axes of the archive. Of several elites
        that differ only in other axes, the best is taken.
    max_bins : (int, int), optional
        Maximum number of entries along x and y. If there are more bins, adjacent bins are merged.

    Returns
    -------
    Projection

    Raises
    ------
    InvalidRecipe
        If both axes are the same, or the archive has one axis only.
    UnknownName
        If the archive has no such axis.
    """
    axes = archive.definition.axes
    names = [axis.measure for axis in axes]
    for name in (x, y):
        if name is not None and name not in names:
            raise UnknownName("axis of the archive", name, names)
    if y is not None and (len(names) < 2 or x == y):
        text = "must be another axis than x" if len(names) > 1 else "must be left out; the archive has one axis"
        raise InvalidRecipe(text, at="y", got=y, rule="conflict")
    first = next(at for at, name in enumerate(names) if name == x or (x is None and name != y))
    second = next((at for at, name in enumerate(names) if name == y or (y is None and at != first)), None)
    horizontal, vertical = axes[first], None if second is None else axes[second]
    limits = max_bins or (horizontal.bins, 1 if vertical is None else vertical.bins)
    merged = (
        -(-horizontal.bins // max(1, limits[0])),
        1 if vertical is None else -(-vertical.bins // max(1, limits[1])),
    )
    bins = np.unravel_index(archive.rows.cell[: len(archive)], archive.shape)
    columns = bins[first] // merged[0]
    lines = np.zeros_like(columns) if second is None else bins[second] // merged[1]
    size = (1 if vertical is None else -(-vertical.bins // merged[1]), -(-horizontal.bins // merged[0]))
    places = lines * size[1] + columns
    order = np.lexsort((archive.rows.number[: len(archive)], -archive.rows.objective[: len(archive)], places))
    filled, best = np.unique(places[order], return_index=True)
    rows = np.full(size[0] * size[1], NO_ELITE)
    rows[filled] = order[best]
    return Projection(horizontal, vertical, rows.reshape(size), merged)


def list_values(archive: Archive, name: str | None = None) -> NDArray[np.float64]:
    """Return a number of each elite by row: its objective, a measure, or a gene that is a number."""
    count = len(archive)
    if name is None:
        return archive.rows.objective[:count]
    measures, genome = archive.definition.measures, archive.definition.genome
    if name in measures:
        return archive.rows.measures[:count, measures.index(name)]
    values = genome.decode(archive.rows.units[:count])
    numeric = [
        at
        for at, gene in enumerate(genome.genes)
        if all(isinstance(value, (int, float)) for value in gene.ends()) and gene.path != "seed"
    ]
    at = next((at for at in numeric if genome.names[at] == name), None)
    if at is None:
        known = [*measures, *(genome.names[at] for at in numeric)]
        raise UnknownName("measure or numeric gene of the archive", name, known)
    return np.array([float(genes[at]) for genes in values])


SCREEN_DPI = 96
PALETTE: tuple[Color, ...] = (
    (30, 31, 79), (54, 45, 116), (82, 58, 154), (142, 66, 159), (199, 76, 142), (234, 109, 108), (248, 154, 86),
    (253, 197, 101), (250, 239, 141),
)  # fmt: skip
"""Colors from low to high values: our own, with steps of equal lightness in the OKLab color space."""
EMPTY_CELL: Color = (236, 234, 229)
SMALL, NORMAL, LARGE, TITLE = 11, 12, 14, 21
LEFT, TOP, RIGHT, BOTTOM = 76, 98, 118, 60
"""Margins around the cells."""
X_SPACING, Y_SPACING = 62, 34
"""Minimum distances between the values of an axis."""


# -- the frame ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ColorScale(Scale):
    """Colors of numbers between two limits."""

    label: str = ""

    @classmethod
    def of(cls, label: str, values: NDArray[np.float64], limits: tuple[float, float] | None = None) -> ColorScale:
        """Return a scale for values, from the lowest to the highest or between given limits."""
        known = values[np.isfinite(values)]
        low, high = limits or ((float(known.min()), float(known.max())) if len(known) else (0.0, 1.0))
        return cls(low, high, label=label)

    def colors(self, values: NDArray[np.float64]) -> NDArray[np.uint8]:
        """Return the colors of values, as an array (..., 3). Values beyond the limits have the color of the limit."""
        return blend_colors(PALETTE, np.clip(np.nan_to_num(self.locate(values)), 0.0, 1.0))


class Plot(Canvas):
    """A picture with a title, axes and a color scale around an area of cells."""

    def __init__(self, width: int, height: int, unit: float) -> None:
        left, top, right, bottom = (round(length * unit) for length in (LEFT, TOP, RIGHT, BOTTOM))
        super().__init__(left + width + right, top + height + bottom, unit)
        self.area = Box(left, top, left + width, top + height)

    def draw_title(self, title: str, subtitle: str) -> None:
        x, width = self.pixels(24), self.picture.width - 2 * self.pixels(24)
        self.draw_text((x, self.pixels(16)), title, TITLE, max_width=width)
        self.draw_text((x, self.pixels(47)), subtitle, NORMAL, MUTED, max_width=width)

    # -- axes -----------------------------------------------------------------------------------------------------

    def draw_x_axis(self, axis: MeasureAxis, merged: int = 1) -> None:
        """Draw values and the name of an axis below the area, and numbers of bins above it."""
        area, bin_top = self.area, self.area.top - self.pixels(8)
        self.draw_ticks(area, "bottom", scale_of(axis), X_SPACING, size=SMALL)
        for place, number in _list_bins(axis, merged, area.width / self.unit, 26):
            self.draw_text((round(area.left + place * area.width), bin_top), str(number), SMALL, MUTED, "mb")
        self.draw_text((area.left - self.pixels(8), bin_top), "bin", SMALL, MUTED, "rb")
        middle = ((area.left + area.right) / 2, area.bottom + self.pixels(29))
        self.draw_text(middle, axis_label(axis), LARGE, INK, "ma")

    def draw_y_axis(self, axis: MeasureAxis, merged: int = 1) -> None:
        """Draw values and the name of an axis left of the area, and numbers of bins right of it."""
        area, bin_left = self.area, self.area.right + self.pixels(6)
        self.draw_values(scale_of(axis), axis_label(axis))
        for place, number in _list_bins(axis, merged, area.height / self.unit, 18):
            self.draw_text((bin_left, round(area.bottom - place * area.height)), str(number), SMALL, MUTED, "lm")

    def draw_values(self, scale: Scale, label: str) -> None:
        """Draw the values of a scale and its name left of the area."""
        self.draw_ticks(self.area, "left", scale, Y_SPACING, size=SMALL)
        self.draw_vertical_text((self.pixels(24), (self.area.top + self.area.bottom) // 2), label, LARGE)

    def draw_color_scale(self, scale: ColorScale) -> None:
        """Draw the colors of values right of the area, with numbers."""
        height = min(self.area.height, self.pixels(300))
        left = self.area.right + self.pixels(36)
        bar = Box(left, self.area.bottom - height, left + self.pixels(13), self.area.bottom)
        room = self.draw_color_bar(bar, scale, PALETTE, SMALL)
        x = min(bar.right + self.pixels(20) + ceil(room), self.picture.width - self.pixels(12))
        self.draw_vertical_text((x, (bar.top + bar.bottom) // 2), scale.label, NORMAL)


# -- labels -------------------------------------------------------------------------------------------------------


def axis_label(axis: MeasureAxis) -> str:
    """Return the name of an axis with its unit, and whether it is logarithmic."""
    unit = measure_registry.get(axis.measure).unit
    notes = [note for note in (unit, "log scale" if axis.is_log else "") if note and note != axis.measure]
    return f"{axis.measure} ({', '.join(notes)})" if notes else axis.measure


def scale_of(axis: MeasureAxis) -> Scale:
    return Scale(float(axis.edges[0]), float(axis.edges[-1]), "log" if axis.is_log else "linear")


def _list_bins(axis: MeasureAxis, merged: int, length: float, min_distance: float) -> list[tuple[float, int]]:
    """Return the places, from 0 to 1, and numbers of some bins."""
    count = -(-axis.bins // merged)
    max_labels = max(1, floor(length / min_distance))
    step = next(step for step in (1, 2, 5, 10, 20, 25, 50, 100, 250, 500, 1000, count) if count / step <= max_labels)
    return [((at + 0.5) / count, at * merged) for at in range(0, count, step)]


def describe_archive(archive: Archive, projection: Projection) -> str:
    """Return a line about an archive: its size, its scores and what is not shown."""
    shown = {projection.x.measure, projection.y.measure if projection.y else ""}
    hidden = [axis.measure for axis in archive.definition.axes if axis.measure not in shown]
    facts = [
        archive.definition.recipe.title,
        pluralize(len(archive), "style" if archive.definition.repeats else "map"),
        f"{archive.coverage:.0%} of {archive.row_of_cell.size:,} cells",
        f"QD score {format_score(archive.qd_score)}",
        pluralize(archive.evaluations, "evaluation"),
        f"seed {archive.definition.seed}",
        f"best over {', '.join(hidden)}" if hidden else "",
    ]
    return " · ".join(fact for fact in facts if fact)


def format_score(number: float) -> str:
    """Return a score as a short number."""
    return format_short(number) if not isfinite(number) or abs(number) < 100 else f"{number:,.0f}"


# -- heatmaps -------------------------------------------------------------------------------------------------


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


# -- sheets of maps -------------------------------------------------------------------------------------------


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
