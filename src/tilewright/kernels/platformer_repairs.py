"""Cheapest changes of a platformer level with which it can be finished.

The search is that of `kernels.platformer`, with costs: a move may clear cells that block it or kill the player, and may
put ground below the player. The level itself stays as it is during the search, so the changes of a path can contradict
each other; callers apply them and play the level again.
"""

from __future__ import annotations

import numpy as np

from . import inline, kernel, part
from .heap import sift_down, sift_up
from .platformer import (
    DOWN,
    ENEMY,
    EXIT,
    JUMP,
    JUMP_LEFT,
    JUMP_RIGHT,
    LADDER,
    LEFT,
    LOST,
    MOVES,
    PLATFORM,
    RIGHT,
    SPIKE,
    SPRING,
    UP,
    PlatformerLevel,
    is_blocked,
    is_carried,
)
from .types import Float64_1D, Int32_1D, Int64_1D, Uint8_1D

CLEAR_SIDE, CLEAR_ABOVE, ADD_GROUND, CLEAR_DANGER = 1, 2, 4, 8
"""Changes that a move may make."""
VARIANTS = 16
TICK, CLEAR, GROUND, DANGER = 1, 3 << 16, 2 << 16, 2 << 16
"""Costs of a tick and of the changes: among paths with equal changes, the shortest is best."""
COUNT, COST, FIRST_EDIT, EDITS = 0, 1, 2, 8
"""Places in the list of a move's changes: their number, their cost, and the cells, twice plus 1 for new ground."""


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


@part
def _step(
    level: PlatformerLevel,
    fixed: Uint8_1D,
    row: int,
    column: int,
    air: int,
    direction: int,
    keys: int,
    move: int,
    variant: int,
    edits: Int64_1D,
    is_solid: int,
) -> int:
    """Return the state after a move with the changes of a variant, or LOST if the move does not need all of them.

    The last value of the ticks in the air means that new ground carries the player.
    """
    edits[COUNT], edits[COST] = 0, 0
    support, used = level.air_levels - 1, 0
    has_ground = air == support
    if has_ground:
        air = 0
    can_jump = air == 0 and (has_ground or is_carried(level, row, column, keys))
    falls, stays = False, False
    if move in (UP, DOWN):
        to = row + 1 if move == DOWN else row - 1
        if not can_jump or is_blocked(level, to, column, keys):
            return LOST
        drops = move == DOWN and level.flags[to * level.columns + column] & (LADDER | PLATFORM)
        if not level.flags[row * level.columns + column] & LADDER and not drops:
            return LOST
        row, direction = to, 0
    else:
        side = 0
        if move in (LEFT, JUMP_LEFT):
            side = -1
        elif move in (RIGHT, JUMP_RIGHT):
            side = 1
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
    elif flags & ENEMY:
        air = level.hang_time + 1
    elif flags & SPRING and air <= level.hang_time:
        air = level.hang_time + level.spring_height
    if used != variant:
        return LOST
    if level.keys[cell]:
        keys |= 1 << (level.keys[cell] - 1)
    if stays and air == 0:
        air, direction = support, 0
    elif air == 0 and is_carried(level, row, column, keys):
        direction = 0
    digit = direction + 1 if level.directions > 1 else 0
    return ((keys * level.directions + digit) * level.air_levels + air) * level.flags.size + cell


@inline
def _step_from(
    level: PlatformerLevel, fixed: Uint8_1D, state: int, move: int, variant: int, edits: Int64_1D, is_solid: int
) -> int:
    cell, rest = state % level.flags.size, state // level.flags.size
    air, rest = rest % level.air_levels, rest // level.air_levels
    keys, direction = rest // level.directions, 0
    if level.directions > 1:
        direction = rest % level.directions - 1
    row, column = cell // level.columns, cell % level.columns
    return int(_step(level, fixed, row, column, air, direction, keys, move, variant, edits, is_solid))


@kernel
def find_repairs(
    level: PlatformerLevel,
    first: int,
    fixed: Uint8_1D,
    costs: Float64_1D,
    sources: Int32_1D,
    steps: Uint8_1D,
    heap_costs: Float64_1D,
    heap: Int64_1D,
    changes: Int64_1D,
    is_solid: int,
) -> int:
    """Find the cheapest changes with which a level can be finished (Dijkstra's algorithm).

    Parameters
    ----------
    level
        The level and its physics, with one more level of air than the game has.
    first
        First state.
    fixed
        Cells that must not change.
    costs
        Infinity for all states.
    sources, steps
        Receive the state before each state, and the move and variant that lead to it.
    heap_costs, heap
        Space for pending states.
    changes
        Receives the changes, last first: twice the cell, plus 1 for new ground.
    is_solid
        Whether new ground is solid; platforms are not.

    Returns
    -------
    int
        Number of changes; -1 if no changes help, and -2 if the space was too small.
    """
    edits = np.zeros(EDITS, dtype=np.int64)
    full = (1 << level.key_count) - 1
    per_keys = level.flags.size * level.air_levels * level.directions
    costs[first], sources[first] = 0.0, -1
    heap_costs[0], heap[0] = 0.0, first
    size, won = 1, -1
    while size:
        cost, state = heap_costs[0], heap[0]
        size -= 1
        sift_down(heap_costs, heap, size)
        if cost > costs[state]:
            continue
        if level.flags[state % level.flags.size] & EXIT and state // per_keys == full:
            won = state
            break
        for step in range(MOVES * VARIANTS):
            after = _step_from(level, fixed, state, step // VARIANTS, step % VARIANTS, edits, is_solid)
            if after < 0 or cost + TICK + edits[COST] >= costs[after]:
                continue
            if size == heap.size:
                return -2
            costs[after], sources[after], steps[after] = cost + TICK + edits[COST], state, step
            heap_costs[size], heap[size] = costs[after], after
            sift_up(heap_costs, heap, size)
            size += 1
    if won < 0:
        return -1
    count = 0
    while sources[won] >= 0:
        step = steps[won]
        won = sources[won]
        _step_from(level, fixed, won, step // VARIANTS, step % VARIANTS, edits, is_solid)
        for number in range(edits[COUNT]):
            if count == changes.size:
                return -2
            changes[count] = edits[FIRST_EDIT + number]
            count += 1
    return count
