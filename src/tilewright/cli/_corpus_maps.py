"""Commands on the maps of a corpus: query, take, best, split and export."""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..core.errors import BadFile, InvalidRecipe, TilewrightError, UnknownName, errors_within, format_number, pluralize
from ..core.params import Names, Params, PathString, PathText, param
from ..core.stored import parse_json
from ..corpus import refuse_without_packages
from ..formats._files import read_file, refuse_unwritable, write_files
from ..kernels import start_quickly
from . import _outputs, _produce
from ._console import AS_JSON, info, print_json, print_table
from ._drawing import describe
from ._options import params_command

if TYPE_CHECKING:
    from ..corpus.reader import Corpus

HIDDEN_BY_DEFAULT = ("digest", "levels", "height", "width", "cells", "reason")
"""Columns shown only on request."""
EXPORT_FORMATS = ("vglc", "npz")


def open_corpus(folder: str) -> Corpus:
    """Open the corpus in a folder; raise an error if a package for corpora is missing."""
    refuse_without_packages()
    from ..corpus.reader import Corpus

    return Corpus(folder)


class QueryOptions(Params):
    """Options of `corpus query`."""

    limit: int = param(20, ge=1, metavar="N")
    """Maximum number of maps to show."""
    order: str | None = param(None, metavar="COLUMN")
    """Column to sort by; -COLUMN for descending order. [id]"""
    columns: Names = param((), metavar="NAME,...")
    """Columns to show. [id, seed, swept parameters, measures]"""


@params_command("query", QueryOptions, AS_JSON)
@click.argument("folder")
@click.argument("condition")
def query(folder: str, condition: str, params: QueryOptions, as_json: bool) -> None:
    """Find maps by a condition on their columns, in SQL.

    Columns are the measures, the swept parameters, and id, seed, digest, levels, height, width and reason (why the
    generation of a map failed).

    \b
    tilewright corpus query caves "path_length > 80 and regions = 1" --limit 20
    tilewright corpus query caves "floor_share between 0.4 and 0.5" --order -path_length
    tilewright corpus query caves "reason is not null" --columns id,reason
    """
    corpus = open_corpus(folder)
    from ..corpus.query import find_maps

    shown = params.columns or [name for name in corpus.columns if name not in HIDDEN_BY_DEFAULT]
    found = find_maps(corpus, condition, columns=shown, order=params.order, limit=params.limit)
    rows = found.table.to_pylist()
    if as_json:
        print_json(rows)
        return
    if rows:
        _print_rows(found.table.column_names, rows)
    more = f", showing the first {len(rows)}" if found.matches > len(rows) else ""
    info(f"{pluralize(found.matches, 'map')} of {len(corpus):,}{more}")


@click.command("take", params=[*_produce.OPTIONS])
@click.argument("folder")
@click.argument("ids", metavar="ID...", nargs=-1, required=True, type=int)
def take(folder: str, ids: tuple[int, ...], outputs: tuple[str, ...], **options: Any) -> None:
    """Draw maps of a corpus, or write them to files.

    The maps are regenerated with rooms and markers, and compared with the stored cells.

    \b
    tilewright corpus take caves 12
    tilewright corpus take caves 12 -o map.tmx
    tilewright corpus take caves 12 88 97 -o "cave_{id}.png" --scale 8
    """
    start_quickly()
    _take_maps(open_corpus(folder), ids, outputs, **options)


class BestOptions(Params):
    """Options of `corpus best`."""

    by: str = param(metavar="COLUMN")
    """Measure or swept parameter."""
    smallest: bool = param(False)
    """Whether to find the lowest values instead."""
    diverse: Names = param((), metavar="COLUMN,...")
    """Measures or swept parameters in which the maps should differ."""
    count: int = param(10, ge=1, metavar="N")
    """Number of maps."""


@params_command("best", BestOptions, AS_JSON, *_outputs.OPTIONS)
@click.argument("folder")
def best(folder: str, params: BestOptions, as_json: bool, outputs: tuple[str, ...], **options: Any) -> None:
    """Find the maps with the highest values of a measure, optionally diverse in others; equal maps count once.

    \b
    tilewright corpus best caves --by path_length
    tilewright corpus best caves --by path_length --diverse floor_share,regions --count 6 -o "best_{id}.png"
    """
    corpus = open_corpus(folder)
    from ..corpus.select import find_best

    ids = find_best(corpus, params.by, params.count, largest=not params.smallest, diverse=params.diverse)
    if outputs or any(options.values()):
        start_quickly()
        _take_maps(corpus, ids, outputs, **options)
        return
    columns = list(dict.fromkeys(["id", "seed", params.by, *params.diverse]))
    rows = corpus.rows(ids, columns).select(columns).to_pylist() if ids else []
    if as_json:
        print_json(rows)
    elif rows:
        _print_rows(columns, rows)
    else:
        info(f"no map has a value of {params.by}")


class SplitOptions(Params):
    """Options of `corpus split`."""

    train: float | None = param(None, metavar="FRACTION")
    """Fraction of the maps for training. [0.8]"""
    validation: float | None = param(None, metavar="FRACTION")
    """Fraction of the maps for validation. [none]"""
    test: float | None = param(None, metavar="FRACTION")
    """Fraction of the maps for testing. [0.2]"""


