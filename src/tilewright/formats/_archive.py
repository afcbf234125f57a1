"""NumPy archives (npz).

They are written with identical bytes on all machines. On reading, all sizes and types are checked.
"""

from __future__ import annotations

import ast
import io
import re
import struct
import zipfile
import zlib
from collections.abc import Mapping
from math import prod
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from ..core.errors import BadFile, InvalidRecipe, TooLarge, check_limit
from ._data import check_expansion

MAX_BYTES = 1 << 29
"""Maximum size of all arrays of a map or model together."""
LENGTHS = {(1, 0): "<H", (2, 0): "<I"}
"""Encoding of the length of the header, by version of the array format."""
MAX_HEADER = 10_000
BROKEN = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, ValueError, RuntimeError)
"""Errors of the readers of archives for broken files."""
COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
HEADER = re.compile(r"[\w\s{}()\[\],:'\"<>|=.+-]*", re.ASCII)


def encode_archive(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Return an archive of arrays. Equal arrays give equal bytes."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, array in arrays.items():
            # A bare ZipInfo has a fixed date. The system is also fixed, so that all machines write the same bytes.
            entry = zipfile.ZipInfo(f"{name}.npy")
            entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3
            with archive.open(entry, "w", force_zip64=True) as file:
                npy.write_array(file, array.astype(array.dtype.newbyteorder("<"), copy=False), allow_pickle=False)
    return buffer.getvalue()


def decode_archive(
    content: bytes, kinds: Mapping[str, str], name: str, max_bytes: int = MAX_BYTES
) -> dict[str, NDArray[Any]]:
    """Return the arrays of a file. `kinds` maps the allowed names to the allowed kinds of dtype."""
    try:
        return _read_arrays(content, kinds, max_bytes)
    except BROKEN as error:
        if isinstance(error, InvalidRecipe | TooLarge):
            raise
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise BadFile(f"not an archive of arrays ({reason})", at=name) from None


def _read_arrays(content: bytes, kinds: Mapping[str, str], max_bytes: int) -> dict[str, NDArray[Any]]:
    """Read the arrays of an archive. Names, kinds and sizes are checked before decompression."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = {entry.filename.removesuffix(".npy"): entry for entry in archive.infolist()}
        unknown = sorted(set(entries) - set(kinds))
        if unknown or len(entries) < len(archive.infolist()):
            raise InvalidRecipe(
                f"must contain only the arrays {', '.join(kinds)}, each once, got {unknown or 'one twice'}"
            )
        claimed = sum(entry.file_size for entry in entries.values())
        check_limit("bytes when unpacked", claimed, max_bytes)
        check_expansion(claimed, content, "bytes when unpacked")
        if any(entry.compress_type not in COMPRESSIONS for entry in entries.values()):
            raise InvalidRecipe("must be stored or deflated; NumPy writes no other compression")
        arrays = {}
        for name, entry in entries.items():
            with archive.open(entry) as file:
                arrays[name] = _read_array(file, name, kinds[name], entry.file_size)
        return arrays


def _read_array(file: IO[bytes], name: str, kinds: str, size: int) -> NDArray[Any]:
    """Read one array of an archive; raise InvalidRecipe if its header does not account for `size` bytes."""
    version = npy.read_magic(file)
    if version not in LENGTHS:
        raise InvalidRecipe(f"unknown version {version} of the array format", at=name, rule="unknown_name")
    shape, fortran_order, dtype = _read_header(file, LENGTHS[version], name)
    if dtype.kind not in kinds or dtype.hasobject:
        raise InvalidRecipe(f"cannot have the dtype {dtype}", at=name)
    # The product of two negative dimensions would be valid.
    if any(side < 0 for side in shape) or file.tell() + prod(shape) * dtype.itemsize != size:
        raise InvalidRecipe(f"has the shape {list(shape)}, which does not match its {size:,} bytes", at=name)
    raw = file.read(prod(shape) * dtype.itemsize)
    return np.frombuffer(raw, dtype=dtype).reshape(shape, order="F" if fortran_order else "C")


def _read_header(file: IO[bytes], length: str, name: str) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Return the shape, the order and the dtype of an array.

    NumPy's own reader raises nearly any exception for a broken header, and accepts headers that write code in Python 2.
    """
    (count,) = struct.unpack(length, file.read(struct.calcsize(length)))
    text = file.read(min(count, MAX_HEADER + 1)).decode("latin-1")
    try:
        if not HEADER.fullmatch(text) or count > MAX_HEADER:
            raise ValueError
        header = ast.literal_eval(re.sub(r"(?<=\d)L\b", "", text.strip()))  # Python 2 wrote 64-bit integers as 3L.
        if set(header) != {"descr", "fortran_order", "shape"}:
            raise ValueError
        shape, fortran_order = header["shape"], header["fortran_order"]
        if type(shape) is not tuple or any(type(side) is not int for side in shape) or type(fortran_order) is not bool:
            raise ValueError
        return shape, fortran_order, np.dtype(str(header["descr"]))
    except (ValueError, TypeError, LookupError, SyntaxError, MemoryError, RecursionError):
        raise InvalidRecipe("has no valid header of an array", at=name, value=text, rule="format") from None
