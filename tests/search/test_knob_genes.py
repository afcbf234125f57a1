"""Knobs of the included recipes as genes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tilewright.core.recipe import Recipe
from tilewright.core.recipe_knobs import apply_knobs
from tilewright.core.resolver import Resolver
from tilewright.data import list_names
from tilewright.search.genome import Genome


@pytest.mark.parametrize("name", list_names("recipes"))
def test_genes_turn_the_knobs_of_a_recipe(name: str) -> None:
    data, _ = Resolver().read_recipe(name)
    recipe = Recipe.of(data)
    genome = Genome(recipe, [knob.name for knob in recipe.knobs])
    values = genome.decode(np.full((1, genome.slots), 0.7))[0]
    wanted = Recipe.of(apply_knobs(data, dict(zip(genome.names, values, strict=True))))
    assert genome.apply(values).to_data() == replace(wanted, knobs=()).to_data()
