"""Settings of the studio: address, access token and limits."""

from __future__ import annotations

import os

from ..core.params import Params, param

LOOPBACK = ("127.0.0.1", "localhost", "::1")
"""Hosts that only the local machine can reach."""


class Settings(Params):
    """Settings of the studio."""

    noun = "setting"

    host: str = param("127.0.0.1", min_length=1, max_length=255)
    """Address to listen on; any address other than the local machine requires a token."""
    port: int = param(8600, ge=0, le=65_535)
    """Port to listen on; 0 selects a free port."""
    token: str | None = param(None, min_length=8, max_length=200)
    """Access token; required if other machines can reach the studio."""
    workers: int = param(max(2, os.cpu_count() or 2), ge=1, le=256)
    """Number of maps to make at the same time."""
    waiting: int = param(64, ge=0, le=10_000)
    """Maximum number of requests that wait for a worker; further ones are refused."""
    cells: int = param(1 << 20, ge=1, le=1 << 26)
    """Maximum number of cells of a map."""
    frames: int = param(240, ge=2, le=10_000)
    """Maximum number of frames of a timeline or an animation."""
    iterations: int = param(1_000_000, ge=1, le=1 << 40)
    """Maximum number of steps to make one map, as its technique counts them."""
    seconds: float = param(60.0, gt=0, le=86_400)
    """Maximum time of one request, in seconds."""
    upload: int = param(4 << 20, ge=1, le=1 << 30)
    """Maximum number of bytes of an uploaded file or a request."""
    pixels: int = param(1 << 25, ge=1 << 10, le=1 << 30)
    """Maximum number of pixels of an exported picture, all frames together."""

    @property
    def is_local(self) -> bool:
        """Whether only the local machine can reach the studio."""
        return self.host in LOOPBACK
