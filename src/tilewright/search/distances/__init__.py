"""Distances: by how much two maps differ, from 0 (equal) to 1.

A distance describes each map once, by what it compares, and then compares descriptions. Each built-in distance is a
module of this package. Other packages add distances through the entry point group tilewright.distances.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import PlainValidator, WithJsonSchema

from ...analysis.survey import Survey
from ...core.entries import Entry, declare
from ...core.errors import InvalidRecipe, TilewrightError
from ...core.notation import read_entry
from ...core.registry import Bound, Registry
from ...core.tilemap import TileMap, format_size

CompareMany = Callable[[Any, NDArray[Any]], NDArray[np.float64]]


@dataclass(frozen=True, kw_only=True)
class Distance(Entry):
    """A number from 0 to 1 by which two maps differ.

    The decorator `distance` declares a function of two descriptions that returns the number: 0 for equal descriptions,
    and the same in both orders. Its docstring describes the distance.

    Examples
    --------
    >>> import tilewright as tw
    >>> @tw.register
    ... @tw.distance(lambda survey, params: survey.regions.count)
    ... def region_count(one, other):
    ...     \"\"\"Relative difference of the number of regions.\"\"\"
    ...     return abs(one - other) / max(one, other, 1)
    >>> a, b = (tw.make("caves", width=20, height=12, seed=seed) for seed in (1, 2))
    >>> matrix = tw.search.compare([a, b], "region_count")
    >>> matrix.shape, float(matrix[0, 0])
    ((2, 2), 0.0)
    >>> distance_registry.remove("region_count")
    """

    describe: Callable[[Survey, Any], Any] = field(kw_only=False)
    """Function `(survey, params)` that returns what is compared, such as an array, or None if the distance does not
    apply to the map. It is called once per map. Equal maps must have equal descriptions."""
    compare_many: CompareMany | None = None
    """Function of a description and of several descriptions stacked in an array, which returns the distance to each.
    It is used where all descriptions are arrays of the same shape; it must agree with the declared function."""
    needs: str = ""
    """What a map must have so that the distance applies, such as "rooms"."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not callable(self.describe):
            text = "must be a function of a survey and params"
            raise InvalidRecipe(text, at="describe", got=self.describe, rule="type")


distance = declare(Distance)
"""Declare a function of two descriptions as a distance, with the fields of `Distance`."""
distance_registry: Registry[Distance] = Registry("distance", "distances", Distance, package="search.distances")


class BoundDistance(Bound[Distance]):
    """A distance with its params."""

    def describe(self, map: TileMap) -> Any:
        """Return the description of a map; None if the distance does not apply to it."""
        return self.entry.describe(Survey(map), self.params)

    def compare(self, one: Any, others: Sequence[Any] | NDArray[Any]) -> NDArray[np.float64]:
        """Return the distances between a description and others: a list of them, or an array of stacked ones."""
        if isinstance(others, np.ndarray) and self.entry.compare_many is not None:
            found = np.asarray(self.entry.compare_many(one, others), dtype=np.float64)
        else:
            found = np.array([self.entry.body(one, other) for other in others], dtype=np.float64)
        if len(found) and not (found.min() >= 0 and found.max() <= 1):  # also false for NaN
            name = self.entry.name
            raise TilewrightError(f"distance {name}: returned a number outside 0..1; this is a bug in {name}")
        return found


def refuse_other_size(name: str, one: NDArray[Any], other: NDArray[Any]) -> None:
    """Raise InvalidRecipe if two maps differ in size."""
    if one.shape != other.shape:
        text = f"{name} compares maps of one size, got {format_size(one.shape)} and {format_size(other.shape)}"
        raise InvalidRecipe(f"{text}; use patterns or path", at="distance", place="distance", rule="size")


def read_distance(given: Any) -> BoundDistance:
    """Read a distance: its name, `patterns,pattern_size=2`, or a mapping such as `{"patterns": {"pattern_size": 2}}`.

    Raises
    ------
    UnknownName
        If no distance has that name.
    InvalidRecipe
        If a parameter breaks its rule.
    """
    if isinstance(given, BoundDistance):
        return given
    return BoundDistance(*read_entry(given, distance_registry, "hamming"))


DistanceValue = Annotated[Any, PlainValidator(read_distance), WithJsonSchema({"type": "string"})]
"""A distance with its parameters."""
