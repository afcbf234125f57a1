"""Contexts: how often each tile occurs with which neighbors, counted in samples, and their form in a stored model.

A model stores counts as named flat arrays, which are validated when the model is loaded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...autotile.grammar import TileClasses
from ...core.caching import cached_by_size
from ...core.errors import InvalidRecipe, UnknownName, pluralize
from ...core.samples import Counts, Samples
from ...kernels.markov import (
    COUNT,
    FREE,
    SIZE_BITS,
    SUM,
    TILE,
    ContextArrays,
    ContextTotals,
    count_contexts,
    hash_keys,
    rehash,
)
from ...kernels.types import Int64_1D, Int64_2D, Uint16_1D, Uint16_2D
from .directions import AROUND, MARGIN, STEPS

EDGE = "edge"
"""Name of the neighbor outside the map."""
MAX_KEYS = 1 << 62
MAX_FIRST_SIZE = 1 << 16
"""Maximum initial number of slots of a hash table."""
Table = tuple[Int64_1D, Int64_1D]
"""Keys and values of a hash table."""


class ContextTable(NamedTuple):
    """Counted contexts as plain arrays."""

    keys: Int64_1D
    """(context,) keys, ascending in a stored table."""
    sizes: Int64_1D
    """(context,) number of entries of each context."""
    tiles: Int64_1D
    """(entry,) tiles, ascending within a context."""
    counts: Int64_1D
    """(entry,) number of occurrences of the tile in the context."""


class Contexts:
    """Number of occurrences of each label in each context, over all maps.

    A context is a set of neighbors with their directions.

    >>> maps = [np.array([[0, 1], [0, 0]])]
    >>> found = Contexts(maps, ("grass", "sea"), ("w", "s"), (0b00, 0b01, 0b11))
    >>> found.counts(w="grass"), found.counts(w="grass", s="edge")
    ({'grass': 1, 'sea': 1}, {'grass': 1})
    """

    def __init__(
        self,
        maps: Sequence[NDArray[np.integer]],
        labels: Sequence[str],
        directions: Sequence[str],
        masks: Iterable[int],
    ) -> None:
        """Count contexts in maps of label indices; `masks` are the sets of directions to count, as bits."""
        self._set_layout(labels, directions, masks)
        self._counted = self._count(np.concatenate([self._encode_map(map) for map in maps]))

    @classmethod
    def from_table(
        cls, table: ContextTable, labels: Sequence[str], directions: Sequence[str], masks: Iterable[int]
    ) -> Contexts:
        """Return contexts from a table of earlier counts, without checking it."""
        contexts = cls.__new__(cls)
        contexts._set_layout(labels, directions, masks)
        contexts._counted = table
        return contexts

    @property
    def table(self) -> ContextTable:
        """The counts, sorted by key."""
        keys, sizes, tiles, counts = self._counted
        order = np.argsort(keys)
        ends = np.cumsum(sizes[order])
        places = np.repeat(self._firsts[order] - ends + sizes[order], sizes[order]) + np.arange(len(tiles))
        return ContextTable(keys[order], sizes[order], tiles[places], counts[places])

    def _set_layout(self, labels: Sequence[str], directions: Sequence[str], masks: Iterable[int]) -> None:
        self.labels, self.directions = tuple(labels), tuple(directions)
        self.masks = (0, *sorted(set(masks) - {0}))
        """Sets of directions as bits, ascending; the first is the empty set."""
        check_context_limit(len(labels), self.masks, self.directions)
        digits = len(labels) + 2
        self.bases = key_bases(digits, self.masks)
        self.weights = np.zeros((len(self.masks), len(directions)), dtype=np.int64)
        for number, mask in enumerate(self.masks):
            own = [place for place in range(len(directions)) if mask >> place & 1]
            self.weights[number, own] = [digits**rank for rank in range(len(own))]

    def _count(self, seen: Uint16_2D) -> ContextTable:
        """Count the contexts of (cell, 1 + direction) a label and the digits around it."""
        sets, tiles = len(self.masks), len(self.labels)
        size = 1 << 10
        while size < 4 * sets or (size < MAX_FIRST_SIZE and 2 * size < len(seen) * sets):
            size *= 2
        contexts, entries = _new_table(size), _new_table(size)
        found, cell = ContextTotals.new(), 0
        while cell < len(seen):
            cell = count_contexts(seen, cell, self.bases, self.weights, tiles, *contexts, *entries, found)
            if 2 * (found.contexts + sets) > len(contexts[0]):
                contexts = _grow(contexts)
            if 2 * (found.entries + sets) > len(entries[0]):
                entries = _grow(entries)
        slots = np.flatnonzero(contexts[0] != FREE)
        keys = np.empty(found.contexts, dtype=np.int64)
        keys[contexts[1][slots]] = contexts[0][slots]
        used = np.flatnonzero(entries[0] != FREE)
        used = used[np.argsort(entries[0][used])]
        of, labels = np.divmod(entries[0][used], tiles)
        return ContextTable(keys, np.bincount(of, minlength=len(keys)), labels, entries[1][used])

    @cached_property
    def arrays(self) -> ContextArrays:
        """Arrays for the kernels; made at first use, because learning does not need them."""
        keys, sizes, tiles, counts = self._counted
        sums = np.cumsum(counts)
        before = np.repeat((sums - counts)[self._firsts], sizes)
        entries = np.zeros((len(tiles), 4), dtype=np.int32)
        for column, values in ((TILE, tiles), (COUNT, counts), (SUM, sums - before)):
            entries[:, column] = values
        slot_keys, places = _new_table(1 << (2 * len(keys) + len(self.masks)).bit_length())
        rehash(keys, np.arange(len(keys)), slot_keys, places)
        slots = np.stack((slot_keys, (self._firsts << SIZE_BITS | sizes)[places]), axis=1)
        members = np.full((len(self.masks), max(1, len(self.directions))), -1, dtype=np.int64)
        for set_number, mask in enumerate(self.masks):
            own = [place for place in range(len(self.directions)) if mask >> place & 1]
            members[set_number, : len(own)] = own[::-1]
        masks = np.array(self.masks, dtype=np.int64)
        return ContextArrays(slots, entries, masks, self.bases, members, self._hash_blocks(), len(self.labels) + 2)

    def _hash_blocks(self) -> Int64_1D:
        """Return a hash table of the 2x2 blocks of the samples, by their digits; without their contexts, an empty one.

        A block has the cell of a context, the three cells of its directions, and the digits of a number by rows.
        """
        if self.directions != AROUND or not set(SQUARE_MASKS) <= set(self.masks):
            return np.full(1, FREE, dtype=np.int64)
        keys, sizes, tiles, _ = self._counted
        digits, which = len(self.labels) + 2, np.repeat(np.searchsorted(self.bases, keys, side="right") - 1, sizes)
        blocks = []
        for mask, names in zip(SQUARE_MASKS[::2], SQUARES, strict=True):
            number = self.masks.index(mask)
            own = which == number
            others, cells = np.repeat(keys, sizes)[own] - self.bases[number], {(0, 0): 1 + tiles[own]}
            for name in sorted(names, key=AROUND.index):
                others, cells[STEPS[name]] = np.divmod(others, digits)
            key = np.zeros(len(others), dtype=np.int64)
            for step in sorted(cells):
                key = key * digits + cells[step]
            blocks.append(key)
        distinct = np.unique(np.concatenate(blocks))
        table = np.full(1 << (2 * len(distinct)).bit_length(), FREE, dtype=np.int64)
        hash_keys(distinct, table)
        return table

    @cached_property
    def _firsts(self) -> Int64_1D:
        """(context,) first entry."""
        return np.cumsum(self._counted.sizes) - self._counted.sizes

    def _encode_map(self, map: NDArray[np.integer]) -> Uint16_2D:
        """Return (cell, 1 + direction) every cell's label and the digits around it."""
        wide, (rows, columns) = pad_map(map, len(self.labels)).reshape(-1, map.shape[1] + 2 * MARGIN), map.shape
        around = (STEPS[name] for name in self.directions)
        views = (wide[MARGIN + down :, MARGIN + right :][:rows, :columns] for down, right in around)
        return np.stack([map.astype(np.uint16), *views], axis=-1).reshape(rows * columns, -1)

    def flat_offsets(self, width: int) -> Int64_1D:
        """Return (direction,) the offset of the neighbor in a padded flat map of this width."""
        return _find_offsets(self.directions, width)

    # -- access by names ------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._counted.keys)

    def counts(self, **neighbors: str) -> dict[str, int]:
        """Return how often each label occurs with these neighbors, by direction; `edge` is outside the map."""
        digits = {}
        for name, label in neighbors.items():
            if name not in self.directions:
                raise UnknownName("direction", name, self.directions)
            if label not in (*self.labels, EDGE):
                raise UnknownName("tile", label, (*self.labels, EDGE))
            digits[self.directions.index(name)] = 1 + (len(self.labels) if label == EDGE else self.labels.index(label))
        mask = sum(1 << place for place in digits)
        if mask not in self.masks:
            raise InvalidRecipe(f"{'+'.join(neighbors)} is not a learned context")
        number = self.masks.index(mask)
        key = self.bases[number] + sum(int(self.weights[number, place]) * digit for place, digit in digits.items())
        places = np.flatnonzero(self._counted.keys == key)
        return self._read_entries(int(places[0])) if len(places) else {}

    def __iter__(self) -> Iterator[tuple[Mapping[str, str], dict[str, int]]]:
        """Yield the neighbors of every context by direction, and the counts of the labels; sorted by key."""
        for place in np.argsort(self._counted.keys).tolist():
            yield self._decode_key(int(self._counted.keys[place])), self._read_entries(place)

    def _decode_key(self, key: int) -> dict[str, str]:
        number = int(np.searchsorted(self.bases, key, side="right")) - 1
        key -= int(self.bases[number])
        neighbors, names = {}, (*self.labels, EDGE)
        for name, weight in zip(self.directions, self.weights[number].tolist(), strict=True):
            if weight:
                key, digit = divmod(key, len(self.labels) + 2)
                neighbors[name] = names[digit - 1]
        return neighbors

    def _read_entries(self, place: int) -> dict[str, int]:
        """Return the counts of a context, by its number."""
        own = slice(self._firsts[place], self._firsts[place] + self._counted.sizes[place])
        entries = zip(self._counted.tiles[own].tolist(), self._counted.counts[own].tolist(), strict=True)
        return {self.labels[tile]: count for tile, count in entries}

    def __repr__(self) -> str:
        return f"Contexts({pluralize(len(self), 'context')} of {', '.join(self.directions)})"


