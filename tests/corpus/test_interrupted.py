"""Interrupted work: the finished corpus is the same, byte for byte, for any interruption and number of workers."""

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
"""Some of its maps miss the requirement and are recorded as failures."""
COUNT, SEED, MEASURES = 2500, "interrupted", ("floor_share", "regions", "path_length")
PATIENCE = 240
PROGRAM = """
import sys
from tilewright.cli import main
from tilewright.corpus import manifest
manifest.MIN_CELLS_PER_PART = 1
if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
"""
"""The command line with corpora of many parts."""


@pytest.fixture(scope="module")
def recipe(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("recipe") / "rooms.yaml"
    path.write_text(RECIPE)
    return path


@pytest.fixture(scope="module")
def undisturbed(recipe: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return the files of a corpus generated without interruption in this process."""
    folder = tmp_path_factory.mktemp("undisturbed") / "corpus"
    corpus = make(tw.recipe(recipe), folder, count=COUNT, seed=SEED, measures=MEASURES, workers=0)
    reasons = corpus.table(["reason"])["reason"]
    assert 0 < reasons.null_count < COUNT, "the test needs some failures"
    return read_files(folder)


def read_files(folder: Path) -> dict[str, bytes]:
    """Return all files of a corpus."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def command(recipe: Path, folder: Path, *more: str) -> list[str]:
    flags = ["--count", str(COUNT), "--seed", SEED, "--measures", ",".join(MEASURES), "-o", str(folder), *more]
    return [sys.executable, "-c", PROGRAM, "corpus", "make", str(recipe), *flags]


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
                kill_if_running(member.kill)


def children(pid: int) -> list[psutil.Process]:
    found: list[psutil.Process] = psutil.Process(pid).children(recursive=True)
    return found


def kill_if_running(kill: Callable[[], None]) -> None:
    with suppress(psutil.NoSuchProcess):
        kill()


def wait_for(condition: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    """Wait until a condition holds while a program runs."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert process.poll() is None, (process.stderr.read() if process.stderr else b"").decode()
        assert time.monotonic() < end, "timeout"
        time.sleep(0.01)


def count_parts(folder: Path) -> int:
    return len(list(folder.glob("parts/part-*.parquet")))


def check_success(process: subprocess.Popen[bytes]) -> None:
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, errors.decode()


# Twice in one process: a resumed run can be killed again. Workers take long to start.
@pytest.mark.parametrize(("workers", "kills"), [("0", (3, 20)), ("2", (12,))])
def test_killed_run_is_resumed(
    recipe: Path, undisturbed: dict[str, bytes], tmp_path: Path, workers: str, kills: tuple[int, ...]
) -> None:
    folder = tmp_path / "corpus"
    killed_at = []
    for parts in kills:
        with run_program(*command(recipe, folder, "--workers", workers)) as process:
            wait_for(lambda parts=parts: count_parts(folder) >= parts, process)  # type: ignore[misc]
            family = children(process.pid)
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            psutil.wait_procs(family, timeout=60)
        killed_at.append(count_parts(folder))
    assert killed_at[-1] < len(undisturbed) - 2, "the run finished before it could be killed"
    kept = {path.name: path.stat().st_mtime_ns for path in folder.glob("parts/*.parquet")}
    with run_program(*command(recipe, folder, "--workers", workers)) as process:
        check_success(process)
    assert read_files(folder) == undisturbed
    assert {name: (folder / "parts" / name).stat().st_mtime_ns for name in kept} == kept, "a part was generated twice"


def test_killed_worker_only_repeats_its_task(recipe: Path, undisturbed: dict[str, bytes], tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    with run_program(*command(recipe, folder, "--workers", "2")) as process:
        wait_for(lambda: count_parts(folder) >= 3, process)
        workers = [child for child in children(process.pid) if is_worker(child)]
        assert len(workers) == 2
        workers[0].kill()
        check_success(process)
    assert read_files(folder) == undisturbed


def is_worker(process: psutil.Process) -> bool:
    words = " ".join(process.cmdline())
    return "multiprocessing" in words and "resource_tracker" not in words


def test_a_cluster_of_separate_processes(recipe: Path, undisturbed: dict[str, bytes], tmp_path: Path) -> None:
    """Use a scheduler and two workers that see neither the folder nor the recipe file."""
    folder, address_file = tmp_path / "corpus", tmp_path / "scheduler.json"
    dask = [sys.executable, "-m", "dask"]
    with ExitStack() as stack:
        local = ["--host", "127.0.0.1", "--no-dashboard"]
        scheduler = stack.enter_context(
            run_program(*dask, "scheduler", *local, "--port", "0", "--scheduler-file", str(address_file))
        )
        wait_for(address_file.exists, scheduler)
        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir()
        for _ in range(2):
            stack.enter_context(
                run_program(
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
        address = read_address(address_file)
        process = stack.enter_context(run_program(*command(recipe, folder, "--scheduler", address)))
        check_success(process)
    assert read_files(folder) == undisturbed
    assert Corpus(folder).is_complete


def read_address(file: Path) -> str:
    import json

    address: str = json.loads(file.read_text())["address"]
    return address
