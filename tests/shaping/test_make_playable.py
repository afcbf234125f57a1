"""Repairs with few changed cells, after which a solver finishes the map."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw
from tests.play.levels import TILES, level

SKY = "." * 28


def count_changes(before: tw.TileMap, after: tw.TileMap) -> int:
    return int(np.count_nonzero(before.cells != after.cells))


@pytest.mark.parametrize(
    ("rows", "game", "changes"),
    [
        ([SKY, SKY, SKY, "@" + SKY[2:] + "E", "###" + SKY[6:] + "###"], "platformer", 2),
        (["....E", "....#", "....#", "....#", "....#", "....#", "@...#", "#####"], "platformer", 1),
        (["######", "@.##.E", "######"], "platformer", 2),
        ([".....", "^^^^^", "@^^^E", "#####"], "platformer", 2),
        (["#####", "@.e.E", "#####"], "platformer", 1),
        (["@.##.E"], "dungeon", 2),
        (["@.d#.E", "..#k#.", "..####"], "dungeon", 2),
        (["@..", "..E"], "dungeon", 0),
        (["...g", "####", "....", "@...", "####"], "runner", 3),
        (["@.e.g", "#####"], "runner", 1),
        (["g..#.@", "######"], "runner", 1),
        (["@H..g", "#####"], "runner", 0),
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
