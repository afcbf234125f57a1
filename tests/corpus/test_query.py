"""Conditions on columns: SQL expressions, and nothing else."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import tilewright as tw
from tests.cases import read_table
from tests.cli.conftest import Run
from tilewright.core.errors import BadFile, InvalidRecipe, UnknownName
from tilewright.corpus import Corpus
from tilewright.corpus.query import find_ids, find_maps


@pytest.fixture(scope="module")
def corpus(caves: Path) -> Corpus:
    return Corpus(caves)


def test_query_equals_a_loop(corpus: Corpus) -> None:
    rows = corpus.table().to_pylist()
    expected = [row for row in rows if row["path_length"] and row["path_length"] > 30 and row["regions"] == 1]
    assert len(expected) > 3
    assert find_ids(corpus, "path_length > 30 and regions = 1") == [row["id"] for row in expected]
    longest = sorted(expected, key=lambda row: (-row["path_length"], row["id"]))[:3]
    answer = find_maps(
        corpus, "Path_Length > 30 AND regions = 1", columns=["id", "seed"], order="-path_length", limit=3
    )
    assert answer.table.to_pylist() == [{"id": row["id"], "seed": row["seed"]} for row in longest]
    assert answer.matches == len(expected)


def test_maps_without_a_value_come_last(corpus: Corpus) -> None:
    values = find_maps(corpus, "true", columns=["path_length"], order="path_length").table["path_length"].to_pylist()
    there = [value for value in values if value is not None]
    assert there == sorted(there)
    assert 0 < len(there) < len(values)
    assert values[len(there) :] == [None] * (len(values) - len(there))
    turned = find_maps(corpus, "true", columns=["path_length"], order="-path_length").table["path_length"].to_pylist()
    assert turned[: len(there)] == there[::-1]


def test_columns_of_measures_with_an_argument() -> None:
    recipe = tw.recipe("caves", width=12, height=8)
    measures = ["count.floor", "markers.goblin"]
    corpus = tw.corpus.make(recipe, "memory://counted", count=8, seed=7, measures=measures, workers=0)
    expected = [number for number in range(8) if corpus.map(number).where("floor").sum() > 40]
    assert 0 < len(expected) < 8
    assert find_ids(corpus, '"count.floor" > 40 and "markers.goblin" = 0') == expected
    with pytest.raises(InvalidRecipe, match=r'write the column count\.floor in double quotes: "count\.floor"'):
        find_ids(corpus, "count.floor > 40")
    with pytest.raises(UnknownName, match=r"count\.flor: unknown tile 'flor'; did you mean 'floor'"):
        tw.corpus.make(recipe, "memory://mistyped", count=8, seed=7, measures=["count.flor"], workers=0)
    with pytest.raises(InvalidRecipe, match="measures: 'cells' is a column of every corpus"):
        tw.corpus.make(recipe, "memory://mistyped", count=8, seed=7, measures=["cells"], workers=0)


@pytest.mark.parametrize("condition", read_table(__file__, "typical conditions"))
def test_typical_conditions(corpus: Corpus, condition: str) -> None:
    answer = find_maps(corpus, condition)
    assert answer.matches == answer.table.num_rows
    assert "cells" not in answer.table.column_names


ELSEWHERE = {
    **read_table(__file__, "invalid conditions"),
    "deep": "(" * 3000 + "1" + ")" * 3000,
    "long": "1 = 1 or " * 5000 + "1 = 1",
}


@pytest.mark.parametrize("condition", ELSEWHERE.values(), ids=ELSEWHERE)
def test_invalid_conditions_are_one_line(corpus: Corpus, condition: str) -> None:
    with pytest.raises(InvalidRecipe, match=r"^query: ") as caught:
        find_maps(corpus, condition)
    assert len(str(caught.value)) < 400


def test_unknown_column_gives_a_suggestion(corpus: Corpus) -> None:
    with pytest.raises(UnknownName, match="unknown column 'path_lenght'; did you mean 'path_length'"):
        find_maps(corpus, "path_lenght > 3")
    with pytest.raises(UnknownName, match="did you mean 'regions'"):
        find_maps(corpus, "true", order="region")
    with pytest.raises(UnknownName, match="did you mean 'seed'"):
        find_maps(corpus, "true", columns=["sed"])
    with pytest.raises(InvalidRecipe, match="column 'cells' contains maps"):
        find_maps(corpus, "cells is null")
    with pytest.raises(InvalidRecipe, match="limit: must be an integer of at least 1, got 0"):
        find_maps(corpus, "true", limit=0)


def test_a_damaged_part_is_named(caves: Path, tmp_path: Path) -> None:
    shutil.copytree(caves, tmp_path / "mine")
    part = sorted(tmp_path.glob("mine/parts/*"))[3]
    part.write_bytes(part.read_bytes()[:100])
    with pytest.raises(BadFile, match=f"{part.name} is damaged"):
        find_maps(Corpus(tmp_path / "mine"), "true")


def test_the_command(tilewright: Run, caves: Path) -> None:
    done = tilewright.succeed("corpus", "query", str(caves), "regions = 1", "--limit", "3", "--order", "-path_length")
    assert done.out.splitlines()[0].split() == ["id", "seed", "walls", "floor_share", "regions", "path_length"]
    assert len(done.out.splitlines()) == 4
    assert done.err.endswith(" maps of 300, showing the first 3\n")
    rows = json.loads(tilewright("corpus", "query", str(caves), "id = 5", "--columns", "id,walls", "--json").out)
    assert rows == [{"id": 5, "walls": 0.5}]
    assert tilewright("corpus", "query", str(caves), "false").err == "0 maps of 300\n"
    done = tilewright("corpus", "query", str(caves), "patth_length > 3")
    assert (done.code, done.out) == (2, "")
    assert done.err == "tilewright: unknown column 'patth_length'; did you mean 'path_length'?\n"
