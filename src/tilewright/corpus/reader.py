"""Reading a corpus: single maps or batches, as arrays or `TileMap`s. The corpus need not fit in memory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..core.errors import BadFile, InvalidRecipe, UnknownName, pluralize
from ..core.params import check_integer
from ..core.pipeline import run
from ..core.provenance import digest
from ..core.seeds import Rng
from ..core.summary import MAX_CELLS, Example, Summarized, Summary
from ..core.tables import make_dataframe, make_dataset
from ..core.tilemap import TileMap
from ..core.tileset import Tileset
from ..jobs.folder import Folder
from .dataset import Dataset, make_samples
from .manifest import OWN_COLUMNS, Manifest, tileset_of
from .parts import PART, PARTS, decompress_cells, list_parts
from .rows import Rows
from .select import Split

if TYPE_CHECKING:
    from pandas import DataFrame
    from xarray import Dataset as ArrayDataset

MAX_SHUFFLED_GROUPS, MAX_SHUFFLED_BYTES = 16, 1 << 26
"""Number of row groups that are shuffled together, and their maximum size in bytes. If they are larger, fewer are
used."""
CELLS = ("id", "levels", "height", "width", "cells", "reason")
"""Columns needed to decode the cells of a map."""
MAX_EXAMPLES, MAX_MEASURED_PARTS = 12, 16
"""Number of maps that notebooks show, and of parts from which they show measures."""
BATCH_OF_ARRAYS = 4096
Ids = Sequence[int] | NDArray[np.integer[Any]]


@dataclass(frozen=True)
class Batch:
    """A batch of maps."""

    ids: NDArray[np.int64]
    cells: NDArray[Any] | list[NDArray[Any]]
    """Writable tile ids: an array (map, row, column) if all maps have the same size, else a list of arrays."""
    table: pa.Table
    """Requested columns, with one row per id. By default, all columns except the cells."""


class Corpus(Summarized):
    """A corpus in a folder, complete or not.

    Maps have ids from 0. `corpus[7]` returns an array of tile ids, and `corpus.map(7)` regenerates the complete map. A
    corpus can be pickled and read by several processes, as PyTorch's DataLoader does with `num_workers`.

    Parameters
    ----------
    folder : str or path-like
        Folder or fsspec URL of the corpus.

    Raises
    ------
    BadFile
        If the folder contains no corpus.

    Examples
    --------
    >>> import tilewright as tw
    >>> recipe = tw.recipe("caves", width=12, height=8)
    >>> corpus = tw.corpus.make(recipe, "memory://caves", count=8, seed=7, measures=["regions"], workers=0)
    >>> Corpus("memory://caves")[7].shape
    (8, 12)
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Folder(os.fspath(folder))
        found = Manifest.from_folder(self.folder)
        if found is None:
            raise BadFile("contains no corpus", at=self.folder)
        self.manifest = found
        self._rows = Rows(self.folder, found)

    def __len__(self) -> int:
        """Return the number of maps of the complete corpus, including failed ones."""
        return self.manifest.count

    def _summarize(self) -> Summary:
        manifest = self.manifest
        swept = [f"swept {', '.join(axis.column for axis in manifest.sweep.axes)}"] if manifest.sweep.axes else []
        measured = [f"measures {', '.join(manifest.measures)}"] if manifest.measures else []
        return Summary(
            f"Corpus {self.folder}: {pluralize(len(self), 'map')} by {manifest.title}",
            [f"seed {manifest.seed}", "; ".join([*swept, *measured])],
            examples=self._list_examples,
            measures=self._read_measures,
            command=lambda: manifest.write_command("again"),
        )

    def _list_examples(self) -> list[Example]:
        from ._pictures import sample_ids

        rows = self.rows(sample_ids(self, MAX_EXAMPLES), [*CELLS, "seed"]).to_pylist()
        small = [row for row in rows if row["levels"] * row["height"] * row["width"] <= MAX_CELLS]
        return [Example(TileMap(self._decode_cells(row), self.tileset), f"map {row['id']}") for row in small]

    def _read_measures(self) -> dict[str, NDArray[np.float64]]:
        """Return the measures of some parts."""
        names = self.numeric_columns()
        parts = self.parts[:: max(1, -(-len(self.parts) // MAX_MEASURED_PARTS))]
        tables = [self.part(number, names) for number in parts] if names else []
        return {name: pa.concat_tables(tables)[name].cast(pa.float64()).to_numpy() for name in names if tables}

    # -- tables -------------------------------------------------------------------------------------------------

    @cached_property
    def parts(self) -> list[int]:
        """Numbers of the existing parts."""
        return list_parts(self.folder)

    @property
    def size(self) -> int:
        """Size of all parts in bytes."""
        sizes = self.folder.list_sizes(PARTS)
        return sum(size for name, size in sizes.items() if PART.fullmatch(name))

    @property
    def is_complete(self) -> bool:
        return len(self.parts) == self.manifest.parts

    @property
    def columns(self) -> list[str]:
        """Names of all columns: properties of the map, swept parameters and measures."""
        return list(self._rows.schema.names)

    def numeric_columns(self, names: Sequence[str] | None = None) -> list[str]:
        """Return the names of numeric columns.

        Parameters
        ----------
        names : sequence of str, optional
            Columns to validate; all numeric swept parameters and measures by default.

        Raises
        ------
        InvalidRecipe
            If a column is not numeric.
        UnknownName
            If there is no such column.
        """
        swept_and_measured = [field for field in self._rows.schema if field.name not in OWN_COLUMNS]
        fits = [field.name for field in swept_and_measured if not pa.types.is_string(field.type)]
        if names is None:
            return fits
        known = [*fits, "height", "width", "levels"]
        for name in names:
            if name not in self.columns:
                raise UnknownName("column", name, known)
            if name not in known:
                raise InvalidRecipe(f"column {name!r} is not numeric; numeric columns are {', '.join(known)}")
        return self._rows.validate_columns(names)

    def part(self, number: int, columns: Sequence[str] | None = None) -> pa.Table:
        """Return a part as a table.

        Parameters
        ----------
        number : int
            Number of the part.
        columns : sequence of str, optional
            Columns to read; all by default.

        Returns
        -------
        pyarrow.Table

        Raises
        ------
        BadFile
            If the part is missing or damaged.
        """
        return self._rows.read_part(number, columns)

    def tables(self, columns: Sequence[str] | None = None, *, made: bool = False) -> Iterator[pa.Table]:
        """Yield one table per part.

        Parameters
        ----------
        columns : sequence of str, optional
            Columns to read; all except the cells by default.
        made : bool
            Whether to leave out failed maps.

        Yields
        ------
        pyarrow.Table
        """
        names = self._default_columns(columns)
        wanted = [*names, "reason"] if made and "reason" not in names else names
        for number in self.parts:
            table = self.part(number, wanted)
            yield (table.filter(pc.is_null(table["reason"])) if made else table).select(names)

    def table(self, columns: Sequence[str] | None = None) -> pa.Table:
        """Return all rows as one table, which must fit in memory.

        By default, the table has all columns except the cells.
        """
        empty = self._rows.schema.empty_table().select(self._default_columns(columns))
        return pa.concat_tables([empty, *self.tables(columns)])

    def to_dataframe(self, columns: Sequence[str] | None = None) -> DataFrame:
        """Return all rows as a DataFrame of pandas, which must fit in memory.

        Parameters
        ----------
        columns : sequence of str, optional
            Columns to read; all except the cells by default.

        Returns
        -------
        pandas.DataFrame

        Examples
        --------
        >>> import tilewright as tw
        >>> recipe = tw.recipe("caves", width=12, height=8)
        >>> corpus = tw.corpus.make(recipe, "memory://caves", count=8, seed=7, measures=["regions"], workers=0)
        >>> corpus.to_dataframe(["id", "regions"]).shape
        (8, 2)
        """
        table = self.table(columns)
        return make_dataframe({name: table[name].to_numpy() for name in table.column_names})

    def to_xarray(self, *, ids: Ids | None = None, columns: Sequence[str] | None = None) -> ArrayDataset:
        """Return maps as a Dataset of xarray: tile ids by map, row and column, and columns of each map.

        All maps must fit in memory and have the same size. The attribute `tiles` has the names of the tiles.

        Parameters
        ----------
        ids : sequence of int, optional
            Ids of the maps; all generated maps by default.
        columns : sequence of str, optional
            Columns to read; by default the seed, the swept parameters and the measures.

        Returns
        -------
        xarray.Dataset

        Raises
        ------
        InvalidRecipe
            If the maps differ in size, or there are none.

        Examples
        --------
        >>> import tilewright as tw
        >>> recipe = tw.recipe("caves", width=12, height=8)
        >>> corpus = tw.corpus.make(recipe, "memory://caves", count=8, seed=7, measures=["regions"], workers=0)
        >>> dict(corpus.to_xarray().sizes)
        {'map': 8, 'y': 8, 'x': 12}
        """
        own = [name for name in self.columns if name == "seed" or name not in OWN_COLUMNS]
        names = ["id", *(name for name in self._default_columns(own if columns is None else columns) if name != "id")]
        batches = list(self.batches(BATCH_OF_ARRAYS, ids=ids, columns=names))
        arrays = [one for batch in batches for one in batch.cells]
        if len({one.shape for one in arrays}) != 1:
            text = "the maps differ in size, so that no array can hold them" if arrays else "there are no maps"
            raise InvalidRecipe(text, at="ids", rule="type")
        table = pa.concat_tables([batch.table for batch in batches])
        facts = {"recipe": self.manifest.title, "seed": self.manifest.seed, "tilewright": self.manifest.tilewright}
        found = {name: table[name].to_numpy() for name in names}
        return make_dataset(np.stack(arrays), self.tileset, found, facts)

    def _default_columns(self, columns: Sequence[str] | None) -> list[str]:
        return self._rows.validate_columns(
            [name for name in self.columns if name != "cells"] if columns is None else columns
        )

    # -- maps ---------------------------------------------------------------------------------------------------

    @cached_property
    def tileset(self) -> Tileset:
        """Tileset of all maps, which defines the ids in cells."""
        return tileset_of(self.manifest)

    @cached_property
    def has_levels(self) -> bool:
        """Whether the maps are 3D, so that cells are arrays (level, row, column)."""
        return len(self.manifest.recipe_of(0).shape) == 3

    def row(self, number: int) -> dict[str, Any]:
        """Return all columns of one map."""
        return self._read_row(number, self.columns)

    def rows(self, ids: Ids, columns: Sequence[str] | None = None) -> pa.Table:
        """Return columns of the given maps, in the given order.

        Parameters
        ----------
        ids : sequence of int
            Ids of the maps.
        columns : sequence of str, optional
            Columns to read; all except the cells by default.

        Returns
        -------
        pyarrow.Table
        """
        return self._rows.read_rows(ids, self._default_columns(columns))

    def __getitem__(self, number: int) -> NDArray[Any]:
        """Return the tile ids of a map, as a writable array."""
        return self._decode_cells(self._read_row(number, CELLS))

    def map(self, number: int) -> TileMap:
        """Regenerate a map with its rooms and markers, and compare its cells with the stored cells.

        Raises
        ------
        BadFile
            If the regenerated map differs.
        """
        row = self.row(number)
        self._decode_cells(row)
        map = run(self.manifest.recipe_of(number))
        if digest(map) != row["digest"]:
            raise BadFile(
                f"map {number} differs now; it was generated by Tilewright {self.manifest.tilewright}", at=self.folder
            )
        return map

    def ids(self, split: str | None = None, *, shares: Mapping[str, float] | None = None) -> NDArray[np.int64]:
        """Return the ids of all generated maps, or of one set of a split.

        Parameters
        ----------
        split : str, optional
            Name of the set, such as "train".
        shares : mapping of str to float, optional
            Fractions of the sets; 0.8 train and 0.2 test by default.

        Returns
        -------
        ndarray of int
        """
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
        """Return an iterator over batches of maps. Failed maps are left out; each other map occurs exactly once.

        Parameters
        ----------
        size : int
            Number of maps in a batch.
        ids : sequence of int, optional
            Ids of the maps to read, in this order.
        shuffle : int or str, optional
            Seed of a random order; use a different seed for each epoch. Row groups are read in random order, and the
            maps of a few row groups are shuffled together.
        split : str, optional
            Name of the set to read, such as "train".
        shares : mapping of str to float, optional
            Fractions of the sets; 0.8 train and 0.2 test by default.
        columns : sequence of str, optional
            Columns of `Batch.table`; all except the cells by default.
        worker, workers : int
            Index of this worker and number of workers that share the maps.

        Returns
        -------
        iterator of Batch

        Examples
        --------
        >>> import tilewright as tw
        >>> recipe = tw.recipe("caves", width=12, height=8)
        >>> corpus = tw.corpus.make(recipe, "memory://caves", count=8, seed=7, measures=["regions"], workers=0)
        >>> [batch.cells.shape for batch in corpus.batches(5)]
        [(5, 8, 12), (3, 8, 12)]
        """
        check_integer("size", size)
        check_integer("workers", workers)
        check_integer("worker", worker, 0, workers - 1)
        if ids is not None and (shuffle is not None or split is not None or workers > 1):
            raise InvalidRecipe("cannot be combined with shuffle, split or workers", at="ids")
        names = self._default_columns(columns)
        read = list(dict.fromkeys([*CELLS, *names]))
        if ids is None:
            tables = _rebatch(
                self._iter_shuffled(read, shuffle, self._make_split_filter(split, shares), worker, workers), size
            )
        else:
            self._rows.locate(ids)
            tables = (self._rows.read_rows(ids[first : first + size], read) for first in range(0, len(ids), size))
        return (self._make_batch(table, names) for table in tables)

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
        """Return an iterator over batches of arrays for `torch.from_numpy`.

        Arrays are (map, row, column), or (map, tile, row, column) with `onehot`. With columns, each batch is a pair of
        the cells and the (map, column) values. Maps of different sizes are returned as lists.

        Parameters
        ----------
        batch : int
            Number of maps in a batch.
        columns : sequence of str
            Numeric columns to return with the maps.
        onehot : bool
            Whether to encode tiles as one-hot layers.
        shuffle, split, shares, worker, workers
            See `batches`.

        Returns
        -------
        iterator of ndarray, list or tuple
        """
        names = self.numeric_columns(columns)
        options: dict[str, Any] = {"shuffle": shuffle, "split": split, "shares": shares}
        found = self.batches(batch, columns=names, worker=worker, workers=workers, **options)
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
        """Return the generated maps, or one set of a split, as a dataset for PyTorch's DataLoader.

        Parameters
        ----------
        split : str, optional
            Name of the set, such as "train".
        shares : mapping of str to float, optional
            Fractions of the sets; 0.8 train and 0.2 test by default.
        ids : sequence of int, optional
            Ids of the maps, instead of a split.
        columns : sequence of str
            Numeric columns to return with each map.
        onehot : bool
            Whether to encode tiles as one-hot layers.
        transform : callable, optional
            Function applied to each sample.

        Returns
        -------
        Dataset
        """
        if ids is not None and split is not None:
            raise InvalidRecipe("cannot be combined with split", at="ids", rule="conflict")
        chosen = self.ids(split, shares=shares) if ids is None else np.asarray(ids)
        self._rows.locate(chosen)
        return Dataset(self, chosen, tuple(self.numeric_columns(columns)), onehot=onehot, transform=transform)

    def _make_split_filter(
        self, split: str | None, shares: Mapping[str, float] | None
    ) -> Callable[[pa.Table], pa.Table] | None:
        """Return a function that keeps the rows of one set of a split."""
        if split is None and shares is None:
            return None
        division = Split.of(shares)
        if split is None:
            raise InvalidRecipe(f"needs the name of a set, such as split={division.names[0]!r}", at="shares")
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
        """Yield rows of generated maps in order or, with a seed, in random order, a few row groups at a time."""
        read = [*columns, "digest"] if keep is not None and "digest" not in columns else columns
        groups = self._rows.groups_of(self.parts)
        rng = None if shuffle is None else Rng.of(shuffle).child("shuffle")
        if rng is not None:
            groups = groups[_random_order(rng, len(groups))]
        pending: list[pa.Table] = []
        own_groups = groups[worker::workers].tolist()
        for group in own_groups:
            table = self._rows.read_group(group, read, cache=False)
            table = table.filter(pc.is_null(table["reason"]))
            pending.append(table if keep is None else keep(table))
            full = len(pending) == MAX_SHUFFLED_GROUPS or sum(one.nbytes for one in pending) >= MAX_SHUFFLED_BYTES
            if rng is None or full or group == own_groups[-1]:
                table = pa.concat_tables(pending)
                pending = []
                yield table if rng is None else table.take(_random_order(rng.child("mix", group), len(table)))

    # -- rows as arrays -----------------------------------------------------------------------------------------

    def _read_row(self, number: int, columns: Sequence[str]) -> dict[str, Any]:
        if isinstance(number, bool) or not isinstance(number, int | np.integer):
            raise InvalidRecipe(f"must be from 0 to {len(self) - 1}", at="id", got=number, rule="unknown_name")
        (group,), (place,) = self._rows.locate([int(number)])
        table = self._rows.read_group(int(group), columns)
        return {name: table[name][int(place)].as_py() for name in columns}

    def _make_batch(self, table: pa.Table, names: Sequence[str]) -> Batch:
        cells = [self._decode_cells(row) for row in table.select(CELLS).to_pylist()]
        is_uniform = len({array.shape for array in cells}) == 1
        return Batch(table["id"].to_numpy(), np.stack(cells) if is_uniform else cells, table.select(names))

    def _decode_cells(self, row: Mapping[str, Any]) -> NDArray[Any]:
        if row["cells"] is None:
            raise InvalidRecipe(f"map {row['id']} failed: {row['reason']}")
        flat = (row["height"], row["width"])
        shape = flat if row["levels"] == 1 and not self.has_levels else (row["levels"], *flat)
        with self._rows.translate_errors(row["id"] // self.manifest.part_size):
            return decompress_cells(row["cells"], shape, np.dtype(self.tileset.dtype))


def _rebatch(tables: Iterator[pa.Table], size: int) -> Iterator[pa.Table]:
    """Combine the rows of many tables, and yield tables of `size` rows."""
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
