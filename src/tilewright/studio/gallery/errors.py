"""Errors of the gallery: each message once, with the number of variations that it concerns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from ...core.errors import ANOTHER_SEED, TilewrightError
from ..page.error_panel import ErrorCard, Remedy, list_remedies
from ..session import Session

MAX_MESSAGES = 3


class GalleryErrors:
    """The errors of failed variations. Fixes of the recipe are offered if all variations failed for one reason."""

    def __init__(self, session: Session, on_roll: Callable[[], None]) -> None:
        """Create the card in the current slot. `on_roll` chooses new seeds."""
        self.session, self._on_roll = session, on_roll
        self.card = ErrorCard("gallery-error")
        self._shown: list[str] = []

    def show(self, errors: Mapping[int, TilewrightError], count: int) -> bool:
        """Show the errors by number of the variation, out of a number of variations.

        Return whether all variations have failed.
        """
        groups: dict[str, list[TilewrightError]] = {}
        for error in errors.values():
            groups.setdefault(str(error), []).append(error)
        has_failed = 0 < len(errors) == count
        messages = [
            message if has_failed and len(groups) == 1 else f"{len(found)} of {count}: {message}"
            for message, found in groups.items()
        ]
        more = len(messages) - MAX_MESSAGES
        messages = [*messages[:MAX_MESSAGES], *([f"and {more} more messages"] if more > 0 else [])]
        if messages != self._shown:
            self._shown = messages
            only = next(iter(groups.values()))[0] if has_failed and len(groups) == 1 else None
            self.card.show(messages, [] if only is None else self._list_remedies(only))
        return has_failed

    def _list_remedies(self, error: TilewrightError) -> list[Remedy]:
        """Return the buttons of an error. Another seed means new seeds for all variations."""
        wants_seeds = any(fix == ANOTHER_SEED for one in error.problems for fix in one.fixes)
        kept = [replace(one, fixes=tuple(fix for fix in one.fixes if fix != ANOTHER_SEED)) for one in error.problems]
        found = list_remedies(error.replace(kept), self.session)
        return [*([Remedy("New seeds", self._on_roll)] if wants_seeds else []), *found]
