"""Exact search over the states of a platformer: cell, rest of the jump, direction in the air, and keys.

The rules are those of `play.games.platformer`, tick by tick. A state is one number: its cell, then the ticks in the
air, the direction and the keys as further digits.
"""

from __future__ import annotations

from typing import NamedTuple

from . import inline, kernel
from .types import Int32_1D, Int64_1D, Uint8_1D

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
def _enter(level: PlatformerLevel, row: int, column: int, air: int, direction: int, keys: int, falls: bool) -> int:
    """Return the state of a player who enters a cell, or LOST."""
    cell = row * level.columns + column
    flags = level.flags[cell]
    if flags & SPIKE or (flags & ENEMY and not falls):
        return LOST
    if flags & ENEMY:
        air = level.hang_time + 1
    elif flags & SPRING and air <= level.hang_time:
        air = level.hang_time + level.spring_height
    if level.keys[cell]:
        keys |= 1 << (level.keys[cell] - 1)
    if air == 0 and is_carried(level, row, column, keys):
        direction = 0
    digit = direction + 1 if level.directions > 1 else 0
    return ((keys * level.directions + digit) * level.air_levels + air) * level.flags.size + cell


@inline
def _climb(level: PlatformerLevel, row: int, column: int, keys: int, down: int) -> int:
    """Return the state after climbing a ladder or dropping through a platform, or LOST."""
    to = row + down
    if is_blocked(level, to, column, keys):
        return LOST
    drops = down > 0 and level.flags[to * level.columns + column] & (LADDER | PLATFORM)
    if not level.flags[row * level.columns + column] & LADDER and not drops:
        return LOST
    return int(_enter(level, to, column, 0, 0, keys, False))


@inline
def _step(level: PlatformerLevel, row: int, column: int, air: int, direction: int, keys: int, move: int) -> int:
    """Return the state after a move, or LOST."""
    can_jump = air == 0 and is_carried(level, row, column, keys)
    if move in (UP, DOWN):
        return int(_climb(level, row, column, keys, 1 if move == DOWN else -1)) if can_jump else LOST
    side = 0
    if move in (LEFT, JUMP_LEFT):
        side = -1
    elif move in (RIGHT, JUMP_RIGHT):
        side = 1
    if move >= JUMP:
        if not can_jump or is_blocked(level, row - 1, column, keys) or (side and not level.running_jumps):
            return LOST
        air = level.jump_height + level.hang_time
    if level.directions > 1:
        if not can_jump:
            side = direction
        direction = side
    if not is_blocked(level, row, column + side, keys):
        column += side
    falls = False
    if air > level.hang_time:
        if is_blocked(level, row - 1, column, keys):
            air = level.hang_time
        else:
            row, air = row - 1, air - 1
    elif air > 0:
        air -= 1
    elif not is_carried(level, row, column, keys):
        row, falls = row + 1, True
        if row == level.rows:
            return LOST
    return int(_enter(level, row, column, air, direction, keys, falls))


@kernel(allocates=False)
def explore_platformer(
    level: PlatformerLevel,
    first: int,
    known: Uint8_1D,
    visited: Uint8_1D,
    order: Int64_1D,
    sources: Int32_1D,
    moves: Uint8_1D,
    result: Int64_1D,
) -> int:
    """Examine the states that can be reached from the first, in breadth-first order. Won states have no successors.

    Parameters
    ----------
    level
        The level and its physics.
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
        cell, rest = order[examined] % level.flags.size, order[examined] // level.flags.size
        air, rest = rest % level.air_levels, rest // level.air_levels
        keys, direction = rest // level.directions, 0
        if level.directions > 1:
            direction = rest % level.directions - 1
        row, column = cell // level.columns, cell % level.columns
        visited[cell] = 1
        if level.flags[cell] & EXIT and keys == full:
            won = examined if won < 0 else won
        else:
            for move in range(MOVES):
                after = _step(level, row, column, air, direction, keys, move)
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
