"""A part of a corpus: some hundred maps as one Parquet file, the same bytes wherever and whenever it is made."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ..analysis.likeness import likeness_in
from ..analysis.survey import measured
from ..core.errors import GaveUp, TilewrightError, TooLarge
from ..core.pipeline import run
from ..core.provenance import digest
from ..core.recipe import Recipe
from ..core.registry import measures as measure_shelf
from ..core.tilemap import TileMap
from .manifest import Manifest
from .tiles import cells_in, tileset_of

ROWS_TOGETHER = 128
"""Rows in a group: what is read at once to get at one map."""
CODEC = pa.Codec("zstd", compression_level=3)
METADATA = b"tilewright"


@dataclass(frozen=True)
class Part:
    """A finished part: its number, its file, and how many of its maps could not be made."""

    number: int
    content: bytes
    maps: int
    failures: int


def make_part(manifest: Manifest, number: int) -> Part:
    """Make, measure and pack the maps of a part."""
    rows = [_row(manifest, map_number) for map_number in manifest.maps_of(number)]
    table = pa.table(
        {field.name: [row[field.name] for row in rows] for field in schema_of(manifest)}, schema=schema_of(manifest)
    )
    buffer = io.BytesIO()
    pq.write_table(
        table,
        buffer,
        row_group_size=ROWS_TOGETHER,
        compression={name: "none" if name == "cells" else "zstd" for name in table.column_names},
        use_dictionary=["reason"],
        write_page_checksum=True,
    )
    return Part(number, buffer.getvalue(), len(rows), sum(row["reason"] is not None for row in rows))


def schema_of(manifest: Manifest) -> pa.Schema:
    """The columns of every part: what a map is, what was swept, what was measured."""
    swept = [pa.field(axis.column, _kind_of(axis.values)) for axis in manifest.sweep.axes]
    own = [
        pa.field("id", pa.int64()),
        pa.field("seed", pa.string()),
        pa.field("digest", pa.string()),
        pa.field("levels", pa.int32()),
        pa.field("height", pa.int32()),
        pa.field("width", pa.int32()),
        pa.field("cells", pa.binary()),
        pa.field("reason", pa.string()),
    ]
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


def _row(manifest: Manifest, number: int) -> dict[str, Any]:
    """A map as a row; one that could not be made has a reason instead of cells."""
    values = manifest.values_of(number)
    swept = {
        axis.column: value if isinstance(value, bool | int | float) or value is None else str(value)
        for axis, value in zip(manifest.sweep.axes, values, strict=True)
    }
    row: dict[str, Any] = dict.fromkeys(("digest", "levels", "height", "width", "cells", "reason", *manifest.measures))
    row |= {"id": number, "seed": f"{manifest.seed}-{number}", **swept}
    try:
        recipe = manifest.recipe_of(number)
        map = run(recipe)
        cells = packed(cells_in(map, tileset_of(manifest)))
    except GaveUp as error:
        return {**row, "reason": error.reason}
    except TooLarge:
        raise  # of this machine alone: elsewhere it may well be made
    except TilewrightError as error:
        return {**row, "reason": str(error)}
    levels = map.shape[0] if len(map.shape) == 3 else 1
    row |= {"digest": digest(map), "levels": levels, "height": map.height, "width": map.width, "cells": cells}
    if manifest.measures:
        row |= {name: None if number != number else number for name, number in _measured(map, manifest, recipe)}
    return row


def _measured(map: TileMap, manifest: Manifest, recipe: Recipe) -> Iterator[tuple[str, float]]:
    compares = any(measure_shelf.get(name).compares for name in manifest.measures)
    like = likeness_in(recipe.params, dict(recipe.tiles)) if compares else None
    yield from measured(map, manifest.measures, like).items()


def packed(cells: np.ndarray[Any, Any]) -> bytes:
    """A map's cells, small."""
    plain = np.ascontiguousarray(cells, dtype=cells.dtype.newbyteorder("<"))
    small: bytes = CODEC.compress(plain.tobytes(), asbytes=True)
    return small


def unpacked(content: bytes, shape: tuple[int, ...], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """The cells again, writable."""
    size = int(np.prod(shape)) * dtype.itemsize
    plain = pa.Codec("zstd").decompress(content, decompressed_size=size)
    return np.frombuffer(bytearray(plain), dtype=dtype.newbyteorder("<")).reshape(shape).astype(dtype, copy=False)
