"""Invalid input and damaged files give one clear line; existing files are kept."""

from __future__ import annotations

import errno
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tests.cli.conftest import Run
from tests.jobs.programs import read_files, run_cluster, wait_for
from tilewright.core.errors import BadFile, InvalidRecipe, TilewrightError
from tilewright.corpus import Corpus, make, remake
from tilewright.corpus.build import make_parts
from tilewright.corpus.manifest import Manifest
from tilewright.jobs import cluster
from tilewright.jobs.cluster import LostCluster, connect
from tilewright.jobs.folder import MANIFEST, Folder, LocalFiles

CAVES = "corpus make caves"
MAKE = f"{CAVES} --set width=12 --set height=8 --workers 0 --seed 7"


@pytest.fixture
def corpus_folder(tilewright: Run, here: Path) -> Path:
    assert tilewright(*f"{MAKE} --count 6 --measures regions -o mine".split()).code == 0
    return here / "mine"


MISTAKES = {
    "command": ("corpus mkae", "unknown corpus command 'mkae'; did you mean 'make'?"),
    "no recipe": ("corpus make -o x", "RECIPE is missing; see tilewright corpus make --help"),
    "recipe": ("corpus make cavess --count 5 -o x", "unknown technique or recipe 'cavess'; did you mean 'caves'?"),
    "no count": ("corpus make caves -o x", "count: must be set: the number of maps"),
    "zero maps": (f"{MAKE} --count 0 -o x", "count: must be at least 1, got 0"),
    "too many": (f"{MAKE} --count 9999999999 -o x", "count: must be at most 1000000000"),
    "workers": (
        "corpus make caves --count 5 -o x --workers -1",
        "workers: must be at least 0, got -1",
    ),
    "both": (
        "corpus make caves --count 5 -o x --workers 2 --scheduler tcp://h:1",
        "workers: a scheduler has its own workers",
    ),
    "measure": (f"{MAKE} --count 5 -o x --measures regons", "unknown measure 'regons'; did you mean 'regions'?"),
    "no sample": (f"{MAKE} --count 5 -o x --measures divergence", "divergence compares a map with a sample"),
    "parameter": ("corpus make caves --width 5 --count 5 -o x", "--width: corpus make sets parameters with --set"),
    "setting": (f"{MAKE} --set wals=1 --count 5 -o x", "set: unknown parameter 'wals'; did you mean 'walls'?"),
    "value": (f"{MAKE} --set walls=2 --count 5 -o x", "caves: walls: must be at most 1"),
    "sweep": (f"{MAKE} --sweep walls --count 5 -o x", "sweep: must be written as walls=0.4..0.5:0.02 or steps=3,5,7"),
    "swept": (f"{MAKE} --sweep walls=0.4,7 --count 5 -o x", "sweep: caves: walls: must be at most 1"),
    "file": (f"{MAKE} --count 5 -o other/note.txt", "other/note.txt"),
    "nowhere": (f"{MAKE} --count 5 -o gopher://x/y", "gopher://x/y: "),
    "no corpus": ("corpus info nowhere", "nowhere: contains no corpus"),
    "id": ("corpus take mine 6 -o x.png", "id: must be from 0 to 5, got 6"),
    "no id": ("corpus take mine -o x.png", "ID... is missing"),
    "one name": ("corpus take mine 1 2 -o x.png", "the same file name for several maps; add {id} or {seed} to it"),
    "animation": ("corpus take mine 1 -o x.pgn", "unknown file extension '.pgn'; pictures: .png; animations"),
    "by": ("corpus best mine --by region", "unknown column 'region'; did you mean 'regions'?"),
    "axis": ("corpus range mine --x regions --y path", "unknown column 'path'"),
    "picture": ("corpus range mine --x regions --y regions -o x.tmx", "x.tmx: must end in .png"),
    "format": ("corpus export mine -o x --format vglcc", "unknown format 'vglcc'; text and JSON: vglc; arrays: npz"),
    "nothing": ("corpus export mine -o x.npz --where regions>99", "no map of the corpus matches"),
    "side": ("corpus export mine -o x.npz --split trian", "did you mean 'train'?"),
    "splits": ("corpus export mine -o x.npz --splits s.json", "splits: names a split"),
    "splits file": ("corpus export mine -o x.npz --split a --splits other/note.txt", "other/note.txt: not JSON"),
    "shares": ("corpus split mine --train 0.9 --test 0.2", "shares: must add up to 1"),
}


@pytest.mark.parametrize(("command", "message"), MISTAKES.values(), ids=MISTAKES)
@pytest.mark.usefixtures("corpus_folder")
def test_error_is_one_line(tilewright: Run, here: Path, command: str, message: str) -> None:
    here.joinpath("other").mkdir()
    here.joinpath("other/note.txt").write_text("mine")
    before = read_files(here)
    done = tilewright(*command.split())
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("tilewright: ")
    assert done.err.count("\n") == 1
    assert message in done.err
    assert read_files(here) == before


# -- versions -----------------------------------------------------------------------------------------------


RESUME = f"{MAKE} --count 6 --measures regions -o old".split()


