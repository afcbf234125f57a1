"""Wave function collapse: decide cells one by one, each time with all that follows; take back what leads nowhere.

Source: Gumin, "Wave Function Collapse", 2016, after Merrell, "Model synthesis", 2007.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from . import kernel
from .claims import CLAIMS, COUNTED, KINDS, Claims, keep_counts, keep_joined, recount
from .random import below
from .wave import (
    CHOICES,
    CHOICES_MADE,
    CLEAN,
    COUNT,
    DOMAINS,
    FEWEST,
    FLOOR,
    GONE,
    GONE_COUNTS,
    HEAP,
    HEAPED,
    LEFT,
    NONE,
    NOWHERE,
    NUMBERS,
    OBSERVED,
    OLDEST,
    ONE,
    PATIENCE,
    QUEUED,
    RULES,
    STATE,
    TAKEN_BACK,
    TOP,
    TROUBLE,
    WAVE,
    WEIGHT,
    WEIGHTS,
    Rules,
    Wave,
    clear,
    clear_queue,
    forbid,
    forget,
    line_up,
    lowest,
    note,
    propagate,
    settle,
    take_back,
    touch,
)

AT, CELL, PATTERN = 0, 1, 2
"""Of a choice: where the trail was, the cell, and its pattern."""
DONE, MORE, STUCK = 0, 1, 2
NO_CHOICE = -2


@kernel
def _drawn(wave: Wave, rules: Rules, cell: int, random_state: NDArray[np.uint64]) -> int:
    """One of a cell's patterns by chance, in proportion to their weights."""
    domains, numbers, weights = wave[DOMAINS], wave[NUMBERS], rules[WEIGHTS]
    mark = below(random_state, int(numbers[cell, WEIGHT]))
    pattern = 0
    for word in range(domains.shape[1]):
        left = domains[cell, word]
        while left != NONE:
            pattern = 64 * word + lowest(left)
            left &= left - ONE
            mark -= weights[pattern]
            if mark < 0:
                return int(pattern)
    return int(pattern)


@kernel
def _choose(wave: Wave, rules: Rules, cell: int, pattern: int) -> None:
    domains, choices, state = wave[DOMAINS], wave[CHOICES_MADE], wave[STATE]
    place = state[CHOICES] % len(choices)
    choices[place, AT], choices[place, CELL], choices[place, PATTERN] = state[TOP], cell, pattern
    state[CHOICES] += 1
    state[CLEAN] = state[TOP]
    state[OLDEST] = max(state[OLDEST], state[CHOICES] - len(choices))
    note(wave, cell)
    for word in range(domains.shape[1]):
        kept = ONE << np.uint64(pattern % 64) if pattern // 64 == word else NONE
        gone = domains[cell, word] & ~kept
        if gone != NONE:
            forbid(wave, rules, cell, word, gone)
    touch(wave, cell)
    line_up(wave, cell)


