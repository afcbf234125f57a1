"""Errors and dead ends in a browser: fixes, shapers that a technique cannot use, and tiles of another tileset."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import expect

import tilewright as tw
from tests.studio.page import Studio
from tilewright.studio.state import State

GARDEN: dict[str, Any] = {
    "technique": "caves",
    "params": {"width": 30, "height": 20},
    "tileset": "palette",
    "shaping": [{"replace": {"tile": "floor", "by": "path"}}, {"connect": {"tile": "path"}}, "flip"],
    "seed": 7,
}
WRONG: dict[str, Any] = {
    "technique": "caves",
    "params": {"walls": 3, "widht": 30, "height": 20},
    "shaping": [{"replace": {"tile": "path", "by": "floor"}}],
    "seed": 7,
}


def test_shapers_that_a_technique_cannot_use_are_switched_off(studio: Studio) -> None:
    studio.open(GARDEN)
    studio["chosen"].click()
    studio["pick-maze"].click()
    size = {"width": 30, "height": 20}
    studio.shows(tw.run({"technique": "maze", "params": size, "shaping": ["flip"], "seed": 7}))
    expect(studio["switched-off"]).to_contain_text("2 shapers switched off")
    expect(studio["switched-off"]).to_contain_text("connect: the map has no tile “path”")
    expect(studio.line).to_be_hidden()
    studio.tab("shape")
    expect(studio["stage-1-on"]).to_have_attribute("aria-checked", "false")
    expect(studio["stage-2-on"]).to_have_attribute("aria-checked", "true")
    studio.tab("make")
    studio["switched-off-undo"].click()
    studio.shows(tw.run(GARDEN))
    expect(studio["switched-off"]).to_be_hidden()


def test_another_tileset_gets_similar_tiles(studio: Studio) -> None:
    studio.open({"technique": "caves", "seed": 7})
    expect(studio["tile-mapping"]).to_be_hidden()
    studio.choose("tileset", "terrain")
    studio.shows(tw.make("caves", seed=7, tileset="terrain", tiles={"floor": "grass", "wall": "mountain"}))
    expect(studio["tile-for-floor"]).to_have_text("grass")
    studio["tile-for-wall"].click()
    studio.page.locator(".tc-words [data-word=forest]").click()
    studio.shows(tw.make("caves", seed=7, tileset="terrain", tiles={"floor": "grass", "wall": "forest"}))
    link = studio.copy("copy-link").partition("#")[2]
    assert State.from_link(link).recipe["tiles"] == {"floor": "grass", "wall": "forest"}
    studio.choose("tileset", "the technique's own")
    studio.shows(tw.make("caves", seed=7))
    expect(studio["tile-mapping"]).to_be_hidden()


def test_an_error_is_shown_over_the_dimmed_map_and_only_there(studio: Studio) -> None:
    studio.open({"technique": "caves", "seed": 7})
    studio.page.evaluate("(link) => { location.hash = link }", State.from_recipe(WRONG).to_link())
    expect(studio.line).to_contain_text("walls: must be at most 1.0, got 3")
    card, map = studio.page.locator(".tw-error-card"), studio.map.locator("canvas")
    expect(studio.page.locator(".tw-error-dims")).to_be_visible()
    assert is_inside(card.first.bounding_box(), map.bounding_box())
    for tab in ("gallery", "example"):
        studio.tab(tab)
        expect(studio.line).to_be_hidden()
    studio.tab("shape")
    expect(studio.line).to_be_visible()
    studio.page.get_by_role("button", name="Set walls to 1.0").click()
    studio.page.get_by_role("button", name="Use 'width'").click()
    expect(studio.line).to_have_text(re.compile("unknown tile 'path'"))
    studio.page.get_by_role("button", name="Switch off replace").click()
    expect(studio.line).to_be_hidden()
    studio.shows(tw.make("caves", seed=7, walls=1.0, width=30, height=20))
    studio["undo"].click()
    expect(studio.line).to_be_visible()
    studio.page.get_by_role("button", name="Undo", exact=True).first.click()
    expect(studio.line).to_contain_text("widht")


def test_an_error_is_readable_and_tappable_on_a_phone(phone: Studio) -> None:
    phone.open({"technique": "caves", "seed": 7})
    wrong = {"technique": "caves", "tileset": "terrain", "seed": 7}
    phone.page.evaluate("(link) => { location.hash = link }", State.from_recipe(wrong).to_link())
    expect(phone.line).to_contain_text("tileset 'terrain' has no 'floor', 'wall'")
    fix = phone.page.get_by_role("button", name="Use grass for floor, mountain for wall")
    box = fix.bounding_box()
    assert box is not None
    assert box["height"] >= 44
    assert is_inside(box, {"x": 0, "y": 0, "width": 390, "height": 844})
    fix.tap()
    phone.shows(tw.make("caves", seed=7, tileset="terrain", tiles={"floor": "grass", "wall": "mountain"}))
    expect(phone.line).to_be_hidden()


def is_inside(box: Any, outer: Any) -> bool:
    """Return whether a box of the window is inside another one."""
    return all(
        outer[start] <= box[start] and box[start] + box[side] <= outer[start] + outer[side]
        for start, side in (("x", "width"), ("y", "height"))
    )
