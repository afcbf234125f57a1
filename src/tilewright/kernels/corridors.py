"""Corridors between rooms: positions of doors, paths from room to room, and the walls around them.

A map of rooms is flat with one byte per cell, its kind. The outermost ring is EDGE, so that every other cell has eight
neighbors. Breaking a rule has a high cost but is possible: a path without alternative breaks the corner of a wall, so
that all rooms can be joined where nothing is locked.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import inline, kernel, part
from .directions import shift_of
from .heap import pop, push
from .random import below
from .types import Float64_1D, Int32_1D, Int64_1D, Int64_2D, Record, Uint8_1D, Uint64_1D

ROCK, WALL, UPRIGHT, ACROSS, FLOOR, CORRIDOR, DOOR, EDGE = 0, 1, 2, 3, 4, 5, 6, 7
"""WALL must not be opened; UPRIGHT may be crossed up and down, ACROSS sideways; EDGE is never changed."""
NEW = 8
"""Kind of a corridor cell while the corridor is dug."""
LABEL_FLOOR, LABEL_CORRIDOR, LABEL_DOOR, LABEL_WALL, LABEL_ROCK = 0, 1, 2, 3, 4

STEP, TURN, USED_DOOR, BREAK = 4, 1, 40, 4000
"""Costs of a step through rock, a change of direction, an existing door, and a broken rule."""
WALK, CROSS_FREELY, CROSS_AVOIDED, NEW_DOOR = 2, 8, 1000, 6
"""Costs of a step in an existing corridor, of crossing a room freely or where rooms are avoided, and of a new door
there.
"""
ESTIMATED_STEP = 3
"""Estimated cost of each remaining step: between those of corridors and rock, which narrows the search."""
SPREAD, CROWDED = 12, 24
"""Maximum random cost of a door, and the extra cost of a door near another one: three and six steps."""
BROKEN = 1 << 40
"""Cost of a straight path that breaks a rule: higher than the cost of any path that breaks none."""
ROOT = 8
"""Flag, beside the direction, of cells where a path starts."""
FRESH = -1
"""Salt and heap size of a search that has not started."""
UNFINISHED, NO_PATH = -1, -2
ROOM = np.dtype([("x", np.int64), ("y", np.int64), ("width", np.int64), ("height", np.int64)])
Rooms: TypeAlias = Annotated[NDArray[np.void], ROOM]


class DungeonArrays(NamedTuple):
    """Rooms on a flat map."""

    kinds: Uint8_1D
    owners: Int32_1D
    """Room number of each cell, from 1, or 0."""
    rooms: Rooms
    columns: int


class SearchState(Record):
    """State of a corridor search between calls."""

    salt: int
    """Salt of the random costs of doors."""
    exit_door: int
    entry_door: int
    """Randomly drawn doors, or -1."""
    heap_size: int
    """Number of cells in the heap."""


class SearchArrays(NamedTuple):
    """State of a corridor search. Nothing needs clearing between searches: stamps identify the search of each entry."""

    costs: Int32_1D
    """Cost of each cell, valid if its stamp is that of the search or, for settled cells, one more."""
    stamps: Int32_1D
    came_from: Uint8_1D
    """Direction from which each cell with a valid cost was entered."""
    keys: Float64_1D
    cells: Int64_1D
    """Heap of open cells."""
    state: SearchState


class CorridorStyle(NamedTuple):
    """Options of corridors."""

    width: int
    avoid: bool
    """Whether to avoid other rooms."""
    reuse: bool
    """Whether existing corridors cost less than rock."""
    anywhere: bool
    """Whether to draw doors at random first."""


def as_rooms(rectangles: Int64_2D) -> Rooms:
    """Return (room, 4) x, y, width, height as a ROOM array that shares its memory."""
    return rectangles.view(ROOM).reshape(-1)


@inline
def _can_cross(kind: int, direction: int) -> bool:
    """Return whether a wall may be crossed in a direction."""
    return bool(kind == UPRIGHT if direction & 1 == 0 else kind == ACROSS)


@kernel(allocates=False)
def mark_walls(kinds: Uint8_1D, columns: int, first: int, last: int) -> None:
    """Classify the rock around floors in rows first..last-1: walls that may be crossed in one direction, or corners."""
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


@part
def _find_exit_direction(kinds: Uint8_1D, owners: Int32_1D, cell: int, room: int, columns: int) -> int:
    """Return the direction that leaves a room through this cell of its wall; -1 if the cell is not beside its floor."""
    for direction in range(4):
        if owners[cell - shift_of(direction, columns)] == room and kinds[cell + shift_of(direction, columns)] != EDGE:
            return direction
    return -1


@part
def _draw_door(dungeon: DungeonArrays, number: int, stream: Uint64_1D) -> int:
    """Draw a random cell for a door of a room; -1 if there is none."""
    kinds, columns, room = dungeon.kinds, dungeon.columns, dungeon.rooms[number]
    chosen, count = -1, 0
    for row in range(room["y"] - 1, room["y"] + room["height"] + 1):
        for column in range(room["x"] - 1, room["x"] + room["width"] + 1):
            cell = row * columns + column
            if kinds[cell] == UPRIGHT or kinds[cell] == ACROSS:
                direction = _find_exit_direction(kinds, dungeon.owners, cell, number + 1, columns)
                if direction >= 0:
                    beyond = kinds[cell + shift_of(direction, columns)]
                    if beyond in (ROCK, CORRIDOR) or beyond == kinds[cell]:
                        count += 1
                        if below(stream, count) == 0:
                            chosen = cell
    return chosen


@part
def _dig(kinds: Uint8_1D, cell: int, direction: int, columns: int) -> None:
    """Dig a path through a cell: a door if it may cross the wall there, otherwise a corridor, marked NEW if it was
    rock.
    """
    kind = int(kinds[cell])
    if kind in (FLOOR, DOOR, CORRIDOR):
        return
    beside = False
    for side in range(4):
        beside |= kinds[cell + shift_of(side, columns)] == DOOR
    if _can_cross(kind, direction) and not beside:
        kinds[cell] = DOOR
        for turn in (1, 3):
            side = cell + shift_of((direction + turn) & 3, columns)
            if kinds[side] == UPRIGHT or kinds[side] == ACROSS:
                kinds[side] = WALL
        return
    kinds[cell] = NEW if kind == ROCK else CORRIDOR


@part
def _dig_rock(kinds: Uint8_1D, cell: int) -> bool:
    """Dig a cell if it is rock; return whether it is now part of a corridor."""
    if kinds[cell] == ROCK:
        kinds[cell] = CORRIDOR
    return bool(kinds[cell] in (CORRIDOR, NEW))


@part
def _widen(kinds: Uint8_1D, cell: int, columns: int, width: int) -> None:
    """Make a NEW cell a corridor, and widen it into the rock around: up and down, and from there sideways.

    Cells behind walls are not dug, since they could be unreachable.
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
                if not _dig_rock(kinds, spine):
                    break
            for across in (-1, 1):
                near = spine
                for _ in range(before if across < 0 else behind):
                    near += across
                    if not _dig_rock(kinds, near):
                        break


