"""Edits of markers and rooms in a session: undo, seeds, links and Python code."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import tilewright as tw
from tests.studio.test_session import RecordingSession, in_session
from tilewright.core.errors import TilewrightError
from tilewright.core.landmarks import LandmarkEdits
from tilewright.studio.export.snippets import python_code
from tilewright.studio.export.view import describe_left_out
from tilewright.studio.state import State

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
