"""Histogram of a measure over many seeds."""

from __future__ import annotations

from math import log1p
from typing import Any

from nicegui import ui

from ...core.measure_groups import format_short
from ...seed_search.bars import HistogramBars
from ..gallery.scatter_plot import INK, LINE, POINT, TIP_STYLE

MAX_BARS = 40
OTHER = "#5c84be"
"""Color of the bars that do not meet the requirement, visible in dark and light mode."""
PALE = 0.3
"""Opacity of the bars on a logarithmic scale."""


class HistogramChart:
    """A bar chart of the number of seeds by value. Pale bars on a logarithmic scale show rare values."""

    def __init__(self, test_id: str) -> None:
        series = [
            {"type": "bar", "barGap": "-100%", "barCategoryGap": "12%", "barMinHeight": 2, "data": []} for _ in range(2)
        ]
        self.chart = ui.echart(
            {
                "animation": False,
                "grid": {"left": 2, "right": 2, "top": 4, "bottom": 18},
                "tooltip": {**TIP_STYLE, "trigger": "axis", ":formatter": "(points) => points[0].data.words"},
                "xAxis": {
                    "type": "category",
                    "axisLabel": {"color": INK, "fontSize": 11, "hideOverlap": True},
                    "axisLine": {"lineStyle": {"color": LINE}},
                    "axisTick": {"show": False},
                    "data": [],
                },
                "yAxis": {"type": "value", "show": False, "max": 1},
                "series": series,
            }
        )
        self.chart.classes("tw-histogram").props(f"role=img data-testid={test_id}")

    def show(self, bars: HistogramBars, is_integer: bool, description: str) -> None:
        """Show bars. `description` is the text for screen readers."""
        labels = [_label_bar(bars, number, is_integer) for number in range(len(bars.counts))]
        counts, most = bars.counts.tolist(), int(bars.counts.max())
        self.chart.options["xAxis"]["data"] = labels
        for series, is_pale in zip(self.chart.options["series"], (True, False), strict=True):
            series["data"] = [
                _build_bar(
                    log1p(count) / log1p(most) if is_pale else count / most,
                    POINT if is_met else OTHER,
                    PALE if is_pale else 1.0,
                    f"{label}: {count:,}",
                )
                for label, count, is_met in zip(labels, counts, bars.meets.tolist(), strict=True)
            ]
        self.chart.update()
        self.chart.props["aria-label"] = description


def _build_bar(height: float, color: str, opacity: float, words: str) -> dict[str, Any]:
    """Return a bar; a value that no seed has is left out."""
    return {"value": height or None, "itemStyle": {"color": color, "opacity": opacity}, "words": words}


def _label_bar(bars: HistogramBars, number: int, is_integer: bool) -> str:
    """Return the values of a bar: an integer, a range of integers, or the lower end of a range of fractions."""
    low = bars.low + number * bars.width
    if not is_integer:
        return format_short(low)
    first, last = round(low + 0.5), round(low + bars.width - 0.5)
    return f"{first:,}" if first == last else f"{first:,}–{last:,}"
