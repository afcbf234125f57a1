"""Match of a technique's labels with the tiles of a tileset."""

from __future__ import annotations

from collections.abc import Mapping

from .entries import Technique
from .params import Params
from .tile_kinds import suggest_tiles
from .tileset import Tileset


def list_labels(entry: Technique, params: Params) -> tuple[str, ...]:
    """Return the labels of a technique's tiles. The technique's cells hold positions in this list."""
    return entry.labels_of(params) or entry.own_tileset(params).names


def match_labels(
    entry: Technique, params: Params, tileset: Tileset, renames: Mapping[str, str]
) -> dict[str, int | None]:
    """Return the id of the tile for each label of a technique; None if the tileset has no such tile.

    Parameters
    ----------
    entry
        The technique.
    params
        Parameters of the technique.
    tileset
        Tileset of the map, from `Technique.tileset_for`.
    renames
        Tiles of the tileset by label, as in the recipe's `tiles`.

    Returns
    -------
    dict
        Tile ids by label, in the order of the labels.
    """
    found: dict[str, int | None] = {}
    for position, label in enumerate(list_labels(entry, params)):
        number = tileset.find(renames.get(label, label))
        if number is None and entry.match_by_position and label not in renames and position < len(tileset):
            number = position
        found.setdefault(label, number)
    return found


def suggest_matches(entry: Technique, params: Params, tileset: Tileset, renames: Mapping[str, str]) -> dict[str, str]:
    """Return a similar tile of the tileset for each label that has none.

    The parameters are those of `match_labels`. Labels that the technique's own tileset lacks too are left out.
    """
    found, own = match_labels(entry, params, tileset, renames), entry.own_tileset(params)
    used = [tileset[number].name for number in found.values() if number is not None]
    missing = [label for label, number in found.items() if number is None and label not in renames]
    known = {label: own[number] for label in missing if (number := own.find(label)) is not None}
    return suggest_tiles(known, tileset, used)
