"""Connections that are closed if a client sends the headers of a request too slowly, or garbage to a websocket."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol
from uvicorn.protocols.websockets.auto import AutoWebSocketsProtocol

from ...core.errors import problem

log = logging.getLogger(__name__)
HEADER_SECONDS = 10.0
"""Seconds after the first byte, or after the connection, until all headers of a request must have arrived."""


class TimedProtocol(AutoHTTPProtocol):  # type: ignore[misc, valid-type]  # uvicorn chooses the base class
    """The protocol of uvicorn, which itself waits for headers without a limit."""

    _header_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:
        super().connection_made(transport)
        self._start_timer()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._has_headers:
            self._stop_timer()
        elif self._header_timer is None:
            self._start_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        super().connection_lost(exc)

    @property
    def _has_headers(self) -> bool:
        """Whether a request is being answered, or the connection became a websocket."""
        is_answering = self.cycle is not None and not self.cycle.response_complete
        return is_answering or self.transport.get_protocol() is not self

    def _start_timer(self) -> None:
        self._header_timer = self.loop.call_later(HEADER_SECONDS, self._refuse)

    def _stop_timer(self) -> None:
        if self._header_timer is not None:
            self._header_timer.cancel()
            self._header_timer = None

    def _refuse(self) -> None:
        """Answer with the status 408 and close the connection."""
        self._header_timer = None
        if self._has_headers or self.transport.is_closing():
            return
        line = f"the headers of a request must arrive within {HEADER_SECONDS:g} s"
        found: dict[str, Any] = {"error": line, "problems": [problem(line, rule="timeout").as_data()]}
        body = json.dumps(found).encode()
        head = f"HTTP/1.1 408 Request Timeout\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        self.transport.write(head.encode() + b"Connection: close\r\n\r\n" + body)
        self.transport.close()


class GuardedSocketProtocol(AutoWebSocketsProtocol):  # type: ignore[misc, valid-type]  # uvicorn chooses the base class
    """The protocol of uvicorn, whose own handling of invalid frames may raise an error."""

    def data_received(self, data: bytes) -> None:
        try:
            super().data_received(data)
        except Exception as error:  # Nothing of the application runs here.
            log.warning("closed a socket after invalid frames: %s", type(error).__name__)
            self.transport.abort()
