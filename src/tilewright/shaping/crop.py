"""Crop: cut a rectangle out of the map. Rooms and markers outside it and all locks are removed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from numpy.typing import NDArray

from ..core.entries import transform
from ..core.errors import InvalidRecipe, Problem, problem
from ..core.params import MAX_SIDE, Params, param


class CropParams(Params):
    x: int = param(0, ge=0, le=MAX_SIDE, group="place")
    """First column to keep."""
    y: int = param(0, ge=0, le=MAX_SIDE, group="place")
    """First row to keep."""
    width: int | None = param(None, ge=1, le=MAX_SIDE, group="size")
    """Number of columns to keep; by default all up to the right edge."""
    height: int | None = param(None, ge=1, le=MAX_SIDE, group="size")
    """Number of rows to keep; by default all up to the bottom edge."""
    margin: int = param(0, ge=0, le=MAX_SIDE)
    """Number of cells to cut off at every edge, instead of a rectangle."""

    def find_problems(self) -> Iterator[Problem]:
        if self.margin and (self.x or self.y or self.width or self.height):
            yield problem("give either a margin or a rectangle (x, y, width, height)", at="margin")


@transform(CropParams)
def crop(p: CropParams, cells: NDArray[Any]) -> NDArray[Any]:
    *_, rows, columns = cells.shape
    left, top = p.x + p.margin, p.y + p.margin
    right = left + p.width if p.width is not None else columns - p.margin
    bottom = top + p.height if p.height is not None else rows - p.margin
    if not (left < right <= columns and top < bottom <= rows):
        wanted = f"a margin of {p.margin}" if p.margin else f"columns {left}..{right - 1} and rows {top}..{bottom - 1}"
        raise InvalidRecipe(f"{wanted} cannot be cut out of a map of {columns}x{rows}")
    return cells[..., top:bottom, left:right]
