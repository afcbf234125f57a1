"""Parameters of the shaper place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator

from ...core.errors import Fix, Problem, UnknownName, problem
from ...core.grid import Label
from ...core.params import MAX_AREA, MAX_SIDE, Names, Params, hint, param
from ...core.tilemap import MAX_PROPERTY_NAME, MAX_PROPERTY_TEXT, MarkerValue

MAX_CELLS = 10_000
"""Maximum number of markers of one name, and of exact cells."""
MAX_NAME = 200
MAX_NUMBER = 10**15
"""Maximum absolute value of a property that changes with the steps, so that floats count it exactly."""
Coordinate = Annotated[int, hint(typical=(0, 200))]


class Band(Params):
    """Steps between two markers."""

    noun: ClassVar[str] = "key of a band"
    marker: str = param("", max_length=MAX_NAME, peek=True)
    """Marker to place; by default all of them."""
    origin: str = param("start", min_length=1, max_length=MAX_NAME, peek=True)
    """Marker from which the steps are counted: one on the map, or another one of the markers to place."""
    min_steps: int = param(0, ge=0, le=MAX_AREA, typical=(0, 50))
    """Minimum number of steps."""
    max_steps: int | None = param(None, ge=0, le=MAX_AREA, typical=(0, 200))
    """Maximum number of steps; by default unlimited."""

    def find_problems(self) -> Iterator[Problem]:
        if self.max_steps is not None and self.max_steps < self.min_steps:
            text = f"must be at least min_steps, {self.min_steps}, got {self.max_steps}"
            yield problem(text, at="max_steps", rule="minimum", instead=self.min_steps)
        if self.marker == self.origin:
            yield problem(f"must not be the marker itself, {self.marker!r}", at="origin", rule="conflict")


class MarkerProperty(Params):
    """Property of the placed markers."""

    noun: ClassVar[str] = "key of a property"
    name: str = param(min_length=1, max_length=MAX_PROPERTY_NAME, unique=True, peek=True)
    """Name of the property."""
    value: MarkerValue = param("")
    """Value of the property."""
    far: float | None = param(None)
    """Number at the most steps from the origin, in between it changes evenly; by default the value everywhere."""

    def find_problems(self) -> Iterator[Problem]:
        if isinstance(self.value, str) and len(self.value) > MAX_PROPERTY_TEXT:
            yield problem(f"must have at most {MAX_PROPERTY_TEXT:,} characters", at="value", rule="maximum_length")
        if self.far is None:
            return
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            yield problem("must be a number if far is given", at="value", got=self.value, rule="type")
        elif max(abs(self.value), abs(self.far)) > MAX_NUMBER:
            yield problem(f"must be from -{MAX_NUMBER:,} to {MAX_NUMBER:,}", at="far", got=self.far, rule="range")


def _read_properties(value: Any) -> Any:
    """Convert `{gold: 5, level: [1, 9]}` to a list of properties."""
    if not isinstance(value, Mapping):
        return value
    return tuple(
        {"name": name, "value": given[0], "far": given[1]}
        if isinstance(given, list | tuple) and len(given) == 2
        else {"name": name, "value": given}
        for name, given in value.items()
    )


class PlaceParams(Params):
    renamed: ClassVar[Mapping[str, str]] = {"apart": "min_distance", "near": "min_steps", "far": "max_steps"}
    markers: Names = param(("start", "exit"), min_length=1, max_length=1000)
    """Names of the markers, in the order in which their cells are chosen."""
    rule: Literal["farthest", "dead_ends", "off_path", "spread", "band", "random", "cells"] = param("farthest")
    """Rule that chooses the cells."""
    cells: tuple[tuple[Coordinate, Coordinate], ...] = param((), max_length=MAX_CELLS, hidden_unless=("rule", "cells"))
    """Exact cells as x, y: all for one name, or one for each name in order."""
    count: int = param(1, ge=1, le=MAX_CELLS, typical=(1, 20))
    """Number of markers of each name."""
    per: Literal["map", "room", "100_cells", "1000_cells"] = param("map")
    """Unit of the count: markers on the map, in each room, or per 100 or 1,000 reachable cells of the area."""
    area: Literal["map", "rooms", "corridors", "same_room", "other_rooms"] = param("map")
    """Cells to use: all, those in rooms, those outside of rooms, those in the rooms of a marker, or in other rooms."""
    room_of: str = param("start", min_length=1, max_length=MAX_NAME, hidden_unless=("area", "same_room", "other_rooms"))
    """Marker of the area same_room or other_rooms."""
    on_path: bool | None = param(None)
    """Whether cells are on the paths from start to exit, or else away from them; by default both."""
    min_distance: int = param(1, ge=1, le=MAX_SIDE, typical=(1, 20))
    """Minimum Euclidean distance between two markers, in cells."""
    origin: str = param("start", min_length=1)
    """Marker from which the steps of the rule band, of rise and of properties are counted."""
    min_steps: int = param(0, ge=0, le=MAX_AREA, typical=(0, 50), hidden_unless=("rule", "band"))
    """Minimum number of steps from the origin."""
    max_steps: int | None = param(None, ge=0, le=MAX_AREA, typical=(0, 200), hidden_unless=("rule", "band"))
    """Maximum number of steps from the origin; by default unlimited."""
    bands: tuple[Band, ...] = param((), max_length=100)
    """Steps between markers that must hold with any rule. Markers of one stage are chosen together."""
    rise: float = param(0.0, ge=-8, le=8, typical=(-2, 4))
    """Exponent of the density as a function of the steps from the origin: 0 is even, 1 doubles at twice the steps."""
    properties: Annotated[tuple[MarkerProperty, ...], BeforeValidator(_read_properties)] = param((), max_length=100)
    """Properties of the markers, such as gold: 5, or level: [1, 9] for a number that rises with the steps."""
    required: bool = param(True)
    """Whether to give up if a marker cannot be placed; otherwise the map reports how many are missing."""
    tile: Label | None = param(None, tiles=True)
    """Tile to put on the chosen cells, except locked ones; by default none."""

    @classmethod
    def expand_shorthand(cls, values: Mapping[str, Any]) -> Mapping[str, Any]:
        full: dict[str, Any] = {}
        if isinstance(values.get("markers"), str):
            full["markers"] = [values["markers"]]
        if isinstance(values.get("properties"), Mapping):
            full["properties"] = list(_read_properties(values["properties"]))
        return {**values, **full}

    @property
    def is_joint(self) -> bool:
        """Whether bands connect markers that are placed together."""
        return any(band.origin in self.markers for band in self.bands)

    def find_problems(self) -> Iterator[Problem]:
        if not all(self.markers):
            yield problem("each marker needs a name", at="markers", rule="missing")
        if self.max_steps is not None and self.max_steps < self.min_steps:
            text = f"must be at least min_steps, {self.min_steps}, got {self.max_steps}"
            yield problem(text, at="max_steps", rule="minimum", instead=self.min_steps)
        if self.rule == "cells":
            yield from self._find_cell_problems()
        names = [one.name for one in self.properties]
        for name in sorted({name for name in names if names.count(name) > 1}):
            yield problem(f"{name!r} is given twice", at="properties", rule="conflict")
        for number, band in enumerate(self.bands):
            if band.marker and band.marker not in self.markers:
                (unknown,) = UnknownName("marker", band.marker, self.markers).problems
                yield unknown.within("bands", number, "marker")
        if self.is_joint:
            yield from self._find_joint_problems()

    def _find_cell_problems(self) -> Iterator[Problem]:
        if not self.cells:
            yield problem("the rule cells needs cells, such as [[3, 4]]", at="cells", rule="missing")
        elif len(self.markers) > 1 and len(self.cells) != len(self.markers):
            text = f"must have one cell for each of the {len(self.markers)} markers, got {len(self.cells)}"
            yield problem(text, at="cells", rule="length")

    def _find_joint_problems(self) -> Iterator[Problem]:
        needed: dict[str, object] = {"count": 1, "per": "map"}
        for name, value in needed.items():
            if getattr(self, name) != value:
                text = f"must be {value} if bands connect markers of this stage"
                yield problem(text, at=name, rule="conflict", instead=value)
        if self.rule in ("spread", "cells"):
            text = f"{self.rule} cannot be used with bands between markers of this stage"
            yield problem(text, at="rule", rule="conflict", fixes=[Fix("set", ("rule",), "random")])
        if len(set(self.markers)) < len(self.markers):
            yield problem("must be different names if bands connect them", at="markers", rule="conflict")
