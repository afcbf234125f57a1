"""The map while a network fills it: masked cells, predictions, and bounds on the number of cells per tile."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ...analysis.regions import dilate
from ...core.errors import InvalidRecipe
from ...core.network import Network
from ...core.seeds import Rng
from ...core.site import Frame, Site
from ...neural.inference import ONE_PROBABILITY, Predictor
from .params import DiffusionParams, count_inside_and_edge

REFILL_STEPS = 8
"""Number of steps in which cells that a refinement pass masks are filled again."""
UNLIKELY = ONE_PROBABILITY // 10
"""Probability below which a refinement pass masks a cell."""
PLANTING_RATE = 4
"""Required tiles are set in the first quarter of the steps, so that most of the map is drawn around them."""
RADIUS = 2
"""Distance up to which the surroundings of an unlikely cell are masked as well."""
MASKED_COLOR = (24, 24, 32)


class MaskedMap:
    """A map of which some cells are masked.

    Parameters
    ----------
    p
        Parameters of the technique.
    site
        Shape, tiles and locks of the map.
    """

    def __init__(self, p: DiffusionParams, site: Site) -> None:
        self.p, self.site = p, site
        self.tiles = len(p.model.labels)
        """Number of tiles; also the number of a masked cell."""
        rows, columns = site.shape
        self.padded = np.full((rows + 2, columns + 2), self.tiles + 1, dtype=np.uint8)
        """Tiles, with a border of cells outside the map."""
        self.cells = self.padded[1:-1, 1:-1]
        self.cells[:] = find_locked_tiles(p.model, site)
        self.free = np.flatnonzero(~site.locked).astype(np.int64)
        """Places of the cells that are not locked."""
        self.bounds = p.tile_bounds
        self.predictor = Predictor(p.model, self.padded, p.wrapped)

    def fill(self, steps: int, note: str, rng: Rng) -> Iterator[Frame]:
        """Fill all masked cells in random order; yield frames.

        The number of filled cells grows slowly at first, because early tiles decide the layout of the map. It follows
        t^2 (5 - t^2) / 4, which is close to 1 - cos(t pi / 2).
        """
        masked = np.flatnonzero(self.cells == self.tiles).astype(np.int64)
        order = masked[np.argsort(rng.child("order").randoms(len(masked)), kind="stable")]
        steps = min(steps, len(order))
        done = 0
        for step in range(1, steps + 1):
            ratio = len(order) * step * step * (5 * steps * steps - step * step)
            end = max(done + 1, min(len(order) - (steps - step), ratio // (4 * steps**4)))
            quota = np.minimum(self.bounds.minimum, -(-self.bounds.minimum * PLANTING_RATE * step // steps))
            has_quota = bool((self._count_tiles() < quota).any())
            for part in self.predictor.compute(order[done:] if has_quota else order[done:end]):
                yield self._make_frame(note, (step - 1 + part) / steps)
            if has_quota:
                self._plant(order[done:], quota, rng)
            counts = self._count_tiles()
            limits = self.bounds.find_limits(counts, self._find_slack())
            self.predictor.draw(order[done:end], limits, self.p.sharpness, rng.state)
            done = end
            yield self._make_frame(note, step / steps)

    def mask_unlikely(self) -> Iterator[Frame]:
        """Mask the cells whose tiles the network finds unlikely, with their surroundings; yield frames."""
        for part in self.predictor.compute(self.free):
            yield self._make_frame("rate", part)
        ratings = self.predictor.rate(self.free, np.ascontiguousarray(self.cells))
        unlikely = np.zeros(self.site.shape, dtype=np.bool_)
        unlikely.reshape(-1)[self.free[ratings < UNLIKELY]] = True
        chosen = dilate(unlikely, RADIUS, self.p.wrapped) & ~self.site.locked
        self.cells[chosen] = self.tiles

    def count_masked(self) -> int:
        """Return the number of masked cells."""
        return int((self.cells == self.tiles).sum())

    def _count_tiles(self) -> NDArray[np.int64]:
        return np.bincount(self.cells.reshape(-1), minlength=self.tiles + 1)[: self.tiles].astype(np.int64)

    def _find_slack(self) -> NDArray[np.int64]:
        inside, edge = count_inside_and_edge(self.cells == self.tiles)
        return self.bounds.find_slack(self._count_tiles(), inside, edge).to_array()

    def _plant(self, places: NDArray[np.int64], quota: NDArray[np.int64], rng: Rng) -> None:
        """Set masked cells to the tiles that are missing, at places drawn in proportion to their probability."""
        rows, columns = self.site.shape
        at_row, at_column = np.divmod(places, columns)
        is_edge = (at_row == 0) | (at_row == rows - 1) | (at_column == 0) | (at_column == columns - 1)
        for tile, count in enumerate((quota - self._count_tiles()).tolist()):
            if count <= 0:
                continue
            rates = self.predictor.rate(places, np.full(self.site.shape, tile, dtype=np.uint8)) + 1
            rates[self.cells[at_row, at_column] != self.tiles] = 0
            is_border = bool(self.bounds.is_border[tile])
            if not is_border:
                rates[is_edge] = 0
            slack = self._find_slack()
            for _ in range(count):
                if is_border and slack[:2].min() == 0:
                    rates[~is_edge] = 0
                sums = np.cumsum(rates)
                mark = (rng.bits() >> 32) * int(sums[-1]) >> 32
                chosen = int(np.searchsorted(sums, mark, side="right"))
                self.cells[at_row[chosen], at_column[chosen]] = tile
                rates[chosen] = 0
                slack[:2] -= is_border and not is_edge[chosen]

    def _make_frame(self, note: str, progress: float) -> Frame:
        return Frame(self._show_cells, note, progress, colors=self._paint)

    def _show_cells(self) -> NDArray[np.uint8]:
        """Return the cells; masked cells have the first tile."""
        return np.where(self.cells == self.tiles, 0, self.cells)

    def _paint(self) -> NDArray[np.uint8]:
        colors = np.vstack((self.site.tileset.colors[self.site.ids], [MASKED_COLOR])).astype(np.uint8)
        painted: NDArray[np.uint8] = colors[self.cells]
        return painted


def find_locked_tiles(network: Network, site: Site) -> NDArray[np.uint8]:
    """Return the network's number of the tile of each locked cell, and the number of tiles for all other cells.

    If a tile of the network represents all pieces of its kind, locked pieces of the kind get its number.

    Raises
    ------
    InvalidRecipe
        If a locked tile is not a tile of the network.
    """
    count = len(network.labels)
    cells = np.full(site.shape, count, dtype=np.uint8)
    numbers = {int(tile): number for number, tile in reversed(list(enumerate(site.ids)))}
    if network.are_pieces_chosen:
        groups = {}
        for tile, number in numbers.items():
            piece = site.tileset[tile]
            if piece.joins:
                groups[piece.group] = number
        for tile, piece in enumerate(site.tileset):
            if tile not in numbers and piece.joins and piece.group in groups:
                numbers[tile] = groups[piece.group]
    locked, ids = site.locked_tiles
    for tile in np.unique(ids).tolist():
        if tile not in numbers:
            name = site.tileset[tile].name
            text = f"no map of the model has the tile {name!r}; it has {', '.join(network.labels)}"
            raise InvalidRecipe(text, at="locks", value=name, rule="unknown_name")
        cells.reshape(-1)[locked[ids == tile]] = numbers[tile]
    return cells
