"""Optimisers of boards, as kernels/patterns has them: simulated annealing, and evolution with and without crossover.

Source: Kirkpatrick, Gelatt, Vecchi, "Optimization by simulated annealing", 1983; Lucas and Volz, "Tile pattern
KL-divergence for analysing and evolving game levels", 2019 (the stamps).
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import kernel
from .patterns import (
    BOARD,
    CELLS,
    Board,
    Layout,
    Numbers,
    is_full,
    keep,
    keep_windows,
    try_tile,
    try_windows,
    undo,
    write,
)
from .random import below, random

Reals: TypeAlias = NDArray[np.float64]
Stream: TypeAlias = NDArray[np.uint64]
Flags: TypeAlias = NDArray[np.uint8]
Stamps: TypeAlias = tuple[Any, ...]
"""windows, (window, cell) of the samples, one pool after the other; pools, (pool, 2) their first window and how many;
origins, (place, 2) first cells and the pools for them; ranges, (size, 3) first origin, how many, first pool; around,
(size, other size, window) where, seen from a stamp, the windows begin that it touches, and how many these are."""
STAMPS = "Tuple((uint16[:, ::1], int64[:, ::1], int32[:, ::1], int64[:, ::1], int64[:, :, ::1], int64[:, ::1]))"
Members: TypeAlias = tuple[Any, ...]
"""What a board has of every member: cells, slots, keys, counts, which, layout, each with a first axis for members."""
MEMBERS = "Tuple((uint16[:, ::1], int32[:, :, ::1], uint64[:, ::1], int32[:, ::1], int32[:, ::1], int64[:, :, ::1]))"
REDRAWS = 8
"""Windows drawn until one would change something."""


@kernel
def _stamp(
    board: Board, stamps: Stamps, locked: Flags, stream: Stream, top: int, edits: Numbers, count: int
) -> tuple[float, int, int]:
    """Put any window of the samples anywhere: what it costs, the log's new end, and how many edits there are.

    The windows are for `keep_windows` to keep. One that stands there already is drawn again, a few times. An edit is a
    cell, its tile before and its tile now. `locked` may be empty.
    """
    cells, homes, layout, shifts = board[0], board[2], board[10], board[11]
    windows, pools, origins, ranges, around, lengths = stamps
    cost = 0.0
    for _ in range(REDRAWS):
        size = 0
        if len(layout) > 1:
            size = below(stream, len(layout))
        chosen = ranges[size, 0] + below(stream, ranges[size, 1])
        pool = ranges[size, 2] + origins[chosen, 1]
        window = pools[pool, 0] + below(stream, pools[pool, 1])
        before = count
        for number in range(layout[size, CELLS]):
            place = int(origins[chosen, 0] + shifts[size, number])
            if homes.size:
                place = int(homes[place])
            tile = int(windows[window, number])
            if (locked.size and locked[place]) or cells[place] == tile:
                continue
            edits[count, 0], edits[count, 1], edits[count, 2] = place, cells[place], tile
            count += 1
            write(board, place, tile)
        if count > before:
            cost, top = try_windows(board, top, int(origins[chosen, 0]), around[size], lengths[size])
            break
    return cost, top, count


@kernel
def _take_back(board: Board, top: int, edits: Numbers, count: int) -> None:
    undo(board, top, True)
    for edit in range(count - 1, -1, -1):
        write(board, edits[edit, 0], edits[edit, 1])


@kernel
def _shift(
    board: Board, strides: Layout, side: int, free: Numbers, frozen: Flags, stream: Stream, edits: Numbers
) -> tuple[float, int, int]:
    """Move what lies in a box by one cell: what it costs, the log's end, and how many edits there are."""
    cells, axes = board[0], len(strides)
    corner = int(free[below(stream, free.size)])
    axis, back = below(stream, axes), below(stream, 2) == 0
    shift = -strides[axis] if back else strides[axis]
    deep = 1 + below(stream, side) if axes == 3 else 1
    down, across = 1 + below(stream, side), 1 + below(stream, side)
    cost, top, count = 0.0, 0, 0
    for number in range(deep * down * across):
        if back:  # so that a cell is read before it is written
            number = deep * down * across - 1 - number
        place = corner + number // across % down * strides[axes - 2] + number % across
        if axes == 3:
            place += number // (across * down) * strides[0]
        if place >= cells.size or frozen[place] or frozen[place + shift]:
            continue
        tile = int(cells[place + shift])
        if tile == cells[place]:
            continue
        edits[count, 0], edits[count, 1], edits[count, 2] = place, cells[place], tile
        count += 1
        more, end = try_tile(board, top, place, tile, np.inf)
        keep(board, top, end, place, tile)
        cost, top = cost + more, end
    return cost, top, count


