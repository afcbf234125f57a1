"""Tints: what an overlay is, and the colours that tell values apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..core.appearance import read_rgb
from ..core.deprecation import renamed_members
from ..core.errors import InvalidRecipe
from ..core.tilemap import TileMap

Rgb: TypeAlias = tuple[int, int, int]
Point: TypeAlias = tuple[float, float]

FAR = ("#fff4b8", "#fdc463", "#f38a55", "#d55f7c", "#9c55ab", "#6158c0", "#3f63ab")
"""Near to far: from light and warm to dark and cool, every step about as visible as the next."""
DANGER = ("#e6f9c6", "#9fdf9f", "#4fb8a0", "#3a86a8", "#4a569e", "#5b2f72")
"""Safe to dangerous."""
CLEAR = 215
"""How much the colour of a value covers of the tile below it, of 255."""


@renamed_members(over="blend", fitted="check_size")
@dataclass(frozen=True, eq=False)
class Overlay:
    """What is to be drawn over a map."""

    tint: NDArray[np.uint8]
    """(row, column, 4) red, green, blue, and how much of the tile they cover; with levels (level, row, column, 4)."""
    lines: tuple[tuple[Point, Point], ...] = ()
    """Lines over it, each from (x, y) to (x, y) in cells; whole numbers are the middles of cells."""
    legend: str = ""
    """What is shown, in a line."""
    text: str = ""
    """How it was asked for; empty for one of your own making."""

    def __post_init__(self) -> None:
        tint = np.array(self.tint, dtype=np.uint8)
        if tint.ndim not in (3, 4) or tint.shape[-1] != 4:
            raise InvalidRecipe(f"four numbers 0..255 for every cell of a map, got shape {tint.shape}", at="tint")
        tint.flags.writeable = False
        object.__setattr__(self, "tint", tint)

    def __reduce__(self) -> tuple[Any, ...]:
        return Overlay, (self.tint, self.lines, self.legend, self.text)

    def blend(self, colors: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """(row, column, 3) colours of cells with the tint over them."""
        share = self.tint[..., 3:].astype(np.uint16)
        mixed = self.tint[..., :3] * share + colors * (255 - share)
        return ((mixed + 127) // 255).astype(np.uint8)

    def check_size(self, map: TileMap) -> Overlay:
        """Itself, if it is for a map of this size."""
        if self.tint.shape[:-1] != map.shape:
            own, other = (format_shape(shape) for shape in (self.tint.shape[:-1], map.shape))
            raise InvalidRecipe(f"is for a map of {own}, this one has {other}", at="overlay")
        return self


def apply_colormap(values: NDArray[np.float64], stops: Sequence[str]) -> NDArray[np.uint8]:
    """(..., 4) a tint for every finite value, from the lowest (the first stop) to the highest."""
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


def format_shape(shape: tuple[int, ...]) -> str:
    return "x".join(str(side) for side in reversed(shape))
