"""Search for a map that reaches goals, by small changes of the map.

A move flips a cell, swaps two cells, changes a strip (a part of a row or column) or stamps a block of the original map.
The style of the map is the number of its 3x3 windows that do not occur in the original map. Moves that make the style
worse are less likely to be kept. When the goals are reached, `polish` undoes changes that were not needed and repairs
windows.
"""

from __future__ import annotations

from typing import NamedTuple

from . import inline, kernel, part
from .canvas import EditCanvas, begin_move, edit_cell, end_move, read_tile, undo_move
from .goals import Goals, find_distance
from .random import below, random
from .types import Float64_1D, Record, Uint16_2D, Uint64_1D

FLIP, SWAP, RUN, STRIP, STAMP = range(5)
"""Kinds of moves, in the order of `ImprovementSettings.chances`."""
MAX_RUN, MAX_STRIP, MAX_STAMP = 12, 5, 5
"""Maximum lengths of strips, and maximum edge length of stamps."""
NEARBY = 3
"""Distance to the last kept move, or to an end of the route, within which places are drawn."""
BETTER_SLACK = 3.0
"""Factor of the tolerance for moves that lead nearer to the goals."""
REVERTS = 3
"""Number of squares around a cell in which polishing undoes changes, with edge lengths of 5, 3 and 1."""
SWAPS = 16
"""Number of cells with which polishing tries to swap a cell of an unseen window."""


class ImprovementState(Record):
    """State of a search."""

    distance: float
    """Distance of the map from the goals."""
    best: float
    """Distance of the best map."""
    done: int
    """Number of moves that were tried."""
    cursor: int
    """Number of free cells that the current pass of polishing has done."""
    turn: int
    """Number of repairs that were tried at the current cell."""
    repairs: int
    """Number of repairs that the current pass has kept."""


class ImprovementSettings(NamedTuple):
    """Settings of a search."""

    chances: Float64_1D
    """(kind of move,) probabilities."""
    quantiles: Float64_1D
    """Quantiles of the exponential distribution with mean 1."""
    tolerance: float
    """Mean increase of the style that is accepted."""
    temperature: float
    """Mean increase of the distance that is accepted at the first move; it falls to 0 at the last."""
    weight: float
    """Number of changed cells that polishing accepts for one window of the original map."""
    symmetry: int
    """Views of the blocks that are stamped: 1 as they are, 2 also mirrored left to right, 8 also rotated."""
    steps: int
    """Maximum number of moves."""
    is_endless: bool
    """Whether to continue until the last move, for goals without an end."""


@inline
def _draw_place(canvas: EditCanvas, goals: Goals, stream: Uint64_1D) -> int:
    """Return the place of a free cell: any, or one near the last kept move or near an end of the route."""
    place, near = int(canvas.places[below(stream, canvas.places.size)]), below(stream, 8)
    if near < 4:
        return place
    height, width = canvas.cells.shape
    row, column = below(stream, 2 * NEARBY + 1) - NEARBY, below(stream, 2 * NEARBY + 1) - NEARBY
    if near < 6:
        row += canvas.state.anchor // width
        column += canvas.state.anchor % width
    else:
        cell = goals.routes[0, near - 6]
        row += cell // (width - 2) + 1
        column += cell % (width - 2) + 1
    is_inside = 1 <= row <= height - 2 and 1 <= column <= width - 2
    return int(row * width + column) if is_inside and canvas.free[row, column] else place


@inline
def _draw_tile(canvas: EditCanvas, stream: Uint64_1D, old: int) -> int:
    """Return an allowed tile other than `old`."""
    last = canvas.tiles.size - 1
    tile = canvas.tiles[below(stream, last)]
    return int(canvas.tiles[last] if tile == old else tile)


@inline
def _find_run_end(canvas: EditCanvas, place: int, shift: int) -> int:
    """Return the last cell of a run of cells that are all passable or all impassable, or -1 if it is too long."""
    outside = canvas.walkable.size
    kind = canvas.walkable[read_tile(canvas, place)]
    for _ in range(MAX_RUN):
        tile = read_tile(canvas, place + shift)
        if tile == outside or canvas.walkable[tile] != kind:
            return place
        place += shift
    return -1


