"""Locks: cells that must hold a given tile in the finished map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .appearance import FREE_GLYPH
from .errors import InvalidRecipe, counted
from .grid import FREE, INLINE_CELLS, MOST_CELLS, Grid, Word, read_shape, read_word, refuse_unknown, sorted_words, whole
from .resolver import Resolver
from .tilemap import TileMap, format_size

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
        """(lock, axis) cells in array order, sorted; read-only."""
        self.which = which[keep]
        """(lock,) positions in `words`; read-only."""
        self.places.flags.writeable = self.which.flags.writeable = False
        self.words = tuple(words)
        self.frame = frame
        """The shape of the map they were drawn on, if they were."""
        if frame is not None:
            self._refuse_outside(frame)

    @classmethod
    def of(cls, value: Any, resolver: Resolver | None = None) -> Locks:
        """Locks from a map-shaped Grid (`?` is free), a list of x, y, tile, or the data of either."""
        if isinstance(value, Locks):
            return value
        if isinstance(value, Mapping) and "places" in value:
            return cls._from_data(value, resolver)
        if isinstance(value, (list, tuple)) and all(_is_place(item) for item in value):
            return cls._from_list(value)
        grid = Grid.of(value, resolver)
        taken = grid.cells != FREE
        return cls(np.argwhere(taken).astype(np.int32), grid.cells[taken], grid.words, grid.shape)

    @classmethod
    def keeping(cls, map: TileMap, mask: NDArray[np.bool_]) -> Locks:
        """Locks that keep the masked cells of a map."""
        grid = Grid(map.tileset.names, np.where(mask, map.cells.astype(np.int32), FREE))
        return cls.of(grid)

    @classmethod
    def _from_list(cls, items: Sequence[Any], frame: tuple[int, ...] | None = None) -> Locks:
        locks = [_read_place(item) for item in items]
        axes = {len(place) for place, _ in locks} or {2}
        if len(axes) > 1:
            raise InvalidRecipe("all locks of a map have the same number of coordinates")
        words = sorted_words(word for _, word in locks)
        rank = {word: number for number, word in enumerate(words)}
        places = np.array([place for place, _ in locks], dtype=np.int32).reshape(-1, axes.pop())
        return cls(places, np.array([rank[word] for _, word in locks], dtype=np.int32), words, frame)

    @classmethod
    def _from_data(cls, data: Mapping[str, Any], resolver: Resolver | None) -> Locks:
        refuse_unknown(data, ("shape", "places"))
        frame = read_shape(data["shape"]) if "shape" in data else None
        items = data["places"]
        if isinstance(items, Mapping):
            table = Grid.of(items, resolver)
            items = np.array([*table.words, None], dtype=np.object_)[table.cells].tolist()
        if not isinstance(items, (list, tuple)):
            raise InvalidRecipe("must be a list of x, y, tile", at="places", got=items, rule="type")
        return cls._from_list(items, frame)

    def to_data(self, *, inline: bool = True) -> Any:
        """Plain data that makes them again.

        A few are a list of x, y, tile. Many are a Grid: the map they were drawn on, or, where that is unknown or much
        larger, a table of x, y, tile. So very many are only named, by the digest of a map that can be given again.
        """
        items = [
            [*reversed(place), self.words[word]]
            for place, word in zip(self.places.tolist(), self.which.tolist(), strict=True)
        ]
        few, slim = len(items) <= LISTED_CELLS, inline and len(items) * (self.places.shape[1] + 1) <= INLINE_CELLS
        if self.frame is not None and not few and (prod(self.frame) <= INLINE_CELLS or not slim):
            cells = np.full(self.frame, FREE, dtype=np.int32)
            cells[tuple(self.places.T)] = self.which
            return Grid(self.words, cells).to_data(inline=inline)
        if self.frame is None and few and all(isinstance(word, str) for word in self.words):
            return items
        shape = {} if self.frame is None else {"shape": list(self.frame)}
        return {**shape, "places": items if few else Grid.of(items).to_data(inline=inline)}

    def fitted(self, shape: tuple[int, ...]) -> Locks:
        """The same locks, checked to lie inside a map of this shape."""
        if self.frame is not None and self.frame != shape:
            drawn, made = format_size(self.frame), format_size(shape)
            text = f"drawn on {drawn} cells, the map is {made}; make it that size, or give x, y, tile"
            raise InvalidRecipe(text, at="locks")
        try:
            self._refuse_outside(shape)
        except InvalidRecipe as error:
            raise error.within("locks") from None
        return Locks(self.places, self.which, self.words)

    def _refuse_outside(self, shape: tuple[int, ...]) -> None:
        if not len(self):
            return
        if self.places.shape[1] != len(shape):
            raise InvalidRecipe(f"{self.places.shape[1]} coordinates each, but the map has {len(shape)}")
        outside = ((self.places < 0) | (self.places >= np.array(shape))).any(axis=1)
        if outside.any():
            at = self.places[outside][0]
            raise InvalidRecipe(f"x={at[-1]} y={at[-2]} is outside the map of {format_size(shape)}", rule="outside")

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
        and all(isinstance(part, bool) or whole(part) is not None for part in item[:-1])
        and isinstance(item[-1], str)
        and item[-1] != FREE_GLYPH
    )


def _read_place(item: Any) -> tuple[tuple[int, ...], Word]:
    """The cell, in array order, and its tile, of [x, y, tile], [x, y, level, tile] or the same by name."""
    if isinstance(item, Mapping):
        names = ("x", "y", "level", "tile") if "level" in item else ("x", "y", "tile")
        if set(item) != set(names):
            raise InvalidRecipe("a lock has x, y and tile", got=dict(item))
        item = [item[name] for name in names]
    if not isinstance(item, (list, tuple)) or len(item) not in (3, 4):
        raise InvalidRecipe("a lock has x, y and tile", got=item)
    *parts, word = item
    place = [number for part in reversed(parts) if (number := whole(part)) is not None and 0 <= number < MOST_CELLS]
    if len(place) < len(parts):
        raise InvalidRecipe("a lock's x and y are whole numbers from 0 on", got=item, rule="type")
    return tuple(place), read_word(word)
