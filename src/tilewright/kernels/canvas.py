"""A map that moves change and undo, with the number of its windows that the original map does not have.

Windows are 3x3 blocks, cells beyond the edge included. The map is stored within a margin of one cell; places are flat
indices of the map with its margin.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from . import inline, kernel, part
from .patterns import find_key
from .types import Int64_1D, Int64_2D, Record, Uint8_1D, Uint8_2D, Uint8_4D, Uint16_2D, Uint64_1D

MAX_EDITS = 64
"""Maximum number of cells of a move."""


class CanvasState(Record):
    """Numbers of a canvas."""

    edits: int
    """Number of cells of the current move."""
    is_surveyed: int
    """Whether the numbers of `kernels/goals` are those of the passable cells."""
    unseen: int
    """Number of windows that do not occur in the original map."""
    changed: int
    """Number of cells that differ from the original map."""
    anchor: int
    """Place of the last kept move."""


class EditCanvas(NamedTuple):
    """The map."""

    cells: Uint16_2D
    """Tiles, within a margin of a number that is no tile."""
    original: Uint16_2D
    """Tiles of the original map."""
    free: Uint8_2D
    """Whether a cell may change."""
    places: Int64_1D
    """Places of the free cells."""
    tiles: Int64_1D
    """Tiles that may be placed."""
    allowed: Uint8_1D
    """(tile,) whether a tile may be placed."""
    walkable: Uint8_1D
    """(tile,) whether a tile is passable."""
    passable: Uint8_4D
    """(1, 1, row, column) passable cells."""
    counts: Int64_1D
    """(tile,) number of cells."""
    kept: Int64_1D
    """(tile,) required number of cells, or -1."""
    unseen: Uint8_2D
    """Whether the window around a cell does not occur in the original map."""
    known: Uint64_1D
    """(slot,) keys of the windows of the original map, or EMPTY."""
    multipliers: Uint64_1D
    """(cell of the window,) multiplier of the tile in the key."""
    edits: Int64_2D
    """(edit, 2) place and previous tile of the cells of the current move."""
    state: CanvasState


@inline
def read_tile(canvas: EditCanvas, place: int) -> int:
    """Return the tile at a place; in the margin, the number of tiles."""
    width = canvas.cells.shape[1]
    return int(canvas.cells[place // width, place % width])


@part
def _refresh_windows(canvas: EditCanvas, place: int) -> None:
    """Look up the windows that contain a cell."""
    height, width = canvas.cells.shape
    row, column = place // width, place % width
    for near in range(max(1, row - 1), min(height - 2, row + 1) + 1):
        for at in range(max(1, column - 1), min(width - 2, column + 1) + 1):
            key = np.uint64(0)
            for cell in range(9):
                tile = canvas.cells[near - 1 + cell // 3, at - 1 + cell % 3]
                key += np.uint64(tile) * canvas.multipliers[cell]
            unseen = 0 if canvas.known[find_key(canvas.known, 0, canvas.known.size - 1, key)] == key else 1
            canvas.state.unseen += unseen - int(canvas.unseen[near, at])
            canvas.unseen[near, at] = unseen


@inline
def _write(canvas: EditCanvas, place: int, tile: int) -> None:
    """Change a tile and all numbers except the windows."""
    width = canvas.cells.shape[1]
    row, column = place // width, place % width
    old, was = int(canvas.cells[row, column]), int(canvas.original[row, column])
    canvas.cells[row, column] = tile
    canvas.counts[old] -= 1
    canvas.counts[tile] += 1
    canvas.state.changed += (1 if old == was else 0) - (1 if tile == was else 0)
    if canvas.walkable[old] != canvas.walkable[tile]:
        canvas.passable[0, 0, row - 1, column - 1] = canvas.walkable[tile]
        canvas.state.is_surveyed = 0


@inline
def begin_move(canvas: EditCanvas) -> None:
    """Begin a move. The previous move can no longer be undone."""
    canvas.state.edits = 0


@inline
def edit_cell(canvas: EditCanvas, place: int, tile: int) -> None:
    """Change a cell as part of the current move, if the cell is free and the tile is allowed."""
    width, state = canvas.cells.shape[1], canvas.state
    row, column = place // width, place % width
    if canvas.free[row, column] == 0 or canvas.cells[row, column] == tile or canvas.allowed[tile] == 0:
        return
    if state.edits == canvas.edits.shape[0]:
        return
    canvas.edits[state.edits, 0] = place
    canvas.edits[state.edits, 1] = canvas.cells[row, column]
    state.edits += 1
    _write(canvas, place, tile)


@part
def end_move(canvas: EditCanvas) -> None:
    """Look up the windows of the cells that the current move has changed."""
    for edit in range(canvas.state.edits):
        _refresh_windows(canvas, canvas.edits[edit, 0])


@kernel
def undo_move(canvas: EditCanvas) -> None:
    """Restore the cells of the current move."""
    for edit in range(canvas.state.edits - 1, -1, -1):
        _write(canvas, canvas.edits[edit, 0], canvas.edits[edit, 1])
    end_move(canvas)


@kernel
def load_cells(canvas: EditCanvas, cells: Uint16_2D) -> None:
    """Replace all free cells by those of another version of the map."""
    width = canvas.cells.shape[1]
    begin_move(canvas)
    for number in range(canvas.places.size):
        place = canvas.places[number]
        tile = int(cells[place // width, place % width])
        if tile != read_tile(canvas, place):
            _write(canvas, place, tile)
    for number in range(canvas.places.size):
        _refresh_windows(canvas, canvas.places[number])
