"""Looks: how glyphs and colours are written, and some for tiles that come without."""

from __future__ import annotations

import colorsys
import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import Any, TypeAlias, TypeGuard

import numpy as np

from .errors import short_repr

FREE_GLYPH = "?"
"""Stands for a cell without a tile in drawings, locks and data, so no tile may be called or drawn like it."""
NAMED_COLORS = {"white": "#ffffff", "black": "#000000"}
SPARE_GLYPHS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ+/" + "".join(
    chr(code) for code in (*range(0xC0, 0x180), *range(0x391, 0x3CA), *range(0x410, 0x450)) if chr(code).isprintable()
)
"""Characters for tiles that come without one; all one terminal cell wide."""
Rgb: TypeAlias = tuple[int, int, int]
MIN_COLOR_DISTANCE = 2 * 40**2 + 4 * 40**2 + 3 * 40**2
"""Two colours that are so far apart differ well: 40 of 255 in each of red, green and blue."""
CANDIDATES = 64
MAX_COMPARED_TILES = 256
"""Tiles whose colours are compared: of more, no eye could tell them apart."""


def read_glyph(glyph: str) -> str:
    category = unicodedata.category(glyph) if len(glyph) == 1 else ""
    if category != "Co" and not (category and glyph.isprintable()):
        raise ValueError(f"a glyph is one printable character, got {short_repr(glyph)}")
    # Marks join the character before them, and so do the vowels and finals of Hangul.
    joins = category.startswith("M") or "\u1160" <= glyph <= "\u11ff" or "\ud7b0" <= glyph <= "\ud7ff"
    if joins or unicodedata.east_asian_width(glyph) in "WF":
        raise ValueError(f"a glyph is one terminal cell wide, {glyph!r} is not")
    if glyph == FREE_GLYPH:
        raise ValueError(f"{FREE_GLYPH!r} stands for a free cell; draw the tile otherwise")
    return glyph


def read_color(color: str) -> str:
    color = NAMED_COLORS.get(color.lower(), color).lower()
    if re.fullmatch(r"#[0-9a-f]{3}", color):
        color = "#" + "".join(digit * 2 for digit in color[1:])
    if not re.fullmatch(r"#[0-9a-f]{6}", color):
        raise ValueError(f"a color is written #rrggbb, got {short_repr(color)}")
    return color


def is_color(value: object) -> TypeGuard[str]:
    return isinstance(value, str) and re.fullmatch(r"#[0-9a-fA-F]{6}", value) is not None


def read_rgb(color: str) -> Rgb:
    """Red, green and blue of #rrggbb."""
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def fill_appearance(tiles: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Give every tile without a glyph or a colour one that no other tile has."""
    taken = {glyph for tile in tiles if isinstance(glyph := tile.get("glyph"), str)}
    spare = (glyph for glyph in _generate_glyphs() if glyph not in taken)
    colors = [read_rgb(color) for tile in tiles if is_color(color := tile.get("color"))]
    for position, tile in enumerate(tiles):
        if not tile.get("glyph"):
            initial = name[:1] if isinstance(name := tile.get("name"), str) else ""
            fits = initial not in taken and initial.isalnum() and initial.isascii()
            tile["glyph"] = initial if fits else next(spare)
            taken.add(tile["glyph"])
        if not tile.get("color"):
            few = len(tiles) <= MAX_COMPARED_TILES
            tile["color"] = _choose_color(colors, position) if few else distinct_color(position)
            colors.append(read_rgb(tile["color"]))
    return tiles


def _generate_glyphs() -> Iterator[str]:
    yield from SPARE_GLYPHS
    # Hangul and CJK are two cells wide; the private use area is narrow and large enough for any tileset.
    yield from map(chr, range(0xE000, 0xF900))
    yield from map(chr, range(0xF0000, 0xFFFFE))


def _choose_color(taken: list[Rgb], position: int) -> str:
    """The first of the distinct colours, from this position on, that differs well from all taken ones.

    If none does, the one that differs most. Green counts most to the eye, red least.
    """
    if not taken:
        return distinct_color(position)
    colors = [distinct_color(number) for number in range(position, position + CANDIDATES)]
    apart = np.array([read_rgb(color) for color in colors])[:, None] - np.array(taken)
    nearest = (apart * apart @ np.array([2, 4, 3])).min(axis=1)
    well = np.flatnonzero(nearest >= MIN_COLOR_DISTANCE)
    return colors[int(well[0] if well.size else np.argmax(nearest))]


@cache
def distinct_color(number: int) -> str:
    """Colour `number` of an endless list in which neighbours differ well: hues by the golden ratio."""
    hue = (0.08 + number * 0.6180339887498949) % 1.0
    lightness = (0.56, 0.40, 0.70)[number % 3]
    saturation = (0.52, 0.62, 0.45)[number // 3 % 3]
    red, green, blue = colorsys.hls_to_rgb(hue, lightness, saturation)
    return f"#{round(red * 255):02x}{round(green * 255):02x}{round(blue * 255):02x}"
