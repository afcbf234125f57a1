"""Solver of the ladder-and-gold game with digging: best-first search over holes, gold, and components of cells.

Gold that the player can collect and come back is collected at once, so a state is the component of the player, the gold
that is left, and the holes. States from which some gold cannot be reached even if all bricks both carry the player and
let it pass are left out.
"""

from __future__ import annotations

import numpy as np

from . import inline, kernel
from .heap import sift_down, sift_up
from .runner import (
    BRICK,
    DIG_LEFT,
    DOWN,
    ENEMY,
    EXIT,
    GOLD,
    LADDER,
    LEFT,
    ROPE,
    SOLVED,
    UNKNOWN,
    UNSOLVED,
    UP,
    WALL,
    RunnerBoard,
    append_walk,
    flood_steps,
    is_carried,
    is_solid,
    take_step,
)
from .states import double, double_rows, find_slot, rebuild_table
from .types import Int32_1D, Int64_1D, Uint8_1D

BITS = 30
"""Cells per word of a state."""
GOLD_WEIGHT = 8.0
"""Number of holes that count as much as one piece of gold in the order of the search."""


@kernel
def _find_component(board: RunnerBoard, player: int) -> int:
    """Queue the cells that the player can reach and come back from; return their number."""
    count = flood_steps(board, player, 0, board.cells.size)
    flood = board.floods[0]
    board.floods[0] += 1
    board.reached[player] = flood + 1
    board.queue[0] = player
    first, last = 0, 1
    while first < last:
        cell = board.queue[first]
        first += 1
        for direction in range(4):
            near = cell - board.shifts[direction]
            if count > 1 and board.reached[near] == flood and take_step(board, near, direction) == cell:
                board.reached[near] = flood + 1
                board.queue[last] = near
                last += 1
    return last


@inline
def _may_enter(board: RunnerBoard, cell: int) -> bool:
    """Return whether the player may enter a cell sometime: it is free, or a brick that can perhaps be dug away."""
    bits = board.cells[cell]
    if bits & (WALL | ENEMY):
        return False
    return not (bits & BRICK and not board.holes[cell] and board.cells[cell + board.shifts[UP]] & (WALL | LADDER))


@kernel
def _is_hopeless(board: RunnerBoard, player: int) -> bool:
    """Return whether some gold, or all exits, are out of reach even if each brick is both solid and open."""
    board.floods[0] += 1
    number = board.floods[0]
    board.reached[player] = number
    board.queue[0] = player
    first, last = 0, 1
    while first < last:
        cell = board.queue[first]
        first += 1
        carried = is_carried(board, cell)
        for direction in range(4):
            to = cell + board.shifts[direction]
            if board.reached[to] == number or not _may_enter(board, to):
                continue
            if direction == UP and not board.cells[cell] & LADDER:
                continue
            if direction == DOWN:
                holds = board.cells[cell] & (LADDER | ROPE) or board.cells[to] & LADDER or is_solid(board, to)
                if carried and not holds:
                    continue
            elif not carried:
                continue
            board.reached[to] = number
            board.queue[last] = to
            last += 1
    exits, exits_reached = 0, 0
    for cell in range(board.cells.size):
        if board.cells[cell] & GOLD and board.reached[cell] != number:
            return True
        if board.cells[cell] & EXIT:
            exits += 1
            exits_reached += board.reached[cell] == number
    return exits > 0 and exits_reached == 0


@inline
def _can_dig(board: RunnerBoard, cell: int, side: int) -> bool:
    """Return whether a player in a cell can dig the brick diagonally below."""
    beside = cell + board.shifts[side]
    below = beside + board.shifts[DOWN]
    is_brick = board.cells[below] & BRICK and not board.holes[below] and not board.cells[below] & WALL
    return bool(
        is_brick and not is_solid(board, beside) and not board.cells[beside] & LADDER and is_carried(board, cell)
    )


