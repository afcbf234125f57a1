"""Maps as pictures. Each cell is a square of pixels in the color of its tile, or a sprite.

The levels of a 3D map are side by side, one cell apart. Flat pictures of up to 256 colors are palette pictures whose
palette starts with the tiles in their order: the index of a pixel is the tile id.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isqrt, prod
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from pydantic import PlainSerializer, PlainValidator, WithJsonSchema

from ..core.errors import InvalidRecipe, TooLarge
from ..core.params import Params, param
from ..core.recipe import Recipe
from ..core.site import Frame
from ..core.tilemap import TileMap
from ._artwork import own_sheet
from ._composition import CellStacks, draw_stacks
from ._layers import View
from ._marks import MAX_PALETTE, apply_tint, draw_frame_lines, draw_lines, draw_markers
from ._textures import SIDE

MAX_CELLS = 1 << 26
"""Maximum number of cells in a picture, for drawing and reading."""
MAX_BYTES = 1 << 28
"""Maximum size of a decoded picture in bytes. A pixel takes one byte with a palette, and four bytes otherwise."""
DEFAULT_MAX_PIXELS = 1 << 24
"""Maximum number of pixels of a picture by default."""
FLAT_SIDE = 8
"""Width and height of a cell without sprites, in pixels."""
BACKGROUND = (22, 21, 28)
"""Color between levels, and around frames smaller than the canvas."""
SHADE = 0.82
"""Brightness of grid lines."""

Size = tuple[int, int]
"""Number of rows and columns, of cells or pixels."""


def _read_overlay(value: Any) -> Any:
    """Return an overlay, or a validated request for an overlay that is computed when the map is known."""
    if value is None:
        return None
    from ..overlays.kinds import OverlayRequest  # imported here because it imports the analysis
    from ..overlays.overlay import Overlay

    if isinstance(value, Overlay | OverlayRequest):
        return value
    if not isinstance(value, str):
        raise InvalidRecipe("must be a string such as distance, or the result of tw.overlay", got=value, rule="type")
    return OverlayRequest.parse(value)


OverlayOption = Annotated[
    Any,
    PlainValidator(_read_overlay),
    PlainSerializer(lambda value: value and (getattr(value, "text", "") or str(value)), when_used="json"),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "null"}]}),
]


class PictureParams(Params):
    """Options of pictures."""

    scale: int | None = param(None, ge=1, le=256, typical=(1, 32))
    """Pixels per cell; by default 8, or the width of the sprites, and less for large maps."""
    sprites: bool | None = param(None)
    """Whether to draw sprites, the tileset's own or built-in ones; by default if it has a sheet or pieces."""
    grid: bool = param(False)
    """Whether to darken the edges of cells; needs at least 3 pixels per cell."""
    markers: bool = param(False)
    """Whether to draw an icon for every marker: a dot below 8 pixels per cell, nothing below 4."""
    overlay: OverlayOption = param(None)
    """Overlay to draw: distance, flee, path, hot-path (or hot-path,slack=8), regions, rooms, chokepoints, sight or
    playthrough."""


@dataclass(frozen=True, slots=True)
class CanvasLayout:
    """Positions of cells in a picture. Levels are side by side, one cell apart, and centered on a canvas of cells."""

    depth: int
    height: int
    width: int
    canvas: Size

    @classmethod
    def of(cls, shape: tuple[int, ...], canvas: Size | None = None) -> CanvasLayout:
        *levels, height, width = shape
        depth = prod(levels)
        return cls(depth, height, width, canvas or (height, depth * (width + 1) - 1))

    @property
    def is_full(self) -> bool:
        """Whether the map covers the complete canvas."""
        return self.depth * self.height * self.width == self.canvas[0] * self.canvas[1]

    def level_origin(self, level: int = 0) -> Size:
        """Return row and column of a level's first cell."""
        rows, columns = self.canvas
        left = (columns - self.depth * (self.width + 1) + 1) // 2
        return (rows - self.height) // 2, left + level * (self.width + 1)

    def spread(self, cells: NDArray[Any], filler: Any) -> NDArray[Any]:
        """Return the cells on a canvas, as an array (row, column, ...) with the filler in places without a cell."""
        inner = () if cells.size == self.depth * self.height * self.width else cells.shape[-1:]
        levels = cells.reshape(self.depth, self.height, self.width, *inner)
        sheet = np.full((*self.canvas, *inner), filler, dtype=cells.dtype)
        for number, level in enumerate(levels):
            top, left = self.level_origin(number)
            sheet[top : top + self.height, left : left + self.width] = level
        return sheet

    def gather(self, sheet: NDArray[Any]) -> NDArray[Any]:
        """Return the cells of a canvas as an array (level, row, column)."""
        places = [self.level_origin(level) for level in range(self.depth)]
        return np.stack([sheet[top : top + self.height, left : left + self.width] for top, left in places])


