"""Totals of many maps of one shape: regions, routes, chokepoints, neighbors, tiles and symmetry.

Masks and cells are (map, level, row, column), with one level on 2D maps. Each kernel writes a row of numbers for each
map. A cell is written as its index in its own map, in reading order. Steps lead along the axes.
"""

from __future__ import annotations

import numpy as np

from . import inline, kernel, part
from .chokepoints import FREE, count_gates, find_cuts
from .chokepoints import WALL as CLOSED
from .distance import UNSEEN, WALL, spread_steps
from .flood import label_axes
from .types import (
    Int32_1D,
    Int32_3D,
    Int64_1D,
    Int64_2D,
    ReadOnlyInt64_2D,
    ReadOnlyUint8_3D,
    ReadOnlyUint8_4D,
    ReadOnlyUint16_4D,
)


@kernel
def survey_regions(passable: ReadOnlyUint8_4D, numbers: Int64_2D) -> None:
    """Write the number of regions, the size of the largest region, the first one on ties, and its first cell.

    On a map without passable cells, the size is 0 and the cell is -1.
    """
    labels = np.empty(passable.shape[1:], dtype=np.int32)
    flat = labels.reshape(-1)
    for map in range(passable.shape[0]):
        sizes = label_axes(passable[map], False, labels)
        largest, first = 0, -1
        for region in range(1, sizes.size):
            if sizes[region] > sizes[largest]:
                largest = region
        if largest > 0:
            first = 0
            while flat[first] != largest:
                first += 1
        numbers[map, 0], numbers[map, 1], numbers[map, 2] = sizes.size - 1, sizes[largest], first


@inline
def _pad(shape: tuple[int, int, int, int]) -> tuple[int, int, int]:
    """Return the shape of a map within a margin of one cell. A map of one level has no level above or below it."""
    return (shape[1] + 2 if shape[1] > 1 else 1), shape[2] + 2, shape[3] + 2


@inline
def _list_shifts(padded: tuple[int, int, int]) -> Int64_1D:
    """Return the shifts to the neighbors of a cell on a padded map."""
    row, level = padded[2], padded[1] * padded[2]
    return np.array([-1, 1, -row, row]) if padded[0] == 1 else np.array([-1, 1, -row, row, -level, level])


@inline
def _to_padded(cell: int, height: int, width: int, padded: tuple[int, int, int]) -> int:
    """Return the flat index on the padded map of a cell."""
    level = cell // (height * width) + (1 if padded[0] > 1 else 0)
    row, column = cell // width % height + 1, cell % width + 1
    return (level * padded[1] + row) * padded[2] + column


@inline
def _from_padded(place: int, height: int, width: int, padded: tuple[int, int, int]) -> int:
    """Return the cell at a flat index on the padded map."""
    level = place // (padded[1] * padded[2]) - (1 if padded[0] > 1 else 0)
    row, column = place // padded[2] % padded[1] - 1, place % padded[2] - 1
    return (level * height + row) * width + column


@inline
def _fill(mask: ReadOnlyUint8_3D, padded: Int32_3D, free: int, wall: int) -> None:
    """Write `free` at passable cells of a padded map, and `wall` at its other cells, except in its margin."""
    margin = 1 if padded.shape[0] > 1 else 0
    for level in range(mask.shape[0]):
        for row in range(mask.shape[1]):
            line, target = mask[level, row], padded[level + margin, row + 1]
            for column in range(mask.shape[2]):
                target[column + 1] = free if line[column] else wall


@inline
def _restart(steps: Int32_1D) -> None:
    """Forget which cells were reached."""
    for place in range(steps.size):
        steps[place] = min(steps[place], UNSEEN)


@inline
def _find_farthest(steps: Int32_1D, queue: Int32_1D, end: int) -> int:
    """Return the first cell, in reading order, that is farthest from the seed of a finished search."""
    found, last = int(queue[end - 1]), end - 1
    while last >= 0 and steps[queue[last]] == steps[found]:
        found = min(found, int(queue[last]))
        last -= 1
    return found


