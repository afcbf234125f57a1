"""Solver of the ladder-and-gold game with digging: best-first search over holes, gold, and components of cells.

Gold that the player can collect and come back is collected at once, so a state is the component of the player, the gold
that is left, and the holes that the player can still come near. States from which one walk cannot collect all gold even
if each brick both carries the player and lets it pass are left out. Holes that lead to another place are tried before
all others.
"""

from __future__ import annotations

import numpy as np

from . import inline, kernel, part
from .heap import pop, push, sift_down
from .runner import (
    BRICK,
    COMPONENT,
    DIG_LEFT,
    DIG_RIGHT,
    DOWN,
    ENEMY,
    GAIN,
    GOLD,
    HOPES,
    LADDER,
    LEFT,
    ROPE,
    SOLVED,
    STACK,
    STEPS,
    TRIED,
    UNKNOWN,
    UNSOLVED,
    WALL,
    RunnerBoard,
    append_walk,
    collect_components,
    find_components,
    finish_walk,
    flood_steps,
    forget_components,
    has_exits,
    is_carried,
    is_solid,
    set_hole,
)
from .states import double, double_rows, find_slot, rebuild_table, trace_back
from .types import Int32_1D, Int64_1D, Uint8_1D

BITS = 30
"""Cells per word of a state."""
DELAY = 16.0
"""How much later the search tries the other holes of a state; see `_list_actions`."""


