"""Overlays of playing a map."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ..core.errors import InvalidRecipe
from ..core.params import param
from ..overlays.kinds import NoParams, blank_tint, register_overlay
from ..overlays.overlay import CLEAR, Overlay
from .game import choose_game, play_map, read_game
from .playthrough import Playthrough

REACHED, WALKED, EVENT, FIRST, LAST = (92, 132, 190), (250, 165, 54), (226, 58, 46), (42, 176, 98), (44, 98, 224)
FAINT, STRONG = 90, 235
"""Opacity of tints over the tile, from 0 to 255."""


class PlaythroughParams(NoParams):
    """Settings of the playthrough."""

    game: str = param("", max_length=200)
    """Game, such as platformer; by default, the game of the map."""


@register_overlay("playthrough", PlaythroughParams, one_level=True)
def _playthrough(view: Any, params: PlaythroughParams) -> Overlay:
    """Path of a solution, where something happens on it, and all cells that the search reached."""
    bound = read_game(params.game) if params.game else choose_game(view.map)
    tint = blank_tint(view.map)
    try:
        found = play_map(view.map, bound)
    except InvalidRecipe as error:
        return Overlay(tint, legend=str(error))
    tint[found.visited] = *REACHED, FAINT
    for cell in found.path:
        tint[cell] = *WALKED, CLEAR
    for event in found.events:
        tint[event.cell] = *EVENT, STRONG
    tint[found.path[-1]] = *LAST, STRONG
    tint[found.path[0]] = *FIRST, STRONG
    cells = np.array(found.path)[:, ::-1].tolist()
    lines = tuple(
        ((float(one[0]), float(one[1])), (float(two[0]), float(two[1]))) for one, two in pairwise(cells) if one != two
    )
    return Overlay(tint, lines, describe(found))


def describe(found: Playthrough) -> str:
    """Return a playthrough in one line.

    A line such as `platformer: can be finished in 52 moves: 7 jumps, 12 coins`.
    """
    name, note = found.game.partition(",")[0], f"; {found.rules.note}" if found.rules.note else ""
    if not found.solved:
        text = "cannot be finished" if found.solved is False else "unknown: the search reached its limit"
        return f"{name}: {text} ({found.explored:,} states){note}"
    kinds = dict.fromkeys(event.kind for event in found.events)
    counts = ", ".join(f"{kind} x{found.count(kind)}" for kind in kinds)
    return f"{name}: can be finished in {len(found.moves):,} moves{': ' if counts else ''}{counts}{note}"
