"""Mode Explore: a heatmap of the best maps for all combinations of two measures, which fills while the search runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from nicegui import ui

from ...core.errors import TilewrightError, pluralize
from ...core.seeds import read_seed
from ...search.archive import Elite
from ...search.axes import MeasureAxis, Objective
from ..page.error_panel import ErrorCard, Remedy, list_messages, list_remedies
from ..page.widgets import icon_button, labeled_button, progress_bar, set_pressed, toggle_class
from ..session import Session
from ..state import State
from .found_maps import EliteExport, FoundMaps
from .heatmap import Box, Cell, Heatmap, build_scene, describe_measure
from .options import choose_vary, find_search, list_options
from .runs import SearchRun, SearchRuns
from .setup import Suggestion, build_definition, find_key
from .side import EliteCard, SearchNumbers
from .state import DEFAULT_EVALUATIONS, MAX_EVALUATIONS, SearchViewState, Spec

UPDATE_SECONDS = 0.25
"""Seconds between updates of the page while a search runs."""


@dataclass(frozen=True)
class _Facts:
    """What the page needs to know about a state many times while a search runs."""

    state: State
    key: str
    vary: dict[str, Spec]
    labels: dict[str, str]
    """Labels of everything that can vary, by path."""

    @classmethod
    def of(cls, state: State) -> _Facts:
        options = list_options(state)
        labels = {option.path: option.label for option in options}
        return cls(state, find_key(state), choose_vary(state, options), labels)


class ExploreView:
    """The heatmap with its controls, numbers, the map of a cell and the export."""

    def __init__(self, session: Session, runs: SearchRuns, tab: str, on_suggest: Callable[[], None]) -> None:
        """Build the view in the current slot.

        Parameters
        ----------
        session : Session
            The user's session.
        runs : SearchRuns
            The searches of this studio.
        tab : str
            Id of the browser tab, which stays the same when the page is reloaded.
        on_suggest : callable
            Called to choose suggested measures again.
        """
        self.session, self.runs, self.tab, self._on_suggest = session, runs, tab, on_suggest
        self.maps = FoundMaps(runs.find(tab))
        self.suggestion: Suggestion | None = None
        self._cell: Cell | None = None
        """Inspected cell; None for the best map."""
        self._error: TilewrightError | None = None
        """Error of the settings."""
        self._is_starting = False
        self._is_changed = True
        self._facts: dict[str, _Facts] = {}
        """Facts about the current state and about that of the search."""
        self._build()
        self._attach()
        ui.timer(UPDATE_SECONDS, self._update)
        ui.context.client.on_delete(self._detach)

    # -- layout -------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        with ui.element("div").classes("tw-search-part"):
            with ui.element("div").classes("tw-search-bar"):
                self.main = labeled_button("Start", "play_arrow", self._on_main, "search-main", "unelevated")
                self.main.classes("tw-search-main")
                restart, hint = self._start_with_other_seed, "Search again with another seed of the search"
                self.again = labeled_button("Other seed", "casino", restart, "search-again", "outline", hint=hint)
                self.status = ui.label("").classes("tw-search-status tw-faint")
                self.status.props("role=status data-testid=search-status")
            self.progress = progress_bar("search-progress", "Progress of the search", "size=4px")
            self.errors = ErrorCard("search-error")
            with ui.element("div").classes("tw-search-body"):
                with ui.element("div").classes("tw-search-map"):
                    self.heatmap = Heatmap(
                        on_inspect=self._on_inspect,
                        on_open=lambda cell: self.open_elite(self.maps.find_elite(cell)),
                        on_select=self._on_select,
                    )
                    with self.heatmap, ui.element("div").classes("tw-search-intro") as self.intro:
                        ui.label("See everything that this recipe can make").classes("tw-search-intro-title")
                        self.summary = ui.label("").props("data-testid=search-summary")
                with ui.element("div").classes("tw-search-side"):
                    self.numbers = SearchNumbers()
                    self.card = EliteCard(self.session, lambda: self.open_elite(self.card.elite))
                    with ui.element("div").classes("tw-row tw-search-select"):
                        self.selection = ui.label("").classes("tw-grow")
                        self.selection.props("data-testid=search-selection role=status")
                        hint, toggle = "Drag a finger over the heatmap to select cells", self._toggle_select
                        self.touch = labeled_button("Select", "select_all", toggle, "search-select", hint=hint)
                        self.touch.props("aria-pressed=false").classes("tw-touch-only")
                        clear = self.heatmap.clear_selection
                        self.clear = icon_button("deselect", "Remove the selection", clear, test_id="search-clear")
                    self.export = EliteExport(self.session, lambda: self.maps)

    # -- runs ---------------------------------------------------------------------------------------------------

    @property
    def run(self) -> SearchRun | None:
        """The search of this browser tab."""
        return self.maps.run

    def _attach(self) -> None:
        if self.run is not None:
            self.runs.attach(self.run, self._mark_changed)

    def _detach(self) -> None:
        if self.run is not None:
            self.runs.detach(self.run, self._mark_changed)

    def _mark_changed(self) -> None:
        self._is_changed = True

    async def _on_main(self) -> None:
        """Start, pause, resume or extend the search."""
        run = self.run
        if run is None or not self._is_current(run):
            await self.start()
        elif run.status == "running":
            run.pause()
        else:
            if run.status == "finished":
                self.session.change_search(evaluations=self._count_next(run))
                run.extend(find_search(self.session.state).evaluations)
            run.resume()

    async def _start_with_other_seed(self) -> None:
        self.session.change_search(seed=int(read_seed(None)))
        await self.start()

    def _count_next(self, run: SearchRun) -> int:
        """Return the number of maps after which a finished search ends if it continues."""
        done, wanted = run.search.definition.evaluations, find_search(self.session.state).evaluations
        return min(wanted if wanted > done else 2 * done, MAX_EVALUATIONS)

    async def start(self) -> None:
        """Start the search of the current recipe."""
        search = self.complete(find_search(self.session.state))
        if search is None or self._is_starting:
            return
        self._is_starting = True
        self.session.change_search(
            x=search.x,
            y=search.y,
            objective=search.objective,
            evaluations=search.evaluations,
            vary=self._find_facts(self.session.state).vary,
        )
        state, settings = self.session.state, self.session.queue.settings
        setup = await self.session.attempt(lambda token: build_definition(state, settings), self.show_error)
        self._is_starting = False
        if setup is not None:
            self._detach()
            try:
                self.maps = FoundMaps(self.runs.start(self.tab, setup))
            except TilewrightError as error:
                self.show_error(error)
                return
            self._error, self._cell = None, None
            self._attach()
        self.refresh(self.session.state)

    def complete(self, search: SearchViewState) -> SearchViewState | None:
        """Return settings in which all measures are chosen; None before the suggestion is known."""
        if search.x.measure and search.y.measure and search.objective:
            return search.replace(evaluations=search.evaluations or DEFAULT_EVALUATIONS)
        return None if self.suggestion is None else self.suggestion.fill(search)

    def _is_current(self, run: SearchRun) -> bool:
        """Return whether a search is that of the current settings."""
        return run.setup.key == self._find_facts(self.session.state).key

    def _find_facts(self, state: State, name: str = "current") -> _Facts:
        found = self._facts.get(name)
        if found is None or found.state is not state:
            found = self._facts[name] = _Facts.of(state)
        return found

    def show_error(self, error: TilewrightError) -> None:
        """Show an error of the settings."""
        self._error = error
        self.refresh(self.session.state)

    # -- display ------------------------------------------------------------------------------------------------

    def refresh(self, state: State) -> None:
        """Show the search, and whether it is that of the state."""
        if self._error is not None and self.run is not None and self._is_current(self.run):
            self._error = None
        self._is_changed = True
        self._update()

    def forget_error(self) -> None:
        """Remove the error of the settings, because they have changed."""
        self._error = None

    def _update(self) -> None:
        """Show the numbers and the heatmap, if something has changed."""
        run = self.run
        if not self._is_changed or self.session.state.view_settings.tab != "search":
            return
        self._is_changed = run is not None and run.status == "running" and run.rate > 0
        self._show_controls(run)
        self._show_errors(run)
        self.numbers.show(run)
        self._show_heatmap(run)
        self._show_cell()
        self._show_selection()

    def _show_controls(self, run: SearchRun | None) -> None:
        search = find_search(self.session.state)
        is_current = run is not None and self._is_current(run)
        label, icon, is_on = "Start", "play_arrow", self.complete(search) is not None
        note = ""
        if run is not None and is_current:
            done = run.search.definition.evaluations
            if run.status == "running":
                label, icon = "Pause", "pause"
            elif run.status == "paused":
                label = "Resume"
            elif run.status == "finished":
                more = self._count_next(run) - done
                label, icon, is_on = f"{more:,} more maps", "add", more > 0
                note = "Done."
            else:
                is_on = False
        elif run is not None:
            label = "Start new search"
            note = "This search has other settings or another recipe."
        elif not is_on and self._error is None:
            note = "Trying some maps to suggest measures ..."
        self.main.set_text(label)
        self.main.set_icon(icon)
        self.main.set_enabled(is_on and not self._is_starting)
        self.again.set_visibility(run is not None and is_current and run.status != "running")
        self.status.set_text(note)
        total = run.search.definition.evaluations if run is not None else 1
        self.progress.set_value(run.evaluations / total if run is not None else 0)
        self.progress.set_visibility(run is not None)

    def _show_errors(self, run: SearchRun | None) -> None:
        error = self._error or (run.error if run is not None and self._is_current(run) else None)
        if error is None:
            self.errors.show(())
        else:
            self.errors.show(list_messages(error), self._list_remedies(error))

    def _list_remedies(self, error: TilewrightError) -> list[Remedy]:
        """Return the buttons of an error, whose problems have paths such as `("vary", "params.walls")`."""
        facts, found = self._find_facts(self.session.state), list[Remedy]()

        def offer(label: str, **changes: object) -> None:
            found.append(Remedy(label, partial(self._set, **changes)))

        for problem in error.problems:
            match problem.path:
                case ("vary", str(path), *_) if path in facts.vary:
                    offer(f"Use the usual range of {facts.labels[path]}", vary={**facts.vary, path: {}})
                    if others := {one: spec for one, spec in facts.vary.items() if one != path}:
                        offer(f"Do not vary {facts.labels[path]}", vary=others)
                case ("vary", *_):
                    offer("Vary the suggested parameters", vary=None)
                case ("measures" | "objective", *_):
                    found.append(Remedy("Suggest other measures", self._on_suggest))
            for fix in problem.fixes:
                if fix.path == ("evaluations",):
                    offer(f"Make {fix.value:,} maps", evaluations=fix.value)
        return found or list_remedies(error, self.session)

    def _set(self, **changes: object) -> None:
        self.forget_error()
        self.session.change_search(**changes)

    def _show_heatmap(self, run: SearchRun | None) -> None:
        self.intro.set_visibility(run is None)
        if run is not None:
            definition = run.search.definition
            scene = build_scene(run.setup.key, definition.axes, definition.objective, run.search.archive)
        else:
            search = self.complete(find_search(self.session.state)) or SearchViewState()
            names = [axis.measure or "..." for axis in (search.x, search.y)]
            axes = [
                MeasureAxis(name, axis.low, axis.high, axis.bins, axis.is_log and axis.low is not None and axis.low > 0)
                for name, axis in zip(names, (search.x, search.y), strict=True)
            ]
            axes = [axis if _has_range(axis) else replace(axis, low=None, high=None) for axis in axes]
            scene = build_scene("", axes, Objective(((search.objective or "...", 1.0),)))
            self._summarize(search)
        self.heatmap.show(scene)

    def _summarize(self, search: SearchViewState) -> None:
        """Show what Start does, in one sentence."""
        facts = self._find_facts(self.session.state)
        varied = [facts.labels[path] for path in facts.vary]
        if not search.objective or not varied:
            self.summary.set_text("")
            return
        words = ", ".join(varied[:-1]) + " and " + varied[-1] if len(varied) > 1 else varied[0]
        what = "lowest" if search.is_least else "highest"
        self.summary.set_text(
            f"Start makes {search.evaluations:,} maps with other values of {words}. For each combination of "
            f"{describe_measure(search.x.measure)} and {describe_measure(search.y.measure)}, it keeps the map with the "
            f"{what} {describe_measure(search.objective)}."
        )

    # -- cells --------------------------------------------------------------------------------------------------

    def _on_inspect(self, cell: Cell | None) -> None:
        self._cell = cell
        self._show_cell()

    def _show_cell(self) -> None:
        """Show the map of the inspected cell, or else the best map."""
        run, elite = self.run, self.maps.find_elite(self._cell)
        if run is not None and elite is not None:
            labels = self._find_facts(run.setup.base, "searched").labels
            names = {gene.name: labels.get(gene.path, gene.name) for gene in run.search.definition.genome.genes}
            title = "Best map" if self._cell is None else "Map of the cell"
            self.card.show_elite(run.setup.key, elite, self.maps.find_state(elite), names, title)
        elif run is not None and self._cell is not None and run.search.archive is not None:
            places = zip(run.search.archive.definition.axes, self._cell, strict=True)
            text = ", ".join(f"{describe_measure(axis.measure)} {axis.describe_bin(bin)}" for axis, bin in places)
            self.card.show_nothing(f"No map with {text} yet.", "Empty cell")
        else:
            self.card.show_nothing("Maps appear here." if run is None else "No map yet.")

    def open_elite(self, elite: Elite | None) -> None:
        """Open an elite in Make. The browser's back button returns to the heatmap."""
        base, state = self.maps.base, self.session.state
        if base is None or elite is None:
            return
        found = self.maps.find_state(elite)
        search = state.search if base.search.owner == state.search.owner else base.search
        self.session.open_in_make(found, opened=base.opened, search=search)

    # -- selection ----------------------------------------------------------------------------------------------

    def _on_select(self, box: Box | None) -> None:
        self.maps.box = box
        self._show_selection()

    def _toggle_select(self) -> None:
        is_on = self.touch.props.get("aria-pressed") != "true"
        set_pressed(self.touch, is_on)
        toggle_class(self.touch, "tw-on", is_on)
        self.heatmap.set_selecting(is_on)

    def _show_selection(self) -> None:
        count, is_selected = self.maps.count, self.maps.box is not None
        text = "Drag over cells to select maps." if not count else f"{pluralize(count, 'map')}; drag to select some."
        self.selection.set_text(f"{pluralize(count, 'map')} selected" if is_selected else text)
        self.clear.set_visibility(is_selected)
        self.export.refresh()


def _has_range(axis: MeasureAxis) -> bool:
    return axis.low is not None and axis.high is not None and axis.low < axis.high
