"""Every built-in recipe has three to six knobs, and makes a map at every end of each of them."""

from __future__ import annotations

from typing import Any

import pytest

import tilewright as tw
from tilewright.core.knobs import RecipeKnob
from tilewright.core.recipe import Recipe
from tilewright.core.recipe_knobs import apply_knobs
from tilewright.core.resolver import Resolver
from tilewright.data import list_names

RECIPES = list_names("recipes")


def find_middle(knob: RecipeKnob) -> Any:
    """Return the value in the middle of a knob's range, or the middle choice."""
    if knob.range is None:
        return knob.choices[len(knob.choices) // 2]
    low, high = knob.range
    return (low + high) // 2 if knob.is_integer else (low + high) / 2


def list_settings(knobs: tuple[RecipeKnob, ...]) -> list[dict[str, Any]]:
    """Return each knob at its ends and in the middle, and all knobs at their ends, in the smallest map."""
    smallest = {knob.name: knob.ends[0] for knob in knobs if knob.name == "size"}
    others = [knob for knob in knobs if knob.name != "size"]
    settings = [smallest, *({**smallest, "size": find_middle(knob)} for knob in knobs if knob.name == "size")]
    settings += [{**smallest, knob.name: value} for knob in others for value in (*knob.ends, find_middle(knob))]
    return [*settings, *({**smallest, **{knob.name: knob.ends[end] for knob in others}} for end in (0, -1))]


@pytest.mark.parametrize("name", RECIPES)
def test_recipes_have_described_knobs(name: str) -> None:
    knobs = Recipe.of(name).knobs
    assert 3 <= len(knobs) <= 6
    for knob in knobs:
        assert knob.value is not None, f"{knob.name}: the recipe's own parameters correspond to no value"
        assert knob.description.endswith(".")


@pytest.mark.parametrize("name", RECIPES)
def test_knobs_at_their_defaults_change_nothing(name: str) -> None:
    data, _ = Resolver().read_recipe(name)
    recipe = Recipe.of(data)
    assert Recipe.of(apply_knobs(data, {knob.name: knob.value for knob in recipe.knobs})) == recipe


@pytest.mark.parametrize("name", RECIPES)
def test_every_end_of_every_knob_makes_a_map(name: str) -> None:
    for seed, settings in enumerate(list_settings(tw.recipe(name).knobs)):
        recipe = tw.recipe(name, knobs=settings)
        assert {knob.name: knob.value for knob in recipe.knobs}.items() >= settings.items()
        assert tw.run(recipe, seed=seed).cells.size
