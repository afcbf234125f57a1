"""Noise: windows that join anywhere, tiles by height and moisture, islands, and the appearance of its maps."""

from __future__ import annotations

from fractions import Fraction
from hashlib import blake2b
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from numpy.typing import NDArray

import tilewright as tw
from tilewright.core.seeds import Rng
from tilewright.generators._noise import lattice
from tilewright.generators._noise.lattice import NO_DISPLACEMENT, Octave, Window, sample_octave
from tilewright.kernels.noise import UNITS

KINDS = ("perlin", "simplex", "value", "cellular")
FRACTALS = ("plain", "ridged", "billow")
FAR = 1 << 62
BIOMES = [["deep"], ["water"], ["sand"], ["sand", "grass", "forest"], ["hill", "mountain"], ["snow"]]
BETWEEN = [0.15, 0.3, 0.4, 0.8, 0.95]


def noise(**params: Any) -> tw.TileMap:
    return tw.make("noise", **params)


@settings(max_examples=60)
@given(
    kind=some.sampled_from(KINDS), fractal=some.sampled_from(FRACTALS), feature_size=some.floats(1, 300),
    lacunarity=some.floats(1, 16), warp=some.sampled_from([0.0, 0.7, 16.0]), island=some.sampled_from([0.0, 0.5]),
    x=some.integers(-FAR, FAR - 30), y=some.one_of(some.integers(-60, 60), some.integers(-FAR, FAR - 30)),
    right=some.integers(1, 20), down=some.integers(1, 12), seed=some.integers(0, 10**6),
)  # fmt: skip
def test_windows_fit_everywhere(x: int, y: int, right: int, down: int, seed: int, **params: Any) -> None:
    params |= {"seed": seed, "octaves": 3, "world": (90, 70), "biomes": BIOMES, "thresholds": BETWEEN}
    whole = noise(width=right + 9, height=down + 7, offset=(x, y), **params)
    part = noise(width=9, height=7, offset=(x + right, y + down), **params)
    assert np.array_equal(whole.cells[down:, right:], part.cells)
    for name in ("height", "moisture"):
        assert np.array_equal(whole.layers[name][down:, right:], part.layers[name])


@pytest.mark.parametrize("kind", KINDS)
def test_far_windows_are_as_fine_as_near_ones(kind: str) -> None:
    for x, y in [(0, 0), (FAR - 300, FAR), (-FAR, -FAR), (10**15, -7)]:
        heights = noise(kind=kind, width=300, height=300, offset=(x, y), seed=2, octaves=1).layers["height"]
        assert 0.2 < heights.std() < 0.4
        steps = np.abs(np.diff(heights, axis=1))
        assert 0 < steps.max() < 0.4  # No jumps, and no flat areas.
        assert (steps == 0).mean() < 0.01


