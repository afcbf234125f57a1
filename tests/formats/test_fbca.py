from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilewright as tw
from tests.formats.maps import deep_map, numbered_map
from tests.refusals import refused
from tilewright import formats
from tilewright.core.provenance import verify
from tilewright.formats import LoadedMap, Source, decode
from tilewright.formats.fbca import NEIGHBOURHOOD, FbcaText, parse, to_text

FBCA = formats.format_registry.get("fbca")
PARAMETERS = "sMs[0, 0.5, 0.2, 0.6]g6n2w3l2neighbours[(0, 1), (0, -1), (-1, 0), (1, 0)]"


def read(text: str, width: int | None = None) -> list[LoadedMap]:
    return decode(Source(text.encode(), "x.fbca"), FBCA, width=width)


def test_a_published_file_is_read_and_written_identically(reference: Path) -> None:
    text = (reference / "fbca" / "genTextExample.txt").read_text()
    (record,) = parse(text)
    assert record.cells is not None
    assert record.cells.shape == (100, 100)
    assert "".join(map(str, record.cells[:, 0])) == text[:100]
    assert (record.generations, record.states, record.width, record.length) == (6, 2, 100, 100)
    assert (record.scores, record.neighbourhood) == ((0.0, 0.5, 0.2, 0.6), NEIGHBOURHOOD)
    assert to_text([record]) == text


def test_columns_come_first() -> None:
    (record,) = parse(f"001101\n{PARAMETERS}\n")
    assert record.cells is not None
    assert record.cells.tolist() == [[0, 1], [0, 0], [1, 1]]
    assert to_text([record]) == f"001101\n{PARAMETERS}\n"


def test_a_file_holds_several_automata_their_updates_and_bare_maps() -> None:
    text = f"000000\n000001\n{PARAMETERS}\n\n{PARAMETERS}\n111111\n{PARAMETERS}\n010101\n000111\n"
    records = parse(text, columns=2)
    assert [len(record.frames) for record in records] == [1, 0, 0, 0, 0]
    assert [record.cells is None for record in records] == [False, True, False, False, False]
    assert [bool(record.scores) for record in records] == [True, True, True, False, False]
    assert to_text(records) == text
    assert [found.map.cells.T.ravel().tolist() for found in read(text, 2)] == [
        [0, 0, 0, 0, 0, 1],
        [1, 1, 1, 1, 1, 1],
        [0, 1, 0, 1, 0, 1],
        [0, 0, 0, 1, 1, 1],
    ]


def test_scores_may_be_quoted_and_too_many() -> None:
    (record,) = parse("sMs['0.1', \"2\", 3e-1, -4, 5, '6']g1n2w1l1neighbours[( 2,-3 )]\n")
    assert record.scores == (0.1, 2.0, 0.3, -4.0)
    assert record.neighbourhood == ((2, -3),)


def test_more_than_ten_states_are_separated_by_commas() -> None:
    cells = np.array([[0, 11], [3, 1]], dtype=np.uint8)
    record = FbcaText(cells, (), (0.0,) * 144, 4, 12, 2, 2)
    text = to_text([record])
    assert text.startswith("0,3,11,1,\nsMs[0, ")
    for one in (text, text.replace("1,\n", "1\n")):
        again = parse(one)[0].cells
        assert again is not None
        assert np.array_equal(again, cells)
    with pytest.raises(tw.InvalidRecipe, match="line 1: with n12 a line of digits is ambiguous"):
        parse(text.replace("0,3,11,1,", "03111"))
    single = parse(to_text([FbcaText(cells[:1, 1:], states=12)]), columns=1)
    assert single[0].cells is not None
    assert single[0].cells.tolist() == [[11]]


@settings(max_examples=40)
@given(st.integers(1, 5), st.integers(1, 5), st.sampled_from([2, 10, 11, 64, 255]), st.data())
def test_any_record_round_trips(width: int, length: int, states: int, data: st.DataObject) -> None:
    numbers = st.lists(st.integers(0, states - 1), min_size=width * length, max_size=width * length)
    first, last = (np.array(data.draw(numbers), dtype=np.uint8).reshape(width, length) for _ in range(2))
    score = data.draw(st.floats(allow_nan=False, allow_infinity=False))
    offsets = data.draw(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=1, max_size=3))
    record = FbcaText(last, (first,), (score,) * states**2, 3, states, width, length, tuple(offsets))
    (again,) = parse(to_text([record]))
    assert again.cells is not None
    assert np.array_equal(again.cells, last)
    assert np.array_equal(again.frames[0], first)
    assert (again.scores, again.neighbourhood) == (record.scores, record.neighbourhood)
    assert (again.generations, again.states, again.width, again.length) == (3, states, width, length)


# -- as maps --------------------------------------------------------------------------------------------------


def test_a_map_keeps_its_automaton() -> None:
    map = tw.make("fashion", width=9, height=5, seed=4, states=3, neighbourhood="all", generations=3)
    (found,) = read(formats.encode(map, "fbca").decode())
    assert found.map == map
    assert found.map.recipe
    assert map.recipe
    kept = {"states", "scores", "offsets", "generations", "width", "height"}
    assert [getattr(found.map.recipe.params, name) for name in kept] == [
        getattr(map.recipe.params, name) for name in kept
    ]
    assert found.map.recipe.seed is None
    assert tw.run(found.map.recipe, seed=4) == map
    assert tw.shape(found.map, "flip").shape == map.shape
    assert verify(found.map, found.provenance).outcome == "impossible"


