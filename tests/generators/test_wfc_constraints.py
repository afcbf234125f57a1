"""User constraints of wfc: they hold in every map, recipes name them, and mistakes in them are one line."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import ceil, floor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tilewright as tw
from tests.generators.test_wfc import check_patterns
from tests.refusals import refused
from tilewright.core.registry import constraints
from tilewright.core.samples import Samples

ROOMS: dict[str, Any] = {"sample": "dungeon", "width": 24, "height": 18}


class ApartParams(tw.Params):
    tile: str = tw.param("treasure")
    """Tile whose cells are kept apart."""
    distance: int = tw.param(5, ge=1, le=100)
    """Number of rows and columns around a cell without another such cell."""


def apart(p: ApartParams, view: Any) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Keep the cells of a tile apart."""
    near = np.zeros(view.shape, dtype=np.bool_)
    for row, column in np.argwhere(view.holds(p.tile)).tolist():
        around = np.zeros(view.shape, dtype=np.bool_)
        rows = slice(max(0, row - p.distance), row + p.distance + 1)
        around[rows, max(0, column - p.distance) : column + p.distance + 1] = True
        around[row, column] = False
        near |= around
    yield p.tile, near


@pytest.fixture(autouse=True)
def registered(own_registry: None) -> tw.Constraint:
    return tw.register(tw.constraint(params=ApartParams)(apart))


def find_min_distance(map: tw.TileMap, tile: str = "treasure") -> int:
    cells = np.argwhere(map.where(tile))
    return min((int(abs(one - other).max()) for one, other in combinations(cells, 2)), default=1000)


@pytest.mark.parametrize("params", [{}, {"pattern_size": 2}, {"counts": {"treasure": "2..9"}}, {"wrap": "xy"}])
def test_a_constraint_holds(params: dict[str, Any]) -> None:
    """It holds with several pattern sizes, with built-in constraints, and after backtracks and repairs."""
    free, kept = [], []
    for seed in range(4):
        map = tw.make("wfc", **{**ROOMS, "constraints": [{"apart": {"distance": 6}}], **params}, seed=seed)
        kept.append(find_min_distance(map))
        free.append(find_min_distance(tw.make("wfc", **{**ROOMS, **params}, seed=seed)))
        check_patterns(map)
    assert min(kept) > 6 >= min(free)


def test_a_constraint_holds_with_locks_and_restarts() -> None:
    given: dict[str, Any] = {
        **ROOMS,
        "max_backtracks": 0,
        "max_repairs": 1,
        "max_restarts": 50,
        "locks": [[5, 5, "treasure"]],
    }
    map = tw.make("wfc", **given, constraints=["apart"], seed=3)
    assert map.where("treasure")[5, 5]
    assert find_min_distance(map) > 5
    with pytest.raises(tw.GaveUp, match="constraints"):
        tw.make("wfc", **{**given, "locks": [[5, 5, "treasure"], [5, 9, "treasure"]]}, constraints=["apart"], seed=3)


def test_notations_and_watching_give_the_same_map(registered: tw.Constraint) -> None:
    notations: list[Any] = ["apart", {"apart": {}}, registered, registered(tile="treasure", distance=5)]
    maps = [tw.make("wfc", **ROOMS, constraints=[given], seed=2) for given in notations]
    *_, last = tw.watch("wfc", **ROOMS, constraints=["apart"], seed=2)
    for map in maps:
        assert np.array_equal(map.cells, maps[0].cells)
    assert last.map is not None
    assert np.array_equal(last.map.cells, maps[0].cells)


def test_it_is_called_with_what_changed() -> None:
    seen: list[int] = []

    @tw.register
    @tw.constraint()
    def watching(p: tw.Params, view: Any) -> list[Any]:
        assert view.changed.shape[1] == 2
        seen.append(len(view.changed))
        assert view.may_hold("floor").shape == view.shape == (18, 24)
        assert not (view.holds("floor") & ~view.may_hold("floor")).any()
        return []

    map = tw.make("wfc", **ROOMS, constraints=["watching"], seed=1)
    assert seen[0] == 18 * 24
    assert 0 < min(seen) < 50
    assert np.array_equal(map.cells, tw.make("wfc", **ROOMS, seed=1).cells), "it banned nothing"


