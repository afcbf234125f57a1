"""Small levels for the tests of games."""

from __future__ import annotations

from typing import Any

import tilewright as tw
from tilewright.core.tileset import Tileset
from tilewright.play import Solution, read_game
from tilewright.play.search import search_states

GLYPHS = (
    ". floor, # wall, @ player, E exit, $ crate, o target, * full target, + standing target, H ladder, - rope, "
    "b brick, g gold, c coin, ^ spike, = platform, s spring, e enemy, B boss, p potion, t treasure, k key, d gate"
)
ROLES = {"full target": "crate_on_target", "standing target": "player_on_target", "gate": "door"}
TILES = Tileset.validate(
    {
        "name": "games",
        "tiles": [
            {"name": name, "glyph": glyph, "passable": name not in ("wall", "brick"), "role": ROLES.get(name, "")}
            for glyph, name in (pair.split(" ", 1) for pair in GLYPHS.split(", "))
        ],
    }
)
"""A tile for each role."""


def level(*rows: str) -> tw.TileMap:
    """Return a map from rows of glyphs of `TILES`."""
    return tw.TileMap([[TILES.by_glyph[glyph] for glyph in row] for row in rows], TILES)


def check_solver(map: tw.TileMap, game: Any, limit: int = 1 << 20) -> tuple[tw.play.Playthrough, Solution] | None:
    """Compare the solver of a game with a search by its rules; return both results, or None beyond the limit."""
    plain = search_states(read_game(game).open(map), limit)
    if plain.solved is None:
        return None
    found = tw.solve(map, game)
    assert found.solved == plain.solved, map
    assert len(found.path) == len(found.moves) + 1
    if found.solved:
        assert found.rules.is_won(found.states[-1]), map
    return found, plain
