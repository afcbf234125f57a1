"""Tab Start: the first screen, with a card for every goal, and a search whose results Make shows too."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from nicegui import ui

from ...core.registry import techniques
from ...core.search import SearchEntry, search
from ..page.map_card import MapCard
from ..page.view import View
from ..page.widgets import labeled_button
from .goals import find_goal, list_goals, list_searchable


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
            show, text = self._show_everything, "Show all recipes and techniques"
            self.everything = labeled_button(text, "apps", show, "show-all", "flat").classes("tw-show-all")
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


TITLES = {"recipes": "Recipes", "techniques": "Techniques"}
"""Headings of the cards while nothing is searched."""
EXAMPLES = ("dungeon", "cave", "island", "town", "maze", "war", "platformer", "style")
"""Words that are suggested when nothing is found."""


class Results:
    """Cards of the entries that match a search, the best ones first; all entries without a search."""

    def __init__(self, on_choose: Callable[[str, str], None], on_suggest: Callable[[str], object]) -> None:
        """Build the cards. `on_choose` gets the kind and name of a card, and `on_suggest` a word to search for."""
        self._on_choose = on_choose
        self.found: list[SearchEntry] = []
        """Entries that are shown, in order."""
        self.titles: dict[str, ui.label] = {}
        self.cards: dict[SearchEntry, ui.element] = {}
        with ui.element("div").classes("tw-cards"):
            for kind in (*TITLES, "goals"):
                if kind in TITLES:
                    self.titles[kind] = ui.label(TITLES[kind]).classes("tw-title")
                self.cards |= {entry: self._build_card(entry) for entry in list_searchable() if entry.kind == kind}
        with ui.element("div").classes("tw-nothing").props("role=status data-testid=nothing-found") as self.nothing:
            self.message = ui.label("")
            with ui.element("div").classes("tw-suggestions"):
                for word in EXAMPLES:
                    labeled_button(word, None, partial(on_suggest, word), f"suggest-{word}")
        self.show("")

    def _build_card(self, entry: SearchEntry) -> ui.element:
        title = find_goal(entry.name).title if entry.kind == "goals" else entry.name
        summary = entry.summary.partition(". ")[0].rstrip(".") + "."
        card = build_link(entry.kind, entry.name, title, summary, self._on_choose, f"pick-{entry.name}")
        card.element.tooltip(entry.summary)
        return card.element

    def show(self, text: str) -> None:
        """Show the entries that match a search."""
        is_search = bool(text.strip())
        everything = [entry for entry in self.cards if entry.kind in TITLES]
        self.found = search(text, self.cards) if is_search else everything
        places = {entry: place for place, entry in enumerate(self.found)}
        for entry, card in self.cards.items():
            card.set_visibility(entry in places)
            card.style(f"order: {places.get(entry, 0) if is_search else 0}")
        for title in self.titles.values():
            title.set_visibility(not is_search)
        self.nothing.set_visibility(not self.found)
        self.message.set_text(f"Nothing found for “{text.strip()}”. Try another word, such as one of these:")

    def choose_first(self) -> None:
        """Open the best match."""
        if self.found:
            self._on_choose(self.found[0].kind, self.found[0].name)


def build_link(
    kind: str, name: str, title: str, summary: str, on_choose: Callable[[str, str], None], test_id: str
) -> MapCard:
    """Return a card that opens a technique, recipe or goal."""
    card = MapCard(test_id, title, summary, style="tw-link tw-card", on_click=partial(on_choose, kind, name))
    card.picture.props("loading=lazy decoding=async")
    card.show_picture(thumbnail_url(kind, name))
    return card


def picture(kind: str, name: str) -> ui.element:
    """Return the thumbnail of a technique, recipe or goal, which is loaded when it is scrolled into view."""
    element = ui.element("img").classes("tw-thumbnail").props('alt="" loading=lazy decoding=async')
    return element.props(f"src={thumbnail_url(kind, name)}")


def thumbnail_url(kind: str, name: str) -> str:
    """Return the URL of a thumbnail. The API makes the thumbnails of plugin techniques on request."""
    if kind != "techniques" or name in techniques.built_in:
        return f"/studio/thumbnails/{kind}/{name}.png"
    return f"/api/make/{name}?seed=7&width=48&height=30&format=png&scale=4"
