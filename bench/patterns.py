"""Tile patterns compared with the published implementation (ETPKLDiv 0.5.0, JavaScript), measured elsewhere.

Its document has a table of times by iterations and map size. Its divergences after 10,000 iterations on two published
samples were measured elsewhere, too. They are compared if TILEWRIGHT_REFERENCE names the folder with these samples.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from time import perf_counter

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
