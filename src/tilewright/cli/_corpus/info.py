"""`tilewright corpus info FOLDER`: what a corpus holds."""

from __future__ import annotations

from math import isfinite
from typing import Any

import click

from ...core.errors import counted
from .._console import output_width, print_json, printable
from . import AS_JSON, PICTURE, opened, refuse_no_picture, size_of, write_picture

MOST_REASONS = 10


@click.command("info", params=[AS_JSON, PICTURE])
@click.argument("folder")
def command(folder: str, as_json: bool, picture: str | None) -> None:
    """Tell what a corpus holds: sizes, failures, how its measures are spread.

    \b
    tilewright corpus info caves
    tilewright corpus info caves -o report.png
    """
    refuse_no_picture(picture)
    corpus = opened(folder)
    from ...corpus import report
    from ...corpus.datasheet import Facts

    facts = Facts.of(corpus)
    if as_json:
        print_json(_data(corpus, facts, report))
    else:
        manifest = corpus.manifest
        about = f"{manifest.recipe['technique']}, seed {manifest.seed}, Tilewright {manifest.version}"
        click.echo(printable(f"{counted(len(corpus), 'map')} by {about}"))
        for line in _lines(corpus, facts):
            click.echo(printable(line))
        spread = report.lines(corpus, output_width())
        if spread:
            click.echo("\n" + "\n".join(spread))
    if picture is not None:
        write_picture(report.picture(corpus), picture)


def _lines(corpus: Any, facts: Any) -> list[str]:
    manifest = corpus.manifest
    found = [f"{facts.maps:,} are there, in {counted(len(corpus.parts), 'part')}, {size_of(corpus.folder.size())}"]
    if not corpus.is_complete:
        found.append(f"not finished: {counted(manifest.parts - len(corpus.parts), 'part')} missing")
    if manifest.sweep.axes:
        how = "sampled" if manifest.sweep.sampled else f"{counted(manifest.sweep.size, 'combination')}"
        found.append(f"swept: {', '.join(axis.column for axis in manifest.sweep.axes)}, {how}")
    if facts.same:
        found.append(f"{facts.same:,} equal to an earlier one")
    if facts.failures:
        found.append(f"{facts.failures:,} could not be made:")
        found += [f"  {number:,}: {reason}" for reason, number in facts.most_common_reasons()[:MOST_REASONS]]
    return found


def _data(corpus: Any, facts: Any, report: Any) -> dict[str, Any]:
    manifest = corpus.manifest
    return {
        "technique": manifest.recipe["technique"],
        "seed": manifest.seed,
        "tilewright": manifest.version,
        "count": len(corpus),
        "there": facts.maps,
        "complete": corpus.is_complete,
        "parts": len(corpus.parts),
        "bytes": corpus.folder.size(),
        "failures": facts.failures,
        "reasons": dict(facts.most_common_reasons()),
        "same": facts.same,
        "sweep": manifest.sweep.to_data(),
        "sampled": manifest.sweep.sampled,
        "measures": {
            one.name: {
                "count": one.stats.count,
                "missing": one.stats.missing,
                "least": _finite(one.stats.low),
                "mean": _finite(one.stats.mean),
                "median": _finite(one.stats.median),
                "most": _finite(one.stats.high),
                "counts": one.counts.tolist(),
                "edges": one.edges.tolist(),
            }
            for one in report.histograms(corpus)
        },
    }


def _finite(number: float) -> float | None:
    return float(number) if isfinite(number) else None
