"""Symmetric means symmetric, locks included."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tilewright as tw
from tilewright.core.tilemap import Marker, Room

Move = Callable[[NDArray[Any]], NDArray[Any]]
HOLDS: dict[str, list[Move]] = {
    "horizontal": [np.fliplr],
    "vertical": [np.flipud],
    "both": [np.fliplr, np.flipud],
    "half_turn": [lambda cells: np.rot90(cells, 2)],
    "diagonal": [np.transpose],
    "antidiagonal": [lambda cells: np.rot90(cells, 2).T],
    "quarter_turn": [np.rot90],
    "all": [np.rot90, np.transpose],
}
FREE = ["horizontal", "vertical", "both", "half_turn"]
every_axis = pytest.mark.parametrize("axis", HOLDS)


@every_axis
@pytest.mark.parametrize("keep", ["first", "second"])
def test_the_map_is_symmetric_and_most_of_the_kept_part_stays(axis: str, keep: str) -> None:
    for seed in range(40):
        width = 1 + seed % 13
        height = 1 + seed % 7 if axis in FREE else width
        before = tw.make("caves", width=width, height=height, walls=0.5, steps=0, seed=seed)
        after = tw.shape(before, "mirror", axis=axis, keep=keep)
        assert all(np.array_equal(move(after.cells), after.cells) for move in HOLDS[axis])
        assert tw.shape(after, "mirror", axis=axis, keep="second") == after
    corner = (0, 0) if keep == "first" else (-1, -1)
    assert after.cells[corner] == before.cells[corner]


def test_which_part_is_kept() -> None:
    before = tw.make("caves", width=8, height=6, walls=0.5, steps=0, seed=1)
    for axis, keep, part in [
        ("horizontal", "first", np.s_[:, :4]),
        ("horizontal", "second", np.s_[:, 4:]),
        ("vertical", "first", np.s_[:3]),
        ("vertical", "second", np.s_[3:]),
        ("both", "first", np.s_[:3, :4]),
        ("half_turn", "second", np.s_[3:]),
    ]:
        after = tw.shape(before, "mirror", axis=axis, keep=keep)
        assert np.array_equal(after.cells[part], before.cells[part])


@every_axis
def test_a_locked_cell_decides_for_all_that_belong_together(axis: str) -> None:
    clashes = 0
    for seed in range(120):
        random = np.random.default_rng(seed)
        side = int(random.integers(1, 9))
        base = tw.make("caves", width=side, height=side, walls=0.5, steps=0, seed=seed)
        locked = random.random(base.shape) < random.random() * 0.5
        given = {"width": side, "height": side, "walls": 0.5, "steps": 0, "seed": f"other {seed}"}
        try:
            after = tw.make("caves", **given, locks=base.locked(locked), shaping=[{"mirror": {"axis": axis}}])
        except tw.GaveUp as error:
            clashes += 1
            (first, second) = error.cells
            assert locked[first]
            assert locked[second]
            assert base.cells[first] != base.cells[second]
        else:
            assert (after.cells == base.cells)[locked].all()
            assert all(np.array_equal(move(after.cells), after.cells) for move in HOLDS[axis])
    assert 0 < clashes < 120


def test_some_symmetries_need_a_square() -> None:
    base = tw.make("caves", width=8, height=6, seed=1)
    for axis in set(HOLDS) - set(FREE):
        with pytest.raises(tw.InvalidRecipe, match=f"mirror: axis: {axis} needs a square map, this one is 8x6"):
            tw.shape(base, "mirror", axis=axis)


def test_rooms_and_markers_of_the_kept_part_appear_in_every_copy() -> None:
    base = tw.make("caves", width=10, height=10, seed=1).replaced(
        rooms=[Room(1, 1, 2, 3), Room(3, 5, 4, 2), Room(1, 6, 3, 2), Room(8, 8, 1, 1)],
        links=[(0, 2), (0, 1)],
        markers=[Marker("start", 1, 2), Marker("exit", 9, 9)],
        recipe=None,
    )
    after = tw.shape(base, "mirror")
    assert after.rooms == (Room(1, 1, 2, 3), Room(1, 6, 3, 2), Room(7, 1, 2, 3), Room(6, 6, 3, 2))
    assert after.links == ((0, 1), (2, 3))
    assert after.markers == (Marker("start", 1, 2), Marker("start", 8, 2))
    turned = tw.shape(base.replaced(rooms=[Room(4, 1, 3, 1)], links=[]), "mirror", axis="quarter_turn")
    assert set(turned.rooms) == {Room(4, 1, 3, 1), Room(8, 4, 1, 3), Room(3, 8, 3, 1), Room(1, 3, 1, 3)}
    layered = tw.shape(base.replaced(layers={"height": np.arange(100.0).reshape(10, 10)}), "mirror").layers["height"]
    assert np.array_equal(layered, np.fliplr(layered))
