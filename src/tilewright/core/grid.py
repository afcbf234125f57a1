"""A map as a parameter: `start`, `sample`. One value type, whatever it was given as.

A Grid holds words, not ids: words become ids late, by name, then glyph, then number, when a tileset is known.
"""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationInfo, model_validator
from pydantic_core import CoreSchema, core_schema

from .errors import InvalidRecipe, TooLarge, UnknownName, counted, did_you_mean, quoted
from .params import Sized, param, reading_of
from .reading import Reading
from .tilemap import TileMap
from .tileset import MOST_TILES, Tileset

Word = str | int
FREE = -1
FREE_GLYPH = "?"
INLINE_CELLS = 65_536
"""Maps up to this size travel inside recipes; larger ones are named by their digest."""
MOST_CELLS = 1 << 28


class Grid:
    """A map made of words; some cells may be free.

    >>> Grid.of(["#.", "?#"])
    Grid(2x2: '#', '.'; 1 cell free)
    >>> Grid.of(["#.", "?#"]) == Grid.of([["#", "."], ["?", "#"]])
    True
    """

    __slots__ = ("cells", "tileset", "words")

    def __init__(self, words: Sequence[Word], cells: NDArray[Any], tileset: Tileset | None = None) -> None:
        """`cells` holds positions in `words`, or -1 where a cell is free."""
        used = np.unique(cells)
        kept = sorted({words[number] for number in used.tolist() if number != FREE}, key=_order)
        rank = {word: number for number, word in enumerate(kept)}
        table = np.full(len(words) + 1, FREE, dtype=np.int32)
        for number in used.tolist():
            if number != FREE:
                table[number] = rank[words[number]]
        own = table[cells]
        own.flags.writeable = False
        self.words: tuple[Word, ...] = tuple(kept)
        """The distinct words, numbers first, sorted."""
        self.cells: NDArray[np.int32] = own
        """Positions in `words`, or -1 where free; (row, column) or (level, row, column)."""
        self.tileset = tileset
        """The tileset it came with, if any; not part of its content."""

    @classmethod
    def of(cls, value: Any, reading: Reading | None = None) -> Grid:
        """A Grid from a TileMap, array, nested list, lines of glyphs, data, or a path or built-in name."""
        if isinstance(value, Grid):
            return value
        if isinstance(value, TileMap):
            return cls(value.tileset.names, value.cells, value.tileset)
        if isinstance(value, Mapping):
            return cls._from_data(value, reading or Reading())
        if isinstance(value, str):
            if "\n" not in value:
                return (reading or Reading()).grid(value)
            return cls._from_rows(value.strip("\n").split("\n"))
        if isinstance(value, np.ndarray):
            return cls._from_array(value)
        if isinstance(value, (list, tuple)):
            return cls._from_rows(value)
        raise InvalidRecipe(f"must be a map, an array, rows, or the name of one, got {quoted(value)}")

    @classmethod
    def _from_array(cls, array: NDArray[Any]) -> Grid:
        if array.ndim not in (2, 3) or array.size == 0:
            raise InvalidRecipe(f"a map has 2 or 3 dimensions and at least one cell, got shape {array.shape}")
        if array.dtype.kind == "U":
            return cls._from_rows(array.tolist())
        if array.dtype.kind not in "uib":
            raise InvalidRecipe(f"an array must hold whole numbers or words, got {array.dtype}")
        numbers, cells = np.unique(array, return_inverse=True)
        words = [int(number) for number in numbers]
        if words[0] < FREE:
            raise InvalidRecipe(f"tile numbers are not negative (-1 is free), got {words[0]}")
        positions = cells.reshape(array.shape).astype(np.int32)
        if words[0] == FREE:
            positions, words = positions - 1, words[1:]
        return cls(words, positions)

    @classmethod
    def _from_rows(cls, rows: Sequence[Any]) -> Grid:
        if rows and not isinstance(rows[0], str) and len(rows[0]) and isinstance(rows[0][0], (list, tuple)):
            levels = [cls._from_rows(level) for level in rows]
            if len({level.cells.shape for level in levels}) > 1:
                raise InvalidRecipe("all levels of a map have the same size")
            words = [word for level in levels for word in level.words]
            starts = np.cumsum([0, *(len(level.words) for level in levels)])
            stacked = [
                np.where(level.cells == FREE, FREE, level.cells + start)
                for level, start in zip(levels, starts.tolist(), strict=False)
            ]
            return cls(words, np.stack(stacked).astype(np.int32))
        for number, row in enumerate(rows, 1):
            if not isinstance(row, (str, list, tuple)):
                raise InvalidRecipe(f"row {number} must be a line of glyphs or a list of tiles, got {quoted(row)}")
            if len(row) != len(rows[0]):
                unit = "glyphs" if isinstance(row, str) else "cells"
                raise InvalidRecipe(f"row {number} has {len(row)} {unit}, the first has {len(rows[0])}")
        if not rows or not len(rows[0]):
            raise InvalidRecipe("a map has at least one cell")
        seen: dict[Word, int] = {}
        cells = np.empty((len(rows), len(rows[0])), dtype=np.int32)
        for target, row in zip(cells, rows, strict=True):
            target[:] = [
                FREE if word in (FREE_GLYPH, FREE, None) else seen.setdefault(_word(word), len(seen)) for word in row
            ]
        return cls(list(seen), cells)

    @classmethod
    def _from_data(cls, data: Mapping[str, Any], reading: Reading) -> Grid:
        unknown = set(data) - {"shape", "words", "cells", "digest"}
        if unknown:
            name = sorted(map(str, unknown))[0]
            raise InvalidRecipe(f"unknown key {name!r}{did_you_mean(name, ('shape', 'words', 'cells', 'digest'))}")
        if "cells" not in data and isinstance(data.get("digest"), str):
            return reading.grid_with(data["digest"])
        shape, words = _read_shape(data.get("shape")), data.get("words")
        if not isinstance(words, (list, tuple)) or len(words) > MOST_TILES:
            raise InvalidRecipe("words: must be a list of tile names or numbers")
        count = int(np.prod(shape))
        raw = unpack(data.get("cells"), count * 4)
        if len(raw) not in (count, 2 * count, 4 * count):
            raise InvalidRecipe(f"cells: {len(raw)} bytes do not make a map of shape {list(shape)}")
        cells = np.frombuffer(raw, dtype=f"<u{len(raw) // count}").reshape(shape).astype(np.int64) - 1
        if int(cells.max()) >= len(words):
            raise InvalidRecipe(f"cells: position {int(cells.max())} in a list of {len(words)} words")
        return cls([_word(word) for word in words], cells)

    def to_data(self, *, inline: bool = True) -> dict[str, Any]:
        """Plain data that makes it again; a large one is only named, by its digest."""
        data: dict[str, Any] = {"shape": list(self.cells.shape)}
        if not inline or self.cells.size > INLINE_CELLS:
            return {**data, "digest": self.digest}
        kind = "<u1" if len(self.words) < 256 else "<u2" if len(self.words) < 65_536 else "<u4"
        return {**data, "words": list(self.words), "cells": pack((self.cells + 1).astype(kind).tobytes())}

    @property
    def digest(self) -> str:
        """Names the content: equal grids, equal digests."""
        text = repr((self.cells.shape, self.words)).encode()
        return blake2b(text + self.cells.astype("<i4").tobytes(), digest_size=16).hexdigest()

    @property
    def shape(self) -> tuple[int, ...]:
        return self.cells.shape

    def ids(self, tileset: Tileset, vocabulary: Mapping[str, int] | None = None) -> NDArray[np.int32]:
        """Tile ids by name, then glyph, then number, then the technique's own words; -1 where free."""
        table = np.full(len(self.words) + 1, FREE, dtype=np.int32)
        for position, word in enumerate(self.words):
            table[position] = resolve(word, tileset, vocabulary)
        ids: NDArray[np.int32] = table[self.cells]
        return ids

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Grid):
            return NotImplemented
        return self.words == other.words and np.array_equal(self.cells, other.cells)

    def __hash__(self) -> int:
        return hash((self.words, self.cells.shape, self.cells.tobytes()))

    def __reduce__(self) -> tuple[Any, ...]:
        return Grid, (self.words, self.cells, self.tileset)

    def __repr__(self) -> str:
        size = "x".join(str(side) for side in reversed(self.cells.shape))
        words = ", ".join(repr(word) for word in self.words[:6]) + (", ..." if len(self.words) > 6 else "")
        free = int((self.cells == FREE).sum())
        return f"Grid({size}: {words}" + (f"; {counted(free, 'cell')} free)" if free else ")")

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        def check(value: Any, info: ValidationInfo) -> Grid:
            return cls.of(value, reading_of(info))

        return core_schema.with_info_plain_validator_function(
            check,
            serialization=core_schema.plain_serializer_function_ser_schema(cls.to_data, when_used="json"),
        )

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return {"title": "Grid", "type": ["array", "string", "object"], "control": "grid"}