@part
def _record_room(owners: Int32_1D, cell: int, passed: Int64_1D, count: int) -> int:
    """Record the room on a path; return the number recorded."""
    if owners[cell] > 0 and (count == 0 or passed[count - 1] != owners[cell] - 1) and count < passed.size:
        passed[count] = owners[cell] - 1
        return count + 1
    return count


@inline
def _distance(rooms: Rooms, number: int, cell: int, columns: int) -> int:
    """Return the minimum number of steps from a cell to a room's floor."""
    room, row, column = rooms[number], cell // columns, cell % columns
    across = max(0, room["x"] - column, column - room["x"] - room["width"] + 1)
    down = max(0, room["y"] - row, row - room["y"] - room["height"] + 1)
    return int(across + down)


@part
def _door_cost(kinds: Uint8_1D, cell: int, direction: int, columns: int, salt: int) -> int:
    """Return the cost of a new door: partly random, and higher if another door is two cells away in the same wall."""
    price = STEP + ((cell * 7919 + salt) & 0xFFFF) % SPREAD
    step = 2 * shift_of((direction + 1) & 3, columns)
    for place in (cell - step, cell + step):
        if 0 <= place < kinds.size and kinds[place] == DOOR:
            price += CROWDED
    return price


@inline
def _push(
    dungeon: DungeonArrays, search: SearchArrays, cell: int, cost: int, came: int, goal: int, stamp: int, size: int
) -> int:
    """Add a cell to the heap at a cost; return the heap size."""
    search.costs[cell], search.stamps[cell], search.came_from[cell] = cost, stamp, came
    ahead = _distance(dungeon.rooms, goal, cell, dungeon.columns)
    return push(search.keys, search.cells, size, cost + ESTIMATED_STEP * ahead + ahead / 1024, cell)


