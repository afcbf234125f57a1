"""Shape in a browser: the list of shapers and the recipe as YAML."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from playwright.sync_api import expect

import tilewright as tw
from tests.studio.page import Studio
from tilewright.core.yaml import read_data

SMALL: dict[str, Any] = {"technique": "caves", "params": {"width": 30, "height": 20, "walls": 0.5}, "seed": 3}


def make_shaped(*shaping: Any) -> tw.TileMap:
    return tw.run({**SMALL, "shaping": list(shaping)})


def add(studio: Studio, shaper: str) -> None:
    studio["add-shaper"].click()
    studio[f"add-{shaper}"].click()


def apply_text(studio: Studio, text: str) -> None:
    """Replace the text of the recipe, and apply it."""
    studio["recipe"].locator(".cm-content").click()
    studio.press("Control+a")
    studio.page.keyboard.insert_text(text)
    studio["apply-recipe"].click()


def test_shapers_are_added_reordered_disabled_and_edited(studio: Studio) -> None:
    studio.open(SMALL)
    studio.tab("shape")
    studio["add-shaper"].click()
    expect(studio["add-connect"].locator("img")).to_have_js_property("naturalWidth", 308)  # before and after
    studio["add-connect"].click()
    expect(studio["stage-0"]).to_contain_text("connect")
    studio.shows(make_shaped("connect"))
    add(studio, "border")
    expect(studio["stage-1"]).to_contain_text("border")
    studio.shows(make_shaped("connect", "border"))
    thickness = studio["stage-1"].get_by_test_id("param-thickness")
    thickness.fill("3")
    thickness.press("Enter")
    studio.shows(make_shaped("connect", {"border": {"thickness": 3}}))

    studio["stage-1-up"].click()
    studio.shows(make_shaped({"border": {"thickness": 3}}, "connect"))
    expect(studio["stage-0"]).to_contain_text("border")
    expect(studio["stage-0"].get_by_test_id("param-thickness")).to_have_value("3")
    studio["stage-0-on"].click()
    studio.shows(make_shaped("connect"))
    studio["undo"].click()
    studio.shows(make_shaped({"border": {"thickness": 3}}, "connect"))
    expect(studio["stage-0-on"]).to_have_attribute("aria-checked", "true")
    studio["redo"].click()
    studio.shows(make_shaped("connect"))
    expect(studio["stage-0-on"]).to_have_attribute("aria-checked", "false")
    studio["stage-0-on"].click()
    studio.shows(make_shaped({"border": {"thickness": 3}}, "connect"))
    studio["stage-0-remove"].click()
    studio.shows(make_shaped("connect"))
    expect(studio["stage-1"]).to_have_count(0)
    expect(studio["recipe"]).to_contain_text("connect")


def test_the_recipe_is_edited_as_yaml(studio: Studio) -> None:
    studio.open(SMALL)
    studio.tab("shape")
    apply_text(studio, "technique: maze\nseed: 5\nparams:\n  width: 31\n  height: 21\nshaping: [border]\n")
    maze = tw.make("maze", seed=5, width=31, height=21, shaping=["border"])
    studio.shows(maze)
    expect(studio["seed"]).to_have_value("5")
    expect(studio["stage-0"]).to_contain_text("border")

    for text, test, line in (
        ("technique: [", "recipe-wrong", "the recipe: not a recipe in YAML or JSON: "),
        ("- a list", "recipe-wrong", "the recipe: a recipe is a set of named values"),
        ("technique: mase", "line", "unknown technique 'mase'; did you mean 'maze'?"),
    ):
        apply_text(studio, text)
        expect(studio[test]).to_contain_text(line)
        assert "\n" not in studio[test].inner_text()
        studio.shows(maze)


def test_edits_of_the_text_stay_until_the_recipe_changes(studio: Studio) -> None:
    studio.open(SMALL)
    studio.tab("shape")
    apply_text(studio, "technique: [")
    expect(studio["recipe-wrong"]).to_contain_text("not a recipe")
    studio["grid"].click()
    studio.tab("make")
    studio.tab("shape")
    expect(studio["recipe"]).to_contain_text("technique: [")
    expect(studio["recipe-wrong"]).to_contain_text("not a recipe")
    with studio.another():
        studio["reroll"].click()
    expect(studio["recipe"]).to_contain_text("technique: caves")
    expect(studio["recipe-wrong"]).to_have_text("")


def test_a_recipe_without_a_seed_gets_the_current_one(studio: Studio) -> None:
    studio.open(SMALL)
    studio.tab("shape")
    apply_text(studio, "technique: maze\nparams: {width: 31, height: 21}\n")
    studio.shows(tw.make("maze", seed=3, width=31, height=21))
    expect(studio["seed"]).to_have_value("3")
    expect(studio["recipe"]).to_contain_text("seed: 3")


def test_the_text_keeps_disabled_shapers(studio: Studio, tmp_path: Path) -> None:
    studio.open({**SMALL, "shaping": ["connect", {"border": {"thickness": 2}}]})
    studio.tab("shape")
    studio["stage-1-on"].click()
    studio.shows(make_shaped("connect"))
    expect(studio["recipe"]).to_contain_text("# off: - border: {thickness: 2}")
    path = studio.download("save-recipe", tmp_path)
    text = path.read_text()
    assert tw.run(path) == make_shaped("connect")

    apply_text(studio, text.replace("- connect", "- connect: {thickness: 3}"))
    studio.shows(make_shaped({"connect": {"thickness": 3}}))
    expect(studio["stage-1"]).to_contain_text("border")
    expect(studio["stage-1-on"]).to_have_attribute("aria-checked", "false")
    apply_text(studio, text.replace("# off: ", ""))
    studio.shows(make_shaped("connect", {"border": {"thickness": 2}}))
    expect(studio["stage-1-on"]).to_have_attribute("aria-checked", "true")
    studio.upload("load-recipe", "mine.yaml", path.read_bytes())
    studio.shows(make_shaped("connect"))
    expect(studio["stage-1-on"]).to_have_attribute("aria-checked", "false")


def test_a_recipe_is_saved_and_loaded(studio: Studio, tmp_path: Path) -> None:
    recipe = {**SMALL, "shaping": ["connect", {"border": {"thickness": 2}}], "locks": [[3, 3, "water"]]}
    studio.open(recipe)
    studio.tab("shape")
    map = tw.run(recipe)
    studio.shows(map)
    path = studio.download("save-recipe", tmp_path)
    assert path.name == "caves.yaml"
    assert tw.run(path) == map
    assert read_data(path.read_text(), "saved") == recipe

    with studio.another():
        studio["reroll"].click()
    studio.upload("load-recipe", "mine.yaml", path.read_bytes())
    studio.shows(map)
    expect(studio["seed"]).to_have_value("3")
    studio.upload("load-recipe", "bad.yaml", b"technique: {")
    expect(studio["recipe-wrong"]).to_contain_text("bad.yaml: not a recipe in YAML or JSON: ")
    studio.shows(map)


def test_properties_of_markers_are_edited_as_a_list(studio: Studio) -> None:
    orcs = {"markers": "orc", "rule": "random", "count": 3, "properties": {"gold": 5, "level": [1, 9]}}
    recipe = {"technique": "maze", "params": {"width": 31, "height": 21}, "seed": 7}
    studio.open({**recipe, "shaping": [{"place": orcs}]})
    studio.tab("shape")
    expect(studio["param-properties-1-name"]).to_have_value("level")
    studio["param-properties-0-open"].click()
    studio["param-properties-0-value"].fill("much")
    studio["param-properties-0-value"].press("Tab")
    expect(studio["recipe"]).to_contain_text("value: much")
    expect(studio.line).to_be_hidden()
