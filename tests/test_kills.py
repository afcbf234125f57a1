"""Kills of all kinds of jobs: a job that is killed and repeated makes the same files as one that ran to its end.

A signal reaches a job at one of its events, such as the opening of a file, whose number is random. The job is killed
up to three times and then repeated to its end. `make test` kills each job once, always at the same event; `make kills`
kills all jobs together TILEWRIGHT_KILLS times, at new ones. To repeat such a run, set TILEWRIGHT_KILLS_SEED.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from tilewright.cli import main
from tilewright.formats._files import TEMPORARY

KILLS = int(os.environ.get("TILEWRIGHT_KILLS", "0"))
"""Number of kills of all jobs together; 0 in `make test`."""
SEED = os.environ.get("TILEWRIGHT_KILLS_SEED", str(random.SystemRandom().getrandbits(32)) if KILLS else "0")
FEW = 1
"""Number of kills of a job in `make test`."""
MAX_IN_A_ROW = 3
SIGNALS = ("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP")
PATIENCE = 300
PROGRAM = Path(__file__).with_name("kill_at.py")
TROUBLE = ("Traceback", "semaphore", "resource_tracker", "is a bug", "Exception ignored")
"""What a job never prints after a signal that it can catch."""


@dataclass(frozen=True)
class Job:
    """A command that writes files."""

    command: str
    """The command. OUT is the folder of its files."""
    is_locked: bool = True
    """Whether only this job writes to the folder, so that it can remove the temporary files of a killed job at once."""
    varying: frozenset[str] = frozenset()
    """Names of files with the time that something took."""
    kept: str = ""
    """Pattern of the files that no later run writes again."""


PARTS = "parts/part-*"
SIZE = "--set width=24 --set height=16"
LARGE = "--set width=64 --set height=48"
SEARCH = (
    "search make caves --set params.width=16 --set params.height=12 --vary walls=0.3..0.6 --vary seed "
    "--measures floor_share:0..1:6 --objective path_length --evaluations 256 --seed 7 -o OUT --workers"
)
EXPORT = "export open-caves --count 3 --seed 7 -o OUT --set params.width=20 --set params.height=16 --engine"
JOBS = {
    "corpus": Job(f"corpus make caves {LARGE} --count 1500 --seed 7 --measures regions -o OUT --workers 0", kept=PARTS),
    "corpus with workers": Job(
        f"corpus make caves {SIZE} --count 1500 --seed 7 --measures regions -o OUT --workers 2", kept=PARTS
    ),
    "search": Job(f"{SEARCH} 0 --batch 32"),
    "search with workers": Job(f"{SEARCH} 2 --batch 64"),
    "seek": Job(
        "seek caves --set params.width=16 --set params.height=12 --seeds 0..299 --require regions=1..9 --keep 5 "
        "-o OUT --workers 0"
    ),
    "variety": Job("search variety caves --count 3 --seed 7 -o OUT/{number}.tmx --workers 0", is_locked=False),
    "compare": Job(
        "compare dungeon --techniques markov,wfc --count 2 --size 10x10 --seed 7 --no-smallest -o OUT",
        is_locked=False,
        varying=frozenset(("table.md", "table.csv", "table.json")),
    ),
    "learn": Job("learn markov dungeon -o OUT/model.json", is_locked=False),
    "learn patterns": Job("learn patterns dungeon -o OUT/model.npz", is_locked=False),
    "world": Job(
        "make caves --width 96 --height 64 --seed 7 -o OUT/world.zarr --workers 0", kept="world.zarr/cells/c.*"
    ),
    "maps": Job("make caves --width 20 --height 12 --seed 7 --count 20 -o OUT/{seed}.tmx", is_locked=False),
    "godot": Job(f"{EXPORT} godot"),
    "ldtk": Job(f"{EXPORT} ldtk"),
    "tiled": Job(f"{EXPORT} tiled"),
}


def run_job(
    job: Job, folder: Path, logs: Path, *, touched: str, name: str = "SIGTERM", whom: str = "process", at: int = 0
) -> tuple[int, str]:
    """Run a job in its own session until all of its processes have ended. Return its exit code and what it printed."""
    arguments = [touched, name, whom, str(at), str(logs / "counts")]
    command = [sys.executable, str(PROGRAM), *arguments, *job.command.replace("OUT", str(folder)).split()]
    with (logs / "printed").open("wb") as printed:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=printed, stderr=printed, start_new_session=True
        )
        try:
            code = process.wait(timeout=PATIENCE)
        finally:
            family = list(list_session(process.pid))
            _, alive = psutil.wait_procs(family, timeout=PATIENCE)
            for one in alive:
                one.kill()
    assert not alive, f"processes stay after {name}"
    return code, (logs / "printed").read_text(errors="replace")


def list_session(leader: int) -> Iterator[psutil.Process]:
    """Yield the processes of a session that are still running."""
    for process in psutil.process_iter():
        try:
            if os.getsid(process.pid) == leader and process.status() != psutil.STATUS_ZOMBIE:
                yield process
        except (OSError, psutil.Error):
            continue


def read_files(folder: Path, job: Job) -> dict[str, bytes]:
    """Return the files of a job."""
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    left = [name for name in files if TEMPORARY.fullmatch(Path(name).name)]
    assert not (left and job.is_locked), f"temporary files stay: {left}"
    return {
        name: b"" if Path(name).name in job.varying else path.read_bytes()
        for name, path in files.items()
        if name not in left
    }


def kill_and_repeat(name: str, kills: int, rng: random.Random, here: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Kill a job as often, repeat it in this process, and compare its files with those of an undisturbed run."""
    job = JOBS[name]
    wanted = here / "undisturbed" / "files"
    code, printed = run_job(job, wanted, here, touched=str(wanted))
    assert code == 0, printed
    events, touched_events = map(int, (here / "counts").read_text().split())
    assert touched_events > 0
    files = read_files(wanted, job)
    for number in range(0, kills, MAX_IN_A_ROW):
        folder = here / f"killed-{number}" / "files"  # An exported project has the name of its folder.
        for _ in range(min(MAX_IN_A_ROW, kills - number)):
            touches = rng.random() < 0.6
            settings = {
                "touched": str(folder) if touches else "",
                "name": rng.choice(SIGNALS),
                "whom": rng.choice(("process", "process", "group")),
                "at": rng.randint(1, touched_events if touches else events),
            }
            code, printed = run_job(job, folder, here, **settings)  # type: ignore[arg-type]
            kind = signal.Signals[str(settings["name"])]
            allowed = {0, -kind, 128 + kind}
            assert code in allowed, (settings, code, printed)
            if kind != signal.SIGKILL:
                assert not any(word in printed for word in TROUBLE), (settings, printed)
        kept = {path: path.stat().st_mtime_ns for path in folder.glob(job.kept or "*.kept")}
        code = main(job.command.replace("OUT", str(folder)).split())
        printed = "".join(capfd.readouterr())
        print(printed)  # shown if the test fails, with the seed
        assert code == 0, printed
        assert not any(word in printed for word in TROUBLE), printed
        assert kept == {path: path.stat().st_mtime_ns for path in kept}, "a part was made twice"
        found = read_files(folder, job)
        assert set(found) == set(files)
        assert [key for key in files if found[key] != files[key]] == []


@pytest.mark.parametrize("name", JOBS)
def test_killed_jobs_are_repeated_to_the_same_files(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    kills = -(-KILLS // len(JOBS)) if KILLS else FEW
    print(f"TILEWRIGHT_KILLS_SEED={SEED}")
    kill_and_repeat(name, kills, random.Random(f"{SEED} {name}"), tmp_path, capfd)


@pytest.mark.parametrize("whom", ["process", "group"])
def test_the_end_of_a_terminal_ends_a_search_with_workers(tmp_path: Path, whom: str) -> None:
    """SIGHUP, which also reaches the process that removes the semaphores of the workers."""
    job = JOBS["search with workers"]
    code, printed = run_job(job, tmp_path / "files", tmp_path, touched="rounds.jsonl", name="SIGHUP", whom=whom, at=1)
    assert code == 128 + signal.SIGHUP
    assert "stopped; 0 of 256 evaluations are in " in printed
    assert not any(word in printed for word in TROUBLE), printed
