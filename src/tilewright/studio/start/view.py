"""Tab Start: the first screen, with a card for every goal and a search."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui

from ..page.view import View
from .goals import list_goals
from .results import Results, build_link


class GoalsView(View):
    """Cards of the goals. While the user searches, the results replace them."""

    def __init__(self, area: ui.element, on_choose: Callable[[str, str], None]) -> None:
        """Build the view. `on_choose` gets the kind and name of what the user chooses."""
        self._on_choose = on_choose
        self.results: Results | None = None
        with area, ui.element("div").classes("tw-start").props("data-testid=start"):
            with ui.element("div").classes("tw-start-head"):
                ui.label("What do you want to make?").classes("tw-start-title").props("role=heading aria-level=2")
                self.search = ui.input(placeholder="Search: dungeon, island, city ...", on_change=self._show_results)
                self.search.props('dense outlined clearable debounce=120 type=search aria-label="Search recipes"')
                self.search.props("data-testid=start-search").classes("tw-start-search")
                self.search.on("keydown.enter", self._choose_first)
                self.search.on("keydown.esc", lambda: self.search.set_value(""))
            with ui.element("div").classes("tw-goals") as self.goals:
                for goal in list_goals():
                    build_link("goals", goal.name, goal.title, goal.summary, on_choose, f"goal-{goal.name}")
            self.everything = ui.button("Show all recipes and techniques", icon="apps", color=None)
            self.everything.props("flat no-caps data-testid=show-all").classes("tw-show-all")
            self.everything.on_click(self._show_everything)
            self.found = ui.element("div").classes("tw-start-found")

    def reroll(self) -> bool:
        """Keep the seed, because no map is shown."""
        return True

    def _find_results(self) -> Results:
        """Return the cards of recipes and techniques; build them when they are first needed."""
        if self.results is None:
            with self.found:
                self.results = Results(self._on_choose, self.search.set_value)
        return self.results

    def _show_everything(self) -> None:
        self._find_results()
        self.everything.set_visibility(False)

    def _show_results(self) -> None:
        text = (self.search.value or "").strip()
        if text or self.results is not None:
            self._find_results().show(text)
        self.everything.set_visibility(self.results is None)
        self.goals.set_visibility(not text)

    def _choose_first(self) -> None:
        if (self.search.value or "").strip():
            self._find_results().choose_first()
