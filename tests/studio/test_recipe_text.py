"""Recipes as YAML with disabled shapers as comments."""

from __future__ import annotations

from typing import Any

import pytest

import tilewright as tw
from tilewright.core.errors import BadFile
from tilewright.core.yaml import read_data, write_data
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


@pytest.mark.parametrize(
    "stage",
    [
        "a: b # c",
        {"overlay": {"recipe": {"technique": "caves", "params": {"walls": 0.4}, "shaping": ["connect"]}, "x": 3}},
        {"paint": {"tile": "1e5", "of": "true", "texts": ["two\nlines", "§ - # off: - x", "", " "]}},
        {"border": {}},
        {"border": None},
        {"replace": {"pairs": [["a", "b"], ["?", "[c]"]]}},
    ],
    ids=str,
)
def test_any_shaper_can_be_disabled(stage: Any) -> None:
    recipe = {**RECIPE, "shaping": ["connect", stage]}
    text = write_text(recipe, (1,))
    assert len(text.splitlines()) == 6
    assert read_text(text, "here") == (recipe, (1,))


def test_the_text_can_be_edited_freely() -> None:
    text = """
# My recipe
technique: caves
shaping:
    # off: - border
    # the next one is on
    - connect: {thickness: 2}
  # off:- {doors: {}}
    -
      overlay:
        recipe: open-caves
    # off:   - mirror
seed: 3
"""
    recipe, off = read_text(text, "here")
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
    with pytest.raises(BadFile, match=r"^here: line 2: ") as caught:
        read_text(f"technique: caves\n# off: - {line}\n", "here")
    assert "\n" not in str(caught.value)
