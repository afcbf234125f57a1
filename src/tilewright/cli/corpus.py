"""`tilewright corpus`: large sets of maps. The commands on their maps are in `_corpus_maps`."""

from __future__ import annotations

from dataclasses import asdict
from math import isfinite
from typing import TYPE_CHECKING, Any

import click

from ..core.errors import pluralize
from ..corpus.request import CorpusOptions, Request
from ..kernels import start_quickly
from . import CommandGroup
from ._console import AS_JSON, info, make_printable, output_width, print_json, print_table
from ._corpus_maps import best, export, format_value, open_corpus, query, split, take
from ._outputs import PICTURE, check_picture_path, write_picture
from ._progress import job_progress, show_progress
from ._recipe_command import read_request, recipe_command

if TYPE_CHECKING:
    from ..corpus.datasheet import Facts
    from ..corpus.reader import Corpus

MAX_REASONS = 10
DAMAGED = 1
"""Exit code if damaged parts were found and not regenerated."""


@recipe_command("make", CorpusOptions, read=read_request)
def make(recipe: Request, params: CorpusOptions) -> None:
    """Generate a corpus, or resume one.

    RECIPE is a YAML or JSON file, a name from `tilewright list recipes`, a technique, or a corpus to generate again. A
    file may also have the keys `sweep`, `sampled` and `listed`. If the work is interrupted, repeat the command to
    continue; the result is the same. Without --scheduler, DASK_SCHEDULER_ADDRESS is used if it is set.

    \b
    tilewright corpus make open-caves --count 10000 --seed 7 --measures floor_share,regions -o caves
    tilewright corpus make caves --set width=64 --set height=64 --sweep walls=0.4..0.5:0.02 --count 600 -o swept
    tilewright corpus make level.yaml --count 100000 -o s3://bucket/levels --scheduler tcp://10.0.0.1:8786
    """
    from ..corpus.build import build_corpus, count_maps

    start_quickly()
    with job_progress("map", params.folder, count_maps) as job:
        corpus = build_corpus(recipe, params, job)
    failures = job.state.failures if job.state else 0
    what = f"{pluralize(len(corpus), 'map')} by {corpus.manifest.title}, seed {corpus.manifest.seed}"
    failed = f"; {pluralize(failures, 'map')} failed" if failures else ""
    info(f"{what}, in {params.folder}: {pluralize(corpus.manifest.parts, 'part')}, {format_bytes(corpus.size)}{failed}")


@click.command("info", params=[AS_JSON, PICTURE])
@click.argument("folder")
def summarize(folder: str, as_json: bool, picture: str | None) -> None:
    """Summarize a corpus: sizes, failures, distributions of its measures.

    \b
    tilewright corpus info caves
    tilewright corpus info caves -o report.png
    """
    check_picture_path(picture)
    corpus = open_corpus(folder)
    from ..corpus import report
    from ..corpus.datasheet import Facts

    facts = Facts.of(corpus)
    if as_json:
        print_json(_to_data(corpus, facts))
    else:
        for line in _describe(corpus, facts):
            click.echo(make_printable(line))
        spread = report.format_histograms(corpus, output_width())
        if spread:
            click.echo("\n" + "\n".join(spread))
    if picture is not None:
        write_picture(report.draw_report(corpus), picture)


def _describe(corpus: Corpus, facts: Facts) -> list[str]:
    manifest = corpus.manifest
    about = f"{manifest.title}, seed {manifest.seed}, Tilewright {manifest.tilewright}"
    lines = [
        f"{pluralize(len(corpus), 'map')} by {about}",
        f"{facts.maps:,} stored, in {pluralize(len(corpus.parts), 'part')}, {format_bytes(corpus.size)}",
    ]
    if not corpus.is_complete:
        lines.append(f"not finished: {pluralize(manifest.parts - len(corpus.parts), 'part')} missing")
    if manifest.sweep.axes:
        combinations = "listed" if manifest.sweep.listed else pluralize(manifest.sweep.size, "combination")
        how = "sampled" if manifest.sweep.sampled else combinations
        lines.append(f"swept: {', '.join(axis.column for axis in manifest.sweep.axes)}, {how}")
    if facts.duplicates:
        lines.append(f"{facts.duplicates:,} duplicates of earlier maps")
    if facts.failures:
        lines.append(f"{facts.failures:,} failed:")
        lines += [f"  {number:,}: {reason}" for reason, number in facts.most_common_reasons()[:MAX_REASONS]]
    return lines


def _to_data(corpus: Corpus, facts: Facts) -> dict[str, Any]:
    from ..corpus.report import compute_histograms

    manifest = corpus.manifest
    return {
        "technique": manifest.recipe["technique"],
        "seed": manifest.seed,
        "tilewright": manifest.tilewright,
        "count": len(corpus),
        "there": facts.maps,
        "complete": corpus.is_complete,
        "parts": len(corpus.parts),
        "bytes": corpus.size,
        "failures": facts.failures,
        "reasons": dict(facts.most_common_reasons()),
        "same": facts.duplicates,
        "sweep": manifest.sweep.to_data(),
        "sampled": manifest.sweep.sampled,
        "measures": {
            one.name: {
                "count": one.stats.count,
                "missing": one.stats.missing,
                "least": _to_plain(one.stats.low),
                "mean": _to_plain(one.stats.mean),
                "median": _to_plain(one.stats.median),
                "most": _to_plain(one.stats.high),
                "counts": one.counts.tolist(),
                "edges": one.edges.tolist(),
            }
            for one in compute_histograms(corpus)
        },
    }


