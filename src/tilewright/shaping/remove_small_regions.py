"""Remove small regions: replace regions with too few cells by the most common tile around them.

A region consists of connected cells with the same tile. Pieces whose kinds join, such as roads and bridges, are in one
region, and a river continues under a bridge. With `together`, all cells of `tiles` are in one region where they touch.
By default all tiles are considered, except buildings of a country.

A removed region takes the tile that is most common along its border; of equally common ones, the first in the tileset.
Pieces, buildings and other small regions do not count, so small regions that touch only each other are filled from
outside to inside. Nothing depends on the order of the cells: a symmetric map stays symmetric. Pieces beside a removed
region may no longer fit: `autotile` with `keep: pieces` follows. Regions with a locked cell or a marker stay. A second
run changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..analysis.regions import Directions, neighbor_offsets, regions_of
from ..autotile.grammar import grammar_of
from ..core.entries import shaper
from ..core.params import MAX_AREA, Params, param
from ..core.seeds import Rng
from ..core.site import Frame, Site, Steps
from ..core.tilemap import TileMap
from ..core.tileset import Tileset

Mask = NDArray[np.bool_]
Labels = NDArray[np.int32]


class RemoveSmallRegionsParams(Params):
    min_cells: int = param(4, ge=1, le=MAX_AREA, typical=(1, 50))
    """Minimum number of cells of a region that stays."""
    tiles: tuple[str, ...] = param((), max_length=1000, tiles=True)
    """Tiles, or kinds of tiles, whose small regions are removed; by default all except buildings."""
    together: bool = param(False)
    """Whether different tiles of the list are in one region where they touch."""
    directions: Directions = param(4)
    """Whether cells are connected in 4 directions, or in 8 including diagonals."""


@shaper(RemoveSmallRegionsParams, example="noise --shape remove_small_regions,min_cells=12")
def remove_small_regions(map: TileMap, p: RemoveSmallRegionsParams, site: Site, rng: Rng) -> Steps:
    tileset = map.tileset
    removable = _select_tiles(p, site)
    kept = site.locked
    for marker in map.markers:
        kept[(marker.level, marker.y, marker.x)[-kept.ndim :]] = True
    labels = _label_small_regions(map, p, removable, kept)
    fills = ~grammar_of(tileset).pieces & np.array([not tile.country for tile in tileset])
    cells = map.cells.copy()
    pending = np.argwhere(labels > 0)
    count = len(pending)
    while len(pending):
        yield Frame(cells, "fill", 1 - len(pending) / count)
        chosen = _choose_fills(cells, labels, pending, fills, p.directions)
        if not chosen.size:
            break
        new = chosen[labels[tuple(pending.T)]]
        done = pending[new >= 0]
        cells[tuple(done.T)] = new[new >= 0]
        labels[tuple(done.T)] = 0
        pending = pending[new < 0]
    return map.replace(cells=cells)


def _select_tiles(p: RemoveSmallRegionsParams, site: Site) -> Mask:
    """Return (tile,) whether small regions of the tile are removed."""
    if not p.tiles:
        return np.array([not tile.country for tile in site.tileset])
    selected = np.zeros(len(site.tileset), dtype=np.bool_)
    for label in p.tiles:
        of_kind = [number for number, tile in enumerate(site.tileset) if tile.kind and tile.kind == label]
        selected[of_kind if of_kind and label not in site.tileset.by_name else site.tile(label)] = True
    return selected


def _list_classes(tileset: Tileset, removable: Mask, used: Mask, *, together: bool) -> Iterator[tuple[Mask, Mask]]:
    """Yield, for each class of tiles, (tile,) which tiles are in its regions and which of them are removed."""
    if together:
        yield removable, removable
        return
    pieces = grammar_of(tileset).pieces
    for tile in np.flatnonzero(removable & used & ~pieces).tolist():
        own = np.arange(len(tileset)) == tile
        yield own, own
    kinds = np.array([tile.kind for tile in tileset])
    left = list(tileset.joints)
    while left:
        joined, under = {left[0].kind}, set[str]()
        while found := [joint for joint in left if joint.kind in joined or joined & {*joint.joins}]:
            left = [joint for joint in left if joint not in found]
            for joint in found:
                joined |= {joint.kind, *joint.joins}
                under |= {*joint.passes_under}
        own = np.isin(kinds, [*joined]) & pieces & removable
        if (own & used).any():
            yield np.isin(kinds, [*joined, *under]) & pieces, own


def _label_small_regions(map: TileMap, p: RemoveSmallRegionsParams, removable: Mask, kept: Mask) -> Labels:
    """Return the number of the small region of each cell, from 1; 0 for cells that stay."""
    labels: Labels = np.zeros(map.shape, dtype=np.int32)
    used = np.bincount(map.cells.reshape(-1), minlength=len(map.tileset)) > 0
    count = 0
    for members, own in _list_classes(map.tileset, removable, used, together=p.together):
        regions = regions_of(members[map.cells], p.directions)
        stays = regions.sizes >= p.min_cells
        stays[regions.labels[kept]] = True
        stays[0] = True
        numbers = np.cumsum(~stays) + count
        small = ~stays[regions.labels] & own[map.cells]
        labels[small] = numbers[regions.labels[small]]
        count = int(numbers[-1])
    return labels


def _choose_fills(
    cells: NDArray[np.integer], labels: Labels, pending: NDArray[np.int64], fills: Mask, directions: Directions
) -> NDArray[np.int64]:
    """Return (region,) the most common tile around each small region, or -1 if it touches no cell that counts.

    If this is the case for all regions, return the most common tile of the other cells for all; nothing if there are
    no other cells.
    """
    count, tiles = int(labels.max()) + 1, len(fills)
    pairs = [np.zeros(0, dtype=np.int64)]
    own = labels[tuple(pending.T)].astype(np.int64)
    for offset in neighbor_offsets(cells.ndim, directions):
        near = pending + offset
        inside = ((near >= 0) & (near < cells.shape)).all(axis=1)
        near = near[inside]
        found = cells[tuple(near.T)].astype(np.int64)
        counted = (labels[tuple(near.T)] == 0) & fills[found]
        pairs.append(own[inside][counted] * tiles + found[counted])
    seen, counts = np.unique(np.concatenate(pairs), return_counts=True)
    chosen = np.full(count, -1, dtype=np.int64)
    if seen.size:
        order = np.lexsort((-seen, counts))  # the last entry of a region wins: the highest count, then the first tile
        chosen[seen[order] // tiles] = seen[order] % tiles
        return chosen
    totals = np.where(fills, np.bincount(cells[labels == 0], minlength=tiles), 0)
    return np.full(count if totals.any() else 0, int(np.argmax(totals)), dtype=np.int64)