@part
def _start_search(dungeon: DungeonArrays, search: SearchArrays, one: int, other: int, stamp: int) -> int:
    """Push every cell of a room's walls with the cost of a door; return the heap size, or FRESH if the heap is full."""
    kinds, columns, room, state = dungeon.kinds, dungeon.columns, dungeon.rooms[one], search.state
    size = 0
    for row in range(room["y"] - 1, room["y"] + room["height"] + 1):
        for column in range(room["x"] - 1, room["x"] + room["width"] + 1):
            cell = row * columns + column
            kind = int(kinds[cell])
            if kind in (EDGE, FLOOR, ROCK):
                continue
            direction = _find_exit_direction(kinds, dungeon.owners, cell, one + 1, columns)
            if direction < 0:
                continue
            if size == search.keys.size:
                return FRESH
            cost = _door_cost(kinds, cell, direction, columns, state.salt)
            if kind in (DOOR, CORRIDOR):
                cost = USED_DOOR
            elif not _can_cross(kind, direction):
                cost = BREAK
            elif state.exit_door >= 0 and cell != state.exit_door:
                cost = USED_DOOR
            size = _push(dungeon, search, cell, cost, direction + ROOT, other, stamp, size)
    return size


@part
def _search(
    dungeon: DungeonArrays, search: SearchArrays, style: CorridorStyle, one: int, other: int, stamp: int, budget: int
) -> int:
    """Search until a cell of the other room is settled; return this cell, or UNFINISHED or NO_PATH."""
    kinds, owners, columns = dungeon.kinds, dungeon.owners, dungeon.columns
    spent, stamps, state = search.costs, search.stamps, search.state
    walk = WALK if style.reuse else STEP
    cross = CROSS_AVOIDED if style.avoid else CROSS_FREELY
    size = int(state.heap_size)
    while size > 0:
        if budget == 0 or size + 3 > search.keys.size:
            state.heap_size = size
            return UNFINISHED
        budget -= 1
        cell = int(search.cells[0])
        size = pop(search.keys, search.cells, size)
        if stamps[cell] == stamp + 1:
            continue
        stamps[cell] = stamp + 1
        if owners[cell] == other + 1:
            return cell
        kind = int(kinds[cell])
        heading = int(search.came_from[cell]) & 3
        for direction in range(4):
            near = cell + shift_of(direction, columns)
            new = int(kinds[near])
            if new == EDGE or stamps[near] == stamp + 1 or owners[near] == one + 1:
                continue
            cost = int(spent[cell]) + (TURN if direction != heading else 0)
            if (kind in (UPRIGHT, ACROSS)) and not _can_cross(kind, direction):
                cost += BREAK
            if new in (ROCK, FLOOR):
                cost += STEP
            elif new == CORRIDOR:
                cost += walk
            else:
                enters = owners[near + shift_of(direction, columns)] == other + 1
                if new == DOOR:
                    cost += USED_DOOR if enters else cross
                elif not _can_cross(new, direction):
                    cost += BREAK
                elif enters:
                    cost += _door_cost(kinds, near, direction, columns, state.salt)
                    if state.entry_door >= 0 and near != state.entry_door:
                        cost += USED_DOOR
                else:
                    cost += cross + NEW_DOOR
            if stamps[near] == stamp and spent[near] <= cost:
                continue
            size = _push(dungeon, search, near, cost, direction, other, stamp, size)
    return NO_PATH


@kernel(allocates=False)
def dig_corridor(
    dungeon: DungeonArrays, search: SearchArrays, style: CorridorStyle, stream: Uint64_1D, passed: Int64_1D,
    one: int, other: int, stamp: int, budget: int,
) -> int:  # fmt: skip
    """Dig the cheapest path from one room to another (A*); return the number of rooms on the path, or 0.

    The first and the last room are counted; 0 means that there is no path. Returns UNFINISHED after `budget` cells or
    if the heap is full. Call it again with the same state and, if the heap is full, a longer heap. Salt and heap size
    are FRESH between searches. Each search needs a stamp larger by 2.
    """
    kinds, owners, columns, state = dungeon.kinds, dungeon.owners, dungeon.columns, search.state
    if state.salt == FRESH:
        state.exit_door, state.entry_door = -1, -1
        if style.anywhere:
            state.exit_door = _draw_door(dungeon, one, stream)
            state.entry_door = _draw_door(dungeon, other, stream)
        state.salt = below(stream, 1 << 16)
    if state.heap_size == FRESH:
        state.heap_size = _start_search(dungeon, search, one, other, stamp)
        if state.heap_size == FRESH:
            return UNFINISHED
    goal = _search(dungeon, search, style, one, other, stamp, budget)
    if goal == UNFINISHED:
        return UNFINISHED
    state.salt, state.heap_size = FRESH, FRESH
    if goal == NO_PATH:
        return 0
    count, cell, came = _record_room(owners, goal, passed, 0), goal, 0
    while not came & ROOT:
        came = int(search.came_from[cell])
        _dig(kinds, cell, came & 3, columns)
        count = _record_room(owners, cell, passed, count)
        cell -= shift_of(came & 3, columns)
    count = _record_room(owners, cell, passed, count)
    cell, came = goal, 0
    while not came & ROOT:
        came = int(search.came_from[cell])
        _widen(kinds, cell, columns, style.width)
        cell -= shift_of(came & 3, columns)
    return count


