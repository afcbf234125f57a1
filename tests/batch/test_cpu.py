"""Caves made in batches on the CPU, against those of `tw.run` and `tw.measure`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tests.cases import read_table
from tests.refusals import refused
from tilewright.analysis.survey import measure_maps
from tilewright.batch import ScanBound, find_bins, open_engine, open_scanner
from tilewright.batch.columns import KNOWN, collect_needs, compute_values, find_column
from tilewright.batch.engine import decode_cells
from tilewright.core.errors import InvalidRecipe
from tilewright.core.many_maps import NoKernel
from tilewright.core.require import read_requirements

MEASURES = [*KNOWN, "count.wall", "count.floor"]


@pytest.mark.parametrize("settings", read_table(__file__, "maps and measures are those of single maps"), ids=str)
def test_maps_and_measures_are_those_of_single_maps(settings: dict[str, Any]) -> None:
    recipe, count = tw.recipe("caves", **settings), 200
    engine = open_engine(recipe, "cpu")
    names = [name for name in MEASURES if "tiles" not in settings or not name.startswith("count")]
    columns = [find_column(name, engine.program) for name in names]
    made = engine.make_range(95, count, prefix="", needs=collect_needs(columns), keeps=True)
    maps = [tw.run(recipe, seed=95 + number) for number in range(count)]
    assert made.planes is not None
    cells = decode_cells(made.planes, engine.program)
    assert cells.dtype == maps[0].cells.dtype
    assert (cells == [map.cells for map in maps]).all()
    found, expected = compute_values(columns, made.numbers, engine.program.cells), measure_maps(maps, names)
    for name in names:
        assert np.array_equal(found[name], expected[name], equal_nan=True), name


@pytest.mark.parametrize("survive", range(10))
def test_every_rule_of_the_automaton(survive: int) -> None:
    for birth in range(10):
        recipe = tw.recipe("caves", width=13, height=11, birth=birth, survive=survive, steps=2)
        engine = open_engine(recipe, "cpu")
        made = engine.make_range(0, 10, prefix="", needs=0, keeps=True)
        assert made.planes is not None
        cells = decode_cells(made.planes, engine.program)
        assert (cells == [tw.run(recipe, seed=number).cells for number in range(10)]).all()


@pytest.mark.parametrize(("settings", "reason"), read_table(__file__, "recipes without kernels"), ids=str)
def test_recipes_without_kernels(settings: dict[str, Any], reason: str) -> None:
    with refused("", NoKernel, start=reason):
        open_engine(tw.recipe("caves", **{"height": 40, **settings}), "cpu")


@pytest.mark.parametrize("measure", ["openness", "chokepoints", "count.moss", "symmetry_x"])
def test_measures_without_kernels(measure: str) -> None:
    tileset = "awbw" if measure == "symmetry_x" else "cave"
    tiles = {"floor": "plain", "wall": "reef"} if measure == "symmetry_x" else {}
    recipe = tw.recipe("caves", width=60, height=40, tileset=tileset, tiles=tiles)
    with pytest.raises(NoKernel, match="the measure"):
        find_column(measure, open_engine(recipe, "auto").program)


def test_a_device_must_exist() -> None:
    with pytest.raises(InvalidRecipe, match="device: must be one of auto, cpu, gpu"):
        open_engine(tw.recipe("caves", width=60), "tpu")


@pytest.mark.parametrize("bound", [None, ScanBound(120.0, 700)])
def test_a_scan_is_a_loop_over_seeds(bound: ScanBound | None) -> None:
    recipe = tw.recipe("caves", width=50, height=40)
    requirements = read_requirements({"regions": "<4", "floor_share": ">0.6", "path_length": "most"})
    names = ["floor_share", "regions", "path_length", "largest_region"]
    found = open_scanner(recipe, requirements, names, "cpu").scan(500, 400, bound)
    values = measure_maps([tw.run(recipe, seed=500 + number) for number in range(400)], names)
    passes = [all(one.holds(values[one.measure][number]) for one in requirements) for number in range(400)]
    assert found.passed == sum(passes)
    for one in requirements:
        assert found.met[one.measure] == sum(one.holds(number) for number in values[one.measure])
    lengths = values["path_length"].tolist()
    wanted = [
        500 + number
        for number in range(400)
        if passes[number]
        and (
            bound is None
            or lengths[number] > bound.value
            or (lengths[number] == bound.value and 500 + number < bound.seed)
        )
    ]
    assert found.seeds.tolist() == wanted
    assert found.values["path_length"].tolist() == [lengths[seed - 500] for seed in wanted]
    bins, counts = np.unique(find_bins("floor_share", values["floor_share"]), return_counts=True)
    assert found.histograms["floor_share"] == dict(zip(bins.tolist(), counts.tolist(), strict=True))
