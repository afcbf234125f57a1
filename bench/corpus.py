"""Corpora: what two processes gain over one, what storing and scheduling cost, and how quickly maps are read again.

Makes 100,000 maps of 64x64 by caves with three measures, twice, in a folder that is removed afterwards. All is divided
by the same work with nothing around it: the maps made and measured one after the other in this process.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil

import tilewright as tw
from tilewright.corpus import Corpus, make

from .row import Row

COUNT = 100_000
MEASURES = ("floor_share", "regions", "path_length")
PLAIN = 5_000
"""Maps of the bare work, from which the time for all is reckoned."""
WORKERS = 2
FAST = ("aggregation", "bsp", "caves", "drunkard", "fashion", "maze", "noise", "rooms", "rules", "voronoi")
EACH = 2_000
LEARNING = ("markov", "patterns", "wfc")
FEW = 10


def rows() -> Iterator[Row]:
    recipe = tw.recipe("caves", width=64, height=64)
    plain = _plain(recipe, PLAIN)  # compiles, too
    with TemporaryDirectory() as folder:
        began = time.perf_counter()
        make(recipe, Path(folder) / "one", count=COUNT, seed="bench", measures=MEASURES, workers=0)
        one = time.perf_counter() - began
        plain = min(plain, _plain(recipe, PLAIN))
        with Peak() as peak:
            began = time.perf_counter()
            corpus = make(recipe, Path(folder) / "two", count=COUNT, seed="bench", measures=MEASURES, workers=WORKERS)
            two = time.perf_counter() - began
        work = plain * COUNT
        what = f"corpus of {COUNT:,} maps, caves 64x64, three measures"
        yield Row(
            what=f"{what}, {WORKERS} workers", unit="s", ours=two, peer=one, peer_name="one process", at_least=1.7
        )
        yield Row(what=f"{what}: storing, one process", unit="%", ours=100 * (one - work) / one, at_most=20)
        share = 100 * (two - work / WORKERS) / two
        yield Row(what=f"{what}: storing and scheduling, {WORKERS} workers", unit="%", ours=share, at_most=20)
        yield Row(what=f"{what}: peak memory of a process", unit="MB", ours=peak.largest / 1e6, at_most=600)
        yield Row(what="corpus: 1,000 random maps read", unit="s", ours=_read(corpus), at_most=1)
    for technique in (*FAST, *LEARNING):
        yield Row(what=f"corpus of {technique} 64x64, one process", unit="maps/s", ours=_rate(technique))


def _plain(recipe: tw.Recipe, count: int) -> float:
    """Seconds for a map, made and measured and nothing else."""
    began = time.perf_counter()
    for number in range(count):
        tw.measure(tw.run(recipe, seed=f"bench-{number}"), *MEASURES)
    return (time.perf_counter() - began) / count


def _rate(technique: str) -> float:
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
        self.largest = 0
        self._over = threading.Event()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self._watcher.join()

    def _watch(self) -> None:
        own = psutil.Process()
        while not self._over.wait(0.25):
            for process in (own, *own.children(recursive=True)):
                try:
                    self.largest = max(self.largest, process.memory_info().rss)
                except psutil.NoSuchProcess:
                    continue
