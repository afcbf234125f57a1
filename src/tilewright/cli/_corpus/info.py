"""`tilewright corpus info FOLDER`: summary of a corpus."""

from __future__ import annotations

from math import isfinite
from typing import Any

import click

from ...core.errors import pluralize
from .._console import make_printable, output_width, print_json
from . import AS_JSON, PICTURE, check_picture_path, format_bytes, open_corpus, write_picture

MAX_REASONS = 10


@click.command("info", params=[AS_JSON, PICTURE])
@click.argument("folder")
def command(folder: str, as_json: bool, picture: str | None) -> None:
    """Summarize a corpus: sizes, failures, distributions of its measures.

    \b
    tilewright corpus info caves
    tilewright corpus info caves -o report.png
    """
    check_picture_path(picture)
    corpus = open_corpus(folder)
    from ...corpus import report
    from ...corpus.datasheet import Facts

    facts = Facts.of(corpus)
    if as_json:
        print_json(_to_data(corpus, facts, report))
    else:
        manifest = corpus.manifest
        about = f"{manifest.recipe['technique']}, seed {manifest.seed}, Tilewright {manifest.version}"
        click.echo(make_printable(f"{pluralize(len(corpus), 'map')} by {about}"))
        for line in _describe(corpus, facts):
            click.echo(make_printable(line))
        spread = report.format_histograms(corpus, output_width())
        if spread:
            click.echo("\n" + "\n".join(spread))
    if picture is not None:
        write_picture(report.draw_report(corpus), picture)


def _describe(corpus: Any, facts: Any) -> list[str]:
    manifest = corpus.manifest
    found = [f"{facts.maps:,} stored, in {pluralize(len(corpus.parts), 'part')}, {format_bytes(corpus.size)}"]
    if not corpus.is_complete:
        found.append(f"not finished: {pluralize(manifest.parts - len(corpus.parts), 'part')} missing")
    if manifest.sweep.axes:
        combinations = "listed" if manifest.sweep.listed else pluralize(manifest.sweep.size, "combination")
        how = "sampled" if manifest.sweep.sampled else combinations
        found.append(f"swept: {', '.join(axis.column for axis in manifest.sweep.axes)}, {how}")
    if facts.duplicates:
        found.append(f"{facts.duplicates:,} duplicates of earlier maps")
    if facts.failures:
        found.append(f"{facts.failures:,} failed:")
        found += [f"  {number:,}: {reason}" for reason, number in facts.most_common_reasons()[:MAX_REASONS]]
    return found


def _to_data(corpus: Any, facts: Any, report: Any) -> dict[str, Any]:
    manifest = corpus.manifest
    return {
        "technique": manifest.recipe["technique"],
        "seed": manifest.seed,
        "tilewright": manifest.version,
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
                "least": _finite_or_none(one.stats.low),
                "mean": _finite_or_none(one.stats.mean),
                "median": _finite_or_none(one.stats.median),
                "most": _finite_or_none(one.stats.high),
                "counts": one.counts.tolist(),
                "edges": one.edges.tolist(),
            }
            for one in report.compute_histograms(corpus)
        },
    }


def _finite_or_none(number: float) -> float | None:
    return float(number) if isfinite(number) else None
