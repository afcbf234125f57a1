"""Fifty people at once, against the program as people start it: answers or a polite refusal, and memory stays flat."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import httpx
import psutil
import pytest

PEOPLE, TURNS = 50, 6
WARM, ROUNDS = 2, 5
MOST_GROWTH = 12 << 20
"""Bytes that the last rounds may add; a map that is kept for each of their requests adds twice that."""
PROMPT = {"MALLOC_ARENA_MAX": "1", "MALLOC_TRIM_THRESHOLD_": "65536", "MALLOC_MMAP_THRESHOLD_": "65536"}
"""Has the C library give back what is freed, so that what the program holds is what it needs."""
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
    """The program, and where it answers."""

    process: psutil.Process
    address: str

    @property
    def memory(self) -> int:
        """Bytes that it holds."""
        return int(self.process.memory_info().rss)


@pytest.fixture(scope="module")
def studio() -> Iterator[Running]:
    limits = ["--workers", "2", "--waiting", "16", "--cells", "65536", "--seconds", "30", "--iterations", "1000000000"]
    command = [sys.executable, "-m", "tilewright", "studio", "--no-browser", "--port", "0", *limits]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | PROMPT) as program:
        assert program.stdout
        found = re.search(r"http://\S+", program.stdout.readline())
        assert found
        yield Running(psutil.Process(program.pid), found[0].rstrip("/"))
        program.send_signal(signal.SIGINT)
        assert program.wait(60) == 130


async def turned(client: httpx.AsyncClient, person: int, turn: int) -> int:
    """One turn of a knob."""
    technique, params = KNOBS[(person + turn) % len(KNOBS)]
    body = {"technique": technique, "params": {**params, "width": params["width"] + 2 * (turn % 5)}, "seed": person}
    answer = await client.post("/api/make", json={**body, "format": FORMATS[turn % len(FORMATS)]})
    if answer.status_code == 503:
        assert int(answer.headers["retry-after"]) > 0
        assert "try again in a moment" in answer.json()["error"]
    else:
        assert answer.status_code == 200, answer.text
        assert answer.headers["tilewright-seed"] == str(person)
    return answer.status_code


async def crowd(address: str, turns: int) -> Counter[int]:
    """Everybody turns their knobs, one after the other each, all at once."""
    limits = httpx.Limits(max_connections=PEOPLE)
    async with httpx.AsyncClient(base_url=address, timeout=120, limits=limits) as client:

        async def person(number: int) -> list[int]:
            return [await turned(client, number, turn) for turn in range(turns)]

        answers = await asyncio.gather(*(person(number) for number in range(PEOPLE)))
    return Counter(status for some in answers for status in some)


def test_fifty_people_get_answers_or_a_polite_refusal_and_memory_stays_flat(studio: Running) -> None:
    answers: Counter[int] = Counter()
    held = []
    for _ in range(WARM + ROUNDS):
        answers += asyncio.run(crowd(studio.address, TURNS))
        held.append(studio.memory)
    print(f"\n{dict(answers)}; MB: {[bytes >> 20 for bytes in held]}")
    assert set(answers) <= {200, 503}
    assert answers[200] > len(held) * PEOPLE / 10  # most are refused only where the machine does little
    assert min(held[-2:]) - max(held[:WARM]) < MOST_GROWTH


def test_endless_requests_block_nobody_and_end_when_nobody_waits(studio: Running) -> None:
    async def test() -> None:
        async with httpx.AsyncClient(base_url=studio.address, timeout=120) as client:
            slow = [asyncio.create_task(client.post("/api/make", json=ENDLESS)) for _ in range(2)]
            await asyncio.sleep(0.5)
            for number in range(5):
                assert (await client.get("/api/techniques")).status_code == 200
                assert await turned(client, number, number) == 200
            assert not any(task.done() for task in slow)
            for task in slow:
                task.cancel()
            await asyncio.gather(*slow, return_exceptions=True)

    asyncio.run(test())
    asyncio.run(idle(studio.process))


async def idle(process: psutil.Process) -> None:
    """Comes back when a process does nothing any more; work that nobody cancelled would keep it going."""
    async with asyncio.timeout(20):
        while True:
            before = sum(process.cpu_times()[:2])
            await asyncio.sleep(0.5)
            if sum(process.cpu_times()[:2]) - before < 0.25:
                return
