"""The first screen in a browser: goals, search and keyboard, on a desktop and on a phone."""

from __future__ import annotations

from playwright.sync_api import Browser, expect

import tilewright as tw
from tests.studio.page import Studio
from tilewright.studio.start.goals import list_goals
from tilewright.studio.state import State

PHONE = {"width": 390, "height": 844}
MIN_TARGET = 44
"""Minimum width and height in pixels of what a finger presses."""


def test_goals_open_their_maps(studio: Studio) -> None:
    studio.open("")
    expect(studio["tab-start"]).to_have_attribute("aria-selected", "true")
    expect(studio.map).to_be_hidden()
    for goal in list_goals():
        card = studio[f"goal-{goal.name}"]
        expect(card).to_contain_text(goal.title)
        card.scroll_into_view_if_needed()
        expect(card.locator("img")).to_have_js_property("complete", True)
        assert card.locator("img").evaluate("(picture) => picture.naturalWidth > 0 && picture.loading === 'lazy'")

    # By keyboard: the card after the focused one is the cave.
    studio["goal-dungeon"].get_by_role("button").focus()
    studio.press("Tab", "Enter")
    studio.shows(tw.run("crystal-cave", seed=9))
    expect(studio["tab-make"]).to_have_attribute("aria-selected", "true")
    studio["undo"].click()
    studio.shows(tw.run("roguelike-dungeon", seed=8))  # the first map

    studio.page.go_back()
    expect(studio["tab-start"]).to_have_attribute("aria-selected", "true")
    studio["goal-drawing"].click()
    expect(studio["tab-example"]).to_have_attribute("aria-selected", "true")
    studio.tab("start")
    studio["goal-empty"].click()
    expect(studio["search"]).to_be_focused()
    studio["pick-maze"].click()
    studio.shows(tw.make("maze", seed=7))


def test_the_search_finds_recipes_techniques_and_goals(studio: Studio) -> None:
    studio.open("")
    studio["start-search"].fill("zelda")
    expect(studio["pick-island-kingdom"]).to_be_visible()
    expect(studio["pick-farm-village"]).to_be_visible()
    expect(studio["goal-cave"]).to_be_hidden()
    expect(studio["pick-caves"]).to_be_hidden()
    studio["start-search"].fill("no such thing")
    expect(studio["nothing-found"]).to_contain_text("Nothing found for “no such thing”")
    studio["suggest-maze"].click()
    expect(studio["start-search"]).to_have_value("maze")
    expect(studio["pick-maze"]).to_be_visible()
    studio["start-search"].fill("sketch")
    expect(studio["pick-drawing"]).to_be_visible()
    studio["start-search"].fill("mario")
    expect(studio["pick-platformer"]).to_be_visible()
    studio["start-search"].press("Enter")
    studio.shows(tw.run("platformer", seed=8))
    studio.tab("start")
    studio["start-search"].press("Escape")
    expect(studio["goal-cave"]).to_be_visible()
    expect(studio["pick-swamp"]).to_be_visible()  # all recipes, below the goals
    # A technique of the first screen starts a new recipe, without the shapers of the map before.
    studio["pick-caves"].click()
    studio.shows(tw.make("caves", seed=8))


def test_a_link_opens_without_the_first_screen(studio: Studio) -> None:
    studio.open(State())
    expect(studio["start"]).to_be_hidden()
    studio.page.evaluate("location.hash = ''")
    expect(studio["goal-dungeon"]).to_be_visible()
    studio.tab("make")
    studio.shows(tw.make("caves", seed=7))


def test_the_first_screen_on_a_phone(browser: Browser, server: str) -> None:
    context = browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True, color_scheme="light")  # type: ignore[arg-type]
    studio = Studio(context, server).open("")
    boxes = [studio["start-search"].locator("xpath=ancestor::label").bounding_box()]
    for goal in list_goals():
        studio[f"goal-{goal.name}"].scroll_into_view_if_needed()
        boxes.append(studio[f"goal-{goal.name}"].bounding_box())
    for box in boxes:
        assert box is not None
        assert min(box["width"], box["height"]) >= MIN_TARGET
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= PHONE["width"]
    studio["goal-maze"].tap()
    studio.shows(tw.run("stone-labyrinth", seed=2))
    studio.close()
    context.close()
