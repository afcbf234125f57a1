"""Corridors between rooms: where doors may be, the ways from room to room, and the walls around all of it.

A map of rooms is flat, a byte a cell that tells its kind; its outermost ring is EDGE, so that every other cell has
eight neighbours. Rules have a price and no more: a way that has no other choice breaks a wall's corner, so that
all rooms can be joined wherever nothing is locked.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import kernel
from .directions import shift_of
from .heap import sift_down, sift_up
from .random import below

Kinds: TypeAlias = NDArray[np.uint8]
Owners: TypeAlias = NDArray[np.int32]
Places: TypeAlias = NDArray[np.int64]
Stream: TypeAlias = NDArray[np.uint64]

ROCK, WALL, UPRIGHT, ACROSS, FLOOR, CORRIDOR, DOOR, EDGE = 0, 1, 2, 3, 4, 5, 6, 7
"""WALL is not to be broken; UPRIGHT may be crossed up and down, ACROSS sideways; EDGE is never touched."""
NEW = 8
"""A corridor while it is dug."""
WORD_FLOOR, WORD_CORRIDOR, WORD_DOOR, WORD_WALL, WORD_ROCK = 0, 1, 2, 3, 4

STEP, TURN, USED_DOOR, BREAK = 4, 1, 40, 4000
"""Costs of a step through rock, of a change of direction, of a door that is there already, of a broken rule."""
WALK, CROSS_FREELY, CROSS_AVOIDED, NEW_DOOR = 2, 8, 1000, 6
"""Costs of a step in a corridor that is there, of a door of a room on the way, freely or not, and of making it."""
AHEAD = 3
"""Cost expected of every step that is still to go: between those of corridors and of rock, to look less around."""
SPREAD, CROWDED = 12, 24
"""How much dearer a door may be than another one by chance, and by a door that is near it: three and six steps."""
BROKEN = 1 << 40
"""Price of a straight way that breaks a rule: more than of any that does not."""
ROOT = 8
"""Marks a cell, beside its direction, in which a way begins."""
SALT, LEFT_BY, ENTERED_BY, WAITING = 0, 1, 2, 3
"""Of the state of a way: what makes doors dearer or cheaper, the doors that were drawn, how many cells are waiting."""
FRESH = -1
"""SALT and WAITING, before a way begins."""
UNFINISHED = -1


@kernel
def _fits(kind: int, direction: int) -> bool:
    """Whether a wall may be crossed this way."""
    return bool(kind == UPRIGHT if direction & 1 == 0 else kind == ACROSS)


@kernel("void(uint8[::1], int64, int64, int64)")
def raise_walls(kinds: Kinds, columns: int, first: int, last: int) -> None:
    """Tell what the rock around floors in rows first..last-1 is: a wall that may be crossed one way, or a corner."""
    for row in range(first, last):
        for cell in range(row * columns + 1, row * columns + columns - 1):
            if kinds[cell] != ROCK:
                continue
            upright = kinds[cell - columns] == FLOOR or kinds[cell + columns] == FLOOR
            across = kinds[cell - 1] == FLOOR or kinds[cell + 1] == FLOOR
            if upright and across:
                kinds[cell] = WALL
            elif upright:
                kinds[cell] = UPRIGHT
            elif across:
                kinds[cell] = ACROSS
            elif (
                kinds[cell - columns - 1] == FLOOR
                or kinds[cell - columns + 1] == FLOOR
                or kinds[cell + columns - 1] == FLOOR
                or kinds[cell + columns + 1] == FLOOR
            ):
                kinds[cell] = WALL


@kernel
def _opens(kinds: Kinds, owners: Owners, cell: int, room: int, columns: int) -> int:
    """The direction in which one leaves a room through this cell of its wall; -1 where the cell has no floor of it."""
    for direction in range(4):
        if owners[cell - shift_of(direction, columns)] == room and kinds[cell + shift_of(direction, columns)] != EDGE:
            return direction
    return -1


@kernel
def _chosen_door(kinds: Kinds, owners: Owners, rooms: Places, room: int, columns: int, stream: Stream) -> int:
    """Any place for a door of a room, drawn by chance; -1 where there is none."""
    chosen, count = -1, 0
    for row in range(rooms[room, 1] - 1, rooms[room, 1] + rooms[room, 3] + 1):
        for column in range(rooms[room, 0] - 1, rooms[room, 0] + rooms[room, 2] + 1):
            cell = row * columns + column
            if kinds[cell] == UPRIGHT or kinds[cell] == ACROSS:
                direction = _opens(kinds, owners, cell, room + 1, columns)
                if direction >= 0:
                    beyond = kinds[cell + shift_of(direction, columns)]
                    if beyond in (ROCK, CORRIDOR) or beyond == kinds[cell]:
                        count += 1
                        if below(stream, count) == 0:
                            chosen = cell
    return chosen


@kernel
def _dig(kinds: Kinds, cell: int, direction: int, columns: int) -> None:
    """Let a way lead through a cell: a door where it crosses a wall as it should, otherwise a corridor, as yet NEW."""
    kind = int(kinds[cell])
    if kind in (FLOOR, DOOR, CORRIDOR):
        return
    beside = False
    for side in range(4):
        beside |= kinds[cell + shift_of(side, columns)] == DOOR
    if _fits(kind, direction) and not beside:
        kinds[cell] = DOOR
        for turn in (1, 3):
            side = cell + shift_of((direction + turn) & 3, columns)
            if kinds[side] == UPRIGHT or kinds[side] == ACROSS:
                kinds[side] = WALL
        return
    kinds[cell] = NEW if kind == ROCK else CORRIDOR


@kernel
def _opened(kinds: Kinds, cell: int) -> bool:
    """Dig a cell if it is rock; whether it belongs to a corridor then."""
    if kinds[cell] == ROCK:
        kinds[cell] = CORRIDOR
    return bool(kinds[cell] in (CORRIDOR, NEW))


@kernel
def _widen(kinds: Kinds, cell: int, columns: int, width: int) -> None:
    """Make a NEW cell a corridor, and rock around it too if it is to be wide: up and down, and from there sideways.

    What walls keep from the cell is left: dug, it could be out of reach.
    """
    if kinds[cell] != NEW:
        return
    kinds[cell] = CORRIDOR
    before, behind = (width - 1) // 2, width // 2
    for down in (-columns, columns):
        spine = cell
        for step in range(1 + (before if down < 0 else behind)):
            if step > 0:
                spine += down
                if not _opened(kinds, spine):
                    break
            for across in (-1, 1):
                near = spine
                for _ in range(before if across < 0 else behind):
                    near += across
                    if not _opened(kinds, near):
                        break


@kernel
def _met(owners: Owners, cell: int, passed: Places, count: int) -> int:
    """Note the room that a way leads through; how many have been noted."""
    if owners[cell] > 0 and (count == 0 or passed[count - 1] != owners[cell] - 1) and count < passed.size:
        passed[count] = owners[cell] - 1
        return count + 1
    return count


@kernel
def _apart(rooms: Places, room: int, cell: int, columns: int) -> int:
    """How many steps a cell is from a room's floor, at least."""
    row, column = cell // columns, cell % columns
    across = max(0, rooms[room, 0] - column, column - rooms[room, 0] - rooms[room, 2] + 1)
    down = max(0, rooms[room, 1] - row, row - rooms[room, 1] - rooms[room, 3] + 1)
    return int(across + down)


