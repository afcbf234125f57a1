"""The site paints words as tiles: the same for every kind of array, small or large, and nobody else holds the map's."""

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
def test_words_become_tiles(site: Site, shape: tuple[int, ...], kind: str) -> None:
    words = np.arange(np.prod(shape)).reshape(shape) % 3 == 0
    wide = np.asfortranarray(np.pad(words, 1)).astype(kind)
    given = wide[(slice(1, -1),) * words.ndim]
    made = site.map(given)
    assert made.cells.dtype == CAVE.dtype
    assert np.array_equal(made.cells, np.where(words, site.ids[1], site.ids[0]))
    assert made.cells.flags.c_contiguous
    assert not made.cells.flags.writeable
    wide[:] = 0
    assert np.array_equal(made.cells, site.map(words).cells)


@pytest.mark.parametrize("site", SITES.values(), ids=SITES)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("kind", "wrong"), [("u1", 2), ("u1", 255), ("u8", 2), ("i1", -1), ("i8", -2), ("i8", 7)])
def test_what_is_no_word_is_refused(site: Site, shape: tuple[int, ...], kind: str, wrong: int) -> None:
    words = np.ones(shape, dtype=kind)
    words[(-1,) * words.ndim] = wrong
    with pytest.raises(tw.TilewrightError, match=rf"^cells: there are 2 tiles, 0\.\.1, got {wrong}$"):
        site.map(words)


@pytest.mark.parametrize(
    "words", [[0, 1], 1, [[]], np.zeros((0, 4), np.uint8), np.uint8(1), np.zeros((1, 1, 1, 1), int)]
)
def test_what_is_no_map_is_refused(words: Any) -> None:
    with pytest.raises(tw.InvalidRecipe, match="a map has 2 or 3 dimensions and at least one cell, got shape"):
        SITES["own tiles"].map(words)
