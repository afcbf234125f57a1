"""Connect: the result is connected for any size, thickness, path and locks."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import tilewright as tw
from tests.tilesets import make_tileset
from tilewright.analysis.regions import regions_of
from tilewright.core.tilemap import TileMap

WALLED = make_tileset("floor; wall solid")


def noise(seed: int, locks: bool, **shaping: Any) -> tuple[TileMap, TileMap | tw.GaveUp, NDArray[np.bool_]]:
    """Return a map of random walls before and after `connect`, and its locked cells."""
    random = np.random.default_rng(seed)
    height, width = random.integers(1, 14, 2).tolist()
    walls = random.random()
    base = tw.make("caves", width=width, height=height, walls=walls, steps=0, seed=seed)
    locked = random.random(base.shape) < (random.random() * 0.6 if locks else 0)
    recipe: dict[str, Any] = {"width": width, "height": height, "walls": walls, "steps": 0, "seed": seed}
    try:
        result: TileMap | tw.GaveUp = tw.make(
            "caves", **recipe, locks=base.to_locks(locked), shaping=[{"connect": shaping}]
        )
    except tw.GaveUp as error:
        result = error
    return base, result, locked


@pytest.mark.parametrize("path", ["shortest", "straight"])
@pytest.mark.parametrize("directions", [4, 8])
@pytest.mark.parametrize("thickness", [1, 2, 3])
def test_all_regions_become_one_and_only_impassable_cells_are_dug(path: str, directions: Any, thickness: int) -> None:
    for seed in range(250):
        before, after, _ = noise(seed, False, path=path, directions=directions, thickness=thickness)
        assert isinstance(after, TileMap)
        assert regions_of(after.passable, directions).count == min(1, regions_of(before.passable, directions).count)
        assert (after.cells == before.cells)[before.passable].all()


@pytest.mark.parametrize("path", ["shortest", "straight"])
@pytest.mark.parametrize("directions", [4, 8])
@pytest.mark.parametrize("thickness", [1, 2, 4])
def test_it_gives_up_only_if_locked_walls_leave_no_path(path: str, directions: Any, thickness: int) -> None:
    gave_up = 0
    for seed in range(400):
        before, after, locked = noise(seed, True, path=path, directions=directions, thickness=thickness)
        walls = locked & ~before.passable
        grounds = regions_of(~walls, directions).labels[before.passable]
        possible = np.unique(grounds).size <= 1
        assert isinstance(after, TileMap) == possible
        if isinstance(after, TileMap):
            assert regions_of(after.passable, directions).count <= 1
            assert (after.cells == before.cells)[before.passable | locked].all()
        else:
            gave_up += 1
            assert after.cells
            assert all(walls[cell] for cell in after.cells)
            # Without the reported cells, more regions are connected.
            for cell in after.cells:
                walls[cell] = False
            assert np.unique(regions_of(~walls, directions).labels[before.passable]).size < np.unique(grounds).size
    assert 0 < gave_up < 400


@given(
    st.integers(1, 3),
    st.integers(1, 8),
    st.integers(1, 8),
    st.integers(0, 999),
    st.sampled_from(["shortest", "straight"]),
)
@settings(max_examples=150)
def test_levels_are_connected(
    levels: int, height: int, width: int, seed: int, path: Literal["shortest", "straight"]
) -> None:
    random = np.random.default_rng(seed)
    before = TileMap((random.random((levels, height, width)) < 0.7).astype(np.uint8), WALLED)
    after = tw.shape(before, "connect", path=path, thickness=1 + seed % 2)
    assert regions_of(after.passable).count == min(1, regions_of(before.passable).count)


def make_map(*rows: str) -> TileMap:
    return TileMap([[".#".index(glyph) for glyph in row] for row in rows], WALLED)


def to_rows(map: TileMap) -> list[str]:
    return ["".join(".#"[tile] for tile in row) for row in map.cells.tolist()]


def test_the_shortest_tunnels() -> None:
    before = make_map(".####.", "######", "#.####", "#.##.#")
    assert to_rows(tw.shape(before, "connect")) == [".####.", "..###.", "#.##..", "#....#"]


def test_a_straight_tunnel_has_one_corner() -> None:
    before = make_map(".#######", "########", "########", "#######.")
    after = tw.shape(before, "connect", path="straight")
    assert int(after.passable.sum()) == 4 + 8 - 1
    assert after.passable.all(axis=0).sum() == after.passable.all(axis=1).sum() == 1


def test_a_straight_tunnel_takes_the_other_corner_if_the_first_is_locked() -> None:
    before = make_map(".###", "####", "###.")
    corners = [[3, 0, "wall"], [0, 2, "wall"]]
    for lock, wanted in zip(corners, [[".###", ".###", "...."], ["....", "###.", "###."]], strict=True):
        locks = [lock, *([x, y, "floor" if tile == 0 else "wall"] for y, x, tile in [(0, 0, 0), (2, 3, 0)])]
        recipe: dict[str, Any] = {"width": 4, "height": 3, "walls": 1.0, "steps": 0, "locks": locks, "seed": 1}
        assert tw.make("caves", **{**recipe, "locks": locks[1:]}).passable.tolist() == before.passable.tolist()
        after = tw.make("caves", **recipe, shaping=[{"connect": {"path": "straight"}}])
        assert str(after).split("\n") == wanted


def test_thick_tunnels_leave_the_outermost_ring() -> None:
    before = make_map("########", "#.####.#", "########", "########")
    assert to_rows(tw.shape(before, "connect", thickness=2)) == ["########", "#......#", "##.....#", "########"]
    assert to_rows(tw.shape(before, "connect", thickness=9)) == ["########", "#......#", "#......#", "########"]


def test_small_regions_can_be_ignored() -> None:
    before = make_map("..####..", "..##.#..", "########", "#.######")
    after = tw.shape(before, "connect", minimum=4)
    found = regions_of(after.passable)
    assert found.labels[0, 0] == found.labels[0, 7]
    assert to_rows(after)[3] == "#.######"


def test_the_tile_to_dig_with() -> None:
    m = tw.make("caves", width=40, height=30, walls=0.55, seed=1)
    assert set(np.unique(tw.shape(m, "connect").cells)) == set(np.unique(m.cells))
    moss = tw.shape(m, "connect", tile="moss")
    assert (moss.where("moss") == (moss.cells != m.cells)).all()
    assert moss.where("moss").any()
    assert tw.shape(m, "connect", tile='"') == moss


def test_nothing_to_do() -> None:
    for rows in (["###"], ["..."], ["#"], [".#", ".."]):
        assert tw.shape(make_map(*rows), "connect") == make_map(*rows)


def test_frames_show_growing_tunnels() -> None:
    recipe = tw.recipe("caves", width=80, height=60, walls=0.52, seed=4, shaping=["connect"])
    frames = [frame for frame in tw.watch(recipe) if frame.stage == "connect"]
    dug = [int(recipe.tileset.passable[frame.cells].sum()) for frame in frames]
    assert dug == sorted(dug)
    assert len(set(dug)) > 10


def test_many_regions() -> None:
    m = tw.make("caves", width=600, height=400, walls=0.53, seed=2)
    assert tw.measure(m, "regions")["regions"] > 300
    assert tw.measure(tw.shape(m, "connect"), "regions") == {"regions": 1}
