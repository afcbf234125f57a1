"""Doors: their places on maps of several techniques."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright.core.tilemap import TileMap

from .halls import halls, make_map

KINDS = ("caves without doors", "drunkard", "braided maze", "bsp without doors", "rooms without doors", "halls")
every_kind = pytest.mark.parametrize("kind", KINDS)


@every_kind
def test_doors_are_between_walls_in_passages_and_touch_no_other(kind: str) -> None:
    count = 0
    for seed in range(40):
        before = halls(seed, loops=0.3) if kind == "halls" else make_map(kind, seed)
        after = tw.shape(before, "doors", min_cells=4)
        door, open_ = after.where("door"), after.passable
        assert (open_ == before.passable).all()
        assert (after.cells[~door] == before.cells[~door]).all()
        count += int(door.sum())
        for row, column in np.argwhere(door).tolist():
            upright = open_[row - 1, column] and open_[row + 1, column]
            level = open_[row, column - 1] and open_[row, column + 1]
            assert upright != level
            assert int(open_[[row - 1, row + 1], column].sum() + open_[row, [column - 1, column + 1]].sum()) == 2
            assert door[row - 1 : row + 2, column - 1 : column + 2].sum() == 1
    assert count == 0 if kind == "braided maze" else count > 40


def test_every_doorway_gets_a_door_unless_another_is_near() -> None:
    rows = ("#######", "#..#..#", "#.....#", "#..#..#", "#######")
    house = TileMap([["#.".index(g) for g in row] for row in rows], halls(1).tileset)
    assert np.argwhere(tw.shape(house, "doors").where("door")).tolist() == [[2, 3]]
    longer = ("########", "#..##..#", "#......#", "#..##..#", "########")
    house = TileMap([["#.".index(g) for g in row] for row in longer], halls(1).tileset)
    found = [np.argwhere(tw.shape(house, "doors", seed=seed).where("door")).tolist() for seed in range(20)]
    assert sorted(map(str, found))[0] == "[[2, 3]]"
    assert sorted(map(str, found))[-1] == "[[2, 4]]"


def test_corridors_have_doors_at_both_ends_unless_two_would_touch() -> None:
    for seed in range(20):
        house = halls(seed)
        assert 1.5 * len(house.links) < tw.shape(house, "doors").where("door").sum() <= 2 * len(house.links)


def test_share_min_cells_and_rooms() -> None:
    base = halls(3)
    all_, half = (int(tw.shape(base, "doors", share=share).where("door").sum()) for share in (1.0, 0.5))
    assert 0 < half < all_
    assert not tw.shape(base, "doors", share=0.0).where("door").any()
    assert not tw.shape(base, "doors", min_cells=25).where("door").any()
    one = base.replace(rooms=base.rooms[:1], links=[])
    some = tw.shape(one, "doors").where("door")
    assert 0 < some.sum() < all_
    assert np.argwhere(some).max() <= 8
    assert tw.shape(one, "doors", of="openings").where("door").sum() == all_


def test_a_second_run_changes_nothing() -> None:
    for kind in KINDS:
        once = tw.shape(make_map(kind, 2), "doors")
        assert (tw.shape(once, "doors").cells == once.cells).all()


def test_locked_cells_stay() -> None:
    for seed in range(10):
        words: dict[str, Any] = {"width": 40, "height": 26, "walls": 0.48, "tileset": "dungeon", "seed": seed}
        plain = tw.make("caves", shaping=["connect"], **words)
        doors = tw.shape(plain, "doors").where("door")
        again = tw.make("caves", shaping=["connect", "doors"], locks=plain.to_locks(doors), **words)
        assert (again.cells[doors] == plain.cells[doors]).all()
