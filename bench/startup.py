"""How long a person waits for the command line: fresh processes, with and without compiled kernels, in seconds."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from tilewright.core.registry import techniques

from .row import Row, best_times

COMMAND = Path(sys.executable).with_name("tilewright")


def rows() -> Iterator[Row]:
    (seconds,) = best_times(partial(_run, "--help"), rounds=10)
    yield Row(what="tilewright --help", unit="s", ours=seconds, at_most=0.3)
    _run("make", "caves")  # so that its kernels are cached
    (seconds,) = best_times(partial(_run, "make", "caves"), rounds=10)
    yield Row(what="tilewright make caves", unit="s", ours=seconds, at_most=1)
    for name in techniques.names():
        (seconds,) = best_times(partial(_run_uncompiled, "make", name), rounds=2)
        limit = 5 if name == "caves" else 10
        yield Row(what=f"tilewright make {name}, nothing compiled", unit="s", ours=seconds, at_most=limit)


def _run_uncompiled(*words: str) -> None:
    with TemporaryDirectory() as folder:
        _run(*words, TILEWRIGHT_CACHE=folder)


def _run(*words: str, **environment: str) -> None:
    command = [str(COMMAND), *words]
    ran = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True)
    if ran.returncode:
        raise RuntimeError(f"{' '.join(command)}: {ran.stderr.strip()}")
