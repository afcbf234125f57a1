"""Box puzzles, platformer levels and ladder-and-gold games on exported pages are won with the keyboard and by touch."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

import tilewright as tw
from tests.browser import chromium, complaints
from tests.play.levels import TILES, level

PUZZLE = level("#######", "#@.$.o#", "#..$.o#", "#######")
# The player runs into walls before it jumps, so that the moment of the jump does not matter.
CLIMB = level("......", "....E.", "..####", "@c####", "######").replace(
    tileset=TILES.model_copy(update={"game": "platformer"})
)
PIT = level("@..E", "#.##").replace(tileset=TILES.model_copy(update={"game": "platformer,jump_height=1,jump_length=2"}))
MINE = level("@..H", "bbbH", "..gH", "bbbb")
KEYS = {"left": "ArrowLeft", "right": "KeyD", "up": "ArrowUp", "down": "KeyS", "dig right": "KeyE"}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


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
            page.keyboard.press(KEYS[move])
        expect(game).to_have_attribute("data-moves", str(number))
        if number == 2:  # taken back and made again
            if is_phone(page):
                page.get_by_test_id("game-undo").tap()
            else:
                page.keyboard.press("z")
            expect(game).to_have_attribute("data-moves", "1")
            page.keyboard.press(KEYS[move])
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
            page.keyboard.press(KEYS[move])
    expect(game).to_have_attribute("data-y", "2")
    expect(game).to_have_attribute("data-holes", "1")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_test_id("game-result")).to_contain_text("5 moves")