@inline
def _find_nearest(steps: Int32_1D, places: Int64_1D, count: int) -> int:
    """Return the first cell, in reading order, with the fewest steps among some cells; -1 if none was reached."""
    found = -1
    for number in range(count):
        place = places[number]
        if steps[place] >= 0 and (
            found < 0 or steps[place] < steps[found] or (steps[place] == steps[found] and place < found)
        ):
            found = place
    return found


@part
def _search(steps: Int32_1D, shifts: Int64_1D, queue: Int32_1D, seeds: Int64_1D, count: int) -> int:
    """Search from the first `count` of some cells, and return the number of reached cells."""
    end = 0
    for number in range(count):
        if steps[seeds[number]] == UNSEEN:
            steps[seeds[number]] = 0
            queue[end] = seeds[number]
            end += 1
    return spread_steps(steps, shifts, np.empty((shifts.size, 0), dtype=np.int64), queue, end, -1)


@kernel
def survey_routes(
    passable: ReadOnlyUint8_4D, regions: ReadOnlyInt64_2D, marks: ReadOnlyInt64_2D, numbers: Int64_2D
) -> None:
    """Write the start and the exit of each map's route, and the number of steps between them; -1 if there is no route.

    `marks` holds a map, 0 for a start or 1 for an exit, and a passable cell, in the order of the maps. The route of a
    map with starts and exits is the shortest one between them. On ties, the first start that is nearest to an exit and
    the first exit that is nearest to a start are written. The start on any other map is the cell farthest from the
    first cell of its largest region, as `survey_regions` writes it, and its exit is the cell farthest from the start.
    """
    height, width = passable.shape[2:]
    padded = _pad(passable.shape)
    shifts = _list_shifts(padded)
    grid = np.full(padded, WALL, dtype=np.int32)
    steps = grid.reshape(-1)
    queue = np.empty(steps.size, dtype=np.int32)
    starts, exits = np.empty(max(1, marks.shape[0]), dtype=np.int64), np.empty(max(1, marks.shape[0]), dtype=np.int64)
    mark = 0
    for map in range(passable.shape[0]):
        start_count, exit_count = 0, 0
        while mark < marks.shape[0] and marks[mark, 0] == map:
            place = _to_padded(marks[mark, 2], height, width, padded)
            if marks[mark, 1] == 0:
                starts[start_count] = place
                start_count += 1
            else:
                exits[exit_count] = place
                exit_count += 1
            mark += 1
        start, exit, length = -1, -1, -1
        if start_count > 0 and exit_count > 0:
            _fill(passable[map], grid, UNSEEN, WALL)
            _search(steps, shifts, queue, exits, exit_count)
            start = _find_nearest(steps, starts, start_count)
            if start >= 0:
                length = int(steps[start])
                _restart(steps)
                _search(steps, shifts, queue, starts, start_count)
                exit = _find_nearest(steps, exits, exit_count)
        elif regions[map, 2] >= 0:
            _fill(passable[map], grid, UNSEEN, WALL)
            starts[0] = _to_padded(regions[map, 2], height, width, padded)
            start = _find_farthest(steps, queue, _search(steps, shifts, queue, starts, 1))
            _restart(steps)
            starts[0] = start
            exit = _find_farthest(steps, queue, _search(steps, shifts, queue, starts, 1))
            length = int(steps[exit])
        numbers[map, 0] = _from_padded(start, height, width, padded) if length >= 0 else -1
        numbers[map, 1] = _from_padded(exit, height, width, padded) if length >= 0 else -1
        numbers[map, 2] = length


