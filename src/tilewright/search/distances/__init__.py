"""Distances: by how much two maps differ, from 0 (equal) to 1.

A distance describes each map once, by what it compares, and then compares descriptions. Each built-in distance is a
module of this package. Other packages add distances through the entry point group tilewright.distances.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...analysis.survey import Survey
from ...core.errors import InvalidRecipe, TilewrightError
from ...core.notation import read_entry
from ...core.params import Params
from ...core.registry import Entry, Registry, check_function, check_params_class
from ...core.tilemap import TileMap

Describe = Callable[[Survey, Any], Any]
CompareMany = Callable[[Any, NDArray[Any]], NDArray[np.float64]]


@dataclass(frozen=True, kw_only=True)
class Distance(Entry):
    """A number from 0 to 1 by which two maps differ; 0 for equal maps, and the same in both orders."""

    describe: Describe
    """Function `(survey, params)` that returns the description of a map, or None if the distance does not apply."""
    body: Callable[[Any, Any], float]
    """Function of two descriptions that returns the distance."""
    compare_many: CompareMany | None = None
    """Function of a description and of several descriptions stacked in an array, which returns the distance to each.
    It is used where all descriptions are arrays of the same shape; it must agree with `body`."""
    needs: str = ""
    """What a map must have so that the distance applies, such as "rooms"."""
    params: type[Params] = field(default=Params)

    def __reduce__(self) -> tuple[Any, ...]:
        return _find, (self.name,)


distance_registry: Registry[Distance] = Registry("distance", "distances", Distance, package="search.distances")


def _find(name: str) -> Distance:
    return distance_registry.get(name)


def distance(
    describe: Describe,
    *,
    params: type[Params] = Params,
    compare_many: CompareMany | None = None,
    needs: str = "",
    revision: int = 1,
) -> Callable[[Callable[[Any, Any], float]], Distance]:
    """Declare a function of two descriptions as a distance. See `register_distance`."""

    def declare(body: Callable[[Any, Any], float]) -> Distance:
        return Distance(
            name=body.__name__,
            params=params,
            revision=revision,
            doc=inspect.getdoc(body) or "",
            describe=describe,
            body=body,
            compare_many=compare_many,
            needs=needs,
        )

    return declare


def register_distance(
    describe: Describe,
    *,
    params: type[Params] = Params,
    compare_many: CompareMany | None = None,
    needs: str = "",
    revision: int = 1,
) -> Callable[[Callable[[Any, Any], float]], Distance]:
    """Declare a function as a distance and register it in this process.

    Registering the same name again replaces the distance. Packages register distances through the entry point group
    tilewright.distances.

    Parameters
    ----------
    describe
        Function `(survey, params)` that returns what is compared, such as an array, or None if the distance does not
        apply to the map. It is called once per map. Equal maps must have equal descriptions.
    params
        Class of the distance's parameters.
    compare_many
        Function of a description and of several descriptions stacked in an array, which returns the distance to each;
        for descriptions that are arrays of the same shape.
    needs
        What a map must have so that the distance applies, such as "rooms".
    revision
        Number to increase when the distance gives other results.

    Returns
    -------
    Callable
        Decorator for a function of two descriptions that returns a number from 0 to 1: 0 for equal descriptions, and
        the same in both orders. Its docstring describes the distance.

    Examples
    --------
    >>> import tilewright as tw
    >>> @tw.register_distance(lambda survey, params: survey.regions.count)
    ... def region_count(one, other):
    ...     \"\"\"Relative difference of the number of regions.\"\"\"
    ...     return abs(one - other) / max(one, other, 1)
    >>> a, b = (tw.make("caves", width=20, height=12, seed=seed) for seed in (1, 2))
    >>> matrix = tw.search.compare([a, b], "region_count")
    >>> matrix.shape, float(matrix[0, 0])
    ((2, 2), 0.0)
    >>> distance_registry.remove("region_count")
    """
    if not callable(describe):
        raise InvalidRecipe("must be a function of a survey and params", at="describe", got=describe, rule="type")
    check_params_class(params)
    declare = distance(describe, params=params, compare_many=compare_many, needs=needs, revision=revision)
    return lambda body: distance_registry.register(declare(check_function(body)))


@dataclass(frozen=True)
class BoundDistance:
    """A distance with its params."""

    distance: Distance
    params: Params

    def __str__(self) -> str:
        """Return the distance as `read_distance` reads it."""
        given = {name: getattr(self.params, name) for name in self.params.model_fields_set}
        return ",".join([self.distance.name, *(f"{name}={value}" for name, value in given.items())])

    def describe(self, map: TileMap) -> Any:
        """Return the description of a map; None if the distance does not apply to it."""
        return self.distance.describe(Survey(map), self.params)

    def compare(self, one: Any, others: Sequence[Any] | NDArray[Any]) -> NDArray[np.float64]:
        """Return the distances between a description and others: a list of them, or an array of stacked ones."""
        if isinstance(others, np.ndarray) and self.distance.compare_many is not None:
            found = np.asarray(self.distance.compare_many(one, others), dtype=np.float64)
        else:
            found = np.array([self.distance.body(one, other) for other in others], dtype=np.float64)
        if len(found) and not (found.min() >= 0 and found.max() <= 1):  # also false for NaN
            name = self.distance.name
            raise TilewrightError(f"distance {name}: returned a number outside 0..1; this is a bug in {name}")
        return found


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
