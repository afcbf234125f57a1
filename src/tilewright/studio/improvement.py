"""The shaper `improve` of a recipe, which the section Only good maps adds: it changes maps until they meet the rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .state import State

SHAPER = "improve"


def find_improvement(state: State) -> int | None:
    """Return the position of the last enabled shaper `improve` in the recipe's list, or None."""
    return next((number for number in reversed(state.stages_on) if state.stages[number][0] == SHAPER), None)


def with_improvement(state: State, targets: Mapping[str, Any] | None) -> State:
    """Return the state with a shaper `improve` that has these targets; None removes it.

    A new shaper comes last. A shaper before others is switched off instead of removed, so that the others keep their
    positions, which knobs refer to.
    """
    number = find_improvement(state)
    stages = list(state.recipe.get("shaping") or ())
    if targets:
        if number is None:
            return state.with_recipe(shaping=[*stages, {SHAPER: {"targets": dict(targets)}}])
        params = {**state.stages[number][1], "targets": dict(targets)}
        return state.with_recipe(shaping=[*stages[:number], {SHAPER: params}, *stages[number + 1 :]])
    if number is None:
        return state
    if number == len(stages) - 1:
        return state.with_recipe(shaping=stages[:-1] or None)
    return state.with_recipe().with_off(number)
