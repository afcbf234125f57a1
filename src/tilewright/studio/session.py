"""Session of one user: the state, its map and the undo history. It is independent of the page, which listens to events.

All changes of the state go through `change`. If the recipe changes, its map is made in the job queue, and the job of
the previous recipe is cancelled. Painted cells are drawn over the map until it is made again. Edits of markers and
rooms stay.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..analysis.survey import list_argument_measures
from ..core.errors import TilewrightError, TooLarge
from ..core.grid import FREE, Grid
from ..core.landmarks import LandmarkEdits
from ..core.locks import Locks
from ..core.plan import find_origins, make_plan
from ..core.recipe import Recipe
from ..core.registry import measures, techniques
from ..core.seeds import read_seed
from ..core.site import Frame
from ..core.tilemap import TileMap
from ..core.tileset import Tile
from . import operations
from .jobs import Cancelled, CancelToken, JobQueue
from .search.options import find_owner, find_search
from .state import State

T = TypeVar("T")
EVENTS = ("state", "map", "progress", "failed", "busy", "refused", "switched_off", "open")
MAX_UNDO = 200
PREVIEW_INTERVAL = 0.2
"""Seconds between two previews of a long job."""


@dataclass(frozen=True)
class SwitchedOff:
    """Shapers that were switched off because they cannot shape the maps of a new technique or tileset."""

    reasons: Mapping[int, tuple[str, str]]
    """Name of the shaper and the reason, by position in the recipe's list."""
    before: State
    """State before the change."""


