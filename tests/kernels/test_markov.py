"""Contexts: kernels count, draw, draw again and find what is strange as plain versions do, number for number."""

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
from tilewright.generators._markov.context_counts import SQUARES
from tilewright.generators._markov.contexts import MARGIN, Contexts, pad_map
from tilewright.generators._markov.directions import AROUND, STEPS
from tilewright.kernels.exact import exact_power
from tilewright.kernels.markov import (
    MIN_CHANCE,
    MIN_SQUARE,
    Lookahead,
    Numbers,
    draw_smoothed,
    draw_tiles,
    find_unseen,
    resample_tiles,
)

EDGE = "edge"
Place = tuple[int, int]
Cells = dict[Place, Any]
"""The tile in every place, None for none."""
Known = dict[frozenset[tuple[str, Any]], Counter[int]]
"""For every context, neighbours by direction, how often each tile was seen in it."""
Step = Sequence[Sequence[str]]
"""Sets of directions whose shares are multiplied."""


# -- plain versions ---------------------------------------------------------------------------------------------


def seen(cells: Cells, place: Place, direction: str) -> Any:
    down, right = STEPS[direction]
    return cells.get((place[0] + down, place[1] + right), EDGE)


def context(cells: Cells, place: Place, directions: Sequence[str]) -> frozenset[tuple[str, Any]]:
    return frozenset((name, seen(cells, place, name)) for name in directions)


def plain_counts(maps: Sequence[Cells], subsets: Sequence[Sequence[str]]) -> Known:
    known: Known = {}
    for cells in maps:
        for place, tile in cells.items():
            for subset in subsets:
                known.setdefault(context(cells, place, subset), Counter())[tile] += 1
    return known


def plain_drawn(shares: dict[int, float], temperature: float, rng: Rng) -> int:
    tiles = sorted(tile for tile in shares if shares[tile] > 0)
    most = max(shares[tile] for tile in tiles)
    if temperature == 0:
        return next(tile for tile in tiles if shares[tile] == most)
    weights = [shares[tile] for tile in tiles]
    if temperature != 1:
        weights = [exact_power(weight / most, 1 / temperature) for weight in weights]
    return tiles[rng.weighted_index(weights)]


def plain_shares(known: Known, cells: Cells, place: Place, step: Step) -> tuple[dict[int, float], int]:
    """How common tiles are by one step of backing off, and in how many sightings; nothing where it knows nothing."""
    found = []
    for subset in step:
        if any(seen(cells, place, name) is None for name in subset):
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
    """From the last step to the first: what was seen, and what follows as if it had been seen `smoothing` times."""
    shares: dict[int, float] = {}
    for step in reversed(steps):
        found, sightings = plain_shares(known, cells, place, step)
        if found:
            smaller = smoothing if shares else 0.0
            total = reduce(add, found.values())  # not sum(), which rounds otherwise from Python 3.12 on
            shares = {
                tile: (shares.get(tile, 0.0) * smaller + found.get(tile, 0.0) / total * sightings)
                / (sightings + smaller)
                for tile in range(tiles)
            }
    return shares


def plain_weighed(shares: dict[int, float], hint: Sequence[float] | None) -> dict[int, float]:
    """Shares by how likely a lock ahead is beside each tile; nothing where it can stand beside none of them."""
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
    """How many cells got no tile. Where every answer shuts a lock ahead out, the first one counts as it is."""
    lost = 0
    for place in order:
        if place in held:
            continue
        if smoothing > 0:
            answers = [plain_blend(known, cells, place, steps, smoothing, tiles)]
        else:
            answers = [plain_shares(known, cells, place, step)[0] for step in steps]
        answers = [answer for answer in answers if answer]
        weighed = [plain_weighed(answer, hints.get(place)) for answer in answers]
        answer = next((answer for answer in [*weighed, *answers] if answer), {})
        cells[place] = plain_drawn(answer, temperature, rng) if answer else None
        lost += not answer
    return lost


def plain_resample(known: Known, cells: Cells, order: Sequence[Place], temperature: float, rng: Rng) -> None:
    for place in order:
        shares = {tile: float(count) for tile, count in known[frozenset()].items()}
        pairs, unseen = dict.fromkeys(shares, 1.0), 1.0
        for square in SQUARES:
            if all(seen(cells, place, name) is not None for name in square):
                unseen *= MIN_SQUARE
                for tile, count in known.get(context(cells, place, square), Counter()).items():
                    shares[tile] *= count / MIN_SQUARE
        for pair in ((square[0],) for square in SQUARES):
            if seen(cells, place, pair[0]) is not None:
                for tile, count in known.get(context(cells, place, pair), Counter()).items():
                    pairs[tile] *= count
        shares = {tile: share * unseen / pairs[tile] for tile, share in shares.items()}
        cells[place] = plain_drawn(shares, temperature, rng)


def plain_unseen(known: Known, cells: Cells, order: Sequence[Place]) -> list[Place]:
    """The cells with a tile in a square that was never seen; a square with a cell without one is none."""
    return [
        place
        for place in order
        if cells[place] is not None
        and any(
            all(seen(cells, place, name) is not None for name in square)
            and cells[place] not in known.get(context(cells, place, square), Counter())
            for square in SQUARES
        )
    ]


