"""Contexts: kernels count, draw, resample and find unseen cells exactly as plain versions do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import reduce
from operator import add
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from numpy.typing import NDArray

from tilewright.core.seeds import Rng
from tilewright.generators._markov.contexts import SQUARES, Contexts, pad_map
from tilewright.generators._markov.directions import AROUND, MARGIN, STEPS
from tilewright.kernels.exact import exact_power
from tilewright.kernels.markov import (
    COUNT,
    FREE,
    MIN_CHANCE,
    MIN_SQUARE,
    SIZE_BITS,
    Lookahead,
    ScanArrays,
    draw_tiles,
    find_unseen,
    resample_tiles,
)
from tilewright.kernels.types import Int64_2D

EDGE = "edge"
Place = tuple[int, int]
Cells = dict[Place, Any]
"""Tile of every place, or None."""
Known = dict[frozenset[tuple[str, Any]], Counter[int]]
"""Counts of tiles by context, which is a set of directions and neighbors."""
Step = Sequence[Sequence[str]]
"""Sets of directions whose probabilities are multiplied."""


# -- plain versions ---------------------------------------------------------------------------------------------


def neighbor(cells: Cells, place: Place, direction: str) -> Any:
    down, right = STEPS[direction]
    return cells.get((place[0] + down, place[1] + right), EDGE)


def context(cells: Cells, place: Place, directions: Sequence[str]) -> frozenset[tuple[str, Any]]:
    return frozenset((name, neighbor(cells, place, name)) for name in directions)


def plain_counts(maps: Sequence[Cells], subsets: Sequence[Sequence[str]]) -> Known:
    known: Known = {}
    for cells in maps:
        for place, tile in cells.items():
            for subset in subsets:
                known.setdefault(context(cells, place, subset), Counter())[tile] += 1
    return known


def plain_choice(shares: dict[int, float], temperature: float, rng: Rng) -> int:
    tiles = sorted(tile for tile in shares if shares[tile] > 0)
    highest = max(shares[tile] for tile in tiles)
    if temperature == 0:
        return next(tile for tile in tiles if shares[tile] == highest)
    weights = [shares[tile] for tile in tiles]
    if temperature != 1:
        weights = [exact_power(weight / highest, 1 / temperature) for weight in weights]
    return tiles[rng.weighted_index(weights)]


def plain_shares(known: Known, cells: Cells, place: Place, step: Step) -> tuple[dict[int, float], int]:
    """Return the weights of tiles by one backoff step and the number of occurrences; empty if it is unknown."""
    found = []
    for subset in step:
        if any(neighbor(cells, place, name) is None for name in subset):
            return {}, 0
        if context(cells, place, subset) not in known:
            return {}, 0
        found.append(known[context(cells, place, subset)])
    shares = {tile: float(found[0][tile]) for tile in sorted(found[0])}
    for other in found[1:]:
        shares = {tile: share * (other[tile] / known[frozenset()][tile]) for tile, share in shares.items()}
    return (shares, min(counts.total() for counts in found)) if max(shares.values()) > 0 else ({}, 0)


def plain_blend(
    known: Known, cells: Cells, place: Place, steps: Sequence[Step], smoothing: float, tiles: int
) -> dict[int, float]:
    """Blend the steps from last to first; each adds `smoothing` occurrences to the one before."""
    shares: dict[int, float] = {}
    for step in reversed(steps):
        found, sightings = plain_shares(known, cells, place, step)
        if found:
            smaller = smoothing if shares else 0.0
            total = reduce(add, found.values())  # not sum(), which rounds differently since Python 3.12
            shares = {
                tile: (shares.get(tile, 0.0) * smaller + found.get(tile, 0.0) / total * sightings)
                / (sightings + smaller)
                for tile in range(tiles)
            }
    return shares


def plain_weights(shares: dict[int, float], hint: Sequence[float] | None) -> dict[int, float]:
    """Return weights multiplied by the probability of a lock ahead; empty if no tile allows it."""
    if hint is None:
        return shares
    if max((hint[tile] for tile, share in shares.items() if share > 0), default=0.0) < MIN_CHANCE:
        return {}
    return {tile: share * hint[tile] for tile, share in shares.items()}


def plain_draw(
    known: Known,
    cells: Cells,
    held: set[Place],
    order: Sequence[Place],
    steps: Sequence[Step],
    hints: dict[Place, Sequence[float]],
    smoothing: float,
    temperature: float,
    rng: Rng,
    tiles: int,
) -> int:
    """Draw tiles and return the number of cells without a tile.

    If all contexts exclude a lock ahead, the first known one is used without the lookahead.
    """
    lost = 0
    for place in order:
        if place in held:
            continue
        if smoothing > 0:
            candidates = [plain_blend(known, cells, place, steps, smoothing, tiles)]
        else:
            candidates = [plain_shares(known, cells, place, step)[0] for step in steps]
        candidates = [shares for shares in candidates if shares]
        weighted = [plain_weights(shares, hints.get(place)) for shares in candidates]
        chosen = next((shares for shares in [*weighted, *candidates] if shares), {})
        cells[place] = plain_choice(chosen, temperature, rng) if chosen else None
        lost += not chosen
    return lost


def plain_resample(known: Known, cells: Cells, order: Sequence[Place], temperature: float, rng: Rng) -> None:
    for place in order:
        shares = {tile: float(count) for tile, count in known[frozenset()].items()}
        pairs, unseen = dict.fromkeys(shares, 1.0), 1.0
        for square in SQUARES:
            if all(neighbor(cells, place, name) is not None for name in square):
                unseen *= MIN_SQUARE
                for tile, count in known.get(context(cells, place, square), Counter()).items():
                    shares[tile] *= count / MIN_SQUARE
        for pair in ((square[0],) for square in SQUARES):
            if neighbor(cells, place, pair[0]) is not None:
                for tile, count in known.get(context(cells, place, pair), Counter()).items():
                    pairs[tile] *= count
        shares = {tile: share * unseen / pairs[tile] for tile, share in shares.items()}
        cells[place] = plain_choice(shares, temperature, rng)


def plain_unseen(known: Known, cells: Cells, order: Sequence[Place]) -> list[Place]:
    """Return the cells in 2x2 blocks that were never seen; blocks with a cell without a tile do not count."""
    return [
        place
        for place in order
        if cells[place] is not None
        and any(
            all(neighbor(cells, place, name) is not None for name in square)
            and cells[place] not in known.get(context(cells, place, square), Counter())
            for square in SQUARES
        )
    ]


# -- conversions ------------------------------------------------------------------------------------------------


def as_cells(map: NDArray[np.integer]) -> Cells:
    """Return the tiles of a map by place; -1 is a cell without a tile."""
    return {(int(row), int(column)): int(tile) if tile >= 0 else None for (row, column), tile in np.ndenumerate(map)}


def as_map(digits: NDArray[np.uint16], shape: tuple[int, int]) -> NDArray[np.int64]:
    wide = digits.reshape(shape[0] + 2 * MARGIN, shape[1] + 2 * MARGIN).astype(np.int64)
    return wide[MARGIN:-MARGIN, MARGIN:-MARGIN] - 1


def flat(places: Sequence[Place], width: int) -> NDArray[np.int64]:
    return np.array([(row + MARGIN) * (width + 2 * MARGIN) + column + MARGIN for row, column in places], dtype=np.int64)


def make_scan(contexts: Contexts, digits: NDArray[np.uint16], width: int, steps: Int64_2D) -> ScanArrays:
    scratch = np.empty((3, contexts.arrays.digits - 2))
    return ScanArrays(contexts.arrays, digits, contexts.flat_offsets(width), steps, scratch)


def list_places(mask: NDArray[np.bool_]) -> list[Place]:
    return [(int(row), int(column)) for row, column in np.argwhere(mask)]


def list_names(mask: int, directions: Sequence[str]) -> list[str]:
    return [name for number, name in enumerate(directions) if mask >> number & 1]


def blobs(random: np.random.Generator, tiles: int, shape: tuple[int, int]) -> NDArray[np.int64]:
    """Return a random map with many equal neighbors, so that some contexts are known and some are not."""
    map = random.integers(0, tiles, shape)
    for axis in (0, 1):
        map = np.where(random.random(shape) < 0.4, np.roll(map, 1, axis), map)
    return map


class Case:
    """Random samples, directions, contexts and backoff order."""

    def __init__(self, seed: int, directions: Sequence[str], tiles: int, side: int) -> None:
        self.random = random = np.random.default_rng(seed)
        self.directions, self.tiles = tuple(directions), tiles
        shapes = [tuple(random.integers(1, side + 1, 2).tolist()) for _ in range(int(random.integers(1, 4)))]
        self.maps = [blobs(random, tiles, shape) for shape in shapes]
        every = random.permutation(1 << len(directions))[:40].tolist()
        singles = [1 << number for number in range(len(directions))]
        self.masks = sorted({0, *singles, *every})
        self.contexts = Contexts(self.maps, [str(tile) for tile in range(tiles)], directions, self.masks)
        self.subsets = [list_names(mask, directions) for mask in self.masks]
        self.known = plain_counts([as_cells(map) for map in self.maps], self.subsets)

    def steps(self, count: int, *, last: bool) -> list[tuple[int, ...]]:
        """Return random steps, larger sets first, some of them products; if `last`, the empty set at the end."""
        chosen = self.random.choice(self.masks, count).tolist()
        steps = [
            tuple(self.random.choice(self.masks, int(self.random.integers(2, 4))).tolist())
            if self.random.random() < 0.3
            else (mask,)
            for mask in sorted(chosen, key=lambda mask: -mask.bit_count())
        ]
        return [*steps, (0,)] if last else steps

    def number_steps(self, steps: Sequence[Sequence[int]]) -> Int64_2D:
        """Return a backoff order as indices of sets, padded with -1."""
        longest = max(map(len, steps))
        rows = [[self.contexts.masks.index(mask) for mask in step] for step in steps]
        return np.array([[*row, *[-1] * (longest - len(row))] for row in rows], dtype=np.int64)

    def hints(self, places: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return (place, tile) random probabilities, many of them 0 or nearly 0."""
        hints = self.random.random((int(places.sum()), self.tiles))
        hints[self.random.random(hints.shape) < 0.5] = 0.0
        hints[self.random.random(len(hints)) < 0.2] *= MIN_CHANCE
        return hints


