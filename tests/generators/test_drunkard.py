"""Drunkard's walk: a single connected cave, with the requested coverage; and the effect of each option."""

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


def regions(map: TileMap) -> int:
    return regions_of(map.where("floor")).count


def test_all_floor_is_one_cave_over_thousands_of_seeds() -> None:
    for seed in range(3000):
        width, height = SIZES[seed % len(SIZES)]
        choice: dict[str, Any] = {
            "turn": (0, 0.5, 1)[seed % 3],
            "bias": (-1, -0.3, 0, 0.3, 1)[seed % 5],
            "begin": ("floor", "centre")[seed % 2],
            "coverage": (0, 0.3, 1, None)[seed // 8 % 4],
            "border": seed // 32 % 3,
            "steps": (1, 10, 300)[seed // 7 % 3],
        }
        made = tw.make("drunkard", width=width, height=height, seed=seed, **choice)
        assert regions(made) == 1, (seed, choice)


@given(
    some.integers(1, 40), some.integers(1, 40), some.floats(0, 1), some.integers(0, 4), some.floats(0, 1),
    some.floats(-1, 1), some.integers(1, 9), some.integers(1, 400), some.sampled_from(["floor", "centre"]),
    some.integers(0, 10**6),
)  # fmt: skip
@settings(deadline=None, max_examples=300)
def test_the_coverage_is_reached_exactly_and_the_border_kept(
    width: int, height: int, coverage: float, border: int, turn: float, bias: float, walkers: int, steps: int,
    begin: Literal["floor", "centre"], seed: int,
) -> None:  # fmt: skip
    made = tw.make(
        "drunkard", width=width, height=height, coverage=coverage, border=border, turn=turn, bias=bias,
        walkers=walkers, steps=steps, begin=begin, seed=seed,
    )  # fmt: skip
    floor = made.where("floor")
    top, left = min(border, (height - 1) // 2), min(border, (width - 1) // 2)
    within = floor[top : height - top, left : width - left]
    assert floor.sum() == within.sum() == max(1, np.ceil(coverage * within.size))
    assert made.numbers["coverage"] == within.mean()
    assert regions(made) == 1


@pytest.mark.parametrize(("walkers", "steps"), [(1, 1), (1, 100), (7, 30), (100, 3)])
def test_without_coverage_walkers_take_their_steps(walkers: int, steps: int) -> None:
    made = tw.make("drunkard", coverage=None, walkers=walkers, steps=steps, seed=4)
    assert made.numbers["walkers"] == walkers
    assert made.numbers["steps"] == walkers * steps
    assert 1 < made.where("floor").sum() <= walkers * steps + 1


def test_never_turning_walks_straight_until_the_wall() -> None:
    made = tw.make("drunkard", width=31, height=31, coverage=None, walkers=1, steps=14, turn=0, seed=1)
    floor = made.where("floor")
    assert floor.sum() == 15
    assert floor.any(axis=0).sum() == 1 or floor.any(axis=1).sum() == 1
    assert floor[15, 15]


def test_the_bias_leads_to_the_center_or_to_the_edge() -> None:
    def spread(bias: float) -> float:
        rows, columns = np.nonzero(
            np.add.reduce(
                [tw.make("drunkard", width=41, height=41, bias=bias, seed=s).where("floor") for s in range(5)]
            )
        )
        return float(np.mean(np.maximum(abs(rows - 20), abs(columns - 20))))

    assert spread(0.6) < spread(0) < spread(-0.6)


def test_locked_floors_are_reached_and_locked_walls_kept() -> None:
    for seed in range(60):
        other = tw.make("drunkard", width=40, height=30, seed=f"other {seed}")
        mask = np.random.default_rng(seed).random(other.shape) < (0.02, 0.1, 0.4)[seed % 3]
        try:
            made = tw.make("drunkard", width=40, height=30, seed=seed, locks=other.to_locks(mask))
        except GaveUp:
            assert seed % 3 == 2, "few locked walls leave a path"
            continue
        assert np.array_equal(made.cells[mask], other.cells[mask])
        assert regions(made) == 1


def test_a_locked_floor_in_the_border_is_reached_through_it() -> None:
    made = tw.make("drunkard", width=30, height=20, border=4, coverage=0.2, seed=1, locks=[[0, 0, "floor"]])
    assert made.where("floor")[0, 0]
    assert regions(made) == 1


def test_a_region_enclosed_by_locked_walls_is_not_dug() -> None:
    wall = [[10, y, "wall"] for y in range(20)]
    made = tw.make("drunkard", width=30, height=20, coverage=1, border=0, seed=1, locks=wall)
    assert made.where("floor")[:, 11:].all()
    assert not made.where("floor")[:, :11].any()
    assert made.numbers["coverage"] == 1


def test_a_map_of_locked_walls_does_not_change() -> None:
    wall = [[x, y, "wall"] for y in range(4) for x in range(5)]
    for begin in ("floor", "centre"):
        assert not tw.make("drunkard", width=5, height=4, begin=begin, locks=wall).where("floor").any()


def test_gives_up_where_locked_walls_separate_floors_and_names_them() -> None:
    locks = [[0, 0, "floor"], [8, 0, "floor"], *([4, y, "wall"] for y in range(5))]
    with pytest.raises(GaveUp) as error:
        tw.make("drunkard", width=9, height=5, locks=locks)
    assert str(error.value) == "gave up: locked walls separate locked floors (at x=4 y=0)"


def test_the_block_size_changes_nothing() -> None:
    for coverage in (0.4, None):
        whole = tw.make("drunkard", seed=9, coverage=coverage)
        for size in (3, 13):
            with block_size(size):
                assert tw.make("drunkard", seed=9, coverage=coverage) == whole


@pytest.mark.parametrize("choice", [{}, {"coverage": None}, {"width": 300, "height": 300}, {"width": 3, "height": 2}])
def test_tunnels_grow_in_a_bounded_number_of_frames(choice: dict[str, Any]) -> None:
    frames = list(tw.watch("drunkard", seed=3, **choice))
    assert len(frames) < 300
    before = frames[0]
    for frame in frames[1:]:
        assert not (before.cells < frame.cells).any(), "a floor became wall"  # floor is 0, wall is 1
        before = frame


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"walkers": 0}, "walkers: must be at least 1, got 0"),
        ({"steps": 0}, "steps: must be at least 1, got 0"),
        ({"coverage": 1.5}, "coverage: must be at most 1.0, got 1.5"),
        ({"bias": -2}, "bias: must be at least -1.0, got -2"),
        ({"turn": "often"}, "turn: must be a number, got 'often'"),
        ({"begin": "edge"}, "begin: must be 'floor' or 'centre', got 'edge'"),
        ({"walker": 3}, "unknown parameter 'walker'; did you mean 'walkers'?"),
    ],
)
def test_mistakes_are_reported_in_one_line(choice: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidRecipe) as error:
        tw.make("drunkard", **choice)
    assert str(error.value).removeprefix("drunkard: ") == message
