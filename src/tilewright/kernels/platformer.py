"""Searches over the states of a platformer: cell, rest of the jump, direction in the air, and keys.

The rules are those of `play.games.platformer`, tick by tick. A state is one number: its cell, then the ticks in the
air, the direction and the keys as further digits. One search is exact. The other one finds the cheapest changes with
which a level can be finished: a move may clear cells that block it or kill the player, and may put ground below the
player. The level itself stays as it is during that search, so the changes of a path can contradict each other; callers
apply them and play the level again.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from . import inline, kernel
from .heap import pop, push
from .types import Float64_1D, Int32_1D, Int64_1D, Uint8_1D

WALL, DOOR, PLATFORM, LADDER, SPRING, SPIKE, ENEMY, EXIT = 1, 2, 4, 8, 16, 32, 64, 128
"""Flags of cells."""
WAIT, LEFT, RIGHT, UP, DOWN, JUMP, JUMP_LEFT, JUMP_RIGHT = range(8)
MOVES = 8
FIRST = -1
"""Source of the first state."""
LOST = -1
"""State after a move that is impossible or loses the game."""


class PlatformerLevel(NamedTuple):
    """A level and its physics."""

    flags: Uint8_1D
    """Flags of all cells, row by row."""
    keys: Uint8_1D
    """Number of the key in each cell, from 1; 0 without a key."""
    key_count: int
    rows: int
    columns: int
    jump_height: int
    hang_time: int
    spring_height: int
    air_levels: int
    """Number of values of the ticks in the air."""
    directions: int
    """Number of directions in the air: 3, or 1 with air control."""
    running_jumps: int
    floor: int


@inline
def _read_state(level: PlatformerLevel, state: int) -> tuple[int, int, int, int, int]:
    """Return the row and column of a state, its ticks in the air, its direction and its keys."""
    cell, rest = state % level.flags.size, state // level.flags.size
    air, rest = rest % level.air_levels, rest // level.air_levels
    direction = rest % level.directions - 1 if level.directions > 1 else 0
    return cell // level.columns, cell % level.columns, air, direction, rest // level.directions


@inline
def _write_state(level: PlatformerLevel, cell: int, air: int, direction: int, keys: int) -> int:
    """Return a state as a number."""
    digit = direction + 1 if level.directions > 1 else 0
    return ((keys * level.directions + digit) * level.air_levels + air) * level.flags.size + cell


@inline
def _side_of(move: int) -> int:
    """Return the direction in which a move goes: -1, 0 or 1."""
    if move in (LEFT, JUMP_LEFT):
        return -1
    return 1 if move in (RIGHT, JUMP_RIGHT) else 0


@inline
def is_blocked(level: PlatformerLevel, row: int, column: int, keys: int) -> bool:
    """Return whether the player cannot be in a cell."""
    if row < 0 or row >= level.rows or column < 0 or column >= level.columns:
        return True
    flags = level.flags[row * level.columns + column]
    return bool(flags & WALL) or (bool(flags & DOOR) and keys == 0)


@inline
def is_carried(level: PlatformerLevel, row: int, column: int, keys: int) -> bool:
    """Return whether a player in a cell does not fall."""
    if level.flags[row * level.columns + column] & LADDER:
        return True
    if row + 1 == level.rows:
        return bool(level.floor)
    below = level.flags[(row + 1) * level.columns + column]
    return bool(below & (WALL | PLATFORM | LADDER)) or (bool(below & DOOR) and keys == 0)


@inline
def _find_bounce(level: PlatformerLevel, flags: int, air: int) -> int:
    """Return the ticks in the air after entering a cell: an enemy and a spring throw the player up."""
    if flags & ENEMY:
        return level.hang_time + 1
    return level.hang_time + level.spring_height if flags & SPRING and air <= level.hang_time else air


@inline
def _collect_key(level: PlatformerLevel, cell: int, keys: int) -> int:
    """Return the keys with the one in a cell."""
    return int(keys | 1 << (level.keys[cell] - 1) if level.keys[cell] else keys)


@inline
def _can_climb(level: PlatformerLevel, row: int, column: int, keys: int, down: int) -> bool:
    """Return whether a player can climb a ladder up or down, or drop through a platform."""
    if is_blocked(level, row + down, column, keys):
        return False
    if level.flags[row * level.columns + column] & LADDER:
        return True
    return bool(down > 0 and level.flags[(row + 1) * level.columns + column] & (LADDER | PLATFORM))


CLEAR_SIDE, CLEAR_ABOVE, ADD_GROUND, CLEAR_DANGER = 1, 2, 4, 8
"""Changes that a move may make."""
VARIANTS = 16
TICK, CLEAR, GROUND, DANGER = 1, 3 << 16, 2 << 16, 2 << 16
"""Costs of a tick and of the changes: among paths with equal changes, the shortest is best."""
COUNT, COST, FIRST_EDIT, EDITS = 0, 1, 2, 8
"""Places in the list of a move's changes: their number, their cost, and the cells, twice plus 1 for new ground."""


