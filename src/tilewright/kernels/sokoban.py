"""Solver of box-pushing puzzles: A* over the crates and the player's region, with the fewest pushes.

The lower bound of the remaining pushes is the cheapest assignment of crates to targets, where a distance counts the
pushes on an empty board. It is infinite if crates are on squares from which no target can be reached, or if too few
targets are left for them. Crates that block each other for good are a deadlock, too.

Sources: Junghanns and Schaeffer, "Sokoban: enhancing general single-agent search methods using domain knowledge",
2001; Kuhn, "The Hungarian method for the assignment problem", 1955.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from . import inline, kernel, part
from .crates import CRATE, OPEN, CrateBoard, flood_region, move_crate, put_crates, remove_crates
from .heap import pop, push
from .states import SOLVED, UNKNOWN, UNSOLVED, double, find_slot, rebuild_table, trace_back
from .types import Int32_1D, Int32_2D, Int64_1D, Uint8_1D

FAR = 1 << 24
"""Distance of a cell from which a target cannot be reached."""
MAX_ASSIGNED = 24
"""Maximum number of targets of an exact assignment. With more, each crate takes its nearest target."""
MAX_STORED = 1 << 26
"""Maximum number of cells in the stored states."""
DEPTHS = 1 << 24
"""Factor of the total number of pushes in a key of the queue, which prefers states that are closer to the end."""


class PushTables(NamedTuple):
    """What the solver knows about a board."""

    distances: Int32_2D
    """Pushes of a crate from each cell to each target (target, cell) on an empty board."""
    nearest: Int32_1D
    """Pushes of a crate from each cell to the nearest target."""
    costs: Int64_1D
    """Scratch of an assignment: potentials of the crates and targets, and slacks."""
    assigned: Int32_1D
    """Scratch of an assignment: target of each crate, previous crate on a path, and marks."""
    frozen: Uint8_1D
    """Scratch: 1 for crates that may be unable to move."""


def make_tables(cells: int, targets: int, crates: int) -> PushTables:
    """Return tables to fill for a board of that many cells."""
    return PushTables(
        distances=np.empty((targets, cells), dtype=np.int32),
        nearest=np.empty(cells, dtype=np.int32),
        costs=np.zeros(2 * (crates + 1) + targets + 1, dtype=np.int64),
        assigned=np.zeros(3 * (crates + 1), dtype=np.int32),
        frozen=np.zeros(cells, dtype=np.uint8),
    )


@part
def _measure_distances(board: CrateBoard, targets: Int32_1D, tables: PushTables) -> None:
    """Pull a crate from each target to all cells that it can come from."""
    tables.distances[:] = FAR
    tables.nearest[:] = FAR
    for number in range(targets.size):
        distances = tables.distances[number]
        board.queue[0] = targets[number]
        distances[targets[number]] = 0
        start, end = 0, 1
        while start < end:
            cell = board.queue[start]
            start += 1
            tables.nearest[cell] = min(tables.nearest[cell], distances[cell])
            for direction in range(4):
                before = cell - board.shifts[direction]
                if (
                    board.cells[before] & OPEN
                    and distances[before] == FAR
                    and board.cells[before - board.shifts[direction]] & OPEN
                ):
                    distances[before] = distances[cell] + 1
                    board.queue[end] = before
                    end += 1


@part
def _assign_crates(tables: PushTables, state: Int32_1D) -> int:
    """Return the number of pushes of the cheapest assignment of crates to all targets; at least FAR if there is none.

    Rows are targets and columns are crates, both from 1: column 0 is the row that is being assigned.
    """
    crates, rows = state.size - 1, tables.distances.shape[0]
    width = crates + 1
    crate_costs, slacks = tables.costs[:width], tables.costs[width : 2 * width]
    target_costs = tables.costs[2 * width :]
    row_of, before, is_used = tables.assigned[:width], tables.assigned[width : 2 * width], tables.assigned[2 * width :]
    for column in range(width):
        crate_costs[column], row_of[column] = 0, 0
    target_costs[:] = 0
    for row in range(1, rows + 1):
        row_of[0] = row
        column = 0
        for other in range(width):
            slacks[other], is_used[other] = np.int64(1) << 50, 0
        while True:
            is_used[column] = 1
            current = row_of[column]
            step, following = np.int64(1) << 50, 0
            for other in range(1, width):
                if is_used[other]:
                    continue
                cost = tables.distances[current - 1, state[other - 1]] - target_costs[current] - crate_costs[other]
                if cost < slacks[other]:
                    slacks[other], before[other] = cost, column
                if slacks[other] < step:
                    step, following = slacks[other], other
            for other in range(width):
                if is_used[other]:
                    target_costs[row_of[other]] += step
                    crate_costs[other] -= step
                else:
                    slacks[other] -= step
            column = following
            if row_of[column] == 0:
                break
        while column != 0:
            row_of[column] = row_of[before[column]]
            column = before[column]
    return int(-crate_costs[0])


@part
def _add_nearest(tables: PushTables, state: Int32_1D) -> int:
    """Return the sum of the distances of as many crates as there are targets to their nearest targets."""
    slacks = tables.costs[: state.size - 1]
    for number in range(slacks.size):
        slacks[number] = tables.nearest[state[number]]
    slacks.sort()
    return int(slacks[: tables.distances.shape[0]].sum())


@inline
def _bound_pushes(tables: PushTables, state: Int32_1D) -> int:
    """Return a lower bound of the number of pushes that solve a state; at least FAR if none do."""
    if tables.distances.shape[0] <= MAX_ASSIGNED:
        return _assign_crates(tables, state)
    return _add_nearest(tables, state)


@inline
def _is_blocked(board: CrateBoard, tables: PushTables, cell: int, is_exact: bool) -> bool:
    """Return whether a crate cannot move along any axis, because of walls, frozen crates, or lost squares."""
    for axis in (1, 3):
        before, behind = cell - board.shifts[axis], cell + board.shifts[axis]
        one, other = board.cells[before], board.cells[behind]
        if not (one & OPEN and other & OPEN):
            continue
        if (one & CRATE and tables.frozen[before]) or (other & CRATE and tables.frozen[behind]):
            continue
        if not (is_exact and tables.nearest[before] == FAR and tables.nearest[behind] == FAR):
            return False
    return True


@part
def _is_deadlock(board: CrateBoard, tables: PushTables, state: Int32_1D, pushed: int) -> bool:
    """Return whether too few crates can still move or are on targets. The crates of the state are on the board."""
    crates, targets = state.size - 1, tables.distances.shape[0]
    is_exact = crates == targets
    for number in range(crates):
        tables.frozen[state[number]] = 1
    if not _is_blocked(board, tables, pushed, is_exact):
        return False
    has_changed = True
    while has_changed:
        has_changed = False
        for number in range(crates):
            cell = state[number]
            if tables.frozen[cell] and not _is_blocked(board, tables, cell, is_exact):
                tables.frozen[cell] = 0
                has_changed = True
    lost = 0
    for number in range(crates):
        if tables.frozen[state[number]] and tables.nearest[state[number]] > 0:
            lost += 1
    return bool(crates - lost < targets)


@part
def _walk(board: CrateBoard, player: int, to: int, moves: Int32_1D, count: int) -> tuple[Int32_1D, int]:
    """Append the directions of a shortest walk to the moves."""
    flood_region(board, to)
    steps = np.zeros(board.cells.size, dtype=np.int32)
    for number in range(1, board.floods[1]):
        cell = board.queue[number]
        best = FAR
        for direction in range(4):
            near = cell + board.shifts[direction]
            if board.reached[near] == board.floods[0] and (near == to or steps[near] > 0):
                best = min(best, steps[near])
        steps[cell] = best + 1
    while player != to:
        for direction in range(4):
            near = player + board.shifts[direction]
            if board.reached[near] == board.floods[0] and steps[near] == steps[player] - 1:
                player = near
                break
        if count == moves.size:
            moves = double(moves)
        moves[count] = direction
        count += 1
    return moves, count


@kernel
def add_walks(board: CrateBoard, state: Int32_1D, player: int, pushes: Int32_1D) -> Int32_1D:
    """Return the directions of all moves: shortest walks between the pushes of `find_pushes`, and the pushes.

    `state` holds the crates before the first push. The board has no crates before and after.
    """
    state = state.copy()
    moves, count = np.empty(64, dtype=np.int32), 0
    put_crates(board, state)
    for moved in pushes:
        cell, direction = moved >> 2, moved & 3
        shift = board.shifts[direction]
        moves, count = _walk(board, player, cell - shift, moves, count)
        if count == moves.size:
            moves = double(moves)
        moves[count] = direction
        count += 1
        board.cells[cell] &= OPEN
        board.cells[cell + shift] |= CRATE
        for number in range(state.size - 1):
            if state[number] == cell:
                state[number] = cell + shift
        player = cell
    remove_crates(board, state)
    return moves[:count].copy()


@part
def _list_pushes(board: CrateBoard, state: Int32_1D, options: Int32_1D) -> int:
    """Write the pushes that are possible after a flood of the player's region, and return their number."""
    count = 0
    for number in range(state.size - 1):
        if not board.cells[state[number]] & OPEN:
            continue
        for direction in range(4):
            shift = board.shifts[direction]
            is_beside = board.reached[state[number] - shift] == board.floods[0]
            if is_beside and board.cells[state[number] + shift] == OPEN:
                options[count] = 4 * state[number] + direction
                count += 1
    return count


