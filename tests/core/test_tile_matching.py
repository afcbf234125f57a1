"""Tiles that a tileset offers for the labels of a technique."""

from __future__ import annotations

import pytest

import tilewright as tw
from tilewright.core.errors import InvalidRecipe
from tilewright.core.recipe import Recipe
from tilewright.core.registry import techniques
from tilewright.core.tile_matching import suggest_matches
from tilewright.core.tilesets import tilesets


def suggest(technique: str, tileset: str) -> dict[str, str]:
    entry = techniques.get(technique)
    return suggest_matches(entry, entry.params(), tilesets.get(tileset), {})


def test_substitutes_are_chosen_by_name_kind_and_passability() -> None:
    assert suggest("caves", "terrain") == {"floor": "grass", "wall": "mountain"}
    # Different labels get different tiles where there are enough; pieces of roads are no ground.
    assert suggest("rooms", "terrain") == {
        "floor": "grass", "corridor": "sand", "door": "hill", "wall": "mountain", "rock": "mountain",
    }  # fmt: skip
    assert suggest("voronoi", "countryside")["hill"] == "plain"
    assert suggest("caves", "dungeon") == {}


@pytest.mark.parametrize("technique", ["caves", "rooms", "noise", "voronoi", "markov"])
def test_the_fix_of_a_missing_tile_makes_the_map(technique: str) -> None:
    for name in tilesets.names():
        data = {"technique": technique, "params": {"width": 20, "height": 12}, "tileset": name, "seed": 1}
        try:
            tw.run(data)
        except InvalidRecipe as error:
            (problem,) = error.problems
            (fix,) = problem.fixes
            assert fix.label.startswith("Use ")
            map = tw.run(fix.apply(data))
            own = techniques.get(technique).own_tileset(Recipe.of({**data, "tileset": None}).params)
            tiles = tilesets.get(name)
            for label, tile in fix.value.items():
                passable = own[own.by_name[label]].passable
                assert tiles[tiles.by_name[tile]].passable == passable or passable not in tiles.passable
            assert map.tileset == tiles
