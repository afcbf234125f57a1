"""The registry of games."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..core.errors import InvalidRecipe, UnknownName
from ..core.notation import read_entry
from ..core.params import Params
from ..core.registry import Entry, Registry, check_function, check_params_class
from ..core.tilemap import TileMap
from .board import GameBoard
from .game_rules import GameRules, Solution

Solve = Callable[[Any, int], Solution]
"""Function of the rules on a board and the maximum number of states that returns a solution."""


@dataclass(frozen=True, kw_only=True)
class Game(Entry):
    """A game that maps can be played with."""

    rules: type[GameRules[Any, Any]]
    """Rules of the game."""
    body: Solve
    """Function `(rules, limit)` that solves a map and examines at most `limit` states."""
    limit: int
    """Maximum number of states by default."""
    roles: tuple[str, ...]
    """Roles of tiles that take part."""
    events: tuple[str, ...]
    """Kinds of events that can happen."""
    suits: tuple[tuple[str, ...], ...] = ()
    """Sets of roles: a map that has all roles of one set is for this game."""

    def __reduce__(self) -> tuple[Any, ...]:
        return _find, (self.name,)


game_registry: Registry[Game] = Registry("game", "games", Game, package="play.games")
FALLBACK = "dungeon"
"""Game of maps that suit no other game."""


def _find(name: str) -> Game:
    return game_registry.get(name)


def game(
    rules: type[GameRules[Any, Any]],
    *,
    params: type[Params] = Params,
    roles: tuple[str, ...],
    events: tuple[str, ...] = (),
    suits: tuple[tuple[str, ...], ...] = (),
    limit: int = 1 << 20,
    revision: int = 1,
) -> Callable[[Solve], Game]:
    """Declare a solver as a game. The function has the name of the game. See `register_game`."""

    def declare(body: Solve) -> Game:
        doc = inspect.getdoc(inspect.getmodule(body)) or inspect.getdoc(body) or ""
        return Game(
            name=body.__name__, params=params, rules=rules, body=body, limit=limit, roles=roles, events=events,
            suits=suits, revision=revision, doc=doc,
        )  # fmt: skip

    return declare


def register_game(
    rules: type[GameRules[Any, Any]],
    *,
    params: type[Params] = Params,
    roles: tuple[str, ...],
    events: tuple[str, ...] = (),
    suits: tuple[tuple[str, ...], ...] = (),
    limit: int = 1 << 20,
    revision: int = 1,
) -> Callable[[Solve], Game]:
    """Declare a function as the solver of a game and register the game in this process.

    Registering the same name again replaces the game. Packages register games through the entry point group
    tilewright.games.

    Parameters
    ----------
    rules
        Class of the rules.
    params
        Class of the game's parameters.
    roles
        Roles of tiles that take part in the game.
    events
        Kinds of events that can happen.
    suits
        Sets of roles: a map that has all roles of one set is for this game.
    limit
        Maximum number of states that the solver examines by default.
    revision
        Number to increase when the solver gives other results.

    Returns
    -------
    Callable
        Decorator for a function `(rules, limit)` that returns a `Solution`.

    Raises
    ------
    InvalidRecipe
        If `rules` is not a class of rules, or `params` not a class of parameters.
    """
    if not isinstance(rules, type) or not issubclass(rules, GameRules):
        raise InvalidRecipe("must be a class of rules", at="rules", got=rules, rule="type")
    check_params_class(params)
    declare = game(rules, params=params, roles=roles, events=events, suits=suits, limit=limit, revision=revision)
    return lambda body: game_registry.register(declare(check_function(body)))


@dataclass(frozen=True)
class BoundGame:
    """A game with its params."""

    game: Game
    params: Params

    def __str__(self) -> str:
        """Return the game as `read_game` reads it."""
        fields = type(self.params).model_fields
        given = {name: value for name in fields if (value := getattr(self.params, name)) != fields[name].default}
        return ",".join([self.game.name, *(f"{name}={_format_value(value)}" for name, value in given.items())])

    def open(self, map: TileMap) -> GameRules[Any, Any]:
        """Return the rules on a map. Raise InvalidRecipe if it lacks a player, for example."""
        return self.game.rules(GameBoard(map, self.game.name), self.params)


def _format_value(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


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
    return None if found is None else (found.game.name, found.params.model_dump(mode="json"))


def _find_suitable_game(map: TileMap) -> BoundGame | None:
    if map.tileset.game:
        return read_game(map.tileset.game)
    board = GameBoard(map)
    for one in game_registry:
        if any(all(board.has_role(role) and board.mask(role).any() for role in roles) for roles in one.suits):
            return read_game(one)
    return None