direction_lists = some.lists(some.sampled_from(sorted(STEPS)), min_size=1, max_size=8, unique=True)
cases = some.builds(
    Case,
    seed=some.integers(0, 10_000),
    directions=direction_lists,
    tiles=some.integers(1, 40),
    side=some.integers(1, 12),
)


@settings(max_examples=60)
@given(case=cases)
def test_counts_equal_plain_counts(case: Case) -> None:
    found = {
        frozenset((name, label if label == EDGE else int(label)) for name, label in neighbors.items()): {
            int(tile): count for tile, count in counts.items()
        }
        for neighbors, counts in case.contexts
    }
    assert found == case.known
    assert len(case.contexts) == len(case.known)
    for number, counts in enumerate(case.contexts):  # entries are sorted by tile
        assert [*counts[1]] == sorted(counts[1], key=int)
        if number == 20:
            break


def test_counts_of_many_contexts() -> None:
    """The hash tables grow many times."""
    map = np.random.default_rng(1).integers(0, 30, (60, 50))
    directions = ("e", "w", "sw", "s", "se")
    contexts = Contexts([map], [str(tile) for tile in range(30)], directions, range(32))
    known = plain_counts([as_cells(map)], [list_names(mask, directions) for mask in range(32)])
    assert len(contexts) == len(known) > 50_000
    arrays = contexts.arrays
    found = arrays.slots[arrays.slots[:, 0] != FREE, 1]
    firsts, sizes = found >> SIZE_BITS, found & (1 << SIZE_BITS) - 1
    assert len(arrays.entries) == sizes.sum() == sum(len(counts) for counts in known.values())
    assert sorted(firsts.tolist()) == (np.cumsum(sizes[np.argsort(firsts)]) - sizes[np.argsort(firsts)]).tolist()
    assert arrays.entries[:, COUNT].sum() == 32 * map.size
    assert contexts.counts(w="3", s="7") == {
        str(tile): count for tile, count in sorted(known[frozenset({("w", 3), ("s", 7)})].items())
    }


