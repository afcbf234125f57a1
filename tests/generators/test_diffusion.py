"""Diffusion maps: locks, counts and borders hold exactly, and the bytes depend on nothing but the recipe."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tilewright as tw
from tests.cases import read_table
from tests.networks import LABELS, ONE, make_likely, make_network
from tilewright.core.network import Network
from tilewright.core.provenance import digest
from tilewright.core.samples import Samples
from tilewright.core.tile_counts import parse_bounds
from tilewright.core.tilesets import tilesets
from tilewright.generators._diffusion.masked_map import MASKED_COLOR
from tilewright.neural.training_set import TrainingSet
from tilewright.testing import block_size

TINY = make_network()
WALL, FLOOR, DOOR, WATER = range(4)
MODELS = {"random": TINY, "rare doors": make_likely(2, 2, -3, 1), "alike": make_likely(0, 0, 0, 0)}
every_model = pytest.mark.parametrize("model", MODELS.values(), ids=list(MODELS))


def make_map(**values: Any) -> tw.TileMap:
    return tw.make("diffusion", **{"model": TINY, "width": 16, "height": 12, "seed": 1, "steps": 8, **values})


def make_reader(tile: int, *weights: float, output: int, scale: int) -> Network:
    """Return a network that makes one tile likely beside another, and else has these weights."""
    inputs, outputs = np.zeros((9, 6, 2), dtype=np.int8), np.zeros((4, 2), dtype=np.int8)
    inputs[:, tile, 0], outputs[output, 0] = 100, 127
    scales = {"input_scale": np.full(2, ONE), "output_scale": np.full(4, scale), "residual_scale": np.array([ONE])}
    whole = {name: values.astype(np.int32) for name, values in scales.items()}
    return make_likely(*weights, input=inputs, output=outputs, **whole)


def count_tiles(map: tw.TileMap) -> dict[str, int]:
    return {name: int((map.cells == number).sum()) for number, name in enumerate(map.tileset.names)}


def find_edge_tiles(map: tw.TileMap) -> set[str]:
    cells = map.cells
    numbers = np.concatenate([cells[0], cells[-1], cells[:, 0], cells[:, -1]])
    return {map.tileset[int(number)].name for number in np.unique(numbers)}


# -- the built-in model -------------------------------------------------------------------------------------------


def test_it_works_out_of_the_box() -> None:
    m = tw.make("diffusion", seed=1)
    assert m.shape == (30, 40)
    assert len(np.unique(m.cells)) > 3
    quick: dict[str, Any] = {"width": 12, "height": 9, "steps": 4, "refine": 1}
    m = tw.make("diffusion", seed=1, **quick)
    assert m == tw.make("diffusion", seed=1, model="dungeon", **quick)
    assert m != tw.make("diffusion", seed=2, **quick)


def test_goldens() -> None:
    """Integers decide everything, so these digests hold on all machines."""
    cases: list[dict[str, Any]] = [
        {"temperature": 0.8, "refine": 3},
        {"temperature": 1.3, "refine": 0, "wrap": "xy"},
        {"temperature": 1, "refine": 2, "counts": {"door": 20}, "border": ["wall"]},
    ]
    found = [digest(make_map(**values)) for values in cases]
    assert found == [
        "6446517f9060dc062706402bfe0dd204",
        "0f77c6b00871041a44bd9604f1058308",
        "2689dda4629985244ab99c0eec317688",
    ]


# -- sampling -----------------------------------------------------------------------------------------------------


@every_model
@pytest.mark.parametrize("shape", [(1, 1), (1, 7), (7, 1), (2, 2), (3, 50), (50, 80)])
@pytest.mark.parametrize("wrap", ["none", "x", "y", "xy"])
def test_any_shape(model: Network, shape: tuple[int, int], wrap: Any) -> None:
    m = make_map(model=model, width=shape[1], height=shape[0], wrap=wrap)
    assert m.shape == shape
    assert m.cells.max() < 4


@pytest.mark.parametrize("steps", [1, 2, 7, 191, 192, 193, 100_000])
def test_any_number_of_steps(steps: int) -> None:
    recipe = tw.recipe("diffusion", model=TINY, width=16, height=12, steps=steps, refine=0, seed=1)
    *frames, last = tw.watch(recipe)
    assert last.map is not None
    assert last.map.numbers["redrawn"] == 0
    filled = [int((frame.colors != MASKED_COLOR).any(axis=-1).sum()) for frame in frames if frame.colors is not None]
    assert len({*filled} - {0}) == min(steps, 192)
    assert filled[-1] == 192


def test_the_first_steps_fill_fewer_cells() -> None:
    recipe = tw.recipe("diffusion", model=TINY, width=20, height=10, steps=10, refine=0, seed=1)
    frames = [frame.colors for frame in tw.watch(recipe) if frame.colors is not None]
    filled = sorted({int((colors != MASKED_COLOR).any(axis=-1).sum()) for colors in frames} - {0})
    assert filled == [200 * step * step * (500 - step * step) // 40_000 for step in range(1, 11)]


def test_tiles_are_drawn_by_their_probabilities() -> None:
    weights = np.array([0.0, 1.0, -1.0, 0.5])
    for temperature in (0.5, 1, 2):
        m = make_map(model=make_likely(*weights), width=80, height=80, temperature=temperature, refine=0)
        wanted = np.exp(weights / temperature)
        found = np.array([*count_tiles(m).values()]) / m.cells.size
        assert np.abs(found - wanted / wanted.sum()).max() < 0.02


@pytest.mark.parametrize("temperature", [0, 0.0005])
def test_temperature_0_takes_the_most_likely_tile(temperature: float) -> None:
    m = make_map(model=make_likely(0, 0.004, -1, 0), temperature=temperature)
    assert count_tiles(m) == {"wall": 0, "floor": m.cells.size, "door": 0, "water": 0}
    tied = make_map(model=make_likely(-1, 0, 0, 0), temperature=temperature)
    assert count_tiles(tied)["floor"] == m.cells.size


def test_a_map_of_temperature_0_depends_on_the_seed_only_by_the_order_of_cells() -> None:
    one, other = (make_map(temperature=0, steps=1, refine=0, seed=seed) for seed in (1, 2))
    assert one == other
    assert make_map(temperature=0, steps=20, seed=1) != make_map(temperature=0, steps=20, seed=2)


def test_wrapped_maps_have_no_edges() -> None:
    """A network that reads only what is outside the map finds nothing there."""
    model = make_reader(5, -1, 0, -9, -9, output=WALL, scale=ONE // 8)  # cells outside the map
    for wrap, tops, sides in (("none", "#", "#"), ("x", "#", "."), ("y", ".", "#"), ("xy", ".", ".")):
        m = make_map(model=model, wrap=wrap, temperature=0)
        rows = str(m).split("\n")
        assert rows[0][5] == rows[-1][5] == tops
        assert rows[5][0] == rows[5][-1] == sides


# -- locks --------------------------------------------------------------------------------------------------------


def lock_rectangle(tile: str, *, x: int, y: int, width: int = 10, height: int = 10) -> list[list[Any]]:
    return [[column, row, tile] for row in range(y, y + height) for column in range(x, x + width)]


@every_model
@pytest.mark.parametrize("refine", [0, 3])
def test_locked_rectangles_hold(model: Network, refine: int) -> None:
    locks = lock_rectangle("water", x=3, y=4) + lock_rectangle("door", x=16, y=8)
    m = make_map(model=model, width=30, height=22, locks=locks, refine=refine)
    assert (m.cells[4:14, 3:13] == WATER).all()
    assert (m.cells[8:18, 16:26] == DOOR).all()


@every_model
def test_scattered_locks_hold(model: Network) -> None:
    rng = np.random.default_rng(1)
    for seed in range(5):
        wanted = np.where(rng.random((12, 16)) < 0.3, rng.integers(0, 4, (12, 16)), -1)
        locks = [[x, y, LABELS[wanted[y, x]]] for y, x in np.argwhere(wanted >= 0).tolist()]
        m = make_map(model=model, locks=locks, seed=seed)
        assert (m.cells[wanted >= 0] == wanted[wanted >= 0]).all()


def test_a_map_of_locks_only_is_complete() -> None:
    locks = ["#.+~" * 4] * 12
    m = make_map(locks=locks)
    assert str(m).split("\n") == locks


def test_the_map_is_filled_around_locks() -> None:
    """The predictions depend on locked cells up to the reach of the network."""
    one, other = (make_map(steps=1, refine=0, locks=[[8, 6, tile]]) for tile in ("water", "door"))
    changed = one.cells != other.cells
    assert changed.sum() > 1
    reach = 1 + sum(TINY.dilations)
    assert not changed[:, : 8 - reach].any()
    assert not changed[:, 9 + reach :].any()


def test_locked_pieces_are_those_of_their_kind() -> None:
    """If fitting pieces are chosen in the end, a tile of the network represents all pieces of its kind."""
    model = make_network(labels=("plain", "sea", "road ew"), tileset=tilesets.get("awbw"), pieces="chosen")
    locks: list[tuple[int, int, str]] = [(3, 3, "road ns"), (3, 4, "road nw"), (0, 0, "road es")]
    m = make_map(model=model, locks=locks, border=["sea", "road ew"])
    for x, y, tile in locks:
        assert m.tileset[int(m.cells[y, x])].name == tile
    with pytest.raises(tw.InvalidRecipe, match="lock a cell of the edge to 'road ew', which border does not allow"):
        make_map(model=model, locks=locks, border=["sea"])
    with pytest.raises(tw.InvalidRecipe, match="no map of the model has the tile 'river ns'"):
        make_map(model=model, locks=[[0, 0, "river ns"]])
    learned = make_network(labels=("plain", "sea", "road ew"), tileset=tilesets.get("awbw"))
    with pytest.raises(tw.InvalidRecipe, match="no map of the model has the tile 'road ns'"):
        make_map(model=learned, locks=locks)


# -- counts and border --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_unique_tiles_of_the_training_maps_occur_once(seed: int) -> None:
    model = make_network(unique_tiles=("door", "lava"))
    assert model.unique_tiles == ["door"]
    assert model.digest != make_network().digest == make_network(unique_tiles=("lava",)).digest
    assert count_tiles(make_map(model=model, seed=seed))["door"] == 1
    assert count_tiles(make_map(model=model, seed=seed, counts={"door": 3}))["door"] == 3
    locked = tw.make("diffusion", model=model, width=9, height=7, seed=seed, locks=[[2, 2, "door"]])
    assert count_tiles(locked)["door"] == 1


def test_unique_tiles_are_found_in_training_maps() -> None:
    maps = []
    for number in range(6):
        cells = np.full((24, 18), WALL)
        cells[number, 2], cells[3 : 3 + number, 5] = DOOR, WATER  # 0 to 5 cells of water
        maps.append(tw.TileMap(cells, TINY.tileset))
    assert TrainingSet.of(Samples.of(maps)).unique_tiles == ["door"]
    assert TrainingSet.of(Samples.of(maps[:1])).unique_tiles == []


@every_model
@pytest.mark.parametrize("refine", [0, 3])
@pytest.mark.parametrize("temperature", [0, 0.8])
@pytest.mark.parametrize("counts", read_table(__file__, "counts are exact"), ids=str)
def test_counts_are_exact(model: Network, counts: dict[str, Any], temperature: float, refine: int) -> None:
    m = make_map(model=model, counts=counts, temperature=temperature, refine=refine)
    for tile, count in counts.items():
        low, high = parse_bounds(str(count))
        assert low <= count_tiles(m)[tile] <= high


def test_locked_cells_count() -> None:
    locks = lock_rectangle("door", x=2, y=2, width=3, height=3)
    assert count_tiles(make_map(locks=locks, counts={"door": 9}))["door"] == 9
    assert count_tiles(make_map(locks=locks, counts={"door": 12}))["door"] == 12


def test_required_tiles_are_spread_over_the_map() -> None:
    """Tiles that are unlikely everywhere, but required, are not all in the cells that are filled last or first."""
    m = make_map(model=make_likely(2, 2, -6, 2), width=40, height=40, counts={"door": 64}, refine=0)
    blocks = (m.cells == DOOR).reshape(4, 10, 4, 10).sum(axis=(1, 3))
    assert blocks.sum() == 64
    assert blocks.max() <= 12
    assert (blocks > 0).sum() >= 14


def test_required_tiles_are_placed_where_they_are_likely() -> None:
    """A network that finds doors likely only beside locked water."""
    model = make_reader(WATER, 0, 0, -8, -99, output=DOOR, scale=ONE // 5)
    m = make_map(model=model, width=30, height=20, locks=[[10, 10, "water"]], counts={"door": 6}, refine=0)
    places = np.argwhere(m.cells == DOOR)
    assert len(places) == 6
    assert (np.abs(places - [10, 10]).max(axis=1) == 1).all()


@every_model
@pytest.mark.parametrize("border", [("wall",), ("door", "water")])
@pytest.mark.parametrize("wrap", ["none", "xy"])
@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (2, 2), (3, 3), (12, 16)])
def test_the_border_has_only_its_tiles(
    model: Network, border: tuple[str, ...], wrap: Any, shape: tuple[int, int]
) -> None:
    m = make_map(model=model, border=border, wrap=wrap, width=shape[1], height=shape[0])
    assert find_edge_tiles(m) <= set(border)


@every_model
def test_border_and_counts_leave_no_dead_end(model: Network) -> None:
    """Counts that need each cell inside the edge, or each tile of the border, always succeed."""
    for seed in range(4):
        size: dict[str, Any] = {"model": model, "width": 8, "height": 7, "seed": seed, "border": ["wall"]}
        m = make_map(**size, counts={"floor": 20, "door": 10})  # all 30 cells inside
        assert count_tiles(m) == {"wall": 26, "floor": 20, "door": 10, "water": 0}
        m = make_map(**size, counts={"wall": 26})  # only at the edge
        assert (m.cells[1:-1, 1:-1] != WALL).all()
        m = make_map(**size, counts={"wall": "26..27", "water": 29}, locks=[[3, 3, "wall"]])
        assert count_tiles(m) == {"wall": 27, "floor": 0, "door": 0, "water": 29}


# -- refinement ---------------------------------------------------------------------------------------------------


def test_refinement_draws_unlikely_tiles_again() -> None:
    values: dict[str, Any] = {"model": make_likely(1, 1, -3, 1), "width": 40, "height": 30, "temperature": 1}
    before, after = make_map(**values, refine=0), make_map(**values, refine=1)
    doors = before.cells == DOOR
    assert doors.any()
    assert before.numbers["redrawn"] == 0
    near = np.zeros_like(doors)
    for row, column in np.argwhere(doors):
        near[max(0, row - 2) : row + 3, max(0, column - 2) : column + 3] = True
    assert after.numbers["redrawn"] == near.sum()
    assert np.array_equal(before.cells[~near], after.cells[~near])
    assert (before.cells[near] != after.cells[near]).any()


def test_refinement_wraps_with_the_map() -> None:
    values: dict[str, Any] = {"model": make_likely(1, 1, -9, 1), "counts": {"door": 1}, "width": 9, "height": 9}
    sizes = {
        wrap: {make_map(**values, wrap=wrap, refine=1, seed=seed).numbers["redrawn"] for seed in range(30)}
        for wrap in ("none", "xy")
    }
    assert sizes["xy"] == {25}
    assert min(sizes["none"]) < 25


def test_refinement_stops_when_no_cell_is_unlikely() -> None:
    m = make_map(model=make_likely(0, 0, -99, 0), refine=1000)
    assert m.numbers["redrawn"] == 0
    assert m == make_map(model=make_likely(0, 0, -99, 0), refine=0)


# -- the map depends on the recipe only ---------------------------------------------------------------------------


CASES: list[dict[str, Any]] = [
    {},
    {"wrap": "xy", "counts": {"door": "9..12"}},
    {"border": ["wall", "door"], "locks": [[3, 2, "water"], [8, 6, "floor"]], "steps": 30},
]


@pytest.mark.parametrize("values", CASES)
def test_blocks_and_watching_change_nothing(values: dict[str, Any]) -> None:
    whole = make_map(**values)
    recipe = tw.recipe("diffusion", **{"model": TINY, "width": 16, "height": 12, "seed": 1, "steps": 8, **values})
    assert [*tw.watch(recipe)][-1].map == whole
    for size in (1, 9 * 36 * 16 * 5):
        with block_size(size):
            assert make_map(**values) == whole
            assert [*tw.watch(recipe, every=7)][-1].map == whole


GENERIC = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""}
PROGRAM = """
import json, sys
import tilewright as tw
from tilewright.core.provenance import digest
from tilewright.core.samples import Samples
from tilewright.core.tilesets import tilesets
for values in json.load(sys.stdin):
    print(digest(tw.make("diffusion", model=sys.argv[1], seed=1, width=16, height=12, **values)))
"""


def test_another_processor_makes_the_same_bytes(tmp_path: Path) -> None:
    """The kernels are compiled again for a processor that has only the oldest vector instructions."""
    TINY.save(tmp_path / "tiny.npz")
    cases = [{"steps": 8, **values} for values in CASES]
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, tmp_path / "tiny.npz"],
        env={**os.environ, **GENERIC, "TILEWRIGHT_CACHE": str(tmp_path)},
        input=json.dumps(cases),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [digest(make_map(**values)) for values in cases]


# -- mistakes -----------------------------------------------------------------------------------------------------


def test_a_tileset_that_lacks_tiles_of_the_model_needs_substitutes() -> None:
    with pytest.raises(tw.TilewrightError, match="tileset 'cave' has no 'door', which diffusion needs"):
        make_map(tileset="cave")
    m = make_map(tileset="cave", tiles={"door": "floor"}, counts={"door": 5}, locks=[[1, 1, "floor"]])
    assert m.tileset[int(m.cells[1, 1])].name == "floor"
