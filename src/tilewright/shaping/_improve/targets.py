"""Targets of the shaper improve: measures, and the values that they must reach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BeforeValidator

from ...core.errors import InvalidRecipe, ProblemList, UnknownName, problem
from ...core.notation import read_requirement
from ...core.params import hint, limit_problems
from ...core.registry import measures
from ...core.require import Requirement, read_requirements
from ...core.tilemap import TileMap

MAX_TARGETS = 50
FIXED_MEASURES = ("cells", "markers", "room_count", "room_spread")
"""Measures that no change of a tile can change."""


def _read_targets(value: Any) -> Any:
    """Convert a mapping, a list of pairs, or strings such as `path_length=60..66` to pairs of a measure and a value."""
    if isinstance(value, str):
        value = value.split(",")
    if isinstance(value, Mapping):
        value = list(value.items())
    if not isinstance(value, list | tuple):
        return value
    found: list[tuple[str, str]] = []
    problems = ProblemList()
    for pair in value[:MAX_TARGETS]:
        with problems.collect(kind=InvalidRecipe):
            found.append(_read_target(pair))
    if len(value) > MAX_TARGETS:
        problems.append(problem(f"must have at most {MAX_TARGETS} measures, got {len(value)}", rule="maximum_length"))
    if problems:
        raise InvalidRecipe(*limit_problems(problems))
    return tuple(found)


def _read_target(pair: Any) -> tuple[str, str]:
    if isinstance(pair, str):
        pair = read_requirement(pair, ())
    if not isinstance(pair, list | tuple) or len(pair) != 2 or not isinstance(pair[0], str):
        raise InvalidRecipe("must be a measure and its value, such as path_length: 60..66", got=pair)
    (found,) = read_requirements({pair[0].strip(): pair[1]})
    return found.measure, write_value(found)


def write_value(target: Requirement) -> str:
    """Return the value of a target as text: `1`, `60..66`, `>80` or `most`."""
    return str(target).removeprefix(target.measure).lstrip(": ").removeprefix("== ").replace(" ", "")


Target = tuple[Annotated[str, hint(initial="path_length")], Annotated[str, hint(initial=">=0")]]
Targets = Annotated[tuple[Target, ...], BeforeValidator(_read_targets)]
"""Pairs of a measure and the text of its requirement; see `core/require`."""


def parse_targets(targets: Sequence[tuple[str, str]]) -> list[Requirement]:
    """Return the requirements of validated targets."""
    return [requirement for name, text in targets for requirement in read_requirements({name: text})]


def check_measures(map: TileMap, targets: Sequence[Requirement]) -> None:
    """Raise InvalidRecipe if a target names an unknown tile, or compares the map with a sample."""
    problems = ProblemList()
    for target in targets:
        entry = measures.get(target.measure)
        if entry.compares:
            text = f"{entry.name} compares a map with a sample, which this shaper does not have"
            problems.append(problem(text, at="targets", rule="missing"))
        with problems.collect("targets", kind=UnknownName):
            entry.check_argument([map.tileset])
    problems.raise_all()


def check_reachable(targets: Sequence[Requirement], values: Mapping[str, float], fixed_tiles: Sequence[str]) -> None:
    """Raise InvalidRecipe if no change of tiles can reach a target.

    Parameters
    ----------
    targets
        The targets.
    values
        Values of their measures on the original map.
    fixed_tiles
        Tiles whose numbers of cells cannot change.
    """
    problems = ProblemList()
    for target in targets:
        if target.holds(values[target.measure]):
            continue
        kind, _, argument = target.measure.partition(".")
        if kind in FIXED_MEASURES:
            text = f"{target} cannot be reached, because only tiles are changed"
            problems.append(problem(text, at="targets", rule="conflict"))
        elif kind == "count" and argument in fixed_tiles:
            text = f"{target} cannot be reached, because the number of cells with this tile is kept"
            problems.append(problem(text, at="targets", rule="conflict"))
    problems.raise_all()
