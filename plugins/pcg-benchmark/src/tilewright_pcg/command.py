"""`tilewright benchmark pcg`: contents of the PCG Benchmark, and the scores that it gives them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict
from time import perf_counter

from tilewright import benchmark, param

from .contents import SetParams, draw_controls, make_contents
from .judge import check_installed, judge
from .problem import PROBLEMS

ALL = "all"
Report = Callable[[float | None, str], None]
"""Function that takes the completed fraction, if known, and a word for the current step."""


class PcgParams(SetParams):
    """Parameters of `tilewright benchmark pcg`."""

    problem: str = param(ALL)
    """Problem, such as zelda, or all."""
    seed: str = param("1")
    """Seed of controls and contents."""


@benchmark(PcgParams)
def pcg(p: PcgParams, report: Report) -> Iterator[Mapping[str, str | float]]:
    """Make contents of the PCG Benchmark, and have it judge them.

    Controls are drawn beforehand from the seed, and content k is made for control k. Needs the package pcg_benchmark.
    The columns `seconds` and `judging` are the seconds for making the contents and for judging them.

    \b
    tilewright benchmark pcg --problem zelda --count 100 --seed 1
    tilewright benchmark pcg --problem all --json
    """
    names = PROBLEMS if p.problem == ALL else [p.problem]
    for name in names:
        check_installed(name)
    for name in names:
        yield _run(name, p, report)


def _run(name: str, p: PcgParams, report: Report) -> Mapping[str, str | float]:
    """Make and judge the contents of a problem; return its row."""

    def report_contents(done: int) -> None:
        report(done / p.count, f"{name}: {done} of {p.count}")

    controls = draw_controls(name, p.count, p.seed)
    start = perf_counter()
    contents = make_contents(name, p.count, p.seed, controls, report_contents)
    seconds = perf_counter() - start
    report(None, f"{name}: judging")
    score = asdict(judge(name, contents, controls))
    return {
        "problem": name,
        **score,
        "seconds": round(seconds, 2),
        "judging": round(perf_counter() - start - seconds, 2),
    }
