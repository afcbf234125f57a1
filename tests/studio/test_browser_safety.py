"""Errors in a browser: one line with fixes, and the last map stays. No request leaves this machine."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, expect

import tilewright as tw
from tests.formats.maps import declare_png
from tests.studio.page import Studio, serving
from tilewright.studio.state import TABS, State, ViewSettings

SMALL = {"technique": "caves", "params": {"width": 24, "height": 16}, "seed": 7}


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start a studio with small limits."""
    log = tmp_path_factory.mktemp("strict") / "log.txt"
    with serving(log, cells=20_000, upload=30_000, seconds=30, iterations=200_000_000) as address:
        yield address


@pytest.fixture
def narrow(browser: Browser, strict: str) -> Iterator[Studio]:
    with browser.new_context(viewport={"width": 1024, "height": 768}, color_scheme="light") as context:
        studio = Studio(context, strict)
        yield studio
        studio.close()


def is_one_line(element: Locator, words: str) -> None:
    expect(element).to_contain_text(words)
    text = element.inner_text()
    assert "\n" not in text
    assert "Traceback" not in text
    assert len(text) < 400


def test_wrong_values_show_their_line_and_the_map_stays(narrow: Studio) -> None:
    narrow.open(SMALL)
    map = tw.run(SMALL)
    narrow.set_param("width", 99_999_999)
    row = narrow.page.locator(".tc-row:has([data-testid=param-width])")
    expect(row).to_have_attribute("data-error", "must be at most 65536, got 99999999")
    narrow.shows(map)
    narrow.set_param("width", 5000)
    is_one_line(narrow.line, "20,000")
    narrow.shows(map)
    narrow["undo"].click()
    expect(narrow.line).to_be_hidden()
    narrow.set_param("width", 30)
    narrow.shows(tw.make("caves", width=30, height=16, seed=7))
    expect(narrow.line).to_be_hidden()


def test_hostile_files_are_refused(narrow: Studio) -> None:
    narrow.open(State(view_settings=ViewSettings(tab="example")))
    expect(narrow["sample-facts"]).to_contain_text("dungeon")
    zipped = io.BytesIO()
    with zipfile.ZipFile(zipped, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("cells.npy", bytes(20 << 20))
    pickled = io.BytesIO()
    np.savez(pickled, cells=np.array([{"a": 1}], dtype=object))
    for name, content in {
        "../../etc/passwd.txt": b"a\nbb",
        "bomb.npz": zipped.getvalue(),
        "pickle.npz": pickled.getvalue(),
        "huge.png": declare_png(60_000, 60_000),
        "cut.png": declare_png(4, 4)[:40],
        "deep.json": b"[" * 20_000,
        "entities.tmx": b'<!DOCTYPE m [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><map>&b;</map>',
        "away.tmx": b'<map width="1" height="1"><tileset firstgid="1" source="/etc/passwd"/></map>',
        "empty.txt": b"",
        "program.exe": b"MZ",
    }.items():
        narrow.drop("example", name, content)
        is_one_line(narrow["sample-line"], "'.exe'" if ".exe" in name else name.rpartition("/")[2])
        assert "/etc/" not in narrow["sample-line"].inner_text().replace(name, "")
    narrow.drop("example", "large.txt", b"." * 40_000)
    is_one_line(narrow["sample-line"], "the file must have at most ")
    expect(narrow["sample-facts"]).to_contain_text("dungeon")


def test_a_bad_link_shows_its_line_until_something_changes(narrow: Studio) -> None:
    narrow.open("never-a-link")
    is_one_line(narrow.line, "the link cannot be opened: it is incomplete or not a link of this studio")
    narrow.set_seed(2)
    expect(narrow.line).to_be_hidden()
    narrow.shows(tw.run("roguelike-dungeon", seed=2))

    link = State.from_recipe(SMALL).to_link()
    narrow.page.evaluate("(link) => { location.hash = link }", link[:-9])
    is_one_line(narrow.line, "the link cannot be opened")
    narrow.shows(tw.run("roguelike-dungeon", seed=2))
    narrow.page.evaluate("(link) => { location.hash = link }", link)
    narrow.shows(tw.run(SMALL))
    expect(narrow.line).to_be_hidden()
    narrow.page.evaluate("(link) => { location.hash = link }", State({"technique": "caves", "params": 7}).to_link())
    is_one_line(narrow.line, "the link cannot be opened: params: must be a set of named values, got 7")
    # A recipe that cannot be made is opened too, with its error.
    wrong = State({**SMALL, "params": {"walls": 7}})
    narrow.page.evaluate("(link) => { location.hash = link }", wrong.to_link())
    is_one_line(narrow.line, "walls: must be at most 1.0, got 7")
    narrow.shows(tw.run(SMALL))


def test_a_long_job_shows_progress_and_is_stopped(narrow: Studio) -> None:
    long = {"technique": "patterns", "params": {"width": 30, "height": 30, "iterations": 400_000_000}, "seed": 7}
    narrow.open(SMALL)
    before = narrow.key
    narrow.page.evaluate("(link) => { location.hash = link }", State.from_recipe(long).to_link())
    expect(narrow["stop"]).to_be_visible()
    expect(narrow["progress"]).to_be_visible()
    # Another client is served meanwhile.
    other = Studio(narrow.page.context, narrow.address)
    other.open(SMALL)
    other.set_param("walls", 0.5)
    other.shows(tw.make("caves", width=24, height=16, walls=0.5, seed=7))
    other.close()
    narrow["stop"].click()
    expect(narrow["stop"]).to_be_hidden()
    is_one_line(narrow.line, "stopped; the previous map is shown: change a parameter or press New seed")
    expect(narrow["progress"]).to_have_count(0)
    assert narrow.key == before
    narrow["undo"].click()
    narrow.set_param("walls", 0.5)
    narrow.shows(tw.make("caves", width=24, height=16, walls=0.5, seed=7))
    expect(narrow.line).to_be_hidden()


def test_every_request_stays_on_this_machine(studio: Studio) -> None:
    studio.open()
    for tab in TABS:
        studio.tab(tab)
    studio["variation-0"].wait_for(state="attached")
    studio.tab("make")
    studio["chosen"].click()
    expect(studio["pick-wfc"]).to_be_visible()
    studio["close-picker"].click()
    studio["help"].click()
    expect(studio["keys"]).to_be_visible()
    studio.page.goto(f"{studio.address}/api/docs")
    expect(studio.page.locator(".swagger-ui .title")).to_contain_text("Tilewright")
    assert len(studio.requested) > 30
    assert any(url.startswith("ws://") for url in studio.requested)
    assert {url for url in studio.requested if not studio.is_own(url)} == set()


def test_dark_and_light(studio: Studio) -> None:
    studio.open()
    ground = "() => getComputedStyle(document.body).backgroundColor"
    body = studio.page.locator("body")
    expect(body).to_have_class(re.compile("body--dark"))
    dark = studio.page.evaluate(ground)
    studio["dark"].click()
    expect(body).to_have_class(re.compile("body--light"))
    assert studio.page.evaluate(ground) != dark
    studio.page.reload()
    studio.ready()
    expect(body).to_have_class(re.compile("body--light"))
    studio["dark"].click()
    expect(body).to_have_class(re.compile("body--dark"))
    assert studio.page.evaluate(ground) == dark
    studio.page.evaluate("localStorage.clear()")


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
    box = phone.box(fix)
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
