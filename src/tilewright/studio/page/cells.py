"""The cells of the gallery."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nicegui import ui

from .measures import written
from .points import Points
from .variations import Made
from .widgets import show_class


class Cell:
    """A picture among many: being made, made, or failed."""

    def __init__(self, number: int, caption: str, choose: Callable[[int], None], points: Points) -> None:
        self._place = -1
        with ui.element("button").classes("tw-variation tw-waits") as self.box:
            self.box.props(f"type=button data-testid=variation-{number} data-variation={number}")
            self.box.on("click", lambda: choose(number))
            on, off = points.pointing(number)
            self.box.on("mouseenter", js_handler=on).on("mouseleave", js_handler=off)
            self.frame = ui.element("span").classes("tw-variation-frame")
            self.caption = ui.label(caption).classes("tw-variation-caption")
            self.numbers = ui.label("").classes("tw-variation-numbers")
        self.place(number)

    def show(self, found: Made) -> None:
        self.box.classes(remove="tw-waits", add="tw-failed" if found.failure else "tw-made")
        with self.frame:
            if found.failure:
                ui.label(found.failure).classes("tw-variation-failure").tooltip(found.failure)
            else:
                ui.element("img").props(f'src={found.picture} alt=""')

    def count(self, numbers: Sequence[float]) -> None:
        self.numbers.set_text(" · ".join(written(number) for number in numbers))

    def mark(self, is_shown: bool) -> None:
        show_class(self.box, "tw-current", is_shown)

    def place(self, place: int) -> None:
        """Where it stands among the others."""
        if place != self._place:
            self._place = place
            self.box.style(f"order: {place}")
