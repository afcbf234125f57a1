"""Cells on which the shaper place may put markers, and their choice: farthest, evenly spread, or in random order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...analysis.paths import farthest_cell, steps_from
from ...analysis.survey import Survey
from ...core.errors import Fix, GaveUp
from ...core.tilemap import Room, TileMap
from ...kernels.exact import log
from .params import Band, PlaceParams

Mask: TypeAlias = NDArray[np.bool_]
Steps: TypeAlias = NDArray[np.float64]
Cell: TypeAlias = tuple[int, int]
Order: TypeAlias = NDArray[np.int64]
"""Flat indices of all cells, in the order in which they are tried."""
SHRINK = 0.85
"""Factor by which the distance between evenly spread cells is reduced when they do not fit."""
SMALLEST = 2.0**-54


@dataclass(frozen=True, eq=False)
class CandidateCells:
    """The cells of a map that fit the parameters."""

    survey: Survey
    p: PlaceParams

    @cached_property
    def region(self) -> Mask:
        """Cells of the region of the start; without a start, of the largest region."""
        regions = self.survey.regions
        if not regions.count:
            if self.p.required:
                raise GaveUp("place: the map has no passable cell")
            return self.survey.passable
        numbers = regions.labels[tuple(self.survey.find_markers("start").T)]
        return regions.mask(numbers if len(numbers) else regions.rank()[:1])

    @cached_property
    def rooms(self) -> list[Room]:
        """Rooms of the area; for corridors, no rooms."""
        area, rooms = self.p.area, self.survey.map.rooms
        if area in ("same_room", "other_rooms"):
            is_same = area == "same_room"
            return [room for room in rooms if _contains_marker(self.survey.map, room, self.p.room_of) == is_same]
        return [] if area == "corridors" else list(rooms)

    @cached_property
    def area(self) -> Mask:
        """Reachable cells of the area."""
        if self.p.area == "map":
            return self.region
        if self.p.area == "corridors":
            return self.region & ~cover(self.survey.map.rooms, self.region.shape)
        return self.region & cover(self.rooms, self.region.shape)

    @cached_property
    def free(self) -> Mask:
        """Cells of the area that fit the rule and have no marker."""
        free = self.area & self._find_fitting()
        for marker in self.survey.map.markers:
            free[marker.y, marker.x] = False
        return free

    def fit_bands(self, name: str) -> Mask:
        """Return the free cells that are in all bands of a marker whose origins are on the map."""
        fitting = self.free
        for band in self.p.bands:
            if band.marker in ("", name) and band.origin not in self.p.markers:
                fitting = fitting & in_band(self.steps_to(band.origin), band)
        return fitting

    def steps_to(self, origin: str) -> Steps:
        """Return the steps from each cell to the nearest marker with a name.

        Without such a marker, raise GaveUp, or return infinite steps if no marker is required.
        """
        origins = self.survey.find_markers(origin)
        if not len(origins):
            if self.p.required:
                text = f"place: there is no marker {origin!r} on a passable cell to count from"
                raise GaveUp(text, at="origin", place="", value=origin, fixes=[Fix("set", ("required",), False)])
            return np.full(self.survey.passable.shape, np.inf)
        return steps_from(self.survey.passable, origins)

    @cached_property
    def progress(self) -> Steps:
        """Steps of each cell from the origin as a fraction of the most steps; cells that cannot be reached have 1."""
        steps = self.steps_to(self.p.origin)
        finite = np.isfinite(steps)
        most = float(steps[finite].max()) if finite.any() else 0.0
        return np.where(finite, steps, most) / most if most else np.ones_like(steps)

    def _find_fitting(self) -> Mask:
        """Return the cells that the rule and `on_path` allow."""
        survey, p = self.survey, self.p
        fitting = survey.passable
        if p.rule == "dead_ends":
            fitting = fitting & (survey.neighbor_counts == 1)
        elif p.rule == "band":
            band = Band(origin=p.origin, min_steps=p.min_steps, max_steps=p.max_steps)
            fitting = in_band(self.steps_to(p.origin), band)
        wanted = False if p.rule == "off_path" else p.on_path
        if wanted is not None:
            hot = survey.hot_path
            on_path = np.zeros_like(fitting) if hot is None else hot.cells if wanted else hot.optional
            fitting = fitting & on_path
        return fitting


def in_band(steps: Steps, band: Band) -> Mask:
    """Return the cells whose steps are in a band."""
    most = np.inf if band.max_steps is None else band.max_steps
    return (steps >= band.min_steps) & (steps <= most) & np.isfinite(steps)


def cover(rooms: Iterable[Room], shape: tuple[int, ...]) -> Mask:
    """Return the cells of rooms."""
    mask = np.zeros(shape, dtype=np.bool_)
    for room in rooms:
        mask[room.y : room.y + room.height, room.x : room.x + room.width] = True
    return mask


def _contains_marker(map: TileMap, room: Room, name: str) -> bool:
    return any(
        marker.name == name and 0 <= marker.x - room.x < room.width and 0 <= marker.y - room.y < room.height
        for marker in map.markers
    )


# -- choice ----------------------------------------------------------------------------------------------------


def order_cells(random: NDArray[np.float64], progress: Steps | None, rise: float) -> Order:
    """Return all cells in random order. Cells are drawn with weights `progress ** rise`, if progress is given.

    Source of the weights: Efraimidis, Spirakis, "Weighted random sampling with a reservoir", 2006.
    """
    keys = random
    if progress is not None:
        # The cell with the smallest -log(random) / weight is first. The logarithm of this number has the same order.
        weights = np.maximum(progress, SMALLEST)
        keys = log(-log(np.clip(random, SMALLEST, 1.0 - 2 * SMALLEST))) - rise * log(weights)
    return np.argsort(keys, axis=None, kind="stable")


def choose_farthest(survey: Survey, free: Mask, sources: list[Cell], min_distance: int) -> Iterator[Cell]:
    """Yield cells one after the other, each with the most steps to the nearest source; cells become sources.

    Without sources, the first cell is an end of the longest path, or else the free cell farthest from it.
    """
    if not sources and survey.route is not None:
        first = (survey.route.start[0], survey.route.start[1])
        if not free[first]:
            steps = steps_from(survey.passable, np.array([first]))
            first = _farthest(steps, free & np.isfinite(steps)) or first
        if free[first]:
            yield first
            sources.append(first)
            clear(free, first, min_distance)
    while free.any():
        steps = steps_from(survey.passable, np.array(sources))
        cell = _farthest(steps, free & np.isfinite(steps))
        if cell is None:
            return
        yield cell
        sources.append(cell)
        clear(free, cell, min_distance)


def _farthest(steps: Steps, where: Mask) -> Cell | None:
    if not where.any():
        return None
    row, column = farthest_cell(steps, where)
    return row, column


def spread(free: Mask, order: Order, wanted: int, min_distance: int) -> list[Cell]:
    """Choose random cells with the largest minimum distance at which `wanted` cells fit.

    Return fewer cells if they do not fit at `min_distance`.
    """
    distance = max(float(min_distance), float(np.sqrt(free.sum() / wanted)))
    while True:
        chosen = list(islice(throw_darts(free.copy(), order, distance), wanted))
        if len(chosen) == wanted or distance <= min_distance:
            return chosen
        distance = max(float(min_distance), distance * SHRINK)


def throw_darts(free: Mask, order: Order, min_distance: float) -> Iterator[Cell]:
    """Yield free cells in the given order that are at least `min_distance` from all cells yielded before."""
    for place in order[free.reshape(-1)[order]].tolist():
        cell = place // free.shape[1], place % free.shape[1]
        if free[cell]:
            yield cell
            clear(free, cell, min_distance)


def clear(free: Mask, cell: Cell, min_distance: float) -> None:
    """Mark all cells closer than `min_distance` to a cell as not free."""
    reach = int(min_distance)
    (row, column), (height, width) = cell, free.shape
    top, left = max(0, row - reach), max(0, column - reach)
    lower, right = min(height, row + reach + 1), min(width, column + reach + 1)
    down, across = np.ogrid[top - row : lower - row, left - column : right - column]
    free[top:lower, left:right][down * down + across * across < max(1.0, min_distance * min_distance)] = False
