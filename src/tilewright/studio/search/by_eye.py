"""Mode Pick by eye: twelve maps, of which the user picks some; the next twelve are bred from them."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

from nicegui import ui

from ...core.errors import TilewrightError, pluralize
from ...core.provenance import digest
from ...core.seeds import read_seed
from ..gallery.variations import draw_state
from ..jobs import Cancelled, CancelToken
from ..page.error_panel import ErrorCard, Remedy, list_messages, list_remedies
from ..page.map_card import MapCard
from ..page.widgets import ViewTask, icon_button, labeled_button, on_choice, show_value
from ..session import Session
from ..state import State
from .options import apply_values, choose_vary, find_search
from .setup import breed_candidates, build_genome, choose_shown, find_key
from .state import MAPS, MAX_GENERATIONS

MAX_CONCURRENT = 2
"""Maximum number of maps made at the same time, so that other jobs of the user do not wait long."""


class PickView:
    """The maps of a generation, and buttons to breed the next one and to step back."""

    def __init__(self, session: Session) -> None:
        """Build the view in the current slot."""
        self.session = session
        self.states: list[State] = []
        """States with the recipes of all candidates."""
        self.results: dict[int, tuple[str, str] | TilewrightError] = {}
        """Digest and picture of the map, or the error, by number of the candidate."""
        self.shown: list[int] = []
        """Numbers of the candidates that are shown."""
        self._shown: tuple[Any, ...] = ()
        """Search, generation and earlier picks of the shown maps."""
        self._error: TilewrightError | None = None
        self._job = ViewTask()
        with ui.element("div").classes("tw-eye"):
            with ui.element("div").classes("tw-search-bar"):
                self.next = labeled_button("Breed", "auto_awesome", self._on_next, "eye-next", "unelevated")
                self.next.classes("tw-search-main")
                with ui.element("div").classes("tw-eye-steps"):
                    self.back = icon_button("chevron_left", "Previous generation", self._on_back, test_id="eye-back")
                    self.title = ui.label("").props("role=status data-testid=eye-title")
                    self.forth = icon_button("chevron_right", "Next generation", self._on_forth, test_id="eye-forth")
                keep = ui.switch("Keep the picked maps").props("dense data-testid=eye-keep")
                self.keep = on_choice(keep, lambda is_on: self._change(keeps_picked=is_on))
                self.keep.tooltip("Whether the picked maps are part of the next generation")
                hint = "Twelve random maps"
                labeled_button("Start over", "casino", self.start_over, "eye-over", "outline", hint=hint)
            ui.label("Pick the maps that you like. The next twelve inherit from them.").classes("tw-faint")
            self.errors = ErrorCard("eye-error")
            with ui.element("div").classes("tw-eye-grid").props("role=group aria-label=Maps data-testid=eye-grid"):
                self.cards = [self._build_card(place) for place in range(MAPS)]

    def _build_card(self, place: int) -> MapCard:
        card = MapCard(f"pick-{place}", style="tw-map-choice", on_click=partial(self.toggle, place))
        card.button.props(f'aria-label="Map {place + 1}"')
        with card.button:
            ui.icon("check_circle").classes("tw-map-check")
        card.add_button("tune", f"Open map {place + 1} in Make", partial(self.open_map, place), f"pick-{place}-open")
        return card

    def refresh(self, state: State) -> None:
        """Show the generation of a state."""
        search = find_search(state)
        wanted = (find_key(state), search.generation, search.picks[: search.generation], search.keeps_picked)
        if wanted != self._shown:
            self._shown = wanted
            self.shown, self.states = [], []
            for card in self.cards:
                card.show_picture(None)
                card.mark(False)
            self._job.start(self._breed(state))
        picked = search.picked
        for place, number in enumerate(self.shown):
            self.cards[place].mark(number in picked)
        is_last = search.generation + 1 == len(search.picks)
        self.next.set_text(f"Breed from {pluralize(len(picked), 'map')}" if picked else "Twelve other maps")
        self.next.set_enabled(is_last and len(search.picks) < MAX_GENERATIONS)
        self.back.set_enabled(search.generation > 0)
        self.forth.set_enabled(not is_last)
        of = "" if is_last else f" of {len(search.picks)}"
        self.title.set_text(f"Generation {search.generation + 1}{of}")
        show_value(self.keep, search.keeps_picked)

    def hide(self) -> None:
        """Stop making maps, which are made when the view is shown again."""
        if self._job.is_running:
            self._shown = ()
        self._job.stop()

    # -- actions ------------------------------------------------------------------------------------------------

    def toggle(self, place: int) -> None:
        """Pick a map, or remove the pick."""
        if place < len(self.shown):
            search = find_search(self.session.state).toggle_pick(self.shown[place])
            self._change(picks=search.picks)

    def open_map(self, place: int) -> None:
        """Open a map in Make. The browser's back button returns."""
        if place < len(self.shown):
            self._change()
            self.session.open_in_make(self.states[self.shown[place]])

    def start_over(self) -> None:
        """Show random maps of another seed."""
        search = find_search(self.session.state).start_over(int(read_seed(None)))
        self._change(seed=search.seed, picks=search.picks, generation=search.generation)

    def _on_next(self) -> None:
        search = find_search(self.session.state).breed_next()
        self._change(picks=search.picks, generation=search.generation)

    def _on_back(self) -> None:
        self._change(generation=max(0, find_search(self.session.state).generation - 1))

    def _on_forth(self) -> None:
        search = find_search(self.session.state)
        self._change(generation=min(search.generation + 1, len(search.picks) - 1))

    def _change(self, **changes: Any) -> None:
        """Change settings. What varies becomes explicit, so that it stays when a map is opened."""
        self.session.change_search(vary=choose_vary(self.session.state), **changes)

    # -- jobs ---------------------------------------------------------------------------------------------------

    async def _breed(self, state: State) -> None:
        """Breed the candidates of a state and make their maps, until twelve differ."""
        search = find_search(state)

        def work(token: CancelToken) -> list[State]:
            genome = build_genome(state, token.settings)
            paths = [gene.path for gene in genome.genes]
            rows = genome.decode(breed_candidates(genome, search))
            return [apply_values(state, dict(zip(paths, values, strict=True))) for values in rows]

        self._show_error(None)
        states = await self.session.attempt(work, self._show_error)
        if states is None:
            return
        self.states, self.results = states, {}
        missing = list(range(len(states)))
        await asyncio.gather(*(self._make_maps(missing) for _ in range(MAX_CONCURRENT)))

    async def _make_maps(self, missing: list[int]) -> None:
        while missing and len(self.shown) < MAPS:
            number = missing.pop(0)
            try:
                map, picture = await self.session.submit_when_free(partial(draw_state, self.states[number]))
                self.results[number] = digest(map), picture
            except Cancelled:
                return
            except TilewrightError as error:
                self.results[number] = error
            self._show_maps()

    def _show_maps(self) -> None:
        """Show the maps that are known to belong to the generation."""
        errors = {number: one for number, one in self.results.items() if isinstance(one, TilewrightError)}
        digests = {number: None if isinstance(one, TilewrightError) else one[0] for number, one in self.results.items()}
        before, self.shown = self.shown, choose_shown(digests, len(self.states))
        picked = find_search(self.session.state).picked
        for place in range(len(before), len(self.shown)):
            number = self.shown[place]
            card, result = self.cards[place], self.results[number]
            if isinstance(result, TilewrightError):
                card.show_note("failed", str(result))
            else:
                card.show_picture(result[1])
            card.mark(number in picked)
        if errors and len(errors) == len(self.states):
            self._show_error(next(iter(errors.values())))

    def _show_error(self, error: TilewrightError | None) -> None:
        if error is None:
            self.errors.show(())
            return
        usual = Remedy("Vary the suggested parameters", lambda: self.session.change_search(vary=None))
        is_setting = any(one.path[:1] == ("vary",) for one in error.problems)
        self.errors.show(list_messages(error), [usual] if is_setting else list_remedies(error, self.session))
