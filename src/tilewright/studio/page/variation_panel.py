"""What varies in the gallery: the seed, or a knob from one end to the other; and the controls that choose it."""

from __future__ import annotations

from functools import partial
from typing import Any

from nicegui import events, ui

from ..session import Session
from ..state import State
from .controls.numbers import InvalidInput, read_number, write_number
from .debounced_input import DebouncedInput
from .variations import Knob, find_swept_knob, format_value, list_knobs


class VariationPanel:
    """Seed or knob, which knob, from where to where, with which seeds."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.knob: Knob | None = None
        """The one that is swept, or would be."""
        self._is_showing = False
        ui.label("What varies").classes("tw-title")
        self.what = ui.toggle({"seed": "The seed", "knob": "A knob"}, on_change=partial(self._on_choice, "what"))
        self.what.props("dense no-caps unelevated spread data-testid=gallery-what").classes("tw-toggle")
        with ui.element("div").classes("tw-gallery-knob") as self.knob_panel:
            self.knobs = ui.select({}, label="Knob", on_change=self._on_knob_change)
            self.knobs.props("dense outlined options-dense data-testid=gallery-knob")
            with ui.element("div").classes("tw-gallery-pair") as self.pair:
                self.ends = {
                    "low": self._build_end("gallery-from", "low", "From"),
                    "high": self._build_end("gallery-to", "high", "To"),
                }
            self.values_label = ui.label("").classes("tw-faint").props("data-testid=gallery-words")
            self.same_seed = ui.switch("The same seed for all", on_change=partial(self._on_choice, "same_seed"))
            self.same_seed.props("dense data-testid=gallery-same-seed")

    def show(self, state: State) -> None:
        """Show what is chosen, as far as this state has it."""
        gallery, self.knob = state.gallery, find_swept_knob(state)
        labels = {knob.key: knob.label for knob in list_knobs(state)}
        key = None if self.knob is None else self.knob.key
        self._is_showing = True
        try:
            self.what.set_value(gallery.what)
            if labels != self.knobs.options or key != self.knobs.value:
                self.knobs.set_options(labels, value=key)
            self.same_seed.set_value(gallery.same_seed)
        finally:
            self._is_showing = False
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
            self.values_label.set_text(", ".join(format_value(value) for value in self.knob.list_values(0, 0)))

    def _build_end(self, test_id: str, end: str, label: str) -> DebouncedInput:
        typed = partial(self._on_end_input, end)
        return DebouncedInput(test_id, typed, label=label, step=1, on_cancel=lambda: self.show(self.session.state))

    def _on_choice(self, name: str, event: events.ValueChangeEventArguments[Any]) -> None:
        """A person has chosen something."""
        if not self._is_showing and event.value is not None:
            self.session.change_gallery(**{name: event.value})

    def _on_knob_change(self, event: events.ValueChangeEventArguments[Any]) -> None:
        """Another knob: from one end of what is typical to the other."""
        if not self._is_showing and event.value is not None:
            self.session.change_gallery(knob=event.value, low=None, high=None)

    def _on_end_input(self, end: str, text: str) -> None:
        """From or to somewhere else; an emptied box means where it usually begins or ends."""
        if self.knob is None:
            return
        try:
            number = read_number(text, self.knob.field) if text else None
        except InvalidInput as rubbish:
            self._mark_problem(end, str(rubbish))
            return
        ends = dict(zip(self.ends, self.knob.choose_range(self.session.state.gallery), strict=True)) | {end: number}
        usual = dict(zip(self.ends, self.knob.span, strict=True))
        given = {name: None if found == usual[name] else found for name, found in ends.items()}
        self.session.change_gallery(knob=self.knob.key, **given)
        self.show(self.session.state)  # also where nothing has changed but what stands in the box

    def _mark_problem(self, end: str, problem: str) -> None:
        """Tell what is wrong with what was typed; "" where all is well."""
        box = self.ends[end]
        if box.props.get("error-message", "") != problem:
            box.props["error"], box.props["error-message"] = bool(problem), problem
