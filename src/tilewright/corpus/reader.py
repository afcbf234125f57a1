"""Reading a corpus: one map, many, or all in batches, as arrays or as maps. Nothing ever needs all of it in memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..core.errors import BadFile, InvalidRecipe, UnknownName
from ..core.params import check_integer
from ..core.pipeline import run
from ..core.provenance import digest
from ..core.seeds import Rng
from ..core.tilemap import TileMap
from ..core.tileset import Tileset
from .dataset import Dataset, make_samples
from .manifest import OWN_COLUMNS, Manifest
from .parts import decompress_cells
from .rows import Rows
from .select import Split
from .store import Folder
from .tiles import tileset_of

MAX_SHUFFLED_GROUPS, MAX_SHUFFLED_BYTES = 16, 1 << 26
"""Groups of maps that are shuffled together, and no more once they take so many bytes."""
CELLS = ("id", "levels", "height", "width", "cells", "reason")
"""The columns that a map's cells are read from."""
Ids = Sequence[int] | NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Batch:
    """Some maps at once."""

    ids: NDArray[np.int64]
    cells: NDArray[Any] | list[NDArray[Any]]
    """(map, row, column) where all are of one size, else an array for each; one's own to write in."""
    table: pa.Table
    """The columns that were asked for, row by row as the ids; all but the cells unless told."""


