"""Removal of tiles that the maps of a state no longer have, for example after another model was chosen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np

from ...core.errors import Problem, TilewrightError, pluralize
from ...core.locks import Locks
from ...core.plan import make_plan
from ...core.recipe import Recipe
from ..own_files import StudioResolver
from ..state import State

MAX_ROUNDS = 100
"""Maximum number of times that a recipe is checked. Each error names at least one unknown tile."""


def remove_unknown_tiles(state: State) -> tuple[State, list[str]]:
    """Remove locks and items of parameters that name tiles which the maps of a state do not have.

    Parameters
    ----------
    state : State
        A state whose recipe may be invalid.

    Returns
    -------
    state : State
        The state without them. Other mistakes stay, and making the map reports them.
    removed : list of str
        What was removed, such as `12 locked cells: door` or `counts: treasure`.
    """
    before = state
    for _ in range(MAX_ROUNDS):
        after = reduce(_without_tile, _find_problems(state), state)
        if after == state:
            break
        state = after
    return state, [*_list_removed(before, state)]


def _find_problems(state: State) -> Sequence[Problem]:
    try:
        make_plan(Recipe.of(state.effective, StudioResolver()))
    except TilewrightError as error:
        return error.problems
    return ()


def _without_tile(state: State, problem: Problem) -> State:
    """Return a state without the unknown tile that a problem reports, if it is a lock or an item of a parameter."""
    if problem.rule != "unknown_name":
        return state
    match problem.path:
        case ("locks",) if state.locks is not None:
            return replace(state, locks=_unlock_tile(state.locks, problem.value)).with_recipe()
        case ("params", str(name)) if name in state.params:
            kept = _without_item(state.params[name], problem.value)
            others = {other: value for other, value in state.params.items() if other != name}
            return state.with_recipe(params=({**others, name: kept} if kept else others) or None)
    return state


def _unlock_tile(locks: Locks, tile: Any) -> Locks | None:
    kept = np.array([label != tile for label in locks.labels], dtype=bool)[locks.label_indices]
    return Locks(locks.places[kept], locks.label_indices[kept], locks.labels, locks.map_shape).compact() or None


def _without_item(value: Any, name: Any) -> Any:
    """Return the value of a parameter without the items that name a tile."""
    if isinstance(value, Mapping):
        return {key: one for key, one in value.items() if key != name}
    if isinstance(value, (list, tuple)):
        return [item for item in value if _name_of(item) != name]
    return value


def _name_of(item: Any) -> Any:
    """Return the tile of an item: a name, or a list that starts with a name."""
    return item[0] if isinstance(item, (list, tuple)) and item else item


def _list_removed(before: State, after: State) -> Iterator[str]:
    count = len(before.locks or ()) - len(after.locks or ())
    if before.locks is not None and count:
        locked = after.locks.labels if after.locks is not None else ()
        yield f"{pluralize(count, 'locked cell')}: {_list_missing(before.locks.labels, locked)}"
    for name, value in before.params.items():
        if value != after.params.get(name) and isinstance(value, (Mapping, list, tuple)):
            yield f"{name}: {_list_missing(value, after.params.get(name, ()))}"


def _list_missing(before: Iterable[Any], after: Iterable[Any]) -> str:
    names = [_name_of(item) for item in after]
    return ", ".join(str(tile) for tile in map(_name_of, before) if tile not in names)
