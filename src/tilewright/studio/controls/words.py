"""Text controls: switches, choices, strings, and JSON for values without a control of their own."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from nicegui import ui

from ...core.notation import read_part
from ...core.tilesets import tilesets
from .control import Control, list_names, select, swatch
from .numbers import ControlInput, InvalidInput

MAX_BUTTON_LETTERS = 26
"""Maximum number of characters of all choices to show them as buttons."""
AUTO = "auto"


class SwitchControl(Control):
    """On or off; with a default of None: auto, on or off."""

    def build(self) -> None:
        self._toggle: ui.toggle | None = None
        if self.field.nullable:
            options = {AUTO: self.empty_label or AUTO, "on": "on", "off": "off"}
            self._toggle = _build_toggle(options, self._on_choice, self.binding.test_id)
        else:
            self._switch = ui.switch(on_change=lambda event: self.send(bool(event.value))).props("dense")
            self._switch.props["data-testid"] = self.binding.test_id
            self._switch.props["aria-label"] = self.field.label

    def draw(self, value: Any) -> None:
        if self._toggle is not None:
            self._toggle.value = AUTO if value is None else "on" if value else "off"
        else:
            self._switch.value = bool(value)

    def _on_choice(self, word: Any) -> None:
        if word in ("on", "off"):
            self.send(word == "on")
        else:
            self.clear()


class ChoiceControl(Control):
    """One of several choices: buttons if they are short, else a drop-down list."""

    def build(self) -> None:
        options = {json.dumps(option): self.field.label_of(option) for option in self.field.choices}
        if self.field.nullable:
            options = {AUTO: self.empty_label or AUTO, **options}
        self._options = options
        is_short = len(options) <= 4 and sum(map(len, options.values())) + 3 * len(options) <= MAX_BUTTON_LETTERS
        self._element: ui.toggle | ui.select
        if is_short and not self.is_small:
            self._element = _build_toggle(options, self._on_choice, self.binding.test_id)
        else:
            self._element = select(options, self._on_choice, self.binding.test_id)

    def draw(self, value: Any) -> None:
        word = AUTO if value is None and self.field.nullable else json.dumps(value, default=str)
        self._element.value = word if word in self._options else None

    def _on_choice(self, word: Any) -> None:
        if self._is_showing or word is None:
            return
        if word == AUTO and self.field.nullable:
            self.clear()
        else:
            self.send(json.loads(word))


def _build_toggle(options: dict[str, str], on_choose: Callable[[Any], None], test_id: str) -> ui.toggle:
    toggle = ui.toggle(options, on_change=lambda event: on_choose(event.value))
    toggle.props("dense unelevated no-caps padding='0 8px' toggle-color=primary toggle-text-color=tc-on")
    toggle.props["data-testid"] = test_id
    return toggle.classes("tc-toggle")


class TextControl(Control):
    """A string; names of tiles are shown with their color."""

    def build(self) -> None:
        with ui.element("div").classes("tc-line"):
            self._swatch = ui.html("", sanitize=False) if self.field.tiles else None
            self._box = ControlInput(self, self._on_input).classes("tc-long")
            if self.field.suggestions:
                self._box.set_autocomplete([tile.name for tile in tilesets.get(self.field.suggestions)])

    def draw(self, value: Any) -> None:
        self._box.value = "" if value is None else str(value)
        if self._swatch is not None:
            self._swatch.content = swatch(self.context.find_color(value))

    def retile(self) -> None:
        if self._swatch is not None:
            self._swatch.content = swatch(self.context.find_color(self.value))

    def _on_input(self, text: str) -> None:
        if not text and self.field.default != "":
            self.clear()
        else:
            self.send(text)


class NamesControl(Control):
    """The name of an item of another list, such as a neighborhood."""

    shows_tiles = True

    def build(self) -> None:
        self._select = select({}, self._on_choice, self.binding.test_id)

    def draw(self, value: Any) -> None:
        names = list_names(self.context.root(self.field.names_of))
        self._select.set_options([*names, *([value] if value not in names else [])], value=value)

    def _on_choice(self, name: Any) -> None:
        if not self._is_showing and name is not None:
            self.send(name)


class JsonControl(Control):
    """JSON text for values without a control of their own. Where strings are valid, other text is a string."""

    is_wide = True

    def build(self) -> None:
        self._box = ControlInput(self, self._on_input, hint=self.empty_label or "JSON")
        self._box.props("type=textarea autogrow").classes("tc-long tc-code")

    def draw(self, value: Any) -> None:
        is_plain = isinstance(value, str) and self._allows_text and read_part(value) == value
        plain = value if is_plain else json.dumps(value, ensure_ascii=False, default=str)
        self._box.value = "" if value is None else plain

    @property
    def _allows_text(self) -> bool:
        return "string" in self.field.types

    def _on_input(self, text: str) -> None:
        if not text:
            self.clear()
            return
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            if not self._allows_text:
                raise InvalidInput(f"must be JSON: {str(error)[:80]}") from None
            value = text
        self.send(value)
