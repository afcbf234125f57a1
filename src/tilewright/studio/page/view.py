"""Base class of the page's views."""

from __future__ import annotations

from collections.abc import Sequence

from ...core.errors import Problem
from ..state import State


class View:
    """Content of a tab. The methods do nothing unless overridden."""

    def refresh(self, state: State) -> None:
        """Show a state."""

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
