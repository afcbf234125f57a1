"""A part of a corpus: some hundred maps as one Parquet file, the same bytes wherever and whenever it is made."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from ..analysis.similarity import Similarity, find_similarity
from ..analysis.survey import measure_map
from ..core.errors import GaveUp, TilewrightError, TooLarge
from ..core.pipeline import run
from ..core.provenance import digest
from ..core.registry import measures as measure_registry
from ..core.tilemap import TileMap
from .datasheet import Facts
from .manifest import OWN_COLUMNS, Manifest
from .tiles import convert_cells, tileset_of

ROWS_PER_GROUP = 128
"""Rows in a group: what is read at once to get at one map."""
MAPS_PER_BLOCK = 128
"""Maps that are made before they are measured and packed; fewer, where they are large."""
CELLS_PER_BLOCK = 1 << 20
CODEC = pa.Codec("zstd", compression_level=3)
METADATA = b"tilewright"


@dataclass(frozen=True)
class Part:
    """A finished part: its number, its file, and what is in it."""

    number: int
    content: bytes
    facts: Facts


def make_part(manifest: Manifest, number: int) -> Part:
    """Make, measure and pack the maps of a part."""
    rows = [row for block in _iter_blocks(manifest, manifest.maps_of(number)) for row in _make_rows(manifest, block)]
    schema = schema_of(manifest)
    table = pa.table({field.name: [row[field.name] for row in rows] for field in schema}, schema=schema)
    buffer = io.BytesIO()
    pq.write_table(
        table,
        buffer,
        row_group_size=ROWS_PER_GROUP,
        compression={name: "none" if name == "cells" else "zstd" for name in table.column_names},
        use_dictionary=["reason"],
        write_page_checksum=True,
    )
    return Part(number, buffer.getvalue(), Facts.from_table(table, manifest))


def schema_of(manifest: Manifest) -> pa.Schema:
    """The columns of every part: what a map is, what was swept, what was measured."""
    swept = [pa.field(axis.column, _kind_of(axis.values)) for axis in manifest.sweep.axes]
    own = [pa.field(name, kind) for name, (kind, _) in OWN_COLUMNS.items()]
    measures = [pa.field(name, pa.float64()) for name in manifest.measures]
    head = {"manifest": manifest.to_data(), "cells": "zstd of tile ids, level by level and row by row, little-endian"}
    return pa.schema([*own, *swept, *measures], metadata={METADATA: json.dumps(head, ensure_ascii=False).encode()})


def _kind_of(values: tuple[Any, ...]) -> pa.DataType:
    if all(isinstance(value, bool) for value in values):
        return pa.bool_()
    if all(isinstance(value, int) and not isinstance(value, bool) for value in values):
        return pa.int64()
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return pa.float64()
    return pa.string()


@dataclass(frozen=True)
class _Attempt:
    """A map, if it could be made, and its row as far as it is known."""

    row: dict[str, Any]
    map: TileMap | None = None
    cells: NDArray[Any] | None = None
    similarity: Similarity | None = None


def _try_map(manifest: Manifest, number: int) -> _Attempt:
    """A map that was made; one that could not be has a reason."""
    values = manifest.values_of(number)
    swept = {
        axis.column: value if isinstance(value, bool | int | float) or value is None else str(value)
        for axis, value in zip(manifest.sweep.axes, values, strict=True)
    }
    row: dict[str, Any] = dict.fromkeys((*OWN_COLUMNS, *manifest.measures))
    row |= {"id": number, "seed": f"{manifest.seed}-{number}", **swept}
    try:
        recipe = manifest.recipe_of(number)
        map = run(recipe)
        cells = convert_cells(map, tileset_of(manifest))
    except GaveUp as error:
        return _Attempt({**row, "reason": error.reason})
    except TooLarge:
        raise  # of this machine alone: elsewhere it may well be made
    except TilewrightError as error:
        return _Attempt({**row, "reason": str(error)})
    compares = any(measure_registry.get(name).compares for name in manifest.measures)
    return _Attempt(row, map, cells, find_similarity(recipe) if compares else None)


def _iter_blocks(manifest: Manifest, numbers: Iterable[int]) -> Iterator[list[_Attempt]]:
    """Maps that are made, some at a time: as many as are easily held."""
    block: list[_Attempt] = []
    cells = 0
    for number in numbers:
        attempt = _try_map(manifest, number)
        block.append(attempt)
        cells += attempt.map.cells.size if attempt.map is not None else 0
        if len(block) >= MAPS_PER_BLOCK or cells >= CELLS_PER_BLOCK:
            yield block
            block, cells = [], 0
    yield block


def _make_rows(manifest: Manifest, block: list[_Attempt]) -> list[dict[str, Any]]:
    """Maps as rows, of which all are measured, then all named, then all packed.

    One thing after the other, because a processor that does the same again has all that it needs at hand: taking the
    maps in turn, making 128 of 64x64 takes a fifth longer.
    """
    made = [(tried, tried.map, tried.cells) for tried in block if tried.map is not None and tried.cells is not None]
    if manifest.measures:
        for tried, map, _ in made:
            numbers = measure_map(map, manifest.measures, tried.similarity).items()
            tried.row.update({name: None if number != number else number for name, number in numbers})
    for tried, map, _ in made:
        levels = map.shape[0] if len(map.shape) == 3 else 1
        tried.row.update(digest=digest(map), levels=levels, height=map.height, width=map.width)
    for tried, _, cells in made:
        tried.row["cells"] = compress_cells(cells)
    return [tried.row for tried in block]


def compress_cells(cells: np.ndarray[Any, Any]) -> bytes:
    """A map's cells, small."""
    plain = np.ascontiguousarray(cells, dtype=cells.dtype.newbyteorder("<"))
    small: bytes = CODEC.compress(plain, asbytes=True)
    return small


def decompress_cells(content: bytes, shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """The cells again, writable."""
    size = int(np.prod(shape)) * dtype.itemsize
    plain = pa.Codec("zstd").decompress(content, decompressed_size=size)
    return np.frombuffer(bytearray(plain), dtype=dtype.newbyteorder("<")).reshape(shape).astype(dtype, copy=False)
