"""Measures of playing a map with its game, see `choose_game`."""

from __future__ import annotations

import numpy as np

from ..analysis.survey import Survey
from ..core.entries import measure
from ..core.errors import InvalidRecipe
from .game import choose_game, play_map, read_game
from .playthrough import Playthrough


def playthrough_of(survey: Survey) -> Playthrough | None:
    """Return the playthrough of a map with its game; None if the game cannot be played on it, as without a player."""
    found = survey.results.get("playthrough")
    if found is None:
        try:
            found = survey.results["playthrough"] = play_map(survey.map, choose_game(survey.map))
        except InvalidRecipe:
            survey.results["playthrough"] = False
    return found if isinstance(found, Playthrough) else None


@measure(unit="yes or no", group="playing")
def completable(survey: Survey) -> float | None:
    """Whether the map can be finished in its game: 1 or 0.

    The game is the one that the tileset names, such as `platformer`, or the one that suits the roles of tiles and
    markers. Does not apply if the game cannot be played on the map, for example without a player or an exit, nor if the
    search for a solution reached its limit.
    """
    found = playthrough_of(survey)
    return None if found is None or found.solved is None else int(found.solved)


@measure(unit="moves", group="playing")
def moves_needed(survey: Survey) -> float | None:
    """Number of moves of the solution that the solver found. Does not apply without a solution."""
    found = playthrough_of(survey)
    return len(found.moves) if found is not None and found.solved else None


@measure(unit="jumps", group="playing")
def jumps(survey: Survey) -> float | None:
    """Number of jumps of the solution that the solver found.

    Does not apply without a solution, nor to games without jumps.
    """
    return _count(survey, "jump")


@measure(unit="pushes", group="playing")
def pushes(survey: Survey) -> float | None:
    """Minimum number of pushes that solve a box puzzle.

    Does not apply without a solution, nor to games without pushes.
    """
    return _count(survey, "push")


@measure(unit="fraction", group="playing")
def explored_share(survey: Survey) -> float | None:
    """Fraction of the cells that are not walls that the search for a solution reached.

    Does not apply if the game cannot be played on the map.
    """
    found = playthrough_of(survey)
    if found is None:
        return None
    is_open = ~found.rules.board.mask("wall", "brick")
    count = np.count_nonzero(is_open)
    return np.count_nonzero(found.visited & is_open) / count if count else None


def _count(survey: Survey, kind: str) -> float | None:
    found = playthrough_of(survey)
    if found is None or not found.solved or kind not in read_game(found.game).entry.events:
        return None
    return found.count(kind)
