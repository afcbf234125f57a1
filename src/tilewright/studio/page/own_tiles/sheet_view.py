"""The picture of own tiles with a grid of its sprites, in which a click chooses a sprite."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import events, ui

from ....core.skins import Skin
from ....core.tileset import Sheet
from ....formats._sheet import count_sprites, picture_size, sprite_box
from ...own_tiles import OwnTiles
from ...payloads import data_url

MAX_LINES = 256
"""Maximum number of rows or columns of sprites for which the grid is drawn."""
MIN_SCREEN_SPRITE = 24
"""Minimum width of a sprite on the screen in CSS pixels, so that it can be hit; the picture scrolls."""


class SheetView:
    """A picture with the grid of its sprites. `on_sprite` is called with the position of a sprite."""

    def __init__(self, on_sprite: Callable[[int], None]) -> None:
        self._on_sprite = on_sprite
        self._sheet: Sheet | None = None
        self._digest = ""
        with ui.element("div").classes("tw-own-sheet"):
            self.picture = ui.interactive_image("", on_mouse=self._on_mouse, events=["click"], sanitize=False)
            self.picture.props("data-testid=own-sheet")

    def show(self, own: OwnTiles, sheet: Sheet, active: int) -> None:
        """Show a sheet and the sprites in use; the tile with the index `active` is emphasized."""
        self._sheet = sheet
        if own.picture != self._digest:
            self._digest = own.picture
            self.picture.set_source(data_url(sheet.picture))
        width, _ = picture_size(sheet) or (1, 1)
        self.picture.style(f"min-width: {min(4096, -(-width * MIN_SCREEN_SPRITE // sheet.tile_width))}px")
        self.picture.set_content(draw_grid(own, sheet, active))

    def _on_mouse(self, event: events.MouseEventArguments) -> None:
        sheet = self._sheet
        if sheet is None:
            return
        columns, rows = count_sprites(sheet)
        column = int(event.image_x - sheet.margin) // (sheet.tile_width + sheet.spacing)
        row = int(event.image_y - sheet.margin) // (sheet.tile_height + sheet.spacing)
        if 0 <= column < columns and 0 <= row < rows:
            self._on_sprite(row * columns + column)


def draw_grid(own: OwnTiles, sheet: Sheet, active: int) -> str:
    """Return the grid of the sprites and the frames of the tiles as SVG."""
    columns, rows = count_sprites(sheet)
    width, height = sheet.tile_width, sheet.tile_height
    frames = []
    if max(columns, rows) <= MAX_LINES:
        corners = [sprite_box(sheet, row * columns)[:2] for row in range(rows)]
        lines = [
            f'<path class="tw-own-grid" d="M{corners[0][0]} {top}h{columns * (width + sheet.spacing)}"/>'
            for _, top in corners
        ]
        lefts = [sprite_box(sheet, column)[:2] for column in range(columns)]
        lines += [
            f'<path class="tw-own-grid" d="M{left} {top}v{rows * (height + sheet.spacing)}"/>' for left, top in lefts
        ]
        frames += lines
    for number, tile in enumerate(own.tiles):
        if tile.first >= columns * rows:
            continue
        wide, tall = Skin(tile="any", layout=tile.layout).extent
        left, top, _, _ = sprite_box(sheet, tile.first)
        right, bottom = wide * (width + sheet.spacing) - sheet.spacing, tall * (height + sheet.spacing) - sheet.spacing
        kind = "tw-own-frame tw-own-active" if number == active else "tw-own-frame"
        frames.append(f'<rect class="{kind}" x="{left}" y="{top}" width="{right}" height="{bottom}"/>')
    return "".join(frames)
