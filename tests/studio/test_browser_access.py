"""Accessibility of the page: axe-core on every tab, names, the keyboard and visible focus."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, expect

from tests.studio.page import Studio
from tilewright.studio.state import TABS, State

AXE = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"
SCREENS: dict[str, dict[str, Any]] = {
    "desktop": {"viewport": {"width": 1440, "height": 900}},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
}
FINDINGS = """async (rules) => {
  const runOnly = rules.length ? { runOnly: rules } : {};
  const { violations } = await axe.run(document, { resultTypes: ['violations'], ...runOnly });
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  return grave.flatMap(({ id, nodes }) => nodes.map(({ html, any }) => `${id}: ${html} ${any[0]?.message ?? ''}`));
}"""
"""Returns the serious and critical findings of axe-core, of all rules or of the given ones."""
RULES: dict[Literal["light", "dark"], list[str]] = {"light": [], "dark": ["color-contrast"]}
"""Rules to check in light and in dark mode; none stands for all."""
SCORES = {"technique": "fashion", "params": {"scores": [[0.1, 0.2], [0.3, 0.4]], "width": 24, "height": 16}, "seed": 7}
DUNGEON = {"technique": "rooms", "params": {"width": 48, "height": 32}, "shaping": ["lock_and_key"], "seed": 7}


@pytest.fixture(scope="module")
def axe() -> str:
    """Return the source code of axe-core."""
    if not AXE.is_file():
        pytest.skip("the npm package axe-core is not installed: npm install in tests/studio")
    return AXE.read_text("utf-8")


@pytest.fixture(params=SCREENS)
def screen(request: pytest.FixtureRequest, browser: Browser, server: str) -> Iterator[Studio]:
    """Return the page on a screen."""
    context = browser.new_context(**SCREENS[request.param], color_scheme="light", reduced_motion="reduce")
    studio = Studio(context, server)
    yield studio
    studio.close()
    context.close()


def test_axe_finds_nothing_serious(screen: Studio, axe: str) -> None:
    screen.open(State.from_recipe(DUNGEON))
    expect(screen["measure-cells"]).to_have_text("1,536")
    screen.page.evaluate(axe)
    screen.page.add_style_tag(content="* { transition: none !important; }")  # colors between two themes
    for tab in TABS:
        screen.tab(tab)
        for scheme, rules in RULES.items():
            screen.page.emulate_media(color_scheme=scheme)
            expect(screen.page.locator("body")).to_have_class(re.compile(f"body--{scheme}"))
            screen.wait_for_drawing()
            assert screen.page.evaluate(FINDINGS, rules) == [], (tab, scheme)


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