@part
def _change_run(canvas: EditCanvas, stream: Uint64_1D, place: int) -> None:
    """Change a run of passable or impassable cells between two cells of the other kind.

    This digs a tunnel between two areas, or builds a wall across an area.
    """
    outside = canvas.walkable.size
    shift = 1 if random(stream) < 0.5 else canvas.cells.shape[1]
    first, last = _find_run_end(canvas, place, -shift), _find_run_end(canvas, place, shift)
    if first < 0 or last < 0 or last - first >= MAX_RUN * shift:
        return
    before, after = read_tile(canvas, first - shift), read_tile(canvas, last + shift)
    is_at_edge = before == outside or after == outside
    if is_at_edge and (before == after or canvas.walkable[read_tile(canvas, place)] == 0):
        return
    tile = after if before == outside or (after != outside and random(stream) < 0.5) else before
    for at in range(first, last + 1, shift):
        edit_cell(canvas, at, tile)


@part
def _stamp(canvas: EditCanvas, stream: Uint64_1D, place: int, symmetry: int) -> None:
    """Copy a block of the original map, perhaps mirrored or rotated, to a place that contains the cell."""
    height, width = canvas.cells.shape[0] - 2, canvas.cells.shape[1] - 2
    rows, columns = 2 + below(stream, MAX_STAMP - 1), 2 + below(stream, MAX_STAMP - 1)
    flips_columns = symmetry > 1 and random(stream) < 0.5
    flips_rows = symmetry > 2 and random(stream) < 0.5
    turns = symmetry > 2 and random(stream) < 0.5
    from_rows, from_columns = (columns, rows) if turns else (rows, columns)
    if from_rows > height or from_columns > width:
        return
    from_row, from_column = 1 + below(stream, height - from_rows + 1), 1 + below(stream, width - from_columns + 1)
    top, left = place // (width + 2) - below(stream, rows), place % (width + 2) - below(stream, columns)
    for row in range(rows):
        for column in range(columns):
            if not (1 <= top + row <= height and 1 <= left + column <= width):
                continue
            down, across = (column, row) if turns else (row, column)
            down = from_rows - 1 - down if flips_rows else down
            across = from_columns - 1 - across if flips_columns else across
            tile = int(canvas.original[from_row + down, from_column + across])
            edit_cell(canvas, (top + row) * (width + 2) + left + column, tile)


@inline
def _swap(canvas: EditCanvas, place: int, other: int) -> None:
    """Swap two free cells."""
    tile, old = read_tile(canvas, other), read_tile(canvas, place)
    if tile != old:
        edit_cell(canvas, place, tile)
        edit_cell(canvas, other, old)


@part
def _move(canvas: EditCanvas, goals: Goals, settings: ImprovementSettings, stream: Uint64_1D) -> None:
    """Make a random move."""
    begin_move(canvas)
    kind, mark = FLIP, random(stream)
    while kind < STAMP and mark >= settings.chances[kind]:
        mark -= settings.chances[kind]
        kind += 1
    place = _draw_place(canvas, goals, stream)
    if kind == FLIP:
        edit_cell(canvas, place, _draw_tile(canvas, stream, read_tile(canvas, place)))
    elif kind == SWAP:
        _swap(canvas, place, _draw_place(canvas, goals, stream))
    elif kind == RUN:
        _change_run(canvas, stream, place)
    elif kind == STRIP:
        shift = 1 if random(stream) < 0.5 else canvas.cells.shape[1]
        tile = _draw_tile(canvas, stream, read_tile(canvas, place))
        for number in range(2 + below(stream, MAX_STRIP - 1)):
            if read_tile(canvas, place + number * shift) == canvas.walkable.size:
                break
            edit_cell(canvas, place + number * shift, tile)
    else:
        _stamp(canvas, stream, place, settings.symmetry)
    end_move(canvas)


@kernel
def propose(
    canvas: EditCanvas, goals: Goals, settings: ImprovementSettings, state: ImprovementState, stream: Uint64_1D
) -> float:
    """Make a random move. Return the distance of the map from the goals, or infinity if the move cannot be kept.

    A move that cannot be kept changes no cell, is outside of the limits, or makes the style too much worse.
    """
    state.done += 1
    style = canvas.state.unseen
    _move(canvas, goals, settings, stream)
    slack = settings.tolerance * settings.quantiles[below(stream, settings.quantiles.size)]
    if canvas.state.edits == 0 or canvas.state.unseen - style > BETTER_SLACK * slack:
        return float("inf")
    distance = find_distance(canvas, goals)
    if distance >= state.distance and canvas.state.unseen - style > slack:
        return float("inf")
    return distance


