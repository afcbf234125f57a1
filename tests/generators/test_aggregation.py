"""Aggregation: a single connected cave, with the requested coverage and symmetry."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

import tilewright as tw
from tilewright.analysis.regions import regions_of
from tilewright.core.errors import GaveUp, InvalidRecipe
from tilewright.core.tilemap import TileMap
from tilewright.testing import block_size

SIZES = [(1, 1), (1, 9), (9, 1), (2, 2), (3, 3), (4, 7), (17, 5), (30, 20)]
Mode = Literal["walk-in", "walk-out", "attractor"]
Symmetry = Literal["none", "horizontal", "vertical", "both"]
MODES: list[Mode] = ["walk-in", "walk-out", "attractor"]
SYMMETRIES: list[Symmetry] = ["none", "horizontal", "vertical", "both"]
NUCLEI = ["point", "disc", "square", "cross", "line"]


def regions(map: TileMap) -> int:
    return regions_of(map.where("floor")).count


def is_symmetric(floor: Any, symmetry: str) -> bool:
    across = symmetry in ("none", "vertical") or np.array_equal(floor, floor[:, ::-1])
    return across and (symmetry in ("none", "horizontal") or np.array_equal(floor, floor[::-1]))


def test_all_floor_is_connected_over_thousands_of_seeds() -> None:
    for seed in range(3000):
        width, height = SIZES[seed % len(SIZES)]
        choice: dict[str, Any] = {
            "mode": MODES[seed % 3],
            "symmetry": SYMMETRIES[seed // 3 % 4],
            "nucleus": NUCLEI[seed % 5],
            "radius": (1, 3, 100)[seed // 5 % 3],
            "coverage": (0, 0.2, 0.6, 1)[seed // 8 % 4],
            "border": seed // 32 % 3,
            "brush": (1, 2, 5)[seed // 11 % 3],
        }
        made = tw.make("aggregation", width=width, height=height, seed=seed, **choice)
        assert regions(made) == 1, (seed, choice)
        assert is_symmetric(made.where("floor"), choice["symmetry"]), (seed, choice)


@given(
    some.integers(1, 40), some.integers(1, 40), some.floats(0, 1), some.integers(0, 4), some.sampled_from(MODES),
    some.sampled_from(SYMMETRIES), some.sampled_from(["anywhere", "edge"]), some.integers(1, 4),
    some.sampled_from([0.01, 0.3, 1]), some.integers(0, 10**6),
)  # fmt: skip
@settings(deadline=None, max_examples=300)
def test_the_coverage_is_reached_and_the_border_kept(
    width: int, height: int, coverage: float, border: int, mode: Mode, symmetry: Symmetry,
    launch: Literal["anywhere", "edge"], brush: int,
    stick: float, seed: int,
) -> None:  # fmt: skip
    made = tw.make(
        "aggregation", width=width, height=height, coverage=coverage, border=border, mode=mode, symmetry=symmetry,
        launch=launch, brush=brush, stick=stick, seed=seed,
    )  # fmt: skip
    floor = made.where("floor")
    top, left = min(border, (height - 1) // 2), min(border, (width - 1) // 2)
    within = floor[top : height - top, left : width - left]
    wanted = max(1, np.ceil(coverage * within.size))
    at_once = brush * brush * (1, 2, 2, 4)[SYMMETRIES.index(symmetry)]
    assert wanted <= within.sum() < wanted + max(at_once, 4)
    assert floor.sum() == within.sum()
    assert made.numbers["coverage"] == within.mean()
    assert regions(made) == 1
    assert is_symmetric(floor, symmetry)


def test_walking_in_branches_and_walking_out_does_not() -> None:
    def edge_share(mode: Mode) -> float:
        floor = np.pad(tw.make("aggregation", width=60, height=60, mode=mode, seed=2).where("floor"), 1)
        inner = floor[1:-1, :-2] & floor[1:-1, 2:] & floor[:-2, 1:-1] & floor[2:, 1:-1] & floor[1:-1, 1:-1]
        return float(1 - inner.sum() / floor.sum())

    assert edge_share("walk-out") < 0.3
    assert edge_share("walk-in") > 0.8
    assert edge_share("attractor") > 0.7


def test_a_low_stick_probability_makes_denser_caves() -> None:
    def extent(stick: float) -> int:
        made = tw.make("aggregation", width=120, height=120, coverage=0.08, stick=stick, seed=4)
        rows, columns = np.nonzero(made.where("floor"))
        return int(np.ptp(rows) * np.ptp(columns))

    assert extent(0.02) < extent(1) * 0.7


def test_the_nucleus_is_floor() -> None:
    made = tw.make("aggregation", width=41, height=31, coverage=0, nucleus="cross", radius=9, seed=1)
    floor = made.where("floor")
    assert floor.sum() == 37
    assert floor[15, 11:30].all()
    assert floor[6:25, 20].all()
    line = tw.make("aggregation", width=41, height=31, coverage=0, nucleus="line", radius=1000, seed=1)
    assert line.where("floor").sum() == 39


@pytest.mark.parametrize("mode", MODES)
def test_locked_floors_are_reached_and_locked_walls_kept(mode: Mode) -> None:
    for seed in range(40):
        other = tw.make("aggregation", width=40, height=30, mode=mode, seed=f"other {seed}")
        mask = np.random.default_rng(seed).random(other.shape) < (0.02, 0.1, 0.4)[seed % 3]
        more: dict[str, Any] = {
            "symmetry": SYMMETRIES[seed % 4],
            "brush": 1 + seed % 2,
            "width": 40,
            "height": 30,
            "mode": mode,
        }
        try:
            made = tw.make("aggregation", seed=seed, locks=other.to_locks(mask), **more)
        except GaveUp:
            assert seed % 3 == 2, "few locked walls leave a path"
            continue
        assert np.array_equal(made.cells[mask], other.cells[mask])
        assert regions(made) == 1


@pytest.mark.parametrize("mode", MODES)
def test_a_region_enclosed_by_locked_walls_is_not_dug(mode: Mode) -> None:
    wall = [[10, y, "wall"] for y in range(20)]
    made = tw.make("aggregation", mode=mode, width=30, height=20, coverage=1, border=0, seed=1, locks=wall)
    assert not made.where("floor")[:, :11].any()
    assert made.where("floor")[:, 11:].all()
    assert made.numbers["coverage"] == 1


@pytest.mark.parametrize("mode", MODES)
def test_a_map_of_locked_walls_does_not_change(mode: Mode) -> None:
    wall = [[x, y, "wall"] for y in range(4) for x in range(5)]
    assert not tw.make("aggregation", mode=mode, width=5, height=4, locks=wall).where("floor").any()


def test_gives_up_where_locked_walls_separate_floors_and_names_them() -> None:
    locks = [[0, 0, "floor"], [8, 0, "floor"], *([4, y, "wall"] for y in range(5))]
    with pytest.raises(GaveUp) as error:
        tw.make("aggregation", width=9, height=5, locks=locks)
    assert str(error.value) == "gave up: locked walls separate locked floors (at x=4 y=0)"


@pytest.mark.parametrize("mode", MODES)
def test_the_block_size_changes_nothing(mode: Mode) -> None:
    whole = tw.make("aggregation", seed=9, mode=mode, symmetry="vertical")
    for size in (3, 101):
        with block_size(size):
            assert tw.make("aggregation", seed=9, mode=mode, symmetry="vertical") == whole


@pytest.mark.parametrize("choice", [{}, {"mode": "walk-out"}, {"width": 300, "height": 300}, {"width": 3, "height": 2}])
def test_the_cave_grows_in_a_bounded_number_of_frames(choice: dict[str, Any]) -> None:
    frames = list(tw.watch("aggregation", seed=3, **choice))
    assert len(frames) < 300
    before = frames[0]
    for frame in frames[1:]:
        assert not (before.cells < frame.cells).any(), "a floor became wall"  # floor is 0, wall is 1
        before = frame


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"mode": "walk"}, "mode: must be 'walk-in', 'walk-out' or 'attractor', got 'walk'"),
        ({"symmetry": "diagonal"}, "symmetry: must be 'none', 'horizontal', 'vertical' or 'both', got 'diagonal'"),
        ({"coverage": -0.5}, "coverage: must be at least 0.0, got -0.5"),
        ({"stick": 0}, "stick: must be at least 0.01, got 0"),
        ({"brush": 17}, "brush: must be at most 16, got 17"),
        ({"raduis": 3}, "unknown parameter 'raduis'; did you mean 'radius'?"),
    ],
)
def test_mistakes_are_reported_in_one_line(choice: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidRecipe) as error:
        tw.make("aggregation", **choice)
    assert str(error.value).removeprefix("aggregation: ") == message
