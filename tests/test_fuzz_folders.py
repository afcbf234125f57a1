"""Fuzzing of everything that folders store: corpora, worlds, archives, searches over seeds and exports.

Each folder is a valid one in which a stored document or file is changed. All that reads the folder gives a result, or a
TilewrightError of one line that names the folder. See tests/test_fuzz.py.
"""

from __future__ import annotations

import json
import random
import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import tilewright as tw
from tests.jobs.programs import read_files
from tests.search.archives import make_cave_archive
from tests.test_fuzz import FACTOR, change, change_bytes, change_document, check_error, fuzz
from tilewright.corpus import Corpus, World, make, make_world, remake
from tilewright.corpus.query import find_ids
from tilewright.corpus.request import Request
from tilewright.engines import engine_registry
from tilewright.search.run import load
from tilewright.search.storage import ArchiveFolder, count_evaluations
from tilewright.seed_search.definition import SeekDefinition, SeekParams
from tilewright.seed_search.folder import SeekFolder, count_tested
from tilewright.seed_search.plan import make_seek_plan
from tilewright.seed_search.report import render_report
from tilewright.seed_search.result import FoundSeeds

SMALL = tw.recipe("caves", width=12, height=8)
SIZED = {"width": 12, "height": 8}
MAX_BATCH = 1000
Files = dict[str, bytes]
T = TypeVar("T")


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("folders")


class Changed:
    """A copy of a folder in which files are changed."""

    def __init__(self, folder: Path, files: Files, changes: Files) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        for name, content in {**files, **changes}.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        self.folder = folder

    def attempt(self, read: Callable[[], Any]) -> None:
        """Check that a function returns, or raises a TilewrightError."""
        try:
            read()
        except tw.TilewrightError as error:
            check_error(error)

    def open(self, read: Callable[[], T]) -> T | None:
        """Return the result of a function, or None after an error that names the folder."""
        try:
            return read()
        except tw.TilewrightError as error:
            found = error
        check_error(found)
        assert str(self.folder) in str(found)
        return None


def change_json(content: bytes, rng: random.Random) -> bytes:
    """Return a document with changed parts, or with changed bytes."""
    return (change_document if rng.randint(0, 3) else change_bytes)(content, rng)


def change_lines(content: bytes, rng: random.Random) -> bytes:
    """Return lines of JSON of which one is changed."""
    lines = content.splitlines(keepends=True)
    number = rng.randint(0, len(lines) - 1)
    lines[number] = change_json(lines[number], rng)
    return b"".join(lines)


def change_table(content: bytes, rng: random.Random) -> bytes:
    """Return a Parquet file with changed metadata, rows or bytes."""
    table = pq.read_table(pa.BufferReader(content))
    kind = rng.choice(["metadata", "rows", "columns", "bytes"])
    if kind == "bytes":
        return change_bytes(content, rng)
    if kind == "metadata":
        stored = table.schema.metadata or {b"tilewright": b"{}"}
        table = table.replace_schema_metadata({**stored, b"tilewright": change_json(stored[b"tilewright"], rng)})
    elif kind == "columns":
        table = table.drop_columns([rng.choice(table.column_names)])
    else:
        rows = table.to_pylist()
        try:
            table = pa.Table.from_pylist(change(rows, rng)).replace_schema_metadata(table.schema.metadata)
            return write_table(table)
        except (pa.ArrowException, TypeError, ValueError, LookupError, AttributeError, OverflowError):  # no table
            return content
    return write_table(table)


def write_table(table: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, write_page_checksum=True)
    return bytes(sink.getvalue())


# -- corpora ------------------------------------------------------------------------------------------------------


@cache
def write_corpus(folder: Path) -> Files:
    recipe = {**SMALL.to_data(), "sweep": {"walls": [0.4, 0.5]}, "require": {"floor_share": ">0.1"}, "tries": 1}
    make(recipe, folder, count=6, seed=7, measures=("regions",), workers=0)
    return read_files(folder)


@fuzz(150)
def test_corpora(here: Path, rng: random.Random) -> None:
    files = write_corpus(here / "corpus")
    name = rng.choice(["manifest.json", "manifest.json", "parts/part-000000.parquet"])
    change_part = change_json if name == "manifest.json" else change_table
    read_corpus(Changed(here / "changed corpus", files, {name: change_part(files[name], rng)}))


def read_corpus(changed: Changed) -> None:
    changed.attempt(lambda: Request.of(changed.folder))
    corpus = changed.open(lambda: Corpus(changed.folder))
    if corpus is not None:
        for read in (
            corpus.table,
            lambda: corpus[0],
            lambda: corpus.map(1),
            lambda: corpus.tileset,
            lambda: corpus.ids("train"),
            lambda: repr(corpus),
            lambda: find_ids(corpus, "regions > 1"),
        ):
            changed.attempt(read)
        if len(corpus) <= MAX_BATCH:
            changed.attempt(lambda: remake(corpus, corpus.parts))


# -- worlds -------------------------------------------------------------------------------------------------------


@cache
def write_world(folder: Path) -> Files:
    make_world("caves", folder, width=20, height=12, seed=7, chunk=8, workers=0)
    return read_files(folder)


@fuzz(150)
def test_worlds(here: Path, rng: random.Random) -> None:
    files = write_world(here / "world")
    name = rng.choice(["zarr.json", "zarr.json", "cells/c.0.0"])
    change_part = change_json if name == "zarr.json" else change_bytes
    read_world(Changed(here / "changed world", files, {name: change_part(files[name], rng)}))


