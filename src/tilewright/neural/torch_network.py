"""The network in PyTorch, for training. Generating maps uses its quantized form; see `core/network` and `inference`."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from .settings import Architecture

FloatWeights = dict[str, NDArray[np.float32]]
"""Weights and biases by name: `input.weight`, `layers.0.bias`, `output.weight` and so on."""


class TileNetwork(nn.Module):
    """Network that predicts the tile of each cell from the tiles around it.

    The input has the number of a tile for each cell, or `tiles` for a masked cell, or `tiles + 1` for a cell outside
    the map. Values of cells outside the map are zero in all layers, so that maps need no padding beyond one cell.

    Parameters
    ----------
    tiles
        Number of kinds of tiles.
    architecture
        Number of channels, and the dilation of each layer.
    """

    def __init__(self, tiles: int, architecture: Architecture) -> None:
        super().__init__()
        self.tiles = tiles
        inner = architecture.channels
        self.input = nn.Conv2d(tiles + 2, inner, 3, padding=1)
        self.layers = nn.ModuleList(
            nn.Conv2d(inner, inner, 3, padding=dilation, dilation=dilation) for dilation in architecture.dilations
        )
        self.output = nn.Conv2d(inner, tiles, 1)
        for layer in self.layers:  # Each layer starts near the identity, which keeps deep stacks stable.
            with torch.no_grad():
                layer.weight.mul_(0.5)

    def forward(self, cells: Tensor) -> Tensor:
        """Return the logits (map, tile, row, column) for cells (map, row, column)."""
        logits: Tensor = self.output(self.activations(cells)[-1])
        return logits

    def activations(self, cells: Tensor) -> list[Tensor]:
        """Return the values of the input layer and of all residual layers."""
        kinds = functional.one_hot(cells, self.tiles + 2).permute(0, 3, 1, 2)
        values = kinds.to(self.input.weight.dtype).contiguous(memory_format=torch.channels_last)
        inside = (cells <= self.tiles).unsqueeze(1)
        found = [functional.relu(self.input(values)) * inside]
        for layer in self.layers:
            found.append(functional.relu(found[-1] + layer(found[-1])) * inside)
        return found

    def read_weights(self) -> FloatWeights:
        """Return copies of all weights and biases as NumPy arrays."""
        return {name: value.detach().float().cpu().numpy().copy() for name, value in self.named_parameters()}

    def load_weights(self, weights: FloatWeights) -> None:
        """Set all weights and biases."""
        state: dict[str, Any] = {name: torch.from_numpy(np.array(value)) for name, value in weights.items()}
        self.load_state_dict(state)
