"""Sweeps: lists or ranges of values, over all combinations or at random, as columns."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tilewright as tw
from tests.cases import read_table
from tests.refusals import refused
from tilewright.core.errors import InvalidRecipe
from tilewright.core.notation import read_sweep
from tilewright.core.seeds import Rng
from tilewright.corpus import Corpus, Sweep, make
from tilewright.corpus.manifest import Manifest
from tilewright.corpus.request import Request

ROOT = Rng.of("sweep")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("walls=0.4..0.5:0.02", (0.4, 0.42, 0.44, 0.46, 0.48, 0.5)),
        ("steps=3..6", (3, 4, 5, 6)),
        ("steps=3..9:3", (3, 6, 9)),
        ("steps=3..8:3", (3, 6)),
        ("walls=0.4,0.45", (0.4, 0.45)),
        ("outside=wall,floor", ("wall", "floor")),
        ("wrap=true,false", (True, False)),
        ("offset=-4..-2", (-4, -3, -2)),
        ("walls=0.4..0.4", (0.4,) * 11),
        ("steps=4..4", (4,)),
    ],
)
def test_parsing_of_typed_values(text: str, values: tuple[Any, ...]) -> None:
    assert Sweep.of(dict([read_sweep(text)])).axes[0].values == values


def test_the_grid_is_covered_evenly_and_in_order() -> None:
    sweep = Sweep.of({"walls": [0.4, 0.5], "steps": [3, 4, 5]})
    seen = [sweep.values_for(ROOT, number) for number in range(60)]
    assert seen[:6] == [(0.4, 3), (0.4, 4), (0.4, 5), (0.5, 3), (0.5, 4), (0.5, 5)]
    assert set(Counter(seen).values()) == {10}


def test_random_values_are_in_range_and_differ_between_maps() -> None:
    sweep = Sweep.of({"walls": {"from": 0.4, "to": 0.5}, "steps": {"from": 2, "to": 5}, "wrap": [True]}, sampled=True)
    seen = [sweep.values_for(ROOT, number) for number in range(500)]
    assert seen == [sweep.values_for(ROOT, number) for number in range(500)]
    assert all(0.4 <= walls <= 0.5 and isinstance(steps, int) and wrap is True for walls, steps, wrap in seen)
    assert {steps for _, steps, _ in seen} == {2, 3, 4, 5}
    assert len({walls for walls, _, _ in seen}) > 490


numbers = st.integers(-50, 50) | st.floats(-50, 50).map(lambda number: round(number, 3))


@given(low=numbers, length=st.integers(0, 40) | st.floats(0, 40).map(lambda number: round(number, 3)), data=st.data())
def test_data_round_trip(low: float, length: float, data: st.DataObject) -> None:
    how: dict[str, Any] = data.draw(st.sampled_from([{}, {"step": 1}, {"step": 0.25}, {"count": 7}, {"count": 1}]))
    once = Sweep.of({"walls": {"from": low, "to": low + length, **how}})
    again = Sweep.of(once.to_data())
    assert Sweep.of(again.to_data()).axes == again.axes
    assert [math.isclose(a, b, abs_tol=1e-8) for a, b in zip(once.axes[0].values, again.axes[0].values, strict=True)]


@pytest.mark.parametrize(
    ("sweep", "message"),
    [
        *read_table(__file__, "mistakes are one line"),
        ({"walls": {"from": 0, "to": 10**400}}, "to must be a number"),
    ],
)
def test_mistakes_are_one_line(sweep: Any, message: str) -> None:
    with refused(message, InvalidRecipe, start="sweep: "):
        Sweep.of(sweep)


def make_manifest(sweep: dict[str, Any], **params: Any) -> Manifest:
    recipe = tw.recipe("caves", width=16, height=10, **params)
    return Manifest.from_recipe(recipe, seed="1", count=1000, measures=["regions"], sweep=Sweep.of(sweep))


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([1, 2], "int64"),
        ([1, 0.5], "float64"),
        ([True, False], "bool"),
        ([1, "a"], "string"),
        ([-(2**63), 2**63 - 1], "int64"),
        ([0, 2**63], "string"),
        ([0.5, 10**400], "string"),
    ],
)
def test_columns_have_a_type_that_all_values_fit(values: list[Any], kind: str) -> None:
    (axis,) = Sweep.of({"walls": values}).axes
    assert axis.kind == kind


@pytest.mark.parametrize(("sweep", "message"), read_table(__file__, "values are validated before the work"))
def test_values_are_validated_before_the_work(sweep: dict[str, Any], message: str) -> None:
    with refused(message):
        make_manifest(sweep)


def test_part_size_depends_on_the_largest_map() -> None:
    sizes = {"params.width": [16, 2048], "params.height": {"from": 16, "to": 4096, "count": 3}}
    assert make_manifest(sizes).max_cells == 2048 * 4096
    assert make_manifest(sizes).part_size == 4
    assert make_manifest({}).part_size == 16


def test_swept_values_are_columns_and_shapers_can_be_swept(tmp_path: Path) -> None:
    recipe = tw.recipe("caves", width=16, height=10, shaping=[{"connect": {"thickness": 1}}])
    sweep = Sweep.of(
        {"params.width": [16, 17], "shaping.0.thickness": [1, 2], "outside": ["wall", "floor"], "wrap": [True]}
    )
    corpus = make(recipe, tmp_path / "c", count=8, seed=3, sweep=sweep, workers=0)
    rows = corpus.table().to_pylist()
    assert [row["params_width"] for row in rows] == [row["width"] for row in rows] == [16] * 4 + [17] * 4
    assert [row["shaping_0_thickness"] for row in rows] == [1, 1, 2, 2] * 2
    assert [row["outside"] for row in rows] == ["wall", "floor"] * 4
    assert [row["wrap"] for row in rows] == [True] * 8
    six = tw.recipe("caves", width=17, height=10, outside="wall", wrap=True, shaping=[{"connect": {"thickness": 2}}])
    assert Corpus(tmp_path / "c").map(6) == tw.run(six, seed="3-6")


def test_listed_values_and_seeds_belong_together(tmp_path: Path) -> None:
    sweep = Sweep.of({"seed": [5, "a", 5], "walls": [0.4, 0.45, 0.5], "outside": ["wall", None, "floor"]}, listed=True)
    assert sweep.size == 3
    recipe = tw.recipe("caves", width=16, height=10)
    with pytest.raises(InvalidRecipe, match="outside"):  # The parameter refuses None.
        make(recipe, tmp_path / "refused", seed=3, sweep=sweep, workers=0)
    sweep = Sweep.of({"seed": [5, "a", 5], "walls": [0.4, 0.45, 0.5], "steps": [1, 2, 3]}, listed=True)
    corpus = make(recipe, tmp_path / "c", seed=3, sweep=sweep, workers=0)
    rows = corpus.table(["seed", "walls", "steps"]).to_pylist()
    assert [tuple(row.values()) for row in rows] == [("5", 0.4, 1), ("a", 0.45, 2), ("5", 0.5, 3)]
    assert corpus.map(1) == tw.run(tw.recipe(recipe, walls=0.45, steps=2), seed="a")
    assert Manifest.from_text(corpus.manifest.text) == corpus.manifest


def test_other_manifests_have_no_key_for_lists() -> None:
    assert "listed" not in make_manifest({"walls": [0.4]}).to_data()


def test_lists_and_mixed_values_are_columns_of_strings(tmp_path: Path) -> None:
    scores = [[0.1, 0.9, 0.4, 0.6], "random"]
    recipe = tw.recipe("fashion", width=16, height=10, states=2)
    corpus = make(recipe, tmp_path / "c", seed=3, sweep=Sweep.of({"scores": scores}, listed=True), workers=0)
    assert corpus.table(["scores"])["scores"].to_pylist() == ["[0.1, 0.9, 0.4, 0.6]", "random"]
    assert corpus.map(0) == tw.run(tw.recipe(recipe, scores=scores[0]), seed="3-0")


@pytest.mark.parametrize(("sweep", "options", "message"), read_table(__file__, "mistakes in lists are one line"))
def test_mistakes_in_lists_are_one_line(sweep: Any, options: dict[str, bool], message: str) -> None:
    with refused(message, InvalidRecipe):
        Sweep.of(sweep, listed=True, **options)


def test_request_takes_the_sweep_from_the_recipe() -> None:
    order = Request.of({"technique": "caves", "seed": 4, "sweep": {"walls": "0.4..0.5:0.1"}, "sampled": True})
    assert (order.recipe.technique, order.seed, order.sweep.sampled) == ("caves", "4", True)
    assert order.sweep.axes[0].values == (0.4, 0.5)
    with pytest.raises(InvalidRecipe, match="sampled: must be true or false, got 'yes'"):
        Request.of({"technique": "caves", "sampled": "yes"})
