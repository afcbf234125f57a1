"""Wave function collapse: choose patterns cell by cell, propagate each choice, and backtrack after contradictions.

Source: Gumin, "WaveFunctionCollapse", 2016, after Merrell, "Example-based model synthesis", 2007.
"""

from __future__ import annotations

import numpy as np

from . import kernel, part
from .bit_rows import lowest_index
from .global_constraints import COUNTED, ConstraintArrays, connect, limit_counts, recount
from .random import below
from .types import Int32_1D, Uint16_1D, Uint16_2D, Uint64_1D, Uint64_2D
from .wave import (
    NO_CELL,
    NONE,
    ONE,
    RuleArrays,
    WaveArrays,
    clear_queue,
    propagate,
    refresh_heap,
    restrict_cell,
    undo,
    undo_to_clean,
)

DONE, MORE, STUCK = 0, 1, 2
NO_CHOICE = -2


@part
def _draw(wave: WaveArrays, rules: RuleArrays, cell: int, random_state: Uint64_1D) -> int:
    """Return a random pattern of a cell's domain, in proportion to the weights."""
    mark = below(random_state, int(wave.cells[cell]["weight"]))
    pattern = 0
    for word in range(wave.domains.shape[1]):
        left = wave.domains[cell, word]
        while left != NONE:
            pattern = 64 * word + lowest_index(left)
            left &= left - ONE
            mark -= rules.weights[pattern]
            if mark < 0:
                return int(pattern)
    return int(pattern)


@part
def _restrict_to(wave: WaveArrays, rules: RuleArrays, cell: int, pattern: int, inverted: bool) -> bool:
    """Ban all patterns of a cell except `pattern` or, if `inverted`, ban only `pattern`.

    Return whether any pattern is left.
    """
    for word in range(len(wave.scratch)):
        wave.scratch[word] = NONE
    wave.scratch[pattern >> 6] = ONE << np.uint64(pattern & 63)
    return restrict_cell(wave, rules, cell, wave.scratch, inverted)


@part
def _choose(wave: WaveArrays, rules: RuleArrays, random_state: Uint64_1D) -> None:
    """Collapse the first cell of the heap to a random pattern."""
    state, cell = wave.state, int(wave.heap[0]["cell"])
    pattern = _draw(wave, rules, cell, random_state)
    choice = wave.choices[state.choices % len(wave.choices)]
    choice["top"], choice["cell"], choice["pattern"] = state.top, cell, pattern
    state.choices += 1
    state.observed += 1
    state.clean = state.top
    state.oldest = max(state.oldest, state.choices - len(wave.choices))
    _restrict_to(wave, rules, cell, pattern, False)


@part
def _backtrack(wave: WaveArrays, rules: RuleArrays) -> int:
    """Undo the last choice and ban its pattern.

    Return -1 on success, NO_CHOICE if no choice can be undone, and the collapsed cell of the undone choice if that cell
    has no pattern left.
    """
    state = wave.state
    if state.choices <= state.oldest or state.backtracks_left <= 0:
        return NO_CHOICE
    choice = wave.choices[(state.choices - 1) % len(wave.choices)]
    if choice["top"] < state.floor:
        return NO_CHOICE
    state.backtracks_left -= 1
    state.choices -= 1
    state.backtracked += 1
    undo(wave, choice["top"])
    state.clean = state.top
    cell = int(choice["cell"])
    if _restrict_to(wave, rules, cell, int(choice["pattern"]), True):
        return NO_CELL
    clear_queue(wave)
    return cell


@part
def _propagate_all(wave: WaveArrays, rules: RuleArrays, constraints: ConstraintArrays | None, connecting: bool) -> int:
    """Propagate patterns and global constraints until nothing changes.

    Return a cell that has no pattern left, or -1 if there is none.
    """
    while True:
        contradiction = propagate(wave, rules)
        if constraints is None or contradiction >= 0:
            return contradiction
        recount(wave, constraints)
        contradiction = limit_counts(wave, rules, constraints)
        if connecting and contradiction < 0 and wave.state.queue_size == 0:
            for constraint in range(len(constraints.kinds)):
                if constraints.kinds[constraint] != COUNTED and contradiction < 0:
                    contradiction = connect(wave, rules, constraints, constraint)
        if contradiction >= 0:
            clear_queue(wave)
            return contradiction
        if wave.state.queue_size == 0:
            return NO_CELL


