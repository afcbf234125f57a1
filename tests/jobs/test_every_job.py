"""What holds for every kind of job: the same files with and without workers, one process in a folder, clean ends.

`tests/test_kills.py` kills and repeats all jobs at random events.
"""

from __future__ import annotations

import re
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

import tilewright as tw
from tests.cli.test_program import PROGRAM, run_program_in_terminal, strip_colors
from tests.jobs.programs import children, is_worker, read_files, run_program, wait_for
from tilewright.cli import main
from tilewright.corpus import Corpus
from tilewright.formats._files import LOCK, TEMPORARY
from tilewright.jobs import cluster
from tilewright.jobs.folder import Folder
from tilewright.seed_search.folder import count_tested

SEARCH = (
    "search make caves --set params.width=20 --set params.height=12 --vary walls=0.3..0.6 --vary seed --seed 7 "
    "--measures floor_share:0..1:6 --objective path_length -o OUT"
)
SEEK = "seek caves --set params.width=20 --set params.height=14 -o OUT --require regions=1..9"
CORPUS = "corpus make caves --seed 7 -o OUT --measures regions"
TRIES = "make caves --width 30 --height 12 --seed 3 -o OUT.json"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("DASK_SCHEDULER_ADDRESS", raising=False)
    return tmp_path


# -- small jobs -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SmallJob:
    """A command that writes to OUT."""

    command: str
    is_locked: bool = False
    """Whether the job locks its folder."""


SMALL = {
    "corpus": SmallJob(f"{CORPUS} --set width=16 --set height=10 --count 100", is_locked=True),
    "world": SmallJob("make caves --width 96 --height 64 --seed 7 -o OUT.zarr", is_locked=True),
    "search": SmallJob(f"{SEARCH} --evaluations 256 --batch 64", is_locked=True),
    "seek": SmallJob(f"{SEEK} --seeds 0..299 --keep 5", is_locked=True),
    "seek first": SmallJob(f"{SEEK} --seeds 0..299 --keep 3 --first", is_locked=True),
    "variety": SmallJob("search variety caves --count 4 --require regions=..9 --seed 7 -o OUT/{number}.tmx"),
    "tries": SmallJob(f"{TRIES} --require path_length=43..60 --tries 400"),
    "best of tries": SmallJob(f"{TRIES} --require regions=..3 --require floor_share=most --tries 60"),
}


def run(job: SmallJob, place: str, *, workers: int = 0) -> int:
    return main([*job.command.replace("OUT", place).split(), "--workers", str(workers)])


@pytest.fixture(scope="module")
def team() -> Iterator[cluster.Team]:
    """Return two worker processes for all jobs."""
    with cluster.connect(None, 2) as team:
        yield team


