"""`tilewright studio`: starts, prints its address, and stops on Ctrl-C."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser

from tests.browser import chromium, complaints
from tests.cli.conftest import Run
from tests.cli.test_program import PROGRAM, imported_by
from tilewright.studio import Settings
from tilewright.studio.http import server

LINE = re.compile(r"The studio is at (http://\S+) \(press Ctrl-C to stop\)\n")


@contextmanager
def run_studio(*arguments: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Run the program and yield its printed address and process."""
    command = [*PROGRAM, "studio", "--no-browser", *arguments]
    # Background processes ignore Ctrl-C.
    heard = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, preexec_fn=heard
    ) as program:
        try:
            assert program.stdout
            found = LINE.fullmatch(program.stdout.readline())
            assert found, program.communicate(timeout=30)
            yield found[1], program
        finally:
            program.kill()


def test_studio_starts_responds_and_stops_on_ctrl_c() -> None:
    with run_studio("--port", "0") as (address, program):
        assert address.startswith("http://127.0.0.1:")
        assert "<title>Tilewright</title>" in httpx.get(address).text
        assert httpx.get(f"{address}api/techniques").json()[0]["name"] == "aggregation"
        assert "swagger" in httpx.get(f"{address}api/docs").text
        nowhere = httpx.get(f"{address}api/nowhere").json()
        assert nowhere["error"] == nowhere["problems"][0]["line"] == "unknown path; see /api/docs for the API"
        assert httpx.get(address, headers={"host": "evil.example"}).status_code == 403
        program.send_signal(signal.SIGINT)
        out, err = program.communicate(timeout=60)
        assert (program.returncode, out, err.strip()) == (130, "", "")


def test_another_host_generates_a_token() -> None:
    with run_studio("--host", "0.0.0.0", "--port", "0") as (address, _):
        found = re.fullmatch(r"http://[^:]+:(\d+)/\?token=([\w-]{20,})", address)
        assert found
        local = f"http://127.0.0.1:{found[1]}/"
        assert httpx.get(local).status_code == 401
        with httpx.Client(follow_redirects=True) as client:
            opened = client.get(f"{local}?token={found[2]}")
            assert opened.status_code == 200
            assert str(opened.url) == local
            assert client.get(f"{local}api/techniques").status_code == 200


def test_browser_with_the_token_contacts_no_other_host(chromium_here: Browser) -> None:
    """Load the page and the API documentation under the security policy of the server."""
    with run_studio("--host", "0.0.0.0", "--port", "0") as (printed, _):
        port, token = re.search(r":(\d+)/\?token=(.+)", printed).groups()  # type: ignore[union-attr]
        page = chromium_here.new_page()
        wrong, asked = complaints(page), []
        page.on("request", lambda request: asked.append(request.url))
        page.on("websocket", lambda socket: asked.append(socket.url))
        page.goto(f"http://127.0.0.1:{port}/?token={token}")
        page.wait_for_function("document.querySelector('canvas') !== null")
        assert page.url.partition("#")[0] == f"http://127.0.0.1:{port}/"
        page.wait_for_load_state("networkidle")
        assert token not in page.url
        page.goto(f"http://127.0.0.1:{port}/api/docs")
        page.get_by_text("Make a map of a recipe").wait_for()
        own = (f"http://127.0.0.1:{port}/", f"ws://127.0.0.1:{port}/", "data:", "blob:")
        assert [address for address in asked if not address.startswith(own)] == []
        assert [address for address in asked if address.startswith("ws:")]
        assert [address for address in asked if address.endswith("/swagger-ui-bundle.js")]
        assert wrong == []


@pytest.fixture
def chromium_here() -> Iterator[Browser]:
    with chromium() as browser:
        yield browser


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Replace the server; return its settings and end as soon as it is ready."""
    found: dict[str, Any] = {}

    def serve(settings: Settings, *, on_ready: Callable[[str], None], try_other_ports: bool) -> None:
        found.update(settings=settings, try_other_ports=try_other_ports)
        on_ready("http://127.0.0.1:1/")

    monkeypatch.setattr(server, "serve", serve)
    return found


def test_every_setting_is_a_flag(tilewright: Run, served: dict[str, Any]) -> None:
    values = {"workers": 3, "waiting": 5, "cells": 100, "frames": 7, "iterations": 8, "upload": 9, "pixels": 2048}
    flags = [text for name, value in values.items() for text in (f"--{name}", str(value))]
    tilewright.succeed("studio", "--seconds", "1.5", "--port", "9000", *flags)
    assert served["settings"] == Settings(seconds=1.5, port=9000, **values)
    assert not served["try_other_ports"]
    help = tilewright("studio", "--help").out
    assert all(f"--{name} " in help for name in Settings.model_fields)
    tilewright.succeed("studio")
    assert served == {"settings": Settings(), "try_other_ports": True}


def test_browser_opens_with_a_display(tilewright: Run, served: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.setattr(sys, "platform", "linux")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    assert tilewright("studio").out == "The studio is at http://127.0.0.1:1/ (press Ctrl-C to stop)\n"
    monkeypatch.setenv("DISPLAY", ":0")
    tilewright("studio", "--no-browser")
    assert not opened
    tilewright("studio")
    assert opened == ["http://127.0.0.1:1/"]


def test_used_port_is_skipped_unless_it_was_given(tilewright: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with server.open_socket(Settings(port=port), try_other_ports=True) as other:
            assert port < other.getsockname()[1] <= port + server.MAX_PORTS
        done = tilewright("studio", "--no-browser", "--port", str(port))
    assert done.code == 2
    assert done.err == f"tilewright: port {port} is in use; choose another with --port, or 0 for any free port\n"


def test_error_without_the_extra_shows_how_to_install_it(tilewright: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "PACKAGES", ("nicegui_that_is_not_there",))
    done = tilewright("studio")
    assert done.code == 2
    assert done.err.endswith('install it with: pip install "tilewright[studio]"\n')


def test_help_does_not_import_the_studio() -> None:
    assert not imported_by("studio", "--help") & {"nicegui", "fastapi", "uvicorn", "numba"}
    assert not imported_by("list") & {"nicegui", "fastapi", "uvicorn"}
