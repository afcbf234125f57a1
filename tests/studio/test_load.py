"""Fifty simultaneous clients of the studio program: responses or refusals, and no growth of memory."""

from __future__ import annotations

import asyncio
import os
import signal
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import psutil
import pytest

from tests.studio.servers import run_studio

CLIENTS, TURNS = 50, 6
WARM, ROUNDS = 2, 3
MAX_GROWTH = 12 << 20
"""Maximum growth of memory in the last rounds, in bytes; one leaked map per request would add twice as much."""
MALLOC = {"MALLOC_ARENA_MAX": "1", "MALLOC_TRIM_THRESHOLD_": "65536", "MALLOC_MMAP_THRESHOLD_": "65536"}
"""Makes the C library return freed memory at once, so that leaks can be measured."""
KNOBS: list[tuple[str, dict[str, Any]]] = [
    ("caves", {"width": 96, "height": 80}),
    ("bsp", {"width": 48, "height": 40}),
    ("maze", {"width": 81, "height": 81}),
    ("noise", {"width": 160, "height": 160}),
    ("drunkard", {"width": 48, "height": 40}),
]
FORMATS = ("json", "png", "txt", "tmx", "gif")
ENDLESS = {"technique": "fashion", "params": {"width": 200, "height": 200, "generations": 100_000}, "seed": 1}


@dataclass(frozen=True)
class Running:
    """The studio program and its address."""

    process: psutil.Process
    address: str

    @property
    def memory(self) -> int:
        """Resident memory in bytes."""
        return int(self.process.memory_info().rss)


@pytest.fixture(scope="module")
def studio() -> Iterator[Running]:
    limits = ("--workers=2", "--waiting=16", "--cells=65536", "--seconds=30", "--iterations=1000000000")
    with run_studio(*limits, stderr=None, env=os.environ | MALLOC) as (program, address):
        yield Running(psutil.Process(program.pid), address)
        program.send_signal(signal.SIGINT)
        assert program.wait(60) == 130


async def request_map(client: httpx.AsyncClient, number: int, turn: int) -> int:
    """Request a map with changed parameters."""
    technique, params = KNOBS[(number + turn) % len(KNOBS)]
    body = {"technique": technique, "params": {**params, "width": params["width"] + 2 * (turn % 5)}, "seed": number}
    answer = await client.post("/api/make", json={**body, "format": FORMATS[turn % len(FORMATS)]})
    if answer.status_code == 503:
        assert int(answer.headers["retry-after"]) > 0
        assert "try again in a moment" in answer.json()["error"]
    else:
        assert answer.status_code == 200, answer.text
        assert answer.headers["tilewright-seed"] == str(number)
    return answer.status_code


async def request_maps(address: str, turns: int) -> Counter[int]:
    """Send the requests of all clients at the same time, each client one after the other."""
    limits = httpx.Limits(max_connections=CLIENTS)
    async with httpx.AsyncClient(base_url=address, timeout=120, limits=limits) as client:

        async def run_client(number: int) -> list[int]:
            return [await request_map(client, number, turn) for turn in range(turns)]

        answers = await asyncio.gather(*(run_client(number) for number in range(CLIENTS)))
    return Counter(status for some in answers for status in some)


def test_fifty_clients_get_responses_or_refusals_and_memory_stays_constant(studio: Running) -> None:
    answers: Counter[int] = Counter()
    memory = []
    for _ in range(WARM + ROUNDS):
        answers += asyncio.run(request_maps(studio.address, TURNS))
        memory.append(studio.memory)
    print(f"\n{dict(answers)}; MB: {[bytes >> 20 for bytes in memory]}")
    assert set(answers) <= {200, 503}
    assert answers[200] > len(memory) * CLIENTS / 10  # more are refused only on a slow machine
    assert min(memory[-2:]) - max(memory[:WARM]) < MAX_GROWTH


def test_endless_requests_do_not_block_others_and_end_when_cancelled(studio: Running) -> None:
    async def test() -> None:
        async with httpx.AsyncClient(base_url=studio.address, timeout=120) as client:
            slow = [asyncio.create_task(client.post("/api/make", json=ENDLESS)) for _ in range(2)]
            await asyncio.sleep(0.5)
            for number in range(5):
                assert (await client.get("/api/techniques")).status_code == 200
                assert await request_map(client, number, number) == 200
            assert not any(task.done() for task in slow)
            for task in slow:
                task.cancel()
            await asyncio.gather(*slow, return_exceptions=True)

    asyncio.run(test())
    asyncio.run(wait_until_idle(studio.process))


async def wait_until_idle(process: psutil.Process) -> None:
    """Return when a process is idle; a job that was not cancelled would keep it busy."""
    async with asyncio.timeout(20):
        while True:
            before = sum(process.cpu_times()[:2])
            await asyncio.sleep(0.5)
            if sum(process.cpu_times()[:2]) - before < 0.25:
                return
