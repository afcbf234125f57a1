"""Base classes of the page's views and their sections."""

from __future__ import annotations

from collections.abc import Sequence

from ...core.errors import Problem
from ..state import State


class StatePanel:
    """A part of the page that shows a part of the state."""

    _part: object = None
    """What is shown, as returned by `select`; None before the first state."""

    def select(self, state: State) -> object:
        """Return the part of a state that is shown. The panel is refreshed when it changes."""
        return state

    def update(self, state: State) -> None:
        """Show a state, if its part differs from what is shown."""
        part = self.select(state)
        if part != self._part:
            self._part = part
            self.refresh(state)

    def refresh(self, state: State) -> None:
        """Show a state."""


class View(StatePanel):
    """Content of a tab. It is updated while its tab is open. The methods do nothing unless overridden."""

    def reroll(self) -> bool:
        """Choose a new seed for the view's own maps and return True.

        Return False if the current map should get a new seed.
        """
        return False

    def show_map(self) -> None:
        """Update the view for the session's current map."""

    def mark_problems(self, problems: Sequence[Problem]) -> None:
        """Mark the controls that problems of the recipe refer to. Without problems, clear all marks."""

    def set_dark(self, is_dark: bool) -> None:
        """Set dark or light mode."""
