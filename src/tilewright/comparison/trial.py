"""Trials: a contestant learns from samples and makes maps, and the time and memory that it takes are measured.

A trial runs in a process of its own.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.errors import GaveUp, TilewrightError
from ..core.grid import Grid
from ..core.samples import Samples
from ..core.seeds import Seed, number_seed
from ..core.tilemap import TileMap
from ..jobs.processes import start_processes
from .contestants import MODEL, OnProgress, find_quick_settings, make_contestant

if TYPE_CHECKING:
    from multiprocessing.context import SpawnProcess

CROP_SIZES = (4, 6, 8, 12, 16, 24, 32)
"""Edge lengths of the samples to try, to find the smallest that a contestant can learn from."""
TRIAL_SIZE = 16
"""Edge length of the maps that are made from these samples."""
CROPPED, LEARNED = 0.1, 0.5
"""Completed fractions after the small samples, and after learning."""


@dataclass(frozen=True)
class Trial:
    """What one contestant has to do."""

    technique: str
    samples: Samples = field(repr=False)
    width: int
    height: int
    count: int
    """Number of maps."""
    seed: Seed
    """Map k has the seed SEED-k."""
    settings: Mapping[str, Any]
    finds_smallest: bool = True
    """Whether to look for the smallest input that works."""


@dataclass(frozen=True)
class TrialOutcome:
    """What a contestant has made, and what it took."""

    maps: tuple[TileMap, ...] = field(repr=False)
    failures: int
    """Number of maps for which the contestant gave up."""
    training_time: float
    """Seconds to learn from the samples."""
    map_times: tuple[float, ...] = field(repr=False)
    """Seconds for each attempt to make a map, also for those that failed."""
    memory: int | None
    """Peak memory of the process in bytes while it learned and made maps; None if the system does not report it."""
    smallest_input: int | None
    """Edge length of the smallest square sample that works; None if none does, or if none was tried."""


def run_trial(trial: Trial, on_progress: OnProgress) -> TrialOutcome:
    """Run a trial in this process.

    Small samples are tried first. This also loads or compiles everything, so that the times that are measured
    afterwards are those of the contestant alone.

    Raises
    ------
    TilewrightError
        If the contestant cannot learn from the samples.
    """
    smallest = _find_smallest_input(trial, on_progress)
    contestant = make_contestant(trial.technique, trial.settings)
    _reset_peak_memory()
    start = perf_counter()
    contestant.fit(trial.samples, trial.seed, scale_progress(on_progress, CROPPED, LEARNED))
    training_time = perf_counter() - start
    maps: list[TileMap] = []
    times: list[float] = []
    for number in range(trial.count):
        on_progress(LEARNED + (1 - LEARNED) * number / trial.count, f"map {number + 1:,} of {trial.count:,}")
        start = perf_counter()
        with suppress(GaveUp):
            maps.append(contestant.generate(trial.width, trial.height, number_seed(trial.seed, number)))
        times.append(perf_counter() - start)
    memory = _read_peak_memory()
    plain = tuple(TileMap(map.cells, map.tileset) for map in maps)  # without recipes, which contain the samples
    return TrialOutcome(plain, trial.count - len(maps), training_time, tuple(times), memory, smallest)


def scale_progress(on_progress: OnProgress, start: float, end: float, prefix: str = "") -> OnProgress:
    """Return a function that reports the progress of a part of the work."""
    return lambda done, what: on_progress(start + (end - start) * done, f"{prefix}{what}")


# -- smallest input ---------------------------------------------------------------------------------------------------


def _find_smallest_input(trial: Trial, on_progress: OnProgress) -> int | None:
    """Return the edge length of the smallest crop from which the contestant learns and makes a map.

    If that is not asked for, the largest crop of at most `TRIAL_SIZE` cells is tried nevertheless.
    """
    if MODEL in trial.settings:
        return None
    sizes = [size for size in CROP_SIZES if any(min(cells.shape) >= size for cells in trial.samples.maps)]
    if not trial.finds_smallest:
        sizes = [size for size in sizes if size <= TRIAL_SIZE][-1:]
    for size in sizes:
        on_progress(0.0, f"sample of {size}x{size} cells")
        if _works(trial, cut_sample(trial.samples, size)):
            return size if trial.finds_smallest else None
    return None


def _works(trial: Trial, samples: Samples) -> bool:
    """Return whether the contestant learns from samples and makes a map."""
    settings = {**trial.settings, **find_quick_settings(trial.technique)}
    contestant = make_contestant(trial.technique, settings)
    try:
        contestant.fit(samples, trial.seed, lambda done, what: None)
        contestant.generate(TRIAL_SIZE, TRIAL_SIZE, trial.seed)
    except TilewrightError:
        return False
    return True


def cut_sample(samples: Samples, size: int) -> Samples:
    """Return the square part of samples with the most different tiles; of several, the first."""
    best: tuple[int, Grid] | None = None
    for grid, cells in zip(samples, samples.maps, strict=True):
        if min(cells.shape) < size:
            continue
        # One row of windows at a time, because all of them together may need gigabytes.
        for row, windows in enumerate(np.lib.stride_tricks.sliding_window_view(cells, (size, size))):
            tiles = np.sort(windows.reshape(-1, size * size), axis=1)
            counts = (tiles[:, 1:] != tiles[:, :-1]).sum(axis=1) + 1
            column = int(counts.argmax())
            if best is None or counts[column] > best[0]:
                part = grid.cells[row : row + size, column : column + size]
                best = int(counts[column]), Grid(grid.labels, part, grid.tileset)
    assert best is not None
    return Samples([best[1]])


# -- memory -----------------------------------------------------------------------------------------------------------


def _reset_peak_memory() -> None:
    """Set the peak to the present memory, where the system can do that."""
    with suppress(OSError), open("/proc/self/clear_refs", "w") as control:
        control.write("5")


def _read_peak_memory() -> int | None:
    """Return the peak memory of this process in bytes, including its libraries; None if it is unknown.

    Linux reports it in /proc. `ru_maxrss` is the fallback: on Linux it would include the memory of the process that
    started this one.
    """
    with suppress(OSError, StopIteration, ValueError), open("/proc/self/status") as status:
        line = next(line for line in status if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    try:
        from resource import RUSAGE_SELF, getrusage
    except ImportError:  # Windows
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return getrusage(RUSAGE_SELF).ru_maxrss * unit


# -- in a process of its own ----------------------------------------------------------------------------------


PROGRESS, RESULT, BUG = "progress", "result", "bug"
"""Kinds of messages of the process."""


def run_in_process(trial: Trial, on_progress: OnProgress) -> TrialOutcome | TilewrightError:
    """Run a trial in a new process, which has loaded nothing before and ends with it.

    Returns
    -------
    TrialOutcome or TilewrightError
        The result, or the reason for which there is none.
    """
    advice = 'a script must compare below if __name__ == "__main__":'
    with start_processes(_work, trial, 1, advice) as team:
        ((connection, process),) = team.items()
        return _receive(connection, process, trial.technique, on_progress)


def _receive(
    connection: Connection, process: SpawnProcess, technique: str, on_progress: OnProgress
) -> TrialOutcome | TilewrightError:
    """Report progress until the process sends its result."""
    while True:
        try:
            kind, content = connection.recv()
        except (EOFError, OSError):
            process.join()
            text = f"the process ended with exit code {process.exitcode}, perhaps for lack of memory"
            return TilewrightError(text, at=technique)
        if kind == PROGRESS:
            on_progress(*content)
        elif kind == BUG:
            raise RuntimeError(f"{technique} failed in its process:\n{content}")
        else:
            result: TrialOutcome | TilewrightError = content
            return result


# -- the process ------------------------------------------------------------------------------------------------------


def _work(connection: Connection, trial: Trial) -> None:
    """Run a trial and send its progress and its result."""
    try:
        message: tuple[str, object] = (RESULT, run_trial(trial, lambda *step: connection.send((PROGRESS, step))))
    except TilewrightError as error:
        message = (RESULT, error)
    except MemoryError:
        message = (RESULT, TilewrightError("not enough memory", at=trial.technique))
    except Exception:
        message = (BUG, traceback.format_exc())
    connection.send(message)