def test_a_file_with_all_updates_can_be_verified() -> None:
    frames = [frame for frame in tw.watch("fashion", width=9, height=5, seed=4, generations=3) if frame.map is None]
    cells = [np.asarray(frame.cells, dtype=np.uint8) for frame in frames]
    recipe = tw.recipe("fashion", width=9, height=5, generations=3)
    record = FbcaText(cells[-1], tuple(cells[:-1]), recipe.params.scores, 3, 6, 5, 9)  # type: ignore[attr-defined]
    (found,) = read(to_text([record]))
    assert verify(found.map, found.provenance).outcome == "same"


def test_a_large_file_with_all_updates_can_be_verified(tmp_path: Path) -> None:
    automaton: dict[str, Any] = {"width": 300, "height": 240, "seed": 4, "generations": 2}
    frames = [frame for frame in tw.watch("fashion", **automaton) if frame.map is None]
    cells = [np.asarray(frame.cells, dtype=np.uint8) for frame in frames]
    scores = tw.recipe("fashion", **automaton).params.scores  # type: ignore[attr-defined]
    record = FbcaText(cells[-1], tuple(cells[:-1]), scores, 2, 6, 240, 300)
    wrong = replace(record, cells=cells[0])
    (tmp_path / "updates.txt").write_text(to_text([record, wrong]))
    verdicts = [tw.verify(tmp_path / "updates.txt", format="fbca", index=index) for index in (0, 1)]
    assert [verdict.outcome for verdict in verdicts] == ["same", "unexpected"]


@pytest.mark.parametrize("tiles", [1, 7, 30, 255])
def test_other_maps_get_an_automaton_that_changes_nothing(tiles: int) -> None:
    map = numbered_map(tiles, 4, 6)
    (found,) = read(formats.encode(map, "fbca").decode())
    assert np.array_equal(found.map.cells, map.cells)
    assert found.map.tileset.names[0] == "state0"
    if found.map.recipe:
        kept = tw.make("fashion", **{**found.map.recipe.params.model_dump(), "generations": 5, "start": map.cells})
        assert np.array_equal(kept.cells, map.cells)


def test_renamed_tiles_are_not_states() -> None:
    tiles = {"state0": "wall", "state1": "floor"}
    map = tw.make("fashion", width=4, height=4, seed=1, states=2, tileset="cave", tiles=tiles)
    assert set(parse(formats.encode(map, "fbca").decode())[0].scores) == {0.0}


def test_unsupported_maps_are_refused() -> None:
    with pytest.raises(tw.InvalidRecipe, match="cannot hold a map with levels"):
        formats.encode(deep_map(), "fbca")
    with pytest.raises(tw.TooLarge, match="must have tile ids below 255, got 299"):
        formats.encode(tw.TileMap([[299]], numbered_map(300).tileset), "fbca")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0101\n", "line 1: a map without a parameter line; give its number of columns as width"),
        ("hello\n" + PARAMETERS, "line 1: 5 cells, its parameters need 6"),
        ("01010x\n" + PARAMETERS, "line 1: contains an invalid state"),
        ("01010é\n" + PARAMETERS, "line 1: neither a map (states) nor parameters (sMs...)"),
        ("010102\n" + PARAMETERS, "line 1: contains state 2; its automaton has states 0..1"),
        ("0,1,0,1,0,x\n" + PARAMETERS, "line 1: neither a map"),
        ("0,1,0,1,0,999\n" + PARAMETERS, "line 1: neither a map"),
        ("0,1,0,1,0," + "9" * 5000 + "\n" + PARAMETERS, "line 1: neither a map"),
        ("0,1,0\n" + PARAMETERS, "line 1: 3 cells, its parameters need 6"),
        ("sMs[1, 2, 3, 4]g", "line 1: parameters must be written as sMs[scores]g"),
        (PARAMETERS.replace("0.6", "nan"), "line 1: scores must be finite numbers"),
        (PARAMETERS.replace("0.6", "__import__('os')"), "line 1: scores must be finite numbers"),
        (PARAMETERS.replace(", 0.6", ""), "line 1: n2 needs 4 scores, got 3 scores"),
        (PARAMETERS.replace("n2", "n0"), "must be in 1..255, got 0"),
        (PARAMETERS.replace("n2", "n999"), "must be in 1..255, got 999"),
        (PARAMETERS.replace("w3", "w999999999"), "line 1: a map must have 1 to 268,435,456 cells, got 2x999,999,999"),
        (PARAMETERS.replace("w3", "w0"), "line 1: a map must have 1 to 268,435,456 cells, got 2x0"),
        (PARAMETERS.replace("(0, 1)", "exit()"), "line 1: `neighbours` must be offsets such as (0, -1)"),
    ],
)
def test_bad_files_are_refused_in_one_line(text: str, message: str) -> None:
    with refused(message, tw.BadFile):
        read(text)


def test_bare_maps_must_fill_their_columns() -> None:
    with pytest.raises(tw.BadFile, match="line 1: 5 cells do not fill 2 columns"):
        read("01010\n", 2)
