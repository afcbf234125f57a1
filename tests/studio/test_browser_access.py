"""Accessibility of the page: axe-core on every tab, names, the keyboard and visible focus."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.studio.page import Studio
from tests.studio.screens import check_access, load_axe
from tilewright.studio.state import TABS, State

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
