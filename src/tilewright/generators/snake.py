"""Snake: one winding path of exact length, without shortcuts or branches.

No two cells of the path touch, except consecutive ones, so that there is exactly one way from the start to the exit (an
induced path). Random moves change the path until it has the wanted length: it grows at its ends, straight pieces get
bumps, and corners flip over. Markers `start` and `exit` are at its ends.

Limits: a path covers at most about two thirds of the cells, and paths of more than half of them take many moves. If no
path of the wanted length is found, the technique gives up and says how long the longest one was. Locked walls are never
dug. Locked floors become floor even if the path does not pass them.

Sources: the longest induced path of a cube is the snake in the box, Kautz, "Unit-distance error-checking codes", 1958.
The moves are those of Berg and Foerster, "Random paths and random surfaces on a digital computer", 1981.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..core.entries import technique
from ..core.errors import GaveUp, pluralize
from ..core.params import MAX_SIDE, Sized, param
from ..core.seeds import Rng
from ..core.site import Frame, Site, Steps, block_size
from ..core.tilemap import Marker
from ..kernels.snakes import TAKEN, start_path, wind

FRAMES = 120
"""Approximate number of frames of the growing path."""
STEPS_PER_FRAME = 30
"""Approximate number of moves per cell of a path."""
STEPS_PER_CELL = 4000
"""Number of moves per cell of the map after which the technique gives up."""
DEFAULT_SHARE = 0.4
FLOOR, WALL = 0, 1


class SnakeParams(Sized):
    """Parameters of the technique snake."""

    length: int | None = param(None, ge=1, le=1 << 22, typical=(10, 400))
    """Number of cells of the path; by default, 40% of the cells within the border."""
    border: int = param(1, ge=0, le=MAX_SIDE, typical=(0, 5))
    """Width of the wall kept around the map; less if the map is too small."""


@technique(
    SnakeParams,
    tileset="cave",
    tiles=("floor", "wall"),
    bytes_per_cell=16,
    cost=lambda p: 20 * p.width * p.height,
    search_words=("path", "corridor", "track", "worm"),
    main_param="length",
)
def snake(p: SnakeParams, site: Site, rng: Rng) -> Steps:
    height, width = site.shape
    border = max(0, min(p.border, (min(height, width) - 1) // 2))
    is_free = np.zeros((height + 2, width + 2), dtype=np.bool_)
    is_free[1 + border : 1 + height - border, 1 + border : 1 + width - border] = True
    locked = site.apply_locks(np.full(site.shape, FLOOR, dtype=np.uint8))
    is_free[1:-1, 1:-1] &= locked == FLOOR
    places = np.flatnonzero(is_free)
    length = p.length if p.length is not None else max(1, round(DEFAULT_SHARE * len(places)))
    if length > len(places) or not len(places):
        raise GaveUp(f"a path of {length:,} cells does not fit into {pluralize(len(places), 'free cell')}")
    path = start_path(is_free, int(places[rng.below(len(places))]))
    longest, limit = 1, STEPS_PER_CELL * len(places)
    block = min(block_size("snake", 1 << 19), max(1, STEPS_PER_FRAME * length // FRAMES))

    def draw() -> NDArray[np.uint8]:
        """Return the map of the path, with locked tiles."""
        cells = path.cells.reshape(is_free.shape)[1:-1, 1:-1]
        map: NDArray[np.uint8] = site.apply_locks(np.where(cells == TAKEN, FLOOR, WALL).astype(np.uint8))
        return map

    for taken in range(0, limit, block):
        count = wind(rng.state, path, length, min(block, limit - taken))
        longest = max(longest, count)
        yield Frame(draw, pluralize(count, "cell"), count / length)
        if count == length:
            break
    else:
        text = f"no path of {length:,} cells was found in {limit:,} moves; the longest had {longest:,}"
        raise GaveUp(f"{text}; use a shorter path or a larger map")
    markers = [
        Marker(name, int(end % (width + 2)) - 1, int(end // (width + 2)) - 1)
        for name, end in zip(("start", "exit"), path.span[:2], strict=True)
    ]
    return site.map(draw(), markers=markers, numbers={"length": length})