@kernel
def _load(board: RunnerBoard, state: Int32_1D, places: Int32_1D, gold: int) -> None:
    """Set the gold and the holes of the board to those of a state. `places` are the cells of gold, then of bricks."""
    for number in range(places.size):
        is_set = state[1 + number // BITS] >> (number % BITS) & 1
        if number >= gold:
            board.holes[places[number]] = is_set
        elif is_set:
            board.cells[places[number]] |= GOLD
        else:
            board.cells[places[number]] &= ~np.uint8(GOLD)


@kernel
def _settle(board: RunnerBoard, player: int, places: Int32_1D, gold: int, visited: Uint8_1D, state: Int32_1D) -> float:
    """Collect the gold of the player's component, and write the state of the board.

    Return its order in the queue; -1 if the game is won, and infinity if it cannot be won.
    """
    count = _find_component(board, player)
    first, has_exit = player, False
    for number in range(count):
        cell = board.queue[number]
        first = min(first, cell)
        visited[cell] = 1
        board.cells[cell] &= ~np.uint8(GOLD)
        has_exit |= board.cells[cell] & EXIT > 0
    state[:] = 0
    state[0] = first
    left, holes, exits = 0, 0, 0
    for number in range(places.size):
        cell = places[number]
        is_set = board.cells[cell] & GOLD > 0 if number < gold else board.holes[cell] > 0
        if is_set:
            state[1 + number // BITS] |= 1 << (number % BITS)
            left += number < gold
            holes += number >= gold
    if left == 0:
        for cell in range(board.cells.size):
            exits += board.cells[cell] & EXIT > 0
        if exits == 0 or has_exit:
            return -1.0
    return np.inf if _is_hopeless(board, player) else GOLD_WEIGHT * left + holes


@kernel
def _list_actions(board: RunnerBoard, player: int, actions: Int32_1D) -> int:
    """Write the steps out of the player's component and the digs within it: 8 times the cell, plus the move."""
    members, count = _find_component(board, player), 0
    flood = board.floods[0]
    for number in range(members):
        cell = board.queue[number]
        for move in range(6):
            if move >= DIG_LEFT:
                is_possible = _can_dig(board, cell, move - DIG_LEFT + LEFT)
            else:
                to = take_step(board, cell, move)
                is_possible = to >= 0 and board.reached[to] != flood
            if is_possible:
                actions[count] = 8 * cell + move
                count += 1
    return count


@kernel
def _act(board: RunnerBoard, action: int) -> int:
    """Dig or step, and return the cell of the player."""
    cell, move = action >> 3, action & 7
    if move < DIG_LEFT:
        return take_step(board, cell, move)
    board.holes[cell + board.shifts[move - DIG_LEFT + LEFT] + board.shifts[DOWN]] = 1
    return cell


@kernel
def _walk_to(board: RunnerBoard, player: int, to: int, moves: Int32_1D, count: int) -> tuple[Int32_1D, int]:
    """Append a shortest walk to a cell."""
    flood_steps(board, player, 0, board.cells.size)
    return append_walk(board, to, player, moves, count)


@kernel
def _write_moves(board: RunnerBoard, player: int, actions: Int32_1D, parents: Int32_1D, last: int) -> Int32_1D:
    """Return all moves that lead to a state: walks to the gold of each component, steps and digs."""
    length, state = 0, last
    while state >= 0:
        length += 1
        state = parents[state]
    chain, state = np.empty(length, dtype=np.int32), last
    for number in range(length - 1, -1, -1):
        chain[number] = actions[state]
        state = parents[state]
    moves, count = np.empty(256, dtype=np.int32), 0
    for number in range(length):
        if number > 0:
            action = chain[number]
            moves, count = _walk_to(board, player, action >> 3, moves, count)
            if count == moves.size:
                moves = double(moves)
            moves[count] = action & 7
            count += 1
            player = _act(board, action)
            board.cells[player] &= ~np.uint8(GOLD)
        members = _find_component(board, player)
        golden = board.queue[:members].copy()
        for cell in golden:
            if board.cells[cell] & GOLD:
                moves, count = _walk_to(board, player, cell, moves, count)
                player = cell
    if not board.cells[player] & EXIT:
        to = flood_steps(board, player, EXIT, board.cells.size)
        if to < 0:
            moves, count = append_walk(board, -to, player, moves, count)
    return moves[:count].copy()


@kernel("int32[::1](RunnerBoard, int64, int32[::1], int64, uint8[::1], int64, int64[::1])")
def dig_for_gold(
    board: RunnerBoard, start: int, places: Int32_1D, gold: int, visited: Uint8_1D, limit: int, result: Int64_1D
) -> Int32_1D:
    """Return moves with digging that collect all gold and end at an exit, if there is one.

    Parameters
    ----------
    board
        The level without holes. Gold at the start counts as collected.
    start
        Cell of the player.
    places
        Cells of the gold, and then of the bricks.
    gold
        Number of the cells with gold.
    visited
        Set to 1 for the cells that the player reaches in examined states.
    limit
        Maximum number of states to examine.
    result
        Receives SOLVED, UNSOLVED or UNKNOWN, and the number of examined states.
    """
    width = 2 + places.size // BITS
    states, count = np.empty((256, width), dtype=np.int32), 1
    parents, actions = np.empty(256, dtype=np.int32), np.empty(256, dtype=np.int32)
    players = np.empty(256, dtype=np.int32)
    keys, queued, waiting = np.empty(256, dtype=np.float64), np.empty(256, dtype=np.int64), 0
    options = np.empty(6 * board.cells.size, dtype=np.int32)
    root = np.zeros(width, dtype=np.int32)
    for number in range(gold):
        root[1 + number // BITS] |= 1 << (number % BITS)
    _load(board, root, places, gold)
    board.cells[start] &= ~np.uint8(GOLD)
    for number in range(gold):
        if places[number] == start:
            root[1 + number // BITS] &= ~(1 << (number % BITS))
    parents[0], actions[0], players[0] = -1, 0, start
    order = _settle(board, start, places, gold, visited, states[0])
    table = rebuild_table(states, count)
    result[0], result[1], won = UNSOLVED, 1, -1
    if order < 0:
        won = 0
    elif order < np.inf:
        keys[0], queued[0], waiting = order, 0, 1
    while waiting > 0 and won < 0:
        number = queued[0]
        waiting -= 1
        sift_down(keys, queued, waiting)
        _load(board, states[number], places, gold)
        for option in range(_list_actions(board, players[number], options)):
            if result[1] >= limit:
                result[0] = UNKNOWN
                return actions[:0].copy()
            result[1] += 1
            if count == states.shape[0]:
                states = double_rows(states)
                table = rebuild_table(states, count)
                parents, actions, players = double(parents), double(actions), double(players)
            _load(board, states[number], places, gold)
            player = _act(board, options[option])
            order = _settle(board, player, places, gold, visited, states[count])
            slot = find_slot(table, states, states[count])
            if table[slot] >= 0:
                continue
            table[slot] = count
            parents[count], actions[count], players[count] = number, options[option], player
            count += 1
            if order < 0:
                won = count - 1
                break
            if order < np.inf:
                if waiting == keys.size:
                    keys, queued = np.append(keys, keys), np.append(queued, queued)
                keys[waiting], queued[waiting] = order, count - 1
                sift_up(keys, queued, waiting)
                waiting += 1
    if won < 0:
        return actions[:0].copy()
    result[0] = SOLVED
    _load(board, root, places, gold)
    return _write_moves(board, start, actions, parents, won)
