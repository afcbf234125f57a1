"""Panel of Make for the user's own tiles: what is in use, what is missing, and the dialog to edit it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from nicegui import ui

from ...core.errors import TilewrightError
from ...core.skins import find_layouts
from ...core.tilemap import TileMap
from ...core.tileset import Sheet, Tileset
from ...formats._sheet import count_sprites
from ..jobs import CancelToken
from ..map.payloads import encode_picture
from ..operations import zip_files
from ..own_files import list_missing, picture_store, put_picture, read_picture
from ..page.error_panel import report_errors
from ..page.view import StatePanel
from ..page.widgets import DebouncedInput, Message, NumberInput, Uploader, ViewTask, icon_button, labeled_button
from ..session import Session
from ..state import State
from .editor import OwnTileRows, SheetView
from .tileset import (
    MAX_OWN_TILES,
    NAME,
    BuiltTileset,
    OwnTile,
    OwnTiles,
    build_tileset,
    clean_name,
    find_base,
    find_labels,
    find_own_data,
    guess_tiles,
    read_own_tiles,
    remove_own_tiles,
)


class OwnTilesPanel(StatePanel):
    """A button that opens the dialog, and a line about the own tiles in use."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._missing: list[str] = []
        self.dialog: OwnTilesDialog | None = None
        with ui.element("div").classes("tw-row tw-own-row"):
            hint = "Use a picture of your own sprites for this map and all exports"
            self.button = labeled_button("", "palette", self._open, "own-tiles", hint=hint, color="primary")
            self.button.classes("tw-grow")
            self.remove = icon_button("delete_outline", "Remove your own tiles", self._remove, test_id="own-remove")
        self.note = Message("own-missing")
        self.update(session.state)

    def select(self, state: State) -> object:
        nested = [value for value in state.params.values() if isinstance(value, Mapping | list)]
        return state.recipe.get("tileset"), state.recipe.get("shaping"), nested

    def refresh(self, state: State) -> None:
        """Show whether the state has own tiles, and whether their picture is missing."""
        data, missing = find_own_data(state.recipe), list_missing(state.recipe)
        self.button.set_text("Your own tiles…" if data is None else f"Your own tiles: {str(data.get('name'))[:40]}")
        self.remove.set_visibility(data is not None)
        line = describe_missing(missing)
        self.note.show(line)
        if missing and missing != self._missing:
            ui.notify(line, timeout=8000)
        self._missing = missing

    def show_map(self) -> None:
        """Draw the preview of the dialog with the current map."""
        if self.dialog is not None:
            self.dialog.show_map()

    def _open(self) -> None:
        if self.dialog is None:
            self.dialog = OwnTilesDialog(self.session)
        self.dialog.open()

    def _remove(self) -> None:
        with report_errors(partial(self.session.emit, "refused")):
            self.session.change(remove_own_tiles(self.session.state))


def describe_missing(names: list[str]) -> str:
    """Return one line about pictures that a link names and that are missing."""
    if not names:
        return ""
    verb = "is" if len(names) == 1 else "are"
    return f"{', '.join(names)} {verb} missing here, so the tileset's own look is shown; choose the picture again"


PREVIEW_CELLS = (30, 20)
"""Maximum width and height of the preview in cells."""
PREVIEW_SCALE = 16
"""Maximum number of pixels of a cell in the preview."""
MAX_SIDE = 1024
NUMBERS = (("width", "tile width", 1), ("height", "tile height", 1), ("margin", "margin", 0), ("spacing", "spacing", 0))
"""Name, label and minimum of the numbers of a sheet."""
KINDS = ".png,.gif,.webp,.bmp,.jpg,.jpeg"


