"""Bar above the map: the seed, a button for a new one, and facts about the map."""

from __future__ import annotations

from nicegui import ui

from ..session import Session
from ..state import State
from .debounced_input import DebouncedInput
from .measures import format_seconds
from .widgets import icon_button


class SeedBar:
    """Seed field, new seed, previous seed; technique, size and time of the current map."""

    def __init__(self, session: Session) -> None:
        self.session = session
        with ui.element("div").classes("tw-seeds"):
            self.seed = DebouncedInput("seed", self._on_seed).props("prefix=Seed aria-label=Seed").classes("tw-seed")
            self.seed.tooltip("Number or text; the same seed makes the same map")
            reroll = ui.button("New seed", icon="casino", on_click=session.reroll).props("dense unelevated no-caps")
            reroll.classes("tw-reroll").props("data-testid=reroll").tooltip(
                "Choose a random seed; locked cells stay (R)"
            )
            self.back = icon_button("history", "Previous seed", session.restore_seed, test_id="earlier")
            self.spinner = ui.spinner(size="18px").classes("tw-spinner")
            self.stop = icon_button("stop_circle", "Stop", session.cancel_by_user, test_id="stop")
            ui.space()
            self.facts = ui.label("").classes("tw-facts").props("data-testid=facts")
        self.set_busy(False)
        session.listen("map", lambda map: self._show_facts())

    def refresh(self, state: State) -> None:
        self.seed.set_value("" if state.seed is None else str(state.seed))
        self.back.set_enabled(bool(self.session.seed_history))

    def set_busy(self, is_busy: bool) -> None:
        self.spinner.set_visibility(is_busy)
        self.stop.set_visibility(is_busy)

    def _on_seed(self, seed: str) -> None:
        if seed and seed != str(self.session.state.seed):
            self.session.set_seed(seed)
        self.refresh(self.session.state)

    def _show_facts(self) -> None:
        map = self.session.map
        if map is not None:
            size = "×".join(str(side) for side in reversed(map.shape))
            seconds = format_seconds(self.session.seconds)
            self.facts.set_text(f"{self.session.state.technique} · {size} · {seconds}")
