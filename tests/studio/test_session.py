"""Sessions: undo, locks and painted cells, edits of markers and rooms, and cancellation of outdated jobs."""

from __future__ import annotations

import asyncio
import base64
import json
import threading
import zlib
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
from tilewright.core.errors import BadFile, TilewrightError
from tilewright.core.landmarks import LandmarkEdits
from tilewright.studio.export.snippets import python_code
from tilewright.studio.export.view import describe_left_out
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


def recipe(width: int, height: int) -> dict[str, Any]:
    return {"technique": "caves", "params": {"width": width, "height": height}, "seed": 7}


@in_session(recipe(200, 200))
async def test_a_fully_locked_map_keeps_its_cells_with_a_new_seed_another_size_and_in_a_link(
    session: RecordingSession,
) -> None:
    """A recipe holds locks as a map if a table of places would be too large."""
    first = await session.wait()
    session.lock(range(40_000))
    session.reroll()
    assert (await session.wait()).cells.tolist() == first.cells.tolist()
    again = State.from_link(session.state.to_link())
    assert again == session.state
    assert not again.is_pending
    session.change(session.state.with_params(width=210))
    after = await session.wait()
    assert session.errors[-1] is None, session.errors
    assert (after.cells[:, :200] == first.cells).all()
    session.change(session.state.with_params(width=150))
    assert ((await session.wait()).cells == first.cells[:, :150]).all()
    assert session.errors[-1] is None, session.errors


@in_session(recipe(300, 300))
async def test_cells_that_cannot_be_locked_are_painted_with_an_error_message(session: RecordingSession) -> None:
    session.paint(dict.fromkeys(range(30_000), 1), lock=True)
    assert str(session.refusals[-1]).startswith("painted, but not locked: a recipe holds 21,845")
    assert session.map is not None
    assert (session.map.cells.flat[:30_000] == 1).all()
    assert session.state.locks is None
    shown = len(session.maps)
    session.lock(range(30_000))
    assert str(session.refusals[-1]).startswith("not locked: a recipe holds 21,845")
    assert len(session.maps) == shown + 1, "the browser must remove the locks that it has drawn already"


@pytest.mark.parametrize("painted", [[5], [0, 89_999], range(90_000)], ids=["one", "corners", "all"])
@in_session(recipe(300, 300))
async def test_a_link_holds_painted_cells_of_a_map_that_is_too_large_for_a_recipe(
    session: RecordingSession, painted: Any
) -> None:
    session.paint(dict.fromkeys(painted, 2), lock=False)
    again = State.from_link(session.state.to_link())
    assert again == session.state
    assert again.painted is not None
    assert again.painted.shape == (300, 300)


@pytest.mark.parametrize(
    "painted",
    [
        {"shape": [300, 300], "parts": []},
        {"shape": [300, 300], "parts": "AA"},
        {"shape": [9, 9], "parts": [{"shape": [1, 4], "words": ["a"], "cells": "eJxjYGAAAAAEAAE="}]},
        {"parts": [{"shape": [1, 4], "words": ["a"], "cells": "eJxjYGAAAAAEAAE="}]},
        {"shape": [1, 4], "parts": [{"shape": [1, 4], "words": ["a"], "cells": "eJxjYGAAAAAEAAE="}] * 65},
    ],
)
def test_invalid_painted_data_in_links_is_refused(painted: Any) -> None:
    encoded = zlib.compress(json.dumps({"v": 1, "recipe": {"technique": "caves"}, "painted": painted}).encode())
    with pytest.raises(BadFile, match="the link cannot be opened"):
        State.from_link(base64.urlsafe_b64encode(encoded).decode())


RECIPE = {"technique": "rooms", "params": {"width": 30, "height": 20}, "seed": 7, "shaping": ["place"]}
MADE = tw.run(RECIPE)
START = next(marker for marker in MADE.markers if marker.name == "start")
MOVED, ORC, ROOM = (
    tw.Marker("start", 2, 3),
    tw.Marker("orc", 5, 6, properties={"health": 12}),
    tw.Room(1, 1, 4, 3, "den"),
)
EDITS: list[dict[str, Any]] = [
    {"markers": [[None, ["orc", 5, 6, 0, {"health": 12}]]]},
    {"markers": [[["start", START.x, START.y], ["start", 2, 3]]]},
    {"rooms": [[None, [1, 1, 4, 3, "den"]]]},
    {"rooms": [[[MADE.rooms[0].x, MADE.rooms[0].y, MADE.rooms[0].width, MADE.rooms[0].height], None]]},
]


