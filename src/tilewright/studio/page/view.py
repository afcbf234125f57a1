"""The protocol that the views of the page follow."""

from __future__ import annotations

from collections.abc import Sequence

from ...core.errors import Problem
from ..state import State


class View:
    """What a tab shows. Views derive from it; what they do not override does nothing."""

    def refresh(self, state: State) -> None:
        """Show another state."""

    def reroll(self) -> bool:
        """Make something else than the map with another seed; return False to leave that to the map."""
        return False

    def show_map(self) -> None:
        """Show what follows from the map that the session has made."""

    def mark_problems(self, problems: Sequence[Problem]) -> None:
        """Mark what problems of the recipe are about; without any, clear all marks."""

    def set_dark(self, is_dark: bool) -> None:
        """Follow the page in dark or light mode."""
