"""The box puzzle of the PCG Benchmark's problem sokoban, and its agents.

The agents differ from an exact solver: they take a limited number of states from the queue, distinguish crates, and
know only deadlocks in corners and along walls between corners.
"""

from __future__ import annotations

import numpy as np

from tilewright.kernels import kernel, part
from tilewright.kernels.types import Int64_1D, Uint8_1D

from .agent_queue import MAX_POPS, add_state, pop_node, push_node, start_search

SOLID, EMPTY, PLAYER, CRATE, TARGET = 0, 1, 2, 3, 4
MAX_CRATES = 8
DEPTH, PARENT, MOVE, PUSHED, AT = 0, 1, 2, 3, 4
"""Columns of a node; AT has the place of the player, and those of the crates after it."""


@part
def mark_deadlocks(level: Uint8_1D, columns: int, deadlocks: Uint8_1D) -> None:
    """Mark corners without a target, and the cells along a wall between two of them, if none has a target."""
    for place in range(columns + 1, level.size - columns - 1):
        column = place % columns
        if level[place] == SOLID or level[place] == TARGET or column == 0 or column == columns - 1:
            continue
        is_vertical = level[place - columns] == SOLID or level[place + columns] == SOLID
        is_across = level[place - 1] == SOLID or level[place + 1] == SOLID
        if is_vertical and is_across:
            deadlocks[place] = 2
    for place in range(level.size):
        if deadlocks[place] != 2:
            continue
        for shift, beside in ((1, columns), (columns, 1)):
            end = place + shift
            while (
                deadlocks[end] != 2
                and level[end] != SOLID
                and level[end] != TARGET
                and (level[end - beside] == SOLID or level[end + beside] == SOLID)
            ):
                end += shift
            if deadlocks[end] == 2:
                for between in range(place + shift, end, shift):
                    deadlocks[between] = 1


@part
def sum_distances(node: Int64_1D, targets: Int64_1D, count: int, columns: int, used: Uint8_1D) -> int:
    """Return the sum of the distances of crates to targets, each crate with the nearest that is left."""
    used[:] = 0
    total = 0
    for crate in range(count):
        place = node[AT + 1 + crate]
        best, match = 2 * columns, 0
        for number in range(count):
            if used[number]:
                continue
            across = abs(place % columns - targets[number] % columns)
            distance = across + abs(place // columns - targets[number] // columns)
            if distance < best:
                best, match = distance, number
        used[match] = 1
        total += best
    return total


@kernel
def solve_sokoban_level(level: Uint8_1D, columns: int, balance: float, moves: Uint8_1D) -> int:
    """Solve a square level as an agent of the benchmark does; return the number of moves, -1 without a solution.

    Parameters
    ----------
    level
        Tiles, flat within a margin of SOLID, with one player and as many crates as targets.
    columns
        Columns of the level with its margin.
    balance
        Weight of the depth in the priority; negative for a breadth-first search.
    moves
        Result: moves 0..3 for left, right, up and down, plus 4 for a push.
    """
    nodes, priority, heap, table = start_search(AT + 1 + MAX_CRATES)
    deadlocks = np.zeros(level.size, dtype=np.uint8)
    mark_deadlocks(level, columns, deadlocks)
    targets = np.zeros(MAX_CRATES, dtype=np.int64)
    used = np.zeros(MAX_CRATES, dtype=np.uint8)
    count, goals = 0, 0
    nodes[0, PARENT] = -1
    for place in range(level.size):
        if level[place] == PLAYER:
            nodes[0, AT] = place
        elif level[place] == CRATE:
            nodes[0, AT + 1 + count] = place
            count += 1
        elif level[place] == TARGET:
            targets[goals] = place
            goals += 1
    shifts = (-1, 1, -columns, columns)
    made, size, start = 1, 1, 0
    """Number of nodes, end of the queue, and start of the queue of a breadth-first search."""
    for _ in range(MAX_POPS):
        if start >= size:
            break
        if balance < 0:
            current = start
            start += 1
        else:
            current = pop_node(heap, priority, size)
            size -= 1
        node = nodes[current]
        key, done = node[AT], 0
        for crate in range(count):
            key = key << 6 | node[AT + 1 + crate]
            done += level[node[AT + 1 + crate]] == TARGET
        if done == count:
            length = node[DEPTH]
            for place in range(length - 1, -1, -1):
                moves[place] = nodes[current, MOVE] + 4 * nodes[current, PUSHED]
                current = nodes[current, PARENT]
            return int(length)
        if not add_state(table, key, 0):
            continue
        for move in range(4):
            place = node[AT] + shifts[move]
            if level[place] == SOLID:
                continue
            pushed = -1
            is_free = level[place + shifts[move]] != SOLID
            for crate in range(count):
                if node[AT + 1 + crate] == place:
                    pushed = crate
            if pushed >= 0:
                for crate in range(count):
                    if node[AT + 1 + crate] == place + shifts[move]:
                        is_free = False
                if not is_free:
                    continue
            child = nodes[made]
            child[:] = node
            child[AT], child[PARENT], child[DEPTH], child[MOVE] = place, current, node[DEPTH] + 1, move
            child[PUSHED] = pushed >= 0
            if pushed >= 0:
                child[AT + 1 + pushed] = place + shifts[move]
                is_dead = False
                for crate in range(count):
                    is_dead = is_dead or deadlocks[child[AT + 1 + crate]] > 0
                if is_dead:
                    continue
            if balance < 0:
                size += 1
            else:
                distance = sum_distances(child, targets, count, columns, used)
                priority[made] = distance + balance * child[DEPTH]
                size = push_node(heap, priority, size, made)
            made += 1
    return -1
