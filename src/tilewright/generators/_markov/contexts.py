"""Contexts: how often each tile stands beside which neighbours, counted in samples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.errors import InvalidRecipe, UnknownName, pluralize
from ...kernels.markov import FREE, ContextArrays, ContextTotals, Digits, Numbers, count_contexts, rehash
from .directions import STEPS

MARGIN = 2
"""Cells around a map, as far as a direction leads."""
EDGE = "edge"
"""What stands beyond the edge of a map, to people."""
MAX_KEYS = 1 << 62
MAX_FIRST_SIZE = 1 << 16
"""Slots of a hash table at most, before it is known how many are needed."""
Table = tuple[Numbers, Numbers]
"""Keys and values of a hash table."""


class ContextTable(NamedTuple):
    """Counted contexts, without what can be worked out from them."""

    keys: Numbers
    """(context,) ascending."""
    sizes: Numbers
    """(context,) number of its entries."""
    tiles: Numbers
    """(entry,) ascending within a context."""
    counts: Numbers
    """(entry,) how often the tile was seen in the context."""


class Contexts:
    """How often each word stands where which neighbours stand, in all maps together.

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
        """`maps` hold positions in the words; `masks` are the sets of directions that are contexts, as bits."""
        self._set_layout(labels, directions, masks)
        self.arrays = self._count(np.concatenate([self._encode_map(map) for map in maps]))
        """What kernels take."""

    @classmethod
    def from_table(
        cls, table: ContextTable, labels: Sequence[str], directions: Sequence[str], masks: Iterable[int]
    ) -> Contexts:
        """Return contexts that were counted before, given as `table` returns them; they are not checked here."""
        contexts = cls.__new__(cls)
        contexts._set_layout(labels, directions, masks)
        keys, values = _new_table(1 << (2 * len(table.keys) + len(contexts.masks)).bit_length())
        rehash(table.keys, np.arange(len(table.keys)), keys, values)
        of = np.repeat(np.arange(len(table.keys)), table.sizes)
        contexts.arrays = contexts._group((keys, values), of, table.tiles, table.counts, len(table.keys))
        return contexts

    @property
    def table(self) -> ContextTable:
        """What was counted, in an order that depends on the contexts alone."""
        arrays = self.arrays
        used = np.flatnonzero(arrays.keys != FREE)
        used = used[np.argsort(arrays.keys[used])]
        which = arrays.ids[used]
        sizes = np.diff(arrays.firsts)[which].astype(np.int64)
        entries = np.repeat(arrays.firsts[which] - np.cumsum(sizes) + sizes, sizes) + np.arange(int(sizes.sum()))
        tiles, counts = arrays.tiles[entries].astype(np.int64), arrays.counts[entries].astype(np.int64)
        return ContextTable(arrays.keys[used], sizes, tiles, counts)

    def _set_layout(self, labels: Sequence[str], directions: Sequence[str], masks: Iterable[int]) -> None:
        self.labels, self.directions = tuple(labels), tuple(directions)
        self.masks = (0, *sorted(set(masks) - {0}))
        """The sets, by number: the first is the empty one."""
        check_context_limit(len(labels), self.masks, self.directions)
        digits = len(labels) + 2
        self.bases = key_bases(digits, self.masks)
        self.weights = np.zeros((len(self.masks), len(directions)), dtype=np.int64)
        for number, mask in enumerate(self.masks):
            own = [place for place in range(len(directions)) if mask >> place & 1]
            self.weights[number, own] = [digits**rank for rank in range(len(own))]

    def index_of(self, mask: int) -> int:
        """Which set of directions this is."""
        return self.masks.index(mask)

    def _count(self, seen: Digits) -> ContextArrays:
        """Count the contexts of cells: rows of a word and the digits around it."""
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
        used = np.flatnonzero(entries[0] != FREE)
        used = used[np.argsort(entries[0][used])]
        of, word = np.divmod(entries[0][used], tiles)
        return self._group(contexts, of, word, entries[1][used], found.contexts)

    def _group(self, table: Table, of: Numbers, tiles: Numbers, counts: Numbers, number: int) -> ContextArrays:
        """Arrange a hash table of contexts and their entries, which are sorted by context and tile."""
        firsts = np.searchsorted(of, np.arange(number + 1))
        sums = np.cumsum(counts)
        before = (sums - counts)[firsts[:-1]]
        return ContextArrays(
            keys=table[0],
            ids=table[1].astype(np.int32),
            firsts=firsts.astype(np.int32),
            tiles=tiles.astype(np.int32),
            counts=counts.astype(np.int32),
            sums=(sums - before[of]).astype(np.int32),
            masks=np.array(self.masks, dtype=np.int64),
            bases=self.bases,
            weights=self.weights,
        )

    def _encode_map(self, map: NDArray[np.integer]) -> Digits:
        """(cell, 1 + direction) every cell's word, then the digits around it."""
        wide, (rows, columns) = pad_map(map, len(self.labels)).reshape(-1, map.shape[1] + 2 * MARGIN), map.shape
        around = (STEPS[name] for name in self.directions)
        views = (wide[MARGIN + down :, MARGIN + right :][:rows, :columns] for down, right in around)
        return np.stack([map.astype(np.uint16), *views], axis=-1).reshape(rows * columns, -1)

    def flat_offsets(self, width: int) -> Numbers:
        """How far each neighbour lies in a flat map of this width."""
        steps = (STEPS[name] for name in self.directions)
        return np.array([down * (width + 2 * MARGIN) + right for down, right in steps], dtype=np.int64)

    # -- for people -----------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self.arrays.firsts) - 1

    def counts(self, **neighbours: str) -> dict[str, int]:
        """How often each word stands where these stand, by direction; `edge` is beyond the map."""
        digits = {}
        for name, word in neighbours.items():
            if name not in self.directions:
                raise UnknownName("direction", name, self.directions)
            if word not in (*self.labels, EDGE):
                raise UnknownName("tile", word, (*self.labels, EDGE))
            digits[self.directions.index(name)] = 1 + (len(self.labels) if word == EDGE else self.labels.index(word))
        mask = sum(1 << place for place in digits)
        if mask not in self.masks:
            raise InvalidRecipe(f"{' and '.join(neighbours)} together are no context that was learned")
        number = self.index_of(mask)
        key = self.bases[number] + sum(int(self.weights[number, place]) * digit for place, digit in digits.items())
        places = np.flatnonzero(self.arrays.keys == key)
        return self._read_entries(int(self.arrays.ids[places[0]])) if len(places) else {}

    def __iter__(self) -> Iterator[tuple[Mapping[str, str], dict[str, int]]]:
        """All contexts, the neighbours by direction, with how often each word stands there; in a fixed order."""
        keys, which = self.arrays.keys, self.arrays.ids
        used = np.flatnonzero(keys != FREE)
        for place in used[np.argsort(keys[used])].tolist():
            yield self._decode_key(int(keys[place])), self._read_entries(int(which[place]))

    def _decode_key(self, key: int) -> dict[str, str]:
        number = int(np.searchsorted(self.bases, key, side="right")) - 1
        key -= int(self.bases[number])
        neighbours, names = {}, (*self.labels, EDGE)
        for name, weight in zip(self.directions, self.weights[number].tolist(), strict=True):
            if weight:
                key, digit = divmod(key, len(self.labels) + 2)
                neighbours[name] = names[digit - 1]
        return neighbours

    def _read_entries(self, context: int) -> dict[str, int]:
        arrays = self.arrays
        entries = slice(arrays.firsts[context], arrays.firsts[context + 1])
        return {
            self.labels[tile]: count
            for tile, count in zip(arrays.tiles[entries], arrays.counts[entries].tolist(), strict=True)
        }

    def __repr__(self) -> str:
        return f"Contexts({pluralize(len(self), 'context')} of {', '.join(self.directions)})"


