"""Search in a browser: the heatmap, its maps and exports, and selection by eye, on a desktop and on a phone."""

from __future__ import annotations

import re
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

import tilewright as tw
from tests.studio.page import Studio
from tests.studio.screens import PHONE, check_access, check_layout, load_axe
from tilewright.studio.search.options import find_owner
from tilewright.studio.search.state import AxisState, SearchViewState
from tilewright.studio.state import State

SMALL: dict[str, Any] = {"technique": "caves", "params": {"width": 16, "height": 10}, "seed": 7}
VARY = {"params.walls": {"from": 0.3, "to": 0.6}, "seed": {}}
COMPONENT = "(heatmap) => getElement(Number(heatmap.id.slice(1)))"
PICKED = ".tw-map-choice.tw-marked"
MADE = ".tw-map-choice.tw-made"


def make_state(recipe: dict[str, Any] = SMALL, **settings: Any) -> State:
    """Return a state with a search of few small maps."""
    state = State.from_recipe(recipe).with_view_settings(tab="search")
    chosen = {
        "x": AxisState(measure="floor_share", bins=4, low=0.2, high=0.8),
        "y": AxisState(measure="regions", bins=3, low=1.0, high=16.0),
        "objective": "path_length",
        "evaluations": 64,
        "vary": VARY,
        **settings,
    }
    return replace(state, search=SearchViewState(owner=find_owner(state), **chosen))


def make_archive(state: State) -> tw.search.Archive:
    """Return the archive that the page must find."""
    search = state.search
    return tw.search.make(
        state.effective,
        vary={path: dict(spec) or None for path, spec in (search.vary or {}).items()},
        measures={axis.measure: axis.to_spec() for axis in (search.x, search.y)},
        objective=search.objective,
        evaluations=search.evaluations,
        seed=search.seed,
        batch=64,
    )


def start(studio: Studio) -> None:
    """Start the search, and wait until it is finished."""
    studio["search-main"].click()
    expect(studio["search-status"]).to_have_text("Done.")


def read_settled(studio: Studio, name: str) -> str:
    """Return the text of an element once it no longer changes: the batch in progress is added after a pause."""
    text = ""
    for _ in range(50):
        last, text = text, studio[name].inner_text()
        if text == last:
            break
        studio.page.wait_for_timeout(400)
    return text


def place(studio: Studio, cell: tuple[int, ...]) -> tuple[float, float]:
    """Return the position of a cell in the window."""
    studio["heatmap"].scroll_into_view_if_needed()
    left, top = studio["heatmap"].evaluate(f"(heatmap, [x, y]) => ({COMPONENT})(heatmap).place(x, y)", list(cell))
    return left, top


def test_one_click_fills_the_heatmap_and_a_cell_opens_in_make(studio: Studio) -> None:
    state = make_state()
    archive = make_archive(state)
    studio.open(state)
    start(studio)
    expect(studio["heatmap"]).to_have_attribute("data-filled", str(len(archive)))
    expect(studio["search-maps"]).to_have_text("64 of 64")
    expect(studio["search-coverage"]).to_have_text(f"{100 * archive.coverage:.0f} %")
    expect(studio["search-best"]).to_have_text(f"{archive.best.objective:g}")
    expect(studio["elite-title"]).to_have_text("Best map")
    elite = next(one for one in archive if one.cell != archive.best.cell)
    studio.page.mouse.move(*place(studio, elite.cell))
    expect(studio["elite-title"]).to_have_text("Map of the cell")
    expect(studio["elite-numbers"]).to_contain_text(str(elite.values["seed"]))
    expect(studio["elite-picture"]).to_be_visible()
    studio.page.mouse.down()
    studio.page.mouse.up()
    expect(studio["tab-make"]).to_have_attribute("aria-selected", "true")
    studio.shows(elite.map)
    # The back button returns to the heatmap; undo reverts the map.
    studio.page.go_back()
    expect(studio["tab-search"]).to_have_attribute("aria-selected", "true")
    expect(studio["heatmap"]).to_have_attribute("data-filled", str(len(archive)))
    expect(studio["search-status"]).to_have_text("Done.")
    studio.page.go_forward()
    studio.shows(elite.map)
    studio["undo"].click()
    studio.shows(tw.run(SMALL))


def test_measures_are_suggested_and_settings_are_part_of_the_link(studio: Studio) -> None:
    studio.open(State.from_recipe(SMALL).with_view_settings(tab="search"))
    expect(studio["search-main"]).to_be_enabled()
    expect(studio["search-summary"]).to_contain_text("maps with other values of walls, steps, birth and seed")
    studio.enter("search-evaluations", "64")
    studio["vary-params-birth"].click()
    studio.enter("vary-params-walls-to", "0.5")
    studio["vary-params-outside"].click()
    expect(studio["vary-params-outside-values"]).to_be_visible()
    studio.choose("search-y", "dead ends")
    studio.choose("search-goal", "lowest")
    expect(studio["search-summary"]).to_contain_text("64 maps with other values of walls, steps, outside and seed")
    expect(studio["search-summary"]).to_contain_text("floor share and dead ends, it keeps the map with the lowest path")
    start(studio)
    found = State.from_link(studio.copy("copy-link").partition("#")[2]).search
    assert found.vary is not None
    assert found.vary["params.walls"] == {"from": 0.3, "to": 0.5}
    assert found.vary.keys() == {"seed", "params.walls", "params.steps", "params.outside"}
    assert (found.x.measure, found.y.measure, found.is_least) == ("floor_share", "dead_ends", True)


