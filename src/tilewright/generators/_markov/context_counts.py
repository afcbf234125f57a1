"""Context counts learned from samples, for one tileset and one set of directions, and their form in a stored model.

A model stores counts as named flat arrays, which are validated when the model is loaded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...autotile.grammar import TileClasses
from ...core.caching import cached_by_size
from ...core.errors import InvalidRecipe
from ...core.samples import Counts, Samples
from ...kernels.types import Int64_1D, Int64_2D
from .contexts import Contexts, ContextTable, key_bases
from .directions import AROUND, STEPS

NAMES = ("classes", "directions", "masks", *ContextTable._fields)
"""Names of the stored arrays: for every label of the samples the label that replaces it, directions by their index in
STEPS, sets of directions as bits, and the contexts."""


@dataclass(frozen=True)
class ContextSpec:
    """Specification of contexts: classes of labels, directions, and sets of directions as bits."""

    classes: tuple[int, ...]
    directions: tuple[str, ...]
    masks: tuple[int, ...]

    @classmethod
    def of(
        cls, sample: Samples, classes: tuple[int, ...] | None, directions: tuple[str, ...], masks: tuple[int, ...]
    ) -> ContextSpec:
        own = tuple(range(len(sample.labels))) if classes is None else classes
        return cls(own, directions, (0, *sorted({*masks} - {0})))

    def count(self, sample: Samples) -> Contexts:
        """Count the contexts in samples."""
        ids, table = np.unique(np.array(self.classes, dtype=np.int64), return_inverse=True)
        maps = [table.reshape(-1)[map] for map in sample.maps]
        return Contexts(maps, [sample.labels[number] for number in ids.tolist()], self.directions, self.masks)

    def store(self, contexts: Contexts, part: str) -> Counts:
        """Return contexts as arrays whose names start with `part`."""
        places = [list(STEPS).index(name) for name in self.directions]
        arrays = (*map(np.array, (self.classes, places, self.masks)), *contexts.table)
        return {f"{part}.{name}": array.astype(np.int64) for name, array in zip(NAMES, arrays, strict=True)}

    def find(self, sample: Samples, part: str) -> Contexts | None:
        """Return these contexts from the counts stored with the samples, or None if they are not stored."""
        if f"{part}.keys" not in sample.counts:
            return None
        classes, directions, masks, *arrays = (sample.counts[f"{part}.{name}"] for name in NAMES)
        names = [list(STEPS)[place] for place in directions.tolist()]
        if tuple(classes.tolist()) != self.classes or tuple(names) != self.directions:
            return None
        if not set(self.masks) <= set(masks.tolist()):
            return None
        labels = [sample.labels[number] for number in sorted(set(self.classes))]
        table = _select(ContextTable(*arrays), len(labels) + 2, masks.tolist(), self.masks)
        return Contexts.from_table(table, labels, self.directions, self.masks)

    def validate(self, counts: Counts, sample: Samples, part: str) -> None:
        """Raise InvalidRecipe if stored counts are not of these contexts or cannot be counts of the samples."""
        classes, directions, masks, *arrays = (counts[f"{part}.{name}"] for name in NAMES)
        places = [list(STEPS).index(name) for name in self.directions]
        given = classes.tolist(), directions.tolist(), masks.tolist()
        if given != (list(self.classes), places, list(self.masks)):
            raise InvalidRecipe("do not match the model's tiles and directions; learn the model again", at="counts")
        cells = sum(grid.cells.size for grid in sample)
        if not _is_sound(ContextTable(*arrays), len(set(self.classes)), self.masks, cells):
            raise InvalidRecipe(f"{part} do not match the samples; learn the model again", at="counts")


def _select(table: ContextTable, digits: int, stored: list[int], wanted: tuple[int, ...]) -> ContextTable:
    """Return the contexts of some sets of directions, with keys renumbered for these sets."""
    if tuple(stored) == wanted:
        return table
    which, inside = _split_keys(table.keys, digits, stored)
    kept = np.isin(np.array(stored)[which], wanted)
    bases = key_bases(digits, wanted)[np.searchsorted(np.array(wanted), np.array(stored)[which[kept]])]
    entries = np.repeat(kept, table.sizes)
    return ContextTable(bases + inside[kept], table.sizes[kept], table.tiles[entries], table.counts[entries])


def _is_sound(table: ContextTable, tiles: int, masks: tuple[int, ...], cells: int) -> bool:
    """Return whether a table can be the counts of maps with `cells` cells; every cell is in one context of each set."""
    keys, sizes, own, counts = table
    digits = tiles + 2
    if not len(keys) or len(sizes) != len(keys) or int(sizes.min()) < 1 or int(sizes.max()) > tiles:
        return False
    if int(sizes.sum()) != len(own) or len(own) != len(counts):
        return False
    if int(own.min()) < 0 or int(own.max()) >= tiles or int(counts.min()) < 1 or int(counts.max()) > cells:
        return False
    starts = np.cumsum(sizes) - sizes
    rising = np.diff(own, prepend=-1) > 0
    rising[starts] = True
    last = int(key_bases(digits, masks)[-1]) + digits ** masks[-1].bit_count()
    if not rising.all() or keys[0] != 0 or keys[-1] >= last or (keys[1:] <= keys[:-1]).any():
        return False
    which, inside = _split_keys(keys, digits, masks)
    length = np.array([mask.bit_count() for mask in masks])[which]
    for place in range(int(length.max())):
        # Digit 0 is a cell without a tile, which samples do not have.
        if (inside[length > place] % digits == 0).any():
            return False
        inside = inside // digits
    totals = np.zeros(len(masks), dtype=np.int64)
    np.add.at(totals, which, np.add.reduceat(counts, starts))
    return bool((totals == cells).all())


def _split_keys(keys: Int64_1D, digits: int, masks: Sequence[int]) -> tuple[Int64_1D, Int64_1D]:
    """Return, for every key, the index of its set of directions and its offset within that set."""
    bases = key_bases(digits, masks)
    which = np.searchsorted(bases, keys, side="right") - 1
    return which, keys - bases[which]


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
        rows = [[self.contexts.masks.index(mask) for mask in step] for step in backoff]
        return np.array([[*row, *(-1 for _ in range(width - len(row)))] for row in rows], dtype=np.int64)

    @cached_property
    def squares(self) -> tuple[Contexts, Int64_2D]:
        """Contexts of the 2x2 blocks, and (block, 2) the indices of the block's and of its shared pair's context."""
        contexts = count_contexts(self.sample, self.tile_classes, AROUND, SQUARE_MASKS)
        numbers = [contexts.masks.index(mask) for mask in SQUARE_MASKS]
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
