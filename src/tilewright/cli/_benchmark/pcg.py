"""`tilewright benchmark pcg`: contents of the PCG Benchmark, and the scores that it gives them."""

from __future__ import annotations

from dataclasses import asdict
from time import perf_counter
from typing import Any

import click

from ...compat import pcg_benchmark
from ...core.errors import pluralize
from ...kernels import start_quickly
from .._console import info, print_json, print_table
from .._corpus import AS_JSON
from .._progress import Report, show_progress

ALL = "all"


@click.command("pcg", params=[AS_JSON])
@click.option("--problem", default=ALL, metavar="NAME", help=f"Problem, such as zelda, or {ALL}. [{ALL}]")
@click.option("--count", type=int, default=100, metavar="N", help="Number of contents. [100]")
@click.option("--seed", default="1", metavar="SEED", help="Seed of controls and contents. [1]")
def command(problem: str, count: int, seed: str, as_json: bool) -> None:
    """Make contents of the PCG Benchmark, and have the installed benchmark judge them.

    Controls are drawn beforehand from the seed, and content k is made for control k. Needs the package pcg_benchmark.

    \b
    tilewright benchmark pcg --problem zelda --count 100 --seed 1
    tilewright benchmark pcg --problem all --json
    """
    names = [*pcg_benchmark.PROBLEMS] if problem == ALL else [problem]
    for name in names:
        pcg_benchmark.check_installed(name)
    start_quickly()
    with show_progress() as report:
        rows = [_run(name, count, seed, report) for name in names]
    if as_json:
        print_json(rows)
    else:
        columns = ("problem", "quality", "diversity", "controlability", "conjunction", "controls", "seconds", "judging")
        print_table([[_format(row[name]) for name in columns] for row in rows], *columns, numbers=range(1, 8))
    info(f"{pluralize(count, 'content')} each, seed {seed}; seconds for making them, and for judging them")


def _run(name: str, count: int, seed: str, report: Report) -> dict[str, Any]:
    """Make and judge the contents of a problem; return its row."""
    controls = pcg_benchmark.draw_controls(name, count, seed)
    start = perf_counter()
    contents = pcg_benchmark.make_contents(
        name, count, seed, controls, on_progress=lambda done: report(done / count, f"{name}: {done} of {count}")
    )
    seconds = perf_counter() - start
    report(None, f"{name}: judging")
    score = asdict(pcg_benchmark.judge(name, contents, controls))
    return {
        "problem": name,
        **score,
        "seconds": round(seconds, 2),
        "judging": round(perf_counter() - start - seconds, 2),
    }


def _format(value: Any) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)