@pytest.mark.parametrize("name", SMALL)
def test_the_files_do_not_depend_on_the_number_of_workers(
    name: str, here: Path, team: cluster.Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    @contextmanager
    def connect(address: str | None, workers: int | None) -> Iterator[cluster.Team]:
        assert (address, workers) == (None, 2)
        yield team

    monkeypatch.setattr(cluster, "connect", connect)
    for folder, workers in (("alone", 0), ("together", 2)):
        (here / folder).mkdir()
        assert run(SMALL[name], f"{folder}/out", workers=workers) == 0
    assert read_files(here / "alone") == read_files(here / "together")


@pytest.mark.parametrize("name", [name for name, job in SMALL.items() if job.is_locked])
def test_one_process_writes_to_a_folder_and_removes_temporary_files_of_killed_ones(
    name: str, here: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    job = SMALL[name]
    out = here / ("out.zarr" if "zarr" in job.command else "out")
    assert run(job, "out") == 0
    before = read_files(out)
    own = f".tilewright-{'0' * 16}.part"
    inner = {str(path.relative_to(out) / own) for path in out.rglob("*") if path.is_dir()}
    temporary = {own, *inner}
    for path in temporary:
        (out / path).write_bytes(b"half")
    capfd.readouterr()
    with Folder(str(out)).lock():
        for path in inner:
            (out / path).write_bytes(b"half")
        assert run(job, "out") == 2
        assert capfd.readouterr().err == f"tilewright: {out.name}: another process is writing to it\n"
        assert temporary & set(read_files(out)) == inner
    assert run(job, "out") == 0
    assert read_files(out) == before


# -- long jobs ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LongJob:
    """A command that takes much longer than a test."""

    command: str
    first: str = ""
    """Pattern of the first file with results."""
    count: str = ""
    """Number of results when the job is complete, and what they are."""
    count_stored: Callable[[], int] = lambda: 0
    """Function that returns the number of results in the folder."""


LONG = {
    "corpus": LongJob(
        f"{CORPUS} --set width=32 --set height=32 --count 60000 --workers 2",
        "parts/part-*",
        "60,000 maps",
        lambda: len(Corpus("out").ids()),
    ),
    "world": LongJob(
        "make caves --width 40000 --height 40000 --seed 7 -o OUT.zarr --workers 2",
        "cells/c.*",
        "1,600 chunks",
        lambda: len(list(Path("out.zarr/cells").glob("c.*"))),
    ),
    "search": LongJob(
        f"{SEARCH} --evaluations 100000 --batch 64 --workers 0",
        "elites.parquet",
        "100,032 evaluations",
        lambda: tw.search.load("out").evaluations,
    ),
    "seek": LongJob(
        f"{SEEK} --require path_length=most --seeds 0..999999999 --workers 0",
        "manifest.json",
        "1,000,000,000 seeds",
        lambda: count_tested("out"),
    ),
    "tries": LongJob(f"{TRIES} --require floor_share=0.98..0.99 --tries 1000000 --workers 2"),
    "one map": LongJob("make caves --width 3000 --height 3000 --steps 1000 -o OUT.npz"),
}


def find_first(job: LongJob, here: Path) -> list[Path]:
    return [path for folder in ("out", "out.zarr") for path in (here / folder).glob(job.first)] if job.first else []


def check_end(job: LongJob, here: Path, shown: str) -> None:
    """Check what a job has printed and stored after Ctrl-C or SIGTERM."""
    for word in ("Traceback", "distributed", "semaphore", "resource_tracker"):
        assert word not in shown
    assert not [path for path in here.rglob("*") if TEMPORARY.fullmatch(path.name) or path.name == LOCK]
    if not job.first:
        assert not list(here.iterdir())
        return
    stopped = re.search(rf"stopped; ([\d,]+) of {job.count} are in [\w.]+; repeat the command to continue", shown)
    assert stopped is not None, shown
    assert int(stopped[1].replace(",", "")) == job.count_stored() > 0


@pytest.mark.parametrize("name", LONG)
def test_ctrl_c_in_a_terminal_ends_a_job_and_shows_how_to_continue(name: str, here: Path) -> None:
    """In a terminal, Ctrl-C reaches all processes: a bar, one line at the end, no process left."""
    job, family = LONG[name], list[psutil.Process]()
    command = [*PROGRAM, *job.command.replace("OUT", "out").split()]
    shown, code = run_program_in_terminal(
        command, {"COLUMNS": "200"}, interrupt="per second" if job.first else "%", family=family
    )
    assert code == 130
    check_end(job, here, strip_colors(shown))
    assert "━" in shown
    assert len(family) >= 2 or "--workers 2" not in job.command
    assert not psutil.wait_procs(family, timeout=60)[1]
    if name == "search":
        assert re.search(
            r"of 100,032 evaluations, [\d,]+ per second, \d+:\d\d:\d\d left, coverage [\d.]+, QD score", shown
        )


@pytest.mark.parametrize(
    ("name", "end"),
    [
        ("corpus", signal.SIGTERM),
        ("corpus", signal.SIGKILL),
        ("search", signal.SIGTERM),
        ("tries", signal.SIGTERM),
        ("tries", signal.SIGKILL),
    ],
)
def test_a_signal_ends_a_job_and_its_processes(name: str, end: signal.Signals, here: Path) -> None:
    job = LONG[name]

    def is_working() -> bool:
        return bool(find_first(job, here)) if job.first else count_workers(process.pid, end == signal.SIGKILL) == 2

    with run_program(sys.executable, "-m", "tilewright", *job.command.replace("OUT", "out").split()) as process:
        wait_for(is_working, process)
        family = children(process.pid)
        process.send_signal(end)
        _, errors = process.communicate(timeout=120)
        psutil.wait_procs(family, timeout=120)
    assert not [one for one in family if one.is_running() and one.status() != psutil.STATUS_ZOMBIE]
    assert process.returncode == (-end if end == signal.SIGKILL else 128 + end)
    if end == signal.SIGTERM:
        check_end(job, here, errors.decode())
    assert b"Traceback" not in errors


def count_workers(pid: int, running: bool) -> int:
    """Count the workers, or those that run code of Tilewright.

    A worker whose parent is killed before it has sent the task prints a traceback of multiprocessing.
    """
    return sum(is_worker(one) and (one.num_threads() > 1 or not running) for one in children(pid))
