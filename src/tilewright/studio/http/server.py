"""The studio's web server: finds a free port, reports its URL, and runs until it is stopped.

On first start, it compiles all kernels in a background process.
"""

from __future__ import annotations

import asyncio
import errno
import gc
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from types import FrameType
from urllib.parse import urlencode

from ... import kernels
from ...core.errors import TilewrightError
from ..settings import Settings

PACKAGES = ("nicegui", "fastapi", "fastapi_offline", "uvicorn")
MAX_PORTS = 20
"""Number of further ports to try if the port is in use."""
END_SECONDS = 2.0
"""Seconds that open requests have to end when the server shuts down. Afterwards, their connections are closed."""
ALL_INTERFACES = ("0.0.0.0", "::", "")
"""Hosts that mean all addresses of this machine."""


def serve(settings: Settings, *, on_ready: Callable[[str], None], try_other_ports: bool = True) -> None:
    """Run the studio until it is stopped; see `tilewright.studio.serve`."""
    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        raise TilewrightError(f'the studio needs {missing[0]}; install it with: pip install "tilewright[studio]"')
    with open_socket(settings, try_other_ports=try_other_ports) as listener, precompile() as end:
        import uvicorn
        from starlette.types import Receive, Scope, Send

        from .. import app
        from .connection import GuardedSocketProtocol, TimedProtocol

        studio = app(settings)

        async def run_until_cancelled(scope: Scope, receive: Receive, send: Send) -> None:
            with suppress(asyncio.CancelledError):  # uvicorn would log a traceback
                await studio(scope, receive, send)

        class Server(uvicorn.Server):
            """Server that calls `on_ready` when it accepts requests.

            It ends on SIGHUP as on SIGTERM. When it shuts down, it stops the compilation, and waiting clients get the
            status 503. Requests that are still open after END_SECONDS are cancelled.
            """

            @contextmanager
            def capture_signals(self) -> Iterator[None]:
                with super().capture_signals(), _handle_hangup(self.handle_exit):
                    yield

            async def startup(self, sockets: list[socket.socket] | None = None) -> None:
                await super().startup(sockets)
                if self.started:
                    gc.collect()
                    gc.freeze()  # Otherwise, collections during a job would pause all threads for twice as long.
                    on_ready(build_url(settings, listener.getsockname()[1]))

            async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
                end()
                studio.state.queue.close()
                cancel = asyncio.get_running_loop().call_later(END_SECONDS, self._cancel_requests)
                await super().shutdown(sockets)
                cancel.cancel()

            def _cancel_requests(self) -> None:
                for connection in list(self.server_state.connections):
                    connection.transport.abort()
                for task in list(self.server_state.tasks):
                    task.cancel()

        config = uvicorn.Config(
            run_until_cancelled,
            http=TimedProtocol,
            ws=GuardedSocketProtocol,
            log_level="warning",
            access_log=False,  # URLs may contain a token
            server_header=False,
            ws_max_size=settings.upload,
            timeout_keep_alive=60,
            timeout_graceful_shutdown=10,  # `_cancel_requests` runs earlier
        )
        Server(config).run(sockets=[listener])


@contextmanager
def _handle_hangup(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Call a function on SIGHUP, unless the signal is ignored or this is not the main thread."""
    number = getattr(signal, "SIGHUP", None)  # missing on Windows
    is_main = threading.current_thread() is threading.main_thread()
    if number is None or not is_main or signal.getsignal(number) == signal.SIG_IGN:
        yield
        return
    before = signal.signal(number, handler)
    try:
        yield
    finally:
        signal.signal(number, before)


def open_socket(settings: Settings, *, try_other_ports: bool) -> socket.socket:
    """Return a socket that listens on the host and port of the settings, or on the next free port."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    last = min(settings.port + (MAX_PORTS if try_other_ports and settings.port else 0), 65_535)
    for port in range(settings.port, last + 1):
        try:
            return socket.create_server((settings.host, port), family=family, backlog=256)
        except OSError as error:
            if error.errno == errno.EADDRINUSE and port < last:
                continue
            raise TilewrightError(_explain_error(error, settings.host, port)) from None
    raise AssertionError("a range of ports is never empty")


def _explain_error(error: OSError, host: str, port: int) -> str:
    reasons: Mapping[int | None, str] = {
        errno.EADDRINUSE: f"port {port} is in use; choose another with --port, or 0 for any free port",
        errno.EACCES: f"no permission to use port {port}; choose one from 1024 up with --port",
        errno.EADDRNOTAVAIL: f"host: {host} is not an address of this machine",
    }
    return reasons.get(error.errno) or f"host: cannot listen on {host}, port {port} ({error.strerror or error})"


def build_url(settings: Settings, port: int) -> str:
    """Return the URL to open in a browser."""
    host = socket.gethostname() if settings.host in ALL_INTERFACES else settings.host
    host = f"[{host}]" if ":" in host else host
    token = "" if settings.token is None else f"?{urlencode({'token': settings.token})}"
    return f"http://{host}:{port}/{token}"


NICENESS = 10
"""Unix niceness of the compiling processes."""


@contextmanager
def precompile() -> Iterator[Callable[[], None]]:
    """Compile missing kernels in the background while the context is open.

    If a map needs a kernel earlier, the map's job compiles it. The context manager yields a function that stops the
    compilation, for a server that may exit without leaving the context.
    """
    process = None if kernels.is_ready() else _start_warmup()

    def stop() -> None:
        if process is not None and process.poll() is None:
            process.terminate()
            process.wait()

    try:
        yield stop
    finally:
        stop()


def _start_warmup() -> subprocess.Popen[bytes] | None:
    nothing = subprocess.DEVNULL
    command = [sys.executable, "-m", "tilewright", "warmup"]
    try:
        process = subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing)
    except OSError:
        return None  # Kernels are then compiled at first use.
    if hasattr(os, "setpriority"):
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, process.pid, NICENESS)  # The workers inherit the niceness.
    return process
