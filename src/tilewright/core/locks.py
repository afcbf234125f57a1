"""Locks: cells that must hold a given tile in the finished map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .appearance import FREE_GLYPH
from .errors import InvalidRecipe, TooLarge, check_limit, errors_within, pluralize
from .grid import FREE, MAX_CELLS, MAX_INLINE_CELLS, Grid, Label, check_keys, read_label, read_shape, sort_labels
from .params import as_int
from .resolver import Resolver
from .tilemap import TileMap, format_size
from .tileset import Tileset

Shape = tuple[int, ...]
Indices = NDArray[np.int32]
MAX_LISTED_LOCKS = 64
"""Maximum number of locks that are stored as a readable list."""
MAX_GIVEN_LOCKS = 1 << 17
"""Maximum number of locks in a list of x, y, tile. A map can lock more cells."""


class Locks:
    """A set of locked cells, in the coordinates of the technique's map.

    `Locks.of` reads the forms in which locks are given; `TileMap.to_locks` locks cells of a map.

    Parameters
    ----------
    places
        Array (lock, axis) of cell indices.
    label_indices
        Array (lock,) of positions in `labels`.
    labels
        Names, glyphs or numbers of the tiles.
    map_shape
        Shape of the map that the locks were made for, if known.

    Raises
    ------
    InvalidRecipe
        If two locks require different tiles in the same cell.

    Examples
    --------
    >>> Locks.of([[3, 1, "wall"], {"x": 0, "y": 0, "tile": "floor"}])
    Locks(2 cells: 'floor', 'wall')
    """

    __slots__ = ("label_indices", "labels", "map_shape", "places")

    def __init__(
        self, places: Indices, label_indices: Indices, labels: Sequence[Label], map_shape: Shape | None = None
    ) -> None:
        order = np.lexsort(places.T[::-1])
        places, label_indices = places[order], label_indices[order]
        same = (places[1:] == places[:-1]).all(axis=1)
        if (same & (label_indices[1:] != label_indices[:-1])).any():
            at = places[1:][same & (label_indices[1:] != label_indices[:-1])][0]
            raise InvalidRecipe(f"two locks require different tiles at x={at[-1]} y={at[-2]}")
        keep = np.concatenate([[True], ~same]) if len(places) else np.ones(0, dtype=bool)
        self.places = places[keep]
        """Read-only array (lock, axis) of cell indices, sorted."""
        self.label_indices = label_indices[keep]
        """Read-only array (lock,) of positions in `labels`."""
        self.places.flags.writeable = self.label_indices.flags.writeable = False
        self.labels = tuple(labels)
        """Names, glyphs or numbers of the locked tiles."""
        self.map_shape = map_shape
        """Shape of the map that the locks were made for, or None."""
        if map_shape is not None:
            self._check_inside(map_shape)

    @classmethod
    def of(cls, value: Any, resolver: Resolver | None = None) -> Locks:
        """Read locks.

        Parameters
        ----------
        value
            Locks, a map in which `?` marks cells without a lock (see `Grid.of`), a list of x, y, tile, or plain data.
        resolver
            Object that opens files. By default, only built-in names are known.

        Returns
        -------
        Locks
            The locks.

        Raises
        ------
        InvalidRecipe
            If the value is not a set of locks.
        """
        if isinstance(value, Locks):
            return value
        if isinstance(value, Mapping) and "places" in value:
            return cls._from_data(value, resolver)
        if isinstance(value, (list, tuple)) and all(map(_is_place, value[: MAX_GIVEN_LOCKS + 1])):
            return cls._from_list(value)
        grid = Grid.of(value, resolver)
        is_locked = grid.cells != FREE
        return cls(np.argwhere(is_locked).astype(np.int32), grid.cells[is_locked], grid.labels, grid.shape)

    @classmethod
    def from_map(cls, map: TileMap, mask: NDArray[np.bool_]) -> Locks:
        """Return locks that keep the masked cells of a map."""
        grid = Grid(map.tileset.names, np.where(mask, map.cells.astype(np.int32), FREE))
        return cls.of(grid)

    @classmethod
    def _from_list(cls, items: Sequence[Any], map_shape: Shape | None = None) -> Locks:
        check_limit("locks", len(items), MAX_GIVEN_LOCKS, of="a list", advice="lock cells by a map")
        locks = [_read_place(item) for item in items]
        axes = {len(place) for place, _ in locks} or {2}
        if len(axes) > 1:
            raise InvalidRecipe("all locks of a map have the same number of coordinates")
        labels = sort_labels(label for _, label in locks)
        rank = {label: number for number, label in enumerate(labels)}
        places = np.array([place for place, _ in locks], dtype=np.int32).reshape(-1, axes.pop())
        return cls(places, np.array([rank[label] for _, label in locks], dtype=np.int32), labels, map_shape)

    @classmethod
    def _from_data(cls, data: Mapping[str, Any], resolver: Resolver | None) -> Locks:
        check_keys(data, ("shape", "places"))
        map_shape = read_shape(data["shape"]) if "shape" in data else None
        items = data["places"]
        if isinstance(items, Mapping):
            table = Grid.of(items, resolver)
            items = np.array([*table.labels, None], dtype=np.object_)[table.cells].tolist()
        if not isinstance(items, (list, tuple)):
            raise InvalidRecipe("must be a list of x, y, tile", at="places", got=items, rule="type")
        return cls._from_list(items, map_shape)

    def to_data(self, *, inline: bool = True) -> Any:
        """Return plain data that `of` reads.

        Up to `MAX_LISTED_LOCKS` locks are stored as a list of x, y, tile. More locks are stored as a Grid: a map with
        undecided cells or, if the map's shape is unknown or large, a table with the columns x, y, tile. A Grid that is
        too large for a recipe is stored as a digest.
        """
        items = [
            [*reversed(place), self.labels[index]]
            for place, index in zip(self.places.tolist(), self.label_indices.tolist(), strict=True)
        ]
        as_list = len(items) <= MAX_LISTED_LOCKS
        table_fits = inline and len(items) * (self.places.shape[1] + 1) <= MAX_INLINE_CELLS
        if self.map_shape is not None and not as_list and (prod(self.map_shape) <= MAX_INLINE_CELLS or not table_fits):
            cells = np.full(self.map_shape, FREE, dtype=np.int32)
            cells[tuple(self.places.T)] = self.label_indices
            return Grid(self.labels, cells).to_data(inline=inline)
        if self.map_shape is None and as_list and all(isinstance(label, str) for label in self.labels):
            return items
        shape = {} if self.map_shape is None else {"shape": list(self.map_shape)}
        return {**shape, "places": items if as_list else Grid.of(items).to_data(inline=inline)}

    def fit_to(self, shape: Shape) -> Locks:
        """Return the locks for a map of the given shape. Raise InvalidRecipe if they do not fit."""
        if self.map_shape is not None and self.map_shape != shape:
            own, needed = format_size(self.map_shape), format_size(shape)
            text = f"made for a map of {own} cells, got {needed}; use that size, or give x, y, tile"
            raise InvalidRecipe(text, at="locks")
        with errors_within("locks"):
            self._check_inside(shape)
        return Locks(self.places, self.label_indices, self.labels)

    def with_cells(
        self, cells: NDArray[np.int64], label_indices: NDArray[np.int64], labels: Sequence[Label], shape: Shape
    ) -> Locks:
        """Return these locks together with new locks, for a map of a given shape.

        Parameters
        ----------
        cells : ndarray of int64, shape (n,)
            Flat indices of the cells to lock. If a cell occurs more than once, its last label counts.
        label_indices : ndarray of int64, shape (n,)
            Index into `labels` for each cell.
        labels : sequence of labels
            Tiles of the new locks.
        shape : tuple of int
            Shape of the map. Existing locks outside it are dropped.

        Returns
        -------
        Locks

        Raises
        ------
        TooLarge
            If a recipe cannot hold that many locks, see `max_count`.

        Examples
        --------
        >>> Locks.of([]).with_cells(np.array([0, 4]), np.array([0, 1]), ("wall", "floor"), (3, 3))
        Locks(2 cells: 'floor', 'wall')
        """
        before = self.clip_to(shape)
        if len(before):
            cells = np.concatenate([np.ravel_multi_index(tuple(before.places.T), shape), cells])
            label_indices = np.concatenate([before.label_indices, label_indices + len(before.labels)])
            labels = [*before.labels, *labels]
        cells, last = np.unique(cells[::-1], return_index=True)
        if len(cells) > self.max_count(shape):
            size = format_size(shape)
            raise TooLarge(
                f"a recipe holds {self.max_count(shape):,} locked cells of a map of {size} at most; lock fewer"
            )
        places = np.stack(np.unravel_index(cells, shape), axis=-1).astype(np.int32)
        return _compact(places, label_indices[::-1][last], labels, shape)

    def without_cells(self, cells: NDArray[np.int64], shape: Shape) -> Locks:
        """Return the locks without those at the given flat indices of a map of this shape."""
        before = self.clip_to(shape)
        if not len(before):
            return before
        return before._select(~np.isin(np.ravel_multi_index(tuple(before.places.T), shape), cells), shape)

    def clip_to(self, shape: Shape) -> Locks:
        """Return the locks that are inside a map of this shape.

        If the number of axes differs, no locks are returned.
        """
        if not len(self) or self.places.shape[1] != len(shape):
            return Locks(np.empty((0, len(shape)), dtype=np.int32), np.empty(0, dtype=np.int32), ())
        return self._select((self.places < np.array(shape)).all(axis=1), shape)

    def keep_known(self, tileset: Tileset) -> Locks:
        """Return the locks whose tiles are in this tileset."""
        is_known = np.array([tileset.find(label) is not None for label in self.labels], dtype=bool)
        return self._select(is_known[self.label_indices], self.map_shape)

    def compact(self) -> Locks:
        """Return the same locks. They have a map shape only if a recipe stores them as a map."""
        return _compact(self.places, self.label_indices, self.labels, self.map_shape)

    @staticmethod
    def max_count(shape: Shape) -> int:
        """Return the maximum number of locked cells that a recipe can store for a map of this shape."""
        return prod(shape) if prod(shape) <= MAX_INLINE_CELLS else MAX_INLINE_CELLS // (len(shape) + 1)

    def _select(self, mask: NDArray[np.bool_], shape: Shape | None) -> Locks:
        return _compact(self.places[mask], self.label_indices[mask], self.labels, shape)

    def _check_inside(self, shape: Shape) -> None:
        if not len(self):
            return
        if self.places.shape[1] != len(shape):
            raise InvalidRecipe(f"locks have {self.places.shape[1]} coordinates, the map has {len(shape)}")
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
        return Locks, (self.places, self.label_indices, self.labels, self.map_shape)

    def __repr__(self) -> str:
        labels = ", ".join(repr(label) for label in self.labels[:6])
        return f"Locks({pluralize(len(self), 'cell')}: {labels})"

    def _content(self) -> tuple[Any, ...]:
        return self.places.tobytes(), tuple(self.labels[index] for index in self.label_indices.tolist())


def _compact(
    places: Indices, label_indices: NDArray[np.integer[Any]], labels: Sequence[Label], shape: Shape | None
) -> Locks:
    """Return locks without unused labels. They have a map shape only if there are too many for a table of places."""
    used = sort_labels(labels[index] for index in np.unique(label_indices).tolist())
    rank = {label: index for index, label in enumerate(used)}
    table = np.array([rank.get(label, 0) for label in labels], dtype=np.int32)
    is_map = shape is not None and prod(shape) <= MAX_INLINE_CELLS < places.size + len(places)
    return Locks(places, table[label_indices], used, shape if is_map else None)


def _is_place(item: Any) -> bool:
    """Return whether an item is a lock (x, y, tile) and not a row of a map."""
    if isinstance(item, Mapping):
        return True
    return (
        isinstance(item, (list, tuple))
        and len(item) in (3, 4)
        and all(isinstance(part, bool) or as_int(part) is not None for part in item[:-1])
        and isinstance(item[-1], str)
        and item[-1] != FREE_GLYPH
    )


def _read_place(item: Any) -> tuple[tuple[int, ...], Label]:
    """Read [x, y, tile], [x, y, level, tile] or a mapping as cell indices in array order and a label."""
    if isinstance(item, Mapping):
        names = ("x", "y", "level", "tile") if "level" in item else ("x", "y", "tile")
        if set(item) != set(names):
            raise InvalidRecipe("a lock has x, y and tile", got=dict(item))
        item = [item[name] for name in names]
    if not isinstance(item, (list, tuple)) or len(item) not in (3, 4):
        raise InvalidRecipe("a lock has x, y and tile", got=item)
    *parts, label = item
    place = [number for part in reversed(parts) if (number := as_int(part)) is not None and 0 <= number < MAX_CELLS]
    if len(place) < len(parts):
        raise InvalidRecipe("x and y of a lock must be integers of at least 0", got=item, rule="type")
    return tuple(place), read_label(label)
