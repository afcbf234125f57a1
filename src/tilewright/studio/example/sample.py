"""Sample of By example: its choice and size in the left panel with settings of the maps, and the canvas to draw it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from nicegui import ui

from ... import data
from ...core.appearance import distinct_color
from ...core.errors import TilewrightError, pluralize
from ...core.params import MAX_SIDE
from ...core.seeds import read_seed
from ...core.tilemap import TileMap
from ...core.tileset import Tile
from ...formats import format_registry
from .. import operations
from ..jobs import CancelToken
from ..map import payloads
from ..map.canvas import MapCanvas
from ..page.error_panel import report_errors
from ..page.map_card import MapCard
from ..page.widgets import (
    DebouncedInput,
    Message,
    NumberInput,
    Uploader,
    dropdown,
    icon_button,
    labeled_button,
    on_choice,
    read_script,
    show_value,
)
from ..session import Session, parse_seed
from ..state import ViewSettings
from . import state as samples
from .state import AXES, EDGES, MAX_PAINTED_SIDE, SampleState, find_by_example, list_techniques
from .trial import draw_picture

DRAG = """(event) => { event.preventDefault(); document.body.classList.add('tw-dropping'); }"""
LEAVE = read_script(__file__, "leave_drop")


class SamplePanel:
    """Built-in samples, upload, and settings. `on_change` is called with the changed example."""

    def __init__(self, session: Session, on_change: Callable[[SampleState], None]) -> None:
        self.session, self.on_change = session, on_change
        self.example = SampleState()
        ui.label("Start from").classes("tw-title")
        self._build_samples()
        self._build_upload()
        with ui.element("div").classes("tw-row"):
            ui.label("Sample").classes("tw-title tw-grow")
            icon_button("flip", "Mirror left to right", partial(self._flip, "x"), test_id="sample-flip-x")
            flip_y = icon_button("flip", "Mirror top to bottom", partial(self._flip, "y"), test_id="sample-flip-y")
            flip_y.classes("tw-example-down")
            icon_button("layers_clear", "Fill with the most common tile", self._clear, test_id="sample-clear")
        with ui.element("div").classes("tw-example-fields"):
            self.columns = self._build_number("width", "sample-width", lambda width: self._resize(width=width))
            self.rows = self._build_number("height", "sample-height", lambda height: self._resize(height=height))
            choose = partial(self._set, "wrap_sample")
            self.wrap_sample = dropdown(AXES, choose, "sample-wraps", label="wrap", value="none").tooltip(
                f"Whether the sample wraps around at its edges; for {_list_supporting('wrap_sample')}"
            )
        ui.label("Maps").classes("tw-title")
        with ui.element("div").classes("tw-example-fields"):
            self.width = self._build_number("width", "maps-width", partial(self._set, "width"))
            self.height = self._build_number("height", "maps-height", partial(self._set, "height"))
            self.wrap = dropdown(AXES, partial(self._set, "wrap"), "maps-wrap", label="wrap", value="none")
            self.edges = dropdown(
                _list_edge_options(()), self._set_edges, "maps-edges", label="edges of the sample", value=""
            ).tooltip(
                "Edges of the maps that have only patterns of the same edge of the sample, such as sky above and "
                f"ground below; for {_list_supporting('sample_edges')}"
            )
            self.wrap.tooltip(f"Whether opposite edges of the maps fit together; for {_list_supporting('wrap')}")
        with ui.element("div").classes("tw-row"):
            self.seed = DebouncedInput("maps-seed", self._set_seed, label="seed").classes("tw-grow")
            self.seed.tooltip("Number or text; the same seed makes the same maps")
            hint, style = "Choose a random seed for all maps", "dense unelevated"
            roll = labeled_button("New seed", "casino", self.reroll, "maps-reroll", style, hint=hint)
            roll.classes("tw-roomy")
        notes = [f"{name} {note}" for name in list_techniques() if (note := find_by_example(name).note)]
        ui.label(f"{'; '.join(notes)}.").classes("tw-hint")

    def refresh(self, example: SampleState) -> None:
        self.example = example
        *_, rows, columns = example.sample_map.shape
        shown = {self.columns: columns, self.rows: rows, self.width: example.width, self.height: example.height}
        for field, number in shown.items():
            field.show(number)
        show_value(self.wrap, example.wrap)
        show_value(self.wrap_sample, example.wrap_sample)
        show_value(self.edges, " ".join(example.sample_edges), _list_edge_options(example.sample_edges))
        self.seed.set_value(str(example.seed))
        picked = example.name if example.sample is None else ""
        for name, card in self.cards.items():
            card.mark(name == picked)
        show_value(self.member, picked if picked in self.members else None)

    def reroll(self) -> None:
        """Choose a random seed."""
        self.on_change(self.example.replace(seed=int(read_seed(None))))

    # -- sources ------------------------------------------------------------------------------------------------

    def _build_samples(self) -> None:
        self.cards: dict[str, MapCard] = {}
        with ui.element("div").classes("tw-example-samples"):
            for name in data.list_names("samples"):
                pick, style = partial(self._pick, name), "tw-example-sample tw-card"
                self.cards[name] = MapCard(f"pick-sample-{name}", name, style=style, on_click=pick)
                self.cards[name].show_picture(_draw_thumbnail(name))
        self.members = {f"{game}/{name}": name for game in data.list_collections() for name in data.list_members(game)}
        self.member = dropdown(self.members, self._pick, "sample-member", label="or a map of a game")

    def _build_upload(self) -> None:
        self.upload = Uploader(self.session.queue.settings, self._on_upload, lambda line: self.line.show(line))
        self.upload.classes("tw-example-upload").props("data-testid=sample-file")
        endings = sorted({ending for entry in format_registry if entry.read for ending in entry.extensions})
        with ui.element("button").classes("tw-example-drop").props("type=button data-testid=sample-open") as button:
            ui.icon("upload_file", size="20px")
            ui.label("Open a file, or drop one here")
            ui.tooltip(f"Text, CSV or picture (one pixel per tile), or any of {', '.join(endings)}")
        self.upload.open_from(button)
        self.line = Message("sample-line")

    def take_drops(self, element: ui.element) -> None:
        """Accept files dropped on an element."""
        element.on("dragover", js_handler=DRAG).on("dragleave", js_handler=LEAVE)
        self.upload.take_drops(element)

    async def _on_upload(self, content: bytes, name: str) -> None:
        def work(token: CancelToken) -> TileMap:
            return samples.as_sample(samples.name_sample(operations.read_upload(content, name, token.settings)))

        sample = await self.session.attempt(work, lambda error: self.line.show(str(error)))
        if sample is not None:
            self._change(self.example.with_sample(sample, name[-60:] or "a file"))

    def _pick(self, name: str | None) -> None:
        if name is not None and (self.example.sample is not None or name != self.example.name):
            self._change(self.example.with_built_in(name))

    def _change(self, example: SampleState) -> None:
        """Report a changed example and clear the error."""
        self.line.show("")
        self.on_change(example)

    # -- settings -----------------------------------------------------------------------------------------------

    def _build_number(self, label: str, test_id: str, choose: Callable[[int], None]) -> NumberInput:
        return NumberInput(test_id, choose, low=1, high=MAX_SIDE, label=label).props("min=1")

    def _set(self, name: str, value: Any) -> None:
        self.on_change(self.example.replace(**{name: value}))

    def _set_edges(self, edges: str) -> None:
        self._set("sample_edges", tuple(edges.split()))

    def _resize(self, *, width: int | None = None, height: int | None = None) -> None:
        """Crop or pad the sample. It grows to at most `MAX_PAINTED_SIDE`."""
        *_, rows, columns = self.example.sample_map.shape
        width = min(width or columns, max(MAX_PAINTED_SIDE, columns))
        height = min(height or rows, max(MAX_PAINTED_SIDE, rows))
        self._edit_sample(samples.resize_sample(self.example.sample_map, width, height))
        self.refresh(self.example)

    def _set_seed(self, text: str) -> None:
        if text and text != str(self.example.seed):
            self.on_change(self.example.replace(seed=parse_seed(text)))

    def _flip(self, axis: str) -> None:
        self._edit_sample(samples.flip_sample(self.example.sample_map, axis))

    def _clear(self) -> None:
        self._edit_sample(samples.clear_sample(self.example.sample_map))

    def _edit_sample(self, sample: TileMap) -> None:
        self._change(self.example.with_edited_sample(sample))


def _list_edge_options(own: tuple[str, ...]) -> dict[str, str]:
    """Return the edges to choose from and their labels, including the current ones."""
    return {" ".join(edges): label for edges, label in {own: ", ".join(own), **EDGES}.items()}


def _list_supporting(setting: str) -> str:
    """Return the names of the techniques that have a setting."""
    return " and ".join(name for name in list_techniques() if setting in find_by_example(name).shared)


def _draw_thumbnail(name: str) -> str:
    """Return a picture of a corner of a built-in sample."""
    map = samples.load_built_in(name)
    level = map.cells if map.cells.ndim == 2 else map.cells[0]
    return draw_picture(TileMap(level[:24, :32], map.tileset))


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
            changed = samples.edit_tile(self._sample, number, **{name: value})
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
                    self.example.with_edited_sample(samples.paint_sample(self.example.sample_map, cells))
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
        with report_errors(lambda error: self.line.set_text(str(error))):
            sample = samples.with_tile(self.example.sample_map, name, glyph, color, passable=bool(self.passable.value))
            self.dialog.close()
            self.on_change(self.example.with_edited_sample(sample))
