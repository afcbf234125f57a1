"""Values as strings: what is written is read as exactly the same value, for all parameters."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tilewright as tw
from tests.cases import read_table
from tests.field_values import values_of
from tilewright.core.errors import InvalidRecipe, UnknownName
from tilewright.core.fields import Field, fields_by_name, fields_of
from tilewright.core.notation import (
    UnwritableValue,
    read_pairs,
    read_requirement,
    read_setting,
    read_stage,
    read_sweep,
    read_value,
    write_pairs,
    write_requirement,
    write_stage,
    write_value,
)
from tilewright.core.registry import shapers, techniques

ENTRIES: dict[str, Any] = {
    f"{kind}-{entry.name}": entry
    for kind, registry in (("technique", tw.list_techniques), ("shaper", tw.list_shapers), ("format", tw.list_formats))
    for entry in registry()
    if fields_of(entry.params)
}


def same(one: Any, other: Any) -> bool:
    return json.dumps(one) == json.dumps(other)


def caves(name: str) -> Field:
    return fields_by_name(techniques.get("caves").params)[name]


@pytest.mark.parametrize("name", ENTRIES)
@settings(max_examples=60)
@given(st.data())
def test_written_values_are_read_as_the_same(name: str, data: st.DataObject) -> None:
    """All structured values can be written. Of the others, only strings that read as another value cannot."""
    field = data.draw(st.sampled_from(fields_of(ENTRIES[name].params)))
    value = data.draw(values_of(field))
    try:
        text = write_value(value, field)
    except UnwritableValue:
        assert isinstance(value, str) or value is None
        return
    assert same(read_value(text, field), value)


@pytest.mark.parametrize("name", [name for name in ENTRIES if name.startswith("shaper")])
@settings(max_examples=40)
@given(st.data())
def test_a_stage_is_read_as_the_same(name: str, data: st.DataObject) -> None:
    entry = ENTRIES[name]
    fields = data.draw(st.lists(st.sampled_from(fields_of(entry.params)), unique_by=lambda field: field.name))
    params = {field.name: data.draw(values_of(field)) for field in fields}
    assert same(read_stage(write_stage(entry.name, params)), [entry.name, params])


@pytest.mark.parametrize(("text", "value"), read_table(__file__, "typed values are read"))
def test_typed_values_are_read(text: str, value: Any) -> None:
    assert same(read_value(text, caves("offset")), value)


def test_values_are_written_as_typed() -> None:
    assert write_value([3, -4], caves("offset")) == "3,-4"
    assert write_value(None, caves("offset")) == "none"
    assert write_value(0.4, caves("walls")) == "0.4"
    assert write_value("floor", caves("outside")) == "floor"
    assert write_stage("connect", {"thickness": 2, "tile": None}) == "connect,thickness=2,tile=none"


def test_files_are_read_only_if_the_caller_allows_it() -> None:
    files = {"scores.json": "[1, 2]"}
    field = caves("offset")
    assert read_value("@scores.json", field, files.__getitem__) == [1, 2]
    assert read_value("@scores.json", field) == ["@scores.json"]
    tile = fields_by_name(shapers.get("border").params)["tile"]
    assert read_value("@", tile, files.__getitem__) == "@"
    with pytest.raises(UnwritableValue):
        write_value("@scores.json", tile)


def test_parts_of_a_value() -> None:
    values: dict[str, Any] = {}
    read_setting(values, "scores.0=0.5", techniques.get("fashion").params)
    assert values["scores"][0] == 0.5
    assert len(values["scores"]) == 36
    with pytest.raises(InvalidRecipe) as error:
        read_setting(values, "scores.99=1", techniques.get("fashion").params)
    assert error.value.problems[0].path == ("scores", 99)
    with pytest.raises(UnknownName):
        read_setting(values, "scors.0=1", techniques.get("fashion").params)


def test_pairs_requirements_and_sweeps() -> None:
    pairs = {"floor": "grass", "wall": "high rock"}
    assert read_pairs(write_pairs(pairs), "tiles") == pairs
    with pytest.raises(UnwritableValue):
        write_pairs({"floor": "a,b=c"})
    for wanted in (">80", "<=4", "most", "3", "!=1"):
        assert read_requirement(write_requirement("regions", wanted)) == ("regions", wanted)
    assert write_requirement("regions", ">80") == "regions>80"
    for name in ("count.treasure", "count.deep water", "markers.key red"):
        assert read_requirement(write_requirement(name, ">=3")) == (name, ">=3")
    assert read_requirement("count.deep water = 3") == ("count.deep water", "3")
    assert read_sweep("walls=0.4..0.5:0.02") == ("walls", {"from": 0.4, "to": 0.5, "step": 0.02})
    assert read_sweep("wrap=true,false") == ("wrap", [True, False])
