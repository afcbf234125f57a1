"""Overlays by name: distance, flee, path, hot-path, regions, rooms, chokepoints, sight, and those of other packages.

An overlay is a tint for every cell, lines between cells, and a legend. `overlay(map, "hot-path", slack=8)` computes
one; pictures and the terminal draw it. An overlay with settings can also be given as a string such as
`hot-path,slack=8`.

By default, a path leads from the marker start to the marker exit. Without these markers, it connects two distant cells,
as in the measures. If there is no path or no passable cell, the legend says so. A given cell that is impassable or
outside the map raises an error.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, WithJsonSchema

from ..analysis.chokepoints import chokepoints
from ..analysis.fov import field_of_view
from ..analysis.paths import distances, farthest_cell, find_hot_path, flee_map, read_cells, shortest_path
from ..analysis.regions import Directions, regions_of
from ..analysis.rooms import rooms_graph
from ..analysis.survey import Route, Survey
from ..core import ports
from ..core.appearance import Rgb, distinct_color, read_rgb
from ..core.errors import InvalidRecipe, UnknownName, did_you_mean, errors_within, pluralize, short_repr
from ..core.notation import read_named_values
from ..core.params import Params, param
from ..core.tilemap import TileMap, format_size
from .overlay import CLEAR, DANGER, FAR, Overlay, apply_colormap

Cells: TypeAlias = NDArray[np.int64]
"""Array (cell, axis) of cell indices in array order."""

ROUTE, HOT, OPTIONAL = (226, 58, 46), (250, 165, 54), (92, 132, 190)
ORIGIN, GOAL = (42, 176, 98), (44, 98, 224)
CHOKEPOINT, LIT, UNSEEN = (230, 46, 60), (255, 226, 130), (10, 9, 18)
STRONG, FAINT, VEIL, GLOW = 235, 105, 145, 90
"""Opacity of tints over the tile, from 0 to 255."""


# -- settings -----------------------------------------------------------------------------------------------


def _read_place(value: Any) -> Any:
    """Return the name of a marker, or a tuple of the coordinates of one or more cells.

    A string of coordinates is parsed.
    """
    value = value.tolist() if isinstance(value, np.ndarray | np.generic) else value
    if isinstance(value, str):
        pieces = value.split(",")
        if len(pieces) == 1 or not all(re.fullmatch(r"\s*[+-]?\d{1,9}\s*", piece) for piece in pieces):
            return value
        return tuple(int(piece) for piece in pieces)
    if not isinstance(value, list | tuple) or not value:
        raise InvalidRecipe("must be a marker's name, or x,y of one or more cells", got=value)
    flat = [part for one in value for part in (one if isinstance(one, list | tuple) else [one])]
    if any(isinstance(part, bool) or not isinstance(part, int | np.integer) for part in flat):
        raise InvalidRecipe("must be a marker's name, or x,y of one or more cells", got=value)
    return tuple(int(part) for part in flat)


Place = Annotated[
    str | tuple[int, ...],
    BeforeValidator(_read_place),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "integer"}}]}),
]


class NoParams(Params):
    """Settings of an overlay without any."""

    noun = "setting"


class WalkParams(NoParams):
    """Settings of movement."""

    directions: Directions = param(4)
    """Whether steps are allowed in 4 directions, or in 8 including diagonals."""


class OriginParams(WalkParams):
    """Settings with an origin."""

    origin: Place | None = param(None)
    """Origin: a marker's name, or x,y of one or more cells; by default the marker start, or a distant cell."""


class TripParams(OriginParams):
    """Settings with an origin and a goal."""

    goal: Place | None = param(None)
    """Goal, given like origin; by default the marker exit, or the cell farthest from the origin."""


class HotPathParams(TripParams):
    """Settings of the hot path."""

    slack: float | None = param(None, ge=0, le=1e9)
    """Maximum additional length compared with the shortest path, in steps; by default a tenth of its length."""


