"""Params are values, and report all mistakes at once with path and rule."""

from __future__ import annotations

import copy
import pickle
from functools import cached_property
from typing import Literal

import numpy as np
import pytest
from numpy.typing import NDArray

from tilewright import InvalidRecipe, Params, param


class Condition(Params):
    tile: str = param("wall")
    """Which tile."""
    count: int = param(1, ge=0, le=8)
    """How many."""


class Rules(Params):
    rules: tuple[Condition | Literal["none", "any"], ...] = param(())
    """Conditions, or a word."""
    one: Condition | str = param("")
    """A condition, or its short form."""
    numbers: tuple[float, ...] | Literal["random"] = param((1.0,))
    """Numbers, or a word."""
    size: int = param(3, ge=1)
    """A number."""
    switch: bool = param(False)
    """A switch."""

    @cached_property
    def table(self) -> NDArray[np.int64]:
        return np.arange(self.size)


def mistakes(**values: object) -> list[str]:
    with pytest.raises(InvalidRecipe) as caught:
        Rules.validate(values)
    assert "\n" not in str(caught.value)
    return [str(problem) for problem in caught.value.problems]


def test_cached_properties_are_not_compared_copied_or_pickled() -> None:
    first, second = Rules.validate({"size": 4}), Rules.validate({"size": 4})
    assert first.table.size == 4
    assert second.table.size == 4
    assert first == second
    assert hash(first) == hash(second)
    for other in (pickle.loads(pickle.dumps(first)), copy.copy(first), first.model_copy()):
        assert other == first
    assert first.model_copy(update={"size": 7}).table.size == 7
    assert first.replace(size=9).table.size == 9


def test_a_mistake_has_a_path() -> None:
    found = mistakes(
        rules=[{"count": 9}, "nome", {"cuont": 1}, {"tile": 3}], one={"count": -1}, numbers=[1, "x"], size=0, sise=1
    )
    assert found == [
        "rules.0.count: must be at most 8, got 9",
        "rules.1: must be 'none' or 'any', got 'nome'",
        "rules.2: unknown parameter 'cuont'; did you mean 'count'?",
        "rules.3.tile: must be a string, got 3",
        "one.count: must be at least 0, got -1",
        "numbers.1: must be a number, got 'x'",
        "size: must be at least 1, got 0",
        "unknown parameter 'sise'; did you mean 'size'?",
    ]


def test_the_first_mistakes_are_reported_and_the_others_counted() -> None:
    found = mistakes(numbers=["x"] * 20_000)
    assert found[0] == "numbers.0: must be a number, got 'x'"
    assert len(found) == 9
    assert found[-1].startswith("and ")
    assert len("; ".join(found)) < 1000


@pytest.mark.parametrize("value", [True, np.True_, [True], [[1, [np.False_]]], {"a": True}])
def test_booleans_are_not_numbers(value: object) -> None:
    assert "must be a number" in mistakes(numbers=value)[0]


def test_switches_take_booleans_and_lists_no_sets() -> None:
    assert Rules.validate({"switch": True}).switch
    assert "a set has no order" in mistakes(numbers={1, 2})[0]


def test_old_names_are_still_read() -> None:
    class Renamed(Rules):
        renamed = {"length": "size"}  # noqa: RUF012

    assert Renamed.validate({"length": 5}).size == 5
