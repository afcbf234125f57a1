"""Small models for tests of uploads."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tilewright.core.network import ARRAYS, Network
from tilewright.core.tileset import Tileset


def build_model(tiles: Sequence[str], name: str = "mine") -> Network:
    """Return a model without training: two channels, one layer, and an equal probability for all tiles."""
    sizes = {"kinds": len(tiles) + 2, "channels": 2, "layers": 1, "tiles": len(tiles)}
    shapes = {
        key: tuple(sizes[side] if isinstance(side, str) else side for side in shape)
        for key, (_, shape) in ARRAYS.items()
    }
    arrays = {key: np.zeros(shapes[key], dtype=kind) for key, (kind, _) in ARRAYS.items()}
    return Network(tiles, Tileset.from_labels(tiles), [1], arrays, {"maps": []}, name)
