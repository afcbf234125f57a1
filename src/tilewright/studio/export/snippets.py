"""Recipes as code that makes the same map in a shell or in Python.

A recipe that the command line cannot express is written to a file first.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from keyword import iskeyword
from typing import Any

import numpy as np

from ...core.command_line import join_words, list_arguments
from ...core.grid import FREE, Grid
from ...core.landmarks import write_marker, write_room
from ...core.notation import UnwritableValue
from ...core.recipe import as_recipe_data
from ...core.tilemap import TileMap
from ...core.yaml import write_data

WIDTH = 100
"""Maximum characters of a line of Python."""


def command_line(data: Mapping[str, Any], output: str = "map.png") -> str:
    """Return the shell command for a recipe: one line, or a recipe file and the line that runs it.

    Parameters
    ----------
    data : mapping
        Recipe as plain data.
    output : str, default "map.png"
        File to write.

    Returns
    -------
    str

    Examples
    --------

    >>> print(command_line({"technique": "caves", "params": {"width": 40}, "shaping": ["border"], "seed": 7}))
    tilewright make caves --width 40 --shape border --seed 7 -o map.png
    """
    data = as_recipe_data(data)
    try:
        line = join_words(["make", *list_arguments(data), "-o", output])
    except UnwritableValue:
        line = ""
    if line:
        return line
    text = write_data(data)
    end = next(mark for mark in ("END", *(f"END{number}" for number in range(len(text)))) if mark not in text)
    run = shlex.join(["tilewright", "run", "recipe.yaml", "-o", output])
    return f"cat > recipe.yaml <<'{end}'\n{text}{end}\n{run}"


def python_code(data: Mapping[str, Any], painted: Grid | None = None, edited: TileMap | None = None) -> str:
    """Return Python code for a recipe and the edits of its map by hand.

    Parameters
    ----------
    data : mapping
        Recipe as plain data.
    painted : Grid, optional
        Painted cells. All other cells are undecided.
    edited : TileMap, optional
        Map whose markers and rooms replace those that the recipe makes.

    Returns
    -------
    str

    Examples
    --------

    >>> print(python_code({"technique": "caves", "params": {"width": 40}, "seed": 7}))
    import tilewright as tw
    <BLANKLINE>
    m = tw.make("caves", width=40, seed=7)
    """
    data = as_recipe_data(data)
    params = data.get("params") or {}
    words = {word: value for word, value in data.items() if word not in ("technique", "params") and value is not None}
    if all(isinstance(name, str) and name.isidentifier() and not iskeyword(name) for name in params):
        keywords = [(f"{name}=", value) for name, value in {**params, **words}.items()]
        call = _wrap_parts("tw.make(", [("", data["technique"]), *keywords], ")", WIDTH - 4)
    else:
        call = _wrap_parts("tw.run(", [("", dict(data))], ")", WIDTH - 4)
    lines = ["import tilewright as tw", "", f"m = {call}"]
    painting = [] if painted is None else _write_painting(painted)
    return "\n".join([*lines, *painting, *([] if edited is None else _write_landmarks(edited))])


# -- Python -------------------------------------------------------------------------------------------------


def _write_literal(value: Any, width: int = WIDTH) -> str:
    """Return a value as a Python literal, on several lines if it is too long for one."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False) if value.isprintable() else repr(value)
    if isinstance(value, (list, tuple)):
        opening, closing = ("[", "]") if isinstance(value, list) else ("(", ",)" if len(value) == 1 else ")")
        return _wrap_parts(opening, [("", part) for part in value], closing, width)
    if isinstance(value, Mapping):
        return _wrap_parts("{", [(f"{_write_literal(name)}: ", part) for name, part in value.items()], "}", width)
    return repr(value)


def _wrap_parts(opening: str, parts: Sequence[tuple[str, Any]], closing: str, width: int) -> str:
    """Return parts with their prefixes between brackets, all on one line or each on its own line."""
    line = opening + ", ".join(before + _write_literal(part, 1 << 30) for before, part in parts) + closing
    if len(line) <= width:
        return line
    inside = [before + _write_literal(part, width - 5 - len(before)) for before, part in parts]
    return "\n    ".join([opening, *(f"{part},".replace("\n", "\n    ") for part in inside)]) + "\n" + closing[-1:]


def _write_painting(painted: Grid) -> list[str]:
    """Return lines of code that set the painted cells of the map `m`, one run of equal tiles at a time."""
    runs = list(_find_runs(painted))
    if not runs:
        return []
    level = "level, " if painted.cells.ndim == 3 else ""
    return [
        "",
        "cells = m.cells.copy()",
        f"for {level}y, x, length, tile in {_write_literal(runs, WIDTH - 40)}:",
        f"    cells[{level}y, x : x + length] = m.tileset.id(tile)",
        "m = m.replace(cells=cells)",
    ]


def _find_runs(painted: Grid) -> Iterator[tuple[Any, ...]]:
    """Yield the start, the length and the label of each run of equal painted cells in a row."""
    for place in np.ndindex(painted.shape[:-1]):
        row = painted.cells[place]
        edges = np.flatnonzero(np.diff(row, prepend=FREE, append=FREE))
        ends = [*edges[1:].tolist(), len(row)]
        for begin, end in zip(edges.tolist(), ends, strict=False):
            if begin < len(row) and row[begin] != FREE:
                yield (*place, begin, end - begin, painted.labels[row[begin]])


def _write_landmarks(map: TileMap) -> list[str]:
    """Return lines of code that set the markers, rooms and links of the map `m` to those of a map."""
    markers = [tuple(write_marker(marker)) for marker in map.markers]
    rooms = [tuple(write_room(room)) for room in map.rooms]
    return [
        "",
        f"markers = {_write_literal(markers, WIDTH - 10)}",
        f"rooms = {_write_literal(rooms, WIDTH - 8)}",
        f"links = {_write_literal(list(map.links), WIDTH - 8)}",
        "markers, rooms = [tw.Marker(*marker) for marker in markers], [tw.Room(*room) for room in rooms]",
        "m = m.replace(markers=markers, rooms=rooms, links=links)",
    ]