@kernel(
    f"int64({BOARD}, {STAMPS}, uint8[::1], uint8[::1], int32[::1], int64, int64[::1], uint64[::1], float64[::1],"
    " float64[::1], float64[::1], float64[::1], int64, int64, int64)"
)
def anneal(
    board: Board, stamps: Stamps, locked: Flags, frozen: Flags, free: Numbers, tiles: int, strides: Layout,
    stream: Stream, moves: Reals, heat: Reals, quantiles: Reals, total: Reals, first: int, last: int, steps: int,
) -> int:  # fmt: skip
    """Steps first..last-1 of simulated annealing; the step that comes next, earlier where hashed slots are used up.

    A step gives any free cell any other tile or, with the chance moves[0], puts any window of the samples anywhere, or,
    with the chance moves[1] - moves[0], moves a box by one cell, its sides moves[2] at most; that stays if it is no
    worse, or not worse than heat allows. `heat` is given for equally distant moments from the
    first of all `steps` to the last. `quantiles` are those of how much worse, in units of heat, is still allowed.
    What changes is added to total[0].
    """
    cells = board[0]
    side = int(moves[2])
    edits = np.empty((max(board[11].shape[1], side ** len(strides)), 3), dtype=np.int32)
    for step in range(first, last):
        if is_full(board):
            return step
        moment = step / steps * (heat.size - 1)
        stage = int(moment)
        now = heat[stage] + (heat[stage + 1] - heat[stage]) * (moment - stage)
        limit = now * quantiles[below(stream, quantiles.size)]
        kind = random(stream)
        if kind < moves[1]:
            if kind < moves[0]:
                cost, top, count = _stamp(board, stamps, locked, stream, 0, edits, 0)
            else:
                cost, top, count = _shift(board, strides, side, free, frozen, stream, edits)
            if cost <= limit:
                total[0] += cost
                keep_windows(board, 0, top)
            else:
                _take_back(board, top, edits, count)
            continue
        place = int(free[below(stream, free.size)])
        old = int(cells[place])
        tile = below(stream, tiles - 1)
        tile += tile >= old
        cost, top = try_tile(board, 0, place, tile, limit)
        if cost <= limit:
            total[0] += cost
            keep(board, 0, top, place, tile)
        else:
            undo(board, top, False)
    return last


@kernel
def _cross(
    board: Board, other: NDArray[np.uint16], patch: Layout, free: Numbers, frozen: Flags, stream: Stream,
    edits: Numbers,
) -> tuple[float, int, int]:  # fmt: skip
    """Put a patch of another member in the same place: cost, the log's end, and how many edits there are.

    `patch` is its greatest side, and the strides of levels (0 if there are none) and rows.
    """
    cells = board[0]
    corner = int(free[below(stream, free.size)])
    down, across, deep = 1 + below(stream, patch[0]), 1 + below(stream, patch[0]), 1
    if patch[1] > 0:
        deep = 1 + below(stream, patch[0])
    cost, top, count = 0.0, 0, 0
    for level in range(deep):
        for row in range(down):
            for column in range(across):
                place = corner + level * patch[1] + row * patch[2] + column
                if place >= cells.size or frozen[place] or cells[place] == other[place]:
                    continue
                tile = int(other[place])
                edits[count, 0], edits[count, 1], edits[count, 2] = place, cells[place], tile
                count += 1
                more, end = try_tile(board, top, place, tile, np.inf)
                keep(board, top, end, place, tile)
                cost, top = cost + more, end
    return cost, top, count


@kernel
def _member(board: Board, members: Members, number: int) -> Board:
    """The board of one member."""
    _, twins, homes, _, _, _, _, terms, gains, firsts, _, shifts, multipliers, log, new = board
    cells, slots, keys, counts, which, layout = members
    return (
        cells[number], twins, homes, slots[number], keys[number], counts[number], which[number], terms, gains, firsts,
        layout[number], shifts, multipliers, log, new,
    )  # fmt: skip


@kernel
def _ranked(values: Reals, rank: int) -> int:
    """The member of this rank, from the best on; of equals the first."""
    for member in range(values.size):
        better = 0
        for other in range(values.size):
            better += values[other] < values[member] or (values[other] == values[member] and other < member)
        if better == rank:
            return member
    return 0


