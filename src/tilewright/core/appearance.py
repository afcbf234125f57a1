"""Glyphs and colors of tiles: validation, and generation for tiles without them."""

from __future__ import annotations

import colorsys
import re
import unicodedata
from functools import cache
from itertools import chain
from typing import Any, TypeAlias, TypeGuard

import numpy as np

from .errors import short_repr

FREE_GLYPH = "?"
"""Glyph of an undecided cell in locks and start maps. No tile may have this name; in samples and maps, it is the glyph
of a tile."""
QUESTION_MARK = "question mark"
"""Name of the tile for the character `?` in text that is read without a tileset."""
NAMED_COLORS = {"white": "#ffffff", "black": "#000000"}
SPARE_GLYPHS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+/" + "".join(
    chr(code) for code in (*range(0xC0, 0x180), *range(0x391, 0x3CA), *range(0x410, 0x450)) if chr(code).isprintable()
)
"""Characters for tiles without a glyph, all one terminal cell wide."""
Rgb: TypeAlias = tuple[int, int, int]
MIN_COLOR_DISTANCE = 2 * 40**2 + 4 * 40**2 + 3 * 40**2
"""Minimum weighted squared distance between colors that are easy to distinguish: 40 of 255 in red, green and blue
each."""
CANDIDATES = 64
"""Number of colors to try for a tile."""
MAX_COMPARED_TILES = 256
"""Maximum number of tiles whose colors are compared. With more tiles, colors cannot all be distinct."""


def read_glyph(glyph: str) -> str:
    """Return the glyph if it is valid. Raise ValueError otherwise."""
    category = unicodedata.category(glyph) if len(glyph) == 1 else ""
    if category != "Co" and not (category and glyph.isprintable()):
        raise ValueError(f"must be one printable character, got {short_repr(glyph)}")
    # Combining marks, and the vowels and finals of Hangul, join the character before them.
    joins = category.startswith("M") or "\u1160" <= glyph <= "\u11ff" or "\ud7b0" <= glyph <= "\ud7ff"
    if joins or unicodedata.east_asian_width(glyph) in "WF":
        raise ValueError(f"must be one terminal cell wide, got {glyph!r}")
    return glyph


def read_color(color: str) -> str:
    """Return a color as #rrggbb in lower case. Raise ValueError if the value is not a color."""
    color = NAMED_COLORS.get(color.lower(), color).lower()
    if re.fullmatch(r"#[0-9a-f]{3}", color):
        color = "#" + "".join(digit * 2 for digit in color[1:])
    if not re.fullmatch(r"#[0-9a-f]{6}", color):
        raise ValueError(f"must be written as #rrggbb, got {short_repr(color)}")
    return color


def is_color(value: object) -> TypeGuard[str]:
    """Return whether a value is a color in the form #rrggbb."""
    return isinstance(value, str) and re.fullmatch(r"#[0-9a-fA-F]{6}", value) is not None


def read_rgb(color: str) -> Rgb:
    """Return red, green and blue of a color in the form #rrggbb."""
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def fill_appearance(tiles: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Set a unique glyph and color for each tile without one, in place."""
    taken = {glyph for tile in tiles if isinstance(glyph := tile.get("glyph"), str)}
    # Hangul and CJK are two cells wide; the private use area is narrow and large enough for any tileset.
    glyphs = chain(SPARE_GLYPHS, map(chr, range(0xE000, 0xF900)), map(chr, range(0xF0000, 0xFFFFE)))
    spare = (glyph for glyph in glyphs if glyph not in taken)
    colors = [read_rgb(color) for tile in tiles if is_color(color := tile.get("color"))]
    for position, tile in enumerate(tiles):
        if not tile.get("glyph"):
            initial = name[:1] if isinstance(name := tile.get("name"), str) else ""
            fits = initial not in taken and initial.isalnum() and initial.isascii()
            tile["glyph"] = initial if fits else next(spare)
            taken.add(tile["glyph"])
        if not tile.get("color"):
            is_compared = len(tiles) <= MAX_COMPARED_TILES
            tile["color"] = _choose_color(colors, position) if is_compared else distinct_color(position)
            colors.append(read_rgb(tile["color"]))
    return tiles


def _choose_color(taken: list[Rgb], position: int) -> str:
    """Return the first distinct color, starting at a position, that is far from all colors in use.

    If no color is far enough, return the farthest. In distances, green has the highest weight and red the lowest.
    """
    if not taken:
        return distinct_color(position)
    colors = [distinct_color(number) for number in range(position, position + CANDIDATES)]
    difference = np.array([read_rgb(color) for color in colors])[:, None] - np.array(taken)
    nearest = (difference * difference @ np.array([2, 4, 3])).min(axis=1)
    far = np.flatnonzero(nearest >= MIN_COLOR_DISTANCE)
    return colors[int(far[0] if far.size else np.argmax(nearest))]


@cache
def distinct_color(number: int) -> str:
    """Return color `number` of an endless sequence in which consecutive hues differ by the golden ratio."""
    hue = (0.08 + number * 0.6180339887498949) % 1.0
    lightness = (0.56, 0.40, 0.70)[number % 3]
    saturation = (0.52, 0.62, 0.45)[number // 3 % 3]
    red, green, blue = colorsys.hls_to_rgb(hue, lightness, saturation)
    return f"#{round(red * 255):02x}{round(green * 255):02x}{round(blue * 255):02x}"
