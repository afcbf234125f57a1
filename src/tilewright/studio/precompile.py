"""On first start, all kernels are compiled by processes beside the studio, so that the page stays quick."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from .. import kernels

NICENESS = 10
"""How much less than others they get of a busy processor."""


@contextmanager
def precompile() -> Iterator[Callable[[], None]]:
    """Compile meanwhile what was never compiled here; a map that needs a kernel before compiles it for itself.

    Gives the function that ends it at once, for a server that may not come back here.
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
        return None  # kernels are then compiled when they are needed
    if hasattr(os, "setpriority"):
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, process.pid, NICENESS)  # its workers inherit it
    return process
