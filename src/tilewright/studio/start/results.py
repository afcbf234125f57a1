"""Cards of everything that a search finds: recipes, techniques and goals. The first screen and Make share them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from nicegui import ui

from ...core.registry import techniques
from ...core.search import SearchEntry, search
from ..page.map_card import MapCard
from .goals import find_goal, list_searchable

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
                    button = ui.button(word, color=None, on_click=partial(on_suggest, word))
                    button.props(f"outline dense no-caps data-testid=suggest-{word}")
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
