"""Classes of tiles that are learned as one, because the pieces of a kind are chosen afterwards."""

from __future__ import annotations

from collections.abc import Sequence

from ..core.tileset import Tileset

TileClasses = tuple[int, ...]
"""For every label of the samples, the label that replaces it in what is learned."""


def find_tile_classes(tileset: Tileset, ids: Sequence[int]) -> TileClasses:
    """Return, for every label, the first label whose tile is a piece of the same group, else itself."""
    jointed = {joint.kind for joint in tileset.joints}
    first: dict[tuple[str, str], int] = {}
    tile_classes = []
    for label, number in enumerate(ids):
        tile = tileset[number]
        is_piece = tile.kind in jointed and tile.joins
        tile_classes.append(first.setdefault(tile.group, label) if is_piece else label)
    return tuple(tile_classes)
