"""Shape of the network that predicts tiles, and the sizes that `tilewright learn diffusion` offers.

The network is a stack of 3x3 convolutions with residual connections (He et al., "Deep residual learning for image
recognition", 2016). Dilated convolutions (Yu and Koltun, "Multi-scale context aggregation by dilated convolutions",
2016) give each cell a view of several dozen cells in all directions without pooling, so the network fits maps of any
size.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Architecture:
    """Shape of a network: a 3x3 input layer, residual 3x3 layers, and a 1x1 output layer."""

    channels: int
    """Number of values per cell in each layer."""
    dilations: tuple[int, ...]
    """Distance between the cells that a residual layer reads, for each layer."""


SIZES: Mapping[str, Architecture] = {
    "small": Architecture(24, (1, 2, 4, 8, 4, 2, 1)),
    "normal": Architecture(48, (1, 2, 4, 8, 4, 2, 1, 1)),
    "large": Architecture(64, (1, 2, 4, 8, 16, 8, 4, 2, 1, 1)),
}
"""Architectures by the name of their size."""
