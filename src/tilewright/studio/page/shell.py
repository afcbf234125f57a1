"""Layout of the page: header and tabs, the canvas with the bar of seeds, the measures, the errors, and the help."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

from nicegui import Client, background_tasks, ui

from ... import kernels
from ...core.errors import TilewrightError
from ...core.locks import Locks
from ...core.recipe import Recipe
from ...core.tilemap import TileMap
from ...formats._page.scene import encode_game
from ...overlays.kinds import OverlayRequest
from ...overlays.overlay import Overlay
from .. import operations
from ..example.view import ExampleView
from ..export.view import ExportView
from ..gallery.view import GalleryView
from ..jobs import CancelToken, JobQueue
from ..make.view import MakeView
from ..map.canvas import MapCanvas
from ..map.measures import MeasuresView, format_seconds
from ..map.payloads import Payload, encode_frame, encode_map, encode_overlay, encode_sprites, encode_timeline
from ..rules.view import RulesView
from ..search.runs import SearchRuns
from ..search.view import SearchView
from ..session import Session
from ..shape.view import ShapeView
from ..start.view import GoalsView
from ..state import State
from .error_panel import MapErrorPanel
from .url_state import UrlState
from .view import View
from .widgets import BottomSheet, DebouncedInput, icon_button, labeled_button, read_page_script

LOADED_STYLES = ("studio.css", "controls.css", "canvas.css", "landmarks.css")
"""Style sheets that come first, or that an element loads itself."""
STYLES = [path for path in Path(__file__).parents[1].glob("*/*.css") if path.name not in LOADED_STYLES]
STYLES = [Path(__file__).with_name("studio.css"), *sorted(STYLES, key=lambda path: path.name)]
"""Style sheets of the page, and of its tabs and sections."""
TABS = {
    "start": ("Start", "home"),
    "make": ("Make", "tune"),
    "shape": ("Shape", "layers"),
    "example": ("By example", "draw"),
    "rules": ("Rules", "rule"),
    "gallery": ("Gallery", "grid_view"),
    "search": ("Search", "travel_explore"),
    "export": ("Export", "download"),
}
"""Label and icon of every tab."""
CENTER_TABS = ("start", "example", "gallery", "search")
"""Tabs with their own content in place of the canvas."""
MAX_CELLS_WITH_SPRITES = 64 * 64
"""Maximum number of cells of a map that is always sent with its sprites. A larger one usually appears with cells that
are too small for sprites, which are sent when the user enlarges it."""
POLL_INTERVAL = 0.3
"""Seconds between two checks whether a kernel is being compiled."""


class Shell:
    """The page of one client."""

    def __init__(self, queue: JobQueue, searches: SearchRuns) -> None:
        self.session, self.searches = Session(queue), searches
        self.client: Client = ui.context.client
        self.views: dict[str, View] = {}
        self.is_dark = False
        self.url_state = UrlState(self.session, self._show_notice)
        self._tab = ""
        """Tab that is open."""
        self._shown_locks: Locks | None = None
        """Locks shown on the canvas."""
        self._timeline_recipe: Recipe | None = None
        """Recipe of the frames in the timeline."""

    async def open(self) -> None:
        """Build the page and open the state in its URL."""
        self._build()
        self.client.on_delete(self.session.close)
        try:
            await self.client.connected(timeout=30)
            arrival = await ui.run_javascript(ARRIVE_SCRIPT, timeout=30)
        except TimeoutError:
            arrival = None
        if arrival is None:
            return  # The client has disconnected.
        address, is_chosen, self.is_dark = arrival
        if is_chosen:
            self.dark.set_value(self.is_dark)
        self._listen()
        self._update_theme()
        await self.url_state.open_hash(str(address))
        ui.run_javascript(SHOW_START_SCRIPT)

    # -- layout -------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        ui.add_css("\n".join(style.read_text("utf-8") for style in STYLES))
        ui.colors(primary="#a04707", positive="#267a52", negative="#b8272d")  # white text on them is legible
        self.dark = ui.dark_mode(None)
        self.client.content.classes("tw-page")
        with ui.element("header").classes("tw-header"):
            ui.html('<span class="tw-logo" aria-hidden="true"></span>Tilewright', sanitize=False, tag="h1").classes(
                "tw-name"
            )
            with ui.tabs(on_change=lambda event: self._show_tab(str(event.value))) as self.tabs:
                self.tabs.props("dense no-caps inline-label narrow-indicator align=left").classes("tw-tabs")
                for name, (label, icon) in TABS.items():
                    ui.tab(name, label=label, icon=icon).props(f"data-testid=tab-{name}")
            ui.space()
            self.compiling = ui.label("Compiling (first use only)").classes("tw-compiling tw-faint")
            self.compiling.props("data-testid=compiling")
            self.compiling.tooltip("Each technique is compiled for this machine before its first use")
            self.compiling.set_visibility(False)
            with ui.element("div").classes("tw-actions") as actions:
                self.undo = icon_button("undo", "Undo (Ctrl+Z)", self.session.undo, test_id="undo")
                self.redo = icon_button("redo", "Redo (Ctrl+Shift+Z)", self.session.redo, test_id="redo")
            with BottomSheet("More").classes("tw-more") as more:
                link = icon_button("link", "Copy a link to this map", self.url_state.copy_link, test_id="copy-link")
                dark = icon_button("contrast", "Dark or light mode", self._toggle_dark, test_id="dark")
                help = icon_button("help_outline", "Help and keyboard shortcuts (?)", show_shortcuts, test_id="help")
                for button in (link, dark, help):
                    more.close_after(button)
            more.opener("more_vert", "More", test_id="open-more")
        with ui.element("div").classes("tw-main"):
            with ui.element("aside").classes("tw-side").props('aria-label="Settings"'):
                self.panels = {name: ui.element("section").classes("tw-panel") for name in TABS}
            with ui.element("section").classes("tw-centre"):
                with ui.element("div").classes("tw-stage") as self.stage:
                    self.canvas = MapCanvas(
                        on_paint=lambda cells, lock: self.session.paint(cells, lock=lock),
                        on_lock=self.session.lock,
                        on_unlock=self.session.unlock,
                        on_undo=self.session.undo,
                        on_redo=self.session.redo,
                        on_regenerate=self.session.regenerate,
                        on_film=self._record_timeline,
                        on_look=self._on_look,
                        on_landmarks=lambda edits, group: self.session.edit_landmarks(edits, undo_group=group),
                        on_sprites=self._draw_sprites,
                    )
                    with self.canvas:
                        self.seeds = SeedBar(self.session)
                    with self.canvas.add_slot("over"):
                        self.errors = MapErrorPanel(self.session)
                self.areas = {name: ui.element("div").classes("tw-area") for name in CENTER_TABS}
            with BottomSheet("Measures", "aside").classes("tw-right") as self.right:
                self.measures = MeasuresView(self.session, self._show_fewest)
        with actions:
            self.measures_opener = self.right.opener("insights", "Measures of the map", test_id="open-measures")
        ui.add_head_html(f"<script>{HIDE_START_SCRIPT}</script>")
        self.tabs.set_value("start")

    def _show_tab(self, tab: str) -> None:
        """Show a tab. Its view is built when the tab is first opened."""
        for name, panel in self.panels.items():
            panel.set_visibility(name == tab)
        for name, area in self.areas.items():
            area.set_visibility(name == tab)
        for own in (self.stage, self.right, self.measures_opener):
            own.set_visibility(tab not in CENTER_TABS)
        view, left, self._tab = self._find_view(tab), self.views.get(self._tab), tab
        self.session.change_view(tab=tab)
        if left is view:
            return
        ui.run_javascript("document.querySelector('.tw-main').scrollTop = 0")  # on tablets this element scrolls
        if left is not None:
            left.update(self.session.state)  # Some views only work while they are visible.
        view.update(self.session.state)
        view.show_map()

    def _find_view(self, tab: str) -> View:
        """Return the view of a tab; build it if there is none yet."""
        if tab not in self.views:
            with self.panels[tab]:
                self.views[tab] = self._build_view(tab)
            self._update_theme()
        return self.views[tab]

    def _choose(self, kind: str, name: str) -> None:
        """Open what was chosen on the first screen, as the picker of Make does."""
        make = self._find_view("make")
        assert isinstance(make, MakeView)
        make.choose(kind, name)

    def _build_view(self, tab: str) -> View:
        kinds: dict[str, Callable[[], View]] = {
            "start": lambda: GoalsView(self.areas["start"], self._choose),
            "make": partial(MakeView, self.session),
            "shape": partial(ShapeView, self.session),
            "example": lambda: ExampleView(self.session, self.areas["example"]),
            "rules": partial(RulesView, self.session),
            "gallery": lambda: GalleryView(self.session, self.areas["gallery"]),
            "search": lambda: SearchView(self.session, self.areas["search"], self.searches),
            "export": partial(ExportView, self.session),
        }
        return kinds[tab]()

    def _reroll(self) -> None:
        """Choose a new seed for the current view, or for the map."""
        view = self.views.get(self.session.state.view_settings.tab)
        if view is None or not view.reroll():
            self.session.reroll()

    # -- events -------------------------------------------------------------------------------------------------

    def _listen(self) -> None:
        def in_client(callback: Callable[[Any], None]) -> Callable[[Any], None]:
            def call(value: Any) -> None:
                if not self.client.is_deleted:
                    with self.client:
                        callback(value)

            return call

        self.session.listen("state", in_client(self._on_state))
        self.session.listen("map", in_client(self._on_map))
        self.session.listen("progress", in_client(lambda frame: self.canvas.show_progress(encode_frame(frame))))
        self.session.listen("failed", in_client(self._on_failed))
        self.session.listen("refused", in_client(self._show_notice))
        self.session.listen("busy", in_client(self._on_busy))
        with self.client:
            self.url_state.listen()
            ui.on("reroll", self._reroll)
            ui.on("shortcuts", show_shortcuts)
            ui.timer(POLL_INTERVAL, self._show_compiling)
            ui.run_javascript(LISTEN_SCRIPT)
            ui.run_javascript(read_page_script("name_widgets"))

    def _show_compiling(self) -> None:
        seconds = kernels.compilation_seconds()
        if seconds == 0 or seconds > POLL_INTERVAL:  # loading from the cache takes less
            self.compiling.set_visibility(seconds > 0)

    def _on_state(self, state: State) -> None:
        self.errors.show_notice(None)
        self.undo.set_enabled(self.session.can_undo)
        self.redo.set_enabled(self.session.can_redo)
        if self.tabs.value != state.view_settings.tab:
            self.tabs.set_value(state.view_settings.tab)
        if self._tab in self.views:
            self.views[self._tab].update(state)
        self.seeds.refresh(state)
        self.canvas.set(
            grid=state.view_settings.grid,
            sprites=state.view_settings.sprites,
            overlay=state.view_settings.overlay,
            pending=state.is_pending,
        )
        if state.locks != self._shown_locks and self.session.map is not None:
            self._draw(self.session.map)

    def _on_map(self, map: TileMap) -> None:
        if self._timeline_recipe is not None and self._timeline_recipe is not self.session.recipe:
            self._timeline_recipe = None
            self.canvas.show_timeline(None)
        self._draw(map)
        self._show_facts(map)
        self._draw_overlay()
        self.measures.measure(map)
        if self._tab in self.views:
            self.views[self._tab].show_map()

    def _draw(self, map: TileMap) -> None:
        state = self.session.state
        self._shown_locks = state.locks
        painted = 0 if state.painted is None else int((state.painted.cells >= 0).sum())
        locked = self.session.find_locked_cells()
        sprites = self.canvas.needs_sprites or map.cells.size <= MAX_CELLS_WITH_SPRITES
        payload = encode_map(map, recipe=self.session.recipe, locked=locked, painted=painted, sprites=sprites)
        self.canvas.show(payload)

    async def _draw_sprites(self) -> None:
        """Send the sprites of the current map, which the browser has been shown without."""
        map, recipe = self.session.map, self.session.recipe
        if map is None:
            return
        found = await self.session.attempt(lambda token: encode_sprites(map, recipe), self._show_notice)
        if found is not None and map is self.session.map:
            self.canvas.show_sprites(found)

    def _show_fewest(self, map: TileMap, measures: Mapping[str, float]) -> None:
        """Show the best result of the current map's game when it is measured."""
        game = encode_game(map, measures)
        if game is not None and map is self.session.map:
            self.canvas.show_fewest(game["fewest"])

    def _show_facts(self, map: TileMap) -> None:
        size = "×".join(str(side) for side in reversed(map.shape))
        seconds = format_seconds(self.session.seconds)
        self.canvas.set(facts=f"{self.session.state.title} · {size} · {seconds}")

    def _on_busy(self, is_busy: bool) -> None:
        self.errors.set_pending(is_busy)
        self.seeds.set_busy(is_busy)
        self.canvas.set(busy=is_busy)

    def _on_failed(self, error: TilewrightError | None) -> None:
        """Show the error of the current recipe; None if its map was made."""
        if error is not None:
            self.canvas.show_progress(None)
        self.errors.show_error(error)
        for view in self.views.values():
            view.mark_problems(() if error is None else error.problems)

    def _show_notice(self, error: TilewrightError) -> None:
        """Show why a user action had no effect: over the map, or as a message where no map is shown."""
        if self.session.state.view_settings.tab in CENTER_TABS:
            ui.notify(str(error), type="negative", timeout=8000, close_button="Close")
        else:
            self.errors.show_notice(error)

    def _on_look(self, grid: bool, sprites: bool, overlay: str) -> None:
        """Change the view settings."""
        before = self.session.state.view_settings.overlay
        self.session.change_view(grid=grid, sprites=sprites, overlay=overlay)
        if overlay != before:
            self._draw_overlay()

    def _draw_overlay(self) -> None:
        map, overlay = self.session.map, self.session.state.view_settings.overlay
        if map is None or not overlay:
            self.canvas.show_overlay(None)
            return

        def work(token: CancelToken) -> Overlay:
            return OverlayRequest.parse(overlay).compute(map)

        async def draw() -> None:
            found = await self.session.attempt(work, self._show_notice)
            if found is not None and map is self.session.map:
                with self.client:
                    self.canvas.show_overlay(encode_overlay(found))

        background_tasks.create(draw())

    async def _record_timeline(self) -> None:
        """Record the frames of the current map for the timeline."""
        recipe, settings = self.session.recipe, self.session.queue.settings
        if recipe is None:
            self.canvas.show_timeline(None)
            return

        def work(token: CancelToken) -> Payload:
            return encode_timeline(operations.record_frames(recipe, token, settings.frames), recipe)

        def fail(error: TilewrightError) -> None:
            self.canvas.show_timeline(None)
            self._show_notice(error)

        timeline = await self.session.attempt(work, fail)
        if timeline is not None and recipe is self.session.recipe:
            self._timeline_recipe = recipe
            self.canvas.show_timeline(timeline)

    # -- dark mode ----------------------------------------------------------------------------------------------

    def _toggle_dark(self) -> None:
        """Toggle dark mode and store it in the browser."""
        self.is_dark = not self.is_dark
        self.dark.set_value(self.is_dark)
        ui.run_javascript(f"localStorage.setItem('tilewright-dark', {json.dumps(self.is_dark)})")
        self._update_theme()

    def _update_theme(self) -> None:
        """Set dark mode in the views that need it."""
        for view in self.views.values():
            view.set_dark(self.is_dark)