@pytest.mark.parametrize("last", [True, False])
@settings(max_examples=150)
@given(
    case=cases,
    shape=some.tuples(some.integers(1, 9), some.integers(1, 9)),
    locked=some.sampled_from((0.0, 0.1, 0.5)),
    hinted=some.sampled_from((0.0, 0.3, 1.0)),
    smoothing=some.sampled_from((0.0, 0.0, 0.5, 20.0)),
    temperature=some.sampled_from((0.0, 0.3, 1.0, 1.0, 2.5, 1000.0)),
    count=some.integers(1, 6),
)
def test_drawing_equals_plain_drawing(
    case: Case,
    last: bool,
    shape: tuple[int, int],
    locked: float,
    hinted: float,
    smoothing: float,
    temperature: float,
    count: int,
) -> None:
    """The same random numbers give the same tiles, also with a lookahead and with locked tiles not in the samples."""
    random, steps = case.random, case.steps(count, last=last)
    start = np.where(random.random(shape) < locked, random.integers(-1, case.tiles, shape), -2)
    held = start > -2
    start = np.maximum(start, -1)
    near = random.random(shape) < hinted
    hints = case.hints(near)
    rows = np.full(shape, -1, dtype=np.int32)
    rows[near] = np.arange(len(hints))
    order = [divmod(int(place), shape[1]) for place in random.permutation(start.size)]
    cells, digits = as_cells(start), pad_map(start, case.tiles)
    one, other = Rng.of(3), Rng.of(3)
    scan = make_scan(case.contexts, digits, shape[1], case.number_steps(steps))
    lookahead = Lookahead(np.pad(rows, MARGIN, constant_values=-1).reshape(-1), hints)
    locked_mask = np.pad(held.astype(np.uint8), MARGIN).reshape(-1)
    lost = draw_tiles(scan, locked_mask, flat(order, shape[1]), lookahead, smoothing, temperature, one.state)
    plain_lost = plain_draw(
        *(case.known, cells, set(list_places(held)), order),
        [[list_names(mask, case.directions) for mask in step] for step in steps],
        dict(zip(list_places(near), hints.tolist(), strict=True)),
        *(smoothing, temperature, other, case.tiles),
    )
    assert as_cells(as_map(digits, shape)) == cells
    assert lost == plain_lost
    assert one.bits() == other.bits()
    if last:
        assert lost == 0
        assert (as_map(digits, shape)[~held] >= 0).all()


