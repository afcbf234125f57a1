"""Locks as a person changes them: more of them, fewer, those inside a map; and as many as a recipe can hold.

A recipe holds locks as a table of places, or, where those are too many, as a whole map; of neither more than travels
inside it. All of it happens to arrays: whole maps are locked by two keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import TooLarge
from ..core.grid import MAX_INLINE_CELLS, Label, sort_labels
from ..core.locks import Locks
from ..core.tilemap import format_size
from ..core.tileset import Tileset


def read_locks(value: Any) -> Locks | None:
    """Locks in plain data. The size of a large map that they claim to be drawn on is nobody's to believe."""
    if value is None:
        return None
    found = Locks.of(value)
    return _compact(found.places, found.label_indices, found.labels, found.map_shape)


def add_locks(
    locks: Locks | None,
    flat: NDArray[np.int64],
    which: NDArray[np.int64],
    words: Sequence[Label],
    shape: tuple[int, ...],
) -> Locks | None:
    """More locks on a map of this shape: `words[which]` at flat places, the last one where several want a place."""
    before = keep_inside(locks, shape)
    if before is not None:
        flat = np.concatenate([np.ravel_multi_index(tuple(before.places.T), shape), flat])
        which = np.concatenate([before.label_indices, which + len(before.labels)])
        words = [*before.labels, *words]
    flat, last = np.unique(flat[::-1], return_index=True)
    if len(flat) > max_locks(shape):
        size = format_size(shape)
        raise TooLarge(f"a recipe holds {max_locks(shape):,} locked cells of a map of {size} at most; lock fewer")
    places = np.stack(np.unravel_index(flat, shape), axis=-1).astype(np.int32)
    return _compact(places, which[::-1][last], words, shape) if len(flat) else None


def remove_locks(locks: Locks | None, flat: NDArray[np.int64], shape: tuple[int, ...]) -> Locks | None:
    """Without those at flat places of a map of this shape."""
    before = keep_inside(locks, shape)
    if before is None:
        return None
    return _select(before, ~np.isin(np.ravel_multi_index(tuple(before.places.T), shape), flat), shape)


def keep_inside(locks: Locks | None, shape: tuple[int, ...]) -> Locks | None:
    """Those that lie on a map of this shape; None where none do."""
    if locks is None or not len(locks) or locks.places.shape[1] != len(shape):
        return None
    return _select(locks, (locks.places < np.array(shape)).all(axis=1), shape)


def keep_known(locks: Locks | None, tileset: Tileset) -> Locks | None:
    """Those that a map of this tileset can hold; None where it can hold none."""
    if locks is None or not len(locks):
        return None
    is_known = np.array([tileset.find(word) is not None for word in locks.labels])
    return _select(locks, is_known[locks.label_indices], locks.map_shape)


def max_locks(shape: tuple[int, ...]) -> int:
    """How many cells of a map of this shape a recipe can hold."""
    return prod(shape) if prod(shape) <= MAX_INLINE_CELLS else MAX_INLINE_CELLS // (len(shape) + 1)


def _select(locks: Locks, mask: NDArray[np.bool_], shape: tuple[int, ...] | None) -> Locks | None:
    return _compact(locks.places[mask], locks.label_indices[mask], locks.labels, shape) if mask.any() else None


def _compact(
    places: NDArray[np.int32], which: NDArray[Any], words: Sequence[Label], shape: tuple[int, ...] | None
) -> Locks:
    """Locks as a recipe can hold them: as a map of this shape only where they are too many for a table."""
    used = sort_labels(words[number] for number in np.unique(which).tolist())
    rank = {word: number for number, word in enumerate(used)}
    table = np.array([rank.get(word, 0) for word in words], dtype=np.int32)
    is_map = shape is not None and prod(shape) <= MAX_INLINE_CELLS < places.size + len(places)
    return Locks(places, table[which], used, shape if is_map else None)
