"""Invalid input and damaged files give one clear line; existing files are kept."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tilewright as tw
from tests.cases import read_table
from tests.cli.conftest import Run
from tests.jobs.programs import read_files, run_cluster, wait_for
from tilewright.core.errors import BadFile, InvalidRecipe
from tilewright.corpus import Corpus, Sweep, make
from tilewright.corpus.build import group_tasks
from tilewright.corpus.manifest import Manifest
from tilewright.jobs import cluster
from tilewright.jobs.cluster import LostCluster, connect
from tilewright.jobs.folder import MANIFEST, Folder

MAKE = "corpus make caves --set width=12 --set height=8 --workers 0 --seed 7"
WORDS = {"CAVES": "corpus make caves", "WORLD": "make caves -o w.zarr", "MAKE": MAKE}
"""Words with which several commands start."""


@pytest.fixture
def corpus_folder(tilewright: Run, here: Path) -> Path:
    tilewright.succeed(*f"{MAKE} --count 6 --measures regions -o mine".split())
    return here / "mine"


MISTAKES = read_table(__file__, "mistakes")


@pytest.mark.parametrize(("command", "message"), MISTAKES.values(), ids=MISTAKES)
@pytest.mark.usefixtures("corpus_folder")
def test_error_is_one_line(tilewright: Run, here: Path, command: str, message: str) -> None:
    here.joinpath("other.zarr").mkdir()
    here.joinpath("other.zarr/note.txt").write_text("mine")
    before = read_files(here)
    first, *words = command.split()
    done = tilewright(*WORDS.get(first, first).split(), *words)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("tilewright: ")
    assert done.err.count("\n") == 1
    assert message in done.err
    assert read_files(here) == before


def test_recipe_with_a_map_too_large_for_the_manifest(tmp_path: Path) -> None:
    big = tw.make("caves", width=300, height=300, seed=1)
    with pytest.raises(InvalidRecipe, match="is too large to be stored in the recipe"):
        make(tw.recipe("caves", width=300, height=300, locks=big), tmp_path / "c", count=2, workers=0)
    assert not list(tmp_path.iterdir())


def test_errors_of_file_systems_are_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Folder(str(tmp_path / "c"))

    def broken(*arguments: Any, **options: Any) -> None:
        raise RuntimeError("two\nlines")

    monkeypatch.setattr(type(folder.file_system), "pipe_file", broken)
    with pytest.raises(BadFile, match=r"c/manifest\.json: two lines"):
        folder.write(b"x", MANIFEST)


# -- clusters -----------------------------------------------------------------------------------------------


def test_a_scheduler_that_dies_is_one_line(here: Path) -> None:
    """Run in a process of its own, to check that Dask prints nothing, not even at exit."""
    with run_cluster(here, workers=1) as (address, process):
        words = ["caves", "--set", "width=32", "--set", "height=32", "--count", "60000", "-o", "mine", "--seed", "1"]
        program = [sys.executable, "-m", "tilewright", "corpus", "make", *words, "--scheduler", address]
        with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
            wait_for(lambda: any(here.glob("mine/parts/part-*.parquet")), running)
            process.kill()
            out, err = (shown.decode() for shown in running.communicate(timeout=60))
    assert (running.returncode, out) == (2, "")
    lines = [line for line in err.splitlines() if not line.startswith("Dask dashboard")]
    assert len(lines) == 1, err
    assert lines[0].startswith(f"tilewright: the scheduler at {address} is lost")
    assert lines[0].endswith("; run again to continue")
    assert not list(here.glob("mine/parts/.*"))
    corpus = Corpus("mine")
    assert 0 < len(corpus.parts) < corpus.manifest.parts
    assert corpus.map(int(corpus.part(corpus.parts[0])["id"][0].as_py())).shape == (32, 32)


def test_a_scheduler_without_workers(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with run_cluster(here, workers=0) as (address, _):
        monkeypatch.setattr(cluster, "TIMEOUT", "1s")
        with pytest.raises(LostCluster, match=f"the scheduler at {address} has no workers"):
            make("caves", "mine", count=3, scheduler=address)


def double(number: int) -> int:
    if number == 3:
        raise ZeroDivisionError("three")
    if number == 13:
        raise BadFile("thirteen")
    return 2 * number


def die_once(path: str) -> int:
    """Kill the worker on the first call."""
    if not os.path.exists(path):
        Path(path).write_text("dead")
        os._exit(9)
    return 5


def test_exceptions_and_killed_workers_of_tasks(tmp_path: Path) -> None:
    with connect(None, 1) as one:
        assert one.threads == 1
        assert sorted(one.run_tasks(double, [(number,) for number in range(3)])) == [0, 2, 4]
        with pytest.raises(ZeroDivisionError, match="three"):
            list(one.run_tasks(double, [(3,)]))
        with pytest.raises(BadFile, match="thirteen"):
            list(one.run_tasks(double, [(13,)]))
        assert list(one.run_tasks(die_once, [(str(tmp_path / "died"),)])) == [5]
        stopped = one.run_tasks(double, ((number,) for number in range(1000)))
        next(stopped)
        stopped.close()


def test_task_has_one_part_of_large_maps() -> None:
    small, large = (
        Manifest.from_recipe(
            tw.recipe("caves", width=side, height=side), seed="1", count=10**6, measures=(), sweep=Sweep()
        )
        for side in (16, 2048)
    )
    assert max(map(len, group_tasks(small, range(small.parts), 4))) == 8
    assert max(map(len, group_tasks(large, range(large.parts), 4))) == 1
    assert sorted(part for task in group_tasks(small, range(77), 4) for part in task) == list(range(77))