def _to_plain(value: Any) -> Any:
    """Return a value with NaN and infinity replaced by None, as JSON has neither."""
    if isinstance(value, dict):
        return {name: _to_plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_to_plain(part) for part in value]
    return None if isinstance(value, float) and not isfinite(value) else value


@click.command("range", params=[PICTURE])
@click.argument("folder")
@click.option("--x", metavar="COLUMN", required=True, help="Measure or swept parameter on the horizontal axis.")
@click.option("--y", metavar="COLUMN", required=True, help="Measure or swept parameter on the vertical axis.")
def draw_range(folder: str, x: str, y: str, picture: str | None) -> None:
    """Draw the expressive range of a generator: the joint distribution of two measures of its maps.

    \b
    tilewright corpus range caves --x floor_share --y path_length
    tilewright corpus range caves --x floor_share --y path_length -o range.png
    """
    check_picture_path(picture)
    corpus = open_corpus(folder)
    from ..corpus import report

    if picture is not None:
        write_picture(report.draw_range(corpus, x, y), picture)
        return
    click.echo("\n".join(report.format_range(corpus, x, y, output_width())))


@click.command("compare", params=[AS_JSON, PICTURE])
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
def compare(first: str, second: str, as_json: bool, picture: str | None) -> None:
    """Compare two corpora: the distribution of each measure, and the maps they have in common.

    `apart` is the Kolmogorov-Smirnov statistic: the largest difference between the cumulative distributions. `moved` is
    the earth mover's distance as a fraction of the range of values. Both are 0 for equal distributions and at most 1.

    \b
    tilewright corpus compare caves rooms
    tilewright corpus compare caves rooms -o compare.png
    """
    check_picture_path(picture)
    corpora = open_corpus(first), open_corpus(second)
    from ..corpus import report

    found = report.compare(*corpora)
    if as_json:
        print_json(_to_plain(asdict(found)))
    else:
        columns = [f"{what} {name}" for what in ("mean", "median") for name in found.names] + ["apart", "moved"]
        rows = [
            (one.name, *(format_value(value) for value in (*one.means, *one.medians, one.apart, one.moved)))
            for one in found.measures
        ]
        if rows:
            print_table(rows, "measure", *columns, numbers=range(1, len(columns) + 1))
        click.echo(found.sentence)
    if picture is not None:
        write_picture(report.draw_comparison(*corpora), picture)


@click.command("repair")
@click.argument("folder")
@click.option("remake", "--remake", is_flag=True, help="Regenerate damaged parts, with identical content.")
def repair(folder: str, remake: bool) -> int:
    """Check all bytes of each part of a corpus and regenerate damaged parts.

    The exit code is 1 if parts are damaged and --remake is not given. Missing parts are left to `corpus make`.

    \b
    tilewright corpus repair caves
    tilewright corpus repair caves --remake
    """
    corpus = open_corpus(folder)
    from ..corpus import build

    with show_progress() as report:
        report(None, f"reading {pluralize(len(corpus.parts), 'part')}")
        found = build.find_damaged(corpus)
        if found and remake:
            start_quickly()
            report(None, f"regenerating {pluralize(len(found), 'part')}")
            build.remake(corpus, sorted(found))
    for wrong in found.values():
        click.echo(make_printable(wrong))
    missing = corpus.manifest.parts - len(corpus.parts)
    left = f"; {pluralize(missing, 'part')} not generated yet" if missing else ""
    if not found:
        info(f"{pluralize(len(corpus.parts), 'part')} read, none damaged{left}")
        return 0
    info(f"{pluralize(len(found), 'part')} {'regenerated' if remake else 'damaged; --remake regenerates them'}{left}")
    return 0 if remake else DAMAGED


def format_bytes(size: float) -> str:
    """Return a size in bytes with its unit."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 1000:
            return f"{size:.3g} {unit}" if unit != "bytes" else f"{size} bytes"
        size /= 1000
    return f"{size:.3g} TB"


COMMANDS = (make, summarize, query, take, best, draw_range, compare, split, export, repair)


@click.group("corpus", cls=CommandGroup, commands=COMMANDS)
def command() -> None:
    """Generate large sets of maps; measure, filter, compare and export them.

    \b
    tilewright corpus make open-caves --count 10000 --seed 7 --measures floor_share,regions,path_length -o caves
    tilewright corpus info caves
    tilewright corpus query caves "path_length > 80 and regions = 1"
    tilewright corpus take caves 12 -o map.tmx
    tilewright corpus range caves --x floor_share --y path_length -o range.png
    """
