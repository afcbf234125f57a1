"""Icons of markers. The name of a marker decides its icon: `key red` is a red key, `goblin 2` a green monster.

Names without an icon of their own get a tag with their first letter. Every icon has a dark outline and bright colors,
so that it is visible on all tiles.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ..core.caching import cached_by_size
from ._textures.strokes import SIDE, apply_drawing, rgb

OUTLINE = (27, 24, 34)
MIN_ICON_CELL, MIN_DOT_CELL = 8, 4
"""Minimum width and height in pixels of a cell with an icon, and of one with a dot."""
MAX_ICONS_PER_CELL = 4
BODY = SIDE - 2
"""Width and height of a drawing without the empty pixels around it, where the outline is."""
TAG = "tag"
TAG_HEIGHT = 12
"""Height in pixels of the part of a tag that holds the letter."""

COLORS: Mapping[str, str]
"""Colors by the words of a name."""
DRAWINGS: Mapping[str, tuple[str, str]]
"""Drawings of icons, each with its default color and the words that have it."""
MONSTERS: Mapping[str, str]
"""Further monsters by color."""
LETTERS: Mapping[str, str]
"""Letters of 3x5 pixels: one digit per row, one bit per pixel."""
COLORS, DRAWINGS, MONSTERS, LETTERS = tomllib.loads(Path(__file__).with_name("icons.toml").read_text("utf-8")).values()
TAG_COLORS = ("fff4d6", "ffd9a0", "ffc4c4", "f3c6ff", "c9ccff", "b9e6ff", "bdf3d2", "e6f2ae")

WORDS = {
    **{word: (drawing, color) for drawing, (color, words) in DRAWINGS.items() for word in words.split()},
    **{word: ("monster", color) for color, words in MONSTERS.items() for word in words.split()},
}
"""Drawing and color by word."""
BOSS, UNIT, UNITS = "boss", "unit", ("soldier", "tank", "plane", "ship")
"""A word that takes precedence over all others, one that is followed by its kind, and the drawings of these kinds."""


@dataclass(frozen=True, slots=True)
class Icon:
    """The look of a marker."""

    drawing: str
    color: str
    """Color as rrggbb."""
    letter: str = ""
    """Letter on a tag."""


MORE = Icon(TAG, TAG_COLORS[0], "+")
"""Icon for the markers of a cell that has too many."""


@dataclass(frozen=True, slots=True)
class PlacedIcon:
    """An icon in a cell. Positions are in pixels from the upper left corner of the cell."""

    icon: Icon
    row: int
    column: int
    side: int
    """Width and height in pixels, with the outline."""
    is_dot: bool


@lru_cache(maxsize=4096)
def find_icon(name: str) -> Icon:
    """Return the icon of a marker with this name.

    >>> find_icon("key red")
    Icon(drawing='small-key', color='f0524f', letter='')
    >>> find_icon("lever").letter
    'L'
    """
    words = re.findall(r"[a-z]+", name.lower())
    known = [word if word in WORDS else word.removesuffix("s") for word in words]
    known = [word for word in known if word in WORDS]
    if BOSS in known:
        known = [BOSS]
    elif UNIT in known:
        known = [word for word in known if WORDS[word][0] in UNITS and word != UNIT] or [UNIT]
    if not known:
        letter = next((one for one in name.upper() if one in LETTERS and one.isalnum()), "?")
        number = blake2b(name.encode(errors="replace"), digest_size=1).digest()[0]
        return Icon(TAG, TAG_COLORS[number % len(TAG_COLORS)], letter)
    drawing, color = WORDS[known[0]]
    # The last color counts, because countries come after units, and one of the units is a `black boat`.
    color = next((word for word in reversed(words) if word in COLORS and word != known[0]), color)
    return Icon(drawing, COLORS[color])


def place_icons(names: Sequence[str], height: int, width: int) -> Iterator[PlacedIcon]:
    """Yield the icons of the markers of one cell, which has this size in pixels.

    An icon may be a pixel larger than a small cell on each side. Several icons have half the size. Cells too small for
    icons have dots, or nothing.
    """
    whole, half = min(height, width), min(height, width) // 2
    icons = [find_icon(name) for name in names]
    if len(icons) == 1 or half < MIN_DOT_CELL:
        centers, room = [(height, width)], whole
    else:
        if len(icons) > MAX_ICONS_PER_CELL:
            icons[MAX_ICONS_PER_CELL - 1] = MORE
        columns = (width // 2, width + (width + 1) // 2)
        rows = (height,) if len(icons) == 2 else (height // 2, height + (height + 1) // 2)
        centers, room = [(row, column) for row in rows for column in columns], half
    if room < MIN_DOT_CELL:
        return
    is_dot = room < MIN_ICON_CELL
    side = room if is_dot or room >= SIDE else min(SIDE, room + 2)
    for icon, (row, column) in zip(icons, centers, strict=False):  # centers are in half pixels
        yield PlacedIcon(icon, (row - side) // 2, (column - side) // 2, side, is_dot)


@cached_by_size
def draw_icon(icon: Icon, side: int, is_dot: bool = False) -> NDArray[np.uint8]:
    """Draw an icon with its outline. Return an array (row, column, 4); pixels are opaque or transparent."""
    thickness = max(1, side // SIDE)
    inner = side - 2 * thickness
    colors, body = _draw_dot(icon, inner) if is_dot else _draw_body(icon, inner)
    padded = np.pad(body, thickness)
    edge = np.zeros_like(padded)
    for down in range(-thickness, thickness + 1):
        for right in range(-thickness, thickness + 1):
            if not is_dot or 0 in (down, right):
                edge |= np.roll(padded, (down, right), (0, 1))
    pixels = np.zeros((side, side, 4), dtype=np.uint8)
    pixels[edge] = (*OUTLINE, 255)
    pixels[padded, :3] = colors[body]
    pixels.flags.writeable = False
    return pixels


def _draw_dot(icon: Icon, side: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the colors and the shape of a filled circle."""
    offsets = 2 * np.arange(side) + 1 - side
    body = offsets[:, None] ** 2 + offsets**2 <= side**2
    return np.broadcast_to(rgb(icon.color).astype(np.int64), (side, side, 3)), body