class Session:
    """The state of a user and its map.

    Events and their values: `state` (State) when the state has changed; `map` (TileMap) when there is another map to
    show, with all edits by hand; `progress` (Frame) while a map takes long; `failed` (TilewrightError, or None when the
    error is resolved); `busy` (bool); `refused` (TilewrightError) when a user action had no effect; `switched_off`
    (SwitchedOff); `open` (State) before the user leaves a state for another technique, recipe or picture.
    """

    def __init__(self, queue: JobQueue, state: State | None = None) -> None:
        self.queue = queue
        self.state = state or State()
        self.recipe: Recipe | None = None
        """Recipe of the current map."""
        self.map: TileMap | None = None
        """The current map with painted cells, and with its edited markers and rooms."""
        self.seconds = 0.0
        """Time taken to make the map."""
        self.seed_history: list[int | str] = []
        """Earlier seeds, the newest last."""
        self._listeners: dict[str, list[Callable[[Any], None]]] = {event: [] for event in EVENTS}
        self._undo: list[State] = []
        self._redo: list[State] = []
        self._undo_group = ""
        self._base_map: TileMap | None = None
        self.job: asyncio.Task[None] | None = None
        """Task that makes the newest map."""

    def listen(self, event: str, callback: Callable[[Any], None]) -> None:
        self._listeners[event].append(callback)

    def emit(self, event: str, value: Any) -> None:
        for callback in self._listeners[event]:
            callback(value)

    async def submit(self, work: Callable[[CancelToken], T]) -> T:
        """Run a job for this user and return its result."""
        return await self.queue.submit(work, client=self)

    async def submit_when_free(self, work: Callable[[CancelToken], T]) -> T:
        """Run a job for this user. While the queue is full, try again."""
        return await self.queue.submit_when_free(work, client=self)

    async def attempt(self, work: Callable[[CancelToken], T], fail: Callable[[TilewrightError], None]) -> T | None:
        """Run a job and return its result.

        Return None if the job was cancelled or failed. `fail` is called with the error.
        """
        try:
            return await self.submit(work)
        except Cancelled:
            return None
        except TilewrightError as error:
            fail(error)
            return None

    def close(self) -> None:
        """Cancel all jobs of this user."""
        self.stop()
        self.queue.cancel_client(self)

    def tiles(self) -> tuple[Tile, ...]:
        """Return the tiles of the current map."""
        return () if self.map is None else self.map.tileset.tiles

    # -- changes ------------------------------------------------------------------------------------------------

    def start(self, state: State) -> None:
        """Start with a state, without an undo step."""
        self.state = _drop_outside_locks(state)
        self.emit("state", self.state)
        self.make()

    def change(self, state: State, *, undo_group: str = "", switch_off: bool = False) -> None:
        """Change the state.

        Parameters
        ----------
        state
            The new state.
        undo_group
            Consecutive changes of the same undo group, such as one slider, are one undo step.
        switch_off
            Whether to switch off the shapers that cannot shape the new map. This is part of the same undo step.
        """
        state = _drop_outside_locks(state)
        if state == self.state:
            return
        if not undo_group or undo_group != self._undo_group:
            self._undo = [*self._undo[-MAX_UNDO + 1 :], self.state]
        self._undo_group, self._redo = undo_group, []
        self._apply_state(state, switch_off_for=self.state if switch_off else None)

    def open(self, state: State, *, switch_off: bool = False) -> None:
        """Change to another technique, recipe or picture. The browser's back button returns from it."""
        if state != self.state:
            self.emit("open", self.state)
            self.change(state, switch_off=switch_off)

    def open_in_make(self, found: State, **changes: Any) -> None:
        """Open the map of another state in Make, with further changes of the own state."""
        recipe: dict[str, Any] = {"recipe": found.recipe, "locks": found.locks, "painted": None, "off": found.off}
        self.open(replace(self.state, **recipe, **changes).with_view_settings(tab="make"))

    def change_view(self, **changes: Any) -> None:
        """Change view settings, without an undo step."""
        self._set_state(self.state.with_view_settings(**changes))

    def change_gallery(self, **changes: Any) -> None:
        """Change settings of the gallery, without an undo step."""
        self._set_state(self.state.with_gallery(**changes))

    def change_search(self, **changes: Any) -> None:
        """Change settings of the view Search, without an undo step."""
        search = find_search(self.state).replace(owner=find_owner(self.state), **changes)
        self._set_state(replace(self.state, search=search))

    def _set_state(self, state: State) -> None:
        if state != self.state:
            self.state = state
            self.emit("state", state)

    def undo(self) -> None:
        """Return to the previous state. The view settings stay the same."""
        self._exchange_state(self._undo, self._redo)

    def redo(self) -> None:
        self._exchange_state(self._redo, self._undo)

    def _exchange_state(self, source: list[State], target: list[State]) -> None:
        if source:
            target.append(self.state)
            self._undo_group = ""
            self._apply_state(source.pop().with_view_of(self.state))

    @property
    def can_undo(self) -> bool:
        return bool(self._undo)

    @property
    def can_redo(self) -> bool:
        return bool(self._redo)

    def _apply_state(self, state: State, switch_off_for: State | None = None) -> None:
        before, self.state = self.state, state
        self.emit("state", state)
        if state.effective != before.effective or self._base_map is None:
            self.make(switch_off_for)
        elif (state.painted, state.landmarks) != (before.painted, before.landmarks):
            self._show()

    # -- seeds --------------------------------------------------------------------------------------------------

    def reroll(self) -> None:
        """Choose a random seed. Locked cells stay the same."""
        self.set_seed(read_seed(None))

    def set_seed(self, seed: int | str, *, attempt: int | None = None) -> None:
        """Set the seed, and the number of the try whose map is made; None for the tries of the recipe."""
        if self.state.seed is not None:
            self.seed_history = [*self.seed_history[-MAX_UNDO:], self.state.seed]
        seed = parse_seed(seed) if isinstance(seed, str) else seed
        self.change(self.state.with_recipe(seed=seed, attempt=attempt))

    def restore_seed(self) -> None:
        """Return to the last seed that differs from the current one."""
        while self.seed_history:
            seed = self.seed_history.pop()
            if seed != self.state.seed:
                self.change(self.state.with_recipe(seed=seed))
                return

    # -- painting and locking -----------------------------------------------------------------------------------

    def paint(self, cells: Mapping[int, int], *, lock: bool) -> None:
        """Set cells (flat indices) of the current map to tiles (ids). With `lock`, the cells are locked too."""
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
            self.emit("refused", error.within(place="painted, but not locked"))

    def lock(self, cells: Iterable[int]) -> None:
        """Lock cells (flat indices) of the current map."""
        if self.map is None:
            return
        try:
            self.change(self._with_locks(self.state, self.map, _keep_inside(cells, self.map.cells.size)))
        except TooLarge as error:
            self._show()  # This removes the locks that the browser has already drawn.
            self.emit("refused", error.within(place="not locked"))

    def unlock(self, cells: Iterable[int] | None = None) -> None:
        """Unlock the given cells, or all cells."""
        if cells is None or self.recipe is None:
            self.change(replace(self.state, locks=None))
            return
        places, _ = find_origins(self.recipe)
        freed = places.ravel()[_keep_inside(cells, places.size)]
        locks = self.state.locks
        self.change(replace(self.state, locks=locks.without_cells(freed, self._shape) or None if locks else None))

    def regenerate(self) -> None:
        """Make the map again with the same seed and the current locks.

        Painted cells that are not locked are dropped.
        """
        if self.state.is_pending:
            self.change(self.state.with_recipe())
        else:
            self.make()

    def list_measures(self) -> list[str]:
        """Return the measures to choose from: those of any map, and counts of the current map's tiles and markers."""
        recipe = self.recipe
        has_sample = recipe is not None and techniques.get(recipe.technique).training_of(recipe.params) is not None
        plain = [one.name for one in measures if not one.argument and (has_sample or not one.compares)]
        return [*plain, *([] if self.map is None else list_argument_measures(self.map))]

    def find_locked_cells(self) -> NDArray[np.bool_] | None:
        """Return a mask of the locked cells of the current map, or None without locks."""
        if self.recipe is None or self.state.locks is None:
            return None
        places, _ = find_origins(self.recipe)
        flat = np.ravel_multi_index(tuple(self.state.locks.places.T), self._shape, mode="clip")
        return np.isin(places, flat)

    def _with_locks(self, state: State, map: TileMap, cells: NDArray[np.int64]) -> State:
        """Return a state in which these cells are locked to the tiles that a map has there."""
        if self.recipe is None:
            return state
        places, tiles = find_origins(self.recipe)
        names = map.tileset.names
        original = np.arange(len(names))  # Array (tile,) of the id of each tile before the map was mirrored or rotated.
        original[: len(tiles)] = tiles
        which = original[map.cells.ravel()[cells]]
        locks = (state.locks or Locks.of([])).with_cells(places.ravel()[cells], which, names, self._shape)
        return replace(state, locks=locks or None)

    @property
    def _shape(self) -> tuple[int, ...]:
        """Shape of the technique's map."""
        assert self.recipe is not None
        return make_plan(self.recipe).site.shape

    # -- markers and rooms --------------------------------------------------------------------------------------

    def edit_landmarks(self, data: Any, *, undo_group: str = "") -> None:
        """Add, change or remove markers and rooms of the current map, given as the plain data of `LandmarkEdits`."""
        if self.map is None:
            return
        try:
            landmarks = self.state.landmarks.merge(LandmarkEdits.from_data(data), self.map)
        except TilewrightError as error:
            self._show()  # This removes the edits that the browser has already drawn.
            self.emit("refused", error.within(place="not changed"))
        else:
            self.change(replace(self.state, landmarks=landmarks), undo_group=undo_group)

    # -- jobs ---------------------------------------------------------------------------------------------------

    def make(self, switch_off_for: State | None = None) -> None:
        """Start to make the map of the state. A running job is cancelled.

        With the previous state in `switch_off_for`, shapers that cannot shape the map are switched off.
        """
        self.stop()
        self.job = asyncio.create_task(self._make(self.state, switch_off_for))

    def cancel_by_user(self) -> None:
        """Cancel the running job on request of the user, and report it."""
        if self.job is not None and not self.job.done():
            self.stop()
            previous = "; the previous map is shown" if self.map is not None else ""
            self.emit("failed", TilewrightError(f"stopped{previous}: change a parameter or press New seed"))

    def stop(self) -> None:
        """Cancel the running job."""
        if self.job is not None and not self.job.done():
            self.job.cancel()
            self.emit("busy", False)
        self.job = None

    async def _make(self, state: State, switch_off_for: State | None) -> None:
        self.emit("busy", True)
        loop, start = asyncio.get_running_loop(), time.perf_counter()

        def make_frames(recipe: Recipe, token: CancelToken) -> TileMap:
            last_preview = time.perf_counter()
            for frame in operations.frames(recipe, token):
                is_due = time.perf_counter() > last_preview + PREVIEW_INTERVAL
                if frame.map is None and frame.cells is not None and is_due:
                    loop.call_soon_threadsafe(self._show_progress, state, frame.snapshot())
                    last_preview = time.perf_counter()
            assert frame.map is not None
            return frame.map

        def work(token: CancelToken) -> tuple[Recipe, TileMap | dict[int, str]]:
            recipe = operations.check_recipe(_find_data(state), self.queue.settings)
            try:
                return recipe, make_frames(recipe, token)
            except operations.SHAPER_ERRORS:
                failures = {} if switch_off_for is None else operations.find_failing_shapers(recipe, token)
                if not failures:
                    raise
                return recipe, failures

        def fail(error: TilewrightError) -> None:
            self.emit("busy", False)
            self.emit("failed", error)

        found = await self.attempt(work, fail)
        if found is None:
            return
        recipe, result = found
        if isinstance(result, TileMap):
            self.recipe, self._base_map = recipe, result
            self.seconds = time.perf_counter() - start
            self.emit("busy", False)
            self.emit("failed", None)
            self._show()
        elif switch_off_for is not None:
            self._switch_off(state, result, switch_off_for)

    def _switch_off(self, state: State, failures: Mapping[int, str], before: State) -> None:
        """Switch off shapers that failed, given the reasons by position among the enabled shapers."""
        numbers = {state.stages_on[position]: reason for position, reason in failures.items()}
        reasons = {number: (state.stages[number][0], reason) for number, reason in numbers.items()}
        self._set_state(self.state.with_off(*numbers))
        self.emit("switched_off", SwitchedOff(reasons, before))
        self.job = None  # This job is done; the next one must not cancel it.
        self.make()

    def _show_progress(self, state: State, frame: Frame) -> None:
        """Show a frame of a long job, unless a newer job has started."""
        if state is self.state and self.job is not None and not self.job.done():
            self.emit("progress", frame)

    def _show(self) -> None:
        """Apply the edits by hand to the map, and emit the event `map`."""
        if self._base_map is not None:
            self.map = self.state.edit(self._base_map)
            self.emit("map", self.map)


