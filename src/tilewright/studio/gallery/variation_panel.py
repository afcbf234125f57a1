"""Controls for what the gallery varies: the seed, or a parameter and its range."""

from __future__ import annotations

from functools import partial
from typing import Any

from nicegui import events, ui

from ..controls.numbers import InvalidInput, read_number, write_number
from ..page.widgets import DebouncedInput
from ..session import Session
from ..state import State
from .variations import Knob, find_swept_knob, format_param, list_found, list_knobs

KINDS = {"seed": "Seed", "knob": "Parameter"}


class VariationPanel:
    """Selection of the seed or a parameter, its range, and whether all maps have the same seed."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.knob: Knob | None = None
        """The selected parameter."""
        self._shown: dict[str, Any] = {}
        """Shown values by the name of the setting."""
        ui.label("What varies").classes("tw-title")
        self.what = ui.toggle(KINDS, on_change=partial(self._on_choice, "what"))
        self.what.props("dense no-caps unelevated spread data-testid=gallery-what").classes("tw-toggle")
        with ui.element("div").classes("tw-gallery-knob") as self.knob_panel:
            self.knobs = ui.select({}, label="Parameter", on_change=self._on_knob_change)
            self.knobs.props("dense outlined options-dense data-testid=gallery-knob")
            with ui.element("div").classes("tw-gallery-pair") as self.pair:
                self.ends = {
                    "low": self._build_end("gallery-from", "low", "From"),
                    "high": self._build_end("gallery-to", "high", "To"),
                }
            self.values_label = ui.label("").classes("tw-faint").props("data-testid=gallery-words")
            self.same_seed = ui.switch("Same seed for all", on_change=partial(self._on_choice, "same_seed"))
            self.same_seed.props("dense data-testid=gallery-same-seed")

    def show(self, state: State) -> None:
        """Show the settings of a state."""
        gallery, self.knob = state.gallery, find_swept_knob(state)
        labels = {knob.key: knob.label for knob in list_knobs(state)}
        key = None if self.knob is None else self.knob.key
        has_found = bool(list_found(state))
        kinds = {**KINDS, "found": "Found"} if has_found else KINDS
        what = "seed" if gallery.what == "found" and not has_found else gallery.what
        self._shown = {"what": what, "knob": key, "same_seed": gallery.same_seed}
        if kinds != self.what.options:
            self.what.set_options(kinds, value=what)
        self.what.set_value(what)
        if labels != self.knobs.options or key != self.knobs.value:
            self.knobs.set_options(labels, value=key)
        self.same_seed.set_value(gallery.same_seed)
        is_number = self.knob is not None and self.knob.is_number
        self.knob_panel.set_visibility(gallery.what == "knob")
        self.pair.set_visibility(is_number)
        self.values_label.set_visibility(not is_number)
        if self.knob is not None and is_number:
            for (end, box), number in zip(self.ends.items(), self.knob.choose_range(gallery), strict=True):
                self._mark_problem(end, "")
                box.value = write_number(number)
                box.props["step"] = self.knob.field.step
        elif self.knob is not None:
            self.values_label.set_text(", ".join(format_param(value) for value in self.knob.list_values(0, 0)))

    def _build_end(self, test_id: str, end: str, label: str) -> DebouncedInput:
        on_commit = partial(self._on_end_input, end)
        return DebouncedInput(test_id, on_commit, label=label, step=1, on_cancel=lambda: self.show(self.session.state))

    def _on_choice(self, name: str, event: events.ValueChangeEventArguments[Any]) -> None:
        """Handle a choice of the user."""
        if event.value not in (None, self._shown.get(name)):
            self.session.change_gallery(**{name: event.value})

    def _on_knob_change(self, event: events.ValueChangeEventArguments[Any]) -> None:
        """Select another parameter, with its usual range."""
        if event.value not in (None, self._shown.get("knob")):
            self.session.change_gallery(knob=event.value, low=None, high=None)

    def _on_end_input(self, end: str, text: str) -> None:
        """Change one end of the range. An empty field restores the default."""
        if self.knob is None:
            return
        try:
            number = read_number(text, self.knob.field) if text else None
        except InvalidInput as error:
            self._mark_problem(end, str(error))
            return
        ends = dict(zip(self.ends, self.knob.choose_range(self.session.state.gallery), strict=True)) | {end: number}
        default = dict(zip(self.ends, self.knob.span, strict=True))
        given = {name: None if found == default[name] else found for name, found in ends.items()}
        self.session.change_gallery(knob=self.knob.key, **given)
        self.show(self.session.state)  # This is also needed if only the text of the field has changed.

    def _mark_problem(self, end: str, problem: str) -> None:
        """Show a problem of an input. An empty string clears it."""
        box = self.ends[end]
        if box.props.get("error-message", "") != problem:
            box.props["error"], box.props["error-message"] = bool(problem), problem