@part
def _push(board: CrateBoard, tables: PushTables, state: Int32_1D, crate: int, to: int, child: Int32_1D) -> bool:
    """Write the state after a push; return False if it is a deadlock. The crates of the state are on the board."""
    child[:] = state
    for number in range(state.size - 1):
        if state[number] == crate:
            move_crate(child, number, to)
    board.cells[crate] &= OPEN
    board.cells[to] |= CRATE
    is_deadlock = _is_deadlock(board, tables, child, to)
    if not is_deadlock:
        child[child.size - 1] = flood_region(board, crate)
    board.cells[crate] |= CRATE
    board.cells[to] &= OPEN
    return not is_deadlock


@kernel
def find_pushes(
    board: CrateBoard, targets: Int32_1D, first: Int32_1D, player: int, tables: PushTables, visited: Uint8_1D,
    limit: int, result: Int64_1D,
) -> Int32_1D:  # fmt: skip
    """Return a solution with the fewest pushes, as `add_walks` reads it.

    Parameters
    ----------
    board
        The board without crates.
    targets
        Cells of the targets.
    first
        Cells of the crates, in ascending order, followed by one entry of any value.
    player
        Cell of the player.
    tables
        Tables to fill.
    visited
        Set to 1 for the cells that the player reaches in a state that the search examines.
    limit
        Maximum number of states to store.
    result
        Receives SOLVED, UNSOLVED or UNKNOWN, and the number of examined states.
    """
    width = first.size
    limit = min(limit, max(1, MAX_STORED // width))
    states, count = np.empty((1024, width), dtype=np.int32), 1
    parents, pushes = np.empty(1024, dtype=np.int32), np.empty(1024, dtype=np.int32)
    depths, bounds = np.empty(1024, dtype=np.int32), np.empty(1024, dtype=np.int32)
    keys, queued, waiting = np.empty(1024, dtype=np.float64), np.empty(1024, dtype=np.int64), 1
    options = np.empty(4 * width, dtype=np.int32)
    _measure_distances(board, targets, tables)
    states[0] = first
    put_crates(board, first)
    states[0, width - 1] = flood_region(board, player)
    remove_crates(board, first)
    parents[0], pushes[0], depths[0] = -1, 0, 0
    bounds[0] = _bound_pushes(tables, states[0])
    keys[0], queued[0] = float(bounds[0]) * DEPTHS, 0
    table = rebuild_table(states, count)
    result[0], result[1] = UNSOLVED, 0
    while waiting > 0:
        key, number = keys[0], queued[0]
        waiting = pop(keys, queued, waiting)
        if key != float(depths[number] + bounds[number]) * DEPTHS - depths[number]:
            continue  # reached with fewer pushes since it was queued
        result[1] += 1
        state = states[number].copy()
        put_crates(board, state)
        flood_region(board, state[width - 1])
        for place in range(board.floods[1]):
            visited[board.queue[place]] = 1
        if bounds[number] == 0 or bounds[number] >= FAR:
            remove_crates(board, state)
            if bounds[number] == 0:
                result[0] = SOLVED
                return trace_back(parents, pushes, number)
            continue
        for option in range(_list_pushes(board, state, options)):
            crate, direction = options[option] >> 2, options[option] & 3
            to = crate + board.shifts[direction]
            if width - 1 == targets.size and tables.nearest[to] == FAR:
                continue
            if count == states.shape[0]:
                states = double(states)
                table = rebuild_table(states, count)
                parents, pushes, depths, bounds = double(parents), double(pushes), double(depths), double(bounds)
            child = states[count]
            if not _push(board, tables, state, crate, to, child):
                continue
            slot = find_slot(table, states, child)
            found = table[slot]
            depth = depths[number] + 1
            if found < 0:
                bound = _bound_pushes(tables, child)
                if bound >= FAR:
                    continue
                if count >= limit:
                    remove_crates(board, state)
                    result[0] = UNKNOWN
                    return trace_back(parents, pushes, 0)
                found = count
                table[slot] = found
                bounds[found] = bound
                count += 1
            elif depths[found] <= depth:
                continue
            parents[found], pushes[found], depths[found] = number, 4 * crate + direction, depth
            if waiting == keys.size:
                keys, queued = double(keys), double(queued)
            waiting = push(keys, queued, waiting, float(depth + bounds[found]) * DEPTHS - depth, found)
        remove_crates(board, state)
    return trace_back(parents, pushes, 0)