def _new_table(size: int) -> Table:
    return np.full(size, FREE, dtype=np.int64), np.zeros(size, dtype=np.int64)


def _grow(table: Table) -> Table:
    """Return a hash table of twice the size."""
    larger = _new_table(2 * len(table[0]))
    rehash(*table, *larger)
    return larger


@lru_cache(maxsize=64)
def _find_offsets(directions: tuple[str, ...], width: int) -> Int64_1D:
    steps = (STEPS[name] for name in directions)
    return np.array([down * (width + 2 * MARGIN) + right for down, right in steps], dtype=np.int64)


def pad_map(map: NDArray[np.integer], tiles: int) -> Uint16_1D:
    """Return a map of label indices as a flat array of digits with a margin; -1 is a cell without a label."""
    rows, columns = map.shape
    wide: Uint16_2D = np.full((rows + 2 * MARGIN, columns + 2 * MARGIN), tiles + 1, dtype=np.uint16)
    wide[MARGIN:-MARGIN, MARGIN:-MARGIN] = map + 1
    return wide.reshape(-1)


def key_bases(digits: int, masks: Sequence[int]) -> Int64_1D:
    """Return the first key of every set of directions; each neighbor has one of `digits` values."""
    sizes = [digits ** mask.bit_count() for mask in masks]
    return np.array([sum(sizes[:number]) for number in range(len(sizes))], dtype=np.int64)


