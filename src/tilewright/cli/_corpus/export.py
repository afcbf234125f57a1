"""`tilewright corpus export FOLDER -o WHERE`: maps for other tools."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from ...core.errors import BadFile, InvalidRecipe, TilewrightError, UnknownName, errors_within, pluralize
from ...core.stored import parse_json
from ...formats._files import read_file
from .._console import info
from . import open_corpus

FORMATS = ("vglc", "npz")


@click.command("export")
@click.argument("folder")
@click.option(
    "output", "-o", "--output", metavar="PATH", required=True, help="Output folder for vglc, output file for npz."
)
@click.option("--format", metavar="|".join(FORMATS), help="Output format. [npz if PATH ends in .npz, else vglc]")
@click.option("--where", metavar="CONDITION", help="Only maps that match this condition, as in `corpus query`.")
@click.option("--unique", is_flag=True, help="Only the first of equal maps.")
@click.option("side", "--split", metavar="SET", help="Only this set of a split: train or test. [train 0.8, test 0.2]")
@click.option("splits", "--splits", metavar="FILE", help="Split written by `corpus split -o`, instead of the default.")
def command(
    folder: str,
    output: str,
    format: str | None,
    where: str | None,
    unique: bool,
    side: str | None,
    splits: str | None,
) -> None:
    """Export maps for other tools: as VGLC text files or as arrays in one NumPy file.

    \b
    tilewright corpus export caves -o caves-text --format vglc
    tilewright corpus export caves -o train.npz --split train --unique --where "regions = 1"
    """
    chosen = format or ("npz" if output.endswith(".npz") else "vglc")
    if chosen not in FORMATS:
        raise UnknownName("format", chosen, (), advice="text and JSON: vglc; arrays: npz")
    if splits is not None and side is None:
        raise InvalidRecipe("names a split; choose one of its sets with --split", at="splits")
    corpus = open_corpus(folder)
    ids = _choose_ids(corpus, where, unique, side, splits)
    if ids is not None and not ids:
        raise InvalidRecipe("no map of the corpus matches; nothing was written")
    from ...corpus import export

    write = export.write_npz if chosen == "npz" else export.write_vglc
    written = write(corpus, output, ids)
    info(f"wrote {pluralize(written, 'map')} to {output}")


def _choose_ids(corpus: Any, where: str | None, unique: bool, side: str | None, splits: str | None) -> list[int] | None:
    """Return the ids of the selected maps in ascending order; None for all maps."""
    from ...corpus import query, select

    wanted: list[set[int]] = []
    if where is not None:
        wanted.append(set(query.find_ids(corpus, where)))
    if unique:
        wanted.append(set(select.find_unique(corpus)))
    if side is not None:
        divided = _read_splits(splits) if splits is not None else select.split(corpus)
        if side not in divided:
            raise UnknownName("set of the split", side, divided)
        wanted.append(set(divided[side]))
    if not wanted:
        return None
    made = {*corpus.ids().tolist()}
    return sorted(made.intersection(*wanted))


def _read_splits(path: str) -> dict[str, Sequence[int]]:
    content = read_file(path)
    with errors_within(path, kind=TilewrightError, into=BadFile):
        found = parse_json(content)
    if not all(isinstance(ids, list) and all(type(number) is int for number in ids) for ids in found.values()):
        raise BadFile("must contain lists of ids by name, as written by `corpus split -o`", at=path)
    return found
