"""Dialog with keyboard shortcuts and hints."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from nicegui import ui

HINTS = (
    "The map updates when you change a parameter. Painted cells are locked: they stay when you choose a new seed.",
    "The URL of the page contains the map and all settings: copy it to open them again later.",
)


@cache
def read_shortcuts() -> dict[str, dict[str, str]]:
    """Return the actions by key, in groups with a title."""
    return tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


def show_shortcuts() -> None:
    """Open the dialog."""
    with ui.dialog() as dialog, ui.card().classes("tw-keys").props("data-testid=keys"):
        for hint in HINTS:
            ui.label(hint).classes("tw-hint")
        for title, keys in read_shortcuts().items():
            ui.label(title).classes("tw-title")
            with ui.element("dl"):
                for key, action in keys.items():
                    with ui.element("dt"):
                        ui.html(f"<kbd>{key}</kbd>", sanitize=False)
                    with ui.element("dd"):
                        ui.label(action)
        ui.button("Close", on_click=dialog.close).props("flat dense no-caps")
    dialog.open()
