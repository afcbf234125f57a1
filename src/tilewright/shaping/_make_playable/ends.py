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
from .repair import Mask

NAMES = {"player": "start", "exit": "exit"}
"""Roles that every repaired map has, and the names of their markers."""


def add_ends(map: TileMap, bound: BoundGame) -> TileMap:
    """Return the map with the markers start and exit. Raise GaveUp if there is no place for them."""
    board = GameBoard(map, bound.game.name)
    missing = [role for role in NAMES if not board.mask(role).any()]
    if bound.game.name == "runner" and board.mask("gold", "coin", "treasure").any():
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
    free = survey.passable & ~board.mask(*NAMES, "spike", "enemy", "boss", "door", "lock", "key", "crate")
    others = np.argwhere(free)[::-1].tolist()  # for maps whose regions have one cell each
    found = list(islice(choose_farthest(survey, free, sources, 1), len(missing)))
    return [*found, *((row, column) for row, column in others if (row, column) not in found)][: len(missing)]


def _choose_outermost(board: GameBoard, params: PlatformerParams, missing: list[str]) -> list[Cell]:
    """Return the leftmost place where the player can stand for its start, and the rightmost one for the exit."""
    solid = board.mask("wall", "brick", "crate", "door", "lock")
    free = ~solid & ~board.mask(*NAMES, "spike", "enemy", "boss", "platform", "ladder", "spring")
    carries = np.zeros_like(solid)
    carries[:-1] = (solid | board.mask("platform"))[1:]
    carries[-1] = params.floor
    headroom = np.zeros_like(solid)
    headroom[1:] = ~solid[:-1]
    places = next((mask for mask in (free & carries & headroom, free & carries, free) if mask.any()), free)
    cells: list[Cell] = []
    for role in missing:
        cell = _find_outermost(places, from_left=role == "player")
        if cell is not None:
            places[cell] = False
            cells.append(cell)
    return cells


def _find_outermost(places: Mask, *, from_left: bool) -> Cell | None:
    """Return the lowest place in the first column that has one, from the left or from the right."""
    columns = np.flatnonzero(places.any(axis=0))
    if not columns.size:
        return None
    column = int(columns[0 if from_left else -1])
    return int(np.flatnonzero(places[:, column])[-1]), column
