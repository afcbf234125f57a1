"""What every control is: it shows a value, and tells when a person has changed it."""

from __future__ import annotations

import html
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from nicegui import ui
from nicegui.events import GenericEventArguments

from ....core.appearance import is_color
from ....core.errors import Path
from ....core.fields import UNSET, Field
from ....core.tileset import Tile
from ...jobs import JobQueue


@dataclass
class Fold:
    """Whether an item of a list is open, and the items of the lists within it, by field."""

    is_open: bool = False
    children: dict[str, list[Fold]] = field(default_factory=dict)


@dataclass(frozen=True)
class ControlContext:
    """What controls know of the page around them."""

    tiles: Callable[[], Sequence[Tile]] = tuple
    """The tiles of the map that is shown."""
    queue: JobQueue | None = None
    """Where uploads are read."""
    on_draw: Callable[[], None] | None = None
    """Goes to where a sample can be drawn."""
    siblings: Callable[[], dict[str, Any]] = field(default=dict)
    """Values that are set beside this one."""
    fields: Mapping[str, Field] = field(default_factory=dict)
    """The fields beside this one."""
    root: Callable[[str], Any] = field(default=lambda name: None)
    """Gives the value of a field of the outermost form."""
    folds: dict[str, list[Fold]] = field(default_factory=dict)
    """Which items of the lists around here are open: kept when their controls are built anew."""

    def value_of(self, name: str) -> Any:
        """What a field beside this one holds: what is set, or else its default."""
        default = self.fields[name].default if name in self.fields else UNSET
        return self.siblings().get(name, None if default is UNSET else default)

    def find_color(self, word: object) -> str | None:
        """The colour of a tile, by its name, glyph or number."""
        tiles = self.tiles()
        if isinstance(word, int) and 0 <= word < len(tiles):
            return _tile_color(tiles[word])
        return next((_tile_color(tile) for tile in tiles if word in (tile.name, tile.glyph)), None)


def _tile_color(tile: Tile) -> str | None:
    return tile.color if is_color(tile.color) else None


Mark = tuple[Path, str]
"""What is wrong with a value: the path to the part of it, and a sentence."""


@dataclass(frozen=True)
class ControlBinding:
    """Where a control is and whom it tells."""

    test_id: str
    """Its data-testid."""
    send: Callable[[Any], None]
    """Takes the new value as plain JSON, or UNSET."""
    fail: Callable[[str], None]
    """Takes what is wrong with what was typed; nothing is sent then. "" when all is well."""


class Control(ABC):
    """A field's control, built into the current slot. `show` fires nothing."""

    is_wide: ClassVar[bool] = False
    """Whether it takes the line below its label."""

    def __init__(
        self, field: Field, context: ControlContext, binding: ControlBinding, *, is_small: bool = False
    ) -> None:
        """`is_small` is for a cell of a table: no slider, no help."""
        self.field, self.context, self.binding, self.is_small = field, context, binding, is_small
        self.value: Any = UNSET
        """What it shows."""
        self._is_showing = False
        self.build()

    @abstractmethod
    def build(self) -> None:
        """Make the elements."""

    @abstractmethod
    def draw(self, value: Any) -> None:
        """Show a value; None where there is none."""

    def show(self, value: Any) -> None:
        """Show a value from elsewhere; UNSET shows the default."""
        self.value = value
        self._is_showing = True
        try:
            self.draw(self.default if value is UNSET else value)
        finally:
            self._is_showing = False

    @classmethod
    def summary(cls, value: Any, context: ControlContext) -> str:
        """A value in a few words, as HTML: the head of a closed item of a list."""
        return html.escape(summarize(value))

    def mark(self, marks: Sequence[Mark]) -> Sequence[Mark]:
        """Show what is wrong inside it; return what it has no place for."""
        return marks

    def retile(self) -> None:  # noqa: B027 - most have nothing to do
        """The map has other tiles now."""

    def refresh(self) -> None:  # noqa: B027
        """Something beside it has changed."""

    @property
    def default(self) -> Any:
        return None if self.field.default is UNSET else self.field.default

    @property
    def empty_label(self) -> str:
        """What an empty control says."""
        if "null" in self.field.labels:
            return self.field.labels["null"]
        if self.field.default is None and self.field.nullable:
            return "auto"
        return "none" if self.field.nullable else "required" if self.field.default is UNSET else ""

    def send(self, value: Any) -> None:
        """A person has changed it. Nothing happens while a value is shown from elsewhere."""
        if self._is_showing:
            return
        self.binding.fail("")
        self.value = value
        self.binding.send(value)

    def put(self, value: Any) -> None:
        """A person has chosen a value elsewhere than in the element that shows it: show it too."""
        self.show(value)
        self.send(value)

    def clear(self) -> None:
        """A person has emptied it: back to the default, or to nothing where that is something else."""
        if self.field.nullable and self.field.default is not None:
            self.send(None)
        elif self.field.default is UNSET:
            self.binding.fail("is required")
        else:
            self.send(UNSET)
            self.show(UNSET)

    def revert(self) -> None:
        """A person gives up what was typed and refused: what holds is shown again."""
        self.binding.fail("")
        self.show(self.value)


def swatch(color: str | None) -> str:
    """A tile's colour as HTML; hollow where nobody knows it."""
    return f'<i class="tc-swatch" style="background:{color}"></i>' if color else '<i class="tc-swatch tc-hollow"></i>'


def chip(word: object, color: str | None) -> str:
    return f"{swatch(color) if color else ''}<span>{html.escape(str(word))}</span>"


def icon_button(icon: str, tip: str, on_click: Callable[[], Any]) -> ui.button:
    """A small button without words."""
    button = ui.button(icon=icon, on_click=lambda: on_click(), color=None).props("flat round dense size=sm")
    button.props["aria-label"] = button.props["title"] = tip
    return button.classes("tc-icon")


def text_button(text: str, icon: str | None = None, on_click: Callable[[], Any] | None = None) -> ui.button:
    """A small button with words."""
    return ui.button(text, icon=icon, on_click=on_click, color=None).props("flat dense no-caps").classes("tc-more")


CLICK_SCRIPT = "(event) => { const one = event.target.closest('[data-do]'); if (one) emit(one.dataset.do); }"
Actions = Mapping[str, tuple[str, str, Callable[[], None]]]
"""What buttons do: icon, tip and action by name."""


def tool_buttons(test_id: str, actions: Actions) -> ui.element:
    """Small buttons in a row, as one element: lists have many of them."""
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


def summarize(value: Any) -> str:
    """A value in a few words."""
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
    """The names of a list's items, which may be written short: `near:111,101,111`."""
    if isinstance(items, Mapping):
        return [str(name) for name in items]
    listed = items if isinstance(items, (list, tuple)) else ()
    found = [one.get("name") if isinstance(one, Mapping) else one for one in listed]
    return [name.partition(":")[0] for name in found if isinstance(name, str)]


def select(options: dict[str, str], on_choose: Callable[[Any], None], test_id: str) -> ui.select:
    """A list to open; `choose` gets the key of an option."""
    element = ui.select(options, on_change=lambda event: on_choose(event.value))
    element.props("dense outlined options-dense hide-bottom-space").classes("tc-select")
    element.props["data-testid"], element.props["popup-content-class"] = test_id, "tc-popup"
    return element
