"""Sites: cells for headquarters, bases, cities and other buildings.

Headquarters are far apart and have space around them. Buildings that players own from the start are near their
headquarters, and neutral buildings are spread evenly. Two buildings never share a side, and they touch at a corner only
if there is no other space.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from itertools import combinations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..analysis.paths import distances
from ..analysis.regions import regions_of
from ..core.errors import GaveUp, pluralize
from ..core.owners import NEUTRAL
from ..core.seeds import Rng
from ..core.site import Site
from .battlefield import Battlefield, Cell, Mask, count_within, find_adjacent

Distances: TypeAlias = NDArray[np.float64]
"""Costs of the paths from a cell to each cell."""
BRIDGE_COST = 8.0
"""Cost of an impassable cell that must be bridged, relative to plain."""
MIN_LAND = 6
"""Minimum size of a region of land to build on, unless nothing else is left."""
MIN_WATER = 8
"""Minimum size of a region of water for a port."""
SHRINK = 0.85
"""Factor by which the distance between evenly spread sites is reduced when they do not fit."""
MIN_DISTANCE = 1.4
"""Minimum distance of two sites: they never share a side."""
DISTANCE_LIMITS = (
    (3.0, 5.0),
    (2.0, 5.0),
    (3.0, 8.0),
    (2.0, 8.0),
    (2.0, 12.0),
    (MIN_DISTANCE, 12.0),
    (MIN_DISTANCE, 20.0),
)
"""Minimum distance between buildings of a player, and maximum distance to the headquarters, best first."""
RANKS = {"base": 0.5, "airport": 0.65, "lab": 0.75, "com tower": 0.85}
"""Rank of the neutral site, from the nearest to the farthest, that gets each kind of building; others are cities."""
MAX_CANDIDATES = 200
"""Maximum number of cells compared for two headquarters without a symmetry."""


class Sites:
    """The building sites of a battlefield."""

    def __init__(self, field: Battlefield, site: Site, rng: Rng, old_sites: Mask) -> None:
        self.field = field
        self.noise: NDArray[np.float64] = rng.child("sites").cells(*site.window)
        self.headquarters_noise: NDArray[np.float64] = rng.child("headquarters").cells(*site.window)
        self.old_sites = old_sites
        """Cells of former neutral buildings, which are preferred for new ones."""
        self.buildable: Mask = field.kinds.is_land[field.cells] & ~field.frozen & ~field.on_axis
        land = regions_of(field.passable)
        self.mainland: Mask = land.sizes[land.labels] >= MIN_LAND
        self.land_sizes = land.sizes[land.labels]
        self.gap = np.full(field.shape, np.inf)
        """Squared distance to the nearest building."""
        self.neutral_gap = self.gap.copy()
        """Squared distance to the nearest neutral building."""
        for row, column in np.argwhere(field.buildings).tolist():
            self._update_gaps((row, column), neutral=bool(field.kinds.countries[field.cells[row, column]] == NEUTRAL))

    def clone(self) -> Sites:
        """Return a copy that later changes to this one do not affect."""
        fresh = copy(self)
        fresh.gap, fresh.neutral_gap = self.gap.copy(), self.neutral_gap.copy()
        return fresh

    def put(self, cell: Cell, kind: str, country: str) -> None:
        self.field.lay(cell, self.field.kinds.find_building(kind, country))
        for place in dict.fromkeys((cell, self.field.image_of(cell))):
            self._update_gaps(place, neutral=country == NEUTRAL)

    def _update_gaps(self, cell: Cell, *, neutral: bool) -> None:
        squared = squared_distances(cell, self.field.shape)
        np.minimum(self.gap, squared, out=self.gap)
        if neutral:
            np.minimum(self.neutral_gap, squared, out=self.neutral_gap)

    # -- headquarters ---------------------------------------------------------------------------------------

    def propose_headquarters(self, owned: int, tries: int, given: Sequence[Cell | None]) -> Iterator[tuple[Cell, Cell]]:
        """Yield pairs of cells for the two headquarters, the best first, with space for `owned` buildings near each.

        Without a symmetry, `given` may contain the cell of one of the two headquarters.
        """
        field = self.field
        room = count_within(field.passable, 2)
        inner: Mask = np.zeros(field.shape, dtype=np.bool_)
        inner[1:-1, 1:-1] = True
        fitting = self.buildable & (self.gap >= MIN_DISTANCE**2) & (field.image_distance >= 9)
        for preferred in (
            inner & (self.land_sizes >= 3 * owned + 6) & (room >= 15),
            self.land_sizes > owned,
            self.mainland,
        ):
            if (fitting & preferred).any():
                fitting = fitting & preferred
                break
        if not fitting.any():
            return
        quality = room / 25 + self.headquarters_noise / 2
        if field.image is None:
            yield from self._propose_pairs(fitting, quality, tries, given)
            return
        far = np.sqrt(np.where(fitting, field.image_distance, 0))
        score = np.where(fitting & field.first_half, 2 * far / far.max() + quality / 2, -1)
        for place in np.argsort(-score, axis=None, kind="stable")[:: max(1, len(score) // 20)][:tries].tolist():
            cell = place // field.shape[1], place % field.shape[1]
            if score[cell] >= 0:
                yield cell, field.image_of(cell)

    def _propose_pairs(
        self, fitting: Mask, quality: NDArray[np.float64], tries: int, given: Sequence[Cell | None]
    ) -> Iterator[tuple[Cell, Cell]]:
        """Yield pairs of cells that are far apart, for maps without a symmetry."""
        order = np.argsort(np.where(fitting, -self.headquarters_noise, np.inf), axis=None, kind="stable")
        width = self.field.shape[1]
        cells = [(place // width, place % width) for place in order[: min(MAX_CANDIDATES, int(fitting.sum()))].tolist()]
        cells.sort()
        pairs = [(given[0] or one, given[1] or one) for one in cells] if any(given) else combinations(cells, 2)
        longest = (self.field.shape[0] + width) ** 2
        scored = [
            (2 * squared / longest + (quality[one] + quality[other]) / 8, one, other)
            for one, other in pairs
            if (squared := (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2) >= 9
        ]
        # Neighbors of the best pair are about as good, so take a few entries further down the list.
        for _, one, other in sorted(scored, reverse=True)[:: max(1, min(20, len(scored) // tries))][:tries]:
            yield one, other

    def distances_from(self, cell: Cell) -> Distances:
        """Return the walking distance to every cell; impassable cells that are not frozen cost BRIDGE_COST."""
        field = self.field
        costs = np.where(field.passable, field.kinds.foot_costs[field.cells], BRIDGE_COST)
        return distances(field.passable | ~field.frozen, cell, costs=costs, away=True)

    def fairness(self, one: Cell, other: Cell) -> float:
        """Return the sum of the distance ratios of the measure distance_balance, for headquarters at two cells."""
        field = self.field
        goals = field.kinds.countries[field.cells] == NEUTRAL
        lengths = np.sort(np.stack([self.distances_from(home)[goals] for home in (one, other)]), axis=1)
        return float(np.sum(lengths.min(axis=0) / np.maximum(lengths.max(axis=0), 1)))

    # -- owned buildings ------------------------------------------------------------------------------------

    def place_near(self, kind: str, country: str, count: int, own: Distances, other: Distances) -> None:
        """Place `count` buildings of a player near the player's headquarters."""
        order = np.argsort(self.noise, axis=None, kind="stable")
        left = count
        for apart, far in DISTANCE_LIMITS:
            nearby = (own >= 2) & (own <= far) & (own < other)
            while left and (cell := self._find_first(order, self._find_free(apart) & nearby)):
                self.put(cell, kind, country)
                left -= 1
        if left:
            raise GaveUp(_explain_missing(count - left, count, kind, f"near the headquarters of {country}"))

    def place_like(
        self, kind: str, country: str, models: Sequence[tuple[float, float]], own: Distances, other: Distances
    ) -> None:
        """Place buildings of the second player on a map without a symmetry, at distances similar to those of the first.

        `models` has, for each building of the first player, its distances to the headquarters of the first and of the
        second player.
        """
        for number, (near, far) in enumerate(models):
            cell = None
            for apart in (3.0, 2.0, MIN_DISTANCE):
                free = self._find_free(apart) & (own < other)
                unlike = np.where(free, np.abs(own - near) + np.abs(other - far), np.inf)
                cell = cell or self._find_first(np.argsort(unlike + self.noise / 4, axis=None, kind="stable"), free)
            if cell is None:
                raise GaveUp(_explain_missing(number, len(models), kind, "on the second player's side"))
            self.put(cell, kind, country)

    # -- neutral buildings ----------------------------------------------------------------------------------

    def choose_ports(self, count: int, own: Distances, other: Distances) -> list[Cell]:
        """Choose `count` cells at the shore for ports."""
        water = regions_of(self.field.find_kinds("sea"))
        side = (own <= other) & np.isfinite(own)
        shores = [find_adjacent(water.sizes[water.labels] >= least) & side for least in (MIN_WATER, 1)]
        return self._spread_in(shores, count, "port", "at the sea")

    def spread(self, count: int, own: Distances, other: Distances) -> list[Cell]:
        """Choose `count` cells for neutral buildings on the first player's side, from the nearest to the farthest."""
        side = (own <= other) & np.isfinite(own)
        found = self._spread_in([side & self.mainland, side], count, "neutral building", "on each side")
        return sorted(found, key=lambda cell: (own[cell], cell))

    def _spread_in(self, masks: Sequence[Mask], count: int, kind: str, where: str) -> list[Cell]:
        """Choose `count` cells in the first of these masks that has enough space for them."""
        for mask in masks:
            found = self._spread(count, mask)
            if len(found) == count:
                return found
        raise GaveUp(_explain_missing(len(found), count, kind, where))

    def _spread(self, count: int, mask: Mask) -> list[Cell]:
        """Choose random cells of a mask with the largest minimum distance at which `count` cells fit.

        Return fewer cells if `count` cells do not fit at any distance.
        """
        order = np.argsort(self.noise - self.old_sites, axis=None, kind="stable")
        apart = max(MIN_DISTANCE, float(np.sqrt(np.count_nonzero(self.buildable & mask) / max(1, count))))
        while True:
            gap, found = self.neutral_gap.copy(), list[Cell]()
            while len(found) < count:
                near_own = min(apart, 2.5) if apart > MIN_DISTANCE else MIN_DISTANCE
                free = self.buildable & mask & (self.gap >= near_own**2) & (self.field.image_distance >= apart**2)
                cell = self._find_first(order, free & (gap >= apart**2))
                if cell is None:
                    break
                found.append(cell)
                for place in (cell, self.field.image_of(cell)):
                    np.minimum(gap, squared_distances(place, self.field.shape), out=gap)
            if len(found) == count or apart <= MIN_DISTANCE:
                return found
            apart = max(MIN_DISTANCE, apart * SHRINK)

    def _find_free(self, apart: float) -> Mask:
        return self.buildable & (self.gap >= apart**2) & (self.field.image_distance >= apart**2)

    def _find_first(self, order: NDArray[np.int64], free: Mask) -> Cell | None:
        places = order[free.reshape(-1)[order]]
        return (int(places[0]) // free.shape[1], int(places[0]) % free.shape[1]) if places.size else None


def assign_kinds(cells: Sequence[Cell], wanted: dict[str, int], shore: Mask) -> list[tuple[Cell, str]]:
    """Assign a kind of building to each neutral site, sorted from the nearest to the farthest; airports are inland."""
    left = dict(enumerate(cells))
    chosen: dict[int, str] = {}
    for kind, rank in RANKS.items():
        for _ in range(wanted.get(kind, 0)):
            best = min(
                left, key=lambda n: (abs(n - rank * (len(cells) - 1)) + 3 * (kind == "airport" and shore[left[n]]), n)
            )
            chosen[best] = kind
            del left[best]
    return [(cell, chosen.get(number, "city")) for number, cell in enumerate(cells)]


def squared_distances(cell: Cell, shape: tuple[int, int]) -> NDArray[np.float64]:
    """Return the squared distance of every cell to one cell."""
    rows, columns = np.ogrid[: shape[0], : shape[1]]
    return np.asarray((rows - cell[0]) ** 2 + (columns - cell[1]) ** 2, dtype=np.float64)


def _explain_missing(found: int, wanted: int, kind: str, where: str) -> str:
    return f"players: {pluralize(wanted, kind)} wanted, room for {found} {where}; use fewer, or a larger map"
