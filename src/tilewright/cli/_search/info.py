"""`tilewright search info FOLDER`: summary of an archive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ...core.errors import format_number, pluralize
from .._console import make_printable, print_json
from .._corpus import AS_JSON, PICTURE, check_picture_path, write_picture
from . import describe_elite, open_archive
from ._terminal import draw_heatmap

if TYPE_CHECKING:
    from ...search import Archive, Elite

MAX_REASONS = 10


@click.command("info", params=[AS_JSON, PICTURE])
@click.argument("folder")
@click.option("--sheet", metavar="FILE", help="Write the maps, arranged by their measures, to a .png file.")
@click.option("--x", metavar="MEASURE", help="Horizontal axis of the pictures. [the first]")
@click.option("--y", metavar="MEASURE", help="Vertical axis of the pictures. [the second]")
@click.option("--values", metavar="NAME", help="Measure or numeric gene to show instead of the objective.")
@click.option("--dpi", type=int, default=192, metavar="N", help="Resolution of the heatmap; 300 for print. [192]")
def command(
    folder: str,
    as_json: bool,
    picture: str | None,
    sheet: str | None,
    x: str | None,
    y: str | None,
    values: str | None,
    dpi: int,
) -> None:
    """Summarize an archive: coverage, QD score, the best elite, failures, emitters; draw its heatmap and maps.

    \b
    tilewright search info archive
    tilewright search info archive -o heatmap.png --dpi 300
    tilewright search info archive --sheet maps.png --x regions --y floor_share
    """
    for path in (picture, sheet):
        check_picture_path(path)
    archive = open_archive(folder)
    if as_json:
        print_json(_to_data(archive))
    else:
        for line in _describe(archive):
            click.echo(make_printable(line))
        if len(archive):
            click.echo()
            draw_heatmap(archive, x, y, values)
    if picture is not None:
        write_picture(archive.heatmap(x=x, y=y, values=values, dpi=dpi), picture)
    if sheet is not None:
        write_picture(archive.sheet(x=x, y=y), sheet)


def _describe(archive: Archive) -> list[str]:
    from ...search.pictures import axis_label, format_score

    definition = archive.definition
    kind = f"styles over {definition.repeats} seeds" if definition.repeats else "maps"
    found = [
        f"archive of {kind} by {definition.recipe.technique}, seed {definition.seed}, Tilewright {definition.version}"
    ]
    for axis in definition.axes:
        ends = f"{format_number(float(axis.edges[0]))} to {format_number(float(axis.edges[-1]))}"
        found.append(f"axis: {axis_label(axis)}, {ends}, {pluralize(axis.bins, 'bin')}")
    genome = definition.genome
    found += [
        f"objective: {definition.objective}",
        f"genes: {', '.join(genome.names)} ({pluralize(genome.slots, 'number')})",
        f"evaluations: {archive.evaluations:,} of {definition.evaluations:,}",
        f"elites: {len(archive):,} of {archive.row_of_cell.size:,} cells, coverage {archive.coverage:.1%}",
        f"QD score: {format_score(archive.qd_score)}",
    ]
    if len(archive):
        found.append(f"best: {describe_elite(archive.best)}")
    shares = [f"{name} {count:,}" for name, count in _count_emitters(archive).items()]
    found += [
        f"elites by emitter: {', '.join(shares)}",
        f"reproducible: {'on every machine' if definition.is_portable else 'on one machine'}",
    ]
    if archive.out_of_range:
        found.append(f"out of range: {archive.out_of_range:,}")
    if archive.failures:
        found.append(f"failed: {sum(archive.failures.values()):,}")
        found += [f"  {count:,}: {reason}" for reason, count in _common_reasons(archive)[:MAX_REASONS]]
    return found


def _count_emitters(archive: Archive) -> dict[str, int]:
    """Return the number of elites that each emitter proposed."""
    found = dict.fromkeys(archive.definition.emitters, 0)
    for row in archive.rows.emitter[: len(archive)].tolist():
        found[archive.definition.emitters[row]] += 1
    return found


def _common_reasons(archive: Archive) -> list[tuple[str, int]]:
    return sorted(archive.failures.items(), key=lambda pair: (-pair[1], pair[0]))


def _to_data(archive: Archive) -> dict[str, Any]:
    definition = archive.definition
    best = archive.best if len(archive) else None
    return {
        "technique": definition.recipe.technique,
        "seed": definition.seed,
        "tilewright": definition.version,
        "repeats": definition.repeats,
        "genes": definition.genome.names,
        "axes": {axis.measure: axis.to_data() for axis in definition.axes},
        "objective": str(definition.objective),
        "evaluations": archive.evaluations,
        "total": definition.evaluations,
        "cells": archive.row_of_cell.size,
        "elites": len(archive),
        "coverage": archive.coverage,
        "qd_score": archive.qd_score,
        "best": None if best is None else _elite_data(best),
        "emitters": _count_emitters(archive),
        "reproducible": "on every machine" if definition.is_portable else "on one machine",
        "out_of_range": archive.out_of_range,
        "failures": dict(_common_reasons(archive)),
    }


def _elite_data(elite: Elite) -> dict[str, Any]:
    return {
        "cell": list(elite.cell),
        "objective": elite.objective,
        "measures": elite.measures,
        "values": elite.values,
        "seed": elite.recipe.seed,
    }