class RepairArrays(NamedTuple):
    """What changes may be made, and those of a move."""

    fixed: Uint8_1D
    """1 for cells that must not change."""
    is_solid: int
    """Whether new ground is solid; platforms are not."""
    edits: Int64_1D
    """(EDITS,) changes of the last move."""
    support: int
    """Value of the ticks in the air which means that new ground carries the player; -1 if there is none."""


def allow_no_changes() -> RepairArrays:
    """Return the arrays of moves that change nothing."""
    return RepairArrays(np.empty(0, dtype=np.uint8), 0, np.empty(EDITS, dtype=np.int64), -1)


@inline
def _record(edits: Int64_1D, cell: int, is_ground: int, cost: int) -> None:
    edits[FIRST_EDIT + edits[COUNT]] = 2 * cell + is_ground
    edits[COUNT] += 1
    edits[COST] += cost


@inline
def _is_free_to_change(level: PlatformerLevel, fixed: Uint8_1D, row: int, column: int) -> bool:
    if row < 0 or row >= level.rows or column < 0 or column >= level.columns:
        return False
    return not fixed[row * level.columns + column]


@inline
def _step(
    level: PlatformerLevel, repair: RepairArrays, row: int, column: int, air: int, direction: int, keys: int,
    move: int, variant: int,
) -> int:  # fmt: skip
    """Return the state after a move with the changes of a variant, or LOST if the move does not need all of them.

    With the variant 0, the move changes nothing, and is possible if the rules allow it.
    """
    fixed, edits, is_solid, support = repair.fixed, repair.edits, repair.is_solid, repair.support
    edits[COUNT], edits[COST] = 0, 0
    used = 0
    has_ground = air == support
    if has_ground:
        air = 0
    can_jump = air == 0 and (has_ground or is_carried(level, row, column, keys))
    falls, stays = False, False
    if move in (UP, DOWN):
        down = 1 if move == DOWN else -1
        if not can_jump or not _can_climb(level, row, column, keys, down):
            return LOST
        row, direction = row + down, 0
    else:
        side = _side_of(move)
        if move >= JUMP:
            if not can_jump or (side and not level.running_jumps):
                return LOST
            if is_blocked(level, row - 1, column, keys):
                if not variant & CLEAR_ABOVE or not _is_free_to_change(level, fixed, row - 1, column):
                    return LOST
                _record(edits, (row - 1) * level.columns + column, 0, CLEAR)
                used |= CLEAR_ABOVE
            air = level.jump_height + level.hang_time
        if level.directions > 1:
            if not can_jump:
                side = direction
            direction = side
        before = column
        if not is_blocked(level, row, column + side, keys):
            column += side
        elif variant & CLEAR_SIDE and _is_free_to_change(level, fixed, row, column + side):
            column += side
            _record(edits, row * level.columns + column, 0, CLEAR)
            used |= CLEAR_SIDE
        if air > level.hang_time:
            if not is_blocked(level, row - 1, column, keys) or (column == before and used & CLEAR_ABOVE):
                row, air = row - 1, air - 1
            elif variant & CLEAR_ABOVE and _is_free_to_change(level, fixed, row - 1, column):
                row, air = row - 1, air - 1
                _record(edits, row * level.columns + column, 0, CLEAR)
                used |= CLEAR_ABOVE
            else:
                air = level.hang_time
        elif air > 0:
            air -= 1
        elif has_ground and column == before:
            stays = True
        elif not is_carried(level, row, column, keys):
            # Solid ground would have blocked a player who jumped up in this column.
            if (
                variant & ADD_GROUND
                and not (is_solid and column == before)
                and _is_free_to_change(level, fixed, row + 1, column)
            ):
                _record(edits, (row + 1) * level.columns + column, 1, GROUND)
                used |= ADD_GROUND
                stays = True
            else:
                row, falls = row + 1, True
                if row == level.rows:
                    return LOST
    cell = row * level.columns + column
    flags = level.flags[cell]
    if flags & SPIKE or (flags & ENEMY and not falls):
        if not variant & CLEAR_DANGER or fixed[cell]:
            return LOST
        _record(edits, cell, 0, DANGER)
        used |= CLEAR_DANGER
    else:
        air = _find_bounce(level, flags, air)
    if used != variant:
        return LOST
    keys = _collect_key(level, cell, keys)
    if stays and air == 0:
        air, direction = support, 0
    elif air == 0 and is_carried(level, row, column, keys):
        direction = 0
    return int(_write_state(level, cell, air, direction, keys))


