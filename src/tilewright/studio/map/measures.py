"""Panel with all measures of the current map, by group."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence

from nicegui import ui

from ...core.errors import TilewrightError
from ...core.measure_groups import Groups, format_measure, group_numbers
from ...core.registry import measures
from ...core.tilemap import TileMap
from .. import operations
from ..jobs import CancelToken
from ..page.widgets import ViewTask, toggle_class
from ..session import Session

PAUSE = 0.15
"""Seconds without a change before a map is measured, so that measuring does not slow down a moving slider."""
HEADLINE = "solvable"
"""Measure shown above all groups."""
SUMMARY_MEASURES = (HEADLINE, "floor_share", "regions")
"""Measures shown on small screens while the list is closed."""
TOGGLE_SCRIPT = """(event) => {
  const head = event.currentTarget;
  head.setAttribute('aria-expanded', head.parentElement.classList.toggle('tw-opened'));
}"""
"""Opens and closes the list on small screens."""


class MeasuresView:
    """List of the measures that apply and of the technique's own numbers; collapsible on small screens.

    A row shows its explanation while it has the focus or the pointer is over it. Rows are kept when their numbers
    change, so that they keep the focus.
    """

    def __init__(self, session: Session, on_measured: Callable[[TileMap, Mapping[str, float]], object]) -> None:
        """Create the list in the current slot. `on_measured` is called with a map and its measures."""
        self.session = session
        self._on_measured = on_measured
        self._job = ViewTask()
        self._values: dict[tuple[str, str], ui.label] = {}
        """Labels of the numbers, by group and name."""
        with ui.element("button").classes("tw-measures-head") as head:
            head.props("type=button aria-expanded=false data-testid=measures-open")
            head.on("click", js_handler=TOGGLE_SCRIPT)
            ui.label("Measures").classes("tw-title")
            self.summary = ui.label("").classes("tw-measures-few")
            ui.icon("expand_less")
        with ui.element("div").classes("tw-measures").props("data-testid=measures"):
            self.remarks = ui.element("div")
            self.groups = ui.element("div")
        with self.groups:
            ui.label("shown with the first map").classes("tw-faint")

    def measure(self, map: TileMap) -> None:
        """Measure a map. A measurement in progress is cancelled."""
        self._job.start(self._measure_later(map))

    async def _measure_later(self, map: TileMap) -> None:
        await asyncio.sleep(PAUSE)

        def fail(error: TilewrightError) -> None:
            self._show({}, [str(error)])

        def work(token: CancelToken) -> tuple[Groups, list[str]]:
            return group_numbers(operations.measure_map(map, token), map.numbers), operations.find_map_warnings(map)

        found = await self.session.attempt(work, fail)
        if found is None:
            return
        self._show(*found)
        self._on_measured(map, {name: number for group in found[0].values() for name, number in group.items()})

    def _show(self, groups: Groups, remarks: Sequence[str]) -> None:
        numbers = {name: number for group in groups.values() for name, number in group.items()}
        summary = [
            f"{name.replace('_', ' ')} {format_measure(name, numbers[name])}"
            for name in SUMMARY_MEASURES
            if name in numbers
        ]
        self.summary.set_text(" · ".join([*remarks, *summary]))
        self.remarks.clear()
        with self.remarks:
            for remark in remarks:
                ui.label(remark).classes("tw-bad").props("role=status data-testid=map-warning")
        if [*self._values] != [(group, name) for group, rows in groups.items() for name in rows]:
            self._build(groups)
        for (group, name), label in self._values.items():
            label.set_text(format_measure(name if group else "", groups[group][name]))
        if HEADLINE in numbers:
            toggle_class(self.headline, "tw-unsolvable", not numbers[HEADLINE])

    def _build(self, groups: Groups) -> None:
        """Build the rows, first that of the headline."""
        self._values = {}
        self.groups.clear()
        with self.groups:
            if any(HEADLINE in names for names in groups.values()):
                with ui.element("dl").classes("tw-headline") as self.headline:
                    headline = self._add_row(HEADLINE, measures.get(HEADLINE).summary)
            for group, names in groups.items():
                technique = self.session.state.technique
                ui.label(group or f"reported by {technique}").classes("tw-measures-title")
                with ui.element("dl"):
                    for name in names:
                        hint = measures.get(name).summary if group else f"Number that {technique} reports."
                        is_headline = group and name == HEADLINE
                        self._values[group, name] = headline if is_headline else self._add_row(name, hint)

    def _add_row(self, name: str, hint: str) -> ui.label:
        """Add a row and return the label of its number."""
        with ui.element("div").classes("tw-measure").props("tabindex=0"):
            with ui.element("dt"):
                ui.label(name.replace("_", " "))
            with ui.element("dd").props(f"data-testid=measure-{name.replace(' ', '-')}"):
                label = ui.label("")
            with ui.element("dd").classes("tw-explanation"):
                ui.label(hint)
        return label


def format_seconds(seconds: float) -> str:
    return f"{1000 * seconds:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"