# -- between both worlds ----------------------------------------------------------------------------------------


def as_cells(map: NDArray[np.integer]) -> Cells:
    """A map as places; -1 is a cell without a tile."""
    return {(int(row), int(column)): int(tile) if tile >= 0 else None for (row, column), tile in np.ndenumerate(map)}


def as_map(digits: NDArray[np.uint16], shape: tuple[int, int]) -> NDArray[np.int64]:
    wide = digits.reshape(shape[0] + 2 * MARGIN, shape[1] + 2 * MARGIN).astype(np.int64)
    return wide[MARGIN:-MARGIN, MARGIN:-MARGIN] - 1


def flat(places: Sequence[Place], width: int) -> NDArray[np.int64]:
    return np.array([(row + MARGIN) * (width + 2 * MARGIN) + column + MARGIN for row, column in places], dtype=np.int64)


def marked(mask: NDArray[np.bool_]) -> list[Place]:
    return [(int(row), int(column)) for row, column in np.argwhere(mask)]


def named(mask: int, directions: Sequence[str]) -> list[str]:
    return [name for number, name in enumerate(directions) if mask >> number & 1]


def blobs(random: np.random.Generator, tiles: int, shape: tuple[int, int]) -> NDArray[np.int64]:
    """Tiles by chance, often alike beside each other, so that some contexts are known and some are not."""
    map = random.integers(0, tiles, shape)
    for axis in (0, 1):
        map = np.where(random.random(shape) < 0.4, np.roll(map, 1, axis), map)
    return map


class Case:
    """Samples, directions, contexts and an order of backing off, by chance."""

    def __init__(self, seed: int, directions: Sequence[str], tiles: int, side: int) -> None:
        self.random = random = np.random.default_rng(seed)
        self.directions, self.tiles = tuple(directions), tiles
        shapes = [tuple(random.integers(1, side + 1, 2).tolist()) for _ in range(int(random.integers(1, 4)))]
        self.maps = [blobs(random, tiles, shape) for shape in shapes]
        every = random.permutation(1 << len(directions))[:40].tolist()
        singles = [1 << number for number in range(len(directions))]
        self.masks = sorted({0, *singles, *every})
        self.contexts = Contexts(self.maps, [str(tile) for tile in range(tiles)], directions, self.masks)
        self.subsets = [named(mask, directions) for mask in self.masks]
        self.known = plain_counts([as_cells(map) for map in self.maps], self.subsets)

    def steps(self, count: int, *, last: bool) -> list[tuple[int, ...]]:
        """The larger first, some of them products; at the end, if wanted, what is anywhere."""
        chosen = self.random.choice(self.masks, count).tolist()
        steps = [
            tuple(self.random.choice(self.masks, int(self.random.integers(2, 4))).tolist())
            if self.random.random() < 0.3
            else (mask,)
            for mask in sorted(chosen, key=lambda mask: -mask.bit_count())
        ]
        return [*steps, (0,)] if last else steps

    def numbered(self, steps: Sequence[Sequence[int]]) -> Numbers:
        """An order of backing off as kernels take it: sets by their numbers, -1 behind the last."""
        longest = max(map(len, steps))
        rows = [[self.contexts.index_of(mask) for mask in step] for step in steps]
        return np.array([[*row, *[-1] * (longest - len(row))] for row in rows], dtype=np.int64)

    def hints(self, places: NDArray[np.bool_]) -> NDArray[np.float64]:
        """One row for every place: how likely a lock is beside each tile, often not at all, or nearly so."""
        hints = self.random.random((int(places.sum()), self.tiles))
        hints[self.random.random(hints.shape) < 0.5] = 0.0
        hints[self.random.random(len(hints)) < 0.2] *= MIN_CHANCE
        return hints


ways = some.lists(some.sampled_from(sorted(STEPS)), min_size=1, max_size=8, unique=True)
cases = some.builds(
    Case, seed=some.integers(0, 10_000), directions=ways, tiles=some.integers(1, 40), side=some.integers(1, 12)
)


@settings(max_examples=60)
@given(case=cases)
def test_counts_are_what_plain_counts_are(case: Case) -> None:
    found = {
        frozenset((name, word if word == EDGE else int(word)) for name, word in neighbours.items()): {
            int(tile): count for tile, count in counts.items()
        }
        for neighbours, counts in case.contexts
    }
    assert found == case.known
    assert len(case.contexts) == len(case.known)
    for number, counts in enumerate(case.contexts):  # entries lie in the order of the tiles
        assert [*counts[1]] == sorted(counts[1], key=int)
        if number == 20:
            break


