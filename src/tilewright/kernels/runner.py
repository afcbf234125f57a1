"""Solvers of the ladder-and-gold game without and with digging, by the components of the graph of cells.

Cells that can be reached from each other form components, and the moves between components have no cycles. Without
digging, one walk can collect all gold if and only if each component with gold leads to the next one in topological
order, so the answer is exact.

With digging, a best-first search examines holes, gold, and components. Gold that the player can collect and come back
is collected at once, so a state is the component of the player, the gold that is left, and the holes that the player
can still come near. States from which one walk cannot collect all gold even if each brick both carries the player and
lets it pass are left out. Holes that lead to another place are tried before all others.

Source: Tarjan, "Depth-first search and linear graph algorithms", 1972.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import inline, kernel, part
from .heap import pop, push, sift_down
from .states import SOLVED, UNKNOWN, UNSOLVED, double, find_slot, rebuild_table, trace_back
from .types import Int32_1D, Int32_2D, Int64_1D, Uint8_1D

WALL, BRICK, LADDER, ROPE, ENEMY, GOLD, EXIT, MARGIN = 1, 2, 4, 8, 16, 32, 64, 128
"""Bits of a cell. The margin of the board is WALL and MARGIN."""
LEFT, RIGHT, UP, DOWN, DIG_LEFT, DIG_RIGHT = range(6)
STEPS, HOPES = 0, 4
"""Place in `RunnerBoard.steps` of the steps that are possible, and of those that may become possible by digging."""
ORDER, LOW, GAIN, COMPONENT, STACK, PATH, LEFT_STEPS, TRIED = range(8)
"""Rows of `RunnerBoard.graph`."""
NO_EXIT = -(1 << 24)


class RunnerBoard(NamedTuple):
    """A level, flattened within a margin of walls."""

    cells: Uint8_1D
    holes: Uint8_1D
    """1 for bricks that were dug away."""
    steps: Uint8_1D
    """Directions in which the player can leave each cell: one bit each, see STEPS and HOPES."""
    shifts: Int64_1D
    """Shifts to the left, right, upper and lower neighbor, and 1 if ladders can be entered from above."""
    reached: Int32_1D
    """Number of the last flood that reached each cell."""
    queue: Int32_1D
    """Cells in the order in which the last flood reached them."""
    came: Uint8_1D
    """Direction in which the last flood came to each cell."""
    floods: Int64_1D
    """[number of the last flood]"""
    graph: Int32_2D
    """Rows of the search for components: COMPONENT is the number of each cell's component, -1 if it was not reached,
    and GAIN the most gold that one walk from there collects."""


def make_board(cells: NDArray[np.uint8], *, enter_ladders: bool) -> RunnerBoard:
    """Return a level for the solvers."""
    padded = np.pad(cells, 1, constant_values=WALL | MARGIN)
    size, width = padded.size, padded.shape[1]
    return RunnerBoard(
        cells=padded.reshape(-1),
        holes=np.zeros(size, dtype=np.uint8),
        steps=np.zeros(size, dtype=np.uint8),
        shifts=np.array([-1, 1, -width, width, enter_ladders], dtype=np.int64),
        reached=np.zeros(size, dtype=np.int32),
        queue=np.empty(size, dtype=np.int32),
        came=np.empty(size, dtype=np.uint8),
        floods=np.zeros(1, dtype=np.int64),
        graph=np.empty((8, size), dtype=np.int32),
    )


@inline
def is_solid(cells: Uint8_1D, holes: Uint8_1D, cell: int) -> bool:
    """Return whether a cell blocks and carries the player."""
    return bool(cells[cell] & WALL or (cells[cell] & BRICK and not holes[cell]))


@inline
def is_carried(cells: Uint8_1D, holes: Uint8_1D, cell: int, below: int) -> bool:
    """Return whether a player in a cell does not fall into the cell below it."""
    return bool(cells[cell] & (LADDER | ROPE) or cells[below] & LADDER or is_solid(cells, holes, below))


@part
def update_steps(board: RunnerBoard, cell: int) -> None:
    """Write the steps out of a cell: those that are possible, and those that digging may make possible.

    For the latter, each brick that can perhaps be dug away both carries the player and lets it pass.
    """
    cells, holes, shifts = board.cells, board.holes, board.shifts
    bits, steps = cells[cell], 0
    if bits & MARGIN:
        return
    carried = is_carried(cells, holes, cell, cell + shifts[DOWN])
    for direction in range(4):
        to = cell + shifts[direction]
        solid, has_ladder = is_solid(cells, holes, to), cells[to] & LADDER > 0
        if cells[to] & (WALL | ENEMY) or (solid and cells[to + shifts[UP]] & (WALL | LADDER)):
            continue
        if direction == DOWN:
            leaves = not carried or bits & (LADDER | ROPE) > 0
            is_possible, may_be = leaves or (has_ladder and shifts[4] > 0), leaves or has_ladder or solid
        else:
            is_possible = may_be = carried and (direction != UP or bits & LADDER > 0)
        if is_possible and not solid:
            steps |= 1 << (STEPS + direction)
        if may_be:
            steps |= 1 << (HOPES + direction)
    board.steps[cell] = steps


@part
def set_hole(board: RunnerBoard, cell: int, is_hole: int) -> None:
    """Dig a brick away or put it back."""
    board.holes[cell] = is_hole
    update_steps(board, cell)
    for direction in range(4):
        update_steps(board, cell + board.shifts[direction])


@part
def flood_steps(board: RunnerBoard, start: int, wanted: int, limit: int) -> int:
    """Queue the cells that the player reaches, at most `limit`, and return their number.

    Stops at the first cell with one of the wanted bits, other than the start, and returns minus its number then.
    """
    cells, steps, shifts = board.cells, board.steps, board.shifts
    reached, queue, came = board.reached, board.queue, board.came
    board.floods[0] += 1
    number = board.floods[0]
    reached[start] = number
    queue[0] = start
    first, last = 0, 1
    while first < last:
        cell = queue[first]
        first += 1
        for direction in range(4):
            to: int = cell + shifts[direction]
            if steps[cell] >> direction & 1 and reached[to] != number:
                if last == limit:
                    return last
                reached[to] = number
                came[to] = direction
                queue[last] = to
                last += 1
                if cells[to] & wanted:
                    return -to
    return last


@part
def append_walk(board: RunnerBoard, to: int, start: int, moves: Int32_1D, count: int) -> tuple[Int32_1D, int]:
    """Append the walk by which the last flood reached a cell; take the gold on it. Return moves and their number."""
    steps, cell = 0, to
    while cell != start:
        cell -= board.shifts[board.came[cell]]
        steps += 1
    while count + steps > moves.size:
        moves = double(moves)
    cell = to
    for number in range(steps):
        board.cells[cell] &= ~np.uint8(GOLD)
        moves[count + steps - 1 - number] = board.came[cell]
        cell -= board.shifts[board.came[cell]]
    return moves, count + steps


# -- components ---------------------------------------------------------------------------------------------------


@part
def forget_components(board: RunnerBoard) -> None:
    """Forget the components, before a search in other steps or on another board."""
    board.graph[ORDER] = -1
    board.graph[COMPONENT] = -1


@part
def find_components(board: RunnerBoard, start: int, place: int, first: int, has_exit: bool) -> int:
    """Number the components of cells that the player reaches and that have no number yet, the last ones first.

    Parameters
    ----------
    board
        The level. Receives the rows COMPONENT and GAIN of its graph.
    start
        Cell of the player. Its component gets the largest number.
    place
        STEPS or HOPES: the steps that the player takes.
    first
        The first number.
    has_exit
        Whether walks must end at an exit. The gain of cells without such a walk is negative.

    Returns
    -------
    int
        Number of cells of the component of the player. They are the first entries of the row STACK.
    """
    graph, shifts, steps, cells = board.graph, board.shifts, board.steps, board.cells
    count, visited, depth, height, size, to = first, 0, 0, 0, 0, start
    while True:
        if to >= 0:
            graph[ORDER, to], graph[LOW, to] = visited, visited
            graph[GAIN, to] = NO_EXIT if has_exit and not cells[to] & EXIT else 0
            graph[LEFT_STEPS, to] = steps[to] >> place & 15
            graph[PATH, depth], graph[STACK, height] = to, to
            visited += 1
            depth += 1
            height += 1
        cell, to = graph[PATH, depth - 1], -1
        left = graph[LEFT_STEPS, cell]
        if left:
            direction = LEFT if left & 1 else RIGHT if left & 2 else UP if left & 4 else DOWN
            graph[LEFT_STEPS, cell] = left & (left - 1)
            near = cell + shifts[direction]
            if graph[ORDER, near] < 0:
                to = near
            elif graph[COMPONENT, near] < 0:
                graph[LOW, cell] = min(graph[LOW, cell], graph[ORDER, near])
            else:
                graph[GAIN, cell] = max(graph[GAIN, cell], graph[GAIN, near])
            continue
        if graph[LOW, cell] == graph[ORDER, cell]:
            gain, top = graph[GAIN, cell], height
            while True:
                height -= 1
                gain += cells[graph[STACK, height]] & GOLD > 0
                if graph[STACK, height] == cell:
                    break
            for number in range(height, top):
                graph[COMPONENT, graph[STACK, number]] = count
                graph[GAIN, graph[STACK, number]] = gain
            count += 1
            size = top - height
        depth -= 1
        if depth == 0:
            return size
        before = graph[PATH, depth - 1]
        graph[LOW, before] = min(graph[LOW, before], graph[LOW, cell])
        graph[GAIN, before] = max(graph[GAIN, before], graph[GAIN, cell])


@part
def collect_components(
    board: RunnerBoard, player: int, only_own: bool, moves: Int32_1D, count: int
) -> tuple[Int32_1D, int, int]:
    """Append the moves that collect the gold of all components, one after the other, or of the player's own one only.

    Return the moves, their number, and the cell of the player.
    """
    cells, components = board.cells, board.graph[COMPONENT]
    forget_components(board)
    find_components(board, player, STEPS, 0, False)
    own = components[player]
    golden, gold = np.empty(cells.size, dtype=np.int32), 0
    for cell in range(cells.size):
        if cells[cell] & GOLD:
            golden[gold] = cell
            gold += 1
            cells[cell] &= ~np.uint8(GOLD)
    for component in range(own, own - 1 if only_own else -1, -1):
        left = 0
        for number in range(gold):
            if components[golden[number]] == component:
                cells[golden[number]] |= GOLD
                left += 1
        while left > 0:
            to = -flood_steps(board, player, GOLD, cells.size)
            moves, count = append_walk(board, to, player, moves, count)
            player, left = to, 0
            for number in range(gold):
                left += cells[golden[number]] & GOLD > 0
    for number in range(gold):
        if only_own and components[golden[number]] != own:
            cells[golden[number]] |= GOLD
    return moves, count, player


@part
def finish_walk(board: RunnerBoard, player: int, moves: Int32_1D, count: int) -> Int32_1D:
    """Return the moves, and after them those that collect all gold without digging and end at an exit, if any."""
    moves, count, player = collect_components(board, player, False, moves, count)
    if not board.cells[player] & EXIT:
        to = flood_steps(board, player, EXIT, board.cells.size)
        if to < 0:
            moves, count = append_walk(board, -to, player, moves, count)
    return moves[:count].copy()


@part
def has_exits(board: RunnerBoard) -> bool:
    """Return whether the level has an exit."""
    return bool(np.any(board.cells & EXIT))


@kernel
def collect_gold(board: RunnerBoard, start: int, visited: Uint8_1D, limit: int, result: Int64_1D) -> Int32_1D:
    """Return moves without digging that collect all gold and end at an exit, if there is one.

    Parameters
    ----------
    board
        The level; gold on the walk is removed.
    start
        Cell of the player.
    visited
        Set to 1 for all cells that the player reaches.
    limit
        Maximum number of cells to reach.
    result
        Receives SOLVED, UNSOLVED or UNKNOWN, and the number of reached cells.
    """
    moves, left = np.empty(256, dtype=np.int32), 0
    for cell in range(board.cells.size):
        update_steps(board, cell)
    reached = flood_steps(board, start, 0, limit + 1)
    result[0], result[1] = UNSOLVED, min(reached, limit)
    for number in range(result[1]):
        visited[board.queue[number]] = 1
    if reached > limit:
        result[0] = UNKNOWN
        return moves[:0].copy()
    board.cells[start] &= ~np.uint8(GOLD)
    for cell in range(board.cells.size):
        left += board.cells[cell] & GOLD > 0
    forget_components(board)
    find_components(board, start, STEPS, 0, has_exits(board))
    if board.graph[GAIN, start] < left:
        return moves[:0].copy()
    result[0] = SOLVED
    return finish_walk(board, start, moves, 0)


# -- digging ------------------------------------------------------------------------------------------------------

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
                states = double(states)
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
                keys, queued = double(keys), double(queued)
            waiting = push(keys, queued, waiting, order, 2 * (count - 1))
    if won < 0:
        return actions[:0].copy()
    result[0] = SOLVED
    _load(board, root, places, gold)
    return _write_moves(board, start, actions, parents, won)
