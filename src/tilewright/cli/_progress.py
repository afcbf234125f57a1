"""Progress of long work: a progress bar in a terminal, nothing in a pipe."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from threading import Timer
from time import monotonic
from typing import TYPE_CHECKING

from .. import kernels
from ..core.errors import pluralize
from ..kernels.workers import bytecode_size
from . import Terminated
from ._console import info, stderr_console

if TYPE_CHECKING:
    from ..corpus import Progress

BAR_DELAY = 0.5
"""Seconds until the bar appears, so that quick work shows none."""

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
    """Compile kernels, by default all, on all processors with a progress bar, and return their number."""
    entries = [entry for entry in kernels.list_entries() if names is None or entry.name in names]
    sizes = {entry.name: bytecode_size([entry]) for entry in entries}
    total, done = sum(sizes.values()), 0
    with show_progress() as report:
        report(0.0, "compiling")
        for name in kernels.warmup(names):
            done += sizes[name]
            report(done / total, name)
    return len(entries)


@contextmanager
def job_progress(noun: str, folder: str) -> Iterator[JobProgress]:
    """Yield a progress callback for a resumable job. After Ctrl-C, SIGTERM or SIGHUP, print how much is done."""
    job = JobProgress(noun)
    try:
        with show_progress(remaining=False) as job.report:
            yield job
    except (KeyboardInterrupt, Terminated):
        info(f"stopped; {job.summary} are in {folder}; repeat the command to continue")
        raise


class JobProgress:
    """Progress callback that shows completed items, rate, remaining time and failures."""

    report: Report

    def __init__(self, noun: str) -> None:
        self.noun = noun
        self.state: Progress | None = None
        self._start_time = monotonic()
        self._dashboard = ""

    def __call__(self, state: Progress) -> None:
        if self.state is None or (state.dashboard and not self._dashboard):
            self._start_time = monotonic()  # The rate excludes the time to start workers.
        self.state = state
        if state.dashboard and not self._dashboard:
            self._dashboard = state.dashboard
            info(f"Dask dashboard: {state.dashboard}")
        self.report(state.done / state.count, self._format_line(state))

    @property
    def summary(self) -> str:
        return f"{self.state.done:,} of {pluralize(self.state.count, self.noun)}" if self.state else f"no {self.noun}s"

    def _format_line(self, state: Progress) -> str:
        line = self.summary
        if state.made:
            rate = state.made / max(monotonic() - self._start_time, 1e-9)
            left = round((state.count - state.done) / rate)
            line += f", {rate:,.0f} per second" if rate >= 10 else f", {rate:.2g} per second"
            line += f", {left // 3600}:{left // 60 % 60:02}:{left % 60:02} left"
        return f"{line}, {state.failures:,} failed" if state.failures else line