def test_counts_of_many_contexts() -> None:
    """Tables grow many times over."""
    map = np.random.default_rng(1).integers(0, 30, (60, 50))
    directions = ("e", "w", "sw", "s", "se")
    contexts = Contexts([map], [str(tile) for tile in range(30)], directions, range(32))
    known = plain_counts([as_cells(map)], [named(mask, directions) for mask in range(32)])
    assert len(contexts) == len(known) > 50_000
    arrays = contexts.arrays
    assert sorted(arrays.ids[arrays.keys >= 0].tolist()) == list(range(len(known)))
    assert arrays.firsts[-1] == sum(len(counts) for counts in known.values())
    assert arrays.counts.sum() == 32 * map.size
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
def test_drawing_is_what_plain_drawing_is(
    case: Case,
    last: bool,
    shape: tuple[int, int],
    locked: float,
    hinted: float,
    smoothing: float,
    temperature: float,
    count: int,
) -> None:
    """The same tiles from the same random numbers, beside locks of tiles that the samples lack too, and with hints."""
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
    given = (
        *(case.contexts.arrays, digits, np.pad(held.astype(np.uint8), MARGIN).reshape(-1), flat(order, shape[1])),
        *(case.contexts.flat_offsets(shape[1]), case.numbered(steps)),
        Lookahead(np.pad(rows, MARGIN, constant_values=-1).reshape(-1), hints),
    )
    if smoothing > 0:
        lost = draw_smoothed(*given, smoothing, temperature, one.state, np.empty((3, case.tiles)))
    else:
        lost = draw_tiles(*given, temperature, one.state, np.empty((3, case.tiles)))
    plain_lost = plain_draw(
        *(case.known, cells, set(marked(held)), order),
        [[named(mask, case.directions) for mask in step] for step in steps],
        dict(zip(marked(near), hints.tolist(), strict=True)),
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
        ([1.0, 0.0, 0.0], 0),  # the context that knows most may stand beside the lock
        ([0.0, 1.0, 0.0], 1),  # its tile may not, the next one's may
        ([0.0, 0.0, 1.0], 0),  # no answer may: the first one stays
        ([MIN_CHANCE / 2, 1.0, 0.0], 1),  # hardly likely is not at all
        ([MIN_CHANCE / 2, MIN_CHANCE / 2, 1.0], 0),
    ],
)
def test_an_answer_that_shuts_a_lock_ahead_out_is_passed_over(hint: list[float], tile: int) -> None:
    """West of the cell stands 0, beside which 0 was seen, and south of it 1, beside which 1 was."""
    contexts = Contexts([np.array([[0, 0]]), np.array([[1], [1]])], ["0", "1", "2"], ("w", "s"), (0, 1, 2))
    start = np.array([[0, -1], [2, 1]])
    digits, held = pad_map(start, 3), np.pad(start >= 0, MARGIN).astype(np.uint8).reshape(-1)
    hinted = np.pad(np.array([[-1, 0], [-1, -1]], dtype=np.int32), MARGIN, constant_values=-1).reshape(-1)
    lost = draw_tiles(
        *(contexts.arrays, digits, held, flat([(0, 1)], 2), contexts.flat_offsets(2), np.array([[1], [2]])),
        *(Lookahead(hinted, np.array([hint])), 1.0, Rng.of(1).state, np.empty((3, 3))),
    )
    assert lost == 0
    assert as_map(digits, (2, 2))[0, 1] == tile


class Squares:
    """Samples in which every tile occurs, the contexts for drawing again, and a map to begin with."""

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
        self.parts = np.array([[self.contexts.index_of(mask) for mask in part] for part in parts], dtype=np.int64)
        self.known = plain_counts([as_cells(map) for map in maps], [named(mask, AROUND) for mask in masks])
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
def test_drawing_again_is_what_plain_drawing_again_is(case: Squares, temperature: float) -> None:
    order = [place for place in case.order() * 2 if case.start[place] >= 0]
    cells, digits, one, other = as_cells(case.start), pad_map(case.start, case.tiles), Rng.of(4), Rng.of(4)
    resample_tiles(
        *(
            case.contexts.arrays,
            digits,
            flat(order, case.shape[1]),
            case.contexts.flat_offsets(case.shape[1]),
            case.parts,
        ),
        *(temperature, one.state, np.empty((3, case.tiles))),
    )
    plain_resample(case.known, cells, order, temperature, other)
    assert as_cells(as_map(digits, case.shape)) == cells
    assert one.bits() == other.bits()


@settings(max_examples=100)
@given(case=squares)
def test_what_is_strange_is_what_is_plainly_strange(case: Squares) -> None:
    """Cells in squares that were never seen, in the order in which they were asked for; nothing is changed."""
    order, digits, found = case.order(), pad_map(case.start, case.tiles), np.full(case.start.size, -1, dtype=np.int64)
    count = find_unseen(
        *(
            case.contexts.arrays,
            digits,
            flat(order, case.shape[1]),
            case.contexts.flat_offsets(case.shape[1]),
            case.parts,
        ),
        found,
    )
    expected = plain_unseen(case.known, as_cells(case.start), order)
    assert found[:count].tolist() == flat(expected, case.shape[1]).tolist()
    assert (found[count:] == -1).all()
    assert np.array_equal(digits, pad_map(case.start, case.tiles))
