"""Broken and hostile files of every readable format: reading gives maps or an error of one line.

Changed bytes and values are in `tests/test_fuzz.py`.
"""

from __future__ import annotations

import io
import json
import struct
import tracemalloc
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import tilewright as tw
from tests.formats.maps import declare_png, deep_map, encode_image, full_map, numbered_map, sprite_map, with_codes
from tilewright import formats
from tilewright.core.params import MAX_SIDE
from tilewright.formats import LoadedMap, Source, decode
from tilewright.formats._data import pack_array

READABLE = [entry.name for entry in formats.format_registry if entry.read]
MAX_MEMORY = 1 << 30
plain = full_map().replace(markers=[tw.Marker("start", 1, 2)], layers={"height": np.zeros((11, 23))})
MAPS = (plain, deep_map(), numbered_map(3, 2, 2), sprite_map(), with_codes(numbered_map(4, 5, 6)))


@cache
def samples(name: str) -> tuple[bytes, ...]:
    """Return small files of a format; empty content for a format that is only read."""
    entry, found = formats.format_registry.get(name), []
    for map in MAPS:
        try:
            options = {"scale": 1} if "scale" in entry.params.model_fields else {}
            found.append(formats.encode(map, name, **options))
        except tw.TilewrightError:  # not every format supports every map
            continue
    return tuple(found) or (b"",)


def outcome(name: str, content: bytes, tileset: tw.Tileset | None) -> list[LoadedMap] | str:
    def read_sibling(other: str) -> bytes:
        raise tw.BadFile(f"{other}: not there")

    try:
        return decode(Source(content, f"x.{name}", tileset, read_sibling), formats.format_registry.get(name))
    except tw.TilewrightError as error:
        return str(error)


def check_read(name: str, content: bytes, tileset: tw.Tileset | None = None) -> None:
    """Check that reading gives maps or an error of one line."""
    result = outcome(name, content, tileset)
    if isinstance(result, str):
        assert "\n" not in result
        assert len(result) < 1000
    else:
        assert all(one.map.cells.size for one in result)


@pytest.mark.parametrize("name", READABLE)
def test_what_is_written_can_be_read(name: str) -> None:
    for content in samples(name):
        check_read(name, content)


@pytest.mark.parametrize("name", READABLE)
@pytest.mark.parametrize("content", [b"", b"\0", b"\n", b" ", b"x" * 1000, b"\xff" * 1000, b"\0" * 100_000], ids=repr)
def test_invalid_content(name: str, content: bytes) -> None:
    check_read(name, content[:100_000])


