"""Pairs of styles: two elites as `scores` and `morph`."""

from __future__ import annotations

import re
from typing import Any

import pytest

import tilewright as tw
from tilewright.search import Archive


def search(recipe: Any, *, vary: list[str], evaluations: int = 16) -> Archive:
    axes = {"floor_share": (0, 1, 4)}
    return tw.search.make(recipe, vary=vary, measures=axes, objective="regions", evaluations=evaluations, seed=7)


@pytest.fixture(scope="module")
def archive() -> Archive:
    return search("fashion", vary=["scores"], evaluations=64)


def test_a_pair_has_the_scores_of_both_elites(archive: Archive) -> None:
    first, *_, second = archive
    recipe = tw.search.pair_styles(first, second, width=50, height=20, seed=3)
    assert list(recipe.params.scores) == first.values["scores"]  # type: ignore[attr-defined]
    assert list(recipe.params.morph) == second.values["scores"]  # type: ignore[attr-defined]
    assert tw.run(recipe).shape == (20, 50)
    assert recipe.seed == "3"


def test_a_pair_keeps_the_seed_of_the_first_elite(archive: Archive) -> None:
    first, *_, second = archive
    assert tw.search.pair_styles(first, second).seed == first.recipe.seed


def test_pairs_of_other_techniques_are_refused(archive: Archive) -> None:
    caves = search("caves", vary=["walls"])
    with pytest.raises(tw.InvalidRecipe, match="pairs need elites of the technique fashion, got 'caves'"):
        tw.search.pair_styles(archive.best, caves.best)


def test_pairs_of_different_automata_are_refused(archive: Archive) -> None:
    small = search({"technique": "fashion", "params": {"scores": [0.1, 0.9, 0.4, 0.6]}}, vary=["scores"])
    with pytest.raises(tw.InvalidRecipe, match=re.escape("states: must be the same for both elites, got [6, 2]")):
        tw.search.pair_styles(archive.best, small.best)
    with pytest.raises(tw.InvalidRecipe, match="unknown parameter 'blendd'"):
        tw.search.pair_styles(archive.best, archive.best, blendd="radial")


def test_random_scores_are_refused() -> None:
    archive = search({"technique": "fashion", "params": {"scores": "random"}}, vary=["generations", "seed"])
    with pytest.raises(tw.InvalidRecipe, match="scores: must be numbers; let the search vary scores"):
        tw.search.pair_styles(archive.best, archive.best)
