"""Gallery: twenty-four variations at once, as pictures and as points between two measures."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace

from nicegui import background_tasks, ui

from ...core.errors import TilewrightError
from ...core.registry import measures
from ..desk import Busy, Cancelled
from ..session import Session
from ..state import State
from .cells import Cell
from .points import Points
from .variations import (
    COLUMNS,
    COUNT,
    SWEPT,
    Knob,
    Made,
    Variation,
    knobs_of,
    made,
    of_knob,
    of_seeds,
    seeds,
    written_value,
)

AT_ONCE = 2
"""Variations that are made at the same time: the person's other work waits for no more than these."""
PATIENCE = 0.5
"""Seconds until the desk is asked again when it has too much to do."""
USUAL = ("floor_share", "path_length")
"""The measures that are the axes at first."""
UNSORTED = "as they come"


class GalleryView:
    """What varies, on the left; the pictures and the chart, in the middle."""

    def __init__(self, session: Session, area: ui.element) -> None:
        self.session = session
        self.variations: list[Variation] = []
        self.made: dict[int, Made] = {}
        """What is there of them already, by their number."""
        self.seeds = seeds()
        self._knobs: dict[str, Knob] = {}
        self._jobs: list[asyncio.Task[None]] = []
        self._build_panel()
        with area:
            self._build_area()
        ui.context.client.on_delete(self.stop)
        self.refresh(session.state)

    def refresh(self, state: State) -> None:
        """Show what varies now; work goes on only while the gallery is looked at."""
        self._offer_knobs(state)
        if state.look.tab != "gallery":
            self.stop()
        elif self._shows(state):
            self._mark(state)
            self._go_on()
        else:
            self.show_all()

    # -- what is on it ------------------------------------------------------------------------------------------

    def _build_panel(self) -> None:
        ui.label("What varies").classes("tw-title")
        self.what = ui.toggle({"seed": "The seed", "knob": "A knob"}, value="seed", on_change=self._what_changed)
        self.what.props("dense no-caps unelevated spread data-testid=gallery-what").classes("tw-toggle")
        with ui.element("div").classes("tw-gallery-knob") as self.knob_box:
            self.knob = ui.select({}, label="Knob", on_change=self._knob_chosen)
            self.knob.props("dense outlined options-dense data-testid=gallery-knob")
            with ui.element("div").classes("tw-gallery-pair") as self.span:
                self.low = self._number("From", "gallery-from")
                self.high = self._number("To", "gallery-to")
            self.words = ui.label("").classes("tw-faint").props("data-testid=gallery-words")
            self.same_seed = ui.switch("The same seed for all", value=True, on_change=self.show_all)
            self.same_seed.props("dense data-testid=gallery-same-seed")
        self.knob_box.set_visibility(False)
        roll = ui.button("Roll all again", icon="casino", on_click=self.roll).props("dense unelevated no-caps")
        roll.props("data-testid=gallery-roll").tooltip("Other seeds for all; what is locked stays")
        ui.label("Click a picture or a point to continue with it.").classes("tw-hint")
        ui.label("Two measures").classes("tw-title")
        with ui.element("div").classes("tw-gallery-pair"):
            self.y, self.about_y = self._measure("Up", [*USUAL], USUAL[1], "gallery-y")
            self.x, self.about_x = self._measure("Across", [*USUAL], USUAL[0], "gallery-x")
        self.points = Points(self.choose)
        with ui.element("div").classes("tw-gallery-sort"):
            self.sort, _ = self._measure("Sort the pictures by", [UNSORTED, *USUAL], UNSORTED, "gallery-sort")
            self.most_first = ui.switch("Most first", value=True, on_change=self._show_numbers)
            self.most_first.props("dense data-testid=gallery-most-first")

    def _number(self, label: str, test: str) -> ui.number:
        number = ui.number(label, on_change=self._span_changed).props("dense outlined debounce=400")
        return number.props(f"data-testid={test}")

    def _measure(self, label: str, names: list[str], chosen: str, test: str) -> tuple[ui.select, ui.tooltip]:
        options = {name: name.replace("_", " ") for name in names}
        select = ui.select(options, label=label, value=chosen, on_change=self._show_numbers)
        select.props(f"dense outlined options-dense data-testid={test}")
        with select:
            return select, ui.tooltip(_about(chosen))

    def _build_area(self) -> None:
        with ui.element("div").classes("tw-gallery"):
            self.told = ui.label("").classes("tw-faint").props("data-testid=gallery-progress role=status")
            self.grid = ui.element("div").classes("tw-gallery-grid").props("data-testid=gallery-grid")
            self.grid.style(f"--tw-columns: {COLUMNS}")
        self.cells: list[Cell] = []

    # -- what varies --------------------------------------------------------------------------------------------

    def _offer_knobs(self, state: State) -> None:
        knobs = {knob.key: knob for knob in knobs_of(state)}
        labels = {key: knob.label for key, knob in knobs.items()}
        if labels != self.knob.options or self._knobs.keys() != knobs.keys():
            usual = next((key for key in knobs if key not in ("width", "height")), None)
            self._knobs = knobs
            self.knob.set_options(labels, value=self.knob.value if self.knob.value in knobs else usual)
        self._knobs = knobs

    def _what_changed(self) -> None:
        self.knob_box.set_visibility(self.what.value == "knob")
        self.show_all()

    def _knob_chosen(self) -> None:
        """Another knob: from one end of what is typical to the other."""
        knob = self._knobs.get(self.knob.value or "")
        if knob is None:
            return
        self.span.set_visibility(knob.is_number)
        self.words.set_visibility(not knob.is_number)
        if knob.is_number:
            self.low.value, self.high.value = None, None  # while one is missing, nothing is made
            self.low.value, self.high.value = knob.span
        else:
            self.words.set_text(", ".join(written_value(value) for value in knob.values(0, 0)))
            self._span_changed()

    def _span_changed(self) -> None:
        if self.what.value == "knob" and self.low.value is not None and self.high.value is not None:
            self.show_all()

    def roll(self) -> None:
        """Other seeds for all of them."""
        self.seeds = seeds()
        if self.what.value == "knob" and self.same_seed.value:
            # The one seed that all share is the person's own; rolling it is a step that can be undone.
            self.session.reroll()
            return
        self.show_all()

    def _varied(self, state: State) -> list[Variation]:
        knob = self._knobs.get(self.knob.value or "")
        if self.what.value == "seed" or knob is None:
            return of_seeds(state, self.seeds)
        span = (self.low.value or 0, self.high.value or 0)
        return of_knob(state, knob, span, self.seeds, same_seed=bool(self.same_seed.value))

    # -- making them --------------------------------------------------------------------------------------------

    def show_all(self) -> None:
        """Begin anew: make all variations of the state, as long as the gallery is looked at."""
        self.stop()
        state = self.session.state
        if state.look.tab != "gallery":
            return  # they are made when somebody comes back
        self.variations, self.made = self._varied(state), {}
        self.grid.clear()
        with self.grid:
            self.cells = [
                Cell(number, one.caption, self.choose, self.points) for number, one in enumerate(self.variations)
            ]
        self._mark(state)
        self._show_numbers()
        self._go_on()

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
        wanted = [one.state.effective for one in self._varied(state)]
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
        told = f"{count} variations of {self.session.state.technique}"
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
        self._offer_measures()
        x, y, by = str(self.x.value), str(self.y.value), str(self.sort.value)
        numbers = [_numbers(self.made.get(number)) for number in range(len(self.variations))]
        for cell, found in zip(self.cells, numbers, strict=True):
            cell.count([found[name] for name in dict.fromkeys((x, y, by)) if name in found and name != SWEPT])
        points = [(one.caption, found) for one, found in zip(self.variations, numbers, strict=True)]
        self.points.show(points, x, y, {name: self._called(name) for name in (x, y)})
        self.most_first.set_visibility(by != UNSORTED)
        sign = -1 if self.most_first.value else 1
        ranks = [(by not in found, sign * found.get(by, 0), number) for number, found in enumerate(numbers)]
        for place, (_, _, number) in enumerate(sorted(ranks)):
            self.cells[number].place(number if by == UNSORTED else place)
        self.about_x.set_text(_about(x))
        self.about_y.set_text(_about(y))

    def _offer_measures(self) -> None:
        """Offer every measure that applies to one of them; what was chosen stays, as long as it can."""
        found = {name: None for one in self.made.values() for name in one.numbers or ()}
        if not found:
            return
        names = sorted(found, key=lambda name: (name != SWEPT, name))
        for select, first in ((self.x, ()), (self.y, ()), (self.sort, (UNSORTED,))):
            options = {name: self._called(name) for name in (*first, *names)}
            if options != select.options:
                usual = next((name for name in USUAL if name in options and name != self.x.value), names[0])
                select.set_options(options, value=select.value if select.value in options else next(iter(first), usual))

    def _called(self, name: str) -> str:
        knob = self._knobs.get(self.knob.value or "")
        return knob.label if name == SWEPT and knob is not None else name.replace("_", " ")


def _numbers(found: Made | None) -> Mapping[str, float]:
    return (found.numbers if found is not None else None) or {}


def _about(name: str) -> str:
    """What a measure is, for its tooltip."""
    if name in measures:
        return measures.get(name).summary
    return {SWEPT: "The value that is swept.", UNSORTED: "In the order of their seeds or values."}.get(
        name, "Reported by the technique."
    )
