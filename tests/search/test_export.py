"""Archives as corpora."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import tilewright as tw
from tests.jobs.programs import read_files
from tests.search.archives import OPTIONS, make_cave_archive
from tilewright.search import Archive


def make_caves(**changes: Any) -> Archive:
    vary = {"walls": (0.3, 0.6), "steps": (0, 8), "outside": ["wall", "floor"], "seed": "free"}
    axes = {"floor_share": (0, 1, 6), "regions": (1, 100, 6, "log")}
    return make_cave_archive(24, 16, **{"vary": vary, "measures": axes, "evaluations": 64, "batch": 32, **changes})


def check_maps(archive: Archive, corpus: tw.corpus.Corpus) -> None:
    """Check that a corpus contains the maps, seeds and measures of an archive, in the order of the cells."""
    assert len(corpus) == len(archive) > 0
    for number, elite in enumerate(archive):
        row = corpus.row(number)
        assert row["seed"] == elite.recipe.seed
        assert corpus.map(number) == elite.map
        for name, value in elite.measures.items():
            assert row[name] == value


def test_a_corpus_contains_the_maps_of_an_archive(tmp_path: Path) -> None:
    archive = make_caves()
    corpus = archive.to_corpus(tmp_path / "corpus", workers=0)
    check_maps(archive, corpus)
    elites = list(archive)
    table = corpus.table(["walls", "steps", "outside"]).to_pylist()
    assert table == [{name: elite.values[name] for name in ("walls", "steps", "outside")} for elite in elites]
    assert "Map i has value i" in (tmp_path / "corpus" / "README.md").read_text()


def test_score_matrices_are_a_column_of_json(tmp_path: Path) -> None:
    options = {**OPTIONS, "vary": ["scores"], "evaluations": 32}
    archive = tw.search.make({"technique": "fashion", "params": {"width": 20, "height": 12}}, **options)
    corpus = archive.to_corpus(tmp_path / "corpus", workers=0)
    check_maps(archive, corpus)
    stored = [json.loads(text) for text in corpus.table(["scores"])["scores"].to_pylist()]
    assert stored == [elite.values["scores"] for elite in archive]


def test_knobs_shapers_and_sizes_are_exported(tmp_path: Path) -> None:
    recipe = {
        "technique": "caves",
        "params": {"width": 24, "height": 16},
        "shaping": [{"border": {"thickness": 1}}],
        "knobs": {"rock": {"drives": "params.walls", "range": [0.3, 0.6], "description": "Fraction of rock."}},
    }
    vary = {"rock": None, "shaping.0.thickness": (1, 3), "width": (20, 30)}
    archive = tw.search.make(
        recipe, **{**OPTIONS, "vary": vary, "measures": {"floor_share": (0, 1, 8)}}, evaluations=32
    )
    corpus = archive.to_corpus(tmp_path / "corpus", workers=0)
    check_maps(archive, corpus)
    names = corpus.table().column_names
    assert {"walls", "shaping_0_thickness", "params_width"} <= set(names)


def test_a_style_is_exported_with_its_first_seed(tmp_path: Path) -> None:
    archive = make_caves(vary={"walls": (0.3, 0.6)}, repeats=3, evaluations=16, batch=16)
    corpus = archive.to_corpus(tmp_path / "corpus", workers=0)
    assert [corpus.map(number) == elite.map for number, elite in enumerate(archive)] == [True] * len(archive)


def test_the_manifest_of_an_exported_corpus_makes_it_again(tmp_path: Path) -> None:
    make_caves().to_corpus(tmp_path / "first", workers=0)
    tw.corpus.make(str(tmp_path / "first" / "manifest.json"), tmp_path / "second", workers=0)
    assert read_files(tmp_path / "first") == read_files(tmp_path / "second")


def test_an_export_continues_and_refuses_other_maps(tmp_path: Path) -> None:
    archive = make_caves()
    corpus = archive.to_corpus(tmp_path / "corpus", workers=0)
    part = min((tmp_path / "corpus").rglob("*.parquet"))
    before = part.read_bytes()
    part.unlink()
    assert len(archive.to_corpus(tmp_path / "corpus", workers=0)) == len(corpus)
    assert part.read_bytes() == before
    with pytest.raises(tw.BadFile, match="contains another corpus"):
        make_caves(seed=8).to_corpus(tmp_path / "corpus", workers=0)


def test_archives_in_folders_are_exported(tmp_path: Path) -> None:
    make_caves(out=tmp_path / "archive", workers=0)
    archive = tw.search.load(tmp_path / "archive")
    check_maps(archive, archive.to_corpus(tmp_path / "corpus", workers=0))
