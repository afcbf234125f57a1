"""What holds for the folders of all jobs: nothing else is read as one or overwritten, and no two jobs are mixed."""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import tilewright as tw
from tests.cases import read_table
from tests.jobs.programs import read_files
from tests.refusals import refused
from tests.search.archives import OPTIONS
from tilewright.corpus import Corpus, World, remake
from tilewright.corpus.build import make_parts
from tilewright.corpus.world import make_blocks
from tilewright.corpus.world_layout import WorldLayout
from tilewright.jobs import cluster
from tilewright.jobs.folder import Folder, LocalFiles

OTHER_SIZE = tw.recipe("caves", width=20, height=13)
JOBS: dict[str, dict[str, Any]] = {
    "corpus": {"count": 6, "seed": 7, "measures": ["regions"]},
    "world": {"seed": 7, "chunk": 8},
    "archive": {**OPTIONS, "evaluations": 32, "batch": 16},
    "seeds": {"seeds": "0..99", "require": {"regions": "<9"}, "measures": ["floor_share"], "keep": 5},
}
"""Options of jobs that write the folders of each kind."""
READERS: dict[str, tuple[Callable[[Path], object], ...]] = {
    "corpus": (Corpus,),
    "world": (World,),
    "archive": (tw.search.load, lambda folder: tw.search.resume(folder, workers=0)),
    "seeds": (),
}


def read_layout(folder: Path) -> WorldLayout:
    found = WorldLayout.from_folder(Folder(str(folder)))
    assert found is not None
    return found


WORKERS: dict[str, tuple[Callable[[Path], object], ...]] = {
    "corpus": (
        lambda folder: remake(Corpus(folder), [0]),
        lambda folder: make_parts((folder / "manifest.json").read_text(), [0]),
    ),
    "world": (lambda folder: make_blocks([], read_layout(folder), World(folder).recipe),),
}
"""What makes parts of an existing job, besides the job itself."""
RESULTS: dict[str, Callable[[Path], object]] = {
    "corpus": lambda folder: Corpus(folder).table().to_pylist(),
    "world": lambda folder: World(folder).window(0, 0, 20, 14),
    "archive": lambda folder: list(tw.search.load(folder)),
    "seeds": lambda folder: (folder / "seeds.csv").read_bytes(),
}
STORED = {"corpus": "parts/*", "world": "cells/c.*", "archive": "elites.parquet", "seeds": "state.json"}
"""Patterns of the files with results."""
HEADS = dict.fromkeys(JOBS, "manifest.json") | {"world": "zarr.json"}
Folders = Mapping[str, dict[str, bytes]]
every_job = pytest.mark.parametrize("noun", JOBS)


def make(noun: str, folder: Path, **changes: Any) -> object:
    options = {"recipe": tw.recipe("caves", width=20, height=14), **JOBS[noun], "workers": 0, **changes}
    recipe = options.pop("recipe")
    match noun:
        case "corpus":
            return tw.corpus.make(recipe, folder, **options)
        case "world":
            return tw.corpus.make_world(recipe.with_seed(options.pop("seed")), folder, **options)
        case "archive":
            return tw.search.make(recipe, out=folder, **options)
    return tw.seek(recipe, out=folder, **options)


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> Folders:
    """Return the files of each kind of folder."""
    folder = tmp_path_factory.mktemp("jobs")
    for noun in JOBS:
        make(noun, folder / noun)
    return {noun: read_files(folder / noun) for noun in JOBS}


def write(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)


def change_head(noun: str, folder: Path, change: Callable[[dict[str, Any]], object] = dict, **values: Any) -> str:
    """Change the file that describes a job, and return its text."""
    path = folder / HEADS[noun]
    document = json.loads(path.read_text())
    head = document["attributes"]["tilewright"] if noun == "world" else document
    change(head)
    head.update(values)
    path.write_text(json.dumps(document))
    return path.read_text()


def check_refused(noun: str, folder: Path, line: str, *, readers: bool = True) -> None:
    """Check that nothing reads or continues a folder, and that its files are kept."""
    before = read_files(folder)
    for read in READERS[noun] if readers else ():
        with refused(line, tw.BadFile, limit=500):
            read(folder)
    with refused(line, tw.BadFile, limit=500):
        make(noun, folder)
    assert read_files(folder) == before


@every_job
def test_a_folder_with_other_content_is_refused(noun: str, tmp_path: Path) -> None:
    for read in READERS[noun]:
        with refused(f"contains no {noun}", tw.BadFile):
            read(tmp_path / "nothing")
    (tmp_path / "notes.txt").write_text("mine")
    check_refused(noun, tmp_path, f"contains no {noun}")


@every_job
@pytest.mark.parametrize("head", [b"", b"{}", b"[1]", b"{", b"\xff\xfe", b"[" * 100_000, b'{"kind": "tilewright x"}'])
def test_a_damaged_head_is_refused(noun: str, head: bytes, content: Folders, tmp_path: Path) -> None:
    write(tmp_path, {**content[noun], HEADS[noun]: head})
    check_refused(noun, tmp_path, f"{HEADS[noun]} is damaged or belongs to something else")


DAMAGES: dict[str, dict[str, list[Any]]] = {
    "corpus": {"part_size": [0], "seed": ["\ud800"], "measures": [["regions", "regions"]]},
    "world": {"shape": [[0, 5], 3], "chunk": [7], "tileset": [{"name": 3}]},
    "archive": {"measures": [3], "vary": [{"params.wals": {}}]},
    "seeds": {"stages": [None, 7, [["regions"]], [["floor_share"] * 4], {"a": 1}]},
}
"""Wrong values of keys, besides those that all heads have."""


