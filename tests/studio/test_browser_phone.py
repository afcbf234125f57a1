"""The studio on phones and tablets with touch."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from tests.studio.page import COMPONENT, Studio
from tests.studio.screens import PHONE, SCREENS, SMALL_TARGETS, check_layout
from tilewright.studio.state import TABS

LANDSCAPE = {"width": 844, "height": 390}
TABLETS = ({"width": 820, "height": 1180}, {"width": 1024, "height": 768})
DOWNLOADS = {"export": ("download",), "gallery": ("export-all", "export-starred")}
"""Buttons that are visible without scrolling, by tab."""


@pytest.fixture(scope="module")
def context(browser: Browser, server: str) -> Iterator[BrowserContext]:
    """Return the context of a phone."""
    context = browser.new_context(**SCREENS["phone"], reduced_motion="reduce")
    context.grant_permissions(["clipboard-read", "clipboard-write"], origin=server)
    yield context
    context.close()


def tap_tab(studio: Studio, name: str) -> None:
    studio[f"tab-{name}"].tap()
    expect(studio[f"tab-{name}"]).to_have_attribute("aria-selected", "true")
    studio.wait_for_drawing()


def test_every_tab_can_be_reached_and_fits(studio: Studio) -> None:
    studio.open()
    for tab in TABS:
        tap_tab(studio, tab)
        check_layout(studio, tab, touch=True)
        bar = studio.box(f"tab-{tab}")
        assert bar["y"] + bar["height"] == pytest.approx(PHONE["height"], abs=1), "tabs are at the bottom"
        for button in DOWNLOADS.get(tab, ()):
            expect(studio[button]).to_be_in_viewport(ratio=1)
    for size in TABLETS:
        studio.page.set_viewport_size({"width": size["width"], "height": size["height"]})
        for tab in TABS:
            tap_tab(studio, tab)
            check_layout(studio, (tab, size))


def test_phones_in_landscape(studio: Studio) -> None:
    studio.open()
    studio.page.set_viewport_size({"width": LANDSCAPE["width"], "height": LANDSCAPE["height"]})
    for tab in TABS:
        tap_tab(studio, tab)
        check_layout(studio, tab, touch=True)
        for control in ("tab-start", "tab-export", "undo", "open-more"):
            expect(studio[control]).to_be_in_viewport(ratio=0.95)
        for button in DOWNLOADS.get(tab, ()):
            expect(studio[button]).to_be_in_viewport(ratio=1)
    for tool in ("hand", "select", "brush", "rectangle", "bucket", "picker", "marker"):
        expect(studio.map.get_by_test_id(f"tool-{tool}")).to_be_in_viewport(ratio=1)
    canvas = studio.box(studio.map.locator("canvas"))
    assert canvas["height"] > 0.7 * LANDSCAPE["height"]
    assert canvas["width"] > 0.45 * LANDSCAPE["width"]
    studio["play-map"].tap()
    game = studio.box("game")
    assert (game["width"], game["height"]) == (LANDSCAPE["width"], LANDSCAPE["height"]), "the game fills the screen"
    _, bottom = studio.map.evaluate(f"(map) => ({COMPONENT})(map).game.findFreeRows()")
    assert bottom > 0.9 * LANDSCAPE["height"], "the direction buttons are beside the player, not below"


def test_nothing_is_cut_off(studio: Studio) -> None:
    tiles = {"floor": "grass", "wall": "mountain"}
    markers = {"place": {"markers": ["goblin", "ghost", "dragon", "lich"]}}
    studio.open({"technique": "caves", "seed": 123456789, "tileset": "terrain", "tiles": tiles, "shaping": [markers]})
    assert studio["seed"].evaluate("(box) => box.scrollWidth <= box.clientWidth"), "all digits are visible"
    studio["tile-for-wall"].tap()
    box = studio.box("tile-for-wall-text")
    assert box["x"] + box["width"] < PHONE["width"] - 4
    studio.press("Escape")
    studio.map.get_by_test_id("tool-marker").tap()
    expect(studio["marker-start"]).to_be_in_viewport(ratio=1)  # The chosen name is shown, although others are first.
    # Sharp screens show sprites also in cells that are a little small for them.
    shown = studio.page.evaluate(
        """async () => {
          const { View, showsSprites } = await import("tilewright-page");
          const shows = (zoom, ratio) => showsSprites(Object.assign(new View(), { zoom, ratio }));
          return [shows(12, 1), shows(11, 1), shows(11, 2), shows(8, 3), shows(7, 3)];
        }"""
    )
    assert shown == [True, False, True, True, False]


def test_the_map_stays_while_parameters_scroll(studio: Studio) -> None:
    studio.open()
    before = studio.map.bounding_box()
    last = studio["param-offset"]
    last.scroll_into_view_if_needed()
    expect(last).to_be_in_viewport()
    assert studio.map.bounding_box() == before
    expect(studio.map.locator("canvas")).to_be_in_viewport(ratio=1)
    with studio.another():
        studio["reroll"].tap()


def test_the_rest_is_in_sheets(studio: Studio) -> None:
    studio.open()
    for control in ("copy-link", "dark", "help", "grid", "unlock-all", "measure-cells"):
        expect(studio[control]).to_be_hidden()
    studio["open-measures"].tap()
    expect(studio["measure-cells"]).to_have_text("4,000")
    expect(studio["measure-cells"]).to_be_in_viewport()
    studio.press("Escape")
    expect(studio["measure-cells"]).to_be_hidden()
    studio["open-view"].tap()
    studio["grid"].tap()
    expect(studio["grid"]).to_have_attribute("aria-pressed", "true")
    studio["sheet-overlay-distance"].tap()
    expect(studio["legend"]).to_contain_text("steps")
    assert studio.page.evaluate(SMALL_TARGETS) == []
    studio.page.touchscreen.tap(195, 120)  # outside of the sheet
    expect(studio["grid"]).to_be_hidden()
    studio["open-locks"].tap()
    studio["thicker"].tap()
    expect(studio["brush-size"]).to_have_text("2")
    studio.press("Escape")
    studio["open-more"].tap()
    link = studio.copy("copy-link")
    assert link.startswith(studio.address)
    expect(studio["copy-link"]).to_be_hidden()  # a tap closes this sheet
    studio["open-more"].tap()
    studio["help"].tap()
    expect(studio["keys"]).to_be_visible()


def test_two_fingers_zoom_and_move_and_one_paints(studio: Studio) -> None:
    studio.open()
    studio["tool-brush"].tap()
    studio.map.get_by_test_id("tile-wall").tap()
    studio.wait_for_drawing()
    cells = studio.cells()
    x, y = studio.place(40, 25)

    def look() -> Any:
        return studio.map.evaluate(
            f"(map) => {{ const {{ view }} = ({COMPONENT})(map); return {{ ...view.save() }}; }}"
        )

    before = look()
    studio.touch([(x - 20, y), (x + 20, y)], [(x - 30, y), (x + 30, y)], [(x - 40, y), (x + 40, y)])
    studio.page.wait_for_function(
        f"(zoom) => ({COMPONENT})(document.querySelector('[data-testid=map]')).view.zoom > 1.8 * zoom",
        arg=before["zoom"],
    )
    zoomed = look()
    assert zoomed["zoom"] == pytest.approx(2 * before["zoom"], rel=0.01)
    studio.touch([(x - 20, y), (x + 20, y)], [(x - 20, y + 15), (x + 20, y + 15)], [(x + 5, y + 30), (x + 45, y + 30)])
    studio.wait_for_drawing()
    moved = look()
    assert moved["zoom"] == pytest.approx(zoomed["zoom"], rel=0.01)
    assert moved["left"] - zoomed["left"] == pytest.approx(25, abs=1)
    assert moved["top"] - zoomed["top"] == pytest.approx(30, abs=1)
    assert (studio.cells() == cells).all(), "two fingers paint nothing"
    x, y = studio.place(40, 25)
    studio.touch([(x, y)], [(x + 1, y)])
    expect(studio.map).to_have_attribute("data-painted", "1")
    assert studio.cells()[25, 40] == "wall"
    assert look() == moved