@in_session(RECIPE)
async def test_edits_can_be_undone_and_stay_with_new_seeds(session: RecordingSession) -> None:
    maps = [session.map]
    for edit in EDITS:
        session.edit_landmarks(edit)
        maps.append(session.map)
    edited = await session.wait()
    assert (set(edited.markers) - set(MADE.markers), START in edited.markers) == ({MOVED, ORC}, False)
    assert edited.rooms == (*MADE.rooms[1:], ROOM)
    assert edited.recipe == MADE.recipe

    session.set_seed(8)
    other, plain = await session.wait(), tw.run({**RECIPE, "seed": 8})
    # Both are in walls now, and move to the nearest floor.
    moved = [marker for marker in other.markers if marker.name in ("start", "orc")]
    assert {marker.name for marker in moved} == {"start", "orc"}
    assert all(other.tileset.passable[other.cells[marker.y, marker.x]] for marker in moved)
    assert other.rooms == (*plain.rooms, ROOM)
    session.undo()
    assert await session.wait() == edited

    session.paint({0: 1}, lock=False)
    assert session.map is not None
    assert session.map.markers == edited.markers
    session.regenerate()
    assert await session.wait() == edited
    session.undo()
    session.undo()
    for expected in reversed(maps[:-1]):
        session.undo()
        assert session.map == expected
    assert not session.state.landmarks
    session.redo()
    assert session.map == maps[1]


@in_session(RECIPE)
async def test_steps_with_the_keyboard_are_one_undo_step(session: RecordingSession) -> None:
    before = [START.x, START.y]
    for x in (2, 3, 4):
        edit = {"markers": [[["start", *before], ["start", x, 3]]]}
        session.edit_landmarks(edit, undo_group="landmarks marker 0")
        before = [x, 3]
    assert tw.Marker("start", 4, 3) in (await session.wait()).markers
    session.undo()
    assert session.map == MADE
    assert not session.can_undo


@pytest.mark.parametrize(
    "edit",
    [
        {"markers": [[None, ["exit", 30, 0]]]},
        {"markers": [[None, ["", 1, 1]]]},
        {"markers": [[["absent", 1, 1], None]]},
        {"rooms": [[None, [28, 0, 3, 1]]]},
        {"rooms": [[None, [0, 0, 0, 0]]]},
        {"markers": "exit"},
    ],
)
@in_session(RECIPE)
async def test_hostile_edits_are_refused_in_one_line(session: RecordingSession, edit: Any) -> None:
    shown, refused = len(session.maps), list[TilewrightError]()
    session.listen("refused", refused.append)
    session.edit_landmarks(edit)
    assert session.map == MADE
    assert len(session.maps) == shown + 1  # The browser draws the map again, without the edit.
    assert str(refused[0]).startswith("not changed")
    assert "\n" not in str(refused[0])
    assert not session.can_undo


def edited_state() -> State:
    edits, map = LandmarkEdits(), MADE
    for edit in EDITS:
        edits = edits.merge(LandmarkEdits.from_data(edit), map)
        map = edits.apply(MADE)
    return replace(State.from_recipe(RECIPE), landmarks=edits)


def test_the_link_and_the_code_contain_the_edits() -> None:
    state = edited_state()
    assert State.from_link(state.to_link()) == state
    map = state.landmarks.apply(MADE)
    names: dict[str, Any] = {}
    exec(python_code(state.effective, None, map), names)
    assert names["m"] == map
    assert "edits of markers and rooms" in describe_left_out(state)
    assert not describe_left_out(State.from_recipe(RECIPE))


def test_another_recipe_starts_without_edits() -> None:
    assert not edited_state().open_recipe({"technique": "caves"}).landmarks
