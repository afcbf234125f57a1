"""Web pages: they contain the map, show and play it without a network, and escape everything.

Games on them are won with the keyboard and by touch.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Page, expect

import tilewright as tw
from tests.browser import chromium, complaints
from tests.formats.maps import MARKUP
from tests.play.levels import TILES, level
from tests.refusals import refused
from tilewright.analysis.keys import play
from tilewright.core.tilemap import Marker, TileMap
from tilewright.core.tileset import Tileset
from tilewright.formats import encode
from tilewright.formats._page import MODULES
from tilewright.formats.html import bundle, render_page

LOCKED = {
    "technique": "rooms",
    "params": {"width": 34, "height": 22, "loops": 0},
    "shaping": [{"lock_and_key": {"count": 1}}],
    "seed": 5,
}
KEYS = {(0, -1): "ArrowLeft", (0, 1): "ArrowRight", (-1, 0): "ArrowUp", (1, 0): "ArrowDown"}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


def open_page(browser: Browser, path: Path, **options: object) -> tuple[Page, list[str]]:
    """Open a page from the disk; returns it with its errors and all requests but the first."""
    page = browser.new_page(reduced_motion="reduce", **options)  # type: ignore[arg-type]
    page.set_default_timeout(60_000)
    found = complaints(page)
    page.on("request", lambda request: found.append(request.url) if request.url[:5] not in ("file:", "data:") else None)
    page.goto(path.as_uri())
    expect(page.locator("body")).to_have_attribute("data-ready", "true")
    return page, found


def test_a_page_is_played_from_the_disk(browser: Browser, tmp_path: Path) -> None:
    map = tw.run(LOCKED)
    map.save(tmp_path / "dungeon.html")
    page, errors = open_page(browser, tmp_path / "dungeon.html", color_scheme="dark")
    expect(page.get_by_role("heading", level=1)).to_have_text("rooms, seed 5")
    expect(page.get_by_test_id("recipe")).to_contain_text("lock_and_key")
    expect(page.locator("dd", has_text="748")).to_be_visible()
    field = page.get_by_test_id("field")
    zoom = float(field.get_attribute("data-zoom") or 0)
    page.get_by_test_id("zoom-in").click()
    expect(field).not_to_have_attribute("data-zoom", f"{zoom:.3f}")

    page.get_by_test_id("play").click()
    game = page.get_by_test_id("game")
    moves = play(map).moves
    for before, move in pairwise(moves):
        page.keyboard.press(KEYS[move.cell[0] - before.cell[0], move.cell[1] - before.cell[1]])
    expect(game).to_have_attribute("data-won", "true")
    expect(page.get_by_test_id("game-result")).to_have_text(f"{len(moves) - 1} steps, shortest {len(moves) - 1}")
    page.keyboard.press("Escape")
    expect(game).to_have_count(0)
    page.close()
    assert errors == []


def test_a_page_fits_a_phone(browser: Browser, tmp_path: Path) -> None:
    tw.run("skirmish", seed=1).save(tmp_path / "war.html")
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    page, errors = open_page(browser, tmp_path / "war.html", **phone)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    for name in ("zoom-in", "fit", "play"):
        box = page.get_by_test_id(name).bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 44
    page.get_by_test_id("play").tap()
    page.get_by_test_id("unit-air").tap()
    page.touchscreen.tap(195, 500)
    expect(page.get_by_test_id("game")).to_have_attribute("data-unit", "air")
    expect(page.get_by_test_id("game-note")).to_contain_text("cells in range")
    page.close()
    assert errors == []


def test_levels_are_walked_with_page_keys(browser: Browser, tmp_path: Path) -> None:
    tiles = Tileset.validate({"name": "two", "tiles": [{"name": "."}, {"name": "#", "passable": False}]})
    markers = [Marker("start", 0, 0, 0), Marker("exit", 2, 0, 1)]
    TileMap([[[0, 0, 0]], [[1, 1, 0]]], tiles, markers=markers).save(tmp_path / "tower.html")
    page, errors = open_page(browser, tmp_path / "tower.html")
    page.get_by_test_id("level-up").click()
    expect(page.get_by_test_id("level")).to_have_text("level 1")
    page.get_by_test_id("play").click()
    expect(page.get_by_test_id("game-level")).to_have_text("level 0")
    for key in ("PageUp", "ArrowRight", "KeyD"):
        page.keyboard.press(key)
    expect(page.get_by_test_id("game-level")).to_have_text("level 0, ⤒ PageUp")
    page.keyboard.press("PageUp")
    expect(page.get_by_test_id("game-result")).to_have_text("3 steps, shortest 3")
    page.close()
    assert errors == []


def test_hostile_names_are_text(browser: Browser, tmp_path: Path) -> None:
    tiles = Tileset.validate({"name": MARKUP, "tiles": [{"name": MARKUP}, {"name": "#", "passable": False}]})
    names = ("start", f"key {MARKUP}", f"lock {MARKUP}", "exit", MARKUP)
    markers = [Marker(name, x, 0, properties={MARKUP: MARKUP}) for x, name in enumerate(names)]
    made = tw.make("caves", width=8, height=8, seed=MARKUP)
    hostile = TileMap([[0, 0, 0, 0, 0]], tiles, markers=markers, numbers={MARKUP: 1.0})
    for number, map in enumerate((hostile, made)):
        path = tmp_path / f"{number}.html"
        map.save(path, title=MARKUP)
        page, errors = open_page(browser, path)
        assert page.evaluate("[window.hacked, document.scripts.length, document.images.length]") == [None, 3, 0]
        assert page.title() == MARKUP
        page.get_by_test_id("play").click()
        for _ in range(3):
            page.keyboard.press("ArrowRight")
        page.get_by_test_id("game-restart").click()
        assert page.evaluate("[window.hacked, document.scripts.length, document.images.length]") == [None, 3, 0]
        page.close()
        assert errors == []


def test_a_script_that_is_added_to_a_page_does_not_run(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "edited.html"
    text = encode(tw.make("caves", width=8, height=8, seed=1), "html").decode()
    path.write_text(
        text.replace("<aside", "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 1'><aside")
    )
    page, _ = open_page(browser, path)
    assert page.evaluate("window.hacked") is None
    page.close()


def test_large_maps_are_refused_in_one_line() -> None:
    large = TileMap(np.zeros((1025, 1024), dtype=np.uint8), Tileset.from_labels([".", "#"]))
    with refused("at most 1,048,576 cells, got 1,049,600; crop the map, or use png"):
        encode(large, "html")


def test_other_pages_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.html"
    path.write_text("<!doctype html><p>A page</p>")
    with pytest.raises(tw.TilewrightError, match="contains no map; only pages of Tilewright are read as maps"):
        tw.load(path)


def test_options_change_the_page() -> None:
    map = tw.make("caves", width=12, height=8, seed=1)
    page = encode(map, "html", title="My cave", sprites=False, measures=False).decode()
    assert "<title>My cave</title>" in page
    assert '"sheet": null' in page
    assert "Measures" not in page
    edited = encode(map.replace(recipe=None), "html").decode()
    assert "none: the map was read from a file or edited" in edited


def test_the_script_contains_every_module_once() -> None:
    script = bundle("viewer")
    used = {path.stem for path in MODULES.glob("*.js")} - {"index"}
    for name in used:
        assert script.count(f"const module_{name} = ") == 1, name


def test_modules_that_cannot_be_bundled_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilewright.formats.html.MODULES", tmp_path)
    (tmp_path / "a.js").write_text('import * as b from "./b.js";\n')
    with pytest.raises(ValueError, match=r"a\.js has an import or export that cannot be bundled"):
        bundle("a")
    (tmp_path / "c.js").write_text('import { d } from "./c.js";\n')
    with pytest.raises(ValueError, match=r"c\.js imports itself"):
        bundle("c")


def test_all_text_of_a_document_is_escaped() -> None:
    parts: dict[str, Any] = {
        "title": "t", "summary": "s", "levels": 1, "measures": {"g": {"m": "1"}}, "recipe": "r", "facts": {"f": "v"},
        "map": "{}", "scene": "{}",
    }  # fmt: skip
    plain = render_page(**parts)
    changes = {
        "title": MARKUP,
        "summary": MARKUP,
        "recipe": MARKUP,
        "measures": {MARKUP: {MARKUP: MARKUP}},
        "facts": {MARKUP: MARKUP},
        "map": f'"{MARKUP}"',
        "scene": f'"{MARKUP}"',
    }
    for name, value in changes.items():
        changed = render_page(**{**parts, name: value})
        for mark in ("<script", "</script", "<img", "<!--"):
            assert changed.count(mark) == plain.count(mark), (name, mark)


PUZZLE = level("#######", "#@.$.o#", "#..$.o#", "#######")
# The player runs into walls before it jumps, so that the moment of the jump does not matter.
CLIMB = level("......", "....E.", "..####", "@c####", "######").replace(
    tileset=TILES.model_copy(update={"game": "platformer"})
)
PIT = level("@..E", "#.##").replace(tileset=TILES.model_copy(update={"game": "platformer,jump_height=1,jump_length=2"}))
MINE = level("@..H", "bbbH", "..gH", "bbbb")
MOVE_KEYS = {"left": "ArrowLeft", "right": "KeyD", "up": "ArrowUp", "down": "KeyS", "dig right": "KeyE"}


@pytest.fixture(params=["desktop", "phone"])
def page(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    phone = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
    context = browser.new_context(**phone if request.param == "phone" else {"viewport": {"width": 1440, "height": 900}})
    page = context.new_page()
    found = complaints(page)
    yield page
    context.close()
    assert found == []


def is_phone(page: Page) -> bool:
    return bool(page.evaluate("matchMedia('(pointer: coarse)').matches"))


def open_game(page: Page, map: tw.TileMap, folder: Path) -> None:
    path = folder / "level.html"
    map.save(path)
    page.goto(path.as_uri())
    page.get_by_test_id("play").click()


def test_a_box_puzzle(page: Page, tmp_path: Path) -> None:
    open_game(page, PUZZLE, tmp_path)
    game = page.get_by_test_id("game")
    moves = tw.solve(PUZZLE).moves
    for number, move in enumerate(moves, 1):
        if is_phone(page):
            page.get_by_test_id(f"game-{move}").tap()
        else:
            page.keyboard.press(MOVE_KEYS[move])
        expect(game).to_have_attribute("data-moves", str(number))
        if number == 2:  # taken back and made again
            if is_phone(page):
                page.get_by_test_id("game-undo").tap()
            else:
                page.keyboard.press("z")
            expect(game).to_have_attribute("data-moves", "1")
            page.keyboard.press(MOVE_KEYS[move])
    expect(page.get_by_test_id("game-result")).to_have_text(f"{len(moves)} moves, 4 pushes, fewest 4")
    page.get_by_test_id("game-again").click()
    expect(game).to_have_attribute("data-pushes", "0")
    expect(page.get_by_test_id("game-undo")).to_be_disabled()


def test_a_platformer_level(page: Page, tmp_path: Path) -> None:
    open_game(page, CLIMB, tmp_path)
    game = page.get_by_test_id("game")
    if is_phone(page):
        right, jump = page.get_by_test_id("game-right"), page.get_by_test_id("game-up")
        right.dispatch_event("pointerdown")
        expect(game).to_have_attribute("data-x", "1")
        jump.tap()
    else:
        page.keyboard.down("ArrowRight")
        expect(game).to_have_attribute("data-x", "1")
        page.keyboard.press("Space")
    expect(page.get_by_test_id("game-result")).to_contain_text("coins 1 of 1")
    expect(game).to_have_attribute("data-x", "4")


def test_a_fall_restarts_the_level(page: Page, tmp_path: Path) -> None:
    open_game(page, PIT, tmp_path)
    game = page.get_by_test_id("game")
    for name in ("pointerdown", "pointerup") if is_phone(page) else ():
        page.get_by_test_id("game-right").dispatch_event(name)
    if not is_phone(page):
        page.keyboard.press("d")
    expect(page.get_by_test_id("game-note")).to_have_text("You fell out of the level")
    expect(game).to_have_attribute("data-falls", "1")
    expect(game).to_have_attribute("data-x", "0")
    expect(game).to_have_attribute("data-ticks", "0")


def test_a_ladder_and_gold_game(page: Page, tmp_path: Path) -> None:
    open_game(page, MINE, tmp_path)
    game = page.get_by_test_id("game")
    for move in ("dig right", "right"):  # The player digs a hole and falls through it.
        if is_phone(page):
            page.get_by_test_id(f"game-{move.replace(' ', '-')}").tap()
        else:
            page.keyboard.press(MOVE_KEYS[move])
    expect(game).to_have_attribute("data-y", "2")
    expect(game).to_have_attribute("data-holes", "1")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_test_id("game-result")).to_contain_text("5 moves")
