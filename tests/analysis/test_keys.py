"""Keys and locks: one play represents every order of play."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

import tilewright as tw
from tests.tilesets import TWO
from tilewright.analysis.keys import is_solvable, needed_keys, play
from tilewright.analysis.paths import distances
from tilewright.core.tilemap import Marker, TileMap

NAMES = {"S": "start", "E": "exit", **{c: f"key {c}" for c in "rgb"}, **{c: f"lock {c.lower()}" for c in "RGB"}}


def parse_map(*rows: str) -> TileMap:
    """Parse a map: S start, E exit, a lower-case letter a key, an upper-case letter its lock, # a wall."""
    cells = [[int(glyph == "#") for glyph in row] for row in rows]
    markers = [Marker(NAMES[g], x, y) for y, row in enumerate(rows) for x, g in enumerate(row) if g in NAMES]
    return TileMap(cells, TWO, markers=markers)


def test_small_maps_by_hand() -> None:
    found = play(parse_map("SrRbBE"))
    assert found.rounds == (("r",), ("b",))
    assert found.keys == ("r", "b")
    assert found.reached.all()
    assert found.missing == ()
    assert needed_keys(parse_map("SrRbBE")) == ("r", "b")
    assert needed_keys(parse_map("Sr.E", "##R#")) == ()
    assert is_solvable(parse_map("SE")) is True
    assert is_solvable(parse_map("S#E")) is False


@pytest.mark.parametrize(
    "rows", [("SRrE",), ("SRbE", "rB##"), ("SRbE", "##B#", "##r#"), ("SE#r",), ("SE", "R#"), ("S#rRE",)]
)
def test_key_behind_its_own_door_or_missing_key(rows: tuple[str, ...]) -> None:
    broken = rows != ("SRbE", "rB##")
    assert is_solvable(parse_map(*rows)) is not broken
    assert tw.measure(parse_map(*rows), "solvable") == {"solvable": int(not broken)}


def test_doors_of_one_color_share_keys_and_a_plain_key_opens_a_plain_lock() -> None:
    assert is_solvable(parse_map("SrRRE", "###R#")) is True
    plain = parse_map("S...E").replace(
        markers=[Marker("start", 0, 0), Marker("exit", 4, 0), Marker("lock", 3, 0), Marker("key", 1, 0)]
    )
    assert is_solvable(plain) is True
    assert is_solvable(plain.replace(markers=[*plain.markers[:3], Marker("keyhole", 1, 0)])) is False


def test_maps_without_start_or_exit() -> None:
    assert is_solvable(parse_map("S...")) is None
    assert is_solvable(parse_map("..rR")) is None
    assert needed_keys(parse_map("SRE")) is None
    assert math.isnan(tw.measure(parse_map("..E"), "solvable")["solvable"])
    assert not {"solvable", "keys_needed"} & tw.measure(parse_map("...")).keys()
    with pytest.raises(tw.UnknownName, match="unknown marker 'start'"):
        play(parse_map("..."))


def test_every_start_counts_and_one_in_a_wall_leads_nowhere() -> None:
    assert is_solvable(parse_map("SrRE", "##.S")) is False, "the key cannot be reached from the second start"
    walled = parse_map("S#E").replace(markers=[Marker("start", 1, 0), Marker("exit", 2, 0)])
    assert is_solvable(walled) is False
    assert not play(walled).reached.any()


def test_maps_with_levels() -> None:
    tower = TileMap(np.zeros((2, 1, 3), dtype=int), TWO)
    ends = [Marker("start", 0, 0, 0), Marker("exit", 0, 0, 1)]
    locks = [Marker("lock r", x, 0, 1) for x in range(3)]
    assert is_solvable(tower.replace(markers=[*ends, *locks, Marker("key r", 2, 0, 0)])) is True
    assert is_solvable(tower.replace(markers=[*ends, *locks, Marker("key r", 2, 0, 1)])) is False


boards = some.lists(some.text("...##SErgbRGB", min_size=6, max_size=6), min_size=1, max_size=5)