@params_command("split", SplitOptions)
@click.argument("folder")
@click.option("output", "-o", "--output", metavar="FILE", help="Write the ids of each set to a .json file.")
def split(folder: str, params: SplitOptions, output: str | None) -> None:
    """Split a corpus into training, validation and test sets.

    The set of a map depends only on its cells, so equal maps are always in the same set. Failed maps are in none.

    \b
    tilewright corpus split caves
    tilewright corpus split caves --train 0.7 --validation 0.1 --test 0.2 -o splits.json
    """
    if output is not None:
        refuse_unwritable(output)
    corpus = open_corpus(folder)
    from ..corpus.select import split as split_corpus

    found = split_corpus(corpus, {name: fraction for name, fraction in params if fraction is not None} or None)
    if output is not None:
        write_files(output, {Path(output).name: (json.dumps(found) + "\n").encode()})
    total = max(1, sum(map(len, found.values())))
    rows = ((name, f"{len(ids):,}", f"{len(ids) / total:.3f}") for name, ids in found.items())
    print_table(rows, "set", "maps", "fraction", numbers=[1, 2])
    if output is not None:
        info(f"wrote {output}")


class CorpusExportOptions(Params):
    """Options of `corpus export`."""

    output: PathString = param(flags=("-o", "--output"), metavar="PATH")
    """Output folder for vglc, output file for npz."""
    format: str | None = param(None, metavar="|".join(EXPORT_FORMATS))
    """Output format. [npz if PATH ends in .npz, else vglc]"""
    where: str | None = param(None, metavar="CONDITION")
    """Only maps that match this condition, as in `corpus query`."""
    unique: bool = param(False)
    """Whether to export only the first of equal maps."""
    split: str | None = param(None, metavar="SET")
    """Only this set of a split: train or test. [train 0.8, test 0.2]"""
    splits: PathText = param(None, metavar="FILE")
    """Split written by `corpus split -o`, instead of the default."""


@params_command("export", CorpusExportOptions)
@click.argument("folder")
def export(folder: str, params: CorpusExportOptions) -> None:
    """Export maps for other tools: as VGLC text files or as arrays in one NumPy file.

    \b
    tilewright corpus export caves -o caves-text --format vglc
    tilewright corpus export caves -o train.npz --split train --unique --where "regions = 1"
    """
    format = params.format or ("npz" if params.output.endswith(".npz") else "vglc")
    if format not in EXPORT_FORMATS:
        raise UnknownName("format", format, (), advice="text and JSON: vglc; arrays: npz")
    if params.splits is not None and params.split is None:
        raise InvalidRecipe("names a split; choose one of its sets with --split", at="splits")
    corpus = open_corpus(folder)
    ids = _choose_ids(corpus, params)
    if ids is not None and not ids:
        raise InvalidRecipe("no map of the corpus matches; nothing was written")
    from ..corpus.export import write_npz, write_vglc

    written = (write_npz if format == "npz" else write_vglc)(corpus, params.output, ids)
    info(f"wrote {pluralize(written, 'map')} to {params.output}")


def _choose_ids(corpus: Corpus, params: CorpusExportOptions) -> list[int] | None:
    """Return the ids of the selected maps in ascending order; None for all maps."""
    from ..corpus import query, select

    selected: list[Sequence[int]] = []
    if params.where is not None:
        selected.append(query.find_ids(corpus, params.where))
    if params.unique:
        selected.append(select.find_unique(corpus))
    if params.split is not None:
        sets = _read_splits(params.splits) if params.splits is not None else select.split(corpus)
        if params.split not in sets:
            raise UnknownName("set of the split", params.split, sets)
        selected.append(sets[params.split])
    return sorted({*corpus.ids().tolist()}.intersection(*selected)) if selected else None


def _read_splits(path: str) -> dict[str, Sequence[int]]:
    content = read_file(path)
    with errors_within(path, kind=TilewrightError, into=BadFile):
        found = parse_json(content)
    if not all(isinstance(ids, list) and all(type(number) is int for number in ids) for ids in found.values()):
        raise BadFile("must contain lists of ids by name, as written by `corpus split -o`", at=path)
    return found


def _take_maps(corpus: Corpus, ids: Sequence[int], outputs: Sequence[str], **options: Any) -> None:
    """Regenerate maps, compare them with the stored cells, and draw or write them."""
    for number in ids:
        corpus.row(number)  # This raises an error for an unknown id before any map is made.
    manifest = corpus.manifest
    technique = manifest.recipe["technique"]
    _produce.take_maps(
        [
            {"id": number, "seed": manifest.seed_of(number), "technique": technique, "index": index}
            for index, number in enumerate(ids)
        ],
        lambda index: corpus.map(ids[index]),
        lambda index, map: f"map {ids[index]}: {describe(map)}",
        outputs,
        names=("id", "seed", "technique", "index"),
        remedies=("id", "seed"),
        **options,
    )


def _print_rows(columns: Sequence[str], rows: Sequence[dict[str, Any]]) -> None:
    """Print maps as a table."""
    shown = (
        [str(row[name]) if name in ("id", "seed") else format_value(row[name]) for name in columns] for row in rows
    )
    numbers = [
        place
        for place, name in enumerate(columns)
        if name != "seed" and any(isinstance(row[name], int | float) for row in rows)
    ]
    print_table(shown, *columns, numbers=numbers)


def format_value(value: Any) -> str:
    """Return a table value as a string."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return format_number(value) if isfinite(value) else "-"
