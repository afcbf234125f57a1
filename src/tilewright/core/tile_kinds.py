"""Kinds of tiles that can replace each other, for suggestions."""

from __future__ import annotations

from .tileset import Tile, Tileset

RELATED_KINDS = (
    ("ground", "stone", "plain", "grass", "road", "snow", "planks"),
    ("grass", "plain", "reed", "flower", "ground", "tree", "wood"),
    ("tree", "wood", "reed", "snag", "grass", "plain"),
    ("snow", "ground", "plain", "grass", "stone"),
    ("water", "sea", "river", "reef", "lily"),
    ("brick", "rock", "peak", "mountain", "pillar", "pipe"),
    ("rock", "peak", "mountain", "brick", "ore", "pillar", "pipe", "void"),
    ("planks", "gate", "stone", "ground", "road", "plain"),
    ("city", "roof", "brick"),
)
"""Each kind (first) with the kinds that can replace it, the most similar first. The list of a kind that is not first is
the first list that contains the kind."""


def find_substitute(tile: Tile, tileset: Tileset) -> str | None:
    """Return the name of the tile of a tileset that can best replace a tile; None if there is none.

    A substitute is passable if the tile is, and it has the same kind, a related kind or no kind.
    """
    order = _list_related_kinds(tile.kind)
    alike = [other for other in tileset if other.passable == tile.passable and other.kind in order]
    return min(alike, key=lambda other: order.index(other.kind)).name if alike else None


def _list_related_kinds(kind: str) -> list[str]:
    lists = sorted((related for related in RELATED_KINDS if kind in related), key=lambda related: related.index(kind))
    return [kind, *(other for related in lists[:1] for other in related if other != kind), *([""] if kind else [])]
