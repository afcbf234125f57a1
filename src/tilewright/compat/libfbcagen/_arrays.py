"""An `Fbca` as what kernels take: its map in arrays, its values checked, each mistake told by its own name."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite, nan
from operator import index
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...core.errors import InvalidRecipe, TooLarge
from ...kernels.fashion import Automaton
from . import FBCAConsts
from .FBCAConsts import CACell, Fbca

LevelMap: TypeAlias = list[list[CACell]]
Cells: TypeAlias = NDArray[np.uint8]
"""States by row and column, as everywhere else in Tilewright."""

MAX_STATES = 255
MAX_UPDATES = 10**6
MAX_CELLS = 1 << 24
"""A cell is a Python object here, of some hundred bytes."""


def to_level_map(states: Cells) -> LevelMap:
    return [[CACell(state) for state in column] for column in states.T.tolist()]


def read_states(fbca: Fbca) -> Cells:
    """The states of as much of the map as the torus holds."""
    height, width = read_shape(fbca)
    columns = [[cell.state for cell in column[:height]] for column in fbca.levelMap[:width]]
    if len(columns) < width or any(len(column) < height for column in columns):
        raise InvalidRecipe(
            f"{width} columns (torusLength) of {height} cells (torusWidth) are needed, got {len(columns)} of "
            f"{min(map(len, columns), default=0)}; initCA makes them",
            at="levelMap",
        )
    states, n = np.array(columns).T, read_state_count(fbca)
    if states.dtype.kind not in "ui" or states.min() < 0 or states.max() >= n:
        for state in states.ravel().tolist():
            check_integer(f"levelMap, n = {n}", state, 0, n - 1)
    return states.astype(np.uint8)


def run_generations(fbca: Fbca, count: int) -> Iterator[Cells]:
    """The map, and what it becomes with every update."""
    start = read_states(fbca)
    automaton = Automaton(start, np.array(read_scores(fbca)).reshape(fbca.n, fbca.n), read_offsets(fbca))
    yield start
    for _ in range(count):
        automaton.advance()
        yield automaton.cells.copy()


# -- checked values ------------------------------------------------------------------------------------------


def check_integer(name: str, value: object, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or not low <= value <= high:
        raise InvalidRecipe(f"a whole number from {low} to {high:,}", at=name, got=value, rule="range")
    return int(value)


def read_state_count(fbca: Fbca) -> int:
    return check_integer("n", fbca.n, 2, MAX_STATES)


def read_update_count(fbca: Fbca) -> int:
    return check_integer("g", fbca.g, 0, MAX_UPDATES)


def read_shape(fbca: Fbca) -> tuple[int, int]:
    """Rows and columns."""
    if not isinstance(fbca, Fbca):
        raise InvalidRecipe("an Fbca is needed", at="fbca", got=fbca, rule="missing")
    width = check_integer("torusLength", fbca.torusLength, 1, MAX_CELLS)
    height = check_integer("torusWidth", fbca.torusWidth, 1, MAX_CELLS)
    if width * height > MAX_CELLS:
        text = f'{width * height:,} cells, at most {MAX_CELLS:,} can be objects; tw.make("fashion") makes larger maps'
        raise TooLarge(text, at="torusLength", place="torusLength, torusWidth")
    return height, width


def read_scores(fbca: Fbca) -> list[float]:
    """The n * n scores as numbers: published lists hold quoted ones, and more than are needed."""
    n = read_state_count(fbca)
    given = list(fbca.scoreMatrix) or FBCAConsts.scoreMatrix
    if len(given) < n * n:
        raise InvalidRecipe(f"n = {n} needs {n * n} scores, got {len(fbca.scoreMatrix)}", at="scoreMatrix")
    try:
        numbers = [float(score) for score in given[: n * n]]
    except (TypeError, ValueError):
        numbers = [nan]
    if not all(map(isfinite, numbers)):
        raise InvalidRecipe("finite numbers", at="scoreMatrix", got=given, rule="type")
    return numbers


def read_offsets(fbca: Fbca) -> list[tuple[int, int]]:
    try:
        pairs = [(index(dx), index(dy)) for dx, dy in fbca.neighbourhood]
    except (TypeError, ValueError):
        pairs = []
    if not pairs:
        raise InvalidRecipe("a list of offsets (x, y), at least one", at="neighbourhood", got=fbca.neighbourhood)
    return pairs
