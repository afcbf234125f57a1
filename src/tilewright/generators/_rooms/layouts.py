"""Hand-drawn rooms: `x` wall, `o` floor, `D` door, `.` nothing, with or without spaces between. For example:

x x D x x      xxDxx
x o o o x      xooox
x x o x x      xxoxx
. x o x .      .xox.
. x x x .      .xxx.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from ...analysis.regions import regions_of
from ...core.caching import cached_by_size
from ...core.errors import InvalidRecipe, short_repr
from ...core.grid import Grid
from ...core.params import Params, param
from ...kernels.scatter import DRAWN_DOOR, DRAWN_FLOOR, DRAWN_WALL, INNER_DOOR, LAYOUT, VOID, LayoutArrays

Cells = NDArray[np.uint8]
CODES = {"x": DRAWN_WALL, "o": DRAWN_FLOOR, "D": DRAWN_DOOR, ".": VOID, " ": VOID}


class RoomLayout(Params):
    """Hand-drawn room."""

    drawing: Grid = param(initial=("xxxxx", "xooox", "xooox", "xxxxx"))
    """Drawing of the room: x wall, o floor, D door, . nothing; as a string, lines or a file."""
    weight: float = param(1.0, ge=0, le=1_000_000, typical=(0, 10))
    """Relative weight with which the room is drawn."""

    @model_validator(mode="before")
    @classmethod
    def _read_drawing(cls, value: Any) -> Any:
        """Accept a drawing alone as a layout of weight 1."""
        return value if isinstance(value, Mapping) and value.keys() & cls.model_fields.keys() else {"drawing": value}

    @model_validator(mode="after")
    def _check_drawing(self) -> Self:
        """Raise InvalidRecipe if the floor is not connected or a door leads nowhere."""
        cells = self.cells  # Parses the drawing.
        parts = regions_of((cells == DRAWN_FLOOR) | (cells == INNER_DOOR)).count
        if parts == 0:
            raise InvalidRecipe("must have floor, o", at="drawing")
        if parts > 1:
            text = f"must have connected floor, got {parts} parts without a door between them"
            raise InvalidRecipe(text, at="drawing")
        for row, column in np.argwhere((cells == DRAWN_DOOR) | (cells == INNER_DOOR)).tolist():
            around = np.pad(cells, 1)[row : row + 3, column : column + 3]
            lines = around[:, 1][::2], around[1, ::2]  # Above and below, left and right.
            floors = sorted(int(np.isin(line, (DRAWN_FLOOR, DRAWN_DOOR, INNER_DOOR)).sum()) for line in lines)
            leads_outside = any(sorted(line.tolist()) == [VOID, DRAWN_FLOOR] for line in lines)
            if floors != ([0, 2] if cells[row, column] == INNER_DOOR else [0, 1]) or not (
                leads_outside or floors[1] == 2
            ):
                place = f"the door in row {row + 1}, column {column + 1}"
                text = f"{place} must have floor on one side and lead outside or to more floor on the other"
                raise InvalidRecipe(text, at="drawing")
        return self

    @cached_property
    def cells(self) -> Cells:
        """Drawing as (row, column) codes, without empty rows and columns around it."""
        grid = self.drawing
        if grid.cells.ndim != 2:
            raise InvalidRecipe("must have one level; use a separate layout for every room", at="drawing")
        if unknown := [label for label in grid.labels if label not in CODES]:
            raise InvalidRecipe(
                f"must be x wall, o floor, D door or . nothing, got {short_repr(unknown[0])}", at="drawing"
            )
        codes = np.array([CODES[str(label)] for label in grid.labels] + [VOID], dtype=np.uint8)
        blank = np.array([label == " " for label in grid.labels] + [False])
        has_spaces = grid.cells.shape[1] > 1 and bool(blank[grid.cells[:, 1::2]].all())
        cells = codes[grid.cells[:, ::2] if has_spaces else grid.cells]
        used = cells != VOID
        rows, columns = np.flatnonzero(used.any(axis=1)), np.flatnonzero(used.any(axis=0))
        if not len(rows):
            raise InvalidRecipe("must have floor, o", at="drawing")
        cells = cells[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1].copy()
        around = np.pad((cells == DRAWN_FLOOR) | (cells == DRAWN_DOOR), 1)
        through = (around[:-2, 1:-1] & around[2:, 1:-1]) | (around[1:-1, :-2] & around[1:-1, 2:])
        cells[(cells == DRAWN_DOOR) & through] = INNER_DOOR
        return cells

    @property
    def shape(self) -> tuple[int, int]:
        height, width = self.cells.shape
        return height, width


@cached_by_size
def make_layout_arrays(
    layouts: tuple[RoomLayout, ...], plain: float, turned: bool, width: int, height: int
) -> LayoutArrays:
    """Return the cumulative weights and cells of plain rectangles and of all layouts that fit a map of this size."""
    weights, table, pieces, first = [plain], [], [], 0
    for layout in layouts:
        orientations = _rotate_and_mirror(layout.cells) if turned else [layout.cells]
        orientations = [cells for cells in orientations if cells.shape[0] <= height and cells.shape[1] <= width]
        for oriented in orientations:
            weights.append(weights[-1] + layout.weight / len(orientations))
            table.append((oriented.shape[1], oriented.shape[0], first))
            pieces.append(oriented.reshape(-1))
            first += oriented.size
    cells: Cells = np.concatenate(pieces) if pieces else np.empty(0, dtype=np.uint8)
    return LayoutArrays(np.array(weights), cells, np.array(table, dtype=LAYOUT))


def _rotate_and_mirror(cells: Cells) -> list[Cells]:
    """Return all distinct rotations and mirror images of a drawing."""
    orientations: list[Cells] = []
    for mirrored in (cells, cells[:, ::-1]):
        for turns in range(4):
            oriented = np.ascontiguousarray(np.rot90(mirrored, turns))
            if not any(np.array_equal(oriented, other) for other in orientations):
                orientations.append(oriented)
    return orientations
