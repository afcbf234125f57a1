from __future__ import annotations

import io
import pickle
import zipfile
from functools import partial
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tests.formats.maps import full_map, read_map, zip_entries
from tests.refusals import refused
from tilewright import formats

MAP = tw.make("caves", width=4, height=3, seed=1)
read = partial(read_map, "npz")


def array(values: Any, **options: Any) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, values, **options)
    return buffer.getvalue()


def header(shape: str, dtype: str = "|u1") -> bytes:
    text = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode()


def test_numpy_reads_it() -> None:
    map = full_map()
    loaded = np.load(io.BytesIO(formats.encode(map, "npz")), allow_pickle=False)
    assert np.array_equal(loaded["cells"], map.cells)
    assert np.array_equal(loaded["layers"], list(map.layers.values()), equal_nan=True)


def test_bare_cells_are_read() -> None:
    for cells in (MAP.cells, np.asfortranarray(MAP.cells.astype(">i4"))):
        content = zip_entries([("cells.npy", array(cells))])
        assert read(content).cells.tolist() == MAP.cells.tolist()
        assert read(content).tileset.names == ("tile0", "tile1")[: int(MAP.cells.max()) + 1]
        assert read(content, MAP.tileset) == tw.TileMap(MAP.cells, MAP.tileset)


class Trap:
    def __reduce__(self) -> Any:
        return pytest.fail, ("a pickle was run",)


def entries(**values: bytes) -> list[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(formats.encode(full_map(), "npz"))) as zipped:
        own = {name.removesuffix(".npy"): zipped.read(name) for name in zipped.namelist()}
    return [(f"{name}.npy", content) for name, content in {**own, **values}.items()]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not an archive of arrays"),
        (b"PK\x03\x04", "not an archive of arrays"),
        (zip_entries([]), "must contain an array named 'cells'"),
        (zip_entries([("cells.npy", b"")]), "not an archive of arrays"),
        (
            zip_entries([("cells.npy", array(np.array([[Trap()]], dtype=object), allow_pickle=True))]),
            "cannot have the dtype object",
        ),
        (zip_entries([("cells.npy", pickle.dumps(Trap()))]), "not an archive of arrays"),
        (zip_entries([("cells.npy", header("(99999, 99999)"))]), "has the shape [99999, 99999]"),
        (zip_entries([("cells.npy", header("(-1, -4)") + b"\0" * 4)]), "has the shape [-1, -4]"),
        (zip_entries([("cells.npy", header("(2, 2)") + b"\0" * 3)]), "has the shape [2, 2]"),
        (zip_entries([("cells.npy", header("(2, 2)", "<f8") + b"\0" * 32)]), "cells: cannot have the dtype float64"),
        (zip_entries([("cells.npy", header("(1, 1), '__import__': 1", "|u1") + b"\0")]), "cells: has no valid header"),
        (zip_entries([("cells.npy", header("(2, 2), ('", "|u1") + b"\0" * 4)]), "cells: has no valid header"),
        (zip_entries([("cells.npy", header("(2, 2)", "u1', (") + b"\0" * 4)]), "cells: has no valid header"),
        (zip_entries([("cells.npy", header("(((", "|u1") + b"\0" * 4)]), "cells: has no valid header"),
        (zip_entries([("cells.npy", header("(True, 4)", "|u1") + b"\0" * 4)]), "cells: has no valid header"),
        (zip_entries([("cells.npy", header("(1, 1), []: 1", "|u1") + b"\0" * 4)]), "cells: has no valid header"),
        (zip_entries([("cells.npy", header("-" * 4000 + "1", "|u1") + b"\0" * 4)]), "cells: has no valid header"),
        (zip_entries([("cells.npy", header("(1, 1)", "|x9") + b"\0" * 4)]), "cells: has no valid header"),
        (zip_entries([("cells.npy", b"\x93NUMPY\x01\x00")]), "not an archive of arrays"),
        (zip_entries([("cells.npy", array(np.zeros(4, np.uint8)))]), "a map has 2 or 3 dimensions"),
        (zip_entries([("cells.npy", array(np.zeros((0, 4), np.uint8)))]), "at least one cell"),
        (zip_entries([("cells.npy", array(np.full((1, 1), 2**63, np.uint64)))]), "65,536 tiles"),
        (zip_entries([("cells.npy", array(np.full((1, 1), -1)))]), "cells"),
        (
            zip_entries([("../cells.npy", array(np.zeros((1, 1), np.uint8)))]),
            "must contain only the arrays cells, layers, rest",
        ),
        (zip_entries(entries(cells=array(np.zeros((11, 22), np.uint8)))), "must have the given shape"),
        (zip_entries(entries(layers=array(np.zeros((1, 11, 23))))), "must have the given shape"),
        (zip_entries(entries(rest=array(np.frombuffer(b"\xff", np.uint8)))), "not UTF-8 text"),
        (zip_entries(entries(rest=array(np.frombuffer(b"[" * 100_000, np.uint8)))), "nested too deeply"),
        (zip_entries(entries(rest=array(np.frombuffer(b"{}", np.uint8)))), "shape: is required"),
    ],
)
def test_what_breaks_a_rule_is_refused(content: bytes, message: str) -> None:
    with refused(message, tw.BadFile):
        read(content)


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_duplicate_name_is_refused() -> None:
    with pytest.raises(tw.BadFile, match="one twice"):
        read(zip_entries([*entries(), ("cells.npy", array(MAP.cells))]))


def with_entry_size(content: bytes, size: int) -> bytes:
    """Return an archive whose directory contains another size for its last entry."""
    place = content.rfind(b"PK\x01\x02") + 24
    return content[:place] + size.to_bytes(4, "little") + content[place + 4 :]


def test_a_decompression_bomb_is_refused_before_unpacking() -> None:
    bomb = zip_entries([("cells.npy", header("(40000, 40000)") + bytes(9_000_000))])
    with pytest.raises(tw.BadFile, match="bytes when unpacked, got 1,600,000,128"):
        read(with_entry_size(bomb, 1_600_000_128))


def test_a_directory_with_wrong_sizes_is_refused() -> None:
    bomb = zip_entries([("cells.npy", header("(3000, 3000)") + bytes(9_000_000))])
    with pytest.raises(tw.BadFile, match=r"has the shape|Bad CRC"):
        read(with_entry_size(bomb, len(header("(2, 2)")) + 4))
