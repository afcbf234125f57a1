"""Cells of the gallery."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from nicegui import ui

from .scatter_plot import ScatterPlot
from .variations import VariationResult
from .widgets import toggle_class


class GalleryCell:
    """A variation in the gallery: pending, finished or failed. A button opens it, another one stars it."""

    def __init__(
        self,
        number: int,
        caption: str,
        *,
        on_open: Callable[[int], None],
        on_star: Callable[[int], None],
        plot: ScatterPlot,
    ) -> None:
        self._order = -1
        self._is_starred: bool | None = None
        with ui.element("div").classes("tw-variation tw-waits") as self.cell:
            self.cell.props(f"data-testid=variation-{number} data-variation={number}")
            on, off = plot.build_hover_handlers(number)
            self.cell.on("mouseenter", js_handler=on).on("mouseleave", js_handler=off)
            with ui.element("button").classes("tw-variation-open").props("type=button") as self.button:
                self.button.on("click", lambda: on_open(number))
                self.frame = ui.element("span").classes("tw-variation-frame")
                self.caption = ui.label(caption).classes("tw-variation-caption")
                self.numbers = ui.label("").classes("tw-variation-numbers")
            with ui.element("button").classes("tw-star").props(f"type=button data-testid=star-{number}") as self.star:
                self.star.props["aria-label"] = f"Favorite: {caption}"
                self.star.on("click", lambda: on_star(number))
                self.star_icon = ui.icon("star_border")
        self.set_order(number)
        self.set_starred(False)

    def show(self, result: VariationResult) -> None:
        failed = result.error is not None
        self.cell.classes(remove="tw-waits", add="tw-failed" if failed else "tw-made")
        self.star.set_visibility(not failed)
        with self.frame:
            if failed:
                ui.label("failed").classes("tw-variation-failure").tooltip(str(result.error))
            else:
                ui.element("img").props(f'src={result.picture} alt=""')

    def show_numbers(self, numbers: Mapping[str, str]) -> None:
        """Show measures by label."""
        text = "\n".join(f"{label} {number}" for label, number in numbers.items())
        if text != self.numbers.text:
            self.numbers.set_text(text)

    def mark(self, is_shown: bool) -> None:
        toggle_class(self.cell, "tw-current", is_shown)

    def set_starred(self, is_starred: bool) -> None:
        if is_starred != self._is_starred:
            self._is_starred = is_starred
            self.star.props(f"aria-pressed={'true' if is_starred else 'false'}")
            self.star_icon.set_name("star" if is_starred else "star_border")

    def set_order(self, order: int) -> None:
        """Set the position in the gallery."""
        if order != self._order:
            self._order = order
            self.cell.style(f"order: {order}")
