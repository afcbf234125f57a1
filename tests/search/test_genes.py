"""Genes: parameters and knobs as unit numbers, decoded to values that recipes accept."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tests.refusals import refused
from tilewright.core.pipeline import run
from tilewright.core.recipe import Recipe
from tilewright.core.recipe_knobs import apply_knobs
from tilewright.core.resolver import Resolver
from tilewright.data import list_names
from tilewright.search.definition import Definition
from tilewright.search.genome import Genome


def decode_column(genome: Genome, units: np.ndarray[Any, Any], name: str) -> list[Any]:
    at = genome.names.index(name)
    return [values[at] for values in genome.decode(units)]


def random_units(genome: Genome, count: int = 500) -> np.ndarray[Any, Any]:
    return tw.Rng.of("genes").randoms(count * genome.slots).reshape(count, genome.slots)


def test_a_float_covers_its_range_in_readable_steps() -> None:
    genome = Genome(tw.recipe("caves"), {"walls": (0.3, 0.6)})
    values = decode_column(genome, random_units(genome), "walls")
    assert min(values) >= 0.3
    assert max(values) <= 0.6
    assert max(values) - min(values) > 0.29
    assert all(value == round(value, 6) for value in values)


def test_integers_have_equal_parts_of_the_unit_interval() -> None:
    genome = Genome(tw.recipe("caves"), {"steps": (2, 5)})
    units = (np.arange(4000)[:, None] + 0.5) / 4000
    values = decode_column(genome, units, "steps")
    assert {number: values.count(number) for number in set(values)} == {2: 1000, 3: 1000, 4: 1000, 5: 1000}
    assert decode_column(genome, np.array([[0.0], [np.nextafter(1.0, 0.0)], [1.0]]), "steps") == [2, 5, 5]


def test_a_parameter_without_a_range_has_its_typical_range_or_its_bounds() -> None:
    recipe = tw.recipe("caves")
    genome = Genome(recipe, ["walls", "birth", "outside", "wrap"])
    data = genome.to_data()
    assert data["params.birth"]["from"] >= 0
    assert data["params.outside"] == {"values": ["wall", "floor"]}
    assert data["params.wrap"] == {"values": [False, True]}
    assert Genome(recipe, data).to_data() == data


def test_pairs_are_sorted() -> None:
    genome = Genome(tw.recipe("rooms"), {"room_width": (3, 12)})
    pairs = decode_column(genome, random_units(genome), "room_width")
    assert all(3 <= low <= high <= 12 for low, high in pairs)
    assert len(set(map(tuple, pairs))) > 30


def test_score_matrices_are_normalized() -> None:
    genome = Genome(tw.recipe("fashion", width=20, height=10), ["scores"])
    assert genome.slots == 36
    for matrix in decode_column(genome, random_units(genome, 50), "scores"):
        assert min(matrix) == 0
        assert max(matrix) == 1
    assert run(genome.apply(genome.decode(random_units(genome, 1))[0]).with_seed(1)).shape == (10, 20)


def test_thresholds_are_ascending() -> None:
    genome = Genome(tw.recipe("noise"), {"thresholds": (0.1, 0.9)})
    for values in decode_column(genome, random_units(genome, 50), "thresholds"):
        assert values == sorted(values)


def test_the_seed_and_choices_are_redrawn() -> None:
    genome = Genome(tw.recipe("caves"), {"walls": (0.3, 0.6), "outside": ["wall", "floor"], "seed": "free"})
    assert genome.redrawn.tolist() == [False, True, True]
    recipe = genome.apply([0.4, "floor", 12])
    assert (recipe.params.walls, recipe.params.outside, recipe.seed) == (0.4, "floor", "12")  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["shaping.0.thickness", "shaping.0.border.thickness"])
def test_parameters_of_shapers_are_found_by_path(name: str) -> None:
    genome = Genome(tw.recipe("caves", shaping=["border"]), {name: (1, 3)})
    assert genome.apply([2]).shaping[0].params.thickness == 2  # type: ignore[attr-defined]


def test_knobs_are_genes() -> None:
    recipe = tw.recipe("city-blocks")
    knob = next(one for one in recipe.knobs if one.name == "parks")
    genome = Genome(recipe, ["parks"])
    values = decode_column(genome, random_units(genome, 60), "parks")
    assert len(set(values)) > 1
    changed = genome.apply([max(values)])
    assert changed == tw.recipe("city-blocks", knobs={"parks": max(values)})
    assert knob.value in values


def test_a_seed_alone_keeps_the_recipe() -> None:
    recipe = tw.recipe("caves", width=20, height=10)
    assert Genome(recipe, ["seed"]).apply([5]) == recipe.with_seed(5)


@pytest.mark.parametrize(
    ("vary", "words"),
    [
        ({}, "at least one parameter"),
        ({"wals": (0, 1)}, "did you mean"),
        ({"walls": (0.6, 0.3)}, "from low to high"),
        ({"walls": (0.3, 2.0)}, "at most 1"),
        ({"steps": (0.5, 2)}, "integers"),
        ({"walls": ("a", "b")}, "numbers"),
        ({"walls": [0.4, "x"]}, "number"),
        ({"seed": (1, 2)}, "free"),
        ({"walls": (1, 2, 3)}, "pair"),
        ({"walls": (0.3, 0.5), "params.walls": (0.3, 0.5)}, "twice"),
        ({"offset": None}, "bounds"),
        ({"shaping.3.thickness": (1, 2)}, "shaper"),
    ],
)
def test_mistakes_are_one_line(vary: dict[str, Any], words: str) -> None:
    with refused(words, tw.InvalidRecipe):
        Genome(tw.recipe("caves"), vary)


@pytest.mark.parametrize("name", list_names("recipes"))
def test_genes_turn_the_knobs_of_a_recipe(name: str) -> None:
    data, _ = Resolver().read_recipe(name)
    recipe = Recipe.of(data)
    genome = Genome(recipe, [knob.name for knob in recipe.knobs])
    values = genome.decode(np.full((1, genome.slots), 0.7))[0]
    wanted = Recipe.of(apply_knobs(data, dict(zip(genome.names, values, strict=True))))
    assert genome.apply(values).to_data() == replace(wanted, knobs=()).to_data()


@pytest.mark.parametrize("name", list_names("recipes"))
def test_definitions_with_knobs_are_read_again(name: str) -> None:
    data, _ = Resolver().read_recipe(name)
    recipe = Recipe.of(data)
    given = Definition.of(
        recipe, vary=[*(knob.name for knob in recipe.knobs), "seed"], measures="floor_share:0..1:4",
        objective="path_length", evaluations=8, seed="1",
    )  # fmt: skip
    assert Definition.from_text(given.text).text == given.text


def test_knobs_of_a_recipe_object_are_turned() -> None:
    archive = tw.search.make(
        tw.recipe("city-blocks"), vary=["seed"], knobs={"parks": 1}, measures="floor_share:4", objective="path_length",
        evaluations=2, seed=1,
    )  # fmt: skip
    (knob,) = (knob for knob in archive.definition.recipe.knobs if knob.name == "parks")
    assert knob.value == 1
