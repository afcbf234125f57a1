"""Locked tiles as tiles of a network."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...core.errors import InvalidRecipe
from ...core.network import Network
from ...core.site import Site


def find_locked_tiles(network: Network, site: Site) -> NDArray[np.uint8]:
    """Return the network's number of the tile of each locked cell, and the number of tiles for all other cells.

    If a tile of the network represents all pieces of its kind, locked pieces of the kind get its number.

    Raises
    ------
    InvalidRecipe
        If a locked tile is not a tile of the network.
    """
    count = len(network.labels)
    cells = np.full(site.shape, count, dtype=np.uint8)
    if not site.has_locks:
        return cells
    numbers = {int(tile): number for number, tile in reversed(list(enumerate(site.ids)))}
    if network.are_pieces_chosen:
        groups = {}
        for tile, number in numbers.items():
            piece = site.tileset[tile]
            if piece.joins:
                groups[piece.group] = number
        for tile, piece in enumerate(site.tileset):
            if tile not in numbers and piece.joins and piece.group in groups:
                numbers[tile] = groups[piece.group]
    locked = site.locked
    ids = site.to_tile_ids(np.zeros(site.shape, dtype=np.uint8))
    for tile in np.unique(ids[locked]).tolist():
        if tile not in numbers:
            name = site.tileset[tile].name
            text = f"no map of the model has the tile {name!r}; it has {', '.join(network.labels)}"
            raise InvalidRecipe(text, at="locks", value=name, rule="unknown_name")
        cells[locked & (ids == tile)] = numbers[tile]
    return cells
