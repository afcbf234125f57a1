"""Panel with all measures of the current map."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from nicegui import background_tasks, ui

from ...core.errors import TilewrightError
from ...core.registry import measures
from ...core.tilemap import TileMap
from .. import operations
from ..jobs import CancelToken
from ..session import Session

PAUSE = 0.15
"""Seconds without a change before a map is measured, so that measuring does not slow down a moving slider."""
SUMMARY_MEASURES = ("floor_share", "regions")
"""Measures shown on small screens while the list is closed."""
TOGGLE_SCRIPT = """(event) => {
  const head = event.currentTarget;
  head.setAttribute('aria-expanded', head.parentElement.classList.toggle('tw-opened'));
}"""
"""Opens and closes the list on small screens."""


class MeasuresView:
    """List of the measures that apply and of the technique's own numbers; collapsible on small screens."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._job: asyncio.Task[None] | None = None
        with ui.element("button").classes("tw-measures-head") as head:
            head.props("type=button aria-expanded=false data-testid=measures-open").on(
                "click", js_handler=TOGGLE_SCRIPT
            )
            ui.label("Measures").classes("tw-title")
            self.summary = ui.label("").classes("tw-measures-few")
            ui.icon("expand_less")
        self.table = ui.element("dl").classes("tw-measures").props("data-testid=measures")
        with self.table:
            ui.label("shown with the first map").classes("tw-faint")

    def measure(self, map: TileMap) -> None:
        """Measure a map. A measurement in progress is cancelled."""
        if self._job is not None:
            self._job.cancel()
        self._job = background_tasks.create(self._measure_later(map))

    async def _measure_later(self, map: TileMap) -> None:
        await asyncio.sleep(PAUSE)

        def fail(error: TilewrightError) -> None:
            self._show({}, [str(error)])

        def work(token: CancelToken) -> tuple[dict[str, float], list[str]]:
            return operations.measure_map(map, token), operations.find_map_warnings(map)

        found = await self.session.attempt(work, fail)
        if found is not None:
            numbers, warnings = found
            self._show({**numbers, **map.numbers}, warnings)

    def _show(self, numbers: dict[str, float], remarks: Sequence[str]) -> None:
        summary = [
            f"{name.replace('_', ' ')} {format_number(numbers[name])}" for name in SUMMARY_MEASURES if name in numbers
        ]
        self.summary.set_text(" · ".join([*remarks, *summary]))
        self.table.clear()
        with self.table:
            for remark in remarks:
                ui.label(remark).classes("tw-bad tw-measures-remark").props("role=status data-testid=map-warning")
            for name, number in numbers.items():
                hint = measures.get(name).summary if name in measures else "reported by the technique"
                with ui.element("dt").tooltip(hint):
                    ui.label(name.replace("_", " "))
                with ui.element("dd").props(f"data-testid=measure-{name.replace(' ', '-')}"):
                    ui.label(format_number(number))


def format_seconds(seconds: float) -> str:
    return f"{1000 * seconds:.0f} ms" if seconds < 1 else f"{seconds:.1f} s"


def format_number(number: float) -> str:
    """Return a number with thousands separators. Integers have no decimals; other numbers have three."""
    if number != number:
        return "–"
    return f"{number:,.0f}" if number == int(number) and abs(number) < 1e12 else f"{number:,.3f}"
