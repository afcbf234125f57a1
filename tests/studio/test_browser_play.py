"""Play in a browser: walking with keys and touch, fog, keys and locks, the exit, and the range of units."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
from playwright.sync_api import expect

import tilewright as tw
from tests.studio.page import COMPONENT, Studio
from tests.studio.screens import check_targets
from tilewright.analysis.keys import play
from tilewright.analysis.movement import movement_range

LOCKED = {
    "technique": "rooms",
    "params": {"width": 34, "height": 22, "loops": 0},
    "shaping": [{"lock_and_key": {"count": 1}}],
    "seed": 5,
}
SMALL = {"technique": "caves", "params": {"width": 24, "height": 16}, "shaping": ["connect", "place"], "seed": 7}
KEYS = {(0, -1): "ArrowLeft", (0, 1): "ArrowRight", (-1, 0): "ArrowUp", (1, 0): "KeyS"}
FOG = "#100e16"


def expect_player(studio: Studio, cell: tuple[int, ...], steps: int) -> None:
    for name, value in {"y": cell[0], "x": cell[1], "steps": steps}.items():
        expect(studio["game"]).to_have_attribute(f"data-{name}", str(value))


def locate(studio: Studio, cell: tuple[int, ...]) -> tuple[float, float]:
    """Return the position of a cell (row, column) of the game in the window."""
    x, y = studio.map.evaluate(
        f"""(map, [row, column]) => {{
          const {{ view, canvas }} = ({COMPONENT})(map).game;
          const {{ left, top }} = canvas.getBoundingClientRect();
          return [left + view.left + (column + 0.5) * view.zoom, top + view.top + (row + 0.5) * view.zoom];
        }}""",
        list(cell),
    )
    return x, y


def colors(studio: Studio, cells: list[list[int]]) -> list[str]:
    """Return the colors in the middle of cells (row, column) of the game."""
    studio.wait_for_drawing()
    found: list[str] = studio.map.evaluate(
        f"""(map, cells) => cells.map(([row, column]) => {{
          const {{ view, canvas }} = ({COMPONENT})(map).game;
          const [x, y] = [view.x(column) + view.cell / 2, view.y(row) + view.cell / 2];
          const pixel = canvas.getContext("2d").getImageData(x, y, 1, 1).data;
          return "#" + [...pixel.slice(0, 3)].map((part) => part.toString(16).padStart(2, "0")).join("");
        }})""",
        cells,
    )
    return found


def test_a_locked_dungeon_is_played_to_its_exit(studio: Studio) -> None:
    map = tw.run(LOCKED)
    moves = play(map).moves
    studio.open(LOCKED)
    studio.press("y")
    expect_player(studio, moves[0].cell, 0)
    expect(studio["game-shortest"]).to_have_text(f"shortest {len(moves) - 1}")
    seen = tw.analysis.field_of_view(map, "start", radius=12)
    is_plain = map.passable.copy()  # without the player and icons
    for marker in map.markers:
        is_plain[marker.y, marker.x] = False
    near, hidden = (
        min(np.argwhere(mask).tolist(), key=lambda cell: abs(np.subtract(cell, moves[0].cell)).sum())
        for mask in (seen & is_plain, ~seen)
    )
    lit, dark = colors(studio, [near, hidden])
    assert dark == FOG != lit
    studio.press("r", "b")  # Start again, and a key of the canvas: neither reaches the studio.
    expect(studio["seed"]).to_have_value("5")
    expect(studio.map).to_have_attribute("data-tool", "hand")

    for number, (before, move) in enumerate(pairwise(moves), 1):
        studio.press(KEYS[move.cell[0] - before.cell[0], move.cell[1] - before.cell[1]])
        if move.keys or move.locks:
            expect_player(studio, move.cell, number)
            expect(studio["game"]).to_have_attribute("data-keys", "red")
            expect(studio["game-note"]).to_contain_text("You found the red key" if move.keys else "You opened the lock")
    assert colors(studio, [near])[0] not in (lit, FOG), "cells that were seen before are dimmed"
    expect(studio["game-keys"].get_by_role("listitem")).to_have_attribute("aria-label", "red key")
    expect(studio["game-result"]).to_have_text(f"{len(moves) - 1} steps, shortest {len(moves) - 1}")
    studio["game-again"].click()
    expect_player(studio, moves[0].cell, 0)
    expect(studio["game-result"]).to_have_count(0)
    studio.press("Escape")
    expect(studio["game"]).to_have_count(0)
    studio.press("b")
    expect(studio.map).to_have_attribute("data-tool", "brush")


def test_the_current_state_is_played_until_the_map_changes(studio: Studio) -> None:
    map = tw.run(SMALL)
    start = next((marker.y, marker.x) for marker in map.markers if marker.name == "start")
    route = [tuple(cell) for cell in tw.analysis.path(map, "start", "exit").tolist()]
    studio.open(SMALL)
    studio.take("brush", "wall")
    with studio.another():
        studio.stroke(route[1][::-1])
    studio["play-map"].click()
    expect_player(studio, start, 0)
    studio.press(KEYS[route[1][0] - start[0], route[1][1] - start[1]])
    expect_player(studio, start, 0)
    studio["undo"].click()
    expect(studio["game"]).to_have_count(0)
    studio.press("y")
    studio.press(KEYS[route[1][0] - start[0], route[1][1] - start[1]])
    expect_player(studio, route[1], 1)


def test_war_maps_show_the_range_of_units(studio: Studio) -> None:
    recipe = {"technique": "markov", "params": {"width": 14, "height": 12, "sample": "awbw"}, "seed": 2}
    map = tw.run(recipe)
    studio.open(recipe)
    studio["play-map"].click()
    studio["unit-tread"].click()
    expect(studio["game-points"]).to_have_text("6 points")
    studio["more-points"].click()
    cell = tuple(np.argwhere(map.where("plain"))[-1].tolist())
    studio.page.mouse.move(*locate(studio, cell))
    wanted = movement_range(map, cell, unit="tread", points=7)
    expect(studio["game"]).to_have_attribute("data-reached", str(int(np.isfinite(wanted).sum())))
    studio.press("ArrowLeft")
    expect(studio["game"]).to_have_attribute("data-x", str(cell[1] - 1))
    studio["unit-air"].click()
    wanted = movement_range(map, (cell[0], cell[1] - 1), unit="air", points=9)
    expect(studio["game"]).to_have_attribute("data-reached", str(int(np.isfinite(wanted).sum())))


def swipe(studio: Studio, direction: str) -> None:
    """Move a finger over the map."""
    right, down = {"left": (-60, 0), "right": (60, 0), "up": (0, -60), "down": (0, 60)}[direction]
    studio.touch([(180, 300)], [(180 + right, 300 + down)])


def test_on_a_phone_a_box_puzzle_is_solved_by_touch(phone: Studio) -> None:
    map = tw.run("warehouse", seed=2)
    found = tw.solve(map)
    phone.open({**tw.recipe("warehouse").to_data(), "seed": 2})
    expect(phone["measure-pushes"]).to_have_text(str(found.count("push")))
    phone["play-map"].tap()
    for number, move in enumerate(found.moves, 1):
        phone[f"game-{move}"].tap()
        expect(phone["game"]).to_have_attribute("data-moves", str(number))
    wanted = f"{len(found.moves)} moves, {found.count('push')} pushes, fewest {found.count('push')}"
    expect(phone["game-result"]).to_have_text(wanted)


def test_on_a_phone_the_game_is_played_by_touch(phone: Studio) -> None:
    map = tw.run(SMALL)
    route = [tuple(cell) for cell in tw.analysis.path(map, "start", "exit").tolist()]
    phone.open(SMALL)
    phone["play-map"].tap()
    box = phone["game"].bounding_box()
    assert box == {"x": 0, "y": 0, "width": 390, "height": 844}
    check_targets(phone, "game-left", "game-up", "game-restart", "game-stop")
    names = {(0, -1): "left", (0, 1): "right", (-1, 0): "up", (1, 0): "down"}
    for number in (1, 2):
        step = route[number][0] - route[number - 1][0], route[number][1] - route[number - 1][1]
        phone[f"game-{names[step]}"].tap()
        expect_player(phone, route[number], number)
    visible = [cell for cell in route[3:6] if tw.analysis.field_of_view(map, route[2], radius=12)[cell]]
    phone.page.touchscreen.tap(*locate(phone, visible[-1]))
    expect_player(phone, visible[-1], route.index(visible[-1]))
    phone["game-stop"].tap()
    expect(phone["game"]).to_have_count(0)
    phone["play-map"].tap()
    expect_player(phone, route[0], 0)
    swipe(phone, names[route[1][0] - route[0][0], route[1][1] - route[0][1]])
    expect(phone["game"]).to_have_attribute("data-steps", re.compile("[1-9]"))


def test_a_platformer_level_is_played_with_its_rules(studio: Studio) -> None:
    map = tw.run("platformer", seed=8)
    studio.open({**tw.recipe("platformer").to_data(), "seed": 8})
    studio.press("y")  # before the map is measured
    expect(studio["game-fewest"]).to_have_text(f"fewest {len(tw.solve(map).moves)}")
    start = next(marker for marker in map.markers if marker.name == "start")
    expect(studio["game"]).to_have_attribute("data-x", str(start.x))
    studio.press("d")
    expect(studio["game"]).to_have_attribute("data-x", str(start.x + 1))
    studio.press("Escape")
    expect(studio["game"]).to_have_count(0)
