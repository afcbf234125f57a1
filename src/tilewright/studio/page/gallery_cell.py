"""Cells of the gallery."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nicegui import ui

from .measures import format_number
from .scatter_plot import ScatterPlot
from .variations import VariationResult
from .widgets import toggle_class


class GalleryCell:
    """A variation in the gallery: pending, finished or failed."""

    def __init__(self, number: int, caption: str, choose: Callable[[int], None], plot: ScatterPlot) -> None:
        self._order = -1
        with ui.element("button").classes("tw-variation tw-waits") as self.button:
            self.button.props(f"type=button data-testid=variation-{number} data-variation={number}")
            self.button.on("click", lambda: choose(number))
            on, off = plot.build_hover_handlers(number)
            self.button.on("mouseenter", js_handler=on).on("mouseleave", js_handler=off)
            self.frame = ui.element("span").classes("tw-variation-frame")
            self.caption = ui.label(caption).classes("tw-variation-caption")
            self.numbers = ui.label("").classes("tw-variation-numbers")
        self.set_order(number)

    def show(self, result: VariationResult) -> None:
        self.button.classes(remove="tw-waits", add="tw-failed" if result.failure else "tw-made")
        with self.frame:
            if result.failure:
                ui.label(result.failure).classes("tw-variation-failure").tooltip(result.failure)
            else:
                ui.element("img").props(f'src={result.picture} alt=""')

    def show_numbers(self, numbers: Sequence[float]) -> None:
        self.numbers.set_text(" · ".join(format_number(number) for number in numbers))

    def mark(self, is_shown: bool) -> None:
        toggle_class(self.button, "tw-current", is_shown)

    def set_order(self, order: int) -> None:
        """Set the position in the gallery."""
        if order != self._order:
            self._order = order
            self.button.style(f"order: {order}")