@kernel(allocates=False)
def explore_platformer(
    level: PlatformerLevel, repair: RepairArrays, first: int, known: Uint8_1D, visited: Uint8_1D, order: Int64_1D,
    sources: Int32_1D, moves: Uint8_1D, result: Int64_1D,
) -> int:  # fmt: skip
    """Examine the states that can be reached from the first, in breadth-first order. Won states have no successors.

    Parameters
    ----------
    level
        The level and its physics.
    repair
        From `allow_no_changes`.
    first
        First state.
    known
        Zeros for all states.
    visited
        Zeros for all cells; cells that the player can reach become 1.
    order
        States in the order in which they are reached; its length limits the search.
    sources
        Index of the state before each state in `order`.
    moves
        Move that leads to each state in `order`.
    result
        Receives the index of the first won state, or -1, and whether there are more states.

    Returns
    -------
    int
        Number of examined states.
    """
    won, has_more, count = -1, 0, 1
    full = (1 << level.key_count) - 1
    order[0], sources[0], known[first] = first, FIRST, 1
    examined = 0
    while examined < count:
        row, column, air, direction, keys = _read_state(level, order[examined])
        cell = row * level.columns + column
        visited[cell] = 1
        if level.flags[cell] & EXIT and keys == full:
            won = examined if won < 0 else won
        else:
            for move in range(MOVES):
                after = _step(level, repair, row, column, air, direction, keys, move, 0)
                if after < 0 or known[after]:
                    continue
                known[after] = 1
                if count == order.size:
                    has_more = 1
                    continue
                order[count], sources[count], moves[count] = after, examined, move
                count += 1
        examined += 1
    result[0], result[1] = won, has_more
    return examined


@kernel
def find_repairs(
    level: PlatformerLevel, first: int, repair: RepairArrays, costs: Float64_1D, sources: Int32_1D, steps: Uint8_1D,
    heap_costs: Float64_1D, heap: Int64_1D, changes: Int64_1D,
) -> int:  # fmt: skip
    """Find the cheapest changes with which a level can be finished (Dijkstra's algorithm).

    Parameters
    ----------
    level
        The level and its physics, with one more level of air than the game has.
    first
        First state.
    repair
        Changes that may be made, with space for those of a move.
    costs
        Infinity for all states.
    sources, steps
        Receive the state before each state, and the move and variant that lead to it.
    heap_costs, heap
        Space for pending states.
    changes
        Receives the changes, last first: twice the cell, plus 1 for new ground.

    Returns
    -------
    int
        Number of changes; -1 if no changes help, and -2 if the space was too small.
    """
    edits = repair.edits
    full = (1 << level.key_count) - 1
    per_keys = level.flags.size * level.air_levels * level.directions
    costs[first], sources[first] = 0.0, -1
    heap_costs[0], heap[0] = 0.0, first
    size, won = 1, -1
    while size:
        cost, state = heap_costs[0], heap[0]
        size = pop(heap_costs, heap, size)
        if cost > costs[state]:
            continue
        if level.flags[state % level.flags.size] & EXIT and state // per_keys == full:
            won = state
            break
        row, column, air, direction, keys = _read_state(level, state)
        for step in range(MOVES * VARIANTS):
            move, variant = step // VARIANTS, step % VARIANTS
            after = _step(level, repair, row, column, air, direction, keys, move, variant)
            if after < 0 or cost + TICK + edits[COST] >= costs[after]:
                continue
            if size == heap.size:
                return -2
            costs[after], sources[after], steps[after] = cost + TICK + edits[COST], state, step
            size = push(heap_costs, heap, size, costs[after], after)
    if won < 0:
        return -1
    count = 0
    while sources[won] >= 0:
        step = steps[won]
        won = sources[won]
        row, column, air, direction, keys = _read_state(level, won)
        _step(level, repair, row, column, air, direction, keys, step // VARIANTS, step % VARIANTS)
        for number in range(edits[COUNT]):
            if count == changes.size:
                return -2
            changes[count] = edits[FIRST_EDIT + number]
            count += 1
    return count
