"""Points on a jittered grid: the nearest point of every cell, relaxation, and walls and gaps between regions.

Each square of a grid has one point, at a position of 0..1023 along both axes. A cell is 1024 units wide. A point at `p`
in square `q` is thus at `(q * 1024 + p) * spacing`, and the center of a cell at `cell * 1024 + 512`, which are
integers. Distances are integers too, at most 2^45 for spacings up to 1024. They are stored as floats, which represent
them exactly and compare in vector code. Of two equally near points, the one in the upper square is chosen, then the one
in the left square.

With any metric, the point in a cell's own square is nearer than any point three squares away: the first point is less
than one square away along each axis, the second is at least two squares away along one axis. The nearest point is
therefore within 5x5 squares.
"""

from __future__ import annotations

from typing import Annotated, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import inline, kernel, part
from .random import GAMMA, mix, row_key
from .types import Float64_1D, Int16_3D, Int32_2D, Int64_1D, Int64_2D, Uint8_1D, Uint8_2D, Uint64

UNITS = 1024
"""Positions along a side of a square, and units along a side of a cell."""
SEARCH_RADIUS = 2
"""Maximum distance, in squares, between the square of a cell and the square of its nearest point."""
SAMPLES = 8
"""Number of samples along a side of a square, from which the center of a region is computed."""
MAX_PAIR_DISTANCE = 3
"""Maximum number of squares between two points whose regions may be joined by a gap."""

MAX_DISTANCE = 1 << 62

EUCLIDEAN, MANHATTAN, CHEBYSHEV = 0, 1, 2

SAMPLE_SUM = np.dtype([("y", np.int32), ("x", np.int32), ("count", np.int32)])
"""Samples nearest to a point: twice the sums of their positions, and their number."""
SampleSums: TypeAlias = Annotated[NDArray[np.void], SAMPLE_SUM, 2]


class Candidates(NamedTuple):
    """Points that may be nearest to a cell of a square."""

    numbers: Int64_1D
    """Number of the point's square, of 25 squares row by row."""
    ys: Int64_1D
    xs: Int64_1D
    """Position relative to the corner of the central square."""


class WallArrays(NamedTuple):
    """Window of walls between regions."""

    owners: Int32_2D
    """Square that owns each cell; wider than `out` by the margin."""
    offsets: Int64_2D
    """Offsets (offset, 2) at which a cell of another region makes a wall."""
    margin: int
    out: Uint8_2D


@inline
def _point_y(points: Int16_3D, row: int, column: int) -> int:
    """Return the position of a square's point, in UNITS per square from the first one."""
    return row * UNITS + int(points[row, column, 0])


@inline
def _point_x(points: Int16_3D, row: int, column: int) -> int:
    return column * UNITS + int(points[row, column, 1])


@part
def _new_candidates() -> Candidates:
    return Candidates(np.empty(25, dtype=np.int64), np.empty(25, dtype=np.int64), np.empty(25, dtype=np.int64))


@part
def metric_distance(metric: int, down: int, across: int) -> int:
    """Return a distance for comparisons: squared if it is Euclidean."""
    if metric == EUCLIDEAN:
        return down * down + across * across
    if metric == MANHATTAN:
        return abs(down) + abs(across)
    return max(abs(down), abs(across))


@kernel
def scatter(level_key: Uint64, top: int, left: int, jitter: int, points: Int16_3D) -> None:
    """Write a point (y, x) for every square of a window, by position alone, up to jitter / 2 from its center."""
    scale, start = np.uint64(jitter), UNITS // 2 - jitter // 2
    for row in range(points.shape[0]):
        key = row_key(level_key, top + row) + np.uint64(np.int64(left)) * GAMMA
        for column in range(points.shape[1]):
            number = mix(key + np.uint64(column) * GAMMA)
            points[row, column, 0] = start + np.int64(((number >> np.uint64(40)) * scale) >> np.uint64(24))
            points[row, column, 1] = start + np.int64(
                (((number >> np.uint64(8)) & np.uint64(0xFFFFFF)) * scale) >> np.uint64(24)
            )


@kernel
def draw_kinds(level_key: Uint64, top: int, left: int, weights: Float64_1D, out: Uint8_2D) -> None:
    """Draw one of several kinds for every square, by position alone, in proportion to the weights."""
    total = 0.0
    for weight in weights:
        total += weight
    for row in range(out.shape[0]):
        key = row_key(level_key, top + row) + np.uint64(np.int64(left)) * GAMMA
        for column in range(out.shape[1]):
            mark = np.float64(mix(key + np.uint64(column) * GAMMA) >> np.uint64(11)) * 2.0**-53 * total
            for kind in range(len(weights)):
                if weights[kind] > 0:
                    out[row, column] = kind  # The last kind with a weight is kept if rounding leaves a remainder.
                    if mark < weights[kind]:
                        break
                mark -= weights[kind]


