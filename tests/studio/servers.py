"""The API without the page, with the security middleware and small limits."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tilewright.studio.http import api
from tilewright.studio.http.security import SecurityMiddleware, find_free_paths
from tilewright.studio.jobs import JobQueue
from tilewright.studio.settings import Settings

SMALL: dict[str, Any] = {"cells": 4096, "seconds": 20, "pixels": 1 << 20, "upload": 1 << 16, "workers": 2}


def application(**settings: Any) -> FastAPI:
    """Return an application with the API's routes."""
    chosen = Settings(**{**SMALL, **settings})
    app = FastAPI(title="Tilewright")
    routes = api.build_router(JobQueue(chosen))
    app.include_router(routes)
    app.add_middleware(SecurityMiddleware, settings=chosen, free=find_free_paths(routes.routes), pages=("/",))
    return app


@contextmanager
def run_studio(*flags: str, stderr: Any = subprocess.PIPE, **more: Any) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run the studio as a program on a free port. Yield the program and its address."""
    command = [sys.executable, "-m", "tilewright", "studio", "--no-browser", "--port", "0", *flags]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, text=True, **more) as program:
        assert program.stdout
        found = re.search(r"http://[^/ ]+", program.stdout.readline())
        assert found
        yield program, found[0]


@contextmanager
def asking(app: FastAPI, host: str = "http://127.0.0.1:8600") -> Iterator[TestClient]:
    """Yield an HTTP client of an application; exceptions become responses."""
    with TestClient(app, base_url=host, raise_server_exceptions=False) as client:
        yield client


def line_of(answer: httpx.Response) -> str:
    """Return the message of an error response, which must be one line without paths of this machine."""
    assert set(answer.json()) == {"error", "problems"}, answer.text
    line = str(answer.json()["error"])
    assert all(problem["line"] in line for problem in answer.json()["problems"])
    assert "\n" not in line
    assert "Traceback" not in line
    assert "/src/" not in line
    assert "site-packages" not in line
    return line
