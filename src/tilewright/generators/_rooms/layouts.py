"""Rooms drawn by hand: `x` wall, `o` floor, `D` door, `.` nothing; dense, or with blanks between.

x x D x x      xxDxx
x o o o x      xooox
x x o x x      xxoxx
. x o x .      .xox.
. x x x .      .xxx.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from ...analysis.regions import regions_of
from ...core.errors import InvalidRecipe, short_repr
from ...core.grid import Grid
from ...core.params import Params, param
from ...kernels.scatter import DRAWN_DOOR, DRAWN_FLOOR, DRAWN_WALL, INNER_DOOR, LAYOUT, VOID, LayoutArrays

Cells = NDArray[np.uint8]
CODES = {"x": DRAWN_WALL, "o": DRAWN_FLOOR, "D": DRAWN_DOOR, ".": VOID, " ": VOID}


class RoomLayout(Params):
    """A room drawn by hand."""

    drawing: Grid = param(initial=("xxxxx", "xooox", "xooox", "xxxxx"))
    """The room: x wall, o floor, D door, . nothing; as text, lines or a file."""
    weight: float = param(1.0, ge=0, le=1_000_000, typical=(0, 10))
    """How often it is drawn, beside the others."""

    @model_validator(mode="before")
    @classmethod
    def _read_drawing(cls, value: Any) -> Any:
        """A drawing may stand for a layout of weight 1."""
        return value if isinstance(value, Mapping) and value.keys() & cls.model_fields.keys() else {"drawing": value}

    @model_validator(mode="after")
    def _check_drawing(self) -> Self:
        cells = self.cells  # which reads the drawing
        parts = regions_of((cells == DRAWN_FLOOR) | (cells == INNER_DOOR)).count
        if parts == 0:
            raise InvalidRecipe("a room has floor, o", at="drawing")
        if parts > 1:
            text = f"its floor is one, but this has {parts} parts without a door between them"
            raise InvalidRecipe(text, at="drawing")
        for row, column in np.argwhere((cells == DRAWN_DOOR) | (cells == INNER_DOOR)).tolist():
            around = np.pad(cells, 1)[row : row + 3, column : column + 3]
            lines = around[:, 1][::2], around[1, ::2]  # above and below, left and right
            floors = sorted(int(np.isin(line, (DRAWN_FLOOR, DRAWN_DOOR, INNER_DOOR)).sum()) for line in lines)
            leads_on = any(sorted(line.tolist()) == [VOID, DRAWN_FLOOR] for line in lines)
            if floors != ([0, 2] if cells[row, column] == INNER_DOOR else [0, 1]) or not (leads_on or floors[1] == 2):
                place = f"the door in row {row + 1}, column {column + 1}"
                text = f"{place} must have floor on one side and lead out or on at the other"
                raise InvalidRecipe(text, at="drawing")
        return self

    @cached_property
    def cells(self) -> Cells:
        """(row, column) the drawing, without empty rows and columns around it."""
        grid = self.drawing
        if grid.cells.ndim != 2:
            raise InvalidRecipe("a room has one level; give every room a layout of its own", at="drawing")
        if unknown := [word for word in grid.labels if word not in CODES]:
            raise InvalidRecipe(f"x wall, o floor, D door, . nothing; got {short_repr(unknown[0])}", at="drawing")
        codes = np.array([CODES[str(word)] for word in grid.labels] + [VOID], dtype=np.uint8)
        blank = np.array([word == " " for word in grid.labels] + [False])
        spaced = grid.cells.shape[1] > 1 and bool(blank[grid.cells[:, 1::2]].all())
        cells = codes[grid.cells[:, ::2] if spaced else grid.cells]
        used = cells != VOID
        rows, columns = np.flatnonzero(used.any(axis=1)), np.flatnonzero(used.any(axis=0))
        if not len(rows):
            raise InvalidRecipe("a room has floor, o", at="drawing")
        cells = cells[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1].copy()
        around = np.pad((cells == DRAWN_FLOOR) | (cells == DRAWN_DOOR), 1)
        through = (around[:-2, 1:-1] & around[2:, 1:-1]) | (around[1:-1, :-2] & around[1:-1, 2:])
        cells[(cells == DRAWN_DOOR) & through] = INNER_DOOR
        return cells

    @property
    def shape(self) -> tuple[int, int]:
        height, width = self.cells.shape
        return height, width


@lru_cache(maxsize=64)
def make_layout_arrays(
    layouts: tuple[RoomLayout, ...], plain: float, turned: bool, width: int, height: int
) -> LayoutArrays:
    """Plain rectangles and layouts by their weights, turned or not, as far as they fit a map of this size."""
    weights, table, pieces, first = [plain], [], [], 0
    for layout in layouts:
        views = _make_views(layout.cells) if turned else [layout.cells]
        views = [view for view in views if view.shape[0] <= height and view.shape[1] <= width]
        for view in views:
            weights.append(weights[-1] + layout.weight / len(views))
            table.append((view.shape[1], view.shape[0], first))
            pieces.append(view.reshape(-1))
            first += view.size
    cells: Cells = np.concatenate(pieces) if pieces else np.empty(0, dtype=np.uint8)
    return LayoutArrays(np.array(weights), cells, np.array(table, dtype=LAYOUT))


def _make_views(cells: Cells) -> list[Cells]:
    """The drawing, turned and mirrored, each different one once."""
    views: list[Cells] = []
    for mirrored in (cells, cells[:, ::-1]):
        for turns in range(4):
            view = np.ascontiguousarray(np.rot90(mirrored, turns))
            if not any(np.array_equal(view, other) for other in views):
                views.append(view)
    return views
