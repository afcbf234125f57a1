"""Context counts as stored in a model: named flat arrays, validated when a model is loaded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...core.errors import InvalidRecipe
from ...core.samples import Counts, Samples
from ...kernels.types import Int64_1D
from .contexts import Contexts, ContextTable, key_bases
from .directions import STEPS

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
