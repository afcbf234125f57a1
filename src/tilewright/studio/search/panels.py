"""Left panel of Search: what varies, the measures of the heatmap, the objective, and how long to search."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import isfinite
from typing import Any

from nicegui import ui

from ...core.registry import measures
from ..page.widgets import (
    DebouncedInput,
    FoldingSection,
    InvalidInput,
    NumberInput,
    SelectByLabel,
    dropdown,
    on_choice,
    show_value,
    write_number,
)
from ..state import State
from .heatmap import describe_measure
from .options import KNOBS, SEED, VaryOption, choose_vary, list_options
from .state import MAX_BINS, MAX_EVALUATIONS, MAX_NUMBER, MAX_SEED, MAX_VARIED, AxisState, SearchViewState, Spec

OnChange = Callable[[dict[str, Spec]], None]
MAX_PLAIN = 8
"""Maximum number of parameters of a technique that are all visible."""


class VaryRow:
    """A checkbox, and the range or the choices while it is ticked."""

    def __init__(self, option: VaryOption, on_change: Callable[[str, Spec | None], None]) -> None:
        self.option, self._on_change = option, on_change
        self._spec: Spec | None = None
        self._places: list[int] = []
        """Positions of the shown choices."""
        self._is_built = False
        self._ends: dict[str, DebouncedInput] = {}
        self._choices: ui.select | None = None
        self.test_id = f"vary-{option.path.replace('.', '-')}"
        with ui.element("div").classes("tw-vary-row"):
            self.box = on_choice(ui.checkbox(option.label), self._on_tick)
            self.box.props(f"dense data-testid={self.test_id}").classes("tw-vary-name")
            if option.description:
                self.box.tooltip(option.description)
            self.body = ui.element("div").classes("tw-vary-body")
            self.body.set_visibility(False)

    def show(self, spec: Spec | None) -> None:
        """Show the range or the choices; None if the parameter does not vary."""
        if spec == self._spec and self.box.value == (spec is not None):
            return
        self._spec = spec
        show_value(self.box, spec is not None)
        if spec is not None and self.option.kind != "plain":
            self._build()
            for end, field in self._ends.items():
                field.mark_problem("")
                field.value = write_number(spec.get(end))
            if self._choices is not None:
                places = {repr(choice): place for place, choice in enumerate(self.option.choices)}
                self._places = sorted(places[repr(value)] for value in spec.get("values", ()) if repr(value) in places)
                show_value(self._choices, self._places)
        self.body.set_visibility(spec is not None and self.option.kind != "plain")

    def _build(self) -> None:
        """Build the controls, when the row is first ticked."""
        if self._is_built:
            return
        self._is_built = True
        with self.body:
            if self.option.kind == "range":
                for end in ("from", "to"):
                    if end == "to":
                        ui.label("to").classes("tw-faint")
                    self._ends[end] = DebouncedInput(f"{self.test_id}-{end}", partial(self._on_end, end), step=1)
                    self._ends[end].props["step"] = 1 if self.option.is_integer else "any"
                    self._ends[end].props["aria-label"] = f"{self.option.label}, {end}"
            else:
                labels = {place: self.option.label_of(choice) for place, choice in enumerate(self.option.choices)}
                self._choices = on_choice(ui.select(labels, multiple=True), self._on_choices)
                self._choices.props("dense outlined options-dense").classes("tw-grow")
                self._choices.props(f'data-testid={self.test_id}-values aria-label="Choices of {self.option.label}"')

    def _on_tick(self, is_on: bool) -> None:
        self._on_change(self.option.path, self.option.spec if is_on else None)

    def _on_end(self, end: str, text: str) -> None:
        try:
            number = float(text.replace(",", ".")) if text else float(self.option.spec[end])
        except ValueError:
            raise InvalidInput("must be a number") from None
        if not isfinite(number) or abs(number) > MAX_NUMBER:
            raise InvalidInput("is too large")
        if self.option.is_integer and number != int(number):
            raise InvalidInput("must be an integer")
        if self._spec is not None:
            self._ends[end].mark_problem("")
            value: float = int(number) if self.option.is_integer else number
            self._on_change(self.option.path, {**self._spec, end: value})

    def _on_choices(self, places: list[int]) -> None:
        values = [self.option.choices[place] for place in sorted(places)]
        self._on_change(self.option.path, {"values": values} if values else None)


class VaryPanel:
    """Rows for the seed, the knobs and the parameters. Those that rarely vary are in a section that folds."""

    def __init__(self, on_change: OnChange) -> None:
        """Build the panel in the current slot. `on_change` is called with the range or choices of all ticked rows."""
        self._on_change = on_change
        self._options: list[VaryOption] = []
        self._vary: Mapping[str, Spec] = {}
        self.rows: dict[str, VaryRow] = {}
        ui.label("What varies").classes("tw-title")
        self.first = ui.element("div").classes("tw-vary")
        self.fold = FoldingSection("More parameters")
        self.fold.body.classes("tw-vary")

    def show(self, state: State) -> None:
        """Show what the search of a state varies."""
        options = list_options(state)
        self._vary = choose_vary(state, options)
        if [(one.path, one.label, one.choices) for one in options] != [
            (one.path, one.label, one.choices) for one in self._options
        ]:
            self._options = options
            self._build()
        for path, row in self.rows.items():
            row.show(self._vary.get(path))

    def _build(self) -> None:
        self.first.clear()
        self.fold.body.clear()
        self.rows = {}
        first, others = self._split()
        for element, options in ((self.first, first), (self.fold.body, others)):
            with element:
                for option in options:
                    self.rows[option.path] = VaryRow(option, self._change)
        self.fold.enable(bool(others))

    def _split(self) -> tuple[list[VaryOption], list[VaryOption]]:
        """Return the rows that are always visible and the others.

        Sizes, shapers, and parameters of a recipe with knobs or of a technique with many parameters are in the section.
        """
        has_knobs = any(one.path.startswith(KNOBS) for one in self._options)
        own = [one for one in self._options if one.path.startswith("params.") and not _is_size(one)]
        plain = {one.path for one in own} if not has_knobs and len(own) <= MAX_PLAIN else set()

        def is_first(one: VaryOption) -> bool:
            return one.path == SEED or one.path.startswith(KNOBS) or one.path in plain or one.path in self._vary

        return [one for one in self._options if is_first(one)], [one for one in self._options if not is_first(one)]

    def _change(self, path: str, spec: Spec | None) -> None:
        changed = {other: given for other, given in {**self._vary, path: spec}.items() if given is not None}
        order = [option.path for option in self._options if option.path in changed]
        self._on_change({one: changed[one] for one in order if len(changed) <= MAX_VARIED})


def _is_size(option: VaryOption) -> bool:
    return option.field is not None and option.field.group == "size"


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
            choose = partial(self._change, "bins")
            self.numbers = {
                "low": self._build_end("low", "From", label),
                "high": self._build_end("high", "To", label),
                "bins": NumberInput(f"search-{name}-bins", choose, low=1, high=MAX_BINS, label="Bins"),
            }
            self.numbers["bins"].props(f'stack-label aria-label="{label}: bins"')
            self.log = on_choice(ui.checkbox("log"), partial(self._change, "is_log"))
            self.log.props(f"dense data-testid=search-{name}-log")
            self.log.props(f'aria-label="{label}: logarithmic scale"').tooltip("Logarithmic scale")

    def show(self, axis: AxisState, names: Sequence[str]) -> None:
        """Show an axis, with the measures to choose from."""
        self.axis = axis
        _offer(self.measure, names, axis.measure)
        show_value(self.log, axis.is_log)
        for part, field in self.numbers.items():
            field.show(getattr(axis, part))
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
        self.numbers: dict[str, NumberInput] = {}
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
            self._build_number("evaluations", "Maps to make", 1, MAX_EVALUATIONS)
            self._build_number("seed", "Seed of the search", 0, MAX_SEED - 1)

    def show(self, search: SearchViewState, names: Sequence[str]) -> None:
        """Show settings, with the measures to choose from."""
        self.search = search
        for name, panel in self.axes.items():
            panel.show(search.x if name == "x" else search.y, names)
        _offer(self.objective, names, search.objective)
        _offer(self.second, names, search.second or NONE, NONE)
        show_value(self.goal, search.is_least)
        self.weight.set_visibility(bool(search.second))
        for name, field in self.numbers.items():
            field.show(getattr(search, name))

    def _build_select(self, name: str, label: str) -> ui.select:
        return dropdown({}, partial(self._change, name), f"search-{name}", label=label, kind=SelectByLabel)

    def _build_number(self, name: str, label: str, low: float, high: float, *, is_integer: bool = True) -> NumberInput:
        choose = partial(self._change, name)
        field = NumberInput(f"search-{name}", choose, low=low, high=high, is_integer=is_integer, label=label)
        self.numbers[name] = field
        return field

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