@part
def _load(board: RunnerBoard, state: Int32_1D, places: Int32_1D, gold: int) -> None:
    """Set the gold and the holes of the board to those of a state. `places` are the cells of gold, then of bricks."""
    cells, holes = board.cells, board.holes
    for number in range(places.size):
        is_set = state[1 + number // BITS] >> (number % BITS) & 1
        if number >= gold:
            if holes[places[number]] != is_set:
                set_hole(board, places[number], is_set)
        elif is_set:
            cells[places[number]] |= GOLD
        else:
            cells[places[number]] &= ~np.uint8(GOLD)


@inline
def _is_near(components: Int32_1D, shifts: Int64_1D, cell: int) -> bool:
    """Return whether the last search for components reached a cell or one of its neighbors."""
    for direction in range(4):
        if components[cell + shifts[direction]] >= 0:
            return True
    return bool(components[cell] >= 0)


@part
def _settle(
    board: RunnerBoard, player: int, places: Int32_1D, gold: int, has_exit: bool, visited: Uint8_1D, state: Int32_1D
) -> float:
    """Collect the gold of the player's component, and write the state of the board.

    Return its order in the queue, the number of holes plus that of the pieces of gold that one walk without more holes
    leaves; -1 if it leaves none, and infinity if the game cannot be won.
    """
    cells, holes, graph = board.cells, board.holes, board.graph
    left, dug, first = 0, 0, player
    for number in range(gold):
        left += cells[places[number]] & GOLD > 0
    forget_components(board)
    find_components(board, player, HOPES, 0, has_exit)
    if graph[GAIN, player] < left:
        return np.inf
    state[:] = 0
    for number in range(gold, places.size):
        if holes[places[number]]:
            dug += 1
            if _is_near(graph[COMPONENT], board.shifts, places[number]):
                state[1 + number // BITS] |= 1 << (number % BITS)
    forget_components(board)
    members = find_components(board, player, STEPS, 0, has_exit)
    missing = left - max(graph[GAIN, player], -1)
    for number in range(members):
        cell = graph[STACK, number]
        first = min(first, cell)
        visited[cell] = 1
        cells[cell] &= ~np.uint8(GOLD)
    state[0] = first
    for number in range(gold):
        if cells[places[number]] & GOLD:
            state[1 + number // BITS] |= 1 << (number % BITS)
    return missing + dug if missing > 0 else -1.0


@part
def _fall(board: RunnerBoard, player: int) -> int:
    """Return the cell where a player in a cell stops falling; take the gold on the way."""
    cells, holes, shifts = board.cells, board.holes, board.shifts
    cells[player] &= ~np.uint8(GOLD)
    while not is_carried(cells, holes, player, player + shifts[DOWN]) and board.steps[player] >> DOWN & 1:
        player += shifts[DOWN]
        cells[player] &= ~np.uint8(GOLD)
    return player


@part
def _act(board: RunnerBoard, action: int) -> int:
    """Dig or step, and return the cell of the player."""
    cell, move = action >> 3, action & 7
    if move < DIG_LEFT:
        return _fall(board, cell + board.shifts[move])
    set_hole(board, cell + board.shifts[move - DIG_LEFT + LEFT] + board.shifts[DOWN], 1)
    return cell


@part
def _list_actions(board: RunnerBoard, player: int, is_late: bool, actions: Int32_1D) -> int:
    """Write the steps out of the player's component and the digs within it: 8 times the cell, plus the move.

    The steps are one to each component where the player stops falling. The digs are those that let it fall to gold or
    to a component that it cannot reach otherwise; one to each, besides those next to a ladder or a rope, through which
    it can come back later. If `is_late`, write all other digs instead.
    """
    forget_components(board)
    members, count = find_components(board, player, STEPS, 0, False), 0
    cells, holes, steps, queue, shifts = board.cells, board.holes, board.steps, board.queue, board.shifts
    components, tried = board.graph[COMPONENT], board.graph[TRIED]
    own, down = components[player], shifts[DOWN]
    known = own + 1
    queue[:members] = board.graph[STACK, :members]
    tried[:] = 0
    for number in range(members):
        cell = queue[number]
        for move in range(4):
            to = cell + shifts[move]
            if is_late or not steps[cell] >> move & 1 or components[to] == own:
                continue
            has_gold = cells[to] & GOLD > 0
            while not is_carried(cells, holes, to, to + down) and steps[to] >> DOWN & 1:
                to += down
                has_gold |= cells[to] & GOLD > 0
            if has_gold or not tried[components[to]]:
                tried[components[to]] |= not has_gold
                actions[count] = 8 * cell + move
                count += 1
        if not is_carried(cells, holes, cell, cell + down):
            continue
        for move in range(DIG_LEFT, DIG_RIGHT + 1):
            beside = cell + shifts[move - DIG_LEFT + LEFT]
            to = beside + down
            if not cells[to] & BRICK or is_solid(cells, holes, beside) or cells[beside] & LADDER:
                continue
            if holes[to] or cells[to] & WALL:
                continue
            is_chosen = not (cells[beside] | cells[to]) & ENEMY
            is_gate = (cells[to - 1] | cells[to + 1]) & (LADDER | ROPE) > 0
            has_gold = cells[to] & GOLD > 0
            while is_chosen and not is_carried(cells, holes, to, to + down):
                to += down
                is_chosen = not cells[to] & ENEMY
                has_gold |= cells[to] & GOLD > 0 and not 0 <= components[to] <= own
            if is_chosen and not has_gold:
                if components[to] < 0:
                    find_components(board, to, STEPS, known, False)
                    known = components[to] + 1
                is_chosen = components[to] > own and (is_gate or not tried[components[to]])
                if is_chosen:
                    tried[components[to]] = 1
            if is_chosen != is_late:
                actions[count] = 8 * cell + move
                count += 1
    return count


@part
def _write_moves(board: RunnerBoard, player: int, actions: Int32_1D, parents: Int32_1D, last: int) -> Int32_1D:
    """Return all moves that lead to a state and from there to the end of the game."""
    chain = trace_back(parents, actions, last)
    moves, count = np.empty(256, dtype=np.int32), 0
    for action in chain:
        cell, move = action >> 3, action & 7
        moves, count, player = collect_components(board, player, True, moves, count)
        flood_steps(board, player, 0, board.cells.size)
        moves, count = append_walk(board, cell, player, moves, count)
        player = _act(board, action)
        falls = 0 if move >= DIG_LEFT else (player - cell - board.shifts[move]) // board.shifts[DOWN]
        while count + 1 + falls > moves.size:
            moves = double(moves)
        moves[count] = move
        moves[count + 1 : count + 1 + falls] = DOWN
        count += 1 + falls
    return finish_walk(board, player, moves, count)


@kernel
def dig_for_gold(
    board: RunnerBoard, start: int, places: Int32_1D, gold: int, visited: Uint8_1D, limit: int, result: Int64_1D
) -> Int32_1D:
    """Return moves with digging that collect all gold and end at an exit, if there is one.

    Parameters
    ----------
    board
        The level without holes and without gold at the start, as `collect_gold` leaves it if it finds no solution.
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
    states, count, has_exit = np.empty((256, width), dtype=np.int32), 1, has_exits(board)
    parents, actions = np.empty(256, dtype=np.int32), np.empty(256, dtype=np.int32)
    players = np.empty(256, dtype=np.int32)
    keys, queued, waiting = np.empty(256, dtype=np.float64), np.empty(256, dtype=np.int64), 0
    options = np.empty(6 * board.cells.size, dtype=np.int32)
    root = np.zeros(width, dtype=np.int32)
    for number in range(gold):
        if places[number] != start:
            root[1 + number // BITS] |= 1 << (number % BITS)
    parents[0], actions[0], players[0] = -1, 0, start
    order = _settle(board, start, places, gold, has_exit, visited, states[0])
    table = rebuild_table(states, count)
    result[0], result[1], won = UNSOLVED, 1, -1
    if order < np.inf:
        keys[0], queued[0], waiting = order, 0, 1
    while waiting > 0 and won < 0:
        order, number, is_late = keys[0], queued[0] >> 1, queued[0] & 1 > 0
        if is_late:
            waiting = pop(keys, queued, waiting)
        else:
            keys[waiting], queued[waiting] = order + DELAY, 2 * number + 1
            sift_down(keys, queued, waiting)
        _load(board, states[number], places, gold)
        for option in range(_list_actions(board, players[number], is_late, options)):
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
            order = _settle(board, player, places, gold, has_exit, visited, states[count])
            if order == np.inf:
                continue
            slot = find_slot(table, states, states[count])
            if table[slot] >= 0:
                continue
            table[slot] = count
            parents[count], actions[count], players[count] = number, options[option], player
            count += 1
            if order < 0:
                won = count - 1
                break
            if waiting + 1 >= keys.size:
                keys, queued = np.append(keys, keys), np.append(queued, queued)
            waiting = push(keys, queued, waiting, order, 2 * (count - 1))
    if won < 0:
        return actions[:0].copy()
    result[0] = SOLVED
    _load(board, root, places, gold)
    return _write_moves(board, start, actions, parents, won)
