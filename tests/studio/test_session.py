"""Sessions: undo, locks, and cancellation of outdated jobs."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tilewright as tw
from tests.studio.test_jobs import TestFunction, supply
from tilewright.core import registry
from tilewright.core.errors import TilewrightError
from tilewright.studio.jobs import CancelToken, JobQueue
from tilewright.studio.operations import find_failing_shapers
from tilewright.studio.session import Session, SwitchedOff
from tilewright.studio.settings import Settings
from tilewright.studio.state import State

SMALL = {"technique": "caves", "params": {"width": 24, "height": 14}, "seed": 7}
SIZED = [entry.name for entry in tw.list_techniques()]


class RecordingSession(Session):
    """A session that records its events and can be awaited."""

    def __init__(self, queue: JobQueue, state: State) -> None:
        super().__init__(queue, state)
        self.maps: list[tw.TileMap] = []
        self.errors: list[TilewrightError | None] = []
        self.listen("map", self.maps.append)
        self.refusals: list[TilewrightError] = []
        self.listen("failed", self.errors.append)
        self.listen("refused", self.refusals.append)

    async def wait(self) -> tw.TileMap:
        if self.job is not None:
            await asyncio.wait([self.job])
        assert self.map is not None
        return self.map

    def locked_mask(self) -> NDArray[np.bool_]:
        """Return the mask of the locked cells, of which there must be some."""
        mask = self.find_locked_cells()
        assert mask is not None
        return mask


@asynccontextmanager
async def open_session(recipe: dict[str, Any], **settings: Any) -> AsyncIterator[RecordingSession]:
    queue = JobQueue(Settings.validate(settings))
    try:
        session = RecordingSession(queue, State.from_recipe(recipe))
        session.make()
        await session.wait()
        yield session
    finally:
        queue.close()


def in_session(recipe: dict[str, Any], **settings: Any) -> Callable[[Callable[..., Awaitable[None]]], TestFunction]:
    """Supply a session to a test, in an event loop."""

    async def supply_session(test: Callable[..., Awaitable[None]]) -> None:
        async with open_session(recipe, **settings) as session:
            await test(session)

    return lambda test: supply(test, lambda supplied: run(lambda: supply_session(supplied)))


def run(test: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(asyncio.wait_for(test(), 300))


@in_session(SMALL)
async def test_the_map_is_the_one_that_the_recipe_makes(session: RecordingSession) -> None:
    assert session.map == tw.run(SMALL)
    session.change(session.state.with_params(walls=0.4))
    assert await session.wait() == tw.make("caves", width=24, height=14, walls=0.4, seed=7)


@pytest.mark.parametrize("technique", SIZED)
@pytest.mark.parametrize("shaping", [None, ["flip", {"rotate": {"turns": 1}}]], ids=["plain", "moved"])
def test_painted_and_locked_cells_stay_with_every_technique(technique: str, shaping: Any) -> None:
    """Cells are those of the finished map, also if shapers have moved them."""

    async def test() -> None:
        size = {"width": 24, "height": 16}
        recipe = {"technique": technique, "params": size, "seed": 3, "shaping": shaping}
        async with open_session({word: value for word, value in recipe.items() if value}) as session:
            before = session.map
            assert before is not None
            tile = int(np.bincount(before.cells.ravel()).argmax())  # the most common: no technique refuses more of them
            places = [5 * before.width + x for x in range(4, 9)]
            session.paint(dict.fromkeys(places, tile), lock=True)
            painted = session.map
            assert painted is not None
            assert (painted.cells.flat[places] == tile).all()
            assert session.state.is_pending
            others = np.delete(np.arange(before.cells.size), places)
            assert (painted.cells.flat[others] == before.cells.flat[others]).all()
            session.reroll()
            after = await session.wait()
            assert session.errors[-1] is None, session.errors
            assert (after.cells.flat[places] == tile).all()
            assert (session.locked_mask().ravel().nonzero()[0] == places).all()
            assert not session.state.is_pending

    run(test)


@in_session(SMALL)
async def test_painting_is_undone_and_redone(session: RecordingSession) -> None:
    first = session.map
    session.paint({0: 0, 1: 0}, lock=True)
    painted = session.map
    assert painted != first
    session.undo()
    assert (session.map, session.state.locks) == (first, None)
    session.redo()
    assert session.map == painted
    session.undo()
    session.undo()  # nothing is left to undo
    assert session.map == first


@in_session(SMALL)
async def test_painted_cells_without_locks_are_dropped_when_the_map_is_made_again(session: RecordingSession) -> None:
    first = session.map
    session.paint({0: 0}, lock=False)
    assert session.map != first
    assert session.map is not None
    assert session.map.recipe is None, "an edited map has no recipe"
    session.regenerate()
    assert await session.wait() == first
    session.undo()
    assert session.map != first


@in_session(SMALL)
async def test_cells_are_locked_and_unlocked(session: RecordingSession) -> None:
    session.lock([3, 4, 5, 10**9, -1])
    assert session.locked_mask().sum() == 3
    session.unlock([4])
    assert session.locked_mask().ravel().nonzero()[0].tolist() == [3, 5]
    session.unlock()
    assert session.find_locked_cells() is None


@in_session(SMALL)
async def test_locks_outside_a_smaller_map_are_dropped(session: RecordingSession) -> None:
    session.lock([0, 23])
    session.change(session.state.with_params(width=12))
    assert (await session.wait()).width == 12
    assert session.errors[-1] is None
    assert session.locked_mask().sum() == 1


@in_session(SMALL)
async def test_a_slider_is_one_undo_step(session: RecordingSession) -> None:
    for walls in (0.41, 0.42, 0.43):
        session.change(session.state.with_params(walls=walls), undo_group="params.walls")
    session.undo()
    assert session.state.recipe == SMALL


@in_session(SMALL)
async def test_gallery_settings_are_not_undo_steps(session: RecordingSession) -> None:
    states: list[State] = []
    session.listen("state", states.append)
    session.change_gallery(what="knob", knob="walls")
    session.change_gallery(what="knob")
    assert [state.gallery.knob for state in states] == ["walls"]
    assert not session.can_undo
    session.set_seed(8)
    session.change_gallery(roll=5)
    session.undo()
    assert (session.state.seed, session.state.gallery.roll, session.state.gallery.knob) == (7, 5, "walls")
    session.redo()
    assert (session.state.seed, session.state.gallery.roll) == (8, 5)
    await session.wait()


@in_session(SMALL)
async def test_earlier_seeds_are_restored(session: RecordingSession) -> None:
    session.reroll()
    second = session.state.seed
    session.set_seed("dragon")
    session.restore_seed()
    assert session.state.seed == second
    session.restore_seed()
    session.restore_seed()  # there is none before the first
    assert session.state.seed == 7
    seeds: list[int | str | None] = []
    for text in ("008", "8"):  # two different seeds
        session.set_seed(text)
        seeds.append(session.state.seed)
    assert seeds == ["008", 8]
    session.undo()
    session.restore_seed()  # not the seed that undo has restored
    assert session.state.seed == 7


@in_session(SMALL)
async def test_a_mistake_is_one_line_and_the_map_stays(session: RecordingSession) -> None:
    first = session.map
    session.change(session.state.with_params(walls=3))
    await session.wait()
    assert str(session.errors[-1]) == "caves: walls: must be at most 1.0, got 3"
    assert session.map is first
    session.undo()
    await session.wait()
    assert session.errors[-1] is None


def test_only_the_map_of_the_newest_state_is_shown() -> None:
    """The job of an older state is cancelled, and its map is never shown."""
    started, stopped = threading.Event(), threading.Event()

    def endless(p: Any, site: Any, rng: Any) -> Any:
        try:
            while p.width == 9:
                started.set()
                yield tw.Frame(np.zeros(site.shape, dtype=np.uint8))
            return site.map(np.zeros(site.shape, dtype=np.uint8))
        finally:
            stopped.set()

    endless.__name__ = "endless"
    registry.techniques.add(tw.technique(tw.Sized, tileset="cave", tiles=("floor", "wall"))(endless))

    async def test() -> None:
        async with open_session(SMALL) as session:
            shown = len(session.maps)
            session.change(State.from_recipe({"technique": "endless", "params": {"width": 9, "height": 9}, "seed": 1}))
            await asyncio.to_thread(started.wait, 60)
            session.change(session.state.with_params(width=8))
            assert (await session.wait()).width == 8
            assert [map.width for map in session.maps[shown:]] == [8]
            assert await asyncio.to_thread(stopped.wait, 60)

    try:
        run(test)
    finally:
        registry.techniques.remove("endless")


def test_shapers_that_cannot_shape_the_map_of_a_new_technique_are_switched_off() -> None:
    shaping = [{"connect": {"tile": "path"}}, "border", {"replace": {"tile": "path", "by": "grass"}}, "flip"]
    found: list[SwitchedOff] = []

    async def test() -> None:
        async with open_session({**SMALL, "tileset": "palette", "shaping": shaping}) as session:
            session.listen("switched_off", found.append)
            before = replace(session.state, off=(1,))
            session.change(before)
            await session.wait()
            maze = before.with_recipe(technique="maze", tileset=None)
            session.open(maze, switch_off=True)
            await session.wait()
            await session.wait()  # for the map without the shapers
            assert [*session.state.off] == [0, 1, 2]
            assert session.map == tw.run({**SMALL, "technique": "maze", "shaping": ["flip"]})
            assert [*found[0].reasons] == [0, 2]
            assert found[0].reasons[0][0] == "connect"
            assert found[0].reasons[0][1] == "the map has no tile “path”"
            # Both changes are one undo step.
            session.undo()
            assert session.state == before == found[0].before
            # Other changes keep the shapers on, with an error.
            session.change(maze)
            await session.wait()
            assert [*session.state.off] == [1]
            assert session.errors[-1] is not None

    run(test)


def test_a_shaper_for_maps_of_other_dimensions_is_found() -> None:
    size = {"width": 11, "height": 9, "depth": 4}
    recipe = tw.recipe("wfc", sample="keep", pattern_size=2, **size, shaping=["flip", "doors"], seed=1)
    assert find_failing_shapers(recipe, CancelToken(Settings())) == {1: "doors needs a 2D map, got 3D"}
