"""Dialog of By example that edits the tiles of the sample: name, color and passability."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from nicegui import events, ui

from ...core.errors import TilewrightError
from ...core.tilemap import TileMap
from ...core.tileset import Tile
from ..page.debounced_input import DebouncedInput
from ..page.widgets import icon_button
from .state import edit_tile

MAX_ROWS = 64
"""Maximum number of tiles in the dialog."""


class TileEditor:
    """A row for each tile. `on_change` is called with the changed sample."""

    def __init__(self, on_change: Callable[[TileMap], None]) -> None:
        self._on_change = on_change
        self._sample: TileMap | None = None
        self.rows: list[TileRow] = []
        with ui.dialog().props("data-testid=tile-editor") as self.dialog, ui.card().classes("tw-tile-editor"):
            with ui.element("div").classes("tw-row"):
                ui.label("Tiles of the sample").classes("tw-title tw-grow")
                icon_button("close", "Close", self.dialog.close, test_id="tile-editor-close")
            self.list = ui.element("div").classes("tw-tile-rows")
            self.line = ui.label("").classes("tw-bad").props("role=status data-testid=tile-editor-line")

    def open(self, sample: TileMap) -> None:
        """Open the dialog for a sample."""
        self.dialog.open()
        self.refresh(sample)

    def refresh(self, sample: TileMap) -> None:
        """Show the tiles of a sample, if the dialog is open."""
        if not self.dialog.value:
            return
        self._sample = sample
        self.line.set_text("")
        shown = sample.tileset.tiles[:MAX_ROWS]
        if len(shown) != len(self.rows):
            self.list.clear()
            with self.list:
                self.rows = [TileRow(number, partial(self._change, number)) for number in range(len(shown))]
        for row, tile in zip(self.rows, shown, strict=True):
            row.show(tile)

    def _change(self, number: int, name: str, value: Any) -> None:
        if self._sample is None or value == getattr(self._sample.tileset[number], name):
            return
        try:
            changed = edit_tile(self._sample, number, **{name: value})
        except TilewrightError as error:
            self.rows[number].show(self._sample.tileset[number])
            self.line.set_text(str(error))
            return
        self._on_change(changed)


class TileRow:
    """Controls of one tile."""

    def __init__(self, number: int, on_change: Callable[[str, Any], None]) -> None:
        """Build the controls. `on_change` is called with the name of a field and its value."""
        self._on_change = on_change
        self.glyph = ui.label("").classes("tw-tile-glyph")
        self.name = DebouncedInput(f"edit-name-{number}", partial(on_change, "name"), label="name")
        self.name.props("maxlength=80")
        self.color = DebouncedInput(f"edit-color-{number}", partial(on_change, "color"))
        self.color.props(f'type=color aria-label="Color of tile {number + 1}"')
        self.passable = ui.checkbox("passable", on_change=self._on_passable)
        self.passable.props(f"dense data-testid=edit-passable-{number}")

    def show(self, tile: Tile) -> None:
        """Show a tile."""
        self.glyph.set_text(tile.glyph)
        self.name.set_value(tile.name)
        self.color.set_value(tile.color)
        self.passable.set_value(tile.passable)

    def _on_passable(self, event: events.ValueChangeEventArguments[Any]) -> None:
        self._on_change("passable", bool(event.value))
