"""Breadth-first search over the states of a game: the solver of games without a faster one."""

from __future__ import annotations

from typing import Any

import numpy as np

from .game_rules import GameRules, Solution


def search_states(rules: GameRules[Any, Any], limit: int) -> Solution:
    """Return a solution with the fewest moves.

    Parameters
    ----------
    rules : GameRules
        Rules of a game on a board.
    limit : int
        Maximum number of states.

    Returns
    -------
    Solution
        `solved` is False if all states were examined and none is won, and None if there are more states than `limit`.
    """
    first = rules.begin()
    sources: dict[Any, tuple[Any, str] | None] = {first: None}
    """The previous state and the move by which each state was reached first."""
    order = [first]
    visited = np.zeros(rules.board.shape, dtype=np.bool_)
    won, is_complete = None, True
    for number, state in enumerate(order):
        visited[rules.find_player(state)] = True
        if rules.is_won(state):
            won = state
            break
        for move in rules.moves:
            after = rules.step(state, move)
            if after is not None and after not in sources:
                sources[after] = (state, move)
                order.append(after)
        if number + 1 >= limit:
            is_complete = number + 1 == len(order)
            break
    moves: list[str] = []
    state = won
    while state is not None and (source := sources[state]) is not None:
        state, move = source
        moves.append(move)
    solved = True if won is not None else False if is_complete else None
    return Solution(solved, tuple(reversed(moves)), visited, number + 1)
