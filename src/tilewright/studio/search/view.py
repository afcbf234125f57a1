"""Tab Search: a heatmap of everything that a recipe can make, and selection by eye."""

from __future__ import annotations

from typing import Any

from nicegui import ui

from ..page.view import View
from ..page.widgets import ViewTask, on_choice, show_value
from ..session import Session
from ..state import State
from .by_eye import PickView
from .explore import ExploreView
from .options import choose_vary, find_search
from .panels import MeasurePanel, VaryPanel
from .runs import SearchRuns
from .setup import find_key, probe_measures
from .state import AxisState, SearchViewState, Spec

LABELS = {"explore": "Explore", "eye": "Pick by eye"}


class SearchView(View):
    """Settings in the left panel, the heatmap or the maps to pick from in the middle."""

    def __init__(self, session: Session, area: ui.element, runs: SearchRuns) -> None:
        self.session = session
        self._probed = ""
        """Recipe and varied parameters for which measures were suggested."""
        self._job = ViewTask()
        tab = ui.context.client.tab_id or ui.context.client.id
        with ui.element("div").classes("tw-search-settings"):
            self.vary_panel = VaryPanel(self._on_vary)
            with ui.element("div").classes("tw-search-settings") as self.measure_part:
                self.measure_panel = MeasurePanel(self._on_settings)
        with area, ui.element("div").classes("tw-search"):
            self.mode = on_choice(ui.toggle(LABELS, value="explore"), lambda mode: session.change_search(mode=mode))
            self.mode.props("dense no-caps unelevated data-testid=search-mode").classes("tw-toggle tw-search-mode")
            with ui.element("div").classes("tw-search-part") as self.explore_part:
                self.explore = ExploreView(session, runs, tab, self._suggest_again)
            with ui.element("div").classes("tw-search-part") as self.pick_part:
                self.pick = PickView(session)
        self.refresh(session.state)

    def refresh(self, state: State) -> None:
        """Show the settings of a state and its search, while the tab is open."""
        search = find_search(state)
        is_open, is_eye = state.view_settings.tab == "search", search.mode == "eye"
        if not is_open or not is_eye:
            self.pick.hide()
        if not is_open:
            self._stop()
            return
        show_value(self.mode, search.mode)
        for part, is_shown in (
            (self.explore_part, not is_eye),
            (self.measure_part, not is_eye),
            (self.pick_part, is_eye),
        ):
            part.set_visibility(is_shown)
        self.vary_panel.show(state)
        if is_eye:
            self.pick.refresh(state)
            return
        self._probe(state, search)
        self.measure_panel.show(self.explore.complete(search) or search, self.session.list_measures())
        self.explore.refresh(state)

    def reroll(self) -> bool:
        """Choose other random maps to pick from."""
        is_eye = find_search(self.session.state).mode == "eye"
        if is_eye:
            self.pick.start_over()
        return is_eye

    # -- settings -----------------------------------------------------------------------------------------------

    def _on_vary(self, vary: dict[str, Spec]) -> None:
        self.explore.forget_error()
        self.session.change_search(vary=vary)

    def _on_settings(self, **changes: Any) -> None:
        """Change settings. Suggested measures that were shown become chosen ones."""
        self.explore.forget_error()
        shown = self.explore.complete(find_search(self.session.state))
        names = ("x", "y", "objective", "evaluations")
        chosen = {} if shown is None else {name: getattr(shown, name) for name in names}
        self.session.change_search(**{**chosen, **changes})

    def _suggest_again(self) -> None:
        """Choose suggested measures instead of the current ones."""
        self._probed = ""
        self.explore.forget_error()
        self.session.change_search(x=AxisState(), y=AxisState(), objective="", second="")

    # -- suggestions --------------------------------------------------------------------------------------------

    def _probe(self, state: State, search: SearchViewState) -> None:
        """Start to make some maps to suggest measures, if they are needed and unknown."""
        if search.x.measure and search.y.measure and search.objective:
            return
        wanted = find_key(state)
        if wanted == self._probed:
            return
        self._stop()
        self._probed, self.explore.suggestion = wanted, None
        if choose_vary(state):
            self._job.start(self._suggest(state))

    async def _suggest(self, state: State) -> None:
        found = await self.session.attempt(lambda token: probe_measures(state, token), self.explore.show_error)
        if found is not None:
            self.explore.suggestion = found
            self.refresh(self.session.state)

    def _stop(self) -> None:
        if self._job.is_running:
            self._probed = ""
        self._job.stop()
