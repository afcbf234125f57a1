"""Job queue: limits, turns and cancellation."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
import weakref
from collections.abc import Awaitable, Callable
from functools import partial, wraps
from inspect import Signature, signature
from typing import Any, TypeVar

import pytest
from nicegui import core

from tilewright.core.errors import InvalidRecipe
from tilewright.studio import jobs
from tilewright.studio.jobs import Busy, Cancelled, CancelToken, JobQueue, Stopping, TooLong
from tilewright.studio.settings import Settings

T = TypeVar("T")
TestFunction = Callable[..., None]


def append_job(values: list[T], value: T) -> Callable[[CancelToken], None]:
    """Return work that appends a value to a list."""
    return lambda token: values.append(value)


def constant_job(value: T) -> Callable[[CancelToken], T]:
    """Return work whose result is a value."""
    return lambda token: value


def run_with_queue(test: Callable[[JobQueue], Awaitable[None]], **settings: Any) -> None:
    """Run a test with a job queue in an event loop, and assert that no job or thread is left."""

    async def run() -> None:
        queue = JobQueue(Settings(**{"workers": 2, "waiting": 4, "seconds": 20, **settings}))
        core.loop = asyncio.get_running_loop()  # of NiceGUI, for tasks of views
        try:
            await asyncio.wait_for(test(queue), 120)
        finally:
            core.loop = None
        queue.close()
        await until(lambda: queue.job_count == 0)

    asyncio.run(run())
    for thread in running_threads():
        thread.join(20)
    assert not running_threads()


def supply(test: Callable[..., Awaitable[None]], run: Callable[[Callable[..., Awaitable[None]]], None]) -> TestFunction:
    """Return a test for pytest without the first parameter of a coroutine, which `run` supplies."""

    @wraps(test)
    def call(**fixtures: Any) -> None:
        run(partial(test, **fixtures))

    del call.__wrapped__
    vars(call)["__signature__"] = Signature([*signature(test).parameters.values()][1:])
    return call


def with_queue(**settings: Any) -> Callable[[Callable[..., Awaitable[None]]], TestFunction]:
    """Supply a job queue to a test."""
    return lambda test: supply(test, lambda supplied: run_with_queue(supplied, **settings))


def running_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("studio-")]


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not true():
            await asyncio.sleep(0.005)


def endless(token: CancelToken) -> None:
    while True:
        token.check()
        time.sleep(0.002)


@with_queue()
async def test_work_runs_in_a_thread_and_its_result_or_error_is_returned(queue: JobQueue) -> None:
    def broken(token: CancelToken) -> None:
        raise InvalidRecipe("walls: must be less")

    assert await queue.submit(lambda token: threading.current_thread()) is not threading.current_thread()
    with pytest.raises(InvalidRecipe, match="walls"):
        await queue.submit(broken)


@pytest.mark.parametrize(
    ("limit", "line"), [({"seconds": 0.2}, r"stopped after 0\.2 s"), ({"iterations": 50}, "stopped after 50 steps")]
)
def test_endless_work_is_stopped_by_time_and_by_steps(limit: dict[str, Any], line: str) -> None:
    async def test(queue: JobQueue) -> None:
        with pytest.raises(TooLong, match=line):
            await queue.submit(endless)

    run_with_queue(test, **limit)


def test_the_client_does_not_wait_for_work_that_does_not_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    """The job keeps its worker until it ends."""
    monkeypatch.setattr(jobs, "GRACE_SECONDS", 0.1)
    finish = threading.Event()

    async def test(queue: JobQueue) -> None:
        with pytest.raises(TooLong):
            await queue.submit(lambda token: finish.wait(60))
        assert queue.job_count == 1
        assert await queue.submit(lambda token: 3) == 3
        finish.set()
        await until(lambda: queue.job_count == 0)

    try:
        run_with_queue(test, seconds=2)  # Enough for the second job on a busy machine.
    finally:
        finish.set()


@with_queue()
async def test_cancelling_the_task_cancels_the_job(queue: JobQueue) -> None:
    ended: list[str] = []

    def work(token: CancelToken) -> None:
        try:
            endless(token)
        except Cancelled as error:
            ended.append(str(error))

    task = asyncio.create_task(queue.submit(work))
    await until(lambda: queue.job_count == 1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await until(lambda: ended == ["cancelled"])


@with_queue(waiting=1)
async def test_cancelled_jobs_leave_the_queue(queue: JobQueue) -> None:
    """A dragged slider submits fifty jobs and waits only for the last one."""
    done: list[int] = []
    others = [asyncio.create_task(queue.submit(endless)) for _ in range(2)]
    await asyncio.sleep(0)
    for number in range(50):
        task = asyncio.create_task(queue.submit(append_job(done, number)))
        await asyncio.sleep(0)
        assert queue.waiting_count == 1
        if number < 49:
            task.cancel()
            await asyncio.sleep(0)
    for other in others:
        other.cancel()
    await task
    assert done == [49]


@with_queue()
async def test_a_full_queue_refuses_jobs(queue: JobQueue) -> None:
    tasks = [asyncio.create_task(queue.submit(endless)) for _ in range(6)]
    await asyncio.sleep(0)
    with pytest.raises(Busy, match="the studio is busy: 6 jobs are running or waiting; try again in a moment"):
        await queue.submit(lambda token: 1)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    await until(lambda: queue.job_count == 0)
    assert await queue.submit(lambda token: 1) == 1


@with_queue(workers=1, waiting=0)
async def test_a_queue_without_waiting_jobs(queue: JobQueue) -> None:
    assert await queue.submit(lambda token: 1) == 1
    task = asyncio.create_task(queue.submit(endless))
    await asyncio.sleep(0)
    with pytest.raises(Busy):
        await queue.submit(lambda token: 1)
    task.cancel()


@with_queue(workers=1, waiting=10)
async def test_clients_take_turns(queue: JobQueue) -> None:
    order: list[str] = []
    gate = threading.Event()
    first = asyncio.create_task(queue.submit(lambda token: gate.wait(20)))
    await asyncio.sleep(0)
    tasks = [asyncio.create_task(queue.submit(append_job(order, client), client=client)) for client in "aaaabbc"]
    await asyncio.sleep(0)
    gate.set()
    await asyncio.gather(first, *tasks)
    assert "".join(order) == "abcabaa"


@with_queue(workers=1, waiting=4)
async def test_in_a_full_queue_the_client_with_the_most_jobs_is_refused(queue: JobQueue) -> None:
    gate = threading.Event()
    tasks = [asyncio.create_task(queue.submit(lambda token: gate.wait(20), client="many")) for _ in range(5)]
    await asyncio.sleep(0)
    single = asyncio.create_task(queue.submit(lambda token: "done", client="one"))
    await asyncio.sleep(0)
    gate.set()
    assert await single == "done"
    ended = await asyncio.gather(*tasks, return_exceptions=True)
    assert [isinstance(end, Busy) for end in ended] == [False, False, False, False, True]


@with_queue()
async def test_long_jobs_do_not_block_short_ones(queue: JobQueue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "LONG_JOB_SECONDS", 0.05)
    long = [asyncio.create_task(queue.submit(endless)) for _ in range(2)]
    await asyncio.sleep(0)
    for number in range(20):
        assert await queue.submit(constant_job(number)) == number
    assert not any(task.done() for task in long)
    more = [asyncio.create_task(queue.submit(endless)) for _ in range(4)]
    await asyncio.sleep(0.3)
    assert len(running_threads()) == 4
    assert queue.waiting_count == 2
    for task in (*long, *more):
        task.cancel()
    await asyncio.gather(*long, *more, return_exceptions=True)


def test_finished_jobs_are_freed() -> None:
    class Large:
        pass

    kept: list[weakref.ref[Large]] = []

    def work(token: CancelToken) -> None:
        large = Large()
        kept.append(weakref.ref(large))
        if len(kept) % 2:
            raise InvalidRecipe("no")

    async def test(queue: JobQueue) -> None:
        for _ in range(10):
            await asyncio.gather(queue.submit(work), return_exceptions=True)

    run_with_queue(test)
    gc.collect()
    assert not [one for one in kept if one() is not None]


def test_jobs_that_outlive_the_studio_log_nothing(caplog: pytest.LogCaptureFixture) -> None:
    ended = threading.Event()

    async def test() -> None:
        loop = asyncio.get_running_loop()

        def work(token: CancelToken) -> None:
            ended.wait(20)
            loop.call_soon_threadsafe(print)  # reports progress

        waiting = asyncio.create_task(JobQueue(Settings()).submit(work))
        await until(lambda: bool(running_threads()))
        assert not waiting.done()

    asyncio.run(test())
    ended.set()
    for thread in running_threads():
        thread.join(20)
    assert not running_threads()
    assert not caplog.records


@with_queue()
async def test_closing_cancels_all_jobs(queue: JobQueue) -> None:
    tasks = [asyncio.create_task(queue.submit(endless)) for _ in range(5)]
    await asyncio.sleep(0.05)
    queue.close()
    ended = await asyncio.gather(*tasks, return_exceptions=True)
    assert all(isinstance(end, Stopping) for end in ended)
    with pytest.raises(Stopping, match="the studio is being stopped"):
        await queue.submit(constant_job(1))


def test_short_jobs_start_before_expensive_ones() -> None:
    started: list[str] = []

    async def test(queue: JobQueue) -> None:
        release = threading.Event()
        blocker = asyncio.create_task(queue.submit(lambda token: release.wait(20)))
        await asyncio.sleep(0)
        costs = {"long": 30.0, "medium": 3.0, "short": 0.01}
        tasks = [
            asyncio.create_task(queue.submit(append_job(started, f"{name} {client}"), client=client, cost=cost))
            for name, cost in costs.items()
            for client in range(2)
        ]
        await asyncio.sleep(0.05)
        release.set()
        await asyncio.gather(blocker, *tasks)

    run_with_queue(test, workers=1, waiting=10)
    # The fourth start takes the cost of the job that waits longest; the blocker was the first.
    assert started == ["short 0", "short 1", "long 0", "medium 1", "medium 0", "long 1"]


@with_queue(workers=2, waiting=100)
async def test_expensive_jobs_leave_a_worker_to_short_ones(queue: JobQueue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "LONG_JOB_SECONDS", 60.0)
    many = [asyncio.create_task(queue.submit(endless, client=number, cost=20.0)) for number in range(50)]
    await asyncio.sleep(0.05)
    assert queue.waiting_count == 49  # The second worker is free.
    for number in range(20):
        assert await queue.submit(constant_job(number), client="other", cost=0.01) == number
    for task in many:
        task.cancel()
    await asyncio.gather(*many, return_exceptions=True)
