"""The JavaScript modules of games with roles have the same rules as the games in Python."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

import tilewright as tw
from tests.formats.page_scenes import describe
from tests.play.levels import TILES, level
from tilewright.core.tilemap import Marker, TileMap
from tilewright.play import GameRules, read_game
from tilewright.play.games.platformer import PlatformerState
from tilewright.play.games.runner import RunnerRules
from tilewright.play.games.sokoban import SokobanState

REPLAY = (Path(__file__).parent / "scripts/replay_moves.js").read_text()
FREE = ("wait", "left", "right")
"""Moves of the platformer that are always possible. If the rules return no state after such a move, it has lost."""
PHYSICS = (
    "platformer",
    "platformer,jump_height=2,jump_length=4,spring_height=3,floor=true",
    "platformer,jump_height=2,jump_length=6,air_control=false,running_jumps=false",
)


def place(width: int, cell: tuple[int, int]) -> int:
    return cell[0] * width + cell[1]


def describe_state(rules: GameRules[Any, Any], state: Any) -> dict[str, Any]:
    """Return a state as the module has it."""
    width = rules.board.shape[1]
    found: dict[str, Any] = {"at": place(width, rules.find_player(state)), "isWon": rules.is_won(state)}
    if isinstance(state, SokobanState):
        return {**found, "crates": sorted(place(width, cell) for cell in state.crates)}
    if isinstance(rules, RunnerRules):
        cells = {"gold": rules.gold - state.gold, "holes": state.holes}
        return {**found, **{name: sorted(place(width, cell) for cell in cells[name]) for name in cells}}
    assert isinstance(state, PlatformerState)
    keys = sorted(place(width, cell) for cell in state.keys)
    return {**found, "air": state.air, "direction": state.direction, "keys": keys}


def check_moves(page: Page, game: str, plays: Sequence[tuple[TileMap, Sequence[str]]]) -> set[str]:
    """Compare the states after every move; return the ends of moves that occurred."""
    named = [map.replace(tileset=map.tileset.model_copy(update={"game": game})) for map, _ in plays]
    given = [{"map": describe(map), "moves": list(moves)} for map, (_, moves) in zip(named, plays, strict=True)]
    ends = set()
    for map, (_, moves), found in zip(named, plays, json.loads(page.evaluate(REPLAY, given)), strict=True):
        rules = read_game(game).open(map)
        state = rules.begin()
        wanted = [{**describe_state(rules, state), "end": ""}]
        for move, seen in zip(moves, found[1:], strict=True):
            after = rules.step(state, move)
            state = state if after is None else after
            end = ""
            if after is None and game == "sokoban":
                end = "impossible"
            elif after is None:
                # The rules do not distinguish other moves that are impossible from deadly ones.
                is_free = move in FREE and game.startswith("platformer")
                end = "lost" if is_free else seen["end"] or "impossible or lost"
            wanted.append({**describe_state(rules, state), "end": end})
            ends.add(seen["end"])
        assert found == wanted
    return ends


def draw_level(rng: np.random.Generator, glyphs: str, weights: Sequence[float], once: str) -> TileMap:
    """Return a random level in which some glyphs occur once."""
    shape = int(rng.integers(3, 9)), int(rng.integers(4, 13))
    cells = rng.choice([TILES.by_glyph[glyph] for glyph in glyphs], shape, p=np.array(weights) / sum(weights))
    spots = rng.choice(cells.size, len(once), replace=False)
    cells.flat[spots] = [TILES.by_glyph[glyph] for glyph in once]
    return TileMap(cells, TILES)


def test_random_moves_of_the_box_puzzle(module_page: Page) -> None:
    rng = np.random.default_rng(4)
    levels = [draw_level(rng, ".#$*b", [60, 15, 12, 2, 2], rng.choice(["@$o", "+$"])) for _ in range(60)]
    moves = ["left", "right", "up", "down"]
    assert check_moves(module_page, "sokoban", [(map, rng.choice(moves, 200).tolist()) for map in levels]) == {
        "",
        "impossible",
    }


@pytest.mark.parametrize("game", PHYSICS)
def test_random_moves_of_the_platformer(module_page: Page, game: str) -> None:
    rng = np.random.default_rng(5)
    levels = [draw_level(rng, ".#=H^sekdcb", [60, 14, 6, 6, 2, 2, 2, 1, 2, 3, 1], "@EE") for _ in range(60)]
    moves = ["right", "left", "wait", "jump", "jump right", "jump left", "up", "down"]
    assert check_moves(module_page, game, [(map, rng.choice(moves, 200).tolist()) for map in levels]) == {
        "",
        "impossible",
        "lost",
    }


@pytest.mark.parametrize("game", ["runner", "runner,enemies=false,enter_ladders=false", "runner,dig=false"])
def test_random_moves_of_the_ladder_and_gold_game(module_page: Page, game: str) -> None:
    rng = np.random.default_rng(7)
    once = rng.choice(["@E", "@"], 60).tolist()
    levels = [draw_level(rng, ".#bH-egct^", [40, 6, 24, 10, 8, 2, 3, 2, 2, 1], f"g{one}") for one in once]
    moves = ["left", "right", "up", "down", "down", "dig left", "dig right"]
    assert check_moves(module_page, game, [(map, rng.choice(moves, 200).tolist()) for map in levels]) == {
        "",
        "impossible",
        "lost",
    }


@pytest.mark.parametrize("game", ["sokoban", "runner", *PHYSICS])
def test_solutions_win_in_the_module(module_page: Page, game: str) -> None:
    rng = np.random.default_rng(6)
    plays = []
    for number in range(100):
        if game == "sokoban":
            map = draw_level(rng, ".#", [80, 8], "@$$oo" if number % 2 else "@$o")
        elif game == "runner":
            map = draw_level(rng, ".#bH-eg", [40, 4, 20, 20, 10, 1, 2], "@g")
        else:
            map = draw_level(rng, ".#=H^sekdc", [50, 14, 12, 12, 1, 2, 1, 1, 1, 3], "@E")
        found = tw.solve(map, game, limit=4000)
        if found.solved:
            plays.append((map, found.moves))
    assert len(plays) > 20
    assert sum(len(moves) for _, moves in plays) > 100
    check_moves(module_page, game, plays)


def test_coins_are_collected_once(module_page: Page) -> None:
    map = level("@cc.E", "#####").replace(tileset=TILES.model_copy(update={"game": "platformer"}))
    found = module_page.evaluate(
        """(map) => {
          const { platformer } = modules.games;
          const board = platformer.open(map);
          let state = platformer.begin(board);
          return ["right", "left", "right", "right", "right", "right"].map((move) => {
            state = platformer.move(board, state, move);
            return [state.coins.length, state.ticks, state.isWon];
          });
        }""",
        describe(map),
    )
    assert found == [[1, 1, False], [1, 2, False], [1, 3, False], [2, 4, False], [2, 5, False], [2, 6, True]]


def test_markers_have_roles(module_page: Page) -> None:
    tiles = TILES.model_copy(update={"game": "platformer"})
    map = level("....", "####").replace(tileset=tiles, markers=[Marker("start", 0, 0), Marker("exit gold", 3, 0)])
    assert describe(map)["game"]["markers"] == {"start": "player", "exit gold": "exit"}
    found = module_page.evaluate(
        "(map) => { const { platformer } = modules.games; const board = platformer.open(map);"
        " return [board.start, [...board.exits]]; }",
        describe(map),
    )
    assert found == [0, [3]]


@pytest.mark.parametrize(
    ("rows", "game", "wanted"),
    [
        (["@$o"], "", "sokoban"),
        (["@.s", "E.."], "", "platformer"),
        (["@.E"], "platformer,floor=true", "platformer"),
        (["$.o"], "", "dungeon"),
        (["@.E"], "", "dungeon"),
        (["@$o"], "dungeon", "dungeon"),
        (["@$o"], "unknown", "dungeon"),
    ],
)
def test_the_game_of_a_map(module_page: Page, rows: list[str], game: str, wanted: str) -> None:
    map = level(*rows).replace(tileset=TILES.model_copy(update={"game": game}))
    assert module_page.evaluate("(map) => modules.chooseGame(map).name", describe(map)) == wanted


def test_maps_of_several_levels_are_dungeons(module_page: Page) -> None:
    tower = TileMap(np.zeros((2, 2, 2), dtype=int), TILES)
    assert describe(tower)["game"] is None
    assert module_page.evaluate("(map) => modules.chooseGame(map).name", describe(tower)) == "dungeon"
