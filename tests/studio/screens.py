"""Screens of the browser tests, and checks of what they show."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, Locator, ViewportSize, expect

from tests.studio.page import Studio

PHONE: ViewportSize = {"width": 390, "height": 844}
SCREENS: dict[str, dict[str, Any]] = {
    "desktop": {"viewport": {"width": 1440, "height": 900}},
    "phone": {"viewport": PHONE, "has_touch": True, "is_mobile": True},
}
MIN_TARGET = 44
"""Minimum width and height in pixels of what a finger presses."""
AXE = Path(__file__).parent / "node_modules" / "axe-core" / "axe.min.js"
SCRIPTS = Path(__file__).parent / "scripts"
FINDINGS = (SCRIPTS / "find_violations.js").read_text()
"""Returns the serious and critical findings of axe-core, of all rules or of the given ones."""
RULES: dict[Literal["light", "dark"], list[str]] = {"light": [], "dark": ["color-contrast"]}
"""Rules to check in light and in dark mode; none stands for all."""
OUTSIDE = (SCRIPTS / "find_outside.js").read_text()
"""Returns the elements that do not fit."""
SMALL_TARGETS = (SCRIPTS / "find_small_targets.js").read_text()
"""Returns visible controls that are smaller than 44 pixels."""


@contextmanager
def open_screen(browser: Browser, address: str, **options: Any) -> Iterator[Studio]:
    """Open the page on a screen of its own, and close it."""
    with browser.new_context(reduced_motion="reduce", **options) as context:
        studio = Studio(context, address)
        yield studio
        studio.close()


def load_axe(studio: Studio) -> None:
    """Load axe-core into the page; skip the test if it is not installed."""
    if not AXE.is_file():
        pytest.skip("the npm package axe-core is not installed: npm install in tests/studio")
    studio.page.evaluate(AXE.read_text("utf-8"))
    studio.page.add_style_tag(content="* { transition: none !important; }")  # colors between two themes


def check_access(studio: Studio, about: object = "") -> None:
    """Assert that axe-core finds nothing serious, in light and in dark mode."""
    for scheme, rules in RULES.items():
        studio.page.emulate_media(color_scheme=scheme)
        expect(studio.page.locator("body")).to_have_class(re.compile(f"body--{scheme}"))
        studio.wait_for_drawing()
        assert studio.page.evaluate(FINDINGS, rules) == [], (about, scheme)


def check_layout(studio: Studio, about: object = "", *, touch: bool = False) -> None:
    """Assert that everything fits; with touch, that fingers can press all controls."""
    assert studio.page.evaluate(OUTSIDE) == [], about
    if touch:
        assert studio.page.evaluate(SMALL_TARGETS) == [], about


def check_targets(studio: Studio, *targets: str | Locator, scrolls: bool = False) -> None:
    """Assert that elements are large enough for a finger, and not cut off at the side unless they scroll."""
    size = studio.page.viewport_size
    assert size is not None
    for target in targets:
        box = studio.box(target)
        assert min(box["width"], box["height"]) >= MIN_TARGET, (target, box)
        assert scrolls or 0 <= box["x"] <= size["width"] - box["width"], (target, box)
