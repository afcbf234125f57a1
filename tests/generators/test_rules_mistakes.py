"""Invalid rulebooks: one line that quotes the invalid piece and names its position; no crash and no endless loop."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as some

import tilewright as tw
from tests.cases import read_tables

Data = dict[str, Any]


def second(*rules: Any, where: Any = "room:-1", fix: Any = "none", simulations: Any = "1") -> Data:
    """Return a rulebook whose second layer is this one."""
    good = {"genData": ["0", "room:-1", "none"]}
    return {"generationRules": [good, {"genData": [simulations, where, fix], "rules": list(rules)}]}


def rule(text: str) -> Data:
    """Return a rulebook with this rule after a valid one."""
    return second("empty,all,or,solid>5,solid:1", text)


def read_case(data: Data, words: list[str]) -> tuple[Data, list[str]]:
    """Return a rulebook and the words of its error from a case of the file."""
    match data:
        case {"rule": text}:
            return rule(text), ["generationRules.1.rules.1", *words]
        case {"layer": parts}:
            return second(**parts), ["generationRules.1", *words]
    return data, words


MISTAKES = read_tables(__file__)
CASES = [read_case(*case) for cases in MISTAKES.values() for case in cases]
CASES += [({"neighbourhoods": {"odd": "0" * 5000}}, ["neighbourhoods", "odd", "5000"])]


def get_error_line(make: Callable[[], object]) -> str:
    with pytest.raises(tw.TilewrightError) as caught:
        make()
    line = str(caught.value)
    assert "\n" not in line
    assert len(line) < 1500
    return line


@pytest.mark.parametrize(("data", "words"), CASES, ids=lambda value: str(value)[:60])
def test_bad_input_is_one_line_that_quotes_it_and_names_its_position(data: Data, words: list[str]) -> None:
    line = get_error_line(lambda: tw.recipe("rules", data=data))
    for word in words:
        assert word in line, line
    assert get_error_line(lambda: tw.run(data, seed=1)) == line
    assert get_error_line(lambda: tw.make("rules", **data)) == line


def test_all_mistakes_are_reported_together() -> None:
    data = {
        "mapData": ["15x7", "rock:emty"],
        "roomData": ["equal:9x9:1", "moss:1"],
        "generationRules": [{"genData": ["0", "room:5", "connect:round:1"], "rules": ["fog,al,or,mist>1,haze:1"]}],
    }
    line = get_error_line(lambda: tw.recipe("rules", data=data))
    for word in ("rock", "emty", "equal:9x9:1", "moss", "room:5", "round", "fog", "'al'"):
        assert word in line, line


@pytest.mark.parametrize("count", [8, 9, 12])
def test_mistakes_in_one_string_are_counted(count: int) -> None:
    with pytest.raises(tw.InvalidRecipe) as caught:
        tw.recipe("rules", data=rule(f"empty,all,or,{'|'.join(['solid=1'] * count)},solid:1"))
    shown = caught.value.problems
    assert [one.value for one in shown if one.rule == "more"] == ([count - 8] if count > 8 else [])
    assert len(shown) == min(count, 9)


@pytest.mark.parametrize(
    "data",
    [{"technique": "caves"}, {"data": {"names": ["solid", "empty"]}}, [], 5, True, ""],
)
def test_data_that_is_no_rulebook_is_refused(data: Any) -> None:
    get_error_line(lambda: tw.recipe("rules", data=data))


# -- random input ---------------------------------------------------------------------------------------------------

GOOD: Data = {
    "mapData": ["15x7", "solid:empty", "connect:plus:1"],
    "roomData": ["equal:2x1:2", "solid:1|empty:2|gem:1", "delete:all:1"],
    "names": ["solid", "empty:-1", "gem:3"],
    "neighbourhoods": {"odd": "010,101,000", "even": "11,01"},
    "generationRules": [
        {"genData": ["2", "room:0,1", "connect:plus:2"], "rules": ["empty,odd,or,solid>1|gem==0,solid:1|gem:2"]},
        {"genData": ["1", "map:2,1,5,4", "none"], "rules": ["gem,all,and,gem>=2,empty:1"]},
    ],
}
SMALL = {"width": 9, "height": 7}


def check_error(error: tw.TilewrightError) -> None:
    """Check that the error is one line and not an internal error."""
    assert "\n" not in str(error)
    assert type(error) is not tw.TilewrightError
    assert all(type(one.value) is int for one in error.problems if one.rule == "more")


def check_accepted_or_refused(data: Any, **words: Any) -> None:
    """Check that the data makes a small map, or is refused in one line."""
    try:
        recipe = tw.recipe("rules", data=data, **{**SMALL, **words})
    except tw.TilewrightError as error:
        check_error(error)
        return
    if sum(layer.simulations for layer in recipe.params.generationRules) > 2000:  # type: ignore[attr-defined]
        return  # It would only take long.
    try:
        found = tw.run(recipe, seed=1)
    except tw.TilewrightError as error:
        check_error(error)
        return
    assert found.shape == (7, 9)
    written = json.loads(json.dumps(recipe.params.compact))
    assert tw.recipe("rules", data=written).params == recipe.params


marks = some.text(some.sampled_from(list(":,|<>=!x-+.0123456789eE \t\nalsoidmptyrconequgkn")), max_size=40)
lists = some.builds(lambda piece, mark, count: mark.join([piece] * count), marks, some.sampled_from("|,"), some.just(9))
texts = some.text(max_size=40) | marks | lists
TEXTS: list[tuple[str, Callable[[str], Data]]] = [
    ("size", lambda text: {"mapData": [text]}),
    ("tiles", lambda text: {"mapData": ["9x7", text]}),
    ("map's fix", lambda text: {"mapData": ["9x7", "solid:empty", text]}),
    ("division", lambda text: {"roomData": [text]}),
    ("start", lambda text: {"roomData": ["equal:1x1:1", text]}),
    ("rooms' fix", lambda text: {"roomData": ["equal:1x1:1", "empty:1", text]}),
    ("name", lambda text: {"names": ["solid", "empty", text]}),
    ("neighbourhood", lambda text: {"neighbourhoods": {text: "1"}}),
    ("matrix", lambda text: {"neighbourhoods": {"odd": text}}),
    ("simulations", lambda text: {"generationRules": [{"genData": [text]}]}),
    ("place", lambda text: {"generationRules": [{"genData": ["1", text]}]}),
    ("fix", lambda text: {"generationRules": [{"genData": ["1", "room:-1", text]}]}),
    ("rule", lambda text: {"generationRules": [{"genData": ["1"], "rules": [text]}]}),
    ("conditions", lambda text: {"generationRules": [{"genData": ["1"], "rules": [f"empty,all,or,{text},solid:1"]}]}),
    ("replacements", lambda text: {"generationRules": [{"genData": ["1"], "rules": [f"empty,all,or,solid>1,{text}"]}]}),
    ("section", lambda text: {"names": ["solid", "empty"], text: []}),
    ("data", lambda text: {"names": text, "mapData": text, "roomData": text, "generationRules": text}),
]  # fmt: skip


@pytest.mark.parametrize("place", [place for _, place in TEXTS], ids=[name for name, _ in TEXTS])
@given(texts)
@settings(max_examples=120)
@example("\x00")
@example("\ud800")
@example("\u2028")
@example("²:٣")
@example("1" * 5000)
@example("x" * 200_000)
@example("solid=1|" * 9)
@example("solid:1|" * 3000)
@example("solid>1|" * 3000)
@example("0," * 3000)
@example("solid:1e99999999999")
@example("room:" + "0," * 3000 + "0")
def test_any_text_in_any_place(place: Callable[[str], Data], text: str) -> None:
    check_accepted_or_refused(place(text))


def list_string_paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths to all strings in a data object."""
    if isinstance(value, str):
        return [path]
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, inner in items for found in list_string_paths(inner, (*path, key))]


