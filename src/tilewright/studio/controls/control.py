"""Base class of the controls: a control shows a value and reports changes by the user."""

from __future__ import annotations

import html
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from nicegui import ui
from nicegui.events import GenericEventArguments

from ...core.appearance import is_color
from ...core.errors import Path
from ...core.fields import UNSET, Field
from ...core.tileset import Tile
from ..jobs import JobQueue
from ..page.widgets import dropdown, labeled_button


@dataclass
class Fold:
    """Whether an item of a list is open, and the folds of the lists inside it, by field."""

    is_open: bool = False
    children: dict[str, list[Fold]] = field(default_factory=dict)


@dataclass(frozen=True)
class ControlContext:
    """Environment of a control."""

    tiles: Callable[[], Sequence[Tile]] = tuple
    """Returns the tiles of the current map."""
    queue: JobQueue | None = None
    """Queue that reads uploads."""
    on_draw: Callable[[], None] | None = None
    """Opens the page on which the user can draw a sample."""
    siblings: Callable[[], dict[str, Any]] = field(default=dict)
    """Returns the values of the form that are set."""
    fields: Mapping[str, Field] = field(default_factory=dict)
    """Fields of the form by name."""
    root: Callable[[str], Any] = field(default=lambda name: None)
    """Returns the value of a field of the outermost form."""
    folds: dict[str, list[Fold]] = field(default_factory=dict)
    """Open items of lists, by field; kept when the controls are rebuilt."""

    def value_of(self, name: str) -> Any:
        """Return the value of a field of the form, or its default."""
        default = self.fields[name].default if name in self.fields else UNSET
        return self.siblings().get(name, None if default is UNSET else default)

    def find_color(self, word: object) -> str | None:
        """Return the color of a tile, given its name, glyph or id."""
        tiles = self.tiles()
        if isinstance(word, int) and 0 <= word < len(tiles):
            return _tile_color(tiles[word])
        return next((_tile_color(tile) for tile in tiles if word in (tile.name, tile.glyph)), None)


def _tile_color(tile: Tile) -> str | None:
    return tile.color if is_color(tile.color) else None


Mark = tuple[Path, str]
"""A problem of a value: the path inside the value, and the message."""


@dataclass(frozen=True)
class ControlBinding:
    """Test id and callbacks of a control."""

    test_id: str
    """The data-testid of the element."""
    send: Callable[[Any], None]
    """Called with the new value as plain JSON data, or UNSET."""
    fail: Callable[[str], None]
    """Called with the error message of an invalid input, whose value is not sent; "" clears the message."""


_controls_by_kind: dict[str, type[Control]] = {}
_declared_controls: dict[str, type[Control]] = {}


class Control(ABC):
    """Control of a field, built into the current slot. `show` does not call the callbacks.

    A class with a `kind` is the control of all fields of this kind. A class with a `name` is the control of the fields
    and models that declare `control=name`.
    """

    def __init_subclass__(cls, *, kind: str = "", name: str = "") -> None:
        super().__init_subclass__()
        if kind:
            _controls_by_kind[kind] = cls
        if name:
            _declared_controls[name] = cls

    @staticmethod
    def class_of(field: Field) -> type[Control]:
        """Return the control class of a field: the declared one, or that of its kind."""
        return _declared_controls.get(field.control) or _controls_by_kind["names" if field.names_of else field.kind]

    is_wide: ClassVar[bool] = False
    """Whether the control is below its label instead of next to it."""
    shows_tiles: ClassVar[bool] = False
    """Whether the control shows tiles or names, and is drawn again when they change."""

    def __init__(
        self, field: Field, context: ControlContext, binding: ControlBinding, *, is_small: bool = False
    ) -> None:
        """Build the control. A small control, for a cell of a table, has no slider and no help."""
        self.field, self.context, self.binding, self.is_small = field, context, binding, is_small
        self.value: Any = UNSET
        """The current value."""
        self.build()

    @abstractmethod
    def build(self) -> None:
        """Create the elements."""

    @abstractmethod
    def draw(self, value: Any) -> None:
        """Draw a value, with `show_value` for elements that report choices. None means that there is no value."""

    def show(self, value: Any) -> None:
        """Show a new value. UNSET shows the default."""
        self.value = value
        self.draw(self.default if value is UNSET else value)

    @classmethod
    def summary(cls, value: Any, context: ControlContext) -> str:
        """Return a short description of a value as HTML, the title of a closed item of a list."""
        return html.escape(summarize(value))

    def mark(self, marks: Sequence[Mark]) -> Sequence[Mark]:
        """Show problems inside the control, and return the problems that it cannot show."""
        return marks

    def retile(self) -> None:
        """Update the control after the tiles of the map have changed."""
        if self.shows_tiles:
            self.show(self.value)

    def refresh(self) -> None:  # noqa: B027
        """Update the control after another field of the form has changed."""

    @property
    def default(self) -> Any:
        return None if self.field.default is UNSET else self.field.default

    @property
    def empty_label(self) -> str:
        """Placeholder of an empty control."""
        if "null" in self.field.labels:
            return self.field.labels["null"]
        if self.field.default is None and self.field.nullable:
            return "auto"
        return "none" if self.field.nullable else "required" if self.field.default is UNSET else ""

    def send(self, value: Any) -> None:
        """Report a change by the user."""
        self.binding.fail("")
        self.value = value
        self.binding.send(value)

    def put(self, value: Any) -> None:
        """Show and report a value that the user chose outside of the control's own element."""
        self.show(value)
        self.send(value)

    def clear(self) -> None:
        """Report that the user cleared the control: restore the default, or None if the default is not None."""
        if self.field.nullable and self.field.default is not None:
            self.send(None)
        elif self.field.default is UNSET:
            self.binding.fail("is required")
        else:
            self.send(UNSET)
            self.show(UNSET)

    def revert(self) -> None:
        """Discard an invalid input and show the current value."""
        self.binding.fail("")
        self.show(self.value)


