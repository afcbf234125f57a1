"""Sokoban: box puzzles with a given number of crates.

Random levels are changed, and the benchmark's agent solves them. Levels with unusual solutions are changed again. A
search chooses a large set in which every two solutions differ. Its levels are assigned to controls that they meet, and
other solvable levels to the controls that are left.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import count as count_from

import numpy as np
from numpy.typing import NDArray

from tilewright import Rng

from .different import SequenceStack, choose_different
from .kernels.sokoban import CRATE, EMPTY, PLAYER, SOLID, TARGET, solve_sokoban_level
from .problem import Content, Control, PcgProblem, Report

MIN_MOVES = 10
MAX_RATIO = 0.5
MAX_CRATES = 5
MAX_MOVES = 5000
CANDIDATES, COMPARED = 2000, 30
"""Numbers for each control: of levels to try to solve, and of levels of which every two are compared."""
MAX_COUNTED = 100
"""Number of controls from which on these numbers stay the same."""
SAMPLE = 100
"""Number of levels that a new one is compared with."""
POOL = 500
"""Number of levels that are kept to be changed."""
ROUNDS = 20
SEARCH_STEPS = 20_000
FLOOR_SHARE = 0.75
RANDOM_SHARE = 0.05
"""Fraction of candidates that are random, and not a changed level."""
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
        count = min(len(controls), MAX_COUNTED)
        levels = self._find_levels(CANDIDATES * count, rng, lambda part: report(len(controls) * part // ROUNDS))
        solutions = [level.solution for level in levels[: COMPARED * count]]
        different = choose_different(solutions, MAX_RATIO, SEARCH_STEPS, rng.child("different"))
        others = [level for number, level in enumerate(levels) if number not in different]
        found = _assign([levels[number] for number in different], others, controls, rng.child("others"))
        return [level.cells.tolist() for level in found]

    def _find_levels(self, candidates: int, rng: Rng, report: Report) -> list[PuzzleLevel]:
        """Return solvable levels with different solutions, those similar to the fewest others first.

        Levels of a pool are changed at random. A new level replaces a random one of the pool, unless the old one is
        similar to fewer levels of a sample. The sample is drawn again in each round.
        """
        found: dict[bytes, PuzzleLevel] = {}
        for number in count_from():
            level = solve_level(_draw_level(self.shape, rng.child("first", number)))
            if level is not None:
                found.setdefault(level.solution.tobytes(), level)
            if len(found) == SAMPLE:
                break
        pool = [*found.values()]
        for round in range(ROUNDS):
            report(round)
            sample = _draw_sample(found.values(), rng.child("sample", round))
            similar = [_count_similar(level, sample) for level in pool]
            for number in range(round, candidates, ROUNDS):
                stream = rng.child("candidate", number)
                is_random = stream.chance(RANDOM_SHARE)
                cells = _draw_level(self.shape, stream) if is_random else _change(stream.choice(pool).cells, stream)
                level = solve_level(cells)
                if level is None or level.solution.tobytes() in found:
                    continue
                found[level.solution.tobytes()] = level
                rating = _count_similar(level, sample)
                place = stream.below(POOL)
                if len(pool) < POOL:
                    pool.append(level)
                    similar.append(rating)
                elif rating <= similar[place]:
                    pool[place], similar[place] = level, rating
        sample = _draw_sample(found.values(), rng.child("sample", ROUNDS))
        return sorted(found.values(), key=lambda level: _count_similar(level, sample))


def _draw_sample(levels: Collection[PuzzleLevel], rng: Rng) -> SequenceStack:
    return SequenceStack([level.solution for level in rng.shuffle([*levels])[:SAMPLE]])


def _count_similar(level: PuzzleLevel, sample: SequenceStack) -> int:
    return int(np.count_nonzero(sample.compare(level.solution, MAX_RATIO) > MAX_RATIO))


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


def _assign(
    different: Sequence[PuzzleLevel], others: Sequence[PuzzleLevel], controls: Sequence[Control], rng: Rng
) -> list[PuzzleLevel]:
    """Return a level for each control: as many different ones as possible, then the last others, then new ones."""
    found: dict[int, PuzzleLevel] = {}
    places = sorted(range(len(controls)), key=lambda place: controls[place]["crates"])
    for levels in (different, others):
        left: dict[int, list[PuzzleLevel]] = {crates: [] for crates in range(MAX_CRATES + 2)}
        for level in levels:
            left[level.crates].append(level)
        # With controls and crates in ascending order, the number of levels that get a place is maximal.
        for place in [place for place in places if place not in found]:
            wanted = controls[place]["crates"]
            crates = next((crates for crates in (wanted - 1, wanted, wanted + 1) if left[crates]), None)
            if crates is not None:
                found[place] = left[crates].pop()
    made = {level.cells.tobytes(): level for level in (*different, *others)}
    pool = [*made.values()]
    number = 0
    for place in [place for place in places if place not in found]:
        while place not in found:
            number += 1
            stream = rng.child("more", number)
            new = solve_level(_change(stream.choice(pool).cells, stream))
            if new is None or new.cells.tobytes() in made:
                continue
            made[new.cells.tobytes()] = new
            pool.append(new)
            if abs(new.crates - controls[place]["crates"]) <= 1:
                found[place] = new
    return [found[place] for place in range(len(controls))]


PROBLEM = SokobanProblem()
