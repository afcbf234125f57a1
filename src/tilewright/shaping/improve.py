"""Improve: change a map by small moves until its measures reach targets.

A move flips a cell, swaps two cells, changes a strip of a row or column, or copies a small block of the map to another
place. With the method climb, a move is kept if the measures come nearer to the targets, or at least not farther away;
anneal also keeps worse moves at first. The distance is the sum of the relative differences between measures and
targets. At the end, changes that were not needed are undone.

Locked cells, cells with markers, tiles that are rare in the map and a closed border stay as they are. So do the numbers
of cells with the tiles in `keep`, and the number of regions does not grow. Within these limits, moves that keep the 3x3
patterns of the original map are preferred, so that a cave stays a cave. If a target is not reached, the shaper gives up
and says how near it came.

Common measures are computed in kernels: some hundred thousand moves per second on a small map. All others, such as
`solvable`, take some tenths of a millisecond per move.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from ..core.entries import shaper
from ..core.params import Params, param
from ..core.seeds import Rng
from ..core.site import Site, Steps
from ..core.tilemap import TileMap
from ._improve.search import MAX_STEPS, Improvement
from ._improve.targets import MAX_TARGETS, Targets


class ImproveParams(Params):
    targets: Targets = param({"regions": 1}, min_length=1, max_length=MAX_TARGETS)
    """Measures and the values to reach, such as path_length: 60..66, regions: 1 or openness: most."""
    steps: int = param(20_000, ge=1, le=MAX_STEPS, typical=(1000, 100_000))
    """Maximum number of moves to try."""
    method: Literal["climb", "anneal"] = param("climb")
    """Whether to keep only moves that do not lead away from the targets, or to anneal."""
    style: float = param(0.5, ge=0, le=1)
    """How strictly to keep the patterns of the original map; 0 ignores them."""
    symmetry: Literal[1, 2, 8] = param(2)
    """Views of the map whose patterns are used: 1 as it is, 2 also mirrored left to right, 8 also rotated."""
    tiles: tuple[str, ...] = param((), max_length=1000, tiles=True)
    """Tiles to place and to replace; by default the tiles of at least 2% of the cells."""
    keep: tuple[str, ...] = param((), max_length=1000, tiles=True)
    """Tiles whose number of cells must not change."""
    connected: bool = param(True)
    """Whether the number of regions must not grow; a target for regions takes precedence."""

    def list_measures(self) -> Iterator[str]:
        return (name for name, _ in self.targets)


@shaper(ImproveParams, dimensions=(2,))
def improve(map: TileMap, p: ImproveParams, site: Site, rng: Rng) -> Steps:
    return (yield from Improvement(map, p, site, rng).run())