class OwnTilesDialog:
    """Dialog to choose a picture and say which tiles its sprites show. The state changes when it is applied."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.own: OwnTiles | None = None
        self.base: Tileset | None = None
        self.active = 0
        """Index of the tile whose sprite the next click in the picture sets."""
        self._job = ViewTask()
        with ui.dialog().props("data-testid=own-dialog") as self.dialog, ui.card().classes("tw-own"):
            with ui.element("div").classes("tw-row tw-own-head"):
                ui.label("Your own tiles").classes("tw-own-title tw-grow")
                icon_button("close", "Close", self.dialog.close, test_id="own-close")
            self._build_upload()
            with ui.element("div").classes("tw-own-body") as self.body:
                self._build_picture()
                self._build_tiles()
            self._build_footer()
        self.dialog.on("hide", self._job.stop)

    # -- layout -------------------------------------------------------------------------------------------------

    def _build_upload(self) -> None:
        self.upload = Uploader(
            self.session.queue.settings, self._on_upload, lambda line: self.line.show(line), accept=KINDS
        )
        self.upload.classes("tw-hidden").props("data-testid=own-file")
        style, props = "tw-example-drop tw-own-drop", "type=button data-testid=own-open"
        with ui.element("button").classes(style).props(props) as drop:
            ui.icon("add_photo_alternate", size="20px")
            self.drop_text = ui.label("")
        self.upload.open_from(drop)
        card = self.dialog.default_slot.children[0]
        card.on("dragover", js_handler="(event) => event.preventDefault()")
        self.upload.take_drops(card)

    def _build_picture(self) -> None:
        with ui.element("div").classes("tw-own-column"):
            ui.label("Picture").classes("tw-title")
            self.sheet_view = SheetView(self._on_sprite)
            self.facts = ui.label("").classes("tw-faint").props("data-testid=own-facts")
            with ui.element("div").classes("tw-own-fields"):
                self.fields = {
                    name: NumberInput(
                        f"own-{name}", partial(self._set_number, name), low=least, high=MAX_SIDE, label=label
                    )
                    for name, label, least in NUMBERS
                }
            self.name = DebouncedInput("own-name", self._set_name, label="name of the tileset")

    def _build_tiles(self) -> None:
        with ui.element("div").classes("tw-own-column"):
            with ui.element("div").classes("tw-row"):
                ui.label("Tiles").classes("tw-title tw-grow")
                labeled_button("Add", "add", lambda: self._add_tile(), "own-add", "dense unelevated size=sm")
            self.rows = OwnTileRows(on_change=self._change_tile, on_select=self._select, on_remove=self._remove_tile)
            ui.label(
                "Select a tile, then click its sprite in the picture; for a layout, its upper left corner. Several "
                "sprites of one tile are chosen at random."
            ).classes("tw-hint")
            ui.label("Preview").classes("tw-title")
            self.preview = ui.element("img").classes("tw-own-preview").props('alt="The map in your own tiles"')
            self.preview.props("data-testid=own-preview")

    def _build_footer(self) -> None:
        self.line = Message("own-line")
        with ui.element("div").classes("tw-row tw-own-foot"):
            label, color = "Download tileset", "primary"
            self.download = labeled_button(label, "download", self._download, "own-download", color=color)
            self.download.classes("tw-roomy")
            ui.space()
            ui.button("Cancel", color=None, on_click=self.dialog.close).props("flat dense no-caps")
            self.apply = labeled_button("Use these tiles", None, self._apply, "own-apply", "unelevated dense")
            self.apply.classes("tw-roomy")

    # -- opening ------------------------------------------------------------------------------------------------

    def open(self) -> None:
        """Open the dialog with the own tiles of the state, if there are any."""
        self.line.show("")
        self.active = 0
        with report_errors(self._show_problem):
            self.base, self.own = find_base(self.session.state), read_own_tiles(self.session.state)
        if self.own is not None and not picture_store.get(self.own.picture):
            self.line.show(f"{self.own.image} is missing here; choose the picture again")
        self._refresh()
        self.dialog.open()

    async def _on_upload(self, content: bytes, name: str) -> None:
        name = name[-80:]
        picture = await self.session.attempt(
            lambda token: read_picture(content, name, token.settings), self._show_problem
        )
        if picture is None or self.base is None:
            return
        image, digest = f"{clean_name(name, 'picture')}.png", put_picture(picture)
        if self.own is not None and self.own.picture == digest:
            self.own = replace(self.own, image=image)
            self.session.make()  # The picture of the current map was missing.
        else:
            self.own = guess_tiles(image, digest, self.session.map, self.base)
        self.active = 0
        self.line.show("")
        self._refresh()

    # -- changes ------------------------------------------------------------------------------------------------

    def _change(self, own: OwnTiles) -> None:
        if own != self.own:
            self.own = own
            self._refresh()

    def _set_number(self, name: str, number: int) -> None:
        """Change the size of the sprites, the margin or the spacing."""
        if self.own is None:
            return
        width, height = self.own.tile_size
        changes: dict[str, Any] = {name: number}
        if name == "width":  # Most sprites are square.
            changes = {"tile_size": (number, number if width == height else height)}
        elif name == "height":
            changes = {"tile_size": (width, number)}
        self._change(replace(self.own, **changes))

    def _set_name(self, text: str) -> None:
        if self.own is not None:
            self._change(replace(self.own, name=clean_name(text, NAME)))
            self._show_fields()

    def _change_tile(self, place: int, name: str, value: Any) -> None:
        if self.own is not None and place < len(self.own.tiles):
            self.active = place
            self._change(self.own.with_tile(place, **{name: value}))

    def _on_sprite(self, position: int) -> None:
        """Set the first sprite of the selected tile, or add a tile."""
        if self.own is None:
            return
        if self.own.tiles:
            self._change_tile(min(self.active, len(self.own.tiles) - 1), "first", position)
        else:
            self._add_tile(position)

    def _add_tile(self, position: int = 0) -> None:
        if self.own is None or self.base is None or len(self.own.tiles) >= MAX_OWN_TILES:
            return
        shown = {tile.stands_for for tile in self.own.tiles}
        free = next((name for name in self._list_names() if name not in shown), "")
        self.active = len(self.own.tiles)
        self._change(replace(self.own, tiles=(*self.own.tiles, OwnTile(free, first=position))))

    def _remove_tile(self, place: int) -> None:
        if self.own is not None:
            self.active = 0
            self._change(replace(self.own, tiles=(*self.own.tiles[:place], *self.own.tiles[place + 1 :])))

    def _select(self, place: int) -> None:
        self.active = place
        self._refresh()

    def _list_names(self) -> list[str]:
        """Return the tiles that own tiles can stand for: those of the map and of the base tileset."""
        assert self.base is not None
        own = {tile.name for tile in self.own.tiles} if self.own is not None else set()
        shapers = [tile.name for tile in self.session.tiles() if tile.name not in self.base.by_name]
        return [*self.base.names, *(name for name in shapers if name not in own)]

    # -- display ------------------------------------------------------------------------------------------------

    def _refresh(self) -> None:
        """Show the own tiles, and draw the preview."""
        own = self.own
        sheet = None
        with report_errors(self._show_problem):
            sheet = None if own is None else own.sheet
        is_shown = own is not None and bool(picture_store.get(own.picture))
        self.body.set_visibility(is_shown)
        self.apply.set_enabled(is_shown)
        self.download.set_enabled(is_shown)
        self.drop_text.set_text("Another picture" if is_shown else "Choose a picture of your tiles, or drop it here")
        if own is None or not is_shown:
            return
        self._show_fields()
        if sheet is not None and self.base is not None:
            self.facts.set_text(describe_sheet(sheet))
            self.sheet_view.show(own, sheet, self.active)
            passable = {tile.name: tile.passable for tile in (*self.session.tiles(), *self.base)}
            self.rows.show(own, sheet, self._list_names(), passable, self.active)
            self._job.start(self._draw_preview())

    def _show_fields(self) -> None:
        if self.own is not None:
            (width, height), own = self.own.tile_size, self.own
            shown = {"width": width, "height": height, "margin": own.margin, "spacing": own.spacing}
            for name, number in shown.items():
                self.fields[name].show(number)
            self.name.set_value(own.name)

    def _show_problem(self, error: TilewrightError) -> None:
        self.line.show(str(error))

    # -- preview and result -------------------------------------------------------------------------------------

    def show_map(self) -> None:
        """Draw the preview with the current map, if the dialog is open."""
        if self.dialog.value and self.own is not None and picture_store.get(self.own.picture):
            self._job.start(self._draw_preview())

    async def _draw_preview(self) -> None:
        map = self.session.map

        def work(token: CancelToken) -> str | None:
            built = self._build()
            return None if built is None or map is None else draw_preview(built.show(map))

        picture = await self.session.attempt(work, self._show_problem)
        if picture is not None:
            self.line.show("")
            self.preview.props["src"] = picture
            self.preview.update()

    def _build(self) -> BuiltTileset | None:
        if self.own is None or self.base is None:
            return None
        map = self.session.map
        return build_tileset(self.own, self.base, None if map is None else map.tileset)

    async def _finish(self) -> BuiltTileset | None:
        self._job.stop()
        return await self.session.attempt(lambda token: self._build(), self._show_problem)

    async def _apply(self) -> None:
        built = await self._finish()
        if built is None:
            return
        with report_errors(self._show_problem):
            state = built.apply(self.session.state, find_labels(self.session.state))
            self.dialog.close()
            self.session.change(state)

    async def _download(self) -> None:
        built = await self._finish()
        if built is not None:
            ui.download.content(zip_files(built.files), f"{built.data['name']}.zip")


def describe_sheet(sheet: Sheet) -> str:
    """Return the number and size of the sprites of a sheet, and the layouts that such sheets usually have."""
    columns, rows = count_sprites(sheet)
    size = f"{columns}×{rows} sprites of {sheet.tile_width}×{sheet.tile_height} pixels"
    layouts = [name for name in find_layouts(columns, rows) if name != "single"]
    return f"{size}, as in sheets of {' or '.join(layouts)}" if layouts else size


def draw_preview(map: TileMap) -> str:
    """Return a picture of the middle of a map."""
    cells = map.cells if map.cells.ndim == 2 else map.cells[0]
    height, width = cells.shape
    top, left = max(0, (height - PREVIEW_CELLS[1]) // 2), max(0, (width - PREVIEW_CELLS[0]) // 2)
    part = cells[top : top + PREVIEW_CELLS[1], left : left + PREVIEW_CELLS[0]]
    return encode_picture(TileMap(part, map.tileset).image(scale=PREVIEW_SCALE, sprites=True))
