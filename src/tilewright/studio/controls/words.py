"""Text controls: switches, choices, strings, tiles and lists of them, and JSON for values without a control."""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments

from ...core.fields import UNSET
from ...core.notation import read_part
from ...core.tilesets import tilesets
from ..page.widgets import InvalidInput, on_choice, read_script, show_value
from .control import Control, chip, icon_button, list_names, select, swatch
from .numbers import ControlInput

MAX_BUTTON_LETTERS = 26
"""Maximum number of characters of all choices to show them as buttons."""
AUTO = "auto"


class SwitchControl(Control, kind="switch"):
    """On or off; with a default of None: auto, on or off."""

    def build(self) -> None:
        self._toggle: ui.toggle | None = None
        if self.field.nullable:
            options = {AUTO: self.empty_label or AUTO, "on": "on", "off": "off"}
            self._toggle = _build_toggle(options, self._on_choice, self.binding.test_id)
        else:
            self._switch = on_choice(ui.switch(), lambda is_on: self.send(bool(is_on)))
            self._switch.props(f"dense data-testid={self.binding.test_id}")
            self._switch.props["aria-label"] = self.field.label

    def draw(self, value: Any) -> None:
        if self._toggle is not None:
            show_value(self._toggle, AUTO if value is None else "on" if value else "off")
        else:
            show_value(self._switch, bool(value))

    def _on_choice(self, word: Any) -> None:
        if word in ("on", "off"):
            self.send(word == "on")
        else:
            self.clear()


class ChoiceControl(Control, kind="choice"):
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
        show_value(self._element, word if word in self._options else None)

    def _on_choice(self, word: Any) -> None:
        if word == AUTO and self.field.nullable:
            self.clear()
        else:
            self.send(json.loads(word))


def _build_toggle(options: dict[str, str], choose: Callable[[Any], None], test_id: str) -> ui.toggle:
    toggle = on_choice(ui.toggle(options), choose).classes("tc-toggle").props(f"data-testid={test_id}")
    return toggle.props("dense unelevated no-caps padding='0 8px' toggle-color=primary toggle-text-color=tc-on")


class TextControl(Control, kind="text"):
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


class NamesControl(Control, kind="names"):
    """The name of an item of another list, such as a neighborhood."""

    shows_tiles = True

    def build(self) -> None:
        self._select = select({}, self.send, self.binding.test_id)

    def draw(self, value: Any) -> None:
        names = list_names(self.context.root(self.field.names_of))
        show_value(self._select, value, [*names, *([value] if value not in names else [])])


class JsonControl(Control, kind="json"):
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


PICK_SCRIPT = "(event) => { const row = event.target.closest('[data-word]'); if (row) emit(row.dataset.word); }"
"""Emits the clicked entry of a list."""


class WordMenu:
    """A menu to choose a tile or type any name. It is rebuilt whenever it is opened."""

    def __init__(self, control: Control, on_pick: Callable[[str | None], None], *, takes_none: bool = False) -> None:
        """Create a menu at the current slot's element. `on_pick` is called with the name, or None."""
        self._control, self._on_pick, self._takes_none = control, on_pick, takes_none
        self._anchor = ui.context.slot.parent
        self._menu: ui.menu | None = None

    def open(self, more: Sequence[tuple[str, str, Callable[[], None]]] = ()) -> None:
        """Open the menu. `more` lists further buttons, each with its icon, tooltip and action."""
        if self._menu is not None:
            self._menu.delete()
        with self._anchor, ui.menu().props("no-parent-event auto-close=false").classes("tc-popup") as self._menu:
            self._build(more)
        self._menu.open()

    def _build(self, more: Sequence[tuple[str, str, Callable[[], None]]]) -> None:
        control = self._control
        tiles = control.context.tiles() if control.field.tiles else ()
        with ui.element("div").classes("tc-menu"):
            with ui.element("div").classes("tc-line"):
                hint = "or any name" if tiles else "text, then Enter"
                box = ControlInput(control, self._pick, part="-text", hint=hint).classes("tc-long")
                box.props("autofocus" if not tiles else "")
                for icon, tip, act in more:
                    icon_button(icon, tip, partial(self._close, act))
            rows = [f'<button data-word="">{self._control.empty_label or "none"}</button>'] if self._takes_none else []
            rows += [
                f'<button data-word="{html.escape(tile.name)}">{swatch(tile.color)}'
                f"<span>{html.escape(tile.name)}</span><kbd>{html.escape(tile.glyph)}</kbd></button>"
                for tile in tiles
            ]
            if rows:
                listed = ui.html("".join(rows), sanitize=False).classes("tc-words")
                listed.on("click", lambda event: self._pick(str(event.args)), js_handler=PICK_SCRIPT)

    def _pick(self, word: str) -> None:
        if word or self._takes_none:
            self._close(lambda: self._on_pick(word[:100] or None))

    def _close(self, act: Callable[[], None]) -> None:
        if self._menu is not None:
            self._menu.close()
        act()


