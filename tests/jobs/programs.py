"""Programs that tests start and interrupt."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import psutil

PATIENCE = 240


@contextmanager
def run_program(*arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program in its own session; kill its processes at the end."""
    with subprocess.Popen(
        arguments, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True
    ) as process:
        try:
            yield process
        finally:
            family = [psutil.Process(process.pid), *children(process.pid)] if process.poll() is None else []
            for member in family:
                with suppress(psutil.NoSuchProcess):
                    member.kill()


@contextmanager
def run_cluster(folder: Path, workers: int) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """Run a scheduler and workers, which see only this folder; yield the scheduler's address and process."""
    file, dask = folder / "scheduler.json", [sys.executable, "-m", "dask"]
    local = ["--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(file)]
    alone = ["--nthreads", "1", "--no-nanny", "--local-directory", str(folder)]
    with ExitStack() as stack:
        scheduler = stack.enter_context(run_program(*dask, "scheduler", "--port", "0", *local))
        wait_for(lambda: file.exists() and file.read_text().rstrip().endswith("}"), scheduler)
        for _ in range(workers):
            stack.enter_context(run_program(*dask, "worker", *alone, *local))
        yield json.loads(file.read_text())["address"], scheduler


def children(pid: int) -> list[psutil.Process]:
    found: list[psutil.Process] = psutil.Process(pid).children(recursive=True)
    return found


def is_worker(process: psutil.Process) -> bool:
    words = " ".join(process.cmdline())
    return "multiprocessing" in words and "resource_tracker" not in words


def wait_for(condition: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    """Wait until a condition holds while a program runs."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert process.poll() is None, (process.stderr.read() if process.stderr else b"").decode()
        assert time.monotonic() < end, "timeout"
        time.sleep(0.01)


def check_success(process: subprocess.Popen[bytes]) -> None:
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, errors.decode()


def read_files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
