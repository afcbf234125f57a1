"""Tile maps: an array of tile ids with rooms, markers, layers and the recipe. Frozen, compared by content."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from math import isfinite
from os import PathLike
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import InvalidRecipe, UnknownName, pluralize, short_repr
from .ports import files
from .tileset import Tileset

if TYPE_CHECKING:
    from PIL.Image import Image

    from .locks import Locks
    from .recipe import Recipe

Cells = NDArray[np.uint8] | NDArray[np.uint16]
MarkerValue = bool | int | float | str
"""Value of a property of a marker."""
MAX_PROPERTIES, MAX_PROPERTY_NAME, MAX_PROPERTY_TEXT = 1000, 200, 1 << 16
"""Maximum number of properties of a marker, and maximum number of characters of a name and of a string."""


@dataclass(frozen=True, slots=True)
class Room:
    """A rectangle of cells. Its id is its position in `map.rooms`."""

    x: int
    y: int
    width: int
    height: int
    name: str = ""
    """Name for a game and its designers, such as kitchen; empty for rooms that are only numbered."""


@dataclass(frozen=True, slots=True)
class Marker:
    """A named cell, such as a start, an exit or a key."""

    name: str
    x: int
    y: int
    level: int = 0
    properties: Mapping[str, MarkerValue] = field(default_factory=dict, hash=False)
    """Further data for a game, such as the health of a monster. Exporters write it."""


class DeferredNumbers(Mapping[str, float]):
    """Numbers of a map that are computed when they are first read.

    >>> dict(DeferredNumbers(lambda: {"tiles_used": 3}))
    {'tiles_used': 3.0}
    """

    __slots__ = ("_compute", "_numbers")

    def __init__(self, compute: Callable[[], Mapping[str, float]]) -> None:
        self._compute: Callable[[], Mapping[str, float]] | None = compute
        self._numbers: dict[str, float] = {}

    def _read(self) -> dict[str, float]:
        compute = self._compute
        if compute is not None:
            self._numbers = {name: float(number) for name, number in compute().items()}
            self._compute = None  # last, because another thread may read the numbers meanwhile
        return self._numbers

    def __getitem__(self, name: str) -> float:
        return self._read()[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._read())

    def __repr__(self) -> str:
        return repr(self._read())


class MapDetails(TypedDict, total=False):
    """The fields of a map other than its cells; see `TileMap`."""

    rooms: Iterable[Room]
    links: Iterable[tuple[int, int]]
    markers: Iterable[Marker]
    layers: Mapping[str, ArrayLike] | None
    numbers: Mapping[str, float] | None


class TileMap:
    """A tile map.

    Maps are frozen. Two maps are equal if all fields except `recipe` are equal.

    Parameters
    ----------
    cells
        Tile ids, with shape (row, column) or (level, row, column). They are copied.
    tileset
        The tileset that defines the tile ids.
    recipe
        The recipe that makes this map, if any.
    **details
        The other fields: `rooms`, `links`, `markers`, `layers` and `numbers`.

    Raises
    ------
    InvalidRecipe
        If cells hold ids that the tileset lacks, or rooms, links or markers are outside the map.

    Examples
    --------
    >>> m = TileMap([[0, 1], [1, 1]], Tileset.from_labels([".", "#"]))
    >>> print(m)
    .#
    ##
    """

    __slots__ = ("cells", "layers", "links", "markers", "numbers", "recipe", "rooms", "tileset")

    cells: Cells
    """Read-only array of tile ids, (row, column) or (level, row, column), of the tileset's dtype."""
    tileset: Tileset
    """Tiles of the map."""
    rooms: tuple[Room, ...]
    """Rooms in the order of their ids."""
    links: tuple[tuple[int, int], ...]
    """Pairs of ids of connected rooms."""
    markers: tuple[Marker, ...]
    """Named cells."""
    layers: Mapping[str, NDArray[np.float64]]
    """Float arrays of the map's shape by name, such as height."""
    numbers: Mapping[str, float]
    """Values that the technique reports, by name."""
    recipe: Recipe | None
    """The recipe with the seed that makes this map; None for maps from other sources."""

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
        """Set all fields. The cells must already belong to the map."""
        put = object.__setattr__
        put(self, "cells", cells)
        put(self, "tileset", tileset)
        put(self, "rooms", tuple(rooms))
        put(self, "links", tuple((int(a), int(b)) for a, b in links))
        put(self, "markers", tuple(markers))
        if self.rooms or self.links or self.markers:
            self._check_inside()
        put(self, "layers", _copy_layers(layers, cells.shape) if layers else _EMPTY)
        put(self, "numbers", _copy_numbers(numbers))
        put(self, "recipe", recipe)

    def _check_inside(self) -> None:
        """Raise InvalidRecipe if a room, link or marker is outside the map."""
        levels = self.cells.shape[0] if self.cells.ndim == 3 else 1
        for number, room in enumerate(self.rooms):
            fits = 0 <= room.x <= self.width - room.width and 0 <= room.y <= self.height - room.height
            if not fits or room.width < 1 or room.height < 1:
                raise InvalidRecipe(f"is outside the map of {self.width}x{self.height}, {room}", at=("rooms", number))
        for number, link in enumerate(self.links):
            if not all(0 <= room < len(self.rooms) for room in link):
                raise InvalidRecipe(f"there are {pluralize(len(self.rooms), 'room')}, got {link}", at=("links", number))
        for number, marker in enumerate(self.markers):
            if not (0 <= marker.x < self.width and 0 <= marker.y < self.height and 0 <= marker.level < levels):
                text = f"is outside the map of {self.width}x{self.height}, {marker}"
                raise InvalidRecipe(text, at=("markers", number))
            if marker.properties:
                check_properties(marker.properties, ("markers", number, "properties"))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a TileMap is frozen; use .replace({name}=...)")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a TileMap is frozen")

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, ({**self._fields(), "numbers": dict(self.numbers)},)

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
        """Return the map as rows of glyphs, with an empty line between levels."""
        glyphs = np.array([tile.glyph for tile in self.tileset])
        levels = self.cells if self.cells.ndim == 3 else self.cells[None]
        return "\n\n".join("\n".join("".join(row) for row in glyphs[level]) for level in levels)

    def __repr__(self) -> str:
        origin = f" by {self.recipe.title}, seed {self.recipe.seed}" if self.recipe else ""
        return f"<TileMap {format_size(self.shape)} of {self.tileset.name}{origin}>"

    def _repr_png_(self) -> bytes:
        return files.get().encode(self, "png")

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the cells: (row, column) or (level, row, column)."""
        return self.cells.shape

    @property
    def width(self) -> int:
        """Number of columns."""
        return int(self.cells.shape[-1])

    @property
    def height(self) -> int:
        """Number of rows."""
        return int(self.cells.shape[-2])

    def where(self, *tiles: str | int) -> NDArray[np.bool_]:
        """Return a mask of the cells that hold one of the tiles, given by name, glyph or id.

        >>> m = TileMap([[0, 1], [1, 1]], Tileset.from_labels([".", "#"]))
        >>> m.where("#").tolist()
        [[False, True], [True, True]]
        """
        return np.isin(self.cells, [self.tileset.id(tile) for tile in tiles])

    @property
    def passable(self) -> NDArray[np.bool_]:
        """Mask of the cells whose tile is passable."""
        return self.tileset.passable[self.cells]

    # -- copies ---------------------------------------------------------------------------------------------

    def replace(self, **fields: Any) -> TileMap:
        """Return a copy with some fields replaced.

        The copy has no recipe unless `recipe` is given, because the recipe does not make the changed map.
        """
        if fields.keys() != {"recipe"}:
            return _rebuild({**self._fields(), "recipe": None, **fields})
        # The pipeline sets the recipe of every map, so this path shares the frozen fields instead of copying them.
        copy, put = object.__new__(TileMap), object.__setattr__
        for name in TileMap.__slots__:
            put(copy, name, getattr(self, name))
        put(copy, "recipe", fields["recipe"])
        return copy

    def rearrange(self, move: Callable[[NDArray[Any]], NDArray[Any]]) -> TileMap:
        """Return the map with its cells rearranged, together with its layers, rooms, links and markers.

        Markers and rooms whose cells are all cut off are dropped.

        Parameters
        ----------
        move
            Function that rearranges any array of the map's shape, such as `np.fliplr`.

        Returns
        -------
        TileMap
            The rearranged map, without a recipe.
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
        """Return rooms, links and markers after each cell moved to its flat index in `target`; -1 means cut off."""
        rooms: list[Room] = []
        ids: dict[int, int] = {}
        for number, room in enumerate(self.rooms):
            inside = target[..., room.y : room.y + room.height, room.x : room.x + room.width]
            places = np.unravel_index(inside[inside >= 0], shape)
            if places[0].size:
                top, left = int(places[-2].min()), int(places[-1].min())
                ids[number] = len(rooms)
                width, height = int(places[-1].max()) - left + 1, int(places[-2].max()) - top + 1
                rooms.append(Room(left, top, width, height, room.name))
        links = [(ids[a], ids[b]) for a, b in self.links if a in ids and b in ids]
        markers = []
        for marker in self.markers:
            place = int(target[(marker.level, marker.y, marker.x)[-target.ndim :]])
            if place >= 0:
                *level, row, column = (int(part) for part in np.unravel_index(place, shape))
                markers.append(replace(marker, x=column, y=row, level=level[0] if level else 0))
        return {"rooms": rooms, "links": links, "markers": markers}

    def to_locks(self, mask: Any = ...) -> Locks:
        """Return locks that keep cells of this map.

        Parameters
        ----------
        mask
            The cells: a boolean mask, or any other index of an array. By default, all cells.

        Returns
        -------
        Locks
            Locks to pass to `make` or a recipe.

        Raises
        ------
        InvalidRecipe
            If the index does not fit the map or selects no cell.

        Examples
        --------
        >>> m = TileMap([[0, 1], [1, 1]], Tileset.from_labels([".", "#"]))
        >>> m.to_locks(np.s_[0, :])
        Locks(2 cells: '#', '.')
        """
        from .locks import Locks

        chosen = np.zeros(self.shape, dtype=np.bool_)
        try:
            chosen[mask] = True
        except (IndexError, TypeError, ValueError):
            raise InvalidRecipe(f"does not fit a map of shape {self.shape}", at="mask", rule="outside") from None
        # An empty mask is allowed. An empty slice is probably a mistake.
        is_mask = isinstance(mask, np.ndarray) and mask.dtype == np.bool_
        if not is_mask and not chosen.any():
            raise InvalidRecipe(f"selects no cell of a map of {self.width}x{self.height}; rows come first", at="mask")
        return Locks.from_map(self, chosen)

    # -- output ---------------------------------------------------------------------------------------------

    def save(self, path: str | PathLike[str], **options: Any) -> None:
        """Write the map to a file. The extension decides the format; `tw.list_formats()` lists the formats.

        Parameters
        ----------
        path
            The file.
        **options
            Options of the format; `format` names the format itself.

        Raises
        ------
        InvalidRecipe
            If an option breaks its rule, or the format cannot store the map.
        """
        files.get().save(self, path, **options)

    def image(self, scale: int | None = None, **options: Any) -> Image:
        """Draw the map.

        Parameters
        ----------
        scale
            Edge length of a cell in pixels; by default that of the format `png`.
        **options
            Options of the format `png`, such as `overlay`.

        Returns
        -------
        PIL.Image.Image
            The image.

        Examples
        --------
        >>> TileMap([[0, 1], [1, 1]], Tileset.from_labels([".", "#"])).image(scale=4).size
        (8, 8)
        """
        return files.get().image(self, scale=scale, **options)

    def _fields(self) -> dict[str, Any]:
        fields = {name: getattr(self, name) for name in TileMap.__slots__}
        return {**fields, "layers": dict(self.layers)}


