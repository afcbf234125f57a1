"""Sprite sheets for the canvas in the browser: pictures of tiles, and of the stacks of sprites in the cells of maps.

A sheet grows with the stacks that maps use, so that each stack is drawn and sent only once. What is added to a sheet is
a page; the browser gets only the pages that it lacks.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...core.recipe import Recipe
from ...core.site import Frame
from ...core.tilemap import TileMap
from ...core.tileset import Tileset
from ...formats._artwork import Artwork
from ...formats._composition import CellStacks, Stacks, draw_stacks, tile_stacks
from ...formats._page.scene import MAX_SPRITE_SIDE, encode_page, is_drawn_in_sprites
from ...formats._textures import SIDE

MAX_PICTURES = 8192
"""Number of pictures in a sheet above which only the stacks of the current map are kept."""
MAX_MAP_PICTURES = 16_384
"""Maximum number of different stacks of a map with sprites. Browsers limit the size of pictures."""
MAX_SHEETS = 32
"""Maximum number of cached sheets. The least recently used sheet is dropped."""
MAX_LOOK_CELLS = 1 << 14
"""Maximum number of cells of a frame whose sprites depend on neighbors."""
_numbers = count(1)
"""Numbers of the sheets of this process."""


@dataclass(frozen=True, eq=False)
class SpriteSheet:
    """Pictures of a tileset: one per tile, followed by the stacks of sprites that its maps have used so far."""

    tileset: Tileset
    side: int
    number: int
    """Number of the sheet. A sheet that has grown keeps its number."""
    pages: tuple[dict[str, Any], ...]
    """Payloads of the pictures, from `encode_page`. The first page has the pictures of the tiles by id, without
    neighbors."""
    positions: Mapping[bytes, int]
    """Index of the picture of each stack, by the bytes of the stack."""

    @classmethod
    def from_tileset(cls, tileset: Tileset) -> SpriteSheet:
        side = max(Artwork.of(tileset).native_size)
        side = min(side, MAX_SPRITE_SIDE, isqrt(MAX_PICTURES * SIDE * SIDE // len(tileset)))
        stacks = tile_stacks(tileset)
        page = encode_page(draw_stacks(Artwork.of(tileset), stacks, side, side), 0, quick=True)
        positions = {stack.tobytes(): number for number, stack in reversed(list(enumerate(stacks)))}
        return cls(tileset, side, next(_numbers), (page,), positions)

    def with_stacks(self, wanted: Stacks) -> SpriteSheet:
        """Return the sheet with another page for those of the given stacks that it lacks.

        If the sheet would have too many pictures, return another sheet of the tiles and the given stacks.
        """
        new = np.array([stack for stack in wanted if stack.tobytes() not in self.positions], dtype=np.int32)
        if not len(new):
            return self
        if self.count + len(new) > MAX_PICTURES and len(self.pages) > 1:
            return self.from_tileset(self.tileset).with_stacks(wanted)
        page = encode_page(draw_stacks(Artwork.of(self.tileset), new, self.side, self.side), self.count, quick=True)
        positions = {stack.tobytes(): number for number, stack in enumerate(new, self.count)}
        return replace(self, pages=(*self.pages, page), positions={**self.positions, **positions})

    @property
    def count(self) -> int:
        """Number of pictures."""
        last = self.pages[-1]
        return int(last["first"] + last["count"])

    def to_data(self, *, only_tiles: bool = False) -> dict[str, Any]:
        """Return the payload of the sheet, or of its page of tiles."""
        pages = self.pages[:1] if only_tiles else self.pages
        return {"digest": f"{self.tileset.look_digest} {self.number}", "side": self.side, "pages": [*pages]}

    def find_positions(self, cells: CellStacks) -> NDArray[np.uint16]:
        """Return the index of the picture of each cell in the sheet, which must contain all the stacks."""
        positions = np.array([self.positions[stack.tobytes()] for stack in cells.stacks], dtype=np.uint16)
        return positions[cells.numbers]


def depends_on_neighbors(tileset: Tileset) -> bool:
    """Return whether the sprites of cells depend on their neighbors or the seed, not on the tile alone."""
    return is_drawn_in_sprites(tileset) and len(Artwork.of(tileset)) > len(tileset)


class SheetCache:
    """Sprite sheets by tileset."""

    def __init__(self) -> None:
        self._sheets: OrderedDict[str, SpriteSheet] = OrderedDict()
        self._lock = threading.Lock()

    def find_tile_sheet(self, tileset: Tileset) -> SpriteSheet | None:
        """Return the sheet of a tileset; None if its maps are drawn in colors."""
        return self._extend(tileset, None) if is_drawn_in_sprites(tileset) else None

    def find_sheet(
        self, map: TileMap, recipe: Recipe | None = None
    ) -> tuple[SpriteSheet | None, NDArray[np.uint16] | None]:
        """Return the sheet for a map and the sheet index of each cell, or None if the indices are the tile ids.

        The cells of maps with more than MAX_MAP_PICTURES different stacks have a sprite per tile.
        """
        if not is_drawn_in_sprites(map.tileset):
            return None, None
        stacks = CellStacks.of(map, recipe) if depends_on_neighbors(map.tileset) else None
        if stacks is None or len(stacks.stacks) > MAX_MAP_PICTURES:
            return self._extend(map.tileset, None), None
        sheet = self._extend(map.tileset, stacks.stacks)
        return sheet, sheet.find_positions(stacks)

    def find_frame_sheets(
        self, frames: Sequence[Frame], recipe: Recipe | None
    ) -> Iterator[tuple[int, SpriteSheet, NDArray[np.uint16]]]:
        """Yield the numbers of frames whose sprites depend on neighbors, their sheets and the sheet index of each cell.

        Frames of too many cells are left out, and frames of tilesets with too many tiles or different stacks.
        """
        drawn: dict[str, list[tuple[int, CellStacks]]] = {}
        for number, frame in enumerate(frames):
            if frame.cells is None or frame.colors is not None or frame.cells.size > MAX_LOOK_CELLS:
                continue
            if is_drawn_in_sprites(frame.tileset) and frame.tileset.skins:
                drawn.setdefault(frame.tileset.look_digest, []).append((number, CellStacks.of(frame, recipe)))
        for group in drawn.values():
            stacks = np.unique(np.concatenate([cells.stacks for _, cells in group]), axis=0)
            tileset = group[0][1].artwork.tileset
            if len(stacks) + len(tileset) > MAX_PICTURES:
                continue
            sheet = self._extend(tileset, stacks)
            for number, cells in group:
                yield number, sheet, sheet.find_positions(cells)

    def _extend(self, tileset: Tileset, stacks: Stacks | None) -> SpriteSheet:
        """Return the sheet of a tileset, extended by stacks."""
        key = tileset.look_digest
        with self._lock:
            sheet = self._sheets.pop(key, None) or SpriteSheet.from_tileset(tileset)
            if stacks is not None:
                sheet = sheet.with_stacks(stacks)
            self._sheets[key] = sheet
            while len(self._sheets) > MAX_SHEETS:
                self._sheets.popitem(last=False)
        return sheet


sheet_cache = SheetCache()
"""Cache of this process, shared by all sessions."""
