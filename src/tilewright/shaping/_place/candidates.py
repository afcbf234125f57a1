"""Cells on which the shaper place may put markers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...analysis.paths import steps_from
from ...analysis.survey import Survey
from ...core.errors import Fix, GaveUp
from ...core.tilemap import Room, TileMap
from .params import Band, PlaceParams

Mask: TypeAlias = NDArray[np.bool_]
Steps: TypeAlias = NDArray[np.float64]


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
