"""`tilewright compare`: techniques that learn from the same samples."""

from __future__ import annotations

import json
from pathlib import Path

import tilewright as tw
from tests.cli.conftest import Run

QUICK = ("--count", "2", "--seed", "3", "--no-smallest")


def test_a_comparison_is_printed_and_written(tilewright: Run) -> None:
    Path("maps").mkdir()
    for seed in (1, 2):
        tw.make("caves", width=12, height=10, seed=seed).save(f"maps/{seed}.json")
    done = tilewright.succeed("compare", "maps", "--techniques", "markov", *QUICK, "-o", "out", "--size", "9x7")
    heading, row = done.out.splitlines()
    assert heading.startswith("technique  training  per map  failures  new 2  missed 2")
    assert row.startswith("markov")
    assert "0 of 2" in row
    assert "2 maps of 9x7 cells by each technique, seed 3; wrote out" in done.err
    assert sorted(path.name for path in Path("out").iterdir()) == ["sheet.png", "table.csv", "table.json", "table.md"]


def test_json_and_settings(tilewright: Run) -> None:
    settings = ("--set", "markov.temperature=0.5", "--set", "markov.directions=w,s")
    done = tilewright.succeed(
        "compare", "weave", "--techniques", "markov", *QUICK, *settings, "--json", "--size", "8x8"
    )
    data = json.loads(done.out)
    assert [row["technique"] for row in data["rows"]] == ["markov"]
    assert data["width"] == 8
