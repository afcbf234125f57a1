"""Lookahead before locked cells, compared with a plain implementation."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.generators.landscapes import ISLES, RIVER, STRIPES, naive_counts
from tilewright.core.samples import Samples
from tilewright.generators._markov.contexts import ContextCounts
from tilewright.generators._markov.directions import MARGIN, SEED_DIRECTIONS, STEPS
from tilewright.generators._markov.lookahead import REACH, make_lookahead

Place = tuple[int, int]


def make_counts(sample: str) -> ContextCounts:
    return ContextCounts(Samples.of(sample), None, SEED_DIRECTIONS, (0,))


def rank_by_rows(shape: tuple[int, int]) -> NDArray[np.int64]:
    """Return every cell's position in a scan by rows from the bottom left."""
    return np.arange(shape[0] * shape[1]).reshape(shape)[::-1]


def read_lookahead(
    context_counts: ContextCounts, locks: dict[Place, str], rank: NDArray[np.int64]
) -> dict[Place, list[float]]:
    """Return the probabilities of every cell that has a lookahead."""
    held = np.full(rank.shape, -1, dtype=np.int64)
    for place, word in locks.items():
        held[place] = context_counts.contexts.labels.index(word)
    rows, hints = make_lookahead(context_counts, held, rank)
    wide = rows.reshape(rank.shape[0] + 2 * MARGIN, -1)
    inner = wide[MARGIN:-MARGIN, MARGIN:-MARGIN]
    assert (wide >= 0).sum() == (inner >= 0).sum()  # none in the margin
    return {(int(row), int(column)): hints[inner[row, column]].tolist() for row, column in np.argwhere(inner >= 0)}


def spread_plainly(
    sample: str, words: Sequence[str], locks: dict[Place, str], rank: NDArray[np.int64]
) -> dict[Place, list[float]]:
    """Multiply the probabilities of neighbors step by step, starting from the locked cells."""
    hints = {place: [float(own == word) for own in words] for place, word in locks.items()}
    origin = {place: place for place in hints}
    frontier = sorted(hints)
    for _ in range(REACH):
        found = []
        for name in ("n", "e", "s", "w"):
            down, right = STEPS[name]
            beside = {word: naive_counts([sample.split()], **{name: word}) for word in words}
            for here in frontier:
                there = here[0] + down, here[1] + right
                if there in hints or not (0 <= there[0] < rank.shape[0] and 0 <= there[1] < rank.shape[1]):
                    continue
                likely = [0.0] * len(words)
                for place, word in enumerate(words):
                    for other, counts in enumerate(beside.values()):
                        share = counts.get(word, 0) / sum(counts.values()) if counts else 0.0
                        likely[other] += hints[here][place] * share
                most = max(likely) or 1.0
                hints[there], origin[there] = [share / most for share in likely], origin[here]
                found.append(there)
        frontier = found
    return {place: hint for place, hint in hints.items() if rank[place] < rank[origin[place]]}


@pytest.mark.parametrize("sample", [ISLES, RIVER, STRIPES])
def test_lookahead_equals_the_plain_one(sample: str) -> None:
    """Exactly, with one lock and with several, whatever the scan."""
    context_counts, random = make_counts(sample), np.random.default_rng(1)
    words = context_counts.contexts.labels
    for count in (1, 1, 2, 5, 30):
        shape = tuple(random.integers(1, 20, 2).tolist())
        places = [divmod(int(place), shape[1]) for place in random.permutation(shape[0] * shape[1])[:count]]
        locks = {place: str(random.choice(words)) for place in places}
        for rank in (rank_by_rows(shape), random.permutation(shape[0] * shape[1]).reshape(shape)):
            assert read_lookahead(context_counts, locks, rank) == spread_plainly(sample, words, locks, rank)


def test_lookahead_covers_cells_before_the_lock_and_near_it() -> None:
    """The best tile has 1. A tile that cannot lead to the lock has 0, such as sea beside a tile that needs sand."""
    context_counts, rank = make_counts(ISLES), rank_by_rows((20, 20))
    hints = read_lookahead(context_counts, {(9, 10): "g"}, rank)
    for (row, column), distance in np.ndenumerate(abs(np.indices((20, 20)) - [[[9]], [[10]]]).sum(axis=0)):
        is_before = rank[row, column] < rank[9, 10]
        assert ((row, column) in hints) == (is_before and distance <= REACH)
    assert all(max(hint) == 1 and min(hint) >= 0 for hint in hints.values())
    sea = context_counts.contexts.labels.index("~")
    assert hints[10, 10][sea] == hints[9, 9][sea] == 0
    assert hints[15, 10][sea] > 0


def test_lookahead_does_not_depend_on_the_order_of_locks() -> None:
    rank = rank_by_rows((20, 20))
    locks = {(3, 4): "g", (9, 10): "~", (9, 11): "s"}
    one, other = (
        read_lookahead(make_counts(ISLES), dict(order), rank) for order in (locks.items(), [*locks.items()][::-1])
    )
    assert one == other


def test_no_lookahead_without_a_known_lock() -> None:
    assert read_lookahead(make_counts(ISLES), {}, rank_by_rows((5, 6))) == {}


def test_a_lookahead_that_would_be_too_large_is_shorter(monkeypatch: pytest.MonkeyPatch) -> None:
    module = import_module("tilewright.generators._markov.lookahead")
    context_counts, locks, rank = make_counts(ISLES), {(9, 10): "g"}, rank_by_rows((20, 20))
    sizes = []
    for maximum in (0, 20, 100, 1 << 23):
        monkeypatch.setattr(module, "MAX_NUMBERS", maximum)
        sizes.append(len(read_lookahead(context_counts, locks, rank)))
    assert sizes == sorted(sizes)
    assert sizes[0] == 0 < sizes[1] < sizes[2] < sizes[3]
