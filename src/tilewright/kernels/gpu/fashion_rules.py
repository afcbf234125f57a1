"""Rules of fashion-based automata as integers, so that no float runs on a GPU.

`kernels.fashion` ranks the scores of all neighborhoods. Here, consecutive ranks that only cells with the same state
have are merged: whichever of these cells wins, the state is the same. A few hundred ranks are left of some thousand.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..fashion import Offset, build_key_table

MAX_STATES = 8
MAX_REACH = 2
"""Maximum distance of a neighbor along an axis."""
KEY_SHIFT = 4
"""Position of the rank in a key. The bit below it is free; the bits below that one are the state."""
MAX_RANKS = (1 << (16 - KEY_SHIFT)) - 1
PLANES = 4
"""Number of bits of the ranks of two states."""
PRODUCTS = 8
"""Number of products of the third neighbor, the fourth neighbor and the cell."""


class FashionRule(NamedTuple):
    """FashionRule of an automaton."""

    states: int
    offsets: tuple[Offset, ...]
    wrap: bool
    table: NDArray[np.uint16]
    """Key of every neighborhood, rank << KEY_SHIFT | state. The digits of its number are the states, in base `radix`;
    a neighbor outside the map has the last digit. The key of a cell outside is 0."""
    masks: NDArray[np.uint32]
    """Coefficients of the bits of the ranks as functions of two states, which `find_masks` describes; may be empty."""

    @property
    def radix(self) -> int:
        return self.states if self.wrap else self.states + 1

    @property
    def reach(self) -> int:
        """Maximum distance of a neighbor along an axis."""
        return max(max(abs(dx), abs(dy)) for dx, dy in self.offsets)


def make_rule(scores: NDArray[np.float64], offsets: Sequence[Offset], *, wrap: bool) -> FashionRule | None:
    """Return the rule of a score matrix, or None if no kernel for GPUs can run it."""
    matrix = np.ascontiguousarray(scores, dtype=np.float64)
    return _make_rule(matrix.tobytes(), len(matrix), tuple((int(dx), int(dy)) for dx, dy in offsets), wrap)


@lru_cache(maxsize=16)
def _make_rule(scores: bytes, states: int, offsets: tuple[Offset, ...], wrap: bool) -> FashionRule | None:
    if states > MAX_STATES or not 0 < max(max(abs(dx), abs(dy)) for dx, dy in offsets) <= MAX_REACH:
        return None
    keys = build_key_table(scores, states, len(offsets), wrap)
    if keys is None:
        return None
    bits = (states - 1).bit_length()
    numbers = keys.astype(np.int64)
    own = numbers & ((1 << bits) - 1)
    ranks = merge_ranks(numbers >> bits, own)
    if ranks.max() > MAX_RANKS:
        return None
    near = max(max(abs(dx), abs(dy)) for dx, dy in offsets) == 1
    slices = wrap and near and states == 2 and len(offsets) == 4 and ranks.max() <= 1 << PLANES
    masks = find_masks(ranks - 1) if slices else np.zeros(0, dtype=np.uint32)
    return FashionRule(states, offsets, wrap, (ranks << KEY_SHIFT | own).astype(np.uint16), masks)


def merge_ranks(ranks: NDArray[np.int64], states: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the ranks, from 1, with consecutive ranks merged if only one and the same state has them.

    Neighborhoods without a rank have 0.
    """
    owners = np.zeros(int(ranks.max()) + 1, dtype=np.int64)
    np.bitwise_or.at(owners, ranks, 1 << states)
    owners[0] = -1
    has_one = (owners & (owners - 1)) == 0
    differs = np.ones(owners.size, dtype=np.int64)
    differs[1:] = ~(has_one[1:] & (owners[1:] == owners[:-1]))
    merged: NDArray[np.int64] = np.cumsum(differs) - 1
    return merged[ranks]


def find_masks(ranks: NDArray[np.int64]) -> NDArray[np.uint32]:
    """Return the coefficients (bit of the rank, part, product) of the ranks of two states with four neighbors.

    A bit is part 0 ^ (n1 ^ n2) & part 1 ^ (n1 & n2) & part 2, because the first two neighbors may be exchanged. Each
    part is the sum modulo 2 of coefficients times products of n3, n4 and the cell's own state; product k contains n3 if
    bit 0 of k is set, n4 for bit 1 and the state for bit 2. A coefficient is all bits or no bits.
    """
    table = ranks.reshape(2, 2, 2, 2, 2).transpose(1, 2, 0, 4, 3).reshape(2, 2, PRODUCTS)  # n1, n2, (own, n4, n3)
    bits = (table[..., None] >> np.arange(PLANES)) & 1
    parts = np.stack([bits[0, 0], bits[0, 0] ^ bits[0, 1], bits[0, 0] ^ bits[1, 1]])
    for step in (1, 2, 4):  # Moebius transform, from values to coefficients
        for product in range(PRODUCTS):
            if product & step:
                parts[:, product] ^= parts[:, product ^ step]
    masks: NDArray[np.uint32] = np.uint32(0) - parts.transpose(2, 0, 1).astype(np.uint32)
    return masks.ravel()
