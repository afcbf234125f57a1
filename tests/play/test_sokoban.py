"""The solver of box-pushing puzzles finds the fewest pushes, and says no only where there is no solution."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest

import tilewright as tw
from tests.play.levels import TILES, level
from tilewright.core.errors import InvalidRecipe
from tilewright.play import read_game
from tilewright.play.games.sokoban import SokobanRules


def count_pushes(map: tw.TileMap) -> int | None:
    """Return the minimum number of pushes by trying all moves, walks first; None without a solution."""
    rules = read_game("sokoban").open(map)
    assert isinstance(rules, SokobanRules)
    first = rules.begin()
    known, pending = {first: 0}, deque([first])
    done = set()
    while pending:
        state = pending.popleft()
        if state in done:
            continue
        done.add(state)
        if rules.is_won(state):
            return known[state]
        for move in rules.moves:
            after = rules.step(state, move)
            if after is None:
                continue
            is_push = after.crates != state.crates
            pushes = known[state] + is_push
            if pushes < known.get(after, 1 << 30):
                known[after] = pushes
                pending.append(after) if is_push else pending.appendleft(after)
    return None


def draw_level(rng: np.random.Generator) -> tw.TileMap:
    """Return a random small level, some with more crates than targets, and with crates or the player on targets."""
    rows, columns = (int(side) for side in rng.integers(2, 6, 2))
    cells = np.where(rng.random(rows * columns) < rng.uniform(0, 0.4), "#", ".")
    targets = int(rng.integers(1, 4))
    crates = targets + int(rng.random() < 0.2)
    places = rng.permutation(rows * columns)
    crate_places = places[:crates]
    target_places = rng.permutation(places[: crates + targets + 2])[:targets]
    player = places[crates] if crates < len(places) else places[-1]
    cells[crate_places], cells[player] = "$", "@"
    for place in target_places:
        cells[place] = {"$": "*", "@": "+"}.get(str(cells[place]), "o")
    return level(*("".join(row) for row in cells.reshape(rows, columns)))


def check_level(map: tw.TileMap) -> bool | None:
    try:
        found = tw.solve(map, "sokoban")
    except InvalidRecipe:
        return None
    pushes = count_pushes(map)
    assert found.solved == (pushes is not None), map
    if pushes is not None:
        assert found.count("push") == pushes, map
        assert found.rules.is_won(found.states[-1])
    return found.solved


def test_equal_to_trying_all_moves() -> None:
    rng = np.random.default_rng(22)
    verdicts = [check_level(draw_level(rng)) for _ in range(600)]
    assert verdicts.count(True) > 100
    assert verdicts.count(False) > 100


def test_walks_between_pushes_are_shortest() -> None:
    found = tw.solve(level("o....", ".#.#.", ".$..@", "....."))
    assert found.count("push") == 3
    assert len(found.moves) == 7


@pytest.mark.parametrize(
    "rows",
    [
        ["#####", "#@..#", "#.$.#", "#..o#", "#$.o#", "#####"],  # in a corner
        ["######", "#@...#", "#.$$.#", "#.oo.#", "#.$$.#", "#oo.##", "######"],  # solvable
        ["#######", "#.@...#", "#.....#", "##$$.o#", "###..o#", "#######"],  # two crates freeze each other
    ],
)
def test_deadlocks_are_those_of_the_rules(rows: list[str]) -> None:
    check_level(level(*rows))


LARGE = """
####..####
#..####..#
#.$....$.#
#..#..#..#
##.o..o.##
##.o..o.##
#..#..#..#
#.$....$.#
#..#@.#..#
##########
"""


def test_large_puzzle_is_solved_within_few_states() -> None:
    found = tw.solve(level(*LARGE.split()))
    assert found.solved
    assert found.count("push") == 32
    assert found.explored < 5000


def test_more_crates_than_an_exact_assignment_takes() -> None:
    rows = ["#" * 32, "#" + "." * 30 + "#", "#@" + "$" * 28 + ".#", "#." + "o" * 28 + ".#", "#" * 32]
    found = tw.solve(level(*rows))
    assert found.solved
    assert found.count("push") == 28
    assert tw.solve(level("#" * 34, "#@" + "$" * 31 + "#", "#." + "o" * 31 + "#", "#" * 34)).solved is False


def test_limit_gives_unknown() -> None:
    assert tw.solve(level("@....", ".$.$.", ".....", "o...o"), limit=2).solved is None


def test_player_starts_on_a_free_cell() -> None:
    map = tw.TileMap([[TILES.by_glyph[glyph] for glyph in "$.o#"]], TILES, markers=[tw.Marker("start", 0, 0)])
    with pytest.raises(InvalidRecipe, match="free cell"):
        tw.solve(map, "sokoban")