@kernel
def _revoke(wave: Wave, rules: Rules) -> int:
    """Take the last choice back and forbid it: the cell if nothing is left for it, else -1, or NO_CHOICE."""
    numbers, choices, state = wave[NUMBERS], wave[CHOICES_MADE], wave[STATE]
    if state[CHOICES] <= state[OLDEST] or state[LEFT] <= 0:
        return NO_CHOICE
    last = (state[CHOICES] - 1) % len(choices)
    if choices[last, AT] < state[FLOOR]:
        return NO_CHOICE
    state[LEFT] -= 1
    state[CHOICES] -= 1
    state[TAKEN_BACK] += 1
    take_back(wave, choices[last, AT])
    state[CLEAN] = state[TOP]
    cell, pattern = choices[last, CELL], choices[last, PATTERN]
    note(wave, cell)
    forbid(wave, rules, cell, pattern // 64, ONE << np.uint64(pattern % 64))
    touch(wave, cell)
    if numbers[cell, COUNT] == 0:
        clear(wave[GONE], wave[GONE_COUNTS], cell)
        return int(cell)
    line_up(wave, cell)
    return NOWHERE


@kernel
def _followed(wave: Wave, rules: Rules, claims: Claims, missing: NDArray[np.uint64], joining: bool) -> int:
    """Let all that changed have its consequences, until nothing changes; a cell with nothing left, or -1."""
    state, kinds = wave[STATE], claims[KINDS]
    while True:
        trouble = propagate(wave, rules, missing)
        if trouble >= 0 or len(kinds) == 0:
            return trouble
        recount(wave, claims)
        trouble = keep_counts(wave, rules, claims)
        if joining and trouble < 0 and state[QUEUED] == 0:
            for claim in range(len(kinds)):
                if kinds[claim] != COUNTED and trouble < 0:
                    trouble = keep_joined(wave, rules, claims, claim)
        if trouble >= 0:
            clear_queue(wave)
            return trouble
        if state[QUEUED] == 0:
            return NOWHERE


@kernel(f"int64({WAVE}, {RULES}, {CLAIMS}, uint64[::1])")
def follow(wave: Wave, rules: Rules, claims: Claims, missing: NDArray[np.uint64]) -> int:
    """What follows from all that changed, without any choice: a cell with nothing left, or -1.

    In the first case all is as it was when everything had followed, as far as the trail reaches back.
    """
    trouble = _followed(wave, rules, claims, missing, True)
    if trouble >= 0:
        forget(wave)
        recount(wave, claims)
    settle(wave, rules)
    return trouble


@kernel(f"int64({WAVE}, {RULES}, {CLAIMS}, uint64[::1], uint64[::1], int64, int64)")
def collapse(
    wave: Wave,
    rules: Rules,
    claims: Claims,
    random_state: NDArray[np.uint64],
    missing: NDArray[np.uint64],
    most: int,
    every: int,
) -> int:
    """Decide up to so many cells: DONE if none is left, MORE if some are, STUCK if no choice helps any more.

    Whether cells are joined is looked at after `every` choices, and when all is decided.
    """
    heap, state = wave[HEAP], wave[STATE]
    for _ in range(most):
        if state[HEAPED] == 0:
            return DONE
        cell = heap[0]
        _choose(wave, rules, cell, _drawn(wave, rules, cell, random_state))
        state[OBSERVED] += 1
        joining = state[OBSERVED] % every == 0
        while True:
            trouble = _followed(wave, rules, claims, missing, joining)
            settle(wave, rules)
            if trouble < 0 and state[HEAPED] == 0 and not joining:
                joining = True
                continue
            while trouble >= 0:
                state[TROUBLE] = trouble
                trouble = _revoke(wave, rules)
            if trouble == NO_CHOICE:
                forget(wave)
                recount(wave, claims)
                settle(wave, rules)
                return STUCK
            if state[QUEUED] == 0:
                break
        if state[HEAPED] < state[FEWEST]:
            state[FEWEST] = state[HEAPED]
            state[LEFT] = state[PATIENCE]
    return DONE if state[HEAPED] == 0 else MORE


@kernel(f"int64({WAVE}, {RULES}, int32[::1], uint64[::1])")
def keep(wave: Wave, rules: Rules, cells: NDArray[np.int32], kept: NDArray[np.uint64]) -> int:
    """Forbid cells all but some patterns: the first cell that nothing is left for, or -1."""
    domains, state = wave[DOMAINS], wave[STATE]
    if state[QUEUED] == 0:
        state[CLEAN] = state[TOP]
    trouble = NOWHERE
    for number in range(len(cells)):
        cell = cells[number]
        changed, left = NONE, NONE
        for word in range(domains.shape[1]):
            changed |= domains[cell, word] & ~kept[word]
            left |= domains[cell, word] & kept[word]
        if changed == NONE:
            continue
        if left == NONE and trouble < 0:
            trouble = int(cell)
        note(wave, cell)
        for word in range(domains.shape[1]):
            gone = domains[cell, word] & ~kept[word]
            if gone != NONE:
                forbid(wave, rules, cell, word, gone)
        touch(wave, cell)
        line_up(wave, cell)
    return trouble
