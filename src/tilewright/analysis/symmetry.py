"""How symmetric a map is; rivers, roads and other pieces turn with it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..core.registry import measure
from ..core.tileset import Tileset
from .strategy import NEUTRAL
from .survey import Survey


@measure(unit="share")
def symmetry_x(survey: Survey) -> float:
    """The share of cells that hold the same tile as their mirror image, left and right swapped.

    Rivers, roads and other pieces are turned over with the map, and a building is the same whichever country it is of.
    """
    return _symmetry_share(survey, "x")


@measure(unit="share")
def symmetry_y(survey: Survey) -> float:
    """The share of cells that hold the same tile as their mirror image, top and bottom swapped.

    Rivers, roads and other pieces are turned over with the map, and a building is the same whichever country it is of.
    """
    return _symmetry_share(survey, "y")


@measure(unit="share")
def symmetry_turn(survey: Survey) -> float:
    """The share of cells that hold the same tile as the cell that takes their place in half a turn.

    Rivers, roads and other pieces turn with the map, and a building is the same whichever country it is of.
    """
    return _symmetry_share(survey, "xy")


def _symmetry_share(survey: Survey, move: str) -> float:
    cells, tileset = survey.map.cells, survey.map.tileset
    image = np.flip(cells, tuple({"x": -1, "y": -2}[step] for step in move))
    if any(tile.joins or tile.country for tile in tileset):
        alike = _merge_owners(tileset)
        same = alike[cells] == alike[tileset.reorient_tiles(move)][image]
    else:
        same = cells == image
    return int(np.count_nonzero(same)) / cells.size


def _merge_owners(tileset: Tileset) -> NDArray[np.int64]:
    """(tile,) the first tile that differs in nothing but whose it is; what is neutral is nobody's."""
    first: dict[tuple[str, str], int] = {}
    return np.array(
        [
            first.setdefault((tile.kind, tile.joins), number) if tile.country not in ("", NEUTRAL) else number
            for number, tile in enumerate(tileset)
        ]
    )
