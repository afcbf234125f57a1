"""Fashion-based cellular automata compared with NumPy and plain Python, in million cell updates per second; memory."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

import tilewright as tw
from tilewright.core.tilemap import TileMap
from tilewright.generators.fashion import CAVERN, NEIGHBOURHOODS
from tilewright.kernels.fashion import Automaton

from .row import Row, best_times

Cells = NDArray[np.uint8]
Scores = NDArray[np.float64]
Offsets = Sequence[tuple[int, int]]

PLUS = NEIGHBOURHOODS["plus"]
GENERATIONS = 40


def rows() -> Iterator[Row]:
    yield from _measure_small()
    yield from _measure_large()
    if sys.platform == "linux":  # where a process can read its peak memory
        yield Row(what="fashion 4096x4096, memory", unit="MB", ours=_measure_memory(), at_most=150)


def _measure_small() -> Iterator[Row]:
    """Measure the kernel alone, on a map so small that the cost of each call matters."""
    what, scores = "fashion 100x100 n=2, kernel", np.array([[0.87, 0.33], [0.52, 0.79]])
    start = _cells(tw.make("fashion", width=100, height=100, scores=scores, generations=0, seed=7))
    automaton = Automaton(start, scores, PLUS)

    def ours() -> Cells:
        automaton.cells[:] = start
        automaton.advance(GENERATIONS)
        return automaton.cells

    peers = [partial(peer, start, scores, PLUS, GENERATIONS) for peer in (roll_cells, roll_in_place)]
    plain = partial(update_by_cell, start, scores, PLUS, GENERATIONS)
    for peer in (*peers, plain):
        assert np.array_equal(peer(), ours()), "peers must agree"
    updates = start.size * GENERATIONS
    own, roll, tuned = _rates(updates, best_times(ours, *peers, rounds=100))
    yield from _compare_numpy(what, own, roll, tuned)
    own, slow = _rates(updates, best_times(ours, plain, rounds=20))
    yield Row(what=what, unit="M/s", ours=own, peer=slow, peer_name="plain Python", at_least=700)
    yield Row(what="np.roll itself, n=2", unit="M/s", peer=roll, peer_name="np.roll", at_least=30)


def _measure_large() -> Iterator[Row]:
    """Measure `tw.make`: validation, random start, generations and the finished map."""
    what, scores, size = "fashion 1000x1000 n=6, tw.make", np.array(CAVERN), 1000
    make = partial(tw.make, "fashion", generations=GENERATIONS, seed=7)
    ours = partial(make, width=size, height=size)
    start = _cells(make(width=size, height=size, generations=0))
    peers = [partial(peer, start, scores, PLUS, GENERATIONS) for peer in (roll_cells, roll_in_place)]
    for peer in peers:
        assert np.array_equal(peer(), ours().cells), "peers must agree"
    updates = start.size * GENERATIONS
    own, roll, tuned = _rates(updates, best_times(ours, *peers, rounds=5))
    yield from _compare_numpy(what, own, roll, tuned)
    yield Row(what=what, unit="M/s", ours=own, at_least=1000)
    yield Row(what="np.roll itself, n=6", unit="M/s", peer=roll, peer_name="np.roll", at_least=24)
    # Plain Python would take a minute, so its rate is measured for one generation.
    plain = partial(update_by_cell, start, scores, PLUS, 1)
    assert np.array_equal(plain(), make(width=size, height=size, generations=1).cells), "peers must agree"
    our_time, plain_time = best_times(ours, plain, rounds=5)
    own, slow = updates / our_time / 1e6, start.size / plain_time / 1e6
    yield Row(what=what, unit="M/s", ours=own, peer=slow, peer_name="plain Python", at_least=700)


def _cells(map: TileMap) -> Cells:
    return map.cells.astype(np.uint8)


def _rates(updates: int, times: list[float]) -> list[float]:
    return [updates / time / 1e6 for time in times]


def _compare_numpy(what: str, own: float, roll: float, tuned: float) -> Iterator[Row]:
    yield Row(what=what, unit="M/s", ours=own, peer=roll, peer_name="np.roll", at_least=20)
    yield Row(what=what, unit="M/s", ours=own, peer=tuned, peer_name="np.roll, tuned")


def roll_cells(cells: Cells, scores: Scores, offsets: Offsets, generations: int) -> Cells:
    """Update cells with vectorized NumPy: one lookup in a flat table per neighbor."""
    table, states, cells = scores.ravel(), np.uint8(len(scores)), cells.copy()
    for _ in range(generations):
        near = [np.roll(cells, (-dy, -dx), (0, 1)) for dx, dy in offsets]
        row, sums = cells * states, np.zeros(cells.shape)
        for neighbour in near:
            sums += table.take(row + neighbour)
        best = sums.copy()
        for (dx, dy), neighbour in zip(offsets, near, strict=True):
            rival = np.roll(sums, (-dy, -dx), (0, 1))
            better = rival > best
            np.copyto(best, rival, where=better)
            np.copyto(cells, neighbour, where=better)
    return cells


def roll_in_place(cells: Cells, scores: Scores, offsets: Offsets, generations: int) -> Cells:
    """Update cells as fast as we could with NumPy: reused temporaries and unchecked indices."""
    table, states, cells = scores.ravel(), np.uint8(len(scores)), cells.copy()
    index, term = np.empty(cells.shape, dtype=np.intp), np.empty(cells.shape)
    sums, best, better = np.empty(cells.shape), np.empty(cells.shape), np.empty(cells.shape, dtype=np.bool_)
    for _ in range(generations):
        near = [np.roll(cells, (-dy, -dx), (0, 1)) for dx, dy in offsets]
        row = cells * states
        sums[:] = 0
        for neighbour in near:
            np.add(row, neighbour, out=index)
            sums += np.take(table, index, out=term, mode="clip")
        best[:] = sums
        for (dx, dy), neighbour in zip(offsets, near, strict=True):
            rival = np.roll(sums, (-dy, -dx), (0, 1))
            np.greater(rival, best, out=better)
            np.maximum(rival, best, out=best)
            np.copyto(cells, neighbour, where=better)
    return cells


def update_by_cell(start: Cells, scores: Scores, offsets: Offsets, generations: int) -> Cells:
    """Update cells in plain Python with nested lists."""
    cells: list[list[int]] = start.tolist()
    table: list[list[float]] = scores.tolist()
    height, width = start.shape
    for _ in range(generations):
        sums = [[0.0] * width for _ in range(height)]
        for y in range(height):
            for x in range(width):
                row, total = table[cells[y][x]], 0.0
                for dx, dy in offsets:
                    total += row[cells[(y + dy) % height][(x + dx) % width]]
                sums[y][x] = total
        updated = [row[:] for row in cells]
        for y in range(height):
            for x in range(width):
                best = sums[y][x]
                for dx, dy in offsets:
                    near_y, near_x = (y + dy) % height, (x + dx) % width
                    if sums[near_y][near_x] > best:
                        best = sums[near_y][near_x]
                        updated[y][x] = cells[near_y][near_x]
        cells = updated
    return np.array(cells, dtype=np.uint8)


MEMORY = """
import tilewright as tw
from pathlib import Path

def megabytes(name):
    status = Path("/proc/self/status").read_text().split()
    return int(status[status.index(name + ":") + 1]) * 1024 / 1e6

tw.make("fashion", width=64, height=64, generations=2, seed=7)
before = megabytes("VmRSS")
tw.make("fashion", width=4096, height=4096, seed=7)
print(megabytes("VmHWM") - before)
"""


def _measure_memory() -> float:
    """Return the peak memory in MB above that of a process that has generated a small map."""
    result = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True)
    return float(result.stdout)
