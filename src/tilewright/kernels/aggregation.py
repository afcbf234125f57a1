"""Diffusion-limited aggregation: particles that move at random until they touch the floor and become floor."""

from __future__ import annotations

from typing import NamedTuple

from . import inline, kernel, part
from .drunkard import FLOOR, ROCK
from .random import below, random
from .types import Int64_1D, Int64_2D, Record, Uint8_2D, Uint64_1D

WALK_IN, WALK_OUT, ATTRACTOR = range(3)
"""Motion of particles: into the cave until they touch floor, out of the cave until they meet rock, or to a target."""
MOVING, STUCK, LOST = range(3)
"""Outcome of a particle's steps."""
MAX_DROPPED = 10_000
"""Number of consecutive dropped particles after which growth ends."""
FINE, COARSE = 3, 6
"""Binary logarithms of the edge lengths of blocks: in some blocks, a particle may take steps as long as the block."""


class AggregationState(Record):
    """Progress of the growth."""

    row: int
    """Row of the particle; -1 if there is none."""
    column: int
    age: int
    """Number of steps of the particle."""
    moved_down: int
    moved_right: int
    """Number of steps toward the target along each axis."""
    dug: int
    """Number of floors."""
    listed: int
    """Number of floors in the list."""
    missed: int
    """Number of consecutive launches that found no cell for a particle."""
    dropped: int
    """Number of consecutive dropped particles."""
    particles: int
    """Total number of particles."""


class AreaBox(NamedTuple):
    """Area in which particles move, and their target."""

    top: int
    left: int
    height: int
    width: int
    target_row: int
    target_column: int


class AggregationRules(NamedTuple):
    """Options of the growth."""

    mode: int
    """WALK_IN, WALK_OUT or ATTRACTOR."""
    edge: bool
    """Whether particles start along the edge of the box."""
    box: AreaBox
    stick: float
    """Probability that a particle stays where it may."""
    flip_rows: int
    """Unless this is 0, row r is dug again as row flip_rows - r."""
    flip_columns: int
    max_age: int
    """Number of steps at which a particle is dropped."""


class BlockCounts(NamedTuple):
    """Counts per block (block row, block column) for FINE and COARSE blocks, with a margin of one block."""

    fine: Int64_2D
    """Number of floors in each block."""
    near_fine: Int64_2D
    """0 where a step as long as a block cannot skip a cell at which a particle would stop.

    For WALK_IN, this is where the block and its eight neighbors have no floor; all values are initially 0. For
    WALK_OUT, it is where these nine blocks have only floor; all values are initially 9.
    """
    coarse: Int64_2D
    near_coarse: Int64_2D


@part
def touches_floor(cells: Uint8_2D, row: int, column: int) -> bool:
    """Return whether a floor is adjacent to a cell, in one of four directions."""
    return bool(
        cells[row - 1, column] == FLOOR
        or cells[row, column - 1] == FLOOR
        or cells[row, column + 1] == FLOOR
        or cells[row + 1, column] == FLOOR
    )


@part
def _count_in_block(counts: Int64_2D, near: Int64_2D, size: int, row: int, column: int, is_walk_out: bool) -> None:
    """Count a new floor in its block."""
    block_row, block_column = (row >> size) + 1, (column >> size) + 1
    counts[block_row, block_column] += 1
    change = 0
    if not is_walk_out and counts[block_row, block_column] == 1:
        change = 1
    elif is_walk_out and counts[block_row, block_column] == 1 << (2 * size):
        change = -1
    if change != 0:
        for down in range(-1, 2):
            for right in range(-1, 2):
                near[block_row + down, block_column + right] += change


@part
def count_floor(blocks: BlockCounts, row: int, column: int, is_walk_out: bool) -> None:
    """Count a new floor in its fine and coarse block."""
    _count_in_block(blocks.fine, blocks.near_fine, FINE, row, column, is_walk_out)
    _count_in_block(blocks.coarse, blocks.near_coarse, COARSE, row, column, is_walk_out)