class SightParams(NoParams):
    """Settings of the field of view."""

    origin: Place | None = param(None)
    """Origin: a marker's name, or x,y of one or more cells; by default the marker start, or a distant cell."""
    radius: int | None = param(None, ge=0, le=1 << 20)
    """Maximum distance of sight in cells; by default unlimited."""


# -- requests -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class OverlayKind:
    """A kind of overlay: its name, its settings, and the function that computes it."""

    name: str
    params: type[Params]
    body: Callable[[_OverlaySurvey, Any], Overlay]
    one_level: bool

    @property
    def summary(self) -> str:
        return (self.body.__doc__ or "").strip().split("\n", 1)[0]


_kinds: dict[str, OverlayKind] = {}


def overlay_kinds() -> dict[str, OverlayKind]:
    """Return all kinds of overlays, by name: those of this module, and those that other packages register."""
    ports.more_overlays.get()
    return _kinds


def register_overlay(name: str, params: type[Params], *, one_level: bool = False) -> Callable[[Any], Any]:
    """Declare a function of a survey and params as an overlay.

    Parameters
    ----------
    name
        Name of the overlay.
    params
        Class of its settings.
    one_level
        Whether it applies to maps of one level only.

    Returns
    -------
    Callable
        Decorator for a function that returns an `Overlay`. The first line of its docstring describes the overlay.
    """

    def add(body: Callable[[_OverlaySurvey, Any], Overlay]) -> Callable[[_OverlaySurvey, Any], Overlay]:
        _kinds[name] = OverlayKind(name, params, body, one_level)
        return body

    return add


@dataclass(frozen=True)
class OverlayRequest:
    """Validated settings of an overlay, independent of a map."""

    kind: OverlayKind
    params: Params

    @classmethod
    def of(cls, name: object, settings: Mapping[str, Any] | None = None) -> OverlayRequest:
        known = name.replace("_", "-") if isinstance(name, str) else name
        kinds = overlay_kinds()
        if not isinstance(known, str) or known not in kinds:
            raise UnknownName("overlay", name, kinds)
        with errors_within(known):
            return cls(kinds[known], kinds[known].params.validate(settings))

    @classmethod
    def parse(cls, text: str) -> OverlayRequest:
        """Read `hot-path,slack=8,origin=3,4`."""
        name, values = read_named_values(text)
        if "," in name or "=" in name:
            raise InvalidRecipe("write settings as name=value, as in hot-path,slack=8", got=text, rule="format")
        return cls.of(name, values)

    def __str__(self) -> str:
        fields = type(self.params).model_fields
        changed = {name: value for name, value in self.params if value != fields[name].default}
        return ",".join([self.kind.name, *(f"{name}={_format_value(value)}" for name, value in changed.items())])

    def compute(self, map: TileMap) -> Overlay:
        """Return the overlay of a map."""
        if self.kind.one_level and map.cells.ndim == 3:
            text = f"needs a map of one level, got {len(map.cells)}; use one of them"
            raise InvalidRecipe(text, at=("overlay", self.kind.name), place=f"overlay {self.kind.name}")
        try:
            found = self.kind.body(_OverlaySurvey(map), self.params)
        except NoPassableCells:
            found = Overlay(blank_tint(map), legend=f"{self.kind.name}: the map has no passable cell")
        except (InvalidRecipe, UnknownName) as error:
            raise InvalidRecipe.from_error(
                error, ("overlay", self.kind.name), place=f"overlay {self.kind.name}"
            ) from None
        return Overlay(found.tint, found.lines, found.legend, str(self))


