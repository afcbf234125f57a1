"""The JavaScript modules of games agree with the analysis and the games in Python. They run in Chromium."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import pytest
from playwright.sync_api import Page

import tilewright as tw
from tests.cases import read_table
from tests.play.levels import TILES, level
from tests.tilesets import make_tileset
from tilewright.analysis.keys import play
from tilewright.analysis.movement import movement_range, unit_costs
from tilewright.core.tilemap import Marker, TileMap
from tilewright.formats._page import MODULES
from tilewright.formats._page.scene import encode_game, encode_tiles
from tilewright.play import GameRules, read_game
from tilewright.play.games.platformer import PlatformerState
from tilewright.play.games.runner import RunnerRules
from tilewright.play.games.sokoban import SokobanState

WALK_TILES = make_tileset(".; # solid; door opaque; pit solid clear")
RADIUS = 12
Cell: TypeAlias = tuple[int, int]


def flatten(map: TileMap, cell: tuple[int, ...]) -> int:
    return int(np.ravel_multi_index(cell, map.shape))


def read_script(name: str) -> str:
    """Return a function in JavaScript."""
    return (Path(__file__).parent / f"scripts/{name}.js").read_text()


REPLAY_WALK, REPLAY_MOVES = read_script("replay_walk"), read_script("replay_moves")


def describe(map: TileMap) -> dict[str, Any]:
    """Return a map as games see it."""
    *depth, height, width = map.shape
    return {
        "width": width,
        "height": height,
        "depth": depth[0] if depth else 1,
        "cells": map.cells.ravel().tolist(),
        "tiles": encode_tiles(map.tileset),
        "markers": [[marker.name, marker.x, marker.y, marker.level] for marker in map.markers],
        "game": encode_game(map, map.numbers),
    }


@pytest.mark.parametrize("seed", range(4))
def test_the_walk_of_play_has_the_same_states_in_the_game(module_page: Page, seed: int) -> None:
    map = tw.run("locked-dungeon", seed=seed)
    moves = play(map).moves
    places = [flatten(map, move.cell) for move in moves]
    found = module_page.evaluate(REPLAY_WALK, [describe(map), places])
    keys: list[str] = []
    opened: list[int] = []
    exits = {flatten(map, (marker.y, marker.x)) for marker in map.markers if marker.name == "exit"}
    won = None
    for number, (move, place, state) in enumerate(zip(moves, places, found["states"], strict=True)):
        keys += move.keys
        opened += [place] if move.locks else []
        won = number if won is None and place in exits else won
        assert state == {"at": place, "steps": number, "keys": keys, "opened": opened, "wonAt": won}
    assert len(keys) == len(opened) == 3
    assert places[-1] in exits
    assert found["shortest"] == {"steps": find_shortest(map), "isExact": True}
    assert found["shortest"]["steps"] <= len(moves) - 1


def find_shortest(map: TileMap) -> int | None:
    """Return the steps of the shortest walk to an exit, by a search of cells and sets of keys."""
    named: dict[Cell, list[str]] = {}
    for marker in map.markers:
        named.setdefault((marker.y, marker.x), []).append(marker.name)

    def enter(cell: Cell, keys: frozenset[str]) -> frozenset[str] | None:
        here = named.get(cell, [])
        if any(name.startswith("lock ") and name[5:] not in keys for name in here):
            return None
        return keys | {name[4:] for name in here if name.startswith("key ")}

    start = next(cell for cell, names in named.items() if "start" in names)
    line = [(start, enter(start, frozenset()) or frozenset())]
    seen, steps = set(line), 0
    while line:
        if any("exit" in named.get(cell, []) for cell, _ in line):
            return steps
        reached: list[tuple[Cell, frozenset[str]]] = []
        for (row, column), keys in line:
            for cell in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
                inside = 0 <= cell[0] < map.height and 0 <= cell[1] < map.width
                after = enter(cell, keys) if inside and map.passable[cell] else None
                if after is not None and (cell, after) not in seen:
                    seen.add((cell, after))
                    reached.append((cell, after))
        line, steps = reached, steps + 1
    return None


def test_many_keys_are_taken_nearest_first(module_page: Page) -> None:
    """With too many sets of keys for a search, the number of steps is that of the walk of `play`."""
    names = ["exit", "lock 0", *(f"key {color}" for color in range(12)), "start", *(f"key {c}" for c in range(12, 24))]
    markers = [Marker(name, x, 0) for x, name in enumerate(names)]
    markers += [Marker(f"lock {color}", 1, 0) for color in range(1, 24)]
    corridor = TileMap([[0] * len(names)], WALK_TILES, markers=markers)
    places = [flatten(corridor, move.cell) for move in play(corridor).moves]
    found = module_page.evaluate(REPLAY_WALK, [describe(corridor), places])
    assert found["shortest"] == {"steps": len(places) - 1, "isExact": False}
    assert found["states"][-1]["wonAt"] == len(places) - 1
    blocked = corridor.replace(markers=[marker for marker in corridor.markers if marker.name != "key 5"])
    assert module_page.evaluate("(map) => modules.games.dungeon.open(map).shortest", describe(blocked)) is None


def test_a_walk_over_levels_has_the_same_states(module_page: Page) -> None:
    markers = [
        Marker("start", 0, 0, 0),
        Marker("exit", 0, 0, 1),
        Marker("key r", 2, 0, 0),
        *(Marker("lock r", x, 0, 1) for x in range(3)),
    ]
    tower = TileMap(np.zeros((2, 1, 3), dtype=int), WALK_TILES, markers=markers)
    moves = play(tower).moves
    places = [flatten(tower, move.cell) for move in moves]
    found = module_page.evaluate(REPLAY_WALK, [describe(tower), places])
    assert [state["at"] for state in found["states"]] == places
    assert found["states"][-1]["opened"] == [place for place, move in zip(places, moves, strict=True) if move.locks]
    assert found["states"][-1]["wonAt"] == found["shortest"]["steps"] == len(moves) - 1


def test_walls_and_locks_stop_the_player(module_page: Page) -> None:
    markers = [Marker("start", 0, 0), Marker("lock red", 1, 0), Marker("key blue", 0, 1), Marker("exit", 2, 0)]
    map = TileMap([[0, 0, 0], [0, 1, 1]], WALK_TILES, markers=markers)
    states, shortest = module_page.evaluate(
        read_script("walk_into_walls"),
        describe(map),
    )
    assert states == [
        [0, 0, [], ""],
        [0, 0, [], ""],
        [0, 0, [], "Locked: needs the red key"],
        [3, 1, ["blue"], "You found the blue key"],
        [3, 1, ["blue"], "You found the blue key"],
    ]
    assert shortest is None


def test_maps_without_markers_have_a_start_and_a_far_goal(module_page: Page) -> None:
    map = TileMap([[1, 1, 1, 1, 1], [0, 0, 0, 1, 0], [0, 1, 0, 1, 0], [1, 1, 0, 1, 1]], WALK_TILES)
    begun = """(map) => { const { dungeon } = modules.games; const board = dungeon.open(map);
      return [dungeon.begin(board).at, [...board.exits], board.shortest?.steps, dungeon.begin(board).note]; }"""
    start, exits, steps, _ = module_page.evaluate(begun, describe(map))
    assert {start, *exits} == {10, 17}, "both ends of the longest path"
    assert steps == tw.measure(map, "path_length")["path_length"]
    walls = TileMap([[1, 1]], WALK_TILES)
    assert module_page.evaluate(begun, describe(walls)) == [-1, [], None, "There is no cell to walk on"]


def test_the_field_of_view_agrees_cell_by_cell(module_page: Page) -> None:
    rng = np.random.default_rng(7)
    boards = []
    for number in range(60):
        shape = tuple(int(side) for side in rng.integers(1, 32, 2))
        clear = rng.random(shape) < rng.choice([0.6, 0.8, 0.95])
        row, column = (int(rng.integers(side)) for side in shape)
        clear[row, column] = True
        boards.append((clear, row, column, int(rng.choice([0, 1, 3, 7, 12, 40])) if number % 2 else RADIUS))
    found = module_page.evaluate(
        """(boards) => boards.map(({ clear, width, height, column, row, radius }) =>
          [...modules.castView(Uint8Array.from(clear), { width, height }, column, row, radius)])""",
        [
            {
                "clear": clear.astype(int).ravel().tolist(),
                "width": clear.shape[1],
                "height": clear.shape[0],
                "column": column,
                "row": row,
                "radius": radius,
            }
            for clear, row, column, radius in boards
        ],
    )
    for (clear, row, column, radius), seen in zip(boards, found, strict=True):
        wanted = tw.analysis.field_of_view(clear, (row, column), radius=radius)
        assert (np.array(seen).reshape(clear.shape) == wanted).all(), (clear.astype(int), row, column, radius)


def test_the_game_sees_what_the_tiles_let_through(module_page: Page) -> None:
    rng = np.random.default_rng(3)
    map = TileMap(rng.choice(4, (24, 40), p=[0.7, 0.15, 0.1, 0.05]), WALK_TILES, markers=[Marker("start", 20, 12)])
    map = map.replace(cells=np.where(np.arange(map.cells.size).reshape(map.shape) == 12 * 40 + 20, 0, map.cells))
    visible = module_page.evaluate(
        "(map) => { const { dungeon } = modules.games; return [...dungeon.begin(dungeon.open(map)).visible]; }",
        describe(map),
    )
    wanted = tw.analysis.field_of_view(map, "start", radius=RADIUS)
    assert (np.array(visible, dtype=bool).reshape(map.shape) == wanted).all()


def test_the_movement_range_of_every_unit_agrees(module_page: Page) -> None:
    map = tw.run("skirmish", seed=2)
    board = describe(map)
    assert module_page.evaluate("(map) => modules.chooseGame(map).name", board) == "war"
    units = module_page.evaluate("(map) => modules.games.war.open(map).units", board)
    assert sorted(units) == sorted({unit for tile in map.tileset for unit, _ in tile.costs})
    rng = np.random.default_rng(1)
    places = [int(place) for place in rng.integers(map.cells.size, size=12)]
    found = module_page.evaluate(
        read_script("movement_ranges"),
        [board, units, places],
    )
    for unit, (points, ranges) in zip(units, found, strict=True):
        for place, costs in zip(places, ranges, strict=True):
            cell = tuple(int(part) for part in np.unravel_index(place, map.shape))
            if np.isinf(unit_costs(map.tileset, unit)[map.cells[cell]]):
                assert set(costs) == {-1}
                continue
            wanted = movement_range(map, cell, unit=unit, points=points)
            assert (np.where(np.isinf(wanted), -1, wanted).ravel() == costs).all(), (unit, cell)


def test_maps_without_costs_are_dungeons(module_page: Page) -> None:
    assert (
        module_page.evaluate("(map) => modules.chooseGame(map).name", describe(tw.make("caves", seed=1))) == "dungeon"
    )


def test_modules_are_one_folder() -> None:
    assert {path.suffix for path in Path(MODULES).iterdir()} == {".js"}


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
    for map, (_, moves), found in zip(named, plays, json.loads(page.evaluate(REPLAY_MOVES, given)), strict=True):
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
    ends = check_moves(module_page, "sokoban", [(map, rng.choice(moves, 200).tolist()) for map in levels])
    assert ends == {"", "impossible"}


@pytest.mark.parametrize("game", PHYSICS)
def test_random_moves_of_the_platformer(module_page: Page, game: str) -> None:
    rng = np.random.default_rng(5)
    levels = [draw_level(rng, ".#=H^sekdcb", [60, 14, 6, 6, 2, 2, 2, 1, 2, 3, 1], "@EE") for _ in range(60)]
    moves = ["right", "left", "wait", "jump", "jump right", "jump left", "up", "down"]
    ends = check_moves(module_page, game, [(map, rng.choice(moves, 200).tolist()) for map in levels])
    assert ends == {"", "impossible", "lost"}


@pytest.mark.parametrize("game", ["runner,enemies=true", "runner,enter_ladders=false", "runner,dig=false"])
def test_random_moves_of_the_ladder_and_gold_game(module_page: Page, game: str) -> None:
    rng = np.random.default_rng(7)
    once = rng.choice(["@E", "@"], 60).tolist()
    levels = [draw_level(rng, ".#bH-egct^", [40, 6, 24, 10, 8, 2, 3, 2, 2, 1], f"g{one}") for one in once]
    moves = ["left", "right", "up", "down", "down", "dig left", "dig right"]
    ends = check_moves(module_page, game, [(map, rng.choice(moves, 200).tolist()) for map in levels])
    assert ends == {"", "impossible", "lost"}


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
        read_script("collect_coins"),
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


@pytest.mark.parametrize(("rows", "game", "wanted"), read_table(__file__, "the game of a map"))
def test_the_game_of_a_map(module_page: Page, rows: list[str], game: str, wanted: str) -> None:
    map = level(*rows).replace(tileset=TILES.model_copy(update={"game": game}))
    assert module_page.evaluate("(map) => modules.chooseGame(map).name", describe(map)) == wanted


def test_maps_of_several_levels_are_dungeons(module_page: Page) -> None:
    tower = TileMap(np.zeros((2, 2, 2), dtype=int), TILES)
    assert describe(tower)["game"] is None
    assert module_page.evaluate("(map) => modules.chooseGame(map).name", describe(tower)) == "dungeon"