@given(some.integers(-(1 << 80), 1 << 80), some.integers(1, 200), some.integers(1, 1 << 17), some.integers(1, 1 << 40))
def test_positions_are_divided_exactly(start: int, count: int, factor: int, side: int) -> None:
    cells, rests = lattice.divide_positions(start, count, factor, side)
    for number in range(0, count, 7):
        exact = Fraction((start + number * UNITS) * factor, side)
        assert int(cells[number]) == (exact.numerator // exact.denominator) % (1 << 64)
        assert Fraction(int(rests[number]), side) == exact % 1


@pytest.mark.parametrize("kind", ["perlin", "value", "cellular"])
@pytest.mark.parametrize(("width", "height", "scale"), [(30, 21, 8.0), (7, 50, 24.0), (1, 1, 5.0), (64, 33, 1.0)])
def test_a_torus_repeats(kind: Any, width: int, height: int, scale: float) -> None:
    octave = Octave(Rng.of(4), kind, scale)
    displacement = np.random.default_rng(1).normal(size=(2, height, width)) * 40
    for shifts in (NO_DISPLACEMENT, displacement):
        rounds: list[NDArray[np.float64]] = []
        for origin in [(0, 0), (5 * height, width), (-height, -3 * width)]:
            rounds.append(np.empty((height, width)))
            list(sample_octave(octave, Window((height, width), origin, (height, width)), shifts, rounds[-1]))
        assert np.array_equal(rounds[0], rounds[1])
        assert np.array_equal(rounds[0], rounds[2])


@pytest.mark.parametrize("kind", ["perlin", "value", "cellular"])
def test_opposite_edges_of_a_torus_join(kind: str) -> None:
    for seed in range(10):
        made = noise(kind=kind, width=60, height=40, seed=seed, wrap=True, octaves=2, warp=0.3)
        heights = made.layers["height"]
        inside = max(np.abs(np.diff(heights, axis=axis)).max() for axis in (0, 1))
        assert np.abs(heights[0] - heights[-1]).max() < 1.5 * inside
        assert np.abs(heights[:, 0] - heights[:, -1]).max() < 1.5 * inside


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("fractal", FRACTALS)
def test_heights_are_evenly_spread(kind: str, fractal: str) -> None:
    for octaves in (1, 4):
        made = noise(kind=kind, fractal=fractal, octaves=octaves, feature_size=8, width=300, height=300, seed=5)
        heights = made.layers["height"]
        assert heights.min() >= 0
        assert heights.max() <= 1
        for share in (0.1, 0.3, 0.5, 0.7, 0.9):
            assert abs((heights < share).mean() - share) < 0.13


@given(some.lists(some.floats(0, 1), max_size=7), some.integers(0, 1000), some.sampled_from([0.0, 0.4]))
def test_tiles_are_the_bands_of_the_heights(given_thresholds: list[float], seed: int, island: float) -> None:
    thresholds = sorted(given_thresholds)
    names = ["deep", "water", "sand", "grass", "forest", "hill", "mountain", "snow"][: len(thresholds) + 1]
    made = noise(width=13, height=9, thresholds=thresholds, bands=names, seed=seed, island=island, octaves=2)
    assert set(made.layers) == {"height"}
    for (row, column), height in np.ndenumerate(made.layers["height"]):
        assert (
            made.tileset[int(made.cells[row, column])].name == names[sum(bool(height >= mark) for mark in thresholds)]
        )


def test_biomes_go_by_height_and_moisture() -> None:
    made = noise(width=200, height=150, thresholds=BETWEEN, biomes=BIOMES, seed=3)
    seen = set()
    for (row, column), height in np.ndenumerate(made.layers["height"]):
        choice = BIOMES[sum(bool(height >= mark) for mark in BETWEEN)]
        name = choice[min(int(made.layers["moisture"][row, column] * len(choice)), len(choice) - 1)]
        assert made.tileset[int(made.cells[row, column])].name == name
        seen.add(name)
    assert seen == {name for row in BIOMES for name in row}


@pytest.mark.parametrize("island", [0.05, 0.5, 1.0])
def test_an_island_has_sea_around_it(island: float) -> None:
    for seed in range(30):
        made = noise(seed=seed, island=island, width=60, height=45)
        edges = made.where("deep")
        assert edges[0].all()
        assert edges[-1].all()
        assert edges[:, 0].all()
        assert edges[:, -1].all()
        assert not made.where("deep", "water").all()


def test_an_island_is_that_of_its_world() -> None:
    whole = noise(width=120, height=80, island=0.6, seed=8)
    part = noise(width=40, height=30, offset=(50, 20), world=(120, 80), island=0.6, seed=8)
    assert np.array_equal(whole.layers["height"][20:50, 50:90], part.layers["height"])
    for offset in [(120, 0), (-40, 10), (FAR, -FAR), (0, 1 << 41)]:
        beyond = noise(width=40, height=30, offset=offset, world=(120, 80), island=0.6, seed=8)
        assert not beyond.layers["height"].any()
        assert beyond.where("deep").all()


def test_more_octaves_add_to_those_before() -> None:
    frames = [frame for frame in tw.watch("noise", seed=4, octaves=4) if frame.note.startswith("octave")]
    for count in (1, 2, 3, 4):
        shown = [frame.cells for frame in frames if frame.note == f"octave {count}" and frame.cells is not None]
        assert len(shown) == 1
        assert np.array_equal(shown[0], noise(seed=4, octaves=count).cells)


def test_locked_cells_are_kept_and_nothing_else_changes() -> None:
    free = noise(seed=1)
    held = noise(seed=1, locks=[[3, 4, "snow"], [5, 5, "deep"]])
    assert held.tileset[held.cells[4, 3]].name == "snow"
    assert held.tileset[held.cells[5, 5]].name == "deep"
    assert (held.cells != free.cells).sum() <= 2
    assert np.array_equal(held.layers["height"], free.layers["height"])


def test_layers_are_kept_in_files(tmp_path: Any) -> None:
    made = noise(seed=1, width=20, height=10, thresholds=BETWEEN, biomes=BIOMES)
    made.save(tmp_path / "terrain.npz")
    again = tw.load(tmp_path / "terrain.npz")
    assert set(again.layers) == {"height", "moisture"}
    assert np.array_equal(again.layers["height"], made.layers["height"])


def test_a_single_band_fills_the_map() -> None:
    assert noise(thresholds=(), bands=("grass",), seed=1, width=5, height=4).where("grass").all()


def test_defaults_look_like_terrain() -> None:
    maps = [noise(seed=seed) for seed in range(40)]
    for name, low, high in [("deep", 0.05, 0.25), ("grass", 0.1, 0.3), ("forest", 0.1, 0.3), ("snow", 0.002, 0.05)]:
        assert low < np.mean([made.where(name).mean() for made in maps]) < high
    for made in maps:
        assert 0.08 < made.where("deep", "water").mean() < 0.7


def test_the_bits_are_the_same_everywhere() -> None:
    """Pin the bits, to detect other heights on another machine or with another numpy or numba."""
    digest = blake2b(digest_size=8)
    for kind in KINDS:
        for warp in (0.0, 0.6):
            far = {"offset": (FAR, -12345), "island": 0.0} if warp else {"island": 0.7}
            made = noise(kind=kind, warp=warp, seed="bits", width=61, height=37, fractal="ridged", **far)
            digest.update(made.layers["height"].astype("<f8").tobytes())
    assert digest.hexdigest() == "c63174afa45b445b"