_EMPTY: Mapping[str, Any] = MappingProxyType({})


def _copy_numbers(numbers: Mapping[str, float] | None) -> Mapping[str, float]:
    if numbers is None or isinstance(numbers, DeferredNumbers):
        return _EMPTY if numbers is None else numbers
    return MappingProxyType({name: float(number) for name, number in numbers.items()}) if numbers else _EMPTY


def adopt_cells(cells: Cells, tileset: Tileset, **details: Unpack[MapDetails]) -> TileMap:
    """Return a map that uses the given array without a copy. The array must be in C order and hold valid ids."""
    _check_shape(cells)
    cells.setflags(write=False)
    map = object.__new__(TileMap)
    map._fill(cells, tileset, None, **details)
    return map


def convert_cells(map: TileMap, tileset: Tileset, hint: str = "") -> NDArray[Any]:
    """Convert a map's cells to ids of another tileset, by tile name. The hint is added to errors."""
    own = map.tileset.names
    if own == tileset.names[: len(own)]:
        return map.cells.astype(tileset.dtype, copy=False)
    ids = np.zeros(len(own), dtype=tileset.dtype)
    for number in np.unique(map.cells).tolist():
        if own[number] not in tileset.by_name:
            raise UnknownName("tile", own[number], tileset.names, hint)
        ids[number] = tileset.by_name[own[number]]
    return ids[map.cells]