@kernel
def _door_price(kinds: Kinds, cell: int, direction: int, columns: int, salt: int) -> int:
    """Of a new door: by chance, and more where another is only two cells away in the same wall."""
    price = STEP + ((cell * 7919 + salt) & 0xFFFF) % SPREAD
    step = 2 * shift_of((direction + 1) & 3, columns)
    for place in (cell - step, cell + step):
        if 0 <= place < kinds.size and kinds[place] == DOOR:
            price += CROWDED
    return price


@kernel
def _leave(
    kinds: Kinds, owners: Owners, rooms: Places, one: int, other: int, columns: int, salt: int,
    spent: Owners, stamps: Owners, came: Kinds, stamp: int, keys: NDArray[np.float64], cells: Places, door: int,
) -> int:  # fmt: skip
    """Begin a way at every cell of a room's walls, at a price each; how many cells are waiting, FRESH if too many."""
    size = 0
    for row in range(rooms[one, 1] - 1, rooms[one, 1] + rooms[one, 3] + 1):
        for column in range(rooms[one, 0] - 1, rooms[one, 0] + rooms[one, 2] + 1):
            cell = row * columns + column
            kind = int(kinds[cell])
            if kind in (EDGE, FLOOR, ROCK):
                continue
            direction = _opens(kinds, owners, cell, one + 1, columns)
            if direction < 0:
                continue
            if size == keys.size:
                return FRESH
            cost = _door_price(kinds, cell, direction, columns, salt)
            if kind in (DOOR, CORRIDOR):
                cost = USED_DOOR
            elif not _fits(kind, direction):
                cost = BREAK
            elif door >= 0 and cell != door:
                cost = USED_DOOR
            spent[cell], stamps[cell], came[cell] = cost, stamp, direction + ROOT
            apart = _apart(rooms, other, cell, columns)
            keys[size], cells[size] = cost + AHEAD * apart + apart / 1024, cell
            sift_up(keys, cells, size)
            size += 1
    return size


