"""Letters of markers for maps in the terminal, and the legend that explains them.

Each name gets a letter, an uppercase one for places such as `start`. Letters that are glyphs of the map's own tiles are
avoided. Names that differ only in a color, such as `key red` and `key blue`, share a letter if their colors differ in
all terminals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from colorsys import rgb_to_hsv
from dataclasses import dataclass
from itertools import islice
from string import ascii_letters, digits

import numpy as np
from rich.color import Color
from rich.columns import Columns
from rich.style import Style
from rich.text import Text

from ..core.errors import pluralize, shorten
from ..core.tilemap import Marker, TileMap
from ..formats._icons import COLORS, find_icon
from ._console import make_printable

Rgb = tuple[int, int, int]
HUES = ((20, "red"), (65, "yellow"), (165, "green"), (200, "cyan"), (265, "blue"), (345, "magenta"), (360, "red"))
"""Colors, each with the upper limit of its hue in degrees."""
PLACES = frozenset({"flag", "doorway", "house", "cave", "padlock", "skull"})
"""Drawings of the icons of markers that get an uppercase letter."""
LETTERS = ascii_letters + digits
OTHER = "?"
"""Letter of the names for which no letter is free."""
MAX_LENGTH = 40
"""Maximum number of characters of a name in a legend."""
MAX_NAMES, MAX_PLACES = len(LETTERS), 20
"""Maximum number of names in a plain legend, and of places of each."""


def nearest_ansi(rgb: Rgb) -> str:
    """Return the nearest of the 16 terminal colors, except black, by hue, so that water stays blue."""
    hue, saturation, value = rgb_to_hsv(*(part / 255 for part in rgb))
    if saturation < 0.3:
        return "bright_black" if value < 0.45 else "white" if value < 0.8 else "bright_white"
    name = next(name for end, name in HUES if hue * 360 <= end)
    return name if value < 0.6 else f"bright_{name}"


@dataclass(frozen=True, slots=True)
class Letter:
    """The look of the markers with one name."""

    glyph: str
    color: Rgb

    def style(self, few_colors: bool) -> Style:
        """Return the style of the letter, black on the color of the marker's icon."""
        ground = nearest_ansi(self.color) if few_colors else Color.from_rgb(*self.color)
        return Style(color="black", bgcolor=ground, bold=True)


def assign_letters(map: TileMap) -> dict[str, Letter]:
    """Return the letter of each name of a map's markers, in the order in which the names occur."""
    taken = {map.tileset[tile_id].glyph for tile_id in np.unique(map.cells).tolist()}
    families: dict[tuple[str, ...], tuple[str, set[str]]] = {}
    """The letter of the names that differ only in a color, and their colors in a terminal with 16 colors."""
    letters = {}
    for name in dict.fromkeys(marker.name for marker in map.markers):
        icon = find_icon(name)
        red, green, blue = bytes.fromhex(icon.color)
        color = nearest_ansi((red, green, blue))
        family = tuple(word for word in name.lower().split() if word not in COLORS)
        glyph, colors = families.get(family, ("", set()))
        if not glyph or color in colors:
            candidates = _list_candidates(name, is_place=icon.drawing in PLACES)
            glyph = next((letter for letter in candidates if letter not in taken), OTHER)
            taken.add(glyph)
            _, colors = families.setdefault(family, (glyph, set()))
        colors.add(color)
        letters[name] = Letter(glyph, (red, green, blue))
    return letters


def _list_candidates(name: str, *, is_place: bool) -> Iterator[str]:
    """Yield letters for a name, the best first: its own in the preferred case, then in the other, then all others."""
    own = [letter for letter in name.lower() if letter in LETTERS]
    for letter in own:
        yield from (letter.upper(), letter) if is_place else (letter, letter.upper())
    yield from LETTERS


def draw_legend(markers: Sequence[Marker], letters: dict[str, Letter], *, few_colors: bool) -> Columns:
    """Return the letters with the names and numbers of the markers, for a terminal."""
    counts = Counter(marker.name for marker in markers)
    entries = []
    others = sum(letter.glyph == OTHER for letter in letters.values())
    for name, letter in letters.items():
        if letter.glyph == OTHER:
            continue
        number = f" ×{counts[name]:,}" if counts[name] > 1 else ""
        style = letter.style(few_colors)
        entries.append(Text.assemble((letter.glyph, style), (f" {_format_name(name)}{number}", "dim")))
    if others:
        entries.append(Text.assemble((OTHER, "bold"), (f" {pluralize(others, 'other name')}", "dim")))
    return Columns(entries, padding=(0, 3))


def list_places(map: TileMap) -> str:
    """Return the names of a map's markers with their places, for output without colors."""
    places: dict[str, list[str]] = {}
    for marker in map.markers:
        place = (marker.x, marker.y, marker.level) if map.cells.ndim == 3 else (marker.x, marker.y)
        places.setdefault(marker.name, []).append(",".join(str(number) for number in place))
    parts = []
    for name, found in islice(places.items(), MAX_NAMES):
        more = f" and {len(found) - MAX_PLACES:,} more" if len(found) > MAX_PLACES else ""
        parts.append(f"{_format_name(name)} {' '.join(found[:MAX_PLACES])}{more}")
    if len(places) > MAX_NAMES:
        parts.append(pluralize(len(places) - MAX_NAMES, "other name"))
    return f"markers: {'; '.join(parts)}"


def _format_name(name: str) -> str:
    return shorten(make_printable(name), MAX_LENGTH)
