"""Measures of the heatmap, the objective, the number of evaluations and the seed of a search."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from nicegui import events, ui

from ...core.registry import measures
from ..controls.numbers import write_number
from ..page.widgets import DebouncedInput, SelectByLabel
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
        self.measure = SelectByLabel({}, label=label, on_change=self._on_measure)
        self.measure.props(f"dense outlined options-dense data-testid=search-{name}")
        with self.measure:
            self.about = ui.tooltip("")
        with ui.element("div").classes("tw-search-axis"):
            self.low = self._build_number("low", "From", label)
            self.high = self._build_number("high", "To", label)
            self.bins = self._build_number("bins", "Bins", label)
            self.log = ui.checkbox("log", on_change=self._on_log).props(f"dense data-testid=search-{name}-log")
            self.log.props(f'aria-label="{label}: logarithmic scale"').tooltip("Logarithmic scale")

    def show(self, axis: AxisState, names: Sequence[str]) -> None:
        """Show an axis, with the measures to choose from."""
        self.axis = axis
        _offer(self.measure, names, axis.measure)
        self.log.set_value(axis.is_log)
        self.low.value, self.high.value = write_number(axis.low), write_number(axis.high)
        self.bins.value = str(axis.bins)
        self.about.set_text(measures.get(axis.measure).summary if axis.measure in measures else "")

    def _build_number(self, part: str, label: str, axis: str) -> DebouncedInput:
        field = DebouncedInput(
            f"search-{self.name}-{part}", partial(self._on_number, part), label=label, hint="auto" * (part != "bins"),
            step=1,
        )  # fmt: skip
        field.props("step=any stack-label" if part != "bins" else "stack-label")
        field.props["aria-label"] = f"{axis}: {label.lower()}"
        if part != "bins":
            field.tooltip("Range of the axis. If it is empty, the first maps determine it.")
        return field

    def _on_measure(self, event: events.ValueChangeEventArguments[Any]) -> None:
        if isinstance(event.value, str) and event.value != self.axis.measure:
            self._on_change(self.axis.replace(measure=event.value, low=None, high=None, is_log=False))

    def _on_log(self, event: events.ValueChangeEventArguments[Any]) -> None:
        if event.value != self.axis.is_log:
            self._on_change(self.axis.replace(is_log=bool(event.value)))

    def _on_number(self, part: str, text: str) -> None:
        number = read_number(text, MAX_NUMBER)
        if part == "bins":
            if number is not None and number == int(number) and 1 <= number <= MAX_BINS:
                self._on_change(self.axis.replace(bins=int(number)))
            else:
                self.bins.value = str(self.axis.bins)
        elif part == "low":
            self._on_change(self.axis.replace(low=number))
        else:
            self._on_change(self.axis.replace(high=number))


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
            self.goal = ui.select(GOALS, value=False, on_change=partial(self._on_choice, "is_least"))
            self.goal.props('dense outlined options-dense data-testid=search-goal aria-label="Most or least"')
        with ui.element("div").classes("tw-gallery-pair"):
            self.second = self._build_select("second", "Plus a second measure")
            self.weight = DebouncedInput("search-weight", self._on_weight, label="times", step=1)
            self.weight.props("step=any").tooltip("Factor of the second measure; negative to have less of it")
        ui.label("How long").classes("tw-title")
        with ui.element("div").classes("tw-gallery-pair"):
            self.evaluations = DebouncedInput("search-evaluations", self._on_evaluations, label="Maps to make", step=1)
            self.seed = DebouncedInput("search-seed", self._on_seed, label="Seed of the search", step=1)

    def show(self, search: SearchViewState, names: Sequence[str]) -> None:
        """Show settings, with the measures to choose from."""
        self.search = search
        for name, panel in self.axes.items():
            panel.show(search.x if name == "x" else search.y, names)
        _offer(self.objective, names, search.objective)
        _offer(self.second, names, search.second or NONE, NONE)
        self.goal.set_value(search.is_least)
        self.weight.set_visibility(bool(search.second))
        self.weight.value = write_number(search.weight)
        self.evaluations.value, self.seed.value = str(search.evaluations), str(search.seed)

    def _build_select(self, name: str, label: str) -> ui.select:
        select = SelectByLabel({}, label=label, on_change=partial(self._on_choice, name))
        return select.props(f"dense outlined options-dense data-testid=search-{name}")

    def _on_choice(self, name: str, event: events.ValueChangeEventArguments[Any]) -> None:
        value = "" if event.value == NONE else event.value
        if value is not None and value != getattr(self.search, name):
            self._on_change(**{name: value})

    def _on_weight(self, text: str) -> None:
        number = read_number(text, MAX_NUMBER)
        self._commit(self.weight, "weight", number if number else None)

    def _on_evaluations(self, text: str) -> None:
        number = read_number(text, MAX_EVALUATIONS)
        is_valid = number is not None and number == int(number) and number >= 1
        self._commit(self.evaluations, "evaluations", int(number or 0) if is_valid else None)

    def _on_seed(self, text: str) -> None:
        number = read_number(text, MAX_SEED - 1)
        is_valid = number is not None and number == int(number) and number >= 0
        self._commit(self.seed, "seed", int(number or 0) if is_valid else None)

    def _commit(self, field: DebouncedInput, name: str, value: Any) -> None:
        """Change a setting; None restores its value in the field."""
        if value is None:
            field.value = write_number(getattr(self.search, name))
        else:
            self._on_change(**{name: value})


def read_number(text: str, limit: float) -> float | None:
    """Return the number in a string, or None if there is none or its absolute value exceeds the limit."""
    try:
        number = float(text.replace(",", "."))
    except ValueError:
        return None
    return number if abs(number) <= limit else None


def _offer(select: ui.select, names: Sequence[str], value: str, *first: str) -> None:
    """Set the options of a selection and its value."""
    options = {name: describe_measure(name) for name in dict.fromkeys((*first, *names, *([value] if value else [])))}
    if options != select.options or select.value != (value or None):
        select.set_options(options, value=value or None)