@kernel
def survey_cuts(passable: ReadOnlyUint8_4D, routes: ReadOnlyInt64_2D, numbers: Int64_2D) -> None:
    """Write the number of chokepoints, and of cells that are on every path from start to exit, these two excluded.

    `routes` holds the start and the exit of each map, as `survey_routes` writes them.
    """
    height, width = passable.shape[2:]
    padded = _pad(passable.shape)
    shifts = _list_shifts(padded)
    grid = np.full(padded, CLOSED, dtype=np.int32)
    order = grid.reshape(-1)
    came_from, gates = np.empty(order.size, dtype=np.uint8), np.empty(order.size, dtype=np.uint8)
    cuts = np.empty(order.size, dtype=np.uint8)
    for map in range(passable.shape[0]):
        _fill(passable[map], grid, FREE, CLOSED)
        came_from[:], gates[:], cuts[:] = 0, 0, 0
        has_route = routes[map, 0] >= 0
        root = _to_padded(routes[map, 0], height, width, padded) if has_route else -1
        find_cuts(order, shifts, root, came_from, gates, cuts)
        numbers[map, 0] = cuts.sum()
        exit = _to_padded(routes[map, 1], height, width, padded) if has_route else -1
        numbers[map, 1] = count_gates(shifts, came_from, gates, root, exit) if has_route else 0


@kernel
def survey_neighbors(passable: ReadOnlyUint8_4D, numbers: Int64_2D) -> None:
    """Write numbers of dead ends, of passable neighbors, of corridor cells and of junctions.

    A dead end has one passable neighbor along the axes. All others are for 2D maps. Passable neighbors are counted in
    eight directions and for all passable cells. Branches of a cell are its neighbors along the axes; two of them that a
    passable diagonal cell joins count as one. A corridor cell has two neighbors along the axes, which are two branches,
    and a junction has three or more branches.
    """
    levels, height, width = passable.shape[1:]
    wide = np.zeros((levels + 2, height + 2, width + 2), dtype=np.uint8)
    for map in range(passable.shape[0]):
        dead_ends, neighbors, corridors, junctions = 0, 0, 0, 0
        for level in range(levels):
            for row in range(height):
                wide[level + 1, row + 1, 1:-1] = passable[map, level, row]
        for level in range(1, levels + 1):
            for row in range(1, height + 1):
                above, line, below = wide[level, row - 1], wide[level, row], wide[level, row + 1]
                over, under = wide[level - 1, row], wide[level + 1, row]
                for column in range(1, width + 1):
                    if line[column] == 0:
                        continue
                    northwest, north, northeast = int(above[column - 1]), int(above[column]), int(above[column + 1])
                    west, east = int(line[column - 1]), int(line[column + 1])
                    southwest, south, southeast = int(below[column - 1]), int(below[column]), int(below[column + 1])
                    straight = north + east + south + west
                    joined = (north & northeast & east) + (east & southeast & south)
                    joined += (south & southwest & west) + (west & northwest & north)
                    dead_ends += 1 if straight + int(over[column]) + int(under[column]) == 1 else 0
                    neighbors += straight + northeast + southeast + southwest + northwest
                    corridors += 1 if straight == 2 and joined == 0 else 0
                    junctions += 1 if straight - joined >= 3 else 0
        numbers[map, 0], numbers[map, 1] = dead_ends, neighbors
        numbers[map, 2], numbers[map, 3] = corridors, junctions


@kernel
def count_tiles(cells: ReadOnlyUint16_4D, numbers: Int64_2D) -> None:
    """Write the number of cells with each tile."""
    numbers[:] = 0
    flat = cells.reshape((cells.shape[0], -1))
    for map in range(flat.shape[0]):
        counts = numbers[map]
        for cell in range(flat.shape[1]):
            counts[flat[map, cell]] += 1


@kernel
def count_symmetric(
    cells: ReadOnlyUint16_4D, images: ReadOnlyUint16_4D, flip_rows: bool, flip_columns: bool, numbers: Int64_1D
) -> None:
    """Write the number of cells that are equal to the cell of `images` at the mirrored position."""
    levels, height, width = cells.shape[1:]
    for map in range(cells.shape[0]):
        same = 0
        for level in range(levels):
            for row in range(height):
                line = cells[map, level, row]
                image = images[map, level, height - 1 - row if flip_rows else row]
                if flip_columns:
                    for column in range(width):
                        same += line[column] == image[width - 1 - column]
                else:
                    for column in range(width):
                        same += line[column] == image[column]
        numbers[map] = same
