"""Progress of long work: a progress bar in a terminal, nothing in a pipe."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from threading import Event, Thread, Timer
from time import monotonic
from typing import TYPE_CHECKING

from .. import kernels
from ..core.errors import format_number, pluralize
from ..kernels.workers import plan_groups
from . import Terminated
from ._console import info, stderr_console

if TYPE_CHECKING:
    from ..jobs.progress import Progress

BAR_DELAY = 0.5
"""Seconds until the bar appears, so that quick work shows none."""

SPEED, STARTUP = 1300.0, 6000
"""Bytes of bytecode that a process compiles per second, until this is measured, and could compile while it starts."""

Report = Callable[[float | None, str], None]
"""Function that takes the completed fraction, 0 to 1 or None if unknown, and a word for the current step."""


@contextmanager
def show_progress(*, remaining: bool = True) -> Iterator[Report]:
    """Yield a function that reports progress, shown as a bar until the block ends.

    Parameters
    ----------
    remaining : bool
        Whether the bar shows the remaining time.
    """
    console = stderr_console()
    if not console.is_terminal:
        yield lambda done, what: None
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    bar = Progress(*columns, *([TimeRemainingColumn()] if remaining else []), console=console, transient=True)
    task = bar.add_task("compiling (first use only)" if kernels.is_cold() else "", total=None)

    def report(done: float | None, what: str) -> None:
        bar.update(task, completed=done or 0.0, total=None if done is None else 1.0, description=what)

    # A timer, because the first step may be a long one such as compiling kernels.
    start = Timer(BAR_DELAY, bar.start)
    start.daemon = True
    start.start()
    try:
        yield report
    finally:
        start.cancel()
        start.join()
        bar.stop()


def compile_kernels(names: Collection[str] | None = None) -> int:
    """Compile kernels, by default all, on all processors with a progress bar, and return their number.

    The bar also moves between the ends of kernels, by the speed so far, up to the planned end of the next kernel.
    """
    entries = [entry for entry in kernels.list_entries() if names is None or entry.name in names]
    ends = [STARTUP] * (os.cpu_count() or 1)
    planned: dict[str, int] = {}
    for size, group in plan_groups(entries):
        ends[0] += size  # the process that is free first
        planned |= dict.fromkeys(group, ends[0])
        ends.sort()
    start = since = monotonic()
    total, done, speed, is_done = ends[-1], 0, SPEED, Event()

    def show_estimate() -> None:
        while not is_done.wait(0.2):
            gap = max(1, min([*planned.values(), total]) - done)
            share = speed * (monotonic() - since) / gap
            report((done + gap * (share if share < 0.5 else 1 - 0.25 / share)) / total, "compiling")

    with show_progress() as report:
        Thread(target=show_estimate, daemon=True).start()
        try:
            for name in kernels.warmup(names):
                done, since = max(done, planned.pop(name, 0)), monotonic()
                speed = done / (since - start)
        finally:
            is_done.set()
    return len(entries)


@contextmanager
def job_progress(
    noun: str, folder: str | None, count_stored: Callable[[str], int] | None = None
) -> Iterator[ProgressDisplay]:
    """Yield a progress callback for a job. After Ctrl-C, SIGTERM or SIGHUP, print how much is in its folder, if any.

    `count_stored` returns the number of items in the folder, if a job stores several of them between two reports.
    """
    display = ProgressDisplay(noun)
    try:
        with show_progress(remaining=False) as display.report:
            yield display
    except (KeyboardInterrupt, Terminated):
        if folder is not None and display.state is not None:
            done = display.state.done if count_stored is None else count_stored(folder)
            what = f"{done:,} of {pluralize(display.state.count, noun)}"
            info(f"stopped; {what} are in {folder}; repeat the command to continue")
        raise


class ProgressDisplay:
    """Progress callback that shows completed items, rate, remaining time, values and failures."""

    report: Report

    def __init__(self, noun: str) -> None:
        self.noun = noun
        self.state: Progress | None = None
        self._start = (monotonic(), 0)
        self._dashboard = ""

    def __call__(self, state: Progress) -> None:
        if self.state is None or (state.dashboard and not self._dashboard):
            self._start = (monotonic(), state.done)  # The rate excludes earlier runs, and the time to start workers.
        self.state = state
        if state.dashboard and not self._dashboard:
            self._dashboard = state.dashboard
            info(f"Dask dashboard: {state.dashboard}")
        self.report(state.done / state.count, ", ".join(self._list_facts(state)))

    def _list_facts(self, state: Progress) -> Iterator[str]:
        yield f"{state.done:,} of {pluralize(state.count, self.noun)}"
        start, first = self._start
        if state.done > first:
            rate = (state.done - first) / max(monotonic() - start, 1e-9)
            left = round((state.count - state.done) / rate)
            yield f"{rate:,.0f} per second" if rate >= 10 else f"{rate:.2g} per second"
            yield f"{left // 3600}:{left // 60 % 60:02}:{left % 60:02} left"
        yield from (f"{name} {format_number(value)}" for name, value in state.values.items())
        if state.failures:
            yield f"{state.failures:,} failed"
