"""Running searches. They live on the server and are attached to a browser tab, so that a reload does not stop them.

The maps of a round are made in small jobs of the queue, one at a time, so that other clients and the user's own map do
not wait for a search. The size of the jobs depends on the time that maps take, the archive does not.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

import numpy as np

from ...core.errors import TilewrightError
from ...search.evaluation import Evaluations, Evaluator
from ...search.genome import Units
from ...search.rounds import Search, SolutionBatch
from .. import operations
from ..jobs import Busy, Cancelled, CancelToken, JobQueue, RateMeter, TooLong
from .setup import SearchSetup

JOB_SECONDS = 0.15
"""Target duration of a job."""
JOB_COST = 0.2
"""Minimum cost of a job; above that of short jobs, so that the map of Make is made first."""
ABANDON_SECONDS = 120.0
"""Seconds after which a search without a page is paused."""
KEEP_SECONDS = 1800.0
"""Seconds after which a search without a page is removed."""
MAX_RUNS = 64
"""Maximum number of searches that the studio keeps."""


@dataclass(eq=False)
class SearchRun:
    """A search: running, paused, finished or failed. Listeners are called when something has changed."""

    queue: JobQueue
    setup: SearchSetup
    search: Search = field(init=False)
    error: TilewrightError | None = None
    """Error that has stopped the search."""
    listeners: list[Callable[[], None]] = field(default_factory=list)
    detached: float = field(default_factory=time.monotonic)
    """Time at which the last page was closed."""

    def __post_init__(self) -> None:
        self.search = Search(self.setup.definition)
        self._task: asyncio.Task[None] | None = None
        self._batch: SolutionBatch | None = None
        """Solutions of the current round."""
        self._parts: list[Evaluations] = []
        """Evaluations of the first solutions of the current round."""
        self._job_size = 1
        self._meter = RateMeter()

    @property
    def status(self) -> str:
        """One of running, paused, finished and failed."""
        if self.error is not None:
            return "failed"
        if self.search.is_finished:
            return "finished"
        return "running" if self._task is not None and not self._task.done() else "paused"

    @property
    def evaluations(self) -> int:
        """Number of evaluated solutions, with those of the current round."""
        return self.search.round * self.search.definition.batch + self._evaluated

    @property
    def rate(self) -> float:
        """Maps per second in the last seconds; 0 if unknown."""
        return self._meter.rate if self.status == "running" else 0.0

    def resume(self) -> None:
        """Start or continue the search."""
        if self.status == "paused":
            self._meter.clear()
            self._task = asyncio.create_task(self._work())
            self._notify()

    def pause(self) -> None:
        """Stop after the maps that are done. They are kept, and `resume` makes the same archive."""
        if self._task is not None:
            self._task.cancel()
            self._task = None
        self._notify()

    def extend(self, evaluations: int) -> None:
        """Raise the number of evaluations."""
        self.search.extend(evaluations)
        self._notify()

    def _notify(self) -> None:
        for listener in [*self.listeners]:
            listener()

    # -- jobs ---------------------------------------------------------------------------------------------------

    @property
    def _evaluated(self) -> int:
        """Number of evaluated solutions of the current round."""
        return sum(len(part.reasons) for part in self._parts)

    async def _work(self) -> None:
        try:
            while not self.search.is_finished:
                await self._run_round()
                self._notify()
        except Cancelled:
            self._task = None  # The queue has been closed, or the client removed.
        except TilewrightError as error:
            self.error = error
        self._notify()

    async def _run_round(self) -> None:
        """Make the maps that are missing in the current round, and add them to the archive."""
        self._batch = self._batch or self.search.propose()
        units = self._batch.units
        while (first := self._evaluated) < len(units):
            self._parts.append(await self._evaluate(units[first : first + self._job_size]))
            self._meter.add(self.evaluations)
            if self.search.archive is None or self._job_size == 1:
                self._notify()
        batch, parts = self._batch, self._parts
        self._batch, self._parts = None, []
        self.search.add(
            batch,
            Evaluations(
                np.concatenate([part.measures for part in parts]),
                [reason for part in parts for reason in part.reasons],
                [],
            ),
        )

    async def _evaluate(self, units: Units) -> Evaluations:
        """Make and measure the maps of some solutions in a job."""

        def work(token: CancelToken) -> tuple[Evaluations, float]:
            start = time.perf_counter()
            return evaluate(self.search, units, token), time.perf_counter() - start

        cost = max(JOB_COST, len(units) * operations.estimate_seconds(self.search.definition.recipe))
        try:
            found, seconds = await self.queue.submit_when_free(work, client=self, cost=cost)
        except TooLong:
            if len(units) == 1:
                raise
            self._job_size = 1
            return await self._evaluate(units[:1])
        self._job_size = max(1, min(2 * self._job_size, int(JOB_SECONDS * len(units) / max(seconds, 1e-6))))
        return found


def evaluate(search: Search, units: Units, token: CancelToken) -> Evaluations:
    """Make and measure the maps of solutions. The function runs as a job."""
    evaluator = Evaluator(search.definition, make_map=lambda recipe: operations.make_map(recipe, token))
    found = evaluator.evaluate(units)
    token.check(steps=0)  # The evaluator records errors as reasons, also those of a canceled job.
    return found


class SearchRuns:
    """The searches of all browser tabs, at most one per tab."""

    def __init__(self, queue: JobQueue) -> None:
        self.queue = queue
        self._runs: dict[Hashable, SearchRun] = {}

    def find(self, tab: Hashable) -> SearchRun | None:
        """Return the search of a tab."""
        self._remove_old()
        return self._runs.get(tab)

    def start(self, tab: Hashable, setup: SearchSetup) -> SearchRun:
        """Start a search, in place of another one of the tab. Raise Busy if there are too many."""
        self._remove_old()
        self.remove(tab)
        if len(self._runs) >= MAX_RUNS:
            free = [other for other, run in self._runs.items() if not run.listeners]
            if not free:
                raise Busy(f"the studio is busy: {len(self._runs)} searches are open; try again later")
            self.remove(min(free, key=lambda other: self._runs[other].detached))
        run = self._runs[tab] = SearchRun(self.queue, setup)
        run.resume()
        return run

    def remove(self, tab: Hashable) -> None:
        """Stop and forget the search of a tab."""
        run = self._runs.pop(tab, None)
        if run is not None:
            run.listeners = []
            run.pause()

    def attach(self, run: SearchRun, listener: Callable[[], None]) -> None:
        """Call a listener when a search changes, until `detach`."""
        run.listeners.append(listener)

    def detach(self, run: SearchRun, listener: Callable[[], None]) -> None:
        """Remove a listener. Without listeners, the search is paused after a while."""
        if listener in run.listeners:
            run.listeners.remove(listener)
        run.detached = time.monotonic()

        def pause_abandoned() -> None:
            if not run.listeners and time.monotonic() >= run.detached + ABANDON_SECONDS:
                run.pause()

        asyncio.get_running_loop().call_later(ABANDON_SECONDS + 1, pause_abandoned)

    def _remove_old(self) -> None:
        now = time.monotonic()
        old = [tab for tab, run in self._runs.items() if not run.listeners and now > run.detached + KEEP_SECONDS]
        for tab in old:
            self.remove(tab)