@part
def gather_points(points: Int16_3D, row: int, column: int, spacing: int, metric: int, found: Candidates) -> int:
    """Find the points that may be nearest to a cell of this square; return their number."""
    low, high = UNITS // 2, spacing * UNITS - UNITS // 2
    ys, xs = found.ys, found.xs
    smallest = MAX_DISTANCE
    for number in range(25):
        down, across = number // 5 - SEARCH_RADIUS, number % 5 - SEARCH_RADIUS
        y = (down * UNITS + int(points[row + down, column + across, 0])) * spacing
        x = (across * UNITS + int(points[row + down, column + across, 1])) * spacing
        ys[number], xs[number] = y, x
        largest = metric_distance(metric, max(abs(y - low), abs(y - high)), max(abs(x - low), abs(x - high)))
        smallest = min(smallest, largest)
    count = 0
    for number in range(25):
        y, x = ys[number], xs[number]
        if metric_distance(metric, max(low - y, 0, y - high), max(low - x, 0, x - high)) <= smallest:
            found.numbers[count], ys[count], xs[count] = number, y, x
            count += 1
    return count


@part
def find_nearest(
    found: Candidates,
    count: int,
    row: int,
    first: int,
    last: int,
    metric: int,
    best: Float64_1D,
) -> None:
    """Write distance * 32 + number of the nearest point into `best`, for cells first..last-1 of a row."""
    center = row * UNITS + UNITS // 2
    low, high = first * UNITS + UNITS // 2, last * UNITS - UNITS // 2
    smallest = MAX_DISTANCE
    for one in range(count):
        y, x = found.ys[one], found.xs[one]
        smallest = min(smallest, metric_distance(metric, y - center, max(abs(x - low), abs(x - high))))
    width = last - first
    for cell in range(width):
        best[cell] = np.inf
    for one in range(count):
        y, x = found.ys[one], found.xs[one]
        if metric_distance(metric, y - center, max(low - x, 0, x - high)) > smallest:
            continue
        down, start, number = np.float64(abs(y - center)), np.float64(low - x), np.float64(found.numbers[one])
        if metric == EUCLIDEAN:
            for cell in range(width):
                across = start + np.float64(cell) * UNITS
                key = (across * across + down * down) * 32.0 + number
                best[cell] = key if key < best[cell] else best[cell]
        elif metric == MANHATTAN:
            for cell in range(width):
                key = (abs(start + np.float64(cell) * UNITS) + down) * 32.0 + number
                best[cell] = key if key < best[cell] else best[cell]
        else:
            for cell in range(width):
                across = abs(start + np.float64(cell) * UNITS)
                key = (across if across > down else down) * 32.0 + number
                best[cell] = key if key < best[cell] else best[cell]


