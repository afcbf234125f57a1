"""Only good maps in a browser: requirements, tries, the fraction of seeds that pass, and giving up."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import expect

import tilewright as tw
from tests.studio.page import Studio
from tests.studio.screens import check_targets

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
