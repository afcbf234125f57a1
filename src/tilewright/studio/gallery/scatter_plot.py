"""Scatter plot of maps by two measures, with the map's picture as tooltip."""

from __future__ import annotations

import html
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nicegui import ui

from ...core.measure_groups import format_value

Point = tuple[str, Mapping[str, float]]
"""Caption and measures of a map."""
INK, LINE, POINT = "#8b8594", "rgba(139,133,148,.28)", "#d9822b"
"""Colors that are visible in dark and light mode."""
TIP = """(point) => {
  const picture = document.querySelector(`[data-variation="${point.data.number}"] img`);
  return (picture ? `<img class="tw-tip-picture" src="${picture.src}" alt="">` : '') + point.data.words;
}"""
"""Content of a point's tooltip; its text is escaped in `_build_point`."""
TIP_STYLE = {
    "trigger": "item",
    "appendTo": "body",  # the chart is small and at the left edge of the window
    ":position": "(point) => [point[0] + 18, point[1] - 60]",
    "backgroundColor": "#0e0d12",
    "borderWidth": 0,
    "padding": [6, 8],
    "textStyle": {"color": "#ece8df", "fontSize": 12},
}
MARK = """(event) => document.querySelectorAll(`[data-variation="${event.data?.number}"]`)
  .forEach((cell) => cell.classList.add('tw-pointed'))"""
UNMARK = "() => document.querySelectorAll('.tw-pointed').forEach((cell) => cell.classList.remove('tw-pointed'))"


class ScatterPlot:
    """A chart whose points are numbered maps with a picture elsewhere on the page."""

    def __init__(self, choose: Callable[[int], None]) -> None:
        self.chart = ui.echart(
            {
                "animation": False,
                "grid": {"left": 12, "right": 24, "top": 34, "bottom": 26, "containLabel": True},
                "tooltip": {**TIP_STYLE, ":formatter": TIP},
                "xAxis": {**_build_axis(is_vertical=False), "nameLocation": "middle", "nameGap": 24},
                "yAxis": {**_build_axis(is_vertical=True), "nameLocation": "end", "nameGap": 12},
                "series": [
                    {
                        "type": "scatter",
                        "symbolSize": 13,
                        "cursor": "pointer",
                        "itemStyle": {"color": POINT, "opacity": 0.85, "borderColor": "#16151c", "borderWidth": 1},
                        "emphasis": {"scale": 1.7, "itemStyle": {"opacity": 1}},
                        "data": [],
                    }
                ],
            },
            on_point_click=lambda event: choose(int(event.data["number"])),
        )
        self.chart.classes("tw-points").props("data-testid=gallery-chart")
        self.chart.on("chart:mouseover", js_handler=MARK)
        self.chart.on("chart:mouseout", js_handler=UNMARK)

    def show(self, points: Sequence[Point], x: str, y: str, labels: Mapping[str, str]) -> None:
        """Show points with the measures `x` and `y` as coordinates; points without one of them are left out.

        `labels` maps measures to the names of the axes.
        """
        data = [_build_point(number, point, x, y, labels) for number, point in enumerate(points)]
        names = (labels[x], labels[y]) if any(numbers for _, numbers in points) else ("", "")
        self.chart.options["xAxis"]["name"], self.chart.options["yAxis"]["name"] = names
        self.chart.options["series"][0]["data"] = data
        self.chart.update()

    def build_hover_handlers(self, number: int) -> tuple[str, str]:
        """Return JavaScript handlers that highlight a point, and that remove the highlight."""
        chart = f"getElement({self.chart.id})?.chart"
        target = f"{{seriesIndex: 0, dataIndex: {number}}}"
        return (
            f"() => {chart}?.dispatchAction({{type: 'highlight', ...{target}}})",
            f"() => {chart}?.dispatchAction({{type: 'downplay', ...{target}}})",
        )


def _build_axis(*, is_vertical: bool) -> dict[str, Any]:
    return {
        "type": "value",
        "scale": True,
        "name": "",
        "nameTextStyle": {"color": INK, "fontSize": 12, "align": "left" if is_vertical else "center"},
        "axisLabel": {"color": INK, "fontSize": 11, "hideOverlap": True},
        "axisLine": {"show": True, "lineStyle": {"color": LINE}},
        "splitLine": {"lineStyle": {"color": LINE}},
        "splitNumber": 4,
    }


def _build_point(number: int, point: Point, x: str, y: str, labels: Mapping[str, str]) -> dict[str, Any]:
    caption, numbers = point
    lines = [f"<b>{html.escape(caption)}</b>"]
    lines += [f"{html.escape(labels[name])} {format_value(numbers[name])}" for name in (x, y) if name in numbers]
    coordinates = [numbers[x], numbers[y]] if x in numbers and y in numbers else ["-", "-"]
    return {"value": coordinates, "number": number, "words": "<br>".join(lines)}
