"""Gallery: twenty-four variations at once, as pictures and as points between two measures."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from nicegui import background_tasks, events, ui

from ...core.errors import TilewrightError, counted
from ...core.registry import measures
from ...core.seeds import read_seed
from ..desk import Busy, Cancelled
from ..gallery import Gallery
from ..session import Session
from ..state import State
from .cells import Cell
from .points import Points
from .variations import COLUMNS, COUNT, SWEPT, Made, Variation, made, variations_of
from .varying import Varying
from .view import View

AT_ONCE = 2
"""Variations that are made at the same time: the person's other work waits for no more than these."""
PATIENCE = 0.5
"""Seconds until the desk is asked again when it has too much to do."""
USUAL = (Gallery().x, Gallery().y)
"""The measures that are the axes at first."""
UNSORTED = Gallery().sort


class GalleryView(View):
    """What varies, on the left; the pictures and the chart, in the middle."""

    def __init__(self, session: Session, area: ui.element) -> None:
        self.session = session
        self.variations: list[Variation] = []
        self.made: dict[int, Made] = {}
        """What is there of them already, by their number."""
        self._shown: Gallery | None = None
        """What was chosen when the numbers were shown last."""
        self._is_showing = False
        self._jobs: list[asyncio.Task[None]] = []
        self._build_panel()
        with area:
            self._build_area()
        ui.context.client.on_delete(self.stop)
        self.refresh(session.state)

    def refresh(self, state: State) -> None:
        """Show what varies now; work goes on only while the gallery is looked at."""
        self.varying.show(state)
        if state.look.tab != "gallery":
            self.stop()
        elif self._shows(state):
            self._mark(state)
            if self._shown != state.gallery:
                self._show_numbers()
            self._go_on()
        else:
            self.show_all()

    # -- what is on it ------------------------------------------------------------------------------------------

    def _build_panel(self) -> None:
        self.varying = Varying(self.session)
        roll = ui.button("Roll all again", icon="casino", on_click=self.roll).props("dense unelevated no-caps")
        roll.props("data-testid=gallery-roll").tooltip("Other seeds for all; what is locked stays")
        ui.label("Click a picture or a point to continue with it.").classes("tw-hint")
        ui.label("Two measures").classes("tw-title")
        with ui.element("div").classes("tw-gallery-pair"):
            self.y, self.about_y = self._measure("Up", "y")
            self.x, self.about_x = self._measure("Across", "x")
        self.points = Points(self.choose)
        with ui.element("div").classes("tw-gallery-sort"):
            self.sort, _ = self._measure("Sort the pictures by", "sort")
            self.most_first = ui.switch("Most first", value=True, on_change=partial(self._chosen, "most_first"))
            self.most_first.props("dense data-testid=gallery-most-first")

    def _measure(self, label: str, name: str) -> tuple[ui.select, ui.tooltip]:
        """A list of measures; they are offered when some are there."""
        select = ui.select({}, label=label, on_change=partial(self._chosen, name))
        select.props(f"dense outlined options-dense data-testid=gallery-{name}")
        with select:
            return select, ui.tooltip("")

    def _build_area(self) -> None:
        with ui.element("div").classes("tw-gallery"):
            self.told = ui.label("").classes("tw-faint").props("data-testid=gallery-progress role=status")
            self.grid = ui.element("div").classes("tw-gallery-grid").props("data-testid=gallery-grid")
            self.grid.style(f"--tw-columns: {COLUMNS}")
        self.cells: list[Cell] = []

    # -- making them --------------------------------------------------------------------------------------------

    def show_all(self) -> None:
        """Begin anew: make all variations of the state, as long as the gallery is looked at."""
        self.stop()
        state = self.session.state
        if state.look.tab != "gallery":
            return  # they are made when somebody comes back
        self.variations, self.made = variations_of(state), {}
        self.grid.clear()
        with self.grid:
            self.cells = [
                Cell(number, one.caption, self.choose, self.points) for number, one in enumerate(self.variations)
            ]
        self._mark(state)
        self._show_numbers()
        self._go_on()

    def roll(self) -> None:
        """Other seeds for all of them."""
        gallery = self.session.state.gallery
        if gallery.what == "knob" and gallery.same_seed:
            # The one seed that all share is the person's own; rolling it is a step that can be undone.
            self.session.reroll()
        else:
            self.session.vary(roll=int(read_seed(None)))

    def stop(self) -> None:
        """Cancel what is being made."""
        for job in self._jobs:
            job.cancel()
        self._jobs = []

    def choose(self, number: int) -> None:
        """Continue with one of them."""
        if number in self.made and self.made[number].failure:
            return
        chosen = self.variations[number].state
        state = replace(self.session.state, recipe=chosen.recipe, locks=chosen.locks, painted=None, off=chosen.off)
        self.session.change(state.looking(tab="make"))

    def _shows(self, state: State) -> bool:
        """Whether these are the variations of a state: also of each of them, so that one can come back for another."""
        wanted = [one.state.effective for one in variations_of(state)]
        return wanted == [one.state.effective for one in self.variations]

    def _go_on(self) -> None:
        """Make those that are missing."""
        self._tell()
        if not any(not job.done() for job in self._jobs):
            missing = [number for number in range(len(self.variations)) if number not in self.made]
            self._jobs = [background_tasks.create(self._work(missing)) for _ in range(AT_ONCE)]

    async def _work(self, missing: list[int]) -> None:
        while missing:
            await self._make(missing.pop(0))

    async def _make(self, number: int) -> None:
        variation = self.variations[number]
        while True:
            try:
                found = await self.session.do(lambda ticket: made(variation, ticket))
                break
            except Cancelled:
                return
            except Busy:
                await asyncio.sleep(PATIENCE)
            except TilewrightError as error:
                found = Made(failure=str(error))
                break
        self.made[number] = found
        self.cells[number].show(found)
        self._show_numbers()
        self._tell()

    # -- what is told -------------------------------------------------------------------------------------------

    def _tell(self) -> None:
        count, done = len(self.variations), len(self.made)
        failed = sum(bool(one.failure) for one in self.made.values())
        told = f"{counted(count, 'variation')} of {self.session.state.technique}"
        told = told if done == count else f"{done} of {told}"
        told += f", {failed} failed" if failed else ""
        told += "; the knob has no more values, other seeds would fill the page" if count < COUNT else ""
        self.told.set_text(told)

    def _mark(self, state: State) -> None:
        """Tell which of them the map that is shown is."""
        now = state.with_recipe().effective
        for cell, variation in zip(self.cells, self.variations, strict=True):
            cell.mark(now == variation.state.effective)

    def _show_numbers(self) -> None:
        """The measures below the pictures, the points of the chart, the order of the pictures."""
        self._shown = self.session.state.gallery
        self._offer_measures(self._shown)
        x, y, by = str(self.x.value), str(self.y.value), str(self.sort.value)
        numbers = [_numbers(self.made.get(number)) for number in range(len(self.variations))]
        for cell, found in zip(self.cells, numbers, strict=True):
            cell.count([found[name] for name in dict.fromkeys((x, y, by)) if name in found and name != SWEPT])
        points = [(one.caption, found) for one, found in zip(self.variations, numbers, strict=True)]
        self.points.show(points, x, y, {name: self._called(name) for name in (x, y)})
        self.most_first.set_visibility(by != UNSORTED)
        sign = -1 if self._shown.most_first else 1
        ranks = [(by not in found, sign * found.get(by, 0), number) for number, found in enumerate(numbers)]
        for place, (_, _, number) in enumerate(sorted(ranks)):
            self.cells[number].place(number if by == UNSORTED else place)
        self.about_x.set_text(_about(x))
        self.about_y.set_text(_about(y))

    def _offer_measures(self, gallery: Gallery) -> None:
        """Offer every measure that applies to one of them; what was chosen is shown, as long as it can be."""
        found = {name for one in self.made.values() for name in one.numbers or ()}
        found = found or {*USUAL, gallery.x, gallery.y, gallery.sort} - {UNSORTED}
        names = sorted(found, key=lambda name: (name != SWEPT, name))
        x = gallery.x if gallery.x in found else _first(names, gallery.y)
        y = gallery.y if gallery.y in found else _first(names, x)
        sort = gallery.sort if gallery.sort in found else UNSORTED
        self._is_showing = True
        try:
            self.most_first.set_value(gallery.most_first)
            for select, first, value in ((self.x, (), x), (self.y, (), y), (self.sort, (UNSORTED,), sort)):
                options = {name: self._called(name) for name in (*first, *names)}
                if options != select.options or select.value != value:
                    select.set_options(options, value=value)
        finally:
            self._is_showing = False

    def _chosen(self, name: str, event: events.ValueChangeEventArguments[Any]) -> None:
        """A person has chosen something."""
        if not self._is_showing and event.value is not None:
            self.session.vary(**{name: event.value})

    def _called(self, name: str) -> str:
        if name == UNSORTED:
            return "as they come"
        knob = self.varying.knob
        return knob.label if name == SWEPT and knob is not None else name.replace("_", " ")


def _first(names: Sequence[str], other: str) -> str:
    """The measure to begin with: a usual one, or else any; not the other axis's if there is another."""
    usual = [name for name in USUAL if name in names]
    return next((name for name in (*usual, *names) if name != other), other)


def _numbers(found: Made | None) -> Mapping[str, float]:
    return (found.numbers if found is not None else None) or {}


def _about(name: str) -> str:
    """What a measure is, for its tooltip."""
    if name in measures:
        return measures.get(name).summary
    return {SWEPT: "The value that is swept.", UNSORTED: "In the order of their seeds or values."}.get(
        name, "Reported by the technique."
    )
