"""A real browser for tests of pages: whichever Chromium the machine has, headless, and a server for a folder.

Nothing leaves the machine: pages are served on 127.0.0.1, and the browser may ask nobody else.
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

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
# As root, which containers are, Chromium has no sandbox; the rest keeps it from calling home.
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
    """The browser; without one the test is skipped."""
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
    """Serves a folder on a free port of this machine; gives its address."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, format: str, *args: object) -> None:
            """Requests are nobody's news."""

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
    """What goes wrong on a page from now on: errors on its console, uncaught ones, failed requests."""
    found: list[str] = []

    def heard(message: ConsoleMessage) -> None:
        if message.type == "error":
            found.append(message.text)

    def failed(request: Request) -> None:
        if request.failure != "net::ERR_ABORTED":  # given up by the browser itself, such as by leaving the page
            found.append(f"{request.url}: {request.failure}")

    page.on("console", heard)
    page.on("pageerror", lambda error: found.append(str(error)))
    page.on("requestfailed", failed)
    return found
