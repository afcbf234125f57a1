"""A headless Chromium for tests of pages, and a server for a folder.

Pages are served on 127.0.0.1, and the browser connects to no other machine.
"""

from __future__ import annotations

import functools
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, sync_playwright

# The headless shell starts in half the time, and its pages take half the work.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome")
# As root, as in containers, Chromium needs --no-sandbox. The other switches prevent requests to its vendor.
SWITCHES = (
    "--no-sandbox",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--enable-unsafe-swiftshader",
)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start Chromium; skip the test if it is not installed."""
    program = next(filter(None, map(shutil.which, NAMES)), None)
    if program is None:
        pytest.skip("Chromium is not installed")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(SWITCHES))
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Serve a folder on a free local port and yield its address."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def complaints(page: Page) -> list[str]:
    """Return a list that collects the errors of a page: on its console, uncaught ones, and failed requests."""
    found: list[str] = []

    def on_console(message: ConsoleMessage) -> None:
        if message.type == "error":
            found.append(message.text)

    def on_request_failed(request: Request) -> None:
        if request.failure != "net::ERR_ABORTED":  # canceled by the browser, such as by leaving the page
            found.append(f"{request.url}: {request.failure}")

    page.on("console", on_console)
    page.on("pageerror", lambda error: found.append(str(error)))
    page.on("requestfailed", on_request_failed)
    return found
