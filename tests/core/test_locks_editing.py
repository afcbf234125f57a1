"""Editing of Locks: add and remove cells, clip to a map, drop unknown tiles, and the limit of a recipe."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright.core.errors import TooLarge
from tilewright.core.grid import MAX_INLINE_CELLS
from tilewright.core.locks import Locks

SHAPE = (20, 30)
LABELS = ("wall", "floor")
NO_LOCKS = Locks.of([])


def lock_cells(flat: list[int], label: int = 0, before: Locks = NO_LOCKS, shape: tuple[int, ...] = SHAPE) -> Locks:
    return before.with_cells(np.array(flat, dtype=np.int64), np.full(len(flat), label), LABELS, shape)


def cells(locks: Locks) -> dict[tuple[int, ...], Any]:
    labels = [locks.labels[index] for index in locks.label_indices.tolist()]
    return dict(zip(map(tuple, locks.places.tolist()), labels, strict=True))


def test_the_last_lock_of_a_cell_counts_and_unused_labels_are_dropped() -> None:
    locks = lock_cells([0, 31, 0], label=1, before=lock_cells([0, 599]))
    assert cells(locks) == {(0, 0): "floor", (1, 1): "floor", (19, 29): "wall"}
    rest = locks.without_cells(np.array([599]), SHAPE)
    assert rest.labels == ("floor",)
    assert not locks.without_cells(np.arange(600), SHAPE)


def test_locks_outside_a_map_are_dropped() -> None:
    locks = lock_cells([0, 31, 599])
    assert cells(locks.clip_to((2, 3))) == {(0, 0): "wall", (1, 1): "wall"}
    assert not locks.clip_to((1, 20, 30))


def test_locks_to_tiles_that_a_tileset_lacks_are_dropped() -> None:
    locks = lock_cells([0], label=1, before=lock_cells([1]))
    assert locks.keep_known(tw.make("caves", width=8, height=8, seed=1).tileset) == locks
    assert not locks.keep_known(tw.make("noise", width=8, height=8, seed=1).tileset)
    assert not NO_LOCKS.keep_known(tw.make("noise", width=8, height=8, seed=1).tileset)


def test_too_many_locks_on_a_large_map_are_refused_in_one_line() -> None:
    shape = (300, 300)
    assert Locks.max_count(shape) == MAX_INLINE_CELLS // 3
    assert lock_cells([*range(Locks.max_count(shape))], shape=shape)
    with pytest.raises(TooLarge, match=r"a recipe holds 21,845 locked cells of a map of 300x300 at most; lock fewer"):
        lock_cells([*range(Locks.max_count(shape) + 1)], shape=shape)
