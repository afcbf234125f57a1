"""The keys, and what a newcomer may want to know."""

from __future__ import annotations

from nicegui import ui

KEYS = {
    "The map": {
        "R": "another seed",
        "Enter": "regenerate: the same seed, with what is locked built in",
        "Ctrl+Z / Ctrl+Shift+Z": "undo / redo, whatever it was",
        "P": "play and pause the work",
        ", .": "a frame back, a frame on",
    },
    "The canvas": {
        "H S B M K I": "hand, select, brush, rectangle, bucket, picker",
        "[ ]": "smaller, larger brush",
        "1 … 9": "a tile of the palette",
        "L / U": "lock / free what is selected",
        "G": "grid",
        "F or 0": "fit the map",
        "+ −, wheel, pinch": "zoom; Space and drag to pan",
    },
}
HINTS = (
    "Turn a knob and the map follows. What you paint stays locked when you roll again.",
    "The address of the page holds everything: copy it to come back to exactly this.",
)


def show_shortcuts() -> None:
    """A dialog with all of them."""
    with ui.dialog() as dialog, ui.card().classes("tw-keys").props("data-testid=keys"):
        for hint in HINTS:
            ui.label(hint).classes("tw-hint")
        for title, keys in KEYS.items():
            ui.label(title).classes("tw-title")
            with ui.element("dl").classes("tw-measures"):
                for key, what in keys.items():
                    with ui.element("dt"):
                        ui.html(f"<kbd>{key}</kbd>", sanitize=False)
                    with ui.element("dd"):
                        ui.label(what)
        ui.button("Close", on_click=dialog.close).props("flat dense no-caps")
    dialog.open()
