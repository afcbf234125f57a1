"""Global constraints on a wave: limits on the number of cells that hold given tiles, and connectivity of these cells.

A constraint applies to a set of tiles. It stores whether each map cell cannot, may or must hold one of these tiles.
This depends on the patterns of the owner of the map cell: the wave cell that determines it. A constraint bans the
patterns that would violate it.

Source: Newgas, "Path constraints in DeBroglie", 2019, for connectivity; Hopcroft and Tarjan, "Efficient algorithms for
graph manipulation", 1973, for articulation points.
"""

from __future__ import annotations

from typing import NamedTuple

from . import part
from .types import Int32_1D, Int32_2D, Int64_1D, Int64_2D, Uint8_2D, Uint64_3D
from .wave import NO_CELL, NONE, RuleArrays, WaveArrays, restrict_cell


class ConstraintArrays(NamedTuple):
    """All global constraints of a map, and the status of its cells."""

    owners: Int32_1D
    """(map cell,) owner: the wave cell that determines the tile of the map cell."""
    offsets: Int32_1D
    """(map cell,) position of the map cell in the pattern of its owner."""
    owned_starts: Int32_1D
    """(wave cell + 1,) start of the map cells of each owner in `owned`."""
    owned: Int32_1D
    """Map cells, sorted by owner."""
    masks: Uint64_3D
    """(constraint, position, word) patterns that have one of the constraint's tiles at the position."""
    status: Uint8_2D
    """(constraint, map cell) CANNOT, MAY or MUST."""
    tally: Int64_2D
    """(constraint, 2) number of cells with status MAY and MUST."""
    bounds: Int64_2D
    """(constraint, 2) minimum and maximum number of cells."""
    kinds: Int64_1D
    """(constraint,) COUNTED, REGION or PATH."""
    ends: Uint8_2D
    """(constraint, map cell) whether the cell is an end of a path."""
    neighbors: Int32_2D
    """(map cell, direction) neighbors, or -1."""
    scratch: Int32_2D
    """(SCRATCH_ROWS, map cell) work space of `connect`."""


CANNOT, MAY, MUST = 0, 1, 2
COUNTED, REGION, PATH = 0, 1, 2
SCRATCH_ROWS = 7


@part
def recount(wave: WaveArrays, constraints: ConstraintArrays) -> None:
    """Update the status and tally of all changed cells."""
    domains, status, tally = wave.domains, constraints.status, constraints.tally
    for constraint in range(len(constraints.masks)):
        for number in range(wave.state.touched_count):
            owner = wave.touched[number]
            for place in range(constraints.owned_starts[owner], constraints.owned_starts[owner + 1]):
                cell = constraints.owned[place]
                mask = constraints.masks[constraint, constraints.offsets[cell]]
                some, others = NONE, NONE
                for word in range(domains.shape[1]):
                    some |= domains[owner, word] & mask[word]
                    others |= domains[owner, word] & ~mask[word]
                now = CANNOT if some == NONE else MAY if others != NONE else MUST
                before = status[constraint, cell]
                if now != before:
                    if before != CANNOT:
                        tally[constraint, before - 1] -= 1
                    if now != CANNOT:
                        tally[constraint, now - 1] += 1
                    status[constraint, cell] = now


@part
def _decide(
    wave: WaveArrays, rules: RuleArrays, constraints: ConstraintArrays, constraint: int, cell: int, hold: bool
) -> bool:
    """Make a cell hold one of a constraint's tiles or, if not `hold`, none of them.

    Return whether the owner of the cell has a pattern left.
    """
    mask = constraints.masks[constraint, constraints.offsets[cell]]
    return restrict_cell(wave, rules, int(constraints.owners[cell]), mask, not hold)


@part
def limit_counts(wave: WaveArrays, rules: RuleArrays, constraints: ConstraintArrays) -> int:
    """Ban patterns that would violate the bounds of a count; return a cell that has no pattern left, or -1."""
    for constraint in range(len(constraints.bounds)):
        may, must = constraints.tally[constraint, 0], constraints.tally[constraint, 1]
        minimum, maximum = constraints.bounds[constraint, 0], constraints.bounds[constraint, 1]
        wave.state.cause = constraint
        if must > maximum or may + must < minimum:
            return int(wave.touched[0]) if wave.state.touched_count else 0
        if may == 0 or (must < maximum and may + must > minimum):
            continue
        hold = may + must == minimum
        for cell in range(constraints.status.shape[1]):
            is_open = constraints.status[constraint, cell] == MAY
            if is_open and not _decide(wave, rules, constraints, constraint, cell, hold):
                return int(constraints.owners[cell])
    return NO_CELL


@part
def connect(wave: WaveArrays, rules: RuleArrays, constraints: ConstraintArrays, constraint: int) -> int:
    """Ban patterns that would disconnect a constraint's cells; return a cell that has no pattern left, or -1.

    A cell that separates the required cells (an articulation point) must hold one of the constraint's tiles. Cells that
    a region cannot reach must hold none of them.
    """
    status, owners, around = constraints.status[constraint], constraints.owners, constraints.neighbors
    ends, kind, scratch = constraints.ends[constraint], constraints.kinds[constraint], constraints.scratch
    order, low, parent, next_ = scratch[0], scratch[1], scratch[2], scratch[3]
    wanted, stack, forced = scratch[4], scratch[5], scratch[6]
    wave.state.cause = constraint
    root = -1
    for cell in range(len(status)):
        is_wanted = status[cell] == MUST if kind == REGION else ends[cell] == 1
        if is_wanted and status[cell] == CANNOT:
            return int(owners[cell])
        order[cell], forced[cell], wanted[cell] = 0, 0, is_wanted
        if is_wanted and root < 0:
            root = cell
    if root < 0:
        return NO_CELL
    time, top = 1, 1
    order[root] = low[root] = 1
    parent[root], next_[root], stack[0] = -1, 0, root
    while top > 0:
        cell = stack[top - 1]
        if next_[cell] < around.shape[1]:
            other = around[cell, next_[cell]]
            next_[cell] += 1
            if other < 0 or status[other] == CANNOT:
                continue
            if order[other] == 0:
                time += 1
                order[other] = low[other] = time
                parent[other], next_[other] = cell, 0
                stack[top] = other
                top += 1
            elif other != parent[cell] and order[other] < low[cell]:
                low[cell] = order[other]
            continue
        top -= 1
        above = parent[cell]
        if above >= 0:
            low[above] = min(low[above], low[cell])
            if low[cell] >= order[above] and wanted[cell] > 0:
                forced[above] = 1  # all paths from the root to a required cell contain the cell above
            wanted[above] += wanted[cell]
    for cell in range(len(status)):
        if status[cell] == CANNOT:
            continue
        if order[cell] == 0 and wanted[cell] > 0:
            return int(owners[cell])
        lost = order[cell] == 0 and kind == REGION
        concerns = (lost or forced[cell]) and status[cell] == MAY
        if concerns and not _decide(wave, rules, constraints, constraint, cell, not lost):
            return int(owners[cell])
    return NO_CELL
