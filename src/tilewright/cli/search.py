"""`tilewright search`: archives of the best and the most different maps. The commands on elites are in `_elites`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click
import numpy as np

from ..core.errors import InvalidRecipe, format_number, pluralize
from ..core.params import Params, PathText, param
from ..core.recipe import Recipe
from ..corpus import refuse_without_packages
from ..corpus.request import Request
from ..kernels import start_quickly
from ..search.run import ResumeOptions, SearchOptions, continue_search, make_archive
from ..search.select import VarietyOptions, make_variety
from . import CommandGroup, _outputs
from ._console import AS_JSON, info, make_printable, print_json, print_table
from ._elites import describe_elite, export, format_cell, open_archive, pair, take
from ._heatmap import draw_heatmap, is_colored
from ._options import params_command
from ._outputs import PICTURE, check_picture_path, write_picture
from ._progress import job_progress
from ._recipe_command import read_request, recipe_command

if TYPE_CHECKING:
    from ..search import Archive, Elite, Variety

FIELDS = ("number", "seed", "technique")
MAX_REASONS = 10


@recipe_command("make", SearchOptions, read=read_request, required=["out"])
def make(recipe: Request, params: SearchOptions) -> None:
    """Search for the best maps of a recipe in each cell of a grid of measures (MAP-Elites), or continue.

    RECIPE is a YAML or JSON file, a name from `tilewright list recipes`, or a technique. If the work is interrupted,
    repeat the command or use `tilewright search resume`; the result is the same.

    \b
    tilewright search make caves --vary walls=0.3..0.6 --vary steps --vary seed \\
        --measures floor_share:20,regions:20:log --objective path_length --evaluations 20000 -o archive
    tilewright search make fashion --vary scores --repeats 5 --measures floor_share,regions:1..300:20:log \\
        --objective path_length -o styles
    tilewright search make dungeon.yaml --vary seed --vary rooms --measures rooms --objective path_length-2*dead_ends \\
        -o dungeons
    """
    if recipe.sweep.axes:
        raise InvalidRecipe("a search has no sweep; name the parameters with --vary", at="sweep", rule="conflict")
    assert params.out is not None
    start_quickly()
    with job_progress("evaluation", params.out, count_stored) as report:
        archive = make_archive(recipe.recipe, params, report)
    print_result(archive, params.out)


@params_command("resume", ResumeOptions)
@click.argument("folder")
def resume(folder: str, params: ResumeOptions) -> None:
    """Continue a search that was interrupted, or extend a finished one.

    \b
    tilewright search resume archive
    tilewright search resume archive --evaluations 40000
    """
    refuse_without_packages()
    start_quickly()
    with job_progress("evaluation", folder, count_stored) as report:
        archive = continue_search(folder, params, report)
    print_result(archive, folder)


def count_stored(folder: str) -> int:
    """Return the number of evaluations in a folder."""
    from ..search.storage import count_evaluations

    return count_evaluations(folder)


def print_result(archive: Archive, folder: str) -> None:
    """Print the heatmap of an archive on a terminal, and a line about it."""
    from ..search.pictures import format_score

    if is_colored():
        draw_heatmap(archive)
    failures = sum(archive.failures.values())
    facts = [
        f"{pluralize(len(archive), 'elite')} by {archive.definition.recipe.title}, seed {archive.definition.seed}",
        f"coverage {archive.coverage:.1%}",
        f"QD score {format_score(archive.qd_score)}",
        f"best {format_number(archive.best.objective)} in cell {format_cell(archive.best.cell)}",
        f"{pluralize(archive.evaluations, 'evaluation')} in {folder}",
    ]
    info(", ".join(facts) + (f"; {failures:,} failed" if failures else ""))


# -- an archive -----------------------------------------------------------------------------------------------


class InfoOptions(Params):
    """Options of `search info`."""

    sheet: PathText = param(None, metavar="FILE")
    """Write the maps, arranged by their measures, to a .png file."""
    x: str | None = param(None, metavar="MEASURE")
    """Horizontal axis of the pictures. [the first]"""
    y: str | None = param(None, metavar="MEASURE")
    """Vertical axis of the pictures. [the second]"""
    values: str | None = param(None, metavar="NAME")
    """Measure or numeric gene to show instead of the objective."""
    dpi: int = param(192, metavar="N")
    """Resolution of the heatmap; 300 for print."""


@params_command("info", InfoOptions, AS_JSON, PICTURE)
@click.argument("folder")
def summarize(folder: str, params: InfoOptions, as_json: bool, picture: str | None) -> None:
    """Summarize an archive: coverage, QD score, the best elite, failures, emitters; draw its heatmap and maps.

    \b
    tilewright search info archive
    tilewright search info archive -o heatmap.png --dpi 300
    tilewright search info archive --sheet maps.png --x regions --y floor_share
    """
    for path in (picture, params.sheet):
        check_picture_path(path)
    archive = open_archive(folder)
    if as_json:
        print_json(_archive_data(archive))
    else:
        for line in _describe(archive):
            click.echo(make_printable(line))
        if len(archive):
            click.echo()
            draw_heatmap(archive, params.x, params.y, params.values)
    if picture is not None:
        write_picture(archive.heatmap(x=params.x, y=params.y, values=params.values, dpi=params.dpi), picture)
    if params.sheet is not None:
        write_picture(archive.sheet(x=params.x, y=params.y), params.sheet)


def _describe(archive: Archive) -> list[str]:
    from ..search.pictures import axis_label, format_score

    definition = archive.definition
    kind = f"styles over {definition.repeats} seeds" if definition.repeats else "maps"
    found = [f"archive of {kind} by {definition.recipe.title}, seed {definition.seed}, Tilewright {definition.version}"]
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
    names = archive.definition.emitters
    counts = np.bincount(archive.rows.emitter[: len(archive)], minlength=len(names))
    return dict(zip(names, counts.tolist(), strict=True))


def _common_reasons(archive: Archive) -> list[tuple[str, int]]:
    return sorted(archive.failures.items(), key=lambda pair: (-pair[1], pair[0]))


def _archive_data(archive: Archive) -> dict[str, Any]:
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


# -- a set of maps --------------------------------------------------------------------------------------------


@recipe_command("variety", VarietyOptions, AS_JSON, *_outputs.OPTIONS)
@click.option("--sheet", metavar="FILE", help="Write all maps to one .png file.")
def variety(
    recipe: Recipe, params: VarietyOptions, sheet: str | None, as_json: bool, outputs: tuple[str, ...], **options: Any
) -> None:
    """Make a set of maps in which every two differ by a minimum distance, and map k meets target k.

    RECIPE is a YAML or JSON file, a name from `tilewright list recipes`, or a technique.

    \b
    tilewright search variety open-caves --min-distance 0.3 -o "level_{number}.tmx" --sheet levels.png
    tilewright search variety caves --count 6 --target path_length=40..60 --target path_length=80..100
    tilewright search variety caves --count 6 --target path_length=150..160 --reach-targets
    tilewright search variety rooms --distance rooms --min-distance 0.5 --vary rooms=5..20 -o "level_{number}.tmx"
    """
    files = _outputs.read_outputs(outputs, fields=FIELDS, **options)
    _outputs.refuse_collisions(
        files, [{"number": number, "seed": "seed", "technique": "technique"} for number in (1, 2)], "number"
    )
    check_picture_path(sheet)
    start_quickly()
    with job_progress("map", None) as report:
        found = make_variety(recipe, params, report)
    recipes = [map.recipe or recipe for map in found]
    fields: list[dict[str, str | int]] = [
        {"number": number, "seed": str(one.seed), "technique": one.technique} for number, one in enumerate(recipes, 1)
    ]
    if written := _outputs.write_maps(files, zip(fields, found, strict=True), len(found)):
        info(written)
    if sheet is not None:
        write_picture(found.sheet(), sheet)
    if as_json:
        print_json(_variety_data(found))
    else:
        _print_maps(found)
    what = f"{pluralize(len(found), 'map')} by {recipe.title} that differ by at least {found.min_distance:.3f}"
    info(f"{what} ({found.distance}), of {pluralize(found.candidates, 'candidate')}")


def _print_maps(found: Variety) -> None:
    """Print a table of the maps: number, seed, distance to the nearest other map, and measures."""
    nearest = found.distances + 2 * np.eye(len(found))
    rows = [
        (
            str(number + 1),
            str(map.recipe.seed) if map.recipe is not None else "",
            f"{nearest[number].min():.3f}" if len(found) > 1 else "",
            ", ".join(f"{name} {format_number(value)}" for name, value in found.measures[number].items()),
        )
        for number, map in enumerate(found)
    ]
    print_table(rows, "map", "seed", "nearest", "measures")


def _variety_data(found: Variety) -> dict[str, Any]:
    return {
        "distance": found.distance,
        "min_distance": found.min_distance,
        "candidates": found.candidates,
        "maps": [
            {
                "number": number,
                "seed": map.recipe.seed if map.recipe is not None else None,
                "target": target,
                "measures": dict(measures),
            }
            for number, (map, target, measures) in enumerate(zip(found, found.targets, found.measures, strict=True), 1)
        ],
        "distances": found.distances.tolist(),
    }


COMMANDS = (make, resume, summarize, take, export, pair, variety)


@click.group("search", cls=CommandGroup, commands=COMMANDS)
def command() -> None:
    """Search for the best and the most different maps that a recipe can make.

    \b
    tilewright search make caves --vary walls=0.3..0.6 --vary steps --vary seed \\
        --measures floor_share:20,regions:20:log --objective path_length --evaluations 20000 -o archive
    tilewright search info archive -o heatmap.png --sheet maps.png
    tilewright search take archive 12,3 -o map.tmx
    tilewright search export archive -o corpus
    tilewright search variety caves --count 20 --min-distance 0.3 -o "level_{number}.tmx"
    """
