"""The folder of an archive: manifest.json, elites.parquet and rounds.jsonl.

`elites.parquet` has one row per elite and, in its metadata, the state of the search between two rounds. It is written
last, so that a killed search continues with the round after the last checkpoint and makes the same files.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import Field

from ..core.errors import BadFile, InvalidRecipe, TilewrightError
from ..core.provenance import digest
from ..core.stored import StoredData, parse_stored_json
from ..core.tilemap import TileMap
from ..corpus.manifest import OWN_COLUMNS
from ..corpus.parts import compress_cells, decompress_cells
from ..jobs import refuse_without_packages
from ..jobs.definition import list_differences, refuse_another
from ..jobs.folder import MANIFEST, Folder
from ..jobs.tables import ROWS_PER_GROUP, encode_table
from .archive import EMPTY, Archive
from .definition import MAX_EVALUATIONS, Definition
from .evaluation import find_tileset
from .genome import SeedGene
from .rounds import Search

ELITES, ROUNDS = "elites.parquet", "rounds.jsonl"
LAST_COLUMNS = ("objective", "cell", "parents", "emitter", "genome")
"""Columns that follow the genes and the measures."""
STATE = b"tilewright"
EXTENDABLE = ("evaluations", "tilewright", "revisions")
"""Keys of a manifest in which two runs of the same search may differ."""


Count = Annotated[int, Field(ge=0, lt=2**63)]


class ArchiveState(StoredData):
    """The state of a search between two rounds, except for its elites."""

    rounds: Count
    evaluations: Count
    out_of_range: Count
    failures: dict[str, Count]
    tries: list[Annotated[float, Field(le=MAX_EVALUATIONS)]]
    """Number of recent solutions of each emitter; see `Bandit`."""
    successes: list[Annotated[float, Field(ge=0)]]
    """Number of those that became elites."""

    def check_emitters(self, definition: Definition) -> None:
        """Raise InvalidRecipe if the state belongs to a search with other emitters."""
        numbers = [*zip(self.tries, self.successes, strict=False)]
        sizes = {len(self.tries), len(self.successes), len(definition.emitters)}
        if len(sizes) > 1 or any(good > tried for tried, good in numbers):
            raise InvalidRecipe("the state of a search with other emitters")


class ArchiveFolder(Folder):
    """The folder of an archive."""

    # -- reading --------------------------------------------------------------------------------------------------

    def read_search(self) -> Search | None:
        """Return the search of the folder after its last checkpoint, or None for an empty folder."""
        definition = self.read_description(MANIFEST, "archive", Definition.from_text)
        if definition is None:
            return None
        search = Search(definition)
        content = self.read(ELITES)
        if content is not None:
            self._restore(search, content)
        return search

    def _restore(self, search: Search, content: bytes) -> None:
        """Restore the archive and the records from the files of a folder."""
        try:
            file = pq.ParquetFile(pa.BufferReader(content), pre_buffer=False, page_checksum_verification=True)
            table = file.read(use_threads=False)  # Threads of Arrow can abort the process while it exits.
            state = ArchiveState.from_json((table.schema.metadata or {})[STATE])
            state.check_emitters(search.definition)
            lines = (self.read(ROUNDS) or b"").splitlines()[: state.rounds]
            records = [parse_stored_json(line) for line in lines]
            if len(records) < state.rounds:
                raise BadFile(f"{ROUNDS} is damaged; delete {ELITES}, and `search resume` starts over", at=self.address)
            archive = _read_archive(search.definition, table, state)
        except BadFile:
            raise
        except (TilewrightError, pa.ArrowException, OSError, LookupError, TypeError, ValueError, OverflowError):
            text = f"{ELITES} is damaged; delete it, and `search resume` makes the same archive again"
            raise BadFile(text, at=self.address) from None
        archive.folder = self.address
        search.archive, search.records = archive, records
        search.bandit.tries, search.bandit.successes = state.tries, state.successes

    # -- checks ---------------------------------------------------------------------------------------------------

    def check_same(self, wanted: Definition, found: Definition) -> None:
        """Raise BadFile if the folder contains another search than the wanted one."""
        mine, other = json.loads(found.text), json.loads(wanted.text)
        for name, axis in other["measures"].items():  # The first round has determined missing ranges.
            if axis[0] is None and name in mine["measures"] and mine["measures"][name][2:] == axis[2:]:
                other["measures"][name] = mine["measures"][name]
        differ = list_differences(mine, other, *EXTENDABLE)
        refuse_another("search", f"it differs in {', '.join(differ)}" if differ else "", self.address)

    # -- writing --------------------------------------------------------------------------------------------------

    def write_search(self, search: Search) -> None:
        """Write a checkpoint."""
        assert search.archive is not None
        text = search.definition.text.encode()
        if self.read(MANIFEST) != text:
            self.write(text, MANIFEST, durable=True)
        lines = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in search.records)
        self.write(lines.encode(), ROUNDS, durable=True)
        self.write(_write_archive(search), ELITES, durable=True)


def count_evaluations(address: str) -> int:
    """Return the number of evaluations that a folder contains; 0 if it contains no archive."""
    try:
        search = ArchiveFolder(address).read_search()
    except BadFile:
        return 0
    return 0 if search is None or search.archive is None else search.archive.evaluations


@contextmanager
def open_folder(address: str) -> Iterator[ArchiveFolder]:
    """Open a folder for writing, so that no other process on this machine writes to it."""
    refuse_without_packages()
    found = ArchiveFolder(address)
    found.read_search()  # Folders with other content are refused before anything is written.
    with found.lock():
        yield found


# -- tables -----------------------------------------------------------------------------------------------------


def _write_archive(search: Search) -> bytes:
    """Return the elites as a Parquet file, in the order of their cells."""
    archive, definition = search.archive, search.definition
    assert archive is not None
    rows = archive.sorted_rows
    values = definition.genome.decode(archive.rows.units[rows])
    columns = _own_columns(archive, [definition.seed_of(genes) for genes in values])
    columns |= _gene_columns(definition, values)
    for at, name in enumerate(definition.measures):
        columns[_column_name(name, columns)] = pa.array(archive.rows.measures[rows, at], from_pandas=True)
    bins = np.unravel_index(archive.rows.cell[rows], archive.shape)
    columns["objective"] = pa.array(archive.rows.objective[rows])
    columns["cell"] = pa.array(np.stack(bins, axis=1).astype(np.int32).tolist(), pa.list_(pa.int32()))
    parents = [[one for one in pair if one >= 0] for pair in archive.rows.parents[rows].tolist()]
    columns["parents"] = pa.array(parents, pa.list_(pa.int64()))
    columns["emitter"] = pa.array([definition.emitters[at] for at in archive.rows.emitter[rows].tolist()], pa.string())
    columns["genome"] = pa.array(archive.rows.units[rows].tolist(), pa.list_(pa.float64()))
    state = ArchiveState(
        rounds=search.round,
        evaluations=archive.evaluations,
        out_of_range=archive.out_of_range,
        failures=archive.failures,
        tries=search.bandit.tries,
        successes=search.bandit.successes,
    )
    text = json.dumps(state.model_dump(), ensure_ascii=False)
    table = pa.table(columns).replace_schema_metadata({STATE: text.encode()})
    return encode_table(table, row_group_size=ROWS_PER_GROUP, use_dictionary=["emitter"])


def _own_columns(archive: Archive, seeds: list[str]) -> dict[str, Any]:
    """Return the columns that every corpus has, too."""
    rows = archive.sorted_rows
    tileset = find_tileset(archive.definition)
    maps = [TileMap(archive.contents[row], tileset) for row in rows.tolist()]
    values: dict[str, list[Any]] = {
        "id": archive.rows.number[rows].tolist(),
        "seed": seeds,
        "digest": [digest(map) for map in maps],
        "levels": [map.shape[0] if len(map.shape) == 3 else 1 for map in maps],
        "height": [map.shape[-2] for map in maps],
        "width": [map.shape[-1] for map in maps],
        "cells": [compress_cells(map.cells) for map in maps],
        "reason": [None] * len(maps),
    }
    return {name: pa.array(values[name], kind) for name, (kind, _) in OWN_COLUMNS.items()}


def _gene_columns(definition: Definition, values: list[tuple[Any, ...]]) -> dict[str, Any]:
    """Return a column for each gene except the seed, which is a column of every corpus."""
    found: dict[str, Any] = {}
    for at, gene in enumerate(definition.genome.genes):
        if isinstance(gene, SeedGene):
            continue
        genes = [row[at] for row in values]
        plain = all(isinstance(one, bool | int | float | list) or one is None for one in gene.ends())
        found[_column_name(gene.name, found)] = pa.array(genes if plain else [str(one) for one in genes])
    return found


def _column_name(name: str, others: Mapping[str, Any]) -> str:
    """Return the name of a column for a gene or measure; `params_width` if a column `width` exists already."""
    return f"params_{name}" if name in others or name in OWN_COLUMNS or name in LAST_COLUMNS else name


def _read_archive(definition: Definition, table: pa.Table, state: ArchiveState) -> Archive:
    """Restore an archive from its table. Raise ValueError if the table does not fit the definition."""
    archive = Archive(definition, state.evaluations, state.out_of_range, state.failures)
    genes = _gene_columns(definition, [])
    tileset = find_tileset(definition)
    names = {name: at for at, name in enumerate(definition.emitters)}
    rows = table.to_pylist()
    for row in rows:
        cell = int(np.ravel_multi_index(tuple(row["cell"]), archive.shape))
        if archive.row_of_cell[cell] != EMPTY or len(row["genome"]) != definition.genome.slots:
            raise ValueError("two elites in one cell, or genomes of another search")
        at = archive.add_row(cell)
        shape = (row["height"], row["width"]) if row["levels"] == 1 else (row["levels"], row["height"], row["width"])
        archive.contents[at] = decompress_cells(row["cells"], shape, tileset.dtype)
        archive.rows.number[at] = row["id"]
        archive.rows.objective[at] = row["objective"]
        numbers = [row[_column_name(name, genes)] for name in definition.measures]
        archive.rows.measures[at] = [np.nan if number is None else number for number in numbers]
        units = np.array(row["genome"], dtype=np.float64)
        if not ((units >= 0) & (units <= 1)).all():
            raise ValueError("a genome outside of the unit cube")
        archive.rows.units[at] = units
        parents = row["parents"]
        archive.rows.parents[at] = [*parents, EMPTY, EMPTY][:2]
        archive.rows.emitter[at] = names[row["emitter"]]
    return archive
