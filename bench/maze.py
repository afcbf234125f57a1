"""Mazes compared with a plain Python backtracker, and with mazelib if it is installed."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import partial
from importlib import import_module
from importlib.util import find_spec

import numpy as np
from numpy.typing import NDArray

import tilewright as tw

from .row import Row, best_times

SIZE = 501
LARGE = 2001


def rows() -> Iterator[Row]:
    make = partial(tw.make, "maze", seed=7)
    for floor in (make(width=SIZE, height=SIZE).where("floor"), make_plainly(SIZE) == 0):
        assert floor.sum() == 2 * (SIZE // 2) ** 2 - 1, "peers must agree: one cell per node and per link"
    ours, peer = best_times(partial(make, width=SIZE, height=SIZE), partial(make_plainly, SIZE), rounds=3)
    yield Row(
        what=f"maze {SIZE}x{SIZE} by backtracker, tw.make",
        unit="ms",
        ours=ours * 1e3,
        peer=peer * 1e3,
        peer_name="plain Python",
        at_least=10,
    )
    if find_spec("mazelib"):
        yield _compare_mazelib()
    methods = ("backtracker", "prim", "kruskal", "wilson", "division")
    works = [partial(make, width=LARGE, height=LARGE, method=method) for method in methods]
    for method, time in zip(methods, best_times(*works, rounds=3), strict=True):
        yield Row(what=f"maze {LARGE}x{LARGE} by {method}, tw.make", unit="ms", ours=time * 1e3, at_most=1000)


def _compare_mazelib() -> Row:
    generator = import_module("mazelib.generate.BacktrackingGenerator").BacktrackingGenerator
    work = generator(SIZE // 2, SIZE // 2).generate
    ours, peer = best_times(partial(tw.make, "maze", width=SIZE, height=SIZE, seed=7), work, rounds=3)
    return Row(
        what=f"maze {SIZE}x{SIZE} by backtracker, tw.make",
        unit="ms",
        ours=ours * 1e3,
        peer=peer * 1e3,
        peer_name="mazelib",
        at_least=20,
    )


def make_plainly(size: int) -> NDArray[np.uint8]:
    """Return a maze by a simple backtracker in Python: a stack of cells two apart; 1 is wall. Places no start
    and exit.
    """
    rng = random.Random(7)
    cells = [bytearray(b"\x01" * size) for _ in range(size)]
    stack = [(1, 1)]
    cells[1][1] = 0
    while stack:
        row, column = stack[-1]
        unvisited = [
            (y, x)
            for y, x in ((row - 2, column), (row, column + 2), (row + 2, column), (row, column - 2))
            if 0 < y < size and 0 < x < size and cells[y][x]
        ]
        if unvisited:
            y, x = rng.choice(unvisited)
            cells[y][x] = cells[(row + y) // 2][(column + x) // 2] = 0
            stack.append((y, x))
        else:
            stack.pop()
    return np.array([list(line) for line in cells], dtype=np.uint8)