def overlay(map: TileMap, name: str, /, **settings: Any) -> Overlay:
    """Compute an overlay of a map.

    Parameters
    ----------
    map : TileMap
        Map to examine.
    name : str
        Kind of overlay, such as `distance` or `hot-path`.
    **settings
        Settings of the overlay, such as `origin` or `slack`.

    Returns
    -------
    Overlay
        Tint, lines and legend. Pass the overlay to `save`, or draw it with other code.

    Raises
    ------
    UnknownName
        If there is no overlay of this name.
    InvalidRecipe
        If a setting is unknown or does not fit the map.

    Examples
    --------
    >>> from tilewright.core.tileset import Tileset
    >>> m = TileMap([[0, 0, 0]], Tileset.from_labels(["floor"]))
    >>> overlay(m, "distance", origin=(0, 0)).legend
    'distance from x=0 y=0: 0..2 steps'
    """
    return OverlayRequest.of(name, settings).compute(map)


class NoPassableCells(Exception):
    """The map has no passable cell."""


class _OverlaySurvey(Survey):
    """Survey of a map that resolves the settings of overlays."""

    def plan_trip(self, params: TripParams) -> _Trip:
        """Return the trip from the origin to the goal."""
        starts = self.find_places(params.origin, "origin", "start")
        goals = self.find_places(params.goal, "goal", "exit")
        if starts is None:
            starts = self.find_origin(None) if goals is None else self._find_farthest(goals, params.directions)
            goals = np.array([self._existing_route.exit]) if goals is None else goals
        elif goals is None:
            goals = self._find_farthest(starts, params.directions)
        return _Trip(self.passable, starts, goals, params.directions)

    def find_origin(self, given: Any) -> Cells:
        """Return the given origin, or the default one."""
        places = self.find_places(given, "origin", "start")
        return np.array([self._existing_route.start]) if places is None else places

    @property
    def _existing_route(self) -> Route:
        if self.route is None:
            raise NoPassableCells
        return self.route

    def find_places(self, given: Any, name: str, marker: str) -> Cells | None:
        """Return the given cells, or else the cells of the marker, or None if there is no such marker."""
        if given is None:
            marked = self.find_markers(marker)
            return marked if len(marked) else None
        cells = self._find_marker(given, name) if isinstance(given, str) else self._parse_cells(given, name)
        blocked = cells[~self.passable[tuple(cells.T)]]
        if len(blocked):
            raise InvalidRecipe(f"{_format_cell(blocked[0])} is impassable; give a passable cell", at=name)
        return cells

    def _find_marker(self, marker: str, name: str) -> Cells:
        known = {one.name for one in self.map.markers}
        if marker not in known:
            hint = did_you_mean(marker, known) or "; the map has no markers, so give x,y of a cell"
            raise InvalidRecipe(f"unknown marker {short_repr(marker)}{hint}", at=name, rule="unknown_name")
        return read_cells(self.map, marker, name)

    def _parse_cells(self, numbers: Sequence[int], name: str) -> Cells:
        """Return cells in array order from a flat list of coordinates x, y or x, y, level."""
        axes = self.passable.ndim
        if len(numbers) % axes:
            raise InvalidRecipe(
                f"must be {('x,y', 'x,y,level')[axes - 2]} of each cell, got {_format_value(numbers)}", at=name
            )
        cells = np.array(numbers, dtype=np.int64).reshape(-1, axes)[:, ::-1]
        outside = cells[((cells < 0) | (cells >= self.passable.shape)).any(axis=1)]
        if len(outside):
            text = f"{_format_cell(outside[0])} is outside the map of {format_size(self.passable.shape)}"
            raise InvalidRecipe(text, at=name)
        return cells

    def _find_farthest(self, cells: Cells, directions: Directions) -> Cells:
        return np.array([farthest_cell(distances(self.passable, cells, directions=directions))])


