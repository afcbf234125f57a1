"""Limits on the size of maps in files: sides, cells, and cells per byte of the file."""

from __future__ import annotations

import io
import json
import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import tilewright as tw
from tests.formats.contents import encode_image
from tilewright import formats
from tilewright.core.params import MAX_SIDE
from tilewright.formats import Source, decode
from tilewright.formats._data import pack_array

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


def declare_png(width: int, height: int) -> bytes:
    """Return the start of a picture that declares a size and contains no pixels."""
    head = struct.pack(">2I5B", width, height, 8, 0, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + struct.pack(">I", len(head))
        + b"IHDR"
        + head
        + struct.pack(">I", zlib.crc32(b"IHDR" + head))
        + struct.pack(">I", 0)
        + b"IDAT"
        + struct.pack(">I", zlib.crc32(b"IDAT"))
    )


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
