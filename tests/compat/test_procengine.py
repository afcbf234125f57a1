"""The functions of ProcEngine: all examples of its documentation, unchanged, as data and through the module."""

from __future__ import annotations

import json
from importlib import reload
from typing import Any

import pytest

import tilewright as tw
from tests.cases import read_table
from tests.generators.rulebooks import DOCUMENT
from tests.refusals import refused
from tilewright.compat import procengine

EXAMPLES: dict[str, dict[str, Any]] = {**DOCUMENT, **read_table(__file__, "examples of single keys")}


@pytest.fixture(autouse=True)
def _reload_module() -> None:
    reload(procengine)


@pytest.mark.parametrize("data", EXAMPLES.values(), ids=EXAMPLES)
def test_examples_run_unchanged(data: dict[str, Any]) -> None:
    given = json.dumps(data)
    procengine.initialize(data)
    for generate in (procengine.generateMap, procengine.generateLevel):
        level = generate()
        assert [len(row) for row in level] == [15] * 7
        assert {name for row in level for name in row} <= {"empty", "solid"}
        assert set(level[0]) == set(level[-1]) == {"solid"}
    assert json.dumps(data) == given


@pytest.mark.parametrize("name", [name for name, data in EXAMPLES.items() if data])
def test_the_data_as_a_recipe_makes_the_same_maps(name: str) -> None:
    data = EXAMPLES[name]
    procengine.initialize(data, seed="here")
    for number in range(3):
        m = tw.run(data, seed=f"here-{number}")
        assert procengine.generateMap() == [[m.tileset[tile].name for tile in row] for row in m.cells.tolist()]


def test_one_room_as_in_published_results() -> None:
    """Published pictures show a closed wall with one connected cave inside."""
    procengine.initialize(EXAMPLES["first"], seed=1)
    for _ in range(200):
        level = procengine.generateMap()
        floor = {(y, x) for y, row in enumerate(level) for x, name in enumerate(row) if name == "empty"}
        if not floor:
            continue
        reached, waiting = set(), [next(iter(floor))]
        while waiting:
            y, x = waiting.pop()
            if (y, x) in floor and (y, x) not in reached:
                reached.add((y, x))
                waiting += [(y + 1, x), (y - 1, x), (y, x + 1), (y, x - 1)]
        assert reached == floor


def test_maps_differ_and_are_reproducible() -> None:
    procengine.initialize(EXAMPLES["first"], seed=7)
    first = [procengine.generateMap() for _ in range(5)]
    assert len({str(level) for level in first}) == 5
    procengine.initialize(EXAMPLES["first"], seed=7)
    assert [procengine.generateMap() for _ in range(5)] == first
    procengine.initialize(EXAMPLES["first"])
    assert [procengine.generateMap() for _ in range(5)] != first


@pytest.mark.parametrize("data", EXAMPLES.values(), ids=EXAMPLES)
def test_to_string_returns_equivalent_data(data: dict[str, Any]) -> None:
    procengine.initialize(data, seed=1)
    text, level = procengine.toString(), procengine.generateMap()
    assert set(json.loads(text)) == {"mapData", "roomData", "names", "neighbourhoods", "generationRules"}
    procengine.initialize(json.loads(text), seed=1)
    assert procengine.toString() == text
    assert procengine.generateMap() == level


def test_debug_mode_prints_every_step(capsys: pytest.CaptureFixture[str]) -> None:
    procengine.initialize(EXAMPLES["first"], seed=3)
    quiet = procengine.generateMap()
    assert capsys.readouterr().out == ""
    procengine.initialize(EXAMPLES["first"], seed=3)
    procengine.testing.isDebug = True
    assert procengine.generateMap() == quiet
    notes, *rows = zip(*(step.split("\n") for step in capsys.readouterr().out.strip("\n").split("\n\n")), strict=True)
    assert notes[:2] == ("map", "room 0")
    assert notes[2:] == ("layer 0, simulation 1", "layer 0, simulation 2", "layer 0, connect", "layer 1, connect")
    assert [step[0] for step in zip(*rows, strict=True)] == ["1" * 15] * 6
    assert [row[-1] for row in rows] == ["".join(str(int(name == "solid")) for name in row) for row in quiet]


def test_the_forty_first_name_is_a_capital_letter(capsys: pytest.CaptureFixture[str]) -> None:
    names = ["solid", "empty", *(f"tile {number}" for number in range(70))]
    procengine.initialize({"names": names, "roomData": ["equal:1x1:1", "tile 38:1"], "mapData": ["3x3"]})
    procengine.testing.isDebug = True
    assert procengine.generateMap()[1] == ["solid", "tile 38", "solid"]
    assert "0E0" in capsys.readouterr().out


def test_mistakes_are_one_line() -> None:
    with pytest.raises(tw.TilewrightError, match="initialize"):
        procengine.generateMap()
    wrongs: list[Any] = [[], "level.json", 3]
    for wrong in wrongs:
        with pytest.raises(tw.TilewrightError, match="data: must be an object"):
            procengine.initialize(wrong)
    with pytest.raises(tw.TilewrightError, match="unknown name 'sand'"):
        procengine.initialize({"roomData": ["equal:1x1:1", "sand:1"]})
    with refused("smoothRules: is no longer supported; write it as a layer of generationRules"):
        procengine.initialize({"smoothRules": []})
