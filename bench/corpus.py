"""Corpora: gain of two processes over one, cost of storing and scheduling, and time to read maps.

Generates 100,000 maps of 64x64 by caves with three measures, with one process and with two workers, in a temporary
folder. One process generates half of them before the two workers and half after. In between, the bare work is timed:
maps generated and measured in this process, in blocks as corpora do. All other time, divided by the number of
processes, counts as storing and scheduling. This includes the start of Dask and its workers, and the slowdown of two
busy processors, which are also reported. The start takes about two seconds of both processors for any number of maps.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory

import psutil

import tilewright as tw
from tilewright.corpus import Corpus, make

from .row import Row

COUNT = 100_000
MEASURES = ("floor_share", "regions", "path_length")
PLAIN = 40
"""Number of blocks of bare work per measurement, from which the total time is extrapolated."""
BLOCK = 128
WORKERS = 2
FAST = ("aggregation", "bsp", "caves", "drunkard", "fashion", "maze", "noise", "rooms", "rules", "voronoi")
EACH = 2_000
LEARNING = ("markov", "patterns", "wfc")
FEW = 10


def rows() -> Iterator[Row]:
    recipe = tw.recipe("caves", width=64, height=64)
    _time_plain(1)  # compile
    with TemporaryDirectory() as folder:
        plain = [_time_plain()]
        one = _time_build(recipe, folder, "one, first half", COUNT // 2, 0)
        plain.append(_time_plain())
        with Peak() as peak:
            two = _time_build(recipe, folder, "two", COUNT, WORKERS)
        plain.append(_time_plain())
        start = _time_build(recipe, folder, "start", WORKERS, WORKERS)
        one += _time_build(recipe, folder, "one, second half", COUNT // 2, 0)
        plain.append(_time_plain())
        corpus = Corpus(Path(folder) / "two")
        work = mean(plain) * COUNT
        what = f"corpus of {COUNT:,} maps, caves 64x64, three measures"
        yield Row(
            what=f"{what}, {WORKERS} workers", unit="s", ours=two, peer=one, peer_name="one process", at_least=1.7
        )
        yield Row(
            what=f"{what}, {WORKERS} workers, after their start",
            unit="s",
            ours=two - start,
            peer=one,
            peer_name="one process",
            at_least=1.7,
        )
        yield Row(
            what=f"corpus of {WORKERS} maps, {WORKERS} workers: start of Dask and its workers", unit="s", ours=start
        )
        yield Row(what=f"{what}: storing, one process", unit="%", ours=100 * (one - work) / one, at_most=20)
        percentage = 100 * (two - work / WORKERS) / two
        yield Row(what=f"{what}: storing and scheduling, {WORKERS} workers", unit="%", ours=percentage, at_most=20)
        yield Row(what=f"{what}: peak memory of a process", unit="MB", ours=peak.max_bytes / 1e6, at_most=600)
        yield Row(
            what=f"the same maps, generated and measured but not stored, {WORKERS} processes",
            unit="maps/s",
            ours=_measure_parallel_rate(),
            peer=1 / _time_plain(),
            peer_name="one process",
        )
        yield Row(what="corpus: 1,000 random maps read", unit="s", ours=_read(corpus), at_most=1)
    for technique in (*FAST, *LEARNING):
        yield Row(what=f"corpus of {technique} 64x64, one process", unit="maps/s", ours=_measure_rate(technique))


def _time_build(recipe: tw.Recipe, folder: str, name: str, count: int, workers: int) -> float:
    start = time.perf_counter()
    make(recipe, Path(folder) / name, count=count, seed="bench", measures=MEASURES, workers=workers)
    return time.perf_counter() - start


def _time_plain(blocks: int = PLAIN) -> float:
    """Return the seconds per map for generation and measures only."""
    recipe = tw.recipe("caves", width=64, height=64)
    start = time.perf_counter()
    for block in range(blocks):
        maps = [tw.run(recipe, seed=f"bench-{block * BLOCK + number}") for number in range(BLOCK)]
        for map in maps:
            tw.measure(map, *MEASURES)
    return (time.perf_counter() - start) / (blocks * BLOCK)


def _measure_parallel_rate() -> float:
    """Return the maps per second of several processes, for generation and measures only."""
    with ProcessPoolExecutor(WORKERS, mp_context=get_context("spawn")) as processes:
        list(processes.map(_time_plain, [PLAIN] * WORKERS))  # start the processes
        return sum(1 / seconds for seconds in processes.map(_time_plain, [2 * PLAIN] * WORKERS))


def _measure_rate(technique: str) -> float:
    recipe = tw.recipe(technique, width=64, height=64)
    count = FEW if technique in LEARNING else EACH
    with TemporaryDirectory() as folder:
        make(recipe, Path(folder) / "first", count=2, seed="first", measures=MEASURES, workers=0)
        start = time.perf_counter()
        make(recipe, Path(folder) / "all", count=count, seed="bench", measures=MEASURES, workers=0)
        return count / (time.perf_counter() - start)


def _read(corpus: Corpus) -> float:
    """Return the seconds to read maps at random, without any cached data."""
    draws = random.Random(7)
    chosen = [draws.randrange(len(corpus)) for _ in range(1000)]
    reopened = Corpus(corpus.folder.address)
    start = time.perf_counter()
    for number in chosen:
        reopened[number]
    return time.perf_counter() - start


class Peak:
    """Peak memory of this process and its children, sampled in a thread."""

    def __enter__(self) -> Peak:
        self.max_bytes = 0
        self._stop = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stop.set()
        self._watcher.join()

    def _watch(self) -> None:
        own = psutil.Process()
        while not self._stop.wait(0.25):
            for process in (own, *own.children(recursive=True)):
                try:
                    self.max_bytes = max(self.max_bytes, process.memory_info().rss)
                except psutil.NoSuchProcess:
                    continue
