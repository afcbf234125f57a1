"""Lists of the recipes, samples and models that ship with Tilewright."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from click.testing import CliRunner

import tilewright as tw
from tilewright import data
from tilewright.cli import program

LISTS: dict[str, Callable[[], Sequence[Any]]] = {
    "recipes": tw.list_recipes,
    "samples": tw.list_samples,
    "models": tw.list_models,
}


@pytest.mark.parametrize("kind", LISTS)
def test_lists_are_complete_and_those_of_the_command_line(kind: str) -> None:
    found = LISTS[kind]()
    assert [one.name for one in found] == list(data.list_names(kind))
    assert all(one.summary and "\n" not in one.summary for one in found)
    listed = json.loads(CliRunner().invoke(program, ["list", kind, "--json"]).output)[kind]
    assert [(one["name"], one["summary"]) for one in listed] == [(one.name, one.summary) for one in found]


def test_recipes_have_the_names_of_their_knobs() -> None:
    for one in tw.list_recipes():
        assert one.knobs == tuple(knob.name for knob in tw.recipe(one.name).knobs)
    listed = json.loads(CliRunner().invoke(program, ["list", "recipes", "--json"]).output)["recipes"]
    assert [tuple(one["knobs"]) for one in listed] == [one.knobs for one in tw.list_recipes()]


def test_lists_cannot_be_changed() -> None:
    tw.list_recipes().clear()
    assert tw.list_recipes()
    with pytest.raises(AttributeError):
        tw.list_samples()[0].name = "x"  # type: ignore[misc]
