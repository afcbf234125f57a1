"""Chunks of a map equal the map made at once, for all local techniques and params."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilewright as tw
from tests.cases import read_table
from tilewright.core import pipeline
from tilewright.core.chunks import get_local_technique, make_chunk, resolve_random_params
from tilewright.core.registry import techniques

CASES: list[tuple[str, dict[str, Any]]] = read_table(__file__, "parameters of local techniques")


def run_chunk(recipe: tw.Recipe, first: tuple[int, ...], shape: tuple[int, ...]) -> tw.TileMap:
    return pipeline.drain(make_chunk(recipe, first, shape))


def assemble_chunks(recipe: tw.Recipe, side: int) -> np.ndarray[Any, Any]:
    """Return a complete map from chunks of at most the given edge length."""
    height, width = recipe.params.shape  # type: ignore[attr-defined]
    cells = np.full((height, width), 255, dtype=recipe.tileset.dtype)
    for y in range(0, height, side):
        for x in range(0, width, side):
            shape = (min(side, height - y), min(side, width - x))
            cells[y : y + side, x : x + side] = run_chunk(recipe, (y, x), shape).cells
    return cells


@pytest.mark.parametrize("size", [(57, 43), (20, 90), (16, 16), (1, 1), (33, 1)], ids=str)
@pytest.mark.parametrize(("technique", "params"), CASES, ids=str)
def test_chunks_equal_the_complete_map(technique: str, params: dict[str, Any], size: tuple[int, int]) -> None:
    recipe = tw.recipe(technique, width=size[0], height=size[1], seed="x", **params)
    whole = tw.run(recipe).cells
    for side in (16, 31):
        np.testing.assert_array_equal(assemble_chunks(recipe, side), whole)


def test_every_local_technique_has_a_case() -> None:
    assert {entry.name for entry in techniques if entry.reach is not None} == {name for name, _ in CASES}


BOTH = (False, True)
OFFSETS = st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=1, max_size=4)


def draw_params(**values: Any) -> st.SearchStrategy[dict[str, Any]]:
    """Return a strategy of parameters, each a range, a list of choices, or a strategy."""
    strategies: dict[str, st.SearchStrategy[Any]] = {}
    for name, value in values.items():
        match value:
            case range():
                strategies[name] = st.integers(value[0], value[-1])
            case (float(), float()):
                strategies[name] = st.floats(*value)
            case st.SearchStrategy():
                strategies[name] = value
            case _:
                strategies[name] = st.sampled_from(value)
    return st.fixed_dictionaries(strategies)


PARAMS: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    "caves": draw_params(
        walls=(0.0, 1.0), steps=range(9), birth=range(10), survive=range(10), outside=["wall", "floor"], wrap=BOTH
    ),
    "fashion": draw_params(
        states=range(2, 6), generations=range(6), wrap=[None, *BOTH], morph=[None, "random"],
        neighbourhood=st.sampled_from(["plus", "all", "diagonal", "hexagon", "knight"]) | OFFSETS,
        blend=["left to right", "top to bottom", "radial"],
    ),
    "noise": draw_params(
        kind=["perlin", "value", "cellular"], feature_size=(1.0, 60.0), octaves=range(1, 5), warp=[0.0, 0.7],
        fractal=["plain", "ridged", "billow"], island=[0.0, 0.5], wrap=BOTH,
    ),
    "voronoi": draw_params(
        spacing=range(2, 26), jitter=(0.0, 1.0), relax=range(4), metric=["euclidean", "manhattan", "chebyshev"],
        mode=["regions", "walls"], thickness=range(1, 5), doors=(0.0, 1.0), gap=range(1, 5),
    ),
}  # fmt: skip


@settings(max_examples=60)
@given(st.data())
def test_any_rectangle_equals_that_of_the_complete_map(data: st.DataObject) -> None:
    technique = data.draw(st.sampled_from(sorted(PARAMS)))
    width, height = data.draw(st.integers(1, 60)), data.draw(st.integers(1, 60))
    params = data.draw(PARAMS[technique])
    recipe = tw.recipe(technique, width=width, height=height, seed=data.draw(st.integers(0, 99)), **params)
    whole = tw.run(recipe).cells
    for _ in range(3):
        y, x = data.draw(st.integers(0, height - 1)), data.draw(st.integers(0, width - 1))
        rows, columns = data.draw(st.integers(1, height - y)), data.draw(st.integers(1, width - x))
        np.testing.assert_array_equal(
            run_chunk(recipe, (y, x), (rows, columns)).cells, whole[y : y + rows, x : x + columns]
        )


def test_random_params_are_drawn_once_and_recorded() -> None:
    recipe = tw.recipe("fashion", states=3, width=20, height=20, generations=4, seed=5)
    whole = tw.run(recipe)
    assert resolve_random_params(recipe).params == whole.recipe.params  # type: ignore[union-attr]
    np.testing.assert_array_equal(
        run_chunk(resolve_random_params(recipe), (3, 4), (9, 8)).cells, whole.cells[3:12, 4:12]
    )


@pytest.mark.parametrize(
    ("technique", "keywords", "line"),
    [
        ("bsp", {}, "bsp: cannot be made in chunks, .*caves, fashion, noise, voronoi can$"),
        ("caves", {"shaping": ["connect"]}, "^shaping: connect needs a complete map"),
        ("caves", {"locks": [[0, 0, "wall"]]}, "^locks: a map made in chunks cannot have locks$"),
        ("caves", {"require": {"regions": 1}}, "^require: a map made in chunks cannot be measured$"),
        ("caves", {"offset": (3, 4)}, "^offset: cannot be used for a map made in chunks$"),
        ("fashion", {"start": [[0, 1], [1, 0]]}, "^start: cannot be used for a map made in chunks$"),
        ("caves", {"offset": (3, 4), "shaping": ["border"]}, "^shaping: .*; offset: "),
    ],
)
def test_recipes_that_cannot_be_made_in_chunks(technique: str, keywords: dict[str, Any], line: str) -> None:
    with pytest.raises(tw.InvalidRecipe, match=line):
        get_local_technique(tw.recipe(technique, seed=1, **keywords))


@pytest.mark.parametrize(
    ("first", "shape"),
    [((0, 0), (51, 80)), ((-1, 0), (4, 4)), ((49, 79), (1, 2)), ((0, 0), (0, 4)), ((0,), (4,)), ((0, 0, 0), (1, 1, 1))],
    ids=str,
)
def test_a_chunk_outside_the_map_is_refused(first: tuple[int, ...], shape: tuple[int, ...]) -> None:
    with pytest.raises(tw.InvalidRecipe, match="are not inside a map of shape"):
        run_chunk(tw.recipe("caves", seed=1), first, shape)


def test_memory_follows_from_params() -> None:
    plain, blended = tw.recipe("fashion"), tw.recipe("fashion", morph="random")
    fashion = techniques.get("fashion")
    assert fashion.memory(blended.params, 100) > fashion.memory(plain.params, 100) > 0
