"""Wave function collapse compared with fast-wfc (C++), measured elsewhere, and a simple Python version, measured here.

The samples are those of the original. They are read from the folder named by TILEWRIGHT_REFERENCE. A time is the median
over ten seeds of the best of three runs of one map, including the extraction of patterns, with all kernels compiled.
"""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from statistics import median
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tilewright as tw
from tilewright.core.caching import shared_cache
from tilewright.core.errors import GaveUp
from tilewright.core.grid import Grid
from tilewright.core.samples import Samples

from .row import Row, best_times

PUBLISHED = {
    ("Flowers", 48): 12.6, ("RedMaze", 48): 3.5, ("SimpleMaze", 48): 9.5, ("Rooms", 48): 11.2, ("Knot", 48): 9.6,
    ("Flowers", 128): 133.0, ("SimpleMaze", 128): 301.0, ("RedMaze", 128): 129.0, ("Rooms", 128): 173.0,
    ("SimpleMaze", 256): 4200.0, ("RedMaze", 256): 1420.0,
}  # fmt: skip
"""Milliseconds of fast-wfc by sample and map size; Flowers at 128 succeeded twice in ten."""
SAMPLES: dict[str, dict[str, Any]] = {
    "Flowers": {"pattern_size": 3, "symmetry": 2, "ground": True, "wrap": "xy"},
    "RedMaze": {"pattern_size": 2, "symmetry": 8},
    "SimpleMaze": {"pattern_size": 2, "symmetry": 8},
    "Rooms": {"pattern_size": 3, "symmetry": 8, "wrap": "xy"},
    "Knot": {"pattern_size": 3, "symmetry": 8, "wrap": "xy"},
    "Platformer": {"pattern_size": 2, "symmetry": 2, "ground": True, "wrap": "xy"},
}
NET = [
    "................",
    "..####..........",
    "..#..#..........",
    "..#..#..........",
    "###..###########",
    "..#..#..........",
    "..#..#..........",
    "..####..........",
    *["...#............"] * 8,
]
"""A net of lines without ends, which must close around a map that wraps."""
TAIL_SIDE, TAIL_SEEDS = 128, range(100)
SIDES = (48, 128, 256)
SEEDS = range(10)
PEER = "fast-wfc, measured elsewhere"


OWN_SAMPLES: dict[str, tuple[float, dict[str, Any]]] = {
    "weave": (0.4, {"wrap_sample": "xy"}),
    "bricks": (2.5, {"wrap_sample": "xy"}),
    "pavement": (4.7, {"wrap_sample": "xy"}),
    "dungeon": (32.6, {}),
    "circuit": (39.4, {"wrap_sample": "xy"}),
    "garden": (39.3, {"wrap_sample": "xy"}),
}
"""Our samples: milliseconds of fast-wfc, and parameters."""
MANY_SIDE = 60
PUBLISHED_MANY = 6500.0
"""Milliseconds of fast-wfc for the sample of `_compare_many`, measured on the machine of the other figures."""


def rows() -> Iterator[Row]:
    yield _compare_naive()
    yield _compare_many()
    yield _measure_fixed_cost()
    for name, (own_peer, params) in OWN_SAMPLES.items():
        times = [_time_map(Samples.of(name), 48, seed, params) for seed in SEEDS]
        yield Row(
            what=f"wfc 48x48 after {name}, median of ten seeds",
            unit="ms",
            ours=median(time for time in times if time is not None) * 1e3,
            peer=own_peer,
            peer_name=PEER,
            at_least=1,
        )
    yield _measure_tail("a net", Samples.of(NET), {})
    yield _measure_tail("circuit", Samples.of("circuit"), {})
    folder = os.environ.get("TILEWRIGHT_REFERENCE")
    if not folder:
        return
    for side in SIDES:
        for name, params in SAMPLES.items():
            sample = Samples.of(Grid.of(tw.load(Path(folder) / "wfc" / f"{name}.png")))
            if side == TAIL_SIDE:
                yield _measure_tail(name, sample, params)
            times = [_time_map(sample, side, seed, {"wrap_sample": "xy", **params}) for seed in SEEDS]
            successful = [time for time in times if time is not None]
            peer = PUBLISHED.get((name, side))
            yield Row(
                what=f"wfc {side}x{side} after {name}, median of ten seeds",
                unit="ms",
                ours=median(successful) * 1e3,
                peer=peer,
                peer_name=PEER if peer else "",
                at_least=None if peer is None else 4 if side == 256 else 1,
            )
            yield Row(
                what=f"wfc {side}x{side} after {name}, successes in ten", unit="maps", ours=len(successful), at_least=10
            )


def _compare_many() -> Row:
    """Compare with about 6,000 patterns: those of a landscape by `noise`, in all rotations and reflections."""
    sample = Samples.of(Grid.of(tw.make("noise", width=128, height=80, seed=1)))
    params = {"pattern_size": 3, "symmetry": 8}
    times = [_time_map(sample, MANY_SIDE, seed, params) for seed in range(3)]
    return Row(
        what=f"wfc {MANY_SIDE}x{MANY_SIDE} with 6,306 patterns, median of three seeds",
        unit="ms",
        ours=median(time for time in times if time is not None) * 1e3,
        peer=PUBLISHED_MANY,
        peer_name=PEER,
        at_least=2.2,
    )


