"""Pictures of a search over seeds: histograms of all measures, and the maps of the best seeds."""

from __future__ import annotations

from math import ceil, log1p

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ...batch import bin_width
from ...core.errors import pluralize
from ...core.measure_groups import format_measure, format_short
from ...core.require import Requirement
from ...corpus._charts import (
    FIRST,
    INK,
    LARGE,
    MUTED,
    SECOND,
    SMALL,
    Box,
    Canvas,
    Color,
    as_shares,
    text_width,
    ticks,
)
from ...corpus.distributions import Distribution
from ..contact_sheet import draw_contact_sheet
from .result import FoundSeeds

WIDTH, EDGE, GAP = 1280, 24, 16
PANELS_PER_ROW, PANEL_HEIGHT = 2, 280
BINS = 60
MAX_MAPS = 30
"""Maximum number of maps in the picture of the best seeds."""


def draw_found_maps(found: FoundSeeds, *, count: int = MAX_MAPS) -> Image.Image:
    """Draw the maps of the first seeds with their values."""
    rows = found.rows()[:count]
    maps = [map for _, map in zip(rows, found.maps(), strict=False)]
    extreme = found.definition.extreme
    shown = [extreme.measure] if extreme is not None else []
    captions = [
        ", ".join([str(row["seed"]), *(f"{name} {format_measure(name, row[name])}" for name in shown)]) for row in rows
    ]
    return draw_contact_sheet(maps, captions, width=WIDTH)


def draw_histograms(found: FoundSeeds) -> Image.Image:
    """Draw a histogram of each measure: which values are typical, which are rare, and which meet a requirement."""
    names = list(found.histograms)
    columns = min(PANELS_PER_ROW, len(names))
    rows = ceil(len(names) / columns)
    width = (WIDTH - 2 * EDGE - (PANELS_PER_ROW - 1) * GAP) // PANELS_PER_ROW
    canvas = Canvas(2 * EDGE + columns * (width + GAP) - GAP, 2 * EDGE + rows * (PANEL_HEIGHT + GAP) - GAP)
    required = {one.measure: one for one in found.definition.requirements}
    for number, name in enumerate(names):
        row, column = divmod(number, columns)
        left, top = EDGE + column * (width + GAP), EDGE + row * (PANEL_HEIGHT + GAP)
        box = Box(left, top, left + width, top + PANEL_HEIGHT)
        _draw_panel(canvas, box, found, name, required.get(name))
    return canvas.picture


def _draw_panel(canvas: Canvas, box: Box, found: FoundSeeds, name: str, one: Requirement | None) -> None:
    spread, scope = found.histograms[name], found.find_scope(name)
    canvas.draw_panel(box)
    canvas.draw_text((box.left + 16, box.top + 14), name, LARGE, INK)
    if one is not None:
        text = one.rule if one.is_extreme else str(one).removeprefix(name).strip()
        canvas.draw_text((box.left + 24 + text_width(name, LARGE), box.top + 14), text, LARGE, SECOND)
    among = pluralize(spread.count, "seed") + (f" with {', '.join(map(str, scope))}" if scope else "")
    canvas.draw_text((box.right - 16, box.top + 18), among, SMALL, MUTED, "ra", max_width=box.width // 2)
    quartiles = [spread.quantile(part) for part in (0.25, 0.5, 0.75)]
    facts = (
        f"lowest {format_short(spread.low)}    quartiles {format_short(quartiles[0])} to {format_short(quartiles[2])}"
        f"    median {format_short(quartiles[1])}    highest {format_short(spread.high)}"
    )
    canvas.draw_text((box.left + 16, box.top + 42), facts, SMALL, MUTED)
    if spread.count:
        _draw_bars(canvas, box.shrink(16, 72, 16, 40), spread, quartiles, one)


def _draw_bars(
    canvas: Canvas, chart: Box, spread: Distribution, quartiles: list[float], one: Requirement | None
) -> None:
    """Draw the bars of a histogram with its axis, the median and the quartiles."""
    edges = _find_edges(spread)
    counts = spread.count_in_bins(edges)
    if len(counts) < 8:  # A few values are in the middle of the axis.
        margin = chart.width * (8 - len(counts)) // 16
        chart = chart.shrink(margin, 0, margin, 0)
    logarithms = np.array([log1p(count) for count in counts.tolist()])
    marks = _find_required(edges, spread, one)
    places = np.round(chart.left + (edges - edges[0]) / (edges[-1] - edges[0]) * chart.width).astype(int).tolist()
    for heights, is_pale in ((as_shares(logarithms), True), (as_shares(counts), False)):  # type: ignore[arg-type]
        for number, height in enumerate(heights.tolist()):
            if height > 0:
                left, right = places[number], max(places[number], places[number + 1] - 2)
                top = min(chart.bottom - 2, round(chart.bottom - height * chart.height))
                color = SECOND if marks[number] else FIRST
                canvas.pen.rectangle((left, top, right, chart.bottom - 1), _blend(color) if is_pale else color)
    low, high = float(edges[0]), float(edges[-1])

    def x_of(value: float) -> int:
        center = value + bin_width(spread.name) / 2 if low <= value < high else value
        return round(chart.left + (center - low) / (high - low) * (chart.width - 1))

    canvas.pen.line((x_of(quartiles[1]), chart.top - 2, x_of(quartiles[1]), chart.bottom - 1), fill=INK, width=1)
    canvas.pen.rectangle((x_of(quartiles[0]), chart.bottom + 1, x_of(quartiles[2]), chart.bottom + 4), fill=INK)
    axis = chart.shrink(0, 0, 0, -5)
    shift = 0.5 if bin_width(spread.name) == 1 else 0.0
    numbers = [number for number in ticks(low - shift, high - shift, max(2, chart.width // 70)) if low <= number + shift]
    canvas.draw_bottom_axis(axis, low - shift, high - shift, numbers)


def _find_edges(spread: Distribution) -> NDArray[np.float64]:
    """Return the edges of at most `BINS` bars, each of which has the same number of bins of the histogram."""
    width = bin_width(spread.name)
    first, last = round(spread.low / width), round(spread.high / width)
    bins_per_bar = ceil((last - first + 1) / BINS)
    bars = ceil((last - first + 1) / bins_per_bar)
    # Half a bin before the values, so that no value is on an edge.
    return (first + bins_per_bar * np.arange(bars + 1) - 0.5) * width


def _find_required(edges: NDArray[np.float64], spread: Distribution, one: Requirement | None) -> list[bool]:
    """Return for each bar whether one of its values meets the requirement."""
    if one is None or one.is_extreme:
        return [False] * (len(edges) - 1)
    holds = np.array([one.holds(value) for value in spread.values.tolist()])
    bars = np.searchsorted(edges, spread.values, side="right") - 1
    return [bool(holds[bars == bar].any()) for bar in range(len(edges) - 1)]


def _blend(color: Color) -> Color:
    """Return a pale color."""
    red, green, blue = (255 - (255 - channel) * 3 // 10 for channel in color)
    return red, green, blue