def read_world(changed: Changed) -> None:
    world = changed.open(lambda: World(changed.folder))
    if world is not None:
        for read in (
            lambda: world.window(0, 0, 9, 9),
            lambda: world.recipe,
            lambda: repr(world),
            lambda: world.overview(world.levels[0], 0, 0, 2, 2),
        ):
            changed.attempt(read)
    changed.attempt(lambda: make_world("caves", changed.folder, width=20, height=12, seed=7, workers=0))


# -- archives -----------------------------------------------------------------------------------------------------


@cache
def write_archive(folder: Path) -> Files:
    make_cave_archive(12, 8, evaluations=32, batch=16, out=folder, workers=0)
    return read_files(folder)


ARCHIVE_PARTS: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "manifest.json": change_json,
    "rounds.jsonl": change_lines,
    "elites.parquet": change_table,
}


@fuzz(200)
def test_archives(here: Path, rng: random.Random) -> None:
    files = write_archive(here / "archive")
    name = rng.choice([*ARCHIVE_PARTS])
    read_archive(Changed(here / "changed archive", files, {name: ARCHIVE_PARTS[name](files[name], rng)}))


def read_archive(changed: Changed) -> None:
    assert count_evaluations(str(changed.folder)) >= 0
    archive = changed.open(lambda: load(changed.folder))
    search = changed.open(lambda: ArchiveFolder(str(changed.folder)).read_search())
    if archive is None or search is None:
        return
    changed.attempt(lambda: [(elite.values, elite.recipe) for elite in archive])
    changed.attempt(lambda: archive.best.map)
    if search.definition.batch <= MAX_BATCH:
        changed.attempt(search.propose)
        ArchiveFolder(str(changed.folder)).write_search(search)
        assert ArchiveFolder(str(changed.folder)).read_search() is not None


# -- searches over seeds ------------------------------------------------------------------------------------------

SEEK: dict[str, Any] = {
    "seeds": "0..39",
    "require": {"regions": "<9", "dead_ends": "most"},
    "measures": ["floor_share"],
    "keep": 3,
}


@cache
def write_seek(folder: Path) -> Files:
    tw.seek(SMALL, **SEEK, out=folder, workers=0)
    return read_files(folder)


@fuzz(200)
def test_searches_over_seeds(here: Path, rng: random.Random) -> None:
    files = write_seek(here / "seek")
    name = rng.choice(["manifest.json", "state.json", "state.json"])
    read_seek(Changed(here / "changed seek", files, {name: change_json(files[name], rng)}))


def read_seek(changed: Changed) -> None:
    store = SeekFolder(str(changed.folder))
    assert count_tested(str(changed.folder)) >= 0
    definition = SeekDefinition.of(SMALL, SeekParams.validate(SEEK))
    plan = changed.open(lambda: store.find_plan(definition, make_seek_plan(definition)))
    state = changed.open(lambda: store.read_state(definition, plan)) if plan else None
    if state is not None:
        found = FoundSeeds(state, ("",) * len(state.kept.seeds))
        for show in (state.to_text, found.to_csv, found.chart, lambda: render_report(found)):
            show()


# -- exports ------------------------------------------------------------------------------------------------------


@cache
def write_export(folder: Path, engine: str) -> Files:
    tw.export_project(SMALL, folder, engine=engine, count=2, seed=7)
    return read_files(folder)


@pytest.mark.parametrize("engine", sorted(entry.name for entry in engine_registry))
@fuzz(60)
def test_exports(here: Path, engine: str, rng: random.Random) -> None:
    files = write_export(here / engine, engine)
    name = "tilewright-export.json"
    foreign = {"mine.txt": b"mine", "levels/mine.txt": b"mine"}
    changed = Changed(here / f"changed {engine}", files, {name: change_json(files[name], rng), **foreign})
    edited: Any = rng.choice(["refuse", "keep", "replace"])
    changed.open(lambda: tw.export_project(SMALL, changed.folder, engine=engine, count=1, seed=7, edited=edited))
    assert {name: (changed.folder / name).read_bytes() for name in foreign} == foreign


# -- all values ---------------------------------------------------------------------------------------------------

FOLDERS: dict[str, tuple[Callable[[Path], Files], Callable[[Changed], None]]] = {
    "corpus": (write_corpus, read_corpus),
    "world": (write_world, read_world),
    "archive": (write_archive, read_archive),
    "seek": (write_seek, read_seek),
}
DAMAGE: tuple[Any, ...] = (-1, 1e308, [[]])
"""Values that replace each value of a document in turn; in `make fuzz`, also MORE_DAMAGE."""
MORE_DAMAGE: tuple[Any, ...] = (None, [], {}, "x", 10**400, True, 2**63)


@pytest.mark.parametrize("kind", FOLDERS)
def test_each_value_of_a_document_is_replaced(here: Path, kind: str) -> None:
    write, read = FOLDERS[kind]
    files = write(here / kind)
    for name in (name for name in files if name.endswith(".json")):
        document = json.loads(files[name])
        for path in iter_paths(document):
            for value in DAMAGE + MORE_DAMAGE * bool(FACTOR):
                content = json.dumps(with_value(document, path, value)).encode()
                try:
                    read(Changed(here / f"damaged {kind}", files, {name: content}))
                except BaseException as error:
                    error.add_note(f"{name}: {path} = {str(value)[:40]}")
                    raise


def iter_paths(value: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the paths of all values in a document, of lists only the first element."""
    children = value.items() if isinstance(value, dict) else enumerate(value[:1] if isinstance(value, list) else ())
    for key, child in children:
        yield (key,)
        for path in iter_paths(child):
            yield (key, *path)


def with_value(document: Any, path: tuple[Any, ...], value: Any) -> Any:
    """Return a copy of a document with another value at a path."""
    if not path:
        return value
    copy = document.copy()
    copy[path[0]] = with_value(document[path[0]], path[1:], value)
    return copy
