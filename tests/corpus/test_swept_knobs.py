"""Corpora that sweep knobs of their recipe."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

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


def density(low: float, high: float) -> dict[str, Any]:
    """Return a recipe with a knob for the walls."""
    knob = {"range": [0, 10], "drives": {"params.walls": [low, high]}}
    return {"technique": "caves", "params": {"width": 16, "height": 12, "walls": low}, "knobs": {"density": knob}}


def test_another_meaning_of_a_swept_knob_is_another_corpus(tmp_path: Path) -> None:
    sweep: dict[str, Any] = {"sweep": {"density": [0, 10]}, "count": 4, "seed": 1, "workers": 0}
    tw.corpus.make(density(0.3, 0.5), tmp_path / "swept", **sweep)
    tw.corpus.make(density(0.3, 0.5), tmp_path / "swept", **sweep)
    with pytest.raises(tw.BadFile, match="contains another corpus"):
        tw.corpus.make(density(0.3, 0.9), tmp_path / "swept", **sweep)
    # A knob that does not vary changes no map.
    plain: dict[str, Any] = {"count": 4, "seed": 1, "workers": 0}
    tw.corpus.make(density(0.3, 0.5), tmp_path / "plain", **plain)
    tw.corpus.make(density(0.3, 0.9), tmp_path / "plain", **plain)


def test_a_knob_and_what_it_drives_do_not_vary_together(tmp_path: Path) -> None:
    rule = "the knob density drives params.walls; vary one of them"
    with pytest.raises(tw.InvalidRecipe, match=rule):
        tw.corpus.make(
            density(0.3, 0.5),
            tmp_path / "c",
            count=2,
            seed=1,
            workers=0,
            sweep={"knobs.density": [0, 10], "walls": [0.4]},
        )
    with pytest.raises(tw.InvalidRecipe, match=rule):
        tw.search.make(
            density(0.3, 0.5), vary={"density": (0, 10), "walls": (0.3, 0.6)}, measures=["floor_share"],
            objective="path_length", evaluations=8, seed=1,
        )  # fmt: skip


def test_knobs_of_sweeps_are_found_as_on_the_command_line(tmp_path: Path) -> None:
    options: dict[str, Any] = {"count": 2, "seed": 1, "workers": 0}
    corpus = tw.corpus.make("flooded-cavern", tmp_path / "c", sweep={"tunnel-width": [1, 3]}, **options)
    assert "tunnel_width" in corpus.columns
    with pytest.raises(tw.InvalidRecipe, match="sweep: unknown parameter or knob 'opennes'; did you mean 'openness'"):
        tw.corpus.make("flooded-cavern", tmp_path / "d", sweep={"opennes": [1]}, **options)
    turned = tw.corpus.make(
        "roguelike-dungeon", tmp_path / "e", knobs={"monsters": 3}, measures=["markers.monster"], **options
    )
    assert turned.map(1) == tw.run("roguelike-dungeon", seed="1-1", monsters=3)
