"""Only good maps in a browser: requirements, tries, the fraction of seeds that pass, and Find a seed."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from playwright.sync_api import expect

import tilewright as tw
from tests.studio.page import Studio
from tests.studio.screens import check_access, check_layout, check_targets, load_axe

CAVE: dict[str, Any] = {"technique": "caves", "params": {"width": 30, "height": 20}, "seed": 7}
SHARE = re.compile(r"^[1-9]\d* of \d+ seeds? pass$")


def test_maps_are_made_until_one_meets_the_requirements(studio: Studio) -> None:
    studio.open(CAVE)
    now = tw.measure(tw.run(CAVE), "path_length")["path_length"]
    expect(studio["good-tries"]).to_be_hidden()
    studio["good-add"].click()
    expect(studio["good-0-value"]).to_have_value(f"{now:g}")
    expect(studio["good-share"]).to_have_text(SHARE)

    studio.choose("good-0-rule", "more than")
    studio.enter("good-0-value", f"{now + 3:g}")
    required = {**CAVE, "require": {"path_length": f">{now + 3:g}"}}
    studio.shows(tw.run(required))
    expect(studio["measure-try"]).not_to_have_text("1")
    expect(studio["good-share"]).to_have_text(SHARE)
    expect(studio["good-0-met"]).to_have_text(re.compile(r"^met by \d+ of \d+$"))

    studio["good-add"].click()
    studio.choose("good-1-measure", "count.wall")
    expect(studio["good-1-rule"]).to_have_value(re.compile("exactly|=="))
    studio.choose("good-1-rule", "as low as possible")
    expect(studio["good-1-value"]).to_have_count(0)
    studio.enter("good-tries", "6")
    best = {**required, "require": {**required["require"], "count.wall": "least"}, "tries": 6}
    studio.shows(tw.run(best))
    studio.choose("good-1-measure", "solvable")
    expect(studio["good-1-rule"]).to_have_value("must be yes")
    expect(studio["good-1-value"]).to_have_count(0)
    studio["good-1-remove"].click()
    studio.choose("good-0-rule", "between")
    studio.enter("good-0-high", f"{now + 30:g}")
    studio.shows(tw.run({**CAVE, "require": {"path_length": f"{now + 3:g}..{now + 30:g}"}, "tries": 6}))
    studio["good-0-remove"].click()
    studio.shows(tw.run(CAVE))
    expect(studio["good-tries"]).to_be_hidden()
    studio.press("Control+z")
    expect(studio["good-0"]).to_be_visible()


def test_giving_up_offers_fixes(studio: Studio) -> None:
    studio.open({**CAVE, "require": {"regions": "<=9"}})
    studio["good-add"].click()
    studio.enter("good-1-value", "900")
    expect(studio.line).to_contain_text("gave up after 20 tries: no map met the requirements")
    expect(studio["good-share"]).to_have_text(re.compile(r"^0 of \d+ seeds? pass$"))
    for name in ("Set tries to 80", "Use another seed", "Remove 'path_length'"):
        expect(studio.page.get_by_role("button", name=name)).to_be_visible()
    studio.page.get_by_role("button", name="Set require.path_length to >=").click()
    expect(studio.line).to_be_hidden()
    expect(studio["good-share"]).to_have_text(re.compile(r"^\d+ of \d+ seeds? pass$"))
    expect(studio["good-1-value"]).not_to_have_value("900")


def test_the_section_is_usable_by_touch(phone: Studio) -> None:
    phone.open({**CAVE, "require": {"path_length": ">9", "regions": "<9"}})
    fields = ("good-0-value", "good-0-measure", "good-0-rule", "good-tries")
    controls = [phone.page.locator(".q-field__control", has=phone[name]) for name in fields]
    check_targets(phone, "good-add", "good-0-remove", *controls)
    phone["good-1-remove"].tap()
    expect(phone["good-1"]).to_have_count(0)
    phone["good-share"].scroll_into_view_if_needed()
    expect(phone["good-share"]).to_have_text(SHARE)


def test_improve_changes_the_map_until_it_meets_the_rows(studio: Studio) -> None:
    required = {**CAVE, "require": {"regions": 1}, "tries": 3}
    studio.open(required)
    expect(studio["good-improve"]).to_have_attribute("aria-pressed", "false")
    studio["good-improve"].click()
    expect(studio["good-improve"]).to_have_attribute("aria-pressed", "true")
    improved = {**required, "shaping": [{"improve": {"targets": {"regions": 1}}}]}
    studio.shows(tw.run(improved))
    expect(studio["measure-regions"]).to_have_text("1")
    studio.enter("good-0-value", "2")
    studio.shows(tw.run({**required, "require": {"regions": 2}, "shaping": [{"improve": {"targets": {"regions": 2}}}]}))
    studio["good-improve"].click()
    expect(studio["good-improve"]).to_have_attribute("aria-pressed", "false")
    studio.press("Control+z")
    expect(studio["good-improve"]).to_have_attribute("aria-pressed", "true")


def test_buttons_do_not_move_while_seeds_are_tried(studio: Studio) -> None:
    studio.open({**CAVE, "require": {"regions": "<=9"}})
    expect(studio["good-share"]).to_have_text(SHARE)
    # A click between two positions of the button would have no effect.
    studio["good-improve"].evaluate(
        """(button) => {
          window.tops = new Set();
          const note = () => { window.tops.add(button.getBoundingClientRect().top); requestAnimationFrame(note); };
          note();
        }"""
    )
    studio.enter("good-0-value", "8")
    expect(studio["good-share"]).to_have_text("Trying seeds ...")
    expect(studio["good-share"]).to_have_text(SHARE)
    expect(studio["good-0-met"]).to_have_text(re.compile(r"^met by \d+ of \d+$"))
    assert studio.page.evaluate("window.tops.size") == 1


SMALL_CAVE: dict[str, Any] = {"technique": "caves", "params": {"width": 24, "height": 14}, "seed": 7}
REQUIRED: dict[str, Any] = {**SMALL_CAVE, "require": {"regions": 1, "path_length": "most"}, "tries": 4}
VISIBLE_CELLS = ".tw-found-grid .tw-map-cell:visible"


def find(studio: Studio, seeds: str = "1,000") -> None:
    """Test seeds until all are tested and their maps are drawn."""
    studio.choose("find-count", f"{seeds} seeds")
    studio["find-seed"].click()
    expect(studio["find-seed"]).to_contain_text("More seeds")
    expect(studio.page.locator(f"{VISIBLE_CELLS}.tw-waits")).to_have_count(0)


def show_seed(studio: Studio, seed: int) -> None:
    """Wait until the canvas shows the first try of a seed."""
    expect(studio["seed"]).to_have_value(str(seed))
    tiles = tw.run({**SMALL_CAVE, "seed": seed})
    studio.holds(np.array(tiles.tileset.names)[tiles.cells])


def test_a_found_seed_becomes_that_of_the_map(studio: Studio) -> None:
    studio.open(SMALL_CAVE)
    expect(studio["find-seed"]).to_be_hidden()
    studio.open(REQUIRED)
    find(studio)
    wanted = tw.seek(SMALL_CAVE, seeds="0..999", require=REQUIRED["require"], keep=12)
    expect(studio["found-rarity"]).to_contain_text(str(wanted.rarity["all"]))
    expect(studio["found-rarity"]).to_contain_text(f"{wanted.passed:,} of 1,000 tested seeds")
    expect(studio.page.locator(VISIBLE_CELLS)).to_have_count(12)
    for number, seed in enumerate(wanted.seeds.tolist()):
        expect(studio[f"found-{number}"]).to_contain_text(f"seed {seed}")
    expect(studio["found-0"]).to_contain_text(f"path length {wanted.values['path_length'][0]:g}")
    expect(studio["histogram-regions"]).to_have_accessible_name(re.compile("^regions exactly 1: "))
    expect(studio["histogram-path_length"].locator("canvas")).to_be_visible()

    chosen = studio["found-2"].get_by_role("button")
    chosen.focus()
    studio.press("Enter")
    show_seed(studio, int(wanted.seeds[2]))
    expect(chosen).to_have_attribute("aria-pressed", "true")
    expect(studio["good-1-rule"]).to_have_value(re.compile("as high as possible|most"))
    studio["found-0"].get_by_role("button").click()
    show_seed(studio, int(wanted.seeds[0]))
    studio.press("Control+z")
    show_seed(studio, int(wanted.seeds[2]))
    studio.press("Control+z")
    expect(studio["seed"]).to_have_value("7")
    studio.enter("good-0-value", "2")
    expect(studio["found"]).to_be_hidden()
    expect(studio["find-seed"]).to_contain_text("Find a seed")
    studio["undo"].click()
    expect(studio["found"]).to_be_visible()


def test_a_search_stops_and_continues_by_keyboard(studio: Studio) -> None:
    studio.open({**SMALL_CAVE, "require": {"regions": ">0", "chokepoints": ">=0"}})
    studio.choose("find-count", "1,000,000 seeds")
    studio["find-seed"].focus()
    studio.press("Enter")
    numbers = r"^[1-9][\d,]* of 1,000,000 seeds · [1-9][\d,]* found"
    expect(studio["find-numbers"]).to_have_text(re.compile(rf"{numbers} · .+/s · .+ left$"))
    studio.press("Enter")
    expect(studio["find-seed"]).to_contain_text("Continue")
    expect(studio["find-numbers"]).to_have_text(re.compile(f"{numbers}$"))
    expect(studio["found-rarity"]).to_contain_text(re.compile(r"[1-9][\d,]* tested seeds? meet the requirements"))
    before = studio["find-numbers"].inner_text()
    studio.press("Enter")
    expect(studio["find-seed"]).to_contain_text("Stop")
    expect(studio["find-numbers"]).not_to_have_text(before)
    studio.set_param("walls", 0.4)
    expect(studio["find-seed"]).to_contain_text("Find a seed")
    expect(studio["find-numbers"]).to_be_hidden()


def test_errors_of_a_search_are_shown(studio: Studio) -> None:
    studio.open(REQUIRED)
    studio.choose("good-0-rule", "as low as possible")
    studio["find-seed"].click()
    expect(studio["find-status"]).to_contain_text("only one measure can be most or least")
    expect(studio["find-seed"]).to_contain_text("Find a seed")


def test_the_phone_shows_everything_within_reach(phone: Studio) -> None:
    phone.open(REQUIRED)
    find(phone)
    phone["found-1"].get_by_role("button").tap()
    expect(phone["found-1"].get_by_role("button")).to_have_attribute("aria-pressed", "true")
    expect(phone["histogram-regions"].locator("canvas")).to_have_count(1)
    check_layout(phone, touch=True)


def test_axe_finds_nothing_serious(screen: Studio) -> None:
    screen.open(REQUIRED)
    find(screen)
    screen["found-1"].get_by_role("button").click()
    expect(screen["found-1"].get_by_role("button")).to_have_attribute("aria-pressed", "true")
    load_axe(screen)
    check_access(screen)
