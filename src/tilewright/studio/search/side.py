"""Beside the heatmap: the numbers of the search, and the card of one map."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from nicegui import ui

from ...core.measure_groups import format_measure, format_value
from ...search.archive import Elite
from ..gallery.variations import draw_state, format_param
from ..page.map_card import MapCard
from ..page.widgets import ViewTask, add_definition, labeled_button
from ..session import Session
from ..state import State
from .heatmap import describe_measure, to_shown_value
from .runs import SearchRun

HINTS = {
    "Maps": "Number of maps that were made and measured",
    "Coverage": "Fraction of the cells for which there is a map",
    "Best": "Best value of the objective",
    "QD score": "Sum of the objective over all cells: higher with more cells and better maps",
    "Speed": "Maps per second",
    "Failed": "Maps that could not be made or measured, and those outside of the ranges",
}
"""Names of the numbers and their tooltips."""
UNKNOWN = "–"
MAX_REASONS = 500
"""Maximum number of characters of the reasons of failures."""


class SearchNumbers:
    """A list of numbers, each with a tooltip."""

    def __init__(self) -> None:
        self._labels: dict[str, ui.label] = {}
        with ui.element("dl").classes("tw-search-numbers").props("data-testid=search-numbers"):
            for name, hint in HINTS.items():
                props = f"data-testid=search-{name.lower().replace(' ', '-')}"
                self._labels[name] = add_definition(name, props=props, hint=hint)
        self.show(None)

    def show(self, run: SearchRun | None) -> None:
        """Show the numbers of a search; None if there is none."""
        texts = {} if run is None else _describe(run)
        for name, label in self._labels.items():
            label.set_text(texts.get(name, UNKNOWN))
        archive = None if run is None else run.search.archive
        failures = {} if archive is None else archive.failures
        reasons = "; ".join(f"{count:,}: {text}" for text, count in failures.items())[:MAX_REASONS]
        if self._labels["Failed"].props.get("title", "") != reasons:
            self._labels["Failed"].props["title"] = reasons


def _describe(run: SearchRun) -> dict[str, str]:
    texts = {"Maps": f"{run.evaluations:,} of {run.search.definition.evaluations:,}"}
    if run.rate:
        texts["Speed"] = f"{run.rate:,.0f}/s" if run.rate >= 10 else f"{run.rate:.1f}/s"
    archive = run.search.archive
    if archive is not None:
        failed = sum(archive.failures.values())
        texts["Coverage"] = f"{100 * archive.coverage:.0f} %"
        texts["QD score"] = format_value(archive.qd_score)
        texts["Failed"] = f"{failed:,}" + (f" + {archive.out_of_range:,} out" if archive.out_of_range else "")
        if len(archive):
            texts["Best"] = format_value(to_shown_value(archive.definition.objective, archive.best.objective))
    return texts


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
        self._job = ViewTask()
        super().__init__("elite", style="tw-elite tw-card")
        self.element.props('role=region aria-label="Map of the cell"')
        self.caption.props("data-testid=elite-title").classes("tw-title")
        self.picture.props("data-testid=elite-picture")
        self.note.props("data-testid=elite-note").classes("tw-faint")
        with self.element:
            self.numbers = ui.element("dl").classes("tw-elite-numbers").props("data-testid=elite-numbers")
            self.open = labeled_button("Open in Make", "tune", on_open, "elite-open")
        self.show_nothing("")

    def show_nothing(self, note: str, title: str = "Map") -> None:
        """Show that there is no map, with a reason."""
        self._job.stop()
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
        self._job.stop()
        self.elite = elite
        self.open.set_enabled(True)
        self.numbers.clear()
        with self.numbers:
            for name, number in elite.measures.items():
                label = add_definition(describe_measure(name), style="tw-elite-measure")
                label.set_text(format_measure(name, number))
            for name, value in elite.values.items():
                add_definition(labels.get(name, name)).set_text(_format_gene(value))
        if key in self._pictures:
            self.show_picture(self._pictures[key])
        else:
            self._job.start(self._draw(key, state))

    async def _draw(self, key: tuple[str, int], state: State) -> None:
        found = await self.session.attempt(partial(draw_state, state), lambda error: self.show_note(str(error)))
        if found is not None:
            self._pictures[key] = found[1]
            if len(self._pictures) > MAX_PICTURES:
                self._pictures.popitem(last=False)
            self.show_picture(found[1])


def _format_gene(value: Any) -> str:
    """Return the value of a varied parameter as text; of a long list, only its length."""
    if isinstance(value, list):
        return "–".join(map(str, value)) if len(value) == 2 else f"{len(value)} numbers"
    return f"{value:.4g}" if isinstance(value, float) else format_param(value)
