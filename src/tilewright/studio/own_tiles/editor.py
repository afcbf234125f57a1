"""Editor of own tiles: the picture with the grid of its sprites, and a row of controls per tile."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import floor
from typing import Any

from nicegui import events, ui

from ...core.skins import LAYOUTS, Skin
from ...core.tileset import Sheet
from ...formats._sheet import count_sprites, picture_size, sheet_picture, sprite_box
from ..map.payloads import data_url, encode_picture
from ..page.widgets import DebouncedInput, NumberInput, dropdown, icon_button, on_choice, show_value, toggle_class
from .tileset import OwnTile, OwnTiles

MAX_LINES = 256
"""Maximum number of rows or columns of sprites for which the grid is drawn."""
MIN_SCREEN_SPRITE = 24
"""Minimum width of a sprite on the screen in CSS pixels, so that it can be hit; the picture scrolls."""


MAX_WIDTH = 4096
"""Maximum width of the picture on the screen in CSS pixels."""
PLACE_SCRIPT = """(event) => {
  const box = event.currentTarget.getBoundingClientRect();
  emit((event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
}"""
"""Emits the place of a click as fractions of the width and height."""


class SheetView:
    """A picture with the grid of its sprites. `on_sprite` is called with the position of a sprite."""

    def __init__(self, on_sprite: Callable[[int], None]) -> None:
        self._on_sprite = on_sprite
        self._sheet: Sheet | None = None
        self._digest = ""
        with (
            ui.element("div").classes("tw-own-sheet"),
            ui.element("div").classes("tw-own-picture").props("data-testid=own-sheet") as self.picture,
        ):
            self.image = ui.element("img").props('alt="Your picture with the grid of its sprites"')
            self.grid = ui.html("", sanitize=False)
        self.picture.on("click", self._on_click, js_handler=PLACE_SCRIPT)

    def show(self, own: OwnTiles, sheet: Sheet, active: int) -> None:
        """Show a sheet and the sprites in use; the tile with the index `active` is emphasized."""
        self._sheet = sheet
        if own.picture != self._digest:
            self._digest = own.picture
            self.image.props["src"] = data_url(sheet.picture)
            self.image.update()
        width, _ = picture_size(sheet) or (1, 1)
        self.picture.style(f"min-width: {min(MAX_WIDTH, -(-width * MIN_SCREEN_SPRITE // sheet.tile_width))}px")
        self.grid.set_content(draw_grid(own, sheet, active))

    def _on_click(self, event: events.GenericEventArguments) -> None:
        sheet = self._sheet
        match event.args:
            case [int() | float() as x, int() | float() as y] if sheet is not None:
                self._on_place(sheet, x, y)

    def _on_place(self, sheet: Sheet, x: float, y: float) -> None:
        """Report the sprite at a place, given as fractions of the width and height."""
        (width, height), (columns, rows) = picture_size(sheet) or (0, 0), count_sprites(sheet)
        column = floor((x * width - sheet.margin) / (sheet.tile_width + sheet.spacing)) if 0 <= x <= 1 else -1
        row = floor((y * height - sheet.margin) / (sheet.tile_height + sheet.spacing)) if 0 <= y <= 1 else -1
        if 0 <= column < columns and 0 <= row < rows:
            self._on_sprite(row * columns + column)


def draw_grid(own: OwnTiles, sheet: Sheet, active: int) -> str:
    """Return the grid of the sprites and the frames of the tiles as SVG."""
    width, height = picture_size(sheet) or (1, 1)
    columns, rows = count_sprites(sheet)
    wide, tall = sheet.tile_width + sheet.spacing, sheet.tile_height + sheet.spacing
    drawn = []
    if max(columns, rows) <= MAX_LINES:
        lefts = "".join(f"M{sheet.margin + column * wide} 0v{height}" for column in range(columns))
        tops = "".join(f"M0 {sheet.margin + row * tall}h{width}" for row in range(rows))
        drawn.append(f'<path class="tw-own-grid" d="{lefts}{tops}"/>')
    for number, tile in enumerate(own.tiles):
        if tile.first >= columns * rows:
            continue
        across, down = Skin(tile="any", layout=tile.layout).extent
        left, top, _, _ = sprite_box(sheet, tile.first)
        size = f'width="{across * wide - sheet.spacing}" height="{down * tall - sheet.spacing}"'
        kind = "tw-own-frame tw-own-active" if number == active else "tw-own-frame"
        drawn.append(f'<rect class="{kind}" x="{left}" y="{top}" {size}/>')
    return f'<svg viewBox="0 0 {width} {height}" aria-hidden="true">{"".join(drawn)}</svg>'


MAX_FIRST = 10**7
"""Maximum position of a sprite that can be typed."""
NEW = "a new tile"
"""Label for a tile that stands for no other."""
OnChange = Callable[[int, str, Any], None]
"""Called with the index of a tile, the name of a field and its value."""


class OwnTileRows:
    """One row of controls per own tile."""

    def __init__(
        self, *, on_change: OnChange, on_select: Callable[[int], None], on_remove: Callable[[int], None]
    ) -> None:
        self.on_change, self.on_select, self.on_remove = on_change, on_select, on_remove
        self.list = ui.element("div").classes("tw-own-tiles").props("data-testid=own-rows")
        self._names: tuple[str, ...] = ()
        self.rows: list[OwnTileRow] = []

    def show(
        self, own: OwnTiles, sheet: Sheet, names: Sequence[str], passable: Mapping[str, bool], active: int
    ) -> None:
        """Show own tiles. The rows are built again only if their number or the names to choose from change."""
        if len(own.tiles) != len(self.rows) or tuple(names) != self._names:
            self._names = tuple(names)
            self.list.clear()
            with self.list:
                self.rows = [OwnTileRow(place, self._names, self) for place in range(len(own.tiles))]
        for place, (row, tile) in enumerate(zip(self.rows, own.tiles, strict=True)):
            row.show(tile, sheet, passable, is_active=place == active)


class OwnTileRow:
    """Controls of one own tile."""

    def __init__(self, place: int, names: Sequence[str], owner: OwnTileRows) -> None:
        options = {"": NEW, **{name: name for name in names}}
        with ui.element("div").classes("tw-own-tile tw-card").props(f"data-testid=own-tile-{place}") as self.card:
            with ui.element("button").classes("tw-own-sprite").props("type=button") as button:
                self.sprite = ui.element("img").props('alt=""')
            button.props(f'aria-label="Select tile {place + 1}, then click its sprite" data-testid=own-sprite-{place}')
            button.on("click", partial(owner.on_select, place))
            change, remove = partial(owner.on_change, place), partial(owner.on_remove, place)
            choose = partial(change, "stands_for")
            self.stands_for = dropdown(options, choose, f"own-for-{place}", label="stands for", value="")
            self.name = DebouncedInput(f"own-name-{place}", partial(change, "name"), label="name")
            self.name.props("maxlength=40")
            choose = partial(change, "layout")
            self.layout = dropdown([*LAYOUTS], choose, f"own-layout-{place}", label="layout", value="single")
            choose = partial(change, "first")
            self.first = NumberInput(f"own-first-{place}", choose, low=0, high=MAX_FIRST, label="sprite")
            self.first.props("min=0")
            self.passable = on_choice(ui.checkbox("passable"), partial(change, "passable"))
            self.passable.props(f"dense data-testid=own-passable-{place}")
            icon_button("delete_outline", f"Remove tile {place + 1}", remove, test_id=f"own-drop-{place}")

    def show(self, tile: OwnTile, sheet: Sheet, passable: Mapping[str, bool], *, is_active: bool) -> None:
        """Show a tile."""
        is_passable = tile.passable
        if is_passable is None:
            is_passable = passable.get(tile.tile, passable.get(tile.stands_for, True))
        toggle_class(self.card, "tw-own-chosen", is_active)
        show_value(self.stands_for, tile.stands_for if tile.stands_for in self.stands_for.options else "")
        self.name.set_value(tile.tile)
        show_value(self.layout, tile.layout)
        self.first.show(tile.first)
        show_value(self.passable, is_passable)
        self.sprite.props["src"] = draw_sprite(sheet, tile.first)
        self.sprite.update()


def draw_sprite(sheet: Sheet, position: int) -> str:
    """Return a sprite as a data URL; the first one if the sheet has no such sprite."""
    columns, rows = count_sprites(sheet)
    return encode_picture(sheet_picture(sheet).crop(sprite_box(sheet, position if position < columns * rows else 0)))
