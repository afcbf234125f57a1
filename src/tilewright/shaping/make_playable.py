"""Make playable: change few cells of a map so that its game can be finished.

Maps without a start or an exit get these markers first: in a platformer, where the player can stand near the left and
the right edge; in other games, far from each other. If the map cannot be finished, the shaper looks for the cheapest
changes: in a platformer, it bridges gaps that are too wide, adds steps below ledges that are too high, clears what
blocks the player and removes spikes; in a dungeon, it opens walls; in a ladder-and-gold game, it adds ladders. The
solver of the game then proves that the map can be finished. Locked cells, keys, gold and exits never change.

The shaper gives up if no changes help. It refuses box puzzles that cannot be solved: few changes rarely repair them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any

import numpy as np

from ..analysis.survey import Survey
from ..core.entries import shaper
from ..core.errors import ANOTHER_SEED, GaveUp, InvalidRecipe, pluralize
from ..core.params import MAX_AREA, Params, param
from ..core.seeds import Rng
from ..core.site import Frame, Site, Steps
from ..core.tilemap import Marker, TileMap
from ..play.board import Cell, GameBoard
from ..play.game import BoundGame, choose_game, play_map, read_game
from ..play.games.platformer import PlatformerParams
from ._make_playable import repairs
from ._make_playable.repairs import DANGERS, Changes, Mask
from ._place.cells import choose_farthest

NAMES = {"player": "start", "exit": "exit"}
"""Roles that every repaired map has, and the names of their markers."""
NEAR = 8
"""Fraction of the columns, from an edge of the map, that are near it: one in 8."""
MAX_ROUNDS = 8
"""Maximum number of repairs to try, of the map and of the repaired map each."""
NO_CHANGES = "no changes were found with which the map can be finished"
REPAIRS: Mapping[str, Callable[[Any, Mask], Changes]] = {
    "dungeon": repairs.repair_dungeon,
    "platformer": repairs.repair_platformer,
    "runner": repairs.repair_runner,
}


class MakePlayableParams(Params):
    game: str = param("", max_length=200)
    """Game, with parameters if needed, such as `platformer,jump_height=4`; by default, the game of the map."""
    max_changes: int = param(1000, ge=0, le=MAX_AREA, typical=(0, 100))
    """Maximum number of cells to change."""


@shaper(MakePlayableParams, dimensions=(2,))
def make_playable(map: TileMap, p: MakePlayableParams, site: Site, rng: Rng) -> Steps:
    bound = read_game(p.game) if p.game else choose_game(map)
    name = bound.entry.name
    if name in REPAIRS:
        map = add_ends(map, bound)
    found = play_map(map, bound)
    if found.solved:
        return map
    if name not in REPAIRS:
        text = f"the game {name} cannot be finished on this map, and maps of {name} cannot be repaired"
        raise InvalidRecipe(text, at="game", rule="unsolved")
    # Changes can contradict each other. Look for others then, and after these for more changes of the changed map.
    for keeps in (False, True):
        source, fixed = map, site.locked.copy()
        for number in range(MAX_ROUNDS):
            changes = REPAIRS[name](bound.open(source), fixed)
            if not changes:
                break
            repaired = repairs.apply_changes(source, changes)
            changed = repaired.cells != map.cells
            count = int(np.count_nonzero(changed)) if keeps else len(changes)
            if count > p.max_changes:
                text = f"{pluralize(count, 'changed cell')} needed, at most {p.max_changes} allowed"
                raise GaveUp(text, at="max_changes", fixes=[ANOTHER_SEED])
            yield Frame(repaired.cells, "repairs", (number + 1 + keeps * MAX_ROUNDS) / (2 * MAX_ROUNDS))
            found = play_map(repaired, bound)
            if found.solved:
                return repaired
            fixed |= changed
            if keeps:
                source = repaired
    remove = ["locks"] if site.has_locks else []
    why = "it is unknown whether the map can be finished, and no changes help" if found.solved is None else NO_CHANGES
    raise GaveUp(f"{name}: {why}", remove=remove)


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
