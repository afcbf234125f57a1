"""Keep largest: only the largest regions of a map stay."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright.analysis.regions import regions_of


@pytest.mark.parametrize("directions", [4, 8])
@pytest.mark.parametrize("keep", [1, 2, 5])
def test_the_largest_stay_and_nothing_else_changes(directions: Any, keep: int) -> None:
    for seed in range(150):
        before = tw.make("caves", width=25, height=1 + seed % 20, walls=0.5, steps=1 + seed % 3, seed=seed)
        after = tw.shape(before, "keep_largest", keep=keep, directions=directions)
        sizes = sorted(regions_of(before.passable, directions).sizes[1:].tolist(), reverse=True)
        assert sorted(regions_of(after.passable, directions).sizes[1:].tolist(), reverse=True) == sizes[:keep]
        assert (after.cells == before.cells)[after.passable | ~before.passable].all()


def test_it_gives_up_if_smaller_regions_have_locked_cells() -> None:
    locks = [[0, 0, "floor"], [5, 0, "floor"], [6, 0, "floor"], [3, 0, "wall"]]
    base: dict[str, Any] = {"width": 7, "height": 1, "walls": 1.0, "steps": 0, "seed": 1, "locks": locks}
    with pytest.raises(tw.GaveUp, match="connect instead") as caught:
        tw.make("caves", **base, shaping=["keep_largest"])
    assert caught.value.cells == ((0, 0),)
    assert str(tw.make("caves", **base, shaping=[{"keep_largest": {"keep": 2}}])) == ".####.."


def test_the_tile_to_fill_with() -> None:
    before = tw.make("caves", width=40, height=30, walls=0.53, seed=1)
    flooded = tw.shape(before, "keep_largest", tile="water")
    assert (flooded.where("water") == (flooded.cells != before.cells)).all()
    assert np.array_equal(flooded.passable, tw.shape(before, "keep_largest").passable)
