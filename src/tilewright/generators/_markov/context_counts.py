"""Context counts learned from samples, for one tileset and one set of directions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...autotile.grammar import TileClasses
from ...core.caching import cached_by_size
from ...core.samples import Samples
from ...kernels.types import Int64_2D
from .contexts import Contexts
from .directions import AROUND
from .stored_counts import ContextSpec

CONTEXTS, SQUARE_COUNTS = "contexts", "squares"
"""Prefixes of the array names in a model's counts."""
SQUARES = tuple((AROUND[first], AROUND[first + 1], AROUND[(first + 2) % 8]) for first in (0, 2, 4, 6))
"""Directions of the other cells in the four 2x2 blocks that contain a cell, clockwise."""
SQUARE_MASKS = tuple(
    sum(1 << AROUND.index(name) for name in names) for square in SQUARES for names in (square, square[:1])
)
"""Bit sets of directions: for every 2x2 block, its other cells, and the first of them alone."""


class ContextCounts:
    """Contexts counted in samples, with tables that convert learned labels to labels of the samples."""

    def __init__(
        self, sample: Samples, tile_classes: TileClasses | None, directions: tuple[str, ...], masks: tuple[int, ...]
    ) -> None:
        self.sample, self.tile_classes = sample, tile_classes
        self.contexts = count_contexts(sample, tile_classes, directions, masks)
        """Contexts used by the scan."""
        self.label_ids = np.array([sample.labels.index(label) for label in self.contexts.labels], dtype=np.uint16)
        """(learned label,) position of the label in the labels of the samples."""

    @cached_property
    def learned_ids(self) -> NDArray[np.int64]:
        """(label of the samples,) the learned label that replaces it in the counts."""
        own = self.tile_classes or range(len(self.sample.labels))
        place = {label: number for number, label in enumerate(self.label_ids.tolist())}
        return np.array([place[label] for label in own], dtype=np.int64)

    @cached_property
    def most_common(self) -> int:
        """Index of the most common label of the samples; on ties, the first."""
        counts = self.contexts.counts()
        return self.sample.labels.index(max(counts, key=lambda label: counts[label]))

    @cached_property
    def digit_labels(self) -> NDArray[np.uint16]:
        """(digit,) index of the label in the samples; for the digit of a cell without a tile, the most common label."""
        return np.array([self.most_common, *self.label_ids.tolist()], dtype=np.uint16)

    def number_steps(self, backoff: Sequence[Sequence[int]]) -> Int64_2D:
        """Return (step, part) a backoff order as indices of its sets of directions, padded with -1."""
        width = max(len(step) for step in backoff)
        rows = [[self.contexts.index_of(mask) for mask in step] for step in backoff]
        return np.array([[*row, *(-1 for _ in range(width - len(row)))] for row in rows], dtype=np.int64)

    @cached_property
    def squares(self) -> tuple[Contexts, Int64_2D]:
        """Contexts of the 2x2 blocks, and (block, 2) the indices of the block's and of its shared pair's context."""
        contexts = count_contexts(self.sample, self.tile_classes, AROUND, SQUARE_MASKS)
        numbers = [contexts.index_of(mask) for mask in SQUARE_MASKS]
        return contexts, np.array(numbers, dtype=np.int64).reshape(-1, 2)

    @cached_property
    def neighbor_probabilities(self) -> NDArray[np.float64]:
        """(direction, label, other label) probability of the label if its neighbor n, e, s or w has the other label."""
        contexts, _ = self.squares
        count = len(contexts.labels)
        shares = np.zeros((4, count, count))
        for direction, name in enumerate(("n", "e", "s", "w")):
            for other, label in enumerate(contexts.labels):
                seen = contexts.counts(**{name: label})
                for own, times in seen.items():
                    shares[direction, contexts.labels.index(own), other] = times / sum(seen.values())
        return shares


def count_contexts(
    sample: Samples, tile_classes: TileClasses | None, directions: tuple[str, ...], masks: tuple[int, ...]
) -> Contexts:
    """Return the contexts of samples. They are counted unless a learned model holds the counts."""
    return find_contexts(sample, sample.counts_digest, ContextSpec.of(sample, tile_classes, directions, masks))


@cached_by_size
def find_contexts(sample: Samples, counts_digest: str, wanted: ContextSpec) -> Contexts:
    """Return the contexts of samples; cached, because many maps are made from one sample."""
    stored = (wanted.find(sample, part) for part in (CONTEXTS, SQUARE_COUNTS))
    return next((found for found in stored if found is not None), None) or wanted.count(sample)
