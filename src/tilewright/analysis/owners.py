"""Owners of tiles in war games."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..core.tileset import Tileset

NEUTRAL = "neutral"
"""Country of properties without an owner."""


def merge_owners(tileset: Tileset) -> NDArray[np.uint16]:
    """Return (tile,) the first tile that equals each tile except for its owner; neutral tiles keep their number."""
    first: dict[tuple[str, str], int] = {}
    return np.array(
        [
            first.setdefault((tile.kind, tile.joins), number) if tile.country not in ("", NEUTRAL) else number
            for number, tile in enumerate(tileset)
        ],
        dtype=np.uint16,
    )