class TileControl(Control, kind="tile"):
    """A tile with its color and name; a click opens a menu of the map's tiles and a field for other names."""

    shows_tiles = True

    def build(self) -> None:
        with ui.element("div").classes("tc-pick"):
            self._button = ui.html("", sanitize=False, tag="button").classes("tc-tile")
            self._button.props["data-testid"] = self.binding.test_id
            takes_none = self.field.nullable or self.field.default is not UNSET
            self._menu = WordMenu(self, self._on_pick, takes_none=takes_none)
            self._button.on("click", lambda: self._menu.open(), args=[])

    def draw(self, value: Any) -> None:
        empty = self.empty_label or "none"
        if value is None or value == "":
            self._button.content = f"<em>{empty}</em>"
        else:
            self._button.content = f"{swatch(self.context.find_color(value))}<span>{html.escape(str(value))}</span>"
        self._button.props["aria-label"] = f"{self.field.label}: {value or empty}"

    def _on_pick(self, word: str | None) -> None:
        if word is None:
            self.clear()
        else:
            self.put(word)


CLICK_SCRIPT = read_script(__file__, "click_chips")
LIFT_SCRIPT = "(event) => { window.twLifted = event.target.closest('[data-place]')?.dataset.place; }"
DROP_SCRIPT = read_script(__file__, "drop_chip")


class WordsControl(Control, kind="words"):
    """A list of strings as chips: drag to reorder, click to change."""

    is_wide = True

    def build(self) -> None:
        self._words: list[str] = []
        self._open_index: int | None = None
        with ui.element("div").classes("tc-pick"):
            self._chips = ui.html("", sanitize=False).classes("tc-chips").props(f"data-testid={self.binding.test_id}")
            self._chips.on("click", self._on_chip, js_handler=CLICK_SCRIPT)
            self._chips.on("keydown.enter", self._on_chip, js_handler=CLICK_SCRIPT)
            self._chips.on("dragstart", js_handler=LIFT_SCRIPT)
            self._chips.on("dragover", js_handler="(event) => event.preventDefault()")
            self._chips.on("drop", self._on_chip, js_handler=DROP_SCRIPT)
            self._menu = WordMenu(self, self._on_pick)

    def draw(self, value: Any) -> None:
        self._words = [str(word) for word in value] if isinstance(value, (list, tuple)) else []
        shown = [
            f'<span class="tc-chip" draggable="true" data-place="{place}" tabindex="0">{chip(word, self._color(word))}'
            f'<button data-remove aria-label="remove {html.escape(word)}">×</button></span>'
            for place, word in enumerate(self._words)
        ]
        nothing = "" if self._words else f"<em>{self.empty_label or 'none'}</em>"
        add = '<button class="tc-chip tc-add" data-add aria-label="add" title="add">+</button>'
        self._chips.content = f"{''.join(shown)}{nothing}{add}"

    def _color(self, word: str) -> str | None:
        return self.context.find_color(word) if self.field.tiles else None

    def retile(self) -> None:
        if self.field.tiles:
            self.show(self.value)

    def _on_chip(self, event: GenericEventArguments) -> None:
        match event.args:
            case "add" | ["add", _]:
                self._open_index = None
                self._menu.open()
            case ["remove", int(place)] if 0 <= place < len(self._words):
                self._set_words([word for number, word in enumerate(self._words) if number != place])
            case ["open", int(place)] if 0 <= place < len(self._words):
                self._open_index = place
                left = ("chevron_left", "move left", lambda: self._move(place, place - 1))
                right = ("chevron_right", "move right", lambda: self._move(place, place + 1))
                self._menu.open([left, right])
            case ["move", int(place), int(target)]:
                self._move(place, target)

    def _move(self, place: int, target: int) -> None:
        if 0 <= place < len(self._words):
            words = [*self._words[:place], *self._words[place + 1 :]]
            target = min(max(target, 0), len(words))
            self._set_words([*words[:target], self._words[place], *words[target:]])

    def _on_pick(self, word: str | None) -> None:
        if word is None:
            return
        if self._open_index is None:
            self._set_words([*self._words, word])
        else:
            self._set_words([word if number == self._open_index else old for number, old in enumerate(self._words)])

    def _set_words(self, words: list[str]) -> None:
        if not words and self.field.nullable:
            self.clear()
        else:
            self.put(words)


class ChoicesControl(Control, kind="choices"):
    """Any number of given choices, each on or off."""

    is_wide = True

    def build(self) -> None:
        self._on: list[str] = []
        self._chips = ui.html("", sanitize=False).classes("tc-chips").props(f"data-testid={self.binding.test_id}")
        self._chips.on("click", lambda event: self._flip(str(event.args)), js_handler=PICK_SCRIPT)

    def draw(self, value: Any) -> None:
        self._on = [str(word) for word in value] if isinstance(value, (list, tuple)) else []
        label = self.field.item.label_of
        self._chips.content = "".join(
            f'<button class="tc-chip tc-flip" data-word="{html.escape(str(word))}" '
            f'aria-pressed="{"true" if word in self._on else "false"}">{html.escape(label(word))}</button>'
            for word in self.field.item.choices
        )

    def _flip(self, word: str) -> None:
        if word in self.field.item.choices:
            after = {*self._on} ^ {word}
            self.put([option for option in self.field.item.choices if option in after])
