"""Compilation of all kernels in a background process on first start, so that the page stays responsive."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from .. import kernels

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
