"""Small jobs: without worker processes, they need the packages of the core and pyarrow only."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tilewright as tw
from tests.jobs.programs import read_files
from tilewright.corpus import Corpus

CAVES = {"technique": "caves", "params": {"width": 20, "height": 12}}
MISSING = ("dask", "distributed", "duckdb", "fsspec", "zarr", "bokeh")
PROGRAM = f"""
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {MISSING}:
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Missing())
import importlib.util
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name in {MISSING} else find(name, package)
from tilewright.cli import main
sys.exit(main(sys.argv[1:]) or main(sys.argv[1:]))
"""
"""Program that runs a command twice. The second run reads the folder."""
SIZE = "--set params.width=20 --set params.height=12"


@pytest.mark.parametrize(
    "command",
    [
        "corpus make caves --set width=20 --set height=12 --count 60 --seed 7 --measures regions -o OUT --workers 0",
        f"seek caves {SIZE} --seeds 0..99 --require regions=1..9 --keep 5 -o OUT --workers 0",
        f"search make caves {SIZE} --vary walls --vary seed --measures floor_share:0..1:6 --objective path_length "
        "--evaluations 64 --seed 7 -o OUT --workers 0",
    ],
    ids=["corpus", "seek", "search"],
)
def test_jobs_in_this_process_need_only_pyarrow(command: str, tmp_path: Path) -> None:
    arguments = command.replace("OUT", str(tmp_path / "made")).split()
    done = subprocess.run([sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert list((tmp_path / "made").rglob("*.parquet"))


def test_what_needs_more_packages_names_them(tmp_path: Path) -> None:
    command = ["corpus", "make", "caves", "--count", "3", "-o", str(tmp_path / "made"), "--workers", "1"]
    done = subprocess.run([sys.executable, "-c", PROGRAM, *command], capture_output=True, text=True)
    assert done.returncode == 2
    assert "corpora need dask; --workers 0 needs none; install it with:" in done.stderr
    assert not (tmp_path / "made").exists()


def test_a_small_corpus_is_one_part_that_workers_make_together(tmp_path: Path) -> None:
    seen: list[tw.Progress] = []
    options: dict[str, Any] = {"count": 60, "seed": 7, "measures": ["regions"]}
    corpus = tw.corpus.make(CAVES, tmp_path / "here", workers=0, on_progress=seen.append, **options)
    assert corpus.parts == [0]
    assert [one.done for one in seen[2:6]] == [4, 8, 12, 16]
    tw.corpus.make(CAVES, tmp_path / "workers", workers=2, **options)
    assert read_files(tmp_path / "workers") == read_files(tmp_path / "here")


def test_parts_have_a_size_at_which_they_are_worth_a_file(tmp_path: Path) -> None:
    sizes = {}
    for side, count in ((16, 60), (16, 100_000), (64, 60), (64, 1000), (512, 60)):
        recipe = tw.recipe("caves", width=side, height=side)
        from tilewright.corpus.manifest import Manifest
        from tilewright.corpus.sweep import Sweep

        manifest = Manifest.from_recipe(recipe, seed="1", count=count, measures=(), sweep=Sweep.of({}))
        sizes[side, count] = manifest.part_size
    assert sizes == {(16, 60): 60, (16, 100_000): 1000, (64, 60): 60, (64, 1000): 64, (512, 60): 1}


def test_a_corpus_is_continued_with_the_parts_that_it_was_started_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Version 0.2 started every corpus with 64 parts."""
    from tilewright.corpus import manifest

    options: dict[str, Any] = {"count": 60, "seed": 7, "workers": 0}
    with monkeypatch.context() as patch:
        patch.setattr(manifest, "MIN_CELLS_PER_PART", 1)
        assert len(tw.corpus.make(CAVES, tmp_path / "old", **options).parts) == 60
    before = read_files(tmp_path / "old")
    for number in (3, 40):
        (tmp_path / "old" / "parts" / f"part-{number:06d}.parquet").unlink()
    tw.corpus.make(CAVES, tmp_path / "old", **options)
    assert read_files(tmp_path / "old") == before
    assert Corpus(tmp_path / "old").is_complete
