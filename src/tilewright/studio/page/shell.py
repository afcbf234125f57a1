"""The shell around the views: header and tabs, the map in the middle, what is measured, and the one line below."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from nicegui import Client, background_tasks, ui

from ... import kernels
from ...core.errors import Fix, TilewrightError
from ...core.locks import Locks
from ...core.recipe import Recipe
from ...core.registry import RECIPE_WORDS
from ...core.tilemap import TileMap
from .. import scene, service
from ..desk import Desk, Ticket
from ..session import Session
from ..state import State
from .address import Address
from .canvas import MapCanvas
from .example import ExampleView
from .export import ExportView
from .gallery import GalleryView
from .make import MakeView
from .measures import MeasuresView
from .rules import RulesView
from .scripts import script
from .seeds import SeedBar
from .shape import ShapeView
from .shortcuts import show_shortcuts
from .view import View
from .widgets import icon_button

STYLES = (Path(__file__).parent / "studio.css", *sorted((Path(__file__).parent / "css").glob("*.css")))
TABS = {
    "make": ("Make", "tune"),
    "shape": ("Shape", "layers"),
    "example": ("By example", "draw"),
    "rules": ("Rules", "rule"),
    "gallery": ("Gallery", "grid_view"),
    "export": ("Export", "download"),
}
"""Word and icon of every view."""
MAX_FIXES = 6
IN_THE_CENTRE = ("example", "gallery")
"""Views that put something of their own where the map is."""
LOOK = 0.3
"""Seconds between two looks at whether something is compiled."""


class Shell:
    """The page of one person."""

    def __init__(self, desk: Desk) -> None:
        self.session = Session(desk)
        self.client: Client = ui.context.client
        self.views: dict[str, View] = {}
        self.is_dark = False
        self.address = Address(self.session, self._tell)
        self._locks: Locks | None = None
        """Those that the canvas shows."""
        self._filmed: Recipe | None = None
        """Of the frames in the timeline."""

    async def open(self) -> None:
        """Build the page, find out what its address asks for, and make that."""
        self._build()
        self.client.on_delete(self.session.leave)
        try:
            await self.client.connected(timeout=30)
            arrived = await ui.run_javascript(ARRIVED, timeout=30)
        except TimeoutError:
            arrived = None
        if arrived is None:
            return  # whoever asked for the page has gone already
        address, is_chosen, self.is_dark = arrived
        if is_chosen:
            self.dark.set_value(self.is_dark)
        self._listen()
        self._darken()
        self.address.follow(str(address))

    # -- what is on it ------------------------------------------------------------------------------------------

    def _build(self) -> None:
        ui.add_css("\n".join(style.read_text("utf-8") for style in STYLES))
        ui.colors(primary="#c2772b", positive="#3fae7a", negative="#e5484d")
        self.dark = ui.dark_mode(None)
        self.client.content.classes("tw-page")
        with ui.element("header").classes("tw-header"):
            ui.html('<span class="tw-logo" aria-hidden="true"></span><b>Tilewright</b>', sanitize=False).classes(
                "tw-name"
            )
            with ui.tabs(on_change=lambda event: self._turn_to(str(event.value))) as self.tabs:
                self.tabs.props("dense no-caps inline-label narrow-indicator align=left").classes("tw-tabs")
                for name, (word, icon) in TABS.items():
                    ui.tab(name, label=word, icon=icon).props(f"data-testid=tab-{name}")
            ui.space()
            self.compiling = ui.label("Compiling, this once").classes("tw-faint").props("data-testid=compiling")
            self.compiling.tooltip("Every technique is compiled for this machine before it is used for the first time")
            self.compiling.set_visibility(False)
            self.undo = icon_button("undo", "Undo (Ctrl+Z)", self.session.undo, test="undo")
            self.redo = icon_button("redo", "Redo (Ctrl+Shift+Z)", self.session.redo, test="redo")
            icon_button("link", "Copy a link that reopens exactly this", self.address.copy, test="copy-link")
            icon_button("contrast", "Dark or light", self._toggle_dark, test="dark")
            icon_button("help_outline", "Keys and hints (?)", show_shortcuts, test="help")
        with ui.element("main").classes("tw-main"):
            with ui.element("aside").classes("tw-side") as self.side:
                self.panels = {name: ui.element("section").classes("tw-panel") for name in TABS}
            with ui.element("section").classes("tw-centre"):
                with ui.element("div").classes("tw-stage") as self.stage:
                    self.seeds = SeedBar(self.session)
                    self.canvas = MapCanvas(
                        on_paint=lambda cells, lock: self.session.paint(cells, lock=lock),
                        on_lock=self.session.lock,
                        on_unlock=self.session.unlock,
                        on_undo=self.session.undo,
                        on_redo=self.session.redo,
                        on_regenerate=self.session.regenerate,
                        on_film=self._film,
                        on_look=self._look,
                    ).classes("tw-map")
                self.areas = {name: ui.element("div").classes("tw-area") for name in IN_THE_CENTRE}
                self.line = ui.label("").classes("tw-line").props("role=status data-testid=line")
                self.line.set_visibility(False)
                self.fixes = ui.element("div").classes("tw-fixes")
            with ui.element("aside").classes("tw-right") as self.right:
                self.measures = MeasuresView(self.session)
        self.tabs.set_value("make")

    def _turn_to(self, tab: str) -> None:
        """Show a tab; its view is built when it is first asked for."""
        for name, panel in self.panels.items():
            panel.set_visibility(name == tab)
        for name, area in self.areas.items():
            area.set_visibility(name == tab)
        for own in (self.stage, self.right):
            own.set_visibility(tab not in IN_THE_CENTRE)
        if tab not in self.views:
            with self.panels[tab]:
                self.views[tab] = self._view(tab)
            self._darken()
        left = self.session.state.look.tab
        self.session.look(tab=tab)
        if left != tab:
            ui.run_javascript("document.querySelector('.tw-main').scrollTop = 0")  # on a tablet it scrolls as a whole
        for name in {left, tab} & self.views.keys():
            self.views[name].refresh(self.session.state)  # some work only while they are looked at

    def _view(self, tab: str) -> View:
        kinds: dict[str, Callable[[], View]] = {
            "make": partial(MakeView, self.session),
            "shape": partial(ShapeView, self.session),
            "example": lambda: ExampleView(self.session, self.areas["example"]),
            "rules": partial(RulesView, self.session),
            "gallery": lambda: GalleryView(self.session, self.areas["gallery"]),
            "export": partial(ExportView, self.session),
        }
        return kinds[tab]()

    def _reroll(self) -> None:
        """What a view calls rolling again, or the map."""
        view = self.views.get(self.session.state.look.tab)
        if view is None or not view.reroll():
            self.session.reroll()

    # -- what follows from what ---------------------------------------------------------------------------------

    def _listen(self) -> None:
        def here(do: Callable[[Any], None]) -> Callable[[Any], None]:
            def called(value: Any) -> None:
                if not self.client.is_deleted:
                    with self.client:
                        do(value)

            return called

        self.session.listen("state", here(self._state_changed))
        self.session.listen("map", here(self._show))
        self.session.listen("progress", here(lambda frame: self.canvas.progress(scene.frame_of(frame))))
        self.session.listen("failed", here(self._tell))
        self.session.listen("busy", here(self._busy))
        with self.client:
            self.address.listen()
            ui.on("reroll", self._reroll)
            ui.on("shortcuts", show_shortcuts)
            ui.timer(LOOK, self._tell_compiling)
            ui.run_javascript(LISTENING)

    def _tell_compiling(self) -> None:
        seconds = kernels.compiling_for()
        if seconds == 0 or seconds > LOOK:  # reading what was compiled before takes less
            self.compiling.set_visibility(seconds > 0)

    def _state_changed(self, state: State) -> None:
        self.address.refused = None
        self.undo.set_enabled(self.session.can_undo)
        self.redo.set_enabled(self.session.can_redo)
        if self.tabs.value != state.look.tab:
            self.tabs.set_value(state.look.tab)
        for view in self.views.values():
            view.refresh(state)
        self.seeds.refresh(state)
        self.canvas.set(
            grid=state.look.grid,
            sprites=state.look.sprites,
            overlay=state.look.overlay,
            pending=state.is_pending,
            undo=self.session.can_undo,
            redo=self.session.can_redo,
        )
        if state.locks != self._locks and self.session.map is not None:
            self._draw(self.session.map)

    def _show(self, map: TileMap) -> None:
        if self._filmed is not None and self._filmed is not self.session.recipe:
            self._filmed = None
            self.canvas.film(None)
        self._draw(map)
        self._draw_overlay()
        self.measures.measure(map)
        for view in self.views.values():
            view.show_map()

    def _draw(self, map: TileMap) -> None:
        state = self.session.state
        self._locks = state.locks
        painted = 0 if state.painted is None else int((state.painted.cells >= 0).sum())
        self.canvas.show(scene.scene_of(map, locked=self.session.locked(), painted=painted))

    def _busy(self, at_work: bool) -> None:
        self.seeds.busy(at_work)
        self.canvas.set(busy=at_work)

    def _tell(self, error: TilewrightError | None) -> None:
        """Show the error in one line, with a button for each fix. A refused link is shown until something changes."""
        error = error or self.address.refused
        if error is not None:
            self.canvas.progress(None)
        problems = () if error is None else error.problems
        self.line.set_text("" if error is None else str(error))
        self.line.set_visibility(error is not None)
        known = {*RECIPE_WORDS, *self.session.state.recipe}
        fixes = dict.fromkeys(fix for one in problems for fix in one.fixes if fix.path and fix.path[0] in known)
        self.fixes.clear()
        with self.fixes:
            for number, fix in enumerate([*fixes][:MAX_FIXES]):
                button = ui.button(fix.label, on_click=partial(self._fix, fix))
                button.props(f"dense outline no-caps size=sm data-testid=fix-{number}")
        for view in self.views.values():
            view.blame(problems)

    def _fix(self, fix: Fix) -> None:
        self.session.change(self.session.state.fixed(fix))

    def _look(self, grid: bool, sprites: bool, overlay: str) -> None:
        """The map is looked at otherwise; nothing of that is a step of undo."""
        before = self.session.state.look.overlay
        self.session.look(grid=grid, sprites=sprites, overlay=overlay)
        if overlay != before:
            self._draw_overlay()

    def _draw_overlay(self) -> None:
        map, wanted = self.session.map, self.session.state.look.overlay
        if map is None or not wanted:
            self.canvas.overlay(None)
            return

        async def drawn() -> None:
            found = await self.session.attempt(lambda ticket: service.overlaid(map, wanted, ticket), self._tell)
            if found is not None and map is self.session.map:
                with self.client:
                    self.canvas.overlay(scene.overlay_of(found))

        background_tasks.create(drawn())

    async def _film(self) -> None:
        """Record the work on this map, for the timeline."""
        recipe, settings = self.session.recipe, self.session.desk.settings
        if recipe is None:
            self.canvas.film(None)
            return

        def work(ticket: Ticket) -> scene.Scene:
            return scene.film_of(service.filmed(recipe, ticket, settings.frames))

        def fail(error: TilewrightError) -> None:
            self.canvas.film(None)
            self._tell(error)

        film = await self.session.attempt(work, fail)
        if film is not None and recipe is self.session.recipe:
            self._filmed = recipe
            self.canvas.film(film)

    # -- the header ---------------------------------------------------------------------------------------------

    def _toggle_dark(self) -> None:
        """The other one; the browser remembers it."""
        self.is_dark = not self.is_dark
        self.dark.set_value(self.is_dark)
        ui.run_javascript(f"localStorage.setItem('tilewright-dark', {json.dumps(self.is_dark)})")
        self._darken()

    def _darken(self) -> None:
        """Tell the views that hold something with a look of its own."""
        for view in self.views.values():
            view.darken(self.is_dark)


ARRIVED = script("arrive")
"""What the browser remembers and asks for when the page is there."""
LISTENING = script("listen")
"""What the page listens to beside its controls: keys, while nothing is typed."""
