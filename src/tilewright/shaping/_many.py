"""States with which shapers fill many maps at once."""

from __future__ import annotations

import numpy as np

from ..core.errors import UnknownName
from ..core.grid import Label
from ..core.many_maps import NoKernel
from ..core.site import Site


def find_fill(site: Site, label: Label | None, shaper: str, *, prefers_first: bool = False) -> int:
    """Return the state that a shaper fills with: that of the label or, without a label, the only impassable one.

    With `prefers_first`, the state must be the first impassable tile of the tileset, which counts as the most common
    one of a map without impassable cells.
    """
    tileset, ids = site.tileset, site.ids.tolist()
    if label is None:
        solid = [state for state, tile in enumerate(ids) if not tileset.passable[tile]]
        first = next(iter(np.flatnonzero(~tileset.passable).tolist()), None)
        if len(solid) != 1 or (prefers_first and ids[solid[0]] != first):
            raise NoKernel(f"the shaper {shaper} without a tile, because several tiles are impassable")
        return solid[0]
    try:
        return site.tile(label)
    except UnknownName:
        raise NoKernel(f"the shaper {shaper} with a tile that the technique does not use") from None