def test_a_file_names_it_and_verifies(tmp_path: Path) -> None:
    map = tw.make("wfc", **ROOMS, constraints=[{"apart": {"distance": 4}}], seed=9)
    assert map.recipe is not None
    assert map.recipe.to_data()["params"]["constraints"] == [{"apart": {"tile": "treasure", "distance": 4}}]
    map.save(tmp_path / "map.json")
    assert tw.load(tmp_path / "map.json").recipe == map.recipe
    assert tw.verify(tmp_path / "map.json").outcome == "same"
    constraints.remove("apart")

    @tw.register
    @tw.constraint()
    def aparts(p: tw.Params, view: Any) -> list[Any]:
        return []

    verdict = tw.verify(tmp_path / "map.json")
    assert verdict.outcome == "impossible"
    assert "unknown constraint 'apart'; did you mean 'aparts'?" in verdict.message


@pytest.mark.parametrize(
    ("given", "path", "words"),
    [
        (["apert"], ("params", "constraints", 0), "did you mean 'apart'"),
        ([{"apart": {"distence": 3}}], ("params", "constraints", 0, "apart", "distence"), "distance"),
        ([{"apart": {"distance": 0}}], ("params", "constraints", 0, "apart", "distance"), "at least 1"),
        ([{"apart": 5}], ("params", "constraints", 0, "apart"), "named values"),
        ([3], ("params", "constraints", 0), "one constraint with its parameters"),
    ],
)
def test_mistakes_in_recipes(given: list[Any], path: tuple[Any, ...], words: str) -> None:
    with pytest.raises(tw.InvalidRecipe, match=words) as error:
        tw.recipe("wfc", **ROOMS, constraints=given)
    assert [one.path for one in error.value.problems] == [path]


@pytest.mark.parametrize(
    "result",
    [None, 5, "treasure", [5], [("treasure",)], [("treasure", 5)], [("treasure", np.ones((18, 24)))],
     [("treasure", np.ones((2, 2), dtype=bool))], [("tresure", np.ones((18, 24), dtype=bool))]],
)  # fmt: skip
def test_invalid_results_of_a_constraint(result: Any) -> None:
    @tw.register
    @tw.constraint()
    def wrong(p: tw.Params, view: Any) -> Any:
        return result

    with refused("wrong"):
        tw.make("wfc", **ROOMS, constraints=["wrong"], seed=1)


def test_a_constraint_that_raises_is_named() -> None:
    @tw.register
    @tw.constraint()
    def broken(p: tw.Params, view: Any) -> Any:
        raise ValueError("no idea")

    with pytest.raises(tw.TilewrightError, match="constraint 'broken' failed: ValueError: no idea"):
        tw.make("wfc", **ROOMS, constraints=["broken"], seed=1)


def test_the_solver_gives_up_on_an_impossible_constraint() -> None:
    @tw.register
    @tw.constraint()
    def nothing(p: tw.Params, view: Any) -> Any:
        return [(tile, np.ones(view.shape, dtype=np.bool_)) for tile in view.labels]

    for relax in (False, True):
        with pytest.raises(tw.GaveUp, match="constraints: nothing: could not be satisfied"):
            tw.make("wfc", **ROOMS, constraints=["nothing"], max_restarts=1, max_repairs=2, relax=relax, seed=1)


@pytest.mark.parametrize("sample", ["platforms", "dungeon", "overworld"])
def test_matching_counts_follow_the_sample(sample: str) -> None:
    samples = Samples.of(sample)
    fractions = samples.tile_counts / samples.tile_counts.sum()
    for seed in range(6):
        map = tw.make("wfc", sample=sample, width=40, height=24, seed=seed, match_counts=True)
        for label, fraction in zip(samples.labels, fractions.tolist(), strict=True):
            count = int((map.cells == map.tileset.id(label)).sum())
            assert floor(0.4 * fraction * 960) <= count <= ceil(2.5 * fraction * 960), label


def test_given_counts_precede_matching_ones() -> None:
    map = tw.make("wfc", sample="dungeon", width=30, height=20, seed=1, match_counts=True, counts={"treasure": 0})
    assert not (map.cells == map.tileset.id("treasure")).any()
    with pytest.raises(tw.InvalidRecipe, match="match_counts: needs a sample; rules have no counts of tiles"):
        tw.make("wfc", rules="countryside", match_counts=True)


def test_locks_against_matching_counts_name_the_parameter() -> None:
    locks = [[x, y, "wall"] for y in range(20) for x in range(20)]
    with pytest.raises(
        tw.InvalidRecipe, match=r"locks: 400 cells locked, more than match_counts: wall \d+\.\.\d+ allows"
    ):
        tw.make("wfc", sample="dungeon", width=30, height=20, seed=1, match_counts=True, locks=locks)
