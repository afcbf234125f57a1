"""Solving: find out whether a map can be finished, and how."""

from __future__ import annotations

from typing import Any

from ..core.errors import InvalidRecipe
from ..core.tilemap import TileMap
from .game import BoundGame, choose_game, read_game
from .playthrough import Playthrough


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
