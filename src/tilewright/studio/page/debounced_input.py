"""A box to type in: it tells what was typed when the typing is done, and keeps what is typed until then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments

MAX_LENGTH = 10_000
"""Characters that are read of what was typed."""


class DebouncedInput(ui.input, component="debounced_input.js"):
    """Typing is done by Enter, by leaving the box, by the arrows of a number; Escape forgets what was typed.

    `forgotten` is called then: who has refused what was told before shows what holds instead.
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
        """With a step it is for numbers."""
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