def _draw_body(icon: Icon, side: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the colors and the shape of an icon without its outline."""
    color = rgb(icon.color)
    original = apply_drawing(np.full((SIDE, SIDE, 3), np.nan), f"marker-{icon.drawing}", color)[1:-1, 1:-1]
    shape = ~np.isnan(original[..., 0])
    plain = np.where(shape[..., None], original, 0).round().astype(np.int64)
    if side >= BODY:
        places = np.arange(side) * BODY // side
        colors, body = plain[places[:, None], places], shape[places[:, None], places]
    else:
        # Integer area of the overlap of each small pixel with each original pixel.
        small, large = np.arange(side)[:, None] * BODY, np.arange(BODY) * side
        overlap = (np.minimum(small + BODY, large + side) - np.maximum(small, large)).clip(0)
        area = overlap @ shape.astype(np.int64) @ overlap.T
        sums = np.stack([overlap @ plain[..., channel] @ overlap.T for channel in range(3)], axis=-1)
        colors, body = sums // np.maximum(area, 1)[..., None], 2 * area >= BODY * BODY
    if icon.letter:
        _write_letter(colors, icon.letter)
    return colors, body


def _write_letter(colors: NDArray[np.int64], letter: str) -> None:
    """Write a dark letter in the middle of a tag, in place."""
    side = len(colors)
    height = side * TAG_HEIGHT // BODY
    scale = max(1, height // 6)
    bits = np.array([[int(row) >> shift & 1 for shift in (2, 1, 0)] for row in LETTERS[letter]], dtype=np.bool_)
    large = bits.repeat(scale, axis=0).repeat(scale, axis=1)
    top, left = max(0, height - large.shape[0]) // 2, (side - large.shape[1]) // 2
    colors[top : top + large.shape[0], left : left + large.shape[1]][large] = OUTLINE
