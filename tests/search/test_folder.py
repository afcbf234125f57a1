"""Archives in folders: the same bytes for any number of workers and any interruption."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest

import tilewright as tw
from tests.jobs.programs import read_files
from tests.search.archives import make_cave_archive
from tilewright.search import Archive

VARY = {"walls": (0.3, 0.6), "steps": (0, 8), "outside": ["wall", "floor"], "seed": "free"}
SEARCH: dict[str, Any] = {"vary": VARY, "measures": {"floor_share": (0, 1, 12), "regions": (12, "log")}, "batch": 64}
EVALUATIONS = 1280


def make(folder: Path | None, evaluations: int = EVALUATIONS) -> Archive:
    return make_cave_archive(30, 20, **SEARCH, evaluations=evaluations, out=folder, workers=0 if folder else None)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("search") / "archive"
    make(folder)
    return folder


def test_a_search_in_memory_has_the_same_elites(undisturbed: Path) -> None:
    assert list(make(None)) == list(tw.search.load(undisturbed))


def test_an_extended_search_makes_the_same_files(undisturbed: Path, tmp_path: Path) -> None:
    folder = tmp_path / "archive"
    make(folder, 200)
    tw.search.resume(folder, evaluations=640, workers=0)
    make(folder)
    assert read_files(folder) == read_files(undisturbed)


def test_the_table_has_the_columns_of_a_corpus_and_of_the_genes(undisturbed: Path) -> None:
    rows = duckdb.sql(
        f"select id, seed, walls, steps, outside, floor_share, regions, path_length, objective, cell, parents "
        f"from '{undisturbed}/elites.parquet' order by id"
    ).fetchall()
    elites = sorted(tw.search.load(undisturbed), key=lambda elite: elite.number)
    assert len(rows) == len(elites)
    for row, elite in zip(rows, elites, strict=True):
        values = elite.values
        assert row[:5] == (elite.number, str(values["seed"]), values["walls"], values["steps"], values["outside"])
        assert dict(zip(("floor_share", "regions", "path_length"), row[5:8], strict=True)) == elite.measures
        assert (row[8], tuple(row[9]), tuple(row[10])) == (elite.objective, elite.cell, elite.parents)


def test_the_record_of_rounds(undisturbed: Path) -> None:
    records = [json.loads(line) for line in (undisturbed / "rounds.jsonl").read_text().splitlines()]
    assert [record["round"] for record in records] == list(range(EVALUATIONS // 64))
    assert records[-1]["evaluations"] == EVALUATIONS
    assert [one["coverage"] for one in records] == sorted(one["coverage"] for one in records)
    assert [one["qd_score"] for one in records] == sorted(one["qd_score"] for one in records)
    archive = tw.search.load(undisturbed)
    assert records[-1]["qd_score"] == archive.qd_score
    assert records[-1]["best"] == archive.best.objective