def check_context_limit(tiles: int, masks: Iterable[int], directions: Sequence[str]) -> None:
    """Raise InvalidRecipe if the contexts need more keys than an integer can hold."""
    if sum((tiles + 2) ** mask.bit_count() for mask in masks) > MAX_KEYS:
        text = f"{len(directions)} directions with {tiles} tiles make too many contexts; use fewer"
        raise InvalidRecipe(text, at="directions")


# -- counts of samples ----------------------------------------------------------------------------------------

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
        self.contexts = learn_contexts(sample, tile_classes, directions, masks)
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
        contexts = learn_contexts(self.sample, self.tile_classes, AROUND, SQUARE_MASKS)
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


def learn_contexts(
    sample: Samples, tile_classes: TileClasses | None, directions: tuple[str, ...], masks: tuple[int, ...]
) -> Contexts:
    """Return the contexts of samples. They are counted unless a learned model holds the counts."""
    return find_contexts(sample, sample.counts_digest, ContextSpec.of(sample, tile_classes, directions, masks))


@cached_by_size
def find_contexts(sample: Samples, counts_digest: str, wanted: ContextSpec) -> Contexts:
    """Return the contexts of samples; cached, because many maps are made from one sample."""
    stored = (wanted.find(sample, part) for part in (CONTEXTS, SQUARE_COUNTS))
    return next((found for found in stored if found is not None), None) or wanted.count(sample)
