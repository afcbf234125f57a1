"""Knobs in a browser: controls of an opened recipe above the parameters of its technique."""

from __future__ import annotations

import re
from pathlib import Path

from playwright.sync_api import expect

import tilewright as tw
from tests.studio.page import Studio


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
    link = studio.copy("copy-link")
    studio.page.goto("about:blank")
    studio.page.goto(link)
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
        "water": 40,
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