class Started(Sized):
    """Params of what may begin with a given map, which then sets the size."""

    start: Grid | None = param(None)
    """A map to begin with; free cells (?) are filled in by chance. It sets the size."""

    @model_validator(mode="after")
    def _start_sets_the_size(self) -> Self:
        if self.start is None:
            return self
        for name, side in (("width", self.start.shape[-1]), ("height", self.start.shape[-2])):
            if name in self.model_fields_set and getattr(self, name) != side:
                raise InvalidRecipe(f"{name}: start is {side}, so leave {name} out; got {getattr(self, name)}")
            self.__dict__[name] = side
        return self


def resolve(word: Word, tileset: Tileset, vocabulary: Mapping[str, int] | None = None) -> int:
    """The id of a word: the tileset's first, then the technique's own."""
    number = tileset.find(word)
    if number is None and vocabulary:
        number = vocabulary.get(str(word))
    if number is None:
        raise UnknownName("tile", word, [*tileset.names, *(vocabulary or ())], f"tileset {tileset.name!r}")
    return number


def pack(raw: bytes) -> str:
    """Bytes as text inside recipes."""
    return base64.b64encode(zlib.compress(raw, 6)).decode()


def unpack(text: Any, most: int) -> bytes:
    """The bytes behind `pack`; never more than `most`, whatever the text claims."""
    try:
        compressed = base64.b64decode(text, validate=True)
        stream = zlib.decompressobj()
        raw = stream.decompress(compressed, most + 1)
    except (TypeError, ValueError, binascii.Error, zlib.error):
        raise InvalidRecipe("cells: not packed as this version writes them") from None
    if len(raw) > most or not stream.eof:
        raise InvalidRecipe(f"cells: does not unpack to at most {most:,} bytes")
    return raw


def _word(value: Any) -> Word:
    if isinstance(value, str):
        return value
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool):
        if value < 0:
            raise InvalidRecipe(f"tile numbers are not negative (-1 is free), got {value}")
        return int(value)
    raise InvalidRecipe(f"a tile is given by name, glyph or number, got {quoted(value)}")


def _order(word: Word) -> tuple[bool, int, str]:
    return (False, word, "") if isinstance(word, int) else (True, 0, word)


def _read_shape(value: Any) -> tuple[int, ...]:
    fits = isinstance(value, (list, tuple)) and len(value) in (2, 3)
    if not fits or any(isinstance(side, bool) or not isinstance(side, int) or side < 1 for side in value):
        raise InvalidRecipe(f"shape: two or three whole numbers of at least 1, got {quoted(value)}")
    count = 1
    for side in value:
        count *= side
    if count > INLINE_CELLS:  # more are never written, and a few bytes could claim gigabytes
        raise TooLarge(f"shape: {count:,} cells are more than the {INLINE_CELLS:,} that travel inside a recipe")
    return tuple(value)
