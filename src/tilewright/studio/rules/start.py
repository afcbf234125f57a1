"""Choice of a rulebook: small examples, an empty one, and the built-in recipes of the technique rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

from nicegui import background_tasks, ui

from ...core.errors import TilewrightError
from ...core.yaml import read_data, read_head_comment
from ...data import list_names, read_text
from .. import operations
from ..map.payloads import encode_picture
from ..page.map_card import MapCard
from ..session import Session
from ..state import State

SEED = 7
SCALE = 8
"""Seed and pixels per cell of the thumbnails."""


class StartView:
    """Rulebooks to choose from."""

    def __init__(self, session: Session, on_start: Callable[[], None]) -> None:
        self.session, self._on_start = session, on_start
        self.hint = ui.label("").classes("tw-hint")
        ui.label("Small examples").classes("tw-title")
        with ui.element("div").classes("rules-cards"):
            self.cards = {
                name: MapCard(
                    f"rules-begin-{name}",
                    name.replace("-", " ").capitalize(),
                    summary,
                    style="tw-link tw-card",
                    on_click=partial(self._start, name, recipe),
                )
                for name, (summary, recipe) in list_rulebooks("rulebooks").items()
            }
        ui.label("Built-in recipes").classes("tw-title")
        with ui.element("div").classes("rules-recipes"):
            for name, (summary, recipe) in list_rulebooks("recipes").items():
                button = ui.button(name, color=None, on_click=partial(self._start, name, recipe)).props(
                    "outline dense no-caps size=sm"
                )
                button.props(f"data-testid=rules-begin-{name}").tooltip(summary)
        background_tasks.create(self._draw_pictures())

    def refresh(self, state: State) -> None:
        if state.technique == "rules":
            self.hint.set_text("Choosing another rulebook replaces this one; undo restores it.")
        else:
            self.hint.set_text(
                f"The current technique is {state.technique}. Choosing a rulebook replaces it by rules to edit"
                " here; undo restores the map."
            )

    def _start(self, name: str, recipe: Mapping[str, Any]) -> None:
        state = self.session.state
        seed = SEED if state.seed is None else state.seed
        self._on_start()
        self.session.open(state.open_recipe({**recipe, "seed": seed}, name))

    async def _draw_pictures(self) -> None:
        """Make the thumbnails in the background."""
        for name, card in self.cards.items():
            data = {**list_rulebooks("rulebooks")[name][1], "seed": SEED}
            recipe = operations.check_recipe(data, self.session.queue.settings)
            try:
                map = await self.session.submit(partial(operations.make_map, recipe))
            except TilewrightError:
                continue
            if not card.element.is_deleted:
                card.show_picture(encode_picture(map.image(scale=SCALE)))


@cache
def list_rulebooks(folder: str) -> dict[str, tuple[str, Mapping[str, Any]]]:
    """Return the rulebooks in a data folder with their descriptions; the empty one is the last."""
    found = {name: read_data(read_text(folder, name), name) for name in list_names(folder)}
    books = {name: recipe for name, recipe in found.items() if recipe.get("technique") == "rules"}
    by_length = sorted(books, key=lambda name: not books[name]["params"]["generationRules"])
    return {name: (read_head_comment(read_text(folder, name)), books[name]) for name in by_length}
