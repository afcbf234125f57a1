"""Controls for what the gallery varies: the seed, or a parameter and its range."""

from __future__ import annotations

from functools import partial

from nicegui import ui

from ..controls.numbers import InvalidInput, read_number
from ..page.widgets import DebouncedInput, dropdown, on_choice, show_value, write_number
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
        ui.label("What varies").classes("tw-title")
        self.what = on_choice(ui.toggle(KINDS), lambda what: session.change_gallery(what=what))
        self.what.props("dense no-caps unelevated spread data-testid=gallery-what").classes("tw-toggle")
        with ui.element("div").classes("tw-gallery-knob") as self.knob_panel:
            self.knobs = dropdown({}, self._choose_knob, "gallery-knob", label="Parameter")
            with ui.element("div").classes("tw-gallery-pair") as self.pair:
                self.ends = {
                    "low": self._build_end("gallery-from", "low", "From"),
                    "high": self._build_end("gallery-to", "high", "To"),
                }
            self.values_label = ui.label("").classes("tw-faint").props("data-testid=gallery-words")
            same_seed = ui.switch("Same seed for all")
            self.same_seed = on_choice(same_seed, lambda is_same: session.change_gallery(same_seed=is_same))
            self.same_seed.props("dense data-testid=gallery-same-seed")

    def show(self, state: State) -> None:
        """Show the settings of a state."""
        gallery, self.knob = state.gallery, find_swept_knob(state)
        labels = {knob.key: knob.label for knob in list_knobs(state)}
        key = None if self.knob is None else self.knob.key
        has_found = bool(list_found(state))
        kinds = {**KINDS, "found": "Found"} if has_found else KINDS
        what = "seed" if gallery.what == "found" and not has_found else gallery.what
        show_value(self.what, what, kinds)
        show_value(self.knobs, key, labels)
        show_value(self.same_seed, gallery.same_seed)
        is_number = self.knob is not None and self.knob.is_number
        self.knob_panel.set_visibility(gallery.what == "knob")
        self.pair.set_visibility(is_number)
        self.values_label.set_visibility(not is_number)
        if self.knob is not None and is_number:
            for box, number in zip(self.ends.values(), self.knob.choose_range(gallery), strict=True):
                box.mark_problem("")
                box.value = write_number(number)
                box.props["step"] = self.knob.field.step
        elif self.knob is not None:
            self.values_label.set_text(", ".join(format_param(value) for value in self.knob.list_values(0, 0)))

    def _build_end(self, test_id: str, end: str, label: str) -> DebouncedInput:
        on_commit = partial(self._on_end_input, end)
        return DebouncedInput(test_id, on_commit, label=label, step=1, on_cancel=lambda: self.show(self.session.state))

    def _choose_knob(self, key: str) -> None:
        """Select another parameter, with its usual range."""
        self.session.change_gallery(knob=key, low=None, high=None)

    def _on_end_input(self, end: str, text: str) -> None:
        """Change one end of the range. An empty field restores the default."""
        if self.knob is None:
            return
        try:
            number = read_number(text, self.knob.field) if text else None
        except InvalidInput as error:
            self.ends[end].mark_problem(str(error))
            return
        ends = dict(zip(self.ends, self.knob.choose_range(self.session.state.gallery), strict=True)) | {end: number}
        default = dict(zip(self.ends, self.knob.span, strict=True))
        given = {name: None if found == default[name] else found for name, found in ends.items()}
        self.session.change_gallery(knob=self.knob.key, **given)
        self.show(self.session.state)  # This is also needed if only the text of the field has changed.
