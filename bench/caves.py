"""Caves compared with the best NumPy versions of their automaton that we could write: large maps, and many small ones.

With the 4-5 rule, a cell becomes wall if five of the 3x3 cells around it are walls. The peers use this; our kernel
supports any limits. Much slower and therefore not included: eight slices (3x), SciPy's filters and cumulative sums
(60x).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

import tilewright as tw
from tilewright.kernels.caves import smooth

from .row import Row, best_times

Cells = NDArray[np.uint8]

SIZE = 1024
STEPS = 5
WALLS = 0.45


def rows() -> Iterator[Row]:
    yield from _measure_large()
    yield _measure_small()


def _measure_small() -> Row:
    """Measure the cost of each further map of a validated recipe, on maps so small that overhead dominates."""
    shape, count = (7, 15), 100
    recipe = tw.recipe("caves", height=shape[0], width=shape[1], steps=STEPS, walls=WALLS)
    start = tw.make("caves", height=shape[0], width=shape[1], steps=0, walls=WALLS, seed=7).cells
    assert np.array_equal(padded_sums(start.astype(np.uint8)), tw.run(recipe, seed=7).cells), "peers must agree"

    def ours() -> None:
        for number in range(count):
            tw.run(recipe, seed=number)

    def peer() -> None:
        noise = np.random.default_rng(
            7
        )  # one generator for all maps: the fastest, but single maps cannot be regenerated
        for _ in range(count):
            padded_sums((noise.random(shape) < WALLS).view(np.uint8))

    own, other = best_times(ours, peer, rounds=100)
    return Row(
        what="many small maps: caves 15x7, tw.run",
        unit="maps/s",
        ours=count / own,
        peer=count / other,
        peer_name="numpy's noise and padded sums",
        at_least=1,
    )


def _measure_large() -> Iterator[Row]:
    make = partial(tw.make, "caves", width=SIZE, height=SIZE, seed=7)
    start = make(steps=0).cells.astype(np.uint8)
    finished = make()
    for work in (run_kernel, *PEERS.values()):
        assert np.array_equal(work(start), finished.cells), "peers must agree"
    peers = [partial(peer, start) for peer in PEERS.values()]
    total, own, noise, *times = best_times(make, partial(run_kernel, start), scatter, *peers, rounds=200)
    best, name = min(zip(times, PEERS, strict=True))
    what = f"caves {SIZE}x{SIZE}"
    for time, peer in zip(times, PEERS, strict=True):
        wanted = 1 if peer == name else None
        yield Row(what=f"{what}, kernel", unit="ms", ours=own * 1e3, peer=time * 1e3, peer_name=peer, at_least=wanted)
    # The peer uses NumPy's random numbers: other cells, but as many.
    yield Row(
        what=f"{what}, tw.make",
        unit="ms",
        ours=total * 1e3,
        peer=(noise + best) * 1e3,
        peer_name=f"numpy's noise and {name}",
        at_least=1,
    )


def run_kernel(start: Cells) -> Cells:
    """Run our kernel from start to end, like the peers."""
    wall, other = np.pad(start, 1, constant_values=1), np.ones((start.shape[0] + 2, start.shape[1] + 2), dtype=np.uint8)
    for _ in range(STEPS):
        smooth(wall, other, 5, 4, 0, start.shape[0])
        wall, other = other, wall
    return wall[1:-1, 1:-1].copy()


def scatter() -> NDArray[np.bool_]:
    """Return a random start, in the fastest way of NumPy."""
    return np.random.default_rng(7).random((SIZE, SIZE), dtype=np.float32) < WALLS


def padded_sums(start: Cells) -> Cells:
    """Sum three rows, then three columns in bytes, on the flat array; the ends of rows are corrected afterwards."""
    wall = np.pad(start, 1, constant_values=1)
    flat, width = wall.ravel(), wall.shape[1]
    columns = np.empty(flat.size - 2 * width, dtype=np.uint8)
    sums = np.empty(columns.size - 2, dtype=np.uint8)
    inside = flat[width + 1 : -width - 1].view(np.bool_)
    for _ in range(STEPS):
        np.add(flat[: -2 * width], flat[width:-width], out=columns)
        np.add(columns, flat[2 * width :], out=columns)
        np.add(columns[:-2], columns[1:-1], out=sums)
        np.add(sums, columns[2:], out=sums)
        np.greater_equal(sums, 5, out=inside)
        wall[:, 0] = wall[:, -1] = 1
    return wall[1:-1, 1:-1].copy()


def bit_strips(start: Cells) -> Cells:
    """Update eight strips of the map in the eight bits of a byte, with the logic of adders.

    Bit i of a byte is a cell of strip i, so neighbors are in adjacent bytes. Only above the first and below the last
    row of the strips is another strip, shifted by one bit. Width and height must be divisible by eight.
    """
    height, width = start.shape
    rows = height // 8
    eights = start.reshape(8, rows, width).view(np.uint64)  # pack eight cells at a time
    packed = eights[7].copy()
    for strip in eights[6::-1]:
        np.add(packed, packed, out=packed)
        np.bitwise_or(packed, strip, out=packed)
    wall = np.pad(packed.view(np.uint8), 1, constant_values=255)

    flat, stride = wall.ravel(), width + 2
    size = rows * stride
    here = flat[stride : stride + size]
    ones, twos, spare = (np.empty(size, dtype=np.uint8) for _ in range(3))
    odd, pairs, more_pairs, four, rest = (np.empty(size - 2, dtype=np.uint8) for _ in range(5))
    for _ in range(STEPS):
        wall[0] = (wall[-2] << 1) | 1
        wall[-1] = (wall[1] >> 1) | 128
        _add(flat[:size], here, flat[2 * stride :], ones, twos, spare)
        _add(ones[:-2], ones[1:-1], ones[2:], odd, pairs, rest)
        _add(twos[:-2], twos[1:-1], twos[2:], more_pairs, four, rest)
        # At least five of odd + 2 pairs + 2 more_pairs + 4 four: one four and another bit, or two fours.
        np.bitwise_xor(pairs, more_pairs, out=rest)
        np.bitwise_or(odd, rest, out=rest)
        np.bitwise_and(pairs, more_pairs, out=pairs)
        np.bitwise_and(four, pairs, out=odd)
        np.bitwise_xor(four, pairs, out=four)
        np.bitwise_and(four, rest, out=four)
        np.bitwise_or(four, odd, out=here[1:-1])
        wall[:, 0] = wall[:, -1] = 255

    packed = wall[1:-1, 1:-1].copy().view(np.uint64)
    cells = np.empty((8, *packed.shape), dtype=np.uint64)
    for number, strip in enumerate(cells):
        np.right_shift(packed, np.uint64(number), out=strip)
        np.bitwise_and(strip, np.uint64(0x0101010101010101), out=strip)
    return cells.view(np.uint8).reshape(height, width)


def _add(one: Cells, two: Cells, three: Cells, parity: Cells, carry: Cells, spare: Cells) -> None:
    """Add three bits by a full adder, in every bit of every byte."""
    np.bitwise_xor(one, two, out=parity)
    np.bitwise_and(one, two, out=carry)
    np.bitwise_and(parity, three, out=spare)
    np.bitwise_or(carry, spare, out=carry)
    np.bitwise_xor(parity, three, out=parity)


PEERS = {"numpy, padded sums": padded_sums, "numpy, bit strips": bit_strips}
