"""Small elements shared by the views."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from nicegui import events, ui

from .scripts import read_page_script


def build_copy_script(text: str, message: str) -> str:
    """Return a JavaScript function that copies the value of an expression and shows a message."""
    return read_page_script("copy_text") % (text, json.dumps(message))


def copy_text(text: str, message: str) -> None:
    """Copy text to the clipboard and show a message."""
    ui.run_javascript(f"({build_copy_script(json.dumps(text), message)})()")


def toggle_class(element: ui.element, name: str, is_on: bool) -> None:
    """Add or remove a CSS class of an element."""
    element.classes(add=name) if is_on else element.classes(remove=name)


class SelectByLabel(ui.select):
    """A selection whose options may change while the user chooses.

    NiceGUI sends the position of the choice, which would be another option after a change.
    """

    def _event_args_to_value(self, e: events.GenericEventArguments) -> Any:
        label = e.args.get("label") if isinstance(e.args, dict) else None
        return next((value for value, known in dict(self.options).items() if known == label), self.value)


def is_list(args: Any, *lengths: int) -> bool:
    """Return whether the arguments of an event are a list of such a length. A page that is not ours may send others."""
    return isinstance(args, list) and len(args) in lengths


def icon_button(icon: str, hint: str, on_click: Callable[..., Any], *, test_id: str = "") -> ui.button:
    """Return a small button with an icon and a tooltip."""
    button = ui.button(icon=icon, color=None, on_click=lambda: on_click()).props(
        f'flat dense round size=sm aria-label="{hint}"'
    )
    button.classes("tw-icon").tooltip(hint)
    return button.props(f"data-testid={test_id}") if test_id else button


class FoldingSection:
    """A button that opens and closes the content below it. While it is not enabled, the content is always visible."""

    def __init__(self, title: str) -> None:
        self.is_open = False
        self.button = ui.button(title, icon="expand_more", color=None, on_click=lambda: self._show(not self.is_open))
        self.button.props("flat dense no-caps align=left data-testid=fold").classes("tw-fold")
        self.body = ui.element("div")
        self.enable(False)

    def enable(self, is_enabled: bool) -> None:
        """Show or hide the button."""
        self.button.set_visibility(is_enabled)
        self._update()

    def open(self) -> None:
        """Show the content."""
        self._show(True)

    def _show(self, is_open: bool) -> None:
        self.is_open = is_open
        self._update()

    def _update(self) -> None:
        self.body.set_visibility(self.is_open or not self.button.visible)
        self.button.props(f"aria-expanded={'true' if self.is_open else 'false'}")
        self.button.set_icon("expand_less" if self.is_open else "expand_more")


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
