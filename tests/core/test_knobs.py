"""Knobs of recipes: how values follow from a knob, how the knob's value follows from them, and what is refused."""

from __future__ import annotations

from typing import Any

import click
import pytest

import tilewright as tw
from tests.cases import read_table
from tests.refusals import refused
from tilewright.cli import program
from tilewright.core.errors import InvalidRecipe
from tilewright.core.knobs import RESERVED_NAMES, RecipeKnob
from tilewright.core.notation import RESERVED_FLAGS
from tilewright.core.recipe import Recipe
from tilewright.core.recipe_knobs import apply_knobs
from tilewright.studio.http.requests import MAP_KEYS

CAVE: dict[str, Any] = {
    "technique": "caves",
    "params": {"width": 40, "height": 20, "walls": 0.47},
    "shaping": ["border", {"connect": {"thickness": 2}}],
    "seed": 7,
}
SIZE = {"description": "Size.", "range": [20, 60], "drives": {"params.width": None, "params.height": [10, 30]}}
OPENNESS = {"range": [0, 10], "drives": {"params.walls": [0.52, 0.42]}}
TUNNELS = {"choices": ["narrow", "wide"], "drives": {"shaping.1.connect.thickness": [1, 2]}}
KNOBS = {"size": SIZE, "openness": OPENNESS, "tunnels": TUNNELS}


def with_knobs(knobs: Any = KNOBS, **changes: Any) -> dict[str, Any]:
    return {**CAVE, "knobs": knobs, **changes}


def test_the_default_of_a_knob_is_what_the_parameters_give() -> None:
    assert {knob.name: knob.value for knob in Recipe.of(with_knobs()).knobs} == {
        "size": 40,
        "openness": 5,
        "tunnels": "wide",
    }


def test_a_recipe_with_knobs_makes_the_same_map() -> None:
    plain, turned = tw.run(CAVE), tw.run(with_knobs())
    assert plain == turned
    assert tw.run(with_knobs(), knobs={"size": 40, "openness": 5, "tunnels": "wide"}) == plain


def test_knobs_set_all_parameters_that_they_drive() -> None:
    found = tw.recipe(with_knobs(), knobs={"size": 30, "openness": 10, "tunnels": "narrow"})
    data = found.to_data()
    assert [data["params"][name] for name in ("width", "height", "walls")] == [30, 15, 0.42]
    assert data["shaping"][1]["connect"]["thickness"] == 1
    assert [knob.value for knob in found.knobs] == [30, 10, "narrow"]


def test_keywords_replace_what_knobs_set() -> None:
    found = tw.recipe(with_knobs(), knobs={"size": 30}, height=21)
    assert found.shape == (21, 30)
    assert found.knobs[0].value is None


def test_a_recipe_object_can_be_turned_again() -> None:
    once = tw.recipe(with_knobs(), knobs={"size": 30})
    assert tw.run(once, knobs={"size": 40, "openness": 5}) == tw.run(CAVE)
    city = tw.recipe("city-blocks", knobs={"parks": 5})
    assert tw.run(city, knobs={"parks": 2}, seed=7) == tw.run("city-blocks", seed=7)


def test_watching_and_exporting_take_knobs(tmp_path: Any) -> None:
    last = list(tw.watch(with_knobs(), knobs={"size": 30}))[-1].map
    assert last == tw.run(with_knobs(), knobs={"size": 30})
    assert last is not None
    done = tw.export_project(with_knobs(), tmp_path, engine="tiled", knobs={"size": 30})
    assert tw.load(tmp_path / done.written[1]).shape == last.shape


def test_files_store_the_parameters_and_no_knobs(tmp_path: Any) -> None:
    path = tmp_path / "map.json"
    tw.run("city-blocks", knobs={"parks": 4}, seed=3).save(path)
    assert "knobs" not in tw.load(path).recipe.to_data()  # type: ignore[union-attr]
    assert tw.verify(path).outcome == "same"


def test_values_are_interpolated_and_integers_rounded() -> None:
    knob = RecipeKnob.of("size", {"range": [0, 3], "drives": {"params.width": [10, 20], "params.walls": [0.1, 0.2]}})
    assert [knob.expand(value)["params.width"] for value in range(4)] == [10, 13, 17, 20]
    assert knob.expand(2)["params.walls"] == 0.166666667
    assert [knob.find_value(knob.expand(value)) for value in range(4)] == [0, 1, 2, 3]
    assert knob.find_value({"params.width": 13, "params.walls": 0.2}) is None


def test_templates_and_values_are_found_again() -> None:
    drives = {"params.names.0": "gold:{}", "params.roomData.0": {"range": [4, 10], "text": "tree:5x4:{}"}}
    knob = RecipeKnob.of("rooms", {"range": [1, 4], "drives": drives})
    assert knob.expand(2) == {"params.names.0": "gold:2", "params.roomData.0": "tree:5x4:6"}
    assert all(knob.find_value(knob.expand(value)) == value for value in range(1, 5))
    table = RecipeKnob.of("parks", {"range": [0, 2], "drives": {"params.text": ["none", "one", "two"]}})
    assert table.find_value({"params.text": "two"}) == 2
    switch = RecipeKnob.of("market", {"choices": [False, True], "drives": {"params.steps": [0, 1]}})
    assert (switch.find_value({"params.steps": 1}), switch.field.kind) == (True, "switch")


def test_requirements_can_be_driven() -> None:
    data = with_knobs({"rooms": {"range": [0, 9], "drives": {"require.count.floor": ">{}"}}}, require={"regions": 1})
    assert apply_knobs(data, {"rooms": 4})["require"] == {"regions": 1, "count.floor": ">4"}
    assert Recipe.of(apply_knobs(data, {"rooms": 4})).knobs[0].value == 4


def test_knobs_survive_as_data() -> None:
    for name in ("city-blocks", "ore-mine", "skirmish"):
        for knob in tw.recipe(name).knobs:
            again = RecipeKnob.of(knob.name, knob.to_data())
            assert again.model_copy(update={"value": knob.value}) == knob


def test_a_broken_knob_can_be_removed_or_fixed() -> None:
    data = with_knobs({"x": {"range": [0, 1], "drives": "params.wals"}})
    with pytest.raises(InvalidRecipe) as caught:
        Recipe.of(data)
    removals = [fix for fix in caught.value.problems[0].fixes if fix.action == "remove"]
    assert not Recipe.of(removals[0].apply(data)).knobs


@pytest.mark.parametrize(("values", "line"), read_table(__file__, "invalid values are refused"))
def test_invalid_values_are_refused(values: Any, line: str) -> None:
    with refused(line, InvalidRecipe):
        apply_knobs(with_knobs(), values)


def test_recipes_without_knobs_say_so() -> None:
    with pytest.raises(InvalidRecipe, match="the recipe has no knobs"):
        tw.run(CAVE, knobs={"size": 3})


def test_reserved_names_are_the_options_of_all_commands_that_take_a_recipe() -> None:
    context = click.Context(program)
    corpus = program.get_command(context, "corpus")
    assert isinstance(corpus, click.Group)
    commands = [program.get_command(context, "run"), program.get_command(context, "export")]
    commands.append(corpus.get_command(context, "make"))
    names = {
        name.lstrip("-").replace("-", "_")
        for command in commands
        if command is not None
        for option in command.params
        if isinstance(option, click.Option)
        for name in option.opts
        if name.startswith("--")
    }
    assert names | {"help", *MAP_KEYS} <= RESERVED_NAMES
    assert names | {*MAP_KEYS} >= RESERVED_NAMES - RESERVED_FLAGS