def test_pause_resume_and_continue(studio: Studio) -> None:
    state = make_state(evaluations=100_000)
    studio.open(state)
    studio["search-main"].click()
    expect(studio["search-main"]).to_have_text(re.compile("Pause"))
    expect(studio["heatmap"]).not_to_have_attribute("data-filled", "0")
    studio["search-main"].click()
    expect(studio["search-main"]).to_have_text(re.compile("Resume"))
    paused = read_settled(studio, "search-maps")
    studio.tab("make")
    studio.tab("search")
    expect(studio["search-maps"]).to_have_text(paused)
    studio["search-main"].click()
    expect(studio["search-main"]).to_have_text(re.compile("Pause"))
    expect(studio["search-maps"]).not_to_have_text(paused)
    # Other settings are another search. The old one stays until the new one starts.
    studio.enter("search-evaluations", "64")
    studio.enter("search-seed", "5")
    expect(studio["search-status"]).to_contain_text("other settings")
    start(studio)
    expect(studio["search-maps"]).to_have_text("64 of 64")
    expect(studio["search-main"]).to_have_text(re.compile("64 more maps"))
    studio["search-main"].click()
    expect(studio["search-maps"]).to_have_text("128 of 128")


def test_a_search_survives_a_reload(studio: Studio) -> None:
    studio.open(make_state(evaluations=100_000))
    studio["search-main"].click()
    expect(studio["heatmap"]).not_to_have_attribute("data-filled", "0")
    count = int(studio["search-maps"].inner_text().split()[0].replace(",", ""))
    studio.page.reload()
    studio.ready()
    expect(studio["search-main"]).to_have_text(re.compile("Pause"))
    expect(studio["heatmap"]).not_to_have_attribute("data-filled", "0")
    assert int(studio["search-maps"].inner_text().split()[0].replace(",", "")) >= count
    studio["search-main"].click()
    expect(studio["search-main"]).to_have_text(re.compile("Resume"))


def test_selected_cells_are_exported(studio: Studio, tmp_path: Path) -> None:
    state = make_state()
    archive = make_archive(state)
    studio.open(state)
    start(studio)
    expect(studio["search-selection"]).to_contain_text(f"{len(archive)} maps")
    studio.page.mouse.move(*place(studio, (0, 0)))
    studio.page.mouse.down()
    studio.page.mouse.move(*place(studio, (3, 0)), steps=4)
    studio.page.mouse.up()
    expect(studio["heatmap"]).to_have_attribute("data-selected", "0,0,3,0")
    chosen = [one for one in archive if one.cell[1] == 0]
    expect(studio["search-selection"]).to_have_text(re.compile(rf"^{len(chosen)} maps? selected$"))
    studio.choose("search-format", "json")
    with zipfile.ZipFile(studio.download("search-download", tmp_path)) as files:
        files.extractall(tmp_path)
        found = [tw.load(tmp_path / name) for name in files.namelist()]
    assert [map.cells.tolist() for map in found] == [one.map.cells.tolist() for one in chosen]
    studio["search-gallery"].click()
    expect(studio["tab-gallery"]).to_have_attribute("aria-selected", "true")
    expect(studio.page.locator(".tw-map-cell.tw-made")).to_have_count(len(chosen))
    captions = studio.page.locator(".tw-map-caption").all_inner_texts()
    assert all(any(str(one.values["seed"]) in caption for caption in captions) for one in chosen)
    studio.page.go_back()
    expect(studio["tab-search"]).to_have_attribute("aria-selected", "true")
    studio["search-clear"].click()
    expect(studio["search-selection"]).to_contain_text(f"{len(archive)} maps;")


def test_the_keyboard_inspects_selects_and_opens(studio: Studio) -> None:
    state = make_state()
    best = make_archive(state).best
    studio.open(state)
    start(studio)
    plot = studio.page.get_by_role("application")
    studio["search-again"].focus()
    while not plot.evaluate("(plot) => plot === document.activeElement"):
        studio.press("Tab")
    expect(studio["heatmap"]).to_have_attribute("data-cell", ",".join(map(str, best.cell)))
    across = "ArrowLeft" if best.cell[0] else "ArrowRight"
    back = "ArrowRight" if best.cell[0] else "ArrowLeft"
    studio.press(f"Shift+{across}")
    left = max(best.cell[0] - 1, 0)
    expect(studio["heatmap"]).to_have_attribute("data-selected", f"{left},{best.cell[1]},{left + 1},{best.cell[1]}")
    studio.press("Escape", back)
    expect(studio["heatmap"]).not_to_have_attribute("data-selected", re.compile("."))
    expect(studio["heatmap"].locator(".tw-unseen")).to_contain_text("path length")
    expect(studio["elite-numbers"]).to_contain_text(str(best.values["seed"]))
    studio.press("Enter")
    studio.shows(best.map)