@kernel(
    "int64(uint8[::1], int32[::1], int64[:, ::1], int64, int64, int64, uint64[::1],"
    " int32[::1], int32[::1], uint8[::1], int64, int64, boolean, boolean, boolean, int64[::1],"
    " float64[::1], int64[::1], int64[::1], int64)"
)
def dig_corridor(
    kinds: Kinds, owners: Owners, rooms: Places, one: int, other: int, columns: int, stream: Stream,
    spent: Owners, stamps: Owners, came: Kinds, stamp: int, width: int, avoid: bool, reuse: bool, anywhere: bool,
    passed: Places, keys: NDArray[np.float64], cells: Places, state: Places, budget: int,
) -> int:  # fmt: skip
    """Dig the cheapest way from one room to another (A*); how many rooms it passes, both included, 0 without a way.

    `spent` holds costs and `came` directions of cells whose stamp is this one's or one more, which means settled: so
    nothing needs to be cleared between two ways. With `anywhere` the doors are drawn by chance first. Looks at
    `budget` cells at most and is UNFINISHED then, or where `keys` and `cells`, which hold the cells that wait, are
    full; to be called again with the same `state`, which is FRESH at first, and longer ones.
    """
    walk = WALK if reuse else STEP
    cross = CROSS_AVOIDED if avoid else CROSS_FREELY
    if state[SALT] == FRESH:
        state[LEFT_BY], state[ENTERED_BY] = -1, -1
        if anywhere:
            state[LEFT_BY] = _chosen_door(kinds, owners, rooms, one, columns, stream)
            state[ENTERED_BY] = _chosen_door(kinds, owners, rooms, other, columns, stream)
        state[SALT] = below(stream, 1 << 16)
    if state[WAITING] == FRESH:
        state[WAITING] = _leave(
            kinds, owners, rooms, one, other, columns, state[SALT], spent, stamps, came, stamp, keys, cells,
            state[LEFT_BY],
        )  # fmt: skip
        if state[WAITING] == FRESH:
            return UNFINISHED
    size, salt, goal_door, goal = int(state[WAITING]), int(state[SALT]), int(state[ENTERED_BY]), -1
    while size > 0:
        if budget == 0 or size + 3 > keys.size:
            state[WAITING] = size
            return UNFINISHED
        budget -= 1
        cell = int(cells[0])
        size -= 1
        sift_down(keys, cells, size)
        if stamps[cell] == stamp + 1:
            continue
        stamps[cell] = stamp + 1
        if owners[cell] == other + 1:
            goal = cell
            break
        kind = int(kinds[cell])
        heading = int(came[cell]) & 3
        for direction in range(4):
            near = cell + shift_of(direction, columns)
            new = int(kinds[near])
            if new == EDGE or stamps[near] == stamp + 1 or owners[near] == one + 1:
                continue
            cost = int(spent[cell]) + (TURN if direction != heading else 0)
            if (kind in (UPRIGHT, ACROSS)) and not _fits(kind, direction):
                cost += BREAK
            if new in (ROCK, FLOOR):
                cost += STEP
            elif new == CORRIDOR:
                cost += walk
            else:
                beyond = owners[near + shift_of(direction, columns)]
                enters = beyond == other + 1
                if new == DOOR:
                    cost += USED_DOOR if enters else cross
                elif not _fits(new, direction):
                    cost += BREAK
                elif enters:
                    cost += _door_price(kinds, near, direction, columns, salt)
                    if goal_door >= 0 and near != goal_door:
                        cost += USED_DOOR
                else:
                    cost += cross + NEW_DOOR
            if stamps[near] == stamp and spent[near] <= cost:
                continue
            spent[near], stamps[near], came[near] = cost, stamp, direction
            apart = _apart(rooms, other, near, columns)
            keys[size], cells[size] = cost + AHEAD * apart + apart / 1024, near
            sift_up(keys, cells, size)
            size += 1
    if goal < 0:
        return 0
    count, cell = _met(owners, goal, passed, 0), goal
    while True:
        direction = int(came[cell])
        _dig(kinds, cell, direction & 3, columns)
        count = _met(owners, cell, passed, count)
        cell -= shift_of(direction & 3, columns)
        if direction & ROOT:
            break
    count = _met(owners, cell, passed, count)
    cell = goal
    while True:
        direction = int(came[cell])
        _widen(kinds, cell, columns, width)
        cell -= shift_of(direction & 3, columns)
        if direction & ROOT:
            return count


@kernel
def _price(kind: int, direction: int, reuse: bool, avoid: bool) -> int:
    """Of a cell on a straight way."""
    if kind == EDGE:
        return BROKEN
    if kind == ROCK:
        return 2
    if kind == CORRIDOR:
        return 1 if reuse else 2
    if kind == FLOOR:
        return 20 if avoid else 2
    if kind == DOOR or _fits(kind, direction):
        return 6
    return BROKEN