@pytest.mark.parametrize("name", READABLE)
def test_truncations(name: str) -> None:
    for content in samples(name):
        for length in {
            *range(0, len(content), max(1, len(content) // 60)),
            *range(max(0, len(content) - 8), len(content)),
        }:
            check_read(name, content[:length])


@pytest.mark.parametrize("name", READABLE)
@pytest.mark.parametrize(
    "unit", [b"[", b"{", b'{"a":', b"<a>", b"(", b"- ", b"\n", b",", b"0,", b"&lt;", b"\0"], ids=repr
)
def test_long_repetition_takes_little_memory(name: str, unit: bytes) -> None:
    """Deep nesting and long repetition, alone and after a valid start."""
    tracemalloc.start()
    try:
        for start in (b"", samples(name)[0][:200]):
            check_read(name, start + unit * 100_000)
        assert tracemalloc.get_traced_memory()[1] < MAX_MEMORY
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", READABLE)
def test_reading_with_another_tileset(name: str) -> None:
    other = tw.Tileset.from_labels(["only"])
    for content in samples(name):
        check_read(name, content, tileset=other)


WIDE = MAX_SIDE + 1
BARE = {"tileset": {"tiles": [{"name": "a"}]}}


def encode_npz(cells: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> bytes:
    buffer = io.BytesIO()
    np.savez_compressed(buffer, cells=cells)
    return buffer.getvalue()


def encode_json(*shape: int) -> bytes:
    packed = pack_array(np.zeros(shape, dtype=np.uint8))
    return json.dumps({"shape": shape, "cells": packed, **BARE}).encode()


def chunk(name: bytes, content: bytes) -> bytes:
    return name + struct.pack("<2I", len(content), 0) + content


def encode_vox(models: int) -> bytes:
    """Return a file of empty models of the largest size, 28 bytes each."""
    model = chunk(b"SIZE", struct.pack("<3i", 256, 256, 256)) + chunk(b"XYZI", struct.pack("<I", 0))
    return b"VOX " + struct.pack("<i", 150) + b"MAIN" + struct.pack("<2I", 0, models * len(model)) + models * model


def refuse(name: str, content: bytes) -> str:
    with pytest.raises(tw.BadFile) as caught:
        decode(Source(content, f"x.{name}"), formats.format_registry.get(name))
    return str(caught.value)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("txt", b"." * WIDE),
        ("txt", b".\n" * WIDE),
        ("csv", b"0\n" * WIDE),
        ("npz", encode_npz(np.zeros((1, WIDE), np.uint8))),
        ("npz", encode_npz(np.zeros((WIDE, 1, 1), np.uint8))),
        ("json", encode_json(1, WIDE)),
        ("png", encode_image(Image.new("P", (WIDE, 1)))),
        ("png", encode_image(Image.new("P", (1, WIDE)))),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_sides_are_limited(name: str, content: bytes) -> None:
    assert f"at most {MAX_SIDE:,}" in refuse(name, content).replace("65536", "65,536")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("vox", encode_vox(2), "must have at most 16,777,216 cells, got 33,554,432"),
        ("png", declare_png(16_000, 16_000), "must have at most 16,777,216 pixels, got 256,000,000"),
        ("json", json.dumps({"shape": [60_000, 4_000], "cells": "", **BARE}).encode(), "cells, got 240,000,000"),
    ],
)
def test_small_files_cannot_declare_large_maps(name: str, content: bytes, message: str) -> None:
    assert len(content) < 1000
    assert message in refuse(name, content)


@pytest.mark.parametrize(
    ("name", "content"),
    [("csv", b"0,1\n2,65535\n"), ("npz", encode_npz(np.array([[0, 1], [2, 65535]], np.uint16)))],
    ids=["csv", "npz"],
)
def test_small_files_of_ids_cannot_make_large_tilesets(name: str, content: bytes) -> None:
    assert f"a file of {len(content):,} bytes without a tileset must have ids below 4," in refuse(name, content)
    tileset = tw.Tileset.from_labels(f"tile {number}" for number in range(1 << 16))
    (found,) = decode(Source(content, f"x.{name}", tileset), formats.format_registry.get(name))
    assert found.map.cells.tolist() == [[0, 1], [2, 65535]]


def test_an_archive_cannot_declare_more_than_it_holds() -> None:
    content = encode_npz(np.zeros((4, 4), np.uint8))
    place = content.rfind(b"PK\x01\x02") + 24
    content = content[:place] + (100 << 20).to_bytes(4, "little") + content[place + 4 :]
    assert "bytes when unpacked, got 104,857,600" in refuse("npz", content)


@pytest.mark.parametrize("name", ["npz", "json", "png"])
def test_large_maps_of_one_tile_are_read_back(tmp_path: Path, name: str) -> None:
    map = tw.TileMap(np.zeros((4200, 4200), np.uint8), tw.Tileset.from_labels(["a", "b"]))
    path = tmp_path / f"map.{name}"
    map.save(path, **({"scale": 1} if name == "png" else {}))
    assert tw.load(path) == map


def test_text_of_any_characters_is_read() -> None:
    rows = ["a\U0001f5faz", "\u00e9az"]
    (found,) = decode(Source("\n".join(rows).encode(), "x.txt"), formats.format_registry.get("txt"))
    assert [[found.map.tileset[tile].name for tile in row] for row in found.map.cells.tolist()] == [
        list(row) for row in rows
    ]
