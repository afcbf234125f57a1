"""Small networks with random weights, for tests of the technique diffusion, its kernels and its files."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilewright.core.network import ARRAYS, TAPS, Network
from tilewright.core.seeds import Rng
from tilewright.core.tileset import Tileset

LABELS = ("wall", "floor", "door", "water")
TILES = Tileset.validate(
    {
        "name": "tiny",
        "tiles": [
            {"name": name, "glyph": glyph, "passable": glyph in ".+"}
            for name, glyph in zip(LABELS, "#.+~", strict=True)
        ],
    }
)
ONE = 1 << 24
"""The scale 1."""
SCALES = {"input": ONE, "layer": ONE // 512, "residual": ONE // 2, "output": ONE // 128}
"""Scales with which most values of random networks are between 0 and the maximum."""


def make_arrays(seed: int, channels: int, layers: int, tiles: int) -> dict[str, NDArray[Any]]:
    """Return the arrays of a network with random weights."""
    sizes = {"channels": channels, "kinds": tiles + 2, "tiles": tiles, "layers": layers}
    arrays: dict[str, NDArray[Any]] = {}
    for name, (kind, sides) in ARRAYS.items():
        shape = tuple(sizes[side] if isinstance(side, str) else side for side in sides)
        low, high = -127, 128
        if name.endswith("_scale"):
            scale = SCALES[name.removesuffix("_scale")]
            low, high = scale // 2, 2 * scale
        elif name.endswith("_bias"):
            low, high = -100 * ONE, 100 * ONE
        numbers = Rng.of(seed).child(name).randoms(prod(shape))  # numpy's own streams may change
        arrays[name] = np.floor(low + numbers * (high - low)).astype(kind).reshape(shape)
    return arrays


def make_network(
    seed: int = 1,
    *,
    channels: int = 6,
    dilations: tuple[int, ...] = (1, 3, 1),
    labels: tuple[str, ...] = LABELS,
    tileset: Tileset = TILES,
    pieces: str = "learned",
    unique_tiles: tuple[str, ...] = (),
    name: str = "tiny",
    **changes: Any,
) -> Network:
    """Return a network with random weights, and some arrays replaced."""
    arrays = make_arrays(seed, channels, len(dilations), len(labels))
    manifest = {"maps": 3, "digests": ["0" * 16], "pieces": pieces, "unique_tiles": [*unique_tiles]}
    return Network(labels, tileset, dilations, {**arrays, **changes}, manifest, name)


def make_likely(*weights: float, **keywords: Any) -> Network:
    """Return a network that predicts each tile with a probability that does not depend on other cells.

    The weights are the logits of the tiles, in nats.
    """
    arrays = {name: np.zeros_like(array) for name, array in make_arrays(1, 2, 1, len(LABELS)).items()}
    arrays["output_bias"] = np.array([round(weight * 256) * ONE for weight in weights], dtype=np.int64)
    return make_network(channels=2, dilations=(1,), **{**arrays, **keywords})


def predict_plainly(network: Network, cells: NDArray[Any], wrap: tuple[bool, bool]) -> NDArray[np.int64]:
    """Return the logits of all tiles for all cells, by the definition of the network in 64-bit integers.

    `cells` has tile numbers; masked cells have the number of tiles.
    """
    arrays = {name: array.astype(np.int64) for name, array in network.arrays.items()}
    inside = np.eye(len(network.labels) + 2, dtype=np.int64)[cells]
    outside = np.zeros(len(network.labels) + 2, dtype=np.int64)
    outside[-1] = 1
    near = read_neighbors(inside, 1, wrap, outside)
    sums = np.einsum("tyxk,tkc->yxc", near, arrays["input"])
    values = clip_values(sums * arrays["input_scale"] + arrays["input_bias"])
    for number, dilation in enumerate(network.dilations):
        near = read_neighbors(values, dilation, wrap, np.zeros(values.shape[2], dtype=np.int64))
        sums = np.einsum("tyxc,otc->yxo", near, arrays["layers"][number])
        scaled = sums * arrays["layer_scale"][number] + values * arrays["residual_scale"][number]
        values = clip_values(scaled + arrays["layer_bias"][number])
    sums = values @ arrays["output"].T
    logits: NDArray[np.int64] = (sums * arrays["output_scale"] + arrays["output_bias"]) >> 24
    return logits.clip(-(1 << 20), 1 << 20)


def clip_values(scaled: NDArray[np.int64]) -> NDArray[np.int64]:
    return (scaled >> 24).clip(0, 1023)


def read_neighbors(
    values: NDArray[np.int64], dilation: int, wrap: tuple[bool, bool], outside: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the values of the nine cells that a convolution reads, for each cell: (tap, row, column, channel)."""
    rows, columns, _ = values.shape
    found = np.empty((TAPS, *values.shape), dtype=np.int64)
    for tap in range(TAPS):
        down, right = (tap // 3 - 1) * dilation, (tap % 3 - 1) * dilation
        for row in range(rows):
            for column in range(columns):
                at = [row + down, column + right]
                for axis, side in enumerate((rows, columns)):
                    at[axis] = at[axis] % side if wrap[axis] else at[axis]
                is_inside = 0 <= at[0] < rows and 0 <= at[1] < columns
                found[tap, row, column] = values[tuple(at)] if is_inside else outside
    return found
