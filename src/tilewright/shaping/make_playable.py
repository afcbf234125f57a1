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
from typing import Any

import numpy as np

from ..core.entries import shaper
from ..core.errors import ANOTHER_SEED, GaveUp, InvalidRecipe, pluralize
from ..core.params import MAX_AREA, Params, param
from ..core.seeds import Rng
from ..core.site import Frame, Site, Steps
from ..core.tilemap import TileMap
from ..play.game import choose_game, read_game
from ..play.solve import play_map
from ._make_playable.ends import add_ends
from ._make_playable.repairs import Changes, Mask, apply_changes, repair_dungeon, repair_platformer, repair_runner

MAX_ROUNDS = 8
"""Maximum number of repairs to try, of the map and of the repaired map each."""
NO_CHANGES = "no changes were found with which the map can be finished"
REPAIRS: Mapping[str, Callable[[Any, Mask], Changes]] = {
    "dungeon": repair_dungeon,
    "platformer": repair_platformer,
    "runner": repair_runner,
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
            repaired = apply_changes(source, changes)
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