def test_errors_have_buttons(studio: Studio) -> None:
    studio.open(make_state(vary={"params.walls": {"from": 0.3, "to": 5.0}, "seed": {}}))
    studio["search-main"].click()
    expect(studio["search-error"]).to_contain_text("walls")
    studio.page.get_by_role("button", name="Use the usual range of walls").click()
    expect(studio["search-error"]).to_be_hidden()
    expect(studio["vary-params-walls-to"]).to_have_value("0.6")
    start(studio)


def test_maps_are_bred_from_picked_ones(studio: Studio) -> None:
    studio.open(make_state(mode="eye"))
    expect(studio.page.locator(MADE)).to_have_count(12)
    first = pictures(studio)
    assert len(set(first)) == 12
    studio["pick-3"].click()
    studio["pick-5"].locator(".tw-map-open").focus()
    studio.press("Space")
    expect(studio.page.locator(PICKED)).to_have_count(2)
    expect(studio["pick-5"].locator(".tw-map-open")).to_have_attribute("aria-pressed", "true")
    expect(studio["eye-next"]).to_have_text(re.compile("Breed from 2 maps"))
    studio["eye-next"].click()
    expect(studio["eye-title"]).to_have_text("Generation 2")
    expect(studio.page.locator(MADE)).to_have_count(12)
    second = pictures(studio)
    assert second[:2] == [first[3], first[5]], "picked maps are kept"
    # A step back shows the picks, and the link keeps all generations.
    studio["eye-back"].click()
    expect(studio["eye-title"]).to_have_text("Generation 1 of 2")
    expect(studio.page.locator(MADE)).to_have_count(12)
    expect(studio.page.locator(PICKED)).to_have_count(2)
    assert pictures(studio) == first
    studio["eye-forth"].click()
    expect(studio.page.locator(MADE)).to_have_count(12)
    studio.reopen()
    expect(studio["eye-title"]).to_have_text("Generation 2")
    expect(studio.page.locator(MADE)).to_have_count(12)
    assert pictures(studio) == second
    # A map is opened in Make, and the back button returns to its generation.
    studio["pick-4"].hover()
    with studio.another():
        studio["pick-4-open"].click()
    expect(studio["tab-make"]).to_have_attribute("aria-selected", "true")
    studio.page.go_back()
    expect(studio["eye-title"]).to_have_text("Generation 2")
    expect(studio.page.locator(MADE)).to_have_count(12)
    assert pictures(studio) == second
    studio["eye-over"].click()
    expect(studio["eye-title"]).to_have_text("Generation 1")


def pictures(studio: Studio) -> list[str]:
    sources: list[str] = studio["eye-grid"].locator("img").evaluate_all("(all) => all.map((one) => one.src)")
    return sources


def test_on_a_phone_a_tap_shows_a_map_and_a_finger_selects(phone: Studio) -> None:
    state = make_state()
    archive = make_archive(state)
    elite = next(one for one in archive if one.cell != archive.best.cell)
    phone.open(state)
    phone["search-main"].tap()
    expect(phone["search-status"]).to_have_text("Done.")
    phone.page.touchscreen.tap(*place(phone, elite.cell))
    expect(phone["elite-numbers"]).to_contain_text(str(elite.values["seed"]))
    expect(phone["tab-search"]).to_have_attribute("aria-selected", "true")
    phone["search-select"].tap()
    expect(phone["search-select"]).to_have_attribute("aria-pressed", "true")
    (left, top), (right, bottom) = place(phone, (0, 2)), place(phone, (1, 0))
    phone.touch([(left, top)], [(right, top)], [(right, bottom)])
    expect(phone["heatmap"]).to_have_attribute("data-selected", "0,0,1,2")
    phone.page.touchscreen.tap(*place(phone, elite.cell))
    phone["elite-open"].tap()
    phone.shows(elite.map)
    phone["tab-search"].tap()
    phone["search-mode"].get_by_text("Pick by eye").tap()
    expect(phone.page.locator(MADE)).to_have_count(12)
    phone["pick-0"].tap()
    phone["eye-next"].tap()
    expect(phone["eye-title"]).to_have_text("Generation 2")


def test_axe_finds_nothing_serious(screen: Studio) -> None:
    screen.open(make_state())
    start(screen)
    load_axe(screen)
    for mode in ("Explore", "Pick by eye"):
        screen["search-mode"].get_by_text(mode).click()
        if mode == "Pick by eye":
            expect(screen.page.locator(MADE)).to_have_count(12)
            screen["pick-2"].click()
            expect(screen.page.locator(PICKED)).to_have_count(1)
        check_access(screen, mode)
        if screen.page.viewport_size == PHONE:
            check_layout(screen, mode, touch=True)
