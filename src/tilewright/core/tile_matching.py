"""Tiles that can replace each other, for suggestions."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping

from .. import data
from .entries import Technique
from .params import Params
from .tileset import Tile, Tileset

RELATED: dict[str, list[list[str]]] = tomllib.loads(data.read_text("tables", "related_tiles"))
"""Lists of `names` and `kinds` that can replace the first of a list, the most similar first."""


def suggest_matches(entry: Technique, params: Params, tileset: Tileset, renames: Mapping[str, str]) -> dict[str, str]:
    """Return a similar tile of the tileset for each label that has none.

    The parameters are those of `Technique.match_labels`. Labels that the technique's own tileset lacks too are left
    out.
    """
    found, own = entry.match_labels(params, tileset, renames), entry.own_tileset(params)
    used = [tileset[number].name for number in found.values() if number is not None]
    missing = [label for label, number in found.items() if number is None and label not in renames]
    known = {label: own[number] for label in missing if (number := own.find(label)) is not None}
    return suggest_tiles(known, tileset, used)


def suggest_tiles(tiles: Mapping[str, Tile], tileset: Tileset, used: Iterable[str] = ()) -> dict[str, str]:
    """Return the name of a tile of a tileset that can replace each tile, by the label of the tile.

    A substitute is passable if the tile is, where the tileset has such a tile. It is chosen by its name, then by its
    kind. Pieces of roads and rivers are the last choice. Tiles that are not `used` are preferred, so that different
    tiles stay different.
    """
    found: dict[str, str] = {}
    taken = set(used)
    for label, tile in tiles.items():
        found[label] = _find_substitute(tile, tileset, taken)
        taken.add(found[label])
    return found


def _find_substitute(tile: Tile, tileset: Tileset, taken: set[str]) -> str:
    words, kinds = _list_related_names(tile.name), _list_related_kinds(tile.kind)

    def rank(other: Tile) -> tuple[bool, int, bool, bool, int]:
        by_name = next((place for place, word in enumerate(words) if word in other.name.lower().split()), None)
        by_kind = kinds.index(other.kind) if other.kind in kinds else None
        level, place = (0, by_name) if by_name is not None else (1, by_kind) if by_kind is not None else (2, 0)
        return other.passable != tile.passable, level, bool(other.joins), other.name in taken, place

    return min(tileset, key=rank).name


def _list_related_names(name: str) -> list[str]:
    words = name.lower().split()
    return next((related for related in RELATED["names"] if related[0] in words), [name.lower()])


def _list_related_kinds(kind: str) -> list[str]:
    lists = sorted((kinds for kinds in RELATED["kinds"] if kind in kinds), key=lambda kinds: kinds.index(kind))
    return [kind, *(other for related in lists[:1] for other in related if other != kind), *([""] if kind else [])]
