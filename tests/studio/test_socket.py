"""Garbage on the socket of the page: the studio answers others, and its log has no traceback."""

from __future__ import annotations

import base64
import json
import re
import signal
import socket
import struct
import subprocess
import sys
from contextlib import suppress
from typing import Any

import httpx

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
    command = [sys.executable, "-m", "tilewright", "studio", "--no-browser", "--port", "0", "--workers", "2"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as program:
        assert program.stdout
        assert program.stderr
        found = re.search(r"http://127\.0\.0\.1:(\d+)", program.stdout.readline())
        assert found
        port = int(found[1])
        with httpx.Client(base_url=found[0], timeout=60) as others:
            for data in GARBAGE:
                with open_socket(port) as client, suppress(OSError):  # the studio may close the socket at once
                    client.sendall(data + frame(CLOSE, b""))
                    while client.recv(1 << 16):
                        pass
                assert others.get("/api").status_code == 200
            polled = "/_nicegui_ws/socket.io/?EIO=4&transport=polling"
            for body in (b"", b"z", b"b!!", b"4" * 100, b"40\x1e42[", b"\xed\xa0\x80"):
                opened = json.loads(others.get(polled).text[1:])
                others.post(f"{polled}&sid={opened['sid']}", content=body)
        program.send_signal(signal.SIGINT)
        assert program.wait(60) == 130
        log = program.stderr.read()
    assert "Traceback" not in log, log
    assert "malformed" in log
