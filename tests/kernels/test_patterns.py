"""Windows that are counted while a map changes: as if they were counted anew, whatever happens to it."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from tests.kernels.boards import board_of, check, kinds, windows_by_hand
from tilewright.analysis import patterns as analysis
from tilewright.core.seeds import Rng
from tilewright.generators._patterns.padded_grid import Ground
from tilewright.kernels import patterns as kernels


@settings(max_examples=120)
@given(kinds())
def test_boards_begin_counted(kind: dict[str, Any]) -> None:
    check(board_of(**kind))


@settings(max_examples=150)
@given(kinds(), some.integers(0, 1000))
def test_changes_are_counted(kind: dict[str, Any], seed: int) -> None:
    """Any cell, any tile; also one that it has already, and back again."""
    board, random = board_of(**kind), np.random.default_rng(seed)
    for _ in range(int(random.integers(1, 40))):
        cell = tuple(int(random.integers(0, side)) for side in board.ground.shape)
        board.change(cell, int(random.integers(0, board.style.tiles)))
    check(board)


@pytest.mark.parametrize("tiles", [3, 40])
def test_a_change_and_its_way_back_leave_nothing_behind(tiles: int) -> None:
    board, whole = (board_of(3, tiles=tiles, sizes=(2, 3), side=8) for _ in range(2))
    old = int(board.tiles()[4, 4])
    board.change((4, 4), (old + 1) % tiles)
    assert not np.array_equal(board.slots, whole.slots)
    board.change((4, 4), old)
    assert board.value == pytest.approx(whole.value, abs=1e-12)
    assert np.array_equal(board.cells, whole.cells)
    check(board)


@pytest.mark.parametrize("wrap", [*product((False, True), repeat=2), *product((False, True), repeat=3)])
@pytest.mark.parametrize("margin", [1, 2, 4])
def test_cells_and_their_copies(wrap: tuple[bool, ...], margin: int) -> None:
    """Every place behind a wrapped edge has a home, and every home names all its copies, each once.

    A margin may be wider than the map, whose cells then have several copies along an axis.
    """
    for shape in ((5, 7), (2, 3)) if len(wrap) == 2 else ((3, 4, 5), (2, 3, 2)):
        ground = Ground(shape, wrap, ((False, False),) * len(wrap), margin)
        if not any(wrap):
            assert not ground.homes.size
            assert not ground.twins.size
            continue
        copies: dict[int, set[int]] = {}
        for cell in product(*(range(side + 2 * margin) for side in shape)):
            at = [one - margin for one in cell]
            # A window begins in the map, so that only what lies behind the map is ever read.
            if any(one < 0 or (one >= side and not round_) for one, side, round_ in zip(at, shape, wrap, strict=True)):
                continue
            home = ground.place(tuple(one % side for one, side in zip(at, shape, strict=True)))
            place = int(np.ravel_multi_index(cell, ground.wide))
            assert ground.homes[place] == home
            copies.setdefault(home, set()).add(place)
        for cell in product(*map(range, shape)):
            home = place = ground.place(cell)
            found = []
            while place >= 0:
                found.append(place)
                place = int(ground.twins[place])
            assert found[0] == home
            assert len(found) == len(set(found))
            assert set(found) == copies[home]


@settings(max_examples=40)
@given(kinds())
def test_spread_maps_wrap(kind: dict[str, Any]) -> None:
    board = board_of(**kind)
    tiles, ground = board.tiles(), board.ground
    wide = board.cells[0].reshape(ground.wide)
    for number, size in enumerate(board.style.sizes):
        framed = analysis.framed(tiles, size, ground.wrap, ground.sides, board.style.tiles)
        spans = ground.windows(size)
        region = wide[tuple(slice(span.start, span.stop + size - 1) for span in spans)]
        assert np.array_equal(region, framed)
        assert sum(windows_by_hand(board, 0, number).values()) == ground.window_count(size)


@settings(max_examples=60)
@given(kinds(), some.integers(0, 1000))
def test_sorting_out_changes_nothing(kind: dict[str, Any], seed: int) -> None:
    board = board_of(**kind | {"tiles": 40})
    other = board_of(**kind | {"tiles": 40})
    for number in range(4):
        board.evolve(Rng.of(seed).child("more", number), 0, 40, noise=3.0, crossing=0.0)
        other.evolve(Rng.of(seed).child("more", number), 0, 40, noise=3.0, crossing=0.0)
        kernels.sort_out(board._own(0))
        check(board)
    assert np.array_equal(board.tiles(), other.tiles())
    assert board.value == other.value


@settings(max_examples=60)
@given(kinds(), some.integers(0, 1000))
def test_dense_and_hashed_keys_count_alike(kind: dict[str, Any], seed: int) -> None:
    """The same changes cost the same, but for the order in which a sum is rounded."""
    values = []
    for most in (analysis.DENSE_KEYS, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(analysis, "DENSE_KEYS", most)
            board, random = board_of(**kind), np.random.default_rng(seed)
            values.append([board.value])
            for _ in range(30):
                cell = tuple(int(random.integers(0, side)) for side in board.ground.shape)
                board.change(cell, int(random.integers(0, board.style.tiles)))
                values[-1].append(board.value)
            check(board)
    assert values[0] == pytest.approx(values[1], abs=1e-10)
