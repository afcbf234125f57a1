"""The rule automaton against its definition, cell by cell; and tiles with a maximum number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as some
from numpy.typing import NDArray

from tests.generators.rulebooks import COMPARE
from tilewright.core.seeds import CELL_GAMMA, MASK, ROW_SALT, Rng, mix
from tilewright.generators._rules.language import Neighbourhood, Rule, WeightedTile
from tilewright.generators._rules.program import Draw, Program
from tilewright.kernels.rules import OUTSIDE, fill, place_wanted, simulate

COUNTS = [-1_000_000, -1, 0, 1, 2, 3, 4, 5, 8, 30, 65_535, 65_536, 1_000_000]
Cells = NDArray[np.uint8]


class Case(NamedTuple):
    """Map, an area of it, and the rules applied there. Tiles are named by their numbers."""

    cells: Cells
    area: tuple[int, int, int, int]
    rules: list[Rule]
    neighbourhoods: dict[str, Neighbourhood]
    left: list[int]
    """Remaining number of each tile; -1 for no limit."""
    key: int


def choose_position(weights: Sequence[float], number: float) -> int:
    """Return the position that a number in [0, 1) selects."""
    mark = number * sum(weights)
    total = 0.0
    for position, weight in enumerate(weights):
        total += weight
        if mark < total:
            return position
    return len(weights) - 1


def number_of(key: int, row: int, column: int) -> float:
    """Return the number in [0, 1) of a cell, as in `rng.cells`, whose key is `rng.level_key()`."""
    for salt, step in ((ROW_SALT, row), (0, column)):
        key = mix(((key ^ salt) + step * CELL_GAMMA) & MASK)
    return (key >> 11) * 2.0**-53


def plain_simulation(case: Case) -> tuple[list[list[int]], list[list[int]]]:
    """Compute the definition: the cells afterwards, and the tile plus one where a limited tile is wanted."""
    old: list[list[int]] = case.cells.tolist()
    new, wanted = [list(row) for row in old], [[0] * len(row) for row in old]
    height, width = case.cells.shape
    left, top, wide, high = case.area
    for y in range(top, top + high):
        for x in range(left, left + wide):
            for number, rule in enumerate(case.rules):
                near = [(y + dy, x + dx) for dy, dx in case.neighbourhoods[rule.neighbourhood].offsets]
                seen = Counter(old[v][u] for v, u in near if 0 <= v < height and 0 <= u < width)
                results = [COMPARE[one.operator](seen[int(one.tile)], one.count) for one in rule.conditions]
                if old[y][x] != int(rule.tile) or not (all(results) if rule.combine == "and" else any(results)):
                    continue
                able = [one for one in rule.replacements if one.weight]
                position = choose_position(
                    [one.weight for one in able], number_of(mix((case.key + number * CELL_GAMMA) & MASK), y, x)
                )
                tile = int(able[position].tile)
                if case.left[tile] >= 0 and tile != old[y][x]:
                    wanted[y][x] = tile + 1
                else:
                    new[y][x], wanted[y][x] = tile, 0
    return new, wanted


def run_kernel(case: Case, margin: tuple[int, int], blocks: Sequence[int]) -> tuple[list[list[int]], list[list[int]]]:
    """Compute the same by the kernel; `blocks` are the rows at which a new call starts."""
    height, width = case.cells.shape
    rows, columns = slice(margin[0], margin[0] + height), slice(margin[1], margin[1] + width)
    old = np.full((height + 2 * margin[0], width + 2 * margin[1]), OUTSIDE, dtype=np.uint8)
    old[rows, columns] = case.cells
    new, before = old.copy(), old.copy()
    limited = max(case.left) >= 0
    wanted = np.zeros(old.shape if limited else (1, 1), dtype=np.uint8)
    program = Program.of(case.rules, {str(tile): tile for tile in range(len(case.left))}, case.neighbourhoods)
    ends = [*sorted(blocks), case.area[3]]
    for first, end in zip([0, *ends], ends, strict=False):
        simulate(
            old,
            new,
            wanted,
            np.array(margin),
            np.array([case.area]),
            first,
            end,
            case.key,
            *program.tables,
            np.array(case.left),
        )
    assert np.array_equal(old, before)
    new[rows, columns], inner = OUTSIDE, new[rows, columns].tolist()
    assert (new == OUTSIDE).all()
    if not limited:
        return inner, np.zeros((height, width), dtype=int).tolist()
    wanted[rows, columns], inner_wanted = 0, wanted[rows, columns].tolist()
    assert not wanted.any()
    return inner, inner_wanted


@some.composite
def matrices(draw: some.DrawFn) -> list[list[int]]:
    """Draw neighborhoods of any size and shape: even ones, single rows, off-center ones, far larger than a map."""
    sides = some.tuples(some.integers(1, 6), some.integers(1, 6)) | some.sampled_from([(1, 41), (41, 1), (25, 24)])
    height, width = draw(sides)
    rng = np.random.default_rng(draw(some.integers(0, 2**32)))
    matrix: list[list[int]] = (
        (rng.random((height, width)) < draw(some.sampled_from([0.1, 0.5, 1]))).astype(int).tolist()
    )
    return matrix


@some.composite
def cases(draw: some.DrawFn) -> Case:
    tiles = draw(some.sampled_from([2, 2, 3, 5, 255]))
    # Not a single cell: a `wanted` array of size 1 means that no tile has a limit.
    shape = draw(some.tuples(some.integers(1, 9), some.integers(1, 9)).filter(lambda sides: sides != (1, 1)))
    used = sorted({0, 1, tiles - 1, *(draw(some.integers(0, tiles - 1)) for _ in range(3))})
    tile = some.sampled_from([str(number) for number in used])
    around = {
        name: Neighbourhood.validate({"name": name, "matrix": draw(matrices())})
        for name in ("near", "far", "odd")[: draw(some.integers(1, 3))]
    }
    rule = some.fixed_dictionaries(
        {
            "tile": tile,
            "neighbourhood": some.sampled_from(list(around)),
            "combine": some.sampled_from(["and", "or"]),
            "conditions": some.lists(
                some.fixed_dictionaries(
                    {"tile": tile, "operator": some.sampled_from(list(COMPARE)), "count": some.sampled_from(COUNTS)}
                ),
                min_size=1,
                max_size=4,
            ),
            "replacements": some.lists(
                some.fixed_dictionaries({"tile": tile, "weight": some.sampled_from([0, 1, 2.5, 1e12])}),
                min_size=1,
                max_size=3,
            ).filter(lambda tiles: any(one["weight"] for one in tiles)),
        }
    )
    x, y = draw(some.integers(0, shape[1] - 1)), draw(some.integers(0, shape[0] - 1))
    limits = some.lists(some.sampled_from([-1, -1, 0, 1, 5]), min_size=tiles, max_size=tiles) | some.just([-1] * tiles)
    rng = np.random.default_rng(draw(some.integers(0, 2**32)))
    return Case(
        cells=rng.choice(np.array(used, dtype=np.uint8), shape),
        area=(x, y, draw(some.integers(1, shape[1] - x)), draw(some.integers(1, shape[0] - y))),
        rules=[Rule.validate(values) for values in draw(some.lists(rule, max_size=5))],
        neighbourhoods=around,
        left=draw(limits) if tiles < 255 else [-1] * tiles,
        key=draw(some.integers(0, MASK)),
    )


def reach(case: Case) -> tuple[int, int]:
    offsets = [offset for around in case.neighbourhoods.values() for offset in around.offsets] or [(0, 0)]
    return max(abs(row) for row, _ in offsets), max(abs(column) for _, column in offsets)


@given(cases(), some.data())
@settings(max_examples=400)
def test_a_simulation_follows_the_definition_with_any_margin_and_blocks(case: Case, data: some.DataObject) -> None:
    more = data.draw(some.tuples(some.integers(0, 3), some.integers(0, 3)))
    blocks = data.draw(some.lists(some.integers(0, case.area[3]), max_size=3))
    needed = reach(case)
    assert run_kernel(case, (needed[0] + more[0], needed[1] + more[1]), blocks) == plain_simulation(case)


def draw_of(weights: Sequence[float]) -> Draw:
    tiles = [WeightedTile.validate({"tile": str(tile), "weight": weight}) for tile, weight in enumerate(weights)]
    return Draw.of(tiles, {str(tile): tile for tile in range(len(weights))})


@given(some.integers(0, 999), some.lists(some.sampled_from([0, 0.1, 1, 7, 1e9]), min_size=1, max_size=4), some.data())
def test_rooms_are_filled_by_position_alone(seed: int, weights: list[float], data: some.DataObject) -> None:
    rng = Rng.of(seed)
    weights = weights if any(weights) else [1]
    able = [tile for tile, weight in enumerate(weights) if weight]
    limited = data.draw(some.booleans())
    left = [data.draw(some.sampled_from([-1, 0, 3])) if limited else -1 for _ in weights]
    cells = np.full((9, 12), OUTSIDE, dtype=np.uint8)
    wanted = np.zeros(cells.shape if limited else (1, 1), dtype=np.uint8)
    x, y = data.draw(some.integers(0, 7)), data.draw(some.integers(0, 4))
    wide, high = data.draw(some.integers(1, 8 - x)), data.draw(some.integers(1, 5 - y))
    draw = draw_of(weights)
    area = np.array([x, y, wide, high])
    key = rng.level_key()
    fill(cells, wanted, np.array([2, 3]), area, key, draw.tiles, draw.limits, np.array(left))
    numbers = rng.cells((5, 8))
    for row in range(9):
        for column in range(12):
            here, there = row - 2, column - 3
            placed, wanted_tile = OUTSIDE, 0
            if y <= here < y + high and x <= there < x + wide:
                tile = able[choose_position([weights[one] for one in able], float(numbers[here, there]))]
                placed, wanted_tile = (tile, 0) if left[tile] < 0 else (OUTSIDE, tile + 1)
            assert cells[row, column] == placed
            assert not limited or wanted[row, column] == wanted_tile


def test_tiles_are_drawn_by_weight() -> None:
    cells, wanted = np.zeros((200, 200), dtype=np.uint8), np.zeros((1, 1), dtype=np.uint8)
    draw, area = draw_of([1, 2, 0, 7]), np.array([0, 0, 200, 200])
    fill(cells, wanted, np.zeros(2, int), area, 5, draw.tiles, draw.limits, -np.ones(4, int))
    shares = np.bincount(cells.reshape(-1)) / cells.size
    assert np.abs(shares - [0.1, 0.2, 0, 0.7]).max() < 0.01


@given(
    some.integers(0, 2**32),
    some.integers(1, 9),
    some.integers(1, 9),
    some.lists(some.integers(-1, 12), min_size=3, max_size=3),
)
@settings(max_examples=200)
def test_as_many_are_placed_as_are_left(seed: int, height: int, width: int, limits: list[int]) -> None:
    random = np.random.default_rng(seed)
    cells = random.integers(0, 3, (height, width)).astype(np.uint8)
    wanted = random.integers(0, 4, (height, width)).astype(np.uint8)
    wanted[np.isin(wanted, [tile + 1 for tile in range(3) if limits[tile] < 0])] = 0  # only limited tiles
    before, wanted_before, left = cells.copy(), wanted.copy(), np.array(limits)
    place_wanted(cells, wanted, left, Rng.of(seed).state)
    assert not wanted.any()
    assert np.array_equal(cells[wanted_before == 0], before[wanted_before == 0])
    for tile, limit in enumerate(limits):
        places = wanted_before == tile + 1
        granted = min(int(places.sum()), max(limit, 0))
        changed = places & (cells != before)
        assert (cells[changed] == tile).all()
        assert changed.sum() <= granted
        assert (cells[places] == tile).sum() >= granted
        assert left[tile] == (limit - granted if limit >= 0 else -1)


def test_every_wanting_cell_gets_the_tile_equally_often() -> None:
    tries, granted, asking = 6000, 3, 12
    often = np.zeros((5, 6), dtype=int)
    together: Counter[tuple[int, ...]] = Counter()
    for seed in range(tries):
        cells, wanted = np.zeros((5, 6), dtype=np.uint8), np.zeros((5, 6), dtype=np.uint8)
        wanted[1:5, 2:5] = 2
        place_wanted(cells, wanted, np.array([-1, granted]), Rng.of(seed).state)
        often += cells
        together[tuple(np.flatnonzero(cells).tolist())] += 1
    chance = granted / asking
    spread = (tries * chance * (1 - chance)) ** 0.5
    assert np.abs(often[1:5, 2:5] - tries * chance).max() < 4.5 * spread
    assert often.sum() == tries * granted
    assert len(together) == 220  # Every choice of 3 out of 12.
