"""Export of a corpus: text files as in the Video Game Level Corpus (VGLC), or one archive of NumPy arrays.

Source: Summerville, Snodgrass, Mateas, Ontañón, "The VGLC: The Video Game Level Corpus", 2016.
"""

from __future__ import annotations

import json
import os
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import IO, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.lib import format as npy
from numpy.typing import NDArray

from ..core.errors import BadFile, InvalidRecipe
from ..core.tilemap import TileMap
from ..core.tileset import Tileset
from ..formats import encode
from ..jobs.folder import MANIFEST, Folder
from .manifest import OWN_COLUMNS
from .reader import Corpus, Ids
from .rows import as_numbers

BATCH = 256
COMPRESSION_LEVEL = 1
"""Compression level of the archive. A low level is enough for tile ids."""
OWN_ARRAYS = ("cells", "shapes", "offsets", "ids", "seeds", "digests", "tiles")
"""Reserved names of arrays. A column with such a name is renamed."""


# -- text -------------------------------------------------------------------------------------------------------


def write_vglc(corpus: Corpus, folder: str | os.PathLike[str], ids: Ids | None = None) -> int:
    """Write each map as a text file, and the legend of the characters.

    `caves-000007.txt` is map 7; `tw.load` reads it with the tileset of the corpus. `caves.json` is the legend in the
    format of the VGLC: passability, kind and name of each tile.

    Parameters
    ----------
    corpus : Corpus
        The corpus to export.
    folder : str or path-like
        Folder or fsspec URL to write to.
    ids : sequence of int, optional
        Ids of the maps; all generated maps by default.

    Returns
    -------
    int
        Number of maps written.

    Examples
    --------
    >>> import tilewright as tw
    >>> recipe = tw.recipe("caves", width=12, height=8)
    >>> corpus = tw.corpus.make(recipe, "memory://caves", count=8, seed=7, measures=["regions"], workers=0)
    >>> write_vglc(corpus, "memory://caves-text")
    8
    """
    store = Folder(os.fspath(folder))
    if MANIFEST in store.list_names():
        raise BadFile("contains a corpus; name another folder", at=store)
    name = str(corpus.manifest.recipe["technique"])
    digits = max(6, len(str(len(corpus) - 1)))
    written = 0
    for batch in corpus.batches(BATCH, ids=ids, columns=["id"]):
        for number, cells in zip(batch.ids.tolist(), batch.cells, strict=True):
            store.write(encode(TileMap(cells, corpus.tileset), "txt"), f"{name}-{number:0{digits}d}.txt")
            written += 1
    store.write(format_legend(corpus.tileset).encode(), f"{name}.json")
    return written


def format_legend(tileset: Tileset) -> str:
    """Return the legend of a tileset's characters as JSON, one line per character."""
    properties = {tile.glyph: ["passable" if tile.passable else "solid", tile.kind, tile.name] for tile in tileset}
    lines = [
        f"  {_to_json(glyph)}: {_to_json([word for word in dict.fromkeys(values) if word])}"
        for glyph, values in properties.items()
    ]
    return '{"tiles": {\n' + ",\n".join(lines) + "\n}}\n"


def _to_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


# -- arrays -----------------------------------------------------------------------------------------------------


