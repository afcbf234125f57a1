"""Requests of up to 4 MB that are expensive to parse or explain: each is refused, and others are answered meanwhile."""

from __future__ import annotations

import asyncio
import gc
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable

import httpx
import pytest

from tests.studio.servers import application, asking, line_of
from tilewright.studio.jobs import MAX_OBJECTS
from tilewright.studio.settings import Settings

DEFAULTS = Settings()
MAX_SECONDS = 0.5
"""Maximum CPU time of the process, in seconds, from a short request to its response. The response must not wait for the
hostile request, which takes its CPU time in the same process."""
MAX_TOTAL_SECONDS = 6.0
"""Maximum CPU time of a hostile request."""
MAX_LINE_LENGTH = 2000
EMPTY = '""'
PARTS = "layers, objects and tiles"
QUOTED_FILE = '"a.txt"'


def fill(count: int, item: str) -> str:
    """Return a JSON list of the same item."""
    return f"[{','.join([item] * count)}]"


def many_keys(count: int) -> str:
    """Return a JSON object of different keys."""
    return "{" + ",".join(f'"k{number}":1' for number in range(count)) + "}"


def make_request(**parts: str) -> tuple[str, str]:
    """Return a request for a small cave, with parts given as JSON."""
    named = {"technique": '"caves"', "params": '{"width": 8, "height": 8}', **parts}
    return "/api/make", "{" + ",".join(f'"{name}": {part}' for name, part in named.items()) + "}"


def measure_request(**parts: str) -> tuple[str, str]:
    named = {"map": '"##\\n.."', **parts}
    return "/api/measure", "{" + ",".join(f'"{name}": {part}' for name, part in named.items()) + "}"


def run_request(text: str) -> tuple[str, str]:
    return "/api/run", json.dumps({"recipe": text})


HOSTILE: dict[str, Callable[[], tuple[str, str]]] = {
    "measures": lambda: measure_request(measures=fill(900_000, '"a"')),
    "known measures": lambda: measure_request(measures=fill(300_000, '"regions"')),
    "numbers as measures": lambda: measure_request(measures=fill(1_900_000, "1")),
    "unknown keys": lambda: ("/api/measure", many_keys(200_000)),
    "unknown keys of a recipe": lambda: ("/api/run", f'{{"recipe": {many_keys(200_000)}}}'),
    "unknown parameters": lambda: make_request(params=many_keys(200_000)),
    "unknown options": lambda: make_request(options=many_keys(200_000)),
    "requirements": lambda: make_request(require=many_keys(100_000)),
    "shapers": lambda: make_request(shaping=fill(300_000, '"flip"')),
    "unknown shapers": lambda: make_request(shaping=fill(300_000, '"flop"')),
    "wrong shapers": lambda: make_request(shaping=fill(1_900_000, "1")),
    "tiles": lambda: make_request(tiles=many_keys(200_000)),
    "locks": lambda: make_request(locks=fill(300_000, '[1,1,"a"]')),
    "lock rows": lambda: make_request(locks=fill(900_000, '"a"')),
    "a long row of locks": lambda: make_request(locks=f'["{"a" * 3_900_000}"]'),
    "wrong layouts": lambda: make_request(technique='"rooms"', params=f'{{"layouts": {fill(600_000, "{}")}}}'),
    "nested lists": lambda: make_request(technique='"noise"', params=f'{{"biomes": {fill(200, fill(4_000, "[1]"))}}}'),
    "wrong scores": lambda: make_request(technique='"fashion"', params=f'{{"scores": {fill(900_000, EMPTY)}}}'),
    "many samples": lambda: make_request(technique='"wfc"', params=f'{{"sample": {fill(400_000, QUOTED_FILE)}}}'),
    "tileset": lambda: make_request(tileset=f'{{"name": "t", "tiles": {fill(400_000, "{}")}}}'),
    "wrong tiles": lambda: make_request(tileset=f'{{"name": "t", "tiles": {fill(1_000_000, "1")}}}'),
    "a long name": lambda: make_request(technique=json.dumps("caves" * 700_000)),
    "a long key": lambda: make_request(params=json.dumps({"width" * 700_000: 1})),
    "a long value": lambda: make_request(params=json.dumps({"width": "1" * 3_900_000})),
    "a long list as a value": lambda: make_request(params=f'{{"width": {fill(1_900_000, "1")}}}'),
    "a long number": lambda: make_request(params=f'{{"width": {"1" * 4000}, "walls": {"9" * 3_000_000}e-1}}'),
    "a long seed": lambda: make_request(seed=json.dumps("7" * 3_900_000)),
    "deep nesting": lambda: make_request(params="[" * 1_900_000 + "]" * 1_900_000),
    "distinct labels": lambda: measure_request(map=json.dumps([[f"t{number}" for number in range(350_000)]])),
    "yaml of lists": lambda: run_request("technique: caves\nshaping: " + "[" + "flip, " * 170_000 + "]"),
    "yaml of keys": lambda: run_request("technique: caves\n" + "".join(f"k{number}: 1\n" for number in range(90_000))),
    "yaml of requirements": lambda: run_request(
        "technique: caves\nrequire:\n" + "".join(f"  k{number}: 1\n" for number in range(75_000))
    ),
    "yaml of nested lists": lambda: run_request("a: " + "[" * 500_000),
    "yaml of a long name": lambda: run_request("caves " * 170_000 + ":"),
    "a long recipe name": lambda: run_request("open-caves" * 390_000),
}
URLS = {
    "unknown parameters": "/api/make/caves?" + "&".join(f"k{number}=1" for number in range(8_000)),
    "repeated parameters": "/api/make/caves?" + "&".join(["width=8"] * 8_000),
    "shapers": "/api/make/caves?" + "&".join(["shape=flip"] * 5_000),
    "unknown tiles": "/api/make/caves?tiles=" + ",".join(f"k{number}=a" for number in range(8_000)),
    "a long technique": "/api/make/" + "caves" * 12_000,
    "a long parameter": "/api/make/caves?" + "width" * 12_000 + "=1",
}


