"""Messages on the page's socket that no page sends: they are ignored, and the log gets one line without a traceback."""

from __future__ import annotations

import inspect
import logging
from collections.abc import Callable
from functools import wraps
from typing import Any

from nicegui import core

from ...core.errors import short_repr

log = logging.getLogger(__name__)
EVENTS = ("connect", "handshake", "event", "javascript_response", "ack", "log")
"""Events whose handlers in NiceGUI expect data in the form that its page sends."""


def guard_socket() -> None:
    """Let the handlers of the socket ignore malformed messages.

    Errors of the page's own event handlers do not get here, because NiceGUI logs them where they occur.
    """
    handlers = core.sio.handlers["/"]
    for name in EVENTS:
        if name in handlers:
            core.sio.on(name, _ignore_malformed(name, handlers[name]))
    for logger in ("engineio.server", "uvicorn.error"):
        logging.getLogger(logger).addFilter(_without_traceback)


def _ignore_malformed(name: str, handle: Callable[..., Any]) -> Callable[..., Any]:
    """Return a handler that ignores the messages that another one cannot handle."""

    @wraps(handle)
    async def handle_message(*args: Any) -> Any:
        try:
            found = handle(*args)
            return await found if inspect.isawaitable(found) else found
        except (TypeError, LookupError, ValueError, AttributeError) as error:
            log.warning("ignored a malformed message %r on the socket: %s", name, short_repr(error))
            return False

    return handle_message


def _without_traceback(record: logging.LogRecord) -> bool:
    """Reduce what the server and Engine.IO log about a malformed packet to one line."""
    is_packet = record.name.startswith("engineio") or "Invalid UTF-8" in str(record.msg)
    if is_packet and record.exc_info and isinstance(record.exc_info[1], ValueError | TypeError | LookupError):
        record.msg, record.args = "ignored a malformed packet on the socket: %s", (short_repr(record.exc_info[1]),)
        record.exc_info = record.exc_text = None
    return True