@part
def _straight_cost(kind: int, direction: int, reuse: bool, avoid: bool) -> int:
    """Return the cost of a cell on a straight path."""
    if kind == EDGE:
        return BROKEN
    if kind == ROCK:
        return 2
    if kind == CORRIDOR:
        return 1 if reuse else 2
    if kind == FLOOR:
        return 20 if avoid else 2
    if kind == DOOR or _can_cross(kind, direction):
        return 6
    return BROKEN


@part
def _draw_cell(room: np.void, columns: int, stream: Uint64_1D) -> int:
    """Draw a random cell of a room's rectangle."""
    row = room["y"] + below(stream, room["height"])
    return int(row * columns + room["x"] + below(stream, room["width"]))


@part
def _measure_leg(start: int, end: int, sideways: int, columns: int) -> tuple[int, int]:
    """Return the direction and the length of a straight path to the row or the column of `end`."""
    if sideways:
        steps = end % columns - start % columns
        return 1 if steps > 0 else 3, abs(steps)
    steps = end // columns - start // columns
    return 2 if steps > 0 else 0, abs(steps)


@kernel(allocates=False)
def dig_straight(
    dungeon: DungeonArrays, style: CorridorStyle, one: int, other: int, stream: Uint64_1D, draws: int, passed: Int64_1D
) -> int:
    """Dig the best of `draws` random paths with one corner between two rooms; return the number of rooms on this path.

    Returns 0 if all paths break a wall, or meet cells that must not change.
    """
    kinds, owners, columns = dungeon.kinds, dungeon.owners, dungeon.columns
    best = BROKEN
    best_from, best_to, best_first = 0, 0, 0
    for _ in range(draws):
        start = _draw_cell(dungeon.rooms[one], columns, stream)
        end = _draw_cell(dungeon.rooms[other], columns, stream)
        if owners[start] != one + 1 or owners[end] != other + 1:
            continue
        for first in range(2):  # Vertical first, or horizontal first.
            price, cell = 0, start
            for leg in range(2):
                direction, steps = _measure_leg(cell, end, (first + leg) & 1, columns)
                for _ in range(steps):
                    cell += shift_of(direction, columns)
                    if owners[cell] != one + 1 and owners[cell] != other + 1:
                        price += _straight_cost(int(kinds[cell]), direction, style.reuse, style.avoid)
                if leg == 0 and int(kinds[cell]) not in (ROCK, FLOOR, CORRIDOR):
                    price += BROKEN  # A corner within a wall leaves no space for a door.
            if price < best:
                best, best_from, best_to, best_first = price, start, end, first
    if best == BROKEN:
        return 0
    count = _record_room(owners, best_from, passed, 0)
    for widening in (False, True):
        cell = best_from
        for leg in range(2):
            direction, steps = _measure_leg(cell, best_to, (best_first + leg) & 1, columns)
            for _ in range(steps):
                cell += shift_of(direction, columns)
                if widening:
                    _widen(kinds, cell, columns, style.width)
                else:
                    _dig(kinds, cell, direction, columns)
                    count = _record_room(owners, cell, passed, count)
    return count


@part
def _is_open(kind: int) -> bool:
    return bool(kind in (FLOOR, CORRIDOR, DOOR))


@kernel(allocates=False)
def check_doors(kinds: Uint8_1D, columns: int, first: int, last: int) -> None:
    """Turn doors in rows first..last-1 into corridors if they are no longer in a wall, or are beside another door."""
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


@kernel(allocates=False)
def paint(kinds: Uint8_1D, columns: int, labels: Uint8_1D, first: int, last: int) -> None:
    """Write the labels of rows first..last-1: walls around open cells, rock elsewhere."""
    rows = kinds.size // columns
    for row in range(first, last):
        inside = 0 < row < rows - 1
        for column in range(columns):
            cell = row * columns + column
            kind = int(kinds[cell])
            if kind == FLOOR:
                labels[cell] = LABEL_FLOOR
            elif kind == CORRIDOR:
                labels[cell] = LABEL_CORRIDOR
            elif kind == DOOR:
                labels[cell] = LABEL_DOOR
            elif kind in (WALL, UPRIGHT, ACROSS):
                labels[cell] = LABEL_WALL
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
                labels[cell] = LABEL_WALL if walled else LABEL_ROCK
