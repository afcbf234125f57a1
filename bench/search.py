"""Search: archives compared with random search at the same number of evaluations, their overhead, and two workers.

Each domain is searched with five seeds. Random search uses the same archive with the emitter `random` alone. The
coverage is the fraction of cells with an elite; the QD score is the sum of the elites' objectives.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

import numpy as np

import tilewright as tw
from tilewright.search import Archive
from tilewright.search.definition import Definition, SearchParams
from tilewright.search.evaluation import Evaluations
from tilewright.search.genome import Units
from tilewright.search.rounds import Search

from .row import Row

SEEDS = range(1, 6)
EMITTERS = SearchParams.model_fields["emitters"].default
FASHION = ("fashion", 20_000, {"scores": None})
CAVES = (
    "caves",
    6_000,
    {"walls": (0.3, 0.6), "steps": (0, 8), "birth": None, "survive": None, "outside": None, "seed": "free"},
)
MEASURES = {"floor_share": (0, 1, 20), "regions": (1, 300, 20, "log")}


def rows() -> Iterator[Row]:
    _search(FASHION, 0, EMITTERS, evaluations=512)  # compile
    yield from _compare(FASHION, at_least=1.4, max_seconds=9, min_coverage=0.83)
    yield from _compare(CAVES, at_least=1.15)
    yield Row(what="search: overhead per evaluation, 36 genes", unit="µs", ours=_time_overhead(), at_most=30)
    one, two = _time_workers()
    yield Row(
        what="search: fashion 60x40, 20,480 evaluations, 2 workers",
        unit="s",
        ours=two,
        peer=one,
        peer_name="one process",
        at_least=1.6,
    )


def _search(domain: tuple[str, int, dict[str, Any]], seed: int, emitters: Sequence[str], **changes: Any) -> Archive:
    technique, evaluations, vary = domain
    options: dict[str, Any] = {"evaluations": evaluations, **changes}
    recipe = tw.recipe(technique, width=60, height=40)
    found: Archive = tw.search.make(
        recipe, vary=vary, measures=MEASURES, objective="path_length", seed=seed, emitters=emitters, **options
    )
    return found


def _compare(
    domain: tuple[str, int, dict[str, Any]],
    *,
    at_least: float,
    max_seconds: float | None = None,
    min_coverage: float | None = None,
) -> Iterator[Row]:
    """Yield rows that compare a search with random search."""
    ours, random, seconds = [], [], []
    for seed in SEEDS:
        start = perf_counter()
        ours.append(_search(domain, seed, EMITTERS))
        seconds.append(perf_counter() - start)
        random.append(_search(domain, seed, ["random"]))
    what = f"search: {domain[0]} 60x40, {domain[1]:,} evaluations"
    ratio = mean(one.qd_score for one in ours) / mean(one.qd_score for one in random)
    yield Row(what=f"{what}, QD score", unit="times random search", ours=ratio, at_least=at_least)
    coverages = [mean(one.coverage for one in some) for some in (ours, random)]
    yield Row(what=f"{what}, coverage", unit="of cells", ours=coverages[0], at_least=min_coverage)
    yield Row(what=f"{what}, coverage of random search", unit="of cells", ours=coverages[1])
    yield Row(what=what, unit="s", ours=min(seconds), at_most=max_seconds)


def _time_overhead() -> float:
    """Return the time of a search whose solutions are not evaluated, in µs per evaluation."""
    technique, evaluations, vary = FASHION
    definition = Definition.of(
        tw.recipe(technique, width=60, height=40),
        vary=vary,
        measures=MEASURES,
        objective="path_length",
        evaluations=evaluations,
        seed="1",
    )
    best = float("inf")
    for _ in range(3):
        search = Search(definition)
        start = perf_counter()
        while not search.is_finished:
            batch = search.propose()
            search.add(batch, _invent_measures(definition, batch.units))
        best = min(best, perf_counter() - start)
    return 1e6 * best / definition.evaluations


def _invent_measures(definition: Definition, units: Units) -> Evaluations:
    """Return measures that depend on the genomes in a simple way."""
    share, spread = units[:, :6].mean(axis=1), units[:, 6:12].mean(axis=1)
    measures = np.stack([share, np.exp(5.7 * spread), units.sum(axis=1)], axis=1)
    return Evaluations(measures, [None] * len(units), [])


def _time_workers() -> tuple[float, float]:
    """Return the best times of a search in a folder by one process and by two workers, without their start."""
    times: dict[int, list[float]] = {0: [], 2: []}
    with TemporaryDirectory() as folder:
        for attempt in range(2):
            for workers, found in times.items():
                started: list[float] = []
                _search(
                    FASHION,
                    attempt,
                    EMITTERS,
                    out=Path(folder) / f"{workers}-{attempt}",
                    workers=workers,
                    on_progress=lambda progress, started=started: started.append(perf_counter()),
                )
                # The first round includes the start of the workers and the compilation of kernels in them.
                rounds = len(started)
                found.append((started[-1] - started[0]) * rounds / (rounds - 1))
    return min(times[0]), min(times[2])
