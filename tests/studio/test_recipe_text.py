"""Recipes as YAML with disabled shapers as comments, and the opened recipe in the state."""

from __future__ import annotations

from typing import Any

import pytest

import tilewright as tw
from tests.cases import read_table
from tests.refusals import refused
from tilewright.core.errors import BadFile
from tilewright.core.recipe_knobs import renumber_stages
from tilewright.core.resolver import Resolver
from tilewright.core.yaml import read_data, write_data
from tilewright.studio.make.opened_recipe import OpenedRecipe, find_knobs, keep_fitting_knobs
from tilewright.studio.shape.recipe_text import read_text, write_text
from tilewright.studio.state import State

SHAPING: list[Any] = ["connect", {"border": {"thickness": 2}}, "doors", {"rotate": {"turns": 2}}]
RECIPE: dict[str, Any] = {"technique": "caves", "params": {"width": 30}, "shaping": SHAPING, "seed": 7}


def test_a_disabled_shaper_is_a_comment_at_its_position() -> None:
    assert write_text(RECIPE, (1,)).splitlines() == [
        "technique: caves",
        "params: {width: 30}",
        "shaping:",
        "- connect",
        "# off: - border: {thickness: 2}",
        "- doors",
        "- rotate: {turns: 2}",
        "seed: 7",
    ]


@pytest.mark.parametrize("off", [(), (0,), (1,), (3,), (0, 1), (1, 2, 3), (0, 1, 2, 3)])
def test_what_is_written_is_read_again(off: tuple[int, ...]) -> None:
    text = write_text(RECIPE, off)
    assert read_text(text, "here") == (RECIPE, off)
    effective = State(RECIPE, off=off).effective
    assert {key: value for key, value in read_data(text, "for others").items() if value is not None} == effective
    assert tw.recipe(read_data(text, "for others")) == tw.recipe(effective)


@pytest.mark.parametrize("off", [(), (4,), (99,)])
def test_without_disabled_shapers_the_text_is_plain_yaml(off: tuple[int, ...]) -> None:
    assert write_text(RECIPE, off) == write_data(RECIPE)
    assert write_text({"technique": "caves"}, off) == "technique: caves\n"


@pytest.mark.parametrize("stage", read_table(__file__, "any shaper can be disabled"), ids=str)
def test_any_shaper_can_be_disabled(stage: Any) -> None:
    recipe = {**RECIPE, "shaping": ["connect", stage]}
    text = write_text(recipe, (1,))
    assert len(text.splitlines()) == 6
    assert read_text(text, "here") == (recipe, (1,))


def test_the_text_can_be_edited_freely() -> None:
    recipe, off = read_text(read_table(__file__, "edited text"), "here")
    on = [{"connect": {"thickness": 2}}, {"overlay": {"recipe": "open-caves"}}]
    assert recipe["shaping"] == ["border", on[0], {"doors": {}}, on[1], "mirror"]
    assert off == (0, 2, 4)
    assert read_text("technique: caves\n# off: - border\n", "here") == (
        {"technique": "caves", "shaping": ["border"]},
        (0,),
    )
    assert read_text("shaping: connect\n# off: - border\n", "here") == ({"shaping": ["connect", "border"]}, (1,))
    assert read_text("shaping: [connect, doors]\n# off: - border\n", "here")[1] == (2,)


@pytest.mark.parametrize("line", ["{", "border: [", "a, b", "border: {thickness: 2", "'", "]", "*a", "!!python/x y"])
def test_a_comment_that_is_not_a_shaper_is_refused(line: str) -> None:
    with refused("", BadFile, start="here: line 2: "):
        read_text(f"technique: caves\n# off: - {line}\n", "here")


def open_recipe(name: str) -> State:
    data, _ = Resolver().read_recipe(name)
    return State().open_recipe(data, name)


def find_values(recipe: Any) -> dict[str, Any]:
    return {knob.name: knob.value for knob in find_knobs(recipe)}


def test_links_keep_the_name_and_the_defaults() -> None:
    state = open_recipe("city-blocks")
    assert state.opened.name == "city-blocks"
    assert state.opened.knobs["parks"] == 2
    assert State.from_link(state.to_link()) == state
    edited = state.with_params(width=70)
    assert State.from_link(edited.to_link()).opened == state.opened
    assert "opened" not in State().opened.to_data()


def test_links_with_invalid_names_open() -> None:
    assert OpenedRecipe.keep_valid([1]) == OpenedRecipe()
    found = OpenedRecipe.keep_valid({"name": "x" * 1000, "knobs": {"size": 3, "bad": [1]}})
    assert (len(found.name), found.knobs) == (0, {"size": 3})
    assert OpenedRecipe.keep_valid({"name": 3, "knobs": "x"}) == OpenedRecipe()


def test_the_map_is_made_without_knobs() -> None:
    """Knobs count disabled shapers, which are left out of the recipe that is made."""
    state = open_recipe("flooded-cavern").with_off(0)
    assert "knobs" not in state.effective
    assert find_values(state.recipe)["tunnel_width"] == 2


def test_an_edited_parameter_gives_the_value_that_corresponds_or_none() -> None:
    recipe = open_recipe("city-blocks").recipe
    params = recipe["params"]
    assert find_values({**recipe, "params": {**params, "width": 96, "height": 60}})["size"] == 96
    assert find_values({**recipe, "params": {**params, "width": 97, "height": 60}})["size"] is None


def test_knobs_that_no_longer_fit_are_left_out() -> None:
    recipe = open_recipe("ore-mine").recipe
    names = [name for name in recipe["params"]["names"] if not name.startswith("cart")]
    found = find_values({**recipe, "params": {**recipe["params"], "names": names}})
    assert "carts" not in found
    assert "drifts" in found
    kept = keep_fitting_knobs({**recipe, "params": {**recipe["params"], "names": names}})
    assert kept["knobs"].keys() == found.keys()
    assert find_values({**recipe, "knobs": [1]}) == {}
    assert find_values({**recipe, "technique": "nonsense"}) == {}


def test_knobs_follow_their_shapers() -> None:
    recipe = open_recipe("flooded-cavern").recipe
    stages = recipe["shaping"]
    moved = {**recipe, "shaping": [stages[1], stages[0], *stages[2:]]}
    places = {number: number for number in range(len(stages))}
    moved["knobs"] = renumber_stages(recipe["knobs"], {**places, 0: 1, 1: 0})
    assert find_values(moved) == find_values(recipe)
    others = {number: number - 1 for number in range(2, len(stages))}
    removed = {**recipe, "shaping": [stages[0], *stages[2:]]}
    removed["knobs"] = renumber_stages(recipe["knobs"], {0: 0, **others})
    assert find_values(removed) == {
        name: value for name, value in find_values(recipe).items() if name != "tunnel_width"
    }
