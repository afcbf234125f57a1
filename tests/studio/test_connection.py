"""Connections and the end of the server: half-sent headers, garbage on the socket, and clients that wait at the end."""

from __future__ import annotations

import asyncio
import base64
import json
import signal
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any

import httpx
import pytest
import uvicorn
from starlette.exceptions import HTTPException

from tests.studio.servers import application, line_of, run_studio
from tilewright.studio.http import connection, security
from tilewright.studio.http.connection import TimedProtocol

ENDLESS = {"technique": "fashion", "params": {"width": 200, "height": 200, "generations": 100_000}, "seed": 1}


@contextmanager
def run_server() -> Iterator[int]:
    """Run the API with the protocol of the studio, and yield its port."""
    server = uvicorn.Server(uvicorn.Config(application(), http=TimedProtocol, log_level="error"))
    listener = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=lambda: asyncio.run(server.serve([listener])), daemon=True)
    thread.start()
    try:
        yield int(listener.getsockname()[1])
    finally:
        server.should_exit = True
        thread.join(20)
        listener.close()


def read_all(client: socket.socket) -> bytes:
    found = b""
    while part := client.recv(4096):
        found += part
    return found


@pytest.mark.parametrize("start", [b"", b"GET /api HTTP/1.1\r\nHost: 127.0.0.1\r\n", b"G"])
def test_half_sent_headers_time_out(monkeypatch: pytest.MonkeyPatch, start: bytes) -> None:
    monkeypatch.setattr(connection, "HEADER_SECONDS", 0.3)
    with run_server() as port, socket.create_connection(("127.0.0.1", port), timeout=20) as client:
        client.sendall(start)
        answer = read_all(client)
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 408 Request Timeout")
    assert json.loads(body)["error"] == "the headers of a request must arrive within 0.3 s"
    assert json.loads(body)["problems"][0]["rule"] == "timeout"


