"""Delaunay triangulation of points with integer coordinates, decided by exact predicates.

The points are inserted from left to right: each is joined to the part of the convex hull that it sees, and edges are
flipped until no circle through a triangle contains a point (Lawson, "Software for C1 surface interpolation", 1977). The
signs of determinants are computed with floats first. If their error could change the sign, they are computed again with
integers in base 2^24, so that rounding decides nothing.

Four points on one circle have two such triangulations. The edge at the leftmost of the four is kept, at the topmost of
them if two are leftmost. The result depends on the points only, not on their order.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np

from . import inline, kernel, part
from .types import Int64_1D, Int64_2D

Digits: TypeAlias = tuple[int, int, int, int, int]
"""Integer as digits in base 2^24, lowest first; only the last one may be negative."""

MAX_EXTENT = 1 << 48
"""Limit of the difference of two coordinates, which must have two digits."""
BITS = 24
MASK = (1 << BITS) - 1
AREA_ERROR, CIRCLE_ERROR = 4e-16, 2e-15
"""Bounds of the relative rounding error of the two determinants, for exact differences of coordinates.

They are slightly larger than those of Shewchuk, "Adaptive precision floating-point arithmetic and fast robust geometric
predicates", 1997: 3.4e-16 and 1.2e-15 times the sum of the absolute values of all terms.
"""


class Triangulation(NamedTuple):
    """Triangles as half-edges: 3 t, 3 t + 1 and 3 t + 2 are those of triangle t, counterclockwise if y points up."""

    points: Int64_2D
    """(point, 2) distinct x, y in ascending order."""
    starts: Int64_1D
    """(half-edge,) point at which it starts."""
    twins: Int64_1D
    """(half-edge,) the opposite half-edge, -1 on the convex hull."""
    after: Int64_1D
    """(point,) next point of the hull."""
    before: Int64_1D
    """(point,) previous point of the hull."""
    outer: Int64_1D
    """(point,) half-edge from a point of the hull to the next one."""
    stack: Int64_1D
    """Half-edges that may have to be flipped."""
    sums: Int64_1D
    """(9,) scratch for exact determinants."""


def find_delaunay_edges(points: Int64_2D) -> Int64_2D:
    """Return the edges of the Delaunay triangulation of points with integer coordinates.

    Parameters
    ----------
    points
        (point, 2) coordinates, which differ by less than `MAX_EXTENT`.

    Returns
    -------
    ndarray of int64, (edge, 2)
        Pairs of points, the lower number first, in ascending order. They connect all points: points on one line are
        joined in their order, and a point with the coordinates of an earlier one is joined to that one.

    Examples
    --------
    >>> find_delaunay_edges(np.array([[0, 0], [4, 0], [4, 4], [0, 4]])).tolist()
    [[0, 1], [0, 2], [0, 3], [1, 2], [2, 3]]
    """
    if len(points) and int((points.max(axis=0) - points.min(axis=0)).max()) >= MAX_EXTENT:
        raise ValueError(f"coordinates must differ by less than {MAX_EXTENT}")
    order = np.lexsort((points[:, 1], points[:, 0]))  # Stable: equal points in ascending order.
    places = points[order]
    is_new = np.ones(len(points), dtype=np.bool_)
    is_new[1:] = (places[1:] != places[:-1]).any(axis=1)
    firsts = order[is_new]
    copies = np.stack((firsts[np.cumsum(is_new) - 1], order), axis=1)[~is_new]
    count = len(firsts)
    edges = np.empty((max(0, 3 * count), 2), dtype=np.int64)
    size = triangulate(new_triangulation(np.ascontiguousarray(places[is_new])), edges) if count > 1 else 0
    found = np.concatenate((firsts[edges[:size]], copies))
    found.sort(axis=1)
    return found[np.lexsort((found[:, 1], found[:, 0]))]


def new_triangulation(points: Int64_2D) -> Triangulation:
    """Return the arrays of a triangulation of distinct points in ascending order."""
    count = len(points)
    starts, twins = (np.full(6 * count, -1, dtype=np.int64) for _ in range(2))
    after, before, outer = (np.full(count, -1, dtype=np.int64) for _ in range(3))
    stack = np.empty(count + 3, dtype=np.int64)
    return Triangulation(points, starts, twins, after, before, outer, stack, np.zeros(9, dtype=np.int64))


@inline
def _multiply(one: int, other: int) -> tuple[int, int, int]:
    """Return the product of two integers of less than 2^48 in base 2^24, before carrying."""
    low, high, other_low, other_high = one & MASK, one >> BITS, other & MASK, other >> BITS
    return low * other_low, low * other_high + high * other_low, high * other_high


@inline
def _carry(first: int, second: int, third: int) -> Digits:
    """Return the digits of the integer `first` + `second` 2^24 + `third` 2^48."""
    second += first >> BITS
    third += second >> BITS
    fourth = third >> BITS
    return first & MASK, second & MASK, third & MASK, fourth & MASK, fourth >> BITS


@inline
def _difference_of_products(a: int, b: int, c: int, d: int) -> Digits:
    """Return a b - c d."""
    one, other = _multiply(a, b), _multiply(c, d)
    return _carry(one[0] - other[0], one[1] - other[1], one[2] - other[2])


@inline
def _sum_of_squares(a: int, b: int) -> Digits:
    """Return a a + b b."""
    return _difference_of_products(a, a, b, -b)


@part
def _add_product(sums: Int64_1D, one: Digits, other: Digits) -> None:
    """Add the product of two integers to sums in base 2^24, before carrying: at most 15 products of digits each."""
    for place in range(5):
        for other_place in range(5):
            sums[place + other_place] += one[place] * other[other_place]


@part
def _find_sign(sums: Int64_1D) -> int:
    """Return the sign of an integer in base 2^24, whose digits are carried."""
    rest = False
    for place in range(sums.size - 1):
        sums[place + 1] += sums[place] >> BITS
        rest |= sums[place] & MASK != 0
    last = sums[sums.size - 1]
    if last < 0:
        return -1
    return 1 if last > 0 or rest else 0


@part
def turn(points: Int64_2D, a: int, b: int, c: int, sums: Int64_1D) -> int:
    """Return 1 if a, b, c turn counterclockwise (y up), -1 if they turn clockwise, 0 if they are on one line."""
    ax, ay = points[a, 0] - points[c, 0], points[a, 1] - points[c, 1]
    bx, by = points[b, 0] - points[c, 0], points[b, 1] - points[c, 1]
    one, other = float(ax) * float(by), float(ay) * float(bx)
    area = one - other
    if abs(area) > AREA_ERROR * (abs(one) + abs(other)):
        return 1 if area > 0 else -1
    digits = _difference_of_products(ax, by, ay, bx)
    sums[:] = 0
    for place in range(5):
        sums[place] = digits[place]
    return _find_sign(sums)


@part
def side_of_circle(points: Int64_2D, a: int, b: int, c: int, d: int, sums: Int64_1D) -> int:
    """Return 1 if d is inside the circle through a, b, c (counterclockwise), -1 if it is outside, 0 if it is on it."""
    ax, ay = points[a, 0] - points[d, 0], points[a, 1] - points[d, 1]
    bx, by = points[b, 0] - points[d, 0], points[b, 1] - points[d, 1]
    cx, cy = points[c, 0] - points[d, 0], points[c, 1] - points[d, 1]
    fax, fay, fbx, fby, fcx, fcy = float(ax), float(ay), float(bx), float(by), float(cx), float(cy)
    bc, cb, ca, ac, ab, ba = fbx * fcy, fcx * fby, fcx * fay, fax * fcy, fax * fby, fbx * fay
    a2, b2, c2 = fax * fax + fay * fay, fbx * fbx + fby * fby, fcx * fcx + fcy * fcy
    volume = a2 * (bc - cb) + b2 * (ca - ac) + c2 * (ab - ba)
    size = a2 * (abs(bc) + abs(cb)) + b2 * (abs(ca) + abs(ac)) + c2 * (abs(ab) + abs(ba))
    if abs(volume) > CIRCLE_ERROR * size:
        return 1 if volume > 0 else -1
    sums[:] = 0
    _add_product(sums, _sum_of_squares(ax, ay), _difference_of_products(bx, cy, cx, by))
    _add_product(sums, _sum_of_squares(bx, by), _difference_of_products(cx, ay, ax, cy))
    _add_product(sums, _sum_of_squares(cx, cy), _difference_of_products(ax, by, bx, ay))
    return _find_sign(sums)


@inline
def _next_edge(edge: int) -> int:
    """Return the next half-edge of the same triangle."""
    return edge - 2 if edge % 3 == 2 else edge + 1


@part
def _join(net: Triangulation, edge: int, twin: int) -> None:
    """Make two half-edges twins; without a twin (-1), the half-edge is on the hull."""
    net.twins[edge] = twin
    if twin >= 0:
        net.twins[twin] = edge
    else:
        net.outer[net.starts[edge]] = edge


@part
def _flip_edges(net: Triangulation, size: int) -> None:
    """Flip half-edges of the stack, all opposite to the new point, until the circles of triangles are empty."""
    starts, twins, stack = net.starts, net.twins, net.stack
    while size > 0:
        size -= 1
        edge = stack[size]
        twin = twins[edge]
        if twin < 0:
            continue
        new_place, twin_next = _next_edge(_next_edge(edge)), _next_edge(twin)
        far_place = _next_edge(twin_next)
        one, other, new, far = starts[edge], starts[twin], starts[new_place], starts[far_place]
        side = side_of_circle(net.points, one, other, new, far, net.sums)
        if side < 0 or (side == 0 and min(one, other) < min(new, far)):
            continue
        starts[edge], starts[twin] = far, new
        beyond_far, beyond_new = twins[far_place], twins[new_place]
        _join(net, edge, beyond_far)
        _join(net, twin, beyond_new)
        _join(net, new_place, far_place)
        stack[size], stack[size + 1] = edge, twin_next
        size += 2


@kernel(allocates=False)
def triangulate(net: Triangulation, edges: Int64_2D) -> int:
    """Triangulate at least two distinct points in ascending order; write the edges and return their number.

    `edges` has at least three rows for each point.
    """
    points, starts, after, before = net.points, net.starts, net.after, net.before
    count = len(points)
    apex = 2
    while apex < count and turn(points, 0, 1, apex, net.sums) == 0:
        apex += 1
    size = 0
    if apex >= count:
        for point in range(count - 1):
            edges[point, 0], edges[point, 1] = point, point + 1
        return count - 1
    # All points before the apex are on one line. The hull goes along it and back over the apex.
    is_left = turn(points, 0, 1, apex, net.sums) > 0
    for point in range(apex - 1):
        one, other = (point, point + 1) if is_left else (point + 1, point)
        starts[size], starts[size + 1], starts[size + 2] = one, other, apex
        net.outer[one] = size
        if point > 0 and is_left:  # apex -> one is opposite to other -> apex of the triangle before.
            _join(net, size + 2, size - 2)
        elif point > 0:  # other -> apex is opposite to apex -> one of the triangle before.
            _join(net, size + 1, size - 1)
        after[one], before[other] = other, one
        size += 3
    first, last = (0, apex - 1) if is_left else (apex - 1, 0)
    after[last], before[apex], after[apex], before[first] = apex, last, first, apex
    net.outer[last] = size - 2 if is_left else 1
    net.outer[apex] = 2 if is_left else size - 1
    for point in range(apex + 1, count):
        size = _insert(net, point, size)
    found = 0
    for edge in range(size):
        if net.twins[edge] < edge:
            edges[found, 0], edges[found, 1] = starts[edge], starts[_next_edge(edge)]
            found += 1
    return found


@part
def _insert(net: Triangulation, point: int, size: int) -> int:
    """Join a point to the hull; `size` is the number of half-edges before, and is returned for afterwards.

    The point before it is on the hull, and the new point sees at least one of its two edges there.
    """
    points, starts, after, before = net.points, net.starts, net.after, net.before
    here = point - 1
    while turn(points, before[here], here, point, net.sums) < 0:
        here = before[here]
    first, first_size, waiting = here, size, 0
    while turn(points, here, after[here], point, net.sums) < 0:
        there = after[here]
        starts[size], starts[size + 1], starts[size + 2] = there, here, point
        _join(net, size, net.outer[here])
        _join(net, size + 1, size - 1 if size > first_size else -1)
        net.stack[waiting] = size
        waiting += 1
        here = there
        size += 3
    after[first], before[point], after[point], before[here] = point, first, here, point
    _join(net, size - 1, -1)
    _flip_edges(net, waiting)
    return size