def split_cells(cells: ArrayLike, tileset: Tileset) -> list[TileMap]:
    """Return a map for each array in a stack of tile ids, (map, row, column) or (map, level, row, column).

    >>> [str(map) for map in split_cells([[[0, 1]], [[1, 1]]], Tileset.from_labels([".", "#"]))]
    ['.#', '##']
    """
    try:
        given = np.asarray(cells)
    except ValueError:
        raise InvalidRecipe("all maps of an array have the same shape", at="cells", rule="type") from None
    if given.ndim not in (3, 4):
        text = "must be (map, row, column) or (map, level, row, column)"
        raise InvalidRecipe(f"{text}, got shape {given.shape}", at="cells", rule="type")
    if not len(given):
        return []
    own = _copy_cells(given.reshape(-1, given.shape[-1]), tileset).reshape(given.shape)
    return [adopt_cells(one, tileset) for one in own]


def format_size(shape: Iterable[int]) -> str:
    """Format a map's size with the width first: `80x50`."""
    return "x".join(map(str, reversed([*shape])))


def _rebuild(fields: dict[str, Any]) -> TileMap:
    return TileMap(fields.pop("cells"), fields.pop("tileset"), **fields)


def _equal_with_nan(one: ArrayLike, other: ArrayLike) -> bool:
    """Return whether arrays are equal, treating NaN as equal to NaN."""
    return np.array_equal(np.asarray(one), np.asarray(other), equal_nan=True)


