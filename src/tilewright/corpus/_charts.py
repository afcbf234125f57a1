"""Simple charts drawn with Pillow: bars, 2D histograms, axes and scales.

A plotting library would be much larger than Tilewright, and a report needs only a few chart types.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from math import ceil, floor, isfinite, log10
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from ..core.measure_groups import format_short
from ..core.tilemap import TileMap

Color = tuple[int, int, int]

PAPER: Color = (250, 249, 246)
PANEL: Color = (255, 255, 255)
FAINT: Color = (231, 228, 221)
MUTED: Color = (128, 124, 136)
INK: Color = (44, 42, 53)
FIRST: Color = (64, 113, 168)
SECOND: Color = (226, 125, 58)
WARNING: Color = (196, 84, 72)
HEAT = ((206, 229, 194), (157, 211, 181), (78, 172, 171), (36, 118, 155), (34, 66, 122), (30, 26, 70))
"""Color scale from low to high counts."""
SMALL, NORMAL, LARGE, TITLE = 12, 14, 17, 30
"""Font sizes in pixels."""


class Box(NamedTuple):
    """Rectangle in pixels; the right and bottom coordinates are exclusive."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def width(self) -> int:
        return self.right - self.left

    @property
    def height(self) -> int:
        return self.bottom - self.top

    def shrink(self, left: int, top: int, right: int, bottom: int) -> Box:
        """Return the rectangle without margins."""
        return Box(self.left + left, self.top + top, self.right - right, self.bottom - bottom)


