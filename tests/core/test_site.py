"""Site.map converts positions to tile ids for all kinds of arrays, and copies them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright.core.site import Site

CAVE = next(tileset for tileset in tw.list_tilesets() if tileset.name == "cave")
KINDS = ("?", "u1", "u2", "u4", "u8", "i1", "i8", "f8")
SHAPES = ((7, 15), (90, 80), (2, 7, 15))
SITES = {
    "own tiles": Site((7, 15), CAVE, labels=("floor", "wall"), ids=np.array([0, 1])),
    "others": Site((7, 15), CAVE, labels=("floor", "wall"), ids=np.array([5, 2])),
}


@pytest.mark.parametrize("site", SITES.values(), ids=SITES)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", KINDS)
def test_positions_become_tile_ids(site: Site, shape: tuple[int, ...], kind: str) -> None:
    positions = np.arange(np.prod(shape)).reshape(shape) % 3 == 0
    wide = np.asfortranarray(np.pad(positions, 1)).astype(kind)
    given = wide[(slice(1, -1),) * positions.ndim]
    map = site.map(given)
    assert map.cells.dtype == CAVE.dtype
    assert np.array_equal(map.cells, np.where(positions, site.ids[1], site.ids[0]))
    assert map.cells.flags.c_contiguous
    assert not map.cells.flags.writeable
    wide[:] = 0
    assert np.array_equal(map.cells, site.map(positions).cells)


@pytest.mark.parametrize("site", SITES.values(), ids=SITES)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("kind", "wrong"), [("u1", 2), ("u1", 255), ("u8", 2), ("i1", -1), ("i8", -2), ("i8", 7)])
def test_unknown_positions_are_refused(site: Site, shape: tuple[int, ...], kind: str, wrong: int) -> None:
    positions = np.ones(shape, dtype=kind)
    positions[(-1,) * positions.ndim] = wrong
    with pytest.raises(
        tw.TilewrightError, match=rf"^cells: must be in 0\.\.1, positions in site\.labels, got {wrong}$"
    ):
        site.map(positions)


@pytest.mark.parametrize(
    "positions", [[0, 1], 1, [[]], np.zeros((0, 4), np.uint8), np.uint8(1), np.zeros((1, 1, 1, 1), int)]
)
def test_other_shapes_are_refused(positions: Any) -> None:
    with pytest.raises(tw.InvalidRecipe, match="a map has 2 or 3 dimensions and at least one cell, got shape"):
        SITES["own tiles"].map(positions)
