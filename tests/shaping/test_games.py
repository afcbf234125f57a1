"""Shapers for games: repairs after which a solver finishes the map, and puzzles with a known number of pushes."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw
from tests.cases import read_table
from tests.play.levels import TILES, level

# -- make_playable ---------------------------------------------------------------------------------------------------


SKY = "." * 28


def count_changes(before: tw.TileMap, after: tw.TileMap) -> int:
    return int(np.count_nonzero(before.cells != after.cells))


@pytest.mark.parametrize(
    ("rows", "game", "changes"),
    [
        *read_table(__file__, "repairs change few cells"),
        ([SKY, SKY, SKY, "@" + SKY[2:] + "E", "###" + SKY[6:] + "###"], "platformer", 2),
    ],
)
def test_repairs_change_few_cells(rows: list[str], game: str, changes: int) -> None:
    before = level(*rows)
    after = tw.shape(before, "make_playable", game=game)
    assert tw.solve(after, game).solved
    assert count_changes(before, after) == changes


def test_random_levels_are_repaired() -> None:
    repaired, count = 0, 0
    for seed in range(150):
        random = np.random.default_rng(seed)
        glyphs = random.choice([*".#=^"], (8, 24), p=[0.72, 0.2, 0.04, 0.04])
        glyphs[-1], glyphs[0] = "#", "."
        before = tw.TileMap([[TILES.by_glyph[glyph] for glyph in row] for row in glyphs], TILES)
        game = f"platformer,jump_height={random.integers(1, 3)},jump_length={random.integers(4, 6)}"
        after = tw.shape(before, "make_playable", game=game)
        assert tw.solve(after, game).solved
        repaired += count_changes(before, after) > 0
        count += count_changes(before, after)
    assert repaired > 20
    assert count < 3 * repaired


def test_random_ladder_and_gold_levels_are_repaired() -> None:
    repaired = 0
    for seed in range(100):
        random = np.random.default_rng(seed)
        glyphs = random.choice([*".#bH-e"], (8, 16), p=[0.5, 0.2, 0.15, 0.07, 0.05, 0.03])
        for place, glyph in zip(random.permutation(8 * 16), "@gggg", strict=False):
            glyphs.reshape(-1)[place] = glyph
        before = tw.TileMap([[TILES.by_glyph[glyph] for glyph in row] for row in glyphs], TILES)
        after = tw.shape(before, "make_playable", game="runner,dig=false")
        assert tw.solve(after, "runner,dig=false").solved
        repaired += count_changes(before, after) > 0
    assert repaired > 50


def test_changes_that_contradict_each_other_are_changed_again() -> None:
    for seed in (1, 2, 3, 13):
        before = tw.make("caves", width=24, height=14, walls=0.5, seed=seed)
        game = "platformer,jump_height=1,jump_length=3"
        after = tw.shape(before, "make_playable", game=game)
        assert tw.solve(after, game).solved
        assert 0 < count_changes(before, after) < 40


@pytest.mark.parametrize("game", ["dungeon", "platformer,jump_height=2,jump_length=4"])
def test_locked_cells_stay(game: str) -> None:
    finished = 0
    for seed in range(30):
        base = tw.make("caves", width=24, height=14, walls=0.5, seed=seed)
        locked = np.random.default_rng(seed).random(base.shape) < 0.1
        try:
            after = tw.make(
                "caves", width=24, height=14, walls=0.5, seed=seed + 1, locks=base.to_locks(locked),
                shaping=[{"place": {"markers": ["start"], "rule": "random"}}, {"make_playable": {"game": game}}],
            )  # fmt: skip
        except tw.GaveUp:
            continue
        finished += 1
        assert tw.solve(after, game).solved
        assert (after.cells == base.cells)[locked].all()
    assert finished >= 24


def test_missing_markers_are_added() -> None:
    before = level("......", "......", "##..##")
    after = tw.shape(before, "make_playable", game="platformer")
    assert [(one.name, one.x, one.y) for one in after.markers] == [("start", 0, 1), ("exit", 5, 1)]
    cave = tw.make("caves", width=30, height=20, seed=1, shaping=["make_playable"])
    assert sorted(one.name for one in cave.markers) == ["exit", "start"]
    assert tw.measure(cave, "completable")["completable"] == 1


# -- crates ----------------------------------------------------------------------------------------------------------


def count_tiles(map: tw.TileMap, name: str) -> int:
    return int(np.count_nonzero(map.cells == map.tileset.id(name)))


@pytest.mark.parametrize("pushes", [8, 11, 14])
def test_the_solver_finds_the_wanted_number_of_pushes(pushes: int) -> None:
    for seed in range(6):
        map = tw.run("warehouse", seed=seed, knobs={"crates": 3, "pushes": pushes})
        found = tw.solve(map)
        assert found.game == "sokoban"
        assert found.solved
        assert found.count("push") == pushes
        assert count_tiles(map, "crate") == count_tiles(map, "target") == 3


def test_markers_stand_for_missing_tiles() -> None:
    map = tw.make("caves", width=12, height=12, walls=0.4, seed=4, shaping=[{"crates": {"count": 2, "pushes": 6}}])
    names = sorted(marker.name for marker in map.markers)
    assert names == ["crate", "crate", "start", "target", "target"]
    assert tw.solve(map, "sokoban").count("push") == 6


def test_a_locked_puzzle_is_kept() -> None:
    map = tw.run("warehouse", seed=2)
    locks = map.to_locks(np.ones(map.shape, dtype=bool))
    again = tw.run(tw.recipe("warehouse", seed=3, locks=locks))
    assert (again.cells == map.cells).all()
    assert tw.solve(again).solved


def test_another_puzzle_replaces_the_first() -> None:
    map = tw.run("warehouse", seed=5)
    other = tw.shape(map, "crates", seed=1, count=2, pushes=5)
    assert count_tiles(other, "crate") == 2
    assert tw.solve(other).count("push") == 5
