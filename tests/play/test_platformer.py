"""The platformer: its rules, and the compiled search against the plain one."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw
from tests.cases import read_table
from tests.play.levels import TILES, check_solver, level
from tilewright.play import Playthrough, choose_game, read_game
from tilewright.play.search import search_states

GLYPHS = ".#=Hs^ekd"


def make_random_level(random: np.random.Generator) -> tw.TileMap:
    """Return a small level: mostly air and walls, with a player, an exit and at most two keys."""
    shape = int(random.integers(2, 7)), int(random.integers(3, 10))
    weights = random.random(len(GLYPHS)) * [8, 5, 1, 1, 0.3, 0.5, 0.5, 0, 0.5]
    glyphs = random.choice([*GLYPHS], shape, p=weights / weights.sum())
    places = random.permutation(shape[0] * shape[1])[:4]
    for place, glyph in zip(places, "@Ekk"[: int(random.integers(2, 5))], strict=False):
        glyphs.reshape(-1)[place] = glyph
    return tw.TileMap([[TILES.by_glyph[glyph] for glyph in row] for row in glyphs], TILES)


def draw_physics(random: np.random.Generator) -> dict[str, int | bool]:
    height = int(random.integers(1, 4))
    return {
        "jump_height": height,
        "jump_length": 2 * height + int(random.integers(0, 4)),
        "spring_height": int(random.integers(1, 6)),
        **{name: bool(random.integers(2)) for name in ("air_control", "running_jumps", "floor")},
    }


def check(map: tw.TileMap, physics: dict[str, int | bool]) -> Playthrough:
    """Solve a level and compare the result with the plain search; return the playthrough."""
    compared = check_solver(map, {"platformer": physics})
    assert compared
    found, plain = compared
    assert found.moves == plain.moves
    if not found.solved:
        assert found.explored == plain.explored
        np.testing.assert_array_equal(found.visited, plain.visited)
    else:
        assert (found.visited >= plain.visited).all()
        assert all(found.visited[cell] for cell in found.path)
    return found


def test_search_equals_the_plain_search() -> None:
    verdicts = []
    for seed in range(3000):
        random = np.random.default_rng(seed)
        verdicts.append(check(make_random_level(random), draw_physics(random)).solved)
    assert 600 < sum(map(bool, verdicts)) < 2400


def test_all_cells_that_can_be_reached_are_visited() -> None:
    found = tw.solve(level("......", "@.E...", "######"), "platformer")
    assert found.moves == ("right", "right")
    assert found.visited[:2].all(), "jumps pass over the exit"
    blocked = tw.solve(level("#####", "@.E..", "#####"), "platformer")
    assert blocked.visited[1].tolist() == [True] * 3 + [False] * 2, "the level ends at the exit"


def test_unknown_is_not_no() -> None:
    map = level("@....#E", "#######")
    assert tw.solve(map, "platformer").solved is False
    count = tw.solve(map, "platformer").explored
    assert tw.solve(map, "platformer", limit=count).solved is False
    assert tw.solve(map, "platformer", limit=count - 1).solved is None
    keys = level("@E" + "k" * 30, "#" * 32)
    assert tw.solve(keys, "platformer").solved is None
    assert search_states(read_game("platformer").open(map), count).solved is False
    assert search_states(read_game("platformer").open(map), count - 1).solved is None
    assert search_states(read_game("platformer").open(map), 1).solved is None


@pytest.mark.parametrize(("width", "physics", "solved"), read_table(__file__, "jumps cover their length"))
def test_jumps_cover_their_length(width: int, physics: str, solved: bool) -> None:
    sky = "." * (width + 4)
    map = level(sky, sky, sky, "@" + "." * (width + 2) + "E", "##" + "." * width + "##")
    assert tw.solve(map, "platformer" + physics).solved is solved


@pytest.mark.parametrize(("height", "solved"), [(3, True), (4, False)])
def test_jumps_rise_to_their_height(height: int, solved: bool) -> None:
    rows = [".....", ".....", "...E."] + ["...##"] * (height - 1) + ["@..##", "#####"]
    assert tw.solve(level(*rows), "platformer").solved is solved


@pytest.mark.parametrize(("rows", "solved", "events"), read_table(__file__, "rules"))
def test_rules(rows: list[str], solved: bool, events: list[str]) -> None:
    found = check(level(*rows), {})
    assert found.solved is solved
    assert [event.kind for event in found.events] == events


def test_springs_throw_higher_than_jumps() -> None:
    map = level("..E#", "...#", "...#", "...#", "...#", "@s.#", "####")
    ledge = level("..#E", "...#", "...#", "...#", "...#", "@s.#", "####")
    assert [event.kind for event in check(map, {}).events][-1] == "spring"
    assert check(ledge, {}).solved is False


def test_the_sample_platforms_is_a_platformer_level() -> None:
    map = tw.make("patterns", sample="platforms", width=20, height=16, seed=1)
    assert str(choose_game(map)) == "platformer"
    roles = {tile.name: tile.game_role for tile in map.tileset}
    assert {role for name, role in roles.items() if name.startswith("platform")} == {"platform"}
    assert (roles["turf"], roles["spikes"], roles["ladder"], roles["coin"]) == ("wall", "spike", "ladder", "coin")


def test_a_preset_has_the_jumps_of_ddave() -> None:
    """The first tick rises straight up, the second rises, the third stays at the height of two cells, then it falls."""
    map = level("........", "........", "........", "@......E", "########")
    rules = read_game("platformer,jump_height=2,jump_length=5,running_jumps=false,floor=true").open(map)
    states = [rules.begin()]
    for move in ("jump", "right", "right", "right", "right"):
        states.append(rules.step(states[-1], move))
    assert [state.player for state in states] == [(3, 0), (2, 0), (1, 1), (1, 2), (2, 3), (3, 4)]
    assert [state.air for state in states] == [0, 2, 1, 0, 0, 0]
    assert rules.step(rules.begin(), "jump right") is None
