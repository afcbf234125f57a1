"""Context counts: what is learned from samples, for one tileset and one set of directions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from ...core.samples import Samples
from ...core.tileset import Tileset
from ...kernels.markov import Numbers
from .contexts import Contexts
from .directions import AROUND
from .stored_counts import ContextSpec

CONTEXTS, SQUARE_COUNTS = "contexts", "squares"
"""The parts of a model's counts."""
TileClasses = tuple[int, ...]
"""For every word of the samples the word that is learned in its place."""
SQUARES = tuple((AROUND[first], AROUND[first + 1], AROUND[(first + 2) % 8]) for first in (0, 2, 4, 6))
"""The other cells of the four squares of two by two that a cell is part of, clockwise."""
SQUARE_MASKS = tuple(
    sum(1 << AROUND.index(name) for name in names) for square in SQUARES for names in (square, square[:1])
)
"""Every square as a set of directions, and the first of its cells."""


class ContextCounts:
    """What samples teach."""

    def __init__(
        self, sample: Samples, tile_classes: TileClasses | None, directions: tuple[str, ...], masks: tuple[int, ...]
    ) -> None:
        self.sample, self.tile_classes = sample, tile_classes
        self.contexts = count_contexts(sample, tile_classes, directions, masks)
        """Those that are asked when a map grows."""
        self.label_ids = np.array([sample.labels.index(word) for word in self.contexts.labels], dtype=np.uint16)
        """(learned word,) its position among the words of the samples."""

    @cached_property
    def learned_ids(self) -> NDArray[np.int64]:
        """(word of the samples,) which learned word it counts as."""
        own = self.tile_classes or range(len(self.sample.labels))
        place = {word: number for number, word in enumerate(self.label_ids.tolist())}
        return np.array([place[word] for word in own], dtype=np.int64)

    @cached_property
    def most_common(self) -> int:
        """The word of the samples that is most common, of equals the first."""
        shares = self.contexts.counts()
        return self.sample.labels.index(max(shares, key=lambda word: shares[word]))

    @cached_property
    def digit_labels(self) -> NDArray[np.uint16]:
        """(digit,) the word of the samples that stands for it; the most common one for a cell without a tile."""
        return np.array([self.most_common, *self.label_ids.tolist()], dtype=np.uint16)

    @cached_property
    def scratch(self) -> NDArray[np.float64]:
        """For kernels to work in."""
        return np.empty((3, len(self.label_ids)))

    def number_steps(self, backoff: Sequence[Sequence[int]]) -> Numbers:
        """(step, part) an order of backing off, given in sets of directions, as kernels take it."""
        most = max(len(step) for step in backoff)
        rows = [[self.contexts.index_of(mask) for mask in step] for step in backoff]
        return np.array([[*row, *(-1 for _ in range(most - len(row)))] for row in rows], dtype=np.int64)

    @cached_property
    def squares(self) -> tuple[Contexts, Numbers]:
        """The contexts for drawing again: squares, and the pairs that two of them share; their numbers side by side."""
        contexts = count_contexts(self.sample, self.tile_classes, AROUND, SQUARE_MASKS)
        numbers = [contexts.index_of(mask) for mask in SQUARE_MASKS]
        return contexts, np.array(numbers, dtype=np.int64).reshape(-1, 2)

    @cached_property
    def neighbor_probabilities(self) -> NDArray[np.float64]:
        """(direction, word, other word) how likely a word is where the other stands to its n, e, s or w."""
        contexts, _ = self.squares
        count = len(contexts.labels)
        shares = np.zeros((4, count, count))
        for direction, name in enumerate(("n", "e", "s", "w")):
            for other, word in enumerate(contexts.labels):
                seen = contexts.counts(**{name: word})
                for own, times in seen.items():
                    shares[direction, contexts.labels.index(own), other] = times / sum(seen.values())
        return shares


def find_tile_classes(tileset: Tileset, ids: Sequence[int]) -> TileClasses:
    """For every word, by its tile, the first word whose tile is a piece of the same kind and country; else itself."""
    jointed = {joint.kind for joint in tileset.joints}
    first: dict[tuple[str, str], int] = {}
    tile_classes = []
    for word, number in enumerate(ids):
        tile = tileset[number]
        is_piece = tile.kind in jointed and tile.joins
        tile_classes.append(first.setdefault((tile.kind, tile.country), word) if is_piece else word)
    return tuple(tile_classes)


def count_contexts(
    sample: Samples, tile_classes: TileClasses | None, directions: tuple[str, ...], masks: tuple[int, ...]
) -> Contexts:
    """Return the contexts of samples: counted, or found in what a model has counted."""
    return find_contexts(sample, sample.counts_digest, ContextSpec.of(sample, tile_classes, directions, masks))


@lru_cache(maxsize=32)
def find_contexts(sample: Samples, counts_digest: str, wanted: ContextSpec) -> Contexts:
    """Kept, because many maps are made of one sample."""
    stored = (wanted.find(sample, part) for part in (CONTEXTS, SQUARE_COUNTS))
    return next((found for found in stored if found is not None), None) or wanted.count(sample)
