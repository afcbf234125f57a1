"""Adjacency rules of a tileset, as a parameter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ...autotile.grammar import grammar_of
from ...core.errors import InvalidRecipe
from ...core.params import AtomicValue
from ...core.pieces import SIDES
from ...core.resolver import Resolver
from ...core.tileset import Tileset
from ...core.tilesets import tilesets
from .pattern_set import MAX_WEIGHT, PatternSet, from_pairs

MAX_WEIGHT_RATIO = 1 << 10
"""The largest weight is at most this multiple of the smallest."""


@dataclass(frozen=True, repr=False)
class AdjacencyRules(AtomicValue):
    """Tileset that defines which tiles may be neighbors: by `beside`, by its joints, or by both."""

    json_schema: ClassVar = {"title": "Rules", "type": ["string", "object"], "control": "file"}
    tileset: Tileset

    @classmethod
    def of(cls, value: Any, resolver: Resolver | None = None) -> AdjacencyRules:
        """Return rules from a tileset, its data, its name or its file."""
        if isinstance(value, AdjacencyRules):
            return value
        tileset = Tileset.of(value, resolver)
        if not tileset.beside and not tileset.joints:
            text = f"tileset {tileset.name!r} has no adjacency rules; it needs a list `beside`"
            raise InvalidRecipe(text)
        return cls(tileset)

    def to_data(self, *, inline: bool = True) -> Any:
        """Return the name of a built-in tileset, or the data of any other."""
        return tilesets.write(self.tileset)

    def find_allowed_pairs(self) -> NDArray[np.bool_]:
        """Return (axis, tile, next tile) whether the second may be below the first, and to its right."""
        tileset = self.tileset
        beside = grammar_of(tileset).fits[:, :, : len(tileset)]  # all true without joints
        if tileset.beside:
            beside = beside & tileset.neighbours
        north, east, south, west = (beside[SIDES.index(side)] for side in "nesw")
        return np.stack((south & north.T, east & west.T))

    def to_pattern_set(self) -> PatternSet:
        weights = np.array([tile.weight for tile in self.tileset])
        scale = min(MAX_WEIGHT_RATIO / weights.min(), MAX_WEIGHT / 2 / weights.sum())
        return from_pairs(self.find_allowed_pairs(), np.maximum(1, np.floor(weights * scale + 0.5)).astype(np.int64))

    def __repr__(self) -> str:
        return f"AdjacencyRules({self.tileset.name!r})"
