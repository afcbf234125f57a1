"""Tab By example: a sample to draw, and maps in its style by several techniques."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from typing import Any

from nicegui import background_tasks, ui

from ...core.errors import TilewrightError
from ..jobs import CancelToken
from ..page.view import View
from ..session import Session
from ..state import State
from .card import TrialCard
from .sample import Painter, SamplePanel
from .state import SampleState, list_techniques
from .trial import TrialPreview, TrialResult, list_suggestions, run_trial

PAUSE = 0.15
"""Seconds without a change of the sample before maps are made."""


class ExampleView(View):
    """The sample on the left, one map for each technique on the right."""

    def __init__(self, session: Session, area: ui.element) -> None:
        self.session = session
        self.jobs: dict[str, asyncio.Task[Any]] = {}
        """Newest task of each technique."""
        self._last_requests: dict[str, Any] = {}
        """Last request of each technique, to detect changes."""
        with ui.element("div").classes("tw-example-panel") as panel:
            self.panel = SamplePanel(session, self._change)
        with area, ui.element("div").classes("tw-example").props("data-testid=example") as center:
            self.painter = Painter(session, self._change)
            with ui.element("div").classes("tw-example-cards"):
                self.cards = {technique: self._build_card(technique) for technique in list_techniques()}
        self.panel.take_drops(panel)
        self.panel.take_drops(center)
        ui.context.client.on_delete(self.stop)
        self.refresh(session.state)

    def _build_card(self, technique: str) -> TrialCard:
        return TrialCard(
            technique,
            on_knob=partial(self._set_knob, technique),
            on_continue=self._continue,
            on_suggestion=self._change,
        )

    def refresh(self, state: State) -> None:
        """Show the state and make the maps that have changed, if the tab is open."""
        if state.view_settings.tab != "example":
            self.stop()
            return
        example = state.example
        self.panel.refresh(example)
        self.painter.refresh(example, state.view_settings)
        for technique in reversed(self.cards):  # The fastest technique comes first.
            self.cards[technique].knobs.refresh(example)
            self.cards[technique].set_sprites(sprites=state.view_settings.sprites)
            request = example.build_recipe(technique), example.build_similarity(technique)
            if self._last_requests.get(technique) != request:
                self._last_requests[technique] = request
                self._make(technique, example)

    def reroll(self) -> bool:
        """Choose a new seed for all maps."""
        self.panel.reroll()
        return True

    def stop(self) -> None:
        """Cancel all jobs. They are restarted when the tab is opened again."""
        for technique, job in self.jobs.items():
            if not job.done():
                job.cancel()
                self._last_requests.pop(technique, None)

    # -- changes ------------------------------------------------------------------------------------------------

    def _change(self, example: SampleState) -> None:
        self.session.change(replace(self.session.state, example=example))

    def _set_knob(self, technique: str, knob: str, value: Any) -> None:
        state = self.session.state
        example = state.example.with_knob(technique, knob, value)
        self.session.change(replace(state, example=example), undo_group=f"example {technique} {knob}")

    def _continue(self, recipe: dict[str, Any]) -> None:
        """Open a map in Make."""
        self.session.open(self.session.state.open_recipe(recipe).with_view_settings(tab="make"))

    # -- jobs ---------------------------------------------------------------------------------------------------

    def _make(self, technique: str, example: SampleState) -> None:
        """Make a technique's map after a pause. A running job of the technique is cancelled."""
        job = self.jobs.get(technique)
        if job is not None:
            job.cancel()
        pause = 0.0 if job is None else PAUSE
        self.jobs[technique] = background_tasks.create(self._run_trial(technique, example, pause))

    async def _run_trial(self, technique: str, example: SampleState, pause: float) -> None:
        await asyncio.sleep(pause)
        card, loop, me = self.cards[technique], asyncio.get_running_loop(), asyncio.current_task()

        def show_preview(preview: TrialPreview) -> None:
            if self.jobs.get(technique) is me and me is not None and not me.done():
                card.show_preview(preview)

        def work(token: CancelToken) -> TrialResult:
            def report_preview(preview: TrialPreview) -> None:
                loop.call_soon_threadsafe(show_preview, preview)

            return run_trial(example, technique, token, report_preview)

        def fail(error: TilewrightError) -> None:
            card.fail(error, list_suggestions(example, technique, error.problems))

        card.start()
        outcome = await self.session.attempt(work, fail)
        if outcome is not None:
            card.finish(outcome)
