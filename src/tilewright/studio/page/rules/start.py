"""Where a rule book begins: small ones of our own, an empty one, and the built-in recipes that are rule books."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

from nicegui import background_tasks, ui

from ....core.errors import TilewrightError
from ....core.yaml import read_data, remark_of
from ....data import names, text
from ... import service
from ...session import Session
from ...state import State

SEED = 7
SCALE = 4
"""Of the small pictures: the same seed for everybody, and so many pixels a cell."""


class StartView:
    """Rule books to begin with; nothing happens to the current map before one is chosen."""

    def __init__(self, session: Session, chosen: Callable[[], None]) -> None:
        self.session, self._chosen = session, chosen
        self.hint = ui.label("").classes("tw-hint")
        ui.label("Small ones to take apart").classes("tw-title")
        with ui.element("div").classes("rules-cards"):
            self.pictures = {name: self._card(name, *book) for name, book in rule_books("rulebooks").items()}
        ui.label("Whole worlds of rules").classes("tw-title")
        with ui.element("div").classes("rules-recipes"):
            for name, (summary, recipe) in rule_books("recipes").items():
                button = ui.button(name, color=None, on_click=partial(self._begin, recipe)).props(
                    "outline dense no-caps size=sm"
                )
                button.props(f"data-testid=rules-begin-{name}").tooltip(summary)
        background_tasks.create(self._draw())

    def refresh(self, state: State) -> None:
        if state.technique == "rules":
            self.hint.set_text("Another book takes the place of this one; undo brings it back.")
        else:
            self.hint.set_text(
                f"The map is made by {state.technique} now. Start a rule book in its place, and every rule of it can be"
                " changed here; undo brings the map back."
            )

    def _card(self, name: str, summary: str, recipe: Mapping[str, Any]) -> ui.image:
        card = ui.element("button").classes("rules-card tw-card").props(f"type=button data-testid=rules-begin-{name}")
        card.on("click", partial(self._begin, recipe))
        with card:
            picture = ui.image().props("no-spinner no-transition fit=cover").classes("rules-picture")
            ui.label(name.replace("-", " ").capitalize()).classes("rules-card-name")
            ui.label(summary).classes("tw-faint rules-card-text")
        return picture

    def _begin(self, recipe: Mapping[str, Any]) -> None:
        state = self.session.state
        seed = SEED if state.seed is None else state.seed
        self._chosen()
        self.session.change(state.opening({**recipe, "seed": seed}))

    async def _draw(self) -> None:
        """The small pictures, a moment later."""
        for name, picture in self.pictures.items():
            data = {**rule_books("rulebooks")[name][1], "seed": SEED}
            recipe = service.checked(data, self.session.desk.settings)
            try:
                map = await self.session.do(partial(service.made, recipe))
            except TilewrightError:
                continue
            if not picture.is_deleted:
                picture.set_source(map.image(scale=SCALE))


@cache
def rule_books(shelf: str) -> dict[str, tuple[str, Mapping[str, Any]]]:
    """The rule books among the data, each with what it makes; the empty one is the last."""
    found = {name: read_data(text(shelf, name), name) for name in names(shelf)}
    books = {name: recipe for name, recipe in found.items() if recipe.get("technique") == "rules"}
    by_length = sorted(books, key=lambda name: not books[name]["params"]["generationRules"])
    return {name: (remark_of(text(shelf, name)), books[name]) for name in by_length}
