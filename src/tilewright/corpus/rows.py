"""Rows of a corpus. They are read on request, one row group at a time, and cached up to a maximum size."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import inf
from threading import Lock
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from ..core.caching import LruCache
from ..core.errors import BadFile, InvalidRecipe, TilewrightError, UnknownName
from ..jobs.folder import Folder
from ..jobs.tables import ROWS_PER_GROUP
from .manifest import Manifest
from .parts import METADATA, PARTS, part_name, schema_of

MAX_CACHED_BYTES = 1 << 26
"""Maximum size in bytes of all cached row groups, and of all cached files if the folder is remote."""
MAX_OPEN_FILES = 128


class Rows:
    """The parts of a corpus as one long table, which is read one row group at a time.

    An instance can be pickled, used by several threads, and used in a forked process.
    """

    def __init__(self, folder: Folder, manifest: Manifest) -> None:
        self.folder = folder
        self.manifest = manifest
        self.schema = schema_of(manifest)
        self._reset()

    def __getstate__(self) -> tuple[Folder, Manifest]:
        return self.folder, self.manifest

    def __setstate__(self, state: tuple[Folder, Manifest]) -> None:
        self.__init__(*state)  # type: ignore[misc]

    def _reset(self) -> None:
        self._process = os.getpid()
        self._lock = Lock()
        limits = (inf, MAX_OPEN_FILES) if self.folder.is_local else (MAX_CACHED_BYTES, inf)
        self._files: LruCache[int, pq.ParquetFile] = LruCache(*limits)
        self._groups: LruCache[tuple[int, int, tuple[str, ...]], pa.Table] = LruCache(MAX_CACHED_BYTES)

    # -- columns ------------------------------------------------------------------------------------------------

    def validate_columns(self, columns: Sequence[str] | None) -> list[str]:
        """Validate column names and return them. For None, return all column names."""
        if columns is None:
            return list(self.schema.names)
        if isinstance(columns, str):
            raise InvalidRecipe("must be a list of names", at="columns", got=columns, rule="type")
        for name in columns:
            if name not in self.schema.names:
                raise UnknownName("column", name, self.schema.names)
        return list(dict.fromkeys(columns))

    # -- row positions ------------------------------------------------------------------------------------------

    @property
    def groups_per_part(self) -> int:
        """Number of row groups per part. The last part may have fewer."""
        return -(-self.manifest.part_size // ROWS_PER_GROUP)

    def groups_of(self, parts: Sequence[int]) -> NDArray[np.int64]:
        """Return the row groups of some parts, numbered over the complete corpus."""
        found = [
            np.arange(-(-len(self.manifest.maps_of(part)) // ROWS_PER_GROUP), dtype=np.int64)
            + part * self.groups_per_part
            for part in parts
        ]
        return np.concatenate(found) if found else np.empty(0, dtype=np.int64)

    def locate(self, numbers: Sequence[int] | NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the row group of each map and the row of the map in that group. Raise an error for an unknown id."""
        given = np.asarray(numbers)
        last = self.manifest.count - 1
        valid = given.ndim == 1 and (given.dtype.kind in "iu" or not len(given))
        unknown = given[(given < 0) | (given > last)].tolist() if valid else [numbers]
        if unknown:
            raise InvalidRecipe(f"must be from 0 to {last}", at="id", got=unknown[0], rule="unknown_name")
        part, place = np.divmod(given.astype(np.int64), self.manifest.part_size)
        group, row = np.divmod(place, ROWS_PER_GROUP)
        return part * self.groups_per_part + group, row

    # -- reading ------------------------------------------------------------------------------------------------

    def read_part(self, number: int, columns: Sequence[str] | None = None) -> pa.Table:
        """Read a part, or some of its columns, from disk."""
        names = self.validate_columns(columns)
        self._files.remove(number)
        with self._open_part(number) as file:
            return file.read(columns=names, use_threads=False)

    def read_group(self, number: int, columns: Sequence[str], *, cache: bool = True) -> pa.Table:
        """Read some columns of a row group."""
        self._refresh()
        key = (*divmod(number, self.groups_per_part), tuple(columns))
        found = self._groups.get(key)
        if found is not None:
            return found
        with self._open_part(key[0]) as file:
            table = file.read_row_group(key[1], columns=list(columns), use_threads=False)
            if cache:
                self._groups.put(key, table, table.nbytes)
        return table

    def read_rows(self, numbers: Sequence[int] | NDArray[Any], columns: Sequence[str]) -> pa.Table:
        """Read the rows of some maps, in the given order; each row group is read once."""
        groups, rows = self.locate(numbers)
        if not len(rows):
            return pa.schema([self.schema.field(name) for name in columns]).empty_table()
        order = np.lexsort((rows, groups))
        cuts = np.flatnonzero(np.diff(groups[order])) + 1
        tables = [
            self.read_group(int(groups[some[0]]), columns).take(pa.array(rows[some])) for some in np.split(order, cuts)
        ]
        inverse = np.empty(len(order), dtype=np.int64)
        inverse[order] = np.arange(len(order))
        return pa.concat_tables(tables).take(pa.array(inverse))

    @contextmanager
    def _open_part(self, number: int) -> Iterator[pq.ParquetFile]:
        """Open a part for one reader at a time. Raise BadFile if the part is damaged."""
        self._refresh()
        with self._lock, self.translate_errors(number):
            file = self._files.get(number)
            if file is None:
                file = self._open_file(number)
            yield file

    @contextmanager
    def translate_errors(self, part: int) -> Iterator[None]:
        """Convert exceptions that a damaged part causes to a one-line error."""
        try:
            yield
        except TilewrightError:
            raise
        except PermissionError as error:
            at = self._describe_part(part)
            raise BadFile(f"{at} cannot be read ({error.strerror})", at=at, place="") from None
        except (pa.ArrowException, OSError, ValueError):
            self._files.remove(part)
            at = self._describe_part(part)
            raise BadFile(f"{at} is damaged; `corpus repair --remake` regenerates it", at=at, place="") from None

    def _open_file(self, number: int) -> pq.ParquetFile:
        if self.folder.is_local:
            # No memory map: it would not be faster, and the process would crash if the file is truncated.
            source: Any = self.folder.path(PARTS, part_name(number))
            size = 0
            missing = not os.path.exists(source)
        else:
            content = self.folder.read(PARTS, part_name(number))
            missing = content is None
            source = pa.BufferReader(content or b"")
            size = len(content or b"")
        if missing:
            raise BadFile(f"part {number} is not generated yet; `corpus make` continues", at=self.folder)
        file = pq.ParquetFile(source, pre_buffer=False, page_checksum_verification=True)
        rows = len(self.manifest.maps_of(number))
        columns = [(field.name, field.type) for field in file.schema_arrow]
        wanted = [(field.name, field.type) for field in self.schema]
        if (file.metadata.num_rows, file.num_row_groups) != (rows, -(-rows // ROWS_PER_GROUP)) or columns != wanted:
            raise ValueError
        if (file.metadata.metadata or {}).get(METADATA) != self.schema.metadata[METADATA]:
            at = self._describe_part(number)
            raise BadFile(f"{at} belongs to another corpus; `corpus repair --remake` regenerates it", at=at, place="")
        self._files.put(number, file, size)
        return file

    def _describe_part(self, part: int) -> str:
        return f"{self.folder}: {PARTS}/{part_name(part)}"

    def _refresh(self) -> None:
        """Reset files and locks in a forked process."""
        if self._process != os.getpid():
            self._reset()


def as_numbers(column: pa.ChunkedArray) -> NDArray[np.float64]:
    """Return a column as floats, with NaN for missing values."""
    numbers: NDArray[np.float64] = column.cast(pa.float64()).to_numpy(zero_copy_only=False)
    return numbers


def as_digests(column: pa.ChunkedArray) -> NDArray[Any]:
    """Return a column of digests as an array that can be sorted and compared."""
    return np.array(column.to_pylist(), dtype="S32")