def _new_table(size: int) -> Table:
    return np.full(size, FREE, dtype=np.int64), np.zeros(size, dtype=np.int64)


def _grow(table: Table) -> Table:
    """Return a hash table of twice the size."""
    larger = _new_table(2 * len(table[0]))
    rehash(*table, *larger)
    return larger


def pad_map(map: NDArray[np.integer], tiles: int) -> Digits:
    """A map of words as digits, flat within its margin; -1 is a cell without a word."""
    rows, columns = map.shape
    wide: Digits = np.full((rows + 2 * MARGIN, columns + 2 * MARGIN), tiles + 1, dtype=np.uint16)
    wide[MARGIN:-MARGIN, MARGIN:-MARGIN] = map + 1
    return wide.reshape(-1)


def key_bases(digits: int, masks: Sequence[int]) -> Numbers:
    """Return the first key of every set of directions, of neighbours with this many digits."""
    sizes = [digits ** mask.bit_count() for mask in masks]
    return np.array([sum(sizes[:number]) for number in range(len(sizes))], dtype=np.int64)


def check_context_limit(tiles: int, masks: Iterable[int], directions: Sequence[str]) -> None:
    """Contexts that could not be told apart any more."""
    if sum((tiles + 2) ** mask.bit_count() for mask in masks) > MAX_KEYS:
        text = f"{len(directions)} of them with {tiles} tiles make too many contexts to tell apart; take fewer"
        raise InvalidRecipe(text, at="directions")
