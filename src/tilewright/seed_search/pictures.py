"""Pictures of a search over seeds: histograms of all measures, and the maps of the best seeds."""

from __future__ import annotations

from math import log1p

import numpy as np
from PIL import Image

from ..batch import bin_width
from ..core.measure_groups import format_measure, format_short
from ..core.require import Requirement
from ..pictures.charts import (
    FIRST,
    INK,
    LARGE,
    MUTED,
    SECOND,
    SMALL,
    Box,
    Canvas,
    Color,
    Panels,
    Scale,
    as_shares,
    text_width,
    ticks,
)
from ..pictures.sheets import draw_contact_sheet
from .report import describe_scope
from .result import FoundSeeds, HistogramBars

WIDTH, EDGE, GAP = 1280, 24, 16
PANELS_PER_ROW, PANEL_HEIGHT = 2, 280
MIN_BARS, MAX_BARS = 8, 60


def draw_found_maps(found: FoundSeeds, *, count: int, columns: int | None, width: int) -> Image.Image:
    """Draw the maps of the first seeds with their values."""
    rows = found.rows()[:count]
    maps = [map for _, map in zip(rows, found.maps(), strict=False)]
    extreme = found.definition.extreme
    shown = [extreme.measure] if extreme is not None else []
    captions = [
        ": ".join([f"seed {row['seed']}", *(f"{name} {format_measure(name, row[name])}" for name in shown)])
        for row in rows
    ]
    return draw_contact_sheet(maps, captions, columns=columns, width=width)


def draw_histograms(found: FoundSeeds) -> Image.Image:
    """Draw a histogram of each measure: which values are typical, which are rare, and which meet a requirement."""
    names = list(found.histograms)
    columns = min(PANELS_PER_ROW, len(names))
    panels = Panels.within(WIDTH - 2 * EDGE, PANELS_PER_ROW, PANEL_HEIGHT, GAP, EDGE, EDGE)
    rows = panels.count_rows(len(names))
    canvas = Canvas(2 * EDGE + columns * (panels.width + GAP) - GAP, 2 * EDGE + rows * (PANEL_HEIGHT + GAP) - GAP)
    required = {one.measure: one for one in found.definition.requirements}
    for number, name in enumerate(names):
        _draw_panel(canvas, panels.box(number), found, name, required.get(name))
    return canvas.picture


def _draw_panel(canvas: Canvas, box: Box, found: FoundSeeds, name: str, one: Requirement | None) -> None:
    spread = found.histograms[name]
    canvas.draw_panel(box)
    canvas.draw_text((box.left + 16, box.top + 14), name, LARGE, INK)
    if one is not None:
        text = one.rule if one.is_extreme else f"{str(one).removeprefix(name).strip()}: {found.rarity[str(one)]}"
        canvas.draw_text((box.left + 24 + text_width(name, LARGE), box.top + 14), text, LARGE, SECOND)
    among = describe_scope(found, name, spread.count)
    canvas.draw_text((box.right - 16, box.top + 18), among, SMALL, MUTED, "ra", max_width=box.width // 2)
    if not spread.count:
        canvas.draw_text((box.left + 16, box.top + 42), "does not apply to these maps", SMALL, MUTED)
        return
    quartiles = [spread.quantile(part) for part in (0.25, 0.5, 0.75)]
    facts = (
        f"lowest {format_short(spread.low)}    quartiles {format_short(quartiles[0])} to {format_short(quartiles[2])}"
        f"    median {format_short(quartiles[1])}    highest {format_short(spread.high)}"
    )
    canvas.draw_text((box.left + 16, box.top + 42), facts, SMALL, MUTED)
    is_extreme = one is not None and one.is_extreme
    kept = np.unique(found.values[name]).tolist() if is_extreme else []
    bars = HistogramBars.of(spread, one, MAX_BARS)
    _draw_bars(canvas, box.shrink(16, 76, 16, 40), bars, spread.name, quartiles, kept)


def _draw_bars(
    canvas: Canvas, chart: Box, bars: HistogramBars, measure: str, quartiles: list[float], kept: list[float]
) -> None:
    """Draw the bars of a histogram with its axis, the median and the quartiles.

    Bars that meet a requirement are orange, and the values in `kept` have an orange tick above the bars.
    """
    counts, count = bars.counts, len(bars.counts)
    if count < MIN_BARS:  # A few bars are in the middle of the axis.
        margin = chart.width * (MIN_BARS - count) // (2 * MIN_BARS)
        chart = chart.shrink(margin, 0, margin, 0)
    edges, colors = np.linspace(0, 1, count + 1), [SECOND if meets else FIRST for meets in bars.meets.tolist()]
    logarithms = np.array([log1p(number) for number in counts.tolist()])
    canvas.draw_bars(chart, logarithms / logarithms.max(), edges, [_blend(color) for color in colors])
    canvas.draw_bars(chart, as_shares(counts), edges, colors)
    width, low, high = bin_width(measure), bars.low, bars.high

    def x_of(value: float) -> int:
        center = value if width == 1 else value + width / 2
        return round(chart.left + (center - low) / (high - low) * (chart.width - 1))

    canvas.pen.line((x_of(quartiles[1]), chart.top - 2, x_of(quartiles[1]), chart.bottom - 1), fill=INK, width=1)
    canvas.pen.rectangle((x_of(quartiles[0]), chart.bottom + 1, x_of(quartiles[2]), chart.bottom + 4), fill=INK)
    for value in kept:
        canvas.pen.line((x_of(value), chart.top - 11, x_of(value), chart.top - 5), fill=SECOND, width=1)
    numbers = [one for one in ticks(low, high, max(2, chart.width // 70)) if width < 1 or one == round(one)]
    canvas.draw_axis(chart.shrink(0, 0, 0, -5), "bottom", Scale(low, high), numbers)


def _blend(color: Color) -> Color:
    """Return a pale color."""
    red, green, blue = (255 - (255 - channel) * 3 // 10 for channel in color)
    return red, green, blue
