"""What holds for the folders of all jobs: nothing else is read as one or overwritten, and no two jobs are mixed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import tilewright as tw
from tests.jobs.programs import read_files
from tests.refusals import refused
from tests.search.archives import OPTIONS
from tilewright.corpus import Corpus, World

OTHER_SIZE = tw.recipe("caves", width=20, height=13)
JOBS: dict[str, dict[str, Any]] = {
    "corpus": {"count": 6, "seed": 7, "measures": ["regions"]},
    "world": {"seed": 7},
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
STORED = {"corpus": "parts/*", "world": "cells/c.*", "archive": "elites.parquet", "seeds": "state.json"}
"""Patterns of the files with results."""
Folders = Mapping[str, dict[str, bytes]]
every_job = pytest.mark.parametrize("noun", JOBS)


def make(noun: str, folder: Path, **changes: Any) -> object:
    options = {"recipe": tw.recipe("caves", width=20, height=14), **JOBS[noun], **changes, "workers": 0}
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


def change_head(noun: str, folder: Path, **values: Any) -> None:
    """Change the file that describes a job."""
    path = folder / ("zarr.json" if noun == "world" else "manifest.json")
    document = json.loads(path.read_text())
    (document["attributes"]["tilewright"] if noun == "world" else document).update(values)
    path.write_text(json.dumps(document))


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
    (tmp_path / "notes.txt").write_text("mine")
    check_refused(noun, tmp_path, f"contains no {noun}")


@every_job
@pytest.mark.parametrize("head", [b"", b"{}", b"[1]", b"{", b"\xff\xfe", b"[" * 100_000, b'{"kind": "tilewright x"}'])
def test_a_damaged_head_is_refused(noun: str, head: bytes, content: Folders, tmp_path: Path) -> None:
    name = "zarr.json" if noun == "world" else "manifest.json"
    write(tmp_path, {**content[noun], name: head})
    check_refused(noun, tmp_path, f"{name} is damaged or belongs to something else")


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
    write(tmp_path, content[noun])
    change_head(noun, tmp_path, revisions={"caves": 99}, tilewright="0.9")
    check_refused(noun, tmp_path, "started by Tilewright 0.9; caves in Tilewright ", readers=noun == "archive")


@every_job
def test_another_version_with_equal_revisions_continues(noun: str, content: Folders, tmp_path: Path) -> None:
    write(tmp_path, content[noun])
    change_head(noun, tmp_path, tilewright="0.0.9")
    stored = list(tmp_path.glob(STORED[noun]))
    for path in stored:
        path.unlink()
    make(noun, tmp_path)
    before = read_files(tmp_path)
    assert before.keys() == content[noun].keys()
    stored[0].unlink()
    make(noun, tmp_path)
    assert read_files(tmp_path) == before


@pytest.mark.parametrize(
    ("noun", "changes", "difference"),
    [
        ("corpus", {"count": 7}, "another corpus (count is 6, not 7)"),
        ("corpus", {"seed": 71}, "(seed is 7, not 71)"),
        ("corpus", {"measures": []}, "(measures is regions, not nothing)"),
        ("corpus", {"recipe": OTHER_SIZE}, "(its recipe differs in params.height)"),
        ("corpus", {"recipe": tw.recipe("maze")}, "its technique is caves, not maze"),
        ("world", {"seed": 2}, "a world with another seed;"),
        ("world", {"recipe": OTHER_SIZE}, "a world with another recipe;"),
        ("world", {"recipe": OTHER_SIZE, "seed": 2}, "a world with another seed and recipe;"),
        ("archive", {"seed": 8}, "another search (it differs in seed)"),
        ("archive", {"batch": 8}, "another search (it differs in batch)"),
        ("archive", {"objective": "regions"}, "another search (it differs in objective)"),
        ("archive", {"vary": {"walls": (0.3, 0.5), "seed": "free"}}, "another search (it differs in vary)"),
        ("archive", {"measures": {"floor_share": (0, 1, 7)}}, "another search (it differs in measures)"),
        ("seeds", {"seeds": "0..98"}, "another search (it differs in seeds)"),
        ("seeds", {"keep": 6}, "another search (it differs in keep)"),
        ("seeds", {"require": {"dead_ends": "<3"}}, "another search (it differs in require, measures)"),
        ("seeds", {"measures": []}, "another search (it differs in measures)"),
    ],
)
def test_another_job_in_the_folder_is_refused(
    noun: str, changes: dict[str, Any], difference: str, content: Folders, tmp_path: Path
) -> None:
    write(tmp_path, content[noun])
    with pytest.raises(tw.BadFile, match=f"contains .*{re.escape(difference)}.* name another folder"):
        make(noun, tmp_path, **changes)
    assert read_files(tmp_path) == content[noun]
