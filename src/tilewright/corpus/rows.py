"""Rows of a corpus: some of them, without reading the others. What was read last is kept, up to a limit."""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Any, Generic, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from ..core.errors import BadFile, InvalidRecipe, TilewrightError, UnknownName
from .manifest import Manifest
from .parts import METADATA, ROWS_TOGETHER, schema_of
from .store import PARTS, Folder, part_name

KEPT_BYTES = 1 << 26
"""Of groups that were read last, and as much again of whole files where the folder lies far away."""
OPEN_FILES = 128
Key = TypeVar("Key")
Value = TypeVar("Value")


class Rows:
    """The parts of a corpus as one long table that is read a group of rows at a time.

    It can be used by several threads, pickled, and taken along into a forked process.
    """

    def __init__(self, folder: Folder, manifest: Manifest) -> None:
        self.folder = folder
        self.manifest = manifest
        self.schema = schema_of(manifest)
        self._begin()

    def __getstate__(self) -> tuple[Folder, Manifest]:
        return self.folder, self.manifest

    def __setstate__(self, state: tuple[Folder, Manifest]) -> None:
        self.__init__(*state)  # type: ignore[misc]

    def _begin(self) -> None:
        self._process = os.getpid()
        self._lock = Lock()
        self._files: Kept[int, pq.ParquetFile] = Kept()
        self._groups: Kept[tuple[int, int, tuple[str, ...]], pa.Table] = Kept()

    # -- columns ------------------------------------------------------------------------------------------------

    def checked(self, columns: Sequence[str] | None) -> list[str]:
        """The names of columns that there are; without any, of all."""
        if columns is None:
            return list(self.schema.names)
        if isinstance(columns, str):
            raise InvalidRecipe("must be a list of names", at="columns", got=columns, rule="type")
        for name in columns:
            if name not in self.schema.names:
                raise UnknownName("column", name, self.schema.names)
        return list(dict.fromkeys(columns))

    # -- where a row is -----------------------------------------------------------------------------------------

    @property
    def groups_each(self) -> int:
        """Groups in a part; the last part may have fewer."""
        return -(-self.manifest.part_size // ROWS_TOGETHER)

    def groups_of(self, parts: Sequence[int]) -> NDArray[np.int64]:
        """The groups of some parts, numbered through all that the corpus has in the end."""
        found = [
            np.arange(-(-len(self.manifest.maps_of(part)) // ROWS_TOGETHER), dtype=np.int64) + part * self.groups_each
            for part in parts
        ]
        return np.concatenate(found) if found else np.empty(0, dtype=np.int64)

    def places(self, numbers: Sequence[int] | NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """For each map its group, and its row there; a map that there is not is told."""
        given = np.asarray(numbers)
        last = self.manifest.count - 1
        whole = given.ndim == 1 and (given.dtype.kind in "iu" or not len(given))
        strange = given[(given < 0) | (given > last)].tolist() if whole else [numbers]
        if strange:
            raise InvalidRecipe(f"there are maps 0 to {last}", at="id", got=strange[0], rule="unknown_name")
        part, place = np.divmod(given.astype(np.int64), self.manifest.part_size)
        group, row = np.divmod(place, ROWS_TOGETHER)
        return part * self.groups_each + group, row

    # -- reading ------------------------------------------------------------------------------------------------

    def part(self, number: int, columns: Sequence[str] | None = None) -> pa.Table:
        """A part, or some columns of it, as it lies there now."""
        names = self.checked(columns)
        self._files.forget(number)
        with self._reading(number) as file:
            return file.read(columns=names, use_threads=False)

    def group(self, number: int, columns: Sequence[str], *, keep: bool = True) -> pa.Table:
        """Some columns of a group."""
        self._refresh()
        key = (*divmod(number, self.groups_each), tuple(columns))
        with self._lock:
            found = self._groups.find(key)
        if found is not None:
            return found
        with self._reading(key[0]) as file:
            table = file.read_row_group(key[1], columns=list(columns), use_threads=False)
            if keep:
                self._groups.keep(key, table, table.nbytes, KEPT_BYTES)
        return table

    def rows(self, numbers: Sequence[int] | NDArray[Any], columns: Sequence[str]) -> pa.Table:
        """The rows of these maps, in this order; every group is read once."""
        groups, rows = self.places(numbers)
        order = np.lexsort((rows, groups))
        cuts = np.flatnonzero(np.diff(groups[order])) + 1
        tables = [
            self.group(int(groups[some[0]]), columns).take(pa.array(rows[some])) for some in np.split(order, cuts)
        ]
        back = np.empty(len(order), dtype=np.int64)
        back[order] = np.arange(len(order))
        return pa.concat_tables(tables).take(pa.array(back))

    @contextmanager
    def _reading(self, number: int) -> Iterator[pq.ParquetFile]:
        """An open part, one reader at a time; a damaged one is named."""
        self._refresh()
        with self._lock, self.telling(number):
            file = self._files.find(number)
            if file is None:
                file = self._opened(number)
            yield file

    @contextmanager
    def telling(self, part: int) -> Iterator[None]:
        """Whatever comes of a damaged part is told in one line."""
        try:
            yield
        except TilewrightError:
            raise
        except PermissionError as error:
            at = self._place(part)
            raise BadFile(f"{at} cannot be read ({error.strerror})", at=at, place="") from None
        except (pa.ArrowException, OSError, ValueError):
            self._files.forget(part)
            at = self._place(part)
            raise BadFile(f"{at} is damaged; `corpus repair --remake` makes it again", at=at, place="") from None

    def _opened(self, number: int) -> pq.ParquetFile:
        if self.folder.is_local:
            # Not by a memory map: it is no faster, and a file that is cut off behind it would end the process.
            source: Any = self.folder.path(PARTS, part_name(number))
            size, most = 1, OPEN_FILES
            missing = not os.path.exists(source)
        else:
            content = self.folder.read(PARTS, part_name(number))
            missing = content is None
            source = pa.BufferReader(content or b"")
            size, most = len(content or b""), KEPT_BYTES
        if missing:
            raise BadFile(f"part {number} is not there yet; `corpus make` goes on where it stopped", at=self.folder)
        file = pq.ParquetFile(source, pre_buffer=False, page_checksum_verification=True)
        rows = len(self.manifest.maps_of(number))
        shape = (file.metadata.num_rows, file.num_row_groups, file.schema_arrow.names)
        if shape != (rows, -(-rows // ROWS_TOGETHER), self.schema.names):
            raise ValueError
        if (file.metadata.metadata or {}).get(METADATA) != self.schema.metadata[METADATA]:
            at = self._place(number)
            raise BadFile(f"{at} belongs to another corpus; `corpus repair --remake` makes it again", at=at, place="")
        self._files.keep(number, file, size, most)
        return file

    def _place(self, part: int) -> str:
        return f"{self.folder}: {PARTS}/{part_name(part)}"

    def _refresh(self) -> None:
        """A forked process has files and locks of its own."""
        if self._process != os.getpid():
            self._begin()


class Kept(Generic[Key, Value]):
    """What was used last, up to a total size."""

    def __init__(self) -> None:
        self._kept: OrderedDict[Key, tuple[Value, int]] = OrderedDict()
        self.size = 0

    def find(self, key: Key) -> Value | None:
        if key not in self._kept:
            return None
        self._kept.move_to_end(key)
        return self._kept[key][0]

    def keep(self, key: Key, value: Value, size: int, most: int) -> None:
        self.forget(key)
        self._kept[key] = value, size
        self.size += size
        while self.size > most and len(self._kept) > 1:
            self.forget(next(iter(self._kept)))

    def forget(self, key: Key) -> None:
        if key in self._kept:
            self.size -= self._kept.pop(key)[1]


def as_numbers(column: pa.ChunkedArray) -> NDArray[np.float64]:
    """A column as floats; what is missing is no number."""
    numbers: NDArray[np.float64] = column.cast(pa.float64()).to_numpy(zero_copy_only=False)
    return numbers


def as_digests(column: pa.ChunkedArray) -> NDArray[Any]:
    """A column of digests as an array that can be sorted and compared."""
    return np.array(column.to_pylist(), dtype="S32")