ARRIVE_SCRIPT = read_page_script("arrive")
"""Returns the URL fragment and the dark mode of the browser."""
HIDE_START_SCRIPT = "document.documentElement.classList.toggle('tw-linked', location.hash.length > 1)"
SHOW_START_SCRIPT = "document.documentElement.classList.remove('tw-linked')"
"""Hide the first screen, which the page shows at first, until the state of a link is shown instead."""
LISTEN_SCRIPT = read_page_script("listen")
"""Listens to keyboard shortcuts outside of input fields."""


class SeedBar:
    """Controls above the map: the seed, a button for a new one, the previous seed, and stop."""

    def __init__(self, session: Session) -> None:
        self.session = session
        with ui.element("div").classes("tw-seeds"):
            self.seed = DebouncedInput("seed", self._on_seed).props("prefix=Seed aria-label=Seed").classes("tw-seed")
            self.seed.tooltip("Number or text; the same seed makes the same map")
            style, hint = 'dense unelevated aria-label="New seed"', "Choose a random seed; locked cells stay (R)"
            reroll = labeled_button("New seed", "casino", session.reroll, "reroll", style, hint=hint)
            reroll.classes("tw-reroll")
            self.back = icon_button("history", "Previous seed", session.restore_seed, test_id="earlier")
            self.stop = icon_button("stop_circle", "Stop", session.cancel_by_user, test_id="stop").classes("tw-stop")
        self.set_busy(False)

    def refresh(self, state: State) -> None:
        self.seed.set_value("" if state.seed is None else str(state.seed))
        self.back.set_enabled(bool(self.session.seed_history))

    def set_busy(self, is_busy: bool) -> None:
        self.stop.set_visibility(is_busy)

    def _on_seed(self, seed: str) -> None:
        if seed and seed != str(self.session.state.seed):
            self.session.set_seed(seed)
        self.refresh(self.session.state)


HINTS = (
    "The map updates when you change a parameter. Painted cells are locked: they stay when you choose a new seed.",
    "The URL of the page contains the map and all settings: copy it to open them again later.",
)


@cache
def read_shortcuts() -> dict[str, dict[str, str]]:
    """Return the actions by key, in groups with a title."""
    return tomllib.loads(Path(__file__).with_name("shortcuts.toml").read_text("utf-8"))


def show_shortcuts() -> None:
    """Open a dialog with keyboard shortcuts and hints."""
    with ui.dialog() as dialog, ui.card().classes("tw-keys").props("data-testid=keys"):
        for hint in HINTS:
            ui.label(hint).classes("tw-hint")
        for title, keys in read_shortcuts().items():
            ui.label(title).classes("tw-title")
            with ui.element("dl"):
                for key, action in keys.items():
                    with ui.element("dt"):
                        ui.html(f"<kbd>{key}</kbd>", sanitize=False)
                    with ui.element("dd"):
                        ui.label(action)
        ui.button("Close", on_click=dialog.close).props("flat dense no-caps")
    dialog.open()