def test_half_sent_headers_after_a_complete_request_time_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "HEADER_SECONDS", 0.3)
    with run_server() as port, socket.create_connection(("127.0.0.1", port), timeout=20) as client:
        client.sendall(b"GET /api HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        first = b""
        while b"limits" not in first:
            first += client.recv(4096)
        client.sendall(b"GET /api HTTP/1.1\r\nHost")
        assert read_all(client).startswith(b"HTTP/1.1 408 Request Timeout")
    assert first.startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize(("route", "content_type"), [("make", "application/json"), ("models", "multipart/form-data")])
def test_a_half_sent_body_times_out(monkeypatch: pytest.MonkeyPatch, route: str, content_type: str) -> None:
    monkeypatch.setattr(security, "BODY_SECONDS", 0.3)
    head = f"POST /api/{route} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: {content_type}; boundary=x\r\n"
    with run_server() as port, socket.create_connection(("127.0.0.1", port), timeout=20) as client:
        client.sendall(head.encode() + b"Content-Length: 60000\r\n\r\n--x\r\n")
        answer = read_all(client)
    assert answer.startswith(b"HTTP/1.1 408")
    assert b"the body of a request must arrive within 0.3 s" in answer


def test_a_body_may_arrive_slowly_but_not_byte_by_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each part may take as long as its bytes at the lowest rate, counted here in steps of the clock."""
    monkeypatch.setattr(security, "MIN_RATE", 100)
    clock = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: clock[0])  # also the clock of the event loop

    async def send_parts(size: int) -> int:
        async def receive() -> dict[str, Any]:
            clock[0] += 1.0
            await asyncio.sleep(0)  # the loop cancels here if the deadline is over
            return {"type": "http.request", "body": b"#" * size, "more_body": True}

        limiter = security.BodyLimiter(receive, 1 << 20)
        for count in range(50):
            try:
                await limiter()
            except HTTPException as error:
                return count if error.status_code == 408 else -1
        return 50

    assert asyncio.run(send_parts(100)) == 50
    assert 0 < asyncio.run(send_parts(1)) < 13


def test_a_long_request_and_an_idle_connection_are_not_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "HEADER_SECONDS", 0.2)
    with run_server() as port, httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
        body = {"technique": "fashion", "params": {"width": 60, "height": 60, "generations": 3000}, "seed": 1}
        for _ in range(2):
            answer = client.post("/api/make", json=body)
            assert answer.status_code in (200, 504), answer.text
            time.sleep(0.4)


POSTS = ("make", "run", "measure", "measure/file", "models", "seek")
STARTS = {
    "application/json": b'{"technique": "ca',
    "multipart/form-data; boundary=x": b'--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n##',
}


@pytest.mark.parametrize("content_type", STARTS)
@pytest.mark.parametrize("route", POSTS)
def test_a_client_that_leaves_during_the_body_leaves_nothing_in_the_log(
    route: str, content_type: str, caplog: pytest.LogCaptureFixture
) -> None:
    """An exception that leaves the application would be logged by the server."""
    messages: list[dict[str, Any]] = [
        {"type": "http.request", "body": STARTS[content_type], "more_body": True},
        {"type": "http.disconnect"},
    ]

    async def receive() -> dict[str, Any]:
        return messages.pop(0)

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            assert message["status"] in (400, 499)

    headers = [(b"host", b"127.0.0.1"), (b"content-type", content_type.encode()), (b"content-length", b"1000")]
    path = f"/api/{route}"
    scope = {"type": "http", "method": "POST", "path": path, "raw_path": path.encode(), "query_string": b""}
    scope |= {"root_path": "", "scheme": "http", "http_version": "1.1", "headers": headers}
    asyncio.run(application()({**scope, "server": ("127.0.0.1", 8600), "client": ("127.0.0.1", 1)}, receive, send))
    assert caplog.text == ""


def test_clients_get_503_when_the_studio_is_stopped() -> None:
    with run_studio("--workers=2", "--iterations=1000000000", "--seconds=120") as (program, address):
        assert program.stderr

        async def test(address: str) -> list[httpx.Response]:
            async with httpx.AsyncClient(base_url=address, timeout=120) as client:
                tasks = [asyncio.create_task(client.post("/api/make", json=ENDLESS)) for _ in range(8)]
                await asyncio.sleep(2)
                assert not any(task.done() for task in tasks)
                program.send_signal(signal.SIGINT)
                return await asyncio.gather(*tasks)

        answers = asyncio.run(test(address))
        assert program.wait(60) == 130
        errors = program.stderr.read()
    for answer in answers:
        assert answer.status_code == 503
        assert line_of(answer) == "the studio is being stopped; try again when it runs again"
        assert int(answer.headers["retry-after"]) > 0
    assert "Traceback" not in errors
    assert "Error" not in errors


POLLED = "/_nicegui_ws/socket.io/?EIO=4&transport=polling"


def open_polling(client: httpx.Client) -> str:
    """Open a socket by polling and return its address."""
    return f"{POLLED}&sid={json.loads(client.get(POLLED).text[1:])['sid']}"


def send_start(port: int, line: str, *lines: str, body: str = "", repeat: int = 1) -> socket.socket:
    """Send the start of a request, or several requests at once, and return the connection."""
    client = socket.create_connection(("127.0.0.1", port), timeout=20)
    head = "\r\n".join([f"{line} HTTP/1.1", f"Host: 127.0.0.1:{port}", *lines])
    client.sendall(f"{head}\r\n\r\n{body}".encode() * repeat)
    return client


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_open_requests_leave_no_traceback_when_the_studio_is_stopped(number: signal.Signals) -> None:
    with run_studio("--workers=2") as (program, address):
        assert program.stderr
        port = int(address.rpartition(":")[2])
        with httpx.Client(base_url=address, timeout=60) as others, ExitStack() as stack:
            polled = open_polling(others)
            large = "/api/make/caves?width=500&height=500&seed=1&format=csv"
            assert len(others.get(large).content) > 1 << 18
            length = "Content-Length: 1000"
            for client in (
                send_start(port, "POST /api/make", "Content-Type: application/json", length, body="{"),
                send_start(
                    port, "POST /api/models", "Content-Type: multipart/form-data; boundary=x", length, body="--x"
                ),
                send_start(port, f"GET {polled}"),
                send_start(port, f"GET {large}", repeat=20),
            ):
                stack.enter_context(client)
            assert others.post(polled, content="40").status_code == 200
            time.sleep(2)  # until the server waits for the client that reads nothing
            program.send_signal(number)
            assert program.wait(60) == 128 + number
            errors = program.stderr.read()
    assert "Traceback" not in errors, errors
    assert "ERROR" not in errors


TEXT, BINARY, CLOSE, PING = 1, 2, 8, 9


def frame(code: int, data: bytes, *, first: int = 0x80, masked: bool = True, length: int | None = None) -> bytes:
    """Return a frame of a websocket, masked with zeros. `first` has its flags; `length` is the declared one."""
    head = struct.pack(">BBQ", first | code, (0x80 if masked else 0) | 127, len(data) if length is None else length)
    return head + (bytes(4) if masked else b"") + data


def event(value: Any) -> bytes:
    """Return an event of Socket.IO after the packet that connects it."""
    return frame(TEXT, b"40") + frame(TEXT, b"42" + json.dumps(value).encode())


NAMES = ("handshake", "event", "javascript_response", "ack", "log")
PARTIAL: tuple[Any, ...] = (1, None, [], {}, {"client_id": [1]}, {"client_id": "\ud800"})
EVENTS = [[name, data] for name in NAMES for data in PARTIAL] + [[name] for name in NAMES]
GARBAGE = [
    b"\x00garbage" * 50,
    frame(TEXT, b"x", length=1 << 62),
    frame(TEXT, b"x", length=1 << 30),
    frame(TEXT, b"42" + b"9" * (1 << 22)),
    frame(7, b"a"),
    frame(TEXT, b"a", first=0xC0),
    frame(TEXT, b"a", masked=False),
    frame(0, b"a"),
    frame(PING, b"a" * 126),
    frame(CLOSE, b"\0"),
    frame(TEXT, b"\xed\xa0\x80"),
    frame(TEXT, b"a", first=0) + frame(0, b"b", first=0) * 1000,
    frame(TEXT, b""),
    frame(TEXT, b"z"),
    frame(BINARY, b"\xff"),
    frame(TEXT, b"2probe") + frame(TEXT, b"5") + frame(TEXT, b"6"),
    frame(TEXT, b"40{"),
    frame(TEXT, b"40/admin,"),
    frame(TEXT, b"40") + frame(TEXT, b"42["),
    frame(TEXT, b"40") + frame(TEXT, b"42" + b"[" * 10_000),
    frame(TEXT, b"40") + frame(TEXT, b"430[]"),
    *(frame(TEXT, b'45%s-["event",{"_placeholder":true,"num":%s}]' % pair) + frame(BINARY, b"x")
      for pair in ((b"1", b"-1"), (b"1", b"9"), (b"1", b'"a"'), (b"9" * 9, b"0"))),
    *map(event, [*EVENTS, [], [1], {}, 1, "a", None, ["unknown", 1], ["connect"], ["disconnect"]]),
]  # fmt: skip

POLLED_GARBAGE = [
    *((body, 200) for body in (b"", b"z", b"b!!", b"4" * 100, b"40\x1e42[", b"\xed\xa0\x80")),
    *((body, 400) for body in (b"6", b"\x1e".join([b"6"] * 10), b"4" + b"2" * 1_100_000, b"4" + b"2" * 3_900_000)),
]


def open_socket(port: int) -> socket.socket:
    """Return the connection after the handshake of a websocket."""
    client = socket.create_connection(("127.0.0.1", port), timeout=20)
    key = base64.b64encode(bytes(16)).decode()
    head = f"Host: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
    path = "/_nicegui_ws/socket.io/?EIO=4&transport=websocket"
    client.sendall(f"GET {path} HTTP/1.1\r\n{head}Sec-WebSocket-Version: 13\r\n\r\n".encode())
    assert client.recv(1 << 16).startswith(b"HTTP/1.1 101")
    return client


def test_garbage_after_the_handshake_leaves_no_traceback() -> None:
    with run_studio("--workers=2") as (program, address):
        assert program.stderr
        port = int(address.rpartition(":")[2])
        with httpx.Client(base_url=address, timeout=60) as others:
            for data in GARBAGE:
                with open_socket(port) as client, suppress(OSError):  # the studio may close the socket at once
                    client.sendall(data + frame(CLOSE, b""))
                    while client.recv(1 << 16):
                        pass
                assert others.get("/api").status_code == 200
            for body, status in POLLED_GARBAGE:
                assert others.post(open_polling(others), content=body).status_code == status
        program.send_signal(signal.SIGINT)
        assert program.wait(60) == 130
        log = program.stderr.read()
    assert "Traceback" not in log, log
    assert "malformed" in log


def test_a_polling_request_is_answered_if_another_one_closes_the_socket() -> None:
    with run_studio("--workers=2") as (program, address):
        assert program.stderr
        with httpx.Client(base_url=address, timeout=60) as others:
            polled = open_polling(others)
            with send_start(int(address.rpartition(":")[2]), f"POST {polled}", "Content-Length: 1") as client:
                time.sleep(0.5)
                assert others.post(polled, content="6").status_code == 400
                assert others.get(polled).status_code == 400
                client.sendall(b"6")
                assert client.recv(1 << 16).startswith(b"HTTP/1.1 400")
        program.send_signal(signal.SIGINT)
        assert program.wait(60) == 130
        assert "Traceback" not in program.stderr.read()


def test_a_socket_is_closed_after_many_malformed_messages() -> None:
    messages = (b'42["event",{}]', b"42[", b"4x")
    with run_studio("--workers=2") as (program, address):
        assert program.stderr
        for message in messages:
            with open_socket(int(address.rpartition(":")[2])) as client:
                client.sendall(frame(TEXT, b"40") + frame(TEXT, message) * 3000)
                received = b""
                while bytes([0x80 | CLOSE]) not in received:
                    received += (part := client.recv(1 << 16))
                    assert part
            with httpx.Client(base_url=address, timeout=60) as others:
                polled = open_polling(others)
                assert others.post(polled, content="40").status_code == 200
                statuses = [others.post(polled, content=b"\x1e".join([message] * 16)).status_code for _ in range(20)]
                assert statuses[0] == 200
                assert statuses[-1] == 400
        program.send_signal(signal.SIGINT)
        assert program.wait(60) == 130
        log = program.stderr.read()
    assert log.count("ignored a malformed message") == log.count("closed a socket after 100") == 2 * len(messages)
    assert log.count("\n") < 20, log
