"""Knobs of the included recipes as genes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import tilewright as tw
from tilewright.core.recipe import Recipe
from tilewright.core.recipe_knobs import apply_knobs
from tilewright.core.resolver import Resolver
from tilewright.data import list_names
from tilewright.search.definition import Definition
from tilewright.search.genome import Genome


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
