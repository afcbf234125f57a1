"""Bounds on the number of cells per tile, and whether the masked cells of a map can meet them.

Tiles have a minimum and a maximum number of cells, and some of them may not be at the edge. The masked cells can be
filled if and only if no slack is negative (a case of Hall's theorem), so a choice that keeps all of them at least 0
never leads to a dead end.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...core.tile_counts import MAX_COUNT
from ...kernels.diffusion import TileLimits

MAX_LEFT = 1 << 40
"""More cells than any map has, so that sums of numbers of cells fit in 64 bits."""


@dataclass(frozen=True)
class Slack:
    """Numbers of cells that are not decided by the bounds on tiles."""

    edge: int
    """Cells that tiles of the border may still have, less the masked cells of the edge."""
    inside: int
    """Masked cells inside the edge, less those that are required for tiles which are not tiles of the border."""
    total: int
    """Masked cells, less those that are required for any tile."""
    left: int
    """Cells that all tiles may still have, less the masked cells. Choices do not change it."""

    def to_array(self) -> NDArray[np.int64]:
        """Return the slacks that choices change, for kernels."""
        return np.array([self.edge, self.inside, self.total], dtype=np.int64)


@dataclass(frozen=True, eq=False)
class TileBounds:
    """Bounds on the number of cells of each tile, and the tiles that may be at the edge of the map."""

    minimum: NDArray[np.int64]
    maximum: NDArray[np.int64]
    is_border: NDArray[np.bool_]

    @classmethod
    def of(cls, labels: tuple[str, ...], bounds: dict[str, tuple[int, int]], border: tuple[str, ...]) -> TileBounds:
        """Return the bounds of all labels. An empty border allows all tiles."""
        pairs = [bounds.get(label, (0, MAX_COUNT)) for label in labels]
        return cls(
            np.array([low for low, _ in pairs], dtype=np.int64),
            np.array([min(high, MAX_LEFT) for _, high in pairs], dtype=np.int64),
            np.array([not border or label in border for label in labels], dtype=np.bool_),
        )

    def find_missing(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of cells that each tile still needs."""
        missing: NDArray[np.int64] = np.maximum(0, self.minimum - counts)
        return missing

    def find_limits(self, counts: NDArray[np.int64], slack: NDArray[np.int64]) -> TileLimits:
        """Return the limits for kernels of a map with some cells per tile."""
        return TileLimits(self.is_border.astype(np.uint8), self.maximum - counts, self.find_missing(counts), slack)

    def find_slack(self, counts: NDArray[np.int64], inside: int, edge: int) -> Slack:
        """Return the slack of a map with some cells per tile, and masked cells inside the edge and at the edge."""
        left, missing = self.maximum - counts, self.find_missing(counts)
        return Slack(
            edge=int(left[self.is_border].sum()) - edge,
            inside=inside - int(missing[~self.is_border].sum()),
            total=inside + edge - int(missing.sum()),
            left=int(left.sum()) - inside - edge,
        )


def count_inside_and_edge(mask: NDArray[np.bool_]) -> tuple[int, int]:
    """Return the number of cells of a mask inside the edge of the map, and at the edge."""
    inside = int(mask[1:-1, 1:-1].sum())
    return inside, int(mask.sum()) - inside
