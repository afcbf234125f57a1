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
GRACE = 1.0
"""Seconds after its time in which a job may still stop by itself."""
LONG = 1.0
"""Seconds after which work is long."""


class Busy(TilewrightError):
    """More is asked for than the studio can do now."""


class TooLong(TilewrightError):
    """More time or more steps than one request may take."""

    rule = "size"


class Cancelled(TilewrightError):
    """Nobody waits for the result any more."""


class Broken(TilewrightError):
    """A bug, in Tilewright or a plugin."""


class Ticket:
    """A job's leave to go on: every step of the work passes it."""

    __slots__ = ("_cancelled", "_ends", "_steps", "settings")

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        """What the work may not exceed."""
        self._cancelled = threading.Event()
        self._ends = time.monotonic() + settings.seconds
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
        if time.monotonic() > self._ends:
            raise self.overdue()

    def overdue(self) -> TooLong:
        return TooLong(f"stopped after {self.settings.seconds:g} s, which is what one request may take; ask for less")


@dataclass(eq=False)
class Job:
    """Work to be done, for whom, and where its result is waited for."""

    work: Callable[[Ticket], Any]
    ticket: Ticket
    result: asyncio.Future[Any]
    who: Hashable
    begun: float = field(default=0.0)


class Desk:
    """Workers, and the line before them. Everything but the work itself happens in the event loop."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._line: dict[Hashable, deque[Job]] = {}
        """Those who wait, by who they are; whose turn it is stands first. Nobody stands here with nothing."""
        self._working: set[Job] = set()
        self._long: set[Job] = set()
        """Beside the workers: what has been going on for long."""
        self._numbers = count(1)

    @property
    def taken(self) -> int:
        """Jobs at work or waiting."""
        return len(self._working) + len(self._long) + self.waiting

    @property
    def waiting(self) -> int:
        return sum(map(len, self._line.values()))

    async def do(self, work: Callable[[Ticket], T], *, who: Hashable = None) -> T:
        """Have a job done: `work` gets the ticket that it must pass again and again.

        Whoever stops waiting (by cancelling the task) cancels the job. The time counts from now, waiting included.
        """
        loop = asyncio.get_running_loop()
        job = Job(work, Ticket(self.settings), loop.create_future(), who)
        self._enter(job)
        try:
            async with asyncio.timeout(self.settings.seconds + GRACE):
                result: T = await job.result
                return result
        except TimeoutError:
            raise job.ticket.overdue() from None
        finally:
            job.ticket.cancel()
            self._leave(job)

    def dismiss(self, who: Hashable) -> None:
        """Stop all work for somebody who has left."""
        self._stop([job for job in self._jobs if job.who == who])

    def close(self) -> None:
        """Stop all work; what waits is dropped."""
        self._stop(self._jobs)

    @property
    def _jobs(self) -> list[Job]:
        """At work or waiting."""
        return [*self._working, *self._long, *(job for jobs in self._line.values() for job in jobs)]

    def _stop(self, jobs: list[Job]) -> None:
        for job in jobs:
            job.ticket.cancel()
            self._leave(job)
            if not job.result.done():
                job.result.cancel()

    # -- the line -----------------------------------------------------------------------------------------------

    def _enter(self, job: Job) -> None:
        self._line.setdefault(job.who, deque()).append(job)
        self._begin()
        if self.waiting <= self.settings.waiting:
            return
        greediest = max(self._line, key=lambda who: len(self._line[who]))
        # Of those who wait for equally much, the newcomer is refused.
        who = greediest if len(self._line[greediest]) > len(self._line[job.who]) else job.who
        refused = self._line[who][-1]
        self._leave(refused)
        busy = Busy(f"{self.taken} maps are being made or waited for; try again in a moment")
        if refused is job:
            raise busy
        refused.result.set_exception(busy)

    def _leave(self, job: Job) -> None:
        """Out of the line, if it still stands there."""
        jobs = self._line.get(job.who, deque())
        if job in jobs:
            jobs.remove(job)
            if not jobs:
                del self._line[job.who]

    def _begin(self) -> None:
        """Put whoever is next to work, as long as there is a place."""
        self._make_room()
        while self._line and len(self._working) < self.settings.workers:
            who, jobs = next(iter(self._line.items()))
            job = jobs.popleft()
            del self._line[who]
            if jobs:
                self._line[who] = jobs  # behind all others
            self._working.add(job)
            job.begun = time.monotonic()
            # Daemons: work that is stuck does not keep the program from ending.
            name = f"studio-{next(self._numbers)}"
            threading.Thread(target=self._run, args=(job, asyncio.get_running_loop()), name=name, daemon=True).start()
            asyncio.get_running_loop().call_later(LONG, self._begin)

    def _make_room(self) -> None:
        """Let long work go on beside, the longest first."""
        for job in sorted(self._working, key=lambda job: job.begun):
            if len(self._long) >= self.settings.workers or job.begun > time.monotonic() - LONG:
                return
            self._working.remove(job)
            self._long.add(job)

    # -- the work -----------------------------------------------------------------------------------------------

    def _run(self, job: Job, loop: asyncio.AbstractEventLoop) -> None:
        """In a thread of its own."""
        result: Any = None
        failure: BaseException | None = None
        try:
            job.ticket.check(steps=0)
            result = job.work(job.ticket)
        except BaseException as error:  # whoever waits for it gets it
            if loop.is_closed():
                return  # the studio has ended, and work that wanted to tell how far it is found nobody
            failure = told(error)
        with suppress(RuntimeError):  # the loop was closed: nobody waits any more
            loop.call_soon_threadsafe(self._end, job, result, failure)

    def _end(self, job: Job, result: Any, failure: BaseException | None) -> None:
        self._working.discard(job)
        self._long.discard(job)
        if not job.result.done():
            if failure is None:
                job.result.set_result(result)
            else:
                job.result.set_exception(failure)
        self._begin()


def told(error: BaseException) -> TilewrightError:
    """An error as a line for whoever waits. A bug is told as such; its trace is for whoever runs the studio."""
    if isinstance(error, TilewrightError):
        return error
    if isinstance(error, RecursionError | MemoryError):
        return TooLarge("too large, or nested too deeply")
    logger.error("a job broke", exc_info=error)
    return Broken(f"this is a bug in Tilewright ({type(error).__name__}); its log tells more")