@kernel
def draw_rise(settings: ImprovementSettings, state: ImprovementState, stream: Uint64_1D) -> float:
    """Return the increase of the distance that is accepted now."""
    if settings.temperature == 0.0:
        return 0.0
    rest = 1.0 - state.done / settings.steps
    return settings.temperature * rest * float(settings.quantiles[below(stream, settings.quantiles.size)])


@kernel
def keep_move(canvas: EditCanvas, state: ImprovementState, distance: float, best: Uint16_2D) -> None:
    """Keep the current move, which leads to this distance, and copy the map if it is the best one."""
    state.distance = distance
    canvas.state.anchor = canvas.edits[0, 0]
    if distance < state.best:
        state.best = distance
        for row in range(best.shape[0]):
            for column in range(best.shape[1]):
                best[row, column] = canvas.cells[row, column]


@kernel
def search(
    canvas: EditCanvas,
    goals: Goals,
    settings: ImprovementSettings,
    state: ImprovementState,
    stream: Uint64_1D,
    best: Uint16_2D,
    end: int,
) -> None:
    """Try moves until the goals are reached, or `end` moves were tried. `best` is the best map so far."""
    while state.done < end and (settings.is_endless or state.distance > 0.0):
        distance = propose(canvas, goals, settings, state, stream)
        if distance <= state.distance + draw_rise(settings, state, stream):
            keep_move(canvas, state, distance, best)
        else:
            undo_move(canvas)


@kernel
def propose_repair(
    canvas: EditCanvas, settings: ImprovementSettings, state: ImprovementState, stream: Uint64_1D
) -> int:
    """Make the next move that undoes changes or repairs a window. Return 0 at the end of the pass over all cells.

    At each cell, changes around it are undone. If its window does not occur in the original map, each cell of the
    window is changed to each tile, and random cells of it are swapped with other cells.
    """
    height, width = canvas.cells.shape
    flips = REVERTS + 9 * canvas.tiles.size
    while state.cursor < canvas.places.size:
        if state.turn == flips + SWAPS:
            state.cursor += 1
            state.turn = 0
            continue
        place = canvas.places[state.cursor]
        row, column, turn = place // width, place % width, state.turn
        if turn < REVERTS and canvas.cells[row, column] == canvas.original[row, column]:
            state.turn = REVERTS
            continue
        if turn >= REVERTS and canvas.unseen[row, column] == 0:
            state.turn = flips + SWAPS
            continue
        state.turn += 1
        unseen, changed = canvas.state.unseen, canvas.state.changed
        begin_move(canvas)
        if turn < REVERTS:
            reach = REVERTS - 1 - turn
            for near in range(max(1, row - reach), min(height - 2, row + reach) + 1):
                for at in range(max(1, column - reach), min(width - 2, column + reach) + 1):
                    edit_cell(canvas, near * width + at, int(canvas.original[near, at]))
        else:
            cell = (turn - REVERTS) // canvas.tiles.size if turn < flips else below(stream, 9)
            row, column = row - 1 + cell // 3, column - 1 + cell % 3
            if canvas.free[row, column] == 0:
                continue
            if turn < flips:
                edit_cell(canvas, row * width + column, canvas.tiles[(turn - REVERTS) % canvas.tiles.size])
            else:
                _swap(canvas, row * width + column, canvas.places[below(stream, canvas.places.size)])
        end_move(canvas)
        gain = settings.weight * (unseen - canvas.state.unseen) + (changed - canvas.state.changed)
        if gain > 0.0 and canvas.state.edits > 0:
            return 1
        undo_move(canvas)
    return 0


@kernel
def polish(
    canvas: EditCanvas,
    goals: Goals,
    settings: ImprovementSettings,
    state: ImprovementState,
    stream: Uint64_1D,
    count: int,
) -> int:
    """Try repairs that do not lead away from the goals, at most `count`. Return 0 at the end of the pass."""
    for _ in range(count):
        if not propose_repair(canvas, settings, state, stream):
            return 0
        distance = find_distance(canvas, goals)
        if distance <= state.distance:
            state.distance = distance
            state.repairs += 1
        else:
            undo_move(canvas)
    return 1
