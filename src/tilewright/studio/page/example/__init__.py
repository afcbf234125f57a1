"""By example: draw a sample, and techniques make maps in its style beside it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from typing import Any

from nicegui import background_tasks, ui

from ....core.errors import TilewrightError
from ...desk import Ticket
from ...example import Example, shown_techniques
from ...session import Session
from ...state import State
from ..view import View
from .card import Card
from .painter import Painter
from .sample import SamplePanel
from .trial import Glance, Outcome, tried
from .ways import ways_out

PAUSE = 0.15
"""Seconds that the sample must stand still before maps are made after it."""


class ExampleView(View):
    """The sample on the left, one map for each technique on the right. The newest sample wins."""

    def __init__(self, session: Session, area: ui.element) -> None:
        self.session = session
        self.jobs: dict[str, asyncio.Task[Any]] = {}
        """The newest work of each technique."""
        self._asked: dict[str, Any] = {}
        """What each technique was asked last; compared with what is asked now."""
        with ui.element("div").classes("tw-example-panel") as panel:
            self.panel = SamplePanel(session, self._change)
        with area, ui.element("div").classes("tw-example").props("data-testid=example") as centre:
            self.painter = Painter(session, self._change)
            with ui.element("div").classes("tw-example-cards"):
                self.cards = {technique: self._card(technique) for technique in shown_techniques()}
        self.panel.take_drops(panel)
        self.panel.take_drops(centre)
        ui.context.client.on_delete(self.stop)
        self.refresh(session.state)

    def _card(self, technique: str) -> Card:
        return Card(technique, turn=partial(self._turn, technique), take=self._continue, go=self._change)

    def refresh(self, state: State) -> None:
        """Show another example, and make what has changed; nothing is made while nobody looks."""
        if state.look.tab != "example":
            self.stop()
            return
        example = state.example
        self.panel.refresh(example)
        self.painter.refresh(example, state.look)
        for technique in reversed(self.cards):  # the quick ones first: workers may be few
            self.cards[technique].knobs.refresh(example)
            self.cards[technique].dress(sprites=state.look.sprites)
            asked = example.recipe(technique), example.similarity(technique)
            if self._asked.get(technique) != asked:
                self._asked[technique] = asked
                self._make(technique, example)

    def reroll(self) -> bool:
        """All maps with another seed."""
        self.panel.reroll()
        return True

    def stop(self) -> None:
        """Cancel what is being made; it is made when somebody looks again."""
        for technique, job in self.jobs.items():
            if not job.done():
                job.cancel()
                self._asked.pop(technique, None)

    # -- changes ------------------------------------------------------------------------------------------------

    def _change(self, example: Example) -> None:
        self.session.change(replace(self.session.state, example=example))

    def _turn(self, technique: str, knob: str, value: Any) -> None:
        state = self.session.state
        example = state.example.turning(technique, knob, value)
        self.session.change(replace(state, example=example), what=f"example {technique} {knob}")

    def _continue(self, recipe: dict[str, Any]) -> None:
        """Take a map to Make, where everything else can be done with it."""
        self.session.change(self.session.state.opening(recipe).looking(tab="make"))

    # -- making -------------------------------------------------------------------------------------------------

    def _make(self, technique: str, example: Example) -> None:
        """Make a technique's map after a pause; the one that is being made is cancelled."""
        job = self.jobs.get(technique)
        if job is not None:
            job.cancel()
        pause = 0.0 if job is None else PAUSE
        self.jobs[technique] = background_tasks.create(self._made(technique, example, pause))

    async def _made(self, technique: str, example: Example, pause: float) -> None:
        await asyncio.sleep(pause)
        card, loop, me = self.cards[technique], asyncio.get_running_loop(), asyncio.current_task()

        def look(glance: Glance) -> None:
            if self.jobs.get(technique) is me and me is not None and not me.done():
                card.look(glance)

        def work(ticket: Ticket) -> Outcome:
            def later(glance: Glance) -> None:
                loop.call_soon_threadsafe(look, glance)

            return tried(example, technique, ticket, later)

        def fail(error: TilewrightError) -> None:
            card.fail(error, ways_out(example, technique, error.problems))

        card.begin()
        outcome = await self.session.attempt(work, fail)
        if outcome is not None:
            card.finish(outcome)
