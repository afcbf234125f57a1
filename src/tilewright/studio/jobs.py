"""The desk: work is done by a few threads, off the event loop; what waits is bounded, and all of it can be stopped.

Techniques yield every few milliseconds, and every yield passes the ticket: a cancelled or overdue job ends there. What
does not come to a yield in time keeps its thread until it does, but nobody waits for it.

Short work does not wait behind long work: a job that takes long gives its place to the next one in the line and goes on
beside, as long as there are not too many of those. In the line people take turns, however much each of them asks for;
where it is full, whoever wants most is refused first.
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
from typing import Any, TypeVar

from ..core.errors import TilewrightError, TooLarge
from .settings import Settings

logger = logging.getLogger("tilewright.studio")
T = TypeVar("T")
GRACE_SECONDS = 1.0
"""Seconds after its time in which a job may still stop by itself."""
LONG_JOB_SECONDS = 1.0
"""Seconds after which work is long."""


class Busy(TilewrightError):
    """More is asked for than the studio can do now."""


class TooLong(TilewrightError):
    """More time or more steps than one request may take."""

    rule = "size"


class Cancelled(TilewrightError):
    """Nobody waits for the result any more."""


class InternalError(TilewrightError):
    """A bug, in Tilewright or a plugin."""


class CancelToken:
    """A job's leave to go on: every step of the work passes it."""

    __slots__ = ("_cancelled", "_deadline", "_steps", "settings")

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        """What the work may not exceed."""
        self._cancelled = threading.Event()
        self._deadline = time.monotonic() + settings.seconds
        self._steps = 0

    def cancel(self) -> None:
        self._cancelled.set()

    def check(self, *, steps: int = 1) -> None:
        """Pass, or stop here: cancelled, overdue, or too many steps."""
        self._steps += steps
        if self._cancelled.is_set():
            raise Cancelled("cancelled")
        if self._steps > self.settings.iterations:
            most = f"{self.settings.iterations:,} steps"
            raise TooLong(f"stopped after {most}, which is what one request may take; ask for less")
        if time.monotonic() > self._deadline:
            raise self.timeout_error()

    def timeout_error(self) -> TooLong:
        return TooLong(f"stopped after {self.settings.seconds:g} s, which is what one request may take; ask for less")


@dataclass(eq=False)
class Job:
    """Work to be done, for whom, and where its result is waited for."""

    work: Callable[[CancelToken], Any]
    token: CancelToken
    result: asyncio.Future[Any]
    client: Hashable
    started: float = field(default=0.0)


class JobQueue:
    """Workers, and the line before them. Everything but the work itself happens in the event loop."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._pending: dict[Hashable, deque[Job]] = {}
        """Those who wait, by who they are; whose turn it is stands first. Nobody stands here with nothing."""
        self._running: set[Job] = set()
        self._long_running: set[Job] = set()
        """Beside the workers: what has been going on for long."""
        self._numbers = count(1)

    @property
    def job_count(self) -> int:
        """Jobs at work or waiting."""
        return len(self._running) + len(self._long_running) + self.waiting_count

    @property
    def waiting_count(self) -> int:
        return sum(map(len, self._pending.values()))

    async def submit(self, work: Callable[[CancelToken], T], *, client: Hashable = None) -> T:
        """Have a job done: `work` gets the ticket that it must pass again and again.

        Whoever stops waiting (by cancelling the task) cancels the job. The time counts from now, waiting included.
        """
        loop = asyncio.get_running_loop()
        job = Job(work, CancelToken(self.settings), loop.create_future(), client)
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

    def cancel_client(self, client: Hashable) -> None:
        """Stop all work for somebody who has left."""
        self._stop([job for job in self._jobs if job.client == client])

    def close(self) -> None:
        """Stop all work; what waits is dropped."""
        self._stop(self._jobs)

    @property
    def _jobs(self) -> list[Job]:
        """At work or waiting."""
        return [*self._running, *self._long_running, *(job for jobs in self._pending.values() for job in jobs)]

    def _stop(self, jobs: list[Job]) -> None:
        for job in jobs:
            job.token.cancel()
            self._dequeue(job)
            if not job.result.done():
                job.result.cancel()

    # -- the line -----------------------------------------------------------------------------------------------

    def _enqueue(self, job: Job) -> None:
        self._pending.setdefault(job.client, deque()).append(job)
        self._start_next()
        if self.waiting_count <= self.settings.waiting:
            return
        greediest = max(self._pending, key=lambda who: len(self._pending[who]))
        # Of those who wait for equally much, the newcomer is refused.
        client = greediest if len(self._pending[greediest]) > len(self._pending[job.client]) else job.client
        refused = self._pending[client][-1]
        self._dequeue(refused)
        busy = Busy(f"{self.job_count} maps are being made or waited for; try again in a moment")
        if refused is job:
            raise busy
        refused.result.set_exception(busy)

    def _dequeue(self, job: Job) -> None:
        """Out of the line, if it still stands there."""
        jobs = self._pending.get(job.client, deque())
        if job in jobs:
            jobs.remove(job)
            if not jobs:
                del self._pending[job.client]

    def _start_next(self) -> None:
        """Put whoever is next to work, as long as there is a place."""
        self._detach_long_jobs()
        while self._pending and len(self._running) < self.settings.workers:
            client, jobs = next(iter(self._pending.items()))
            job = jobs.popleft()
            del self._pending[client]
            if jobs:
                self._pending[client] = jobs  # behind all others
            self._running.add(job)
            job.started = time.monotonic()
            # Daemons: work that is stuck does not keep the program from ending.
            name = f"studio-{next(self._numbers)}"
            threading.Thread(target=self._run, args=(job, asyncio.get_running_loop()), name=name, daemon=True).start()
            asyncio.get_running_loop().call_later(LONG_JOB_SECONDS, self._start_next)

    def _detach_long_jobs(self) -> None:
        """Let long work go on beside, the longest first."""
        for job in sorted(self._running, key=lambda job: job.started):
            if len(self._long_running) >= self.settings.workers or job.started > time.monotonic() - LONG_JOB_SECONDS:
                return
            self._running.remove(job)
            self._long_running.add(job)

    # -- the work -----------------------------------------------------------------------------------------------

    def _run(self, job: Job, loop: asyncio.AbstractEventLoop) -> None:
        """In a thread of its own."""
        result: Any = None
        failure: BaseException | None = None
        try:
            job.token.check(steps=0)
            result = job.work(job.token)
        except BaseException as error:  # whoever waits for it gets it
            if loop.is_closed():
                return  # the studio has ended, and work that wanted to tell how far it is found nobody
            failure = as_tilewright_error(error)
        with suppress(RuntimeError):  # the loop was closed: nobody waits any more
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


def as_tilewright_error(error: BaseException) -> TilewrightError:
    """An error as a line for whoever waits. A bug is told as such; its trace is for whoever runs the studio."""
    if isinstance(error, TilewrightError):
        return error
    if isinstance(error, RecursionError | MemoryError):
        return TooLarge("too large, or nested too deeply")
    logger.error("a job broke", exc_info=error)
    return InternalError(f"this is a bug in Tilewright ({type(error).__name__}); its log tells more")
