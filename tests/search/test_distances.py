"""Distances: properties that hold for each registered distance, values on small maps, distances of users."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tilewright as tw
from tests.cases import read_table
from tests.refusals import refused
from tilewright.search.distances import BoundDistance, distance_registry, read_distance

NAMES = distance_registry.names()
CAVE = tw.make("caves", seed=1).tileset
TILES = tw.Tileset.from_labels(["floor", "wall", "door"])


def draw_map(rows: str, **details: Any) -> tw.TileMap:
    cells = [[CAVE.id(glyph) for glyph in row] for row in rows.split()]
    return tw.TileMap(cells, CAVE, **details)


def make_map(seed: int, size: tuple[int, int] = (12, 9), shape: str = "rooms") -> tw.TileMap:
    technique = ("caves", "maze", "rooms", "bsp")[seed % 4] if shape == "any" else shape
    return tw.make(technique, width=max(size[0], 11), height=max(size[1], 11), seed=seed)


# -- each distance -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
@given(seeds=st.tuples(st.integers(0, 500), st.integers(0, 500)))
def test_is_symmetric_bounded_and_zero_for_equal_maps(name: str, seeds: tuple[int, int]) -> None:
    maps = [make_map(seed, (24, 16), "rooms" if name == "rooms" else "any") for seed in seeds]
    matrix = tw.search.compare([*maps, maps[0]], name)
    assert np.array_equal(matrix, matrix.T)
    assert ((matrix >= 0) & (matrix <= 1)).all()
    assert not matrix.diagonal().any()
    assert matrix[0, 2] == 0
    assert matrix[0, 1] == matrix[1, 2]


@pytest.mark.parametrize("name", NAMES)
def test_comparing_many_equals_comparing_one_by_one(name: str) -> None:
    distance = read_distance(name)
    found = [distance.describe(make_map(seed, (24, 16))) for seed in range(8)]
    each = [distance.entry.body(found[0], other) for other in found[1:]]
    assert distance.compare(found[0], found[1:]).tolist() == each
    if distance.entry.compare_many is not None:
        assert distance.compare(found[0], np.stack(found[1:])).tolist() == each


@pytest.mark.parametrize("name", NAMES)
def test_different_maps_differ(name: str) -> None:
    matrix = tw.search.compare([make_map(seed, (40, 30)) for seed in range(4)], name)
    assert matrix[~np.eye(4, dtype=bool)].min() > 0


def test_all_are_listed_and_described() -> None:
    assert [one.name for one in tw.list_distances()] == NAMES == ["hamming", "path", "patterns", "rooms", "visits"]
    assert all(one.summary.endswith(".") for one in tw.list_distances())


# -- values on small maps --------------------------------------------------------------------------------------------


def test_hamming_is_the_fraction_of_different_cells() -> None:
    assert tw.search.compare([draw_map("..## ####"), draw_map(".### ##.#")])[0, 1] == 2 / 8


def test_tiles_of_different_tilesets_are_compared_by_name() -> None:
    one = tw.TileMap([[0, 1, 1]], tw.Tileset.from_labels(["floor", "wall"]))
    other = tw.TileMap([[1, 0, 2]], tw.Tileset.from_labels(["wall", "floor", "door"]))
    for maps in ([one, other], [other, one]):
        assert tw.search.compare(maps)[0, 1] == 1 / 3
        assert tw.search.compare(maps, "patterns,pattern_size=1")[0, 1] == pytest.approx(1 / 3)


def test_patterns_do_not_depend_on_places_or_sizes() -> None:
    left, right = draw_map("..#### ..#### ..####"), draw_map("####.. ####.. ####..")
    assert tw.search.compare([left, right])[0, 1] > 0.6
    assert tw.search.compare([left, right], {"patterns": {"pattern_size": 1}})[0, 1] == 0
    one, twice = draw_map(".#"), draw_map(".#.#")
    assert tw.search.compare([one, twice], "patterns,pattern_size=1")[0, 1] == 0
    assert tw.search.compare([draw_map(".."), draw_map("##")], "patterns,pattern_size=1")[0, 1] == 1


def test_paths_do_not_depend_on_places() -> None:
    straight = draw_map("..... ##### #####")
    below = draw_map("##### ##### .....")
    bent = draw_map("...## ##.## ##...")
    found = tw.search.compare([straight, below, bent], "path")
    assert found[0, 1] == 0
    assert found[0, 2] == 2 / 6  # two steps down are inserted between four steps to the right
    visits = tw.search.compare([straight, below, bent], "visits")
    assert visits[0, 1] == 1
    assert visits[0, 2] == 6 / 9  # three cells are on both paths


def test_rooms_by_place_and_by_links() -> None:
    def place(links: list[tuple[int, int]], shift: int = 0) -> tw.TileMap:
        rooms = [tw.Room(x=4 * number + shift, y=0, width=2, height=2) for number in range(3)]
        return tw.TileMap(np.zeros((2, 12), dtype=np.uint8), TILES, rooms=rooms, links=links)

    chain, other_chain, ring = place([(0, 1), (1, 2)]), place([(0, 2), (1, 2)]), place([(0, 1), (1, 2), (0, 2)])
    found = tw.search.compare([chain, other_chain, ring, place([(0, 1), (1, 2)], 2)], "rooms")
    assert found[0, 1] == 0  # equal places and equal graphs
    assert found[0, 2] == 0.5 * (1 - 1 / 10)  # one room with two links is in both graphs of five and six parts
    assert found[0, 3] == 0.5  # all rooms are elsewhere


# -- mistakes --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("distance", "text"), read_table(__file__, "wrong distances"))
def test_wrong_distances(distance: Any, text: str) -> None:
    with refused("", start=text):
        tw.search.compare([draw_map(".#"), draw_map("..")], distance)


@pytest.mark.parametrize("name", ["hamming", "visits"])
def test_maps_of_different_sizes_are_refused_where_cells_are_compared(name: str) -> None:
    with pytest.raises(tw.InvalidRecipe, match=f"{name} compares maps of one size, got 3x1 and 2x1; use patterns"):
        tw.search.compare([draw_map(".."), draw_map("...")], name)


def test_maps_without_a_path_or_smaller_than_a_pattern() -> None:
    with pytest.raises(tw.InvalidRecipe, match="path: does not apply to map 2; it needs a path from start to exit"):
        tw.search.compare([draw_map("..."), draw_map("###")], "path")
    with pytest.raises(tw.InvalidRecipe, match="patterns: does not apply to map 1; it needs at least one pattern"):
        tw.search.compare([draw_map("..")], "patterns")
    with pytest.raises(tw.InvalidRecipe, match="maps: must be a list of maps"):
        tw.search.compare([draw_map(".."), "caves"])  # type: ignore[list-item]


# -- distances of users ----------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("own_registry")
def test_a_registered_distance() -> None:
    class WeightParams(tw.Params):
        weight: float = tw.param(1.0, ge=0, le=1)
        """Factor of the difference."""

    def describe(survey: tw.Survey, params: WeightParams) -> tuple[float, float]:
        return params.weight, float(survey.passable.mean())

    for _ in range(2):  # twice, like a cell in a notebook

        @tw.register
        @tw.distance(describe, params=WeightParams)
        def floor(one: tuple[float, float], other: tuple[float, float]) -> float:
            """Difference of the fractions of floor."""
            return one[0] * abs(one[1] - other[1])

    assert floor in tw.list_distances()
    assert floor.summary == "Difference of the fractions of floor."
    maps = [draw_map("...."), draw_map("..##")]
    assert tw.search.compare(maps, "floor")[0, 1] == 0.5
    assert tw.search.compare(maps, "floor,weight=0.5")[0, 1] == 0.25
    assert tw.search.compare(maps, floor)[0, 1] == 0.5
    assert str(read_distance("floor,weight=0.5")) == "floor,weight=0.5"
    found = tw.search.variety("caves", count=2, distance="floor", min_distance=0.001, seed=1)
    assert found.distance == "floor"
    with refused("already a distance 'hamming'"):

        @tw.register
        @tw.distance(describe)
        def hamming(one: Any, other: Any) -> float:
            return 0.0


@pytest.mark.usefixtures("own_registry")
@pytest.mark.parametrize("value", [2.0, -0.5, float("nan")])
def test_a_distance_outside_its_range_is_a_bug_in_it(value: float) -> None:
    @tw.register
    @tw.distance(lambda survey, params: 1)
    def wrong(one: int, other: int) -> float:
        """Always the same number."""
        return value

    with pytest.raises(tw.TilewrightError, match=r"distance wrong: returned a number outside 0\.\.1; this is a bug in"):
        tw.search.compare([draw_map(".."), draw_map(".#")], wrong)
    assert isinstance(read_distance(wrong), BoundDistance)
