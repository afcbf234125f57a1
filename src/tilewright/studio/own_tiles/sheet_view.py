"""The picture of own tiles with a grid of its sprites, in which a click chooses a sprite."""

from __future__ import annotations

from collections.abc import Callable
from math import floor

from nicegui import events, ui

from ...core.skins import Skin
from ...core.tileset import Sheet
from ...formats._sheet import count_sprites, picture_size, sprite_box
from ..map.payloads import data_url
from .tileset import OwnTiles

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
        if sheet is None or not isinstance(event.args, list) or len(event.args) != 2:
            return
        try:
            x, y = (float(part) for part in event.args)
        except (TypeError, ValueError):
            return
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
