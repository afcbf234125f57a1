"""Reading a corpus: one map, many, or all in batches, as arrays or as maps."""

from __future__ import annotations

import io
import os
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from ..core.errors import BadFile, InvalidRecipe
from ..core.pipeline import run
from ..core.provenance import digest
from ..core.seeds import Rng
from ..core.tilemap import TileMap
from ..core.tileset import Tileset
from .manifest import Manifest
from .parts import schema_of, unpacked
from .store import PARTS, Folder, part_name

KEPT_BYTES = 1 << 27
"""Of parts that were read last, so that maps near each other come at once."""


@dataclass(frozen=True)
class Batch:
    """Some maps at once."""

    ids: NDArray[np.int64]
    cells: NDArray[Any] | list[NDArray[Any]]
    """(map, row, column) where all are of one size, else an array for each."""
    table: pa.Table
    """All columns but the cells, row by row as the ids."""


class Corpus:
    """A corpus that is there, or as much of it as is.

    Maps are named by their numbers, from 0 on. `corpus[7]` is an array of tile ids, `corpus.map(7)` the map itself.
    It can be pickled and read by several processes, as PyTorch's DataLoader does with `num_workers`.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Folder(os.fspath(folder))
        found = Manifest.in_folder(self.folder)
        if found is None:
            raise BadFile(f"{self.folder}: holds no corpus")
        self.manifest = found
        self._kept: OrderedDict[int, pa.Table] = OrderedDict()

    def __getstate__(self) -> dict[str, Any]:
        return {"folder": self.folder, "manifest": self.manifest, "_kept": OrderedDict()}

    def __len__(self) -> int:
        """How many maps it has when it is finished, those that could not be made among them."""
        return self.manifest.count

    def __repr__(self) -> str:
        return f"<Corpus {self.folder}: {len(self):,} maps by {self.manifest.recipe['technique']}>"

    # -- tables -------------------------------------------------------------------------------------------------

    @cached_property
    def parts(self) -> list[int]:
        """The numbers of the parts that are there."""
        return self.folder.parts()

    @property
    def is_complete(self) -> bool:
        return len(self.parts) == self.manifest.parts

    def part(self, number: int, columns: Sequence[str] | None = None) -> pa.Table:
        """A part as a table, all of it or some columns; a damaged one is named."""
        content = self.folder.read(PARTS, part_name(number))
        if content is None:
            raise BadFile(f"{self.folder}: part {number} is not there yet; `corpus make` goes on where it stopped")
        try:
            table = pq.read_table(io.BytesIO(content), columns=list(columns) if columns is not None else None)
            whole = table.num_rows == len(self.manifest.maps_of(number))
        except (pa.ArrowException, OSError, ValueError):
            whole = False
        if not whole:
            raise BadFile(f"{self.folder}: {PARTS}/{part_name(number)} is damaged; `corpus repair` makes it again")
        return table

    def table(self, columns: Sequence[str] | None = None) -> pa.Table:
        """All that is there, without the cells unless they are asked for."""
        names = [name for name in schema_of(self.manifest).names if name != "cells"] if columns is None else columns
        tables = [self.part(number, names) for number in self.parts]
        return pa.concat_tables(tables) if tables else schema_of(self.manifest).empty_table().select(names)

    # -- maps ---------------------------------------------------------------------------------------------------

    @cached_property
    def tileset(self) -> Tileset:
        """What the ids in cells stand for."""
        return self.manifest.recipe_of(0).tileset

    def row(self, number: int) -> dict[str, Any]:
        """Everything about one map."""
        if isinstance(number, bool) or not isinstance(number, int | np.integer) or not 0 <= number < len(self):
            raise InvalidRecipe(f"id: there are maps 0 to {len(self) - 1}, got {number!r}")
        part, place = divmod(int(number), self.manifest.part_size)
        found: dict[str, Any] = self._cached(part).slice(place, 1).to_pylist()[0]
        return found

    def __getitem__(self, number: int) -> NDArray[Any]:
        """The cells of a map: tile ids, an array of one's own."""
        return self._cells(self.row(number))

    def map(self, number: int) -> TileMap:
        """A map with everything that belongs to it, rooms and markers too: it is made again, and compared."""
        row = self.row(number)
        self._cells(row)
        map = run(self.manifest.recipe_of(number))
        if digest(map) != row["digest"]:
            raise BadFile(f"{self.folder}: map {number} is made otherwise now; it was made by {self.manifest.version}")
        return map

    def batches(
        self, size: int = 256, *, ids: Sequence[int] | None = None, shuffle: int | str | None = None
    ) -> Iterator[Batch]:
        """Maps in batches, part by part; maps that could not be made are left out.

        `ids` chooses some, in their order. `shuffle` is a seed: parts come in a random order, and maps in each.
        """
        if ids is not None:
            for first in range(0, len(ids), size):
                chosen = [self.row(number) for number in ids[first : first + size]]
                yield self._batch(pa.Table.from_pylist(chosen, schema=schema_of(self.manifest)))
            return
        rng = None if shuffle is None else Rng.of(shuffle)
        rest: pa.Table | None = None
        for part in self.parts if rng is None else rng.shuffled(self.parts):
            table = self.part(part)
            table = table.filter(pc.is_null(table["reason"]))
            if rng is not None:
                table = table.take(rng.shuffled(range(table.num_rows)))
            rest = table if rest is None else pa.concat_tables([rest, table])
            while rest.num_rows >= size:
                yield self._batch(rest.slice(0, size))
                rest = rest.slice(size)
        if rest is not None and rest.num_rows:
            yield self._batch(rest)

    def _batch(self, table: pa.Table) -> Batch:
        rows = table.to_pylist()
        cells = [self._cells(row) for row in rows]
        alike = len({array.shape for array in cells}) == 1
        ids = np.array([row["id"] for row in rows], dtype=np.int64)
        return Batch(ids, np.stack(cells) if alike else cells, table.drop_columns(["cells"]))

    def _cells(self, row: dict[str, Any]) -> NDArray[Any]:
        if row["cells"] is None:
            raise InvalidRecipe(f"map {row['id']} could not be made: {row['reason']}")
        flat = (row["height"], row["width"])
        shape = flat if row["levels"] == 1 and not self._has_levels else (row["levels"], *flat)
        return unpacked(row["cells"], shape, np.dtype(self.tileset.dtype))

    @cached_property
    def _has_levels(self) -> bool:
        return len(getattr(self.manifest.recipe_of(0).params, "shape", (1, 1))) == 3

    def _cached(self, number: int) -> pa.Table:
        if number in self._kept:
            self._kept.move_to_end(number)
        else:
            self._kept[number] = self.part(number)
            while len(self._kept) > 1 and sum(table.nbytes for table in self._kept.values()) > KEPT_BYTES:
                self._kept.popitem(last=False)
        return self._kept[number]