def draw(
    view: View,
    options: PictureParams,
    canvas: Size | None = None,
    cell: Size | None = None,
    recipe: Recipe | None = None,
) -> Image.Image:
    """Draw a map or a frame in the center of a canvas, which may be larger. The recipe is that of `sprite_layers`."""
    layout = layout_of(view, canvas)
    check_cell_count(layout.canvas)
    cell = cell or cell_size(view, options, layout.canvas)
    if isinstance(view, Frame) and view.colors is not None:
        picture = _draw_colors(layout.spread(view.colors, BACKGROUND), cell, options)
    elif shows_sprites(view, options):
        picture = _draw_tiles(view, layout, cell, options, recipe)
    else:
        picture = _draw_flat(view, layout, cell, options)
    map = view.map if isinstance(view, Frame) else view
    overlay = resolve_overlay(map, options) if map is not None else None
    if overlay is not None:
        check_picture_size(layout.canvas, cell, 4)
        picture = draw_lines(apply_tint(picture, overlay.tint, layout, cell), overlay.lines, layout, cell)
    if isinstance(view, Frame) and view.lines:
        picture = draw_frame_lines(picture, view.lines, layout, cell)
    return draw_markers(picture, map.markers, layout, cell) if map is not None and options.markers else picture


def resolve_overlay(map: TileMap, options: PictureParams) -> Any:
    """Return the overlay to draw over a map, or None."""
    given = options.overlay
    if given is None:
        return None
    return given.check_size(map) if hasattr(given, "check_size") else given.compute(map)


def layout_of(view: View, canvas: Size | None = None) -> CanvasLayout:
    colored = isinstance(view, Frame) and view.colors is not None
    return CanvasLayout.of(view.colors.shape[:-1] if colored else view.cells.shape, canvas)  # type: ignore[union-attr]


