"""Only good maps: tries until measures are as required, or the best of all."""

from __future__ import annotations

import json
import pickle
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright.core.pipeline import run, watch
from tilewright.core.recipe import Recipe

CAVE: dict[str, Any] = {"technique": "caves", "params": {"width": 30, "height": 12}}


def made(seed: int | str, **words: Any) -> tw.TileMap:
    return run(Recipe.of({**CAVE, "seed": seed, **words}))


def test_the_first_try_that_will_do_is_taken() -> None:
    for seed in range(30):
        found = made(seed, require={"regions": 1}, tries=200)
        assert tw.measure(found, "regions") == {"regions": 1}
        plain = made(seed)
        if tw.measure(plain, "regions") == {"regions": 1}:
            assert np.array_equal(found.cells, plain.cells)
            assert found.numbers["try"] == 1


def test_every_try_has_a_stream_of_its_own() -> None:
    maps = [made(5, require={"cells": ">0"}, tries=9, attempt=attempt) for attempt in range(9)]
    assert len({m.cells.tobytes() for m in maps}) == 9
    assert [m.numbers["try"] for m in maps] == list(range(1, 10))


@pytest.mark.parametrize(("rule", "best"), [("most", max), ("least", min)])
def test_the_best_of_all_tries(rule: str, best: Any) -> None:
    shares = [
        tw.measure(made(5, require={"cells": ">0"}, tries=12, attempt=attempt), "floor_share")["floor_share"]
        for attempt in range(12)
    ]
    found = made(5, require={"floor_share": rule}, tries=12)
    assert tw.measure(found, "floor_share")["floor_share"] == best(shares)
    assert found.numbers["try"] == shares.index(best(shares)) + 1
    joined = made(5, require={"floor_share": rule, "regions": "<= 2"}, tries=12)
    assert tw.measure(joined, "regions")["regions"] <= 2


def test_a_found_map_is_made_again_at_once() -> None:
    found = made("again", require={"regions": 1, "floor_share": ">0.3"}, tries=200)
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


def test_random_params_are_drawn_anew_in_every_try() -> None:
    words: dict[str, Any] = {
        "width": 24,
        "height": 16,
        "states": 3,
        "seed": 3,
        "require": {"tiles_used": ">1"},
        "tries": 50,
    }
    found = tw.make("fashion", **words)
    assert tw.measure(found, "tiles_used")["tiles_used"] > 1
    assert found.recipe is not None
    assert tw.run(found.recipe) == found


def test_watched_or_not() -> None:
    recipe = Recipe.of({**CAVE, "seed": 2, "require": {"regions": 1}, "tries": 100})
    frames = list(watch(recipe))
    assert frames[-1].map == run(recipe)
    tries = [frame.note.partition(":")[0] for frame in frames[:-1]]
    assert tries == sorted(tries, key=lambda word: int(word.removeprefix("try ")))
    assert tries[0] == "try 1"
    assert all(0 <= (frame.progress or 0) <= 1 for frame in frames)


def test_what_gives_up_is_tried_again_and_told() -> None:
    """A lock in a smaller cave makes keep_largest give up; other tries have other caves."""
    first = made("first")
    spot = first.to_locks(first.where("floor") & (np.indices(first.shape)[0] == 5))
    words = {"locks": spot, "shaping": ["keep_largest"], "seed": 1}
    found = run(Recipe.of({**CAVE, **words, "require": {"regions": 1}, "tries": 400}))
    assert tw.measure(found, "regions") == {"regions": 1}
    with pytest.raises(tw.GaveUp, match=r"after 3 tries: no map was as required; what failed: .*\(\d of 3\)") as caught:
        run(Recipe.of({**CAVE, **words, "require": {"regions": 7}, "tries": 3}))
    assert caught.value.tries == 3


def test_giving_up_tells_what_failed_how_often() -> None:
    with pytest.raises(tw.GaveUp, match=r"floor_share > 0.99 \(6 of 6\)") as caught:
        made(1, require={"floor_share": ">0.99", "cells": 360}, tries=6)
    assert "cells" not in str(caught.value)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ({"require": {"flor_share": 1}}, "require: unknown measure 'flor_share'; did you mean 'floor_share'?"),
        ({"require": {"regions": "many"}}, "require: regions: a number, a comparison such as '>80', most or least"),
        ({"require": {"regions": "=>3"}}, "require: regions: a number, a comparison"),
        ({"require": {"regions": True}}, "got True"),
        ({"require": {"regions": float("nan")}}, "got nan"),
        ({"require": {"regions": None}}, "got None"),
        ({"require": 3}, "require: must be measures with what they must be"),
        ({"require": {"regions": "most", "cells": "least"}}, "require: only one measure can be the best"),
        ({"tries": 3}, "tries: says how often to try what require asks for; add require"),
        ({"require": {"regions": 1}, "tries": 0}, "tries: must be a whole number of 1 to 1,000,000, got 0"),
        ({"require": {"regions": 1}, "tries": True}, "tries: must be a whole number"),
        ({"require": {"regions": 1}, "tries": 3, "attempt": 3}, "attempt: must be one of the 3 tries, counted from 0"),
    ],
)
def test_mistakes_are_told(words: dict[str, Any], told: str) -> None:
    with pytest.raises(tw.InvalidRecipe) as caught:
        Recipe.of({**CAVE, **words})
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


SAMPLED: dict[str, Any] = {"sample": "bricks", "width": 12, "height": 10, "iterations": 3000}
"""So few steps that maps differ much."""


def test_maps_from_a_sample_are_compared_with_it() -> None:
    how: dict[str, Any] = {"wrap_sample": "xy", "symmetries": 2}
    words: dict[str, Any] = {**SAMPLED, **how, "wrap": "x", "pattern_sizes": [1, 2]}
    tries: list[dict[str, Any]] = [{**words, "attempt": attempt} for attempt in range(6)]
    maps = [tw.make("patterns", **one, require={"cells": ">0"}, tries=6, seed=4) for one in tries]
    numbers = [
        tw.measure(map, "divergence", like="bricks", wrap="x", pattern_size=2, **how)["divergence"] for map in maps
    ]
    best = tw.make("patterns", **words, require={"divergence": "least"}, tries=6, seed=4)
    assert best.numbers["try"] == numbers.index(min(numbers)) + 1


def test_the_number_that_the_technique_tells_is_the_measure() -> None:
    found = tw.make("patterns", **SAMPLED, require={"divergence": "<100", "copied_block": ">0"}, seed=1)
    assert tw.measure(found, "divergence", like="bricks")["divergence"] == pytest.approx(found.numbers["divergence"])


def test_tiles_that_the_recipe_renames_are_the_samples() -> None:
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


def test_what_has_no_sample_is_compared_with_none() -> None:
    message = "require: divergence compares a map with a sample, and caves has none"
    with pytest.raises(tw.InvalidRecipe, match=message):
        tw.recipe("caves", require={"divergence": "<1"})
