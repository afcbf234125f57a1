"""Quantized networks: kernels compute, draw and rate exactly as plain versions do."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.networks import ONE, clip_values, make_network, predict_plainly, read_neighbors
from tilewright.core.network import MAX_BIAS, MAX_CHANNELS, Network
from tilewright.core.seeds import Rng
from tilewright.generators._diffusion.params import TileBounds, count_inside_and_edge
from tilewright.kernels.diffusion import MAX_LOGIT, MAX_VALUE, convolve, embed_tiles, spread_needed
from tilewright.neural.inference import MAX_WEIGHT, ONE_PROBABILITY, Predictor, exp_table, make_layer
from tilewright.testing import block_size

WRAPS = [(False, False), (True, False), (False, True), (True, True)]
NO_WRAP = (False, False)
Array = NDArray[Any]


def pad(values: Array, margin: int, value: int = 0) -> Array:
    """Return an array (row, column, ...) with a margin of cells."""
    return np.pad(values, [(margin, margin)] * 2 + [(0, 0)] * (values.ndim - 2), constant_values=value)


# -- layers -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (5, 4)])
def test_the_input_layer_adds_the_weights_of_nine_cells(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(1)
    kinds, channels, margin = 6, 5, 3
    cells = rng.integers(0, kinds - 1, shape)
    weights = rng.integers(-127, 128, (9, kinds, channels)).astype(np.int16)
    scale, bias = rng.integers(0, 4 * ONE, channels), rng.integers(-500 * ONE, 500 * ONE, channels)
    plane = np.full((shape[0] + 2 * margin, shape[1] + 2 * margin, channels), -7, dtype=np.int16)
    for row in range(shape[0]):
        padded = pad(cells, 1, kinds - 1).astype(np.uint8)
        embed_tiles(padded, make_layer(weights, scale, bias), margin, row, row + 1, plane)
    near = read_neighbors(np.eye(kinds, dtype=np.int64)[cells], 1, NO_WRAP, np.eye(kinds, dtype=np.int64)[-1])
    wanted = clip_values(np.einsum("tyxk,tkc->yxc", near, weights.astype(np.int64)) * scale + bias)
    assert np.array_equal(plane, pad(wanted, margin, -7))


@pytest.mark.parametrize("dilation", [1, 2, 5])
@pytest.mark.parametrize("shape", [(1, 1), (2, 11), (6, 5)])
def test_a_layer_is_a_dilated_convolution_with_a_residual(shape: tuple[int, int], dilation: int) -> None:
    rng = np.random.default_rng(2)
    channels, margin = 7, 5
    source = rng.integers(0, MAX_VALUE + 1, (*shape, channels))
    weights = rng.integers(-128, 128, (channels, 9, channels))
    scale, bias = rng.integers(0, ONE // 200, channels), rng.integers(-500 * ONE, 500 * ONE, channels)
    residual, needed = ONE // 3, rng.integers(0, 2, shape).astype(np.uint8)
    target = np.full((shape[0] + 2 * margin, shape[1] + 2 * margin, channels), -7, dtype=np.int16)
    layer = make_layer(weights.reshape(channels, -1), scale, bias, residual, dilation)
    padded = pad(source, margin).astype(np.int16)
    for row in range(shape[0]):
        convolve(padded, layer, margin, needed, row, row + 1, target)
    near = read_neighbors(source, dilation, NO_WRAP, np.zeros(channels, dtype=np.int64))
    sums = np.einsum("tyxc,otc->yxo", near, weights)
    wanted = np.where(needed[..., None] == 1, clip_values(sums * scale + source * residual + bias), -7)
    assert np.array_equal(target, pad(wanted, margin, -7))


@pytest.mark.parametrize(("weight", "sign"), [(127, 1), (-128, -1)])
def test_the_largest_network_does_not_overflow(weight: int, sign: int) -> None:
    """Largest values, weights, scales and biases in the largest number of channels."""
    total = 9 * MAX_CHANNELS * MAX_VALUE * weight
    assert abs(total) < 1 << 31
    assert abs(total) * (1 << 31) + MAX_VALUE * (1 << 31) + MAX_BIAS < 1 << 63
    source = np.full((3, 3, MAX_CHANNELS), MAX_VALUE, dtype=np.int16)
    weights = np.full((MAX_CHANNELS, 9 * MAX_CHANNELS), weight, dtype=np.int16)
    largest, limit = (1 << 31) - 1, MAX_VALUE if sign > 0 else 0
    cases = [(largest, largest, sign * MAX_BIAS, limit), (1, 0, ONE - total, 1), (1, 0, ONE - total - 1, 0)]
    for scale, residual, bias, wanted in cases:
        target, needed = np.zeros_like(source), np.ones((1, 1), dtype=np.uint8)
        scales, biases = (np.full(MAX_CHANNELS, value, dtype=np.int64) for value in (scale, bias))
        convolve(source, make_layer(weights, scales, biases, residual), 1, needed, 0, 1, target)
        assert (target[1, 1] == wanted).all()


@pytest.mark.parametrize("wrap", WRAPS)
@pytest.mark.parametrize("dilation", [1, 2, 9])
def test_needed_cells_spread_to_all_cells_that_a_layer_reads(wrap: tuple[bool, bool], dilation: int) -> None:
    rng = np.random.default_rng(3)
    for shape in ((1, 1), (4, 7), (12, 3)):
        needed = (rng.random(shape) < 0.2).astype(np.uint8)
        out = np.full(shape, 7, dtype=np.uint8)
        spread_needed(needed, dilation, *wrap, out)
        wanted = np.zeros(shape, dtype=np.uint8)
        for row, column in np.argwhere(needed):
            for down in (-dilation, 0, dilation):
                for right in (-dilation, 0, dilation):
                    at = [row + down, column + right]
                    for axis in range(2):
                        at[axis] = at[axis] % shape[axis] if wrap[axis] else at[axis]
                    if 0 <= at[0] < shape[0] and 0 <= at[1] < shape[1]:
                        wanted[tuple(at)] = 1
        assert np.array_equal(out, wanted)


# -- predictions --------------------------------------------------------------------------------------------------


def read_logits(predictor: Predictor) -> NDArray[np.int64]:
    """Return the logits of all cells, from the values of the last layer."""
    output, margin = predictor.output, predictor.margin
    values = predictor.result[margin : margin + predictor.shape[0], margin : margin + predictor.shape[1]]
    sums = values.astype(np.int64) @ output.weights.astype(np.int64).T
    return ((sums * output.scale + output.bias) >> 24).clip(-MAX_LOGIT, MAX_LOGIT)


def compute(network: Network, cells: Array, wrap: tuple[bool, bool], places: Sequence[int]) -> Predictor:
    padded = pad(cells, 1, len(network.labels) + 1).astype(np.uint8)
    predictor = Predictor(network, padded, wrap)
    for progress in predictor.compute(np.array(places, dtype=np.int64)):
        assert 0 <= progress <= 1
    return predictor


@pytest.mark.parametrize("wrap", WRAPS)
@pytest.mark.parametrize("shape", [(1, 1), (2, 1), (3, 50), (9, 8)])
def test_predictions_follow_the_definition(shape: tuple[int, int], wrap: tuple[bool, bool]) -> None:
    network = make_network(dilations=(1, 2, 7, 1))
    cells = np.random.default_rng(4).integers(0, 5, shape)
    wanted = predict_plainly(network, cells, wrap)
    assert len(np.unique(wanted)) > 2
    assert np.array_equal(read_logits(compute(network, cells, wrap, range(cells.size))), wanted)
    with block_size(1, "diffusion"):
        assert np.array_equal(read_logits(compute(network, cells, wrap, range(cells.size))), wanted)


def test_a_network_without_layers_predicts() -> None:
    network = make_network(dilations=())
    cells = np.random.default_rng(5).integers(0, 5, (4, 6))
    wanted = predict_plainly(network, cells, NO_WRAP)
    assert np.array_equal(read_logits(compute(network, cells, NO_WRAP, range(24))), wanted)


@pytest.mark.parametrize("wrap", WRAPS)
def test_predictions_for_some_places_equal_those_for_all(wrap: tuple[bool, bool]) -> None:
    network = make_network(dilations=(1, 2, 4, 1))
    rng = np.random.default_rng(6)
    cells = rng.integers(0, 5, (13, 17))
    wanted = predict_plainly(network, cells, wrap).reshape(-1, 4)
    for count in (1, 5, 60):
        places = rng.permutation(cells.size)[:count]
        found = read_logits(compute(network, cells, wrap, places.tolist())).reshape(-1, 4)
        assert np.array_equal(found[places], wanted[places])


def test_predictions_of_a_changed_map_forget_the_map_before() -> None:
    network = make_network()
    rng = np.random.default_rng(7)
    padded = pad(rng.integers(0, 5, (8, 8)), 1, 5).astype(np.uint8)
    predictor = Predictor(network, padded, (True, False))
    for count in (64, 3, 64, 20):
        places = rng.permutation(64)[:count].astype(np.int64)
        padded[1:-1, 1:-1] = rng.integers(0, 5, (8, 8))
        list(predictor.compute(places))
        wanted = predict_plainly(network, padded[1:-1, 1:-1], (True, False)).reshape(-1, 4)
        assert np.array_equal(read_logits(predictor).reshape(-1, 4)[places], wanted[places])


# -- choices ------------------------------------------------------------------------------------------------------


def test_the_table_has_the_exponential_function() -> None:
    table = exp_table()
    assert table[0] == MAX_WEIGHT
    assert table[-1] == 0
    assert (np.diff(table) <= 0).all()
    for number in range(len(table) - 1):
        assert abs(table[number] - exp(-number / 256) * MAX_WEIGHT) <= 0.5001


Choice = dict[str, Any]


def plain_is_possible(tile: int, is_edge: bool, masked: tuple[int, int], choice: Choice) -> bool:
    """Return whether the other masked cells, inside and at the edge, can be filled if a cell gets this tile.

    This is the definition: some numbers of cells inside and at the edge for all tiles meet the bounds.
    """
    left, missing, border = (list(choice[name]) for name in ("left", "missing", "border"))
    if left[tile] < 1 or (is_edge and not border[tile]):
        return False
    left[tile], missing[tile] = left[tile] - 1, max(0, missing[tile] - 1)
    states = {(0, 0)}
    for minimum, maximum, may_be_at_edge in zip(missing, left, border, strict=True):
        states = {
            (inside + more, edge + most)
            for inside, edge in states
            for more in range(masked[0] - inside + 1)
            for most in range((masked[1] - edge if may_be_at_edge else 0) + 1)
            if minimum <= more + most <= maximum
        }
    return masked in states


def plain_draw(logits: NDArray[np.int64], sharpness: int, possible: Sequence[bool], rng: Rng) -> int:
    tiles = [tile for tile, is_possible in enumerate(possible) if is_possible]
    best = max(tiles, key=lambda tile: (logits[tile], -tile))
    table = exp_table()
    weights = [0] * len(logits)
    for tile in tiles:
        step = (int(logits[best] - logits[tile]) * sharpness) >> 16
        weights[tile] = int(table[min(step, len(table) - 1)]) if sharpness else int(tile == best)
    mark = rng.below(sum(weights))
    return next(tile for tile in range(len(weights)) if sum(weights[: tile + 1]) > mark)


@pytest.mark.parametrize("seed", range(6))
def test_draws_keep_all_bounds_and_follow_the_probabilities(seed: int) -> None:
    """A cell may get a tile if and only if the rest of the map can then be filled."""
    rng = np.random.default_rng(seed)
    for _ in range(100):
        check_draws(rng)


def check_draws(random: np.random.Generator) -> None:
    rows, columns = random.integers(1, 6, 2).tolist()
    sharpness = int(random.choice([0, 655, 1 << 16, 3 << 16, 65_536_000]))
    border = random.choice([(1, 1, 1, 1), (1, 0, 0, 0), (1, 1, 0, 0), (0, 0, 1, 1)]).astype(np.uint8)
    is_edge_at = np.ones((rows, columns), dtype=np.bool_)
    is_edge_at[1:-1, 1:-1] = False
    solution = np.where(is_edge_at, random.choice(np.flatnonzero(border), is_edge_at.shape), 0)
    solution[~is_edge_at] = random.choice(random.permutation(4)[:2], int((~is_edge_at).sum()))
    numbers = np.bincount(solution.reshape(-1), minlength=4)
    less, more = random.choice([0, 0, 1, 3, 1 << 40], (2, 4))
    bounds = TileBounds(np.maximum(0, numbers - less), numbers + more, border == 1)
    cells = np.where(random.random(solution.shape) < 0.2, solution, 4)
    counts = np.bincount(cells.reshape(-1), minlength=5)[:4]
    masked = count_inside_and_edge(cells == 4)
    slack = bounds.find_slack(counts, *masked)
    assert min(slack.edge, slack.inside, slack.total, slack.left) >= 0
    choice: Choice = {"left": bounds.maximum - counts, "missing": bounds.find_missing(counts), "border": border}
    network = make_network(int(random.integers(1, 5)))
    predictor = compute(network, cells, NO_WRAP, range(cells.size))
    logits = read_logits(predictor)
    places = random.permutation(cells.size)
    kernel_rng, rng = Rng.of(3), Rng.of(3)
    limits = bounds.find_limits(counts, slack.to_array())
    predictor.draw(places, limits, sharpness, kernel_rng.state)
    for place in places.tolist():
        at = divmod(place, columns)
        if cells[at] != 4:
            continue
        is_edge = bool(is_edge_at[at])
        masked = (masked[0] - (not is_edge), masked[1] - is_edge)
        possible = [plain_is_possible(tile, is_edge, masked, choice) for tile in range(4)]
        cells[at] = plain_draw(logits[at], sharpness, possible, rng)
        choice["left"][cells[at]] -= 1
        choice["missing"] = np.maximum(0, choice["missing"] - (np.arange(4) == cells[at]))
    assert np.array_equal(predictor.cells[1:-1, 1:-1], cells)
    assert np.array_equal(limits.left, choice["left"])
    assert np.array_equal(limits.missing, choice["missing"])
    slack = bounds.find_slack(np.bincount(cells.reshape(-1), minlength=4), 0, 0)
    assert np.array_equal(limits.slack, slack.to_array())
    assert np.array_equal(kernel_rng.state, rng.state)


def test_ratings_are_probabilities() -> None:
    network = make_network()
    rng = np.random.default_rng(8)
    cells = rng.integers(0, 5, (6, 7))
    places = rng.permutation(42)[:20]
    predictor = compute(network, cells, NO_WRAP, places.tolist())
    logits = predict_plainly(network, cells, NO_WRAP).reshape(-1, 4)[places]
    total = np.zeros(20)
    for tile in range(4):
        found = predictor.rate(places.astype(np.int64), np.full((6, 7), tile, dtype=np.uint8))
        powers = np.exp((logits - logits.max(axis=1, keepdims=True)) / 256)
        wanted = powers[:, tile] / powers.sum(axis=1)
        assert np.abs(found / ONE_PROBABILITY - wanted).max() < 2e-5
        total += found
    assert ((total <= ONE_PROBABILITY) & (total > ONE_PROBABILITY - 4)).all()


def test_logits_are_bounded() -> None:
    """Scales and biases of any size give logits that choices can compute with."""
    huge = np.array([MAX_BIAS, -MAX_BIAS, 0, 0], dtype=np.int64)
    network = make_network(output_bias=huge, output_scale=np.full(4, (1 << 31) - 1, dtype=np.int32))
    cells = np.full((3, 3), 4)
    predictor = compute(network, cells, NO_WRAP, range(9))
    assert np.array_equal(read_logits(predictor), predict_plainly(network, cells, NO_WRAP))
    assert np.abs(read_logits(predictor)).max() == MAX_LOGIT
    ratings = predictor.rate(np.arange(9), np.zeros((3, 3), dtype=np.uint8))
    assert ((ratings >= 0) & (ratings <= ONE_PROBABILITY)).all()
