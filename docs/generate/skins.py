"""Pictures of the layouts of skins: a sheet drawn in code, its masks, and a map drawn with it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

import tilewright as tw
from tilewright.core.seeds import Rng
from tilewright.core.skins import CORNER_BITS, LAYOUTS
from tilewright.formats._skin_files import SpriteSource, add_skin
from tilewright.formats._skin_preview import draw_preview

SIDE = 16
"""Width of a sprite in pixels."""
RIM = 3
"""Distance in pixels between the terrain and an edge of the sprite with another terrain."""
STONE, EDGE = (128, 132, 150), (58, 60, 76)
MAP: dict[str, Any] = {"width": 32, "height": 16, "steps": 2, "seed": 7}


def iter_pictures() -> Iterator[tuple[str, Callable[[Path], object]]]:
    """Yield the file name of the picture of each layout, and what draws it."""
    for name in LAYOUTS:
        yield f"skin-{name}.png", lambda path, name=name: draw_layout(name).save(path)  # type: ignore[misc]


def draw_layout(name: str) -> Image.Image:
    """Return the masks of a layout and a map that is drawn with it."""
    with TemporaryDirectory() as folder:
        sheet = Path(folder) / "sheet.png"
        draw_sheet(name).save(sheet)
        found = add_skin(
            Path(folder) / "stone.toml", SpriteSource(picture=sheet, tile="wall", layout=name), base="cave"
        )
        cave = tw.make("caves", tileset=found.tileset, **MAP)
        return draw_preview(found.tileset, found.skin, cave)


def draw_sheet(name: str) -> Image.Image:
    """Return a sheet of stone in a layout. Where there is no stone, the sheet is transparent."""
    layout = LAYOUTS[name]
    rows = -(-len(layout.masks) // layout.columns)
    sheet = Image.new("RGBA", (layout.columns * SIDE, rows * SIDE))
    sprites = _draw_block() if layout.is_composed else [_draw_sprite(name, mask) for mask in layout.masks]
    for place, sprite in enumerate(sprites):
        if sprite is not None:
            sheet.paste(sprite, (place % layout.columns * SIDE, place // layout.columns * SIDE))
    return sheet


def _draw_sprite(name: str, mask: int | None) -> Image.Image | None:
    return None if mask is None else _paint(find_inside(name, mask))


def find_inside(name: str, mask: int, side: int = SIDE) -> NDArray[np.bool_]:
    """Return an array (row, column) of the pixels that the terrain covers in the sprite of a mask."""
    layout = LAYOUTS[name]
    y, x = np.mgrid[:side, :side]
    if layout.bits == CORNER_BITS:
        right, down = (x + 0.5) / side, (y + 0.5) / side
        ne, se, sw, nw = (mask >> bit & 1 for bit in (1, 3, 5, 7))
        above, below = nw * (1 - right) + ne * right, sw * (1 - right) + se * right
        return np.asarray(above * (1 - down) + below * down >= 0.5)
    if not layout.bits:
        mask = 255
    inside = np.ones((side, side), dtype=np.bool_)
    gaps = (y, side - 1 - x, side - 1 - y, x)  # distances from the north, east, south and west edges
    for number, gap in enumerate(gaps):
        has_side, has_next = mask >> 2 * number & 1, mask >> (2 * number + 2) % 8 & 1
        other = gaps[(number + 1) % 4]
        if not has_side:
            inside &= gap >= RIM
            if not has_next:
                inside &= (gap > RIM) | (other > RIM)  # a round corner
        elif has_next and layout.bits == 255 and not mask >> 2 * number + 1 & 1:
            inside &= (gap >= RIM) | (other >= RIM)
    return inside


def _draw_block() -> list[Image.Image]:
    """Return the six tiles of an RPG Maker block: icon, inner corners, and a frame of 2x2 tiles."""
    notches = _paint(find_inside("blob47", 85))
    y, x = np.mgrid[: 2 * SIDE, : 2 * SIDE]
    gap_y, gap_x = np.minimum(y, 2 * SIDE - 1 - y), np.minimum(x, 2 * SIDE - 1 - x)
    frame = _paint((gap_y >= RIM) & (gap_x >= RIM) & ((gap_y > RIM) | (gap_x > RIM)))
    parts = [frame.crop((x, y, x + SIDE, y + SIDE)) for y in (0, SIDE) for x in (0, SIDE)]
    return [_paint(find_inside("blob47", 0)), notches, *parts]


def _paint(inside: NDArray[np.bool_]) -> Image.Image:
    """Return a picture of stone with a dark edge."""
    height, width = inside.shape
    padded = np.pad(inside, 1, mode="edge")
    shifted = [padded[1 + dy : 1 + dy + height, 1 + dx : 1 + dx + width] for dy in (-1, 0, 1) for dx in (-1, 0, 1)]
    is_edge = inside & ~np.logical_and.reduce(shifted)
    pixels = np.zeros((height, width, 4), dtype=np.uint8)
    grain = np.tile(Rng.of("stone").cells((SIDE, SIDE)), (height // SIDE, width // SIDE))
    pixels[..., :3] = np.array(STONE) + 14 * grain[..., None] - 7
    pixels[is_edge, :3] = EDGE
    pixels[..., 3] = np.where(inside, 255, 0)
    return Image.fromarray(pixels)
