"""Measures of many maps equal those of each map."""

from __future__ import annotations

import math
from collections.abc import Iterator
from unittest.mock import Mock

import numpy as np
import pytest

import tilewright as tw
from tests.tilesets import make_tileset
from tilewright.analysis import survey
from tilewright.analysis.survey import Survey
from tilewright.core.registry import measures
from tilewright.core.tilemap import Marker, TileMap
from tilewright.core.tileset import Tileset
from tilewright.core.tilesets import tilesets
from tilewright.kernels import surveys

TILES = make_tileset("a; b; # solid")
OTHER = Tileset.from_labels(["floor", "wall"])
MEASURES = [entry.name for entry in measures if not entry.argument and not entry.compares]


def draw_maps() -> Iterator[TileMap]:
    """Yield random maps of several shapes and tilesets, in 2D and 3D, some with markers, rooms, or no floor."""
    random = np.random.default_rng(3)
    for number in range(120):
        shape = [(7, 15), (4, 6), (2, 3, 5)][number % 3]
        cells = np.where(random.random(shape) < number % 11 / 10, 2, random.integers(0, 2, shape))
        names = ("start", "exit", "start", "chest") if number % 2 else ()
        level, row, column = (1, *shape)[-3:]
        spots = random.integers(0, (column, row, level), (len(names), 3)).tolist()
        markers = [Marker(name, x, y, level) for name, (x, y, level) in zip(names, spots, strict=True)]
        yield TileMap(cells, TILES, markers=markers)
        yield TileMap(cells // 2, OTHER)
    yield from (tw.make(name, seed=5) for name in ("rooms", "maze", "caves"))
    awbw = tilesets.get("awbw")
    yield from (TileMap(random.integers(0, len(awbw), (6, 9)), awbw) for _ in range(10))


def test_values_equal_those_of_each_map() -> None:
    maps = list(draw_maps())
    found = tw.measure_many(maps, *MEASURES)
    assert list(found) == MEASURES
    for number, map in enumerate(maps):
        np.testing.assert_equal({name: found[name][number] for name in MEASURES}, tw.measure(map, *MEASURES))


def test_without_names_all_measures_that_apply_to_any_map() -> None:
    maps = [tw.make("caves", width=9, height=7, seed=1), tw.make("rooms", width=20, height=20, seed=1)]
    found = tw.measure_many(maps)
    assert set(found) == set(tw.measure(maps[0])) | set(tw.measure(maps[1]))
    assert math.isnan(found["room_count"][0])
    assert found["room_count"][1] == len(maps[1].rooms)


def test_an_array_of_tile_ids() -> None:
    cells = np.random.default_rng(1).integers(0, 3, (20, 5, 6))
    names = ("regions", "path_length", "count.b")
    expected = tw.measure_many([TileMap(one, TILES) for one in cells], *names)
    np.testing.assert_equal(tw.measure_many(cells, *names, tileset=TILES), expected)
    solid = cells.reshape(10, 2, 5, 6)
    assert tw.measure_many(solid, "cells", tileset=TILES)["cells"].tolist() == [60] * 10
    assert tw.measure_many(cells[:2] * 0, "regions", tileset="dungeon")["regions"].shape == (2,)


def test_no_maps() -> None:
    assert tw.measure_many([], "regions")["regions"].tolist() == []
    assert tw.measure_many([]) == {}
    assert tw.measure_many(np.zeros((0, 3, 3), dtype=np.uint8), "cells", tileset=TILES)["cells"].tolist() == []


def test_maps_of_one_shape_and_tileset_share_a_kernel_call(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = Mock(wraps=surveys.survey_regions)
    monkeypatch.setattr(surveys, "survey_regions", counted)
    tw.measure_many(
        [TileMap([[0, 1]], TILES), TileMap([[0]], TILES), TileMap([[1, 1]], TILES)], "regions", "path_length"
    )
    assert counted.call_count == 2


def test_large_groups_are_divided(monkeypatch: pytest.MonkeyPatch) -> None:
    maps = list(draw_maps())
    expected = tw.measure_many(maps, "regions", "path_length", "tile_entropy")
    for limit, value in (("MAX_MAPS", 3), ("MAX_CELLS", 50)):
        monkeypatch.setattr(survey, limit, value)
        np.testing.assert_equal(tw.measure_many(maps, "regions", "path_length", "tile_entropy"), expected)


@pytest.mark.usefixtures("own_registry")
def test_measures_of_other_packages_work_unchanged() -> None:
    @tw.register
    @tw.analysis.measure(unit="cells")
    def narrow(survey: Survey) -> float | None:
        """Number of cells with two neighbors, if the map has any floor."""
        return int((survey.neighbor_counts[survey.passable] == 2).sum()) if survey.passable.any() else None

    maps = [TileMap([[0, 0, 0, 2]], TILES), TileMap([[2, 2, 2, 2]], TILES)]
    np.testing.assert_equal(tw.measure_many(maps, "narrow"), {"narrow": np.array([1, np.nan])})


def test_samples() -> None:
    maps = [tw.make("patterns", sample="dungeon", width=12, height=12, seed=seed) for seed in range(2)]
    found = tw.measure_many(maps, "divergence", like="dungeon", pattern_size=2)
    expected = [tw.measure(map, "divergence", like="dungeon", pattern_size=2)["divergence"] for map in maps]
    assert found["divergence"].tolist() == expected


def test_counts_of_a_tile_that_only_some_tilesets_have() -> None:
    maps = [TileMap([[0, 1]], TILES), TileMap([[0, 1]], OTHER)]
    assert tw.measure_many(maps, "count.floor")["count.floor"].tolist() == [0, 1]
    with pytest.raises(tw.UnknownName, match="unknown tile 'flor'"):
        tw.measure_many(maps, "count.flor")


@pytest.mark.parametrize(
    ("maps", "options", "message"),
    [
        (TileMap([[0]], TILES), {}, "use tw.measure for one map"),
        (5, {}, "must be maps"),
        ([TileMap([[0]], TILES), "a"], {}, "must be a TileMap"),
        (np.zeros((2, 2, 2), dtype=int), {}, "an array needs a tileset"),
        (np.zeros((2, 2), dtype=int), {"tileset": TILES}, r"must be \(map, row, column\)"),
        (np.full((2, 2, 2), 3), {"tileset": TILES}, r"has ids 0\.\.2, got 3"),
        (np.zeros((2, 2, 2)), {"tileset": TILES}, "must be tile ids"),
        ([TileMap([[0]], TILES)], {"tileset": TILES}, "only an array needs one"),
        ([TileMap([[0]], TILES)], {"pattern_size": 2}, "needs a sample"),
    ],
)
def test_bad_input(maps: object, options: dict[str, object], message: str) -> None:
    with pytest.raises(tw.TilewrightError, match=message):
        tw.measure_many(maps, "regions", **options)  # type: ignore[arg-type]


def test_comparing_needs_a_sample() -> None:
    with pytest.raises(tw.InvalidRecipe, match="compares a map with a sample"):
        tw.measure_many([TileMap([[0]], TILES)], "divergence")
