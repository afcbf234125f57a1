"""Replace: put one tile in place of another, everywhere or in a fraction of the cells.

All pairs are replaced at once, based on the original map, so that two tiles can be swapped. The cells of a fraction
depend only on the seed and their position. Locked cells keep their tiles.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..core.entries import shaper
from ..core.errors import InvalidRecipe, Problem, problem
from ..core.grid import Label
from ..core.params import Params, param
from ..core.seeds import Rng
from ..core.site import Site
from ..core.tilemap import TileMap


class ReplaceParams(Params):
    tile: Label | None = param(None, tiles=True, initial=0)
    """Tile to replace; given together with by."""
    by: Label | None = param(None, tiles=True, initial=1)
    """Tile to put in its place."""
    pairs: tuple[tuple[Label, Label], ...] = param((), tiles=True)
    """Further pairs of a tile and its replacement."""
    share: float = param(1.0, ge=0, le=1)
    """Fraction of the cells to replace."""

    def find_problems(self) -> Iterator[Problem]:
        if (self.tile is None) != (self.by is None):
            yield problem("give both, or use pairs", at="tile", rule="conflict", place="tile, by")
        elif self.tile is None and not self.pairs:
            yield problem("give the tiles to replace: tile and by, or pairs", rule="missing")

    def all_pairs(self) -> Iterator[tuple[Label, Label]]:
        if self.tile is not None and self.by is not None:
            yield self.tile, self.by
        yield from self.pairs


@shaper(ReplaceParams, example="caves --shape replace,tile=wall,by=ore,share=0.1")
def replace(map: TileMap, p: ReplaceParams, site: Site, rng: Rng) -> TileMap:
    table = np.arange(len(map.tileset), dtype=map.tileset.dtype)
    seen: set[int] = set()
    for old, new in p.all_pairs():
        tile = site.tile(old)
        if tile in seen:
            raise InvalidRecipe(f"{map.tileset[tile].name!r} is replaced twice; give it only once", rule="duplicate")
        seen.add(tile)
        table[tile] = site.tile(new)
    spared = site.locked
    if p.share < 1:
        spared |= rng.cells(*site.window) >= p.share
    return map.replace(cells=np.where(spared, map.cells, table[map.cells]))