@given(boards)
def test_every_order_of_play_ends_the_same(rows: list[str]) -> None:
    board = parse_map(*rows)
    starts = [marker for marker in board.markers if marker.name == "start"]
    for start in starts:
        cell = (start.y, start.x)
        found = play(board, cell)
        ends = _final_keys(board, cell)
        assert ends == {frozenset(found.keys)}
        assert (found.reached == _find_reached(board, cell, frozenset(found.keys))).all()


def _final_keys(board: TileMap, start: tuple[int, int]) -> set[frozenset[str]]:
    """Return the final sets of keys over all orders in which single keys can be taken."""
    ends: set[frozenset[str]] = set()
    seen: set[frozenset[str]] = set()
    left: list[frozenset[str]] = [frozenset()]
    while left:
        found_keys = left.pop()
        if found_keys in seen:
            continue
        seen.add(found_keys)
        inside = _find_reached(board, start, found_keys)
        near = {m.name[4:] for m in board.markers if m.name.startswith("key ") and inside[m.y, m.x]} - found_keys
        left += [found_keys | {color} for color in near]
        if not near:
            ends.add(found_keys)
    return ends


def _find_reached(board: TileMap, start: tuple[int, int], found_keys: frozenset[str]) -> Any:
    open_ = board.passable.copy()
    for marker in board.markers:
        if marker.name.startswith("lock ") and marker.name[5:] not in found_keys:
            open_[marker.y, marker.x] = False
    return np.isfinite(distances(open_, start)) if open_[start] else np.zeros_like(open_)


@given(boards)
def test_keys_are_needed_if_the_exit_cannot_be_reached_without_them(rows: list[str]) -> None:
    board = parse_map(*rows)
    found = needed_keys(board)
    starts = [(m.y, m.x) for m in board.markers if m.name == "start"]
    exits = [(m.y, m.x) for m in board.markers if m.name == "exit"]

    def can_win(without: str) -> bool:
        return any(play(board, start, without=(without,)).reached[exit] for start in starts for exit in exits)

    if found is None:
        assert not can_win("")
    else:
        present = {m.name[4:] for m in board.markers if m.name.startswith("key ")}
        assert set(found) == {color for color in present if not can_win(color)}


def test_moves_by_hand() -> None:
    moves = play(parse_map("SrRbBE")).moves
    assert [move.cell for move in moves] == [(0, x) for x in range(6)]
    assert [(move.keys, move.locks) for move in moves] == [
        ((), ()),
        (("r",), ()),
        ((), ("r",)),
        (("b",), ()),
        ((), ("b",)),
        ((), ()),
    ]
    walled = parse_map("S#E").replace(markers=[Marker("start", 1, 0), Marker("exit", 2, 0)])
    assert play(walled).moves == ()
    assert [move.cell for move in play(parse_map("rSE"), without="r").moves] == [(0, 1), (0, 2)]


@given(boards)
def test_moves_are_a_walk_that_takes_all_keys_and_ends_at_an_exit(rows: list[str]) -> None:
    board = parse_map(*rows)
    starts = [(m.y, m.x) for m in board.markers if m.name == "start"]
    exits = {(m.y, m.x) for m in board.markers if m.name == "exit"}
    for start in starts:
        found = play(board, start)
        keys: set[str] = set()
        for before, move in zip((None, *found.moves), found.moves, strict=False):
            here = [m.name for m in board.markers if (m.y, m.x) == move.cell]
            locks = {name[5:] for name in here if name.startswith("lock ")}
            assert board.passable[move.cell]
            assert locks <= keys
            assert set(move.locks) <= locks
            assert before is None or abs(np.subtract(before.cell, move.cell)).sum() == 1
            assert set(move.keys) == {name[4:] for name in here if name.startswith("key ")} - keys
            keys |= set(move.keys)
        assert keys == set(found.keys)
        assert found.moves[0].cell == start
        if any(found.reached[exit] for exit in exits):
            assert found.moves[-1].cell in exits
