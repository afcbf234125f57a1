"""Markers start and exit of maps that lack them."""

from __future__ import annotations

from itertools import islice

import numpy as np

from ...analysis.survey import Survey
from ...core.errors import GaveUp
from ...core.tilemap import Marker, TileMap
from ...play.board import Cell, GameBoard
from ...play.game import BoundGame
from ...play.games.platformer import PlatformerParams
from .._place.choice import choose_farthest
from .repairs import DANGERS, Mask

NAMES = {"player": "start", "exit": "exit"}
"""Roles that every repaired map has, and the names of their markers."""
NEAR = 8
"""Fraction of the columns, from an edge of the map, that are near it: one in 8."""


def add_ends(map: TileMap, bound: BoundGame) -> TileMap:
    """Return the map with the markers start and exit. Raise GaveUp if there is no place for them."""
    board = GameBoard(map, bound.entry.name)
    missing = [role for role in NAMES if not board.mask(role).any()]
    if bound.entry.name == "runner" and board.mask("gold", "coin", "treasure").any():
        missing = [role for role in missing if role == "player"]  # the level ends with the last gold
    if not missing:
        return map
    if isinstance(bound.params, PlatformerParams):
        cells = _choose_outermost(board, bound.params, missing)
    else:
        cells = _choose_farthest(map, board, missing)
    if len(cells) < len(missing):
        names = " and ".join(NAMES[role] for role in missing)
        raise GaveUp(f"the map has no free cells for {names}")
    markers = [Marker(NAMES[role], x, y) for role, (y, x) in zip(missing, cells, strict=True)]
    return map.replace(markers=[*map.markers, *markers])


def _choose_farthest(map: TileMap, board: GameBoard, missing: list[str]) -> list[Cell]:
    """Return passable cells far from each other and from the marker that is there."""
    survey = Survey(map)
    sources = [cell for cell in board.cells(*NAMES) if survey.passable[cell]]
    free = survey.passable & ~board.mask(*NAMES, *DANGERS, "door", "lock", "key", "crate")
    others = np.argwhere(free)[::-1].tolist()  # for maps whose regions have one cell each
    found = list(islice(choose_farthest(survey, free, sources, 1), len(missing)))
    return [*found, *((row, column) for row, column in others if (row, column) not in found)][: len(missing)]


def _choose_outermost(board: GameBoard, params: PlatformerParams, missing: list[str]) -> list[Cell]:
    """Return a place for the start near the left edge where the player can stand, and one for the exit near the right.

    Solid ground away from dangers is best, if there is some near the edge.
    """
    solid = board.mask("wall", "brick", "crate", "door", "lock")
    danger = board.mask(*DANGERS)
    free = ~solid & ~danger & ~board.mask(*NAMES, "platform", "ladder", "spring")
    ground = _shift(solid, 1, fill=params.floor)
    carries = ground | _shift(board.mask("platform"), 1, fill=False)
    headroom = ~_shift(solid, -1, fill=True)
    quiet = ~danger
    quiet[:, 1:] &= ~danger[:, :-1]
    quiet[:, :-1] &= ~danger[:, 1:]
    near = np.arange(free.shape[1]) * NEAR < free.shape[1]
    cells: list[Cell] = []
    for role in missing:
        side = near if role == "player" else near[::-1]
        best = free & ground & headroom & quiet & side
        masks = (best, free & carries & headroom, free & carries, free)
        places = next((mask for mask in masks if mask.any()), free)
        columns = np.flatnonzero(places.any(axis=0))
        if columns.size:
            column = int(columns[0 if role == "player" else -1])
            cells.append((int(np.flatnonzero(places[:, column])[-1]), column))
            free[cells[-1]] = False
    return cells


def _shift(mask: Mask, down: int, *, fill: bool) -> Mask:
    """Return for each cell whether the cell below it, or above it with -1, is in a mask."""
    shifted = np.full_like(mask, fill)
    if down > 0:
        shifted[:-1] = mask[1:]
    else:
        shifted[1:] = mask[:-1]
    return shifted
