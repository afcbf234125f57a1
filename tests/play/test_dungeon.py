"""The dungeon game: the solver agrees with the plain rules."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw
from tests.play.levels import TILES, check_solver, level
from tilewright.analysis.keys import is_solvable

GLYPHS = "....####@E^epBkdtc"


def random_level(rng: np.random.Generator, colors: int = 3) -> tw.TileMap:
    """Return a small level with one player, exits, keys, doors, locks, enemies and potions."""
    rows, columns = rng.integers(2, 7, 2)
    glyphs = np.array(list(GLYPHS.replace("@", "")))
    cells = rng.choice(glyphs, (rows, columns))
    places = rng.permutation(rows * columns)
    cells.flat[places[0]] = "@"
    if rng.random() < 0.9:
        cells.flat[places[1]] = "E"
    names = [f"{kind} {color}" for color in ("red", "green", "blue")[:colors] for kind in ("key", "lock")]
    chosen = places[2 : 2 + rng.integers(0, len(names) + 1)]
    markers = [tw.Marker(name, int(at % columns), int(at // columns)) for name, at in zip(names, chosen, strict=False)]
    numbers = np.vectorize(TILES.by_glyph.__getitem__)(cells)
    return tw.TileMap(numbers, TILES, markers=markers)


@pytest.mark.parametrize("health", [0, 1, 3])
def test_the_solver_agrees_with_the_plain_rules(health: int) -> None:
    rng = np.random.default_rng(health)
    verdicts = []
    for _ in range(400):
        map = random_level(rng)
        if not map.where("exit").any():
            continue
        compared = check_solver(map, {"dungeon": {"health": health}})
        assert compared
        ours, plain = compared
        assert len(ours.moves) == len(plain.moves)
        if not plain.solved:
            assert (ours.visited == plain.visited).all()
        assert not ours.solved or map.where("exit")[ours.path[-1]]
        verdicts.append(bool(plain.solved))
    assert 0.2 < np.mean(verdicts) < 0.9


def test_keys_and_locks_agree_with_the_analysis() -> None:
    """Where all keys and locks can be reached, the game can be won."""
    rng = np.random.default_rng(5)
    count = 0
    for _ in range(300):
        cells = np.where(rng.random((7, 9)) < 0.3, 1, 0)
        places = rng.permutation(63)[:6]
        names = ("start", "exit", "key red", "lock red", "key", "lock")
        markers = [tw.Marker(name, int(at % 9), int(at // 9)) for name, at in zip(names, places, strict=True)]
        for marker in markers:
            cells[marker.y, marker.x] = 0
        map = tw.TileMap(cells, TILES, markers=markers)
        if is_solvable(map):
            assert tw.solve(map, "dungeon").solved
            count += 1
    assert count > 40


def test_fights_and_potions() -> None:
    assert not tw.solve(level("@eeeE"), "dungeon", health=3).solved
    assert tw.solve(level("@eeeE"), "dungeon", health=4).solved
    assert tw.solve(level("@eepeE"), "dungeon", health=3).solved
    assert not tw.solve(level("@pBE"), "dungeon", health=2).solved
    found = tw.solve(level("@eptE"), "dungeon", health=3)
    assert [event.kind for event in found.events] == ["fight", "potion", "treasure"]
    assert str(list(found.draw())[-1]).startswith("....")


def test_a_detour_avoids_a_fight() -> None:
    found = tw.solve(level("@eE", "..."), "dungeon", health=1)
    assert found.moves == ("down", "right", "right", "up")


def test_more_keys_than_bits_of_a_word() -> None:
    colors = [f"color{number}" for number in range(70)]
    keys = [tw.Marker(f"key {color}", 1 + number, 0) for number, color in enumerate(colors)]
    locks = [tw.Marker(f"lock {color}", 71 + number, 0) for number, color in enumerate(colors)]
    map = level("@" + "." * 140 + "E").replace(markers=[*keys, *locks])
    assert len(tw.solve(map).moves) == 141
    assert not tw.solve(map.replace(markers=[*keys[1:], *locks])).solved


def test_a_search_beyond_the_limit_is_unknown() -> None:
    map = level("@" + "." * 50 + "E")
    assert tw.solve(map, limit=51).solved is None
    assert tw.solve(map, limit=52).solved