def start_corpus(corpus_folder: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    """Start a corpus with a changed manifest and return its folder."""
    data = json.loads(corpus_folder.joinpath("manifest.json").read_text())
    change(data)
    folder = corpus_folder.parent / "old"
    folder.mkdir()
    folder.joinpath("manifest.json").write_text(json.dumps(data))
    return folder


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data["revisions"].pop("regions"),  # as in corpora of 0.1
        lambda data: data["recipe"]["params"].pop("steps"),  # as if the parameter were newer than the corpus
    ],
    ids=["revision of a measure", "parameter"],
)
def test_another_version_with_equal_revisions_continues(
    tilewright: Run, corpus_folder: Path, change: Callable[[dict[str, Any]], object]
) -> None:
    folder = start_corpus(corpus_folder, change)
    manifest = folder.joinpath("manifest.json").read_text()
    assert tilewright(*RESUME).code == 0
    assert folder.joinpath("manifest.json").read_text() == manifest, "it keeps the version that started it"
    for number in range(6):
        assert np.array_equal(Corpus(folder)[number], Corpus(corpus_folder)[number])
    before = read_files(folder)
    (folder / "parts" / "part-000001.parquet").unlink()
    assert tilewright(*RESUME).code == 0
    remake(Corpus(folder), [0])
    assert read_files(folder) == before


@pytest.mark.parametrize("name", ["caves", "regions"])
def test_another_revision_is_refused(tilewright: Run, corpus_folder: Path, name: str) -> None:
    folder = start_corpus(corpus_folder, lambda data: data["revisions"].update({name: 7}))
    before = read_files(folder)
    done = tilewright(*RESUME)
    assert done.code == 2
    message = f"the corpus was started by Tilewright {tw.__version__}; {name} in Tilewright .* gives other results"
    assert re.search(f"old: {message}", done.err)
    with pytest.raises(BadFile, match=message):
        remake(Corpus(folder), [0])
    with pytest.raises(BadFile, match=message):  # on a worker
        make_parts(folder.joinpath("manifest.json").read_text(), [0])
    assert read_files(folder) == before


def test_recipe_with_a_map_too_large_for_the_manifest(tmp_path: Path) -> None:
    big = tw.make("caves", width=300, height=300, seed=1)
    with pytest.raises(InvalidRecipe, match="is too large to be stored in the recipe"):
        make(tw.recipe("caves", width=300, height=300, locks=big), tmp_path / "c", count=2, workers=0)
    assert not list(tmp_path.iterdir())


# -- the folder ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("killed", ["manifest", "part", "datasheet"])
def test_full_disk_is_one_line_and_existing_files_are_kept(
    tilewright: Run, here: Path, monkeypatch: pytest.MonkeyPatch, killed: str
) -> None:
    command = f"{MAKE} --count 6 -o mine".split()
    assert tilewright(*f"{MAKE} --count 6 -o whole".split()).code == 0
    room = {"manifest": 0, "part": 3, "datasheet": 7}[killed]
    written = []

    def pipe_file(self: Any, path: str, content: bytes, **options: Any) -> None:
        written.append(path)
        full = len(written) > room
        Path(path).write_bytes(content[: len(content) // 2] if full else content)
        if full:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(LocalFiles, "pipe_file", pipe_file)
        done = tilewright(*command)
    assert (done.code, done.out) == (2, "")
    assert "No space left on device" in done.err
    assert done.err.count("\n") == 1
    left = read_files(here / "mine")
    assert len(left) == room
    whole = read_files(here / "whole")
    assert all(whole[name] == content for name, content in left.items())
    assert tilewright(*command).code == 0
    assert read_files(here / "mine") == whole


def test_errors_of_file_systems_are_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = Folder(str(tmp_path / "c"))

    def broken(*arguments: Any, **options: Any) -> None:
        raise RuntimeError("two\nlines")

    monkeypatch.setattr(type(folder.file_system), "pipe_file", broken)
    with pytest.raises(BadFile, match=r"c/manifest\.json: two lines"):
        folder.write(b"x", MANIFEST)


# -- clusters -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "hello", "gopher://x:1"])
def test_scheduler_that_does_not_answer(
    tilewright: Run, here: Path, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.setattr(cluster, "TIMEOUT", "1s")
    monkeypatch.setenv("DASK_SCHEDULER_ADDRESS", address)
    done = tilewright(*f"{MAKE.replace('--workers 0', '')} --count 6 -o mine".split())
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"tilewright: no scheduler answers at {address} (")
    assert done.err.count("\n") == 1
    assert tilewright(*f"{MAKE} --count 6 -o mine".split()).code == 0


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
    from tilewright.corpus.build import group_tasks

    small = Manifest.from_recipe(
        tw.recipe("caves", width=16, height=16), seed="1", count=10**6, measures=(), sweep=empty_sweep()
    )
    large = Manifest.from_recipe(
        tw.recipe("caves", width=2048, height=2048), seed="1", count=10**5, measures=(), sweep=empty_sweep()
    )
    assert max(map(len, group_tasks(small, range(small.parts), 4))) == 8
    assert max(map(len, group_tasks(large, range(large.parts), 4))) == 1
    assert sorted(part for task in group_tasks(small, range(77), 4) for part in task) == list(range(77))


def empty_sweep() -> Any:
    from tilewright.corpus import Sweep

    return Sweep()


def test_errors_of_the_cluster_are_converted() -> None:
    assert issubclass(LostCluster, TilewrightError)
