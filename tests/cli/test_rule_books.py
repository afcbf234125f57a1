"""Rulebooks on the command line: as recipes, as data, in sections, and in compact form."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import tilewright as tw
from tests.cli.conftest import Run

BOOK: dict[str, Any] = {
    "mapData": ["24x10", "solid:empty"],
    "roomData": ["tree:4x3:3", "solid:1|empty:2"],
    "names": ["empty", "solid", "gold:2"],
    "generationRules": [
        {"genData": ["2", "room:-1", "connect:plus:1"], "rules": ["empty,all,or,solid>5,solid:1"]},
        {"genData": ["1", "map:-1", "connect:plus:1"], "rules": ["empty,all,or,solid>3,gold:1"]},
    ],
}


@pytest.fixture(autouse=True)
def level() -> None:
    Path("level.json").write_text(json.dumps(BOOK))


def test_rulebook_is_a_recipe(tilewright: Run) -> None:
    assert tilewright("run", "level.json", "--seed", "3").out == f"{tw.run(BOOK, seed=3)}\n"
    Path("level.yaml").write_text("names: [rock, floor]\nmapData: [9x5, 'rock:floor']\nseed: 4\nshaping: [flip]\n")
    tilewright.succeed("run", "level.yaml")


def test_rulebook_sets_the_parameters(tilewright: Run) -> None:
    done = tilewright("make", "rules", "--data", "level.json", "--width", "40", "--seed", "3")
    assert done.out == f"{tw.make('rules', data=BOOK, width=40, seed=3)}\n"
    assert len(done.out.splitlines()[0]) == 40
    other = tilewright("make", "rules", "--data", json.dumps(BOOK), "--width", "40", "--seed", "3")
    assert other.out == done.out


def test_sections_of_a_rulebook_can_be_set(tilewright: Run) -> None:
    wide = tilewright("run", "level.json", "--set", "params.width=31", "--seed", "3")
    assert wide.out == f"{tw.make('rules', data=BOOK, width=31, seed=3)}\n"
    longer = tilewright("run", "level.json", "--set", "params.generationRules.0.genData.0=7", "--seed", "3")
    changed = json.loads(json.dumps(BOOK))
    changed["generationRules"][0]["genData"][0] = "7"
    assert longer.out == f"{tw.run(changed, seed=3)}\n"
    changed["generationRules"][0]["genData"][0] = "1"
    part = ("--set", "generationRules.0.simulations=1", "--seed", "3")
    assert tilewright("make", "rules", "--data", "level.json", *part).out == f"{tw.run(changed, seed=3)}\n"
    cave = json.loads(tilewright("explain", "rules", "--compact").out)
    cave["generationRules"][0]["genData"][0] = "1"
    assert tilewright("make", "rules", *part).out == f"{tw.run(cave, seed=3)}\n"


def test_sections_as_options(tilewright: Run) -> None:
    done = tilewright(
        *("make", "rules", "--names", "empty,solid,gold:2", "--mapData", "24x10,solid:empty"),
        *("--roomData", "tree:4x3:3,solid:1|empty:2", "--generationRules", json.dumps(BOOK["generationRules"])),
        *("--seed", "3"),
    )
    assert done.out == f"{tw.run(BOOK, seed=3)}\n", done.err


def test_back_to_the_compact_form(tilewright: Run) -> None:
    made = json.loads(tilewright("explain", "level.json", "--compact").out)
    assert made["generationRules"] == BOOK["generationRules"]
    assert made["names"] == ["empty:-1", "solid:-1", "gold:2"]
    Path("again.json").write_text(json.dumps(made))
    assert tilewright("run", "again.json", "--seed", "3").out == tilewright("run", "level.json", "--seed", "3").out
    done = tilewright("explain", "open-caves", "--compact")
    assert done.code == 2
    assert done.err == "tilewright: compact: must be technique rules or one of its recipes, got open-caves\n"
    assert json.loads(tilewright("explain", "rules", "--compact").out)["mapData"] == ["80x50", "solid:empty"]


def test_explaining_shows_every_field_of_every_part(tilewright: Run) -> None:
    expected = tilewright("explain", "rules").out
    for part in ("NamedTile", "Neighbourhood", "MapData", "RoomData", "Equal", "Tree", "Layer", "Rule", "Condition"):
        assert f"\n{part}  " in expected
    for default in ("solid:-1,empty:-1", "equal:1x1:1,solid:9|empty:11", "connect:plus:1"):
        assert default in expected
    tilewright.succeed("explain", "level.json")
    schema = json.loads(tilewright("explain", "rules", "--json").out)
    assert schema["$defs"]["Condition"]["properties"]["operator"]["enum"] == [">=", "<=", "==", "!=", ">", "<"]
