"""Pictures of reports: a corpus, the joint distribution of two measures, a comparison of two corpora."""

from __future__ import annotations

from math import ceil

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ..core.errors import pluralize
from ..core.measure_groups import format_short
from ..core.tilemap import TileMap
from ..pictures.charts import (
    FAINT,
    FIRST,
    HEAT,
    INK,
    LARGE,
    MUTED,
    NORMAL,
    SECOND,
    SMALL,
    TITLE,
    WARNING,
    Box,
    Canvas,
    Panels,
    Scale,
    as_shares,
    text_width,
    wrap_text,
)
from ..pictures.sheets import CAPTION, draw_cards, draw_thumbnail, total_width
from . import report
from .datasheet import Facts
from .distributions import Distribution, compute_bin_edges, compute_distributions, compute_joint
from .reader import Corpus

WIDTH, EDGE, GAP = 1280, 40, 16
INNER_WIDTH = WIDTH - 2 * EDGE
MAP_ROWS, MAP_COLUMNS = 3, range(5, 9)
MAX_SAMPLED_PARTS = 64
PANELS_PER_ROW, PANEL_HEIGHT = 3, 210
MAX_REASONS = 8


def draw_corpus_picture(corpus: Corpus) -> Image.Image:
    """Draw maps from all parts of the corpus, a histogram of each measure, and the reasons of failures."""
    facts = Facts.of(corpus)
    found = report.compute_histograms(corpus)
    columns = _count_columns(facts)
    shown = sample_ids(corpus, MAP_ROWS * columns)
    side = Panels.within(INNER_WIDTH, columns, 0, GAP).width
    maps = [draw_thumbnail(TileMap(corpus[number], corpus.tileset), side, side) for number in shown]
    max_height = max((picture.height for picture in maps), default=0)
    cards = Panels(columns, side, max_height + CAPTION, GAP, EDGE, 130)
    reasons = facts.most_common_reasons()[:MAX_REASONS]
    heights = [
        130,
        cards.count_rows(len(maps)) * (cards.height + GAP) + 24 if shown else 0,
        _panels(0).count_rows(len(found)) * (PANEL_HEIGHT + GAP) + 44 if found else 0,
        len(reasons) * 42 + 60 if reasons else 0,
    ]
    canvas = Canvas(WIDTH, sum(heights) + EDGE // 2)
    canvas.draw_text((EDGE, 34), _format_title(corpus), TITLE, max_width=INNER_WIDTH)
    canvas.draw_text((EDGE, 80), _describe_corpus(corpus, facts), NORMAL, MUTED, max_width=INNER_WIDTH)
    draw_cards(canvas, cards, zip(maps, (f"{number:,}" for number in shown), strict=True))
    top = heights[0] + heights[1]
    if found:
        canvas.draw_text((EDGE, top), "Measures", LARGE)
    for place, one in enumerate(found):
        _draw_histogram(canvas, _panels(top + 32).box(place), one)
    top += heights[2]
    if reasons:
        _draw_failures(canvas, top, reasons, facts)
    return canvas.picture


def draw_range_picture(corpus: Corpus, x: str, y: str, bins: int) -> Image.Image:
    """Draw a joint histogram of two measures, with a histogram of each measure at its edge, and the color scale."""
    found = compute_joint(corpus, x, y, bins)
    counts, x_edges, y_edges = found.counts, found.x_edges, found.y_edges
    canvas = Canvas(960, 880)
    canvas.draw_text((EDGE, 30), "Expressive range", TITLE)
    shown = int(counts.sum())
    fraction_shown = f"{shown:,} of " if shown < len(corpus) else ""
    canvas.draw_text((EDGE, 74), f"{fraction_shown}{_format_title(corpus)}", NORMAL, MUTED, max_width=880)
    box = Box(110, 210, 710, 810)
    canvas.draw_panel(box)
    canvas.draw_bars(Box(box.left, 120, box.right, box.top - 8), as_shares(counts.sum(axis=0)), x_edges)
    side = Box(box.right + 8, box.top, 800, box.bottom)
    canvas.draw_bars(side, as_shares(counts.sum(axis=1)), y_edges, sideways=True)
    frequency = Scale(1, int(counts.max()), "root")
    canvas.draw_bins(box, counts, frequency)
    canvas.draw_axis(box, "bottom", Scale(float(x_edges[0]), float(x_edges[-1])))
    canvas.draw_axis(box, "left", Scale(float(y_edges[0]), float(y_edges[-1])))
    canvas.draw_text(((box.left + box.right) / 2, box.bottom + 32), x, LARGE, anchor="ma")
    canvas.draw_vertical_text((36, (box.top + box.bottom) // 2), y, LARGE)
    bar = Box(850, 490, 868, 810)
    if counts.any():
        canvas.draw_color_bar(bar, frequency, HEAT)
        canvas.draw_text((bar.left, bar.top - 14), "maps", SMALL, MUTED, "ls")
    return canvas.picture


def draw_comparison_picture(a: Corpus, b: Corpus) -> Image.Image:
    """Draw overlapping histograms of each measure that both corpora have.

    The histograms of a measure have the same bins and show fractions of maps.
    """
    comparison = report.compare(a, b)
    names = [one.name for one in comparison.measures]
    pairs = list(zip(compute_distributions(a, names), compute_distributions(b, names), strict=True))
    width = INNER_WIDTH
    sentence = wrap_text(comparison.sentence, NORMAL, width)
    top = 136 + 22 * len(sentence)
    panels = _panels(top)
    canvas = Canvas(WIDTH, top + panels.count_rows(len(pairs)) * (PANEL_HEIGHT + GAP) + EDGE // 2)
    canvas.draw_text((EDGE, 34), f"{comparison.names[0]} and {comparison.names[1]}", TITLE, max_width=width)
    for number, line in enumerate(sentence):
        canvas.draw_text((EDGE, 80 + 22 * number), line, NORMAL, MUTED)
    left = EDGE
    for name, maps, color in zip(comparison.names, comparison.maps, (FIRST, SECOND), strict=True):
        label = f"{name}: {pluralize(maps, 'different map')}"
        canvas.pen.rounded_rectangle((left, top - 34, left + 14, top - 20), 3, color)
        canvas.draw_text((left + 22, top - 27), label, NORMAL, INK, "lm", max_width=width // 2 - 60)
        left += min(width // 2, round(text_width(label, NORMAL)) + 60)
    for place, (one, (mine, other)) in enumerate(zip(comparison.measures, pairs, strict=True)):
        box = panels.box(place)
        canvas.draw_panel(box)
        canvas.draw_text((box.left + 16, box.top + 14), one.name, LARGE, max_width=box.width - 120)
        canvas.draw_text((box.right - 16, box.top + 17), f"distance {one.apart:.2f}", SMALL, MUTED, "ra")
        edges = compute_bin_edges(mine, other)
        chart = box.shrink(16, 52, 16, 34)
        fractions = [spread.count_in_bins(edges) / max(1, spread.count) for spread in (mine, other)]
        highest = max(float(fraction.max(initial=0)) for fraction in fractions) or 1.0
        for fraction, color in zip(fractions, (FIRST, SECOND), strict=True):
            canvas.draw_outline(chart, fraction / highest, edges, color)
        _draw_axis(canvas, chart, edges, mine, other)
    return canvas.picture


def sample_ids(corpus: Corpus, count: int) -> list[int]:
    """Return the ids of a few generated maps, evenly spaced over the parts of the corpus."""
    parts = corpus.parts[:: max(1, ceil(len(corpus.parts) / MAX_SAMPLED_PARTS))]
    found: list[int] = []
    for part in parts:
        table = corpus.part(part, ["id", "reason"])
        found += [row["id"] for row in table.to_pylist() if row["reason"] is None]
    return [found[place * len(found) // count] for place in range(count)] if len(found) > count else found


def _count_columns(facts: Facts) -> int:
    """Return the number of thumbnails per row that fills the row best if each cell has an integer number of pixels."""
    sizes = facts.sizes
    cells = total_width(int(sizes["levels"].maximum), int(sizes["width"].maximum)) if sizes["width"].count else 1
    filled = {}
    for columns in MAP_COLUMNS:
        side = Panels.within(INNER_WIDTH, columns, 0, GAP).width
        filled[columns] = min(1.0, max(1, side // cells) * cells / side)
    return max(filled, key=lambda columns: (round(filled[columns], 2), columns))


def _draw_histogram(canvas: Canvas, box: Box, one: report.Histogram) -> None:
    canvas.draw_panel(box)
    canvas.draw_text((box.left + 16, box.top + 14), one.name, LARGE, max_width=box.width - 32)
    spread = one.stats
    left = float(box.left + 16)
    for word, value in _list_facts(spread):
        text = f"{word} {value}"
        canvas.draw_text(
            (left, box.top + 40), text, SMALL, SECOND if word == "mean" else MUTED
        )  # The mean has the color of its line in the chart.
        left += text_width(f"{text}    ", SMALL)
    chart = box.shrink(16, 68, 16, 34)
    if len(one.counts) == 1:  # A single value is in the middle of the axis.
        chart = chart.shrink(chart.width * 2 // 5, 0, chart.width * 2 // 5, 0)
    canvas.draw_bars(chart, as_shares(one.counts), one.edges)
    _draw_axis(canvas, chart, one.edges, spread)
    if len(spread.values) > 1:
        low, high = float(one.edges[0]), float(one.edges[-1])
        x = round(chart.left + (spread.mean - low) / (high - low) * (chart.width - 1))
        canvas.pen.line((x, chart.top - 2, x, chart.bottom - 1), fill=SECOND, width=2)


def _draw_axis(canvas: Canvas, box: Box, edges: NDArray[np.float64], *distributions: Distribution) -> None:
    """Draw the axis below bins. The axis shows all values if there are few, and round numbers otherwise."""
    values = np.unique(np.concatenate([one.values for one in distributions]))
    fits = len(values) == len(edges) - 1 and text_width(format_short(values[-1]), SMALL) * 2 * len(values) < box.width
    canvas.draw_axis(box, "bottom", Scale(float(edges[0]), float(edges[-1])), values.tolist() if fits else None)


def _list_facts(spread: Distribution) -> list[tuple[str, str]]:
    ends = {"min": spread.low, "median": spread.median, "mean": spread.mean, "max": spread.high}
    missing = [("missing", f"{spread.missing:,}")] if spread.missing else []
    return [*((word, format_short(value)) for word, value in ends.items()), *missing]


def _draw_failures(canvas: Canvas, top: int, reasons: list[tuple[str, int]], facts: Facts) -> None:
    """Draw the reasons of failures with the fraction of all maps that each affects."""
    canvas.draw_text((EDGE, top), f"{facts.failures:,} failed", LARGE)
    right = WIDTH - EDGE
    for place, (reason, count) in enumerate(reasons):
        y, fraction = top + 36 + place * 42, count / facts.maps
        canvas.draw_text((EDGE, y), reason, NORMAL, max_width=right - EDGE - 160)
        canvas.draw_text((right, y), f"{count:,} · {fraction:.1%}", NORMAL, MUTED, "ra")
        canvas.pen.rectangle((EDGE, y + 23, right - 1, y + 27), FAINT)
        canvas.pen.rectangle((EDGE, y + 23, EDGE + max(2, round((right - EDGE - 1) * fraction)), y + 27), WARNING)


def _panels(top: int) -> Panels:
    """Return the panels of measures, from `top` on."""
    return Panels.within(INNER_WIDTH, PANELS_PER_ROW, PANEL_HEIGHT, GAP, EDGE, top)


def _format_title(corpus: Corpus) -> str:
    return f"{pluralize(len(corpus), 'map')} by {corpus.manifest.title}"


def _describe_corpus(corpus: Corpus, facts: Facts) -> str:
    """Return a one-line description of a corpus."""
    swept = [axis.column for axis in corpus.manifest.sweep.axes]
    facts_shown = [
        facts.format_size("-"),
        f"seed {corpus.manifest.seed}",
        f"swept: {', '.join(swept)}" if swept else "",
        f"{facts.maps:,} so far" if facts.maps < len(corpus) else "",
        f"{facts.duplicates:,} duplicates" if facts.duplicates else "",
        f"{facts.failures:,} failed" if facts.failures else "",
        f"Tilewright {corpus.manifest.tilewright}",
    ]
    return " · ".join(fact for fact in facts_shown if fact)
