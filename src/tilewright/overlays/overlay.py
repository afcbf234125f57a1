"""The overlay class, and color maps for values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.appearance import read_rgb
from ..core.errors import InvalidRecipe
from ..core.site import Point
from ..core.tilemap import TileMap, format_size

FAR = ("#fff4b8", "#fdc463", "#f38a55", "#d55f7c", "#9c55ab", "#6158c0", "#3f63ab")
"""Colors from near to far: from light and warm to dark and cool, in steps of about equal contrast."""
DANGER = ("#e6f9c6", "#9fdf9f", "#4fb8a0", "#3a86a8", "#4a569e", "#5b2f72")
"""Colors from safe to dangerous."""
CLEAR = 215
"""Opacity of a value's color over the tile, from 0 to 255."""


@dataclass(frozen=True, eq=False)
class Overlay:
    """A tint, lines and a legend to draw over a map."""

    tint: NDArray[np.uint8]
    """Array (row, column, 4) of red, green, blue and opacity; (level, row, column, 4) for a 3D map."""
    lines: tuple[tuple[Point, Point], ...] = ()
    """Lines from (x, y) to (x, y) in cells; integers are the centers of cells."""
    legend: str = ""
    """Description of the overlay in one line."""
    text: str = ""
    """Settings as text, such as `hot-path,slack=8`; empty for an overlay made by the user."""

    def __post_init__(self) -> None:
        tint = np.array(self.tint, dtype=np.uint8)
        if tint.ndim not in (3, 4) or tint.shape[-1] != 4:
            raise InvalidRecipe(f"must have shape (row, column, 4), got {tint.shape}", at="tint")
        tint.flags.writeable = False
        object.__setattr__(self, "tint", tint)

    def __reduce__(self) -> tuple[Any, ...]:
        return Overlay, (self.tint, self.lines, self.legend, self.text)

    def blend(self, colors: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return the colors of cells blended with the tint, as an array (row, column, 3)."""
        share = self.tint[..., 3:].astype(np.uint16)
        mixed = self.tint[..., :3] * share + colors * (255 - share)
        return ((mixed + 127) // 255).astype(np.uint8)

    def check_size(self, map: TileMap) -> Overlay:
        """Return the overlay itself. Raise InvalidRecipe if the overlay is not for a map of this size."""
        if self.tint.shape[:-1] != map.shape:
            own, other = (format_size(shape) for shape in (self.tint.shape[:-1], map.shape))
            raise InvalidRecipe(f"is for a map of {own}, this one has {other}", at="overlay")
        return self


def apply_colormap(values: NDArray[np.float64], stops: Sequence[str]) -> NDArray[np.uint8]:
    """Return the tint of values as an array (..., 4).

    The lowest value gets the first color; values that are not finite are transparent.
    """
    tint = np.zeros((*values.shape, 4), dtype=np.uint8)
    inside = np.isfinite(values)
    known = values[inside]
    if known.size:
        low, high = known.min(), known.max()
        share = (known - low) / (high - low) if high > low else np.zeros_like(known)
        colors = np.array([read_rgb(stop) for stop in stops], dtype=np.float64)
        at = np.linspace(0, 1, len(stops))
        for channel in range(3):
            tint[inside, channel] = np.interp(share, at, colors[:, channel]).round()
        tint[inside, 3] = CLEAR
    return tint
