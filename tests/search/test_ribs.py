"""ribs: its archive as the oracle of ours, and its emitters."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ribs.archives import GridArchive

import tilewright as tw
from tests.jobs.programs import read_files
from tests.search.archives import define_search, make_cave_archive
from tilewright.search import Archive
from tilewright.search.archive import Solutions
from tilewright.search.evaluation import Evaluator
from tilewright.search.rounds import Search

SIZES = (7, 5)
RANGES = ((0.0, 1.0), (1.0, 100.0))
EMITTERS = ("random", "line", "ribs.line", "ribs.cma")


@pytest.mark.parametrize("is_log", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_the_archive_of_ribs_keeps_the_same_elites(seed: int, is_log: bool) -> None:
    """Add random solutions, many of them with equal objectives, to both archives in several batches."""
    regions = (*RANGES[1], SIZES[1], *(["log"] if is_log else []))
    definition = define_search(measures={"floor_share": (*RANGES[0], SIZES[0]), "regions": regions}, evaluations=64)
    ours = Archive(definition)
    scale = np.log if is_log else np.asarray
    theirs = GridArchive(
        solution_dim=2, dims=SIZES, ranges=[RANGES[0], tuple(scale(np.array(RANGES[1])))], dtype=np.float64
    )
    rng = np.random.default_rng(seed)
    for batch in range(6):
        units = rng.random((50, 2))
        objectives = rng.integers(0, 6, 50).astype(float)
        measures = np.stack([rng.random(50), np.exp(rng.random(50) * np.log(100.0))], axis=1)
        known = np.column_stack([measures, objectives])
        no_parents = np.full((50, 2), -1)
        ours.add(Solutions(50 * batch, units, objectives, known, no_parents, np.zeros(50, dtype=np.int64)))
        theirs.add(units, objectives, np.column_stack([measures[:, 0], scale(measures[:, 1])]))
    found = theirs.data(["index", "solution", "objective"])
    order = np.argsort(found["index"])
    rows = ours.sorted_rows
    np.testing.assert_array_equal(ours.rows.cell[rows], found["index"][order])
    np.testing.assert_array_equal(ours.rows.units[rows], found["solution"][order])
    np.testing.assert_array_equal(ours.rows.objective[rows], found["objective"][order])
    assert ours.coverage == theirs.stats.coverage
    assert ours.qd_score == pytest.approx(theirs.stats.qd_score)


def make(folder: Path | None = None, **changes: Any) -> Archive:
    vary = {"walls": (0.3, 0.6), "steps": (0, 8), "outside": ["wall", "floor"], "seed": "free"}
    axes = {"floor_share": (0, 1, 8), "regions": (1, 60, 8, "log")}
    options = {"vary": vary, "measures": axes, "evaluations": 32 * 48, "batch": 48, "emitters": EMITTERS, **changes}
    return make_cave_archive(**options, out=folder, workers=0)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ribs") / "archive"
    make(folder)
    return folder


def test_emitters_of_ribs_find_elites(undisturbed: Path) -> None:
    archive = tw.search.load(undisturbed)
    names = {elite.emitter for elite in archive}
    assert {"ribs.line", "ribs.cma"} <= names
    assert '"reproducible": "on one machine"' in (undisturbed / "manifest.json").read_text()
    outside = {elite.values["outside"] for elite in archive if elite.emitter == "ribs.cma"}
    assert outside <= {"wall", "floor"}


def test_a_search_with_a_state_is_repeatable(undisturbed: Path, tmp_path: Path) -> None:
    make(tmp_path / "archive")
    assert read_files(tmp_path / "archive") == read_files(undisturbed)


@pytest.mark.parametrize("stop", [5, 16, 23, 31])
def test_a_stopped_search_is_resumed_to_the_same_files(undisturbed: Path, tmp_path: Path, stop: int) -> None:
    rounds = []

    def report(progress: object) -> None:
        rounds.append(progress)
        if len(rounds) == stop:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make(tmp_path / "archive", on_progress=report)
    make(tmp_path / "archive")
    assert read_files(tmp_path / "archive") == read_files(undisturbed)


def test_an_extended_search_makes_the_same_files(undisturbed: Path, tmp_path: Path) -> None:
    make(tmp_path / "archive", evaluations=16 * 48 - 10)
    assert tw.search.load(tmp_path / "archive").evaluations == 16 * 48  # a complete period
    tw.search.resume(tmp_path / "archive", evaluations=32 * 48, workers=0)
    assert read_files(tmp_path / "archive") == read_files(undisturbed)


def test_cma_adapts_to_its_results() -> None:
    """The strategies move: their solutions depend on the results of earlier ones."""
    axes = {"floor_share": (0, 1, 8)}
    definition = define_search(measures=axes, evaluations=16 * 48, batch=48, emitters=("ribs.cma",))
    proposals = []
    for sign in (1.0, -1.0):
        search = Search(definition)
        for _ in range(4):
            batch = search.propose()
            found = Evaluator(definition).evaluate(batch.units)
            if search.round == 2:
                at = definition.measures.index("path_length")
                found.measures[:, at] *= sign
            search.add(batch, found)
        proposals.append(search.propose().units)
    assert (proposals[0] != proposals[1]).any()


WITHOUT_EXTRAS = """
import importlib.util, sys
find = importlib.util.find_spec
importlib.util.find_spec = lambda name, package=None: None if name == "ribs" else find(name, package)
for name in ("pyarrow", "dask", "distributed", "duckdb", "fsspec", "zarr", "ribs"):
    sys.modules[name] = None
import tilewright as tw
options = dict(vary=["walls"], measures="floor_share:4", objective="regions", evaluations=8, seed=1)
archive = tw.search.make("caves", **options)
print(archive.heatmap(dpi=96).mode, archive.sheet(width=400).mode)
try:
    tw.search.make("caves", emitters=["ribs.cma"], **options)
except tw.TilewrightError as error:
    print(error)
"""


def test_searches_and_pictures_in_memory_need_no_extra_and_emitters_of_ribs_name_theirs(tmp_path: Path) -> None:
    script = WITHOUT_EXTRAS
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.stdout.splitlines() == [
        "RGB RGB",
        'the emitter ribs.cma needs ribs; install it with: pip install "tilewright[search]"',
    ], done.stderr
