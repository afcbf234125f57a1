"""Card of one map of the heatmap: its picture, measures and varied parameters."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

from nicegui import background_tasks, ui

from ....core.errors import TilewrightError
from ....core.measure_groups import format_measure
from ....search.archive import Elite
from ... import operations
from ...jobs import CancelToken
from ...session import Session
from ...state import State
from ..variations import draw_thumbnail, format_value
from .heatmap import describe_measure

MAX_PICTURES = 128
"""Number of pictures that are kept."""


class EliteCard:
    """Picture, measures and parameters of an elite, and a button that opens it in Make."""

    def __init__(self, session: Session, on_open: Callable[[], None]) -> None:
        self.session = session
        self.elite: Elite | None = None
        """The elite that is shown."""
        self._pictures: OrderedDict[tuple[str, int], str] = OrderedDict()
        """Pictures by search and number of the evaluation."""
        self._job: asyncio.Task[None] | None = None
        with ui.element("section").classes("tw-elite tw-card").props('aria-label="Map of the cell" data-testid=elite'):
            self.title = ui.label("").classes("tw-title").props("data-testid=elite-title")
            with ui.element("div").classes("tw-elite-frame"):
                self.picture = ui.element("img").props('alt="" data-testid=elite-picture')
                self.note = ui.label("").classes("tw-faint").props("data-testid=elite-note")
            self.numbers = ui.element("dl").classes("tw-elite-numbers").props("data-testid=elite-numbers")
            self.open = ui.button("Open in Make", icon="tune", color=None, on_click=on_open)
            self.open.props("outline dense no-caps data-testid=elite-open")
        self.show_nothing("")

    def show_nothing(self, note: str, title: str = "Map") -> None:
        """Show that there is no map, with a reason."""
        self._stop()
        self.elite = None
        self.title.set_text(title)
        self.note.set_text(note)
        self.numbers.clear()
        self.picture.set_visibility(False)
        self.note.set_visibility(True)
        self.open.set_enabled(False)

    def show(self, search: str, elite: Elite, state: State, labels: Mapping[str, str], title: str) -> None:
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
        self.title.set_text(title)
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
            self._show_picture(self._pictures[key])
        else:
            self._job = background_tasks.create(self._draw(key, state))

    def _add_row(self, name: str, value: str, style: str) -> None:
        with ui.element("div").classes(style):
            with ui.element("dt"):
                ui.label(name)
            with ui.element("dd"):
                ui.label(value)

    async def _draw(self, key: tuple[str, int], state: State) -> None:
        def work(token: CancelToken) -> str:
            recipe = operations.check_recipe(state.effective, token.settings)
            return draw_thumbnail(operations.make_map(recipe, token), sprites=state.view_settings.sprites)

        def fail(error: TilewrightError) -> None:
            self.picture.set_visibility(False)
            self.note.set_visibility(True)
            self.note.set_text(str(error))

        picture = await self.session.attempt(work, fail)
        if picture is not None:
            self._pictures[key] = picture
            if len(self._pictures) > MAX_PICTURES:
                self._pictures.popitem(last=False)
            self._show_picture(picture)

    def _show_picture(self, picture: str) -> None:
        self.note.set_visibility(False)
        self.picture.set_visibility(True)
        if self.picture.props.get("src") != picture:
            self.picture.props["src"] = picture

    def _stop(self) -> None:
        if self._job is not None:
            self._job.cancel()
        self._job = None


def _format_gene(value: Any) -> str:
    """Return the value of a varied parameter as text; of a long list, only its length."""
    if isinstance(value, list):
        return "–".join(map(str, value)) if len(value) == 2 else f"{len(value)} numbers"
    return f"{value:.4g}" if isinstance(value, float) else format_value(value)