def replace_at(data: Data, path: tuple[Any, ...], value: Any) -> Data:
    copy = deepcopy(data)
    inner: Any = copy
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    return copy


def get_string(path: tuple[Any, ...]) -> str:
    inner: Any = GOOD
    for key in path:
        inner = inner[key]
    assert isinstance(inner, str)
    return inner


@given(some.sampled_from(list_string_paths(GOOD)), some.data())
@settings(max_examples=800)
def test_good_strings_with_a_few_characters_changed(path: tuple[Any, ...], data: some.DataObject) -> None:
    text = get_string(path)
    for _ in range(data.draw(some.integers(1, 3))):
        at = data.draw(some.integers(0, len(text)))
        many = data.draw(some.integers(0, 2))
        new = data.draw(some.text(some.sampled_from(list(":,|<>=!x-+.019e ?solidempty")), max_size=2))
        text = text[:at] + new + text[at + many :]
    check_accepted_or_refused(replace_at(GOOD, path, text))


anything = some.recursive(
    some.none()
    | some.booleans()
    | some.integers()
    | some.floats()
    | texts
    | some.sampled_from(["solid:1", "plus", "solid", "equal:1x1:1", "15x7", "connect:plus:1"]),
    lambda inner: (
        some.lists(inner, max_size=4)
        | some.dictionaries(
            some.sampled_from(["name", "kind", "tile", "rules", "genData", "fix", "matrix", "count", "simulations"])
            | texts,
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)


def list_paths(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths to all values in a data object."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    inner = [found for key, one in items for found in list_paths(one, (*path, key))]
    return [path, *inner] if path else inner


@given(some.sampled_from(list_paths(GOOD)), anything)
@settings(max_examples=700)
def test_any_structure_in_any_place(path: tuple[Any, ...], value: Any) -> None:
    check_accepted_or_refused(replace_at(GOOD, path, value))


@given(
    some.dictionaries(some.sampled_from([*GOOD, "width", "height", "data", "params", "technique"]) | texts, anything)
)
@settings(max_examples=200)
def test_any_object_as_a_recipe(data: dict[str, Any]) -> None:
    try:
        tw.watch({**data, "width": 9, "height": 7})
    except tw.TilewrightError as error:
        check_error(error)


@pytest.mark.parametrize("section", GOOD)
def test_deep_nesting_is_refused(section: str) -> None:
    deep: Any = "solid:1"
    for _ in range(5000):
        deep = [deep]
    table: Any = {}
    for _ in range(5000):
        table = {"rules": table}
    for value in (deep, table, [deep], [table], {"odd": deep}):
        check_accepted_or_refused({**GOOD, section: value})


def test_a_large_map_is_refused_without_allocating_it() -> None:
    """With steps of (1, 2) and (1, 3) only, the corners of a map are isolated."""
    odd = {"neighbourhoods": {"odd": "0000000,0000000,0000011"}, **second(where="map:-1", fix="connect:odd:1")}
    get_error_line(lambda: tw.recipe("rules", data={**odd, "mapData": ["30x30"]}))
    tracemalloc.start()
    try:
        get_error_line(lambda: tw.recipe("rules", data={**odd, "mapData": ["4000x4000"]}))
        assert tracemalloc.get_traced_memory()[1] < 1 << 25
    finally:
        tracemalloc.stop()
