"""Measures of the heatmap, the objective, the number of evaluations and the seed of a search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from nicegui import ui

from ...core.registry import measures
from ..page.widgets import NumberInput, SelectByLabel, dropdown, on_choice, show_value
from .heatmap import describe_measure
from .state import MAX_BINS, MAX_EVALUATIONS, MAX_NUMBER, MAX_SEED, AxisState, SearchViewState

NONE = "none"
"""Choice of no second measure."""
GOALS = {False: "highest", True: "lowest"}


class AxisPanel:
    """The measure of an axis, its range, the number of bins and the scale."""

    def __init__(self, name: str, label: str, on_change: Callable[[AxisState], None]) -> None:
        self.name, self._on_change = name, on_change
        self.axis = AxisState()
        self.measure = dropdown({}, self._choose_measure, f"search-{name}", label=label, kind=SelectByLabel)
        with self.measure:
            self.about = ui.tooltip("")
        with ui.element("div").classes("tw-search-axis"):
            self.low, self.high = self._build_end("low", "From", label), self._build_end("high", "To", label)
            self.bins = NumberInput(
                f"search-{name}-bins", partial(self._change, "bins"), low=1, high=MAX_BINS, label="Bins"
            )
            self.bins.props(f'stack-label aria-label="{label}: bins"')
            self.log = on_choice(ui.checkbox("log"), partial(self._change, "is_log"))
            self.log.props(f"dense data-testid=search-{name}-log")
            self.log.props(f'aria-label="{label}: logarithmic scale"').tooltip("Logarithmic scale")

    def show(self, axis: AxisState, names: Sequence[str]) -> None:
        """Show an axis, with the measures to choose from."""
        self.axis = axis
        _offer(self.measure, names, axis.measure)
        show_value(self.log, axis.is_log)
        for field, number in ((self.low, axis.low), (self.high, axis.high), (self.bins, axis.bins)):
            field.show(number)
        self.about.set_text(measures.get(axis.measure).summary if axis.measure in measures else "")

    def _build_end(self, part: str, label: str, axis: str) -> NumberInput:
        field = NumberInput(
            f"search-{self.name}-{part}",
            partial(self._change, part),
            low=-MAX_NUMBER,
            high=MAX_NUMBER,
            is_integer=False,
            label=label,
            hint="auto",
        )
        field.props(f'stack-label aria-label="{axis}: {label.lower()}"')
        return field.tooltip("Range of the axis. If it is empty, the first maps determine it.")

    def _choose_measure(self, measure: str) -> None:
        self._on_change(self.axis.replace(measure=measure, low=None, high=None, is_log=False))

    def _change(self, part: str, value: float | bool | None) -> None:
        self._on_change(self.axis.replace(**{part: value}))


class MeasurePanel:
    """Both axes, the objective, and how long to search."""

    def __init__(self, on_change: Callable[..., None]) -> None:
        """Build the panel in the current slot. `on_change` is called with the changed settings as keywords."""
        self._on_change = on_change
        self.search = SearchViewState()
        ui.label("Show all combinations of").classes("tw-title")
        self.axes = {
            name: AxisPanel(name, label, lambda axis, name=name: on_change(**{name: axis}))  # type: ignore[misc]
            for name, label in (("x", "Across"), ("y", "Up"))
        }
        ui.label("Best map of each combination").classes("tw-title")
        with ui.element("div").classes("tw-gallery-pair"):
            self.objective = self._build_select("objective", "Measure")
            choose = partial(self._change, "is_least")
            self.goal = dropdown(GOALS, choose, "search-goal", value=False, name="Most or least")
        with ui.element("div").classes("tw-gallery-pair"):
            self.second = self._build_select("second", "Plus a second measure")
            self.weight = self._build_number("weight", "times", -MAX_NUMBER, MAX_NUMBER, is_integer=False)
            self.weight.tooltip("Factor of the second measure; negative to have less of it")
        ui.label("How long").classes("tw-title")
        with ui.element("div").classes("tw-gallery-pair"):
            self.evaluations = self._build_number("evaluations", "Maps to make", 1, MAX_EVALUATIONS)
            self.seed = self._build_number("seed", "Seed of the search", 0, MAX_SEED - 1)

    def show(self, search: SearchViewState, names: Sequence[str]) -> None:
        """Show settings, with the measures to choose from."""
        self.search = search
        for name, panel in self.axes.items():
            panel.show(search.x if name == "x" else search.y, names)
        _offer(self.objective, names, search.objective)
        _offer(self.second, names, search.second or NONE, NONE)
        show_value(self.goal, search.is_least)
        self.weight.set_visibility(bool(search.second))
        for field, number in (
            (self.weight, search.weight),
            (self.evaluations, search.evaluations),
            (self.seed, search.seed),
        ):
            field.show(number)

    def _build_select(self, name: str, label: str) -> ui.select:
        return dropdown({}, partial(self._change, name), f"search-{name}", label=label, kind=SelectByLabel)

    def _build_number(self, name: str, label: str, low: float, high: float, *, is_integer: bool = True) -> NumberInput:
        choose = partial(self._change, name)
        return NumberInput(f"search-{name}", choose, low=low, high=high, is_integer=is_integer, label=label)

    def _change(self, name: str, value: Any) -> None:
        """Change a setting. The factor 0 would remove the second measure."""
        if name == "weight" and value == 0:
            self.weight.show(self.search.weight)
        else:
            self._on_change(**{name: "" if value == NONE else value})


def _offer(select: ui.select, names: Sequence[str], value: str, *first: str) -> None:
    """Set the options of a selection and its value."""
    options = dict.fromkeys((*first, *names, *([value] if value else [])))
    show_value(select, value or None, {name: describe_measure(name) for name in options})
