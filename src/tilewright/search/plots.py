"""The frame of pictures of an archive: title, axes with bins, and a color scale.

All lengths are given for 96 dots per inch and multiplied by a factor, so that text stays sharp in print.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, isfinite, log, log10
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from ..core.errors import pluralize
from ..core.measure_groups import format_short
from ..core.registry import measures as measure_registry
from ..corpus._charts import FAINT, INK, MUTED, Box, Canvas, Color, text_width, tick_label, ticks
from .axes import MeasureAxis
from .projection import Projection

if TYPE_CHECKING:
    from .archive import Archive

SCREEN_DPI = 96
PALETTE: tuple[Color, ...] = (
    (30, 31, 79), (54, 45, 116), (82, 58, 154), (142, 66, 159), (199, 76, 142), (234, 109, 108), (248, 154, 86),
    (253, 197, 101), (250, 239, 141),
)  # fmt: skip
"""Colors from low to high values: our own, with steps of equal lightness in the OKLab color space."""
EMPTY_CELL: Color = (236, 234, 229)
SMALL, NORMAL, LARGE, TITLE = 11, 12, 14, 21
LEFT, TOP, RIGHT, BOTTOM = 76, 98, 118, 60
"""Margins around the cells."""
TICK = 4


def palette_colors(fractions: NDArray[np.float64]) -> NDArray[np.uint8]:
    """Return the colors of numbers from 0 to 1, as an array (..., 3)."""
    stops = np.linspace(0, 1, len(PALETTE))
    channels = [np.interp(fractions, stops, [color[channel] for color in PALETTE]) for channel in range(3)]
    return np.round(np.stack(channels, axis=-1)).astype(np.uint8)


@dataclass(frozen=True)
class ColorScale:
    """Colors of numbers between two limits."""

    label: str
    low: float
    high: float

    @classmethod
    def of(cls, label: str, values: NDArray[np.float64], limits: tuple[float, float] | None = None) -> ColorScale:
        """Return a scale for values, from the lowest to the highest or between given limits."""
        known = values[np.isfinite(values)]
        low, high = limits or ((float(known.min()), float(known.max())) if len(known) else (0.0, 1.0))
        return cls(label, low, high)

    def colors(self, values: NDArray[np.float64]) -> NDArray[np.uint8]:
        """Return the colors of values, as an array (..., 3). Values beyond the limits have the color of the limit."""
        span = self.high - self.low
        fractions = (values - self.low) / span if span > 0 else np.full(values.shape, 0.5)
        return palette_colors(np.clip(np.nan_to_num(fractions), 0.0, 1.0))


class Plot:
    """A picture with a title, axes and a color scale around an area of cells."""

    def __init__(self, width: int, height: int, scale: float) -> None:
        self.scale = scale
        size = (
            self.pixels(LEFT) + width + self.pixels(RIGHT),
            self.pixels(TOP) + height + self.pixels(BOTTOM),
        )
        self.canvas = Canvas(*size)
        left, top = self.pixels(LEFT), self.pixels(TOP)
        self.area = Box(left, top, left + width, top + height)

    def pixels(self, length: float) -> int:
        return round(length * self.scale)

    def draw_title(self, title: str, subtitle: str) -> None:
        x, width = self.pixels(24), self.canvas.picture.width - 2 * self.pixels(24)
        self.canvas.draw_text((x, self.pixels(16)), title, self.pixels(TITLE), max_width=width)
        self.canvas.draw_text((x, self.pixels(47)), subtitle, self.pixels(NORMAL), MUTED, max_width=width)

    # -- axes -----------------------------------------------------------------------------------------------------

    def draw_x_axis(self, axis: MeasureAxis, merged: int = 1) -> None:
        """Draw values and the name of an axis below the area, and numbers of bins above it."""
        area, width = self.area, self.area.right - self.area.left
        for number in axis_ticks(axis, max(2, floor(width / self.scale / 62))):
            x = round(area.left + axis_fraction(axis, number) * (width - 1))
            self._draw_line((x, area.bottom, x, area.bottom + self.pixels(TICK)))
            label = tick_label(number)
            self.canvas.draw_text((x, area.bottom + self.pixels(7)), label, self.pixels(SMALL), MUTED, "ma")
        for place, number in _list_bins(axis, merged, width / self.scale, 26):
            x = round(area.left + place * width)
            self.canvas.draw_text((x, area.top - self.pixels(8)), str(number), self.pixels(SMALL), MUTED, "mb")
        corner = (area.left - self.pixels(8), area.top - self.pixels(8))
        self.canvas.draw_text(corner, "bin", self.pixels(SMALL), MUTED, "rb")
        middle = ((area.left + area.right) / 2, area.bottom + self.pixels(29))
        self.canvas.draw_text(middle, axis_label(axis), self.pixels(LARGE), INK, "ma")

    def draw_y_axis(self, axis: MeasureAxis, merged: int = 1) -> None:
        """Draw values and the name of an axis left of the area, and numbers of bins right of it."""
        area, height = self.area, self.area.bottom - self.area.top
        for number in axis_ticks(axis, max(2, floor(height / self.scale / 34))):
            y = round(area.bottom - 1 - axis_fraction(axis, number) * (height - 1))
            self._draw_line((area.left - self.pixels(TICK) - 1, y, area.left - 1, y))
            label = tick_label(number)
            self.canvas.draw_text((area.left - self.pixels(8), y), label, self.pixels(SMALL), MUTED, "rm")
        for place, number in _list_bins(axis, merged, height / self.scale, 18):
            y = round(area.bottom - place * height)
            self.canvas.draw_text((area.right + self.pixels(6), y), str(number), self.pixels(SMALL), MUTED, "lm")
        middle = (area.top + area.bottom) // 2
        self.canvas.draw_vertical_text((self.pixels(24), middle), axis_label(axis), self.pixels(LARGE))

    def draw_value_axis(self, scale: ColorScale) -> None:
        """Draw the values of a color scale left of the area, for bars."""
        area, height = self.area, self.area.bottom - self.area.top
        for number in ticks(scale.low, scale.high, max(2, floor(height / self.scale / 34))):
            y = round(area.bottom - 1 - (number - scale.low) / (scale.high - scale.low or 1.0) * (height - 1))
            self._draw_line((area.left - self.pixels(TICK) - 1, y, area.left - 1, y))
            self.canvas.draw_text((area.left - self.pixels(8), y), tick_label(number), self.pixels(SMALL), MUTED, "rm")
        middle = (area.top + area.bottom) // 2
        self.canvas.draw_vertical_text((self.pixels(24), middle), scale.label, self.pixels(LARGE))

    def draw_color_scale(self, scale: ColorScale) -> None:
        """Draw the colors of values right of the area, with numbers."""
        height = min(self.area.bottom - self.area.top, self.pixels(300))
        left = self.area.right + self.pixels(36)
        bar = Box(left, self.area.bottom - height, left + self.pixels(13), self.area.bottom)
        fractions = np.linspace(1.0, 0.0, height)[:, None].repeat(bar.width, 1)
        self.canvas.picture.paste(Image.fromarray(palette_colors(fractions)), (bar.left, bar.top))
        span = scale.high - scale.low
        numbers = ticks(scale.low, scale.high, max(2, floor(height / self.scale / 40))) if span > 0 else [scale.low]
        for number in numbers:
            y = round(bar.bottom - 1 - ((number - scale.low) / span if span > 0 else 0.5) * (height - 1))
            self._draw_line((bar.right, y, bar.right + self.pixels(TICK), y))
            place = (bar.right + self.pixels(8), y)
            self.canvas.draw_text(place, tick_label(number), self.pixels(SMALL), MUTED, "lm")
        room = max(text_width(tick_label(number), self.pixels(SMALL)) for number in numbers) if numbers else 0
        center = bar.right + self.pixels(20) + ceil(room)
        self.canvas.draw_vertical_text(
            (min(center, self.canvas.picture.width - self.pixels(12)), (bar.top + bar.bottom) // 2),
            scale.label,
            self.pixels(NORMAL),
        )

    def draw_border(self) -> None:
        area = self.area
        self.canvas.pen.rectangle(
            (area.left - 1, area.top - 1, area.right, area.bottom), outline=FAINT, width=max(1, self.pixels(1))
        )

    def _draw_line(self, ends: tuple[int, int, int, int]) -> None:
        self.canvas.pen.line(ends, fill=MUTED, width=max(1, self.pixels(1)))


# -- labels -------------------------------------------------------------------------------------------------------


def axis_label(axis: MeasureAxis) -> str:
    """Return the name of an axis with its unit, and whether it is logarithmic."""
    unit = measure_registry.get(axis.measure).unit
    notes = [note for note in (unit, "log scale" if axis.is_log else "") if note and note != axis.measure]
    return f"{axis.measure} ({', '.join(notes)})" if notes else axis.measure


def axis_fraction(axis: MeasureAxis, number: float) -> float:
    """Return the place of a number on an axis, from 0 to 1."""
    low, high = float(axis.edges[0]), float(axis.edges[-1])
    return log(number / low) / log(high / low) if axis.is_log else (number - low) / (high - low)


def axis_ticks(axis: MeasureAxis, max_ticks: int) -> list[float]:
    """Return round numbers on an axis; on a logarithmic axis 1, 2, 5, 10 and so on."""
    low, high = float(axis.edges[0]), float(axis.edges[-1])
    if not axis.is_log:
        return ticks(low, high, max_ticks)
    powers = range(floor(log10(low)), ceil(log10(high)) + 1)
    for factors in ((1, 2, 5), (1, 3), (1,)):
        found = [round(factor * 10.0**power, 12) for power in powers for factor in factors]
        found = [number for number in found if low <= number <= high]
        if len(found) <= max_ticks:
            break
    found = found[:: -(-len(found) // max_ticks)] if found else []
    return found if len(found) > 1 else ticks(low, high, max_ticks)


def _list_bins(axis: MeasureAxis, merged: int, length: float, min_distance: float) -> list[tuple[float, int]]:
    """Return the places, from 0 to 1, and numbers of some bins."""
    count = -(-axis.bins // merged)
    max_labels = max(1, floor(length / min_distance))
    step = next(step for step in (1, 2, 5, 10, 20, 25, 50, 100, 250, 500, 1000, count) if count / step <= max_labels)
    return [((at + 0.5) / count, at * merged) for at in range(0, count, step)]


def describe_archive(archive: Archive, projection: Projection) -> str:
    """Return a line about an archive: its size, its scores and what is not shown."""
    shown = {projection.x.measure, projection.y.measure if projection.y else ""}
    hidden = [axis.measure for axis in archive.definition.axes if axis.measure not in shown]
    facts = [
        archive.definition.recipe.technique,
        pluralize(len(archive), "style" if archive.definition.repeats else "map"),
        f"{archive.coverage:.0%} of {archive.row_of_cell.size:,} cells",
        f"QD score {format_score(archive.qd_score)}",
        pluralize(archive.evaluations, "evaluation"),
        f"seed {archive.definition.seed}",
        f"best over {', '.join(hidden)}" if hidden else "",
    ]
    return " · ".join(fact for fact in facts if fact)


def format_score(number: float) -> str:
    """Return a score as a short number."""
    return format_short(number) if not isfinite(number) or abs(number) < 100 else f"{number:,.0f}"
