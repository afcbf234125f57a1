"""Protection of connections against slow headers, and against garbage on a websocket.

Headers must arrive in time. Invalid frames close a websocket. Malformed messages are ignored, and close the socket if
there are many; the log gets one line without a traceback.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Callable
from functools import wraps
from itertools import count
from typing import Any

from nicegui import core
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send
from uvicorn.protocols.http.auto import AutoHTTPProtocol
from uvicorn.protocols.websockets.auto import AutoWebSocketsProtocol

from ...core.errors import InvalidRecipe, problem, short_repr
from .responses import ErrorBody

log = logging.getLogger(__name__)
HEADER_SECONDS = 10.0
"""Seconds after the first byte, or after the connection, until all headers of a request must have arrived."""
MAX_MALFORMED = 100
"""Number of malformed messages after which a socket is closed, and of malformed packets in the log."""
EVENTS = ("connect", "handshake", "event", "javascript_response", "ack", "log")
"""Events whose handlers in NiceGUI expect data in the form that its page sends."""


class TimedProtocol(AutoHTTPProtocol):  # type: ignore[misc, valid-type]  # uvicorn chooses the base class
    """The protocol of uvicorn, which itself waits for headers without a limit."""

    _header_timer: asyncio.TimerHandle | None = None
    _running: Any = None
    """Request that is being answered; `cycle` is the last one that has arrived."""

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
        if self._running is not None and not self._running.response_complete:
            self._running.disconnected = True
            self._running.message_event.set()

    def _start_asgi_task(self, cycle: Any, app: Any) -> None:
        self._running = cycle
        super()._start_asgi_task(cycle, app)

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
        body = ErrorBody.of(InvalidRecipe(problem(line, rule="timeout"))).model_dump_json().encode()
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


def guard_socket() -> None:
    """Let the handlers of the socket ignore malformed messages.

    Errors of the page's own event handlers do not get here, because NiceGUI logs them where they occur.
    """
    server = core.sio.eio
    handlers = core.sio.handlers["/"]
    for name in EVENTS:
        if name in handlers:
            core.sio.on(name, _ignore_malformed(name, handlers[name], _find_connection))
    server.on("message", _ignore_malformed("message", server.handlers["message"], str))
    server.disconnect = _close_socket
    server.handle_request = _always_answer(server.handle_request)
    for logger in ("engineio.server", "uvicorn.error"):
        logging.getLogger(logger).addFilter(_without_traceback)


def _ignore_malformed(
    name: str, handle: Callable[..., Any], find_connection: Callable[[str], str | None]
) -> Callable[..., Any]:
    """Return a handler that ignores the messages that another one cannot handle, and all of a closed socket.

    Parameters
    ----------
    name
        Name of the messages.
    handle
        Handler of the messages.
    find_connection
        Function that returns the session of Engine.IO for the first argument of the handler.
    """

    @wraps(handle)
    async def handle_message(session: str, *args: Any) -> Any:
        connection = find_connection(session)
        if connection is None or connection not in core.sio.eio.sockets:
            return False
        try:
            found = handle(session, *args)
            return await found if inspect.isawaitable(found) else found
        except (TypeError, LookupError, ValueError, AttributeError) as error:
            await _count_malformed(connection, name, error)
            return False

    return handle_message


def _find_connection(session: str) -> str | None:
    """Return the session of Engine.IO for a session of Socket.IO; None if it is closed."""
    found: str | None = core.sio.manager.eio_sid_from_sid(session, "/")
    return found


async def _count_malformed(connection: str, name: str, error: Exception) -> None:
    """Log the first malformed message of a socket, and close the socket after MAX_MALFORMED of them."""
    found = core.sio.eio.sockets.get(connection)
    if found is None:
        return
    malformed = found.session["malformed"] = found.session.get("malformed", 0) + 1
    if malformed == 1:
        log.warning("ignored a malformed message %r on the socket: %s", name, short_repr(error))
    elif malformed == MAX_MALFORMED:
        log.warning("closed a socket after %d malformed messages", malformed)
        await _close_socket(connection)


async def _close_socket(connection: str) -> None:
    """Close a socket of Engine.IO at once. Its own function waits until the client has read all packets."""
    found = core.sio.eio.sockets.pop(connection, None)
    if found is not None:
        await found.close(wait=False, reason=core.sio.eio.reason.SERVER_DISCONNECT)
        await found.queue.put(None)  # closes a websocket after the last packet


def _always_answer(handle: Callable[..., Any]) -> Callable[..., Any]:
    """Return a handler of requests that answers those whose socket another request has closed meanwhile."""

    @wraps(handle)
    async def handle_request(scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await handle(scope, receive, send)
        except UnboundLocalError:  # of Engine.IO, which has no response for them
            await PlainTextResponse("the socket is closed\n", 400)(scope, receive, send)

    return handle_request


_packets = count(1)
"""Numbers of the malformed packets."""


def _without_traceback(record: logging.LogRecord) -> bool:
    """Reduce what the server and Engine.IO log about a malformed packet to one line, for the first packets."""
    is_packet = record.name.startswith("engineio") or "Invalid UTF-8" in str(record.msg)
    if is_packet and record.exc_info and isinstance(record.exc_info[1], ValueError | TypeError | LookupError):
        record.msg, record.args = "ignored a malformed packet on the socket: %s", (short_repr(record.exc_info[1]),)
        record.exc_info = record.exc_text = None
        return next(_packets) <= MAX_MALFORMED
    return True
