"""Paths through maps: shortest paths, Dijkstra maps, hot paths, and the range of a unit."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from hypothesis.extra.numpy import array_shapes, arrays
from numpy.typing import NDArray

import tilewright as tw
from tests.refusals import refused
from tests.tilesets import make_tileset
from tilewright.analysis.movement import movement_range, unit_costs
from tilewright.analysis.paths import distances, flee_map, hot_path, shortest_path
from tilewright.analysis.regions import Directions, neighbor_offsets
from tilewright.core.tilemap import Marker, TileMap

TILES = make_tileset("road .; swamp ~ foot=3 boat=0.5; rock # solid", "land")
Cell = tuple[int, ...]


def parse_map(*rows: str, **more: Any) -> TileMap:
    return TileMap([[".~#".index(glyph) for glyph in row] for row in rows], TILES, **more)


@some.composite
def masks(draw: some.DrawFn) -> NDArray[np.bool_]:
    mask = draw(
        arrays(np.bool_, array_shapes(min_dims=2, max_dims=3, max_side=6), elements=some.sampled_from([1, 1, 0]))
    )
    mask.reshape(-1)[draw(some.integers(0, mask.size - 1))] = True
    return mask


def relax_until_stable(
    mask: NDArray[np.bool_], goals: list[Cell], costs: NDArray[np.float64], options: dict[str, Any], *, away: bool
) -> NDArray[np.float64]:
    """Lower values step by step until nothing changes (Bellman-Ford)."""
    values = np.full(mask.shape, np.inf)
    for goal in goals:
        values[goal] = 0
    edges = [(a, b, f) for a in map(tuple, np.argwhere(mask).tolist()) for b, f in list_steps(mask, a, options)]
    changed = True
    while changed:
        changed = False
        for one, other, factor in edges:
            new = values[other] + costs[one if away else other] * factor
            if new < values[one]:
                values[one], changed = new, True
    return values


def list_steps(mask: NDArray[np.bool_], cell: Cell, options: dict[str, Any]) -> list[tuple[Cell, float]]:
    found = []
    for offset in neighbor_offsets(mask.ndim, options.get("directions", 4)).tolist():
        near = tuple(int(part) for part in np.add(cell, offset))
        box = tuple(slice(min(a, b), max(a, b) + 1) for a, b in zip(cell, near, strict=True))
        inside = all(0 <= part < side for part, side in zip(near, mask.shape, strict=True))
        slanted = np.abs(offset).sum() > 1
        if inside and mask[near] and (options.get("cut_corners", True) or mask[box].all()):
            found.append((near, options.get("diagonal", 1) if slanted else 1))
    return found


some_options = some.fixed_dictionaries(
    {},
    optional={
        "directions": some.sampled_from([4, 8]),
        "diagonal": some.sampled_from([1, 1.5, 2]),
        "cut_corners": some.booleans(),
    },
)
some_units = some.sampled_from([None, 1.0, 0.25])


def random_costs(mask: NDArray[np.bool_], unit: float | None, seed: int) -> NDArray[np.float64]:
    integers = np.random.default_rng(seed).integers(seed % 2, 6, mask.shape)  # half of them include cells without cost
    return np.ones(mask.shape) if unit is None else unit * integers.astype(np.float64)


@given(masks(), some_options, some_units, some.integers(0, 2**32), some.booleans())
def test_distances_equal_those_of_a_plain_version(
    mask: NDArray[np.bool_], options: dict[str, Any], unit: float | None, seed: int, away: bool
) -> None:
    free = [tuple(cell) for cell in np.argwhere(mask).tolist()]
    goals = free[seed % len(free) :][:3]
    costs = random_costs(mask, unit, seed)
    found = distances(mask, goals, costs=costs, away=away, **options)
    assert found.dtype == np.float64
    assert np.array_equal(found, relax_until_stable(mask, goals, costs, options, away=away))


@given(masks(), some_options, some_units, some.integers(0, 2**32), some.integers(0, 2**32))
def test_paths_are_walkable_and_shortest(
    mask: NDArray[np.bool_], options: dict[str, Any], unit: float | None, one: int, two: int
) -> None:
    free = [tuple(cell) for cell in np.argwhere(mask).tolist()]
    start, goal = free[one % len(free)], free[two % len(free)]
    costs = random_costs(mask, unit, one)
    way = [tuple(cell) for cell in shortest_path(mask, start, goal, costs=costs, **options).tolist()]
    length = distances(mask, goal, costs=costs, **options)[start]
    if not way:
        assert length == math.inf
        return
    assert (way[0], way[-1]) == (start, goal)
    assert length == sum(costs[b] * dict(list_steps(mask, a, options))[b] for a, b in pairwise(way))


@given(masks(), some_options, some_units, some.integers(0, 2**32), some.sampled_from([0, 1, 2.5, 4]))
def test_hot_path_equals_its_definition(
    mask: NDArray[np.bool_], options: dict[str, Any], unit: float | None, seed: int, slack: float
) -> None:
    free = [tuple(cell) for cell in np.argwhere(mask).tolist()]
    start, exit = free[seed % len(free)], free[seed // 999 % len(free)]
    costs = random_costs(mask, unit, seed)
    hot = hot_path(mask, start, exit, slack=slack, costs=costs, **options)
    there = relax_until_stable(mask, [start], costs, options, away=True)
    back = relax_until_stable(mask, [exit], costs, options, away=False)
    assert hot.length == there[exit] == back[start]
    reached = np.isfinite(there + back)
    assert np.array_equal(hot.cells, reached & (there + back <= hot.length + slack))
    assert np.array_equal(hot.optional, np.isfinite(there) & ~hot.cells)
    way = shortest_path(mask, start, exit, costs=costs, **options)
    assert hot.cells[tuple(way.T)].all()


@given(some.integers(0, 2**32))
def test_hot_path_with_rounded_costs_is_connected(seed: int) -> None:
    random = np.random.default_rng(seed)
    mask = random.random((9, 9)) < 0.8
    mask[0, 0] = mask[8, 8] = True
    how: dict[str, Any] = {"costs": 0.1 * random.integers(1, 9, mask.shape), "directions": 8, "diagonal": math.sqrt(2)}
    way = shortest_path(mask, (0, 0), (8, 8), **how)
    assert hot_path(mask, (0, 0), (8, 8), **how).cells[tuple(way.T)].all()


@given(masks(), some_options, some.integers(0, 2**32))
def test_flee_map_leads_downhill_to_a_minimum(mask: NDArray[np.bool_], options: dict[str, Any], seed: int) -> None:
    free = [tuple(cell) for cell in np.argwhere(mask).tolist()]
    threat = free[seed % len(free)]
    away, fled = distances(mask, threat, away=True, **options), flee_map(mask, threat, **options)
    assert np.array_equal(np.isfinite(fled), np.isfinite(away))
    for cell in map(tuple, np.argwhere(np.isfinite(fled)).tolist()):
        plain = min([-1.2 * away[cell], *(fled[near] + factor for near, factor in list_steps(mask, cell, options))])
        assert fled[cell] == plain, "values are relaxed, and none is lower than necessary"


def test_flee_map_leads_out_of_dead_ends() -> None:
    corridor = parse_map("#######.....", "........####", "#######.....")
    fled = flee_map(corridor, (1, 2))
    assert fled[1, 0] > fled[1, 3], "the short dead end is worse than the long path"
    assert fled.min() == fled[0, 11] == fled[2, 11]


def test_costs_by_tile_by_unit_type_and_by_cell_agree() -> None:
    land = parse_map(".~.", ".#.", "...")
    wanted = [[0, 3, 4], [1, np.inf, 5], [2, 3, 4]]
    by_tile = distances(land, (0, 0), costs={"swamp": 3}, away=True)
    assert by_tile.tolist() == wanted
    assert distances(land, (0, 0), costs="foot", away=True).tolist() == wanted
    assert distances(land, (0, 0), costs=np.where(land.where("swamp"), 3, 1), away=True).tolist() == wanted
    assert distances(land, (0, 0), costs={"swamp": math.inf}).tolist() == [[0, np.inf, 6], [1, np.inf, 5], [2, 3, 4]]
    assert distances(land, (0, 0), costs="foot").tolist()[0] == [0, 1, 4], "the start costs nothing, the goal does"
    assert len(shortest_path(land, (0, 0), (0, 2), costs={"swamp": 99})) == 7
    assert len(shortest_path(land, (0, 0), (0, 2), costs="boat")) == 3


def test_markers_masks_and_cells_are_goals() -> None:
    land = parse_map("...", "...", markers=[Marker("exit", 2, 1), Marker("start", 0, 0)])
    wanted = [[3, 2, 1], [2, 1, 0]]
    mask = np.zeros((2, 3), dtype=np.bool_)
    mask[1, 2] = True
    for goals in ("exit", mask, (1, 2), [(1, 2)], np.array([[1, 2]])):
        assert distances(land, goals).tolist() == wanted
    assert hot_path(land).length == 3


def test_diagonals_and_corners() -> None:
    land = parse_map(".#", "#.")
    assert distances(land, (0, 0))[1, 1] == math.inf
    assert distances(land, (0, 0), directions=8)[1, 1] == 1
    assert distances(land, (0, 0), directions=8, diagonal=1.5)[1, 1] == 1.5
    assert distances(land, (0, 0), directions=8, cut_corners=False)[1, 1] == math.inf
    assert len(shortest_path(land, (0, 0), (1, 1), directions=8, cut_corners=False)) == 0


def test_unreachable_goal_is_no_error() -> None:
    land = parse_map(".#.")
    assert shortest_path(land, (0, 0), (0, 2)).shape == (0, 2)
    assert shortest_path(land, (0, 0), (0, 2), costs="foot").shape == (0, 2)
    hot = hot_path(land, (0, 0), (0, 2))
    assert (hot.length, bool(hot.cells.any()), hot.optional.tolist()) == (math.inf, False, [[True, False, False]])


def test_extreme_costs_terminate() -> None:
    costs = np.ones((20, 20))
    costs[::2] = 1e9
    costs[1::2] = 5e-324  # lost by rounding in every sum
    way = shortest_path(np.ones((20, 20), dtype=bool), (0, 0), (19, 19), costs=costs)
    assert way[-1].tolist() == [19, 19]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"goals": (0, 2)}, "goals: must be passable, got the wall at (0, 2)"),
        ({"goals": (2, 0)}, "goals: (2, 0) is outside the map of 2 rows and 3 columns; the row comes first"),
        ({"goals": (0, -1)}, "goals: (0, -1) is outside the map of 2 rows and 3 columns; the row comes first"),
        ({"goals": []}, "goals: must be cells as (row, column), a mask or a marker's name, got []"),
        ({"goals": np.zeros((2, 3), bool)}, "goals: must be at least one cell, got none"),
        ({"goals": np.zeros((3, 3), bool)}, "goals: must be a mask of the map's shape, (2, 3), got (3, 3)"),
        ({"goals": (0.5, 1)}, "goals: must be cells as (row, column), a mask or a marker's name, got (0.5, 1)"),
        (
            {"goals": [(0, 0), (1,)]},
            "goals: must be cells as (row, column), a mask or a marker's name, got [(0, 0), (1,)]",
        ),
        ({"goals": "exti"}, "unknown marker 'exti'; did you mean 'exit'? (goals: or use a cell)"),
        ({"directions": 6}, "directions: must be 4 or 8, got 6"),
        ({"diagonal": 0}, "diagonal: must be above 0 and at most 1,000,000,000, got 0"),
        ({"diagonal": math.nan}, "diagonal: must be above 0 and at most 1,000,000,000, got nan"),
        ({"costs": {"swamp": -1}}, "costs: must be from 0 to 1,000,000,000, or infinite for walls, got -1.0"),
        ({"costs": {"swamp": True}}, "costs: cost of 'swamp' must be a number, got True"),
        ({"costs": {"swamp": math.nan}}, "costs: must be from 0 to 1,000,000,000, or infinite for walls, got nan"),
        ({"costs": np.ones((3, 2))}, "costs: must be an array of the map's shape, (2, 3), got (3, 2)"),
        ({"costs": -np.ones((2, 3))}, "costs: must be from 0 to 1,000,000,000, or infinite for walls, got -1.0"),
        (
            {"costs": "horse"},
            "unknown unit type 'horse'; there are boat, foot (tileset 'land' defines no costs for it)",
        ),
    ],
)
def test_invalid_arguments(options: dict[str, Any], message: str) -> None:
    land = parse_map("..#", "~..", markers=[Marker("exit", 0, 0)])
    with refused(message, exact=True):
        distances(land, **{"goals": (0, 0), **options})


def test_invalid_arguments_of_other_functions() -> None:
    mask = np.ones((2, 2), dtype=np.bool_)
    line: Any = np.ones(3)
    calls: dict[Callable[[], object], str] = {
        lambda: shortest_path(mask, [(0, 0), (1, 1)], (0, 1)): "start: must be one cell, got 2",
        lambda: hot_path(mask, (0, 0), (1, 1), slack=-1): "slack: must be a finite number of at least 0, got -1",
        lambda: flee_map(mask, (0, 0), fear=1): "fear: must be a finite number above 1, got 1",
        lambda: distances(
            mask, (0, 0), costs={"a": 1}
        ): "costs: must be an array for a mask; costs by tile need a TileMap",
        lambda: distances(line, (0, 0)): "map: must be a TileMap or a 2D or 3D array of booleans",
    }
    for call, message in calls.items():
        with pytest.raises(tw.InvalidRecipe) as error:
            call()
        assert str(error.value).startswith(message)


@pytest.mark.parametrize("directions", [4, 8])
def test_large_maps_agree_with_tcod(directions: Directions) -> None:
    path = pytest.importorskip("tcod.path")
    passable = tw.make("caves", width=150, height=130, seed=3).passable
    start = tuple(np.argwhere(passable)[0].tolist())
    costs = np.random.default_rng(3).integers(1, 9, passable.shape)
    for weights in (np.ones_like(costs), costs):
        found = path.maxarray(passable.shape, dtype=np.int32)
        found[start] = 0
        weighed = (weights * passable).astype(np.int32)
        path.dijkstra2d(found, weighed, 2, 3 if directions == 8 else 0, out=found)
        ours = 2 * distances(passable, start, directions=directions, costs=weights, diagonal=1.5, away=True)
        assert np.array_equal(np.where(np.isfinite(ours), ours, np.iinfo(np.int32).max), found)


# -- movement ranges -------------------------------------------------------------------------------------------------


INF = np.inf
WAR = make_tileset("plain foot=1 tyre=2; hill foot=2; sea solid ship=1; rock solid; meadow")


def test_units_cannot_enter_tiles_with_costs_for_others_only() -> None:
    assert unit_costs(WAR, "foot").tolist() == [1, 2, INF, INF, 1]
    assert unit_costs(WAR, "tyre").tolist() == [2, INF, INF, INF, 1]
    assert unit_costs(WAR, "ship").tolist() == [INF, INF, 1, INF, 1]
    with pytest.raises(tw.UnknownName, match=r"unknown unit type 'food'.*did you mean 'foot'"):
        unit_costs(WAR, "food")


def test_the_range_ends_where_the_points_do() -> None:
    row = TileMap([[4, 0, 1, 0, 0, 2, 2]], WAR)
    assert movement_range(row, (0, 0), unit="foot", points=4).tolist() == [[0, 1, 3, 4, INF, INF, INF]]
    assert movement_range(row, (0, 6), unit="ship", points=9).tolist() == [[INF, INF, INF, INF, INF, 1, 0]]
    with pytest.raises(tw.InvalidRecipe, match="must be passable"):
        movement_range(row, (0, 6), unit="foot", points=3)
