"""Card of one map of the heatmap: its picture, measures and varied parameters."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from nicegui import background_tasks, ui

from ...core.measure_groups import format_measure
from ...search.archive import Elite
from ..gallery.variations import draw_state, format_value
from ..page.map_card import MapCard
from ..session import Session
from ..state import State
from .heatmap import describe_measure

MAX_PICTURES = 128
"""Number of pictures that are kept."""


class EliteCard(MapCard):
    """Picture, measures and parameters of an elite, and a button that opens it in Make."""

    def __init__(self, session: Session, on_open: Callable[[], None]) -> None:
        self.session = session
        self.elite: Elite | None = None
        """The elite that is shown."""
        self._pictures: OrderedDict[tuple[str, int], str] = OrderedDict()
        """Pictures by search and number of the evaluation."""
        self._job: asyncio.Task[None] | None = None
        super().__init__("elite", style="tw-elite tw-card")
        self.element.props('role=region aria-label="Map of the cell"')
        self.caption.props("data-testid=elite-title").classes("tw-title")
        self.picture.props("data-testid=elite-picture")
        self.note.props("data-testid=elite-note").classes("tw-faint")
        with self.element:
            self.numbers = ui.element("dl").classes("tw-elite-numbers").props("data-testid=elite-numbers")
            self.open = ui.button("Open in Make", icon="tune", color=None, on_click=on_open)
            self.open.props("outline dense no-caps data-testid=elite-open")
        self.show_nothing("")

    def show_nothing(self, note: str, title: str = "Map") -> None:
        """Show that there is no map, with a reason."""
        self._stop()
        self.elite = None
        self.caption.set_text(title)
        self.show_note(note)
        self.numbers.clear()
        self.open.set_enabled(False)

    def show_elite(self, search: str, elite: Elite, state: State, labels: Mapping[str, str], title: str) -> None:
        """Show an elite.

        Parameters
        ----------
        search : str
            Key of the search.
        elite : Elite
            The elite.
        state : State
            State with the elite's recipe.
        labels : mapping
            Labels of the varied parameters by name.
        title : str
            Title of the card.
        """
        self.caption.set_text(title)
        key = (search, elite.number)
        if self.elite is not None and (self.elite.number, self.elite.cell) == (elite.number, elite.cell):
            return
        self._stop()
        self.elite = elite
        self.open.set_enabled(True)
        self.numbers.clear()
        with self.numbers:
            for name, number in elite.measures.items():
                self._add_row(describe_measure(name), format_measure(name, number), "tw-elite-measure")
            for name, value in elite.values.items():
                self._add_row(labels.get(name, name), _format_gene(value), "")
        if key in self._pictures:
            self.show_picture(self._pictures[key])
        else:
            self._job = background_tasks.create(self._draw(key, state))

    def _add_row(self, name: str, value: str, style: str) -> None:
        with ui.element("div").classes(style):
            with ui.element("dt"):
                ui.label(name)
            with ui.element("dd"):
                ui.label(value)

    async def _draw(self, key: tuple[str, int], state: State) -> None:
        found = await self.session.attempt(partial(draw_state, state), lambda error: self.show_note(str(error)))
        if found is not None:
            self._pictures[key] = found[1]
            if len(self._pictures) > MAX_PICTURES:
                self._pictures.popitem(last=False)
            self.show_picture(found[1])

    def _stop(self) -> None:
        if self._job is not None:
            self._job.cancel()
        self._job = None


def _format_gene(value: Any) -> str:
    """Return the value of a varied parameter as text; of a long list, only its length."""
    if isinstance(value, list):
        return "–".join(map(str, value)) if len(value) == 2 else f"{len(value)} numbers"
    return f"{value:.4g}" if isinstance(value, float) else format_value(value)
