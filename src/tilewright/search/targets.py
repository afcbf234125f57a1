"""Targets of a set of maps: the requirements that each map must meet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import PlainValidator, WithJsonSchema

from ..core.errors import InvalidRecipe, errors_within
from ..core.recipe import Stage
from ..core.registry import shapers
from ..core.require import Requirement, read_conditions


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
