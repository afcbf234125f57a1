"""Measures of the gallery: the axes of the scatter plot, and the order of the pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from nicegui import events, ui

from ...core.registry import measures
from ..page.widgets import SelectByLabel
from .scatter_plot import ScatterPlot
from .state import Gallery
from .variations import SWEPT_MEASURE

DEFAULT_AXES = (Gallery().x, Gallery().y)
"""Default measures of the axes."""
UNSORTED = Gallery().sort


class GalleryAxes:
    """Scatter plot with the choice of its measures, and the choice of the measure that sorts the pictures."""

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
        self._is_showing = False
        ui.label("Scatter plot").classes("tw-title")
        with ui.element("div").classes("tw-gallery-pair"):
            self.y, self.about_y = self._build_select("Y axis", "y")
            self.x, self.about_x = self._build_select("X axis", "x")
        self.plot = ScatterPlot(on_choose)
        with ui.element("div").classes("tw-gallery-sort"):
            self.sort, _ = self._build_select("Sort pictures by", "sort")
            self.most_first = ui.switch("Descending", value=True, on_change=partial(self._on_choice, "most_first"))
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
        self._is_showing = True
        try:
            self.most_first.set_value(gallery.most_first)
            for select, first, value in ((self.x, (), x), (self.y, (), y), (self.sort, (UNSORTED,), sort)):
                options = {name: self._name(name) for name in (*first, *offered)}
                if options != select.options or select.value != value:
                    select.set_options(options, value=value)
        finally:
            self._is_showing = False
        self.most_first.set_visibility(sort != UNSORTED)
        self.about_x.set_text(_describe_measure(x))
        self.about_y.set_text(_describe_measure(y))
        return x, y, sort

    def show(self, points: Sequence[tuple[str, Mapping[str, float]]], x: str, y: str) -> None:
        """Show the numbers of variations, each with its caption, as points."""
        self.plot.show(points, x, y, {name: self._name(name) for name in (x, y)})

    def _name(self, measure: str) -> str:
        return "unsorted" if measure == UNSORTED else self._label_of(measure)

    def _build_select(self, label: str, name: str) -> tuple[ui.select, ui.tooltip]:
        """Build a selection of measures and its tooltip. `offer` fills the selection."""
        select = SelectByLabel({}, label=label, on_change=partial(self._on_choice, name))
        select.props(f"dense outlined options-dense data-testid=gallery-{name}")
        with select:
            return select, ui.tooltip("")

    def _on_choice(self, name: str, event: events.ValueChangeEventArguments[Any]) -> None:
        if not self._is_showing and event.value is not None:
            self._on_change(name, event.value)


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
    return {SWEPT_MEASURE: "Value of the parameter.", UNSORTED: "In the order of seeds or values."}.get(
        name, "Reported by the technique."
    )