@kernel(allocates=False)
def count_floors(cells: Uint8_2D, is_walk_out: bool, blocks: BlockCounts) -> None:
    """Count all existing floors."""
    for row in range(cells.shape[0]):
        for column in range(cells.shape[1]):
            if cells[row, column] == FLOOR:
                count_floor(blocks, row, column, is_walk_out)


@part
def launch(
    state: Uint64_1D, cells: Uint8_2D, rules: AggregationRules, floors: Int64_1D, progress: AggregationState
) -> None:
    """Place a new particle: on a floor for WALK_OUT, otherwise on rock anywhere in the box or along its edge."""
    mode, box = rules.mode, rules.box
    if mode == WALK_OUT:
        cell = floors[below(state, progress.listed)]
        row, column = cell // cells.shape[1], cell % cells.shape[1]
    elif rules.edge and progress.missed < 64:  # If the edge is occupied, launch from anywhere.
        at = below(state, 2 * (box.height + box.width))
        if at < 2 * box.width:
            row, column = box.top + (at & 1) * (box.height - 1), box.left + (at >> 1)
        else:
            at -= 2 * box.width
            row, column = box.top + (at >> 1), box.left + (at & 1) * (box.width - 1)
    else:
        row, column = box.top + below(state, box.height), box.left + below(state, box.width)
    if mode != WALK_OUT and cells[row, column] != ROCK:
        progress.missed += 1
        return
    progress.missed = 0
    progress.row, progress.column, progress.age = row, column, 0
    progress.moved_down = progress.moved_right = 0
    progress.particles += 1


@inline
def find_stride(blocks: BlockCounts, row: int, column: int) -> int:
    """Return the length of the longest step from here that cannot skip a cell where the particle would stop."""
    if blocks.near_fine[(row >> FINE) + 1, (column >> FINE) + 1] != 0:
        return 1
    if blocks.near_coarse[(row >> COARSE) + 1, (column >> COARSE) + 1] != 0:
        return 1 << FINE
    return 1 << COARSE


@part
def wander_in(
    state: Uint64_1D, cells: Uint8_2D, rules: AggregationRules, blocks: BlockCounts, progress: AggregationState,
    steps: int,
) -> int:  # fmt: skip
    """Move the particle within the box, but not on floor, until it stays on rock beside floor."""
    box, stick = rules.box, rules.stick
    row, column, age = progress.row, progress.column, progress.age
    top, left, bottom, far = box.top, box.left, box.top + box.height, box.left + box.width
    outcome = MOVING
    while steps > 0 and outcome == MOVING:
        steps -= 1
        age += 1
        stride = find_stride(blocks, row, column)
        beside = stride == 1 and cells[row, column] == ROCK and touches_floor(cells, row, column)
        if beside and (stick >= 1.0 or random(state) < stick):
            outcome = STUCK
            continue
        heading = below(state, 4)
        ahead = stride * ((heading & 2) - 1)  # Computed without branches, which could not be predicted.
        next_row, next_column = row + ahead * (heading & 1), column + ahead * (1 - (heading & 1))
        if top <= next_row < bottom and left <= next_column < far and cells[next_row, next_column] != FLOOR:
            row, column = next_row, next_column
    progress.row, progress.column, progress.age = row, column, age
    return outcome


@part
def wander_out(state: Uint64_1D, cells: Uint8_2D, blocks: BlockCounts, progress: AggregationState, steps: int) -> int:
    """Move the particle on floor until it reaches rock and stays there."""
    row, column, age = progress.row, progress.column, progress.age
    outcome = MOVING
    while steps > 0 and outcome == MOVING:
        steps -= 1
        age += 1
        stride = find_stride(blocks, row, column)
        heading = below(state, 4)
        ahead = stride * ((heading & 2) - 1)  # Computed without branches, which could not be predicted.
        next_row, next_column = row + ahead * (heading & 1), column + ahead * (1 - (heading & 1))
        found = cells[next_row, next_column]
        if found in (FLOOR, ROCK):
            row, column = next_row, next_column
            outcome = STUCK if found == ROCK else MOVING
    progress.row, progress.column, progress.age = row, column, age
    return outcome


