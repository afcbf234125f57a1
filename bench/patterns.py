"""Tile patterns compared with the published implementation (ETPKLDiv 0.5.0, JavaScript), measured elsewhere.

Its document has a table of times by iterations and map size. Its divergences after 10,000 iterations on two published
samples were measured elsewhere, too. They are compared if TILEWRIGHT_REFERENCE names the folder with these samples.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import partial
from itertools import product
from pathlib import Path
from time import perf_counter, process_time

import numpy as np

import tilewright as tw
from tilewright.core.samples import Samples
from tilewright.core.seeds import Rng
from tilewright.generators._patterns.pattern_counter import PatternCounter
from tilewright.generators._patterns.target import TargetDistribution

from .row import Row, best_times

PUBLISHED_TIMES = {
    (30, 1000): 438.0, (60, 1000): 1768.0, (120, 1000): 9598.0,
    (30, 5000): 2002.0, (60, 5000): 8023.0, (120, 5000): 46839.0,
    (30, 10000): 3985.0, (60, 10000): 16080.0, (120, 10000): 91976.0,
}  # fmt: skip
PUBLISHED_DIVERGENCES = {
    ("redblack", 2): 0.25, ("redblack", 3): 1.66, ("loderunner", 2): 0.197, ("loderunner", 3): 0.812,
}  # fmt: skip
MAX_DIVERGENCES = {
    ("overworld", 3): 1.4, ("village", 3): 1.1, ("dungeon", 3): 0.3, ("platforms", 3): 0.15,
    ("platforms", 2): 0.04, ("village", 2): 0.06,
}  # fmt: skip
"""Limits of the mean divergence of five maps of 30x30 cells with default iterations."""
SAMPLES = (
    "bricks", "caverns", "circuit", "dungeon", "garden", "keep", "overworld", "pavement", "platforms", "ruins",
    "village", "weave",
)  # fmt: skip
PERIODIC = ("bricks", "pavement", "weave")
"""Samples that wrap."""
ITERATIONS = 200_000
"""Iterations that are compared with four times as many."""
SECONDS = 2.5
"""Time of the published implementation for 10,000 iterations at 30x30."""
SEEDS = range(3)
PEER = "ETPKLDiv, measured elsewhere"
FLAT = ((False, False), (False, False))


def rows() -> Iterator[Row]:
    weave = Samples.of("weave")
    _evolve(weave, 2, 30, 10, wrap=True)  # compile
    for (side, iterations), peer in PUBLISHED_TIMES.items():
        time = _time(weave, 2, side, iterations)
        yield Row(
            what=f"patterns {side}x{side}, {iterations:,} iterations of evolution",
            unit="ms",
            ours=time * 1e3,
            peer=peer,
            peer_name=PEER,
            at_least=100,
        )
    yield Row(
        what="patterns 120x120, 10,000 steps, 2x2 patterns",
        unit="ms",
        ours=_time(weave, 2, 120, 10_000) * 1e3,
        at_most=6,
    )
    yield Row(
        what="patterns 120x120, 10,000 steps, 3x3 patterns",
        unit="ms",
        ours=_time(weave, 3, 120, 10_000) * 1e3,
        at_most=60,
    )
    small, large = _time(weave, 2, 120, 10_000), _time(weave, 2, 1000, 10_000)
    yield Row(
        what="patterns, time per step at 1000x1000 relative to 120x120", unit="times", ours=large / small, at_most=2
    )
    folder = os.environ.get("TILEWRIGHT_REFERENCE")
    names = sorted({name for name, _ in PUBLISHED_DIVERGENCES}) if folder else []
    samples = {name: Samples.of((Path(str(folder)) / "etpkldiv" / f"{name}.txt").read_text()) for name in names}
    for (name, size), peer in PUBLISHED_DIVERGENCES.items():
        if name in samples:
            yield from _compare_divergences(name, samples[name], size, wrap=name == "redblack", peer=peer)
    for name in ("dungeon", "platforms"):
        yield from _compare_divergences(name, Samples.of(name), 3, wrap=False, peer=None)
    yield from _measure_quality()
    yield from _compare_iterations()
    yield from _compare_drafts()


def _measure_quality() -> Iterator[Row]:
    """Yield the mean divergence of five maps with default iterations, and how many doors and houses are complete."""
    for (name, size), limit in MAX_DIVERGENCES.items():
        make = partial(tw.make, "patterns", sample=name, pattern_sizes=(size,), width=30, height=30)
        make(seed=0, iterations=1)  # compile
        start = process_time()
        maps = [make(seed=seed) for seed in range(5)]
        seconds = (process_time() - start) / len(maps)
        what = f"patterns, {name} {size}x{size} at 30x30"
        mean = float(np.mean([map.numbers["divergence"] for map in maps]))
        yield Row(what=f"{what}, divergence after {seconds:.1f} s of CPU time", unit="nats", ours=mean, at_most=limit)
        copied = max(map.numbers["copied_block"] for map in maps)
        yield Row(what=f"{what}, largest copied square", unit="cells", ours=copied, at_most=3 * size)
        if size == 3 and name in STRUCTURES:
            kind, count = STRUCTURES[name]
            whole, every = (sum(numbers) for numbers in zip(*map(count, map(str, maps)), strict=True))
            yield Row(what=f"{what}, fraction of {kind}", unit="", ours=whole / every, at_least=0.8)


def _count_doors(drawing: str) -> tuple[int, int]:
    """Return the number of doors between two floors or corridors, and of all doors inside the map."""
    rows = drawing.split("\n")
    whole = every = 0
    for row, column in product(range(1, len(rows) - 1), range(1, len(rows[0]) - 1)):
        if rows[row][column] == "+":
            beside = rows[row][column - 1] + rows[row][column + 1], rows[row - 1][column] + rows[row + 1][column]
            whole += any(set(pair) <= set(".,") for pair in beside)
            every += 1
    return whole, every


def _count_houses(drawing: str) -> tuple[int, int]:
    """Return the number of complete houses, and of all roofs whose house is inside the map."""
    rows = drawing.split("\n")
    whole = every = 0
    for row, column in product(range(len(rows) - 2), range(len(rows[0]) - 4)):
        if rows[row][column] == "/":
            roof = re.match(r"/=+\\", rows[row][column:])
            width = len(roof[0]) - 2 if roof else 0
            walls, front = rows[row + 1][column : column + width + 2], rows[row + 2][column : column + width + 2]
            whole += (
                roof is not None and walls == f"[{'_' * width}]" and re.fullmatch(r"Ho?o?\+o?o?H", front) is not None
            )
            every += 1
    return whole, every


STRUCTURES = {"dungeon": ("doors that join two floors", _count_doors), "village": ("complete houses", _count_houses)}


def _compare_iterations() -> Iterator[Row]:
    """Yield, for each pattern size, how much worse maps get with four times the iterations, for the worst sample."""
    for size in (2, 3):
        ratios = {}
        for name in SAMPLES:
            wrap = "xy" if name in PERIODIC else "none"
            shape = {"width": 16, "height": 13} if name == "keep" else {"width": 30, "height": 30}
            make = partial(tw.make, "patterns", sample=name, pattern_sizes=(size,), wrap_sample=wrap, **shape)
            few, many = (
                float(np.mean([make(iterations=steps, seed=seed).numbers["divergence"] for seed in range(5)]))
                for steps in (ITERATIONS, 4 * ITERATIONS)
            )
            ratios[name] = many / few if few > 1e-9 else 1.0
        worst = max(ratios, key=lambda name: ratios[name])
        what = f"patterns {size}x{size}, divergence with 4 times the iterations, worst sample ({worst})"
        yield Row(what=what, unit="times", ours=ratios[worst], at_most=1.02)


def _compare_drafts() -> Iterator[Row]:
    for name in ("dungeon", "village", "overworld", "platforms"):
        make = partial(tw.make, "patterns", sample=name, width=64, height=64)
        make(seed=0, quality="draft")
        start = process_time()
        drafts = [make(seed=seed, quality="draft") for seed in range(5)]
        rate = len(drafts) / (process_time() - start)
        yield Row(what=f"patterns, drafts of {name} 64x64 per core", unit="maps/s", ours=rate, at_least=10)
        draft, normal = (
            float(np.mean([map.numbers["divergence"] for map in maps]))
            for maps in (drafts, [make(seed=seed) for seed in range(2)])
        )
        what = f"patterns, divergence of a draft of {name} 64x64 relative to normal"
        yield Row(what=what, unit="times", ours=draft / normal, at_most=2)


def _compare_divergences(name: str, sample: Samples, size: int, *, wrap: bool, peer: float | None) -> Iterator[Row]:
    """Yield means over seeds at 30x30: evolution for the same iterations, then annealing for the same time."""
    what = f"{name} {size}x{size}, divergence"
    evolved = float(np.mean([_evolve(sample, size, 30, 10_000, wrap=wrap, seed=seed).value for seed in SEEDS]))
    make_row = partial(Row, unit="nats") if peer is None else partial(Row, unit="nats", peer=peer, peer_name=PEER)
    limit = None if peer is None else 1.0
    yield make_row(what=f"{what} after 10,000 iterations of evolution", ours=evolved, at_least=limit)
    make = partial(
        tw.make,
        "patterns",
        sample=sample,
        pattern_sizes=(size,),
        wrap_sample="xy" if wrap else "none",
        width=30,
        height=30,
    )
    (time,) = best_times(lambda: make(iterations=500_000, seed=0), rounds=2)
    steps = int(0.85 * SECONDS / time * 500_000)
    start = perf_counter()
    maps = [make(iterations=steps, seed=seed) for seed in SEEDS]
    seconds = (perf_counter() - start) / len(maps)
    annealed = float(np.mean([map.numbers["divergence"] for map in maps]))
    limit = None if peer is None else 10.0
    yield make_row(what=f"{what} after {seconds:.1f} s of annealing", ours=annealed, at_least=limit)
    if not wrap:
        copied = max(tw.measure(map, "copied_block", like=sample, pattern_size=size)["copied_block"] for map in maps)
        yield Row(what=f"{name} {size}x{size}, largest copied block", unit="cells", ours=copied, at_most=3 * size)


def _make_counter(sample: Samples, size: int, side: int, *, wrap: bool, seed: int = 0) -> PatternCounter:
    target = TargetDistribution(sample.maps, len(sample.labels), (size,), (1.0,), (wrap, wrap), FLAT)
    start = target.draw_map((side, side), Rng.of(seed).child("start"))
    return PatternCounter(
        target, [start], wrap=(False, False), weight=0.5, frozen=np.zeros((side, side), dtype=np.bool_)
    )


def _evolve(sample: Samples, size: int, side: int, iterations: int, *, wrap: bool, seed: int = 0) -> PatternCounter:
    counter = _make_counter(sample, size, side, wrap=wrap, seed=seed)
    counter.evolve(Rng.of(seed), 0, iterations, noise=0.0, crossing=0.0)
    return counter


def _time(sample: Samples, size: int, side: int, iterations: int) -> float:
    """Return the shortest time of some steps from a random start, without setting up the counter."""
    best = float("inf")
    for seed in range(5):
        counter = _make_counter(sample, size, side, wrap=True, seed=seed)
        (time,) = best_times(partial(counter.evolve, Rng.of(0), 0, iterations, noise=0.0, crossing=0.0), rounds=1)
        best = min(best, time)
    return best
