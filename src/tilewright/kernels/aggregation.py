"""Aggregation: particles that wander until they meet a crystal, and stay there."""

from __future__ import annotations

from . import kernel
from .drunkard import FLOOR, ROCK, Bytes, Numbers, State
from .random import below, random

WALK_IN, WALK_OUT, ATTRACTOR = range(3)
"""Particles wander in until they touch floor; out of the floor into rock; or straight to a target until they touch."""
FLIES, STAYS, LOST = range(3)
"""What becomes of a particle."""
ROW, COLUMN, AGE, GONE_DOWN, GONE_RIGHT, DUG, LISTED, MISSED, DROPPED, PARTICLES = range(10)
"""How far the work is: the particle's cell, its row -1 while there is none; its steps; how far it has gone to the
target along each axis; floors; floors in the list; launches in a row that found no place; particles in a row that came
to nothing; particles in all."""
MOST_DROPPED = 10_000
"""After so many particles in a row that came to nothing the growth ends."""
FINE, COARSE = 3, 6
"""Blocks of 8x8 and of 64x64 cells tell where a particle may take strides as long as a block."""


@kernel
def touches(cells: Bytes, row: int, column: int) -> bool:
    """Whether a floor is next to a cell, in one of four directions."""
    return bool(
        cells[row - 1, column] == FLOOR
        or cells[row, column - 1] == FLOOR
        or cells[row, column + 1] == FLOOR
        or cells[row + 1, column] == FLOOR
    )


@kernel
def count_floor(counts: Numbers, near: Numbers, size: int, row: int, column: int, out: bool) -> None:
    """Note a new floor in its block. `near` is 0 where a stride as long as a block meets nothing of interest.

    On the way in, that is where the block and the eight around it hold no floor; on the way out, nothing but floor.
    Both arrays have a margin of one block.
    """
    block_row, block_column = (row >> size) + 1, (column >> size) + 1
    counts[block_row, block_column] += 1
    change = 0
    if not out and counts[block_row, block_column] == 1:
        change = 1
    elif out and counts[block_row, block_column] == 1 << (2 * size):
        change = -1
    if change != 0:
        for down in range(-1, 2):
            for right in range(-1, 2):
                near[block_row + down, block_column + right] += change


@kernel("void(uint8[:, ::1], boolean, int64[:, ::1], int64[:, ::1], int64[:, ::1], int64[:, ::1])")
def count_floors(
    cells: Bytes, out: bool, fine: Numbers, near_fine: Numbers, coarse: Numbers, near_coarse: Numbers
) -> None:
    """Note all floors there are; `near` starts with 9 for the way out, 0 for the way in."""
    for row in range(cells.shape[0]):
        for column in range(cells.shape[1]):
            if cells[row, column] == FLOOR:
                count_floor(fine, near_fine, FINE, row, column, out)
                count_floor(coarse, near_coarse, COARSE, row, column, out)


@kernel
def launch(state: State, cells: Bytes, mode: int, edge: bool, box: Numbers, floors: Numbers, progress: Numbers) -> None:
    """Place a new particle: on a floor for the way out, otherwise on rock anywhere in the box or along its edge."""
    if mode == WALK_OUT:
        cell = floors[below(state, progress[LISTED])]
        row, column = cell // cells.shape[1], cell % cells.shape[1]
    elif edge and progress[MISSED] < 64:  # where the edge is taken, from anywhere
        at = below(state, 2 * (box[2] + box[3]))
        if at < 2 * box[3]:
            row, column = box[0] + (at & 1) * (box[2] - 1), box[1] + (at >> 1)
        else:
            at -= 2 * box[3]
            row, column = box[0] + (at >> 1), box[1] + (at & 1) * (box[3] - 1)
    else:
        row, column = box[0] + below(state, box[2]), box[1] + below(state, box[3])
    if mode != WALK_OUT and cells[row, column] != ROCK:
        progress[MISSED] += 1
        return
    progress[MISSED] = 0
    progress[ROW], progress[COLUMN], progress[AGE] = row, column, 0
    progress[GONE_DOWN] = progress[GONE_RIGHT] = 0
    progress[PARTICLES] += 1


@kernel
def stride_at(near_fine: Numbers, near_coarse: Numbers, row: int, column: int) -> int:
    """How far a particle can go from here in one step without missing anything."""
    if near_fine[(row >> FINE) + 1, (column >> FINE) + 1] != 0:
        return 1
    if near_coarse[(row >> COARSE) + 1, (column >> COARSE) + 1] != 0:
        return 1 << FINE
    return 1 << COARSE


@kernel
def wander_in(
    state: State,
    cells: Bytes,
    box: Numbers,
    stick: float,
    near_fine: Numbers,
    near_coarse: Numbers,
    progress: Numbers,
    steps: int,
) -> int:
    """Wander within the box, but not on floor, until the particle stays on rock beside floor."""
    row, column = progress[ROW], progress[COLUMN]
    top, left, bottom, far = box[0], box[1], box[0] + box[2], box[1] + box[3]
    outcome = FLIES
    while steps > 0 and outcome == FLIES:
        steps -= 1
        progress[AGE] += 1
        stride = stride_at(near_fine, near_coarse, row, column)
        beside = stride == 1 and cells[row, column] == ROCK and touches(cells, row, column)
        if beside and (stick >= 1.0 or random(state) < stick):
            outcome = STAYS
            continue
        heading = below(state, 4)
        ahead = stride * ((heading & 2) - 1)  # without branches, as nobody can tell which one comes next
        next_row, next_column = row + ahead * (heading & 1), column + ahead * (1 - (heading & 1))
        if top <= next_row < bottom and left <= next_column < far and cells[next_row, next_column] != FLOOR:
            row, column = next_row, next_column
    progress[ROW], progress[COLUMN] = row, column
    return outcome


