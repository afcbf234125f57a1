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
from ..core.plan import origins, planned
from ..core.recipe import Recipe
from ..core.seeds import read_seed
from ..core.site import Frame
from ..core.tilemap import TileMap
from ..core.tileset import Tile
from . import service
from .desk import Cancelled, Desk, Ticket
from .locking import locks_inside, most_locks, with_locks, without_locks
from .state import State

T = TypeVar("T")
EVENTS = ("state", "map", "progress", "failed", "busy")
MOST_UNDO = 200
LIVE = 0.2
"""Seconds between two looks at work that takes long."""


class Session:
    """The state and everything that follows from it.

    Events, each with what listeners get: `state` (State) whenever it changed; `map` (TileMap) when another map is to
    be shown, painted cells included; `progress` (Frame) while one is made for long; `failed` (TilewrightError, or None
    when all is well again); `busy` (bool).
    """

    def __init__(self, desk: Desk, state: State | None = None) -> None:
        self.desk = desk
        self.state = state or State()
        self.recipe: Recipe | None = None
        """Of the map that is shown."""
        self.map: TileMap | None = None
        """The map that is shown, with what was painted over it."""
        self.seconds = 0.0
        """How long the map took."""
        self.seeds: list[int | str] = []
        """Earlier ones, the newest last."""
        self._listeners: dict[str, list[Callable[[Any], None]]] = {event: [] for event in EVENTS}
        self._undo: list[State] = []
        self._redo: list[State] = []
        self._what = ""
        self._made: TileMap | None = None
        self.job: asyncio.Task[None] | None = None
        """The work that makes the newest map."""

    def listen(self, event: str, callback: Callable[[Any], None]) -> None:
        self._listeners[event].append(callback)

    def tell(self, event: str, value: Any) -> None:
        for callback in self._listeners[event]:
            callback(value)

    async def do(self, work: Callable[[Ticket], T]) -> T:
        """Have something done at the desk for this person, whose turn comes like everybody's."""
        return await self.desk.do(work, who=self)

    async def attempt(self, work: Callable[[Ticket], T], fail: Callable[[TilewrightError], None]) -> T | None:
        """Have something done; return None where it was cancelled, or failed: `fail` gets the error."""
        try:
            return await self.do(work)
        except Cancelled:
            return None
        except TilewrightError as error:
            fail(error)
            return None

    def leave(self) -> None:
        """The person is gone, and so is all that was being done for them."""
        self.stop()
        self.desk.dismiss(self)

    def tiles(self) -> tuple[Tile, ...]:
        """The tiles of the map that is shown."""
        return () if self.map is None else self.map.tileset.tiles

    # -- changes ------------------------------------------------------------------------------------------------

    def begin(self, state: State) -> None:
        """Start with a state: nothing lies before it that one could go back to."""
        self.state = _without_strays(state)
        self.tell("state", self.state)
        self.make()

    def change(self, state: State, *, what: str = "") -> None:
        """Go to another state. Changes of the same thing in a row, such as a slider's, are one step of undo."""
        state = _without_strays(state)
        if state == self.state:
            return
        if not what or what != self._what:
            self._undo = [*self._undo[-MOST_UNDO + 1 :], self.state]
        self._what, self._redo = what, []
        self._go(state)

    def look(self, **changes: Any) -> None:
        """Look at it otherwise; that is no step of undo."""
        self._see(self.state.looking(**changes))

    def vary(self, **changes: Any) -> None:
        """Choose something else in the gallery; that is no step of undo either."""
        self._see(self.state.varying(**changes))

    def _see(self, state: State) -> None:
        if state != self.state:
            self.state = state
            self.tell("state", state)

    def undo(self) -> None:
        """Back to the state before; it is looked at as it is now."""
        if self._undo:
            self._redo.append(self.state)
            self._what = ""
            self._go(self._undo.pop().seen_as(self.state))

    def redo(self) -> None:
        if self._redo:
            self._undo.append(self.state)
            self._what = ""
            self._go(self._redo.pop().seen_as(self.state))

    @property
    def can_undo(self) -> bool:
        return bool(self._undo)

    @property
    def can_redo(self) -> bool:
        return bool(self._redo)

    def _go(self, state: State) -> None:
        before, self.state = self.state, state
        self.tell("state", state)
        if state.effective != before.effective or self._made is None:
            self.make()
        elif state.painted != before.painted:
            self._show()

    # -- seeds --------------------------------------------------------------------------------------------------

    def reroll(self) -> None:
        """Another seed; what is locked stays."""
        self.sow(read_seed(None))

    def sow(self, seed: int | str) -> None:
        """This seed."""
        if self.state.seed is not None:
            self.seeds = [*self.seeds[-MOST_UNDO:], self.state.seed]
        self.change(self.state.with_recipe(seed=typed_seed(seed) if isinstance(seed, str) else seed))

    def earlier(self) -> None:
        """The seed before this one; one that an undo has brought back already is passed over."""
        while self.seeds:
            seed = self.seeds.pop()
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
            over = self.state.painted.ids(map.tileset).astype(np.int32)
        over.flat[places] = ids
        shown = map.cells.copy()
        shown.flat[places] = ids.astype(shown.dtype)
        painted = replace(self.state, painted=Grid(map.tileset.names, over))
        try:
            self.change(self._with_locks(painted, map.replaced(cells=shown), places) if lock else painted)
        except TooLarge as error:
            self.change(painted)
            self.tell("failed", error.within(place="painted, but not locked"))

    def lock(self, cells: Iterable[int]) -> None:
        """Keep these cells of the map that is shown."""
        if self.map is None:
            return
        try:
            self.change(self._with_locks(self.state, self.map, _inside(cells, self.map.cells.size)))
        except TooLarge as error:
            self._show()  # without the locks that somebody has seen already
            self.tell("failed", error.within(place="not locked"))

    def unlock(self, cells: Iterable[int] | None = None) -> None:
        """Free these cells again, or all."""
        if cells is None or self.recipe is None:
            self.change(replace(self.state, locks=None))
            return
        places, _ = origins(self.recipe)
        freed = places.ravel()[_inside(cells, places.size)]
        self.change(replace(self.state, locks=without_locks(self.state.locks, freed, self._shape)))

    def regenerate(self) -> None:
        """Make the map again with this seed: what is locked is built in, what was only painted is gone."""
        if self.state.is_pending:
            self.change(self.state.with_recipe())
        else:
            self.make()

    def locked(self) -> NDArray[np.bool_] | None:
        """The cells of the map that is shown that are locked; None where none are."""
        if self.recipe is None or self.state.locks is None:
            return None
        places, _ = origins(self.recipe)
        flat = np.ravel_multi_index(tuple(self.state.locks.places.T), self._shape, mode="clip")
        return np.isin(places, flat)

    def _with_locks(self, state: State, map: TileMap, cells: NDArray[np.int64]) -> State:
        """A state in which these cells of a map are locked too, as the map holds them."""
        if self.recipe is None:
            return state
        places, tiles = origins(self.recipe)
        names = map.tileset.names
        before = np.arange(len(names))  # (tile,) what it was before the map was turned over
        before[: len(tiles)] = tiles
        which = before[map.cells.ravel()[cells]]
        return replace(state, locks=with_locks(state.locks, places.ravel()[cells], which, names, self._shape))

    @property
    def _shape(self) -> tuple[int, ...]:
        """Of the technique's map."""
        assert self.recipe is not None
        return planned(self.recipe).site.shape

    # -- making -------------------------------------------------------------------------------------------------

    def make(self) -> None:
        """Make the state's map at the desk; whatever was being made is cancelled."""
        self.stop()
        self.job = asyncio.create_task(self._make(self.state))

    def give_up(self) -> None:
        """Stop the work because somebody asks for it, and tell how to go on."""
        if self.job is not None and not self.job.done():
            self.stop()
            before = "; what is shown is the map before" if self.map is not None else ""
            self.tell("failed", TilewrightError(f"stopped{before}: turn a knob, or press Reroll"))

    def stop(self) -> None:
        """Cancel what is being made."""
        if self.job is not None and not self.job.done():
            self.job.cancel()
            self.tell("busy", False)
        self.job = None

    async def _make(self, state: State) -> None:
        self.tell("busy", True)
        loop, begun = asyncio.get_running_loop(), time.perf_counter()

        def work(ticket: Ticket) -> tuple[Recipe, TileMap]:
            recipe = service.checked(state.effective, self.desk.settings)
            looked = time.perf_counter()
            for frame in service.frames(recipe, ticket):
                if frame.map is None and frame.cells is not None and time.perf_counter() > looked + LIVE:
                    loop.call_soon_threadsafe(self._look, state, frame.shown())
                    looked = time.perf_counter()
            assert frame.map is not None
            return recipe, frame.map

        def fail(error: TilewrightError) -> None:
            self.tell("busy", False)
            self.tell("failed", error)

        found = await self.attempt(work, fail)
        if found is not None:
            self.recipe, self._made = found
            self.seconds = time.perf_counter() - begun
            self.tell("busy", False)
            self.tell("failed", None)
            self._show()

    def _look(self, state: State, frame: Frame) -> None:
        """Work that takes long is shown as it goes, unless something newer is being made."""
        if state is self.state and self.job is not None and not self.job.done():
            self.tell("progress", frame)

    def _show(self) -> None:
        """Put what was painted over the map, and tell."""
        if self._made is None:
            return
        self.map = self._made
        over = self.state.painted
        if over is not None and over.shape == self._made.shape:
            ids = over.ids(self._made.tileset)
            cells = np.where(ids == FREE, self._made.cells, ids).astype(self._made.cells.dtype)
            self.map = self._made.replaced(cells=cells)
        self.tell("map", self.map)


def typed_seed(text: str) -> int | str:
    """A seed as recipes write it: a number, or a text such as 007, which is another seed than 7."""
    return int(text) if text.isdecimal() and len(text) < 16 and text == str(int(text)) else text


def _without_strays(state: State) -> State:
    """The state without locks that lie outside its map, such as one that was made smaller; the others fit its size."""
    if state.locks is None:
        return state
    try:
        recipe = Recipe.of({**state.recipe, "locks": None})
    except TilewrightError:
        return state  # making it will tell
    shape = recipe.shape
    fitted = locks_inside(state.locks, shape)
    is_same = fitted is not None and fitted == state.locks and fitted.frame == state.locks.frame
    if is_same or (fitted is not None and len(fitted) > most_locks(shape)):
        return state  # nothing to do, or, where a larger map has too many of them, making it will tell
    state = replace(state, locks=fitted)
    return replace(state.with_recipe(), painted=state.painted) if state.recipe.get("locks") else state


def _inside(cells: Iterable[int], size: int) -> NDArray[np.int64]:
    """Flat places that lie on a map of this many cells."""
    places = np.array([*cells], dtype=np.int64)
    return places[(places >= 0) & (places < size)]
