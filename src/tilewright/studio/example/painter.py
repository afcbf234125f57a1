"""Canvas for the sample, and a dialog to add tiles."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from nicegui import ui

from ...core.appearance import distinct_color
from ...core.errors import TilewrightError, pluralize
from ...core.tilemap import TileMap
from ...core.tileset import Tile
from ..map import payloads
from ..map.canvas import MapCanvas
from ..page.widgets import DebouncedInput, icon_button, labeled_button, on_choice, show_value
from ..session import Session
from ..state import ViewSettings
from .state import SampleState, edit_tile, paint_sample, with_tile

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
        self.glyph = ui.label("").classes("tw-tile-glyph")
        self.name = DebouncedInput(f"edit-name-{number}", partial(on_change, "name"), label="name")
        self.name.props("maxlength=80")
        self.color = DebouncedInput(f"edit-color-{number}", partial(on_change, "color"))
        self.color.props(f'type=color aria-label="Color of tile {number + 1}"')
        self.passable = on_choice(ui.checkbox("passable"), partial(on_change, "passable"))
        self.passable.props(f"dense data-testid=edit-passable-{number}")

    def show(self, tile: Tile) -> None:
        """Show a tile."""
        self.glyph.set_text(tile.glyph)
        self.name.set_value(tile.name)
        self.color.set_value(tile.color)
        show_value(self.passable, tile.passable)


class Painter:
    """Canvas of the sample. `on_change` is called with the changed example after every stroke."""

    def __init__(self, session: Session, on_change: Callable[[SampleState], None]) -> None:
        self.session, self.on_change = session, on_change
        self.example = SampleState()
        self.grid = True
        with ui.element("section").classes("tw-example-painter tw-card"):
            with ui.element("div").classes("tw-row tw-example-head"):
                ui.label("Sample").classes("tw-example-name")
                self.facts = ui.label("").classes("tw-faint tw-grow").props("data-testid=sample-facts")
                self.editor = TileEditor(lambda sample: self.on_change(self.example.with_edited_sample(sample)))
                style, hint = "dense flat size=sm", "Change the names, colors and passability of the tiles"
                labeled_button("Edit tiles", "edit", self._open_editor, "edit-tiles", style, hint=hint, color="primary")
                hint = "Add a tile to the palette"
                labeled_button("Add a tile", "add", self._open_dialog, "add-tile", style, hint=hint, color="primary")
            self.canvas = MapCanvas(
                simple=True,
                on_paint=lambda cells, lock: self.on_change(
                    self.example.with_edited_sample(paint_sample(self.example.sample_map, cells))
                ),
                on_undo=session.undo,
                on_redo=session.redo,
                on_look=self._on_look,
            )
            self.canvas.classes("tw-example-canvas").props("data-testid=sample-canvas")
            ui.label("Draw here; the maps update.").classes("tw-faint tw-example-hint")
        self._build_dialog()

    def refresh(self, example: SampleState, look: ViewSettings) -> None:
        sample = example.sample_map
        if self.facts.text == "" or sample is not self.example.sample_map:
            size = "×".join(str(side) for side in reversed(sample.shape))
            self.facts.set_text(f"{example.name} · {size} · {pluralize(len(sample.tileset), 'tile')}")
            self.canvas.show(payloads.encode_map(sample))
            self.editor.refresh(sample)
        self.example = example
        self.canvas.set(sprites=look.sprites, grid=self.grid)

    def _on_look(self, grid: bool, sprites: bool, overlay: str) -> None:
        """Change the view settings of the sample and the maps, without an undo step."""
        self.grid = grid
        self.session.change_view(sprites=sprites)
        self.session.emit("state", self.session.state)

    # -- tiles --------------------------------------------------------------------------------------------------

    def _open_editor(self) -> None:
        self.editor.open(self.example.sample_map)

    def _build_dialog(self) -> None:
        with ui.dialog() as self.dialog, ui.card().classes("tw-example-form"):
            ui.label("New tile").classes("tw-title")
            self.name = ui.input("name").props("dense outlined autofocus maxlength=80 data-testid=tile-name")
            with ui.element("div").classes("tw-row"):
                self.glyph = ui.input("glyph").props("dense outlined maxlength=1 data-testid=tile-glyph")
                self.glyph.tooltip("One character; chosen automatically if empty")
                self.color = ui.color_input("color").props("dense outlined data-testid=tile-color").classes("tw-grow")
            self.passable = ui.switch("passable", value=True).props("dense data-testid=tile-passable")
            self.line = ui.label("").classes("tw-bad").props("role=status data-testid=tile-line")
            with ui.element("div").classes("tw-row"):
                ui.space()
                ui.button("Cancel", on_click=self.dialog.close).props("flat dense no-caps")
                ui.button("Add", on_click=self._add_tile).props("unelevated dense no-caps data-testid=tile-add")
        self.name.on("keydown.enter", self._add_tile)

    def _open_dialog(self) -> None:
        self.name.set_value("")
        self.glyph.set_value("")
        self.color.set_value(distinct_color(len(self.example.sample_map.tileset)))
        self.line.set_text("")
        self.dialog.open()

    def _add_tile(self) -> None:
        name, glyph, color = ((field.value or "").strip() for field in (self.name, self.glyph, self.color))
        try:
            sample = with_tile(self.example.sample_map, name, glyph, color, passable=bool(self.passable.value))
        except TilewrightError as error:
            self.line.set_text(str(error))
            return
        self.dialog.close()
        self.on_change(self.example.with_edited_sample(sample))
