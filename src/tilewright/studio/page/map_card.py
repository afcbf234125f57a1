"""Card of a map: its picture, text, and buttons. All grids of maps consist of such cards."""

from __future__ import annotations

from collections.abc import Callable

from nicegui import ui

from .widgets import set_pressed, toggle_class

EMIT_ALL = "(...args) => emit(...args)"
STATUSES = "tw-waits tw-made tw-failed"


class MapCard:
    """A picture with a caption and further text, in a button if the card has an action.

    The card waits for its picture until `show_picture` or `show_note` is called.
    """

    def __init__(
        self,
        test_id: str,
        caption: str = "",
        text: str = "",
        *,
        style: str = "tw-map-cell",
        on_click: Callable[..., object] | None = None,
        js_handler: str = EMIT_ALL,
    ) -> None:
        """Build the card in the current slot. `style` is its CSS class in addition to `tw-map-card`."""
        self._status = ""
        self.is_starred = False
        self.element = ui.element("div").classes(f"tw-map-card {style}").props(f"data-testid={test_id}")
        with self.element:
            self.button = ui.element("div" if on_click is None else "button").classes("tw-map-open")
            with self.button:
                with ui.element("span").classes("tw-map-frame") as self.frame:
                    self.picture = ui.element("img").props('alt=""')
                    self.note = ui.label("").classes("tw-map-note")
                self.caption = ui.label(caption).classes("tw-map-caption")
                self.text = ui.label(text).classes("tw-map-text")
        if on_click is not None:
            self.button.props("type=button").on("click", on_click, js_handler=js_handler)
        self.show_picture(None)

    def add_button(self, icon: str, hint: str, on_click: Callable[[], object], test_id: str) -> ui.element:
        """Add a small button over the picture. It is visible under the pointer and with the keyboard focus."""
        with self.element, ui.element("button").classes("tw-map-button") as button:
            button.props(f'type=button data-testid={test_id} aria-label="{hint}"').on("click", on_click)
            ui.icon(icon)
        return button

    def add_star(self, on_click: Callable[[], object], test_id: str) -> None:
        """Add a button that makes the map a favorite."""
        self.star = self.add_button("star_border", f"Favorite: {self.caption.text}", on_click, test_id)
        self.star.classes("tw-star").props("aria-pressed=false")

    def set_starred(self, is_starred: bool) -> None:
        """Show whether the map is a favorite."""
        if is_starred != self.is_starred:
            self.is_starred = is_starred
            set_pressed(self.star, is_starred)
            self.star.clear()
            with self.star:
                ui.icon("star" if is_starred else "star_border")

    def mark(self, is_marked: bool) -> None:
        """Show whether the map is selected."""
        set_pressed(self.button, is_marked)
        toggle_class(self.element, "tw-marked", is_marked)

    def show_picture(self, picture: str | None) -> None:
        """Show the URL of a picture; None if it is not known yet."""
        self._set_status("tw-waits" if picture is None else "tw-made")
        if picture is not None and self.picture.props.get("src") != picture:
            self.picture.props["src"] = picture

    def show_note(self, note: str, hint: str = "") -> None:
        """Show a note in place of the picture: why there is none."""
        self.note.set_text(note)
        _set_title(self.note, hint)
        self._set_status("tw-failed")

    def set_text(self, text: str, hint: str = "") -> None:
        """Set the text below the caption, and the text of a tooltip."""
        self.text.set_text(text)
        _set_title(self.button, hint)

    def _set_status(self, status: str) -> None:
        if status != self._status:
            self._status = status
            self.element.classes(add=status, remove=STATUSES.replace(status, ""))
            self.picture.set_visibility(status == "tw-made")
            self.note.set_visibility(status == "tw-failed")


def _set_title(element: ui.element, title: str) -> None:
    if title != element.props.get("title", ""):
        element.props["title"] = title
