"""Noise on a GPU, against that of `tw.run`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numba import cuda

import tilewright as tw
from tests.gpu.conftest import choose_cases
from tilewright.batch.engine import hash_seeds
from tilewright.batch.program import BatchProgram
from tilewright.core.many_maps import NoKernel
from tilewright.generators._noise.many import make_tables
from tilewright.generators.noise import NoiseParams
from tilewright.kernels.gpu.noise import NoiseMaker

BIOMES = (("water",), ("sand", "grass", "forest"), ("hill", "snow"))
SMALL: list[dict[str, Any]] = [
    {"width": 10, "height": 9, "octaves": 3},
    {"width": 1, "height": 1, "octaves": 1},
    {"width": 64, "height": 2, "kind": "value", "feature_size": 1.0, "octaves": 1, "fractal": "ridged"},
    {"width": 7, "height": 5, "kind": "simplex", "octaves": 2, "warp": 0.5},
    {"width": 7, "height": 9, "kind": "cellular", "octaves": 2, "wrap": True, "fractal": "billow"},
    {"width": 5, "height": 3, "kind": "cellular", "octaves": 1, "warp": 0.7},
    {"width": 7, "height": 5, "octaves": 1, "warp": 1.0, "island": 0.6},
    {"width": 7, "height": 5, "octaves": 2, "thresholds": (0.3, 0.6), "biomes": BIOMES, "offset": (-(10**14), 3)},
]
LARGE: list[dict[str, Any]] = [
    {"width": 64, "height": 64},
    {"width": 63, "height": 64, "kind": "value", "feature_size": 1.0, "fractal": "ridged"},
    {"width": 50, "height": 70, "wrap": True, "gain": 0.8, "thresholds": (0.3, 0.6), "biomes": BIOMES},
    {"width": 64, "height": 64, "feature_size": 9.0, "lacunarity": 1.7, "fractal": "billow", "island": 0.7},
    {"width": 64, "height": 64, "kind": "cellular", "feature_size": 3.0},
    {"width": 33, "height": 64, "kind": "simplex", "fractal": "ridged", "offset": (10**12, -(10**12))},
    {"width": 64, "height": 64, "warp": 1.5},
    {"width": 64, "height": 64, "kind": "simplex", "warp": 0.7},
    {"width": 40, "height": 300, "kind": "cellular", "warp": 0.7, "wrap": True},
    {"width": 64, "height": 1024, "kind": "value", "wrap": True},
]


@pytest.mark.parametrize("settings", choose_cases(SMALL, LARGE), ids=str)
@np.errstate(all="ignore")
def test_maps_are_those_of_the_cpu(settings: dict[str, Any], is_simulated: bool) -> None:
    recipe = tw.recipe("noise", **settings)
    params = NoiseParams(**settings)
    seeds = [str(seed) for seed in range(1 if is_simulated else 500)]
    depth = max(1, (len(params.labels) - 1).bit_length())
    planes = cuda.to_device(np.zeros((len(seeds), depth, params.height), dtype=np.uint64))
    NoiseMaker(make_tables(params)).fill(cuda.to_device(hash_seeds(seeds, ["noise"])), planes)
    columns = np.arange(params.width, dtype=np.uint64)
    bits = (planes.copy_to_host()[..., None] >> columns) & np.uint64(1)
    states = (bits << np.arange(depth, dtype=np.uint64)[:, None, None]).sum(axis=1).astype(np.int64)
    for number, seed in enumerate(seeds):
        map = tw.run(recipe, seed=seed)
        ids = np.array([map.tileset.find(name) for name in params.labels])
        assert (ids[states[number]] == map.cells).all()


def test_more_than_eight_tiles_are_unsupported() -> None:
    names = ("deep", "water", "sand", "grass", "forest", "hill", "mountain", "snow", "swamp")
    thresholds = tuple(number / 10 for number in range(1, 9))
    tileset = {"tiles": [{"name": name} for name in names]}
    recipe = tw.recipe("noise", width=20, height=20, bands=names, thresholds=thresholds, tileset=tileset)
    with pytest.raises(NoKernel, match="more than 8 tiles"):
        BatchProgram.of(recipe)
