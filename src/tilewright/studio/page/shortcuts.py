"""Dialog with keyboard shortcuts and hints."""

from __future__ import annotations

from nicegui import ui

KEYS = {
    "The map": {
        "R": "new seed",
        "Enter": "rebuild around locks, with the same seed",
        "Ctrl+Z / Ctrl+Shift+Z": "undo / redo",
        "Y": "play the map; arrow keys or WASD walk, Escape returns",
        "P": "play or pause the timeline",
        ", .": "previous frame, next frame",
    },
    "The canvas": {
        "H S B M K I": "hand, select, brush, rectangle, bucket, picker",
        "[ ]": "smaller, larger brush",
        "1 … 9": "select a tile of the palette",
        "E / O": "markers, rooms; arrow keys move the cell or the selection, Shift+arrow keys resize a room",
        "Enter / Delete": "in both: add or rename, remove",
        "L / U": "lock / unlock the selection",
        "G": "grid",
        "F or 0": "fit the map",
        "+ −, wheel, pinch": "zoom; hold Space and drag to pan",
    },
}
HINTS = (
    "The map updates when you change a parameter. Painted cells are locked: they stay when you choose a new seed.",
    "The URL of the page contains the map and all settings: copy it to open them again later.",
)


def show_shortcuts() -> None:
    """Open the dialog."""
    with ui.dialog() as dialog, ui.card().classes("tw-keys").props("data-testid=keys"):
        for hint in HINTS:
            ui.label(hint).classes("tw-hint")
        for title, keys in KEYS.items():
            ui.label(title).classes("tw-title")
            with ui.element("dl"):
                for key, action in keys.items():
                    with ui.element("dt"):
                        ui.html(f"<kbd>{key}</kbd>", sanitize=False)
                    with ui.element("dd"):
                        ui.label(action)
        ui.button("Close", on_click=dialog.close).props("flat dense no-caps")
    dialog.open()
