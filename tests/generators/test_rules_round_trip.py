"""Rulebooks written as compact strings and read again are equal."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

import tilewright as tw
from tests.generators.rulebooks import COMPARE, DOCUMENT, FULL, RULES, USUAL, names_of, params_of


@pytest.mark.parametrize("data", [*DOCUMENT.values(), FULL, USUAL])
def test_a_rulebook_written_and_read_again_makes_the_same_map(data: dict[str, Any]) -> None:
    params = params_of(data)
    written = json.loads(json.dumps(params.compact))
    assert params_of(written) == params
    assert params_of(written).compact == written
    assert tw.run(written, seed=4) == tw.run(data, seed=4)
    # The object's own sections are unchanged.
    plain = {name: written[name] for name in data}
    assert params_of({**plain}) == params
    if data is DOCUMENT["first"] or data is DOCUMENT["second"]:
        assert plain == data


names = (
    some.text("abcdefghij -_äöß0123456789.", min_size=1, max_size=8).map(lambda text: text.strip().lower()).filter(bool)
)


def record(**fields: some.SearchStrategy[Any] | Any) -> some.SearchStrategy[dict[str, Any]]:
    """Return a strategy of dictionaries; a field that is no strategy has this value."""
    strategies = {
        name: field if isinstance(field, some.SearchStrategy) else some.just(field) for name, field in fields.items()
    }
    return some.fixed_dictionaries(strategies)


@some.composite
def books(draw: some.DrawFn) -> dict[str, Any]:
    """Return any rulebook, by its fields."""
    tiles = draw(some.lists(names, min_size=2, max_size=6, unique=True))
    tile = some.sampled_from(tiles)
    width, height = draw(some.integers(3, 40)), draw(some.integers(3, 40))
    sides = draw(
        some.lists(some.tuples(names, some.integers(1, 5), some.integers(1, 5)), max_size=3, unique_by=lambda x: x[0])
    )
    around = [
        {
            "name": name,
            "matrix": draw(some.lists(some.lists(some.integers(0, 1), min_size=w, max_size=w), min_size=h, max_size=h)),
        }
        for name, w, h in sides
    ]
    neighbourhood = some.sampled_from(["plus", "all", *(one["name"] for one in around)])
    weight = some.floats(0, 1e12, exclude_min=True) | some.integers(0, 9) | some.just(0)
    weighted = some.lists(record(tile=tile, weight=weight), min_size=1, max_size=3).filter(
        lambda tiles: any(one["weight"] for one in tiles)
    )
    # Neighborhoods of a book may be unable to connect, so fixes use only these.
    safe = ["plus", "all"] if not {"plus", "all"} & {one["name"] for one in around} else []
    kinds, own = some.sampled_from(["connect", "delete"]), some.sampled_from(safe or ["none"])
    mending = record(kind=kinds, neighbourhood=own, thickness=some.integers(1, 9))
    nothing = record(kind="none", neighbourhood=neighbourhood, thickness=some.integers(1, 64))
    fix = (mending | nothing) if safe else nothing
    columns, rows = draw(some.integers(1, width // 3)), draw(some.integers(1, height // 3))
    wide, high = draw(some.integers(1, width - 2)), draw(some.integers(1, height - 2))
    fit = (width // (wide + 2)) * (height // (high + 2))
    equal = record(kind="equal", columns=columns, rows=rows, rooms=some.integers(1, columns * rows))
    division = draw(equal | record(kind="tree", width=wide, height=high, rooms=some.integers(1, fit)))
    x, y = draw(some.integers(0, width - 1)), draw(some.integers(0, height - 1))
    rectangle = some.tuples(some.just(x), some.just(y), some.integers(1, width - x), some.integers(1, height - y))
    ids = some.lists(some.integers(0, division["rooms"] - 1), min_size=1, max_size=4)
    place = record(kind="map", rectangle=some.none() | rectangle) | record(kind="room", ids=some.none() | ids)
    count, operator = some.integers(-(10**6), 10**6), some.sampled_from(list(COMPARE))
    condition = record(tile=tile, operator=operator, count=count)
    rule = record(
        tile=tile,
        neighbourhood=neighbourhood,
        combine=some.sampled_from(["and", "or"]),
        conditions=some.lists(condition, min_size=1, max_size=3),
        replacements=weighted,
    )
    layer = record(simulations=some.integers(0, 3), where=place, fix=fix, rules=some.lists(rule, max_size=3))
    limit = some.integers(-1, 9) | some.integers(10, 10**8)
    return {
        "width": width,
        "height": height,
        "names": [{"name": name, "maximum": draw(limit)} for name in tiles],
        "neighbourhoods": around,
        "mapData": {"initial": tiles[0], "dig": tiles[1], "fix": draw(some.none() | fix)},
        "roomData": {"division": division, "start": draw(weighted), "fix": draw(some.none() | fix)},
        "generationRules": draw(some.lists(layer, max_size=3)),
    }  # fmt: skip


@given(books())
@settings(max_examples=150)
def test_every_rulebook_can_be_written_and_read_again(book: dict[str, Any]) -> None:
    params = RULES.validate(book)
    written = json.loads(json.dumps(params.compact))
    assert RULES.validate(written) == params
    assert RULES.validate(written).compact == written
    assert RULES.validate(json.loads(params.model_dump_json())) == params


@given(books(), some.integers(0, 99))
@settings(max_examples=120)
def test_every_rulebook_makes_a_map(book: dict[str, Any], seed: int) -> None:
    params = RULES.validate(book)
    found = tw.run({"technique": "rules", "params": book}, seed=seed)
    assert found == tw.run(params.compact, seed=seed)
    assert found.shape == params.shape
    assert len(found.rooms) == params.roomData.division.rooms
    assert set(names_of(found).flat) <= {name["name"] for name in book["names"]}
    for name in book["names"][2:]:
        assert (names_of(found) == name["name"]).sum() <= name["maximum"] or name["maximum"] < 0


def test_every_part_is_described_in_the_schema() -> None:
    schema = RULES.model_json_schema()
    assert set(schema["properties"]) == {"width", "height", "data", *USUAL}
    wanted = {"tile", "operator", "count", "conditions", "replacements", "simulations", "where", "rooms", "thickness"}
    seen: dict[str, Any] = {}
    for one in schema["$defs"].values():
        seen |= one.get("properties", {})
    assert wanted <= set(seen)
    assert all(field.get("description") for field in (*seen.values(), *schema["properties"].values()))


SCHEMA = jsonschema.Draft202012Validator(RULES.model_json_schema())


@given(books())
@settings(max_examples=50)
def test_the_schema_allows_what_is_read_in_fields_and_in_strings(book: dict[str, Any]) -> None:
    params = RULES.validate(book)
    SCHEMA.validate(json.loads(params.model_dump_json()))
    SCHEMA.validate(json.loads(json.dumps(params.compact)))


@pytest.mark.parametrize("data", [*DOCUMENT.values(), FULL, USUAL])
def test_the_schema_allows_the_examples_of_the_documentation(data: dict[str, Any]) -> None:
    SCHEMA.validate(data)


@pytest.mark.parametrize(
    "data",
    [
        {"names": "solid"},
        {"generationRules": [{"genDatum": ["1"]}]},
        {"generationRules": [{"rules": [7]}]},
        {"roomData": 3},
        {"neighbourhoods": {"plus": 10}},
    ],
)
def test_the_schema_refuses_what_is_not_read(data: dict[str, Any]) -> None:
    assert not SCHEMA.is_valid(data)
    with pytest.raises(tw.TilewrightError):
        RULES.validate(data)
