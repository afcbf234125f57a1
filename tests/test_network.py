"""Neither a command, nor its workers, nor the studio connects to another machine."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.studio.page import serving
from tests.test_kills import JOBS

WATCH = """
import os
import sys

LOG = os.environ["CONNECTIONS"]
EVENTS = {"socket.connect": 1, "socket.sendto": 1, "socket.getaddrinfo": 0, "socket.gethostbyname": 0}


def watch(event, arguments):
    if event not in EVENTS:
        return
    address = arguments[EVENTS[event]]
    host = address[0] if isinstance(address, tuple) else address
    is_local_socket = event in ("socket.connect", "socket.sendto") and not isinstance(address, tuple)
    if not is_local_socket:
        with open(LOG, "a") as log:
            log.write(f"{host or ''}\\n")


sys.addaudithook(watch)
"""
"""Module that Python imports at the start of each process. It writes the hosts that the process names to a file."""
LOOPBACK = ("127.0.0.1", "localhost", "::1", "")


@pytest.fixture
def connections(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the file with the hosts that processes connect to."""
    log, folder = tmp_path / "connections", tmp_path / "watch"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(WATCH)
    monkeypatch.setenv("CONNECTIONS", str(log))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")])))
    return log


def read_strangers(connections: Path) -> list[str]:
    """Return the hosts other than this machine."""
    hosts = connections.read_text().splitlines() if connections.exists() else []
    return [host for host in hosts if host not in LOOPBACK]


def test_a_connection_is_seen(connections: Path) -> None:
    code = "import socket\ntry: socket.create_connection(('127.0.0.2', 9), 0.01)\nexcept OSError: pass"
    subprocess.run([sys.executable, "-c", code], check=True)
    assert set(read_strangers(connections)) == {"127.0.0.2"}


@pytest.mark.parametrize("name", ["corpus with workers", "compare", "godot"])
def test_a_command_connects_to_no_other_machine(name: str, tmp_path: Path, connections: Path) -> None:
    arguments = JOBS[name].command.replace("OUT", str(tmp_path / "files")).split()
    subprocess.run([sys.executable, "-m", "tilewright", *arguments], check=True, capture_output=True)
    assert read_strangers(connections) == []
    assert connections.exists() == ("workers" in name)


def test_the_studio_connects_to_no_other_machine(tmp_path: Path, connections: Path) -> None:
    with serving(tmp_path / "log") as address:
        assert httpx.get(address).status_code == 200
        assert httpx.post(f"{address}/api/make", json={"technique": "caves", "seed": 1}).status_code == 200
        assert httpx.get(f"{address}/api/run/open-caves").status_code == 200
    assert read_strangers(connections) == []
