"""Maximum flow between two nodes of a network with integer capacities, and the minimum cut at its source.

Source: Dinic, "Algorithm for solution of a problem of maximum flow in networks with power estimation", 1970.
"""

from __future__ import annotations

import numpy as np

from . import kernel, part
from .types import Int64_1D


@part
def _measure_depths(
    starts: Int64_1D, heads: Int64_1D, rest: Int64_1D, source: int, depths: Int64_1D, queue: Int64_1D
) -> None:
    """Write the number of arcs with a positive capacity from the source to each node, -1 if there is no such path."""
    depths[:] = -1
    depths[source] = 0
    queue[0] = source
    position, end = 0, 1
    while position < end:
        node = queue[position]
        position += 1
        for arc in range(starts[node], starts[node + 1]):
            head = heads[arc]
            if rest[arc] > 0 and depths[head] < 0:
                depths[head] = depths[node] + 1
                queue[end] = head
                end += 1


@kernel
def saturate(
    starts: Int64_1D, heads: Int64_1D, opposites: Int64_1D, rest: Int64_1D, source: int, sink: int, depths: Int64_1D
) -> int:
    """Send the maximum flow from the source to the sink and return it.

    Parameters
    ----------
    starts
        (node + 1,) index of the first arc of each node; the arcs of a node are adjacent.
    heads
        (arc,) node to which an arc leads.
    opposites
        (arc,) index of the arc in the opposite direction. Each arc has one, whose capacity may be 0.
    rest
        (arc,) capacity, from which the flow is subtracted; it is added to that of the opposite arc.
    source, sink
        Different nodes.
    depths
        (node,) is set to -1 for nodes beyond the minimum cut, to which the remaining capacities lead no path from the
        source. They are the same for every maximum flow.

    Returns
    -------
    int
    """
    nodes = starts.size - 1
    queue, path, next_arcs = (np.empty(nodes, dtype=np.int64), np.empty(nodes, dtype=np.int64), np.empty_like(starts))
    total = 0
    while True:
        _measure_depths(starts, heads, rest, source, depths, queue)
        if depths[sink] < 0:
            return total
        next_arcs[:] = starts
        length, node = 0, source
        while True:
            if node == sink:
                amount = rest[path[0]]
                for place in range(1, length):
                    amount = min(amount, rest[path[place]])
                total += amount
                first_full = length
                for place in range(length - 1, -1, -1):
                    arc = path[place]
                    rest[arc] -= amount
                    rest[opposites[arc]] += amount
                    if rest[arc] == 0:
                        first_full = place
                length = first_full
                node = heads[opposites[path[length]]]
                continue
            arc, end = next_arcs[node], starts[node + 1]
            while arc < end and (rest[arc] <= 0 or depths[heads[arc]] != depths[node] + 1):
                arc += 1
            next_arcs[node] = arc
            if arc < end:
                path[length] = arc
                length += 1
                node = heads[arc]
            elif length > 0:
                length -= 1
                node = heads[opposites[path[length]]]
                next_arcs[node] += 1
            else:
                break
