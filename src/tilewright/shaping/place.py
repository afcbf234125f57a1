"""Place: put markers such as start, exit, keys, loot or monsters on cells chosen by a rule.

All chosen cells can be reached from the marker `start`; without one, they are in the largest region. Existing markers
with the same names are removed first. If there are too few cells, the shaper gives up.

`farthest` chooses the cell with the most steps to all other markers; the first two are the ends of the longest path.
`dead_ends` chooses dead ends at random, `off_path` cells away from the paths between start and exit, `band` cells
between `min_steps` and `max_steps` from the marker `origin`, and `random` any cells. `spread` distributes the markers
evenly over the map.

Source of the even spread: Cook, "Stochastic sampling in computer graphics", 1986 (Poisson disks).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import model_validator

from ..analysis.paths import farthest_cell, steps_from
from ..analysis.survey import Survey
from ..core.errors import GaveUp, InvalidRecipe, pluralize
from ..core.grid import Label
from ..core.params import MAX_AREA, MAX_SIDE, Names, Params, param
from ..core.registry import shaper
from ..core.seeds import Rng
from ..core.site import Site
from ..core.tilemap import Marker, TileMap

Mask: TypeAlias = NDArray[np.bool_]
Cell: TypeAlias = tuple[int, int]
SHRINK = 0.85
"""Factor by which the distance between evenly spread cells is reduced when they do not fit."""


class PlaceParams(Params):
    renamed: ClassVar[Mapping[str, str]] = {"apart": "min_distance", "near": "min_steps", "far": "max_steps"}
    markers: Names = param(("start", "exit"), min_length=1, max_length=1000)
    """Names of the markers, in the order in which their cells are chosen."""
    rule: Literal["farthest", "dead_ends", "off_path", "spread", "band", "random"] = param("farthest")
    """Rule that chooses the cells."""
    count: int = param(1, ge=1, le=10_000, typical=(1, 20))
    """Number of markers of each name."""
    min_distance: int = param(1, ge=1, le=MAX_SIDE, typical=(1, 20))
    """Minimum Euclidean distance between two markers, in cells."""
    origin: str = param("start", min_length=1, hidden_unless=("rule", "band"))
    """Marker from which the steps of a band are counted."""
    min_steps: int = param(0, ge=0, le=MAX_AREA, typical=(0, 50), hidden_unless=("rule", "band"))
    """Minimum number of steps from the origin."""
    max_steps: int | None = param(None, ge=0, le=MAX_AREA, typical=(0, 200), hidden_unless=("rule", "band"))
    """Maximum number of steps from the origin; by default unlimited."""
    tile: Label | None = param(None, tiles=True)
    """Tile to put on the chosen cells, except locked ones; by default none."""

    @model_validator(mode="after")
    def _check_band(self) -> PlaceParams:
        if not all(self.markers):
            raise InvalidRecipe("each marker needs a name", at="markers", rule="missing")
        if self.max_steps is not None and self.max_steps < self.min_steps:
            text = f"must be at least min_steps, {self.min_steps}, got {self.max_steps}"
            raise InvalidRecipe(text, at="max_steps", rule="minimum", instead=self.min_steps)
        return self


@shaper(PlaceParams, dimensions=(2,))
def place(map: TileMap, p: PlaceParams, site: Site, rng: Rng) -> TileMap:
    map = map.replace(markers=[marker for marker in map.markers if marker.name not in p.markers])
    survey = Survey(map)
    reachable = _find_reachable(survey)
    names = [name for name in p.markers for _ in range(p.count)]
    random_order = np.argsort(rng.cells(*site.window), axis=None, kind="stable")
    if p.rule == "farthest":
        chosen = list(islice(_choose_farthest(survey, reachable, p.min_distance), len(names)))
    elif p.rule == "spread":
        chosen = _spread(reachable, random_order, len(names), p.min_distance)
    else:
        darts = _throw_darts(_find_fitting(survey, p) & reachable, random_order, p.min_distance)
        chosen = list(islice(darts, len(names)))
    if len(chosen) < len(names):
        places = f"{pluralize(len(chosen), 'cell')} by the rule {p.rule}"
        raise GaveUp(f"place: {pluralize(len(names), 'marker')} wanted, the map has {places}")
    cells = map.cells.copy()
    if p.tile is not None:
        for cell in chosen:
            if not site.locked[cell]:
                cells[cell] = site.tile(p.tile)
    new = [Marker(name, x, y) for name, (y, x) in zip(names, chosen, strict=True)]
    return map.replace(cells=cells, markers=[*map.markers, *new])


def _find_reachable(survey: Survey) -> Mask:
    """Return the free cells of the region of the start, or of the largest region; cells with a marker are not free."""
    if not survey.regions.count:
        raise GaveUp("place: the map has no passable cell")
    numbers = survey.regions.labels[tuple(survey.find_markers("start").T)]
    free = survey.regions.mask(numbers if len(numbers) else survey.regions.rank()[:1])
    for marker in survey.map.markers:
        free[marker.y, marker.x] = False
    return free


def _find_fitting(survey: Survey, p: PlaceParams) -> Mask:
    """Return the cells that the rule allows."""
    if p.rule == "dead_ends":
        ends: Mask = survey.passable & (survey.neighbor_counts == 1)
        return ends
    if p.rule == "off_path":
        hot = survey.hot_path
        return hot.optional if hot is not None else np.zeros_like(survey.passable)
    if p.rule == "band":
        origins = survey.find_markers(p.origin)
        if not len(origins):
            raise GaveUp(f"place: there is no marker {p.origin!r} on a passable cell to count from")
        steps = steps_from(survey.passable, origins)
        return (steps >= p.min_steps) & (steps <= (np.inf if p.max_steps is None else p.max_steps)) & np.isfinite(steps)
    return survey.passable


def _choose_farthest(survey: Survey, free: Mask, min_distance: int) -> Iterator[Cell]:
    """Yield cells one after the other, each with the most steps to the nearest marker or cell yielded before."""
    free = free.copy()
    sources = [(marker.y, marker.x) for marker in survey.map.markers if survey.passable[marker.y, marker.x]]
    if not sources and survey.route is not None:
        first = (survey.route.start[0], survey.route.start[1])
        yield first
        sources.append(first)
        _clear(free, first, min_distance)
    while free.any():
        steps = steps_from(survey.passable, np.array(sources))
        reached = free & np.isfinite(steps)
        if not reached.any():
            return
        row, column = farthest_cell(steps, reached)
        cell = row, column
        yield cell
        sources.append(cell)
        _clear(free, cell, min_distance)


def _spread(free: Mask, order: NDArray[np.int64], wanted: int, min_distance: int) -> list[Cell]:
    """Choose random cells with the largest minimum distance at which `wanted` cells fit.

    Return fewer cells if they do not fit at `min_distance`.
    """
    distance = max(float(min_distance), float(np.sqrt(free.sum() / wanted)))
    while True:
        chosen = list(islice(_throw_darts(free, order, distance), wanted))
        if len(chosen) == wanted or distance <= min_distance:
            return chosen
        distance = max(float(min_distance), distance * SHRINK)


def _throw_darts(free: Mask, order: NDArray[np.int64], min_distance: float) -> Iterator[Cell]:
    """Yield free cells in the given order that are at least `min_distance` from all cells yielded before."""
    free = free.copy()
    for place in order[free.reshape(-1)[order]].tolist():
        cell = place // free.shape[1], place % free.shape[1]
        if free[cell]:
            yield cell
            _clear(free, cell, min_distance)


def _clear(free: Mask, cell: Cell, min_distance: float) -> None:
    """Mark all cells closer than `min_distance` to a cell as not free."""
    reach = int(min_distance)
    (row, column), (height, width) = cell, free.shape
    top, left = max(0, row - reach), max(0, column - reach)
    lower, right = min(height, row + reach + 1), min(width, column + reach + 1)
    down, across = np.ogrid[top - row : lower - row, left - column : right - column]
    free[top:lower, left:right][down * down + across * across < max(1.0, min_distance * min_distance)] = False
