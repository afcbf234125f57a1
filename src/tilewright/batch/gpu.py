"""A GPU as an engine. Maps stay in its registers: made, shaped, measured and tested by one kernel."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numba import cuda

from ..core.errors import TooLarge
from ..core.many_maps import NoKernel
from ..core.require import Requirement
from ..kernels.bit_surveys import NEEDS_COUNTS, NUMBERS
from ..kernels.gpu import maps, surveys
from ..kernels.streams import pack_names
from .columns import collect_needs, find_column
from .cpu import CpuEngine
from .engine import Keys, Made, encode_prefix
from .program import BatchProgram
from .scanner import EngineScanner, ScanBound, ScanResult, bin_width

MAX_MAPS_PER_LAUNCH = 1 << 22
MIN_MAPS_PER_LAUNCH = 1 << 10
"""Maximum and minimum number of maps of one launch. If the memory of the GPU is too small, launches are halved."""
THREADS = 128
"""Number of threads per block where a thread has one seed."""
NO_NEEDS = -1
"""Needs of a launch that measures nothing."""


class GpuEngine:
    """Engine for the current GPU.

    Parameters
    ----------
    program : BatchProgram
        The program to run.

    Raises
    ------
    NoKernel
        If the technique has no kernel for GPUs.
    """

    device = "gpu"

    def __init__(self, program: BatchProgram) -> None:
        self.program = program
        self._launch = program.many.open_launch()
        self._depth = 1 if len(program.ids) <= 2 else surveys.PLANES
        self.path: tuple[str, ...] = (program.technique,)
        self._names = [cuda.to_device(array) for array in pack_names(self.path)]
        self._shaping = cuda.to_device(program.shaping)
        self._no_tests = tuple(
            cuda.to_device(array)
            for array in (
                np.zeros((0, 4), dtype=np.int64),
                np.zeros((0, 2)),
                np.zeros(5),
                np.zeros(2, dtype=np.uint64),
                np.zeros((0, 1), dtype=np.uint64),
                np.zeros(0, dtype=np.uint64),
                np.zeros((0, 1)),
            )
        )
        self.no_maps = cuda.device_array((0, 1, program.height), dtype=np.uint64)
        self.no_numbers = cuda.device_array((0, NUMBERS), dtype=np.int32)

    def make_range(self, first: int, count: int, *, prefix: str, needs: int, keeps: bool) -> Made:
        def make(start: int, size: int) -> Made:
            return self._make(self.fill_keys(first + start, size, prefix), needs, keeps)

        return _join(run_in_launches(make, count))

    def make_keys(self, keys: Keys, *, needs: int, keeps: bool) -> Made:
        def make(start: int, size: int) -> Made:
            return self._make(cuda.to_device(keys[start : start + size]), needs, keeps)

        return _join(run_in_launches(make, len(keys)))

    def fill_keys(self, first: int, count: int, prefix: str = "", out: Any = None) -> Any:
        """Return the keys of consecutive seeds, in the memory of the GPU."""
        keys = cuda.device_array((count, 2), dtype=np.uint64) if out is None else out[:count]
        blocks = (count + THREADS - 1) // THREADS
        maps.fill_stream_keys[blocks, THREADS](
            np.uint64(first), cuda.to_device(encode_prefix(prefix)), *self._names, keys
        )
        return keys

    def launch(self, keys: Any, first: int, needs: int, tests: tuple[Any, ...], out: tuple[Any, Any]) -> None:
        """Make, shape, measure and test maps."""
        program = self.program
        job = (program.height, program.width, program.passable, needs, self._shaping, np.uint64(first))
        self._launch(keys, job, tests, out)

    def time_launch(self, count: int, needs: int) -> float:
        """Return the seconds of a launch that keeps nothing, with the hashing of its seeds; the least of four."""
        keys, numbers = cuda.device_array((count, 2), dtype=np.uint64), self.no_numbers
        if needs != NO_NEEDS:
            numbers = cuda.device_array((count, NUMBERS), dtype=np.int32)
        seconds = []
        for _ in range(5):
            start, end = cuda.event(), cuda.event()
            start.record()
            self.launch(self.fill_keys(0, count, out=keys), 0, needs, self._no_tests, (self.no_maps, numbers))
            end.record()
            end.synchronize()
            seconds.append(cuda.event_elapsed_time(start, end) / 1000)
        return float(min(seconds))

    def _make(self, keys: Any, needs: int, keeps: bool) -> Made:
        count, program = len(keys), self.program
        kept = cuda.device_array((count, self._depth, program.height), np.uint64) if keeps else self.no_maps
        numbers = cuda.to_device(np.zeros((count, NUMBERS), dtype=np.int32))
        self.launch(keys, 0, needs | NEEDS_COUNTS, self._no_tests, (kept, numbers))
        return Made(numbers.copy_to_host().astype(np.int64), kept.copy_to_host() if keeps else None)


def _join(made: Sequence[Made]) -> Made:
    planes = [one.planes for one in made if one.planes is not None]
    return Made(np.concatenate([one.numbers for one in made]), np.concatenate(planes) if planes else None)


def run_in_launches(work: Any, count: int) -> list[Any]:
    """Call `work(start, size)` for consecutive launches. Halve the launches if the memory of the GPU is too small."""
    size, start, results = MAX_MAPS_PER_LAUNCH, 0, []
    while start < count:
        try:
            results.append(work(start, min(size, count - start)))
        except Exception as error:
            if not is_out_of_memory(error):
                raise
            if size <= MIN_MAPS_PER_LAUNCH:
                raise TooLarge("the memory of the GPU is too small for these maps; use the device cpu") from None
            size //= 2
            continue
        start += size
    return results


def is_out_of_memory(error: Exception) -> bool:
    """Return whether an error of CUDA is about memory."""
    return isinstance(error, MemoryError) or "OUT_OF_MEMORY" in repr(error.args)


def find_interval(requirement: Requirement | None) -> tuple[int, tuple[float, float]]:
    """Return the rule of a requirement on a GPU, and the ends of its interval."""
    if requirement is None:
        return surveys.ANY, (0.0, 0.0)
    return surveys.OUTSIDE if requirement.rule == "!=" else surveys.INSIDE, requirement.ends


class GpuScanner:
    """Scanner that tests maps on the GPU. Only the seeds that pass are copied back.

    Parameters
    ----------
    engine : GpuEngine
        The engine.
    requirements : sequence of Requirement
        Requirements for the measures, at most one of which is `most` or `least`.
    measures : sequence of str
        Measures to record, including those of the requirements.

    Raises
    ------
    NoKernel
        If the engine does not compute one of the measures.
    """

    device = "gpu"

    def __init__(self, engine: GpuEngine, requirements: Sequence[Requirement], measures: Sequence[str]) -> None:
        self._engine = engine
        self._arguments = (requirements, measures)
        self._columns = [find_column(name, engine.program) for name in measures]
        self._requirements = {one.measure: one for one in requirements}
        extremes = [one for one in requirements if one.is_extreme]
        self._extreme = extremes[0] if extremes else None
        intervals = [find_interval(self._requirements.get(one.measure)) for one in self._columns]
        rows = [
            (one.column, one.divisor, rule, round(1 / bin_width(one.measure)))
            for one, (rule, _) in zip(self._columns, intervals, strict=True)
        ]
        limits = [limits for _, limits in intervals]
        self._rows = cuda.to_device(np.array(rows, dtype=np.int64).reshape(-1, 4))
        self._limits = cuda.to_device(np.array(limits, dtype=np.float64).reshape(-1, 2))
        self._bins = max(101, engine.program.cells + 1)
        self._buffers: tuple[Any, Any, Any] | None = None
        """Keys, found seeds and their values, in the memory of the GPU."""

    def scan(self, first: int, count: int, bound: ScanBound | None) -> ScanResult:
        """Test the decimal seeds `first` to `first + count - 1`."""
        number = len(self._columns)
        totals = cuda.to_device(np.zeros(2 + 2 * number, dtype=np.uint64))
        histograms = cuda.to_device(np.zeros((number, self._bins), dtype=np.uint64))
        encoded = cuda.to_device(self._encode_bound(bound))
        found: list[tuple[Any, Any]] = []

        def test(start: int, size: int) -> None:
            keys, seeds, values = self._reserve(size)
            keys = self._engine.fill_keys(first + start, size, out=keys)
            tests = (self._rows, self._limits, encoded, totals, histograms, seeds, values)
            out = (self._engine.no_maps, self._engine.no_numbers)
            self._engine.launch(keys, first + start, collect_needs(self._columns), tests, out)
            if number_found := int(totals[:1].copy_to_host()[0]):
                found.append((seeds[:number_found].copy_to_host(), values[:number_found].copy_to_host()))
                totals[:1].copy_to_device(np.zeros(1, dtype=np.uint64))

        try:
            run_in_launches(test, count)
        except TooLarge:
            with suppress(NoKernel):
                return EngineScanner(CpuEngine(self._engine.program), *self._arguments).scan(first, count, bound)
            raise
        return self._read(first, count, found, totals.copy_to_host(), histograms.copy_to_host())

    def _encode_bound(self, bound: ScanBound | None) -> Any:
        if bound is None:
            return np.array([surveys.NO_BOUND, 1.0, 0.0, 0.0, 0.0])
        at, sign = surveys.BY_SEED, 1.0
        if self._extreme is not None:
            at = [one.measure for one in self._columns].index(self._extreme.measure)
            sign = 1.0 if self._extreme.rule == "most" else -1.0
        return np.array([at, sign, bound.value, bound.seed >> 32, bound.seed & 0xFFFFFFFF], dtype=np.float64)

    def _reserve(self, size: int) -> tuple[Any, Any, Any]:
        """Return buffers for a launch, which are reused."""
        if self._buffers is None or len(self._buffers[0]) < size:
            self._buffers = None
            self._buffers = (
                cuda.device_array((size, 2), dtype=np.uint64),
                cuda.device_array(size, dtype=np.uint64),
                cuda.device_array((size, len(self._columns)), dtype=np.float64),
            )
        return self._buffers

    def _read(
        self, first: int, count: int, found: Sequence[tuple[Any, Any]], totals: Any, histograms: Any
    ) -> ScanResult:
        names = [one.measure for one in self._columns]
        seeds = np.concatenate([np.zeros(0, dtype=np.uint64), *(one[0] for one in found)])
        values = np.concatenate([np.zeros((0, len(names))), *(one[1] for one in found)])
        order = np.argsort(seeds)  # Threads append in any order.
        return ScanResult(
            first=first,
            count=count,
            seeds=seeds[order],
            values={name: values[order, at] for at, name in enumerate(names)},
            passed=int(totals[1]),
            met={name: int(totals[2 + 2 * at]) for at, name in enumerate(names) if name in self._requirements},
            histograms={
                name: {int(bin): int(histograms[at, bin]) for bin in np.flatnonzero(histograms[at])}
                for at, name in enumerate(names)
            },
            without={name: int(totals[3 + 2 * at]) for at, name in enumerate(names)},
            failures={},
        )
