"""Controls above the map: the seed, a button for a new one, and a button that stops making the map."""

from __future__ import annotations

from nicegui import ui

from ..session import Session
from ..state import State
from .widgets import DebouncedInput, icon_button, labeled_button


class SeedBar:
    """Seed field, new seed, previous seed, stop."""

    def __init__(self, session: Session) -> None:
        self.session = session
        with ui.element("div").classes("tw-seeds"):
            self.seed = DebouncedInput("seed", self._on_seed).props("prefix=Seed aria-label=Seed").classes("tw-seed")
            self.seed.tooltip("Number or text; the same seed makes the same map")
            style, hint = 'dense unelevated aria-label="New seed"', "Choose a random seed; locked cells stay (R)"
            reroll = labeled_button("New seed", "casino", session.reroll, "reroll", style, hint=hint)
            reroll.classes("tw-reroll")
            self.back = icon_button("history", "Previous seed", session.restore_seed, test_id="earlier")
            self.stop = icon_button("stop_circle", "Stop", session.cancel_by_user, test_id="stop").classes("tw-stop")
        self.set_busy(False)

    def refresh(self, state: State) -> None:
        self.seed.set_value("" if state.seed is None else str(state.seed))
        self.back.set_enabled(bool(self.session.seed_history))

    def set_busy(self, is_busy: bool) -> None:
        self.stop.set_visibility(is_busy)

    def _on_seed(self, seed: str) -> None:
        if seed and seed != str(self.session.state.seed):
            self.session.set_seed(seed)
        self.refresh(self.session.state)
