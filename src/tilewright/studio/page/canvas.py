"""The canvas: the map in the browser, with its tools, its overlays and its timeline.

Whatever must answer at once (zoom, hover, the preview of a stroke, playing frames) happens in the browser; what comes
from there is checked here before anybody hears of it, and ignored if it is not what the canvas itself would send.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from pathlib import Path
from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments

from ...overlays.kinds import KINDS
from ..payloads import Payload, decode_cells

MENU_OVERLAYS = ("distance", "hot-path", "path", "regions", "rooms", "chokepoints")
"""Those that need no setting to be of use."""
STYLE = (Path(__file__).parent / "map" / "canvas.css").read_text("utf-8")

Callback = Callable[[], Any]


class MapCanvas(ui.element, component="canvas.js", esm={"tilewright-map": "map"}):
    """A map that one can look at, paint on and watch.

    `simple` leaves out what a small sample needs not: timeline, locks and overlays. Handlers may be coroutines. Cells
    are flat places of the map that is shown, level by level and row by row.
    """

    def __init__(
        self,
        *,
        simple: bool = False,
        on_paint: Callable[[dict[int, int], bool], Any] | None = None,
        on_lock: Callable[[list[int]], Any] | None = None,
        on_unlock: Callable[[list[int] | None], Any] | None = None,
        on_undo: Callback | None = None,
        on_redo: Callback | None = None,
        on_regenerate: Callback | None = None,
        on_film: Callback | None = None,
        on_look: Callable[[bool, bool, str], Any] | None = None,
    ) -> None:
        """Handlers get, in turn: tiles by cell and whether to lock them; cells; cells, or None for all; nothing, four
        times; and grid, sprites and the overlay's name, "" for none, as they are chosen now."""
        super().__init__()
        ui.add_css(STYLE)
        self._props["simple"] = simple
        self._props["overlays"] = [] if simple else list_overlays()
        self._on_paint, self._on_lock, self._on_unlock, self._on_look = on_paint, on_lock, on_unlock, on_look
        self._is_ready = False
        self._payload: Payload | None = None
        self._overlay: Payload | None = None
        self._settings: dict[str, Any] = {}
        self._tiles_sent = self._sheet_sent = ""
        """Digests of what the browser got last."""
        self._stroke = 0
        """Number of the last stroke that came in; the browser keeps what it painted since over what it is shown."""
        self.on("ready", self._handle_ready)
        self.on("paint", self._handle_paint)
        self.on("lock", self._handle_lock)
        self.on("unlock", self._handle_unlock)
        self.on("look", self._handle_look)
        for name, handler in (("undo", on_undo), ("redo", on_redo), ("regenerate", on_regenerate), ("film", on_film)):
            self.on(name, handler or (lambda: None), args=[])

    # -- to the browser -----------------------------------------------------------------------------------------

    def show(self, payload: Payload) -> None:
        """Show a map, as `scene_of` makes it; work in progress is over."""
        self._payload = payload
        self._call("show", {**self._strip_known(payload), "stroke": self._stroke})

    def show_progress(self, payload: Payload | None) -> None:
        """Show work that takes long, as `frame_of` makes it; None goes back to the map."""
        self._call("progress", None if payload is None else self._strip_known(payload))

    def show_overlay(self, overlay: Payload | None) -> None:
        """Draw over the map what `overlay_of` makes, or nothing."""
        self._overlay = overlay
        self._call("overlay", overlay)

    def show_timeline(self, timeline: Payload | None) -> None:
        """The frames for the timeline, as `film_of` makes them; None when there are none (any more)."""
        self._call("film", timeline)

    def set(self, **settings: Any) -> None:
        """Change settings, and tell nobody.

        grid, sprites, locking: bool; overlay: name of the chosen one, "" for none; pending: whether Regenerate would
        change something; undo, redo: whether there is anything to; busy: whether a map is being made; tool: a name.
        """
        self._settings |= settings
        self._call("set", settings)

    async def locate_cell(self, x: int, y: int) -> tuple[float, float]:
        """Where on the screen the middle of a cell is, in pixels of the browser's window."""
        left, top = await self.run_method("place", x, y)
        return float(left), float(top)

    def _call(self, method: str, value: Any) -> None:
        """Run a method in the browser, once it is there; nobody waits for it."""
        if self._is_ready:
            self.run_method(method, value)

    def _strip_known(self, payload: Payload) -> Payload:
        """Without the tiles and the sheet if the browser got them with the last one."""
        lean, sheet = dict(payload), payload.get("sheet")
        if payload["tileset"] == self._tiles_sent:
            lean["tiles"] = None
        if sheet and sheet["digest"] == self._sheet_sent:
            lean["sheet"] = {**sheet, "url": None}
        if self._is_ready:
            self._tiles_sent = payload["tileset"] or self._tiles_sent
            self._sheet_sent = sheet["digest"] if sheet else self._sheet_sent
        return lean

    # -- from the browser ---------------------------------------------------------------------------------------

    def _handle_ready(self) -> None:
        """The browser has drawn the component, for the first time or anew: it knows nothing yet."""
        self._is_ready = True
        self._tiles_sent = self._sheet_sent = ""
        self._stroke = 0
        self._call("set", self._settings)
        if self._payload is not None:
            self.show(self._payload)
            self.show_overlay(self._overlay)

    def _handle_paint(self, event: GenericEventArguments) -> Any:
        match event.args:
            case {"cells": told, "tile": int(tile), "lock": bool(lock), "stroke": int(stroke)}:
                self._stroke = stroke
                cells = self._decode_cells(told)
                if self._on_paint and cells and tile >= 0:
                    return self._on_paint(dict.fromkeys(cells, int(tile)), lock)
        return None

    def _handle_lock(self, event: GenericEventArguments) -> Any:
        match event.args:
            case {"cells": told} if self._on_lock and (cells := self._decode_cells(told)):
                return self._on_lock(cells)
        return None

    def _handle_unlock(self, event: GenericEventArguments) -> Any:
        match event.args:
            case {"cells": None} if self._on_unlock:
                return self._on_unlock(None)
            case {"cells": told} if self._on_unlock and (cells := self._decode_cells(told)):
                return self._on_unlock(cells)
        return None

    def _handle_look(self, event: GenericEventArguments) -> Any:
        match event.args:
            case {"grid": bool(grid), "sprites": bool(sprites), "overlay": str(overlay)}:
                # What was set may have settings of its own, such as hot-path,slack=8.
                if overlay in ("", self._settings.get("overlay"), *KINDS):
                    self._settings |= {"grid": grid, "sprites": sprites, "overlay": overlay}
                    return self._on_look(grid, sprites, overlay) if self._on_look else None
        return None

    def _decode_cells(self, encoded: Any) -> list[int] | None:
        """The cells of the map that is shown that the browser means; None if it makes no sense."""
        if self._payload is None:
            return None
        return decode_cells(encoded, prod(self._payload[side] for side in ("width", "height", "depth")))


def list_overlays() -> list[dict[str, str]]:
    """The overlays that the menu lists."""
    words = {"rooms": "rooms and links"}
    return [
        {"name": name, "label": words.get(name, name.replace("-", " ")), "summary": KINDS[name].summary}
        for name in MENU_OVERLAYS
    ]