def _measure_fixed_cost() -> Row:
    """Measure a map of 8x8 cells whose patterns are known: almost all of its time does not depend on the size."""
    sample = Samples.of("weave")
    make = partial(tw.make, "wfc", sample=sample, wrap_sample="xy", width=8, height=8, seed=1)
    (time,) = best_times(make, rounds=200)
    return Row(what="wfc 8x8 after weave: fixed cost of a map", unit="ms", ours=time * 1e3, at_most=0.1)


def _measure_tail(name: str, sample: Samples, params: dict[str, Any]) -> Row:
    """Compare the slowest of a hundred seeds with the median, on a map that wraps."""
    tw.make("wfc", sample=sample, seed=0, wrap_sample="xy")  # patterns are extracted once
    times = []
    for seed in TAIL_SEEDS:
        start = process_time()
        tw.make(
            "wfc",
            sample=sample,
            width=TAIL_SIDE,
            height=TAIL_SIDE,
            seed=seed,
            **{**params, "wrap_sample": "xy", "wrap": "xy"},
        )
        times.append(process_time() - start)
    return Row(
        what=f"wfc {TAIL_SIDE}x{TAIL_SIDE} after {name}, wrapped: slowest of {len(times)} seeds",
        unit="medians",
        ours=max(times) / median(times),
        at_most=20,
    )


def _time_map(sample: Samples, side: int, seed: int, params: dict[str, Any]) -> float | None:
    """Return the seconds for a map, including the extraction of patterns; None if it fails."""

    def make() -> None:
        shared_cache.clear()
        tw.make("wfc", sample=sample, width=side, height=side, seed=seed, **params)

    try:
        return best_times(make, rounds=3)[0]
    except GaveUp:
        return None


def _compare_naive() -> Row:
    """Compare with a simple version: sets in lists, a linear search for the lowest entropy, a restart per
    contradiction.
    """
    sample = Samples.of("dungeon")
    side = 24
    recipe = tw.recipe("wfc", sample=sample, width=side, height=side, pattern_size=2)
    rng = random.Random(7)
    plain = partial(make_naively, sample.maps[0], side, 2, rng)
    ours, peer = best_times(partial(tw.run, recipe, seed=7), plain, rounds=3)
    return Row(
        what=f"wfc {side}x{side} after dungeon, 2x2 patterns",
        unit="ms",
        ours=ours * 1e3,
        peer=peer * 1e3,
        peer_name="a simple Python version",
        at_least=20,
    )


def make_naively(sample: NDArray[np.integer[Any]], side: int, size: int, rng: random.Random) -> list[list[int]]:
    """Return a map of tiles by a simple implementation."""
    rows, columns = sample.shape
    counts: dict[tuple[tuple[int, ...], ...], int] = {}
    for top in range(rows - size + 1):
        for left in range(columns - size + 1):
            pattern = tuple(tuple(row) for row in sample[top : top + size, left : left + size].tolist())
            counts[pattern] = counts.get(pattern, 0) + 1
    patterns, weights = list(counts), list(counts.values())
    steps = ((-1, 0), (0, -1), (1, 0), (0, 1))
    fits = [
        [{b for b, other in enumerate(patterns) if _agree(one, other, *step)} for one in patterns] for step in steps
    ]
    waves = side - size + 1
    while True:
        wave = [set(range(len(patterns))) for _ in range(waves * waves)]
        if _collapse(wave, waves, weights, fits, steps, rng):
            cells = [[next(iter(wave[row * waves + column])) for column in range(waves)] for row in range(waves)]
            return [[patterns[index][0][0] for index in line] for line in cells]


def _agree(one: tuple[tuple[int, ...], ...], other: tuple[tuple[int, ...], ...], down: int, right: int) -> bool:
    """Return whether two patterns agree where they overlap, for an offset of the other."""
    size = len(one)
    return all(
        one[row][column] == other[row - down][column - right]
        for row in range(max(0, down), size + min(0, down))
        for column in range(max(0, right), size + min(0, right))
    )


def _collapse(
    wave: list[set[int]],
    side: int,
    weights: list[int],
    fits: list[list[set[int]]],
    steps: tuple[tuple[int, int], ...],
    rng: random.Random,
) -> bool:
    while True:
        undecided = [cell for cell, patterns in enumerate(wave) if len(patterns) > 1]
        if not undecided:
            return True
        cell = min(undecided, key=lambda cell: (len(wave[cell]), rng.random()))
        options = sorted(wave[cell])
        wave[cell] = {rng.choices(options, [weights[pattern] for pattern in options])[0]}
        queue = [cell]
        while queue:
            here = queue.pop()
            row, column = divmod(here, side)
            for (down, right), allowed in zip(steps, fits, strict=True):
                if not (0 <= row + down < side and 0 <= column + right < side):
                    continue
                there = (row + down) * side + column + right
                left = wave[there] & set().union(*(allowed[pattern] for pattern in wave[here]))
                if not left:
                    return False
                if left != wave[there]:
                    wave[there] = left
                    queue.append(there)