@every_job
def test_wrong_values_in_a_head_are_refused(noun: str, content: Folders, tmp_path: Path) -> None:
    wrong: dict[str, list[Any]] = {
        "kind": ["tilewright other"],
        "recipe": [None],
        "revisions": [["caves"]],
        **DAMAGES[noun],
    }
    for key, values in wrong.items():
        for value in values:
            write(tmp_path, content[noun])
            change_head(noun, tmp_path, **{key: value})
            check_refused(noun, tmp_path, "json is damaged", readers=key != "stages")
    write(tmp_path, content[noun])
    change_head(noun, tmp_path, layout=99, tilewright="9.9")
    check_refused(noun, tmp_path, "written by Tilewright 9.9 in another file layout")


@every_job
def test_another_revision_is_refused(noun: str, content: Folders, tmp_path: Path) -> None:
    for name in {"archive": ["caves", "floor_share"], "world": ["caves"]}.get(noun, ["caves", "regions"]):
        write(tmp_path, content[noun])
        change_head(noun, tmp_path, revisions={name: 99}, tilewright="0.9")
        line = f"started by Tilewright 0.9; {name} in Tilewright {tw.__version__} on "
        check_refused(noun, tmp_path, line, readers=noun == "archive")
        for work in WORKERS.get(noun, ()):
            with refused(line, tw.BadFile):
                work(tmp_path)


OLDER: dict[str, tuple[list[str], Callable[[dict[str, Any]], object]]] = {
    "version": ([*JOBS], lambda head: head.update(tilewright="0.0.9")),
    "revision of a measure, as in 0.1": (["corpus", "seeds"], lambda head: head["revisions"].pop("regions")),
    "parameter": (["corpus", "world", "archive"], lambda head: head["recipe"]["params"].pop("steps")),
}


@pytest.mark.parametrize(
    ("noun", "change"),
    [pytest.param(noun, change, id=f"{noun} {what}") for what, (nouns, change) in OLDER.items() for noun in nouns],
)
def test_another_version_with_equal_revisions_continues(
    noun: str, change: Callable[[dict[str, Any]], object], content: Folders, tmp_path: Path
) -> None:
    older = tmp_path / "older"
    for folder in (older, tmp_path / "same"):
        write(folder, content[noun])
    head = change_head(noun, older, change)
    stored = list(older.glob(STORED[noun]))
    for path in stored:
        path.unlink()
    make(noun, older)
    before = read_files(older)
    assert before.keys() == content[noun].keys()
    assert noun == "archive" or before[HEADS[noun]].decode() == head, "it keeps the version that started it"
    assert RESULTS[noun](older) == RESULTS[noun](tmp_path / "same")
    stored[0].unlink()
    make(noun, older)
    for work in WORKERS.get(noun, ()):
        work(older)
    assert read_files(older) == before


@pytest.mark.parametrize(
    ("noun", "changes", "difference"),
    [
        *read_table(__file__, "another job in the folder is refused"),
        ("corpus", {"recipe": OTHER_SIZE}, "(its recipe differs in params.height)"),
        ("corpus", {"recipe": tw.recipe("maze")}, "its technique is caves, not maze"),
        ("world", {"recipe": OTHER_SIZE}, "a world with another recipe;"),
        ("world", {"recipe": OTHER_SIZE, "seed": 2}, "a world with another seed and recipe;"),
        ("archive", {"vary": {"walls": (0.3, 0.5), "seed": "free"}}, "another search (it differs in vary)"),
        ("archive", {"measures": {"floor_share": (0, 1, 7)}}, "another search (it differs in measures)"),
    ],
)
def test_another_job_in_the_folder_is_refused(
    noun: str, changes: dict[str, Any], difference: str, content: Folders, tmp_path: Path
) -> None:
    write(tmp_path, content[noun])
    with pytest.raises(tw.BadFile, match=f"contains .*{re.escape(difference)}.* name another folder"):
        make(noun, tmp_path, **changes)
    assert read_files(tmp_path) == content[noun]


# -- what goes wrong ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("noun", "room", "line"), read_table(__file__, "a full disk is one line and files are kept"))
def test_a_full_disk_is_one_line_and_files_are_kept(
    noun: str, room: int, line: str, content: Folders, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = []

    def pipe_file(self: LocalFiles, path: str, data: bytes) -> None:
        written.append(path)
        full = len(written) > room
        Path(path).write_bytes(data[: len(data) // 2] if full else data)
        if full:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(LocalFiles, "pipe_file", pipe_file)
        with refused(f"No space left on device{line}", tw.BadFile):
            make(noun, tmp_path / "job")
    left = read_files(tmp_path / "job")
    if noun in ("corpus", "world"):
        assert len(left) == room
        assert left.items() <= content[noun].items()
    make(noun, tmp_path / "job")
    assert read_files(tmp_path / "job") == content[noun]


@pytest.mark.parametrize("noun", ["corpus", "world", "archive"])
@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "hello", "gopher://x:1"])
def test_a_scheduler_that_does_not_answer_leaves_nothing(
    noun: str, address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "TIMEOUT", "1s")
    monkeypatch.setenv(cluster.SCHEDULER, address)
    with refused(f"no scheduler answers at {address} ("):
        make(noun, tmp_path / "job", workers=None)
    assert not list(tmp_path.iterdir())
