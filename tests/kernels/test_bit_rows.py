"""Bit rows against numpy arrays of cells."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

import tilewright as tw
from tilewright.analysis.survey import measure_maps
from tilewright.core.tilemap import TileMap
from tilewright.kernels.bit_rows import count_bits, find_dead_ends, lowest_index, reverse_bits, spread_up
from tilewright.kernels.bit_surveys import (
    COLUMNS,
    DEAD_ENDS,
    FLOOR,
    LARGEST,
    PATH,
    REGIONS,
    SYMMETRIC_TURN,
    SYMMETRIC_X,
    SYMMETRIC_Y,
    keep_largest_region,
    survey_bit_rows,
)

EVERYTHING = 15
WORDS = [
    0,
    1,
    2**63,
    2**64 - 1,
    0x8000000000000001,
    0x5555555555555555,
    *(2**64 - 2**place for place in range(64)),
    *np.random.default_rng(1).integers(0, 2**64, 40, np.uint64).tolist(),
]


def pack(masks: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Return masks (map, row, column) as bit rows (map, row)."""
    padded = np.zeros((*masks.shape[:2], 64), dtype=np.bool_)
    padded[:, :, : masks.shape[2]] = masks
    rows: NDArray[np.uint64] = np.packbits(padded, axis=-1, bitorder="little").view("<u8")[..., 0].astype(np.uint64)
    return rows


def unpack(rows: NDArray[np.uint64], width: int) -> NDArray[np.bool_]:
    return ((rows[..., None] >> np.arange(width, dtype=np.uint64)) & np.uint64(1)).astype(np.bool_)


@pytest.mark.parametrize("word", WORDS)
def test_bits_of_a_word(word: int) -> None:
    """As compiled parts, and as plain functions, of which GPUs get their device functions."""
    plain = np.uint64(word)
    with np.errstate(over="ignore"):
        for count, find in ((count_bits, lowest_index), (count_bits.__wrapped__, lowest_index.__wrapped__)):
            assert count(plain) == word.bit_count()
            assert find(plain) == (64 if not word else (word & -word).bit_length() - 1)
        assert int(reverse_bits.__wrapped__(plain)) == int(f"{word:064b}"[::-1], 2)


def test_columns_spread_through_open_columns() -> None:
    random = np.random.default_rng(2)
    for _ in range(500):
        open = int(random.integers(0, 2**64, dtype=np.uint64)) | int(random.integers(0, 2**64, dtype=np.uint64))
        start = open & int(random.integers(0, 2**64, dtype=np.uint64)) & int(random.integers(0, 2**64, dtype=np.uint64))
        reached, carried = 0, False
        for column in range(64):
            carried = bool(open >> column & 1) and (carried or bool(start >> column & 1))
            reached |= carried << column
        with np.errstate(over="ignore"):
            assert int(spread_up.__wrapped__(np.uint64(start), np.uint64(open))) == reached


def test_dead_ends_have_one_neighbor() -> None:
    masks = np.random.default_rng(3).random((200, 3, 64)) < 0.5
    rows = pack(masks)
    for number, mask in enumerate(masks):
        sides = np.pad(mask, 1)[2, 1:-1] * 0 + np.pad(mask[1], 1)[:-2] + np.pad(mask[1], 1)[2:]
        expected = mask[1] & (sides + mask[0] + mask[2] == 1)
        found = find_dead_ends.__wrapped__(*rows[number])
        assert (unpack(np.array(found), 64) == expected).all()


@pytest.mark.parametrize("shape", [(1, 1), (1, 64), (9, 7), (20, 33), (64, 64), (100, 5), (3, 64), (130, 50)], ids=str)
@pytest.mark.parametrize("share", [0.0, 0.3, 0.6, 0.8, 1.0])
def test_surveys_and_regions_equal_those_of_bytes(shape: tuple[int, int], share: float) -> None:
    masks = np.random.default_rng(4).random((40, *shape)) < share
    tileset = tw.recipe("caves").tileset
    maps = [TileMap((~mask).astype(np.uint8), tileset) for mask in masks]
    rows, numbers = pack(masks), np.empty((len(masks), COLUMNS), dtype=np.int64)
    survey_bit_rows(rows, shape[1], EVERYTHING, numbers)
    expected = measure_maps(maps, ["regions", "path_length", "dead_ends", "symmetry_x", "symmetry_y", "symmetry_turn"])
    cells = masks[0].size
    assert (numbers[:, FLOOR] == masks.sum(axis=(1, 2))).all()
    assert (numbers[:, REGIONS] == expected["regions"]).all()
    assert (numbers[:, PATH] == np.nan_to_num(expected["path_length"], nan=-1)).all()
    assert (numbers[:, DEAD_ENDS] == expected["dead_ends"]).all()
    for column, axis in ((SYMMETRIC_X, "x"), (SYMMETRIC_Y, "y"), (SYMMETRIC_TURN, "turn")):
        assert (numbers[:, column] / cells == expected[f"symmetry_{axis}"]).all()
    keep_largest_region(rows, shape[1])
    kept = unpack(rows, shape[1])
    assert (numbers[:, LARGEST] == kept.sum(axis=(1, 2))).all()
    for map, rest in zip(maps, kept, strict=True):
        assert (tw.shape(map, "keep_largest").cells == ~rest).all()
