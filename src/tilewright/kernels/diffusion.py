"""Kernels of the technique diffusion: layers of a quantized network, and choices among its predictions.

A plane is an array (row, column, channel) of the values of all cells, with a margin of cells around the map. All
arithmetic is in integers. Sums of products of values (at most 1023) and weights (at most 127) fit in 32 bits, so their
order does not matter and they compile to vector code.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from . import kernel, part
from .random import bits
from .types import Int16_1D, Int16_2D, Int16_3D, Int64_1D, Uint8_1D, Uint8_2D, Uint64_1D

SHIFT = 24
"""Number of fractional bits of scales and biases."""
MAX_VALUE = 1023
"""Maximum value of a channel of a cell."""
UNITS = 256
"""Units of a logit per nat."""
MAX_LOGIT = 1 << 20
"""Bound of the absolute value of logits."""


class LayerArrays(NamedTuple):
    """Layer of a network."""

    weights: Int16_2D
    """(channel, tap and channel of the layer before); of the input layer, (tap and kind of the cell, channel)."""
    scale: Int64_1D
    bias: Int64_1D
    residual: int = 0
    """Scale of the values before."""
    dilation: int = 1


class TileLimits(NamedTuple):
    """Limits on the number of cells per tile. Draws update all arrays but the first."""

    border: Uint8_1D
    """(tile,) 1 for tiles that may be at the edge of the map."""
    left: Int64_1D
    """(tile,) number of cells that may still have the tile."""
    missing: Int64_1D
    """(tile,) number of cells that the tile still needs."""
    slack: Int64_1D
    """Three numbers, which are at least 0: cells that tiles of the border may still have, less the masked cells of the
    edge; masked cells inside the edge, less those that other tiles need; masked cells, less those that any tile needs.
    """


@kernel
def embed_tiles(cells: Uint8_2D, layer: LayerArrays, margin: int, first: int, last: int, plane: Int16_3D) -> None:
    """Compute rows first..last-1 of the input layer. `cells` has a border of one cell."""
    weights, scale, bias = layer.weights, layer.scale, layer.bias
    columns, kinds, channels = cells.shape[1] - 2, weights.shape[0] // 9, weights.shape[1]
    sums = np.empty(channels, dtype=np.int64)
    for row in range(first, last):
        for column in range(columns):
            sums[:] = 0
            for tap in range(9):
                own = weights[tap * kinds + np.int64(cells[row + tap // 3, column + tap % 3])]
                for channel in range(channels):
                    sums[channel] += own[channel]
            target = plane[row + margin, column + margin]
            for channel in range(channels):
                value = (sums[channel] * scale[channel] + bias[channel]) >> SHIFT
                target[channel] = min(max(value, 0), MAX_VALUE)


@kernel
def convolve(
    source: Int16_3D, layer: LayerArrays, margin: int, needed: Uint8_2D, first: int, last: int, target: Int16_3D
) -> None:
    """Compute rows first..last-1 of a residual layer, for the cells where `needed` is 1."""
    weights, scale, bias, residual, dilation = layer
    columns, channels = needed.shape[1], weights.shape[0]
    size = 9 * channels
    values = np.empty(size, dtype=np.int16)
    for row in range(first, last):
        for column in range(columns):
            if needed[row, column] == 0:
                continue
            position = 0
            for tap in range(9):
                near = source[row + margin + (tap // 3 - 1) * dilation, column + margin + (tap % 3 - 1) * dilation]
                for channel in range(channels):
                    values[position] = near[channel]
                    position += 1
            here, result = source[row + margin, column + margin], target[row + margin, column + margin]
            for channel in range(channels):
                own = weights[channel]
                total = np.int32(0)
                for number in range(size):
                    total = np.int32(total + np.int32(np.int32(values[number]) * np.int32(own[number])))
                value = (total * scale[channel] + np.int64(here[channel]) * residual + bias[channel]) >> SHIFT
                result[channel] = min(max(value, 0), MAX_VALUE)


@kernel
def spread_needed(needed: Uint8_2D, dilation: int, wrap_rows: bool, wrap_columns: bool, out: Uint8_2D) -> None:
    """Mark all cells that a layer reads to compute the needed cells."""
    rows, columns = needed.shape
    out[:] = 0
    for row in range(rows):
        for column in range(columns):
            if needed[row, column] == 0:
                continue
            for tap in range(9):
                other_row, other_column = row + (tap // 3 - 1) * dilation, column + (tap % 3 - 1) * dilation
                if wrap_rows:
                    other_row %= rows
                if wrap_columns:
                    other_column %= columns
                if 0 <= other_row < rows and 0 <= other_column < columns:
                    out[other_row, other_column] = 1


@part
def predict_cell(values: Int16_1D, layer: LayerArrays, logits: Int64_1D) -> None:
    """Compute the logits of all tiles for a cell."""
    weights, scale, bias = layer.weights, layer.scale, layer.bias
    for tile in range(weights.shape[0]):
        own = weights[tile]
        total = np.int32(0)
        for channel in range(weights.shape[1]):
            total = np.int32(total + np.int32(np.int32(values[channel]) * np.int32(own[channel])))
        value = (total * scale[tile] + bias[tile]) >> SHIFT
        logits[tile] = min(max(value, -MAX_LOGIT), MAX_LOGIT)


@part
def is_possible(tile: int, is_edge: bool, limits: TileLimits) -> bool:
    """Return whether the rest of the map can be filled if a cell gets this tile."""
    missing, slack = limits.missing[tile], limits.slack
    if limits.left[tile] <= 0 or (missing == 0 and slack[2] == 0):
        return False
    if is_edge:
        return bool(limits.border[tile] != 0)
    if limits.border[tile] != 0:
        return bool(slack[0] > 0 and slack[1] > 0)
    return bool(missing > 0 or slack[1] > 0)


@part
def weigh_tiles(logits: Int64_1D, is_edge: bool, limits: TileLimits, sharpness: int, table: Int64_1D) -> int:
    """Replace the logits by weights of the tiles; return their sum. See `draw_tiles`."""
    best = np.int64(-1)
    for tile in range(len(logits)):
        if (best < 0 or logits[tile] > logits[best]) and is_possible(tile, is_edge, limits):
            best = np.int64(tile)
    largest, total = logits[best], np.int64(0)
    for tile in range(len(logits)):
        weight = np.int64(0)
        if sharpness == 0:
            weight = np.int64(tile == best)
        elif is_possible(tile, is_edge, limits):
            weight = table[min(((largest - logits[tile]) * sharpness) >> 16, len(table) - 1)]
        logits[tile] = weight
        total += weight
    return int(total)


@kernel
def draw_tiles(
    plane: Int16_3D, margin: int, layer: LayerArrays, places: Int64_1D, limits: TileLimits, sharpness: int,
    table: Int64_1D, state: Uint64_1D, cells: Uint8_2D,
) -> None:  # fmt: skip
    """Draw the tiles of masked cells.

    `places` are positions in the map without its border; cells that are no longer masked are skipped.

    `sharpness` is 2^16 divided by the temperature; 0 gives the most likely tile all weight. `table` is
    exp(-number / 256) for the differences from the largest logit.
    """
    rows, columns, tiles = cells.shape[0] - 2, cells.shape[1] - 2, len(layer.scale)
    border, left, missing, slack = limits
    logits = np.empty(tiles, dtype=np.int64)
    for number in range(len(places)):
        row, column = places[number] // columns, places[number] % columns
        if cells[row + 1, column + 1] != tiles:
            continue
        is_edge = row == 0 or column == 0 or row == rows - 1 or column == columns - 1
        predict_cell(plane[row + margin, column + margin], layer, logits)
        total = weigh_tiles(logits, is_edge, limits, sharpness, table)
        mark = np.int64(((bits(state) >> np.uint64(32)) * np.uint64(total)) >> np.uint64(32))
        tile = 0
        while tile < tiles - 1 and mark >= logits[tile]:
            mark -= logits[tile]
            tile += 1
        cells[row + 1, column + 1] = tile
        if not is_edge:
            slack[0] -= border[tile] != 0
            slack[1] -= border[tile] != 0 or missing[tile] == 0
        slack[2] -= missing[tile] == 0
        left[tile] -= 1
        missing[tile] -= missing[tile] > 0


@kernel
def rate_tiles(
    plane: Int16_3D, margin: int, layer: LayerArrays, places: Int64_1D, table: Int64_1D, tiles: Uint8_2D, out: Int64_1D
) -> None:
    """Write the probability of a tile for each place, in units of 2^-16. `tiles` has the tile of each cell."""
    columns, count = tiles.shape[1], len(layer.scale)
    logits = np.empty(count, dtype=np.int64)
    for number in range(len(places)):
        row, column = places[number] // columns, places[number] % columns
        predict_cell(plane[row + margin, column + margin], layer, logits)
        largest = logits[0]
        for tile in range(1, count):
            largest = max(largest, logits[tile])
        total = np.int64(0)
        for tile in range(count):
            total += table[min(largest - logits[tile], len(table) - 1)]
        own = table[min(largest - logits[tiles[row, column]], len(table) - 1)]
        out[number] = (own << 16) // total
