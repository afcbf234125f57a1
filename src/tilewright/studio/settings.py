"""What the studio is told at its start: where it listens, who may come in, and how much it does for one person."""

from __future__ import annotations

import os

from ..core.params import Params, param

LOOPBACK = ("127.0.0.1", "localhost", "::1")
"""Hosts that only this machine can reach."""


class Settings(Params):
    """The studio's settings."""

    noun = "setting"

    host: str = param("127.0.0.1", min_length=1, max_length=255)
    """Address to listen on; another than this machine's own needs a token."""
    port: int = param(8600, ge=0, le=65_535)
    """Port to listen on; 0 takes a free one."""
    token: str | None = param(None, min_length=8, max_length=200)
    """What a person must know to come in, where others can reach the studio."""
    workers: int = param(max(2, os.cpu_count() or 2), ge=1, le=256)
    """Maps that are made at once."""
    waiting: int = param(64, ge=0, le=10_000)
    """Requests that may wait for a worker; the next one is refused."""
    cells: int = param(1 << 20, ge=1, le=1 << 26)
    """Cells of a map at most."""
    frames: int = param(240, ge=2, le=10_000)
    """Frames of a timeline or an animation at most."""
    iterations: int = param(1_000_000, ge=1, le=1 << 40)
    """Steps of work on one map at most, as its technique counts them."""
    seconds: float = param(60.0, gt=0, le=86_400)
    """Time for one request at most."""
    upload: int = param(4 << 20, ge=1, le=1 << 30)
    """Bytes of an uploaded file or a request at most."""
    pixels: int = param(1 << 25, ge=1 << 10, le=1 << 30)
    """Pixels of an exported picture at most, all frames together."""

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach it."""
        return self.host in LOOPBACK