@kernel
def _succeed(
    board: Board, members: Members, edits: Numbers, sizes: Layout, parents: Layout, values: Reals, born: Reals,
    order: Layout,
) -> None:  # fmt: skip
    """Let the first half of the order live, in the members' places.

    Members that stay keep theirs; a child takes its parent's where that is free, and is a copy elsewhere.
    """
    cells, slots, keys, counts, which, layout = members
    number = len(cells)
    homes, taken = np.full(number, -1, dtype=np.int64), np.zeros(number, dtype=np.uint8)
    for rank in range(number):
        if order[rank] >= number:
            homes[rank] = order[rank] - number
            taken[homes[rank]] = 1
    for rank in range(number):
        if order[rank] < number and not taken[parents[order[rank]]]:
            homes[rank] = parents[order[rank]]
            taken[homes[rank]] = 1
    free = 0
    for rank in range(number):  # copies are made before any parent changes
        if homes[rank] >= 0:
            continue
        while taken[free]:
            free += 1
        homes[rank], taken[free] = free, 1
        source = parents[order[rank]]
        cells[free], slots[free], keys[free] = cells[source], slots[source], keys[source]
        counts[free], which[free], layout[free] = counts[source], which[source], layout[source]
    for rank in range(number):
        child, home = order[rank], homes[rank]
        if child < number:
            own = _member(board, members, int(home))
            for edit in range(sizes[child]):
                place, tile = int(edits[child, edit, 0]), int(edits[child, edit, 2])
                _, top = try_tile(own, 0, place, tile, np.inf)
                keep(own, 0, top, place, tile)
            values[home] = born[child]


@kernel(
    f"int64({BOARD}, {MEMBERS}, {STAMPS}, uint8[::1], uint8[::1], int32[::1], int64[::1], float64[::1], uint64[::1],"
    " int64, float64, float64, int64, int64)"
)
def evolve(
    board: Board, members: Members, stamps: Stamps, locked: Flags, frozen: Flags, free: Numbers, patch: Layout,
    values: Reals, stream: Stream, times: int, noise: float, crossing: float, first: int, last: int,
) -> int:  # fmt: skip
    """Generations first..last-1 of a population; the one that comes next, earlier where hashed slots are used up.

    Each generation has as many children as members: a member, the better the likelier, with 1 to `times` windows of the
    samples put anywhere, or with the chance `crossing` a patch of another member. Of both the best stay, and of equals
    the children; noise disturbs the order. `values` are the members' divergences. Children are tried on their parents
    and taken back; members are copied only where a child stays beside its parent.
    """
    number = len(values)
    most = max(times * board[11].shape[1], patch[0] ** (3 if patch[1] > 0 else 2))
    edits = np.empty((number, most, 3), dtype=np.int32)
    sizes, parents = np.empty(number, dtype=np.int64), np.empty(number, dtype=np.int64)
    born, ranks = np.empty(number), np.empty(2 * number)
    order = np.empty(2 * number, dtype=np.int64)
    for step in range(first, last):
        for member in range(number):
            if is_full(_member(board, members, member)):
                return step
        for child in range(number):
            parent = 0
            if number > 1:  # a member of rank r, from the best on, has number - r of all chances
                mark = below(stream, number * (number + 1) // 2)
                rank = 0
                while mark >= number - rank:
                    mark -= number - rank
                    rank += 1
                parent = _ranked(values, rank)
            own = _member(board, members, parent)
            cost, top, count = 0.0, 0, 0
            if number > 1 and crossing > 0 and random(stream) < crossing:
                other = below(stream, number - 1)
                other += other >= parent
                cost, top, count = _cross(own, members[0][other], patch, free, frozen, stream, edits[child])
            else:
                for _ in range(1 + below(stream, times)):
                    more, end, count = _stamp(own, stamps, locked, stream, top, edits[child], count)
                    keep_windows(own, top, end)
                    cost, top = cost + more, end
            if number == 1 and cost <= (noise * (random(stream) - random(stream)) if noise > 0 else 0.0):
                values[0] += cost
                continue
            sizes[child], parents[child], born[child] = count, parent, values[parent] + cost
            _take_back(own, top, edits[child], count)
        if number == 1:
            continue
        for one in range(2 * number):  # children come first, so that they win ties
            ranks[one] = born[one] if one < number else values[one - number]
            if noise > 0:
                ranks[one] += noise * random(stream)
            place = one
            while place > 0 and ranks[order[place - 1]] > ranks[one]:
                order[place] = order[place - 1]
                place -= 1
            order[place] = one
        _succeed(board, members, edits, sizes, parents, values, born, order)
    return last
