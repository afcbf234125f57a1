"""Optimizers of maps with pattern counts: simulated annealing, and evolution with and without crossover.

Source: Kirkpatrick, Gelatt, Vecchi, "Optimization by simulated annealing", 1983; Lucas and Volz, "Tile pattern
KL-divergence for analysing and evolving game levels", 2019 (the stamps).
"""

from __future__ import annotations

from typing import Annotated, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import kernel, part
from .patterns import (
    LAYOUT,
    CounterArrays,
    Geometry,
    find_cell,
    is_full,
    keep,
    keep_windows,
    try_box,
    try_tile,
    undo,
    write,
)
from .random import below, random
from .types import (
    Float64_1D,
    Int32_1D,
    Int32_2D,
    Int32_3D,
    Int64_1D,
    Int64_2D,
    Uint8_1D,
    Uint16_1D,
    Uint16_2D,
    Uint64_1D,
    Uint64_2D,
)

EDIT = np.dtype([("place", np.int32), ("before", np.int32), ("after", np.int32)])
"""A changed cell, its old and its new tile."""
Edits: TypeAlias = Annotated[NDArray[np.void], EDIT]


class StampArrays(NamedTuple):
    """Windows of the samples (stamps), and where each may be placed."""

    windows: Uint16_2D
    """(window, cell) tile, sorted by pool."""
    pools: Int64_2D
    """(pool, 2) first window, and number of windows."""
    origins: Int32_2D
    """(place, 2) first cell, and its pool."""
    ranges: Int64_2D
    """(size, 3) first origin, number of origins, and first pool."""


class MemberArrays(NamedTuple):
    """Arrays of all members of a population, as in CounterArrays with a first axis for members."""

    cells: Uint16_2D
    slots: Int32_3D
    keys: Uint64_2D
    counts: Int32_2D
    term_rows: Int32_2D
    layout: Annotated[NDArray[np.void], LAYOUT, 2]


class Generation(NamedTuple):
    """Work space of `evolve`."""

    edits: Annotated[NDArray[np.void], EDIT, 2]
    """(child, edit) edit."""
    sizes: Int64_1D
    """(child,) number of edits."""
    parents: Int64_1D
    """(child,) member."""
    values: Float64_1D
    """(child,) divergence."""
    ranks: Float64_1D
    """(child or member,) divergence with noise."""
    order: Int64_1D
    """(rank,) child or member."""
    homes: Int64_1D
    """(rank,) place of the member that the child or member replaces."""
    taken: Uint8_1D
    """(member,) whether it is a home."""


MAX_REDRAWS = 8
"""Maximum number of draws of a stamp that changes the map."""


@part
def _stamp(
    counter: CounterArrays,
    geometry: Geometry,
    stamps: StampArrays,
    locked: Uint8_1D,
    stream: Uint64_1D,
    top: int,
    edits: Edits,
    count: int,
) -> tuple[float, int, int]:
    """Write a random stamp at a random place; return its cost, the new end of the log, and the number of edits.

    `keep_windows` applies the changed counts. A stamp that changes nothing is drawn again up to MAX_REDRAWS times.
    `locked` may be empty.
    """
    layout, origins = counter.layout, stamps.origins
    cost = 0.0
    for _ in range(MAX_REDRAWS):
        size = 0
        if len(layout) > 1:
            size = below(stream, len(layout))
        chosen = stamps.ranges[size, 0] + below(stream, stamps.ranges[size, 1])
        pool = stamps.ranges[size, 2] + origins[chosen, 1]
        window = stamps.pools[pool, 0] + below(stream, stamps.pools[pool, 1])
        before = count
        for number in range(layout[size]["cells"]):
            place = np.int64(origins[chosen, 0] + counter.shifts[size, number])
            if counter.originals.size:
                place = np.int64(counter.originals[place])
            tile = np.int64(stamps.windows[window, number])
            if (locked.size and locked[place]) or counter.cells[place] == tile:
                continue
            edit = edits[count]
            edit["place"], edit["before"], edit["after"] = place, counter.cells[place], tile
            count += 1
            write(counter, int(place), int(tile))
        if count > before:
            corner = find_cell(geometry, int(np.int64(origins[chosen, 0])))
            starts = geometry.starts[size]
            box = int(starts[0, 2]), int(starts[1, 2]), int(starts[2, 2])
            cost, top = try_box(counter, geometry, top, corner, box, np.inf)
            break
    return cost, top, count


@part
def revert(counter: CounterArrays, top: int, edits: Edits, count: int) -> None:
    """Revert all windows of the log and the cells of all edits."""
    undo(counter, top, True)
    for number in range(count - 1, -1, -1):
        edit = edits[number]
        write(counter, int(np.int64(edit["place"])), int(np.int64(edit["before"])))


@part
def _set_tile(counter: CounterArrays, place: int, tile: int, top: int, edits: Edits, count: int) -> tuple[float, int]:
    """Change the tile of a cell and record an edit; return the cost and the new end of the log."""
    edit = edits[count]
    edit["place"], edit["before"], edit["after"] = place, counter.cells[place], tile
    cost, end = try_tile(counter, top, place, tile, np.inf)
    keep(counter, top, end, place, tile)
    return cost, end


@part
def _cross(
    counter: CounterArrays,
    other: Uint16_1D,
    patch: Int64_1D,
    free: Int32_1D,
    frozen: Uint8_1D,
    stream: Uint64_1D,
    edits: Edits,
) -> tuple[float, int, int]:
    """Copy a patch of another member to the same place; return cost, end of the log, and number of edits.

    `patch` has the maximum edge length, and the strides of levels (0 if there are none) and rows.
    """
    cells = counter.cells
    corner = np.int64(free[below(stream, free.size)])
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
                more, top = _set_tile(counter, int(place), int(np.int64(other[place])), top, edits, count)
                cost, count = cost + more, count + 1
    return cost, top, count


