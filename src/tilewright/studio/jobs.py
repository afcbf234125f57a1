"""Job queue. It runs jobs in a bounded number of threads outside the event loop. All jobs can be cancelled.

Techniques yield every few milliseconds, and each yield checks the job's CancelToken: a cancelled or overdue job stops
there. A job that does not yield in time keeps its thread until the next yield, but its client gets an error at the
deadline.

Short jobs do not wait behind long ones. Jobs start in the order of their estimated costs, in steps of a factor of four;
every fourth start takes the cost of the job that waits longest, so that expensive jobs start too. One worker slot is
kept for short jobs. A job that runs longer than LONG_JOB_SECONDS is detached and frees its worker slot, up to a maximum
number of detached jobs.

Among jobs of similar costs, clients take turns (round robin), regardless of the number of their jobs. If the queue is
full, the newest job of the client with the most waiting jobs is refused.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from math import ceil, log
from operator import attrgetter
from typing import Any, TypeVar

from ..core.errors import TilewrightError, TooLarge
from ..core.stored import limit_objects
from .settings import Settings

MAX_OBJECTS = 1 << 15
"""Maximum number of objects of each text that a job parses. Parsers block all threads while they make them."""
logger = logging.getLogger("tilewright.studio")
T = TypeVar("T")
RETRY_SECONDS = 0.5
"""Seconds to wait before a job is submitted again if the queue is full."""
GRACE_SECONDS = 1.0
"""Seconds after the deadline in which a job may still raise its own error."""
LONG_JOB_SECONDS = 1.0
"""Seconds after which a job counts as long."""
SHORT_JOB_SECONDS = 0.1
"""Maximum estimated seconds of a short job."""
COST_STEP = 4.0
"""Ratio of the costs that are served in the same turn."""
STARTS_UNTIL_OLDEST = 4
"""Number of starts of which one takes the cost of the job that waits longest."""


class Busy(TilewrightError):
    """The job queue is full."""


class Stopping(TilewrightError):
    """The studio is being stopped."""

    rule = "stopping"


class TooLong(TilewrightError):
    """A job exceeds the time or the steps of one request."""

    rule = "size"


class Cancelled(TilewrightError):
    """The client no longer waits for the result."""


class InternalError(TilewrightError):
    """An unexpected exception: a bug in Tilewright or a plugin."""


class CancelToken:
    """Cancellation state and limits of a job; each step of the work calls `check`."""

    __slots__ = ("_cancelled", "_deadline", "_steps", "settings")

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        """Limits of the work."""
        self._cancelled = threading.Event()
        self._deadline = time.monotonic() + settings.seconds
        self._steps = 0

    def cancel(self) -> None:
        self._cancelled.set()

    def check(self, *, steps: int = 1) -> None:
        """Raise an error if the job is cancelled, past its deadline, or over its number of steps."""
        self._steps += steps
        if self._cancelled.is_set():
            raise Cancelled("cancelled")
        if self._steps > self.settings.iterations:
            limit = f"{self.settings.iterations:,} steps"
            raise TooLong(f"stopped after {limit}, the limit of one request; ask for less")
        if time.monotonic() > self._deadline:
            raise self.timeout_error()

    def timeout_error(self) -> TooLong:
        return TooLong(f"stopped after {self.settings.seconds:g} s, the limit of one request; ask for less")


@dataclass(eq=False)
class Job:
    """Work of a client, with its token and the future of its result."""

    work: Callable[[CancelToken], Any]
    token: CancelToken
    result: asyncio.Future[Any]
    client: Hashable
    cost: float = 0.0
    """Estimated seconds."""
    submitted: float = field(default_factory=time.monotonic)
    started: float = 0.0

    @property
    def cost_level(self) -> int:
        """0 for a short job; otherwise, the number of steps of COST_STEP above a short job."""
        return max(0, ceil(log(max(self.cost, SHORT_JOB_SECONDS) / SHORT_JOB_SECONDS, COST_STEP)))


class JobQueue:
    """Worker threads and the queue of pending jobs. Everything except the work itself runs in the event loop."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._pending: dict[Hashable, deque[Job]] = {}
        """Pending jobs per client in round-robin order; clients without jobs are removed."""
        self._running: set[Job] = set()
        self._long_running: set[Job] = set()
        """Long jobs, which no longer occupy a worker slot."""
        self._numbers = count(1)
        self._starts = 0
        self._is_closed = False

    @property
    def job_count(self) -> int:
        """Number of running and waiting jobs."""
        return len(self._running) + len(self._long_running) + self.waiting_count

    @property
    def waiting_count(self) -> int:
        return sum(map(len, self._pending.values()))

    async def submit(self, work: Callable[[CancelToken], T], *, client: Hashable = None, cost: float = 0.0) -> T:
        """Run a job and return its result.

        Cancelling the awaiting task cancels the job. The deadline counts from now and includes the time in the queue.

        Parameters
        ----------
        work : callable
            Function to run in a thread. It gets a CancelToken and must call its `check` regularly.
        client : hashable, optional
            Client of the job; clients take turns.
        cost : float, default 0.0
            Estimated seconds of the work; cheaper jobs start first.

        Returns
        -------
        object
            The return value of `work`.

        Raises
        ------
        Busy
            If the queue is full.
        Stopping
            If the queue is closed, before or while the job runs.
        TooLong
            If the job exceeds the time or the steps of one request.
        Cancelled
            If the job was cancelled.
        """
        if self._is_closed:
            raise _stopping_error()
        loop = asyncio.get_running_loop()
        job = Job(work, CancelToken(self.settings), loop.create_future(), client, cost)
        self._enqueue(job)
        try:
            async with asyncio.timeout(self.settings.seconds + GRACE_SECONDS):
                result: T = await job.result
                return result
        except TimeoutError:
            raise job.token.timeout_error() from None
        finally:
            job.token.cancel()
            self._dequeue(job)

    async def submit_when_free(
        self, work: Callable[[CancelToken], T], *, client: Hashable = None, cost: float = 0.0
    ) -> T:
        """Run a job like `submit`. While the queue is full, try again."""
        while True:
            try:
                return await self.submit(work, client=client, cost=cost)
            except Busy:
                await asyncio.sleep(RETRY_SECONDS)

    def cancel_client(self, client: Hashable) -> None:
        """Cancel all jobs of a client."""
        self._stop([job for job in self._jobs if job.client == client])

    def close(self) -> None:
        """Cancel all jobs. Their clients, and clients of later jobs, get the error `Stopping`."""
        self._is_closed = True
        for job in self._jobs:
            if not job.result.done():
                job.result.set_exception(_stopping_error())
        self._stop(self._jobs)

    @property
    def _jobs(self) -> list[Job]:
        """All running and waiting jobs."""
        return [*self._running, *self._long_running, *(job for jobs in self._pending.values() for job in jobs)]

    def _stop(self, jobs: list[Job]) -> None:
        for job in jobs:
            job.token.cancel()
            self._dequeue(job)
            if not job.result.done():
                job.result.cancel()

    # -- queue --------------------------------------------------------------------------------------------------

    def _enqueue(self, job: Job) -> None:
        self._pending.setdefault(job.client, deque()).append(job)
        self._start_next()
        if self.waiting_count <= self.settings.waiting:
            return
        longest = max(self._pending, key=lambda client: len(self._pending[client]))
        # On a tie, the new job is refused.
        client = longest if len(self._pending[longest]) > len(self._pending[job.client]) else job.client
        refused = self._pending[client][-1]
        self._dequeue(refused)
        busy = Busy(f"the studio is busy: {self.job_count} jobs are running or waiting; try again in a moment")
        if refused is job:
            raise busy
        refused.result.set_exception(busy)

    def _dequeue(self, job: Job) -> None:
        """Remove a job from the queue if it is still waiting."""
        jobs = self._pending.get(job.client, deque())
        if job in jobs:
            jobs.remove(job)
            if not jobs:
                del self._pending[job.client]

    def _start_next(self) -> None:
        """Start waiting jobs while there are free workers."""
        self._detach_long_jobs()
        while (job := self._choose_next()) is not None:
            self._starts += 1
            jobs = self._pending.pop(job.client)
            jobs.remove(job)
            if jobs:
                self._pending[job.client] = jobs  # The client moves to the end of the queue.
            self._running.add(job)
            job.started = time.monotonic()
            # Threads are daemons, so that a stuck job does not keep the program from exiting.
            name = f"studio-{next(self._numbers)}"
            threading.Thread(target=self._run, args=(job, asyncio.get_running_loop()), name=name, daemon=True).start()
            asyncio.get_running_loop().call_later(LONG_JOB_SECONDS, self._start_next)

    def _choose_next(self) -> Job | None:
        """Return the job to start next; None if no job may start."""
        free = self.settings.workers - len(self._running)
        if free <= 0:
            return None
        waiting = [job for jobs in self._pending.values() for job in jobs]
        if free == 1 and self.settings.workers > 1:
            waiting = [job for job in waiting if job.cost_level == 0]
        if not waiting:
            return None
        is_oldest_turn = self._starts % STARTS_UNTIL_OLDEST == STARTS_UNTIL_OLDEST - 1
        level = min(waiting, key=attrgetter("submitted" if is_oldest_turn else "cost_level")).cost_level
        return next(job for job in waiting if job.cost_level == level)

    def _detach_long_jobs(self) -> None:
        """Move long jobs out of the worker slots, the oldest first."""
        for job in sorted(self._running, key=lambda job: job.started):
            if len(self._long_running) >= self.settings.workers or job.started > time.monotonic() - LONG_JOB_SECONDS:
                return
            self._running.remove(job)
            self._long_running.add(job)

    # -- threads ------------------------------------------------------------------------------------------------

    def _run(self, job: Job, loop: asyncio.AbstractEventLoop) -> None:
        """Run a job; called in its own thread."""
        result: Any = None
        failure: BaseException | None = None
        try:
            job.token.check(steps=0)
            with limit_objects(MAX_OBJECTS):
                result = job.work(job.token)
        except BaseException as error:  # The exception is raised where the result is awaited.
            if loop.is_closed():
                return  # The studio has stopped, so reporting progress failed.
            failure = as_tilewright_error(error)
        with suppress(RuntimeError):  # The event loop is closed.
            loop.call_soon_threadsafe(self._finish, job, result, failure)

    def _finish(self, job: Job, result: Any, failure: BaseException | None) -> None:
        self._running.discard(job)
        self._long_running.discard(job)
        if not job.result.done():
            if failure is None:
                job.result.set_result(result)
            else:
                job.result.set_exception(failure)
        self._start_next()


