"""Mazes on a GPU, against those of `tw.run`, and their path lengths against those of `tw.measure`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import cuda

import tilewright as tw
from tests.gpu.conftest import choose_cases
from tilewright.batch.columns import find_column
from tilewright.batch.engine import hash_seeds
from tilewright.batch.program import BatchProgram
from tilewright.core.many_maps import NoKernel
from tilewright.generators._maze.many import make_tables, needs_markers
from tilewright.generators.maze import MazeParams
from tilewright.kernels.bit_surveys import NEEDS_PATH, NEEDS_REGIONS, NUMBERS, PATH, REGIONS
from tilewright.kernels.gpu import groups, maps
from tilewright.kernels.gpu.maze import MazeMaker

METHODS = ["backtracker", "prim", "kruskal", "wilson", "division"]
SMALL: list[dict[str, Any]] = [
    *({"width": 9, "height": 7, "method": method} for method in METHODS),
    {"width": 1, "height": 1},
    {"width": 2, "height": 9, "braid": 1.0},
    {"width": 13, "height": 8, "braid": 0.6, "passage": 2, "method": "kruskal"},
    {"width": 64, "height": 5, "passage": 3, "wall": 2, "method": "division"},
]
LARGE: list[dict[str, Any]] = [
    *({"width": 63, "height": 63, "method": method} for method in METHODS),
    *({"width": 64, "height": 50, "method": method, "braid": 0.5} for method in METHODS),
    {"width": 64, "height": 64, "passage": 3, "wall": 2, "method": "wilson"},
    {"width": 64, "height": 1024},
]


def measure_paths(planes: Any, lengths: Any, params: MazeParams) -> Any:
    """Return the numbers of regions, which are 1, and the path lengths of mazes in the memory of the GPU."""
    group, count = groups.choose_group(params.height), planes.shape[0]
    needs = NEEDS_REGIONS | (0 if needs_markers(params) else NEEDS_PATH)
    job = (params.height, params.width, 1, needs, cuda.to_device(np.zeros((0, 3), dtype=np.int64)), np.uint64(0))
    shapes: list[tuple[Any, Any]] = [
        ((0, 4), np.int64),
        ((0, 2), float),
        (5, float),
        (2, np.uint64),
        ((0, 1), np.uint64),
        (0, np.uint64),
    ]
    tests = tuple(cuda.to_device(np.zeros(shape, dtype=dtype)) for shape, dtype in [*shapes, ((0, 1), float)])
    table = cuda.to_device(np.zeros((count, NUMBERS), dtype=np.int32))
    out = (cuda.to_device(np.zeros((0, 1, params.height), dtype=np.uint64)), table)
    maps.build_loaded(group)[groups.find_launch(group, params.height, count)](planes, lengths, job, tests, out)
    numbers = table.copy_to_host()
    return numbers[:, REGIONS], numbers[:, PATH]


@pytest.mark.parametrize("settings", choose_cases(SMALL, LARGE), ids=str)
@np.errstate(all="ignore")
def test_maps_and_path_lengths_are_those_of_the_cpu(settings: dict[str, Any], is_simulated: bool) -> None:
    params = MazeParams(**settings)
    seeds = [str(seed) for seed in range(2 if is_simulated else 500)]
    planes = cuda.to_device(np.zeros((len(seeds), 1, params.height), dtype=np.uint64))
    lengths = cuda.to_device(np.zeros(len(seeds) if needs_markers(params) else 0, dtype=np.int32))
    maker = MazeMaker(make_tables(params), mazes_at_once=1 if is_simulated else 300)
    maker.fill(cuda.to_device(hash_seeds(seeds, ["maze"])), planes, lengths)
    columns = np.arange(params.width, dtype=np.uint64)
    walls = (planes.copy_to_host()[:, 0, :, None] >> columns) & np.uint64(1)
    regions, paths = measure_paths(planes, lengths, params)
    assert (regions == 1).all()
    for number, seed in enumerate(seeds):
        map = tw.run(tw.recipe("maze", **settings), seed=seed)
        assert (walls[number] == (map.cells == map.tileset.find("wall"))).all()
        assert paths[number] == tw.measure(map, "path_length")["path_length"]


def test_shapers_may_remove_the_ends_of_the_path() -> None:
    program = BatchProgram.of(tw.recipe("maze", width=9, height=7, shaping=["keep_largest"]))
    find_column("regions", program)
    with pytest.raises(NoKernel, match="the path_length of maps with markers after shapers"):
        find_column("path_length", program)
