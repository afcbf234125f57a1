"""The gallery in a browser: twenty-four variations, as pictures and as points."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from playwright.sync_api import expect

import tilewright as tw
from tests.studio.page import Studio
from tilewright.studio.page.variations import list_variations
from tilewright.studio.state import State

SMALL: dict[str, Any] = {"technique": "caves", "params": {"width": 30, "height": 20}, "seed": 7}
MADE = ".tw-variation.tw-made"


def test_other_seeds_side_by_side(studio: Studio) -> None:
    studio.open(SMALL)
    studio.tab("gallery")
    made = studio.page.locator(".tw-variation.tw-made")
    expect(made).to_have_count(24)
    pictures = studio["gallery-grid"].locator("img").evaluate_all("(all) => all.map((one) => one.src)")
    assert len(set(pictures)) == 24
    seed = studio["variation-5"].locator(".tw-variation-caption").inner_text()
    studio["variation-5"].click()
    expect(studio["tab-make"]).to_have_attribute("aria-selected", "true")
    expect(studio["seed"]).to_have_value(seed)
    studio.shows(tw.make("caves", width=30, height=20, seed=int(seed)))

    # The others are still there, and rolling brings new ones.
    studio.tab("gallery")
    expect(studio["variation-5"]).to_have_class(re.compile("tw-current"))
    assert studio["gallery-grid"].locator("img").evaluate_all("(all) => all.map((one) => one.src)") == pictures
    studio["gallery-roll"].click()
    expect(studio["variation-5"]).not_to_contain_text(seed)
    expect(made).to_have_count(24)


def test_a_knob_is_swept_and_two_measures_are_axes(studio: Studio) -> None:
    studio.open(SMALL)
    studio.tab("gallery")
    studio["gallery-what"].get_by_text("Parameter").click()
    studio.choose("gallery-knob", "walls")
    sweep(studio, "0.3", "0.6")
    made = studio.page.locator(".tw-variation.tw-made")
    expect(made).to_have_count(24)
    expect(studio["variation-0"]).to_contain_text("0.3")
    expect(studio["variation-23"]).to_contain_text("0.6")

    studio.choose("gallery-y", "dead ends")
    options = "(chart) => getElement(Number(chart.id.slice(1))).chart.getOption()"
    studio.page.wait_for_function(
        f"({options})(document.querySelector('[data-testid=gallery-chart]')).yAxis[0].name === 'dead ends'"
    )
    points = studio["gallery-chart"].evaluate(options)["series"][0]["data"]
    assert len(points) == 24
    places = np.array([where(studio, point["value"]) for point in points])
    apart = np.linalg.norm(places[:, None] - places, axis=2) + 1e6 * np.eye(24)
    loneliest = int(apart.min(axis=1).argmax())  # where no other point lies over it
    walls = float(studio[f"variation-{loneliest}"].locator(".tw-variation-caption").inner_text())
    map = tw.make("caves", width=30, height=20, seed=7, walls=walls)
    numbers = tw.measure(map, "floor_share", "dead_ends")
    assert points[loneliest]["value"] == [numbers["floor_share"], numbers["dead_ends"]]
    studio.page.mouse.click(*places[loneliest])
    studio.shows(map)
    expect(studio["param-walls"]).to_have_value(str(walls))


def test_a_link_reopens_the_same_pictures_axes_and_order(studio: Studio) -> None:
    studio.open(SMALL)
    studio.tab("gallery")
    first = captions(studio)
    studio["gallery-roll"].click()
    expect(studio["variation-0"]).not_to_contain_text(first[0])
    expect(studio.page.locator(MADE)).to_have_count(24)
    rolled, pictures = captions(studio), images(studio)
    expect(studio["undo"]).to_be_disabled()
    again(studio)
    assert (captions(studio), images(studio)) == (rolled, pictures)

    studio["gallery-what"].get_by_text("Parameter").click()
    studio.choose("gallery-knob", "walls")
    sweep(studio, "0.35", "0.5")
    studio["gallery-same-seed"].click()
    studio.choose("gallery-y", "dead ends")
    studio.choose("gallery-x", "walls")
    studio.choose("gallery-sort", "regions")
    studio["gallery-most-first"].click()
    expect(studio.page.locator(MADE)).to_have_count(24)
    expect(studio["variation-23"]).to_contain_text("0.5")
    swept, pictures = captions(studio), images(studio)
    state = again(studio)
    assert (captions(studio), images(studio)) == (swept, pictures)
    expect(studio["gallery-from"]).to_have_value("0.35")
    expect(studio["gallery-to"]).to_have_value("0.5")
    expect(studio["gallery-same-seed"]).to_have_attribute("aria-checked", "false")
    expect(studio["gallery-most-first"]).to_have_attribute("aria-checked", "false")
    axes = "(chart) => { const { xAxis, yAxis } = getElement(Number(chart.id.slice(1))).chart.getOption();"
    axes += " return [xAxis[0].name, yAxis[0].name]; }"
    assert studio["gallery-chart"].evaluate(axes) == ["walls", "dead ends"]
    order = studio["gallery-grid"].evaluate(
        "(grid) => [...grid.children].sort((one, other) => getComputedStyle(one).order - getComputedStyle(other).order)"
        ".map((one) => Number(one.dataset.variation))"
    )
    regions = [tw.measure(tw.run(one.state.effective), "regions")["regions"] for one in list_variations(state)]
    assert order == sorted(range(24), key=lambda number: (regions[number], number))


def test_an_end_that_the_knob_cannot_have_says_so(studio: Studio) -> None:
    studio.open(State.from_recipe(SMALL).with_view_settings(tab="gallery").with_gallery(what="knob", knob="walls"))
    expect(studio.page.locator(MADE)).to_have_count(24)
    studio["gallery-to"].fill("3")
    studio["gallery-to"].press("Enter")
    expect(studio.page.locator(".tw-gallery-pair")).to_contain_text(["must be at most 1, got 3", ""])
    studio["gallery-to"].press("Escape")
    expect(studio["gallery-to"]).to_have_value("0.6")
    expect(studio.page.get_by_text("must be at most")).to_have_count(0)
    studio["gallery-to"].fill("0.5")
    studio["gallery-to"].press("Enter")
    expect(studio["variation-23"]).to_contain_text("0.5")
    expect(studio.page.get_by_text("must be at most")).to_have_count(0)


def sweep(studio: Studio, low: str, high: str) -> None:
    """Sweep the knob from here to there."""
    for end, value in (("from", low), ("to", high)):
        studio[f"gallery-{end}"].fill(value)
        studio[f"gallery-{end}"].press("Enter")


def again(studio: Studio) -> State:
    """Open the copied link anew, and wait for all pictures; gives what the link holds."""
    link = studio.copy("copy-link")
    studio.page.goto("about:blank")
    studio.page.goto(link)
    expect(studio.page.locator(MADE)).to_have_count(24)
    return State.from_link(link.partition("#")[2])


def captions(studio: Studio) -> list[str]:
    expect(studio.page.locator(".tw-variation")).to_have_count(24)
    return studio.page.locator(".tw-variation-caption").all_inner_texts()


def images(studio: Studio) -> list[str]:
    sources: list[str] = studio["gallery-grid"].locator("img").evaluate_all("(all) => all.map((one) => one.src)")
    return sources


def where(studio: Studio, value: list[float]) -> tuple[float, float]:
    """The place of a point in the window."""
    chart = studio["gallery-chart"]
    chart.scroll_into_view_if_needed()
    left, top = chart.evaluate(
        "(chart, value) => getElement(Number(chart.id.slice(1))).chart.convertToPixel({ seriesIndex: 0 }, value)", value
    )
    box = chart.bounding_box()
    assert box is not None
    return box["x"] + left, box["y"] + top
