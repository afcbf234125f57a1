"""The map: cells of tile ids, and what is known about them. Frozen, equal by content."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .deprecation import renamed_members
from .errors import InvalidRecipe, pluralize
from .ports import files
from .tileset import Tileset

if TYPE_CHECKING:
    from PIL.Image import Image

    from .locks import Locks
    from .recipe import Recipe

Cells = NDArray[np.uint8] | NDArray[np.uint16]


@dataclass(frozen=True, slots=True)
class Room:
    """A rectangle of cells that belong together; its id is its position in `map.rooms`."""

    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Marker:
    """A named place, such as start, exit or key."""

    name: str
    x: int
    y: int
    level: int = 0


class MapDetails(TypedDict, total=False):
    """What is known of a map beside its cells; `TileMap` describes each."""

    rooms: Iterable[Room]
    links: Iterable[tuple[int, int]]
    markers: Iterable[Marker]
    layers: Mapping[str, ArrayLike] | None
    numbers: Mapping[str, float] | None


@renamed_members(replaced="replace", moved="rearrange", locked="to_locks")
class TileMap:
    """A finished map.

    `cells` is a read-only array of tile ids, (row, column) or (level, row, column), owned by the map and of the
    tileset's dtype. Two maps are equal when all but their recipes are: how a map was made is not what it is.

    >>> m = TileMap([[0, 1], [1, 1]], Tileset.from_labels([".", "#"]))
    >>> print(m)
    .#
    ##
    """

    __slots__ = ("cells", "layers", "links", "markers", "numbers", "recipe", "rooms", "tileset")

    cells: Cells
    tileset: Tileset
    rooms: tuple[Room, ...]
    """Rooms, in the order of their ids."""
    links: tuple[tuple[int, int], ...]
    """Which rooms are joined, by id."""
    markers: tuple[Marker, ...]
    layers: Mapping[str, NDArray[np.float64]]
    """Named float layers of the map's shape, such as height."""
    numbers: Mapping[str, float]
    """What the technique reports about this map."""
    recipe: Recipe | None
    """The recipe that makes this map again, seed and all."""

    def __init__(
        self,
        cells: ArrayLike,
        tileset: Tileset,
        *,
        recipe: Recipe | None = None,
        **details: Unpack[MapDetails],
    ) -> None:
        if not isinstance(tileset, Tileset):
            raise InvalidRecipe("must be a Tileset", at="tileset", got=tileset, rule="type")
        self._fill(_copy_cells(cells, tileset), tileset, recipe, **details)

    def _fill(
        self,
        cells: Cells,
        tileset: Tileset,
        recipe: Recipe | None,
        rooms: Iterable[Room] = (),
        links: Iterable[tuple[int, int]] = (),
        markers: Iterable[Marker] = (),
        layers: Mapping[str, ArrayLike] | None = None,
        numbers: Mapping[str, float] | None = None,
    ) -> None:
        """Every field, once and for all; the cells are the map's own."""
        put = object.__setattr__
        put(self, "cells", cells)
        put(self, "tileset", tileset)
        put(self, "rooms", tuple(rooms))
        put(self, "links", tuple((int(a), int(b)) for a, b in links))
        put(self, "markers", tuple(markers))
        if self.rooms or self.links or self.markers:
            self._check_inside()
        put(self, "layers", _copy_layers(layers, cells.shape) if layers else _EMPTY)
        put(self, "numbers", MappingProxyType({k: float(v) for k, v in numbers.items()}) if numbers else _EMPTY)
        put(self, "recipe", recipe)

    def _check_inside(self) -> None:
        """Rooms, links and markers lie inside the map."""
        levels = self.cells.shape[0] if self.cells.ndim == 3 else 1
        for number, room in enumerate(self.rooms):
            fits = 0 <= room.x <= self.width - room.width and 0 <= room.y <= self.height - room.height
            if not fits or room.width < 1 or room.height < 1:
                raise InvalidRecipe(f"lies outside the map of {self.width}x{self.height}, {room}", at=("rooms", number))
        for number, link in enumerate(self.links):
            if not all(0 <= room < len(self.rooms) for room in link):
                raise InvalidRecipe(f"there are {pluralize(len(self.rooms), 'room')}, got {link}", at=("links", number))
        for number, marker in enumerate(self.markers):
            if not (0 <= marker.x < self.width and 0 <= marker.y < self.height and 0 <= marker.level < levels):
                text = f"lies outside the map of {self.width}x{self.height}, {marker}"
                raise InvalidRecipe(text, at=("markers", number))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a TileMap is frozen; make a changed one with .replace({name}=...)")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a TileMap is frozen")

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self._fields(),)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TileMap):
            return NotImplemented
        return (
            np.array_equal(self.cells, other.cells)
            and self.tileset == other.tileset
            and (self.rooms, self.links, self.markers) == (other.rooms, other.links, other.markers)
            and self.numbers.keys() == other.numbers.keys()
            and self.layers.keys() == other.layers.keys()
            and all(_equal_with_nan(number, other.numbers[name]) for name, number in self.numbers.items())
            and all(_equal_with_nan(layer, other.layers[name]) for name, layer in self.layers.items())
        )

    def __hash__(self) -> int:
        return hash((self.cells.shape, self.cells.tobytes(), self.tileset.name))

    def __str__(self) -> str:
        """The map as its tiles' glyphs; levels are parted by an empty line."""
        glyphs = np.array([tile.glyph for tile in self.tileset])
        levels = self.cells if self.cells.ndim == 3 else self.cells[None]
        return "\n\n".join("\n".join("".join(row) for row in glyphs[level]) for level in levels)

    def __repr__(self) -> str:
        origin = f" by {self.recipe.technique}, seed {self.recipe.seed}" if self.recipe else ""
        return f"<TileMap {format_size(self.shape)} of {self.tileset.name}{origin}>"

    def _repr_png_(self) -> bytes:
        return files.get().encode(self, "png")

    @property
    def shape(self) -> tuple[int, ...]:
        return self.cells.shape

    @property
    def width(self) -> int:
        return int(self.cells.shape[-1])

    @property
    def height(self) -> int:
        return int(self.cells.shape[-2])

    def where(self, *tiles: str | int) -> NDArray[np.bool_]:
        """The cells that hold one of these tiles."""
        return np.isin(self.cells, [self.tileset.id(tile) for tile in tiles])

    @property
    def passable(self) -> NDArray[np.bool_]:
        """The cells that one can walk on."""
        return self.tileset.passable[self.cells]

    # -- making other ones ----------------------------------------------------------------------------------

    def replace(self, **fields: Any) -> TileMap:
        """A copy with some fields replaced. Its recipe no longer makes it, so it has none unless it is given one."""
        if fields.keys() != {"recipe"}:
            return _rebuild({**self._fields(), "recipe": None, **fields})
        # The pipeline does this to every map: what is frozen can be shared.
        copy, put = object.__new__(TileMap), object.__setattr__
        for name in TileMap.__slots__:
            put(copy, name, getattr(self, name))
        put(copy, "recipe", fields["recipe"])
        return copy

    def rearrange(self, move: Callable[[NDArray[Any]], NDArray[Any]]) -> TileMap:
        """The map after its cells moved as `move` moves an array of its shape; all that stands on them moves along.

        What is cut away is gone: markers without a place any more, and rooms none of whose cells has one.
        """
        fields: dict[str, Any] = {"cells": move(self.cells)}
        fields["layers"] = {name: move(layer) for name, layer in self.layers.items()}
        if self.rooms or self.markers:
            source = move(np.arange(self.cells.size).reshape(self.shape))
            target = np.full(self.cells.size, -1, dtype=np.int64)
            target[source.reshape(-1)] = np.arange(source.size)
            fields |= self._move_landmarks(target.reshape(self.shape), source.shape)
        return self.replace(**fields)

    def _move_landmarks(self, target: NDArray[np.int64], shape: tuple[int, ...]) -> dict[str, Any]:
        """Rooms, links and markers after every cell went to the flat place `target` of a map of this shape."""
        rooms: list[Room] = []
        ids: dict[int, int] = {}
        for number, room in enumerate(self.rooms):
            inside = target[..., room.y : room.y + room.height, room.x : room.x + room.width]
            places = np.unravel_index(inside[inside >= 0], shape)
            if places[0].size:
                top, left = int(places[-2].min()), int(places[-1].min())
                ids[number] = len(rooms)
                rooms.append(Room(left, top, int(places[-1].max()) - left + 1, int(places[-2].max()) - top + 1))
        links = [(ids[a], ids[b]) for a, b in self.links if a in ids and b in ids]
        markers = []
        for marker in self.markers:
            place = int(target[(marker.level, marker.y, marker.x)[-target.ndim :]])
            if place >= 0:
                *level, row, column = (int(part) for part in np.unravel_index(place, shape))
                markers.append(Marker(marker.name, column, row, *level))
        return {"rooms": rooms, "links": links, "markers": markers}

    def to_locks(self, mask: Any = ...) -> Locks:
        """Locks that keep these cells as they are: a boolean mask, or anything that indexes an array.

        >>> m = TileMap([[0, 1], [1, 1]], Tileset.from_labels([".", "#"]))
        >>> m.locked(np.s_[0, :])
        Locks(2 cells: '#', '.')
        """
        from .locks import Locks

        chosen = np.zeros(self.shape, dtype=np.bool_)
        try:
            chosen[mask] = True
        except (IndexError, TypeError, ValueError):
            raise InvalidRecipe(f"does not fit a map of shape {self.shape}", at="mask", rule="outside") from None
        drawn = isinstance(mask, np.ndarray) and mask.dtype == np.bool_  # a mask may well be empty, a slice is a slip
        if not drawn and not chosen.any():
            raise InvalidRecipe(f"chooses no cell of a map of {self.width}x{self.height}; rows come first", at="mask")
        return Locks.from_map(self, chosen)

    # -- out of the program ---------------------------------------------------------------------------------

    def save(self, path: str | PathLike[str], **options: Any) -> None:
        """Write the map to a file; the format follows the extension. `tw.list_formats()` lists them."""
        files.get().save(self, path, **options)

    def image(self, scale: int = 16, **options: Any) -> Image:
        """The map as a Pillow picture, `scale` pixels a cell."""
        return files.get().image(self, scale=scale, **options)

    def _fields(self) -> dict[str, Any]:
        fields = {name: getattr(self, name) for name in TileMap.__slots__}
        return {**fields, "layers": dict(self.layers), "numbers": dict(self.numbers)}