@pytest.mark.parametrize(
    ("hint", "tile"),
    [
        ([1.0, 0.0, 0.0], 0),  # the first context allows the lock
        ([0.0, 1.0, 0.0], 1),  # only the next one does
        ([0.0, 0.0, 1.0], 0),  # none does: the first one is used
        ([MIN_CHANCE / 2, 1.0, 0.0], 1),  # below the minimum probability
        ([MIN_CHANCE / 2, MIN_CHANCE / 2, 1.0], 0),
    ],
)
def test_a_context_that_excludes_a_lock_ahead_is_skipped(hint: list[float], tile: int) -> None:
    """The western neighbor 0 was seen with 0, and the southern neighbor 1 with 1."""
    contexts = Contexts([np.array([[0, 0]]), np.array([[1], [1]])], ["0", "1", "2"], ("w", "s"), (0, 1, 2))
    start = np.array([[0, -1], [2, 1]])
    digits, held = pad_map(start, 3), np.pad(start >= 0, MARGIN).astype(np.uint8).reshape(-1)
    hinted = np.pad(np.array([[-1, 0], [-1, -1]], dtype=np.int32), MARGIN, constant_values=-1).reshape(-1)
    scan, lookahead = make_scan(contexts, digits, 2, np.array([[1], [2]])), Lookahead(hinted, np.array([hint]))
    lost = draw_tiles(scan, held, flat([(0, 1)], 2), lookahead, 0.0, 1.0, Rng.of(1).state)
    assert lost == 0
    assert as_map(digits, (2, 2))[0, 1] == tile


