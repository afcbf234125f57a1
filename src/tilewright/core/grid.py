"""Maps as parameters, such as `start` and `sample`.

A Grid holds labels (names, glyphs or numbers of tiles). The labels are resolved to tile ids when the tileset is known.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from math import prod
from os import PathLike, fsdecode
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from .appearance import FREE_GLYPH, QUESTION_MARK
from .errors import InvalidRecipe, TooLarge, UnknownName, pluralize, unknown_key
from .params import MAX_SIDE, AtomicValue, Sized, as_int, param
from .resolver import Resolver
from .tilemap import TileMap, format_size
from .tileset import MAX_TILES, Tileset

Label = str | int
Coordinate = Annotated[int, Field(ge=-(1 << 62), le=1 << 62)]
Offset = tuple[Coordinate, Coordinate]
"""x, y of a cell in an endless world. The bounds leave room for margins within 64 bits."""
FREE = -1
MAX_INLINE_CELLS = 65_536
"""Maximum number of cells stored inside a recipe. Larger maps are stored as a digest."""
MAX_CELLS = 1 << 28
MAX_LABELS = 1 << 17
"""Maximum number of different labels: the coordinates and tiles of a table of locks."""
KEYS = ("shape", "words", "cells", "digest")


class Grid(AtomicValue):
    """A map of tile labels, in which cells may be undecided (`?`).

    `Grid.of` reads the forms in which maps are given as parameters.

    Parameters
    ----------
    labels
        Names, glyphs or numbers of tiles.
    cells
        Array (row, column) or (level, row, column) of positions in `labels`; -1 for undecided cells.
    tileset
        The tileset that the labels come from, if known.
    name
        The file or built-in sample that the map comes from, if known.

    Examples
    --------
    >>> Grid.of(["#.", "?#"])
    Grid(2x2: '#', '.'; 1 cell free)
    >>> Grid.of(["#.", "?#"], free_glyph=False)
    Grid(2x2: '#', '.', 'question mark')
    >>> Grid.of(["#.", "?#"]) == Grid.of([["#", "."], ["?", "#"]])
    True
    """

    __slots__ = ("cells", "labels", "name", "tileset")
    json_schema: ClassVar = {"title": "Grid", "type": ["array", "string", "object"], "control": "grid"}

    def __init__(
        self, labels: Sequence[Label], cells: NDArray[Any], tileset: Tileset | None = None, name: str = ""
    ) -> None:
        used = np.unique(cells)
        kept = sort_labels(labels[number] for number in used.tolist() if number != FREE)
        rank = {label: number for number, label in enumerate(kept)}
        table = np.full(len(labels) + 1, FREE, dtype=np.int32)
        for number in used.tolist():
            if number != FREE:
                table[number] = rank[labels[number]]
        own = table[cells]
        own.flags.writeable = False
        self.labels: tuple[Label, ...] = tuple(kept)
        """The distinct labels that cells use, sorted, numbers first."""
        self.cells: NDArray[np.int32] = own
        """Read-only array (row, column) or (level, row, column) of positions in `labels`; -1 for undecided cells."""
        self.tileset = tileset
        """The tileset that the labels come from, or None. Comparisons ignore the tileset."""
        self.name = name
        """The file or built-in sample that the map comes from, for messages. Comparisons and stored data ignore it."""

    @classmethod
    def of(cls, value: Any, resolver: Resolver | None = None, *, free_glyph: bool = True) -> Grid:
        """Read a Grid.

        Parameters
        ----------
        value
            A Grid, TileMap, array of tile numbers or names, list of rows, string of lines of glyphs, plain data, path
            or name of a built-in sample. Undecided cells are `?`, None or -1.
        resolver
            Object that opens files. By default, only built-in names are known.
        free_glyph
            Whether `?` in rows and lines of glyphs marks undecided cells. Otherwise, it is the tile `question mark`, as
            in samples.

        Returns
        -------
        Grid
            The map.

        Raises
        ------
        InvalidRecipe
            If the value is not a map.
        """
        resolver = resolver or Resolver()
        if isinstance(value, Grid):
            return value
        if isinstance(value, TileMap):
            return cls(value.tileset.names, value.cells, value.tileset)
        if isinstance(value, Mapping):
            return cls._from_data(value, resolver)
        if isinstance(value, PathLike) or (isinstance(value, str) and "\n" not in value):
            return resolver.read_grid(fsdecode(value), free_glyph=free_glyph)
        if isinstance(value, str):
            levels = [level.split("\n") for level in value.strip("\n").split("\n\n")]
            return cls._from_levels(levels, free_glyph) if len(levels) > 1 else cls._from_rows(levels[0], free_glyph)
        if isinstance(value, np.ndarray):
            return cls._from_array(value, free_glyph)
        if isinstance(value, (list, tuple)):
            return cls._from_rows(value, free_glyph)
        raise InvalidRecipe("must be a map, an array, rows, or the name of one", got=value, rule="type")

    @classmethod
    def _from_array(cls, array: NDArray[Any], free_glyph: bool) -> Grid:
        if array.ndim not in (2, 3) or array.size == 0:
            raise InvalidRecipe(f"a map has 2 or 3 dimensions and at least one cell, got shape {array.shape}")
        if array.dtype.kind == "U":
            return cls._from_rows(array.tolist(), free_glyph)
        if array.dtype.kind not in "uib":
            raise InvalidRecipe(f"an array must hold integers or strings, got {array.dtype}")
        numbers, cells = np.unique(array, return_inverse=True)
        labels = [int(number) for number in numbers]
        for number in (labels[-1], labels[0]):
            if number != FREE:
                read_label(number)
        positions = cells.reshape(array.shape).astype(np.int32)
        if labels[0] == FREE:
            positions, labels = positions - 1, labels[1:]
        return cls(labels, positions)

    @classmethod
    def _from_rows(cls, rows: Sequence[Any], free_glyph: bool) -> Grid:
        """Read strings of glyphs or lists of labels, or levels that are lists of lists of labels."""
        if rows and all(isinstance(row, (list, tuple)) and row and isinstance(row[0], (list, tuple)) for row in rows):
            return cls._from_levels(rows, free_glyph)
        seen: dict[Label, int] = {}
        cells = _index_rows(rows, seen, free_glyph)
        return cls(list(seen), cells)

    @classmethod
    def _from_levels(cls, levels: Sequence[Sequence[Any]], free_glyph: bool) -> Grid:
        seen: dict[Label, int] = {}
        cells = [_index_rows(rows, seen, free_glyph) for rows in levels]
        if len({level.shape for level in cells}) > 1:
            raise InvalidRecipe("all levels of a map have the same size")
        return cls(list(seen), np.stack(cells))

    @classmethod
    def _from_data(cls, data: Mapping[str, Any], resolver: Resolver) -> Grid:
        check_keys(data, KEYS)
        if "cells" not in data and isinstance(data.get("digest"), str):
            return resolver.find_grid(data["digest"])
        shape, words = read_shape(data.get("shape")), data.get("words")
        count = prod(shape)
        if count > MAX_INLINE_CELLS:  # A few compressed bytes could expand to gigabytes.
            text = f"{count:,} cells, a recipe stores at most {MAX_INLINE_CELLS:,}"
            raise TooLarge(text, at="shape")
        if not isinstance(words, (list, tuple)) or len(words) > MAX_TILES:
            raise InvalidRecipe("must be a list of tile names or numbers", at="words", rule="type")
        raw = unpack(data.get("cells"), count * 4)
        if len(raw) not in (count, 2 * count, 4 * count):
            raise InvalidRecipe(f"{len(raw)} bytes do not make a map of shape {list(shape)}", at="cells")
        cells = np.frombuffer(raw, dtype=f"<u{len(raw) // count}").reshape(shape).astype(np.int64) - 1
        if int(cells.max()) >= len(words):
            raise InvalidRecipe(
                f"position {int(cells.max())} in a list of {len(words)} labels", at="cells", rule="type"
            )
        return cls([read_label(word) for word in words], cells)

    def to_data(self, *, inline: bool = True) -> dict[str, Any]:
        """Return plain data that `of` reads. Grids of more than `MAX_INLINE_CELLS` cells are stored as a digest."""
        data: dict[str, Any] = {"shape": list(self.cells.shape)}
        if not inline or self.cells.size > MAX_INLINE_CELLS:
            return {**data, "digest": self.digest}
        kind = "<u1" if len(self.labels) < 256 else "<u2" if len(self.labels) < 65_536 else "<u4"
        return {**data, "words": list(self.labels), "cells": pack((self.cells + 1).astype(kind).tobytes())}

    @property
    def digest(self) -> str:
        """Digest of the content. Equal grids have equal digests."""
        text = repr((self.cells.shape, self.labels)).encode()
        return blake2b(text + self.cells.astype("<i4").tobytes(), digest_size=16).hexdigest()

    def with_name(self, name: str) -> Grid:
        """Return the map with the name of the file or built-in sample that it comes from."""
        return Grid(self.labels, self.cells, self.tileset, name)

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the cells: (row, column) or (level, row, column)."""
        return self.cells.shape

    def to_tile_ids(self, tileset: Tileset, label_ids: Mapping[str, int] | None = None) -> NDArray[np.int32]:
        """Resolve the labels of all cells to tile ids.

        Parameters
        ----------
        tileset
            Tileset to look labels up in, by name, then glyph, then number.
        label_ids
            Tile ids of further labels, which a technique defines.

        Returns
        -------
        ndarray of int32
            Tile ids; -1 for undecided cells.

        Raises
        ------
        UnknownName
            If a label is neither in the tileset nor in `label_ids`.

        Examples
        --------
        >>> Grid.of(["#.", "?#"]).to_tile_ids(Tileset.from_labels([".", "#"])).tolist()
        [[1, 0], [-1, 1]]
        """
        table = np.full(len(self.labels) + 1, FREE, dtype=np.int32)
        for position, label in enumerate(self.labels):
            table[position] = resolve_label(label, tileset, label_ids)
        ids: NDArray[np.int32] = table[self.cells]
        return ids

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Grid):
            return NotImplemented
        return self.labels == other.labels and np.array_equal(self.cells, other.cells)

    def __hash__(self) -> int:
        return hash((self.labels, self.cells.shape, self.cells.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        return Grid, (self.labels, self.cells, self.tileset, self.name)

    def __repr__(self) -> str:
        labels = ", ".join(repr(label) for label in self.labels[:6]) + (", ..." if len(self.labels) > 6 else "")
        free = int((self.cells == FREE).sum())
        return f"Grid({format_size(self.shape)}: {labels}" + (f"; {pluralize(free, 'cell')} free)" if free else ")")


class StartParams(Sized):
    """Base of parameters with an optional start map. If a start map is given, it sets the size."""

    start: Grid | None = param(None)
    """Map to start from; free cells (?) are filled at random. It sets the size of the map."""

    @property
    def shape(self) -> tuple[int, ...]:
        return super().shape if self.start is None else self.start.shape

    @model_validator(mode="after")
    def _take_size_from_start(self) -> Self:
        if self.start is None:
            return self
        for name, side in (("width", self.start.shape[-1]), ("height", self.start.shape[-2])):
            if side > MAX_SIDE:
                raise InvalidRecipe(f"{name} must be at most {MAX_SIDE}, got {side}", at="start", rule="maximum")
            if name in self.model_fields_set and getattr(self, name) != side:
                raise InvalidRecipe(
                    f"the start map has {side}, so leave {name} out; got {getattr(self, name)}", at=name
                )
            self.__dict__[name] = side
        return self


def resolve_label(label: Label, tileset: Tileset, label_ids: Mapping[str, int] | None = None) -> int:
    """Return the tile id of a label, from the tileset or else from `label_ids`."""
    number = tileset.find(label)
    if number is None and label_ids:
        number = label_ids.get(str(label))
    if number is None:
        raise UnknownName("tile", label, [*tileset.names, *(label_ids or ())], f"tileset {tileset.name!r}")
    return number


def pack(raw: bytes) -> str:
    """Compress bytes and encode them as base64."""
    return base64.b64encode(zlib.compress(raw, 6)).decode()


def unpack(text: Any, max_bytes: int, at: str = "cells") -> bytes:
    """Return the bytes that `pack` encoded. Raise InvalidRecipe if there are more than `max_bytes`."""
    try:
        compressed = base64.b64decode(text, validate=True)
        stream = zlib.decompressobj()
        raw = stream.decompress(compressed, max_bytes + 1)
    except (TypeError, ValueError, binascii.Error, zlib.error):
        raise InvalidRecipe("must be base64 of zlib-compressed bytes", at=at) from None
    if len(raw) > max_bytes or not stream.eof:
        raise InvalidRecipe(f"does not unpack to at most {max_bytes:,} bytes", at=at, rule="maximum")
    return raw


def read_label(value: Any) -> Label:
    """Return the name, glyph or number of a tile. Raise InvalidRecipe if it is invalid or `?`."""
    if isinstance(value, str) and value != FREE_GLYPH:
        return str(value)  # NumPy strings have another repr.
    number = as_int(value)
    if number is None:
        raise InvalidRecipe("a tile is given by name, glyph or number", got=value)
    if not 0 <= number < MAX_CELLS:
        raise InvalidRecipe(f"tile numbers are at least 0 (-1 is free) and less than {MAX_CELLS:,}", got=number)
    return number


def sort_labels(labels: Iterable[Label]) -> list[Label]:
    """Return the distinct labels sorted, numbers before names."""
    return sorted(set(labels), key=lambda label: (False, label, "") if isinstance(label, int) else (True, 0, label))


def check_keys(data: Mapping[str, Any], keys: Sequence[str]) -> None:
    """Raise InvalidRecipe if data has an unknown key."""
    for key in data:
        if key not in keys:
            raise InvalidRecipe(unknown_key("key", key, keys))


def read_shape(value: Any) -> tuple[int, ...]:
    """Read a shape in data: (row, column) or (level, row, column)."""
    sides = [as_int(side) for side in value] if isinstance(value, (list, tuple)) and len(value) in (2, 3) else [None]
    known = tuple(side for side in sides if side is not None and 1 <= side <= MAX_CELLS)
    if len(known) < len(sides):
        raise InvalidRecipe("must be two or three integers of at least 1", at="shape", got=value, rule="minimum")
    return known


def _index_rows(rows: Sequence[Any], seen: dict[Label, int], free_glyph: bool) -> NDArray[np.int32]:
    """Return an array (row, column) of the positions of labels in `seen`. New labels are added to `seen`."""
    for number, row in enumerate(rows, 1):
        if not isinstance(row, (str, list, tuple)):
            raise InvalidRecipe(f"row {number} must be a line of glyphs or a list of tiles", got=row, rule="type")
        if len(row) != len(rows[0]):
            unit = "glyphs" if isinstance(row, str) else "cells"
            raise InvalidRecipe(f"row {number} has {len(row)} {unit}, the first has {len(rows[0])}")
    if not rows or not len(rows[0]):
        raise InvalidRecipe("a map has at least one cell")
    cells = np.empty((len(rows), len(rows[0])), dtype=np.int32)
    for target, row in zip(cells, rows, strict=True):
        if isinstance(row, str):
            glyphs = {glyph: _index_label(glyph, seen, free_glyph) for glyph in dict.fromkeys(row)}
            target[:] = [glyphs[glyph] for glyph in row]
        else:
            target[:] = [_index_label(label, seen, free_glyph) for label in row]
    return cells


def _index_label(label: Any, seen: dict[Label, int], free_glyph: bool) -> int:
    if not free_glyph and isinstance(label, str) and label == FREE_GLYPH:
        label = QUESTION_MARK
    if label is None or (isinstance(label, str) and label == FREE_GLYPH) or as_int(label) == FREE:
        return FREE
    if len(seen) > MAX_LABELS:
        raise TooLarge(f"a map must have at most {MAX_LABELS:,} different tiles")
    return seen.setdefault(read_label(label), len(seen))