async def send(client: httpx.AsyncClient, address: str, body: str | None) -> httpx.Response:
    if body is None:
        return await client.get(address)
    return await client.post(address, content=body.encode(), headers={"content-type": "application/json"})


async def measure_delays(address: str, body: str | None) -> tuple[httpx.Response, float, list[float]]:
    """Return the response to a request, its CPU time, and the CPU time that passes during each of several others."""
    app = application(**DEFAULTS.model_dump(include={"cells", "seconds", "pixels", "upload"}))
    transport = httpx.ASGITransport(app, client=("127.0.0.1", 5000))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8600") as client:
        await client.get("/api/techniques")
        await client.post("/api/make", json={"technique": "caves", "params": {"width": 8, "height": 8}})
        start = time.process_time()
        hostile = asyncio.create_task(send(client, address, body))
        delays: list[float] = []
        while not hostile.done() or len(delays) < 2:
            await asyncio.sleep(0.002)
            sent = time.process_time()
            assert (await client.get("/api/techniques")).status_code == 200
            delays.append(time.process_time() - sent)
        return await hostile, time.process_time() - start, delays


def check(address: str, body: str | None) -> None:
    if body is not None:
        assert len(body) <= DEFAULTS.upload
    gc.freeze()  # Otherwise, the garbage collector may examine the objects of all tests before this one.
    try:
        answer, total, delays = asyncio.run(measure_delays(address, body))
    finally:
        gc.unfreeze()
    print(f"{answer.status_code} {total:.2f} {max(delays):.2f} {answer.text[:150]}")
    assert answer.status_code in (400, 404, 413, 422), answer.text[:200]
    assert len(line_of(answer)) <= MAX_LINE_LENGTH
    assert max(delays) < MAX_SECONDS
    assert total < MAX_TOTAL_SECONDS


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_body_delays_no_other_request(name: str) -> None:
    check(*HOSTILE[name]())


@pytest.mark.parametrize("name", URLS)
def test_a_hostile_url_delays_no_other_request(name: str) -> None:
    check(URLS[name], None)


@pytest.mark.parametrize(
    ("name", "content", "noun"),
    [
        ("x.json", b'{"links": [' + b"[0, 1], " * MAX_OBJECTS + b"[0, 1]]}", "lists and objects"),
        ("x.tmj", b'{"layers": [' + b"{}, " * MAX_OBJECTS + b"{}]}", "lists and objects"),
        ("x.tmx", b"<map>" + b"<a/>" * (8 * MAX_OBJECTS) + b"</map>", "elements and attributes"),
        ("x.tmx", b"<map><tileset>" + b"<tile/>" * MAX_OBJECTS + b"</tileset></map>", PARTS),
        ("x.tmx", b"<map><layer><data>" + b"<chunk/>" * MAX_OBJECTS + b"</data></layer></map>", PARTS),
        ("x.ldtk", b'{"levels": [' + b"[], " * (8 * MAX_OBJECTS) + b"[]]}", "lists and objects"),
        ("x.ldtk", b'{"levels": [' + b"{}, " * MAX_OBJECTS + b"{}]}", "objects besides tiles"),
    ],
)
def test_an_upload_of_very_many_objects_is_refused_before_it_is_parsed(name: str, content: bytes, noun: str) -> None:
    """The parsers of JSON and XML block all threads while they make objects."""
    with asking(application(upload=1 << 22)) as client:
        answer = client.post("/api/measure/file", files={"file": (name, content)})
    assert answer.status_code == 400
    assert re.search(rf"must have at most [\d,]+ {noun}, got [\d,]+", line_of(answer))


def test_collections_of_garbage_skip_the_objects_of_the_start() -> None:
    """They pause all threads, and would otherwise examine these objects during each large request."""
    code = (
        "import gc, os, signal; from tilewright.studio import Settings, serve\n"
        "def end(url): print(gc.get_freeze_count()); os.kill(os.getpid(), signal.SIGINT)\n"
        "serve(Settings(port=0), on_ready=end)"
    )
    found = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=120)
    assert int(found.stdout) > 50_000


def test_a_request_of_very_many_locks_is_refused_before_it_is_parsed() -> None:
    body = {"technique": "caves", "locks": [[0, 0, "wall"]] * MAX_OBJECTS}
    with asking(application(upload=1 << 22)) as client:
        answer = client.post("/api/make", json=body)
    assert answer.status_code == 413
    assert "must have at most 32,768 lists and objects, got 32,77" in line_of(answer)