class Canvas:
    """A picture to draw on."""

    def __init__(self, width: int, height: int) -> None:
        self.picture = Image.new("RGB", (width, height), PAPER)
        self.pen = ImageDraw.Draw(self.picture)

    def draw_text(
        self,
        place: tuple[float, float],
        text: str,
        size: int = NORMAL,
        color: Color = INK,
        anchor: str = "la",
        max_width: float | None = None,
    ) -> None:
        """Draw a line of text, cut to `max_width`. `anchor` says which point of the text is at `place`."""
        shown = text if max_width is None else truncate_text(text, size, max_width)
        self.pen.text(place, shown, fill=color, font=load_font(size), anchor=anchor)

    def draw_vertical_text(self, place: tuple[int, int], text: str, size: int = NORMAL, color: Color = INK) -> None:
        """Draw vertical text from bottom to top, centered at `place`."""
        width, height = ceil(text_width(text, size)) + 4, size * 2
        line = Image.new("L", (width, height), 0)
        ImageDraw.Draw(line).text((width / 2, height / 2), text, fill=255, font=load_font(size), anchor="mm")
        rotated = line.rotate(90, expand=True)
        self.picture.paste(color, (place[0] - rotated.width // 2, place[1] - rotated.height // 2), rotated)

    def draw_panel(self, box: Box) -> None:
        self.pen.rounded_rectangle((box.left, box.top, box.right - 1, box.bottom - 1), 8, PANEL, FAINT)

    # -- bars ---------------------------------------------------------------------------------------------------

    def draw_bars(
        self, box: Box, heights: NDArray[np.float64], edges: NDArray[np.float64], *, sideways: bool = False
    ) -> None:
        """Draw bars between edges, upward or, with `sideways`, to the right.

        Heights are fractions of the box. Nonzero bars are always visible.
        """
        start, end = (box.bottom, box.top) if sideways else (box.left, box.right)
        places = _to_pixels(edges, start, end)
        gap = 1 if abs(end - start) / len(heights) >= 4 else 0
        for first, last, height in zip(places, places[1:], heights.tolist(), strict=False):
            if height > 0 and sideways:
                right = max(box.left + 1, round(box.left + height * box.width) - 1)
                self.pen.rectangle((box.left, last, right, max(last, first - 1 - gap)), FIRST)
            elif height > 0:
                top = min(box.bottom - 2, round(box.bottom - height * box.height))
                self.pen.rectangle((first, top, max(first, last - 1 - gap), box.bottom - 1), FIRST)

    def draw_outline(
        self, box: Box, heights: NDArray[np.float64], edges: NDArray[np.float64], color: Color, opacity: float = 0.35
    ) -> None:
        """Draw bars as one transparent shape with an outline, so that two histograms can overlap."""
        places = _to_pixels(edges, box.left, box.right)
        base = box.bottom - 1
        tops = [min(base, round(box.bottom - height * box.height)) for height in heights.tolist()]
        mask = Image.new("L", self.picture.size, 0)
        mask_pen, line = ImageDraw.Draw(mask), [(places[0], base)]
        for left, right, top in zip(places, places[1:], tops, strict=False):
            mask_pen.rectangle((left, top, right - 1, base), round(255 * opacity))
            line += [(left, top), (right, top)]
        self.picture.paste(color, mask=mask)
        line.append((places[-1], base))
        for start, end in pairwise(line):
            if start[1] < base or end[1] < base:
                self.pen.line((start, end), fill=color, width=2)

    # -- 2D histograms ------------------------------------------------------------------------------------------

    def draw_bins(self, box: Box, counts: NDArray[np.int64]) -> None:
        """Draw counts, an array (y, x), as colors.

        The first row is at the bottom; bins with a count of 0 stay blank.
        """
        pixels = np.array(PANEL, dtype=np.uint8)[None, None].repeat(counts.shape[0], 0).repeat(counts.shape[1], 1)
        filled = counts > 0
        pixels[filled] = heat_colors(_heat_share(counts[filled], int(counts.max())))
        picture = Image.fromarray(pixels[::-1].copy()).resize((box.width, box.height), Image.Resampling.NEAREST)
        self.picture.paste(picture, (box.left, box.top))
        self.pen.rectangle((box.left - 1, box.top - 1, box.right, box.bottom), outline=FAINT)

    def draw_heat_scale(self, box: Box, max_count: int) -> None:
        """Draw the color scale of a 2D histogram, from bottom to top."""
        fractions = np.linspace(1.0, 0.0, box.height)[:, None].repeat(box.width, 1)
        self.picture.paste(Image.fromarray(heat_colors(fractions)), (box.left, box.top))
        for count in _choose_counts(max_count):
            y = round(box.bottom - 1 - float(_heat_share(np.array(count), max_count)) * (box.height - 1))
            self.pen.line((box.right, y, box.right + 4, y), fill=MUTED)
            self.draw_text((box.right + 8, y), f"{count:,}", SMALL, MUTED, "lm")

    # -- axes ---------------------------------------------------------------------------------------------------

    def draw_bottom_axis(self, box: Box, low: float, high: float, numbers: Sequence[float] | None = None) -> None:
        """Draw a horizontal axis below a box, with the given numbers or, by default, round numbers."""
        self.pen.line((box.left, box.bottom, box.right - 1, box.bottom), fill=MUTED)
        shown = ticks(low, high, max(2, box.width // 70)) if numbers is None else numbers
        for number in shown:
            x = round(box.left + (number - low) / (high - low) * (box.width - 1))
            self.pen.line((x, box.bottom, x, box.bottom + 4), fill=MUTED)
            label = tick_label(number) if numbers is None else format_short(number)
            self.draw_text((x, box.bottom + 7), label, SMALL, MUTED, "ma")

    def draw_left_axis(self, box: Box, low: float, high: float) -> None:
        """Draw a vertical axis beside a box, with round numbers."""
        self.pen.line((box.left - 1, box.top, box.left - 1, box.bottom - 1), fill=MUTED)
        for number in ticks(low, high, max(2, box.height // 50)):
            y = round(box.bottom - (number - low) / (high - low) * (box.height - 1))
            self.pen.line((box.left - 5, y, box.left - 1, y), fill=MUTED)
            self.draw_text((box.left - 9, y), tick_label(number), SMALL, MUTED, "rm")


# -- numbers ----------------------------------------------------------------------------------------------------


def ticks(low: float, high: float, max_ticks: int) -> list[float]:
    """Return a few round numbers between `low` and `high`.

    >>> ticks(0.13, 0.58, 5)
    [0.2, 0.3, 0.4, 0.5]
    """
    if not (isfinite(low) and isfinite(high) and high > low):
        return [low] if isfinite(low) else []
    rough = (high - low) / max(1, max_ticks)
    power = 10.0 ** floor(log10(rough))
    step = next((factor * power for factor in (1, 2, 5) if factor * power >= rough * 0.999), 10 * power)
    first, last = ceil(low / step - 1e-9), floor(high / step + 1e-9)
    digits = max(0, -floor(log10(step)))
    return [round(number * step, digits) + 0.0 for number in range(first, last + 1)]


def tick_label(number: float) -> str:
    """Return a round number with all its digits."""
    return format_short(number) if number == round(number) else f"{number:.10g}"


def _heat_share(counts: NDArray[np.int64], max_count: int) -> NDArray[np.float64]:
    """Return the positions of counts on a square-root scale from 0 to 1, on which low counts are visible."""
    return (np.sqrt(counts) - 1) / max(1e-9, max_count**0.5 - 1) if max_count > 1 else np.full(counts.shape, 0.5)


def _choose_counts(max_count: int) -> list[int]:
    """Return the counts to label on the scale: the maximum, 1, and a few round numbers between them."""
    chosen = [max_count]
    round_numbers = [
        factor * 10**power for power in range(floor(log10(max(1, max_count))), -1, -1) for factor in (5, 2, 1)
    ]
    for number in round_numbers:
        last = float(_heat_share(np.array(chosen[-1]), max_count))
        if number < max_count and last - float(_heat_share(np.array(number), max_count)) > 0.07:
            chosen.append(number)
    return chosen if chosen[-1] == 1 or max_count == 1 else [*chosen[:-1], 1]


def _to_pixels(edges: NDArray[np.float64], first: int, last: int) -> list[int]:
    """Return the pixel positions of edges."""
    fractions = (edges - edges[0]) / (edges[-1] - edges[0])
    places: list[int] = np.round(first + fractions * (last - first)).astype(int).tolist()
    return places


# -- maps ---------------------------------------------------------------------------------------------------------


def draw_thumbnail(map: TileMap, width: int, height: int) -> Image.Image:
    """Draw a map as large as a space allows, with an integer number of pixels per cell if possible."""
    cells = map_width(map)
    thumbnail = map.image(scale=max(1, min(width // cells, height // map.height))).convert("RGB")
    if thumbnail.width > width or thumbnail.height > height:
        thumbnail.thumbnail((width, height), Image.Resampling.BOX)
    return thumbnail


def map_width(map: TileMap) -> int:
    """Return the width of a map's picture in cells."""
    return total_width(map.shape[0] if map.cells.ndim == 3 else 1, map.width)


def total_width(levels: int, width: int) -> int:
    """Return the width of a map in cells, with its levels side by side."""
    return levels * (width + 1) - 1


# -- colors and text ----------------------------------------------------------------------------------------------


def heat_colors(fractions: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return the colors of numbers from 0 to 1, as an array (..., 3)."""
    stops = np.linspace(0, 1, len(HEAT))
    colors = [np.interp(fractions, stops, [color[channel] for color in HEAT]) for channel in range(3)]
    return np.round(np.stack(colors, axis=-1)).astype(np.uint8)


@cache
def load_font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Return Pillow's default font, which is the same on every machine."""
    return ImageFont.load_default(size)


def text_width(text: str, size: int) -> float:
    return load_font(size).getlength(text)


def truncate_text(text: str, size: int, max_width: float) -> str:
    """Cut text at its end to a maximum width."""
    if text_width(text, size) <= max_width:
        return text
    kept = text
    while kept and text_width(f"{kept}...", size) > max_width:
        kept = kept[:-1]
    return f"{kept.rstrip()}..."


def wrap_text(text: str, size: int, max_width: float) -> list[str]:
    """Wrap text into lines of a maximum width."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if text_width(longer, size) <= max_width or not lines[-1]:
            lines[-1] = longer
        else:
            lines.append(word)
    return [truncate_text(line, size, max_width) for line in lines]


def as_shares(counts: Sequence[int] | NDArray[np.int64]) -> NDArray[np.float64]:
    """Return counts as fractions of the largest count."""
    array = np.asarray(counts, dtype=np.float64)
    return array / max(1.0, float(array.max(initial=0.0)))
