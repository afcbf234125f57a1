"""One person's work: the state, its map, the way back. Knows nothing of the page; the page listens.

Whatever changes the state goes through `change`. If the recipe is another one then, its map is made at the desk, and
only the newest recipe's: the one before is cancelled. Painted cells lie over the map until it is made again.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..core.errors import TilewrightError, TooLarge
from ..core.grid import FREE, Grid
from ..core.locks import Locks
from ..core.plan import find_origins, make_plan
from ..core.recipe import Recipe
from ..core.seeds import read_seed
from ..core.site import Frame
from ..core.tilemap import TileMap
from ..core.tileset import Tile
from . import operations
from .jobs import Cancelled, CancelToken, JobQueue
from .state import State

T = TypeVar("T")
EVENTS = ("state", "map", "progress", "failed", "busy")
MAX_UNDO = 200
PREVIEW_INTERVAL = 0.2
"""Seconds between two looks at work that takes long."""


class Session:
    """The state and everything that follows from it.

    Events, each with what listeners get: `state` (State) whenever it changed; `map` (TileMap) when another map is to
    be shown, painted cells included; `progress` (Frame) while one is made for long; `failed` (TilewrightError, or None
    when all is well again); `busy` (bool).
    """

    def __init__(self, queue: JobQueue, state: State | None = None) -> None:
        self.queue = queue
        self.state = state or State()
        self.recipe: Recipe | None = None
        """Of the map that is shown."""
        self.map: TileMap | None = None
        """The map that is shown, with what was painted over it."""
        self.seconds = 0.0
        """How long the map took."""
        self.seed_history: list[int | str] = []
        """Earlier ones, the newest last."""
        self._listeners: dict[str, list[Callable[[Any], None]]] = {event: [] for event in EVENTS}
        self._undo: list[State] = []
        self._redo: list[State] = []
        self._undo_group = ""
        self._base_map: TileMap | None = None
        self.job: asyncio.Task[None] | None = None
        """The work that makes the newest map."""

    def listen(self, event: str, callback: Callable[[Any], None]) -> None:
        self._listeners[event].append(callback)

    def emit(self, event: str, value: Any) -> None:
        for callback in self._listeners[event]:
            callback(value)

    async def submit(self, work: Callable[[CancelToken], T]) -> T:
        """Have something done at the desk for this person, whose turn comes like everybody's."""
        return await self.queue.submit(work, client=self)

    async def attempt(self, work: Callable[[CancelToken], T], fail: Callable[[TilewrightError], None]) -> T | None:
        """Have something done; return None where it was cancelled, or failed: `fail` gets the error."""
        try:
            return await self.submit(work)
        except Cancelled:
            return None
        except TilewrightError as error:
            fail(error)
            return None

    def close(self) -> None:
        """The person is gone, and so is all that was being done for them."""
        self.stop()
        self.queue.cancel_client(self)

    def tiles(self) -> tuple[Tile, ...]:
        """The tiles of the map that is shown."""
        return () if self.map is None else self.map.tileset.tiles

    # -- changes ------------------------------------------------------------------------------------------------

    def start(self, state: State) -> None:
        """Start with a state: nothing lies before it that one could go back to."""
        self.state = _drop_outside_locks(state)
        self.emit("state", self.state)
        self.make()

    def change(self, state: State, *, undo_group: str = "") -> None:
        """Go to another state. Changes of the same thing in a row, such as a slider's, are one step of undo."""
        state = _drop_outside_locks(state)
        if state == self.state:
            return
        if not undo_group or undo_group != self._undo_group:
            self._undo = [*self._undo[-MAX_UNDO + 1 :], self.state]
        self._undo_group, self._redo = undo_group, []
        self._apply_state(state)

    def change_view(self, **changes: Any) -> None:
        """Look at it otherwise; that is no step of undo."""
        self._set_state(self.state.with_view_settings(**changes))

    def change_gallery(self, **changes: Any) -> None:
        """Choose something else in the gallery; that is no step of undo either."""
        self._set_state(self.state.with_gallery(**changes))

    def _set_state(self, state: State) -> None:
        if state != self.state:
            self.state = state
            self.emit("state", state)

    def undo(self) -> None:
        """Back to the state before; it is looked at as it is now."""
        if self._undo:
            self._redo.append(self.state)
            self._undo_group = ""
            self._apply_state(self._undo.pop().with_view_of(self.state))

    def redo(self) -> None:
        if self._redo:
            self._undo.append(self.state)
            self._undo_group = ""
            self._apply_state(self._redo.pop().with_view_of(self.state))

    @property
    def can_undo(self) -> bool:
        return bool(self._undo)

    @property
    def can_redo(self) -> bool:
        return bool(self._redo)

    def _apply_state(self, state: State) -> None:
        before, self.state = self.state, state
        self.emit("state", state)
        if state.effective != before.effective or self._base_map is None:
            self.make()
        elif state.painted != before.painted:
            self._show()

    # -- seeds --------------------------------------------------------------------------------------------------

    def reroll(self) -> None:
        """Another seed; what is locked stays."""
        self.set_seed(read_seed(None))

    def set_seed(self, seed: int | str) -> None:
        """This seed."""
        if self.state.seed is not None:
            self.seed_history = [*self.seed_history[-MAX_UNDO:], self.state.seed]
        self.change(self.state.with_recipe(seed=parse_seed(seed) if isinstance(seed, str) else seed))

    def restore_seed(self) -> None:
        """The seed before this one; one that an undo has brought back already is passed over."""
        while self.seed_history:
            seed = self.seed_history.pop()
            if seed != self.state.seed:
                self.change(self.state.with_recipe(seed=seed))
                return

    # -- painting and locking -----------------------------------------------------------------------------------

    def paint(self, cells: Mapping[int, int], *, lock: bool) -> None:
        """Put tiles (by id) on cells (by flat place) of the map that is shown."""
        map = self.map
        if map is None:
            return
        places = np.fromiter(cells.keys(), dtype=np.int64, count=len(cells))
        ids = np.fromiter(cells.values(), dtype=np.int64, count=len(cells))
        inside = (places >= 0) & (places < map.cells.size)
        places, ids = places[inside], ids[inside]
        if not len(places) or ids.min() < 0 or ids.max() >= len(map.tileset):
            return
        over = np.full(map.shape, FREE, dtype=np.int32)
        if self.state.painted is not None:
            over = self.state.painted.to_tile_ids(map.tileset).astype(np.int32)
        over.flat[places] = ids
        shown = map.cells.copy()
        shown.flat[places] = ids.astype(shown.dtype)
        painted = replace(self.state, painted=Grid(map.tileset.names, over))
        try:
            self.change(self._with_locks(painted, map.replace(cells=shown), places) if lock else painted)
        except TooLarge as error:
            self.change(painted)
            self.emit("failed", error.within(place="painted, but not locked"))

    def lock(self, cells: Iterable[int]) -> None:
        """Keep these cells of the map that is shown."""
        if self.map is None:
            return
        try:
            self.change(self._with_locks(self.state, self.map, _keep_inside(cells, self.map.cells.size)))
        except TooLarge as error:
            self._show()  # without the locks that somebody has seen already
            self.emit("failed", error.within(place="not locked"))

    def unlock(self, cells: Iterable[int] | None = None) -> None:
        """Free these cells again, or all."""
        if cells is None or self.recipe is None:
            self.change(replace(self.state, locks=None))
            return
        places, _ = find_origins(self.recipe)
        freed = places.ravel()[_keep_inside(cells, places.size)]
        locks = self.state.locks
        self.change(replace(self.state, locks=locks.without_cells(freed, self._shape) or None if locks else None))

    def regenerate(self) -> None:
        """Make the map again with this seed: what is locked is built in, what was only painted is gone."""
        if self.state.is_pending:
            self.change(self.state.with_recipe())
        else:
            self.make()

    def find_locked_cells(self) -> NDArray[np.bool_] | None:
        """The cells of the map that is shown that are locked; None where none are."""
        if self.recipe is None or self.state.locks is None:
            return None
        places, _ = find_origins(self.recipe)
        flat = np.ravel_multi_index(tuple(self.state.locks.places.T), self._shape, mode="clip")
        return np.isin(places, flat)

    def _with_locks(self, state: State, map: TileMap, cells: NDArray[np.int64]) -> State:
        """A state in which these cells of a map are locked too, as the map holds them."""
        if self.recipe is None:
            return state
        places, tiles = find_origins(self.recipe)
        names = map.tileset.names
        before = np.arange(len(names))  # (tile,) what it was before the map was turned over
        before[: len(tiles)] = tiles
        which = before[map.cells.ravel()[cells]]
        locks = (state.locks or Locks.of([])).with_cells(places.ravel()[cells], which, names, self._shape)
        return replace(state, locks=locks or None)

    @property
    def _shape(self) -> tuple[int, ...]:
        """Of the technique's map."""
        assert self.recipe is not None
        return make_plan(self.recipe).site.shape

    # -- making -------------------------------------------------------------------------------------------------

    def make(self) -> None:
        """Make the state's map at the desk; whatever was being made is cancelled."""
        self.stop()
        self.job = asyncio.create_task(self._make(self.state))

    def cancel_by_user(self) -> None:
        """Stop the work because somebody asks for it, and tell how to go on."""
        if self.job is not None and not self.job.done():
            self.stop()
            before = "; what is shown is the map before" if self.map is not None else ""
            self.emit("failed", TilewrightError(f"stopped{before}: turn a knob, or press Reroll"))

    def stop(self) -> None:
        """Cancel what is being made."""
        if self.job is not None and not self.job.done():
            self.job.cancel()
            self.emit("busy", False)
        self.job = None

    async def _make(self, state: State) -> None:
        self.emit("busy", True)
        loop, begun = asyncio.get_running_loop(), time.perf_counter()

        def work(token: CancelToken) -> tuple[Recipe, TileMap]:
            recipe = operations.check_recipe(state.effective, self.queue.settings)
            looked = time.perf_counter()
            for frame in operations.frames(recipe, token):
                if frame.map is None and frame.cells is not None and time.perf_counter() > looked + PREVIEW_INTERVAL:
                    loop.call_soon_threadsafe(self._show_progress, state, frame.snapshot())
                    looked = time.perf_counter()
            assert frame.map is not None
            return recipe, frame.map

        def fail(error: TilewrightError) -> None:
            self.emit("busy", False)
            self.emit("failed", error)

        found = await self.attempt(work, fail)
        if found is not None:
            self.recipe, self._base_map = found
            self.seconds = time.perf_counter() - begun
            self.emit("busy", False)
            self.emit("failed", None)
            self._show()

    def _show_progress(self, state: State, frame: Frame) -> None:
        """Work that takes long is shown as it goes, unless something newer is being made."""
        if state is self.state and self.job is not None and not self.job.done():
            self.emit("progress", frame)

    def _show(self) -> None:
        """Put what was painted over the map, and tell."""
        if self._base_map is None:
            return
        self.map = self._base_map
        over = self.state.painted
        if over is not None and over.shape == self._base_map.shape:
            ids = over.to_tile_ids(self._base_map.tileset)
            cells = np.where(ids == FREE, self._base_map.cells, ids).astype(self._base_map.cells.dtype)
            self.map = self._base_map.replace(cells=cells)
        self.emit("map", self.map)


def parse_seed(text: str) -> int | str:
    """A seed as recipes write it: a number, or a text such as 007, which is another seed than 7."""
    return int(text) if text.isdecimal() and len(text) < 16 and text == str(int(text)) else text


def _drop_outside_locks(state: State) -> State:
    """The state without locks that lie outside its map, such as one that was made smaller; the others fit its size."""
    if state.locks is None:
        return state
    try:
        recipe = Recipe.of({**state.recipe, "locks": None})
    except TilewrightError:
        return state  # making it will tell
    shape = recipe.shape
    fitted = state.locks.clip_to(shape) or None
    is_same = fitted is not None and fitted == state.locks and fitted.map_shape == state.locks.map_shape
    if is_same or (fitted is not None and len(fitted) > Locks.max_count(shape)):
        return state  # nothing to do, or, where a larger map has too many of them, making it will tell
    state = replace(state, locks=fitted)
    return replace(state.with_recipe(), painted=state.painted) if state.recipe.get("locks") else state


def _keep_inside(cells: Iterable[int], size: int) -> NDArray[np.int64]:
    """Flat places that lie on a map of this many cells."""
    places = np.array([*cells], dtype=np.int64)
    return places[(places >= 0) & (places < size)]
