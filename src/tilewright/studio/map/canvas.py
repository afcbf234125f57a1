"""Canvas: shows the map in the browser, with tools, overlays and a timeline.

Zoom, hover, the preview of a stroke and the timeline run in the browser. Events from the browser are validated here;
invalid ones are ignored.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from pathlib import Path
from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments

from ...formats._page import MODULES, PLAY_STYLE
from ...formats._page.scene import encode_icons
from ...overlays.kinds import overlay_kinds
from .payloads import Payload, decode_cells

MENU_OVERLAYS = ("distance", "hot-path", "path", "regions", "rooms", "chokepoints")
"""Overlays that are useful without settings."""
FOLDER = Path(__file__).parent
STYLE = "\n".join(path.read_text("utf-8") for path in (FOLDER / "canvas.css", FOLDER / "landmarks.css", PLAY_STYLE))
MARKER_NAMES = (
    "start", "exit", "key red", "lock red", "treasure", "monster", "boss", "npc", "trap", "potion", "shop", "spawn"
)  # fmt: skip
"""Names of markers that the canvas suggests, each with an icon."""
MAX_GROUP = 40
"""Maximum number of characters of an undo group from the browser."""

Callback = Callable[[], Any]


def _ignore(*args: Any) -> None:
    """Do nothing about an event."""


class MapCanvas(ui.element, component="canvas.js", esm={"tilewright-map": "modules", "tilewright-page": str(MODULES)}):
    """Element that shows a map, with tools to paint and lock cells, overlays and a timeline.

    A simple canvas, for small samples, has no timeline, no locks and no overlays. Elements inside the canvas are shown
    at the start of its bar, those of the slot `over` over the map. Handlers without arguments may be coroutines. Cells
    are flat indices of the current map, level by level and row by row.
    """

    def __init__(
        self,
        *,
        simple: bool = False,
        on_paint: Callable[[dict[int, int], bool], None] = _ignore,
        on_lock: Callable[[list[int]], None] = _ignore,
        on_unlock: Callable[[list[int] | None], None] = _ignore,
        on_undo: Callback = _ignore,
        on_redo: Callback = _ignore,
        on_regenerate: Callback = _ignore,
        on_film: Callback = _ignore,
        on_look: Callable[[bool, bool, str], None] = _ignore,
        on_landmarks: Callable[[dict[str, Any], str], None] = _ignore,
        on_sprites: Callback = _ignore,
    ) -> None:
        """Create the canvas.

        Parameters
        ----------
        simple : bool, default False
            Whether to leave out the timeline, locks and overlays.
        on_paint : callable, optional
            Called with the tile id of each painted cell and whether to lock them.
        on_lock : callable, optional
            Called with the cells to lock.
        on_unlock : callable, optional
            Called with the cells to unlock, or None for all.
        on_undo, on_redo, on_regenerate, on_film : callable, optional
            Called without arguments.
        on_look : callable, optional
            Called with the view settings: grid, sprites, and the overlay's name, "" for none.
        on_landmarks : callable, optional
            Called with changes of markers and rooms as plain data, not validated, and with their undo group.
        on_sprites : callable, optional
            Called without arguments when the browser shows a map with sprites that it lacks; see `show_sprites`.
        """
        super().__init__()
        ui.add_css(STYLE)
        self._props["simple"] = simple
        self._props["overlays"] = [] if simple else list_overlays()
        self._props["suggested"] = None if simple else {"names": MARKER_NAMES, **encode_icons(MARKER_NAMES)}
        self._on_paint, self._on_lock, self._on_unlock, self._on_look = on_paint, on_lock, on_unlock, on_look
        self._on_landmarks, self._on_sprites = on_landmarks, on_sprites
        self.needs_sprites = False
        """Whether the browser shows the map with sprites; cells may be too small for them."""
        self._is_ready = False
        self._payload: Payload | None = None
        self._overlay: Payload | None = None
        self._settings: dict[str, Any] = {}
        self._tiles_sent = ""
        """Digest of the tiles that were last sent to the browser."""
        self._sheet_sent = ("", 0)
        """Digest of the sprite sheet that was last sent, and the number of its pages."""
        self._stroke = 0
        """Number of the last received stroke. The browser draws later strokes over the map that it receives."""
        self._edit = 0
        """Number of the last received edit of markers and rooms. The browser keeps later edits."""
        self.on("ready", self._handle_ready)
        self.on("paint", self._handle_paint)
        self.on("lock", self._handle_lock)
        self.on("unlock", self._handle_unlock)
        self.on("look", self._handle_look)
        self.on("landmarks", self._handle_landmarks)
        self.on("sprites", self._handle_sprites)
        for name, handler in (("undo", on_undo), ("redo", on_redo), ("regenerate", on_regenerate), ("film", on_film)):
            self.on(name, handler, args=[])

    # -- to the browser -----------------------------------------------------------------------------------------

    def show(self, payload: Payload) -> None:
        """Show a map from `encode_map`, and end the display of progress."""
        self._payload = payload
        self._call("show", {**self._strip_known(payload), "stroke": self._stroke, "edit": self._edit})

    def show_sprites(self, sprites: Payload) -> None:
        """Draw the current map with its sprites from `encode_sprites`."""
        if self._payload is not None:
            self._payload = {**self._payload, **sprites, "lacks_sprites": False}
            self._call("dress", {"key": self._payload["key"], **self._strip_sheet(sprites)})

    def show_progress(self, payload: Payload | None) -> None:
        """Show a frame of a long job from `encode_frame`. None shows the map again."""
        self._call("progress", None if payload is None else self._strip_known(payload))

    def show_overlay(self, overlay: Payload | None) -> None:
        """Draw an overlay from `encode_overlay` over the map. None removes the overlay."""
        if overlay is not None or self._overlay is not None:
            self._overlay = overlay
            self._call("overlay", overlay)

    def show_timeline(self, timeline: Payload | None) -> None:
        """Set the frames of the timeline from `encode_timeline`. None clears the timeline."""
        self._call("film", timeline)

    def set(self, **settings: Any) -> None:
        """Change settings without calling handlers.

        grid, sprites, locking: bool; overlay: its name, "" for none; pending: whether Rebuild around locks would change
        the map; busy: whether a map is being made; tool: its name; facts: text of the status line.
        """
        changed = {name: value for name, value in settings.items() if self._settings.get(name, ...) != value}
        self._settings |= settings
        if changed:
            self._call("set", changed)

    def show_fewest(self, fewest: float | None) -> None:
        """Show the fewest moves, pushes or ticks of the current map's game while it is played."""
        if self._payload is not None:
            self._call("setFewest", {"key": self._payload["key"], "fewest": fewest})

    def _call(self, method: str, value: Any) -> None:
        """Run a method in the browser if the component is ready, without waiting for it."""
        if self._is_ready:
            self.run_method(method, value)

    def _strip_known(self, payload: Payload) -> Payload:
        """Return the payload without tiles and sprite sheet if the browser already has them."""
        lean = self._strip_sheet(payload)
        if payload["tileset"] == self._tiles_sent:
            lean["tiles"] = None
        if self._is_ready:
            self._tiles_sent = payload["tileset"] or self._tiles_sent
        return lean

    def _strip_sheet(self, payload: Payload) -> Payload:
        """Return the payload without the pages of the sprite sheet that the browser already has."""
        sheet = payload.get("sheet")
        if not sheet:
            return dict(payload)
        digest, pages = sheet["digest"], sheet["pages"]
        sent = self._sheet_sent[1] if digest == self._sheet_sent[0] else 0
        if self._is_ready:
            self._sheet_sent = digest, max(sent, len(pages))
        return {**payload, "sheet": {**sheet, "pages": pages[sent:]}}

    # -- from the browser ---------------------------------------------------------------------------------------

    def _handle_ready(self) -> None:
        """Send everything to the browser, which has created the component for the first time or again."""
        self._is_ready = True
        self._tiles_sent, self._sheet_sent, self.needs_sprites = "", ("", 0), False
        self._stroke = self._edit = 0
        self._call("set", self._settings)
        if self._payload is not None:
            self.show(self._payload)
            self.show_overlay(self._overlay)

    def _handle_paint(self, event: GenericEventArguments) -> None:
        match event.args:
            case {"cells": encoded, "tile": int(tile), "lock": bool(lock), "stroke": int(stroke)}:
                self._stroke = stroke
                if (cells := self._decode_cells(encoded)) and tile >= 0:
                    self._on_paint(dict.fromkeys(cells, int(tile)), lock)

    def _handle_lock(self, event: GenericEventArguments) -> None:
        match event.args:
            case {"cells": encoded} if cells := self._decode_cells(encoded):
                self._on_lock(cells)

    def _handle_unlock(self, event: GenericEventArguments) -> None:
        match event.args:
            case {"cells": None}:
                self._on_unlock(None)
            case {"cells": encoded} if cells := self._decode_cells(encoded):
                self._on_unlock(cells)

    def _handle_look(self, event: GenericEventArguments) -> None:
        match event.args:
            case {"grid": bool(grid), "sprites": bool(sprites), "overlay": str(overlay)}:
                # The current overlay may have settings, for example hot-path,slack=8.
                if overlay in ("", self._settings.get("overlay"), *overlay_kinds()):
                    self._settings |= {"grid": grid, "sprites": sprites, "overlay": overlay}
                    self._on_look(grid, sprites, overlay)

    def _handle_landmarks(self, event: GenericEventArguments) -> None:
        match event.args:
            case {"edits": dict(edits), "nudged": str(nudged), "edit": int(edit)} if len(nudged) < MAX_GROUP:
                self._edit = edit
                self._on_landmarks(edits, nudged and f"landmarks {nudged}")

    def _handle_sprites(self, event: GenericEventArguments) -> Any:
        match event.args:
            case {"needed": bool(needed)}:
                self.needs_sprites = needed
                if needed and self._payload is not None and self._payload["lacks_sprites"]:
                    return self._on_sprites()
        return None

    def _decode_cells(self, encoded: Any) -> list[int] | None:
        """Return the cells of the current map that the browser sent, or None if they are invalid."""
        if self._payload is None:
            return None
        return decode_cells(encoded, prod(self._payload[side] for side in ("width", "height", "depth")))


def list_overlays() -> list[dict[str, str]]:
    """Return the overlays of the menu."""
    labels = {"rooms": "rooms and links"}
    return [
        {"name": name, "label": labels.get(name, name.replace("-", " ")), "summary": overlay_kinds()[name].summary}
        for name in MENU_OVERLAYS
    ]
