"""Drunkard's walk, aggregation and snake: connected caves of the requested size, and the effect of each option."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from numpy.typing import NDArray

import tilewright as tw
from tests.refusals import refused
from tilewright.analysis.regions import regions_of
from tilewright.core.errors import GaveUp
from tilewright.core.tilemap import TileMap

SIZES = [(1, 1), (1, 9), (9, 1), (2, 2), (3, 3), (4, 7), (17, 5), (30, 20)]
Mode = Literal["walk-in", "walk-out", "attractor"]
Symmetry = Literal["none", "horizontal", "vertical", "both"]
MODES: list[Mode] = ["walk-in", "walk-out", "attractor"]
SYMMETRIES: list[Symmetry] = ["none", "horizontal", "vertical", "both"]
NUCLEI = ["point", "disc", "square", "cross", "line"]
DIGGERS: list[dict[str, Any]] = [
    {"technique": "drunkard"},
    {"technique": "drunkard", "begin": "centre"},
    *({"technique": "aggregation", "mode": mode} for mode in MODES),
]
every_digger = pytest.mark.parametrize("digger", DIGGERS, ids=lambda digger: str([*digger.values()]))


def dig(digger: dict[str, Any], **words: Any) -> TileMap:
    words = {**digger, **words}
    return tw.make(words.pop("technique"), **words)


def regions(map: TileMap) -> int:
    return regions_of(map.where("floor")).count


def is_symmetric(floor: NDArray[np.bool_], symmetry: str) -> bool:
    across = symmetry in ("none", "vertical") or np.array_equal(floor, floor[:, ::-1])
    return across and (symmetry in ("none", "horizontal") or np.array_equal(floor, floor[::-1]))


def within_border(floor: NDArray[np.bool_], border: int) -> NDArray[np.bool_]:
    """Return the cells that may be dug."""
    top, left = (min(border, (side - 1) // 2) for side in floor.shape)
    return floor[top : floor.shape[0] - top, left : floor.shape[1] - left]


def draw_options(technique: str, seed: int) -> dict[str, Any]:
    if technique == "drunkard":
        return {
            "turn": (0, 0.5, 1)[seed % 3],
            "bias": (-1, -0.3, 0, 0.3, 1)[seed % 5],
            "begin": ("floor", "centre")[seed % 2],
            "coverage": (0, 0.3, 1, None)[seed // 8 % 4],
            "steps": (1, 10, 300)[seed // 7 % 3],
        }
    return {
        "mode": MODES[seed % 3],
        "symmetry": SYMMETRIES[seed // 3 % 4],
        "nucleus": NUCLEI[seed % 5],
        "radius": (1, 3, 100)[seed // 5 % 3],
        "coverage": (0, 0.2, 0.6, 1)[seed // 8 % 4],
        "brush": (1, 2, 5)[seed // 11 % 3],
    }


@pytest.mark.parametrize("technique", ["drunkard", "aggregation"])
def test_all_floor_is_one_cave_over_thousands_of_seeds(technique: str) -> None:
    for seed in range(3000):
        (width, height), choice = SIZES[seed % len(SIZES)], {"technique": technique, **draw_options(technique, seed)}
        made = dig(choice, width=width, height=height, seed=seed, border=seed // 32 % 3)
        assert regions(made) == 1, (seed, choice)
        assert is_symmetric(made.where("floor"), choice.get("symmetry", "none")), (seed, choice)


sides = {"width": some.integers(1, 40), "height": some.integers(1, 40), "seed": some.integers(0, 10**6)}


@given(
    coverage=some.floats(0, 1), border=some.integers(0, 4), turn=some.floats(0, 1), bias=some.floats(-1, 1),
    walkers=some.integers(1, 9), steps=some.integers(1, 400), begin=some.sampled_from(["floor", "centre"]), **sides,
)  # fmt: skip
@settings(deadline=None, max_examples=300)
def test_a_walk_reaches_the_coverage_exactly_and_keeps_the_border(coverage: float, border: int, **more: Any) -> None:
    made = tw.make("drunkard", coverage=coverage, border=border, **more)
    within = within_border(made.where("floor"), border)
    assert made.where("floor").sum() == within.sum() == max(1, np.ceil(coverage * within.size))
    assert made.numbers["coverage"] == within.mean()
    assert regions(made) == 1


@given(
    coverage=some.floats(0, 1), border=some.integers(0, 4), mode=some.sampled_from(MODES),
    symmetry=some.sampled_from(SYMMETRIES), launch=some.sampled_from(["anywhere", "edge"]),
    brush=some.integers(1, 4), stick=some.sampled_from([0.01, 0.3, 1]), **sides,
)  # fmt: skip
@settings(deadline=None, max_examples=300)
def test_aggregation_reaches_the_coverage_and_keeps_the_border(
    coverage: float, border: int, symmetry: Symmetry, brush: int, **more: Any
) -> None:
    made = tw.make("aggregation", coverage=coverage, border=border, symmetry=symmetry, brush=brush, **more)
    floor = made.where("floor")
    within = within_border(floor, border)
    wanted = max(1, np.ceil(coverage * within.size))
    at_once = brush * brush * (1, 2, 2, 4)[SYMMETRIES.index(symmetry)]
    assert wanted <= within.sum() < wanted + max(at_once, 4)
    assert floor.sum() == within.sum()
    assert made.numbers["coverage"] == within.mean()
    assert regions(made) == 1
    assert is_symmetric(floor, symmetry)


# -- options of drunkard --------------------------------------------------------------------------------------------


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
        floors = [tw.make("drunkard", width=41, height=41, bias=bias, seed=seed).where("floor") for seed in range(5)]
        rows, columns = np.nonzero(np.add.reduce(floors))
        return float(np.mean(np.maximum(abs(rows - 20), abs(columns - 20))))

    assert spread(0.6) < spread(0) < spread(-0.6)


# -- options of aggregation -----------------------------------------------------------------------------------------


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


# -- locks ----------------------------------------------------------------------------------------------------------


@every_digger
def test_locked_floors_are_reached_and_locked_walls_kept(digger: dict[str, Any]) -> None:
    for seed in range(40):
        other = dig(digger, width=40, height=30, seed=f"other {seed}")
        mask = np.random.default_rng(seed).random(other.shape) < (0.02, 0.1, 0.4)[seed % 3]
        more: dict[str, Any] = {}
        if digger["technique"] == "aggregation":
            more = {"symmetry": SYMMETRIES[seed % 4], "brush": 1 + seed % 2}
        try:
            made = dig(digger, width=40, height=30, seed=seed, locks=other.to_locks(mask), **more)
        except GaveUp:
            assert seed % 3 == 2, "few locked walls leave a path"
            continue
        assert np.array_equal(made.cells[mask], other.cells[mask])
        assert regions(made) == 1


def test_a_locked_floor_in_the_border_is_reached_through_it() -> None:
    made = tw.make("drunkard", width=30, height=20, border=4, coverage=0.2, seed=1, locks=[[0, 0, "floor"]])
    assert made.where("floor")[0, 0]
    assert regions(made) == 1


@every_digger
def test_a_region_enclosed_by_locked_walls_is_not_dug(digger: dict[str, Any]) -> None:
    wall = [[10, y, "wall"] for y in range(20)]
    made = dig(digger, width=30, height=20, coverage=1, border=0, seed=1, locks=wall)
    assert not made.where("floor")[:, :11].any()
    assert made.where("floor")[:, 11:].all()
    assert made.numbers["coverage"] == 1


@every_digger
def test_a_map_of_locked_walls_does_not_change(digger: dict[str, Any]) -> None:
    wall = [[x, y, "wall"] for y in range(4) for x in range(5)]
    assert not dig(digger, width=5, height=4, locks=wall).where("floor").any()


@every_digger
def test_gives_up_where_locked_walls_separate_floors_and_names_them(digger: dict[str, Any]) -> None:
    locks = [[0, 0, "floor"], [8, 0, "floor"], *([4, y, "wall"] for y in range(5))]
    with refused("gave up: locked walls separate locked floors (at x=4 y=0)", GaveUp, exact=True):
        dig(digger, width=9, height=5, locks=locks)


# -- frames ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "digger", [*DIGGERS[:1], {"technique": "drunkard", "coverage": None}, *DIGGERS[2:4]], ids=lambda one: str(one)
)
def test_caves_grow_in_a_bounded_number_of_frames(digger: dict[str, Any]) -> None:
    sizes: list[dict[str, Any]] = [{}, {"width": 300, "height": 300}, {"width": 3, "height": 2}]
    for size in sizes:
        words = {**digger, **size}
        before, *frames = tw.watch(words.pop("technique"), seed=3, **words)
        assert len(frames) < 300
        for frame in frames:
            assert not (before.cells < frame.cells).any(), "a floor became wall"  # floor is 0, wall is 1
            before = frame


# -- snake: one path of exact length without shortcuts or branches ---------------------------------------------------


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


def test_long_snakes() -> None:
    made = tw.make("snake", width=60, height=40, border=0, length=1300, seed=1)
    assert int(made.where("floor").sum()) == 1300
    assert tw.make("snake", width=40, height=28, seed=2).numbers["length"] == 395


def test_a_snake_never_digs_locked_walls() -> None:
    locks = [[8, y, "wall"] for y in range(12)]
    made = tw.make("snake", width=17, height=12, length=30, seed=4, locks=locks)
    assert made.where("wall")[:, 8].all()
    assert len(count_neighbors(made)) == 30
