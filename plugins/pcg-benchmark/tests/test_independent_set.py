"""Large sets of items without a conflict."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from tilewright import Rng
from tilewright_pcg.kernels.independent_set import find_independent_set


def test_the_set_has_no_conflict_and_is_the_largest_of_small_cases() -> None:
    random = np.random.default_rng(1)
    for _ in range(20):
        upper = np.triu(random.random((12, 12)) < 0.4, 1)
        conflicts = (upper | upper.T).astype(np.uint8)
        sets = (list(items) for size in range(12, 0, -1) for items in combinations(range(12), size))
        largest = next(items for items in sets if not conflicts[np.ix_(items, items)].any())
        best = np.zeros(12, dtype=np.uint8)
        assert find_independent_set(conflicts, 500, Rng.of(1).state, best) == len(largest)
        chosen = np.flatnonzero(best)
        assert chosen.size == len(largest)
        assert not conflicts[np.ix_(chosen, chosen)].any()


def test_no_items_give_an_empty_set() -> None:
    empty = np.zeros((0, 0), dtype=np.uint8)
    assert find_independent_set(empty, 10, Rng.of(1).state, np.zeros(0, dtype=np.uint8)) == 0
