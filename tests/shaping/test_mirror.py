"""Mirror: the result is symmetric, also with locks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
import pytest
from numpy.typing import NDArray

import tilewright as tw
from tilewright.core.tilemap import Marker, Room, TileMap
from tilewright.core.tilesets import tilesets
from tilewright.shaping.mirror import MOVES, Axis

Move = Callable[[NDArray[Any]], NDArray[Any]]
INVARIANT_MOVES: dict[Axis, list[Move]] = {
    "horizontal": [np.fliplr],
    "vertical": [np.flipud],
    "both": [np.fliplr, np.flipud],
    "half_turn": [lambda cells: np.rot90(cells, 2)],
    "diagonal": [np.transpose],
    "antidiagonal": [lambda cells: np.rot90(cells, 2).T],
    "quarter_turn": [np.rot90],
    "all": [np.rot90, np.transpose],
}
FREE: list[Axis] = ["horizontal", "vertical", "both", "half_turn"]
every_axis = pytest.mark.parametrize("axis", INVARIANT_MOVES)


@every_axis
@pytest.mark.parametrize("keep", ["first", "second"])
def test_the_map_is_symmetric_and_most_of_the_kept_part_stays(axis: Axis, keep: Literal["first", "second"]) -> None:
    for seed in range(40):
        width = 1 + seed % 13
        height = 1 + seed % 7 if axis in FREE else width
        before = tw.make("caves", width=width, height=height, walls=0.5, steps=0, seed=seed)
        after = tw.shape(before, "mirror", axis=axis, keep=keep)
        assert all(np.array_equal(move(after.cells), after.cells) for move in INVARIANT_MOVES[axis])
        assert tw.shape(after, "mirror", axis=axis, keep="second") == after
    corner = (0, 0) if keep == "first" else (-1, -1)
    assert after.cells[corner] == before.cells[corner]


def test_which_part_is_kept() -> None:
    before = tw.make("caves", width=8, height=6, walls=0.5, steps=0, seed=1)
    kept: list[tuple[Axis, Literal["first", "second"], Any]] = [
        ("horizontal", "first", np.s_[:, :4]),
        ("horizontal", "second", np.s_[:, 4:]),
        ("vertical", "first", np.s_[:3]),
        ("vertical", "second", np.s_[3:]),
        ("both", "first", np.s_[:3, :4]),
        ("half_turn", "second", np.s_[3:]),
    ]
    for axis, keep, part in kept:
        after = tw.shape(before, "mirror", axis=axis, keep=keep)
        assert np.array_equal(after.cells[part], before.cells[part])


@every_axis
def test_a_locked_cell_determines_all_corresponding_cells(axis: Axis) -> None:
    clashes = 0
    for seed in range(120):
        random = np.random.default_rng(seed)
        side = int(random.integers(1, 9))
        base = tw.make("caves", width=side, height=side, walls=0.5, steps=0, seed=seed)
        locked = random.random(base.shape) < random.random() * 0.5
        given: dict[str, Any] = {"width": side, "height": side, "walls": 0.5, "steps": 0, "seed": f"other {seed}"}
        try:
            after = tw.make("caves", **given, locks=base.to_locks(locked), shaping=[{"mirror": {"axis": axis}}])
        except tw.GaveUp as error:
            clashes += 1
            (first, second) = error.cells
            assert locked[first]
            assert locked[second]
            assert base.cells[first] != base.cells[second]
        else:
            assert (after.cells == base.cells)[locked].all()
            assert all(np.array_equal(move(after.cells), after.cells) for move in INVARIANT_MOVES[axis])
    assert 0 < clashes < 120


def test_rooms_and_markers_of_the_kept_part_appear_in_every_copy() -> None:
    base = tw.make("caves", width=10, height=10, seed=1).replace(
        rooms=[Room(1, 1, 2, 3), Room(3, 5, 4, 2), Room(1, 6, 3, 2), Room(8, 8, 1, 1)],
        links=[(0, 2), (0, 1)],
        markers=[Marker("start", 1, 2), Marker("exit", 9, 9)],
        recipe=None,
    )
    after = tw.shape(base, "mirror")
    assert after.rooms == (Room(1, 1, 2, 3), Room(1, 6, 3, 2), Room(7, 1, 2, 3), Room(6, 6, 3, 2))
    assert after.links == ((0, 1), (2, 3))
    assert after.markers == (Marker("start", 1, 2), Marker("start", 8, 2))
    turned = tw.shape(base.replace(rooms=[Room(4, 1, 3, 1)], links=[]), "mirror", axis="quarter_turn")
    assert set(turned.rooms) == {Room(4, 1, 3, 1), Room(8, 4, 1, 3), Room(3, 8, 3, 1), Room(1, 3, 1, 3)}
    layered = tw.shape(base.replace(layers={"height": np.arange(100.0).reshape(10, 10)}), "mirror").layers["height"]
    assert np.array_equal(layered, np.fliplr(layered))


AWBW = tilesets.get("awbw")


def random_tiles(side: int, seed: int) -> TileMap:
    """Return a map of random tiles."""
    return TileMap(np.random.default_rng(seed).integers(0, len(AWBW), (side, side)).astype(AWBW.dtype), AWBW)


@every_axis
@pytest.mark.parametrize("side", [6, 7])
def test_pieces_are_reoriented_except_on_the_axis(axis: Axis, side: int) -> None:
    after = tw.shape(random_tiles(side, 3), "mirror", axis=axis).cells
    here = np.arange(side * side).reshape(side, side)
    alone = np.ones((side, side), dtype=np.bool_)  # cells that every move maps to another cell
    for move in MOVES[axis]:
        place = here
        for step in move:
            place = place.T if step == "d" else np.flip(place, 1 if step == "x" else 0)
        alone &= place != here
    for move in MOVES[axis]:
        image = after
        for step in move:
            image = image.T if step == "d" else np.flip(image, 1 if step == "x" else 0)
        assert np.array_equal(AWBW.reorient_tiles(move)[image][alone], after[alone])
    assert alone.any()


def towns(*rows: str) -> TileMap:
    return TileMap([[AWBW.id(name) for name in row.split(",")] for row in rows], AWBW)


def names(map: TileMap) -> list[list[str]]:
    return [[AWBW[int(one)].name for one in row] for row in map.cells]


def test_countries_follow_each_other_from_copy_to_copy() -> None:
    base = towns("orange star city,blue moon lab,orange star base,city,city")
    after = tw.shape(base, "mirror", countries=("os", "Blue Moon"))
    assert names(after) == [
        ["orange star city", "blue moon lab", "orange star base", "orange star lab", "blue moon city"]
    ]
    assert names(tw.shape(base, "mirror"))[0][3:] == ["blue moon lab", "orange star city"]
    corners = towns("orange star city,plain", "plain,plain")
    turned = tw.shape(corners, "mirror", axis="quarter_turn", countries="os,bm,ge,yc")
    assert {name for row in names(turned) for name in row} == {
        f"{country} city" for country in ("orange star", "blue moon", "green earth", "yellow comet")
    }


def test_countries_with_locks() -> None:
    grid = [["orange star city", "plain", "?"], ["?", "?", "?"]]
    recipe = {"technique": "markov", "params": {"width": 3, "height": 2}, "tileset": "awbw", "locks": grid, "seed": 1}
    for given, wanted in (("os,bm", "blue moon city"), ("os,ge", "green earth city")):
        after = tw.run(
            {**recipe, "shaping": [{"mirror": {"axis": "horizontal", "keep": "second", "countries": given}}]}
        )
        assert names(after)[0] == ["orange star city", "plain", wanted]
    locked = {**recipe, "locks": [["orange star city", "plain", "orange star city"], ["?", "?", "?"]]}
    with pytest.raises(tw.GaveUp, match="locked to different tiles"):
        tw.run({**locked, "shaping": [{"mirror": {"countries": "os,bm"}}]})