def _stopping_error() -> Stopping:
    return Stopping("the studio is being stopped; try again when it runs again")


def as_tilewright_error(error: BaseException) -> TilewrightError:
    """Convert any exception to a TilewrightError. Unexpected exceptions are logged with their traceback."""
    if isinstance(error, TilewrightError):
        return error
    if isinstance(error, RecursionError | MemoryError):
        return TooLarge("too large, or nested too deeply")
    logger.error("a job failed with an unexpected error", exc_info=error)
    return InternalError(f"this is a bug in Tilewright ({type(error).__name__}); see the log")


RATE_SECONDS = 3.0
"""Seconds over which a rate is averaged."""


class RateMeter:
    """Average number of steps per second in the last seconds."""

    def __init__(self) -> None:
        self._times: deque[tuple[float, int]] = deque()
        """Times with the number of steps until then."""

    def add(self, count: int) -> None:
        """Note the number of steps until now."""
        now = time.monotonic()
        self._times.append((now, count))
        while len(self._times) > 2 and self._times[0][0] < now - RATE_SECONDS:
            self._times.popleft()

    def clear(self) -> None:
        """Forget all steps, such as after a pause."""
        self._times.clear()

    @property
    def rate(self) -> float:
        """Steps per second; 0 if unknown."""
        if len(self._times) < 2:
            return 0.0
        (first, before), (last, after) = self._times[0], self._times[-1]
        return (after - before) / (last - first) if last > first else 0.0
