"""Card with one technique's map in the style of the sample and its similarity to the sample."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from math import log10
from typing import Any

from nicegui import ui

from ...core.errors import GaveUp, TilewrightError
from ...core.measure_groups import format_value
from ...core.registry import measures, techniques
from ..map.measures import format_seconds
from ..page.map_card import MapCard
from ..page.widgets import Message, labeled_button, on_choice, show_value
from .state import SampleState, find_by_example
from .trial import FitnessCurve, Suggestion, TrialPreview, TrialResult

MAX_DIVERGENCE = 12.0
"""Divergence that fills the bar; maps unlike the sample have about this value."""
MIN_DIVERGENCE = 0.001
"""Minimum divergence in the chart; lower values are drawn as this one."""
ROWS = {
    "divergence": ("divergence", "Lower is closer to the sample."),
    "novelty": ("sample_distance", "0 % is a copy."),
    "patterns": ("copied_share", "Patterns are 3x3 cells; all patterns of wfc are from the sample."),
}
"""Label of a row, its measure, and an explanation."""


class TrialCard(MapCard):
    """Result of a technique for the sample."""

    def __init__(
        self,
        technique: str,
        *,
        on_knob: Callable[[str, Any], None],
        on_continue: Callable[[dict[str, Any]], None],
        on_suggestion: Callable[[SampleState], None],
    ) -> None:
        """Build the card.

        `on_knob` is called with the name and value of a parameter, `on_continue` with the recipe of the map, and
        `on_suggestion` with the changed example of a suggestion.
        """
        self.technique, self._on_continue, self._on_suggestion = technique, on_continue, on_suggestion
        self._outcome: TrialResult | None = None
        self._sprites = True
        super().__init__(f"card-{technique}", style="tw-example-card tw-card")
        self.picture.props(f"data-testid=picture-{technique}")
        self.note.classes("tw-bad").props(f"role=status data-testid=line-{technique}")
        with self.frame:
            self.suggestions = ui.element("div").classes("tw-example-ways")
            self.progress = ui.element("div").classes("tw-example-progress")
        with self.element, ui.element("div").classes("tw-example-facts"):
            with ui.element("div").classes("tw-row"):
                ui.label(technique).classes("tw-example-name").tooltip(techniques.get(technique).summary)
                self.state = ui.label("waiting").classes("tw-faint tw-grow").props(f"data-testid=state-{technique}")
                self.continue_button = ui.button("Continue", icon="arrow_forward", on_click=self._continue)
                self.continue_button.props(f"dense flat no-caps size=sm data-testid=continue-{technique}")
                self.continue_button.props(f'aria-label="Continue with the map of {technique}"')
                self.continue_button.tooltip("Open this map in Make, with all parameters, painting and locks")
            self.warning = Message(f"warning-{technique}")
            self.knobs = Knobs(technique, on_knob)
            self._build_rows()
            self.chart = ui.html("", sanitize=False).classes("tw-example-chart")
            self.chart.props(f"data-testid=fitness-{technique}").tooltip("Divergence from the sample during generation")
        self.chart.set_visibility(False)
        self.continue_button.set_enabled(False)

    def _build_rows(self) -> None:
        self.numbers: dict[str, ui.label] = {}
        self.bars: dict[str, ui.element] = {}
        with ui.element("div").classes("tw-example-rows") as self.rows:
            for word, (measure, reading) in ROWS.items():
                with ui.element("div").classes("tw-example-row"):
                    ui.tooltip(f"{measures.get(measure).summary} {reading}")
                    ui.label(word).classes("tw-faint")
                    with ui.element("div").classes("tw-example-bar"):
                        self.bars[word] = ui.element("i").classes(f"tw-example-{word}")
                    self.numbers[word] = ui.label("–").props(f"data-testid={word}-{self.technique}")

    # -- progress -----------------------------------------------------------------------------------------------

    def start(self) -> None:
        """Show that a job was submitted."""
        self.state.set_text("working")
        self.progress.style("width: 0%")
        for part in (self.picture, self.rows, self.chart):
            part.classes(add="tw-example-old")

    def show_preview(self, preview: TrialPreview) -> None:
        """Show the map in progress."""
        self.state.set_text(f"working, {100 * preview.progress:.0f} %" if preview.progress is not None else "working")
        self.progress.style(f"width: {100 * (preview.progress or 0):.0f}%")
        self._show(preview.picture, sprites=False)
        self._draw(preview.curve)

    def finish(self, outcome: TrialResult) -> None:
        """Show the finished map."""
        self._outcome = outcome
        self.state.set_text(f"done in {format_seconds(outcome.seconds)}")
        self.progress.style("width: 0%")
        self._show_outcome(outcome)
        self.warning.show("; ".join(outcome.warnings))
        self._draw(outcome.curve)
        for word, (measure, _) in ROWS.items():
            number = outcome.numbers.get(measure)
            share = None if number is None else number / MAX_DIVERGENCE if word == "divergence" else number
            self._fill(word, share, "–" if number is None else _format_measure(word, number))
        self.rows.classes(remove="tw-example-old")
        self.continue_button.set_enabled(True)

    def fail(self, error: TilewrightError, suggestions: list[Suggestion]) -> None:
        """Show an error and suggestions."""
        self._outcome = None
        self.state.set_text("gave up" if isinstance(error, GaveUp) else "not possible")
        self.progress.style("width: 0%")
        self.show_note(str(error))
        self.suggestions.clear()
        with self.suggestions:
            for number, (name, example) in enumerate(suggestions):
                suggest, test_id = partial(self._on_suggestion, example), f"way-{self.technique}-{number}"
                labeled_button(name, None, suggest, test_id, "dense outline size=sm", color="primary")
        self.warning.show("")
        self._draw(())
        for word in ROWS:
            self._fill(word, None, "–")
        self.continue_button.set_enabled(False)

    def set_sprites(self, *, sprites: bool) -> None:
        """Show the map with sprites or colors."""
        if sprites != self._sprites:
            self._sprites = sprites
            if self._outcome is not None:
                self._show_outcome(self._outcome)

    # -- details ------------------------------------------------------------------------------------------------

    def _continue(self) -> None:
        if self._outcome is not None:
            self._on_continue(self._outcome.recipe)

    def _show_outcome(self, outcome: TrialResult) -> None:
        in_sprites = self._sprites and outcome.sprites != outcome.flat
        self._show(outcome.sprites if in_sprites else outcome.flat, sprites=in_sprites)

    def _show(self, picture: str, *, sprites: bool) -> None:
        self.show_picture(picture)
        self.note.set_text("")
        self.picture.classes(remove="tw-example-old tw-example-flat", add="" if sprites else "tw-example-flat")

    def _fill(self, word: str, share: float | None, text: str) -> None:
        self.numbers[word].set_text(text)
        self.bars[word].style(f"width: {100 * min(1.0, share or 0):.0f}%")

    def _draw(self, curve: FitnessCurve) -> None:
        self.chart.set_visibility(len(curve) > 1)
        if len(curve) > 1:
            self.chart.classes(remove="tw-example-old")
            self.chart.set_content(render_fitness_curve(curve))


def render_fitness_curve(curve: FitnessCurve) -> str:
    """Return a small chart of the fitness as HTML, with its first and last value.

    The vertical axis is logarithmic, because most of the decrease is at the start.
    """
    heights = [log10(max(value, MIN_DIVERGENCE)) for _, value in curve]
    low, high = min(heights) - 0.05, max(heights)
    points = [(100 * done, 2 + 36 * (high - at) / (high - low)) for (done, _), at in zip(curve, heights, strict=True)]
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    (_, first), (_, last) = curve[0], curve[-1]
    return (
        '<svg viewBox="0 0 100 40" preserveAspectRatio="none" role="img" aria-label="fitness during generation">'
        f'<polygon points="{points[0][0]:.1f},40 {line} {points[-1][0]:.1f},40"/><polyline points="{line}"/></svg>'
        f"<span>{first:.1f}</span><b>{last:.2f}</b>"
    )


def _format_measure(word: str, number: float) -> str:
    return format_value(number) if word == "divergence" else f"{100 * number:.0f} %"


class Knobs:
    """Selections of one technique. `on_change` is called with a name and a value; None means the default."""

    def __init__(self, technique: str, on_change: Callable[[str, Any], None]) -> None:
        self.technique, self._on_change = technique, on_change
        fields, shown_settings = techniques.get(technique).params.model_fields, find_by_example(technique)
        offered = shown_settings.knobs
        defaults = {name: shown_settings.defaults.get(name, fields[name].default) for name in offered}
        self._defaults = {name: json.dumps(default) for name, default in defaults.items()}
        self._selects: dict[str, ui.select] = {}
        self._options: dict[str, dict[str, str]] = {}
        with ui.element("div").classes("tw-example-knobs"):
            for name, values in offered.items():
                default = defaults[name]
                shown = values if default in values else (default, *values)
                self._options[name] = {json.dumps(value): format_knob_value(value) for value in shown}
                with ui.element("label").classes("tw-example-knob"):
                    ui.tooltip(fields[name].description or "")
                    ui.label(name.replace("_", " ")).classes("tw-faint")
                    select = ui.select(self._options[name], value=self._defaults[name])
                    self._selects[name] = on_choice(select, partial(self._on_choice, name))
                    select.props(f"dense borderless options-dense data-testid=knob-{technique}-{name}")

    def refresh(self, example: SampleState) -> None:
        own = example.knobs.get(self.technique, {})
        for name, select in self._selects.items():
            value = json.dumps(own[name]) if name in own else self._defaults[name]
            known = self._options[name]
            show_value(select, value, known if value in known else {**known, value: value[:20]})

    def _on_choice(self, name: str, value: str | None) -> None:
        if value is not None:
            self._on_change(name, None if value == self._defaults[name] else json.loads(value))


def format_knob_value(value: Any) -> str:
    """Return a value as short text: `default`, `yes`, `100 k`, `2 and 3`."""
    if value is None or isinstance(value, bool):
        return {None: "default", False: "no", True: "yes"}[value]
    if isinstance(value, (list, tuple)):
        return " and ".join(map(format_knob_value, value))
    for unit, size in (("M", 1_000_000), ("k", 1000)):
        if isinstance(value, int) and value >= size and value % size == 0:
            return f"{value // size} {unit}"
    return f"{value:g}" if isinstance(value, float) else str(value)
