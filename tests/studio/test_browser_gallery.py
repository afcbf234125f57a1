"""Gallery in a browser: 24 variations as pictures and in a scatter plot."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import expect

import tilewright as tw
from tests.studio.page import Studio
from tilewright.studio.gallery.variations import list_variations
from tilewright.studio.state import State

SMALL: dict[str, Any] = {"technique": "caves", "params": {"width": 30, "height": 20}, "seed": 7}
MADE = ".tw-map-cell.tw-made"


def test_other_seeds_side_by_side(studio: Studio) -> None:
    studio.open(SMALL)
    studio.tab("gallery")
    finished = studio.page.locator(MADE)
    expect(finished).to_have_count(24)
    pictures = studio["gallery-grid"].locator("img").evaluate_all("(all) => all.map((one) => one.src)")
    assert len(set(pictures)) == 24
    seed = studio["variation-5"].locator(".tw-map-caption").inner_text().removeprefix("seed ")
    studio["variation-5"].click()
    expect(studio["tab-make"]).to_have_attribute("aria-selected", "true")
    expect(studio["seed"]).to_have_value(seed)
    studio.shows(tw.make("caves", width=30, height=20, seed=int(seed)))

    # The others are still there, and New seeds replaces all.
    studio.tab("gallery")
    expect(studio["variation-5"]).to_have_class(re.compile("tw-marked"))
    assert studio["gallery-grid"].locator("img").evaluate_all("(all) => all.map((one) => one.src)") == pictures
    studio["gallery-roll"].click()
    expect(studio["variation-5"]).not_to_contain_text(seed)
    expect(finished).to_have_count(24)


def test_a_parameter_is_swept_and_two_measures_are_axes(studio: Studio) -> None:
    studio.open(SMALL)
    studio.tab("gallery")
    studio["gallery-what"].get_by_text("Parameter").click()
    studio.choose("gallery-knob", "walls")
    sweep(studio, "0.3", "0.6")
    expect(studio.page.locator(MADE)).to_have_count(24)
    expect(studio["variation-0"]).to_contain_text("walls 0.3")
    expect(studio["variation-23"]).to_contain_text("walls 0.6")

    studio.choose("gallery-y", "dead ends")
    options = "(chart) => getElement(Number(chart.id.slice(1))).chart.getOption()"
    studio.page.wait_for_function(
        f"({options})(document.querySelector('[data-testid=gallery-chart]')).yAxis[0].name === 'dead ends'"
    )
    points = studio["gallery-chart"].evaluate(options)["series"][0]["data"]
    assert len(points) == 24
    positions = np.array([locate(studio, point["value"]) for point in points])
    distances = np.linalg.norm(positions[:, None] - positions, axis=2) + 1e6 * np.eye(24)
    isolated = int(distances.min(axis=1).argmax())  # not covered by another point
    walls = float(studio[f"variation-{isolated}"].locator(".tw-map-caption").inner_text().removeprefix("walls "))
    map = tw.make("caves", width=30, height=20, seed=7, walls=walls)
    numbers = tw.measure(map, "floor_share", "dead_ends")
    assert points[isolated]["value"] == [numbers["floor_share"], numbers["dead_ends"]]
    studio.page.mouse.click(*positions[isolated])
    studio.shows(map)
    expect(studio["param-walls"]).to_have_value(str(walls))


def test_a_link_reopens_the_same_pictures_axes_and_order(studio: Studio) -> None:
    studio.open(SMALL)
    studio.tab("gallery")
    first = captions(studio)
    studio["gallery-roll"].click()
    expect(studio["variation-0"]).not_to_contain_text(first[0])
    expect(studio.page.locator(MADE)).to_have_count(24)
    seeds, pictures = captions(studio), images(studio)
    expect(studio["undo"]).to_be_disabled()
    reopen(studio)
    assert (captions(studio), images(studio)) == (seeds, pictures)

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
    values, pictures = captions(studio), images(studio)
    state = reopen(studio)
    assert (captions(studio), images(studio)) == (values, pictures)
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


def test_an_invalid_end_of_the_range_is_marked(studio: Studio) -> None:
    studio.open(State.from_recipe(SMALL).with_view_settings(tab="gallery").with_gallery(what="knob", knob="walls"))
    expect(studio.page.locator(MADE)).to_have_count(24)
    studio.enter("gallery-to", "3")
    expect(studio.page.locator(".tw-gallery-pair")).to_contain_text(["must be at most 1, got 3", ""])
    studio["gallery-to"].press("Escape")
    expect(studio["gallery-to"]).to_have_value("0.6")
    expect(studio.page.get_by_text("must be at most")).to_have_count(0)
    studio.enter("gallery-to", "0.5")
    expect(studio["variation-23"]).to_contain_text("0.5")
    expect(studio.page.get_by_text("must be at most")).to_have_count(0)


def test_favorites_stay_and_are_exported(studio: Studio, tmp_path: Path) -> None:
    studio.open(State.from_recipe(SMALL).with_view_settings(tab="gallery"))
    expect(studio.page.locator(MADE)).to_have_count(24)
    expect(studio["export-starred"]).to_be_disabled()
    starred = [captions(studio)[number] for number in (2, 4)]
    for number in (2, 4):
        studio[f"variation-{number}"].hover()
        studio[f"star-{number}"].click()
        expect(studio[f"star-{number}"]).to_have_attribute("aria-pressed", "true")
    studio["gallery-roll"].click()
    expect(studio.page.locator(MADE)).to_have_count(26)  # the favorites, and 24 others
    for number, caption in enumerate(starred):
        expect(studio[f"variation-{number}"]).to_contain_text(caption)
        expect(studio[f"star-{number}"]).to_have_attribute("aria-pressed", "true")

    studio.choose("gallery-format", "csv")
    archive = zipfile.ZipFile(studio.download("export-starred", tmp_path))
    expect(studio["gallery-export-status"]).to_contain_text("2 maps")
    seeds = [int(caption.removeprefix("seed ")) for caption in starred]
    assert archive.namelist() == [f"{number:02}-seed-{seed}.csv" for number, seed in enumerate(seeds, 1)]
    tw.make("caves", width=30, height=20, seed=seeds[0]).save(tmp_path / "map.csv")
    assert archive.read(archive.namelist()[0]) == (tmp_path / "map.csv").read_bytes()

    columns = "(grid) => getComputedStyle(grid).gridTemplateColumns.split(' ').length"
    before = studio["gallery-grid"].evaluate(columns)
    studio["gallery-size"].locator("[tabindex]").focus()
    studio.press("PageUp", "PageUp")
    studio.page.wait_for_function(
        f"(before) => ({columns})(document.querySelector('[data-testid=gallery-grid]')) < before / 2", arg=before
    )
    assert State.from_link(studio.copy("copy-link").partition("#")[2]).gallery.size == 480


def test_an_error_of_all_pictures_is_shown_once_with_its_fix(studio: Studio) -> None:
    wrong = State.from_recipe({**SMALL, "tileset": "terrain"}).with_view_settings(tab="gallery")
    studio.page.goto(f"{studio.address}/#{wrong.to_link()}")
    expect(studio["gallery-progress"]).to_contain_text("24 failed")
    expect(studio.page.get_by_text("tileset 'terrain' has no 'floor'").locator("visible=true")).to_have_count(1)
    expect(studio["gallery-grid"]).to_be_hidden()
    studio.page.get_by_role("button", name="Use grass for floor, mountain for wall").click()
    expect(studio.page.locator(MADE)).to_have_count(24)
    expect(studio["gallery-error"]).to_be_hidden()


def sweep(studio: Studio, low: str, high: str) -> None:
    """Set the range of the sweep."""
    for end, value in (("from", low), ("to", high)):
        studio.enter(f"gallery-{end}", value)


def reopen(studio: Studio) -> State:
    """Open the copied link, wait for all pictures, and return the state in the link."""
    link = studio.reopen()
    expect(studio.page.locator(MADE)).to_have_count(24)
    return State.from_link(link.partition("#")[2])


def captions(studio: Studio) -> list[str]:
    grid = studio["gallery-grid"]
    expect(grid.locator(".tw-map-cell")).to_have_count(24)
    return grid.locator(".tw-map-caption").all_inner_texts()


def images(studio: Studio) -> list[str]:
    sources: list[str] = studio["gallery-grid"].locator("img").evaluate_all("(all) => all.map((one) => one.src)")
    return sources


def locate(studio: Studio, value: list[float]) -> tuple[float, float]:
    """Return the position of a point in the window."""
    chart = studio["gallery-chart"]
    chart.scroll_into_view_if_needed()
    left, top = chart.evaluate(
        "(chart, value) => getElement(Number(chart.id.slice(1))).chart.convertToPixel({ seriesIndex: 0 }, value)", value
    )
    box = studio.box(chart)
    return box["x"] + left, box["y"] + top