def cell_size(view: View, options: PictureParams, canvas: Size, max_pixels: int = DEFAULT_MAX_PIXELS) -> Size:
    """Return the height and width of a cell in pixels. Cells are square unless the sprites are not square."""
    sprites = shows_sprites(view, options)
    sheet = own_sheet(view.tileset) if sprites else None
    wanted = sheet.tile_width if sheet else SIDE if sprites else FLAT_SIDE
    width = options.scale or max(1, min(wanted, isqrt(max_pixels // prod(canvas))))
    return (max(1, round(width * sheet.tile_height / sheet.tile_width)) if sheet else width), width


def shows_sprites(view: View, options: PictureParams) -> bool:
    """Return whether to draw sprites.

    By default, sprites are drawn if the tileset's own picture is available or its pieces join.
    """
    if options.sprites is not None:
        return options.sprites
    return own_sheet(view.tileset) is not None or bool(view.tileset.joints)


def hides_tiles(view: View, options: PictureParams) -> bool:
    """Return whether the colors of a picture do not identify the tiles: sprites, overlays, markers and other lines."""
    map = view.map if isinstance(view, Frame) else view
    if options.overlay is not None or (options.markers and map is not None and map.markers):
        return True
    return shows_sprites(view, options) or (isinstance(view, Frame) and (view.colors is not None or bool(view.lines)))


def check_cell_count(canvas: Size) -> None:
    if prod(canvas) > MAX_CELLS:
        raise TooLarge(
            f"a picture must have at most {MAX_CELLS:,} cells, got {prod(canvas):,}; crop the map, or save npz"
        )


def check_picture_size(canvas: tuple[int, ...], cell: Size, pixel: int) -> None:
    """Raise TooLarge if a picture would be too large. `pixel` is the number of bytes per pixel."""
    height, width = canvas[0] * cell[0], canvas[1] * cell[1]
    if height * width * pixel > MAX_BYTES:
        raise TooLarge(
            f"a picture must have at most {MAX_BYTES // pixel:,} pixels, got {width:,}x{height:,}; lower the scale"
        )


def _draw_flat(view: View, layout: CanvasLayout, cell: Size, options: PictureParams) -> Image.Image:
    """Draw tiles in their colors. The picture has a palette if there are few enough colors."""
    colors = view.tileset.colors
    if not layout.is_full:
        colors = np.concatenate([colors, np.array([BACKGROUND], dtype=np.uint8)])
    sheet = layout.spread(view.cells.astype(np.min_scalar_type(2 * len(colors))), len(colors) - 1)
    has_grid = options.grid and min(cell) >= 3
    count = len(colors) * (2 if has_grid else 1)
    if count > MAX_PALETTE:
        return _draw_colors(colors[sheet], cell, options)
    sheet = sheet.astype(np.uint8)
    picture = Image.fromarray(_enlarge(sheet, cell, sheet + len(colors) if has_grid else None))
    picture.putpalette(np.concatenate([colors, _darken(colors)])[:count].tobytes())
    return picture


def _draw_colors(sheet: NDArray[np.uint8], cell: Size, options: PictureParams) -> Image.Image:
    """Draw the colors of cells, an array (row, column, 3), as an RGB picture."""
    return Image.fromarray(_enlarge(sheet, cell, _darken(sheet) if options.grid and min(cell) >= 3 else None))


def _enlarge(sheet: NDArray[np.uint8], cell: Size, edges: NDArray[np.uint8] | None) -> NDArray[np.uint8]:
    """Enlarge every cell to a block of pixels. `edges`, if given, are the colors of grid lines."""
    check_picture_size(sheet.shape, cell, 1 if sheet.ndim == 2 else 4)
    rows, columns = cell
    wide = np.repeat(sheet, columns, axis=1)
    if edges is None:
        return np.repeat(wide, rows, axis=0)
    wide[:, columns::columns] = edges[:, 1:]
    pixels = np.repeat(wide, rows, axis=0)
    pixels[rows::rows] = np.repeat(edges[1:], columns, axis=1)
    return pixels


def _darken(colors: NDArray[np.uint8]) -> NDArray[np.uint8]:
    return (colors * SHADE).astype(np.uint8)


def _draw_tiles(
    view: View, layout: CanvasLayout, cell: Size, options: PictureParams, recipe: Recipe | None
) -> Image.Image:
    """Draw the sprites of tiles, row by row to save memory."""
    check_picture_size(layout.canvas, cell, 4)
    rows, columns = cell
    drawn = CellStacks.of(view, recipe)
    pictures = draw_stacks(drawn.artwork, drawn.stacks, rows, columns)
    sheet = layout.spread(drawn.numbers, len(pictures))
    pictures = np.concatenate([pictures, np.full((1, rows, columns, 3), BACKGROUND, dtype=np.uint8)])
    if options.grid and min(cell) >= 3:
        pictures[:, 0], pictures[:, :, 0] = _darken(pictures[:, 0]), _darken(pictures[:, :, 0])
    pixels = np.empty((layout.canvas[0] * rows, layout.canvas[1] * columns, 3), dtype=np.uint8)
    for number, line in enumerate(sheet):
        pixels[number * rows : (number + 1) * rows] = pictures[line].transpose(1, 0, 2, 3).reshape(rows, -1, 3)
    return Image.fromarray(pixels)
