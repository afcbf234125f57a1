"""Sets of maps that differ from each other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tests.cases import read_table
from tests.refusals import refused
from tilewright.search.gate import Descriptions, Gate

CAVES = {"technique": "caves", "params": {"width": 24, "height": 16}}


def test_every_two_maps_differ_and_each_meets_its_target() -> None:
    targets = [{"path_length": "30..40"}, {"path_length": "20..29", "regions": "<=3"}, {"floor_share": ">=0.5"}]
    found = tw.search.variety(CAVES, count=8, min_distance=0.3, targets=targets, candidates=4000, seed=7)
    assert len(found) == len(found.maps) == 8
    assert np.array_equal(found.distances, tw.search.compare(found.maps))
    assert found.distances[~np.eye(8, dtype=bool)].min() == found.min_distance >= 0.3
    for number, map in enumerate(found):
        measures = tw.measure(map, "path_length", "regions", "floor_share")
        assert found.measures[number] == measures
        if number % 3 == 0:
            assert 30 <= measures["path_length"] <= 40
        elif number % 3 == 1:
            assert 20 <= measures["path_length"] <= 29
            assert measures["regions"] <= 3
        else:
            assert measures["floor_share"] >= 0.5
    assert found.targets[:3] == ("path_length 30..40", "path_length 20..29, regions <= 3", "floor_share >= 0.5")


def test_maps_are_those_of_their_seeds() -> None:
    found = tw.search.variety(CAVES, count=3, min_distance=0.0, seed=7)
    assert [map.recipe.seed for map in found if map.recipe is not None] == ["7-0", "7-1", "7-2"]
    assert found.candidates == 3
    assert found[1] == tw.run(CAVES, seed="7-1")


@pytest.mark.parametrize(
    ("technique", "distance", "min_distance"),
    [("caves", "patterns", 0.1), ("maze", "path", 0.5), ("caves", "visits", 0.8), ("rooms", "rooms", 0.5)],
)
def test_other_distances(technique: str, distance: str, min_distance: float) -> None:
    recipe = {"technique": technique, "params": {"width": 31, "height": 21}}
    found = tw.search.variety(recipe, count=5, distance=distance, min_distance=min_distance, seed=3)
    assert found.min_distance >= min_distance
    assert np.array_equal(found.distances, tw.search.compare(found.maps, distance))


def test_varied_parameters_differ_from_map_to_map() -> None:
    vary = {"walls": (0.3, 0.6), "steps": (0, 8)}
    found = tw.search.variety(CAVES, count=6, distance="patterns", min_distance=0.15, vary=vary, seed=3)
    walls = {map.recipe.params.walls for map in found if map.recipe is not None}  # type: ignore[attr-defined]
    assert len(walls) == 6
    assert all(map.recipe is not None and tw.run(map.recipe) == map for map in found)
    sizes = tw.search.variety(
        "caves", count=4, distance="patterns", vary={"width": (10, 40)}, min_distance=0.05, seed=3
    )
    assert len({map.shape for map in sizes}) > 1


def test_maps_are_improved_until_they_meet_their_targets() -> None:
    arguments: dict[str, Any] = {"count": 6, "targets": [{"path_length": "60..66"}, {"regions": 1}], "seed": 3}
    with pytest.raises(tw.GaveUp, match=r"no map meets path_length 60\.\.66"):
        tw.search.variety(CAVES, candidates=64, **arguments)
    found = tw.search.variety(CAVES, candidates=64, improve=True, min_distance=0.25, **arguments)
    assert found.min_distance >= 0.25
    for number, map in enumerate(found):
        measures = tw.measure(map, "path_length", "regions")
        assert 60 <= measures["path_length"] <= 66 if number % 2 == 0 else measures["regions"] == 1
        assert map.recipe is not None
        assert tw.run(map.recipe) == map
    spread = tw.search.variety(CAVES, candidates=64, improve=True, min_distance=0.25, workers=2, **arguments)
    assert spread.maps == found.maps
    assert spread.candidates == found.candidates


def test_progress() -> None:
    seen: list[tw.Progress] = []
    found = tw.search.variety(CAVES, count=3, min_distance=0.4, seed=1, on_progress=seen.append)
    assert [one.values["candidates"] for one in seen] == list(range(1, found.candidates + 1))
    assert (seen[-1].done, seen[-1].count) == (3, 3)


def test_sheets_and_files(tmp_path: Path) -> None:
    found = tw.search.variety(CAVES, count=5, seed=1)
    sheet = found.sheet(columns=3, width=600)
    assert 500 < sheet.width <= 600
    assert found.sheet(columns=1, width=600).height > 3 * sheet.height
    paths = found.save(tmp_path / "level_{number}.txt")
    assert [Path(path).name for path in paths] == [f"level_{number}.txt" for number in range(1, 6)]
    assert tw.load(paths[4], tileset=found[4].tileset) == found[4].replace(recipe=None)
    with pytest.raises(tw.InvalidRecipe, match=r"path: must contain \{number\}"):
        found.save(tmp_path / "level.txt")


# -- sets that cannot be made --------------------------------------------------------------------------------------


def test_a_minimum_distance_that_is_too_large_is_answered_with_one_that_suffices() -> None:
    with pytest.raises(tw.GaveUp) as error:
        tw.search.variety(CAVES, count=12, min_distance=0.5, candidates=200, seed=1)
    line = str(error.value)
    assert line.startswith("gave up after 200 tries: found ")
    assert "of 12 maps" in line
    assert "\n" not in line
    fix = error.value.problems[0].fixes[0]
    assert (fix.action, fix.path) == ("set", ("min_distance",))
    assert f"min_distance {fix.value:g} is enough for these maps" in line
    assert 0.2 < fix.value < 0.5
    assert len(tw.search.variety(CAVES, count=12, min_distance=fix.value, candidates=200, seed=1)) == 12
    with pytest.raises(tw.GaveUp):
        tw.search.variety(CAVES, count=12, min_distance=fix.value + 0.01, candidates=200, seed=1)


def test_targets_that_no_map_meets_are_named_with_the_nearest_value() -> None:
    targets = [{"path_length": "500..600"}, {"regions": ">=1"}]
    with pytest.raises(tw.GaveUp) as error:
        tw.search.variety(CAVES, count=2, targets=targets, candidates=30, seed=1)
    longest = max(tw.measure(tw.run(CAVES, seed=f"1-{number}"), "path_length")["path_length"] for number in range(30))
    text = f"found 1 of 2 maps; no map meets path_length 500..600, the nearest has path_length {longest:g}"
    assert str(error.value) == f"gave up after 30 tries: {text}"


def test_reasons_of_maps_that_cannot_be_made_are_counted() -> None:
    recipe = {**CAVES, "require": {"path_length": ">1000"}, "tries": 1}
    with pytest.raises(tw.GaveUp, match=r"found 0 of 2 maps; no map met the requirements.*\(5 of 5\)"):
        tw.search.variety(recipe, count=2, candidates=5, seed=1)


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        *read_table(__file__, "mistakes are one line"),
        ({"targets": [{"regions": 1}] * 3}, "targets: must be at most one per map, got 3 for 2 maps"),
        ({"vary": {"wals": (0, 1)}}, "vary wals: "),
        ({"vary": {"width": (10, 40)}}, "distance: hamming compares maps of one size, got "),
    ],
)
def test_mistakes_are_one_line(arguments: dict[str, Any], text: str) -> None:
    with refused("", start=text):
        tw.search.variety(CAVES, seed=1, **{"count": 2, **arguments})


# -- the gate ------------------------------------------------------------------------------------------------------


def test_descriptions_are_stacked_only_if_they_have_one_shape() -> None:
    found = Descriptions()
    for number in range(20):
        found.add(np.full(3, number))
    stack = found.view(np.zeros(3))
    assert isinstance(stack, np.ndarray)
    assert stack[:, 0].tolist() == list(range(20))
    assert isinstance(found.view(np.zeros(4)), list)
    found.add(np.zeros(4))
    assert isinstance(found.view(np.zeros(3)), list)
    assert len(found.items) == 21


def test_maps_take_the_first_place_whose_target_they_meet() -> None:
    from tilewright.search.distances import read_distance
    from tilewright.search.gate import read_targets

    gate = Gate(read_distance("hamming"), 0.0, read_targets([{"regions": ">=2"}, {"regions": ">=1"}]), 4)
    cells = np.zeros((2, 2), dtype=np.uint16)
    assert [gate.find_place({"regions": float(number)}) for number in (0, 1, 2)] == [None, 1, 0]
    for regions in (1.0, 2.0, 1.0):
        assert gate.offer(cells, {"regions": regions}) is not None
    assert gate.places == [1, 0, 3]
    assert gate.offer(cells, {"regions": 1.0}) is None
    assert [str(target) for target in gate.open_targets] == ["regions >= 2"]
