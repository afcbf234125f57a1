"""Sheets: groups of controls that are part of the page on wide screens and open from the bottom edge on phones."""

from __future__ import annotations

from nicegui import ui


class BottomSheet(ui.element):
    """A group of controls. On phones it is a popover, which opens and closes without the server."""

    def __init__(self, label: str, tag: str = "div") -> None:
        super().__init__(tag)
        self.classes("tw-sheet").props(f'popover=auto aria-label="{label}"')

    def opener(self, icon: str, hint: str, *, test_id: str) -> ui.button:
        """Return a button that opens the sheet. It is visible on phones only."""
        button = ui.button(icon=icon, color=None).props(f'flat dense round aria-label="{hint}" data-testid={test_id}')
        return button.classes("tw-icon tw-phone-only").props(f"popovertarget={self.html_id}")

    def close_after(self, button: ui.button) -> ui.button:
        """Let a button of the sheet close it."""
        return button.props(f"popovertarget={self.html_id} popovertargetaction=hide")