_EMPTY: Mapping[str, Any] = MappingProxyType({})


def adopt_cells(cells: Cells, tileset: Tileset, **details: Unpack[MapDetails]) -> TileMap:
    """A map that takes over its cells: for the site, whose array is new, in C order, and holds ids of this tileset."""
    _check_shape(cells)
    cells.setflags(write=False)
    map = object.__new__(TileMap)
    map._fill(cells, tileset, None, **details)
    return map


def format_size(shape: Iterable[int]) -> str:
    """Write the size of a map as people do, the width first: `80x50`."""
    return "x".join(map(str, reversed([*shape])))


def _rebuild(fields: dict[str, Any]) -> TileMap:
    return TileMap(fields.pop("cells"), fields.pop("tileset"), **fields)


def _equal_with_nan(one: ArrayLike, other: ArrayLike) -> bool:
    """Equal, where a number that is none equals itself."""
    return np.array_equal(np.asarray(one), np.asarray(other), equal_nan=True)


def _copy_cells(cells: ArrayLike, tileset: Tileset) -> Cells:
    try:
        given = np.asarray(cells)
    except ValueError:
        raise InvalidRecipe("all rows of a map have the same length", at="cells", rule="type") from None
    _check_shape(given)
    if given.dtype.kind not in "uib":
        raise InvalidRecipe(f"must be tile ids (whole numbers), got {given.dtype}", at="cells", rule="type")
    low, high = int(given.min()), int(given.max())
    if low < 0 or high >= len(tileset):
        worst = low if low < 0 else high
        raise InvalidRecipe(f"tileset {tileset.name!r} has ids 0..{len(tileset) - 1}, got {worst}", at="cells")
    own = np.array(given, dtype=tileset.dtype, order="C", copy=True)
    own.flags.writeable = False
    return own


def _check_shape(cells: NDArray[Any]) -> None:
    if cells.ndim not in (2, 3) or cells.size == 0:
        raise InvalidRecipe(f"a map has 2 or 3 dimensions and at least one cell, got shape {cells.shape}", at="cells")


def _copy_layers(layers: Mapping[str, ArrayLike], shape: tuple[int, ...]) -> Mapping[str, NDArray[np.float64]]:
    result = {}
    for name, layer in layers.items():
        try:
            own = np.array(layer, dtype=np.float64, order="C", copy=True)
        except (TypeError, ValueError):
            raise InvalidRecipe(f"{name!r} must be numbers, a row for each of the map", at="layers") from None
        if own.shape != shape:
            raise InvalidRecipe(f"{name!r} has shape {own.shape}, the map {shape}", at="layers")
        own.flags.writeable = False
        result[name] = own
    return MappingProxyType(result)
