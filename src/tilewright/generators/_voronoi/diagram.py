"""Window of an endless Voronoi diagram: one point per square of a grid, and the cells that belong to each."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ...core.site import Point, block_size, split_blocks
from ...kernels import voronoi as kernels

STEP = 2 * kernels.SEARCH_RADIUS
"""Number of squares around a square that affect its point in one relaxation step: its region extends up to
SEARCH_RADIUS squares, and cells there may belong to points up to SEARCH_RADIUS squares farther.
"""


def compute_margin(*, spacing: int, relax: int, wall: int, gap: int) -> int:
    """Return the number of squares around a window whose points affect it; `wall` and `gap` are 0 if there are none."""
    walls = kernels.SEARCH_RADIUS + -(-wall // spacing)
    # Passages that cross the window start within MAX_PAIR_DISTANCE squares of it (plus the width of the gap) and end
    # MAX_PAIR_DISTANCE farther. Points near their middle decide whether they exist.
    passages = 2 * kernels.MAX_PAIR_DISTANCE + kernels.SEARCH_RADIUS + -(-gap // spacing) if gap else 0
    return max(walls, passages) + STEP * relax


def split_rows(count: int, columns: int) -> Iterator[slice]:
    """Return blocks of rows of squares that take a few hundredths of a second."""
    return split_blocks("voronoi.points", 1 << 21, count, columns)


class Diagram:
    """Points that affect a window, one per square."""

    def __init__(
        self,
        window: tuple[tuple[int, ...], tuple[int, ...]],
        level_key: int,
        *,
        spacing: int,
        metric: int,
        jitter: float,
        margin: int,
    ) -> None:
        self.shape, origin = window
        self.spacing = spacing
        self.metric = metric
        first = [start // spacing - margin for start in origin]
        last = [(start + side - 1) // spacing + margin for start, side in zip(origin, self.shape, strict=True)]
        self.squares = first[0], first[1]
        """Position (row, column) of the first square in the world."""
        self.corner = origin[0] - first[0] * spacing, origin[1] - first[1] * spacing
        """Position (row, column) of the window's first cell, relative to the first cell of the first square."""
        self.points = np.empty((last[0] - first[0] + 1, last[1] - first[1] + 1, 2), dtype=np.int16)
        """Position y, x of every point within its square as (row, column, 2), 0..UNITS - 1."""
        self._level_key, self._jitter = level_key, round(jitter * kernels.UNITS)

    def scatter_points(self) -> Iterator[float]:
        """Place all points at random; must be called first. Yield the fraction done."""
        for rows in split_rows(len(self.points), self.points.shape[1]):
            if rows.start:
                yield rows.start / len(self.points)
            kernels.scatter(
                self._level_key, self.squares[0] + rows.start, self.squares[1], self._jitter, self.points[rows]
            )

    def relax_points(self) -> Iterator[float]:
        """Move every point to the center of its region, and drop the outermost squares. Yield the fraction done."""
        rows, columns, _ = self.points.shape
        totals = np.zeros((rows, columns), dtype=kernels.SAMPLE_SUM)
        block = max(1, block_size("voronoi.samples", 1 << 20) // (kernels.SAMPLES * kernels.SAMPLES * columns))
        for first in range(kernels.SEARCH_RADIUS, rows - kernels.SEARCH_RADIUS, block):
            if first > kernels.SEARCH_RADIUS:
                yield first / rows
            kernels.sum_samples(
                self.points, self.metric, first, min(first + block, rows - kernels.SEARCH_RADIUS), totals
            )
        moved = np.empty((rows - 2 * STEP, columns - 2 * STEP, 2), dtype=np.int16)
        for part in split_rows(len(moved), columns):
            if part.start:
                yield 1.0
            around = slice(part.start, part.stop + 2 * STEP)
            kernels.relax_points(self.points[around], totals[around], moved[part])
        self.points = moved
        self.squares = self.squares[0] + STEP, self.squares[1] + STEP
        self.corner = self.corner[0] - STEP * self.spacing, self.corner[1] - STEP * self.spacing

    def find_owners(self, first: int, last: int, margin: int = 0) -> NDArray[np.int32]:
        """Return the square of the nearest point for each cell of the window's rows first..last-1, with a margin."""
        out = np.empty((last - first + 2 * margin, self.shape[1] + 2 * margin), dtype=np.int32)
        kernels.find_owners(
            self.points, self.spacing, self.metric, self.corner[0] + first - margin, self.corner[1] - margin, out
        )
        return out

    def locate_points(self) -> NDArray[np.float64]:
        """Return the x, y of every point in cells of the window as (square, 2), for display."""
        rows, columns = np.indices(self.points.shape[:2])
        y = (rows + self.points[..., 0] / kernels.UNITS) * self.spacing - self.corner[0]
        x = (columns + self.points[..., 1] / kernels.UNITS) * self.spacing - self.corner[1]
        return np.stack([x.reshape(-1), y.reshape(-1)], axis=1)

    def draw_crosses(self) -> list[tuple[Point, Point]]:
        """Return two short lines for every point in the window, for display."""
        lines: list[tuple[Point, Point]] = []
        height, width = self.shape
        for x, y in self.locate_points().tolist():
            if 0.5 <= x < width - 0.5 and 0.5 <= y < height - 0.5:
                lines += [((x - 0.5, y), (x + 0.5, y)), ((x, y - 0.5), (x, y + 0.5))]
        return lines

    def compute_distances(self) -> NDArray[np.float64]:
        """Return the distance (row, column) from every cell of the window to its point, in spacings, for display."""
        x, y = self.locate_points()[self.find_owners(0, self.shape[0])].transpose(2, 0, 1)
        rows, columns = np.indices(self.shape)
        down, across = np.abs(rows + 0.5 - y), np.abs(columns + 0.5 - x)
        lengths = (np.sqrt(down * down + across * across), down + across, np.maximum(down, across))[self.metric]
        distances: NDArray[np.float64] = lengths / self.spacing
        return distances


def wall_offsets(thickness: int) -> NDArray[np.int64]:
    """Return the offsets (offset, 2) at which a cell of another region makes this cell a wall: a disc.

    Straight borders get walls of exactly this thickness. The disc includes the four adjacent cells or, for an odd
    thickness, the three to the right and below. Of any two cells of different regions that touch, even diagonally, at
    least one is therefore wall.
    """
    odd = thickness % 2
    around = np.arange(-(thickness // 2), thickness // 2 + odd + 1)
    down, across = np.meshgrid(around, around, indexing="ij")
    disc = (2 * down - odd) ** 2 + (2 * across - odd) ** 2 <= thickness * thickness + 1
    disc &= (down != 0) | (across != 0)
    return np.stack([down[disc], across[disc]], axis=1).astype(np.int64)
