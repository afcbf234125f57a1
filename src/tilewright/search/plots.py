"""The frame of pictures of an archive: title, axes with bins, and a color scale.

All lengths are given for 96 dots per inch and multiplied by a factor, so that text stays sharp in print.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, isfinite
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..core.errors import pluralize
from ..core.measure_groups import format_short
from ..core.registry import measures as measure_registry
from ..pictures.charts import INK, MUTED, Box, Canvas, Color, Scale, blend_colors
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
X_SPACING, Y_SPACING = 62, 34
"""Minimum distances between the values of an axis."""


@dataclass(frozen=True)
class ColorScale(Scale):
    """Colors of numbers between two limits."""

    label: str = ""

    @classmethod
    def of(cls, label: str, values: NDArray[np.float64], limits: tuple[float, float] | None = None) -> ColorScale:
        """Return a scale for values, from the lowest to the highest or between given limits."""
        known = values[np.isfinite(values)]
        low, high = limits or ((float(known.min()), float(known.max())) if len(known) else (0.0, 1.0))
        return cls(low, high, label=label)

    def colors(self, values: NDArray[np.float64]) -> NDArray[np.uint8]:
        """Return the colors of values, as an array (..., 3). Values beyond the limits have the color of the limit."""
        return blend_colors(PALETTE, np.clip(np.nan_to_num(self.locate(values)), 0.0, 1.0))


class Plot(Canvas):
    """A picture with a title, axes and a color scale around an area of cells."""

    def __init__(self, width: int, height: int, unit: float) -> None:
        left, top, right, bottom = (round(length * unit) for length in (LEFT, TOP, RIGHT, BOTTOM))
        super().__init__(left + width + right, top + height + bottom, unit)
        self.area = Box(left, top, left + width, top + height)

    def draw_title(self, title: str, subtitle: str) -> None:
        x, width = self.pixels(24), self.picture.width - 2 * self.pixels(24)
        self.draw_text((x, self.pixels(16)), title, TITLE, max_width=width)
        self.draw_text((x, self.pixels(47)), subtitle, NORMAL, MUTED, max_width=width)

    # -- axes -----------------------------------------------------------------------------------------------------

    def draw_x_axis(self, axis: MeasureAxis, merged: int = 1) -> None:
        """Draw values and the name of an axis below the area, and numbers of bins above it."""
        area, bin_top = self.area, self.area.top - self.pixels(8)
        self.draw_ticks(area, "bottom", scale_of(axis), X_SPACING, size=SMALL)
        for place, number in _list_bins(axis, merged, area.width / self.unit, 26):
            self.draw_text((round(area.left + place * area.width), bin_top), str(number), SMALL, MUTED, "mb")
        self.draw_text((area.left - self.pixels(8), bin_top), "bin", SMALL, MUTED, "rb")
        middle = ((area.left + area.right) / 2, area.bottom + self.pixels(29))
        self.draw_text(middle, axis_label(axis), LARGE, INK, "ma")

    def draw_y_axis(self, axis: MeasureAxis, merged: int = 1) -> None:
        """Draw values and the name of an axis left of the area, and numbers of bins right of it."""
        area, bin_left = self.area, self.area.right + self.pixels(6)
        self.draw_values(scale_of(axis), axis_label(axis))
        for place, number in _list_bins(axis, merged, area.height / self.unit, 18):
            self.draw_text((bin_left, round(area.bottom - place * area.height)), str(number), SMALL, MUTED, "lm")

    def draw_values(self, scale: Scale, label: str) -> None:
        """Draw the values of a scale and its name left of the area."""
        self.draw_ticks(self.area, "left", scale, Y_SPACING, size=SMALL)
        self.draw_vertical_text((self.pixels(24), (self.area.top + self.area.bottom) // 2), label, LARGE)

    def draw_color_scale(self, scale: ColorScale) -> None:
        """Draw the colors of values right of the area, with numbers."""
        height = min(self.area.height, self.pixels(300))
        left = self.area.right + self.pixels(36)
        bar = Box(left, self.area.bottom - height, left + self.pixels(13), self.area.bottom)
        room = self.draw_color_bar(bar, scale, PALETTE, SMALL)
        x = min(bar.right + self.pixels(20) + ceil(room), self.picture.width - self.pixels(12))
        self.draw_vertical_text((x, (bar.top + bar.bottom) // 2), scale.label, NORMAL)


# -- labels -------------------------------------------------------------------------------------------------------


def axis_label(axis: MeasureAxis) -> str:
    """Return the name of an axis with its unit, and whether it is logarithmic."""
    unit = measure_registry.get(axis.measure).unit
    notes = [note for note in (unit, "log scale" if axis.is_log else "") if note and note != axis.measure]
    return f"{axis.measure} ({', '.join(notes)})" if notes else axis.measure


def scale_of(axis: MeasureAxis) -> Scale:
    return Scale(float(axis.edges[0]), float(axis.edges[-1]), "log" if axis.is_log else "linear")


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