@kernel
def wander_out(
    state: State, cells: Bytes, near_fine: Numbers, near_coarse: Numbers, progress: Numbers, steps: int
) -> int:
    """Wander on floor until the particle steps on rock, and stays there."""
    row, column = progress[ROW], progress[COLUMN]
    outcome = FLIES
    while steps > 0 and outcome == FLIES:
        steps -= 1
        progress[AGE] += 1
        stride = stride_at(near_fine, near_coarse, row, column)
        heading = below(state, 4)
        ahead = stride * ((heading & 2) - 1)  # without branches, as nobody can tell which one comes next
        next_row, next_column = row + ahead * (heading & 1), column + ahead * (1 - (heading & 1))
        found = cells[next_row, next_column]
        if found in (FLOOR, ROCK):
            row, column = next_row, next_column
            outcome = STAYS if found == ROCK else FLIES
    progress[ROW], progress[COLUMN] = row, column
    return outcome


@kernel
def fly(state: State, cells: Bytes, box: Numbers, stick: float, progress: Numbers, steps: int) -> int:
    """Go straight to the target, one axis at a time, until the particle stays on rock beside floor.

    One that comes to floor from a cell that cannot be dug is lost.
    """
    row, column, gone_down, gone_right = progress[ROW], progress[COLUMN], progress[GONE_DOWN], progress[GONE_RIGHT]
    # the whole way, from where it was launched
    down, right = abs(box[4] - row) + gone_down, abs(box[5] - column) + gone_right
    south, east = 1 if box[4] > row else -1, 1 if box[5] > column else -1
    outcome = FLIES
    while steps > 0 and outcome == FLIES:
        steps -= 1
        progress[AGE] += 1
        rock = cells[row, column] == ROCK
        if rock and touches(cells, row, column) and (stick >= 1.0 or random(state) < stick):
            outcome = STAYS
            continue
        if gone_down == down and gone_right == right:
            outcome = LOST
            continue
        sideways = (1 + 2 * gone_down) * right >= (1 + 2 * gone_right) * down
        next_row, next_column = row + (0 if sideways else south), column + (east if sideways else 0)
        if cells[next_row, next_column] == FLOOR:
            outcome = STAYS if rock else LOST
            continue
        row, column = next_row, next_column
        gone_down += 0 if sideways else 1
        gone_right += 1 if sideways else 0
    progress[ROW], progress[COLUMN], progress[GONE_DOWN], progress[GONE_RIGHT] = row, column, gone_down, gone_right
    return outcome


@kernel(
    "boolean(uint64[::1], uint8[:, ::1], int64, boolean, int64[::1], float64, int64, int64, int64[:, ::1],"
    " int64[::1], int64[:, ::1], int64[:, ::1], int64[:, ::1], int64[:, ::1], int64[::1], int64, int64, int64)"
)
def aggregate(
    state: State,
    cells: Bytes,
    mode: int,
    edge: bool,
    box: Numbers,
    stick: float,
    flip_rows: int,
    flip_columns: int,
    brush: Numbers,
    floors: Numbers,
    fine: Numbers,
    near_fine: Numbers,
    coarse: Numbers,
    near_coarse: Numbers,
    progress: Numbers,
    oldest: int,
    goal: int,
    budget: int,
) -> bool:
    """Let particles wander until so many steps are taken or floors dug; whether it can go on after that.

    `cells` is the ground with its margin, `box` the top, left, height and width of where particles are, and the row
    and column of the target; `brush` the offsets of the cells that a particle digs, its own first. Where flip_rows is
    not 0, row r is dug again as row flip_rows - r, and likewise columns. A particle older than `oldest` is dropped.
    """
    most_missed = 64 + 16 * box[2] * box[3]
    out = mode == WALK_OUT
    while progress[DUG] < goal:
        if progress[MISSED] > most_missed or progress[DROPPED] > MOST_DROPPED:
            return False
        if budget <= 0:
            return True
        if progress[ROW] < 0:
            budget -= 1
            launch(state, cells, mode, edge, box, floors, progress)
            continue
        age = progress[AGE]
        steps = min(budget, oldest - age)
        if mode == WALK_IN:
            outcome = wander_in(state, cells, box, stick, near_fine, near_coarse, progress, steps)
        elif out:
            outcome = wander_out(state, cells, near_fine, near_coarse, progress, steps)
        else:
            outcome = fly(state, cells, box, stick, progress, steps)
        budget -= progress[AGE] - age
        if outcome == STAYS:
            progress[DROPPED] = 0
            for mirrored in range(4):
                if (mirrored & 1 and flip_rows == 0) or (mirrored & 2 and flip_columns == 0):
                    continue
                for part in range(len(brush)):
                    row, column = progress[ROW] + brush[part, 0], progress[COLUMN] + brush[part, 1]
                    row = flip_rows - row if mirrored & 1 else row
                    column = flip_columns - column if mirrored & 2 else column
                    inside = box[0] <= row < box[0] + box[2] and box[1] <= column < box[1] + box[3]
                    if inside and cells[row, column] == ROCK and touches(cells, row, column):
                        cells[row, column] = FLOOR
                        progress[DUG] += 1
                        if out:
                            floors[progress[LISTED]] = row * cells.shape[1] + column
                            progress[LISTED] += 1
                        count_floor(fine, near_fine, FINE, row, column, out)
                        count_floor(coarse, near_coarse, COARSE, row, column, out)
            progress[ROW] = -1
        elif outcome == LOST or progress[AGE] >= oldest:
            progress[DROPPED] += 1
            progress[ROW] = -1
    return False