def write_npz(corpus: Corpus, path: str | os.PathLike[str], ids: Ids | None = None) -> int:
    """Write maps to one NumPy archive, which `numpy.load` reads without pickle.

    `cells` is (map, row, column). If the maps differ in size, `cells` is one-dimensional with the cells of all maps;
    `offsets` (map + 1) holds the start of each map and the end of the last map, and `shapes` (map, dimension) holds the
    sizes. Other arrays are `ids`, `seeds`, `digests`, the names of `tiles` by id, and each swept parameter and measure
    by its name. Only a few maps are in memory at a time.

    Parameters
    ----------
    corpus : Corpus
        The corpus to export.
    path : str or path-like
        File to write.
    ids : sequence of int, optional
        Ids of the maps; all generated maps by default.

    Returns
    -------
    int
        Number of maps written.

    Examples
    --------
    >>> import tilewright as tw
    >>> recipe = tw.recipe("caves", width=12, height=8)
    >>> corpus = tw.corpus.make(recipe, "memory://caves", count=8, seed=7, measures=["regions"], workers=0)
    >>> write_npz(corpus, "memory://archives/caves.npz", ids=[0, 3])
    2
    """
    arrays = _read_columns(corpus, ids)
    shapes = arrays.pop("shapes")
    count, dtype = len(shapes), np.dtype(corpus.tileset.dtype).newbyteorder("<")
    sizes = np.prod(shapes, axis=1, dtype=np.int64)
    is_uniform = bool((shapes == shapes[0]).all())
    shape = (count, *shapes[0].tolist()) if is_uniform else (int(sizes.sum()),)
    if not is_uniform:
        arrays |= {"offsets": np.concatenate([[0], np.cumsum(sizes)]), "shapes": shapes}
    arrays["tiles"] = np.array(corpus.tileset.names)
    with _open_archive(os.fspath(path)) as archive:
        with _open_entry(archive, "cells") as file:
            header = {"descr": npy.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
            npy.write_array_header_1_0(file, header)
            for batch in corpus.batches(BATCH, ids=ids, columns=["id"]):
                for cells in batch.cells:
                    file.write(cells.astype(dtype, copy=False).tobytes())
        for name, array in arrays.items():
            with _open_entry(archive, name) as file:
                npy.write_array(file, array, allow_pickle=False)
    return count


def _read_columns(corpus: Corpus, ids: Ids | None) -> dict[str, NDArray[Any]]:
    """Return the columns of the maps except the cells, as arrays."""
    numbers = corpus.numeric_columns()
    strings = [name for name in corpus.columns if name not in (*numbers, *OWN_COLUMNS)]
    sides = ["levels", "height", "width"] if corpus.has_levels else ["height", "width"]
    names = ["id", "seed", "digest", "reason", *sides, *numbers, *strings]
    tables = corpus.tables(names, made=True) if ids is None else _iter_tables(corpus, ids, names)
    found: list[dict[str, NDArray[Any]]] = [
        {
            "ids": table["id"].to_numpy(),
            "seeds": np.array(table["seed"].to_pylist()),
            "digests": np.array(table["digest"].to_pylist()),
            "shapes": np.stack([table[side].to_numpy() for side in sides], axis=1).astype(np.int64),
            **{_array_name(name): as_numbers(table[name]) for name in numbers},
            **{_array_name(name): np.array([str(value) for value in table[name].to_pylist()]) for name in strings},
        }
        for table in tables
        if table.num_rows
    ]
    if not found:
        raise InvalidRecipe("contains no generated map; nothing was written", at=corpus.folder)
    return {name: np.concatenate([part[name] for part in found]) for name in found[0]}


def _iter_tables(corpus: Corpus, ids: Ids, names: Sequence[str]) -> Iterator[pa.Table]:
    for first in range(0, len(ids), BATCH):
        table = corpus.rows(ids[first : first + BATCH], names)
        for row in table.filter(pc.is_valid(table["reason"])).to_pylist():
            raise InvalidRecipe(f"map {row['id']} failed: {row['reason']}")
        yield table


def _array_name(column: str) -> str:
    return f"column_{column}" if column in OWN_ARRAYS else column


@contextmanager
def _open_entry(archive: zipfile.ZipFile, name: str) -> Iterator[IO[bytes]]:
    """Open a file in an archive. The file has no date, so that equal arrays give equal archives."""
    entry = zipfile.ZipInfo(f"{name}.npy")
    entry.compress_type, entry.create_system = zipfile.ZIP_DEFLATED, 3
    with archive.open(entry, "w", force_zip64=True) as file:
        yield file


@contextmanager
def _open_archive(address: str) -> Iterator[zipfile.ZipFile]:
    """Open an archive that is written to a temporary file and renamed when it is complete."""
    parent, _, name = address.rpartition("/")
    store = Folder(parent if parent or not address.startswith("/") else "/")
    if not name or store.file_system.isdir(store.path(name)):
        raise BadFile("is a folder; give a file in it", at=address)
    with (
        store.write_atomically(name) as temporary,
        store.file_system.open(temporary, "wb") as file,
        zipfile.ZipFile(file, "w", compresslevel=COMPRESSION_LEVEL) as archive,
    ):
        yield archive
