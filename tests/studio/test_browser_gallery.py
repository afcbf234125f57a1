"""The gallery in a browser: twenty-four variations, as pictures and as points."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from playwright.sync_api import expect

import tilewright as tw
from tests.studio.page import Studio

SMALL: dict[str, Any] = {"technique": "caves", "params": {"width": 30, "height": 20}, "seed": 7}


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
    studio["gallery-what"].get_by_text("A knob").click()
    studio.choose("gallery-knob", "walls")
    studio["gallery-from"].fill("0.3")
    studio["gallery-to"].fill("0.6")
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
