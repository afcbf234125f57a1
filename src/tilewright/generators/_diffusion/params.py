"""Parameters of the technique diffusion."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...analysis.patterns import AxesOf, find_axis_problems, wraps
from ...core.errors import Problem, UnknownName, pluralize, problem
from ...core.network import Network
from ...core.params import Sized, param, size_param
from ...core.tile_counts import TileCounts, parse_bounds
from .slack import TileBounds

NO_TEMPERATURE = 0.001
"""Temperature below which the most likely tile is always taken."""


class DiffusionParams(Sized):
    model: Network = param("dungeon", control="network")
    """Trained network: the name of a built-in one, or a file made by `tilewright learn diffusion`."""
    width: int = size_param(40, typical=(8, 100))
    """Number of columns of the map."""
    height: int = size_param(30, typical=(8, 100))
    """Number of rows of the map."""
    steps: int = param(32, ge=1, le=100_000, typical=(8, 128))
    """Number of steps in which the map is filled; more steps give more regular maps, and take longer."""
    temperature: float = param(0.9, ge=0, le=100, typical=(0, 2))
    """Sampling temperature: 0 takes the most likely tile, 1 draws by the network's probabilities."""
    refine: int = param(3, ge=0, le=1000, typical=(0, 8))
    """Number of passes that mask the least likely cells with their surroundings, and fill them again."""
    wrap: AxesOf = param("none")
    """Axes along which the map wraps, such as xy."""
    border: tuple[str, ...] = param((), max_length=1000, tiles=True)
    """Tiles allowed at the edge of the map; by default all."""
    counts: TileCounts = param((), max_length=1000)
    """Number of cells per tile, such as treasure: 3, 3..5, >=2 or <=4."""

    @property
    def sharpness(self) -> int:
        """65,536 divided by the temperature; 0 for the most likely tile."""
        return int(65536 / self.temperature + 0.5) if self.temperature >= NO_TEMPERATURE else 0

    @property
    def wrapped(self) -> tuple[bool, bool]:
        """Whether the map wraps around, for rows and columns."""
        rows, columns = wraps(self.wrap, 2)
        return rows, columns

    @property
    def bounds(self) -> dict[str, tuple[int, int]]:
        """Minimum and maximum number of cells by tile."""
        return {tile: parse_bounds(text) for tile, text in self.counts}

    @property
    def tile_bounds(self) -> TileBounds:
        """Bounds of all tiles of the model, and which of them may be at the edge."""
        return TileBounds.of(self.model.labels, self.bounds, self.border)

    def find_problems(self) -> Iterator[Problem]:
        yield from find_axis_problems("wrap", "the map", self.wrap, 2)
        labels = self.model.labels
        counted = [tile for tile, _ in self.counts]
        for name, tiles in (("border", self.border), ("counts", counted)):
            for tile in tiles:
                if tile not in labels:
                    yield from UnknownName("tile", tile, labels, "tiles of the model").within(name).problems
        if len(set(counted)) < len(counted):
            yield problem("must contain each tile only once", at="counts")
        if len(set(counted)) == len(counted) and set(counted) | set(self.border) <= set(labels):
            yield from self._find_count_problems()

    def _find_count_problems(self) -> Iterator[Problem]:
        """Yield a problem for each sum of counts that no map of this size has."""
        rows, columns = self.shape
        inside = max(0, rows - 2) * max(0, columns - 2)
        cells, edge = rows * columns, rows * columns - inside
        slack = self.tile_bounds.find_slack(np.zeros(len(self.model.labels), dtype=np.int64), inside, edge)
        if slack.total < 0:
            text = f"require at least {cells - slack.total:,} cells, but the map has {pluralize(cells, 'cell')}"
            yield problem(text, at="counts")
        elif slack.inside < 0:
            required = pluralize(inside - slack.inside, "cell")
            text = f"require at least {required} inside the edge, because of border, but there "
            yield problem(f"{text}{'is' if inside == 1 else 'are'} {inside:,}", at="counts")
        if slack.left < 0:
            yield problem(f"allow fewer tiles than the {pluralize(cells, 'cell')} of the map", at="counts")
        elif slack.edge < 0:
            text = f"allow fewer tiles of border than the {pluralize(edge, 'cell')} of the edge"
            yield problem(text, at="counts")