@kernel
def find_owners(points: Int16_3D, spacing: int, metric: int, top: int, left: int, out: Int32_2D) -> None:
    """Write the square (row * columns + column) of the nearest point for every cell of a window.

    `top` and `left` are the window's first cell, relative to the first cell of the first square. Two more squares with
    points are required around it.
    """
    found, best = _new_candidates(), np.empty(spacing, dtype=np.float64)
    height, width = out.shape
    columns = points.shape[1]
    for square_row in range(top // spacing, (top + height - 1) // spacing + 1):
        y = square_row * spacing
        for square_column in range(left // spacing, (left + width - 1) // spacing + 1):
            x = square_column * spacing
            first, last = max(left - x, 0), min(left + width - x, spacing)
            count = gather_points(points, square_row, square_column, spacing, metric, found)
            for row in range(max(top - y, 0), min(top + height - y, spacing)):
                find_nearest(found, count, row, first, last, metric, best)
                target = out[y + row - top]
                for cell in range(last - first):
                    number = np.int64(best[cell]) & 31
                    owner_row = square_row + number // 5 - SEARCH_RADIUS
                    owner_column = square_column + number % 5 - SEARCH_RADIUS
                    target[x + first + cell - left] = owner_row * columns + owner_column


@kernel
def sum_samples(points: Int16_3D, metric: int, first: int, last: int, out: SampleSums) -> None:
    """Add the samples in square rows first..last-1 to the sums of their nearest points.

    There are SAMPLES x SAMPLES samples per square; y and x are in half sample distances from the corner of the point's
    own square. The two outermost squares have no samples.
    """
    found, best = _new_candidates(), np.empty(SAMPLES, dtype=np.float64)
    for square_row in range(first, last):
        for square_column in range(SEARCH_RADIUS, points.shape[1] - SEARCH_RADIUS):
            count = gather_points(points, square_row, square_column, SAMPLES, metric, found)
            for row in range(SAMPLES):
                find_nearest(found, count, row, 0, SAMPLES, metric, best)
                for cell in range(SAMPLES):
                    number = np.int64(best[cell]) & 31
                    down, across = number // 5 - SEARCH_RADIUS, number % 5 - SEARCH_RADIUS
                    target = out[square_row + down, square_column + across]
                    target["y"] += 2 * (row - SAMPLES * down) + 1
                    target["x"] += 2 * (cell - SAMPLES * across) + 1
                    target["count"] += 1


@inline
def _middle(place: int, sum: int, count: int) -> int:
    """Return the center of a point's samples along an axis, limited to its own square; `place` if there are none."""
    if count:
        place = (UNITS // SAMPLES * sum + count) // (2 * count)
    return min(max(place, 0), UNITS - 1)


@kernel
def relax_points(points: Int16_3D, sums: SampleSums, out: Int16_3D) -> None:
    """Move every point to the center of its samples, limited to its own square; a point without samples stays.

    `out` is smaller by four squares on every side: the two without samples, and two more, since a region may extend
    that far.
    """
    border = 2 * SEARCH_RADIUS
    for row in range(out.shape[0]):
        for column in range(out.shape[1]):
            total, old = sums[row + border, column + border], points[row + border, column + border]
            new, count = out[row, column], int(total["count"])
            new[0], new[1] = _middle(int(old[0]), int(total["y"]), count), _middle(int(old[1]), int(total["x"]), count)


@kernel
def look_up_kinds(owners: Int32_2D, kinds: Uint8_1D, seen: Uint8_1D, out: Uint8_2D) -> None:
    """Write the kind of every cell's owner, and mark the owners in `seen`."""
    for row in range(out.shape[0]):
        for column in range(out.shape[1]):
            owner = owners[row, column]
            out[row, column] = kinds[owner]
            seen[owner] = 1


@kernel
def mark_walls(owners: Int32_2D, offsets: Int64_2D, margin: int, out: Uint8_2D) -> None:
    """Write 1 for every cell with another owner at one of the offsets; `owners` is wider by the margin."""
    height, width = out.shape
    for row in range(height):
        target, own = out[row], owners[row + margin, margin : margin + width]
        for column in range(width):
            target[column] = 0
        for offset in range(len(offsets)):
            start = margin + offsets[offset, 1]
            other = owners[row + margin + offsets[offset, 0], start : start + width]
            for column in range(width):
                target[column] |= np.uint8(own[column] != other[column])


@part
def comes_before(
    metric: int, y: int, x: int, square: int, v: int, u: int, other: int, length: int, first: int, second: int
) -> bool:
    """Return whether the path between two points comes before another path.

    It comes first if it is shorter, or if both are equally long and its squares come first.
    """
    own = metric_distance(metric, y - v, x - u)
    if own != length:
        return own < length
    low, high = min(square, other), max(square, other)
    return low < first or (low == first and high < second)


@part
def are_neighbors(points: Int16_3D, metric: int, row: int, column: int, other_row: int, other_column: int) -> bool:
    """Return whether no third point is nearer to the midpoint of two points.

    The straight path between them then leads only through their two regions. On ties, the shorter paths between the
    points count. All pairs of neighbors together connect all points of an endless world: a pair is left out only if two
    shorter paths lead through a third point, so the minimum spanning tree remains.
    """
    columns = points.shape[1]
    y, x = _point_y(points, row, column), _point_x(points, row, column)
    v, u = _point_y(points, other_row, other_column), _point_x(points, other_row, other_column)
    length = metric_distance(metric, v - y, u - x)
    # The length of a path along a row or column of the grid, which always suffices.
    if length >= metric_distance(metric, UNITS, 2 * UNITS):
        return False
    first, second = row * columns + column, other_row * columns + other_column
    first, second = min(first, second), max(first, second)
    middle_row, middle_column = (y + v) // (2 * UNITS), (x + u) // (2 * UNITS)
    for third_row in range(middle_row - SEARCH_RADIUS, middle_row + SEARCH_RADIUS + 1):
        for third_column in range(middle_column - SEARCH_RADIUS, middle_column + SEARCH_RADIUS + 1):
            third = third_row * columns + third_column
            if third in (first, second):
                continue
            b, a = _point_y(points, third_row, third_column), _point_x(points, third_row, third_column)
            # Compare twice the distance to the midpoint with the length of the path.
            if metric_distance(metric, 2 * b - y - v, 2 * a - x - u) > length:
                continue
            own, others = row * columns + column, other_row * columns + other_column
            if comes_before(metric, y, x, own, b, a, third, length, first, second) and comes_before(
                metric, v, u, others, b, a, third, length, first, second
            ):
                return False
    return True


@part
def is_between(walls: WallArrays, row: int, column: int, one: int, other: int) -> bool:
    """Return whether a cell, and all cells that make it a wall, belong to these two regions."""
    owners, offsets = walls.owners, walls.offsets
    y, x = row + walls.margin, column + walls.margin
    if owners[y, x] != one and owners[y, x] != other:
        return False
    for offset in range(len(offsets)):
        owner = owners[y + offsets[offset, 0], x + offsets[offset, 1]]
        if owner != one and owner != other:
            return False
    return True


@part
def open_cell(walls: WallArrays, row: int, column: int, one: int, other: int, gap: int) -> None:
    """Open a cell of the path, and cells beside it to the width of the gap, where no third region is near."""
    out = walls.out
    height, width = out.shape
    back = (gap - 1) // 2
    for v in range(max(row - back, 0), min(row - back + gap, height)):
        for u in range(max(column - back, 0), min(column - back + gap, width)):
            if (v == row and u == column) or (out[v, u] and is_between(walls, v, u, one, other)):
                out[v, u] = 0


@kernel
def dig_gaps(
    points: Int16_3D, spacing: int, metric: int, level_key: Uint64, square_top: int, square_left: int,
    share: float, gap: int, walls: WallArrays, top: int, left: int,
) -> int:  # fmt: skip
    """Open gaps in walls, on straight paths between neighboring points; return the number of paths.

    `square_top` and `square_left` are the first square's position in the world, which determines whether a pair is
    opened. `top` and `left` are the first cell of the walls, relative to the first cell of the first square.
    """
    height, width = walls.out.shape
    columns = points.shape[1]
    beside = MAX_PAIR_DISTANCE + (gap + spacing - 1) // spacing
    opened = 0
    for row in range(top // spacing - beside, (top + height - 1) // spacing + beside + 1):
        key = row_key(level_key, square_top + row)
        for column in range(left // spacing - beside, (left + width - 1) // spacing + beside + 1):
            own_key = mix(key + np.uint64(np.int64(square_left + column)) * GAMMA)
            for pair in range(1 + MAX_PAIR_DISTANCE, (1 + MAX_PAIR_DISTANCE) * (1 + 2 * MAX_PAIR_DISTANCE)):
                down = pair // (1 + 2 * MAX_PAIR_DISTANCE)
                across = pair % (1 + 2 * MAX_PAIR_DISTANCE) - MAX_PAIR_DISTANCE
                if down == 0 and across <= 0:
                    continue
                chance = np.float64(mix(own_key + np.uint64(pair) * GAMMA) >> np.uint64(11)) * 2.0**-53
                if chance >= share or not are_neighbors(points, metric, row, column, row + down, column + across):
                    continue
                one, other = row * columns + column, (row + down) * columns + column + across
                y = _point_y(points, row, column) * spacing // UNITS - top
                x = _point_x(points, row, column) * spacing // UNITS - left
                v = _point_y(points, row + down, column + across) * spacing // UNITS - top
                u = _point_x(points, row + down, column + across) * spacing // UNITS - left
                if max(y, v) < -gap or min(y, v) > height + gap or max(x, u) < -gap or min(x, u) > width + gap:
                    continue
                opened += 1
                downs, acrosses = abs(v - y), abs(u - x)
                down_step, across_step = 1 if v > y else -1, 1 if u > x else -1
                walked = 0  # Number of vertical steps taken.
                for taken in range(downs + acrosses + 1):
                    if -gap <= y < height + gap and -gap <= x < width + gap:
                        open_cell(walls, y, x, one, other, gap)
                    crossed = taken - walked
                    # Leave the cell on the side where the straight line leaves it.
                    if walked < downs and (1 + 2 * walked) * acrosses < (1 + 2 * crossed) * downs:
                        walked, y = walked + 1, y + down_step
                    else:
                        x += across_step
    return opened
