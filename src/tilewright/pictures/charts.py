"""Simple charts drawn with Pillow: bars, 2D histograms, axes and scales.

A plotting library would be much larger than Tilewright, and a report needs only a few chart types.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from math import ceil, floor, isfinite, log10
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from ..core.measure_groups import format_short

Color = tuple[int, int, int]
Side = Literal["bottom", "left", "right"]

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

    def center(self, width: int, height: int) -> tuple[int, int]:
        """Return the upper left corner of a rectangle of this size in the middle."""
        return self.left + (self.width - width) // 2, self.top + (self.height - height) // 2


@dataclass(frozen=True)
class Panels:
    """Boxes of one size in rows."""

    columns: int
    width: int
    height: int
    gap: int
    left: int = 0
    top: int = 0

    @classmethod
    def within(cls, width: int, columns: int, height: int, gap: int, left: int = 0, top: int = 0) -> Panels:
        """Return the boxes of rows of this width."""
        return cls(columns, (width - (columns - 1) * gap) // columns, height, gap, left, top)

    def box(self, number: int) -> Box:
        row, column = divmod(number, self.columns)
        left, top = self.left + column * (self.width + self.gap), self.top + row * (self.height + self.gap)
        return Box(left, top, left + self.width, top + self.height)

    def count_rows(self, count: int) -> int:
        return ceil(count / self.columns)


class Canvas:
    """A picture to draw on. Sizes of text and of the marks of axes are multiples of `unit` pixels."""

    def __init__(self, width: int, height: int, unit: float = 1) -> None:
        self.picture = Image.new("RGB", (width, height), PAPER)
        self.pen = ImageDraw.Draw(self.picture)
        self.unit = unit

    def pixels(self, length: float) -> int:
        return round(length * self.unit)

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
        size = self.pixels(size)
        shown = text if max_width is None else truncate_text(text, size, max_width)
        self.pen.text(place, shown, fill=color, font=load_font(size), anchor=anchor)

    def draw_vertical_text(self, place: tuple[int, int], text: str, size: int = NORMAL, color: Color = INK) -> None:
        """Draw vertical text from bottom to top, centered at `place`."""
        size = self.pixels(size)
        width, height = ceil(text_width(text, size)) + 4, size * 2
        line = Image.new("L", (width, height), 0)
        ImageDraw.Draw(line).text((width / 2, height / 2), text, fill=255, font=load_font(size), anchor="mm")
        rotated = line.rotate(90, expand=True)
        self.picture.paste(color, (place[0] - rotated.width // 2, place[1] - rotated.height // 2), rotated)

    def draw_panel(self, box: Box) -> None:
        self.pen.rounded_rectangle((box.left, box.top, box.right - 1, box.bottom - 1), 8, PANEL, FAINT)

    def draw_border(self, box: Box) -> None:
        """Draw a thin line around a box."""
        ends = (box.left - 1, box.top - 1, box.right, box.bottom)
        self.pen.rectangle(ends, outline=FAINT, width=max(1, self.pixels(1)))

    # -- bars ---------------------------------------------------------------------------------------------------

    def draw_bars(
        self,
        box: Box,
        heights: NDArray[np.float64],
        edges: NDArray[np.float64],
        colors: Sequence[Color] = (FIRST,),
        *,
        sideways: bool = False,
    ) -> None:
        """Draw bars between edges, upward or, with `sideways`, to the right.

        Heights are fractions of the box. Nonzero bars are always visible. `colors` has a color for each bar, or one for
        all.
        """
        start, end = (box.bottom, box.top) if sideways else (box.left, box.right)
        places = _to_pixels(edges, start, end)
        gap = 1 if abs(end - start) / len(heights) >= 4 else 0
        for number, height in enumerate(heights.tolist()):
            first, last, color = places[number], places[number + 1], colors[number % len(colors)]
            if height > 0 and sideways:
                right = max(box.left + 1, round(box.left + height * box.width) - 1)
                self.pen.rectangle((box.left, last, right, max(last, first - 1 - gap)), color)
            elif height > 0:
                top = min(box.bottom - 2, round(box.bottom - height * box.height))
                self.pen.rectangle((first, top, max(first, last - 1 - gap), box.bottom - 1), color)

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

    def draw_bins(self, box: Box, counts: NDArray[np.int64], scale: Scale) -> None:
        """Draw counts, an array (y, x), as colors.

        The first row is at the bottom; bins with a count of 0 stay blank.
        """
        pixels = np.array(PANEL, dtype=np.uint8)[None, None].repeat(counts.shape[0], 0).repeat(counts.shape[1], 1)
        pixels[counts > 0] = blend_colors(HEAT, scale.locate(counts[counts > 0]))
        picture = Image.fromarray(pixels[::-1].copy()).resize((box.width, box.height), Image.Resampling.NEAREST)
        self.picture.paste(picture, (box.left, box.top))
        self.draw_border(box)

    def draw_color_bar(self, box: Box, scale: Scale, colors: Sequence[Color], size: int = SMALL) -> float:
        """Draw the colors of a scale from bottom to top, with numbers beside them.

        Return the width of the longest number in pixels.
        """
        fractions = np.linspace(1.0, 0.0, box.height)[:, None].repeat(box.width, 1)
        self.picture.paste(Image.fromarray(blend_colors(colors, fractions)), (box.left, box.top))
        return self.draw_ticks(box, "right", scale, 40, size=size)

    # -- axes ---------------------------------------------------------------------------------------------------

    def draw_axis(self, box: Box, side: Side, scale: Scale, numbers: Sequence[float] | None = None) -> None:
        """Draw a line along a side of a box, with numbers or, by default, round numbers."""
        ends = {
            "bottom": (box.left, box.bottom, box.right - 1, box.bottom),
            "left": (box.left - 1, box.top, box.left - 1, box.bottom - 1),
        }
        self.pen.line(ends[side], fill=MUTED)
        self.draw_ticks(box, side, scale, 70 if side == "bottom" else 50, numbers)

    def draw_ticks(
        self,
        box: Box,
        side: Side,
        scale: Scale,
        spacing: float,
        numbers: Sequence[float] | None = None,
        size: int = SMALL,
    ) -> float:
        """Draw numbers with short lines along a side of a box.

        By default, the numbers are round and at least `spacing` apart. Return the width of the longest in pixels.
        """
        length, thickness = self.pixels(4), max(1, self.pixels(1))
        count = (box.width if side == "bottom" else box.height) / self.unit / spacing
        longest = 0.0
        for number in scale.ticks(max(2, floor(count))) if numbers is None else numbers:
            fraction = float(scale.locate(number))
            x, y = round(box.left + fraction * (box.width - 1)), round(box.bottom - 1 - fraction * (box.height - 1))
            line, place, anchor = {
                "bottom": ((x, box.bottom, x, box.bottom + length), (x, box.bottom + self.pixels(7)), "ma"),
                "left": ((box.left - length - 1, y, box.left - 1, y), (box.left - self.pixels(8), y), "rm"),
                "right": ((box.right, y, box.right + length, y), (box.right + self.pixels(8), y), "lm"),
            }[side]
            label = tick_label(number) if numbers is None else format_short(number)
            self.pen.line(line, fill=MUTED, width=thickness)
            self.draw_text(place, label, size, MUTED, anchor)
            longest = max(longest, text_width(label, self.pixels(size)))
        return longest


# -- scales -----------------------------------------------------------------------------------------------------

TRANSFORMS: Mapping[str, Callable[[Any], Any]] = {"linear": np.asarray, "log": np.log, "root": np.sqrt}
"""Functions of numbers that a scale shows at equal distances."""


@dataclass(frozen=True)
class Scale:
    """Numbers between two limits. A square-root scale is for counts; low counts are visible on it."""

    low: float
    high: float
    kind: Literal["linear", "log", "root"] = "linear"

    def locate(self, values: NDArray[Any] | float) -> NDArray[np.float64]:
        """Return the positions of values from 0 to 1; the middle if the limits are equal."""
        if not self.high > self.low:
            return np.full(np.shape(values), 0.5)
        low, high, places = (TRANSFORMS[self.kind](part) for part in (self.low, self.high, values))
        return np.asarray((places - low) / (high - low))

    def ticks(self, max_ticks: int) -> list[float]:
        """Return a few round numbers, at most `max_ticks` except on a scale of counts."""
        if self.kind == "root":
            return self._choose_counts()
        if self.kind == "linear":
            return ticks(self.low, self.high, max_ticks)
        powers = range(floor(log10(self.low)), ceil(log10(self.high)) + 1)
        for factors in ((1, 2, 5), (1, 3), (1,)):
            numbers = [round(factor * 10.0**power, 12) for power in powers for factor in factors]
            numbers = [number for number in numbers if self.low <= number <= self.high]
            if len(numbers) <= max_ticks:
                break
        numbers = numbers[:: -(-len(numbers) // max_ticks)] if numbers else []
        return numbers if len(numbers) > 1 else ticks(self.low, self.high, max_ticks)

    def _choose_counts(self) -> list[float]:
        """Return the maximum, 1, and a few round numbers between them."""
        chosen = [self.high]
        powers = range(floor(log10(max(1, self.high))), -1, -1)
        for number in (factor * 10.0**power for power in powers for factor in (5, 2, 1)):
            if number < self.high and float(self.locate(chosen[-1]) - self.locate(number)) > 0.07:
                chosen.append(number)
        return chosen if chosen[-1] == 1 or self.high == 1 else [*chosen[:-1], 1]


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


def _to_pixels(edges: NDArray[np.float64], first: int, last: int) -> list[int]:
    """Return the pixel positions of edges."""
    fractions = (edges - edges[0]) / (edges[-1] - edges[0])
    places: list[int] = np.round(first + fractions * (last - first)).astype(int).tolist()
    return places


# -- colors and text ----------------------------------------------------------------------------------------------


def blend_colors(colors: Sequence[Color], fractions: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return the colors at positions from 0, the first color, to 1, the last, as an array (..., 3)."""
    stops = np.linspace(0, 1, len(colors))
    channels = [np.interp(fractions, stops, channel) for channel in zip(*colors, strict=True)]
    return np.round(np.stack(channels, axis=-1)).astype(np.uint8)


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
