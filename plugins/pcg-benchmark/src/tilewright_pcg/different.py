"""Sets of contents in which every two differ."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tilewright import GaveUp, Rng

from .kernels.independent_set import find_independent_set
from .kernels.sequences import compare_sequences
from .problem import Control, Report

Candidate = TypeVar("Candidate")
FindConflicts = Callable[[Candidate, Sequence[Candidate]], NDArray[np.bool_]]
"""Function of a candidate and others that returns which of the others are too similar to it."""


def fill_places(
    make: Callable[[Control, Rng], Candidate | None],
    find_conflicts: FindConflicts[Candidate],
    controls: Sequence[Control],
    rng: Rng,
    report: Report,
    *,
    tries: int,
    swaps: int = 0,
) -> list[Candidate]:
    """Return a candidate for each control, different from all others as far as possible.

    A place is filled by the first candidate that differs from those of all filled places. After that, candidates for
    the other places are tried in turn; one that is similar to a single filled place takes over: that place is tried
    again later.

    Parameters
    ----------
    make : callable
        Function of a control and a random stream that returns a candidate that meets the control, or None.
    find_conflicts : callable
        Function of a candidate and others that returns which of the others are too similar to it.
    controls : sequence of dict
        The controls.
    rng : Rng
        Random stream.
    report : callable
        Function that takes the number of complete places.
    tries : int
        Maximum number of candidates for a place at first.
    swaps : int
        Number of candidates to try after that.

    Returns
    -------
    list
        The candidates, in the order of the controls. A place without a different candidate has a similar one.
    """
    filled: dict[int, Candidate] = {}
    spare: dict[int, Candidate] = {}
    for place, control in enumerate(controls):
        stream = rng.child("place", place)
        for number in range(tries):
            candidate = make(control, stream.child("try", number))
            if candidate is None:
                continue
            spare[place] = candidate
            if not find_conflicts(candidate, [*filled.values()]).any():
                filled[place] = candidate
                break
        report(place + 1)
    waiting = [place for place in range(len(controls)) if place not in filled]
    for number in range(swaps):
        if not waiting:
            break
        place = waiting.pop(0)
        candidate = make(controls[place], rng.child("swap", number))
        if candidate is not None:
            places = [*filled]
            similar = np.flatnonzero(find_conflicts(candidate, [*filled.values()]))
            if similar.size == 1:
                other = places[similar[0]]
                spare[other] = filled.pop(other)
                waiting.append(other)
            if similar.size <= 1:
                filled[place] = candidate
                continue
        waiting.append(place)
    missing = next((place for place in range(len(controls)) if place not in filled and place not in spare), None)
    if missing is not None:
        raise GaveUp(f"no content for the control {dict(controls[missing])} was found")
    return [filled[place] if place in filled else spare[place] for place in range(len(controls))]


class SequenceStack:
    """Sequences that others are compared with."""

    def __init__(self, sequences: Sequence[NDArray[np.uint8]]) -> None:
        self.sizes = np.array([sequence.size for sequence in sequences], dtype=np.int64)
        self.items = np.zeros((len(sequences), int(self.sizes.max(initial=1))), dtype=np.uint8)
        for number, sequence in enumerate(sequences):
            self.items[number, : sequence.size] = sequence

    def compare(
        self, one: NDArray[np.uint8], limits: float | NDArray[np.float64], first: int = 0
    ) -> NDArray[np.float64]:
        """Return the similarity of a sequence to those from number `first` on.

        Where an upper bound is at most the limit, the result is this bound.
        """
        ratios = np.empty(len(self.sizes) - first)
        compare_sequences(
            one, self.items[first:], self.sizes[first:], np.broadcast_to(limits, ratios.shape).copy(), ratios
        )
        return ratios


def choose_different(sequences: Sequence[NDArray[np.uint8]], max_ratio: float, steps: int, rng: Rng) -> list[int]:
    """Return the numbers of many sequences of which every two have at most that similarity.

    Parameters
    ----------
    sequences : sequence of array
        The sequences.
    max_ratio : float
        Maximum similarity of two sequences that differ.
    steps : int
        Number of steps of the search.
    rng : Rng
        Random stream.

    Returns
    -------
    list of int
        The numbers, ascending.
    """
    stack = SequenceStack(sequences)
    conflicts = np.zeros((len(sequences), len(sequences)), dtype=np.uint8)
    for number, sequence in enumerate(sequences):
        conflicts[number, number + 1 :] = stack.compare(sequence, max_ratio, number + 1) > max_ratio
    chosen = np.zeros(len(sequences), dtype=np.uint8)
    find_independent_set(conflicts | conflicts.T, steps, rng.state, chosen)
    return [int(number) for number in np.flatnonzero(chosen)]
