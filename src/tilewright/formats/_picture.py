"""Maps as pictures. Each cell is a sprite, or a square of pixels in the color of its tile.

The levels of a 3D map are side by side, one cell apart. Flat pictures of up to 256 colors are palette pictures whose
palette starts with the tiles in their order: the index of a pixel is the tile id. Pictures with sprites have a palette,
too, unless their colors are too different.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import isqrt, prod
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from pydantic import PlainSerializer, PlainValidator, WithJsonSchema

from ..core.errors import InvalidRecipe, TooLarge, check_limit
from ..core.params import Params, param
from ..core.recipe import Recipe
from ..core.site import Frame
from ..core.tilemap import TileMap
from ..core.tileset import Tileset
from ._artwork import has_sprites, native_size
from ._composition import SpritePainter
from ._icons import MIN_DOT_CELL
from ._layers import View
from ._marks import FRAME_LINE, MAX_PALETTE, apply_tint, draw_frame_lines, draw_lines, draw_markers, find_icon_colors

MAX_CELLS = 1 << 26
"""Maximum number of cells in a picture, for drawing and reading."""
MAX_BYTES = 1 << 28
"""Maximum size of a decoded picture in bytes. A pixel takes one byte with a palette, and four bytes otherwise."""
DEFAULT_MAX_PIXELS = 1 << 24
"""Maximum number of pixels of a picture by default."""
FLAT_SIDE = 8
"""Width and height of a cell without sprites, in pixels."""
MIN_SPRITE_WIDTH = 8
"""Minimum width of a cell with a sprite, in pixels, unless the sprites themselves are smaller."""
MIN_LONGER_EDGE, MAX_LONGER_EDGE = 480, 2000
"""Length of the longer edge of a picture with sprites, in pixels. Sprites of smaller maps are enlarged by an integer,
and those of larger maps are scaled down."""
MAX_ENLARGEMENT = 4
"""Maximum factor by which sprites of small maps are enlarged."""
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
    """Pixels per cell; by default the width of the sprites, more for small maps and less for large ones; 8 without
    sprites."""
    sprites: bool | None = param(None)
    """Whether to draw sprites instead of colors; by default if the tileset has any, at 8 pixels per cell and more."""
    grid: bool = param(False)
    """Whether to darken the edges of cells; needs at least 3 pixels per cell."""
    markers: bool = param(True)
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


def draw(view: View, options: PictureParams, cell: Size | None = None, *, exact: bool = True) -> Image.Image:
    """Draw a map or a frame. The options decide the height and width of a cell by default.

    Unless colors must be `exact`, nearly equal ones are merged if there are too many for a palette.
    """
    canvas = layout_of(view).canvas
    check_cell_count(canvas)
    return draw_all([view], options, canvas, cell or cell_size(view, options, canvas), exact=exact)[0]


def draw_all(
    views: Sequence[View],
    options: PictureParams,
    canvas: Size,
    cell: Size,
    recipe: Recipe | None = None,
    *,
    exact: bool = False,
) -> list[Image.Image]:
    """Draw maps or frames in the center of a canvas, which may be larger. The recipe is that of `sprite_layers`.

    Pictures with a palette have the same palette, so that animations of them are small.
    """
    check_cell_count(canvas)
    maps = [view.map if isinstance(view, Frame) else view for view in views]
    overlays = [resolve_overlay(map, options) if map is not None else None for map in maps]
    markers = [marker for map in maps if map is not None and options.markers for marker in map.markers]
    icons, lines = find_icon_colors(markers, cell), _find_line_colors(views)
    in_sprites = [
        not (isinstance(view, Frame) and view.colors is not None) and shows_sprites(view, options, cell)
        for view in views
    ]
    painted = [view for view, is_one in zip(views, in_sprites, strict=True) if is_one]
    sprites = iter(_draw_sprites(painted, canvas, cell, options, recipe, (icons, lines), exact))
    pictures = []
    for view, map, overlay, is_one in zip(views, maps, overlays, in_sprites, strict=True):
        layout = layout_of(view, canvas)
        if is_one:
            picture = next(sprites)
        elif isinstance(view, Frame) and view.colors is not None:
            picture = _draw_colors(layout.spread(view.colors, BACKGROUND), cell, options)
        else:
            picture = _draw_flat(view, layout, cell, options, np.concatenate([icons, lines]))
        if overlay is not None:
            check_picture_size(canvas, cell, 4)
            picture = draw_lines(apply_tint(picture, overlay.tint, layout, cell), overlay.lines, layout, cell)
        if isinstance(view, Frame) and view.lines:
            picture = draw_frame_lines(picture, view.lines, layout, cell)
        pictures.append(draw_markers(picture, map.markers, layout, cell) if map and options.markers else picture)
    return pictures


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
    if options.sprites or (options.sprites is None and has_sprites(view.tileset)):
        size = _sprite_size(view.tileset, options, canvas, max_pixels)
        if shows_sprites(view, options, size):
            return size
    width = options.scale or max(1, min(FLAT_SIDE, isqrt(max_pixels // prod(canvas))))
    return width, width


def _sprite_size(tileset: Tileset, options: PictureParams, canvas: Size, max_pixels: int) -> Size:
    """Return the height and width of a cell with a sprite: the original size, unless the picture is small or large."""
    height, width = native_size(tileset)
    longer = max(canvas[0] * height, canvas[1] * width)
    if options.scale is not None:
        wide = options.scale
    elif longer <= MAX_LONGER_EDGE:
        wide = width * min(MAX_ENLARGEMENT, -(-MIN_LONGER_EDGE // longer))
    else:
        wide = max(1, width * MAX_LONGER_EDGE // longer)
    if options.scale is None and prod(canvas) * wide**2 * height > max_pixels * width:
        wide = max(1, isqrt(max_pixels * width // (prod(canvas) * height)))
    return max(1, round(wide * height / width)), wide


def shows_sprites(view: View, options: PictureParams, cell: Size) -> bool:
    """Return whether to draw sprites in cells of this size.

    By default, sprites are drawn if the tileset has any, and if cells are large enough for them.
    """
    if options.sprites is not None:
        return options.sprites
    return cell[1] >= min(MIN_SPRITE_WIDTH, native_size(view.tileset)[1]) and has_sprites(view.tileset)


def hides_tiles(view: View, options: PictureParams, cell: Size) -> bool:
    """Return whether the colors of a picture do not identify the tiles: sprites, overlays and lines.

    Icons of markers are no such lines; they hide only the tiles of their cells.
    """
    if options.overlay is not None or shows_sprites(view, options, cell):
        return True
    return isinstance(view, Frame) and (view.colors is not None or bool(view.lines))


def shows_icons(view: View, options: PictureParams, cell: Size) -> bool:
    """Return whether a picture has icons of markers, or dots."""
    map = view.map if isinstance(view, Frame) else view
    return options.markers and map is not None and bool(map.markers) and min(cell) >= MIN_DOT_CELL


def check_cell_count(canvas: Size) -> None:
    check_limit("cells", prod(canvas), MAX_CELLS, of="a picture", advice="crop the map, or save npz")


def check_picture_size(canvas: tuple[int, ...], cell: Size, pixel: int) -> None:
    """Raise TooLarge if a picture would be too large. `pixel` is the number of bytes per pixel."""
    height, width = canvas[0] * cell[0], canvas[1] * cell[1]
    if height * width * pixel > MAX_BYTES:
        raise TooLarge(
            f"a picture must have at most {MAX_BYTES // pixel:,} pixels, got {width:,}x{height:,}; lower the scale"
        )


def _find_line_colors(views: Sequence[View]) -> NDArray[np.uint8]:
    """Return the color of the lines of frames, if there are any, an array (color, 3)."""
    has_lines = any(isinstance(view, Frame) and view.lines for view in views)
    return np.array([FRAME_LINE] if has_lines else [], dtype=np.uint8).reshape(-1, 3)


def _draw_flat(
    view: View, layout: CanvasLayout, cell: Size, options: PictureParams, extra: NDArray[np.uint8]
) -> Image.Image:
    """Draw tiles in their colors. The picture has a palette if there are few enough colors."""
    colors = view.tileset.colors
    if not layout.is_full:
        colors = np.concatenate([colors, np.array([BACKGROUND], dtype=np.uint8)])
    sheet = layout.spread(view.cells.astype(np.min_scalar_type(2 * len(colors))), len(colors) - 1)
    has_grid = options.grid and min(cell) >= 3
    count = len(colors) * (2 if has_grid else 1)
    if count + len(extra) > MAX_PALETTE:
        return _draw_colors(colors[sheet], cell, options)
    sheet = sheet.astype(np.uint8)
    picture = Image.fromarray(_enlarge(sheet, cell, sheet + len(colors) if has_grid else None))
    picture.putpalette(np.concatenate([np.concatenate([colors, _darken(colors)])[:count], extra]).tobytes())
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


def _draw_sprites(
    views: Sequence[View],
    canvas: Size,
    cell: Size,
    options: PictureParams,
    recipe: Recipe | None,
    marks: tuple[NDArray[np.uint8], NDArray[np.uint8]],
    exact: bool,
) -> list[Image.Image]:
    """Draw the sprites of tiles. `marks` are the colors of icons and lines that are drawn over them later."""
    if not views:
        return []
    check_picture_size(canvas, cell, 4)
    native = native_size(views[0].tileset)
    factor = cell[0] // native[0] if cell[1] % native[1] == 0 and cell[0] * native[1] == cell[1] * native[0] else 1
    painter = SpritePainter(cell[0] // factor, cell[1] // factor, BACKGROUND, recipe)
    sheets = [layout_of(view, canvas).spread(painter.add(view), 0) for view in views]
    pictures = painter.paint(sheets, *marks, exact=exact)
    if factor > 1:
        pictures = [
            picture.resize((canvas[1] * cell[1], canvas[0] * cell[0]), Image.Resampling.NEAREST) for picture in pictures
        ]
    return [_draw_grid(picture, cell) for picture in pictures] if options.grid and min(cell) >= 3 else pictures


def _draw_grid(picture: Image.Image, cell: Size) -> Image.Image:
    """Darken the upper and left edges of cells."""
    pixels = np.array(picture.convert("RGB"))
    rows, columns = cell
    above, left = _darken(pixels[::rows]), _darken(pixels[:, ::columns])
    pixels[::rows], pixels[:, ::columns] = above, left
    return Image.fromarray(pixels)
