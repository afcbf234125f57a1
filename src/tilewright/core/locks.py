"""Locks: cells that must hold a given tile in the finished map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import InvalidRecipe, TooLarge, counted, quoted
from .grid import FREE, FREE_GLYPH, INLINE_CELLS, MOST_CELLS, Grid, Word, pack, unpack
from .reading import Reading
from .tilemap import TileMap

LISTED_CELLS = 64
"""Up to this many locks are written as a list that people can read and edit."""


class Locks:
    """A set of locked cells, in the technique's coordinates.

    >>> Locks.of([[3, 1, "wall"], {"x": 0, "y": 0, "tile": "floor"}])
    Locks(2 cells: 'floor', 'wall')
    """

    __slots__ = ("frame", "places", "which", "words")

    def __init__(
        self,
        places: NDArray[np.int32],
        which: NDArray[np.int32],
        words: Sequence[Word],
        frame: tuple[int, ...] | None = None,
    ) -> None:
        order = np.lexsort(places.T[::-1])
        places, which = places[order], which[order]
        same = (places[1:] == places[:-1]).all(axis=1)
        if (same & (which[1:] != which[:-1])).any():
            at = places[1:][same & (which[1:] != which[:-1])][0]
            raise InvalidRecipe(f"two locks want different tiles at x={at[-1]} y={at[-2]}")
        keep = np.concatenate([[True], ~same]) if len(places) else np.ones(0, dtype=bool)
        self.places = places[keep]
        """(lock, axis) cells in array order, sorted."""
        self.which = which[keep]
        """(lock,) positions in `words`."""
        self.words = tuple(words)
        self.frame = frame
        """The shape of the map they were drawn on, if they were."""

    @classmethod
    def of(cls, value: Any, reading: Reading | None = None) -> Locks:
        """Locks from a map-shaped Grid (`?` is free), or a list of x, y, tile."""
        if isinstance(value, Locks):
            return value
        if isinstance(value, Mapping) and "count" in value:
            return cls._from_data(value)
        if isinstance(value, (list, tuple)) and value and all(_is_place(item) for item in value):
            return cls._from_list([_place(item) for item in value])
        if isinstance(value, (list, tuple)) and not value:
            return cls(np.zeros((0, 2), dtype=np.int32), np.zeros(0, dtype=np.int32), ())
        grid = Grid.of(value, reading)
        taken = grid.cells != FREE
        return cls(np.argwhere(taken).astype(np.int32), grid.cells[taken], grid.words, grid.shape)

    @classmethod
    def keeping(cls, map: TileMap, mask: NDArray[np.bool_]) -> Locks:
        """Locks that keep the masked cells of a map."""
        grid = Grid(map.tileset.names, np.where(mask, map.cells.astype(np.int32), FREE))
        return cls.of(grid)

    @classmethod
    def _from_list(cls, items: Sequence[tuple[tuple[int, ...], Word]]) -> Locks:
        words = sorted({word for _, word in items}, key=str)
        if len({len(place) for place, _ in items}) > 1:
            raise InvalidRecipe("all locks of a map have the same number of coordinates")
        places = np.array([place for place, _ in items], dtype=np.int32)
        return cls(places, np.array([words.index(word) for _, word in items], dtype=np.int32), words)

    @classmethod
    def _from_data(cls, data: Mapping[str, Any]) -> Locks:
        count, axes, words = data.get("count"), data.get("axes", 2), data.get("words")
        if not isinstance(count, int) or not 0 <= count <= MOST_CELLS or axes not in (2, 3):
            raise InvalidRecipe(f"count: a whole number of locked cells, got {quoted(count)}")
        if not isinstance(words, (list, tuple)) or not all(isinstance(word, (str, int)) for word in words):
            raise InvalidRecipe("words: must be a list of tile names or numbers")
        if "places" not in data:
            raise InvalidRecipe(f"the {count:,} locks of this recipe were too many to be carried inside it")
        if count > INLINE_CELLS:
            raise TooLarge(f"count: {count:,} locks are more than the {INLINE_CELLS:,} that travel inside a recipe")
        raw = unpack(data["places"], count * (axes + 1) * 4)
        if len(raw) != count * (axes + 1) * 4:
            raise InvalidRecipe(f"places: {len(raw)} bytes do not make {count} locks")
        table = np.frombuffer(raw, dtype="<i4").reshape(axes + 1, count).T
        if count and not (0 <= table[:, -1].min() <= table[:, -1].max() < len(words)):
            raise InvalidRecipe(f"places: a lock points outside the list of {len(words)} words")
        return cls(table[:, :-1].astype(np.int32), table[:, -1].astype(np.int32), words)

    def to_data(self, *, inline: bool = True) -> Any:
        """Plain data that makes them again: x, y, tile while they are few; only named when they are very many."""
        if len(self) <= LISTED_CELLS and all(isinstance(word, str) for word in self.words):
            return [
                [*(int(part) for part in reversed(place)), self.words[word]]
                for place, word in zip(self.places, self.which, strict=True)
            ]
        if not inline or len(self) > INLINE_CELLS:
            content = repr(self._content()).encode()
            return {"count": len(self), "digest": blake2b(content, digest_size=16).hexdigest()}
        # By columns, because sorted coordinates pack far better when they stand together.
        table = np.column_stack([self.places, self.which]).T.astype("<i4")
        packed = pack(table.tobytes())
        return {"count": len(self), "axes": self.places.shape[1], "words": list(self.words), "places": packed}

    def fitted(self, shape: tuple[int, ...]) -> Locks:
        """The same locks, checked to lie inside a map of this shape."""
        if self.frame is not None and self.frame != shape:
            drawn, made = ("x".join(str(side) for side in reversed(sides)) for sides in (self.frame, shape))
            raise InvalidRecipe(f"locks: drawn on a map of {drawn}, but the map is {made}; give x, y, tile instead")
        if len(self) and self.places.shape[1] != len(shape):
            raise InvalidRecipe(f"locks: {self.places.shape[1]} coordinates each, but the map has {len(shape)}")
        outside = ((self.places < 0) | (self.places >= np.array(shape[-self.places.shape[1] :]))).any(axis=1)
        if outside.any():
            at, size = self.places[outside][0], "x".join(str(side) for side in reversed(shape))
            raise InvalidRecipe(f"locks: x={at[-1]} y={at[-2]} is outside the map of {size}")
        return Locks(self.places, self.which, self.words)

    def __len__(self) -> int:
        return len(self.places)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Locks):
            return NotImplemented
        return self._content() == other._content()

    def __hash__(self) -> int:
        return hash(self._content())

    def __reduce__(self) -> tuple[Any, ...]:
        return Locks, (self.places, self.which, self.words, self.frame)

    def __repr__(self) -> str:
        words = ", ".join(repr(word) for word in self.words[:6])
        return f"Locks({counted(len(self), 'cell')}: {words})"

    def _content(self) -> tuple[Any, ...]:
        return self.places.tobytes(), tuple(self.words[word] for word in self.which.tolist())


def _is_place(item: Any) -> bool:
    """Whether it reads as x, y, tile rather than as a row of a map."""
    if isinstance(item, Mapping):
        return True
    return (
        isinstance(item, (list, tuple))
        and len(item) in (3, 4)
        and all(isinstance(part, int) for part in item[:-1])
        and isinstance(item[-1], str)
        and item[-1] != FREE_GLYPH
    )


def _place(item: Any) -> tuple[tuple[int, ...], Word]:
    if isinstance(item, Mapping):
        unknown = sorted(set(item) - {"x", "y", "level", "tile"})
        if unknown or not {"x", "y", "tile"} <= set(item):
            raise InvalidRecipe(f"a lock has x, y and tile, got {quoted(dict(item))}")
        parts = [item["x"], item["y"], *([item["level"]] if "level" in item else []), item["tile"]]
    else:
        parts = list(item)
    *place, word = parts
    if any(isinstance(part, bool) or not isinstance(part, int) or abs(part) > MOST_CELLS for part in place):
        raise InvalidRecipe(f"a lock's x and y are whole numbers, got {quoted(item)}")
    if isinstance(word, bool) or not isinstance(word, (str, int)):
        raise InvalidRecipe(f"a lock's tile is a name, glyph or number, got {quoted(word)}")
    return tuple(reversed(place)), word
