"""The solver of the ladder-and-gold game agrees with a plain search, with and without digging."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pytest

import tilewright as tw
from tests.play.levels import check_solver, level
from tilewright.play import read_game
from tilewright.play.overlays import describe

GLYPHS = np.array(list("....###bbbHH--ggeE"))


def draw_level(rng: np.random.Generator, rows: int, columns: int) -> tw.TileMap:
    """Return a random small level with a player and gold."""
    cells = rng.choice(GLYPHS, rows * columns)
    places = rng.permutation(rows * columns)
    cells[places[0]], cells[places[1]] = "@", "g"
    if rng.random() < 0.7:
        cells[cells == "E"] = "."
    return level(*("".join(row) for row in cells.reshape(rows, columns)))


def draw_floors(rng: np.random.Generator, rows: int, columns: int) -> tw.TileMap:
    """Return a random small level of floors with ladders, in which some gold is below bricks."""
    cells = np.full((rows, columns), ".")
    cells[1::2] = rng.choice(list("bbb##."), cells[1::2].shape)
    for row in range(1, rows, 2):
        if rng.random() < 0.6:
            cells[row - 1 : row + int(rng.integers(1, 3)), rng.integers(columns)] = "H"
    free = np.argwhere(cells[::2] == ".")
    free[1:] = rng.permutation(free[1:])
    for glyph, (row, column) in zip("@ggeE" if rng.random() < 0.2 else "@gg", free, strict=False):
        cells[2 * row, column] = glyph
    return level(*("".join(row) for row in cells))


def check_levels(maps: Iterable[tw.TileMap], game: str) -> list[bool | None]:
    """Return the verdicts on the levels that a plain search decides."""
    compared = [check_solver(map, game, 30_000) for map in maps]
    return [results[0].solved for results in compared if results]


@pytest.mark.parametrize(
    ("game", "rows", "columns", "count"),
    [
        ("runner,dig=false,enemies=true", 5, 6, 400),
        ("runner,dig=false,enter_ladders=false", 5, 6, 300),
        ("runner", 4, 5, 500),
        ("runner,enemies=true,enter_ladders=false", 4, 4, 300),
    ],
)
def test_equal_to_a_plain_search(game: str, rows: int, columns: int, count: int) -> None:
    rng = np.random.default_rng(22)
    verdicts = check_levels([draw_level(rng, rows, columns) for _ in range(count)], game)
    assert verdicts.count(True) > 10
    assert verdicts.count(False) > 15


def test_equal_to_a_plain_search_below_bricks() -> None:
    rng = np.random.default_rng(7)
    maps = [draw_floors(rng, 6, 5) for _ in range(400)]
    verdicts = check_levels([map for map in maps if not tw.solve(map, "runner,dig=false").solved], "runner")
    assert verdicts.count(True) > 50
    assert verdicts.count(False) > 50


def test_reaches_all_cells_that_can_be_reached() -> None:
    rng = np.random.default_rng(3)
    game = "runner,dig=false"
    for _ in range(200):
        map = draw_level(rng, 6, 7)
        rules = read_game(game).open(map)
        wanted = np.zeros(map.shape, dtype=bool)
        known, pending = {rules.begin()}, [rules.begin()]
        while pending:
            state = pending.pop()
            wanted[rules.find_player(state)] = True
            after = {one for move in rules.moves if (one := rules.step(state, move)) is not None}
            pending += after - known
            known |= after
        np.testing.assert_array_equal(tw.solve(map, game).visited, wanted)


def test_gold_on_two_ways_down_cannot_both_be_collected() -> None:
    rows = ["..@..", "g.#.g", "#...#", "#####"]
    assert tw.solve(level(*rows), "runner,dig=false").solved is False
    assert tw.solve(level("..@..", "H.##g", "Hg...", "#####"), "runner,dig=false").solved


def test_digging_opens_a_chamber() -> None:
    found = tw.solve(level("@...", "bbbb", "bggb", "####"), "runner")
    assert found.solved
    assert found.count("gold") == 2
    assert found.count("dig") >= 1
    assert tw.solve(level("@...", "bbbb", "bggb", "####"), "runner,dig=false").solved is False


def test_limit_gives_unknown() -> None:
    map = level("@.......", "bbbbbbbb", "bbbbbbbb", "bbbbbbbb", "bbbbbbgb", "########")
    assert tw.solve(map, "runner", limit=4).solved is None
    assert tw.solve(map, "runner", limit=12).solved is None
    assert tw.solve(map, "runner").solved


def test_all_gold_of_the_recipe_can_be_collected() -> None:
    for seed in range(3):
        map = tw.run("gold-mine", seed=seed)
        found = tw.solve(map)
        assert found.game == "runner"
        assert found.solved
        assert found.count("gold") == np.count_nonzero(map.cells == map.tileset.id("gold")) >= 8


def test_few_states_are_examined() -> None:
    """Levels of the recipe need few states, also where a hole must be entered from a rope or after another one."""
    rope = level("..@.....", "bbbbbb-H", ".......H", "g...g..H", "##..##.H", ".......H", "########")
    pit = level("@....", "bbbbb", "..eg.", "bbbbb", "....g", "#####")
    for map in (rope, pit, *(tw.run("gold-mine", seed=seed) for seed in range(3))):
        found = tw.solve(map, "runner")
        assert found.solved
        assert found.explored < 1000


def test_enemies_are_left_out_and_the_verdict_says_so() -> None:
    crossing = level("@.e.g", "bbbbb")
    assert describe(tw.solve(crossing, "runner")).endswith("; 1 enemy left out, because enemies do not move here")
    assert tw.solve(crossing, "runner").solved
    fixed = tw.solve(crossing, "runner", enemies=True)
    assert fixed.solved is False
    assert "left out" not in describe(fixed)
    assert "left out" not in describe(tw.solve(level("@...g", "bbbbb"), "runner"))
