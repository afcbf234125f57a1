"""Drunkard's walk: walkers that dig each cell they enter."""

from __future__ import annotations

from typing import Annotated, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import inline, kernel, part
from .directions import shift_of
from .random import below, random
from .types import Int64_1D, Record, Uint8_1D, Uint64_1D

FLOOR, ROCK, BLOCKED = 0, 1, 2
"""Kinds of cells: dug, diggable, or never dug."""
WALKER = np.dtype([("place", np.int64), ("heading", np.int64), ("left", np.int64), ("idle", np.int64)])
"""Walker: its cell, or -1 if it has none; its direction; its remaining steps, or the rounds before it starts; the steps
since it last dug.
"""
Walkers: TypeAlias = Annotated[NDArray[np.void], WALKER]


class WalkState(Record):
    """Progress of the walk."""

    next: int
    """Next walker to move."""
    dug: int
    """Number of floors."""
    listed: int
    """Number of floors in the list of starts."""
    started: int
    """Number of walkers that have started."""
    steps: int
    finished: int
    """Number of walkers that have ended permanently."""


class WalkRules(NamedTuple):
    """Options of the walk."""

    turn: float
    """Probability of a new direction."""
    bias: float
    """Probability that a new direction leads to the center or, if negative, away from it."""
    steps: int
    """Number of steps of a walker."""
    max_walkers: int
    """Maximum total number of walkers."""
    patience: int
    """Number of steps without digging after which a walker ends early."""
    middle: int
    """Cell from which walkers start; -1 for any floor beside rock."""


@inline
def draw_direction(state: Uint64_1D, cell: int, row: int, rows: int, bias: float) -> int:
    """Draw a direction; with the probability of the bias, one that leads to the center, or away from it."""
    if bias != 0.0 and random(state) < abs(bias):
        # Twice the distance to the center, which is an integer, since the margin is equally wide on all sides.
        down, right = rows - 1 - 2 * (cell // row), row - 1 - 2 * (cell % row)
        if bias < 0.0:
            down, right = -down, -right
        if down != 0 or right != 0:
            if below(state, abs(down) + abs(right)) < abs(down):
                return 2 if down > 0 else 0
            return 1 if right > 0 else 3
    return below(state, 4)


@part
def find_direction(cells: Uint8_1D, cell: int, row: int, first: int, floors: bool) -> int:
    """Return the first direction from `first` on, clockwise, that leads to rock, or to floor if `floors`; -1 if none
    does.
    """
    for turn in range(4):
        heading = (first + turn) % 4
        near = cells[cell + shift_of(heading, row)]
        if near == ROCK or (floors and near == FLOOR):
            return heading
    return -1


@part
def draw_start(state: Uint64_1D, cells: Uint8_1D, row: int, starts: Int64_1D, progress: WalkState) -> int:
    """Draw a random floor that has rock beside it; return -1 if there is none left.

    `starts` lists the floors. Those without rock beside them are removed permanently.
    """
    while progress.listed > 0:
        chosen = below(state, progress.listed)
        cell = starts[chosen]
        if find_direction(cells, cell, row, 0, False) >= 0:
            return int(cell)
        progress.listed -= 1
        starts[chosen] = starts[progress.listed]
    return -1


@kernel(allocates=False)
def walk(
    state: Uint64_1D,
    cells: Uint8_1D,
    row: int,
    walkers: Walkers,
    starts: Int64_1D,
    progress: WalkState,
    rules: WalkRules,
    goal: int,
    budget: int,
) -> bool:
    """Move the walkers in turn until `goal` floors are dug or `budget` steps are taken.

    Return whether more steps remain.

    `cells` is flat, in rows of `row` cells. When a walker ends, another one starts: from the middle or, if
    `rules.middle` is -1 or the last walker ended early, from a random floor beside rock, into the rock.
    """
    rows = cells.size // row
    while progress.dug < goal and progress.finished < len(walkers):
        if budget == 0:
            return True
        budget -= 1
        walker = walkers[progress.next]
        progress.next = (progress.next + 1) % len(walkers)
        cell, heading = walker["place"], walker["heading"]
        if cell < 0:
            if walker["left"] != 0:
                if walker["left"] > 0:
                    walker["left"] -= 1
                continue
            if progress.started == rules.max_walkers:
                walker["left"] = -1
                progress.finished += 1
                continue
            if rules.middle >= 0 and walker["idle"] < rules.patience:
                cell, heading = rules.middle, draw_direction(state, rules.middle, row, rows, rules.bias)
            else:
                cell = draw_start(state, cells, row, starts, progress)
                if cell < 0:
                    return False
                heading = find_direction(cells, cell, row, below(state, 4), False)
            progress.started += 1
            walker["left"], walker["idle"] = rules.steps, 0
        elif random(state) < rules.turn:
            heading = draw_direction(state, cell, row, rows, rules.bias)
        if cells[cell + shift_of(heading, row)] == BLOCKED:
            heading = find_direction(cells, cell, row, below(state, 4), True)
        progress.steps += 1
        walker["left"] -= 1
        walker["idle"] += 1
        if heading >= 0:
            cell += shift_of(heading, row)
            if cells[cell] == ROCK:
                cells[cell] = FLOOR
                starts[progress.listed] = cell
                progress.listed += 1
                progress.dug += 1
                walker["idle"] = 0
        walker["place"], walker["heading"] = cell, max(heading, 0)
        if walker["left"] == 0 or walker["idle"] >= rules.patience:
            walker["place"], walker["left"] = -1, 0
    return False
