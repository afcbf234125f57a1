"""Find a seed in a browser: progress, stop and continue, the best seeds, and one of them as the seed of Make."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from playwright.sync_api import expect

import tilewright as tw
from tests.studio.page import Studio
from tests.studio.screens import check_access, check_layout, load_axe

CAVE: dict[str, Any] = {"technique": "caves", "params": {"width": 24, "height": 14}, "seed": 7}
REQUIRED: dict[str, Any] = {**CAVE, "require": {"regions": 1, "path_length": "most"}, "tries": 4}
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
    tiles = tw.run({**CAVE, "seed": seed})
    studio.holds(np.array(tiles.tileset.names)[tiles.cells])


def test_a_found_seed_becomes_that_of_the_map(studio: Studio) -> None:
    studio.open(CAVE)
    expect(studio["find-seed"]).to_be_hidden()
    studio.open(REQUIRED)
    find(studio)
    wanted = tw.seek(CAVE, seeds="0..999", require=REQUIRED["require"], keep=12)
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
    studio.open({**CAVE, "require": {"regions": ">0", "chokepoints": ">=0"}})
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
