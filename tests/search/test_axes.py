"""Axes of measures and objectives."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tests.refusals import refused
from tilewright.search.axes import MeasureAxis, Objective, read_axes


def test_bins_of_a_linear_axis() -> None:
    (axis,) = read_axes({"floor_share": (0, 1, 4)})
    values = np.array([0.0, 0.2499, 0.25, 0.5, 0.99, 1.0, 1.01, -0.01, np.nan])
    assert axis.find_bins(values).tolist() == [0, 0, 1, 2, 3, 3, -1, -1, -1]


def test_bins_of_a_logarithmic_axis_have_equal_ratios() -> None:
    (axis,) = read_axes({"regions": (1, 1000, 3, "log")})
    assert axis.edges.tolist() == [1.0, 10.0, 100.0, 1000.0]
    assert axis.find_bins(np.array([1.0, 9.0, 10.0, 99.0, 1000.0, 0.5])).tolist() == [0, 0, 1, 1, 2, -1]


def test_the_notation_of_the_command_line() -> None:
    given = read_axes("floor_share:0..1:20,regions:1..300:10:log,path_length:30")
    assert given == (
        MeasureAxis("floor_share", 0.0, 1.0, 20),
        MeasureAxis("regions", 1.0, 300.0, 10, True),
        MeasureAxis("path_length", None, None, 30),
    )
    assert read_axes({axis.measure: axis.to_data() for axis in given}) == given


def test_a_missing_range_contains_the_first_values() -> None:
    (axis,) = read_axes(["path_length"])
    values = np.array([12.0, 90.0, np.nan, 40.0])
    found = axis.with_range_of(values)
    assert found.low is not None
    assert found.high is not None
    assert found.low < 12
    assert found.high > 90


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([0.3, 0.46, np.nan], [0.26, 0.5]),
        ([0.4], [0.38, 0.42]),
        ([0.0, 0.9], [0.0, 1.0]),
        ([1.0], [0.98, 1.0]),
        ([0.0], [0.0, 0.02]),
    ],
)
def test_a_missing_range_of_a_fraction_is_around_the_first_values(values: list[float], expected: list[float]) -> None:
    found = read_axes(["floor_share"])[0].with_range_of(np.array(values))
    assert [found.low, found.high] == pytest.approx(expected)
    assert (found.find_bins(np.array(values)) >= 0).sum() == np.isfinite(values).sum()


def test_a_range_needs_values() -> None:
    with pytest.raises(tw.InvalidRecipe, match="applies to none"):
        read_axes(["floor_share"])[0].with_range_of(np.array([np.nan]))


def test_a_search_without_ranges_fills_its_grid() -> None:
    archive = tw.search.make(
        "rooms", vary=["rooms", "seed"], measures="floor_share:20,corridor_share:20", objective="path_length",
        evaluations=2048, seed=7,
    )  # fmt: skip
    assert archive.coverage > 0.3
    assert archive.out_of_range < 0.05 * archive.evaluations


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "at least one"),
        ({"florshare": (0, 1, 2)}, "did you mean"),
        ({"floor_share": (1, 0, 5)}, "low to high"),
        ({"floor_share": (0, 1, 0)}, "bins"),
        ({"floor_share": (0, 1, 2.5)}, "bins"),
        ({"regions": (0, 10, 5, "log")}, "above 0"),
        ({"floor_share": (0, 1, 5, 6)}, "low, high, bins"),
        ({"floor_share": "many"}, "low, high, bins"),
        ({"floor_share": (0, 1, 2000), "regions": (0, 9, 2000)}, "at most 1,048,576 cells"),
        (["regions", "regions"], "different"),
        (7, "measures with their ranges"),
    ],
)
def test_mistakes_are_one_line(given: Any, words: str) -> None:
    with refused(words, tw.InvalidRecipe):
        read_axes(given)


def test_objectives_are_weighted_sums() -> None:
    objective = Objective.of("path_length - 2*dead_ends")
    assert objective.weights == (("path_length", 1.0), ("dead_ends", -2.0))
    assert Objective.of(str(objective)) == objective
    values = {"path_length": np.array([10.0, np.nan]), "dead_ends": np.array([3.0, 1.0])}
    np.testing.assert_array_equal(objective.compute(values), [4.0, np.nan])
    assert Objective.of("-dead_ends") == Objective.of({"dead_ends": -1})
    assert Objective.of("count.floor").measures == ("count.floor",)


@pytest.mark.parametrize("given", ["", "path", "x*path_length", {"path_length": 0}, {"path_length": float("nan")}, 3])
def test_invalid_objectives_are_refused(given: Any) -> None:
    with refused(""):
        Objective.of(given)
