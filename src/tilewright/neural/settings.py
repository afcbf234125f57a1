"""Sizes of the network that predicts tiles, as `tilewright learn diffusion` offers them, and settings of its training.

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


@dataclass(frozen=True, kw_only=True)
class TrainingSettings:
    """How a network is trained; `of_size` has the defaults."""

    size: str
    """Name of an architecture in `SIZES`."""
    steps: int
    """Number of training steps."""
    crop: int
    """Maximum edge length of the windows to train on."""
    batch: int
    """Number of windows per step."""
    symmetry: int = 1
    """Number of views of the maps: 1 as they are, 2 also mirrored, 8 also rotated."""
    seed: int = 1
    device: str = "auto"
    """auto, cpu or cuda."""
    patience: int = 12
    """Number of evaluations without a lower held-out loss before training stops."""

    @property
    def architecture(self) -> Architecture:
        """Shape of the network."""
        return SIZES[self.size]

    @classmethod
    def of_size(
        cls,
        size: str,
        *,
        steps: int | None = None,
        crop: int | None = None,
        batch: int | None = None,
        symmetry: int = 1,
        seed: int = 1,
        device: str = "auto",
    ) -> TrainingSettings:
        """Return settings, with the defaults of a size for what is None."""
        default_steps, default_crop, default_batch = DEFAULTS[size]
        return cls(
            size=size,
            steps=steps or default_steps,
            crop=crop or default_crop,
            batch=batch or default_batch,
            symmetry=symmetry,
            seed=seed,
            device=device,
        )


DEFAULTS: Mapping[str, tuple[int, int, int]] = {
    "small": (4000, 24, 32),
    "normal": (15_000, 32, 64),
    "large": (15_000, 40, 64),
}
"""Default steps, crop and batch by size."""