@kernel(
    "int64(uint8[::1], int32[::1], int64[:, ::1], int64, int64, int64, uint64[::1], int64, boolean, boolean, int64,"
    " int64[::1])"
)
def dig_straight(
    kinds: Kinds, owners: Owners, rooms: Places, one: int, other: int, columns: int, stream: Stream,
    width: int, avoid: bool, reuse: bool, draws: int, passed: Places,
) -> int:  # fmt: skip
    """Dig the best of some ways with one corner between cells of two rooms; how many rooms it passes.

    0 where all of them break a wall at a corner or along it, or meet what must not be touched.
    """
    best = BROKEN
    best_from, best_to, best_first = 0, 0, 0
    for _ in range(draws):
        start = (rooms[one, 1] + below(stream, rooms[one, 3])) * columns + rooms[one, 0] + below(stream, rooms[one, 2])
        end = (rooms[other, 1] + below(stream, rooms[other, 3])) * columns
        end += rooms[other, 0] + below(stream, rooms[other, 2])
        if owners[start] != one + 1 or owners[end] != other + 1:
            continue
        for first in range(2):  # up or down first, or sideways first
            price, cell = 0, start
            for leg in range(2):
                sideways = (first + leg) & 1
                steps = end % columns - cell % columns if sideways else end // columns - cell // columns
                direction = (1 if steps > 0 else 3) if sideways else (2 if steps > 0 else 0)
                for _ in range(abs(steps)):
                    cell += shift_of(direction, columns)
                    if owners[cell] != one + 1 and owners[cell] != other + 1:
                        price += _price(int(kinds[cell]), direction, reuse, avoid)
                if leg == 0 and int(kinds[cell]) not in (ROCK, FLOOR, CORRIDOR):
                    price += BROKEN  # a corner within a wall leaves no place for a door
            if price < best:
                best, best_from, best_to, best_first = price, start, end, first
    if best == BROKEN:
        return 0
    count = _met(owners, best_from, passed, 0)
    for widening in (False, True):
        cell = best_from
        for leg in range(2):
            sideways = (best_first + leg) & 1
            steps = best_to % columns - cell % columns if sideways else best_to // columns - cell // columns
            direction = (1 if steps > 0 else 3) if sideways else (2 if steps > 0 else 0)
            for _ in range(abs(steps)):
                cell += shift_of(direction, columns)
                if widening:
                    _widen(kinds, cell, columns, width)
                else:
                    _dig(kinds, cell, direction, columns)
                    count = _met(owners, cell, passed, count)
    return count


@kernel
def _is_open(kind: int) -> bool:
    return bool(kind in (FLOOR, CORRIDOR, DOOR))


@kernel("void(uint8[::1], int64, int64, int64)")
def check_doors(kinds: Kinds, columns: int, first: int, last: int) -> None:
    """Make corridors of doors in rows first..last-1 that stand in no wall any more, or beside another door."""
    for row in range(first, last):
        for cell in range(row * columns + 1, row * columns + columns - 1):
            if kinds[cell] != DOOR:
                continue
            above, below_ = int(kinds[cell - columns]), int(kinds[cell + columns])
            before, behind = int(kinds[cell - 1]), int(kinds[cell + 1])
            upright = _is_open(above) and _is_open(below_) and not _is_open(before) and not _is_open(behind)
            across = _is_open(before) and _is_open(behind) and not _is_open(above) and not _is_open(below_)
            beside = above == DOOR or below_ == DOOR or before == DOOR or behind == DOOR
            if beside or not (upright or across):
                kinds[cell] = CORRIDOR


@kernel("void(uint8[::1], int64, uint8[::1], int64, int64)")
def paint(kinds: Kinds, columns: int, words: Kinds, first: int, last: int) -> None:
    """The words of rows first..last-1: walls around all that is open, rock elsewhere."""
    rows = kinds.size // columns
    for row in range(first, last):
        inside = 0 < row < rows - 1
        for column in range(columns):
            cell = row * columns + column
            kind = int(kinds[cell])
            if kind == FLOOR:
                words[cell] = WORD_FLOOR
            elif kind == CORRIDOR:
                words[cell] = WORD_CORRIDOR
            elif kind == DOOR:
                words[cell] = WORD_DOOR
            elif kind in (WALL, UPRIGHT, ACROSS):
                words[cell] = WORD_WALL
            else:
                walled = False
                if inside and 0 < column < columns - 1:
                    for near in (cell - columns, cell, cell + columns):
                        walled |= (
                            _is_open(int(kinds[near - 1]))
                            or _is_open(int(kinds[near]))
                            or _is_open(int(kinds[near + 1]))
                        )
                else:
                    for y in range(max(0, row - 1), min(rows, row + 2)):
                        for x in range(max(0, column - 1), min(columns, column + 2)):
                            walled |= _is_open(int(kinds[y * columns + x]))
                words[cell] = WORD_WALL if walled else WORD_ROCK