def swatch(color: str | None) -> str:
    """Return a swatch of a tile's color as HTML. The swatch is hollow if the color is unknown."""
    return f'<i class="tc-swatch" style="background:{color}"></i>' if color else '<i class="tc-swatch tc-hollow"></i>'


def chip(word: object, color: str | None) -> str:
    return f"{swatch(color) if color else ''}<span>{html.escape(str(word))}</span>"


def icon_button(icon: str, tip: str, on_click: Callable[[], Any]) -> ui.button:
    """Return a small button with an icon."""
    button = ui.button(icon=icon, on_click=lambda: on_click(), color=None).props("flat round dense size=sm")
    button.props["aria-label"] = button.props["title"] = tip
    return button.classes("tc-icon")


def text_button(text: str, icon: str | None, on_click: Callable[[], Any] | None, test_id: str) -> ui.button:
    """Return a small button with text."""
    return labeled_button(text, icon, on_click, test_id, "flat dense").classes("tc-more")


CLICK_SCRIPT = "(event) => { const one = event.target.closest('[data-do]'); if (one) emit(one.dataset.do); }"
Actions = Mapping[str, tuple[str, str, Callable[[], None]]]
"""Icon, tooltip and action of buttons by name."""


def tool_buttons(test_id: str, actions: Actions) -> ui.element:
    """Return a row of small buttons as one element, because lists have many of them."""
    buttons = "".join(
        f'<button type="button" data-do="{name}" data-testid="{test_id}-{name}" title="{tip}" aria-label="{tip}">'
        f'<i class="material-icons" aria-hidden="true">{icon}</i></button>'
        for name, (icon, tip, _) in actions.items()
    )
    element = ui.html(buttons, sanitize=False).classes("tc-acts")

    def on_click(event: GenericEventArguments) -> None:
        if event.args in actions:
            actions[event.args][2]()

    return element.on("click", on_click, js_handler=CLICK_SCRIPT)


def with_value(values: Mapping[str, Any], name: str, value: Any) -> dict[str, Any]:
    """Return values by name of which one is changed. UNSET removes it."""
    return {key: one for key, one in {**values, name: value}.items() if one is not UNSET}


def summarize(value: Any) -> str:
    """Return a short description of a value."""
    if not isinstance(value, dict):
        return f"{value if isinstance(value, str) else json.dumps(value, default=str)}"[:40]
    words = []
    for name, part in value.items():
        match part:
            case str():
                words.append(part)
            case bool() | None:
                pass
            case int() | float():
                words.append(f"{name} {part:g}")
            case list() | tuple():
                is_short = len(part) <= 4 and all(isinstance(one, (int, float)) for one in part)
                words.append(f"{name} {','.join(map(str, part))}" if is_short and part else f"{len(part)} {name}")
            case {"kind": kind}:
                words.append(str(kind))
    return " · ".join(words)[:60]


def list_names(items: Any) -> list[str]:
    """Return the names of a list's items, which may be compact strings: `near:111,101,111`."""
    if isinstance(items, Mapping):
        return [str(name) for name in items]
    listed = items if isinstance(items, (list, tuple)) else ()
    found = [one.get("name") if isinstance(one, Mapping) else one for one in listed]
    return [name.partition(":")[0] for name in found if isinstance(name, str)]


def select(options: dict[str, str], choose: Callable[[Any], None], test_id: str) -> ui.select:
    """Return a drop-down list. `choose` is called with the key of an option."""
    element = dropdown({**options}, choose, test_id).classes("tc-select")
    return element.props("hide-bottom-space popup-content-class=tc-popup")