@part
def _collapse(
    wave: WaveArrays,
    rules: RuleArrays,
    constraints: ConstraintArrays | None,
    random_state: Uint64_1D,
    max_choices: int,
    check_interval: int,
    contradiction: int,
) -> int:
    state = wave.state
    if contradiction >= 0:
        clear_queue(wave)
    for step in range(max(1, max_choices)):
        pending = step == 0 and (max_choices == 0 or contradiction >= 0 or state.queue_size > 0)
        connecting = pending
        if not pending:
            if state.heap_size == 0:
                return DONE
            _choose(wave, rules, random_state)
            connecting = state.observed % check_interval == 0
        while True:
            if contradiction < 0:
                contradiction = _propagate_all(wave, rules, constraints, connecting)
                if max_choices > 0 or contradiction < 0:
                    refresh_heap(wave, rules)
            if contradiction < 0 and state.heap_size == 0 and not connecting:
                connecting = True
                continue
            while contradiction >= 0:
                state.contradiction = contradiction
                contradiction = _backtrack(wave, rules) if max_choices > 0 else NO_CHOICE
            if contradiction == NO_CHOICE:
                undo_to_clean(wave)
                if constraints is not None:
                    recount(wave, constraints)
                refresh_heap(wave, rules)
                return STUCK
            if state.queue_size == 0:
                break
        if max_choices > 0 and state.heap_size < state.min_undecided:
            state.min_undecided = state.heap_size
            state.backtracks_left = state.patience
    return DONE if state.heap_size == 0 else MORE


@kernel(allocates=False)
def collapse(wave: WaveArrays, rules: RuleArrays, random_state: Uint64_1D, max_choices: int, contradiction: int) -> int:
    """Collapse up to `max_choices` cells.

    Return DONE if no cell is undecided, MORE if some cells are undecided, and STUCK if backtracking does not resolve a
    contradiction. Pending changes are propagated first. If `max_choices` is 0, nothing else is done, and a
    contradiction undoes the pending changes as far as the trail reaches. A `contradiction` found by the caller (a cell,
    or -1) is resolved first by backtracking.
    """
    return _collapse(wave, rules, None, random_state, max_choices, 1, contradiction)


@kernel(allocates=False)
def collapse_constrained(
    wave: WaveArrays,
    rules: RuleArrays,
    constraints: ConstraintArrays,
    random_state: Uint64_1D,
    max_choices: int,
    check_interval: int,
    contradiction: int,
) -> int:
    """Collapse cells under global constraints.

    The arguments and the result are those of `collapse`. Connectivity is checked after every `check_interval` choices
    and at the end.
    """
    return _collapse(wave, rules, constraints, random_state, max_choices, check_interval, contradiction)


@kernel(allocates=False)
def restrict(wave: WaveArrays, rules: RuleArrays, cells: Int32_1D, kept: Uint64_1D) -> int:
    """Ban all patterns of cells except `kept`; return the first cell that has no pattern left, or -1."""
    domains, state = wave.domains, wave.state
    if state.queue_size == 0:
        state.clean = state.top
    contradiction = NO_CELL
    for number in range(len(cells)):
        cell = int(cells[number])
        changed = NONE
        for word in range(domains.shape[1]):
            changed |= domains[cell, word] & ~kept[word]
        if changed != NONE and not restrict_cell(wave, rules, cell, kept, False) and contradiction < 0:
            contradiction = cell
    return contradiction


@kernel(allocates=False)
def decode(domains: Uint64_2D, patterns: Uint16_2D, owners: Int32_1D, offsets: Int32_1D, tiles: Uint16_1D) -> None:
    """Write the tile of every map cell by the first pattern that its owner can hold."""
    for cell in range(len(tiles)):
        pattern = 0
        for word in range(domains.shape[1]):
            left = domains[owners[cell], word]
            if left != NONE:
                pattern = 64 * word + lowest_index(left)
                break
        tiles[cell] = patterns[pattern, offsets[cell]]
