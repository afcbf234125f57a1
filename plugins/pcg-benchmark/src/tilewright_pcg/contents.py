"""Controls and contents of a problem."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tilewright import InvalidRecipe, Params, Rng, TileMap, param

from .problem import Content, Control, Report, find_problem


class SetParams(Params):
    """Parameters of a set of contents."""

    count: int = param(100, ge=1, le=10_000)
    """Number of contents."""


def to_map(problem: str, content: Content) -> TileMap:
    """Return a content as a map with the tileset of the problem.

    Parameters
    ----------
    problem : str
        Name of the problem, such as zelda.
    content
        Content as the benchmark has it.

    Returns
    -------
    TileMap
        The map.

    Raises
    ------
    UnknownName
        If there is no such problem.
    InvalidRecipe
        If the content has the wrong size or numbers.
    """
    return find_problem(problem).to_map(content)


def to_content(problem: str, map: TileMap) -> Content:
    """Return a map as a content of a problem. Tiles are matched by name.

    Parameters
    ----------
    problem : str
        Name of the problem, such as zelda.
    map : TileMap
        Map of the problem's size.

    Returns
    -------
    list or dict
        Content as the benchmark has it.

    Raises
    ------
    UnknownName
        If there is no such problem.
    InvalidRecipe
        If the map has the wrong size, or a tile that the problem does not have.
    """
    return find_problem(problem).to_content(map)


def draw_controls(problem: str, count: int, seed: int | str) -> list[dict[str, int]]:
    """Draw controls at random, each component independently of the others.

    Parameters
    ----------
    problem : str
        Name of the problem, such as zelda.
    count : int
        Number of controls.
    seed : int or str
        Seed of the controls.

    Returns
    -------
    list of dict
        The controls.
    """
    found = find_problem(problem)
    SetParams.validate({"count": count})
    rng = Rng.of(seed).child("controls")
    streams = [(name, low, high, rng.child(name)) for name, low, high in found.ranges]
    return [{name: stream.between(low, high) for name, low, high, stream in streams} for _ in range(count)]


def make_contents(
    problem: str,
    count: int,
    seed: int | str,
    controls: Sequence[Control] | None = None,
    on_progress: Report | None = None,
) -> list[Content]:
    """Make a set of contents in which content k meets control k, and every two differ if possible.

    Parameters
    ----------
    problem : str
        Name of the problem, such as zelda.
    count : int
        Number of contents.
    seed : int or str
        Seed of the contents.
    controls : sequence of dict, optional
        Control of each content; by default those that `draw_controls` draws from the seed.
    on_progress : callable, optional
        Function that takes the number of contents that are complete.

    Returns
    -------
    list
        The contents.

    Raises
    ------
    UnknownName
        If there is no such problem.
    InvalidRecipe
        If the number of controls or a control is wrong.
    """
    found = find_problem(problem)
    SetParams.validate({"count": count})
    wanted: Sequence[Any] = draw_controls(problem, count, seed) if controls is None else controls
    if len(wanted) != count:
        raise InvalidRecipe(f"must be {count} controls, got {len(wanted)}", at="controls", rule="length")
    checked = [found.check_control(control) for control in wanted]
    return found.make(checked, Rng.of(seed).child("contents"), on_progress or (lambda done: None))
