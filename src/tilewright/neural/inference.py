"""Predictions of a quantized network for the cells of a map, in integers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..core.network import TAPS, Network
from ..core.site import split_blocks
from ..kernels import diffusion as kernels
from ..kernels.diffusion import UNITS, LayerArrays, TileLimits
from ..kernels.exact import exact_power

INVERSE_E = 0.36787944117144233
"""exp(-1)."""
MAX_WEIGHT = 1 << 24
"""Weight of the most likely tile in choices."""
TABLE_SIZE = 17 * UNITS
"""Number of table entries; exp(-17) is less than 1 / MAX_WEIGHT."""
PLANES = 2
"""Number of planes: the values before a layer, and after it."""
ONE_PROBABILITY = 1 << 16
"""Probability 1 in the units of `Predictor.rate`."""


@cache
def exp_table() -> NDArray[np.int64]:
    """Return the integers nearest to exp(-number / UNITS) * MAX_WEIGHT."""
    values = [exact_power(INVERSE_E, number / UNITS) * MAX_WEIGHT + 0.5 for number in range(TABLE_SIZE)]
    table = np.array(values).astype(np.int64)
    table[-1] = 0
    return table


def make_layer(
    weights: NDArray[Any], scale: NDArray[Any], bias: NDArray[Any], residual: int = 0, dilation: int = 1
) -> LayerArrays:
    """Return the arrays of a layer in the types of the kernels, with the last axis of the weights kept."""
    wide = np.ascontiguousarray(weights.reshape(-1, weights.shape[-1]).astype(np.int16))
    return LayerArrays(wide, scale.astype(np.int64), np.ascontiguousarray(bias.astype(np.int64)), residual, dilation)


class Predictor:
    """Values of all cells of a map in a network, from which its tiles are predicted.

    Parameters
    ----------
    network
        The network.
    cells
        Array (row, column) of tile numbers, with a border of one cell. The caller changes it between calls. Masked
        cells have the number of tiles, and cells outside the map one more.
    wrap
        Whether the map wraps around, for rows and columns.
    """

    def __init__(self, network: Network, cells: NDArray[np.uint8], wrap: tuple[bool, bool]) -> None:
        self.cells, self.wrap = cells, wrap
        self.shape = cells.shape[0] - 2, cells.shape[1] - 2
        self.margin = _find_margin(network)
        arrays = network.arrays
        self.input = make_layer(arrays["input"], arrays["input_scale"], arrays["input_bias"])
        self.layers = [
            make_layer(
                arrays["layers"][number].reshape(network.channels, TAPS * network.channels),
                arrays["layer_scale"][number],
                arrays["layer_bias"][number],
                int(arrays["residual_scale"][number]),
                dilation,
            )
            for number, dilation in enumerate(network.dilations)
        ]
        self.output = make_layer(arrays["output"], arrays["output_scale"], arrays["output_bias"])
        padded = self.shape[0] + 2 * self.margin, self.shape[1] + 2 * self.margin, network.channels
        self.planes = [np.zeros(padded, dtype=np.int16) for _ in range(PLANES)]
        self.result = self.planes[0]

    def compute(self, places: NDArray[np.int64]) -> Iterator[float]:
        """Compute the values of the last layer at some places; yield the progress between blocks of rows.

        The last layers are computed only at the cells that the result depends on.
        """
        self._wrap_margin(self.cells, 1)
        needed = self._find_needed(places)
        source, target = self.planes
        rows, columns = self.shape
        blocks = list(split_blocks("diffusion", 1 << 30, rows, columns * self.input.scale.size**2 * TAPS))
        for block in blocks:
            kernels.embed_tiles(self.cells, self.input, self.margin, block.start, block.stop, source)
        for number, (layer, mask) in enumerate(zip(self.layers, needed, strict=True)):
            self._wrap_margin(source, self.margin)
            for block in blocks:
                if number or block.start:
                    yield (number + block.start / rows) / len(self.layers)
                kernels.convolve(source, layer, self.margin, mask, block.start, block.stop, target)
            source, target = target, source
        self.result = source

    def draw(self, places: NDArray[np.int64], limits: TileLimits, sharpness: int, state: NDArray[np.uint64]) -> None:
        """Draw the tiles of masked cells at computed places. See `draw_tiles`."""
        table = exp_table()
        kernels.draw_tiles(self.result, self.margin, self.output, places, limits, sharpness, table, state, self.cells)

    def rate(self, places: NDArray[np.int64], tiles: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Return the probability of a tile for each computed place, in units of 1 / ONE_PROBABILITY."""
        out = np.empty(len(places), dtype=np.int64)
        kernels.rate_tiles(self.result, self.margin, self.output, places, exp_table(), tiles, out)
        return out

    def _find_needed(self, places: NDArray[np.int64]) -> list[NDArray[np.uint8]]:
        """Return a mask of the cells to compute, for each layer."""
        mask = np.zeros(self.shape, dtype=np.uint8)
        mask.reshape(-1)[places] = 1
        found: list[NDArray[np.uint8]] = []
        for layer in reversed(self.layers):
            found.append(mask)
            if not mask.all():
                mask = np.empty_like(mask)
                kernels.spread_needed(found[-1], layer.dilation, *self.wrap, mask)
        return found[::-1]

    def _wrap_margin(self, cells: NDArray[Any], margin: int) -> None:
        """Copy the opposite parts of the map to its margin, along the axes on which it wraps."""
        for axis, is_wrapped in enumerate(self.wrap):
            if is_wrapped:
                lines, side = np.moveaxis(cells, axis, 0), self.shape[axis]
                lines[:margin] = lines[margin + np.arange(-margin, 0) % side]
                lines[margin + side :] = lines[margin + np.arange(margin) % side]


def count_bytes(network: Network, shape: Sequence[int]) -> int:
    """Return the memory that a `Predictor` needs for a map of a shape, in bytes."""
    margin = _find_margin(network)
    cells = prod(side + 2 * margin for side in shape)
    return PLANES * np.dtype(np.int16).itemsize * network.channels * cells


def _find_margin(network: Network) -> int:
    """Return the number of cells around a map that its layers read."""
    return max(network.dilations, default=1)
