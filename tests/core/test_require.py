"""Requirements: maps are made until one meets them, or the best of all tries is kept."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tests.cases import read_table
from tilewright.core.notation import read_requirement
from tilewright.core.pipeline import run, watch
from tilewright.core.recipe import Recipe
from tilewright.core.require import Requirement, read_requirements

CAVE: dict[str, Any] = {"technique": "caves", "params": {"width": 30, "height": 12}}


def make_cave(seed: int | str, **keywords: Any) -> tw.TileMap:
    return run(Recipe.of({**CAVE, "seed": seed, **keywords}))


def test_the_first_try_that_meets_the_requirements_is_returned() -> None:
    for seed in range(30):
        found = make_cave(seed, require={"regions": 1}, tries=200)
        assert tw.measure(found, "regions") == {"regions": 1}
        plain = make_cave(seed)
        if tw.measure(plain, "regions") == {"regions": 1}:
            assert np.array_equal(found.cells, plain.cells)
            assert found.numbers["try"] == 1


def test_every_try_has_its_own_stream() -> None:
    maps = [make_cave(5, require={"cells": ">0"}, tries=9, attempt=attempt) for attempt in range(9)]
    assert len({m.cells.tobytes() for m in maps}) == 9
    assert [m.numbers["try"] for m in maps] == list(range(1, 10))


@pytest.mark.parametrize(("rule", "best"), [("most", max), ("least", min)])
def test_the_best_of_all_tries(rule: str, best: Any) -> None:
    shares = [
        tw.measure(make_cave(5, require={"cells": ">0"}, tries=12, attempt=attempt), "floor_share")["floor_share"]
        for attempt in range(12)
    ]
    found = make_cave(5, require={"floor_share": rule}, tries=12)
    assert tw.measure(found, "floor_share")["floor_share"] == best(shares)
    assert found.numbers["try"] == shares.index(best(shares)) + 1
    joined = make_cave(5, require={"floor_share": rule, "regions": "<= 2"}, tries=12)
    assert tw.measure(joined, "regions")["regions"] <= 2


def test_a_map_is_regenerated_with_one_try() -> None:
    found = make_cave("again", require={"regions": 1, "floor_share": ">0.3"}, tries=200)
    assert found.recipe is not None
    assert found.recipe.attempt == found.numbers["try"] - 1
    for recipe in (
        found.recipe,
        Recipe.of(json.loads(json.dumps(found.recipe.to_data()))),
        pickle.loads(pickle.dumps(found.recipe)),
    ):
        assert recipe == found.recipe
        assert run(recipe) == found
    shaped = tw.shape(found, "border")
    assert shaped.recipe is not None
    assert tw.run(shaped.recipe) == shaped
    other = tw.run(found.recipe, seed="other")
    assert tw.measure(other, "regions") == {"regions": 1}


def test_random_params_are_drawn_again_in_every_try() -> None:
    keywords: dict[str, Any] = {
        "width": 24,
        "height": 16,
        "states": 3,
        "seed": 3,
        "require": {"tiles_used": ">1"},
        "tries": 50,
    }
    found = tw.make("fashion", **keywords)
    assert tw.measure(found, "tiles_used")["tiles_used"] > 1
    assert found.recipe is not None
    assert tw.run(found.recipe) == found


def test_watching_does_not_change_the_result() -> None:
    recipe = Recipe.of({**CAVE, "seed": 2, "require": {"regions": 1}, "tries": 100})
    frames = list(watch(recipe))
    assert frames[-1].map == run(recipe)
    tries = [frame.note.partition(":")[0] for frame in frames[:-1]]
    assert tries == sorted(tries, key=lambda word: int(word.removeprefix("try ")))
    assert tries[0] == "try 1"
    assert all(0 <= (frame.progress or 0) <= 1 for frame in frames)


def test_tries_that_give_up_are_repeated_and_reported() -> None:
    """A lock in a smaller cave makes keep_largest give up; other tries have other caves."""
    first = make_cave("first")
    spot = first.to_locks(first.where("floor") & (np.indices(first.shape)[0] == 5))
    keywords = {"locks": spot, "shaping": ["keep_largest"], "seed": 1}
    found = run(Recipe.of({**CAVE, **keywords, "require": {"regions": 1}, "tries": 400}))
    assert tw.measure(found, "regions") == {"regions": 1}
    with pytest.raises(tw.GaveUp, match=r"after 3 tries: no map met the requirements; failed: .*\(\d of 3\)") as caught:
        run(Recipe.of({**CAVE, **keywords, "require": {"regions": 7}, "tries": 3}))
    assert caught.value.tries == 3


def test_giving_up_reports_how_often_each_requirement_failed() -> None:
    with pytest.raises(tw.GaveUp, match=r"floor_share > 0.99 \(6 of 6\)") as caught:
        make_cave(1, require={"floor_share": ">0.99", "cells": 360}, tries=6)
    assert "cells" not in str(caught.value)
    tries, another, loosen, remove = caught.value.problems[0].fixes
    assert (tries.label, another.label) == ("Set tries to 24", "Use another seed")
    looser = loosen.apply({"require": {"floor_share": ">0.99", "cells": 360}})["require"]
    assert tw.measure(make_cave(1, require=looser, tries=6), "cells") == {"cells": 360}
    assert remove.apply({"require": {"floor_share": ">0.99", "cells": 360}}) == {"require": {"cells": 360}}


def test_numbers_of_tiles_and_markers_can_be_required() -> None:
    gems = {"place": {"markers": ["gem"], "rule": "dead_ends", "count": 1, "tile": "crystal"}}
    for seed in range(3):
        found = make_cave(
            seed, shaping=[gems], require={"count.crystal": 1, "markers.gem": 1, "dead_ends": ">2"}, tries=400
        )
        assert tw.measure(found, "count.crystal", "markers.gem") == {"count.crystal": 1, "markers.gem": 1}
        assert found.recipe is not None
        assert tw.run(Recipe.of(found.recipe.to_data())) == found


def test_unknown_tiles_are_reported_before_a_map_is_made() -> None:
    with pytest.raises(tw.InvalidRecipe, match=r"require: count\.treasur: unknown tile 'treasur'") as caught:
        tw.make("rooms", tileset="dungeon", require={"count.treasur": 3}, seed=1)
    (found,) = caught.value.problems
    assert found.path == ("require", "count.treasur")
    assert [(fix.action, fix.value) for fix in found.fixes] == [("use", "count.treasure"), ("remove", None)]


SAMPLED: dict[str, Any] = {"sample": "bricks", "width": 12, "height": 10, "iterations": 3000}
"""Few iterations, so that maps differ."""


def test_maps_from_a_sample_are_compared_with_it() -> None:
    how: dict[str, Any] = {"wrap_sample": "xy", "symmetries": 2}
    keywords: dict[str, Any] = {**SAMPLED, **how, "wrap": "x", "pattern_sizes": [1, 2]}
    tries: list[dict[str, Any]] = [{**keywords, "attempt": attempt} for attempt in range(6)]
    maps = [tw.make("patterns", **one, require={"cells": ">0"}, tries=6, seed=4) for one in tries]
    numbers = [
        tw.measure(map, "divergence", like="bricks", wrap="x", pattern_size=2, **how)["divergence"] for map in maps
    ]
    best = tw.make("patterns", **keywords, require={"divergence": "least"}, tries=6, seed=4)
    assert best.numbers["try"] == numbers.index(min(numbers)) + 1


def test_the_number_that_the_technique_reports_equals_the_measure() -> None:
    found = tw.make("patterns", **SAMPLED, require={"divergence": "<100", "copied_block": ">0"}, seed=1)
    assert tw.measure(found, "divergence", like="bricks")["divergence"] == pytest.approx(found.numbers["divergence"])


def test_renamed_tiles_are_compared_as_tiles_of_the_sample() -> None:
    first, second, *_ = tw.make("patterns", **SAMPLED, seed=1).recipe.params.labels  # type: ignore[union-attr]
    renamed: dict[str, Any] = {"tiles": {first: "wall", second: "floor"}, "tileset": "dungeon"}
    plain, other = (
        tw.make("patterns", **SAMPLED, seed=1, require={"copied_share": "most"}, tries=3, **more)
        for more in ({}, renamed)
    )
    assert other.numbers["try"] == plain.numbers["try"]
    with pytest.raises(tw.GaveUp, match="copied_share < 0"):
        tw.make("patterns", **SAMPLED, seed=1, require={"copied_share": "<0"}, tries=2, **renamed)
    tw.make("patterns", **SAMPLED, seed=1, require={"copied_share": ">0.2"}, tries=2, **renamed)


def test_a_technique_without_a_sample_cannot_be_compared() -> None:
    message = "require: divergence needs a sample to compare with, but caves has none"
    with pytest.raises(tw.InvalidRecipe, match=message):
        tw.recipe("caves", require={"divergence": "<1"})


@pytest.mark.parametrize(("given", "data", "text"), read_table(__file__, "ranges are read and written"))
def test_ranges_are_read_and_written(given: str, data: Any, text: str) -> None:
    (found,) = read_requirements({"path_length": given})
    assert (found.to_data(), str(found)) == (data, text)
    assert read_requirements({"path_length": found.to_data()}) == (found,)
    name, value = read_requirement(f"path_length={given.replace(' ', '')}")
    assert read_requirements({name: value}) == (found,)


@pytest.mark.parametrize(
    "given", ["66..60", "..", "60..x", "60...", "nan..3", "1..inf", "60..66..70", ">60..66", "1e999.."]
)
def test_wrong_ranges_are_refused(given: str) -> None:
    with pytest.raises(
        tw.InvalidRecipe, match=r"^path_length: (the range must not be empty|must be a number, a range)"
    ):
        read_requirements({"path_length": given})


def test_an_empty_range_offers_its_reverse() -> None:
    with pytest.raises(tw.InvalidRecipe) as caught:
        Recipe.of({**CAVE, "require": {"regions": "9..2"}})
    (fix,) = caught.value.problems[0].fixes
    assert fix.apply({"require": {"regions": "9..2"}}) == {"require": {"regions": "2..9"}}


def test_a_range_holds_between_its_ends() -> None:
    span = Requirement("path_length", "..", 60, 66)
    assert [span.holds(number) for number in (59.9, 60, 63, 66, 66.1, float("nan"))] == [
        False, True, True, True, False, False,
    ]  # fmt: skip
    assert [span.find_distance(number) for number in (50, 60, 70)] == [10, 0, 4]
    assert span.find_distance(float("nan")) == float("inf")
    assert Requirement("path_length", "most").find_distance(3) == 0


def test_maps_in_a_range_are_found_and_a_missed_range_is_extended() -> None:
    for seed in range(20):
        found = make_cave(seed, require={"floor_share": "0.5..0.55"}, tries=200)
        assert 0.5 <= tw.measure(found, "floor_share")["floor_share"] <= 0.55
    required = {"floor_share": "0.98..0.99", "cells": 360}
    with pytest.raises(tw.GaveUp, match=r"floor_share 0.98..0.99 \(6 of 6\)") as caught:
        make_cave(1, require=required, tries=6)
    wider = caught.value.problems[0].fixes[2].apply({"require": required})["require"]
    assert tw.measure(make_cave(1, require=wider, tries=6), "floor_share")["floor_share"] < 0.98
