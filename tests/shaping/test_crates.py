"""The shaper crates makes puzzles with a known number of pushes."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw


def count_tiles(map: tw.TileMap, name: str) -> int:
    return int(np.count_nonzero(map.cells == map.tileset.id(name)))


@pytest.mark.parametrize("pushes", [8, 11, 14])
def test_the_solver_finds_the_wanted_number_of_pushes(pushes: int) -> None:
    for seed in range(6):
        map = tw.run("warehouse", seed=seed, knobs={"crates": 3, "pushes": pushes})
        found = tw.solve(map)
        assert found.game == "sokoban"
        assert found.solved
        assert found.count("push") == pushes
        assert count_tiles(map, "crate") == count_tiles(map, "target") == 3


def test_markers_stand_for_missing_tiles() -> None:
    map = tw.make("caves", width=12, height=12, walls=0.4, seed=4, shaping=[{"crates": {"count": 2, "pushes": 6}}])
    names = sorted(marker.name for marker in map.markers)
    assert names == ["crate", "crate", "start", "target", "target"]
    assert tw.solve(map, "sokoban").count("push") == 6


def test_a_locked_puzzle_is_kept() -> None:
    map = tw.run("warehouse", seed=2)
    locks = map.to_locks(np.ones(map.shape, dtype=bool))
    again = tw.run(tw.recipe("warehouse", seed=3, locks=locks))
    assert (again.cells == map.cells).all()
    assert tw.solve(again).solved


def test_another_puzzle_replaces_the_first() -> None:
    map = tw.run("warehouse", seed=5)
    other = tw.shape(map, "crates", seed=1, count=2, pushes=5)
    assert count_tiles(other, "crate") == 2
    assert tw.solve(other).count("push") == 5
