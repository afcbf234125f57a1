"""Cells of several markers that are chosen together, so that all steps between them are in their bands.

Source: Ginsberg, Harvey, "Iterative broadening", 1992. The search first tries few cells of each marker, then more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from ...analysis.paths import steps_from
from .cells import Cell, Mask, Order, Steps, clear, in_band
from .params import Band

MAX_TRIED_CELLS = 20_000
"""Maximum number of cells that the search tries, for all markers together."""
MAX_FLOODS = 2000
"""Maximum number of times that the steps from a cell are computed."""
MAX_KEPT_STEPS = 1 << 23
"""Maximum number of steps that are kept for cells that are tried again."""
FIRST_WIDTH, BROADENING = 4, 4
"""Number of cells that are tried for each marker at first, and the factor by which it grows."""


@dataclass
class MarkerSearch:
    """Search for the cells of markers."""

    passable: Mask
    bands: Sequence[Sequence[tuple[int, Band]]]
    """For each marker, the bands to the markers after it, each with the position of the other marker."""
    order: Order
    prefers_far: bool
    """Whether to try the cells with the most steps to all markers first, instead of the given order."""
    min_distance: int
    tried: int = field(default=0, init=False)
    floods: int = field(default=0, init=False)
    kept: dict[Cell, Steps] = field(default_factory=dict, init=False)
    """Steps from cells that were tried."""
    width: float = field(default=FIRST_WIDTH, init=False)
    """Number of cells to try for each marker."""
    is_cut: bool = field(default=False, init=False)
    """Whether cells of a marker were left out because of the width."""

    def run(self, domains: Sequence[Mask], nearest: Steps | None) -> list[Cell] | None:
        """Return a cell of each domain; None if there are none, or none were found within the limit.

        `nearest` has the steps from each cell to the nearest marker on the map.
        """
        while True:
            self.is_cut = False
            found = self._extend(0, domains, nearest)
            if found is not None or not self.is_cut or self._is_over:
                return found
            self.width *= BROADENING

    def _extend(self, number: int, domains: Sequence[Mask], nearest: Steps | None) -> list[Cell] | None:
        """Return cells for the marker with this number and all after it."""
        if number == len(domains):
            return []
        cells = self._list_cells(domains[number], nearest)
        for place in cells[: int(min(self.width, len(cells)))].tolist():
            if self._is_over:
                return None
            self.tried += 1
            cell = place // self.passable.shape[1], place % self.passable.shape[1]
            left, steps = self._narrow(number, cell, domains)
            if left is not None:
                closest = nearest if steps is None else steps if nearest is None else np.minimum(nearest, steps)
                rest = self._extend(number + 1, left, closest)
                if rest is not None:
                    return [cell, *rest]
        self.is_cut |= len(cells) > self.width
        return None

    def _list_cells(self, domain: Mask, nearest: Steps | None) -> Order:
        """Return the cells of a domain in the order in which they are tried."""
        if self.prefers_far and nearest is not None:
            cells = np.flatnonzero(domain)
            return cells[np.argsort(-np.where(np.isfinite(nearest), nearest, -1.0).reshape(-1)[cells], kind="stable")]
        return self.order[domain.reshape(-1)[self.order]]

    def _narrow(self, number: int, cell: Cell, domains: Sequence[Mask]) -> tuple[list[Mask] | None, Steps | None]:
        """Return the domains after a marker is put on a cell, and its steps if they are needed.

        The domains are None if one is empty.
        """
        bands = self.bands[number]
        steps = self._find_steps(cell) if bands or self.prefers_far else None
        left = [domain.copy() for domain in domains]
        for domain in left[number + 1 :]:
            clear(domain, cell, self.min_distance)
        for other, band in bands:
            assert steps is not None
            left[other] &= in_band(steps, band)
        return (left if all(domain.any() for domain in left[number + 1 :]) else None), steps

    def _find_steps(self, cell: Cell) -> Steps:
        """Return the steps from a cell, computed once if there is enough memory."""
        if cell in self.kept:
            return self.kept[cell]
        self.floods += 1
        steps = steps_from(self.passable, np.array([cell]))
        if (len(self.kept) + 1) * steps.size <= MAX_KEPT_STEPS:
            self.kept[cell] = steps
        return steps

    @property
    def _is_over(self) -> bool:
        return self.tried >= MAX_TRIED_CELLS or self.floods >= MAX_FLOODS


def pair_bands(names: Sequence[str], bands: Sequence[Band]) -> list[list[tuple[int, Band]]]:
    """Return for each name the bands to the names after it, with their positions.

    Steps are the same in both directions.
    """
    found: list[list[tuple[int, Band]]] = [[] for _ in names]
    for band in bands:
        if band.origin in names:
            origin = names.index(band.origin)
            for number, name in enumerate(names):
                if number != origin and band.marker in ("", name):
                    found[min(number, origin)].append((max(number, origin), band))
    return found
