"""The page in a browser: the first screen, sizes, keyboard, accessibility, and the back and forward buttons."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import expect

import tilewright as tw
from tests.studio.page import Studio
from tests.studio.screens import check_access, check_layout, check_targets, load_axe
from tilewright.studio.start.goals import list_goals
from tilewright.studio.state import TABS, State

SIZES = ((1280, 720), (1024, 768), (820, 1180))


def test_everything_fits(studio: Studio) -> None:
    studio.open()
    for width, height in SIZES:
        studio.page.set_viewport_size({"width": width, "height": height})
        for tab in TABS:
            studio.tab(tab)
            studio.wait_for_drawing()
            check_layout(studio, (tab, width))
    studio.tab("make")
    for technique in ("fashion", "wfc", "rules", "voronoi", "noise"):
        studio["chosen"].click()
        studio[f"pick-{technique}"].click()
        expect(studio["technique"]).to_have_text(technique)
        studio.wait_for_drawing()
        check_layout(studio, technique)


def test_measures_open_and_close_on_small_screens(studio: Studio) -> None:
    studio.open()
    row = studio["measure-floor_share"]
    expect(row).to_be_visible()
    studio.page.set_viewport_size({"width": 1024, "height": 768})
    share = row.text_content() or ""
    expect(row).to_be_hidden()
    expect(studio["measures-open"]).to_contain_text(f"floor share {share}")
    studio["measures-open"].click()
    expect(row).to_be_visible()
    expect(studio["measures-open"]).to_have_attribute("aria-expanded", "true")
    studio["measures-open"].click()
    expect(row).to_be_hidden()
    studio.page.set_viewport_size({"width": 820, "height": 1180})
    expect(row).to_be_hidden()
    expect(studio["measures-open"]).to_contain_text(f"floor share {share}")


def test_keys(studio: Studio) -> None:
    studio.open()
    studio.press("?")
    expect(studio["keys"]).to_be_visible()
    studio.press("Escape")
    expect(studio["keys"]).to_be_hidden()
    for key, tool in {"s": "select", "b": "brush", "m": "rectangle", "k": "bucket", "i": "picker", "h": "hand"}.items():
        studio.press(key)
        expect(studio.map).to_have_attribute("data-tool", tool)
    studio.press("2")
    expect(studio.map).to_have_attribute("data-tile", "wall")
    expect(studio.map).to_have_attribute("data-tool", "brush")
    studio.press("]", "]", "[")
    expect(studio["brush-size"]).to_have_text("2")
    with studio.another():
        studio.press("r")
    studio.press("Control+z")
    studio.shows(tw.make("caves", seed=7))
    # Keys typed into an input field are not shortcuts.
    studio["seed"].fill("")
    studio["seed"].press_sequentially("grb")
    studio.press("Enter")
    studio.shows(tw.make("caves", seed="grb"))
    expect(studio.map).to_have_attribute("data-tool", "brush")
    expect(studio["grid"]).not_to_have_attribute("aria-pressed", "true")
    # Tabs can be used without a mouse.
    studio["tab-make"].focus()
    studio.press("ArrowRight", "Enter")
    expect(studio["tab-shape"]).to_have_attribute("aria-selected", "true")


SCORES = {"technique": "fashion", "params": {"scores": [[0.1, 0.2], [0.3, 0.4]], "width": 24, "height": 16}, "seed": 7}
DUNGEON = {"technique": "rooms", "params": {"width": 48, "height": 32}, "shaping": ["lock_and_key"], "seed": 7}


def test_axe_finds_nothing_serious(screen: Studio) -> None:
    screen.open(State.from_recipe(DUNGEON))
    expect(screen["measure-cells"]).to_have_text("1,536")
    load_axe(screen)
    for tab in TABS:
        screen.tab(tab)
        check_access(screen, tab)


def test_controls_have_names(studio: Studio) -> None:
    studio.open()
    for name in ("walls", "steps"):
        expect(studio.slider(name)).to_have_role("slider")
        expect(studio.slider(name)).to_have_accessible_name(name)
    studio.slider("walls").focus()
    with studio.another():
        studio.press("ArrowRight")
    expect(studio.slider("walls")).to_have_attribute("aria-valuenow", "0.46")
    expect(studio["param-offset"]).to_have_accessible_name("offset, 1 of 2")
    expect(studio["param-offset-1"]).to_have_accessible_name("offset, 2 of 2")


def test_everything_works_with_the_keyboard(studio: Studio) -> None:
    studio.open()
    # Help and the default of a parameter.
    label = studio.page.locator(".tc-row:has([data-testid=param-walls]) > .tc-label")
    row = studio.page.locator(".tc-row:has([data-testid=param-walls])")
    label.focus()
    studio.press("Enter")
    expect(row).to_have_class(re.compile("tc-helped"))
    studio.set_param("walls", 0.5)
    expect(studio["param-walls-reset"]).to_be_visible()
    studio["param-walls-reset"].focus()
    studio.press("Enter")
    expect(studio["param-walls"]).to_have_value("0.45")
    # The focus is visible on Quasar's buttons too.
    studio["undo"].focus()
    studio.press("Tab")
    focused = studio.page.locator(":focus-visible")
    expect(focused).to_have_count(1)
    assert focused.evaluate("(one) => getComputedStyle(one).boxShadow") != "none"
    # Cells of a matrix of scores.
    studio.page.evaluate("(link) => { location.hash = link }", State.from_recipe(SCORES).to_link())
    scores = studio["param-scores"]
    scores.locator("[tabindex='0']").focus()
    studio.press("ArrowRight", "Enter")
    expect(studio["param-scores-cell"]).to_have_value("0.2")


SMALL: dict[str, Any] = {"width": 30, "height": 20}


def test_back_and_forward_step_through_what_was_opened(studio: Studio) -> None:
    studio.open({"technique": "caves", "params": SMALL, "seed": 7})
    studio.set_param("walls", 0.4)
    caves = tw.make("caves", **SMALL, walls=0.4, seed=7)
    studio.shows(caves)

    studio["chosen"].click()
    studio["pick-maze"].click()
    maze = tw.make("maze", **SMALL, seed=7)
    studio.shows(maze)
    studio.set_param("braid", 0.5)
    studio.set_param("braid", 1)
    braided = tw.make("maze", **SMALL, braid=1.0, seed=7)
    studio.shows(braided)

    studio.tab("gallery")
    expect(studio["variation-2"]).to_have_class(re.compile("tw-made"))
    studio["variation-2"].click()
    expect(studio["tab-make"]).to_have_attribute("aria-selected", "true")
    expect(studio["seed"]).not_to_have_value("7")
    picture = tw.make("maze", **SMALL, braid=1.0, seed=int(studio["seed"].input_value()))
    studio.shows(picture)

    # Back to the gallery, and then to the caves with their changed parameter: changes are no steps.
    studio.page.go_back()
    expect(studio["tab-gallery"]).to_have_attribute("aria-selected", "true")
    expect(studio["gallery-grid"]).to_be_visible()
    studio.page.go_back()
    expect(studio["tab-make"]).to_have_attribute("aria-selected", "true")
    studio.shows(caves)
    studio.page.go_forward()
    studio.page.go_forward()
    studio.shows(picture)

    # Going back is a change that undo reverts.
    studio.page.go_back()
    studio.tab("make")
    studio.shows(braided)
    studio["undo"].click()
    studio.shows(picture)


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


def test_the_first_screen_on_a_phone(phone: Studio) -> None:
    phone.open("")
    check_targets(phone, phone["start-search"].locator("xpath=ancestor::label"))
    for goal in list_goals():
        phone[f"goal-{goal.name}"].scroll_into_view_if_needed()
        check_targets(phone, f"goal-{goal.name}")
    phone["goal-maze"].tap()
    phone.shows(tw.run("stone-labyrinth", seed=2))
