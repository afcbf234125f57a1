"""Invalid input and damaged files give one clear line; existing files are kept."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tilewright as tw
from tests.cli.conftest import Run
from tests.jobs.programs import read_files, run_cluster, wait_for
from tilewright.core.errors import BadFile, InvalidRecipe
from tilewright.corpus import Corpus, Sweep, make
from tilewright.corpus.build import group_tasks
from tilewright.corpus.manifest import Manifest
from tilewright.jobs import cluster
from tilewright.jobs.cluster import LostCluster, connect
from tilewright.jobs.folder import MANIFEST, Folder

CAVES = "corpus make caves"
WORLD = "make caves -o w.zarr"
MAKE = f"{CAVES} --set width=12 --set height=8 --workers 0 --seed 7"


@pytest.fixture
def corpus_folder(tilewright: Run, here: Path) -> Path:
    tilewright.succeed(*f"{MAKE} --count 6 --measures regions -o mine".split())
    return here / "mine"


MISTAKES = {
    "command": ("corpus mkae", "unknown corpus command 'mkae'; did you mean 'make'?"),
    "no recipe": ("corpus make -o x", "RECIPE is missing; see tilewright corpus make --help"),
    "recipe": ("corpus make cavess --count 5 -o x", "unknown technique or recipe 'cavess'; did you mean 'caves'?"),
    "no count": ("corpus make caves -o x", "count: must be set: the number of maps"),
    "zero maps": (f"{MAKE} --count 0 -o x", "count: must be at least 1, got 0"),
    "too many": (f"{MAKE} --count 9999999999 -o x", "count: must be at most 1000000000"),
    "workers": (f"{CAVES} --count 5 -o x --workers -1", "workers: must be at least 0, got -1"),
    "both": (f"{CAVES} --count 5 -o x --workers 2 --scheduler tcp://h:1", "workers: a scheduler has its own workers"),
    "measure": (f"{MAKE} --count 5 -o x --measures regons", "unknown measure 'regons'; did you mean 'regions'?"),
    "no sample": (f"{MAKE} --count 5 -o x --measures divergence", "divergence compares a map with a sample"),
    "parameter": ("corpus make caves --width 5 --count 5 -o x", "--width: corpus make sets parameters with --set"),
    "setting": (f"{MAKE} --set wals=1 --count 5 -o x", "set: params: unknown parameter 'wals'; did you mean 'walls'?"),
    "value": (f"{MAKE} --set walls=2 --count 5 -o x", "caves: walls: must be at most 1"),
    "sweep": (f"{MAKE} --sweep walls --count 5 -o x", "sweep: must be written as walls=0.4..0.5:0.02 or steps=3,5,7"),
    "swept": (f"{MAKE} --sweep walls=0.4,7 --count 5 -o x", "sweep: caves: walls: must be at most 1"),
    "file": (f"{MAKE} --count 5 -o other.zarr/note.txt", "other.zarr/note.txt"),
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
    "splits file": (
        "corpus export mine -o x.npz --split a --splits other.zarr/note.txt",
        "other.zarr/note.txt: not JSON",
    ),
    "shares": ("corpus split mine --train 0.9 --test 0.2", "shares: must add up to 1"),
    "world and picture": (f"{WORLD} -o w.png", "w.zarr: must be the only output; its picture will be w.zarr/overview"),
    "worlds": (f"{WORLD} --count 3", "count: w.zarr stores one map; for many maps use tilewright corpus make"),
    "scale of a world": (f"{WORLD} --scale 3", "scale: does not apply to a world (w.zarr)"),
    "plain world": (f"{WORLD} --plain", "does not apply to a world (w.zarr)"),
    "placeholder": ("make caves -o w_{sed}.zarr", "unknown placeholder '{sed}'; did you mean '{seed}'?"),
    "workers of a map": ("make caves --workers 2", "workers: only applies to the tries of --require and to worlds"),
    "scheduler of a map": ("make caves --scheduler x -o a.png", "scheduler: only applies to worlds; name one with -o"),
    "workers of a world": (f"{WORLD} --workers -1", "workers: must be at least 0, got -1"),
    "both for a world": (f"{WORLD} --workers 2 --scheduler tcp://x:1", "workers: a scheduler has its own workers"),
    "technique of a world": ("make bsp -o w.zarr", "bsp: cannot be made in chunks"),
    "shaper of a world": (f"{WORLD} --shape connect", "shaping: connect needs a complete map"),
    "files": ("make caves -o other.zarr", "other.zarr: is not empty and contains no world; name an empty or new"),
}


@pytest.mark.parametrize(("command", "message"), MISTAKES.values(), ids=MISTAKES)
@pytest.mark.usefixtures("corpus_folder")
def test_error_is_one_line(tilewright: Run, here: Path, command: str, message: str) -> None:
    here.joinpath("other.zarr").mkdir()
    here.joinpath("other.zarr/note.txt").write_text("mine")
    before = read_files(here)
    done = tilewright(*command.split())
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
