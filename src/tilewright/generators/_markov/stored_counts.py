"""Counted contexts as a model keeps them: flat arrays by name, checked before anything is looked up in them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...core.errors import InvalidRecipe
from ...core.samples import Counts, Samples
from ...kernels.markov import Numbers
from .contexts import Contexts, ContextTable, key_bases
from .directions import STEPS

NAMES = ("classes", "directions", "masks", *ContextTable._fields)
"""The arrays of stored contexts: for every word of the samples the word that is learned in its place, directions by
their place among all, sets of directions as bits, and the contexts themselves."""


@dataclass(frozen=True)
class ContextSpec:
    """Which contexts: of which classes of words, in which directions and sets of them."""

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
        """Count in the samples."""
        words, table = np.unique(np.array(self.classes, dtype=np.int64), return_inverse=True)
        maps = [table.reshape(-1)[map] for map in sample.maps]
        return Contexts(maps, [sample.labels[number] for number in words.tolist()], self.directions, self.masks)

    def store(self, contexts: Contexts, part: str) -> Counts:
        """Return contexts as arrays; `part` begins their names."""
        places = [list(STEPS).index(name) for name in self.directions]
        arrays = (*map(np.array, (self.classes, places, self.masks)), *contexts.table)
        return {f"{part}.{name}": array.astype(np.int64) for name, array in zip(NAMES, arrays, strict=True)}

    def find(self, sample: Samples, part: str) -> Contexts | None:
        """Return these contexts from the counts that came with the samples; None where they are not among them."""
        if f"{part}.keys" not in sample.counts:
            return None
        classes, directions, masks, *arrays = (sample.counts[f"{part}.{name}"] for name in NAMES)
        names = [list(STEPS)[place] for place in directions.tolist()]
        if tuple(classes.tolist()) != self.classes or tuple(names) != self.directions:
            return None
        if not set(self.masks) <= set(masks.tolist()):
            return None
        words = [sample.labels[number] for number in sorted(set(self.classes))]
        table = _select(ContextTable(*arrays), len(words) + 2, masks.tolist(), self.masks)
        return Contexts.from_table(table, words, self.directions, self.masks)

    def validate(self, counts: Counts, sample: Samples, part: str) -> None:
        """Refuse stored counts that are not of these contexts, or cannot be those of the samples."""
        classes, directions, masks, *arrays = (counts[f"{part}.{name}"] for name in NAMES)
        places = [list(STEPS).index(name) for name in self.directions]
        given = classes.tolist(), directions.tolist(), masks.tolist()
        if given != (list(self.classes), places, list(self.masks)):
            raise InvalidRecipe("are not of the model's tiles and directions; learn it again", at="counts")
        cells = sum(grid.cells.size for grid in sample)
        if not _is_sound(ContextTable(*arrays), len(set(self.classes)), self.masks, cells):
            raise InvalidRecipe(f"{part} cannot be those of the samples; learn it again", at="counts")


def _select(table: ContextTable, digits: int, stored: list[int], wanted: tuple[int, ...]) -> ContextTable:
    """Return the contexts of some sets of directions, with the keys that they have among these alone."""
    if tuple(stored) == wanted:
        return table
    which, inside = _split_keys(table.keys, digits, stored)
    kept = np.isin(np.array(stored)[which], wanted)
    bases = key_bases(digits, wanted)[np.searchsorted(np.array(wanted), np.array(stored)[which[kept]])]
    entries = np.repeat(kept, table.sizes)
    return ContextTable(bases + inside[kept], table.sizes[kept], table.tiles[entries], table.counts[entries])


def _is_sound(table: ContextTable, tiles: int, masks: tuple[int, ...], cells: int) -> bool:
    """Whether a table may be that of maps of this many cells, of which each is in one context of every set."""
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
        # 0 is a cell without a tile, which samples do not have.
        if (inside[length > place] % digits == 0).any():
            return False
        inside = inside // digits
    totals = np.zeros(len(masks), dtype=np.int64)
    np.add.at(totals, which, np.add.reduceat(counts, starts))
    return bool((totals == cells).all())


def _split_keys(keys: Numbers, digits: int, masks: Sequence[int]) -> tuple[Numbers, Numbers]:
    """Return for every key the number of its set of directions, and what it is among the keys of the set."""
    bases = key_bases(digits, masks)
    which = np.searchsorted(bases, keys, side="right") - 1
    return which, keys - bases[which]
