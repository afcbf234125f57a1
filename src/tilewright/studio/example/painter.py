"""Canvas for the sample, and a dialog to add tiles."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui

from ...core.appearance import distinct_color
from ...core.errors import TilewrightError, pluralize
from ..map import payloads
from ..map.canvas import MapCanvas
from ..session import Session
from ..state import ViewSettings
from .state import SampleState, paint_sample, with_tile
from .tile_editor import TileEditor


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
                edit = ui.button("Edit tiles", icon="edit", on_click=lambda: self.editor.open(self.example.sample_map))
                edit.props('dense flat no-caps size=sm data-testid=edit-tiles aria-label="Edit tiles"').tooltip(
                    "Change the names, colors and passability of the tiles"
                )
                add = ui.button("Add a tile", icon="add", on_click=self._open_dialog)
                add.props('dense flat no-caps size=sm data-testid=add-tile aria-label="Add a tile"').tooltip(
                    "Add a tile to the palette"
                )
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