class _Trip:
    """Starts and goals of a path, and the distances of all cells from the starts and to the goals."""

    def __init__(self, passable: NDArray[np.bool_], starts: Cells, goals: Cells, directions: Directions) -> None:
        self.starts, self.goals = starts, goals
        self._distances = partial(distances, passable, directions=directions)
        self._shortest_path = partial(shortest_path, passable, directions=directions)
        self.from_origin, self.to_goal = self._distances(starts), self._distances(goals)
        self.length = float((self.from_origin + self.to_goal).min())

    def __str__(self) -> str:
        return f"{_format_cells(self.starts)} to {_format_cells(self.goals)}"

    def draw(self, tint: NDArray[np.uint8]) -> None:
        """Tint all starts and goals and, if there is a path, a shortest path between the nearest start and goal."""
        start = min(self.starts.tolist(), key=lambda cell: float(self.to_goal[tuple(cell)]))
        if np.isfinite(self.to_goal[tuple(start)]):
            from_start = self.from_origin if len(self.starts) == 1 else self._distances(start)
            goal = min(self.goals.tolist(), key=lambda cell: float(from_start[tuple(cell)]))
            _paint(tint, self._shortest_path(start, goal), ROUTE)
        _paint(tint, self.starts, ORIGIN)
        _paint(tint, self.goals, GOAL)


@register_overlay("distance", OriginParams)
def _distance(view: _OverlaySurvey, params: OriginParams) -> Overlay:
    """Distance of every cell from the origin in steps, light to dark: a Dijkstra map."""
    origin = view.find_origin(params.origin)
    steps = distances(view.passable, origin, directions=params.directions)
    reached = np.isfinite(steps)
    count, walkable = int(reached.sum()), int(view.passable.sum())
    some = "" if count == walkable else f", {count:,} of {walkable:,} cells reached"
    legend = f"distance from {_format_cells(origin)}: 0..{steps[reached].max():.0f} steps{some}"
    return Overlay(apply_colormap(steps, FAR), legend=legend)


@register_overlay("flee", OriginParams)
def _flee(view: _OverlaySurvey, params: OriginParams) -> Overlay:
    """Flee map of a threat at the origin: the safest direction is from dark to light."""
    origin = view.find_origin(params.origin)
    tint = apply_colormap(flee_map(view.passable, origin, directions=params.directions), DANGER)
    _paint(tint, origin, ROUTE)
    return Overlay(tint, legend=f"flee from {_format_cells(origin)}: light is safe")


@register_overlay("path", TripParams)
def _path(view: _OverlaySurvey, params: TripParams) -> Overlay:
    """Shortest path from origin to goal."""
    trip = view.plan_trip(params)
    tint = blank_tint(view.map)
    trip.draw(tint)
    result = pluralize(int(trip.length), "step") if np.isfinite(trip.length) else "there is none"
    return Overlay(tint, legend=f"path from {trip}: {result}")


@register_overlay("hot-path", HotPathParams)
def _hot_path(view: _OverlaySurvey, params: HotPathParams) -> Overlay:
    """Cells on or near the shortest paths from origin to goal, and the optional rest."""
    trip = view.plan_trip(params)
    tint = blank_tint(view.map)
    tint[np.isfinite(trip.from_origin)] = *OPTIONAL, FAINT
    result = "there is none"
    if np.isfinite(trip.length):
        slack = trip.length // 10 if params.slack is None else params.slack
        hot = find_hot_path(trip.from_origin, trip.to_goal, slack)
        tint[hot.cells] = *HOT, CLEAR
        more = f" and {slack:g} more" if slack else ""
        cells = f"{pluralize(int(hot.cells.sum()), 'cell')}, {int(hot.optional.sum()):,} optional"
        result = f"{pluralize(int(trip.length), 'step')}{more}, {cells}"
    trip.draw(tint)
    return Overlay(tint, legend=f"hot path from {trip}: {result}")


