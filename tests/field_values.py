"""Hypothesis strategies for the values of a field."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tilewright.core.fields import UNSET, Field

WORDS = ("floor", "wall", "left to right", "#", "1", "1e5", "none", "null", "true")
NOTATION = ("a,b", "c=d", "e,f=g", "[x", "{", "@f")
"""Strings that the notation of values reads as something else."""
WHOLE = {
    "map": st.sampled_from(["dungeon", "ab\nba", ["ab", "ba"], [["floor", "wall"]]]),
    "recipe": st.sampled_from(["islets", {"technique": "caves", "params": {"walls": 0.3}}]),
}


def values_of(field: Field, depth: int = 3) -> st.SearchStrategy[Any]:
    """Return a strategy for plain JSON that a field's schema allows. The model may still reject it."""
    found = [_values(one, depth) for one in field.alternatives]
    return st.one_of(*found, *([st.none()] if field.nullable else []))


def _values(one: Field, depth: int) -> st.SearchStrategy[Any]:
    if one.choices:
        return st.sampled_from(one.choices)
    low, high = (None if bound is None else bound for bound in (one.minimum, one.maximum))
    match one.type:
        case "integer":
            return st.integers(None if low is None else int(low), None if high is None else int(high))
        case "number":
            return st.floats(low, high, allow_nan=False, allow_infinity=False)
        case "boolean":
            return st.booleans()
        case "string":
            return st.sampled_from(WORDS + NOTATION) | st.text(max_size=8)
        case "array" if one.slots:
            return st.tuples(*(values_of(slot, depth) for slot in one.slots)).map(list)
        case "array":
            return st.lists(values_of(one.item, depth), max_size=4)
        case "object" if "properties" in one.schema and depth:
            fields = Field("", one.schema, one.definitions, kind="model").parts
            required = {field.name: values_of(field, depth - 1) for field in fields if field.default is UNSET}
            others = {field.name: values_of(field, depth - 1) for field in fields if field.default is not UNSET}
            return st.fixed_dictionaries(required, optional=others)
    return WHOLE.get(one.type, st.dictionaries(st.text(max_size=4), st.integers(), max_size=2))
