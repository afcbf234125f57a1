"""Contexts: counting, drawing and drawing again are what plain versions with dictionaries do, number for number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from numpy.typing import NDArray

from tilewright.core.seeds import Rng
from tilewright.generators._markov.contexts import MARGIN, Contexts, spread
from tilewright.generators._markov.directions import AROUND, STEPS
from tilewright.generators._markov.lesson import SQUARES
from tilewright.kernels.exact import raised
from tilewright.kernels.markov import LEAST, LEAST_SQUARE, draw_tiles, resample_tiles

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
        weights = [raised(weight / most, 1 / temperature) for weight in weights]
    return tiles[rng.weighted(weights)]


def plain_shares(known: Known, cells: Cells, place: Place, step: Step) -> dict[int, float]:
    """How common tiles are by one step of backing off; nothing where it knows nothing."""
    found = []
    for subset in step:
        if any(seen(cells, place, name) is None for name in subset):
            return {}
        if context(cells, place, subset) not in known:
            return {}
        found.append(known[context(cells, place, subset)])
    shares = {tile: float(count) for tile, count in found[0].items()}
    for other in found[1:]:
        shares = {tile: share * (other[tile] / known[frozenset()][tile]) for tile, share in shares.items()}
    return shares if max(shares.values()) > 0 else {}


def plain_blend(
    known: Known, cells: Cells, place: Place, steps: Sequence[Step], smoothing: float, tiles: int
) -> dict[int, float]:
    """From the last step to the first: what was seen, and what follows as if it had been seen `smoothing` times."""
    shares: dict[int, float] = {}
    for step in reversed(steps):
        found = plain_shares(known, cells, place, step) if len(step) == 1 else {}
        if found:
            smaller = smoothing if shares else 0.0
            total = sum(found.values()) + smaller
            shares = {
                tile: shares.get(tile, 0.0) * (smaller / total) + found.get(tile, 0.0) / total for tile in range(tiles)
            }
    return shares


def plain_foreseen(
    known: Known, cells: Cells, ahead: set[Place], place: Place, directions: Sequence[str], shares: dict[int, float]
) -> tuple[dict[int, float], bool]:
    """Shares by how likely each locked cell ahead is beside a tile, and whether all of them may stand beside one."""
    fits = True
    for name in directions:
        down, right = STEPS[name]
        other = place[0] - down, place[1] - right
        if other in ahead and cells[other] is not None:
            likely = {}
            for tile, share in shares.items():
                if share > 0:
                    counts = known.get(frozenset({(name, tile)}), Counter())
                    likely[tile] = max(LEAST, counts[cells[other]] / counts.total()) if counts else LEAST
            fits = fits and max(likely.values(), default=0) > LEAST
            shares = {tile: shares[tile] * likely[tile] for tile in likely}
    return shares, fits


def plain_draw(
    known: Known,
    cells: Cells,
    ahead: set[Place],
    order: Sequence[Place],
    directions: Sequence[str],
    steps: Sequence[Step],
    smoothing: float,
    temperature: float,
    rng: Rng,
    tiles: int,
) -> int:
    lost = 0
    for place in order:
        if place in ahead:
            ahead.remove(place)
            continue
        answer: dict[int, float] = {}
        if smoothing > 0:
            answer = plain_blend(known, cells, place, steps, smoothing, tiles)
            answer, _ = plain_foreseen(known, cells, ahead, place, directions, answer)
        else:
            for step in steps:
                if shares := plain_shares(known, cells, place, step):
                    answer, fits = plain_foreseen(known, cells, ahead, place, directions, shares)
                    if fits:
                        break
        cells[place] = plain_drawn(answer, temperature, rng) if answer else None
        lost += not answer
    return lost


def plain_resample(known: Known, cells: Cells, order: Sequence[Place], temperature: float, rng: Rng) -> None:
    for place in order:
        shares = {tile: float(count) for tile, count in known[frozenset()].items()}
        for square in SQUARES:
            if all(seen(cells, place, name) is not None for name in square):
                counts = known.get(context(cells, place, square), Counter())
                shares = {tile: share * (counts[tile] or LEAST_SQUARE) for tile, share in shares.items()}
        for pair in ((square[0],) for square in SQUARES):
            if seen(cells, place, pair[0]) is not None:
                counts = known.get(context(cells, place, pair), Counter())
                shares = {tile: share / (counts[tile] or 1.0) for tile, share in shares.items()}
        cells[place] = plain_drawn(shares, temperature, rng)


# -- between both worlds ----------------------------------------------------------------------------------------


def as_cells(map: NDArray[np.integer]) -> Cells:
    """A map as places; -1 is a cell without a tile."""
    return {(int(row), int(column)): int(tile) if tile >= 0 else None for (row, column), tile in np.ndenumerate(map)}


def as_map(digits: NDArray[np.uint16], shape: tuple[int, int]) -> NDArray[np.int64]:
    wide = digits.reshape(shape[0] + 2 * MARGIN, shape[1] + 2 * MARGIN).astype(np.int64)
    return wide[MARGIN:-MARGIN, MARGIN:-MARGIN] - 1


def flat(places: Sequence[Place], width: int) -> NDArray[np.int64]:
    return np.array([(row + MARGIN) * (width + 2 * MARGIN) + column + MARGIN for row, column in places], dtype=np.int64)


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
    keys, which, firsts, *_ = contexts.found
    assert sorted(which[keys >= 0].tolist()) == list(range(len(known)))
    assert firsts[-1] == sum(len(counts) for counts in known.values())
    assert contexts.found[4].sum() == 32 * map.size
    assert contexts.counts(w="3", s="7") == {
        str(tile): count for tile, count in sorted(known[frozenset({("w", 3), ("s", 7)})].items())
    }


@pytest.mark.parametrize("last", [True, False])
@settings(max_examples=150)
@given(
    case=cases,
    shape=some.tuples(some.integers(1, 9), some.integers(1, 9)),
    locked=some.sampled_from((0.0, 0.1, 0.5)),
    smoothing=some.sampled_from((0.0, 0.0, 0.5, 20.0)),
    temperature=some.sampled_from((0.0, 0.3, 1.0, 1.0, 2.5, 1000.0)),
    count=some.integers(1, 6),
)
def test_drawing_is_what_plain_drawing_is(
    case: Case,
    last: bool,
    shape: tuple[int, int],
    locked: float,
    smoothing: float,
    temperature: float,
    count: int,
) -> None:
    """The same tiles from the same random numbers, with locks ahead, of tiles that the samples lack too."""
    random, steps = case.random, case.steps(count, last=last)
    held = np.where(random.random(shape) < locked, random.integers(-1, case.tiles, shape), -2)
    ahead = held > -2
    held = np.maximum(held, -1)
    order = [divmod(int(place), shape[1]) for place in random.permutation(held.size)]
    cells, digits = as_cells(held), spread(held, case.tiles)
    one, other = Rng.of(3), Rng.of(3)
    longest = max(map(len, steps))
    lost = draw_tiles(
        *(case.contexts.found, digits, np.pad(ahead.astype(np.uint8), MARGIN).reshape(-1), flat(order, shape[1])),
        *(case.contexts.shifts(shape[1]), case.contexts.weights),
        np.array([[*step, *[-1] * (longest - len(step))] for step in steps], dtype=np.int64),
        *(smoothing, temperature, one.state, np.empty((2, case.tiles))),
    )
    places = {(int(row), int(column)) for row, column in np.argwhere(ahead)}
    plain_steps = [[named(mask, case.directions) for mask in step] for step in steps]
    plain_lost = plain_draw(
        *(case.known, cells, places, order, case.directions, plain_steps),
        *(smoothing, temperature, other, case.tiles),
    )
    assert as_cells(as_map(digits, shape)) == cells
    assert lost == plain_lost
    assert one.bits() == other.bits()
    if last:
        assert lost == 0
        assert (as_map(digits, shape)[~ahead] >= 0).all()


@settings(max_examples=100)
@given(
    seed=some.integers(0, 10_000),
    tiles=some.integers(1, 40),
    shape=some.tuples(some.integers(1, 9), some.integers(1, 9)),
    temperature=some.sampled_from((0.0, 0.3, 1.0, 1.0, 2.5)),
)
def test_drawing_again_is_what_plain_drawing_again_is(
    seed: int, tiles: int, shape: tuple[int, int], temperature: float
) -> None:
    random = np.random.default_rng(seed)
    maps = [blobs(random, tiles, tuple(random.integers(1, 10, 2).tolist())) for _ in range(2)]
    parts = [[sum(1 << AROUND.index(name) for name in square), 1 << AROUND.index(square[0])] for square in SQUARES]
    masks = (0, *(mask for part in parts for mask in part))
    used, places = np.unique(np.concatenate([map.reshape(-1) for map in maps]), return_inverse=True)
    tiles = len(used)  # every tile occurs, as it does wherever something was learned
    ends = np.cumsum([map.size for map in maps])[:-1]
    maps = [part.reshape(map.shape) for part, map in zip(np.split(places.reshape(-1), ends), maps, strict=True)]
    contexts = Contexts(maps, [str(tile) for tile in range(tiles)], AROUND, masks)
    known = plain_counts([as_cells(map) for map in maps], [named(mask, AROUND) for mask in masks])
    start = np.where(random.random(shape) < 0.1, -1, random.integers(0, tiles, shape))
    order = [divmod(int(place), shape[1]) for place in random.permutation(start.size)] * 2
    order = [place for place in order if start[place] >= 0]
    cells, digits, one, other = as_cells(start), spread(start, tiles), Rng.of(4), Rng.of(4)
    resample_tiles(
        *(contexts.found, digits, flat(order, shape[1]), contexts.shifts(shape[1]), contexts.weights),
        *(np.array(parts, dtype=np.int64), temperature, one.state, np.empty((2, tiles))),
    )
    plain_resample(known, cells, order, temperature, other)
    assert as_cells(as_map(digits, shape)) == cells
    assert one.bits() == other.bits()
