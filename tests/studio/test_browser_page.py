"""The page in a browser: sizes and keyboard shortcuts."""

from __future__ import annotations

from playwright.sync_api import expect

import tilewright as tw
from tests.studio.page import Studio
from tests.studio.screens import check_layout
from tilewright.studio.state import TABS

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
