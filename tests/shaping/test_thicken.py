"""Thicken: fewer passable cells, and the same regions."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw
from tilewright.core.tilemap import Marker
from tilewright.kernels.filling import has_detours, joins_around


@pytest.mark.parametrize("share", [0.4, 0.2, 0.05])
@pytest.mark.parametrize("seed", range(5))
def test_the_floor_stays_connected(share: float, seed: int) -> None:
    cave = tw.make("caves", width=30, height=20, seed=1)
    empty = cave.replace(cells=np.full(cave.shape, cave.tileset.id("floor")))
    map = tw.shape(empty, "thicken", floor_share=share, seed=seed)
    assert tw.measure(map, "regions")["regions"] == 1
    assert np.count_nonzero(map.passable) == round(share * map.cells.size)


@pytest.mark.parametrize("seed", range(5))
def test_the_number_of_regions_is_unchanged(seed: int) -> None:
    before = tw.make("caves", width=40, height=30, seed=seed)
    after = tw.shape(before, "thicken", floor_share=0.1, seed=seed)
    assert tw.measure(after, "regions") == tw.measure(before, "regions")
    assert not (after.passable & ~before.passable).any()


def test_markers_stay_connected() -> None:
    map = tw.make("caves", width=40, height=30, seed=3)
    places = np.argwhere(map.passable)
    ends = [Marker("start", *places[0][::-1].tolist()), Marker("exit", *places[-1][::-1].tolist())]
    found = tw.shape(map.replace(markers=ends), "thicken", floor_share=0.0)
    assert tw.measure(found, "regions")["regions"] == 1
    assert found.passable[tuple(places[0])]
    assert found.passable[tuple(places[-1])]
    # Only a path without branches is left: all its cells but the ends have two neighbors.
    assert tw.measure(found, "path_length")["path_length"] == np.count_nonzero(found.passable) - 1


def test_kernels_agree_with_a_flood_fill() -> None:
    """The local check implies the search, and the search finds whether the neighbors stay connected."""
    random = np.random.default_rng(1)
    for _ in range(300):
        grid = np.pad((random.random((6, 7)) < 0.6).astype(np.uint8), 1)
        columns, flat = grid.shape[1], grid.reshape(-1)
        marks, queue = np.zeros(flat.size, dtype=np.int32), np.zeros(5000, dtype=np.int64)
        for number, cell in enumerate(np.flatnonzero(flat).tolist(), 1):
            neighbors = [cell + shift for shift in (-columns, 1, columns, -1) if flat[cell + shift]]
            seen = {*neighbors[:1]}
            reached = [*seen]
            for place in reached:
                for shift in (-columns, 1, columns, -1):
                    other = place + shift
                    if flat[other] and other != cell and other not in seen:
                        seen.add(other)
                        reached.append(other)
            wanted = bool(neighbors) and all(neighbor in seen for neighbor in neighbors)
            found = has_detours.__wrapped__(flat, columns, cell, marks, number, queue)
            assert found == wanted
            assert wanted or not joins_around.__wrapped__(flat, columns, cell)
