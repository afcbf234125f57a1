"""Small elements shared by the views: buttons, input fields, uploads, and the scripts of the page."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from functools import cache
from pathlib import Path
from typing import Any

from nicegui import events, ui
from nicegui.events import GenericEventArguments, UploadEventArguments

from ..settings import Settings


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


@cache
def read_script(module: str, name: str) -> str:
    """Return the content of a script in the folder of a module, given its `__file__`."""
    return Path(module).with_name(f"{name}.js").read_text("utf-8").strip()


def read_page_script(name: str) -> str:
    """Return the content of a script of the page."""
    return read_script(__file__, name)


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


REQUEST_OVERHEAD = 1 << 10
"""Bytes of a request in addition to the file; the security middleware counts them too."""


class Uploader(ui.upload):
    """An invisible upload element, to which buttons and drop targets pass files.

    FastAPI keeps every route, and NiceGUI's route keeps its upload element. Deleting the handlers lets the page and its
    session be freed.
    """

    def __init__(
        self,
        settings: Settings,
        on_file: Callable[[UploadEventArguments], Awaitable[None]],
        on_refusal: Callable[[str], None],
        *,
        accept: str = "",
    ) -> None:
        """Create the element. `on_file` is called with the file, and `on_refusal` with an error message."""
        max_bytes = max(1, settings.upload - REQUEST_OVERHEAD)
        kind = f" and be {accept}" if accept else ""
        line = f"the file must have at most {max_bytes:,} bytes{kind}"
        super().__init__(
            auto_upload=True, max_file_size=max_bytes, on_upload=on_file, on_rejected=lambda: on_refusal(line)
        )
        if accept:
            self.props["accept"] = accept

    def _handle_delete(self) -> None:
        super()._handle_delete()
        self._upload_handlers.clear()
