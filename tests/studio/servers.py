"""The API without the page: behind its guard, with limits that keep tests small."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tilewright.studio import api
from tilewright.studio.jobs import JobQueue
from tilewright.studio.security import SecurityMiddleware
from tilewright.studio.settings import Settings

SMALL: dict[str, Any] = {"cells": 4096, "seconds": 20, "pixels": 1 << 20, "upload": 1 << 16, "workers": 2}


def application(**settings: Any) -> FastAPI:
    """The API's routes, as the studio mounts them."""
    chosen = Settings(**{**SMALL, **settings})
    app = FastAPI(title="Tilewright")
    app.include_router(api.build_router(JobQueue(chosen)))
    app.add_middleware(SecurityMiddleware, settings=chosen)
    return app


@contextmanager
def asking(app: FastAPI, host: str = "http://127.0.0.1:8600") -> Iterator[TestClient]:
    """Somebody who asks; what breaks inside reaches them as it would over the net."""
    with TestClient(app, base_url=host, raise_server_exceptions=False) as client:
        yield client


def line_of(answer: httpx.Response) -> str:
    """The line of an error, which must be one, and tell nothing of this machine."""
    assert set(answer.json()) == {"error", "problems"}, answer.text
    line = str(answer.json()["error"])
    assert all(problem["line"] in line for problem in answer.json()["problems"])
    assert "\n" not in line
    assert "Traceback" not in line
    assert "/src/" not in line
    assert "site-packages" not in line
    return line