@part
def _select_member(counter: CounterArrays, members: MemberArrays, number: int) -> CounterArrays:
    """Return the counter of one member."""
    return CounterArrays(
        members.cells[number],
        counter.next_copies,
        counter.originals,
        members.slots[number],
        members.keys[number],
        members.counts[number],
        members.term_rows[number],
        counter.terms,
        counter.gains,
        counter.firsts,
        members.layout[number],
        counter.shifts,
        counter.multipliers,
        counter.log,
        counter.new,
    )


@part
def _find_by_rank(values: Float64_1D, rank: int) -> int:
    """Return the member with the given rank, where 0 is the best; on ties, the first member comes first."""
    for member in range(values.size):
        better = 0
        for other in range(values.size):
            better += values[other] < values[member] or (values[other] == values[member] and other < member)
        if better == rank:
            return member
    return 0


@part
def _copy_row(table: NDArray[np.generic], source: int, target: int) -> None:
    for place in range(table.shape[1]):
        table[target, place] = table[source, place]


@part
def _replace_members(counter: CounterArrays, members: MemberArrays, generation: Generation, values: Float64_1D) -> None:
    """Replace the members by the first half of `order`.

    Surviving members keep their places. A child takes the place of its parent, unless the parent or another child
    already has this place. In that case, the parent is first copied to an unused place, which the child takes.
    """
    number, order, parents = len(values), generation.order, generation.parents
    homes, taken = generation.homes, generation.taken
    for member in range(number):
        homes[member], taken[member] = -1, 0
    for rank in range(number):
        if order[rank] >= number:
            homes[rank] = order[rank] - number
            taken[homes[rank]] = 1
    for rank in range(number):
        if order[rank] < number and not taken[parents[order[rank]]]:
            homes[rank] = parents[order[rank]]
            taken[homes[rank]] = 1
    free = 0
    for rank in range(number):  # copy members before any parent changes
        if homes[rank] >= 0:
            continue
        while taken[free]:
            free += 1
        homes[rank], taken[free] = free, 1
        source = parents[order[rank]]
        _copy_row(members.cells, int(source), free)
        _copy_row(members.keys, int(source), free)
        _copy_row(members.counts, int(source), free)
        _copy_row(members.term_rows, int(source), free)
        for size in range(members.layout.shape[1]):
            members.layout[free, size]["used"] = members.layout[source, size]["used"]  # the rest is equal
            for place in range(members.slots.shape[2]):
                members.slots[free, size, place] = members.slots[source, size, place]
    for rank in range(number):
        child, home = order[rank], homes[rank]
        if child < number:
            own = _select_member(counter, members, int(home))
            for place in range(generation.sizes[child]):
                edit = generation.edits[child, place]
                at, tile = int(np.int64(edit["place"])), int(np.int64(edit["after"]))
                _, top = try_tile(own, 0, at, tile, np.inf)
                keep(own, 0, top, at, tile)
            values[home] = generation.values[child]


@kernel(allocates=False)
def evolve(
    counter: CounterArrays,
    geometry: Geometry,
    members: MemberArrays,
    stamps: StampArrays,
    generation: Generation,
    locked: Uint8_1D,
    frozen: Uint8_1D,
    free: Int32_1D,
    patch: Int64_1D,
    values: Float64_1D,
    stream: Uint64_1D,
    max_stamps: int,
    noise: float,
    crossing: float,
    first: int,
    last: int,
) -> int:
    """Run generations first..last-1 of a population; return the next generation, earlier if the hash slots are full.

    Each generation has as many children as members. A child is a member, chosen with a probability that decreases with
    its rank, with 1 to `max_stamps` random stamps or, with the probability `crossing`, a patch of another member. The
    best of members and children survive; children win ties, and noise perturbs the ranking. `values` are the members'
    divergences. Children are evaluated on their parents and reverted; a member is copied only if it survives together
    with its child.
    """
    number, ranks, order = len(values), generation.ranks, generation.order
    for step in range(first, last):
        for member in range(number):
            if is_full(members.layout[member]):
                return step
        for child in range(number):
            parent = 0
            if number > 1:  # the weight of rank r is number - r
                mark = below(stream, number * (number + 1) // 2)
                rank = 0
                while mark >= number - rank:
                    mark -= number - rank
                    rank += 1
                parent = _find_by_rank(values, rank)
            own, edits = _select_member(counter, members, parent), generation.edits[child]
            cost, top, count = 0.0, 0, 0
            if number > 1 and crossing > 0 and random(stream) < crossing:
                other = below(stream, number - 1)
                other += other >= parent
                cost, top, count = _cross(own, members.cells[other], patch, free, frozen, stream, edits)
            else:
                for _ in range(1 + below(stream, max_stamps)):
                    more, end, count = _stamp(own, geometry, stamps, locked, stream, top, edits, count)
                    keep_windows(own, top, end)
                    cost, top = cost + more, end
            if number == 1 and cost <= (noise * (random(stream) - random(stream)) if noise > 0 else 0.0):
                values[0] += cost
                continue
            generation.sizes[child], generation.parents[child] = count, parent
            generation.values[child] = values[parent] + cost
            revert(own, top, edits, count)
        if number == 1:
            continue
        for one in range(2 * number):  # children come first, so they win ties
            ranks[one] = generation.values[one] if one < number else values[one - number]
            if noise > 0:
                ranks[one] += noise * random(stream)
            place = one
            while place > 0 and ranks[order[place - 1]] > ranks[one]:
                order[place] = order[place - 1]
                place -= 1
            order[place] = one
        _replace_members(counter, members, generation, values)
    return last
