"""The pictures of a report: a corpus, the range of two measures, two corpora over each other."""

from __future__ import annotations

from math import ceil

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ..core.errors import counted
from ..core.tilemap import TileMap
from . import report
from ._charts import (
    FAINT,
    FIRST,
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
    shares_of,
    text_width,
    wrapped,
)
from .datasheet import Facts
from .distributions import Distribution, distributions, edges_of, joint, written
from .reader import Corpus

WIDTH, EDGE, GAP = 1280, 40, 16
ROWS_OF_MAPS, MAPS_IN_A_ROW = 3, range(5, 9)
PARTS_LOOKED_AT = 64
PANELS, PANEL_HEIGHT = 3, 210
MOST_REASONS = 8


def corpus_picture(corpus: Corpus) -> Image.Image:
    """Maps from all over the corpus, a histogram of every measure, and why maps could not be made."""
    facts = Facts.of(corpus)
    found = report.histograms(corpus)
    columns = _columns(facts)
    shown = spread_ids(corpus, ROWS_OF_MAPS * columns)
    sheet = _maps(corpus, shown, columns)
    reasons = facts.most_common_reasons()[:MOST_REASONS]
    rows = ceil(len(found) / PANELS)
    heights = [
        130,
        sheet.height + 24 if shown else 0,
        rows * (PANEL_HEIGHT + GAP) + 44 if found else 0,
        len(reasons) * 42 + 60 if reasons else 0,
    ]
    canvas = Canvas(WIDTH, sum(heights) + EDGE // 2)
    canvas.text((EDGE, 34), _title(corpus), TITLE, most=WIDTH - 2 * EDGE)
    canvas.text((EDGE, 80), _told(corpus, facts), NORMAL, MUTED, most=WIDTH - 2 * EDGE)
    canvas.picture.paste(sheet, (EDGE, heights[0]))
    top = heights[0] + heights[1]
    if found:
        canvas.text((EDGE, top), "Measures", LARGE)
    for place, one in enumerate(found):
        _histogram(canvas, _panel(place, top + 32, PANELS), one)
    top += heights[2]
    if reasons:
        _failures(canvas, top, reasons, facts)
    return canvas.picture


def range_picture(corpus: Corpus, x: str, y: str, bins: int) -> Image.Image:
    """Bins of two measures, a histogram of each at the edges, and what the colours stand for."""
    found = joint(corpus, x, y, bins)
    counts, x_edges, y_edges = found.counts, found.x_edges, found.y_edges
    canvas = Canvas(960, 880)
    canvas.text((EDGE, 30), "Expressive range", TITLE)
    shown = int(counts.sum())
    some = f"{shown:,} of " if shown < len(corpus) else ""
    canvas.text((EDGE, 74), f"{some}{_title(corpus)}", NORMAL, MUTED, most=880)
    box = Box(110, 210, 710, 810)
    canvas.panel(box)
    canvas.bars(Box(box.left, 120, box.right, box.top - 8), shares_of(counts.sum(axis=0)), x_edges)
    side = Box(box.right + 8, box.top, 800, box.bottom)
    canvas.bars(side, shares_of(counts.sum(axis=1)), y_edges, sideways=True)
    canvas.bins(box, counts)
    canvas.bottom_axis(box, float(x_edges[0]), float(x_edges[-1]))
    canvas.left_axis(box, float(y_edges[0]), float(y_edges[-1]))
    canvas.text(((box.left + box.right) / 2, box.bottom + 32), x, LARGE, anchor="ma")
    canvas.upright((36, (box.top + box.bottom) // 2), y, LARGE)
    scale = Box(850, 490, 868, 810)
    if counts.any():
        canvas.heat_scale(scale, int(counts.max()))
        canvas.text((scale.left, scale.top - 14), "maps", SMALL, MUTED, "ls")
    return canvas.picture


def compare_picture(a: Corpus, b: Corpus) -> Image.Image:
    """Every measure that both have: shares of maps in the same bins, one over the other."""
    told = report.compared(a, b)
    names = [one.name for one in told.measures]
    pairs = list(zip(distributions(a, names), distributions(b, names), strict=True))
    width = WIDTH - 2 * EDGE
    sentence = wrapped(told.sentence, NORMAL, width)
    top = 136 + 22 * len(sentence)
    rows = ceil(len(pairs) / PANELS)
    canvas = Canvas(WIDTH, top + rows * (PANEL_HEIGHT + GAP) + EDGE // 2)
    canvas.text((EDGE, 34), f"{told.names[0]} and {told.names[1]}", TITLE, most=width)
    for number, line in enumerate(sentence):
        canvas.text((EDGE, 80 + 22 * number), line, NORMAL, MUTED)
    left = EDGE
    for name, maps, color in zip(told.names, told.maps, (FIRST, SECOND), strict=True):
        label = f"{name}: {counted(maps, 'different map')}"
        canvas.pen.rounded_rectangle((left, top - 34, left + 14, top - 20), 3, color)
        canvas.text((left + 22, top - 27), label, NORMAL, INK, "lm", most=width // 2 - 60)
        left += min(width // 2, round(text_width(label, NORMAL)) + 60)
    for place, (one, (mine, other)) in enumerate(zip(told.measures, pairs, strict=True)):
        box = _panel(place, top, PANELS)
        canvas.panel(box)
        canvas.text((box.left + 16, box.top + 14), one.name, LARGE, most=box.width - 120)
        canvas.text((box.right - 16, box.top + 17), f"apart {one.apart:.2f}", SMALL, MUTED, "ra")
        edges = edges_of(mine, other)
        chart = box.inside(16, 52, 16, 34)
        shares = [spread.counted(edges) / max(1, spread.count) for spread in (mine, other)]
        most = max(float(share.max(initial=0)) for share in shares) or 1.0
        for share, color in zip(shares, (FIRST, SECOND), strict=True):
            canvas.outline(chart, share / most, edges, color)
        _axis(canvas, chart, edges, mine, other)
    return canvas.picture


def spread_ids(corpus: Corpus, count: int) -> list[int]:
    """Some maps that could be made, from all over the corpus."""
    parts = corpus.parts[:: max(1, ceil(len(corpus.parts) / PARTS_LOOKED_AT))]
    found: list[int] = []
    for part in parts:
        table = corpus.part(part, ["id", "reason"])
        found += [row["id"] for row in table.to_pylist() if row["reason"] is None]
    return [found[place * len(found) // count] for place in range(count)] if len(found) > count else found


def _columns(facts: Facts) -> int:
    """How many maps stand in a row: as many as fill it best, in whole pixels a cell."""
    sizes = facts.sizes
    wide = _wide(int(sizes["levels"].most), int(sizes["width"].most)) if sizes["width"].count else 1
    filled = {}
    for columns in MAPS_IN_A_ROW:
        side = _side(columns)
        filled[columns] = min(1.0, max(1, side // wide) * wide / side)
    return max(filled, key=lambda columns: (round(filled[columns], 2), columns))


def _side(columns: int) -> int:
    """Pixels for a map where so many stand in a row."""
    return (WIDTH - 2 * EDGE - (columns - 1) * GAP) // columns


def _wide(levels: int, width: int) -> int:
    """Cells along a map, whose levels stand side by side."""
    return levels * (width + 1) - 1


def _maps(corpus: Corpus, ids: list[int], columns: int) -> Image.Image:
    """A sheet of maps, each with its number."""
    side = _side(columns)
    pictures = [_thumbnail(TileMap(corpus[number], corpus.tileset), side) for number in ids]
    tall = max((picture.height for picture in pictures), default=0)
    canvas = Canvas(WIDTH - 2 * EDGE, max(1, ceil(len(ids) / columns) * (tall + 30)))
    for place, (number, picture) in enumerate(zip(ids, pictures, strict=True)):
        row, column = divmod(place, columns)
        left, top = column * (side + GAP), row * (tall + 30)
        x, y = left + (side - picture.width) // 2, top + (tall - picture.height) // 2
        canvas.picture.paste(picture, (x, y))
        canvas.pen.rectangle((x, y, x + picture.width - 1, y + picture.height - 1), outline=FAINT)
        canvas.text((left + side / 2, top + tall + 5), f"{number:,}", SMALL, MUTED, "ma")
    return canvas.picture


def _thumbnail(map: TileMap, side: int) -> Image.Image:
    """A map as large as fits, in whole pixels a cell where it is small enough."""
    wide = _wide(map.shape[0] if map.cells.ndim == 3 else 1, map.width)
    drawn = map.image(scale=max(1, side // max(wide, map.height)), sprites=False).convert("RGB")
    if max(drawn.size) > side:
        drawn.thumbnail((side, side), Image.Resampling.BOX)
    return drawn


def _histogram(canvas: Canvas, box: Box, one: report.Histogram) -> None:
    canvas.panel(box)
    canvas.text((box.left + 16, box.top + 14), one.name, LARGE, most=box.width - 32)
    spread = one.stats
    left = float(box.left + 16)
    for word, value in _facts_of(spread):
        text = f"{word} {value}"
        canvas.text((left, box.top + 40), text, SMALL, SECOND if word == "mean" else MUTED)  # as its line below
        left += text_width(f"{text}    ", SMALL)
    chart = box.inside(16, 68, 16, 34)
    if len(one.counts) == 1:  # a single number, in the middle
        chart = chart.inside(chart.width * 2 // 5, 0, chart.width * 2 // 5, 0)
    canvas.bars(chart, shares_of(one.counts), one.edges)
    _axis(canvas, chart, one.edges, spread)
    if len(spread.values) > 1:
        low, high = float(one.edges[0]), float(one.edges[-1])
        x = round(chart.left + (spread.mean - low) / (high - low) * (chart.width - 1))
        canvas.pen.line((x, chart.top - 2, x, chart.bottom - 1), fill=SECOND, width=2)


def _axis(canvas: Canvas, box: Box, edges: NDArray[np.float64], *spread: Distribution) -> None:
    """The axis under bins: of a few numbers all of them, else round ones."""
    values = np.unique(np.concatenate([one.values for one in spread]))
    few = len(values) == len(edges) - 1 and text_width(written(values[-1]), SMALL) * 2 * len(values) < box.width
    canvas.bottom_axis(box, float(edges[0]), float(edges[-1]), values.tolist() if few else None)


def _facts_of(spread: Distribution) -> list[tuple[str, str]]:
    ends = {"min": spread.low, "median": spread.median, "mean": spread.mean, "max": spread.high}
    missing = [("missing", f"{spread.missing:,}")] if spread.missing else []
    return [*((word, written(value)) for word, value in ends.items()), *missing]


def _failures(canvas: Canvas, top: int, reasons: list[tuple[str, int]], facts: Facts) -> None:
    """Reasons, and what share of all maps each has cost."""
    canvas.text((EDGE, top), f"{facts.failures:,} could not be made", LARGE)
    right = WIDTH - EDGE
    for place, (reason, count) in enumerate(reasons):
        y, share = top + 36 + place * 42, count / facts.maps
        canvas.text((EDGE, y), reason, NORMAL, most=right - EDGE - 160)
        canvas.text((right, y), f"{count:,} · {share:.1%}", NORMAL, MUTED, "ra")
        canvas.pen.rectangle((EDGE, y + 23, right - 1, y + 27), FAINT)
        canvas.pen.rectangle((EDGE, y + 23, EDGE + max(2, round((right - EDGE - 1) * share)), y + 27), WARNING)


def _panel(place: int, top: int, columns: int) -> Box:
    row, column = divmod(place, columns)
    width = (WIDTH - 2 * EDGE - (columns - 1) * GAP) // columns
    left, upper = EDGE + column * (width + GAP), top + row * (PANEL_HEIGHT + GAP)
    return Box(left, upper, left + width, upper + PANEL_HEIGHT)


def _title(corpus: Corpus) -> str:
    return f"{counted(len(corpus), 'map')} by {corpus.manifest.recipe['technique']}"


def _told(corpus: Corpus, facts: Facts) -> str:
    """What there is to know, in a line."""
    swept = [axis.column for axis in corpus.manifest.sweep.axes]
    words = [
        facts.size("-"),
        f"seed {corpus.manifest.seed}",
        f"swept: {', '.join(swept)}" if swept else "",
        f"{facts.maps:,} there so far" if facts.maps < len(corpus) else "",
        f"{facts.same:,} equal to an earlier one" if facts.same else "",
        f"{facts.failures:,} could not be made" if facts.failures else "",
        f"Tilewright {corpus.manifest.version}",
    ]
    return " · ".join(word for word in words if word)
