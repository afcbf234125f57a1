"""Sokoban: box puzzles with a given number of crates.

Random levels are changed at random. The benchmark's agent solves them, and a level enters the set of different ones if
its solution differs from those of all others, or from all but one, which then leaves the set. The set's levels are
assigned to controls that they meet, and other solvable levels to the controls that are left.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.seeds import Rng
from ...kernels.sokoban_agent import CRATE, EMPTY, PLAYER, SOLID, TARGET, solve_sokoban_level
from .different import find_similar_sequences
from .problem import Content, Control, PcgProblem, Report

MIN_MOVES = 10
MAX_RATIO = 0.5
MAX_CRATES = 5
MAX_MOVES = 5000
CANDIDATES = 250_000
POOL = 1000
"""Number of solvable levels that are kept to be changed."""
FLOOR_SHARE = 0.75
RANDOM_SHARE = 0.2
"""Fraction of candidates that are random, and not a changed level."""
REPORTS = 200
STEPS = ((0, -1), (0, 1), (-1, 0), (1, 0))
"""Row and column of the moves left, right, up and down."""
WALKS = {(0, 1): "r", (0, -1): "l", (1, 0): "d", (-1, 0): "u"}
PUSHES = {(0, 1): "e", (0, -1): "k", (1, 0): "s", (-1, 0): "y"}


@dataclass(frozen=True, eq=False)
class PuzzleLevel:
    """A level, its number of crates, and its solution as the benchmark compares it."""

    cells: NDArray[np.int64]
    crates: int
    solution: NDArray[np.uint8]

    def meets(self, control: Control) -> bool:
        return max(control["crates"] - 1, 1) <= self.crates <= control["crates"] + 1


class SokobanProblem(PcgProblem):
    name = "sokoban"
    shape = (5, 5)
    tiles = (
        {"name": "wall", "glyph": "#", "passable": False},
        {"name": "floor", "glyph": "."},
        {"name": "player", "glyph": "@"},
        {"name": "crate", "glyph": "$"},
        {"name": "target", "glyph": "o"},
    )
    ranges = (("crates", 1, 5),)
    game = "sokoban"

    def make(self, controls: Sequence[Control], rng: Rng, report: Report) -> list[Content]:
        pool: list[PuzzleLevel] = []
        different: list[PuzzleLevel] = []
        for number in range(CANDIDATES):
            stream = rng.child("candidate", number)
            if len(pool) < POOL // 10 or stream.chance(RANDOM_SHARE):
                cells = _draw_level(self.shape, stream)
            else:
                cells = _change(pool[stream.below(len(pool))].cells, stream)
            level = solve_level(cells)
            if level is None:
                continue
            if len(pool) < POOL:
                pool.append(level)
            else:
                pool[stream.below(POOL)] = level
            similar = np.flatnonzero(_find_conflicts(level, different))
            if similar.size == 1:
                different[similar[0]] = level
            elif similar.size == 0:
                different.append(level)
            if number % REPORTS == 0:
                report(number * len(controls) // CANDIDATES)
        return [level.cells.tolist() for level in _assign(different, pool, controls, rng.child("others"))]


def _draw_level(shape: tuple[int, int], rng: Rng) -> NDArray[np.int64]:
    """Return a random level, solvable or not."""
    size = shape[0] * shape[1]
    cells = np.where(rng.randoms(size) < FLOOR_SHARE, EMPTY, SOLID).astype(np.int64)
    crates = rng.between(1, MAX_CRATES)
    places = rng.shuffle(range(size))
    cells[places[0]] = PLAYER
    cells[places[1 : 1 + crates]] = CRATE
    cells[places[1 + crates : 1 + 2 * crates]] = TARGET
    return cells.reshape(shape)


def _change(cells: NDArray[np.int64], rng: Rng) -> NDArray[np.int64]:
    """Return a level in which some cells were swapped or filled or opened; sometimes with a crate more or less."""
    flat = cells.copy().reshape(-1)
    for _ in range(rng.between(1, 4)):
        one, two = rng.below(flat.size), rng.below(flat.size)
        kind = rng.below(8)
        if kind < 4:
            flat[one], flat[two] = flat[two], flat[one]
        elif kind < 7:
            if flat[one] in (SOLID, EMPTY):
                flat[one] = SOLID + EMPTY - flat[one]
        elif {flat[one], flat[two]} == {CRATE, TARGET}:
            flat[one] = flat[two] = EMPTY
        elif one != two and flat[one] in (SOLID, EMPTY) and flat[two] in (SOLID, EMPTY):
            flat[one], flat[two] = CRATE, TARGET
    return flat.reshape(cells.shape)


def solve_level(cells: NDArray[np.int64]) -> PuzzleLevel | None:
    """Return a level if it has few crates and the benchmark's first agent solves it with enough moves."""
    crates = int(np.count_nonzero(cells == CRATE))
    if not 1 <= crates <= MAX_CRATES:
        return None
    padded = np.pad(cells, 1).astype(np.uint8)
    moves = np.empty(MAX_MOVES, dtype=np.uint8)
    count = solve_sokoban_level(padded.reshape(-1), padded.shape[1], -1.0, moves)
    return PuzzleLevel(cells, crates, _write_solution(moves[:count])) if count >= MIN_MOVES else None


def _write_solution(moves: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return a solution as the benchmark compares it: turned to start right and down, without repeated letters."""
    steps = [STEPS[move & 3] for move in moves]
    if steps[0][1] == 0:
        steps = [(across, down) for down, across in steps]
    if steps[0][1] < 0:
        steps = [(down, -across) for down, across in steps]
    if next((down for down, _ in steps if down), 1) < 0:
        steps = [(-down, across) for down, across in steps]
    letters = ""
    for move, step in zip(moves, steps, strict=True):
        letter = (PUSHES if move & 4 else WALKS)[step]
        if not letters.endswith(letter):
            letters += letter
    return np.frombuffer(letters.encode(), dtype=np.uint8).copy()


def _find_conflicts(one: PuzzleLevel, others: Sequence[PuzzleLevel]) -> NDArray[np.bool_]:
    limits = np.full(len(others), MAX_RATIO)
    return find_similar_sequences(one.solution, [other.solution for other in others], limits) > MAX_RATIO


def _assign(
    different: Sequence[PuzzleLevel], pool: Sequence[PuzzleLevel], controls: Sequence[Control], rng: Rng
) -> list[PuzzleLevel]:
    """Return a level for each control: those of the set as far as possible, then others, each once."""
    found: dict[int, PuzzleLevel] = {}
    seen: set[bytes] = set()
    for level in [*different, *rng.shuffle(pool)]:
        place = next((n for n, control in enumerate(controls) if n not in found and level.meets(control)), None)
        if place is not None and level.cells.tobytes() not in seen:
            found[place] = level
            seen.add(level.cells.tobytes())
    number = 0
    for place in [place for place in range(len(controls)) if place not in found]:
        while place not in found:
            number += 1
            stream = rng.child("more", number)
            other = solve_level(_change(pool[stream.below(len(pool))].cells, stream))
            if other is not None and other.meets(controls[place]) and other.cells.tobytes() not in seen:
                found[place] = other
                seen.add(other.cells.tobytes())
    return [found[place] for place in range(len(controls))]


PROBLEM = SokobanProblem()
