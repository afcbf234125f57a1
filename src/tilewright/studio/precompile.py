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

    A map that needs a kernel earlier compiles it itself. Yields a function that stops the compilation, for a server
    that may exit without leaving the context.
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
        return None  # kernels are then compiled on first use
    if hasattr(os, "setpriority"):
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, process.pid, NICENESS)  # inherited by its workers
    return process