def parse_seed(text: str) -> int | str:
    """Return a seed as in recipes: an integer, or a string such as 007, which is a different seed from 7."""
    return int(text) if text.isdecimal() and len(text) < 16 and text == str(int(text)) else text


def _find_data(state: State) -> Mapping[str, Any]:
    """Return the recipe to make, with the parameters that a view has validated already."""
    params = vars(state).get("valid_params")
    if params is None or techniques.get(state.technique).recipe_keys:
        return state.effective
    return {**state.effective, "params": params}


def _drop_outside_locks(state: State) -> State:
    """Return the state without locks outside its map, for example after the map was made smaller."""
    if state.locks is None:
        return state
    if state.valid_params is None:
        return state  # Making the map reports the error.
    shape = techniques.get(state.technique).shape_of(state.valid_params)
    fitted = state.locks.clip_to(shape) or None
    is_same = fitted is not None and fitted == state.locks and fitted.map_shape == state.locks.map_shape
    if is_same or (fitted is not None and len(fitted) > Locks.max_count(shape)):
        return state  # The locks are unchanged, or there are too many for the larger map; making the map reports that.
    state = replace(state, locks=fitted)
    return replace(state.with_recipe(), painted=state.painted) if state.recipe.get("locks") else state


def _keep_inside(cells: Iterable[int], size: int) -> NDArray[np.int64]:
    """Return the flat indices below `size` as an array."""
    places = np.array([*cells], dtype=np.int64)
    return places[(places >= 0) & (places < size)]
