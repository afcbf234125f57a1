"""Symmetry of maps. Directional tiles such as rivers and roads are transformed with the map."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..core.registry import measure
from ..core.tileset import Tileset
from .strategy import NEUTRAL
from .survey import Survey


@measure(unit="fraction", group="shape")
def symmetry_x(survey: Survey) -> float:
    """Fraction of cells that are equal to their mirror image with left and right swapped.

    Directional tiles such as rivers and roads are mirrored with the map. The owner of a building is ignored.
    """
    return _symmetry_share(survey, "x")


@measure(unit="fraction", group="shape")
def symmetry_y(survey: Survey) -> float:
    """Fraction of cells that are equal to their mirror image with top and bottom swapped.

    Directional tiles such as rivers and roads are mirrored with the map. The owner of a building is ignored.
    """
    return _symmetry_share(survey, "y")


@measure(unit="fraction", group="shape")
def symmetry_turn(survey: Survey) -> float:
    """Fraction of cells that are equal to the cell at their position after a rotation by 180 degrees.

    Directional tiles such as rivers and roads are rotated with the map. The owner of a building is ignored.
    """
    return _symmetry_share(survey, "xy")


def _symmetry_share(survey: Survey, transform: str) -> float:
    cells, tileset = survey.map.cells, survey.map.tileset
    image = np.flip(cells, tuple({"x": -1, "y": -2}[step] for step in transform))
    if any(tile.joins or tile.country for tile in tileset):
        alike = _merge_owners(tileset)
        same = alike[cells] == alike[tileset.reorient_tiles(transform)][image]
    else:
        same = cells == image
    return int(np.count_nonzero(same)) / cells.size


def _merge_owners(tileset: Tileset) -> NDArray[np.int64]:
    """Return (tile,) the first tile that equals each tile except for its owner; neutral tiles keep their number."""
    first: dict[tuple[str, str], int] = {}
    return np.array(
        [
            first.setdefault((tile.kind, tile.joins), number) if tile.country not in ("", NEUTRAL) else number
            for number, tile in enumerate(tileset)
        ]
    )
