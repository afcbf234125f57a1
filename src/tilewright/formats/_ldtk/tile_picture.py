"""The picture of a project's tileset: the user's own sheet if it has all sprites, or else one with all sprites."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import numpy as np
from numpy.typing import NDArray

from ...core.caching import cached_by_size
from ...core.errors import InvalidRecipe
from ...core.tileset import Tileset
from .._artwork import Artwork
from .._sheet import arrange_sprites, encode_png, find_relative_path, picture_size
from . import LdtkParams, make_identifier
from .definitions import Data, count_tiles, describe_tile, make_tileset


@dataclass(frozen=True, eq=False)
class TilePicture:
    """The picture of all sprites of a tileset."""

    definition: Data
    """Definition of the tileset in the project."""
    pictures: dict[str, bytes]
    """Pictures to write beside the project, by file name."""
    numbers: NDArray[np.int64]
    """Array (sprite,) of the tile of each sprite in the picture."""

    @property
    def size(self) -> int:
        """Width and height of a tile in pixels."""
        return int(self.definition["tileGridSize"])

    def find_source(self, number: int) -> tuple[int, int]:
        """Return the left and upper edges of a tile in the picture."""
        row, column = divmod(number, self.definition["__cWid"])
        step = self.size + self.definition["spacing"]
        return self.definition["padding"] + column * step, self.definition["padding"] + row * step

    def make_rectangle(self, sprite: int) -> Data:
        x, y = self.find_source(int(self.numbers[sprite]))
        return {"tilesetUid": self.definition["uid"], "x": x, "y": y, "w": self.size, "h": self.size}


def make_tile_picture(tileset: Tileset, options: LdtkParams, path: Path, uid: int) -> TilePicture:
    """Return the picture of a tileset. Raise InvalidRecipe if its tiles are not square."""
    sheet = tileset.sheet
    if sheet is not None and sheet.tile_width != sheet.tile_height:
        size = f"{sheet.tile_width}x{sheet.tile_height}"
        raise InvalidRecipe(f"LDtk needs square tiles, those of tileset {tileset.name!r} have {size} pixels; use tmx")
    artwork = Artwork.of(tileset)
    picture = _use_own_sheet(artwork, options, path) or _draw_sheet(artwork, options, path)
    data: dict[int, Data] = {}
    for number, sprite in zip(picture.numbers.tolist(), artwork.sprites, strict=True):
        data.setdefault(number, describe_tile(tileset, sprite.tile))
    identifier = make_identifier(tileset.name)
    definition = make_tileset(uid, identifier, picture.path, picture.size, picture.grid, data)
    return TilePicture(definition, picture.files, picture.numbers)


@dataclass(frozen=True, eq=False)
class _SheetLayout:
    """A picture with all sprites of an artwork."""

    path: str
    """Path relative to the project."""
    files: dict[str, bytes]
    """Files to write, by name."""
    size: tuple[int, int]
    """Width and height in pixels."""
    grid: tuple[int, int, int]
    """Size of a tile, spacing and padding in pixels."""
    numbers: NDArray[np.int64]
    """Array (sprite,) of positions in the picture."""


def _draw_sheet(artwork: Artwork, options: LdtkParams, path: Path) -> _SheetLayout:
    """Draw a picture with all sprites in their order."""
    sheet = artwork.tileset.sheet
    side = sheet.tile_width if sheet else options.tile_size
    content, size = _encode_sheet(artwork, side)
    name = f"{path.stem}-tiles.png"
    return _SheetLayout(name, {name: content}, size, (side, 0, 0), np.arange(len(artwork)))


@cached_by_size
def _encode_sheet(artwork: Artwork, side: int) -> tuple[bytes, tuple[int, int]]:
    """Return all sprites as a PNG file, and its width and height in pixels."""
    pixels = arrange_sprites(artwork.draw(range(len(artwork)), side, side))
    return encode_png(pixels), (pixels.shape[1], pixels.shape[0])


def _use_own_sheet(artwork: Artwork, options: LdtkParams, path: Path) -> _SheetLayout | None:
    """Return the user's own picture, if it has all sprites and LDtk counts as many columns as Tilewright."""
    sheet = artwork.sheet
    positions = [sprite.position for sprite in artwork.sprites]
    if sheet is None or None in positions:
        return None
    size = picture_size(sheet)
    grid = (sheet.tile_width, sheet.spacing, sheet.margin)
    if size is None or count_tiles(size[0], grid) != sheet.columns:
        return None
    place = options.image_path or find_relative_path(sheet, path)
    image = place or PurePosixPath(sheet.image.replace("\\", "/")).name
    return _SheetLayout(image, {} if place else {image: sheet.picture}, size, grid, np.array(positions, dtype=np.int64))
