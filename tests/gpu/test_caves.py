"""Caves, their shapers and measures on a GPU, against those of `tw.run` and `tw.measure`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tests.gpu.conftest import choose_cases
from tilewright.analysis.survey import measure_maps
from tilewright.batch import ScanBound, open_engine, open_scanner
from tilewright.batch.columns import collect_needs, compute_values, find_column
from tilewright.batch.engine import decode_cells, hash_seeds
from tilewright.core.require import read_requirements

MEASURES = [
    "floor_share",
    "regions",
    "largest_region",
    "path_length",
    "dead_ends",
    "symmetry_x",
    "symmetry_y",
    "symmetry_turn",
    "count.wall",
    "count.floor",
]
SMALL: list[dict[str, Any]] = [
    {"width": 7, "height": 5, "outside": "floor", "steps": 2},
    {"width": 9, "height": 6, "birth": 3, "survive": 6, "steps": 1},
    {"width": 1, "height": 1},
    {"width": 8, "height": 7, "steps": 2, "shaping": [{"border": {"thickness": 2}}, "keep_largest"]},
]
LARGE: list[dict[str, Any]] = [
    {"width": 64, "height": 64},
    {"width": 64, "height": 64, "walls": 0.3, "steps": 0},
    {"width": 64, "height": 64, "walls": 1.0},
    {"width": 33, "height": 20, "birth": 0, "survive": 9},
    {"width": 64, "height": 63, "shaping": ["keep_largest", {"border": {"thickness": 3}}]},
    {"width": 50, "height": 301},
    {"width": 33, "height": 1024, "steps": 3},
]


@pytest.mark.parametrize("settings", choose_cases(SMALL, LARGE), ids=str)
def test_maps_and_measures_are_those_of_the_cpu(settings: dict[str, Any], is_simulated: bool) -> None:
    recipe = tw.recipe("caves", **settings)
    count = 2 if is_simulated else 2000
    engine = open_engine(recipe, "gpu")
    assert engine.device == "gpu"
    columns = [find_column(name, engine.program) for name in MEASURES]
    made = engine.make_range(98, count, prefix="7-", needs=collect_needs(columns), keeps=True)
    maps = [tw.run(recipe, seed=f"7-{98 + number}") for number in range(count)]
    assert made.planes is not None
    assert (decode_cells(made.planes, engine.program) == [map.cells for map in maps]).all()
    found, expected = compute_values(columns, made.numbers, engine.program.cells), measure_maps(maps, MEASURES)
    for name in MEASURES:
        assert np.array_equal(found[name], expected[name], equal_nan=True), name


def test_maps_of_any_seeds(is_simulated: bool) -> None:
    recipe = tw.recipe("caves", width=6, height=4, steps=1)
    engine = open_engine(recipe, "gpu")
    made = engine.make_keys(hash_seeds(["sea", "007"], ["caves"]), needs=0, keeps=True)
    assert made.planes is not None
    cells = decode_cells(made.planes, engine.program)
    assert (cells == [tw.run(recipe, seed=seed).cells for seed in ("sea", "007")]).all()


@pytest.mark.parametrize("bound", [None, ScanBound(8.0, 101)])
def test_scans_find_what_the_cpu_finds(bound: ScanBound | None, is_simulated: bool) -> None:
    size = (8, 5) if is_simulated else (64, 64)
    recipe = tw.recipe("caves", width=size[0], height=size[1], steps=1 if is_simulated else 5)
    requirements = read_requirements({"regions": "<4", "floor_share": "0.2..0.9", "path_length": "most"})
    names = ["floor_share", "regions", "path_length", "largest_region", "count.wall"]
    count = 4 if is_simulated else 50_000
    results = []
    for device in ("cpu", "gpu"):
        scanner = open_scanner(recipe, requirements, names, device)
        assert scanner.device == device
        results.append(scanner.scan(99, count, bound))
    cpu, gpu = results
    assert cpu.seeds.tolist() == gpu.seeds.tolist()
    assert (cpu.passed, cpu.met, cpu.without) == (gpu.passed, gpu.met, gpu.without)
    assert cpu.histograms == gpu.histograms
    for name in names:
        assert np.array_equal(cpu.values[name], gpu.values[name], equal_nan=True)
