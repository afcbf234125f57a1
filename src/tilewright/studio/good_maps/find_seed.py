"""Find a seed: test many seeds of the recipe, and show the best of those that meet the requirements."""

from __future__ import annotations

import time
from functools import partial
from typing import Any

from nicegui import ui

from ...core.errors import TilewrightError, pluralize
from ...core.recipe import Recipe
from .. import operations
from ..gallery.variations import draw_thumbnail
from ..jobs import Cancelled, CancelToken
from ..page.widgets import ViewTask, labeled_button, progress_bar
from ..session import Session
from ..state import State
from .found_seeds import MAX_FOUND, FoundSeedsView, describe_counts
from .seek_run import MAX_SEEDS, SeekRun, find_seek_key, open_seek

COUNTS = {count: f"{count:,} seeds" for count in (1_000, 10_000, 100_000, MAX_SEEDS)}
"""Numbers of seeds to choose from, and their labels."""
DEFAULT_COUNT = 10_000
UPDATE_SECONDS = 0.4
"""Seconds between updates of the page while seeds are tested."""
SCROLL_SCRIPT = "requestAnimationFrame(() => getHtmlElement(%d).scrollIntoView({ block: 'start' }))"
"""Shows the result, which appears below the controls."""


class FindSeedPanel:
    """A button that starts and stops the search, its progress and its result.

    The search belongs to the recipe and its requirements. It stops when they change, and its result is hidden until
    they are as before. Another seed of the map changes neither.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self.run: SeekRun | None = None
        self._key: dict[str, Any] = {}
        """Recipe of the search."""
        self._state = session.state
        """State when the search was started."""
        self._job = ViewTask()
        self._error = ""
        self._is_scrolled = True
        """Whether the result has been scrolled into view."""
        self._shown = 0.0
        """Time of the last update of the page."""
        self._pictures: dict[int, str] = {}
        """Pictures of the kept seeds."""
        self._drawing = ViewTask()
        """Task that draws them."""
        with ui.element("div").classes("tw-find").props('role=group aria-label="Find a seed"') as self.panel:
            with ui.element("div").classes("tw-find-controls"):
                hint = "Test the seeds 0, 1, 2, ... and keep the best of those whose map meets all rows"
                self.button = labeled_button("", None, self._on_button, "find-seed", hint=hint).classes("tw-grow")
                self.count = ui.select(COUNTS, value=DEFAULT_COUNT)
                self.count.props('dense outlined options-dense aria-label="Number of seeds" data-testid=find-count')
            self.progress = progress_bar("find-progress", "Tested seeds", "size=4px")
            self.numbers = ui.label("").classes("tw-find-numbers tw-faint").props("data-testid=find-numbers")
            self.status = ui.label("").classes("tw-bad").props("role=status data-testid=find-status")
            self.done = ui.label("").classes("tw-unseen").props("role=status data-testid=find-done")
            self.result = FoundSeedsView(self._choose)

    def refresh(self, state: State) -> None:
        """Show the search, if it is that of a state; otherwise, stop it."""
        self.panel.set_visibility(bool(state.recipe.get("require")))
        if self._key and find_seek_key(state) != self._key:
            self._job.stop()
            self._error = ""
        self._show()

    @property
    def is_running(self) -> bool:
        return self._job.is_running

    def _is_current(self, state: State) -> bool:
        """Return whether the search is that of a state."""
        return self.run is not None and find_seek_key(state) == self._key

    # -- search -----------------------------------------------------------------------------------------------

    def _on_button(self) -> None:
        """Start, stop, continue or extend the search."""
        if self.is_running:
            self._job.stop()
        else:
            self._error = ""
            self._is_scrolled = False
            self._job.start(self._work(self.session.state, int(self.count.value)))
        self._show()

    async def _work(self, state: State, count: int) -> None:
        try:
            if self.run is None or not self._is_current(state):
                key, settings = find_seek_key(state), self.session.queue.settings
                self.run, self._key, self._state, self._pictures = None, key, state, {}
                work = partial(open_seek, key, settings, count=count, keep=MAX_FOUND)
                found = await self.session.submit(lambda token: work())
                self.run = SeekRun(self.session.queue, found, client=self.session)
            elif self.run.state.is_finished:
                self.run.extend(count)
            await self.run.test_missing(self._show_progress)
        except Cancelled:
            return  # The page was closed.
        except TilewrightError as error:
            self._error = str(error)
        self._job.end()
        with self.panel.client:
            self._show()

    def _show_progress(self) -> None:
        if time.monotonic() >= self._shown + UPDATE_SECONDS:
            with self.panel.client:
                self._show()

    def _choose(self, seed: int) -> None:
        """Put a seed into Make. Its map is that of the first try, as it was tested."""
        recipe = self.session.state.recipe
        if (str(recipe.get("seed")), recipe.get("attempt")) != (str(seed), 0):
            self.session.set_seed(seed, attempt=0)

    # -- display ----------------------------------------------------------------------------------------------

    def _show(self) -> None:
        """Show the controls, the progress and the result of the search."""
        self._shown = time.monotonic()
        run = self.run if self._is_current(self.session.state) else None
        label, icon = "Find a seed", "manage_search"
        if self.is_running:
            label, icon = "Stop", "stop"
        elif run is not None:
            label, icon = ("More seeds", "add") if run.state.is_finished else ("Continue", "play_arrow")
        self.button.set_text(label)
        self.button.set_icon(icon)
        self.count.set_enabled(not self.is_running)
        self.status.set_text(self._error)
        for part in (self.progress, self.numbers):
            part.set_visibility(self.is_running or (run is not None and not run.state.is_finished))
        if run is not None:
            self.progress.set_value(run.state.tally.tested / run.state.definition.count)
        self.numbers.set_text("Starting ..." if run is None else _describe_progress(run, self.is_running))
        found = None if run is None else run.result
        self.result.show(found, self.session.state.seed, self._pictures)
        self.done.set_text("" if found is None or self.is_running else describe_counts(found))
        if self.result.is_shown and not self._is_scrolled:
            self._is_scrolled = True
            ui.run_javascript(SCROLL_SCRIPT % self.panel.id)
        self._draw(run)

    def _draw(self, run: SeekRun | None) -> None:
        """Start to draw the maps of the kept seeds that have no picture."""
        if run is not None and not self._drawing.is_running and self._find_undrawn(run) is not None:
            self._drawing.start(self._draw_maps(run))

    def _find_undrawn(self, run: SeekRun) -> int | None:
        """Return the first kept seed without a picture."""
        return next((seed for seed in run.state.kept.seeds.tolist() if seed not in self._pictures), None)

    async def _draw_maps(self, run: SeekRun) -> None:
        state = self._state
        while run is self.run and (seed := self._find_undrawn(run)) is not None:
            recipe = run.state.definition.recipe_of(seed)

            def work(token: CancelToken, recipe: Recipe = recipe) -> str:
                map = state.landmarks.apply(operations.make_map(recipe, token))
                return draw_thumbnail(map, sprites=state.view_settings.sprites)

            try:
                self._pictures[seed] = await self.session.submit_when_free(work)
            except TilewrightError:
                return  # The client was removed, or the studio is being stopped.
            with self.panel.client:
                self.result.show_pictures(self._pictures)
        kept = set(run.state.kept.seeds.tolist())
        if run is self.run:
            self._pictures = {seed: picture for seed, picture in self._pictures.items() if seed in kept}


def _describe_progress(run: SeekRun, is_running: bool) -> str:
    """Return the numbers of tested and found seeds and, of a running search, the rate and the remaining time."""
    tally, count = run.state.tally, run.state.definition.count
    parts = [f"{tally.tested:,} of {pluralize(count, 'seed')}", f"{tally.passed:,} found"]
    if is_running and run.rate:
        parts += [f"{run.rate:,.0f}/s", f"{_format_duration((count - tally.tested) / run.rate)} left"]
    return " · ".join(parts)


def _format_duration(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"
