"""What is measured: all numbers of the map that is shown, a moment after it stands still."""

from __future__ import annotations

import asyncio

from nicegui import background_tasks, ui

from ...core.errors import TilewrightError
from ...core.registry import measures
from ...core.tilemap import TileMap
from .. import service
from ..session import Session

PAUSE = 0.15
"""Seconds that a map must stand still before it is measured: a moving knob has the machine for itself."""


class MeasuresView:
    """The measures that apply, and what the technique reports itself."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self._job: asyncio.Task[None] | None = None
        ui.label("Measures").classes("tw-title")
        self.table = ui.element("dl").classes("tw-measures").props("data-testid=measures")
        with self.table:
            ui.label("made with the first map").classes("tw-faint")

    def measure(self, map: TileMap) -> None:
        """Measure a map; one that was being measured is forgotten."""
        if self._job is not None:
            self._job.cancel()
        self._job = background_tasks.create(self._measured(map))

    async def _measured(self, map: TileMap) -> None:
        await asyncio.sleep(PAUSE)
        try:
            numbers = await self.session.do(lambda ticket: service.measured(map, ticket))
        except TilewrightError as error:
            self._show({}, str(error))
            return
        self._show({**numbers, **map.numbers}, "")

    def _show(self, numbers: dict[str, float], remark: str) -> None:
        self.table.clear()
        with self.table:
            for name, number in numbers.items():
                hint = measures.get(name).summary if name in measures else "reported by the technique"
                with ui.element("dt").tooltip(hint):
                    ui.label(name.replace("_", " "))
                with ui.element("dd").props(f"data-testid=measure-{name.replace(' ', '-')}"):
                    ui.label(written(number))
            if remark:
                ui.label(remark).classes("tw-bad")


def written(number: float) -> str:
    """A number as people read it: whole ones whole, others with three places."""
    if number != number:
        return "–"
    return f"{number:,.0f}" if number == int(number) and abs(number) < 1e12 else f"{number:,.3f}"
