"""Scatter plot of maps by two measures, the choice of these measures, and the order of the pictures."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from nicegui import ui

from ...core.measure_groups import format_value
from ...core.registry import measures
from ..page.widgets import SelectByLabel, dropdown, on_choice, read_options, show_value
from .state import Gallery
from .variations import SWEPT_MEASURE

Point = tuple[str, Mapping[str, float]]
"""Caption and measures of a map."""
TIP = """(point) => {
  const picture = document.querySelector(`[data-variation="${point.data.number}"] img`);
  return (picture ? `<img class="tw-tip-picture" src="${picture.src}" alt="">` : '') + point.data.words;
}"""
"""Content of a point's tooltip; its text is escaped in `_build_point`."""
MARK = """(event) => document.querySelectorAll(`[data-variation="${event.data?.number}"]`)
  .forEach((cell) => cell.classList.add('tw-pointed'))"""
UNMARK = "() => document.querySelectorAll('.tw-pointed').forEach((cell) => cell.classList.remove('tw-pointed'))"


def _build_point(number: int, point: Point, x: str, y: str, labels: Mapping[str, str]) -> dict[str, Any]:
    caption, numbers = point
    lines = [f"<b>{html.escape(caption)}</b>"]
    lines += [f"{html.escape(labels[name])} {format_value(numbers[name])}" for name in (x, y) if name in numbers]
    coordinates = [numbers[x], numbers[y]] if x in numbers and y in numbers else ["-", "-"]
    return {"value": coordinates, "number": number, "words": "<br>".join(lines)}


DEFAULT_AXES = (Gallery().x, Gallery().y)
"""Default measures of the axes."""
UNSORTED = Gallery().sort


class GalleryAxes:
    """Scatter plot with the choice of its measures, and the choice of the measure that sorts the pictures.

    The points of the plot are numbered maps with a picture elsewhere on the page.
    """

    def __init__(
        self,
        on_change: Callable[[str, Any], None],
        on_choose: Callable[[int], None],
        label_of: Callable[[str], str],
    ) -> None:
        """Build the controls in the current slot.

        Parameters
        ----------
        on_change
            Called with a setting of the gallery and its new value.
        on_choose
            Called with the number of the point that was chosen.
        label_of
            Function that returns the label of a measure.
        """
        self._on_change, self._label_of = on_change, label_of
        self._found: set[str] = set()
        """Measures that the last variations have."""
        ui.label("Scatter plot").classes("tw-title")
        with ui.element("div").classes("tw-gallery-pair"):
            self.y, self.about_y = self._build_select("Y axis", "y")
            self.x, self.about_x = self._build_select("X axis", "x")
        options = read_options(__file__, "scatter_plot")
        options["tooltip"][":formatter"] = TIP
        self.chart = ui.echart(options, on_point_click=lambda event: on_choose(int(event.data["number"])))
        self.chart.classes("tw-points").props("data-testid=gallery-chart")
        self.chart.on("chart:mouseover", js_handler=MARK).on("chart:mouseout", js_handler=UNMARK)
        with ui.element("div").classes("tw-gallery-sort"):
            self.sort, _ = self._build_select("Sort pictures by", "sort")
            self.most_first = on_choice(ui.switch("Descending", value=True), partial(on_change, "most_first"))
            self.most_first.props("dense data-testid=gallery-most-first")

    def offer(self, names: Iterable[str], gallery: Gallery) -> tuple[str, str, str]:
        """Offer measures, and select those of the gallery that are among them.

        Return the selected ones: of the x and y axes, and of the order of the pictures.
        """
        # Until the first result of new variations, the measures of the last ones are offered.
        found = {*names} or self._found or {*DEFAULT_AXES, gallery.x, gallery.y, gallery.sort} - {UNSORTED}
        self._found = found
        offered = sorted(found, key=lambda name: (name != SWEPT_MEASURE, name))
        x = gallery.x if gallery.x in found else _choose_measure(offered, gallery.y)
        y = gallery.y if gallery.y in found else _choose_measure(offered, x)
        sort = gallery.sort if gallery.sort in found else UNSORTED
        show_value(self.most_first, gallery.most_first)
        for select, first, value in ((self.x, (), x), (self.y, (), y), (self.sort, (UNSORTED,), sort)):
            show_value(select, value, {name: self._name(name) for name in (*first, *offered)})
        self.most_first.set_visibility(sort != UNSORTED)
        self.about_x.set_text(_describe_measure(x))
        self.about_y.set_text(_describe_measure(y))
        return x, y, sort

    def show(self, points: Sequence[Point], x: str, y: str) -> None:
        """Show points with the measures `x` and `y` as coordinates; points without one of them are left out."""
        labels = {name: self._name(name) for name in (x, y)}
        names = (labels[x], labels[y]) if any(numbers for _, numbers in points) else ("", "")
        self.chart.options["xAxis"]["name"], self.chart.options["yAxis"]["name"] = names
        data = [_build_point(number, point, x, y, labels) for number, point in enumerate(points)]
        self.chart.options["series"][0]["data"] = data
        self.chart.update()

    def build_hover_handler(self, number: int, action: str) -> str:
        """Return a JavaScript handler for a point, with the action `highlight` or `downplay`."""
        target = f"{{type: '{action}', seriesIndex: 0, dataIndex: {number}}}"
        return f"() => getElement({self.chart.id})?.chart?.dispatchAction({target})"

    def _name(self, measure: str) -> str:
        return "unsorted" if measure == UNSORTED else self._label_of(measure)

    def _build_select(self, label: str, name: str) -> tuple[ui.select, ui.tooltip]:
        """Build a selection of measures and its tooltip. `offer` fills the selection."""
        select = dropdown({}, partial(self._on_change, name), f"gallery-{name}", label=label, kind=SelectByLabel)
        with select:
            return select, ui.tooltip("")


def _choose_measure(names: Sequence[str], other: str) -> str:
    """Return a default measure if available, or else any measure.

    If possible, it differs from that of the other axis.
    """
    defaults = [name for name in DEFAULT_AXES if name in names]
    return next((name for name in (*defaults, *names) if name != other), other)


def _describe_measure(name: str) -> str:
    """Return the tooltip of a measure."""
    if name in measures:
        return measures.get(name).summary
    hints = {SWEPT_MEASURE: "Value of the parameter.", UNSORTED: "In the order of seeds or values."}
    return hints.get(name, "Reported by the technique.")
