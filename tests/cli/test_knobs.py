"""Knobs on the command line: as options, with --knob, in help, and in what is listed and explained."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import tilewright as tw
from tests.cases import read_table
from tilewright.cli import main

RECIPE = read_table(__file__, "recipe")


@pytest.fixture
def recipe(tmp_path: Path) -> str:
    path = tmp_path / "cave.yaml"
    path.write_text(RECIPE)
    return str(path)


def test_a_knob_is_an_option(recipe: str, tmp_path: Path) -> None:
    paths = [str(tmp_path / f"{number}.json") for number in range(3)]
    assert main(["run", recipe, "--openness", "9", "--thick-border", "--seed", "7", "-o", paths[0]]) == 0
    turned = ["--knob", "openness=9", "--knob", "thick-border=true"]
    assert main(["run", *turned, recipe, "--seed", "7", "-o", paths[1]]) == 0
    assert main(["run", "--openness", "9", recipe, "--thick-border", "--seed", "7", "-o", paths[2]]) == 0
    expected = tw.run(recipe, knobs={"openness": 9, "thick_border": True}, seed=7)
    assert [tw.load(path) for path in paths] == [expected] * 3
    assert main(["verify", *paths]) == 0


def test_settings_replace_what_knobs_set(recipe: str, tmp_path: Path) -> None:
    path = str(tmp_path / "map.json")
    words = ["run", recipe, "--openness", "9", "--set", "params.walls=0.1", "--seed", "7", "-o", path]
    assert main(words) == 0
    found = tw.load(path).recipe
    assert found is not None
    assert found.to_data()["params"]["walls"] == 0.1


def test_export_and_corpus_take_knobs(recipe: str, tmp_path: Path) -> None:
    words = ["export", recipe, "--openness", "0", "--engine", "tiled", "-o", str(tmp_path / "game"), "--seed", "7"]
    assert main(words) == 0
    made = ["corpus", "make", recipe, "--knob", "openness=0", "--count", "1", "--workers", "0", "--seed", "7"]
    assert main([*made, "-o", str(tmp_path / "corpus")]) == 0
    manifest = json.loads((tmp_path / "corpus" / "manifest.json").read_text())
    assert manifest["recipe"]["params"]["walls"] == 0.6
    assert manifest["recipe"]["knobs"]["openness"]["drives"]


def test_help_lists_the_knobs_of_the_recipe(recipe: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", recipe, "--help"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    assert "Knobs: --openness INTEGER Amount of open space. [0..10, default 5]" in shown
    assert "--thick-border / --no-thick-border Whether the border is thick. [default false]" in shown
    assert main(["run", "--help"]) == 0
    assert "Knobs:" not in capsys.readouterr().out


def test_explain_and_list_show_knobs(recipe: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", recipe]) == 0
    shown = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["knob", "range", "default", "description"] in shown
    assert ["openness", "0..10", "5", "Amount", "of", "open", "space."] in shown
    assert shown[-1][-4:] == ["--openness", "10", "--seed", "7"]
    assert main(["list", "recipes", "--json"]) == 0
    listed: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["recipes"]
    assert "parks" in next(one["knobs"] for one in listed if one["name"] == "city-blocks")