def _copy_cells(cells: ArrayLike, tileset: Tileset) -> Cells:
    try:
        given = np.asarray(cells)
    except ValueError:
        raise InvalidRecipe("all rows of a map have the same length", at="cells", rule="type") from None
    _check_shape(given)
    if given.dtype.kind not in "uib":
        raise InvalidRecipe(f"must be tile ids (integers), got {given.dtype}", at="cells", rule="type")
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


def check_properties(properties: Mapping[str, MarkerValue], at: tuple[str | int, ...]) -> None:
    """Raise InvalidRecipe unless all properties of a marker have a name and a value that every format can store."""
    if len(properties) > MAX_PROPERTIES:
        raise InvalidRecipe(f"must have at most {MAX_PROPERTIES:,} properties, got {len(properties):,}", at=at)
    for name, value in properties.items():
        if not isinstance(name, str) or not name.strip() or len(name) > MAX_PROPERTY_NAME:
            text = f"names must have 1 to {MAX_PROPERTY_NAME} characters, got {short_repr(name)}"
            raise InvalidRecipe(text, at=at, rule="name")
        if not isinstance(value, bool | int | float | str):
            text = f"must be a string, number, true or false, got {short_repr(value)}"
            raise InvalidRecipe(text, at=(*at, name), rule="type")
        if isinstance(value, str) and len(value) > MAX_PROPERTY_TEXT:
            text = f"must have at most {MAX_PROPERTY_TEXT:,} characters, got {len(value):,}"
            raise InvalidRecipe(text, at=(*at, name), rule="range")
        if (isinstance(value, int) and not -(1 << 63) <= value < 1 << 63) or (
            isinstance(value, float) and not isfinite(value)
        ):
            raise InvalidRecipe(f"must be a finite number of 64 bits, got {short_repr(value)}", at=(*at, name))


def _copy_layers(layers: Mapping[str, ArrayLike], shape: tuple[int, ...]) -> Mapping[str, NDArray[np.float64]]:
    result = {}
    for name, layer in layers.items():
        try:
            own = np.array(layer, dtype=np.float64, order="C", copy=True)
        except (TypeError, ValueError):
            raise InvalidRecipe(f"{name!r} must be numbers, with as many rows as the map", at="layers") from None
        if own.shape != shape:
            raise InvalidRecipe(f"{name!r} has shape {own.shape}, the map {shape}", at="layers")
        own.flags.writeable = False
        result[name] = own
    return MappingProxyType(result)
