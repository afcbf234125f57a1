"""Conversion of trained weights to integers.

Each output channel of a layer has its own scale, so that its largest weight becomes 127. The values of a layer have
one scale, so that nearly all values seen in training are at most `MAX_VALUE`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.errors import InvalidRecipe
from ..core.network import MAX_BIAS, TAPS
from ..kernels.diffusion import MAX_VALUE, SHIFT, UNITS

MAX_WEIGHT = 127
ONE = 1 << SHIFT
HALF = 1 << SHIFT - 1


def quantize(weights: Mapping[str, NDArray[np.float32]], ranges: Sequence[float]) -> dict[str, NDArray[Any]]:
    """Return the integer arrays of a network.

    Parameters
    ----------
    weights
        Weights and biases of `TileNetwork` by name.
    ranges
        Largest value of each layer to represent, from the input layer on.

    Returns
    -------
    dict of ndarray
        Arrays as `core.network.Network` stores them.

    Raises
    ------
    InvalidRecipe
        If a weight is not finite, or a scale is out of range. Then the training has diverged.
    """
    units = [limit / MAX_VALUE for limit in ranges]
    first, first_scale = _round_weights(weights["input.weight"])
    inner, channels = len(ranges) - 1, len(first)
    layers = np.empty((inner, channels, TAPS, channels), dtype=np.int8)
    arrays: dict[str, NDArray[Any]] = {
        "input": np.ascontiguousarray(first.reshape(channels, -1, TAPS).transpose(2, 1, 0)),
        "input_scale": _fix_scale(first_scale / units[0]),
        "input_bias": _fix_bias(weights["input.bias"] / units[0]),
        "layers": layers,
        "layer_scale": np.empty((inner, channels), dtype=np.int32),
        "layer_bias": np.empty((inner, channels), dtype=np.int64),
        "residual_scale": np.empty(inner, dtype=np.int32),
    }
    for number, (before, after) in enumerate(pairwise(units)):
        found, scale = _round_weights(weights[f"layers.{number}.weight"])
        layers[number] = found.reshape(channels, channels, TAPS).transpose(0, 2, 1)
        arrays["layer_scale"][number] = _fix_scale(scale * before / after)
        arrays["layer_bias"][number] = _fix_bias(weights[f"layers.{number}.bias"] / after)
        arrays["residual_scale"][number] = _fix_scale(np.array([before / after]))[0]
    last, last_scale = _round_weights(weights["output.weight"])
    arrays["output"] = np.ascontiguousarray(last.reshape(len(last), channels))
    arrays["output_scale"] = _fix_scale(last_scale * units[-1] * UNITS)
    arrays["output_bias"] = _fix_bias(weights["output.bias"].astype(np.float64) * UNITS)
    return arrays


def _round_weights(values: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float64]]:
    """Return weights as integers, and the scale of each output channel."""
    if not np.isfinite(values).all():
        raise InvalidRecipe("the training diverged: a weight is not finite")
    flat = values.reshape(len(values), -1).astype(np.float64)
    scale = np.maximum(np.abs(flat).max(axis=1), 1e-12) / MAX_WEIGHT
    return np.rint(flat / scale[:, None]).astype(np.int8).reshape(values.shape), scale


def _fix_scale(values: NDArray[np.float64]) -> NDArray[np.int32]:
    """Return scales as integers with `SHIFT` fractional bits."""
    found = np.rint(values * ONE)
    if not (np.isfinite(found) & (found < 1 << 31)).all():
        raise InvalidRecipe("the training diverged: the values of a layer are too large")
    return found.astype(np.int32)


def _fix_bias(values: NDArray[Any]) -> NDArray[np.int64]:
    """Return biases as integers with `SHIFT` fractional bits. A half is added, so that shifts round to the nearest."""
    found = np.rint(values.astype(np.float64) * ONE)
    if not (np.isfinite(found) & (np.abs(found) < MAX_BIAS / 2)).all():
        raise InvalidRecipe("the training diverged: a bias is too large")
    return found.astype(np.int64) + HALF
