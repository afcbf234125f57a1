"""Drunkards: walkers that dig wherever they go."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import kernel
from .directions import shift_of
from .random import below, random

Bytes: TypeAlias = NDArray[np.uint8]
Numbers: TypeAlias = NDArray[np.int64]
State: TypeAlias = NDArray[np.uint64]

FLOOR, ROCK, BLOCKED = 0, 1, 2
"""What a cell of the ground is: dug, to be dug, or never dug."""
NEXT, DUG, LISTED, STARTED, STEPS, OVER = range(6)
"""How far the work is: whose turn it is; floors; floors in the list of starts; walkers that set out; steps taken;
walkers that are done for good."""
PLACE, HEADING, LEFT, IDLE = range(4)
"""What is known of a walker: its cell, or -1 while it has none; its direction; the steps left to it, or the rounds
before it sets out; the steps since it last dug."""


@kernel
def leaning(state: State, cell: int, row: int, rows: int, bias: float) -> int:
    """A direction by chance: with the chance of the bias one that leads to the centre, or away from it."""
    if bias != 0.0 and random(state) < abs(bias):
        # Twice the way to the centre, so that it is a whole number: the margin is as wide on every side.
        down, right = rows - 1 - 2 * (cell // row), row - 1 - 2 * (cell % row)
        if bias < 0.0:
            down, right = -down, -right
        if down != 0 or right != 0:
            if below(state, abs(down) + abs(right)) < abs(down):
                return 2 if down > 0 else 0
            return 1 if right > 0 else 3
    return below(state, 4)


@kernel
def turned_to(cells: Bytes, cell: int, row: int, first: int, floors: bool) -> int:
    """The first direction from `first` on, clockwise, that leads to rock, or to floors as well; -1 where none does."""
    for turn in range(4):
        heading = (first + turn) % 4
        near = cells[cell + shift_of(heading, row)]
        if near == ROCK or (floors and near == FLOOR):
            return heading
    return -1


@kernel
def start_beside_rock(state: State, cells: Bytes, row: int, starts: Numbers, progress: Numbers) -> int:
    """A floor by chance that has rock beside it, or -1 where there is none left.

    `starts` lists every floor; those found to have no rock beside them leave the list for good.
    """
    while progress[LISTED] > 0:
        chosen = below(state, progress[LISTED])
        cell = starts[chosen]
        if turned_to(cells, cell, row, 0, False) >= 0:
            return int(cell)
        progress[LISTED] -= 1
        starts[chosen] = starts[progress[LISTED]]
    return -1


@kernel(
    "boolean(uint64[::1], uint8[::1], int64, int64[:, ::1], int64[::1], int64[::1],"
    " float64, float64, int64, int64, int64, int64, int64, int64)"
)
def walk(
    state: State,
    cells: Bytes,
    row: int,
    walkers: Numbers,
    starts: Numbers,
    progress: Numbers,
    turn: float,
    bias: float,
    steps: int,
    lives: int,
    patience: int,
    middle: int,
    goal: int,
    budget: int,
) -> bool:
    """Let the walkers take their steps in turn until so many are taken or floors dug; whether there is more to do.

    `cells` is the ground, flat, in rows of `row` cells. A walker takes `steps` steps; one that has dug nothing for
    `patience` of them ends early. Then another one sets out, `lives` of them in all: from the cell `middle`, or, where
    that is -1 or the last one ended early, from any floor beside rock, into the rock.
    """
    rows = cells.size // row
    while progress[DUG] < goal and progress[OVER] < len(walkers):
        if budget == 0:
            return True
        budget -= 1
        walker = walkers[progress[NEXT]]
        progress[NEXT] = (progress[NEXT] + 1) % len(walkers)
        cell, heading = walker[PLACE], walker[HEADING]
        if cell < 0:
            if walker[LEFT] != 0:
                if walker[LEFT] > 0:
                    walker[LEFT] -= 1
                continue
            if progress[STARTED] == lives:
                walker[LEFT] = -1
                progress[OVER] += 1
                continue
            if middle >= 0 and walker[IDLE] < patience:
                cell, heading = middle, leaning(state, middle, row, rows, bias)
            else:
                cell = start_beside_rock(state, cells, row, starts, progress)
                if cell < 0:
                    return False
                heading = turned_to(cells, cell, row, below(state, 4), False)
            progress[STARTED] += 1
            walker[LEFT], walker[IDLE] = steps, 0
        elif random(state) < turn:
            heading = leaning(state, cell, row, rows, bias)
        if cells[cell + shift_of(heading, row)] == BLOCKED:
            heading = turned_to(cells, cell, row, below(state, 4), True)
        progress[STEPS] += 1
        walker[LEFT] -= 1
        walker[IDLE] += 1
        if heading >= 0:
            cell += shift_of(heading, row)
            if cells[cell] == ROCK:
                cells[cell] = FLOOR
                starts[progress[LISTED]] = cell
                progress[LISTED] += 1
                progress[DUG] += 1
                walker[IDLE] = 0
        walker[PLACE], walker[HEADING] = cell, max(heading, 0)
        if walker[LEFT] == 0 or walker[IDLE] >= patience:
            walker[PLACE], walker[LEFT] = -1, 0
    return False
