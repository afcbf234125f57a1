"""Corpora: what two processes gain over one, what storing and scheduling cost, and how quickly maps are read again.

Makes 100,000 maps of 64x64 by caves with three measures, by one process and by two workers, in a folder that is removed
afterwards. One process makes half of them before the two and half after, and between all of it the same work is timed
with nothing around it: maps made and measured in this process, some hundred at a time, as corpora do. All that is not
this work, divided by the number of processes, counts as storing and scheduling: the start of Dask and of its workers,
and also that two busy processors are slower than one, which is told beside it.
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
"""Blocks of the bare work each time, from which the time for all is reckoned."""
BLOCK = 128
WORKERS = 2
FAST = ("aggregation", "bsp", "caves", "drunkard", "fashion", "maze", "noise", "rooms", "rules", "voronoi")
EACH = 2_000
LEARNING = ("markov", "patterns", "wfc")
FEW = 10


def rows() -> Iterator[Row]:
    recipe = tw.recipe("caves", width=64, height=64)
    _time_plain(1)  # compiles
    with TemporaryDirectory() as folder:
        plain = [_time_plain()]
        one = _time_build(recipe, folder, "one, first half", COUNT // 2, 0)
        plain.append(_time_plain())
        with Peak() as peak:
            two = _time_build(recipe, folder, "two", COUNT, WORKERS)
        plain.append(_time_plain())
        one += _time_build(recipe, folder, "one, second half", COUNT // 2, 0)
        plain.append(_time_plain())
        corpus = Corpus(Path(folder) / "two")
        work = mean(plain) * COUNT
        what = f"corpus of {COUNT:,} maps, caves 64x64, three measures"
        yield Row(
            what=f"{what}, {WORKERS} workers", unit="s", ours=two, peer=one, peer_name="one process", at_least=1.7
        )
        yield Row(what=f"{what}: storing, one process", unit="%", ours=100 * (one - work) / one, at_most=20)
        share = 100 * (two - work / WORKERS) / two
        yield Row(what=f"{what}: storing and scheduling, {WORKERS} workers", unit="%", ours=share, at_most=20)
        yield Row(what=f"{what}: peak memory of a process", unit="MB", ours=peak.max_bytes / 1e6, at_most=600)
        yield Row(
            what=f"the same maps, only made and measured, {WORKERS} processes at once",
            unit="maps/s",
            ours=_measure_parallel_rate(),
            peer=1 / _time_plain(),
            peer_name="one process",
        )
        yield Row(what="corpus: 1,000 random maps read", unit="s", ours=_read(corpus), at_most=1)
    for technique in (*FAST, *LEARNING):
        yield Row(what=f"corpus of {technique} 64x64, one process", unit="maps/s", ours=_measure_rate(technique))


def _time_build(recipe: tw.Recipe, folder: str, name: str, count: int, workers: int) -> float:
    began = time.perf_counter()
    make(recipe, Path(folder) / name, count=count, seed="bench", measures=MEASURES, workers=workers)
    return time.perf_counter() - began


def _time_plain(blocks: int = PLAIN) -> float:
    """Seconds for a map, made and measured and nothing else."""
    recipe = tw.recipe("caves", width=64, height=64)
    began = time.perf_counter()
    for block in range(blocks):
        maps = [tw.run(recipe, seed=f"bench-{block * BLOCK + number}") for number in range(BLOCK)]
        for map in maps:
            tw.measure(map, *MEASURES)
    return (time.perf_counter() - began) / (blocks * BLOCK)


def _measure_parallel_rate() -> float:
    """Maps a second of several processes, made and measured and nothing else."""
    with ProcessPoolExecutor(WORKERS, mp_context=get_context("spawn")) as processes:
        list(processes.map(_time_plain, [PLAIN] * WORKERS))  # starts them
        return sum(1 / seconds for seconds in processes.map(_time_plain, [2 * PLAIN] * WORKERS))


def _measure_rate(technique: str) -> float:
    recipe = tw.recipe(technique, width=64, height=64)
    count = FEW if technique in LEARNING else EACH
    with TemporaryDirectory() as folder:
        make(recipe, Path(folder) / "first", count=2, seed="first", measures=MEASURES, workers=0)
        began = time.perf_counter()
        make(recipe, Path(folder) / "all", count=count, seed="bench", measures=MEASURES, workers=0)
        return count / (time.perf_counter() - began)


def _read(corpus: Corpus) -> float:
    """Seconds for maps that lie anywhere, with nothing read before."""
    draws = random.Random(7)
    chosen = [draws.randrange(len(corpus)) for _ in range(1000)]
    fresh = Corpus(corpus.folder.address)
    began = time.perf_counter()
    for number in chosen:
        fresh[number]
    return time.perf_counter() - began


class Peak:
    """The most memory that this process, or one that it started, has held meanwhile."""

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
