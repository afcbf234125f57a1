"""Many maps of noise at once, on a GPU."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...core.many_maps import Job, Launch, ManyMaps
from ...core.seeds import MASK, Rng
from ...kernels import noise as tables
from ...kernels.streams import pack_names
from . import lattice
from .biomes import Island

if TYPE_CHECKING:
    from ..noise import NoiseParams

KINDS: dict[lattice.Kind, int] = {
    "perlin": tables.PERLIN,
    "value": tables.VALUE,
    "simplex": tables.SIMPLEX,
    "cellular": tables.CELLULAR,
}
TOLERANCE = 1e-12
"""Difference of heights that rounding errors, which are about 1e-15, cannot bridge."""
NO_RNG = Rng(bytes(16))
"""Stream of octaves of which only the scales and weights are used."""

Name = str | tuple[str, int]


class NoiseMany(ManyMaps):
    """Kernels for noise."""

    def open_launch(self) -> Launch:
        from numba import cuda

        from ...kernels.gpu import maps
        from ...kernels.gpu.noise import NoiseMaker

        maker, depth = NoiseMaker(make_tables(self.params)), max(1, (len(self.site.ids) - 1).bit_length())

        def launch(keys: Any, job: Job, tests: tuple[Any, ...], out: tuple[Any, Any]) -> None:
            planes = cuda.device_array((len(keys), depth, job[0]), dtype=np.uint64)
            maker.fill(keys, planes)
            maps.finish_planes(planes, cuda.device_array(0, dtype=np.int32), job, tests, out)

        return launch


def make_tables(p: NoiseParams) -> tables.NoiseTables:
    """Return the parameters as arrays."""
    left, top = p.offset or (0, 0)
    window = lattice.Window((p.height, p.width), (top, left), (p.height, p.width) if p.wrap else None)
    kinds, axes, scales, paths = [], [], [], []
    heights = lattice.make_octaves(NO_RNG, p.kind, p.feature_size, p.octaves, p.gain, p.lacunarity)
    moisture = lattice.make_octaves(NO_RNG, "perlin", p.moisture, lattice.MOISTURE_OCTAVES, 0.5, 2.0)
    for target, octave, path in _list_octaves(p, heights, moisture):
        kinds.append((target, KINDS[octave.kind], int(p.warp > 0 and target == tables.HEIGHT)))
        both, per_cell = _make_axes(octave, window)
        axes.append(both)
        scales.append((octave.weight, *per_cell))
        paths.append(path)
    names, ends = pack_names([name for path in paths for name in path])
    moments = lattice.find_moments(heights, p.fractal)
    island = Island(p.island, p.world or (p.width, p.height), window) if p.island else None
    lengths = [len(row) for row in p.table]
    return tables.NoiseTables(
        kinds=np.array(kinds),
        axes=np.array(axes, dtype=np.uint64).view(np.int64),
        scales=np.array(scales),
        names=names,
        ends=ends,
        depths=np.array([len(path) for path in paths]),
        fold=np.array({"plain": (0.0, 0.0), "ridged": (-2.0, 1.0), "billow": (2.0, -1.0)}[p.fractal]),
        moments=np.array([moments, lattice.find_moments(moisture, "plain")]),
        down=np.ones(p.height) if island is None else island.down,
        across=np.ones(p.width) if island is None else island.across,
        coast=p.island,
        limits=_find_limits(p.thresholds, moments, is_sunk=island is not None),
        bands=np.stack([np.cumsum(lengths) - lengths, lengths], axis=1),
        tiles=p.biome_table.tile_numbers.astype(np.int64),
    )


def _list_octaves(
    p: NoiseParams, heights: list[lattice.Octave], moisture: list[lattice.Octave]
) -> Iterator[tuple[int, lattice.Octave, list[Name]]]:
    """Yield the target of each octave, the octave, and the names of its stream."""
    if p.warp:
        for number, target in enumerate((tables.SHIFT_X, tables.SHIFT_Y)):
            shift = lattice.Octave(NO_RNG, "perlin", 2.0 * p.feature_size, p.warp * p.feature_size)
            yield target, shift, [("warp", number)]
    if p.biomes is not None:
        for number, octave in enumerate(moisture):
            yield tables.MOISTURE, octave, ["moisture", ("octave", number)]
    for number, octave in enumerate(heights):
        yield tables.HEIGHT, octave, [("octave", number)]


def _make_axes(octave: lattice.Octave, window: lattice.Window) -> tuple[list[list[int]], tuple[float, float]]:
    """Return both axes of an octave as rows of `NoiseTables.axes`, and its lattice cells per cell."""
    width = octave.width
    starts = [part * tables.UNITS + tables.UNITS // 2 for part in reversed(window.origin)]
    if octave.kind == "simplex":
        side = lattice.SKEW_SIDE * width
        factors = ((lattice.SKEW_OWN, lattice.SKEW_OTHER), (lattice.SKEW_OTHER, lattice.SKEW_OWN))
        rows = [[side, 0, *_split(start, both, side)] for start, both in zip(starts, factors, strict=True)]
        return rows, (tables.UNITS / width, tables.UNITS / width)
    rows, per_cell = [], []
    for start, ring in zip(starts, reversed(window.torus or (0, 0)), strict=True):
        side, around, scale = lattice.measure_axis(ring, width)
        rows.append([side, around, *_split(start, (max(1, around),) * 2, side)])
        per_cell.append(scale)
    return rows, (per_cell[0], per_cell[1])


def _split(start: int, factors: Sequence[int], side: int) -> Iterator[int]:
    """Yield the lattice cell modulo 2^64, the remainder and the factor of a position, for each factor."""
    for factor in factors:
        cell, rest = divmod(start * factor, side)
        yield from (cell & MASK, rest, factor)


def _find_limits(thresholds: Sequence[float], moments: tuple[float, float], *, is_sunk: bool) -> NDArray[np.float64]:
    """Return thresholds with the sums of octaves between which a height must be computed to compare it.

    Islands change heights by position. There, all heights must be computed.
    """
    low, high = np.full(len(thresholds), -np.inf), np.full(len(thresholds), np.inf)
    limits = np.array(thresholds, dtype=np.float64)
    if not is_sunk and moments[1] > 0:
        mean, deviation = moments
        for bound, shift in ((low, -TOLERANCE), (high, TOLERANCE)):
            goal = limits + shift
            below, above = np.full(len(limits), mean - 1e9 * deviation), np.full(len(limits), mean + 1e9 * deviation)
            for _ in range(200):
                middle = (below + above) / 2.0
                is_below = tables.equalize_sum(middle, mean, deviation) < goal
                below, above = np.where(is_below, middle, below), np.where(is_below, above, middle)
            is_inside = (goal > TOLERANCE) & (goal < 1.0 - TOLERANCE)
            bound[is_inside] = (below if shift < 0 else above)[is_inside]
    return np.stack([limits, low, high], axis=1)
