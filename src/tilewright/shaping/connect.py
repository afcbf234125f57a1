"""Connect: dig tunnels between the separate regions of a map until every region can be reached.

Regions are connected components of passable cells. The tunnels form a minimum spanning tree of the regions: waves start
from all regions at once, and a tunnel is dug where two waves meet. The result is always a single region. Tunnels avoid
locked impassable cells; if these leave no path, the shaper gives up and reports them. Only impassable cells are dug.
Tunnels wider than one cell leave out locked cells and the outermost ring of the map, and are narrower there.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ..analysis.regions import Directions, find_blocking_cells, neighbor_offsets, regions_of
from ..analysis.survey import Survey
from ..core.entries import shaper
from ..core.errors import GaveUp, InvalidRecipe
from ..core.grid import Label
from ..core.params import MAX_AREA, Params, param
from ..core.seeds import Rng
from ..core.site import Frame, Site, Steps
from ..core.tilemap import TileMap
from ..kernels.bridges import Waves, build_labeled_map

FRAMES = 50
"""Approximate number of frames that show the tunnels."""


class ConnectParams(Params):
    thickness: int = param(1, ge=1, le=64, typical=(1, 5))
    """Width of the tunnels in cells."""
    path: Literal["shortest", "straight"] = param("shortest")
    """Whether tunnels take the shortest path, or a path with a single corner where locked cells allow it."""
    tile: Label | None = param(None, tiles=True)
    """Passable tile of the tunnels; by default corridor if the map has some, else its most common passable tile."""
    directions: Directions = param(4)
    """Whether cells are connected in 4 directions, or in 8 including diagonals."""
    minimum: int = param(1, ge=1, le=MAX_AREA)
    """Minimum size of the regions to connect; smaller regions are ignored."""


@shaper(ConnectParams, revision=2)
def connect(map: TileMap, p: ConnectParams, site: Site, rng: Rng) -> Steps:
    survey = Survey(map)
    tile = site.tile(p.tile) if p.tile is not None else _find_tunnel_tile(survey)
    found = regions_of(survey.passable, p.directions)
    parts = found.keep(np.flatnonzero(found.sizes >= p.minimum))
    if tile is not None and not map.tileset.passable[tile]:
        raise InvalidRecipe(f"must be passable, {map.tileset[tile].name!r} is not", at="tile")
    if parts.count < 2:
        return map
    assert tile is not None  # two regions have passable cells
    walkable = survey.passable | ~site.locked
    offsets = neighbor_offsets(map.cells.ndim, p.directions)
    waves = Waves(build_labeled_map(parts.labels, walkable, offsets))
    for done in waves.spread():
        yield Frame(map.cells, "waves", done / 2)
    bridges = waves.find_bridges()
    if len(bridges) < parts.count - 1:
        raise GaveUp(
            "locked cells separate regions of the map",
            cells=find_blocking_cells(parts.labels, walkable, offsets),
            remove=["locks"],
        )

    def draw_tunnels() -> NDArray[np.int64]:
        return np.where(waves.marked.astype(np.bool_) & ~survey.passable, tile, map.cells)

    block = -(-len(bridges) // FRAMES)
    for first in range(0, len(bridges), block):
        waves.dig(bridges[first : first + block], straight=p.path == "straight")
        yield Frame(draw_tunnels, "tunnels", (1 + first / len(bridges)) / 2)
    if p.thickness > 1:
        _widen(waves.marked, walkable, p.thickness)
    return map.replace(cells=draw_tunnels())


def _find_tunnel_tile(survey: Survey) -> int | None:
    """Return the tile `corridor` if it occurs in the map and is passable, else the most common passable tile."""
    corridor = survey.map.tileset.by_name.get("corridor")
    if corridor is not None and survey.counts[corridor] and survey.map.tileset.passable[corridor]:
        return corridor
    return survey.most_common_tile(passable=True)


def _widen(tunnels: NDArray[np.uint8], walkable: NDArray[np.bool_], thickness: int) -> None:
    """Widen tunnels in place by one cell at a time, alternately to the right and down, and to the left and up.

    Every new cell is beside an older one, so that the tunnels stay connected.
    """
    room = np.zeros(tunnels.shape, dtype=np.uint8)
    inner = (..., slice(1, -1), slice(1, -1))
    room[inner] = walkable[inner]
    for grown in range(1, thickness):
        for axis in range(tunnels.ndim):
            lines, space = np.moveaxis(tunnels, axis, 0), np.moveaxis(room, axis, 0)
            before, after = (lines[:-1], lines[1:]) if grown % 2 else (lines[1:], lines[:-1])
            after |= before & (space[1:] if grown % 2 else space[:-1])
