"""Games, boards and playthroughs in general; each game has a test file of its own."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw
from tests.cases import read_table
from tests.play.levels import level
from tests.refusals import refused
from tilewright.core.errors import InvalidRecipe, UnknownName
from tilewright.core.tileset import Tileset
from tilewright.play import choose_game, game_registry, read_game

PUZZLE = level("#######", "#@.$.o#", "#..$.o#", "#######")


@pytest.mark.parametrize("name", game_registry.names())
def test_every_game_is_documented_and_has_roles(name: str) -> None:
    game = game_registry.get(name)
    assert game.summary.endswith(".")
    assert "player" in game.roles
    assert game.limit > 0


def test_playthrough_of_a_puzzle() -> None:
    found = tw.solve(PUZZLE)
    assert found.solved
    assert found.game == "sokoban"
    assert found.verdict == "yes"
    assert found.count("push") == 4
    assert len(found.path) == len(found.moves) + 1
    frames = list(found.draw())
    assert len(frames) == len(found.path)
    assert frames[-1].markers[-1].name == "player"
    assert (frames[-1].markers[-1].y, frames[-1].markers[-1].x) == found.path[-1]


def test_roles_come_from_tiles_kinds_and_markers() -> None:
    tiles = Tileset.validate(
        {"tiles": [{"name": "grass"}, {"name": "rock", "passable": False}, {"name": "pot", "role": "crate"},
                   {"name": "thorns", "kind": "spikes"}, {"name": "door"}]}
    )  # fmt: skip
    assert [tile.game_role for tile in tiles] == ["floor", "wall", "crate", "spike", "floor"]
    map = tw.TileMap(np.zeros((2, 3), dtype=int), tiles, markers=[tw.Marker("start", 0, 0), tw.Marker("exit", 2, 1)])
    assert tw.solve(map).moves == ("right", "right", "down")


def test_roles_do_not_change_the_digest() -> None:
    plain, played = (
        Tileset.validate({"tiles": [{"name": "a", **more}], **top})
        for more, top in (({}, {}), ({"role": "crate"}, {"game": "sokoban"}))
    )
    assert plain.digest == played.digest
    assert plain == played
    assert plain.look_digest != played.look_digest
    assert Tileset.of(played.to_data()).tiles[0].role == "crate"
    assert Tileset.of(played.to_data()).game == "sokoban"


def test_unknown_is_not_no() -> None:
    assert tw.solve(PUZZLE, limit=3).solved is None
    assert tw.solve(PUZZLE, limit=3).verdict == "unknown"


@pytest.mark.parametrize(("rows", "game", "text"), read_table(__file__, "unplayable maps are refused in one line"))
def test_unplayable_maps_are_refused_in_one_line(rows: list[str], game: str, text: str) -> None:
    with refused(text, InvalidRecipe):
        tw.solve(level(*rows), game)


def test_roles_missing_from_a_tileset_are_named() -> None:
    map = tw.TileMap([[0, 0]], Tileset.from_labels(["grass"], "meadow"))
    with pytest.raises(InvalidRecipe, match="tileset 'meadow' has the role player, and there is no marker start"):
        tw.solve(map, "platformer")


def test_games_are_read_from_text() -> None:
    assert str(read_game("platformer,jump_height=4,jump_length=9")) == "platformer,jump_height=4,jump_length=9"
    assert str(read_game({"runner": {"dig": False}})) == "runner,dig=false"
    assert str(read_game("runner,dig=false")) == "runner,dig=false"
    with pytest.raises(UnknownName, match="sokoban"):
        read_game("sokobann")
    with pytest.raises(InvalidRecipe, match="jump_length: must be at least twice jump_height"):
        read_game("platformer,jump_height=9")
    with pytest.raises(InvalidRecipe, match="one level"):
        tw.solve(tw.TileMap(np.zeros((2, 2, 2), dtype=int), PUZZLE.tileset))


def test_the_game_of_a_map() -> None:
    assert choose_game(PUZZLE).entry.name == "sokoban"
    assert choose_game(level("@.E")).entry.name == "dungeon"
    assert choose_game(level("@gH")).entry.name == "runner"
    named = PUZZLE.replace(tileset=PUZZLE.tileset.model_copy(update={"game": "dungeon,health=3"}))
    assert str(choose_game(named)) == "dungeon,health=3"


def test_measures_of_a_playthrough() -> None:
    names = ("completable", "moves_needed", "pushes", "jumps", "explored_share")
    assert tw.measure(PUZZLE, *names[:3]) == {"completable": 1, "moves_needed": 8, "pushes": 4}
    found = tw.measure(PUZZLE)
    assert found["explored_share"] == 0.9  # the search leaves out what cannot help
    assert "jumps" not in found
    stuck = tw.measure(level("@.#E"))
    assert stuck["completable"] == 0
    assert stuck["explored_share"] == 2 / 3
    assert not stuck.keys() & {"moves_needed", "pushes"}
    assert "completable" not in tw.measure(level("..."))


def test_overlay_of_a_playthrough() -> None:
    found = tw.overlay(PUZZLE, "playthrough")
    assert found.legend == "sokoban: can be finished in 8 moves: push x4"
    assert len(found.lines) == 8
    assert tw.overlay(level("@.#E"), "playthrough").legend == "dungeon: cannot be finished (2 states)"
    assert tw.overlay(level("..."), "playthrough").legend == "dungeon: the map has no player"


@pytest.mark.usefixtures("own_registry")
def test_games_can_be_registered() -> None:
    from tilewright.play.games.dungeon import DungeonGameParams, DungeonRules
    from tilewright.play.search import search_states

    @tw.register
    @tw.game(DungeonRules, params=DungeonGameParams, roles=("player", "exit"))
    def stroll(rules: DungeonRules, limit: int) -> tw.play.Solution:
        """A walk."""
        return search_states(rules, limit)

    assert tw.solve(level("@.E"), "stroll").moves == ("right", "right")
    assert "stroll" in [one.name for one in tw.list_games()]
