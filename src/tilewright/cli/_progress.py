"""How far long work is: a bar on a terminal, nothing in a pipe."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Timer

from ..kernels import is_cold
from ._console import notes

PATIENCE = 0.5
"""Seconds before a bar appears: quick work shows none."""

Report = Callable[[float | None, str], None]
"""Takes the share that is done, 0..1 or None where it is unknown, and a word about what is being done."""


@contextmanager
def progress(*, remaining: bool = True) -> Iterator[Report]:
    """Give a function to report with; its bar goes away when the work ends. It tells the time that is left, or not."""
    console = notes()
    if not console.is_terminal:
        yield lambda done, what: None
        return
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    bar = Progress(*columns, *([TimeRemainingColumn()] if remaining else []), console=console, transient=True)
    task = bar.add_task("compiling, this once" if is_cold() else "", total=None)

    def report(done: float | None, what: str) -> None:
        bar.update(task, completed=done or 0.0, total=None if done is None else 1.0, description=what)

    # A timer rather than a look at the clock: the first step may be a long one, such as compiling kernels.
    start = Timer(PATIENCE, bar.start)
    start.daemon = True
    start.start()
    try:
        yield report
    finally:
        start.cancel()
        start.join()
        bar.stop()
