"""Startup time of the command line in new processes, with and without compiled kernels, in seconds."""

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
COLD_LIMITS = {"caves": 5.0, "rooms": 7.0, "bsp": 7.0, "patterns": 9.0, "markov": 11.0, "wfc": 13.0}
"""Limits in seconds for a first map without compiled kernels; 10 for all other techniques."""
FIRST_WARMUP = 105.0
"""Seconds of `tilewright warmup` of 0.1.0, which used one process, on a machine with two processors."""
LAZY = ("numba", "scipy", "PIL", "dask", "nicegui")
IMPORT = f"""
from time import perf_counter
start = perf_counter()
import tilewright
print(perf_counter() - start)
import sys
print(*(name for name in {LAZY} if name in sys.modules))
"""


def rows() -> Iterator[Row]:
    yield Row(what="import tilewright", unit="ms", ours=1000 * min(_import_time() for _ in range(20)), at_most=15)
    (seconds,) = best_times(partial(_run, "--help"), rounds=10)
    yield Row(what="tilewright --help", unit="s", ours=seconds, at_most=0.3)
    _run("make", "caves")  # compile its kernels
    (seconds,) = best_times(partial(_run, "make", "caves"), rounds=10)
    yield Row(what="tilewright make caves", unit="s", ours=seconds, at_most=1)
    for name in techniques.names():
        (seconds,) = best_times(partial(_run_uncompiled, "make", name), rounds=2)
        limit = COLD_LIMITS.get(name, 10.0)
        yield Row(what=f"tilewright make {name}, nothing compiled", unit="s", ours=seconds, at_most=limit)
    (seconds,) = best_times(partial(_run_uncompiled, "warmup"), rounds=1)
    yield Row(
        what=f"tilewright warmup, nothing compiled, {os.cpu_count()} processors",
        unit="s",
        ours=seconds,
        peer=FIRST_WARMUP,
        peer_name="0.1.0 in one process, measured elsewhere",
        at_least=1 / 0.6,
    )


def _import_time() -> float:
    """Return the time of `import tilewright` in a new process, which must not load lazy packages."""
    result = subprocess.run([sys.executable, "-c", IMPORT], capture_output=True, text=True, check=True)
    seconds, loaded = result.stdout.splitlines()
    if loaded:
        raise RuntimeError(f"import tilewright loads {loaded}")
    return float(seconds)


def _run_uncompiled(*arguments: str) -> None:
    with TemporaryDirectory() as folder:
        _run(*arguments, TILEWRIGHT_CACHE=folder)


def _run(*arguments: str, **environment: str) -> None:
    command = [str(COMMAND), *arguments]
    result = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, text=True)
    if result.returncode:
        raise RuntimeError(f"{' '.join(command)}: {result.stderr.strip()}")
