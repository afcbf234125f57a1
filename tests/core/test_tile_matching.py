"""Tiles that a tileset offers for the labels of a technique, and tiles guessed from the glyphs of text maps."""

from __future__ import annotations

from pathlib import Path

import pytest

import tilewright as tw
from tests.cases import read_table
from tilewright.core.errors import InvalidRecipe
from tilewright.core.glyph_tiles import GLYPH_TILES, is_passable_glyph, make_glyph_tileset, name_tiles
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


def test_every_meaning_is_a_tile_of_the_palette() -> None:
    palette = tw.Tileset.of("palette")
    assert {*GLYPH_TILES.values(), "void", "floor"} <= {*palette.names}


@pytest.mark.parametrize(("glyph", "name", "passable"), read_table(__file__, "glyphs have their usual meaning"))
def test_glyphs_have_their_usual_meaning(glyph: str, name: str, passable: bool) -> None:
    (tile,) = name_tiles(make_glyph_tileset([glyph], "text"))
    assert (tile.glyph, tile.name, tile.passable) == (glyph, name, passable)
    assert is_passable_glyph(glyph) is passable


def test_walls_are_darker_than_floor_and_digits_ascend() -> None:
    tiles = make_glyph_tileset("#.0123456789", "text")
    brightness = [sum(tile.rgb) for tile in tiles]
    assert brightness[0] < brightness[1]
    assert brightness[2:] == sorted(brightness[2:])


def test_all_colors_differ_and_a_space_depends_on_dots() -> None:
    tiles = make_glyph_tileset(sorted(GLYPH_TILES), "text")
    assert len({tile.color for tile in tiles}) == len(tiles)
    assert [make_glyph_tileset(text, "text")[0].passable for text in (" #", " .")] == [True, False]


def test_text_files_use_the_table_and_keep_the_glyphs_as_names(tmp_path: Path) -> None:
    (tmp_path / "pond.txt").write_text("####\n#.~#\n####\n")
    map = tw.load(tmp_path / "pond.txt")
    assert map.tileset.names == ("#", ".", "~")
    assert map.passable.sum() == 1
    assert map.tileset[2].color == tw.Tileset.of("palette")[tw.Tileset.of("palette").id("water")].color
