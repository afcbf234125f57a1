"""Conversion of an `Fbca` to arrays and checked values. Errors name the attributes of the `Fbca`."""

from __future__ import annotations

from collections.abc import Iterator
from math import isfinite, nan
from operator import index
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...core.errors import InvalidRecipe, TooLarge
from ...core.params import check_integer
from ...kernels.fashion import Automaton
from . import FBCAConsts
from .FBCAConsts import CACell, Fbca

LevelMap: TypeAlias = list[list[CACell]]
Cells: TypeAlias = NDArray[np.uint8]
"""Array (row, column) of states."""

MAX_STATES = 255
MAX_UPDATES = 10**6
MAX_CELLS = 1 << 24
"""Maximum number of cells. Each cell is a Python object of a few hundred bytes."""


def to_level_map(states: Cells) -> LevelMap:
    """Return states as columns of cells."""
    return [[CACell(state) for state in column] for column in states.T.tolist()]


def read_states(fbca: Fbca) -> Cells:
    """Return the states of the map, cropped to the size of the torus."""
    height, width = read_shape(fbca)
    columns = [[cell.state for cell in column[:height]] for column in fbca.levelMap[:width]]
    if len(columns) < width or any(len(column) < height for column in columns):
        raise InvalidRecipe(
            f"must have {width} columns (torusLength) of {height} cells (torusWidth), got {len(columns)} of "
            f"{min(map(len, columns), default=0)}; call initCA first",
            at="levelMap",
        )
    states, n = np.array(columns).T, read_state_count(fbca)
    if states.dtype.kind not in "ui" or states.min() < 0 or states.max() >= n:
        for state in states.ravel().tolist():
            check_integer(f"levelMap, n = {n}", state, 0, n - 1)
    return states.astype(np.uint8)


def run_generations(fbca: Fbca, count: int) -> Iterator[Cells]:
    """Yield the states of the map, then those after each update."""
    start = read_states(fbca)
    automaton = Automaton(start, np.array(read_scores(fbca)).reshape(fbca.n, fbca.n), read_offsets(fbca))
    yield start
    for _ in range(count):
        automaton.advance()
        yield automaton.cells.copy()


# -- checked values ------------------------------------------------------------------------------------------


def read_state_count(fbca: Fbca) -> int:
    """Return the number of states."""
    return check_integer("n", fbca.n, 2, MAX_STATES)


def read_update_count(fbca: Fbca) -> int:
    """Return the number of updates."""
    return check_integer("g", fbca.g, 0, MAX_UPDATES)


def read_shape(fbca: Fbca) -> tuple[int, int]:
    """Return the number of rows and columns."""
    if not isinstance(fbca, Fbca):
        raise InvalidRecipe("must be an Fbca", at="fbca", got=fbca, rule="missing")
    width = check_integer("torusLength", fbca.torusLength, 1, MAX_CELLS)
    height = check_integer("torusWidth", fbca.torusWidth, 1, MAX_CELLS)
    if width * height > MAX_CELLS:
        text = f'must have at most {MAX_CELLS:,} cells, got {width * height:,}; tw.make("fashion") makes larger maps'
        raise TooLarge(text, at="torusLength", place="torusLength, torusWidth")
    return height, width


def read_scores(fbca: Fbca) -> list[float]:
    """Return the n * n scores as numbers. Published lists contain quoted numbers, and more numbers than needed."""
    n = read_state_count(fbca)
    given = list(fbca.scoreMatrix) or FBCAConsts.scoreMatrix
    if len(given) < n * n:
        raise InvalidRecipe(f"n = {n} needs {n * n} scores, got {len(fbca.scoreMatrix)}", at="scoreMatrix")
    try:
        numbers = [float(score) for score in given[: n * n]]
    except (TypeError, ValueError):
        numbers = [nan]
    if not all(map(isfinite, numbers)):
        raise InvalidRecipe("must be finite numbers", at="scoreMatrix", got=given, rule="type")
    return numbers


def read_offsets(fbca: Fbca) -> list[tuple[int, int]]:
    """Return the (x, y) offsets of the neighbors."""
    try:
        pairs = [(index(dx), index(dy)) for dx, dy in fbca.neighbourhood]
    except (TypeError, ValueError):
        pairs = []
    if not pairs:
        text = "must be a list of at least one offset (x, y)"
        raise InvalidRecipe(text, at="neighbourhood", got=fbca.neighbourhood)
    return pairs
