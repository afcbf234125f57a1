"""Work that fills a folder and can be stopped at any moment: how far it is, and what is there then."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

from ..core.errors import counted
from ._console import note
from ._progress import Report, progress


@contextmanager
def telling(noun: str, folder: str) -> Iterator[Telling]:
    """Tell how far the work is in a bar; stopped by Ctrl-C, it says what of it is there."""
    told = Telling(noun)
    try:
        with progress(remaining=False) as told.report:
            yield told
    except KeyboardInterrupt:
        note(f"stopped; {told.there} are in {folder}, and the same command goes on")
        raise


class Telling:
    """Takes how far the work is, and tells it: how much is there, at what rate, the time left, failures."""

    report: Report

    def __init__(self, noun: str) -> None:
        self.noun = noun
        self.state: Any = None
        self._began = monotonic()
        self._dashboard = ""

    def __call__(self, state: Any) -> None:
        if self.state is None or (state.dashboard and not self._dashboard):
            self._began = monotonic()  # what it takes to start workers is no part of the rate
        self.state = state
        if state.dashboard and not self._dashboard:
            self._dashboard = state.dashboard
            note(f"Dask's dashboard: {state.dashboard}")
        self.report(state.done / state.count, self._line(state))

    @property
    def there(self) -> str:
        return f"{self.state.done:,} of {counted(self.state.count, self.noun)}" if self.state else f"no {self.noun}s"

    def _line(self, state: Any) -> str:
        line = self.there
        if state.made:
            rate = state.made / max(monotonic() - self._began, 1e-9)
            left = round((state.count - state.done) / rate)
            line += f", {rate:,.0f} a second" if rate >= 10 else f", {rate:.2g} a second"
            line += f", {left // 3600}:{left // 60 % 60:02}:{left % 60:02} left"
        return f"{line}, {state.failures:,} failed" if state.failures else line
