"""Goals of the first screen: what users want to make, each with a recipe to start from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from ... import data
from ...core.resolver import Resolver
from ...core.search import SearchEntry, list_search_entries
from ...core.yaml import read_data
from ..state import State


@dataclass(frozen=True, kw_only=True)
class Goal:
    """A card of the first screen."""

    name: str
    title: str
    summary: str
    recipe: str | Mapping[str, Any] | None = None
    """Name of a built-in recipe, or a recipe; None keeps the current one."""
    seed: int | None = None
    tab: str = "make"
    """Tab to open."""
    opens_picker: bool = False
    """Whether the user then chooses a technique."""
    words: tuple[str, ...] = ()
    """Search words. A goal that opens a built-in recipe is found by the words of the recipe."""

    def open(self, state: State) -> State:
        """Return a state with the recipe and the tab of this goal."""
        if self.recipe is not None:
            name = self.recipe if isinstance(self.recipe, str) else ""
            recipe = Resolver().read_recipe(name)[0] if isinstance(self.recipe, str) else self.recipe
            state = state.open_recipe({**recipe, "seed": self.seed}, name)
        return state.with_view_settings(tab=self.tab)


@cache
def list_goals() -> tuple[Goal, ...]:
    """Return the goals in the order of their cards."""
    entries = read_data(data.read_text("goals", "start"), "goals")
    return tuple(
        Goal(name=name, **{**entry, "words": tuple(entry.get("words", ()))}) for name, entry in entries.items()
    )


def find_goal(name: str) -> Goal:
    """Return the goal with a name."""
    return next(goal for goal in list_goals() if goal.name == name)


def first_state() -> State:
    """Return the state of a page that was opened without a link: the first screen, with the first goal's map."""
    return list_goals()[0].open(State()).with_view_settings(tab="start")


@cache
def list_searchable() -> tuple[SearchEntry, ...]:
    """Return everything that the searches of the page find: goals without a built-in recipe, recipes, techniques.

    Of equally good matches, the recipes of goals are first.
    """
    goals = [
        SearchEntry(kind="goals", name=goal.name, summary=f"{goal.title}: {goal.summary}", words=goal.words)
        for goal in list_goals()
        if not isinstance(goal.recipe, str)
    ]
    opened = [goal.recipe for goal in list_goals()]
    order = {"recipes": 1, "techniques": 2}
    entries = sorted(list_search_entries(), key=lambda entry: 0 if entry.name in opened else order[entry.kind])
    return (*goals, *entries)
