"""Whatever is killed, and however the work is split: the finished corpus is the same, byte for byte."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import psutil
import pytest

import tilewright as tw
from tilewright.corpus import Corpus, make

RECIPE = """
technique: rooms
params: {width: 40, height: 30}
require: {path_length: "> 55"}
tries: 1
"""
"""Some of its maps are not as required, and are recorded as failures."""
COUNT, SEED, MEASURES = 2500, "interrupted", ("floor_share", "regions", "path_length")
PATIENCE = 240


@pytest.fixture(scope="module")
def recipe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("recipe") / "rooms.yaml"
    path.write_text(RECIPE)
    return path


@pytest.fixture(scope="module")
def undisturbed(recipe: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Made in one go, in this process."""
    folder = tmp_path_factory.mktemp("undisturbed") / "corpus"
    corpus = make(tw.recipe(recipe), folder, count=COUNT, seed=SEED, measures=MEASURES, workers=0)
    reasons = corpus.table(["reason"])["reason"]
    assert 0 < reasons.null_count < COUNT, "the test wants some failures"
    return contents(folder)


def contents(folder: Path) -> dict[str, bytes]:
    """Every file of a corpus."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def command(recipe: Path, folder: Path, *more: str) -> list[str]:
    flags = ["--count", str(COUNT), "--seed", SEED, "--measures", ",".join(MEASURES), "-o", str(folder), *more]
    return [sys.executable, "-m", "tilewright", "corpus", "make", str(recipe), *flags]


@contextmanager
def running(*words: str) -> Iterator[subprocess.Popen[bytes]]:
    """A program in a session of its own; whatever of it is still there in the end is killed."""
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True) as process:
        try:
            yield process
        finally:
            family = [psutil.Process(process.pid), *children(process.pid)] if process.poll() is None else []
            for member in family:
                with_no_fuss(member.kill)


def children(pid: int) -> list[psutil.Process]:
    found: list[psutil.Process] = psutil.Process(pid).children(recursive=True)
    return found


def with_no_fuss(kill: Callable[[], None]) -> None:
    with suppress(psutil.NoSuchProcess):
        kill()


def wait_for(happened: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    """Wait until something has happened while a program runs."""
    end = time.monotonic() + PATIENCE
    while not happened():
        assert process.poll() is None, (process.stderr.read() if process.stderr else b"").decode()
        assert time.monotonic() < end, "it takes too long"
        time.sleep(0.01)


def parts_in(folder: Path) -> int:
    return len(list(folder.glob("parts/part-*.parquet")))


def finished(process: subprocess.Popen[bytes]) -> None:
    _, complaints = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, complaints.decode()


@pytest.mark.parametrize("workers", ["0", "2"])
def test_a_run_that_is_killed_goes_on(
    recipe: Path, undisturbed: dict[str, bytes], tmp_path: Path, workers: str
) -> None:
    folder = tmp_path / "corpus"
    killed_at = []
    for parts in (3, 20):  # twice: what goes on can be killed again
        with running(*command(recipe, folder, "--workers", workers)) as process:
            wait_for(lambda parts=parts: parts_in(folder) >= parts, process)  # type: ignore[misc]
            family = children(process.pid)
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            psutil.wait_procs(family, timeout=60)
        killed_at.append(parts_in(folder))
    assert killed_at[-1] < len(undisturbed) - 2, "it was done before it could be killed"
    kept = {path.name: path.stat().st_mtime_ns for path in folder.glob("parts/*.parquet")}
    with running(*command(recipe, folder, "--workers", workers)) as process:
        finished(process)
    assert contents(folder) == undisturbed
    assert {name: (folder / "parts" / name).stat().st_mtime_ns for name in kept} == kept, "a part was made twice"


def test_a_killed_worker_costs_only_its_task(recipe: Path, undisturbed: dict[str, bytes], tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    with running(*command(recipe, folder, "--workers", "2")) as process:
        wait_for(lambda: parts_in(folder) >= 3, process)
        workers = [child for child in children(process.pid) if is_worker(child)]
        assert len(workers) == 2
        workers[0].kill()
        finished(process)
    assert contents(folder) == undisturbed


def is_worker(process: psutil.Process) -> bool:
    words = " ".join(process.cmdline())
    return "multiprocessing" in words and "resource_tracker" not in words


def test_a_cluster_of_separate_processes(recipe: Path, undisturbed: dict[str, bytes], tmp_path: Path) -> None:
    """A scheduler and two workers started by somebody else, who see neither the folder nor the recipe's file."""
    folder, address_file = tmp_path / "corpus", tmp_path / "scheduler.json"
    dask = [sys.executable, "-m", "dask"]
    with ExitStack() as stack:
        local = ["--host", "127.0.0.1", "--no-dashboard"]
        scheduler = stack.enter_context(
            running(*dask, "scheduler", *local, "--port", "0", "--scheduler-file", str(address_file))
        )
        wait_for(address_file.exists, scheduler)
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir()
        for _ in range(2):
            stack.enter_context(
                running(
                    *dask,
                    "worker",
                    *local,
                    "--scheduler-file",
                    str(address_file),
                    "--nthreads",
                    "1",
                    "--no-nanny",
                    "--local-directory",
                    str(elsewhere),
                )
            )
        address = address_of(address_file)
        process = stack.enter_context(running(*command(recipe, folder, "--scheduler", address)))
        finished(process)
    assert contents(folder) == undisturbed
    assert Corpus(folder).is_complete


def address_of(file: Path) -> str:
    import json

    address: str = json.loads(file.read_text())["address"]
    return address
