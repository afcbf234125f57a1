"""Kernels of improve: numbers equal to measures, windows equal to a plain count, moves that can be undone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tilewright.core.require import Requirement
from tilewright.core.seeds import Rng
from tilewright.core.tilemap import Marker
from tilewright.kernels.canvas import EditCanvas, load_cells, undo_move
from tilewright.kernels.goals import FIRST_TILE, Goals, find_distance
from tilewright.kernels.improvement import ImprovementSettings, ImprovementState, propose, propose_repair
from tilewright.shaping._improve.canvas import Patterns, add_margin, build_canvas
from tilewright.shaping._improve.search import CHANCES, QUANTILES
from tilewright.shaping._improve.targets import FORMULAS, build_goals

NAMES = [*FORMULAS, "count.wall", "count.floor"]
SETTINGS = ImprovementSettings(CHANCES, QUANTILES, 2.0, 0.0, 2.0, 8, 1000, is_endless=False)


def make_noise(seed: int, *, with_markers: bool) -> tw.TileMap:
    random = np.random.default_rng(seed)
    height, width = random.integers(1, 16, 2).tolist()
    tileset = tw.make("caves", width=4, height=4, seed=1).tileset
    used = [tileset.find(name) for name in ("floor", "wall", "moss")]
    cells = np.array(used)[random.choice(3, (height, width), p=[0.5, 0.4, 0.1])]
    spots = [(int(x), int(y)) for y, x in np.argwhere(tileset.passable[cells])]
    markers = [Marker(name, *spots[random.integers(len(spots))]) for name in ("start", "exit", "exit") if spots]
    return tw.TileMap(cells, tileset, markers=markers if with_markers else [])


def make_canvas(map: tw.TileMap, symmetry: int = 1) -> tuple[EditCanvas, Goals]:
    tiles = [map.tileset.find(name) or 0 for name in ("floor", "wall", "moss")]
    free = np.ones(map.shape, dtype=np.bool_)
    for marker in map.markers:
        free[marker.y, marker.x] = False
    canvas = build_canvas(map, free, sorted(tiles), (), Patterns.of(add_margin(map), symmetry))
    targets = [(Requirement(name, ">=", 0), 1.0) for name in NAMES]
    return canvas, build_goals(map, targets, limits_regions=True)


def read_map(map: tw.TileMap, canvas: EditCanvas) -> tw.TileMap:
    return map.replace(cells=canvas.cells[1:-1, 1:-1].astype(map.cells.dtype))


def compute_values(goals: Goals) -> dict[str, float]:
    found: dict[str, float] = {}
    for number, name in enumerate(NAMES):
        above, under = goals.numbers[goals.numerators[number]], goals.numbers[goals.denominators[number]]
        found[name] = above / (goals.factors[number] * under) if above >= 0 and under > 0 else np.nan
    return found


def count_unseen(canvas: EditCanvas, symmetry: int) -> int:
    """Count the windows that the original map does not have, one by one."""

    def list_windows(cells: Any) -> list[tuple[int, ...]]:
        used = np.flatnonzero(canvas.multipliers)
        rows, columns = cells.shape[0] - 2, cells.shape[1] - 2
        return [
            tuple(cells[row : row + 3, column : column + 3].reshape(-1)[used])
            for row in range(rows)
            for column in range(columns)
        ]

    views = [canvas.original] if symmetry == 1 else [canvas.original, canvas.original[:, ::-1]]
    views = views if symmetry < 8 else [np.rot90(view, turns) for view in views for turns in range(4)]
    known = {window for view in views for window in list_windows(view)}
    return sum(window not in known for window in list_windows(canvas.cells))


@pytest.mark.parametrize("with_markers", [False, True])
@pytest.mark.parametrize("symmetry", [1, 2, 8])
def test_numbers_follow_every_move(symmetry: int, with_markers: bool) -> None:
    kept = 0
    for seed in range(25):
        map = make_noise(seed, with_markers=with_markers)
        canvas, goals = make_canvas(map, symmetry)
        state, stream = ImprovementState.new(), Rng.of(seed).state
        state.distance = find_distance(canvas, goals)
        if not canvas.places.size:
            continue
        for _ in range(30):
            before = canvas.cells.copy(), canvas.passable.copy(), canvas.counts.copy(), canvas.unseen.copy()
            distance = propose(canvas, goals, SETTINGS, state, stream)
            now = read_map(map, canvas)
            assert np.array_equal(canvas.passable[0, 0], now.passable)
            assert np.array_equal(canvas.counts, np.bincount(now.cells.reshape(-1), minlength=len(map.tileset)))
            assert canvas.state.changed == np.count_nonzero(now.cells != map.cells)
            assert canvas.state.unseen == canvas.unseen.sum() == count_unseen(canvas, symmetry)
            if np.isfinite(distance):
                kept += 1
                assert compute_values(goals) == pytest.approx(tw.measure(now, *NAMES), rel=0, abs=0, nan_ok=True)
            if kept % 2:
                undo_move(canvas)
                after = canvas.cells, canvas.passable, canvas.counts, canvas.unseen
                assert [one.tolist() for one in before] == [one.tolist() for one in after]
                if find_distance(canvas, goals) < np.inf:
                    old = tw.measure(read_map(map, canvas), *NAMES)
                    assert compute_values(goals) == pytest.approx(old, rel=0, abs=0, nan_ok=True)
    assert kept > 200


def test_cells_that_are_not_free_stay_and_limits_are_infinite() -> None:
    map = make_noise(3, with_markers=False)
    canvas, goals = make_canvas(map)
    middle = map.width // 2
    canvas.free[:, : middle + 1] = 0
    state, stream = ImprovementState.new(), Rng.of(1).state
    find_distance(canvas, goals)
    goals.limits[1] = goals.numbers[3]
    canvas.kept[:] = canvas.counts
    for _ in range(400):
        distance = propose(canvas, goals, SETTINGS, state, stream)
        now = read_map(map, canvas)
        assert np.array_equal(
            now.cells[:, : canvas.free.shape[1] // 2 - 1], map.cells[:, : canvas.free.shape[1] // 2 - 1]
        )
        if np.isfinite(distance):
            assert tw.measure(now, "regions")["regions"] <= goals.limits[1]
            assert np.array_equal(canvas.counts, canvas.kept)
        undo_move(canvas)
    assert goals.numbers[FIRST_TILE:].sum() == map.cells.size


def test_repairs_lead_back_to_the_original_map() -> None:
    for seed in range(20):
        map = make_noise(seed, with_markers=False)
        canvas, _ = make_canvas(map)
        random = np.random.default_rng(seed)
        other = canvas.original.copy()
        other.reshape(-1)[canvas.places] = random.permutation(other.reshape(-1)[canvas.places])
        load_cells(canvas, other)
        assert np.array_equal(canvas.cells, other)
        assert canvas.state.unseen == count_unseen(canvas, 1)
        state, stream = ImprovementState.new(), Rng.of(seed).state
        for _ in range(3):
            state.cursor = state.turn = 0
            while propose_repair(canvas, SETTINGS, state, stream):
                pass
        assert canvas.state.changed == np.count_nonzero(canvas.cells != canvas.original)
        assert canvas.state.unseen + canvas.state.changed == 0 or canvas.state.changed < map.cells.size / 4
