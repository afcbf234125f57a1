"""Snake: one path of exact length without shortcuts or branches."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw
from tilewright.core.errors import GaveUp


def count_neighbors(map: tw.TileMap) -> list[int]:
    """Return the number of floor cells beside each floor cell."""
    floor = np.pad(map.where("floor"), 1).astype(int)
    around = floor[:-2, 1:-1] + floor[2:, 1:-1] + floor[1:-1, :-2] + floor[1:-1, 2:]
    found: list[int] = around[map.where("floor")].tolist()
    return found


def test_paths_have_the_exact_length_and_no_shortcuts_over_a_thousand_seeds() -> None:
    for seed in range(1000):
        width, height, border = 3 + seed % 17, 3 + seed % 11, seed % 2
        cells = (width - 2 * border) * (height - 2 * border)
        length = 2 + seed % max(1, cells // 2 - 2)
        try:
            made = tw.make("snake", width=width, height=height, border=border, length=length, seed=seed)
        except GaveUp:
            assert length > 0.4 * cells or cells < 20, (seed, length, cells)
            continue
        around = count_neighbors(made)
        assert len(around) == length == made.numbers["length"]
        assert sorted(around) == [1, 1] + [2] * (length - 2)
        assert tw.measure(made, "regions", "path_length") == {"regions": 1, "path_length": length - 1}
        assert [marker.name for marker in made.markers] == ["start", "exit"]
        if border:
            assert not made.where("floor")[[0, -1]].any()


def test_long_paths() -> None:
    made = tw.make("snake", width=60, height=40, border=0, length=1300, seed=1)
    assert int(made.where("floor").sum()) == 1300
    assert tw.make("snake", width=40, height=28, seed=2).numbers["length"] == 395


def test_impossible_lengths_are_given_up_in_one_line() -> None:
    with pytest.raises(GaveUp, match=r"a path of 26 cells does not fit into 25 free cells"):
        tw.make("snake", width=5, height=5, border=0, length=26, seed=1)
    with pytest.raises(GaveUp, match=r"no path of 24 cells was found in .* moves; the longest had \d+; use a shorter"):
        tw.make("snake", width=5, height=5, border=0, length=24, seed=1)


def test_locked_walls_are_never_dug() -> None:
    locks = [[8, y, "wall"] for y in range(12)]
    made = tw.make("snake", width=17, height=12, length=30, seed=4, locks=locks)
    assert made.where("wall")[:, 8].all()
    assert len(count_neighbors(made)) == 30
