"""Periods of patterns: the lengths of the closed rows of patterns that contain each pattern.

The patterns and their allowed neighbors in one direction are a directed graph. The length of every cycle through a
pattern is a multiple of the period of its strongly connected component.

Source: Tarjan, "Depth-first search and linear graph algorithms", 1972, for the components; Denardo, "Periods of
connected networks and powers of nonnegative matrices", 1977, for the periods.
"""

from __future__ import annotations

from math import gcd

import numpy as np

from . import kernel, part
from .types import Int32_1D, Int64_1D, Uint8_1D


@part
def _measure_components(
    lists: Int32_1D, starts: Int32_1D, members: Int32_1D, included: Uint8_1D, component: Int64_1D, level: Int64_1D
) -> int:
    """Find the components of the graph, and the level of every node in a search; return the number of components.

    Nodes are patterns and, after them, lists. A step from a pattern to its list increases the level.
    """
    patterns = len(lists)
    nodes = len(component)
    order, low = np.zeros(nodes, dtype=np.int64), np.zeros(nodes, dtype=np.int64)
    next_ = np.zeros(nodes, dtype=np.int64)
    path, waiting = np.zeros(nodes, dtype=np.int64), np.zeros(nodes, dtype=np.int64)
    time, found, waiting_count = 0, 0, 0
    for root in range(patterns):
        if not included[root] or order[root]:
            continue
        depth = 1
        path[0] = root
        level[root] = 0
        while depth > 0:
            node = path[depth - 1]
            if order[node] == 0:
                time += 1
                order[node] = low[node] = time
                waiting[waiting_count] = node
                waiting_count += 1
            is_pattern = node < patterns
            edges = 1 if is_pattern else starts[node - patterns + 1] - starts[node - patterns]
            if next_[node] < edges:
                if is_pattern:
                    other = patterns + int(lists[node])
                else:
                    other = int(members[starts[node - patterns] + next_[node]])
                next_[node] += 1
                if other < patterns and not included[other]:
                    continue
                if order[other] == 0:
                    level[other] = level[node] + is_pattern
                    path[depth] = other
                    depth += 1
                elif component[other] < 0:
                    low[node] = min(low[node], order[other])
                continue
            depth -= 1
            if depth > 0:
                low[path[depth - 1]] = min(low[path[depth - 1]], low[node])
            if low[node] == order[node]:
                last = -1
                while last != node:
                    waiting_count -= 1
                    last = waiting[waiting_count]
                    component[last] = found
                found += 1
    return found


@kernel
def find_periods(lists: Int32_1D, starts: Int32_1D, members: Int32_1D, included: Uint8_1D, periods: Int64_1D) -> None:
    """Write the period of every pattern, or 0 if no closed row contains it.

    `lists` has the list of allowed neighbors of every pattern in one direction. Only the patterns in `included` are
    used; the period of the others is 0.
    """
    patterns = len(lists)
    nodes = patterns + len(starts) - 1
    component, level = np.full(nodes, -1, dtype=np.int64), np.zeros(nodes, dtype=np.int64)
    found = _measure_components(lists, starts, members, included, component, level)
    own = np.zeros(found, dtype=np.int64)
    for pattern in range(patterns):
        node = patterns + lists[pattern]
        if included[pattern] and component[pattern] == component[node]:
            own[component[node]] = gcd(own[component[node]], abs(level[pattern] + 1 - level[node]))
    for node in range(patterns, nodes):
        if component[node] < 0:
            continue
        for place in range(starts[node - patterns], starts[node - patterns + 1]):
            pattern = members[place]
            if component[pattern] == component[node]:
                own[component[node]] = gcd(own[component[node]], abs(level[node] - level[pattern]))
    for pattern in range(patterns):
        periods[pattern] = own[component[pattern]] if included[pattern] else 0
