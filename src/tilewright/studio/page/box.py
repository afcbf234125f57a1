"""A box to type in: it tells what was typed when the typing is done, and keeps what is typed until then."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments

LONGEST = 10_000
"""Characters that are read of what was typed."""


class Box(ui.input, component="box.js"):
    """Typing is done by Enter, by leaving the box, by the arrows of a number; Escape forgets what was typed.

    `forgotten` is called then: who has refused what was told before shows what holds instead.
    """

    def __init__(
        self,
        test: str,
        typed: Callable[[str], Any],
        *,
        value: str = "",
        label: str | None = None,
        hint: str = "",
        step: float | None = None,
        forgotten: Callable[[], Any] | None = None,
    ) -> None:
        """With a step it is for numbers."""
        super().__init__(label, placeholder=hint or None, value=value)
        self.props("dense outlined hide-bottom-space")
        self.props["data-testid"] = test
        if step is not None:
            self.props["type"] = "number"
            self.props["step"] = step
            self.props["inputmode"] = "decimal"
        self._typed = typed
        self.on("told", self._told)
        if forgotten is not None:
            self.on("forgotten", lambda: forgotten())

    def _told(self, event: GenericEventArguments) -> None:
        text = str(event.args if event.args is not None else "")[:LONGEST]
        self.value = text
        self._typed(text.strip())
