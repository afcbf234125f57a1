"""Interrupted work: the finished corpus is the same, byte for byte, for any interruption and number of workers."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import tilewright as tw
from tests.jobs.programs import check_success, children, is_worker, read_files, run_cluster, run_program, wait_for
from tilewright.corpus import Corpus, make

RECIPE = """
technique: rooms
params: {width: 40, height: 30}
require: {path_length: "> 55"}
tries: 1
"""
"""Some of its maps miss the requirement and are recorded as failures."""
COUNT, SEED, MEASURES = 2500, "interrupted", ("floor_share", "regions", "path_length")
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


def command(recipe: Path, folder: Path, *more: str) -> list[str]:
    flags = ["--count", str(COUNT), "--seed", SEED, "--measures", ",".join(MEASURES), "-o", str(folder), *more]
    return [sys.executable, "-c", PROGRAM, "corpus", "make", str(recipe), *flags]


def count_parts(folder: Path) -> int:
    return len(list(folder.glob("parts/part-*.parquet")))


def test_killed_worker_only_repeats_its_task(recipe: Path, undisturbed: dict[str, bytes], tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    with run_program(*command(recipe, folder, "--workers", "2")) as process:
        wait_for(lambda: count_parts(folder) >= 3, process)
        workers = [child for child in children(process.pid) if is_worker(child)]
        assert len(workers) == 2
        workers[0].kill()
        check_success(process)
    assert read_files(folder) == undisturbed


def test_a_cluster_of_separate_processes(recipe: Path, undisturbed: dict[str, bytes], tmp_path: Path) -> None:
    """Use a scheduler and two workers that see neither the folder nor the recipe file."""
    folder, elsewhere = tmp_path / "corpus", tmp_path / "elsewhere"
    elsewhere.mkdir()
    with (
        run_cluster(elsewhere, workers=2) as (address, _),
        run_program(*command(recipe, folder, "--scheduler", address)) as process,
    ):
        check_success(process)
    assert read_files(folder) == undisturbed
    assert Corpus(folder).is_complete
