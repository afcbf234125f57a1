"""Locks and painted cells on large maps, in a session and in links."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

import pytest

from tests.studio.test_session import RecordingSession, in_session
from tilewright.core.errors import BadFile
from tilewright.studio.state import State


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