class Corpus:
    """A corpus that is there, or as much of it as is.

    Maps are named by their numbers, from 0 on. `corpus[7]` is an array of tile ids, `corpus.map(7)` the map itself.
    It can be pickled and read by several processes, as PyTorch's DataLoader does with `num_workers`.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Folder(os.fspath(folder))
        found = Manifest.from_folder(self.folder)
        if found is None:
            raise BadFile("holds no corpus", at=self.folder)
        self.manifest = found
        self._rows = Rows(self.folder, found)

    def __len__(self) -> int:
        """How many maps it has when it is finished, those that could not be made among them."""
        return self.manifest.count

    def __repr__(self) -> str:
        return f"<Corpus {self.folder}: {len(self):,} maps by {self.manifest.recipe['technique']}>"

    # -- tables -------------------------------------------------------------------------------------------------

    @cached_property
    def parts(self) -> list[int]:
        """The numbers of the parts that are there."""
        return self.folder.list_parts()

    @property
    def is_complete(self) -> bool:
        return len(self.parts) == self.manifest.parts

    @property
    def columns(self) -> list[str]:
        """What is known of every map: its own columns, swept parameters, measures."""
        return list(self._rows.schema.names)

    def numeric_columns(self, names: Sequence[str] | None = None) -> list[str]:
        """Columns that hold numbers: those that are named, or all swept parameters and measures that do."""
        swept_and_measured = [field for field in self._rows.schema if field.name not in OWN_COLUMNS]
        fits = [field.name for field in swept_and_measured if not pa.types.is_string(field.type)]
        if names is None:
            return fits
        known = [*fits, "height", "width", "levels"]
        for name in names:
            if name not in self.columns:
                raise UnknownName("column", name, known)
            if name not in known:
                raise InvalidRecipe(f"column {name!r} holds no numbers; those that do are {', '.join(known)}")
        return self._rows.validate_columns(names)

    def part(self, number: int, columns: Sequence[str] | None = None) -> pa.Table:
        """A part as a table, all of it or some columns; a damaged one is named."""
        return self._rows.read_part(number, columns)

    def tables(self, columns: Sequence[str] | None = None, *, made: bool = False) -> Iterator[pa.Table]:
        """Part by part, some columns, or all but the cells; on request only of maps that could be made."""
        names = self._default_columns(columns)
        wanted = [*names, "reason"] if made and "reason" not in names else names
        for number in self.parts:
            table = self.part(number, wanted)
            yield (table.filter(pc.is_null(table["reason"])) if made else table).select(names)

    def table(self, columns: Sequence[str] | None = None) -> pa.Table:
        """All that is there, without the cells unless they are asked for. It must fit into memory."""
        empty = self._rows.schema.empty_table().select(self._default_columns(columns))
        return pa.concat_tables([empty, *self.tables(columns)])

    def _default_columns(self, columns: Sequence[str] | None) -> list[str]:
        return self._rows.validate_columns(
            [name for name in self.columns if name != "cells"] if columns is None else columns
        )

    # -- maps ---------------------------------------------------------------------------------------------------

    @cached_property
    def tileset(self) -> Tileset:
        """What the ids in cells stand for, in all of its maps."""
        return tileset_of(self.manifest)

    @cached_property
    def has_levels(self) -> bool:
        """Whether its maps have levels: then cells are (level, row, column)."""
        return len(self.manifest.recipe_of(0).shape) == 3

    def row(self, number: int) -> dict[str, Any]:
        """Everything about one map."""
        return self._read_row(number, self.columns)

    def rows(self, ids: Ids, columns: Sequence[str] | None = None) -> pa.Table:
        """Columns of these maps, in this order; all but the cells unless told."""
        return self._rows.read_rows(ids, self._default_columns(columns))

    def __getitem__(self, number: int) -> NDArray[Any]:
        """The cells of a map: tile ids, an array of one's own."""
        return self._decode_cells(self._read_row(number, CELLS))

    def map(self, number: int) -> TileMap:
        """A map with everything that belongs to it, rooms and markers too: it is made again, and compared."""
        row = self.row(number)
        self._decode_cells(row)
        map = run(self.manifest.recipe_of(number))
        if digest(map) != row["digest"]:
            raise BadFile(f"map {number} is made otherwise now; it was made by {self.manifest.version}", at=self.folder)
        return map

    def ids(self, split: str | None = None, *, shares: Mapping[str, float] | None = None) -> NDArray[np.int64]:
        """The numbers of all maps that could be made, or of those on one side of a split."""
        keep = self._make_split_filter(split, shares)
        tables = self.tables(["id", "digest", "reason"], made=True)
        found = [table["id"].to_numpy() for table in (tables if keep is None else map(keep, tables))]
        return np.concatenate([np.empty(0, dtype=np.int64), *found])

    # -- many maps ----------------------------------------------------------------------------------------------

    def batches(
        self,
        size: int = 256,
        *,
        ids: Ids | None = None,
        shuffle: int | str | None = None,
        split: str | None = None,
        shares: Mapping[str, float] | None = None,
        columns: Sequence[str] | None = None,
        worker: int = 0,
        workers: int = 1,
    ) -> Iterator[Batch]:
        """Maps in batches; those that could not be made are left out, all others come exactly once.

        `ids` chooses some, in their order. `shuffle` is a seed, a new one for every round: groups of maps come in a
        random order, and are mixed with some others. `split` is one side of `shares` (train and test by default).
        Several workers, numbered from 0, share the maps.
        """
        check_integer("size", size)
        check_integer("workers", workers)
        check_integer("worker", worker, 0, workers - 1)
        if ids is not None and (shuffle is not None or split is not None or workers > 1):
            raise InvalidRecipe("come in the order they are given; leave shuffle, split and workers out", at="ids")
        names = self._default_columns(columns)
        read = list(dict.fromkeys([*CELLS, *names]))
        if ids is None:
            some = _rebatch(
                self._iter_shuffled(read, shuffle, self._make_split_filter(split, shares), worker, workers), size
            )
        else:
            self._rows.locate(ids)
            some = (self._rows.read_rows(ids[first : first + size], read) for first in range(0, len(ids), size))
        return (self._make_batch(table, names) for table in some)

    def stream(
        self,
        batch: int = 64,
        *,
        columns: Sequence[str] = (),
        onehot: bool = False,
        shuffle: int | str | None = None,
        split: str | None = None,
        shares: Mapping[str, float] | None = None,
        worker: int = 0,
        workers: int = 1,
    ) -> Iterator[Any]:
        """Batches of cells as `torch.from_numpy` takes them: (map, row, column), or (map, tile, row, column) of ones.

        With columns, pairs of cells and numbers (map, column). Maps of several sizes come as lists. `batches` tells
        the rest.
        """
        names = self.numeric_columns(columns)
        how: dict[str, Any] = {"shuffle": shuffle, "split": split, "shares": shares}
        found = self.batches(batch, columns=names, worker=worker, workers=workers, **how)
        return (make_samples(one.cells, one.table, columns, len(self.tileset) if onehot else 0) for one in found)

    def dataset(
        self,
        split: str | None = None,
        *,
        shares: Mapping[str, float] | None = None,
        ids: Ids | None = None,
        columns: Sequence[str] = (),
        onehot: bool = False,
        transform: Callable[[Any], Any] | None = None,
    ) -> Dataset:
        """The maps that could be made, or one side of a split, for PyTorch's DataLoader."""
        if ids is not None and split is not None:
            raise InvalidRecipe("are chosen already; leave split out", at="ids", rule="conflict")
        chosen = self.ids(split, shares=shares) if ids is None else np.asarray(ids)
        self._rows.locate(chosen)
        return Dataset(self, chosen, tuple(self.numeric_columns(columns)), onehot=onehot, transform=transform)

    def _make_split_filter(
        self, split: str | None, shares: Mapping[str, float] | None
    ) -> Callable[[pa.Table], pa.Table] | None:
        """What keeps the rows on one side of a split."""
        if split is None and shares is None:
            return None
        division = Split.of(shares)
        if split is None:
            raise InvalidRecipe(f"name the side too, split={division.names[0]!r}", at="shares")
        side = division.side_index(split)
        return lambda table: table.filter(pa.array(division.assign_sides(table["digest"]) == side))

    def _iter_shuffled(
        self,
        columns: Sequence[str],
        shuffle: int | str | None,
        keep: Callable[[pa.Table], pa.Table] | None,
        worker: int,
        workers: int,
    ) -> Iterator[pa.Table]:
        """Rows of maps that could be made, in order, or some groups at a time in a random one."""
        read = [*columns, "digest"] if keep is not None and "digest" not in columns else columns
        groups = self._rows.groups_of(self.parts)
        rng = None if shuffle is None else Rng.of(shuffle).child("shuffle")
        if rng is not None:
            groups = groups[_random_order(rng, len(groups))]
        waiting: list[pa.Table] = []
        mine = groups[worker::workers].tolist()
        for group in mine:
            table = self._rows.read_group(group, read, cache=False)
            table = table.filter(pc.is_null(table["reason"]))
            waiting.append(table if keep is None else keep(table))
            full = len(waiting) == MAX_SHUFFLED_GROUPS or sum(one.nbytes for one in waiting) >= MAX_SHUFFLED_BYTES
            if rng is None or full or group == mine[-1]:
                table = pa.concat_tables(waiting)
                waiting = []
                yield table if rng is None else table.take(_random_order(rng.child("mix", group), len(table)))

    # -- rows as arrays -----------------------------------------------------------------------------------------

    def _read_row(self, number: int, columns: Sequence[str]) -> dict[str, Any]:
        if isinstance(number, bool) or not isinstance(number, int | np.integer):
            raise InvalidRecipe(f"there are maps 0 to {len(self) - 1}", at="id", got=number, rule="unknown_name")
        (group,), (place,) = self._rows.locate([int(number)])
        table = self._rows.read_group(int(group), columns)
        return {name: table[name][int(place)].as_py() for name in columns}

    def _make_batch(self, table: pa.Table, names: Sequence[str]) -> Batch:
        cells = [self._decode_cells(row) for row in table.select(CELLS).to_pylist()]
        alike = len({array.shape for array in cells}) == 1
        return Batch(table["id"].to_numpy(), np.stack(cells) if alike else cells, table.select(names))

    def _decode_cells(self, row: Mapping[str, Any]) -> NDArray[Any]:
        if row["cells"] is None:
            raise InvalidRecipe(f"map {row['id']} could not be made: {row['reason']}")
        flat = (row["height"], row["width"])
        shape = flat if row["levels"] == 1 and not self.has_levels else (row["levels"], *flat)
        with self._rows.translate_errors(row["id"] // self.manifest.part_size):
            return decompress_cells(row["cells"], shape, np.dtype(self.tileset.dtype))


def _rebatch(tables: Iterator[pa.Table], size: int) -> Iterator[pa.Table]:
    """The rows of many tables, so many at a time."""
    rest: pa.Table | None = None
    for table in tables:
        rest = table if rest is None or not rest.num_rows else pa.concat_tables([rest, table])
        while rest.num_rows >= size:
            yield rest.slice(0, size)
            rest = rest.slice(size)
    if rest is not None and rest.num_rows:
        yield rest


def _random_order(rng: Rng, count: int) -> NDArray[np.int64]:
    return np.argsort(rng.randoms(count), kind="stable")
