"""The JavaScript modules of games agree with the analysis in Python. They run in Chromium."""

from __future__ import annotations

from pathlib import Path
from typing import TypeAlias

import numpy as np
import pytest
from playwright.sync_api import Page

import tilewright as tw
from tests.formats.page_scenes import describe
from tests.tilesets import make_tileset
from tilewright.analysis.keys import play
from tilewright.analysis.movement import movement_range, unit_costs
from tilewright.core.tilemap import Marker, TileMap
from tilewright.formats._page import MODULES

TILES = make_tileset(".; # solid; door opaque; pit solid clear")
RADIUS = 12
Cell: TypeAlias = tuple[int, int]


def flatten(map: TileMap, cell: tuple[int, ...]) -> int:
    return int(np.ravel_multi_index(cell, map.shape))


REPLAY = (Path(__file__).parent / "scripts/replay_walk.js").read_text()


@pytest.mark.parametrize("seed", range(4))
def test_the_walk_of_play_has_the_same_states_in_the_game(module_page: Page, seed: int) -> None:
    map = tw.run("locked-dungeon", seed=seed)
    moves = play(map).moves
    places = [flatten(map, move.cell) for move in moves]
    found = module_page.evaluate(REPLAY, [describe(map), places])
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
    corridor = TileMap([[0] * len(names)], TILES, markers=markers)
    places = [flatten(corridor, move.cell) for move in play(corridor).moves]
    found = module_page.evaluate(REPLAY, [describe(corridor), places])
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
    tower = TileMap(np.zeros((2, 1, 3), dtype=int), TILES, markers=markers)
    moves = play(tower).moves
    places = [flatten(tower, move.cell) for move in moves]
    found = module_page.evaluate(REPLAY, [describe(tower), places])
    assert [state["at"] for state in found["states"]] == places
    assert found["states"][-1]["opened"] == [place for place, move in zip(places, moves, strict=True) if move.locks]
    assert found["states"][-1]["wonAt"] == found["shortest"]["steps"] == len(moves) - 1


def test_walls_and_locks_stop_the_player(module_page: Page) -> None:
    markers = [Marker("start", 0, 0), Marker("lock red", 1, 0), Marker("key blue", 0, 1), Marker("exit", 2, 0)]
    map = TileMap([[0, 0, 0], [0, 1, 1]], TILES, markers=markers)
    states, shortest = module_page.evaluate(
        """(map) => {
          const { dungeon } = modules.games;
          const board = dungeon.open(map);
          const states = [dungeon.begin(board)];
          for (const direction of ["left", "right", "down", "right"])
            states.push(dungeon.move(board, states.at(-1), direction));
          return [states.map(({ at, steps, keys, note }) => [at, steps, keys, note]), board.shortest];
        }""",
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
    map = TileMap([[1, 1, 1, 1, 1], [0, 0, 0, 1, 0], [0, 1, 0, 1, 0], [1, 1, 0, 1, 1]], TILES)
    begun = """(map) => { const { dungeon } = modules.games; const board = dungeon.open(map);
      return [dungeon.begin(board).at, [...board.exits], board.shortest?.steps, dungeon.begin(board).note]; }"""
    start, exits, steps, _ = module_page.evaluate(begun, describe(map))
    assert {start, *exits} == {10, 17}, "both ends of the longest path"
    assert steps == tw.measure(map, "path_length")["path_length"]
    walls = TileMap([[1, 1]], TILES)
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
    map = TileMap(rng.choice(4, (24, 40), p=[0.7, 0.15, 0.1, 0.05]), TILES, markers=[Marker("start", 20, 12)])
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
        """([map, units, places]) => {
          const { war } = modules.games;
          const board = war.open(map);
          return units.map((unit) => {
            const chosen = war.move(board, war.begin(board), { unit });
            const plain = (cost) => (cost < Infinity ? cost : -1);
            return [chosen.points, places.map((at) => [...war.move(board, chosen, { at }).costs].map(plain))];
          });
        }""",
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
