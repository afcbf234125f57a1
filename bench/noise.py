"""Noise compared with popular packages: one octave, the same number of samples, one thread.

The coordinates of the peers are prepared in advance, which is not measured; ours computes its own. The peers use
float32, ours float64 at any position. Packages that are not installed are skipped with a message (`pip install
pyfastnoiselite tcod`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

import tilewright as tw
from tilewright.core.seeds import Rng
from tilewright.generators._noise.lattice import NO_DISPLACEMENT, Kind, Octave, Window, sample_octave

from .row import Row, Work, best_times

SIZE = 1024
SCALE = 32.0
ROUNDS = 15
KINDS: tuple[Kind, ...] = ("perlin", "simplex", "value", "cellular")
Peers = dict[Kind, Work]


def rows() -> Iterator[Row]:
    candidates: list[tuple[str, Callable[[], Peers], float]] = [
        ("pyfastnoiselite", _load_fastnoise, 2),
        ("tcod", _load_tcod, 3),
    ]
    found: list[tuple[str, Peers, float]] = []
    for name, peers, at_least in candidates:
        try:
            found.append((name, peers(), at_least))
        except ImportError:
            print(f"noise: {name} is not installed; skipped", file=sys.stderr)
    for kind in KINDS:
        comparisons = [(name, peers[kind], at_least) for name, peers, at_least in found if kind in peers]
        own, *times = best_times(partial(sample_ours, kind), *(work for _, work, _ in comparisons), rounds=ROUNDS)
        for (name, _, at_least), time in zip(comparisons, times, strict=True):
            yield _row(f"noise {SIZE}x{SIZE}, {kind}", own, time, name, at_least)
        if not comparisons:
            yield _row(f"noise {SIZE}x{SIZE}, {kind}", own)
    make = partial(tw.make, "noise", width=SIZE, height=SIZE, feature_size=SCALE, octaves=1, seed=7)
    yield _row(f"noise {SIZE}x{SIZE}, tw.make with heights and tiles", best_times(make, rounds=ROUNDS)[0])


def _row(what: str, own: float, peer: float | None = None, name: str = "", at_least: float | None = None) -> Row:
    per_sample = 1e9 / SIZE**2
    return Row(
        what=what,
        unit="ns",
        ours=own * per_sample,
        peer=None if peer is None else peer * per_sample,
        peer_name=name,
        at_least=at_least,
    )


def sample_ours(kind: Kind) -> None:
    out = np.empty((SIZE, SIZE))
    for _ in sample_octave(Octave(Rng.of(7), kind, SCALE), Window((SIZE, SIZE), (0, 0), None), NO_DISPLACEMENT, out):
        pass


def _load_fastnoise() -> Peers:
    package: Any = import_module("pyfastnoiselite.pyfastnoiselite")
    x, y = np.meshgrid(np.arange(SIZE, dtype=np.float32), np.arange(SIZE, dtype=np.float32))
    coordinates = np.stack([x.ravel(), y.ravel()])

    def work(name: str) -> Work:
        noise = package.FastNoiseLite(7)
        noise.noise_type = getattr(package.NoiseType, f"NoiseType_{name}")
        noise.frequency = 1 / SCALE
        return partial(noise.gen_from_coords, coordinates)

    kinds: dict[Kind, str] = {
        "perlin": "Perlin",
        "simplex": "OpenSimplex2",
        "value": "Value",
        "cellular": "Cellular",
    }
    return {kind: work(name) for kind, name in kinds.items()}


def _load_tcod() -> Peers:
    package: Any = import_module("tcod.noise")
    grid = package.grid((SIZE, SIZE), scale=1 / SCALE, origin=(0, 0))

    def work(name: str) -> Work:
        return partial(package.Noise(2, algorithm=package.Algorithm[name], seed=7).__getitem__, grid)

    return {"perlin": work("PERLIN"), "simplex": work("SIMPLEX")}
