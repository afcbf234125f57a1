"""The desk: bounded, fair, and everything on it can be stopped."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
import weakref
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import pytest

from tilewright.core.errors import InvalidRecipe
from tilewright.studio import jobs as desks
from tilewright.studio.jobs import Busy, Cancelled, CancelToken, JobQueue, TooLong
from tilewright.studio.settings import Settings

T = TypeVar("T")


def adding(values: list[T], value: T) -> Callable[[CancelToken], None]:
    """Return work that adds a value to a list."""
    return lambda ticket: values.append(value)


def giving(value: T) -> Callable[[CancelToken], T]:
    """Return work whose result is a value."""
    return lambda ticket: value


def at_a_desk(test: Callable[[JobQueue], Awaitable[None]], **settings: Any) -> None:
    """Run a test in an event loop, and see that nothing is left behind."""

    async def run() -> None:
        desk = JobQueue(Settings(**{"workers": 2, "waiting": 4, "seconds": 20, **settings}))
        await asyncio.wait_for(test(desk), 60)
        desk.close()
        await until(lambda: desk.job_count == 0)

    asyncio.run(run())
    for thread in at_work():
        thread.join(20)
    assert not at_work()


def at_work() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("studio-")]


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not true():
            await asyncio.sleep(0.005)


def endless(ticket: CancelToken) -> None:
    while True:
        ticket.check()
        time.sleep(0.002)


def test_work_is_done_elsewhere_and_its_result_or_error_comes_back() -> None:
    def broken(ticket: CancelToken) -> None:
        raise InvalidRecipe("walls: must be less")

    async def test(desk: JobQueue) -> None:
        assert await desk.submit(lambda ticket: threading.current_thread()) is not threading.current_thread()
        with pytest.raises(InvalidRecipe, match="walls"):
            await desk.submit(broken)

    at_a_desk(test)


def test_endless_work_is_stopped_by_time_and_by_steps() -> None:
    async def test(desk: JobQueue) -> None:
        with pytest.raises(TooLong, match=r"stopped after 0\.2 s"):
            await desk.submit(endless)

    at_a_desk(test, seconds=0.2)

    async def steps(desk: JobQueue) -> None:
        with pytest.raises(TooLong, match="stopped after 50 steps"):
            await desk.submit(endless)

    at_a_desk(steps, iterations=50)


def test_nobody_waits_for_work_that_does_not_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    """It keeps its place until it ends, and not longer."""
    monkeypatch.setattr(desks, "GRACE_SECONDS", 0.1)
    go_on = threading.Event()

    async def test(desk: JobQueue) -> None:
        with pytest.raises(TooLong):
            await desk.submit(lambda ticket: go_on.wait(30))
        assert desk.job_count == 1
        assert await desk.submit(lambda ticket: 3) == 3
        go_on.set()
        await until(lambda: desk.job_count == 0)

    at_a_desk(test, seconds=0.1)


def test_whoever_goes_away_stops_the_work() -> None:
    ended: list[str] = []

    def work(ticket: CancelToken) -> None:
        try:
            endless(ticket)
        except Cancelled as error:
            ended.append(str(error))

    async def test(desk: JobQueue) -> None:
        task = asyncio.create_task(desk.submit(work))
        await until(lambda: desk.job_count == 1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await until(lambda: ended == ["cancelled"])

    at_a_desk(test)


def test_whoever_goes_away_from_the_line_leaves_no_gap_in_it() -> None:
    """A slider that is dragged asks fifty times and waits for the last one only."""
    done: list[int] = []

    async def test(desk: JobQueue) -> None:
        others = [asyncio.create_task(desk.submit(endless)) for _ in range(2)]
        await asyncio.sleep(0)
        for number in range(50):
            task = asyncio.create_task(desk.submit(adding(done, number)))
            await asyncio.sleep(0)
            assert desk.waiting_count == 1
            if number < 49:
                task.cancel()
                await asyncio.sleep(0)
        for other in others:
            other.cancel()
        await task
        assert done == [49]

    at_a_desk(test, waiting=1)


def test_a_full_line_refuses_politely() -> None:
    async def test(desk: JobQueue) -> None:
        tasks = [asyncio.create_task(desk.submit(endless)) for _ in range(6)]
        await asyncio.sleep(0)
        with pytest.raises(Busy, match="the studio is busy: 6 jobs are running or waiting; try again in a moment"):
            await desk.submit(lambda ticket: 1)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await until(lambda: desk.job_count == 0)
        assert await desk.submit(lambda ticket: 1) == 1

    at_a_desk(test)


def test_a_desk_without_a_line() -> None:
    async def test(desk: JobQueue) -> None:
        assert await desk.submit(lambda ticket: 1) == 1
        task = asyncio.create_task(desk.submit(endless))
        await asyncio.sleep(0)
        with pytest.raises(Busy):
            await desk.submit(lambda ticket: 1)
        task.cancel()

    at_a_desk(test, workers=1, waiting=0)


def test_people_take_turns_however_much_one_of_them_asks_for() -> None:
    order: list[str] = []

    async def test(desk: JobQueue) -> None:
        gate = threading.Event()
        first = asyncio.create_task(desk.submit(lambda ticket: gate.wait(20)))
        await asyncio.sleep(0)
        tasks = [asyncio.create_task(desk.submit(adding(order, who), client=who)) for who in "aaaabbc"]
        await asyncio.sleep(0)
        gate.set()
        await asyncio.gather(first, *tasks)
        assert "".join(order) == "abcabaa"

    at_a_desk(test, workers=1, waiting=10)


def test_in_a_full_line_whoever_wants_most_is_refused() -> None:
    async def test(desk: JobQueue) -> None:
        gate = threading.Event()
        tasks = [asyncio.create_task(desk.submit(lambda ticket: gate.wait(20), client="greedy")) for _ in range(5)]
        await asyncio.sleep(0)
        modest = asyncio.create_task(desk.submit(lambda ticket: "done", client="modest"))
        await asyncio.sleep(0)
        gate.set()
        assert await modest == "done"
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        assert [isinstance(end, Busy) for end in ended] == [False, False, False, False, True]

    at_a_desk(test, workers=1, waiting=4)


def test_long_work_does_not_block_short_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desks, "LONG_JOB_SECONDS", 0.05)

    async def test(desk: JobQueue) -> None:
        long = [asyncio.create_task(desk.submit(endless)) for _ in range(2)]
        await asyncio.sleep(0)
        for number in range(20):
            assert await desk.submit(giving(number)) == number
        assert not any(task.done() for task in long)
        more = [asyncio.create_task(desk.submit(endless)) for _ in range(4)]
        await asyncio.sleep(0.3)
        assert len(at_work()) == 4
        assert desk.waiting_count == 2
        for task in (*long, *more):
            task.cancel()
        await asyncio.gather(*long, *more, return_exceptions=True)

    at_a_desk(test)


def test_nothing_of_a_job_is_kept() -> None:
    class Large:
        pass

    kept: list[weakref.ref[Large]] = []

    def work(ticket: CancelToken) -> None:
        large = Large()
        kept.append(weakref.ref(large))
        if len(kept) % 2:
            raise InvalidRecipe("no")

    async def test(desk: JobQueue) -> None:
        for _ in range(10):
            await asyncio.gather(desk.submit(work), return_exceptions=True)

    at_a_desk(test)
    gc.collect()
    assert not [one for one in kept if one() is not None]


def test_work_that_outlives_the_studio_says_nothing(caplog: pytest.LogCaptureFixture) -> None:
    ended = threading.Event()

    async def test() -> None:
        loop = asyncio.get_running_loop()

        def work(ticket: CancelToken) -> None:
            ended.wait(20)
            loop.call_soon_threadsafe(print)  # how far it is

        waiting = asyncio.create_task(JobQueue(Settings()).submit(work))
        await until(lambda: bool(at_work()))
        assert not waiting.done()

    asyncio.run(test())
    ended.set()
    for thread in at_work():
        thread.join(20)
    assert not at_work()
    assert not caplog.records


def test_closing_stops_everything() -> None:
    async def test(desk: JobQueue) -> None:
        tasks = [asyncio.create_task(desk.submit(endless)) for _ in range(5)]
        await asyncio.sleep(0.05)
        desk.close()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
        assert all(isinstance(end, asyncio.CancelledError | Cancelled) for end in ended)

    at_a_desk(test)
