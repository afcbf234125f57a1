"""Everything is compiled ahead, once, by a process beside the studio: nobody waits for it, and the page stays quick."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from .. import kernels

POLITENESS = 10
"""How much less than others it gets of a busy processor."""


@contextmanager
def compiled_ahead() -> Iterator[Callable[[], None]]:
    """Meanwhile what was never compiled here is; whoever needs it before compiles it for themselves.

    Gives what ends it at once, for whoever may not come back here.
    """
    process = None if kernels.is_ready() else _started()

    def end() -> None:
        if process is not None and process.poll() is None:
            process.terminate()
            process.wait()

    try:
        yield end
    finally:
        end()


def _started() -> subprocess.Popen[bytes] | None:
    nothing = subprocess.DEVNULL
    command = [sys.executable, "-m", "tilewright", "warmup"]
    try:
        process = subprocess.Popen(command, stdin=nothing, stdout=nothing, stderr=nothing)
    except OSError:
        return None  # without it all goes on, if slower
    if hasattr(os, "setpriority"):
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, process.pid, POLITENESS)
    return process