@register_overlay("regions", WalkParams)
def _regions(view: _OverlaySurvey, params: WalkParams) -> Overlay:
    """Connected regions, each in its own color."""
    found = view.regions if params.directions == 4 else regions_of(view.passable, params.directions)
    if not found.count:
        raise NoPassableCells
    colors = np.zeros((found.count + 1, 4), dtype=np.uint8)
    for place, number in enumerate(found.rank().tolist()):
        colors[number] = *_own_color(place), CLEAR
    largest = f"{'of' if found.count == 1 else 'the largest of'} {pluralize(int(found.sizes.max()), 'cell')}"
    return Overlay(colors[found.labels], legend=f"{pluralize(found.count, 'region')}, {largest}")


@register_overlay("rooms", NoParams, one_level=True)
def _rooms(view: _OverlaySurvey, params: NoParams) -> Overlay:
    """Rooms, each in its own color, and lines between linked ones."""
    map, tint = view.map, blank_tint(view.map)
    for number, room in enumerate(map.rooms):
        inside = (slice(room.y, room.y + room.height), slice(room.x, room.x + room.width))
        floor = view.passable[inside]
        tint[inside][floor if floor.any() else ~floor] = *_own_color(number), CLEAR
    middles = [(room.x + (room.width - 1) / 2, room.y + (room.height - 1) / 2) for room in map.rooms]
    graph = rooms_graph(map)
    lines = tuple((middles[one], middles[other]) for one, other in graph.links)
    parts = f" in {pluralize(graph.component_count, 'component')}" if graph.component_count > 1 else ""
    legend = f"{pluralize(len(map.rooms), 'room')}, {pluralize(len(lines), 'link')}{parts}"
    return Overlay(tint, lines, legend if map.rooms else "rooms: the map has none")


@register_overlay("chokepoints", WalkParams)
def _chokepoints(view: _OverlaySurvey, params: WalkParams) -> Overlay:
    """Chokepoints: cells whose removal splits a region."""
    cuts = view.cuts.cells if params.directions == 4 else chokepoints(view.passable, directions=params.directions)
    tint = blank_tint(view.map)
    tint[cuts] = *CHOKEPOINT, CLEAR
    legend = f"{pluralize(int(cuts.sum()), 'chokepoint')} of {pluralize(int(view.passable.sum()), 'cell')}"
    return Overlay(tint, legend=legend)


@register_overlay("sight", SightParams, one_level=True)
def _sight(view: _OverlaySurvey, params: SightParams) -> Overlay:
    """Field of view from the origin; cells out of sight are dark."""
    origin = view.find_origin(params.origin)
    seen = field_of_view(view.map, origin, radius=params.radius)
    tint = blank_tint(view.map)
    tint[~seen] = *UNSEEN, VEIL
    tint[seen & view.passable] = *LIT, GLOW
    _paint(tint, origin, ORIGIN)
    far = "" if params.radius is None else f" within {params.radius}"
    cells = f"{int((seen & view.passable).sum()):,} of {pluralize(int(view.passable.sum()), 'cell')}"
    return Overlay(tint, legend=f"seen from {_format_cells(origin)}{far}: {cells}")


# -- colors and text ----------------------------------------------------------------------------------------


def _own_color(number: int) -> Rgb:
    """Return a color for an index. It differs from the colors of the neighboring indices."""
    return read_rgb(distinct_color(number + 4))  # The first colors are similar to the floor of caves.


def blank_tint(map: TileMap) -> NDArray[np.uint8]:
    return np.zeros((*map.shape, 4), dtype=np.uint8)


def _paint(tint: NDArray[np.uint8], cells: Cells, color: Rgb) -> None:
    tint[tuple(cells.T)] = *color, STRONG


def _format_cell(cell: Sequence[int] | NDArray[np.int64]) -> str:
    names = ("x", "y", "level")
    return " ".join(f"{name}={int(part)}" for name, part in zip(names, reversed(list(cell)), strict=False))


def _format_cells(cells: Cells) -> str:
    return _format_cell(cells[0]) if len(cells) == 1 else f"{len(cells):,} cells"


def _format_value(value: Any) -> str:
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value)
