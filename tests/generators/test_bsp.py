"""Binary space partition: everything is reachable, rooms fill their parts, and cuts follow the parameters."""

from __future__ import annotations

import numpy as np
import pytest

import tilewright as tw
from tilewright import GaveUp


def test_giving_up_names_what_fitted() -> None:
    with pytest.raises(GaveUp, match=r"rooms: 9 wanted, 4 fitted, at least 9 required; use smaller rooms or spacing"):
        tw.make("bsp", width=16, height=14, rooms=9, min_rooms=9, room_width=(4, 6), room_height=(4, 6), seed=1)


def test_no_jitter_cuts_in_the_middle() -> None:
    map = tw.make("bsp", width=65, height=65, rooms=4, jitter=0, shift=0, fill=1, ratio=1, seed=3, room_width=(1, 60),
                  room_height=(1, 60))  # fmt: skip
    sizes = {(30, 30), (30, 60), (60, 30), (60, 12), (12, 60), (30, 12)}
    assert {(room.width, room.height) for room in map.rooms} <= sizes
    assert len(map.rooms) == 4


def test_fill_makes_rooms_fill_their_parts() -> None:
    shares = []
    for fill in (0.0, 0.5, 1.0):
        recipe = tw.recipe("bsp", fill=fill)
        shares.append(np.mean([tw.run(recipe, seed=seed).where("floor").mean() for seed in range(20)]))
    assert shares[0] < shares[1] < shares[2]


def test_frames_show_cuts_then_rooms_then_links_then_corridors() -> None:
    frames = list(tw.watch("bsp", seed=7, width=60, height=40))
    notes = [frame.note.split()[-1] if frame.note[0].isdigit() else frame.note.split()[0] for frame in frames]
    order = ["rock", "parts", "room", "rooms", "links", "tree", "loops", "corridor", "doors", "walls"]
    assert [note for at, note in enumerate(notes) if at == 0 or note != notes[at - 1]][: len(order)] == order
    parts = [frame for frame in frames if frame.note.endswith("parts")]
    assert [len(frame.lines) for frame in parts] == [4 * (number + 2) for number in range(len(parts))]
    assert frames[-1].map == tw.make("bsp", seed=7, width=60, height=40)
    assert np.array_equal(frames[-2].cells, frames[-1].map.cells)
