"""Charts of bench/results.json, as SVG inside the page: their colors are the theme's, light or dark."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from typing import Any

from .links import ROOT
from .markdown import table

RESULTS = ROOT / "bench" / "results.json"
BARS = 88.0
"""Percent of the width for the bars; the rest is for the value of the longest one."""
ROW = 36
"""Pixels for a bar and the label above it."""
ELSEWHERE = "measured elsewhere"
"""Part of the name of a peer whose time was published or measured on another machine."""

Row = dict[str, Any]


@dataclass(frozen=True)
class Bar:
    label: str
    value: float
    text: str
    kind: str = "good"
    """Class of the bar: good, or poor if it is on the wrong side of the line."""


def chart(name: str) -> str:
    """Return one of the charts."""
    return CHARTS[name]()


def techniques() -> str:
    """Draw the number of maps per second of each technique."""
    rows = _matching(r"corpus of (\w+) 64x64, one process")
    bars = [Bar(name, row["ours"], _short(row["ours"])) for name, row in rows]
    return draw(sorted(bars, key=lambda bar: -bar.value), "maps per second, on a logarithmic scale", log=True)


def compile_times() -> str:
    """Draw the time that the first map of each technique takes."""
    rows = _matching(r"tilewright make (\w+), nothing compiled")
    bars = [Bar(name, row["ours"], f"{row['ours']:.1f} s", _kind(row)) for name, row in rows]
    return draw(sorted(bars, key=lambda bar: bar.value), "seconds", line=10)


def ratios(elsewhere: bool) -> str:
    """Draw how many times faster Tilewright is than each peer."""
    rows = [
        row
        for row in _results()["rows"]
        if "ratio" in row and row["unit"] in ("ms", "s", "ns", "M/s", "maps/s") and not row["what"].startswith("corpus")
        if (ELSEWHERE in row["peer_name"]) == elsewhere and row["peer_name"] != "one process"
    ]
    best: dict[tuple[str, str], Row] = {}
    for row in rows:  # one bar for each technique and peer: the one with the smallest ratio
        key = (re.split(r"[ ,:]", row["what"])[0], row["peer_name"])
        if key not in best or row["ratio"] < best[key]["ratio"]:
            best[key] = row
    bars = []
    for row in best.values():
        label = f"{_shorten(row['what'])}, beside {row['peer_name'].replace(f', {ELSEWHERE}', '')}"
        bars.append(Bar(label, row["ratio"], f"{_short(row['ratio'])}x", "good" if row["ratio"] >= 1 else "poor"))
    return draw(
        sorted(bars, key=lambda bar: -bar.value),
        "times as fast as the other implementation, on a logarithmic scale",
        log=True,
        line=1,
    )


def draw(bars: list[Bar], title: str, *, log: bool = False, line: float | None = None) -> str:
    """Return a bar chart.

    Parameters
    ----------
    bars
        Bars from top to bottom.
    title
        What the scale shows.
    log
        Whether the scale is logarithmic.
    line
        Value at which a vertical line is drawn.
    """
    values = [bar.value for bar in bars] + ([] if line is None else [line])
    scale: Callable[[float], float] = math.log10 if log else float
    low = math.floor(min(map(scale, values))) if log else 0.0
    high = math.ceil(max(map(scale, values))) if log else max(values) * 1.05

    def x(value: float) -> float:
        return (scale(value) - low) / (high - low) * BARS

    ticks = [10.0**power for power in range(int(low), int(high) + 1)] if log else _ticks(high)
    height = ROW * len(bars)
    parts = [
        f'<line class="grid" x1="{x(tick):.2f}%" x2="{x(tick):.2f}%" y1="0" y2="{height}"/>'
        f'<text class="tick" x="{x(tick):.2f}%" y="{height + 16}">{tick:,g}</text>'
        for tick in ticks
    ]
    start = x(line) if log and line is not None else 0.0
    for number, bar in enumerate(bars):
        top, end = number * ROW, x(bar.value)
        left, width = min(start, end), max(abs(end - start), 0.2)
        parts.append(
            f'<text class="label" x="0" y="{top + 15}">{escape(bar.label)}</text>'
            f'<rect class="{bar.kind}" x="{left:.2f}%" y="{top + 20}" width="{width:.2f}%" height="12" rx="2"/>'
            f'<text class="value" x="{max(start, end):.2f}%" dx="6" y="{top + 30}">{escape(bar.text)}</text>'
        )
    if line is not None:
        parts.append(f'<line class="line" x1="{x(line):.2f}%" x2="{x(line):.2f}%" y1="0" y2="{height}"/>')
    size = f'width="100%" height="{height + 22}" role="img" aria-label="{escape(title)}"'
    svg = f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{"".join(parts)}</svg>'
    return f'<figure class="chart">{svg}<figcaption>{escape(title)}</figcaption></figure>'


def results() -> str:
    """Return all rows as a table."""
    rows = [
        (
            row["what"],
            _amount(row, "ours"),
            _amount(row, "peer") and f"{_amount(row, 'peer')} ({row['peer_name']})",
            f"{_short(row['ratio'])}x" if "ratio" in row else "",
            row.get("wanted", ""),
            {True: "yes", False: "**no**", None: ""}[row.get("holds")],
        )
        for row in _results()["rows"]
    ]
    return table(("what", "Tilewright", "peer", "ratio", "target", "met"), *rows)


def machine() -> str:
    """Return where and when the results were measured."""
    known = _results()["machine"]
    versions = ", ".join(f"{name} {known[name]}" for name in ("tilewright", "python", "numpy", "numba", "scipy"))
    system = known["system"].partition("-")[0]
    return f"Measured on {known['date']} on one machine ({known['processor']}, {system}) with {versions}."


def _results() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8"))
    return found


def _matching(pattern: str) -> list[tuple[str, Row]]:
    """Return the rows whose names match, each with the matched group."""
    rows = [(match[1], row) for row in _results()["rows"] if (match := re.fullmatch(pattern, row["what"]))]
    if not rows:
        raise ValueError(f"no row of {RESULTS.name} matches {pattern!r}")
    return rows


def _kind(row: Row) -> str:
    return "good" if row.get("holds", True) else "poor"


def _shorten(what: str) -> str:
    """Return the first part of a name, without parentheses."""
    return re.sub(r" \(.*?\)", "", what).split(", ")[0]


def _short(value: float) -> str:
    """Return a number with three significant digits, without an exponent."""
    return f"{float(f'{value:.3g}'):,.10g}"


def _amount(row: Row, name: str) -> str:
    return f"{_short(row[name])} {row['unit']}" if name in row else ""


def _ticks(high: float) -> list[float]:
    """Return about five round numbers, starting at 0."""
    step = 10.0 ** math.floor(math.log10(high / 2))
    step *= next(factor for factor in (1, 2, 5) if high / (step * factor) <= 6)
    return [step * number for number in range(int(high / step) + 1)]


CHARTS: dict[str, Callable[[], str]] = {
    "techniques": techniques,
    "compile_times": compile_times,
    "peers": lambda: ratios(elsewhere=False),
    "published": lambda: ratios(elsewhere=True),
    "results": results,
    "machine": machine,
}
