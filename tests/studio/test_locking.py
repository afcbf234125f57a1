"""Locks and paint on large maps: as many as a recipe and a link can hold, and a line for what they cannot."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tests.studio.test_session import opened, run
from tilewright.core.errors import BadFile, TooLarge
from tilewright.core.grid import MAX_INLINE_CELLS
from tilewright.core.locks import Locks
from tilewright.studio.locking import add_locks, keep_inside, keep_known, max_locks, remove_locks
from tilewright.studio.state import State

SHAPE = (20, 30)
WORDS = ("wall", "floor")


def locks(flat: list[int], which: int = 0, before: Locks | None = None, shape: tuple[int, ...] = SHAPE) -> Locks | None:
    return add_locks(before, np.array(flat, dtype=np.int64), np.full(len(flat), which), WORDS, shape)


def cells(found: Locks | None) -> dict[tuple[int, ...], Any]:
    assert found is not None
    words = [found.labels[word] for word in found.label_indices.tolist()]
    return dict(zip(map(tuple, found.places.tolist()), words, strict=True))


def recipe(width: int, height: int) -> dict[str, Any]:
    return {"technique": "caves", "params": {"width": width, "height": height}, "seed": 7}


def test_the_newest_lock_of_a_cell_counts_and_words_that_nobody_uses_are_gone() -> None:
    found = locks([0, 31, 0], which=1, before=locks([0, 599]))
    assert cells(found) == {(0, 0): "floor", (1, 1): "floor", (19, 29): "wall"}
    rest = remove_locks(found, np.array([599]), SHAPE)
    assert rest is not None
    assert rest.labels == ("floor",)
    assert remove_locks(found, np.arange(600), SHAPE) is None


def test_locks_outside_a_map_are_gone() -> None:
    found = locks([0, 31, 599])
    assert cells(keep_inside(found, (2, 3))) == {(0, 0): "wall", (1, 1): "wall"}
    assert keep_inside(found, (1, 20, 30)) is None


def test_locks_on_tiles_that_another_technique_lacks_are_gone() -> None:
    found = locks([0], which=1, before=locks([1]))
    assert keep_known(found, tw.make("caves", width=8, height=8, seed=1).tileset) == found
    assert keep_known(found, tw.make("noise", width=8, height=8, seed=1).tileset) is None
    assert keep_known(None, tw.make("noise", width=8, height=8, seed=1).tileset) is None


def test_too_many_locks_on_a_large_map_are_refused_in_one_line() -> None:
    shape = (300, 300)
    assert max_locks(shape) == MAX_INLINE_CELLS // 3
    assert locks([*range(max_locks(shape))], shape=shape) is not None
    with pytest.raises(TooLarge, match=r"a recipe holds 21,845 locked cells of a map of 300x300 at most; lock fewer"):
        locks([*range(max_locks(shape) + 1)], shape=shape)


def test_a_whole_map_is_locked_rolled_again_made_larger_and_reopened() -> None:
    """Where a table of places would be too large, the recipe holds them as a map."""

    async def test() -> None:
        async with opened(recipe(200, 200)) as session:
            first = await session.settled()
            session.lock(range(40_000))
            session.reroll()
            assert (await session.settled()).cells.tolist() == first.cells.tolist()
            again = State.from_link(session.state.to_link())
            assert again == session.state
            assert not again.is_pending
            session.change(session.state.with_params(width=210))
            after = await session.settled()
            assert session.errors[-1] is None, session.errors
            assert (after.cells[:, :200] == first.cells).all()
            session.change(session.state.with_params(width=150))
            assert ((await session.settled()).cells == first.cells[:, :150]).all()
            assert session.errors[-1] is None, session.errors

    run(test)


def test_what_cannot_be_locked_is_still_painted_and_told() -> None:
    async def test() -> None:
        async with opened(recipe(300, 300)) as session:
            session.paint(dict.fromkeys(range(30_000), 1), lock=True)
            assert str(session.errors[-1]).startswith("painted, but not locked: a recipe holds 21,845")
            assert session.map is not None
            assert (session.map.cells.flat[:30_000] == 1).all()
            assert session.state.locks is None
            shown = len(session.maps)
            session.lock(range(30_000))
            assert str(session.errors[-1]).startswith("not locked: a recipe holds 21,845")
            assert len(session.maps) == shown + 1, "what the browser has drawn already must go"

    run(test)


@pytest.mark.parametrize("painted", [[5], [0, 89_999], range(90_000)], ids=["one", "corners", "all"])
def test_a_link_holds_what_was_painted_on_a_map_larger_than_recipes_hold(painted: Any) -> None:
    async def test() -> None:
        async with opened(recipe(300, 300)) as session:
            session.paint(dict.fromkeys(painted, 2), lock=False)
            again = State.from_link(session.state.to_link())
            assert again == session.state
            assert again.painted is not None
            assert again.painted.shape == (300, 300)

    run(test)


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
def test_pieces_that_make_no_map_are_refused(painted: Any) -> None:
    packed = zlib.compress(json.dumps({"v": 1, "recipe": {"technique": "caves"}, "painted": painted}).encode())
    with pytest.raises(BadFile, match="the link cannot be opened"):
        State.from_link(base64.urlsafe_b64encode(packed).decode())