@part
def fly(state: Uint64_1D, cells: Uint8_2D, rules: AggregationRules, progress: AggregationState, steps: int) -> int:
    """Move the particle straight to the target until it stays on rock beside floor.

    A particle that reaches floor from a cell that cannot be dug is lost.
    """
    box, stick = rules.box, rules.stick
    row, column, age = progress.row, progress.column, progress.age
    gone_down, gone_right = progress.moved_down, progress.moved_right
    # The total distance from the launch position.
    down, right = abs(box.target_row - row) + gone_down, abs(box.target_column - column) + gone_right
    south, east = 1 if box.target_row > row else -1, 1 if box.target_column > column else -1
    outcome = MOVING
    while steps > 0 and outcome == MOVING:
        steps -= 1
        age += 1
        rock = cells[row, column] == ROCK
        if rock and touches_floor(cells, row, column) and (stick >= 1.0 or random(state) < stick):
            outcome = STUCK
            continue
        if gone_down == down and gone_right == right:
            outcome = LOST
            continue
        sideways = (1 + 2 * gone_down) * right >= (1 + 2 * gone_right) * down
        next_row, next_column = row + (0 if sideways else south), column + (east if sideways else 0)
        if cells[next_row, next_column] == FLOOR:
            outcome = STUCK if rock else LOST
            continue
        row, column = next_row, next_column
        gone_down += 0 if sideways else 1
        gone_right += 1 if sideways else 0
    progress.row, progress.column, progress.age = row, column, age
    progress.moved_down, progress.moved_right = gone_down, gone_right
    return outcome


@kernel(allocates=False)
def aggregate(
    state: Uint64_1D, cells: Uint8_2D, rules: AggregationRules, brush: Int64_2D, floors: Int64_1D, blocks: BlockCounts,
    progress: AggregationState, goal: int, budget: int,
) -> bool:  # fmt: skip
    """Move particles until `goal` floors are dug or `budget` steps are taken; return whether growth can continue.

    `cells` is the ground with its margin. `brush` holds the offsets of the cells that a particle digs, its own first.
    """
    mode, box, flip_rows, flip_columns = rules.mode, rules.box, rules.flip_rows, rules.flip_columns
    max_missed = 64 + 16 * box.height * box.width
    is_walk_out = mode == WALK_OUT
    while progress.dug < goal:
        if progress.missed > max_missed or progress.dropped > MAX_DROPPED:
            return False
        if budget <= 0:
            return True
        if progress.row < 0:
            budget -= 1
            launch(state, cells, rules, floors, progress)
            continue
        age = progress.age
        steps = min(budget, rules.max_age - age)
        if mode == WALK_IN:
            outcome = wander_in(state, cells, rules, blocks, progress, steps)
        elif is_walk_out:
            outcome = wander_out(state, cells, blocks, progress, steps)
        else:
            outcome = fly(state, cells, rules, progress, steps)
        budget -= progress.age - age
        if outcome == STUCK:
            progress.dropped = 0
            for mirrored in range(4):
                if (mirrored & 1 and flip_rows == 0) or (mirrored & 2 and flip_columns == 0):
                    continue
                for number in range(len(brush)):
                    row, column = progress.row + brush[number, 0], progress.column + brush[number, 1]
                    row = flip_rows - row if mirrored & 1 else row
                    column = flip_columns - column if mirrored & 2 else column
                    inside = box.top <= row < box.top + box.height and box.left <= column < box.left + box.width
                    if inside and cells[row, column] == ROCK and touches_floor(cells, row, column):
                        cells[row, column] = FLOOR
                        progress.dug += 1
                        if is_walk_out:
                            floors[progress.listed] = row * cells.shape[1] + column
                            progress.listed += 1
                        count_floor(blocks, row, column, is_walk_out)
            progress.row = -1
        elif outcome == LOST or progress.age >= rules.max_age:
            progress.dropped += 1
            progress.row = -1
    return False
