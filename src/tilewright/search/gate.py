"""The gate of a set of maps: a map enters only if it meets a target and differs enough from all maps of the set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import PlainValidator, WithJsonSchema

from ..core.errors import InvalidRecipe, errors_within
from ..core.recipe import Stage
from ..core.registry import shapers
from ..core.require import Requirement, read_conditions
from .distances import BoundDistance


@dataclass(frozen=True)
class Target:
    """Requirements that one or several maps of a set must meet; without any, every map meets it."""

    requirements: tuple[Requirement, ...] = ()

    def __str__(self) -> str:
        return ", ".join(map(str, self.requirements))

    def holds(self, numbers: Mapping[str, float]) -> bool:
        """Return whether a map with these measures meets all requirements."""
        return all(one.holds(numbers[one.measure]) for one in self.requirements)

    def to_stage(self) -> Stage:
        """Return the stage of the shaper `improve` that changes a map until it meets the requirements."""
        targets = {one.measure: one.to_data() for one in self.requirements}
        return Stage("improve", shapers.get("improve").params.validate({"targets": targets}))


def read_targets(given: Any) -> tuple[Target, ...]:
    """Read targets: None, requirements by measure for all maps, or a list of them.

    In the list, a target may be a string such as `path_length=60..66,regions=1`.

    Raises
    ------
    InvalidRecipe
        If there is no target, or a requirement is invalid.
    """
    if given is None:
        return (Target(),)
    if isinstance(given, Mapping):
        return (_read_target(given, ("targets",)),)
    if not isinstance(given, Sequence) or isinstance(given, str):
        text = "must be requirements by measure, such as path_length: 60..66, or a list of them"
        raise InvalidRecipe(text, at="targets", got=given, rule="type")
    if not given:
        raise InvalidRecipe("must not be empty; leave them out if every map will do", at="targets", rule="missing")
    return tuple(_read_target(one, ("targets", number)) for number, one in enumerate(given))


def _read_target(given: Any, path: tuple[str | int, ...]) -> Target:
    with errors_within(*path):
        found = read_conditions(given.split(",") if isinstance(given, str) else given)
        if not found:
            raise InvalidRecipe("must have at least one measure, such as path_length: 60..66", rule="missing")
        extreme = next((one for one in found if one.is_extreme), None)
        if extreme is not None:
            text = "must be a number or a comparison; most and least are for single maps"
            raise InvalidRecipe(text, at=extreme.measure, got=extreme.rule, rule="conflict")
    return Target(found)


Targets = Annotated[tuple[Target, ...], PlainValidator(read_targets), WithJsonSchema({"type": "array"})]
"""Targets of a set; without targets, a single one that every map meets."""


@dataclass
class Descriptions:
    """Descriptions of the maps of a set. Arrays of one shape are stacked, so that kernels compare them at once."""

    items: list[Any] = field(default_factory=list)
    _stack: NDArray[Any] | None = None
    _is_stacked: bool = True

    def add(self, description: Any) -> None:
        stack = self._stack
        if not isinstance(description, np.ndarray) or (stack is not None and stack.shape[1:] != description.shape):
            self._is_stacked = False
        if self._is_stacked:
            count = len(self.items)
            if stack is None or count == len(stack):
                larger = np.empty((max(16, 2 * count), *description.shape), dtype=description.dtype)
                larger[:count] = stack if stack is not None else description
                self._stack = stack = larger
            stack[count] = description
        self.items.append(description)

    def view(self, description: Any) -> Sequence[Any] | NDArray[Any]:
        """Return all descriptions for a comparison with another one, stacked if they have its shape."""
        stack = self._stack
        if not self._is_stacked or stack is None or stack.shape[1:] != np.shape(description):
            return self.items
        return stack[: len(self.items)]


class Gate:
    """Fills the places of a set with maps that meet their targets and differ from each other.

    Parameters
    ----------
    distance : BoundDistance
        The distance.
    min_distance : float
        Minimum distance between every two maps.
    targets : sequence of Target
        Targets; place k has target k modulo their number.
    count : int
        Number of places.
    """

    def __init__(self, distance: BoundDistance, min_distance: float, targets: Sequence[Target], count: int) -> None:
        self.distance = distance
        self.min_distance = min_distance
        self.targets = tuple(targets)
        self.count = count
        self.places: list[int] = []
        """Place of each map, in the order in which they entered."""
        self.rows: list[NDArray[np.float64]] = []
        """Distances of each map to the maps that entered before it."""
        self._descriptions = Descriptions()
        self._open = [list(range(number, count, len(targets)))[::-1] for number in range(len(targets))]
        """Free places of each target, the first of them last."""

    @property
    def is_full(self) -> bool:
        return len(self.places) == self.count

    @property
    def open_targets(self) -> list[Target]:
        """Targets that still have a free place, ordered by their first free place."""
        found = sorted((places[-1], number) for number, places in enumerate(self._open) if places)
        return [self.targets[number] for _, number in found]

    def find_place(self, measures: Mapping[str, float]) -> int | None:
        """Return the first free place whose target a map with these measures meets."""
        free = sorted((places[-1], number) for number, places in enumerate(self._open) if places)
        return next((place for place, number in free if self.targets[number].holds(measures)), None)

    def offer(self, description: Any, measures: Mapping[str, float]) -> float | None:
        """Let a map enter if it meets a target with a free place and differs enough from all others.

        Returns
        -------
        float or None
            The distance to the nearest map, infinity for the first map; None if the map meets no open target.
        """
        place = self.find_place(measures)
        if place is None:
            return None
        distances = self.distance.compare(description, self._descriptions.view(description))
        nearest = float(distances.min(initial=np.inf))
        if nearest >= self.min_distance:
            self._open[place % len(self.targets)].pop()
            self._descriptions.add(description)
            self.places.append(place)
            self.rows.append(distances)
        return nearest

    def find_matrix(self) -> NDArray[np.float64]:
        """Return the distances between all maps, in the order of their places."""
        count = len(self.places)
        by_entry = np.zeros((count, count))
        for number, row in enumerate(self.rows):
            by_entry[number, :number] = by_entry[:number, number] = row
        order = np.argsort(self.places)
        return by_entry[np.ix_(order, order)]


def find_possible_distance(gate: Gate, offers: Sequence[tuple[Any, Mapping[str, float]]]) -> float | None:
    """Return the largest minimum distance, in steps of 0.001, with which a gate fills all places from these offers.

    Return None if no distance above 0 does. The search halves the range of distances, so that a larger one may exist
    where more maps enter with a larger distance.
    """
    low, high = 0, int(gate.min_distance * 1000)
    while low < high:
        middle = (low + high + 1) // 2
        trial = Gate(gate.distance, middle / 1000, gate.targets, gate.count)
        for description, measures in offers:
            trial.offer(description, measures)
            if trial.is_full:
                break
        low, high = (middle, high) if trial.is_full else (low, middle - 1)
    return low / 1000 if low else None
