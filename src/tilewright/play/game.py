"""The registry of games, and solving: find out whether a map can be finished, and how."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..core.entries import Entry, declare
from ..core.errors import InvalidRecipe, UnknownName
from ..core.notation import read_entry
from ..core.registry import Bound, Registry
from ..core.tilemap import TileMap
from .board import GameBoard
from .game_rules import GameRules
from .playthrough import Playthrough


@dataclass(frozen=True, kw_only=True)
class Game(Entry):
    """A game that maps can be played with.

    The decorator `game` declares the solver: a function `(rules, limit)` that examines at most `limit` states and
    returns a `Solution`.
    """

    rules: type[GameRules[Any, Any]] = field(kw_only=False)
    """Rules of the game."""
    limit: int = 1 << 20
    """Maximum number of states that the solver examines by default."""
    roles: tuple[str, ...]
    """Roles of tiles that take part."""
    events: tuple[str, ...] = ()
    """Kinds of events that can happen."""
    suits: tuple[tuple[str, ...], ...] = ()
    """Sets of roles: a map that has all roles of one set is for this game."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.rules, type) or not issubclass(self.rules, GameRules):
            raise InvalidRecipe("must be a class of rules", at="rules", got=self.rules, rule="type")


game = declare(Game)
"""Declare a function `(rules, limit)` as the solver of a game, with the fields of `Game`."""
game_registry: Registry[Game] = Registry("game", "games", Game, package="play.games")
FALLBACK = "dungeon"
"""Game of maps that suit no other game."""


class BoundGame(Bound[Game]):
    """A game with its params."""

    def open(self, map: TileMap) -> GameRules[Any, Any]:
        """Return the rules on a map. Raise InvalidRecipe if it lacks a player, for example."""
        return self.entry.rules(GameBoard(map, self.entry.name), self.params)


def read_game(given: Any) -> BoundGame:
    """Read a game: its name, `platformer,jump_height=4`, or a mapping such as `{"platformer": {"jump_height": 4}}`.

    Raises
    ------
    UnknownName
        If no game has that name.
    InvalidRecipe
        If a parameter breaks its rule.
    """
    if isinstance(given, BoundGame):
        return given
    return BoundGame(*read_entry(given, game_registry, "platformer"))


def choose_game(map: TileMap) -> BoundGame:
    """Return the game of a map: the one that its tileset names, or the first that suits its roles, or `dungeon`."""
    return _find_suitable_game(map) or read_game(FALLBACK)


def find_game(map: TileMap) -> tuple[str, dict[str, Any]] | None:
    """Return the name and params of the game of a map; None if no game suits it, or if its rules refuse it.

    A map without a player can be edited and shown, but not played.
    """
    try:
        found = _find_suitable_game(map)
        if found is not None:
            found.open(map)
    except (InvalidRecipe, UnknownName):
        return None
    return None if found is None else (found.entry.name, found.params.model_dump(mode="json"))


def _find_suitable_game(map: TileMap) -> BoundGame | None:
    if map.tileset.game:
        return read_game(map.tileset.game)
    board = GameBoard(map)
    for one in game_registry:
        if any(all(board.has_role(role) and board.mask(role).any() for role in roles) for roles in one.suits):
            return read_game(one)
    return None


def solve(map: TileMap, game: Any = None, *, limit: int | None = None, **params: Any) -> Playthrough:
    """Play a map.

    Parameters
    ----------
    map : TileMap
        Map of one level. Tiles and markers take part by their roles.
    game : str, optional
        Name of the game, with parameters if needed, such as `platformer,jump_height=4`. By default, the game that the
        tileset names or that suits the roles on the map; else `dungeon`.
    limit : int, optional
        Maximum number of states that the solver examines.
    **params
        Parameters of the game.

    Returns
    -------
    Playthrough
        Whether the map can be finished, and the moves. `solved` is None if the search reached its limit.

    Raises
    ------
    UnknownName
        If there is no such game.
    InvalidRecipe
        If a parameter breaks its rule, or the map lacks something, such as a player.
    """
    if not isinstance(map, TileMap):
        raise InvalidRecipe("must be a map", at="map", got=map, rule="type")
    bound = choose_game(map) if game is None else read_game(game)
    if params:
        given = {name: getattr(bound.params, name) for name in bound.params.model_fields_set}
        bound = read_game({bound.entry.name: {**given, **params}})
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 1):
        raise InvalidRecipe("must be a number of states, at least 1", at="limit", got=limit, rule="type")
    return play_map(map, bound, limit)


def play_map(map: TileMap, bound: BoundGame, limit: int | None = None) -> Playthrough:
    """Play a map with a game and its params."""
    rules = bound.open(map)
    solution = bound.entry.body(rules, limit or bound.entry.limit)
    return Playthrough(
        solved=solution.solved,
        moves=solution.moves,
        visited=solution.visited,
        explored=solution.explored,
        game=str(bound),
        rules=rules,
    )
