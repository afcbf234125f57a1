"""Corpora that sweep knobs of their recipe."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tilewright as tw
from tilewright.cli import main
from tilewright.corpus.manifest import Manifest

SWEEP = {"monsters": [2, 5], "size": [32, 44]}
CORPUS: dict[str, Any] = {"count": 8, "seed": 7, "measures": ["markers.monster"], "workers": 0}


def test_a_knob_is_swept_as_a_column_of_its_name(tmp_path: Path) -> None:
    folder = tmp_path / "corpus"
    corpus = tw.corpus.make("roguelike-dungeon", folder, sweep=SWEEP, **CORPUS)
    (batch,) = corpus.batches(columns=["monsters", "size", "width", "markers.monster"])
    rows = [tuple(row.values()) for row in batch.table.to_pylist()]
    assert rows == [(2, 32, 32, 2), (2, 44, 44, 2), (5, 32, 32, 5), (5, 44, 44, 5)] * 2
    assert repr(corpus).splitlines()[0].endswith("8 maps by roguelike-dungeon")
    assert corpus.map(3) == tw.run("roguelike-dungeon", seed="7-3", monsters=5, size=44)
    # The manifest alone makes the same corpus again, also without the recipe's file.
    tw.corpus.make(folder, tmp_path / "again", workers=0)
    assert [path.read_bytes() for path in sorted((folder / "parts").iterdir())] == [
        path.read_bytes() for path in sorted((tmp_path / "again" / "parts").iterdir())
    ]


def test_a_corpus_keeps_the_name_and_the_knobs_of_its_recipe(tmp_path: Path) -> None:
    words = ["corpus", "make", "roguelike-dungeon", "--monsters", "9", "--count", "2", "--seed", "7", "--workers", "0"]
    assert main([*words, "-o", str(tmp_path / "corpus")]) == 0
    manifest = tw.corpus.Corpus(tmp_path / "corpus").manifest
    assert manifest.title == "roguelike-dungeon"
    assert {knob.name: knob.value for knob in manifest.knobs}["monsters"] == 9
    sheet = (tmp_path / "corpus" / "README.md").read_text()
    assert sheet.startswith("# 2 maps by roguelike-dungeon\n")
    assert "`monsters`: 9" in sheet


def test_a_corpus_without_name_and_knobs_is_continued(tmp_path: Path) -> None:
    """As those of version 0.2, whose manifests have neither."""
    folder = tmp_path / "corpus"
    tw.corpus.make("roguelike-dungeon", folder, **CORPUS)
    path = folder / "manifest.json"
    data = Manifest.from_text(path.read_text()).to_data()
    data["recipe"] = {key: value for key, value in data["recipe"].items() if key not in ("name", "knobs")}
    path.write_text(Manifest.from_data(data).text)
    for part in (folder / "parts").iterdir():
        part.unlink()
    again = tw.corpus.make("roguelike-dungeon", folder, **CORPUS)
    assert again.is_complete
    assert again.manifest.title == "bsp"
