"""Input field that reports its text when the user has finished typing, not on every key."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments

MAX_LENGTH = 10_000
"""Maximum number of characters; further ones are ignored."""


class DebouncedInput(ui.input, component="debounced_input.js"):
    """Input field that commits its text on Enter, on blur, or by the arrows of a number; Escape restores the value.

    Escape calls `on_cancel`, with which the owner can clear an error and show the current value.
    """

    def __init__(
        self,
        test_id: str,
        on_commit: Callable[[str], Any],
        *,
        value: str = "",
        label: str | None = None,
        hint: str = "",
        step: float | None = None,
        on_cancel: Callable[[], Any] | None = None,
    ) -> None:
        """Create the field; with a `step` it is a number field."""
        super().__init__(label, placeholder=hint or None, value=value)
        self.props("dense outlined hide-bottom-space")
        self.props["data-testid"] = test_id
        if step is not None:
            self.props["type"] = "number"
            self.props["step"] = step
            self.props["inputmode"] = "decimal"
        self._on_commit = on_commit
        self.on("commit", self._handle_commit)
        if on_cancel is not None:
            self.on("cancel", lambda: on_cancel())

    def _handle_commit(self, event: GenericEventArguments) -> None:
        text = str(event.args if event.args is not None else "")[:MAX_LENGTH]
        self.value = text
        self._on_commit(text.strip())
