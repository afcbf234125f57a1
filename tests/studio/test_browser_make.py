"""Make in a browser: choice of a technique, parameters, knobs, seeds and measures."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import expect

import tilewright as tw
from tests.studio.models import build_model
from tests.studio.page import Studio
from tilewright.data import list_names
from tilewright.formats._models import encode_network
from tilewright.studio.state import State


def test_parameters_change_the_map(studio: Studio) -> None:
    studio.open()
    studio.shows(tw.make("caves", seed=7))
    before = studio.pixels()
    studio.set_param("walls", 0.52)
    studio.shows(tw.make("caves", seed=7, walls=0.52))
    assert not np.array_equal(studio.pixels(), before)

    studio.set_param("width", 48)
    studio.shows(tw.make("caves", seed=7, walls=0.52, width=48))
    expect(studio.map).to_have_attribute("data-width", "48")
    expect(studio["facts"]).to_contain_text("caves · 48×50")

    studio["param-wrap"].click()
    studio.shows(tw.make("caves", seed=7, walls=0.52, width=48, wrap=True))
    studio["param-outside"].get_by_text("floor").click()
    studio.shows(tw.make("caves", seed=7, walls=0.52, width=48, wrap=True, outside="floor"))

    studio["param-walls-reset"].click()
    studio.shows(tw.make("caves", seed=7, width=48, wrap=True, outside="floor"))
    expect(studio["param-walls"]).to_have_value("0.45")


def test_suggested_fixes_are_applied_by_a_click(studio: Studio) -> None:
    recipe = {"technique": "caves", "seed": 7, "params": {"walls": 3, "widht": 30}}
    wrong = State.from_recipe({**recipe, "shaping": [{"connect": {"thickness": 0}}]})
    studio.open()
    studio.page.evaluate(f"location.hash = '#{wrong.to_link()}'")
    expect(studio.line).to_contain_text("walls: must be at most 1.0, got 3")
    expect(studio.page.locator('[data-error="must be at most 1.0, got 3"]')).to_have_count(1)
    studio.page.get_by_role("button", name="Set walls to 1.0").click()
    expect(studio.line).not_to_contain_text("walls")
    studio.page.get_by_role("button", name="Use 'width'").click()
    expect(studio.line).not_to_contain_text("widht")
    studio.page.get_by_role("button", name="Set thickness to 1").click()
    expect(studio.line).to_be_hidden()
    studio.shows(
        tw.run({"technique": "caves", "seed": 7, "params": {"walls": 1.0, "width": 30}, "shaping": ["connect"]})
    )


def test_the_map_of_the_newest_value_is_shown(studio: Studio) -> None:
    studio.open()
    slider = studio.slider("walls")
    box = studio.box(slider)
    middle = box["y"] + box["height"] / 2
    studio.page.mouse.move(box["x"] + 10, middle)
    studio.page.mouse.down()
    for step in range(1, 9):
        studio.page.mouse.move(box["x"] + box["width"] * step / 10, middle)
    studio.page.mouse.up()
    last = float(slider.get_attribute("aria-valuenow") or 0)
    assert last > 0.5
    studio.shows(tw.make("caves", seed=7, walls=last))
    expect(studio["param-walls"]).to_have_value(str(last))

    slider.focus()
    studio.press(*["ArrowLeft"] * 5)
    lower = float(slider.get_attribute("aria-valuenow") or 0)
    assert lower < last
    studio.shows(tw.make("caves", seed=7, walls=lower))
    expect(studio["param-walls"]).to_have_value(str(lower))
    # All changes of a slider are one undo step.
    studio["undo"].click()
    studio.shows(tw.make("caves", seed=7))


def test_a_technique_is_found_and_chosen(studio: Studio) -> None:
    studio.open()
    studio["chosen"].click()
    cards = studio.page.locator(".tw-link:visible")
    expect(cards).to_have_count(len(tw.list_techniques()) + len(list_names("recipes")))
    studio["search"].fill("maze")
    expect(studio["pick-maze"]).to_be_visible()
    expect(studio["pick-caves"]).to_be_hidden()
    # Pictures are loaded when they become visible.
    expect(studio["pick-maze"].locator("img")).to_have_js_property("complete", True)
    expect(studio["pick-maze"].locator("img")).not_to_have_js_property("naturalWidth", 0)
    studio["search"].fill("dungeons")
    for name in ("rooms", "bsp", "crypt", "locked-dungeon"):
        expect(studio[f"pick-{name}"]).to_be_visible()
    expect(studio["pick-maze"]).to_be_hidden()
    studio["search"].fill("no such thing")
    expect(studio["nothing-found"]).to_contain_text("Nothing found for “no such thing”")
    expect(studio.page.get_by_text("Techniques", exact=True)).to_be_hidden()
    studio["search"].fill("MAZE")
    studio["pick-maze"].click()
    studio.shows(tw.make("maze", seed=7))
    expect(studio["technique"]).to_have_text("maze")
    expect(studio["param-braid"]).to_be_visible()

    studio["chosen"].click()
    expect(studio["search"]).to_be_focused()
    studio.press("Escape")
    expect(studio["param-braid"]).to_be_visible()
    studio["chosen"].click()
    expect(studio["search"]).to_have_value("")
    studio["pick-crypt"].click()
    studio.shows(tw.run("crypt", seed=7))
    studio["undo"].click()
    studio.shows(tw.make("maze", seed=7))


def test_the_tileset_is_changed(studio: Studio) -> None:
    studio.open()
    studio.choose("tileset", "dungeon")
    studio.shows(tw.make("caves", seed=7, tileset="dungeon"))
    studio.choose("tileset", "the technique's own")
    studio.shows(tw.make("caves", seed=7))


def test_seeds_are_set_chosen_at_random_and_restored(studio: Studio) -> None:
    studio.open()
    expect(studio["seed"]).to_have_value("7")
    expect(studio["earlier"]).to_be_disabled()
    studio.set_seed("a rainy day")
    studio.shows(tw.make("caves", seed="a rainy day"))
    with studio.another():
        studio["reroll"].click()
    expect(studio["seed"]).to_have_value(re.compile(r"^\d+$"))
    new_seed = int(studio["seed"].input_value())
    studio.shows(tw.make("caves", seed=new_seed))
    studio["earlier"].click()
    studio.shows(tw.make("caves", seed="a rainy day"))
    studio["earlier"].click()
    studio.shows(tw.make("caves", seed=7))
    expect(studio["earlier"]).to_be_disabled()


def test_measures_are_updated(studio: Studio) -> None:
    studio.open()
    expect(studio["measure-cells"]).to_have_text("4,000")
    studio.set_param("width", 20)
    expect(studio["measure-cells"]).to_have_text("1,000")
    regions = tw.measure(tw.make("caves", seed=7, width=20), "regions")["regions"]
    expect(studio["measure-regions"]).to_have_text(f"{regions:.0f}")


def test_measures_are_grouped_and_explained(studio: Studio) -> None:
    locks = {"lock_and_key": {"min_count": 0}}  # With any other seed, all locks may not fit.
    studio.open({"technique": "rooms", "params": {"width": 48, "height": 32}, "shaping": [locks], "seed": 7})
    rows = studio["measures"].locator(".tw-measure")
    expect(studio["measure-room_count"]).to_have_text(re.compile(r"\d"))
    expect(rows.first).to_contain_text("solvable")
    expect(studio["measure-solvable"]).to_have_text("yes")
    expect(studio["measures"].locator(".tw-measures-title")).to_have_text(["walking", "playing", "rooms", "shape"])
    # Every number is shown once: the technique's own numbers repeat the number of rooms.
    expect(studio["measure-rooms"]).to_have_count(0)
    explanation = rows.first.locator(".tw-explanation")
    expect(explanation).to_be_hidden()
    rows.first.focus()
    expect(explanation).to_be_visible()
    expect(explanation).to_contain_text("Whether the exit")
    studio.press("Tab")
    expect(explanation).to_be_hidden()
    expect(rows.nth(1).locator(".tw-explanation")).to_be_visible()
    # The row keeps the focus when the map changes.
    with studio.another():
        studio.press("r")
    expect(rows.nth(1)).to_be_focused()


def test_an_uploaded_model_replaces_the_built_in_one(studio: Studio) -> None:
    params: dict[str, Any] = {"width": 12, "height": 8, "steps": 4, "refine": 0}
    recipe = {"technique": "diffusion", "params": params, "seed": 7, "locks": [[0, 0, "wall"], [1, 0, "rock"]]}
    studio.open(recipe)
    before, model = studio.key, build_model(["floor", "wall", "moss"])
    studio.upload("param-model-open", "broken.npz", b"nothing")
    expect(studio.page.locator(".tc-wrong [data-testid=param-model]")).to_be_visible()
    studio.upload("param-model-open", "mine.npz", encode_network(model))
    studio.shows(tw.run({**recipe, "params": {**params, "model": model}, "locks": [[0, 0, "wall"]]}))
    expect(studio["param-model-note"]).to_have_text("3 tiles: floor, wall, moss")
    expect(studio["removed-tiles"]).to_contain_text("1 locked cell: rock")
    studio["removed-tiles-undo"].click()
    expect(studio.map).to_have_attribute("data-key", before)
    studio.choose("param-model", "mine (your file)")
    expect(studio["removed-tiles"]).to_be_visible()


def test_a_recipe_keeps_its_name_picture_and_knobs(studio: Studio, tmp_path: Path) -> None:
    studio.open()
    studio["chosen"].click()
    studio["pick-flooded-cavern"].click()
    studio.shows(tw.run("flooded-cavern", seed=7))
    expect(studio["technique"]).to_have_text("flooded-cavern")
    expect(studio["chosen"].locator("img")).to_have_attribute("src", re.compile("recipes/flooded-cavern.png"))
    expect(studio["knob-openness"]).to_have_value("5")
    expect(studio["param-walls"]).to_be_hidden()
    expect(studio["knobs-custom"]).to_be_hidden()

    studio.enter("knob-size", 48)
    studio.shows(tw.run("flooded-cavern", seed=7, knobs={"size": 48}))
    studio.enter("knob-openness", 9)
    turned = tw.run("flooded-cavern", seed=7, knobs={"size": 48, "openness": 9})
    studio.shows(turned)
    studio["undo"].click()
    studio.shows(tw.run("flooded-cavern", seed=7, knobs={"size": 48}))
    expect(studio["knob-openness"]).to_have_value("5")
    studio["redo"].click()
    studio.shows(turned)

    # A parameter that is edited by hand keeps the name, and the knob has the value that corresponds, or none.
    studio["fold"].click()
    expect(studio["param-walls"]).to_have_value("0.438")
    studio.set_param("walls", 0.47)
    expect(studio["knob-openness"]).to_have_value("5")
    studio.set_param("walls", 0.4)
    expect(studio["knob-openness"]).to_have_attribute("placeholder", "custom")
    expect(studio["knobs-custom"]).to_contain_text("openness")
    expect(studio["technique"]).to_have_text("flooded-cavern")
    studio["knob-openness-reset"].click()
    studio.shows(tw.run("flooded-cavern", seed=7, knobs={"size": 48}))
    expect(studio["knobs-custom"]).to_be_hidden()

    # The link has the name and the values.
    studio.reopen()
    studio.shows(tw.run("flooded-cavern", seed=7, knobs={"size": 48}))
    expect(studio["technique"]).to_have_text("flooded-cavern")
    expect(studio["knob-size"]).to_have_value("48")

    # The recipe file has the knobs, and follows its shapers.
    studio.tab("shape")
    expect(studio["recipe"]).to_contain_text("knobs:")
    studio["stage-0-down"].click()
    path = studio.download("save-recipe", tmp_path)
    assert path.name == "flooded-cavern.yaml"
    saved = tw.recipe(path)
    assert {knob.name: knob.value for knob in saved.knobs} == {
        "size": 48,
        "openness": 5,
        "water": 100,
        "ore": 14,
        "tunnel_width": 2,
    }
    studio.shows(tw.run(saved, seed=7))

    # Another technique has no knobs.
    studio.tab("make")
    studio["chosen"].click()
    studio["pick-caves"].click()
    expect(studio["technique"]).to_have_text("caves")
    expect(studio["knob-size"]).to_have_count(0)
    expect(studio["param-walls"]).to_be_visible()


def test_an_uploaded_recipe_shows_its_knobs(studio: Studio) -> None:
    text = """
technique: maze
params: {width: 21, height: 15, braid: 0}
knobs:
  dead_ends: {description: Fewer of them., range: [0, 4], drives: {params.braid: [0.0, 1.0]}}
seed: 7
"""
    studio.open()
    studio.tab("shape")
    studio.upload("load-recipe", "hedges.yaml", text.encode())
    studio.shows(tw.make("maze", width=21, height=15, seed=7))
    studio.tab("make")
    expect(studio["technique"]).to_have_text("hedges")
    studio.enter("knob-dead_ends", 2)
    studio.shows(tw.make("maze", width=21, height=15, braid=0.5, seed=7))
    studio.enter("knob-dead_ends", 9)
    expect(studio.page.locator('[data-error="must be at most 4, got 9"]')).to_have_count(1)
