"""The opened recipe in the state: its name, the defaults of its knobs, and knobs whose shapers move."""

from __future__ import annotations

from typing import Any

from tilewright.core.recipe_knobs import renumber_stages
from tilewright.core.resolver import Resolver
from tilewright.studio.make.opened_recipe import OpenedRecipe, find_knobs, keep_fitting_knobs
from tilewright.studio.state import State


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
    moved["knobs"] = renumber_stages(recipe["knobs"], {0: 1, 1: 0, 2: 2, 3: 3})
    assert find_values(moved) == find_values(recipe)
    removed = {**recipe, "shaping": stages[1:], "knobs": renumber_stages(recipe["knobs"], {1: 0, 2: 1, 3: 2})}
    assert find_values(removed) == {name: value for name, value in find_values(recipe).items() if name != "water"}