class Squares:
    """Random samples in which every tile occurs, the contexts for resampling, and an initial map."""

    def __init__(self, seed: int, tiles: int, shape: tuple[int, int]) -> None:
        self.random = random = np.random.default_rng(seed)
        maps = [blobs(random, tiles, tuple(random.integers(1, 10, 2).tolist())) for _ in range(2)]
        used, places = np.unique(np.concatenate([map.reshape(-1) for map in maps]), return_inverse=True)
        self.tiles, self.shape = len(used), shape
        ends = np.cumsum([map.size for map in maps])[:-1]
        maps = [part.reshape(map.shape) for part, map in zip(np.split(places.reshape(-1), ends), maps, strict=True)]
        parts = [[sum(1 << AROUND.index(name) for name in square), 1 << AROUND.index(square[0])] for square in SQUARES]
        masks = (0, *(mask for part in parts for mask in part))
        self.contexts = Contexts(maps, [str(tile) for tile in range(self.tiles)], AROUND, masks)
        self.parts = np.array([[self.contexts.masks.index(mask) for mask in part] for part in parts], dtype=np.int64)
        self.known = plain_counts([as_cells(map) for map in maps], [list_names(mask, AROUND) for mask in masks])
        self.start = np.where(random.random(shape) < 0.1, -1, blobs(random, self.tiles, shape))

    def order(self) -> list[Place]:
        return [divmod(int(place), self.shape[1]) for place in self.random.permutation(self.start.size)]


squares = some.builds(
    Squares,
    seed=some.integers(0, 10_000),
    tiles=some.integers(1, 40),
    shape=some.tuples(some.integers(1, 9), some.integers(1, 9)),
)


@settings(max_examples=100)
@given(case=squares, temperature=some.sampled_from((0.0, 0.3, 1.0, 1.0, 2.5)))
def test_resampling_equals_plain_resampling(case: Squares, temperature: float) -> None:
    order = [place for place in case.order() * 2 if case.start[place] >= 0]
    cells, digits, one, other = as_cells(case.start), pad_map(case.start, case.tiles), Rng.of(4), Rng.of(4)
    scan = make_scan(case.contexts, digits, case.shape[1], case.parts)
    resample_tiles(scan, flat(order, case.shape[1]), temperature, one.state)
    plain_resample(case.known, cells, order, temperature, other)
    assert as_cells(as_map(digits, case.shape)) == cells
    assert one.bits() == other.bits()


@settings(max_examples=100)
@given(case=squares)
def test_unseen_cells_equal_those_of_the_plain_search(case: Squares) -> None:
    """Cells in 2x2 blocks that were never seen, in the given order; the map is not changed."""
    order, digits, found = case.order(), pad_map(case.start, case.tiles), np.full(case.start.size, -1, dtype=np.int64)
    scan = make_scan(case.contexts, digits, case.shape[1], case.parts)
    count = find_unseen(scan, flat(order, case.shape[1]), found)
    expected = plain_unseen(case.known, as_cells(case.start), order)
    assert found[:count].tolist() == flat(expected, case.shape[1]).tolist()
    assert (found[count:] == -1).all()
    assert np.array_equal(digits, pad_map(case.start, case.tiles))
