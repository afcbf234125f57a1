"""Graphs of rooms: rooms on a grid and the links between neighbors.

A room has the name of its cell, as in a spreadsheet: a1 is the first room of the first row, b1 its right neighbor, and
a2 the room below it.

Strings that describe a graph of rooms: linked rooms joined by hyphens, single rooms, and the size of the grid.

>>> graph = read_graph(("3x2", "a1-b1-b2", "c1"))
>>> graph.shape, [graph.name_of(room) for room in graph.rooms], graph.links
((2, 3), ['a1', 'b1', 'c1', 'b2'], ((0, 1), (1, 4)))
"""

from __future__ import annotations

import re
from bisect import insort
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import chain, pairwise
from string import ascii_lowercase as letters
from typing import Annotated, Any, TypeAlias

from pydantic import BeforeValidator

from ..core.caching import cached_by_size
from ..core.errors import Fix, InvalidRecipe, Problem, problem
from ..core.seeds import Rng

Link = tuple[int, int]


@dataclass(frozen=True)
class GridGraph:
    """Rooms on a grid, by their number in the order of rows, and links between neighbors."""

    shape: tuple[int, int]
    """Rows and columns of the grid."""
    rooms: tuple[int, ...]
    """Numbers of the rooms, in ascending order."""
    links: tuple[Link, ...]
    """Pairs of linked rooms, the smaller number first, in ascending order."""

    def name_of(self, room: int) -> str:
        """Return the name of a room.

        >>> graph = GridGraph((2, 30), (0, 31, 29), ())
        >>> [graph.name_of(room) for room in graph.rooms]
        ['a1', 'b2', 'ad1']
        """
        row, column = divmod(room, self.shape[1])
        return name_cell(row, column)


def name_cell(row: int, column: int) -> str:
    """Return the name of a cell of the grid."""
    first, last = divmod(column, len(letters))
    return f"{letters[first - 1] if first else ''}{letters[last]}{row + 1}"


def list_grid_links(shape: tuple[int, int]) -> list[Link]:
    """Return all pairs of neighbors on a grid."""
    rows, columns = shape
    across = [(room, room + 1) for room in range(rows * columns) if (room + 1) % columns]
    return sorted([*across, *((room, room + columns) for room in range((rows - 1) * columns))])


def grow_room_tree(shape: tuple[int, int], rooms: int, rng: Rng) -> GridGraph:
    """Return a random tree of that many rooms on a grid of these rows and columns, grown from a random room."""
    links_at: dict[int, list[Link]] = {room: [] for room in range(shape[0] * shape[1])}
    for link in list_grid_links(shape):
        for room in link:
            links_at[room].append(link)
    newest = rng.below(shape[0] * shape[1])
    joined, links = {newest}, set[Link]()
    frontier: list[Link] = []  # The links with one end in `joined`, in ascending order.
    while len(joined) < rooms:
        for link in links_at[newest]:
            if link[0] in joined and link[1] in joined:
                frontier.remove(link)
            else:
                insort(frontier, link)
        chosen = rng.choice(frontier)
        newest = chosen[0] if chosen[1] in joined else chosen[1]
        links.add(chosen)
        joined.add(newest)
    return GridGraph(shape, tuple(sorted(joined)), tuple(sorted(links)))


# -- notation -----------------------------------------------------------------------------------------------------

Cell = tuple[int, int]
"""Row and column of a room on the grid."""
MAX_GRID_SIDE = 100
MAX_GRAPH_STRINGS = 2 * MAX_GRID_SIDE**2
"""One string for each link of the largest grid."""
SEPARATORS = re.compile(r"[,;\s]+")
SIZE = re.compile(r"(\d+)x(\d+)")
ROOM = re.compile(r"([a-z]{1,2})([1-9]\d{0,2})")
FORMS = "a size such as 4x3, or rooms such as a1-b1-b2"


def _split_strings(value: Any) -> Any:
    """Split strings at commas and blanks, and check the graph that they describe."""
    given = (value,) if isinstance(value, str) else value
    if not isinstance(given, (list, tuple)) or not all(isinstance(one, str) for one in given):
        return value
    parts = tuple(part.lower() for one in given for part in SEPARATORS.split(one) if part)
    try:
        read_graph(parts)
    except InvalidRecipe as error:
        # The positions in fixes are those after splitting.
        problems = [
            replace(one, fixes=tuple(Fix("set", (), fix.apply(parts)) for fix in one.fixes)) for one in error.problems
        ]
        raise InvalidRecipe(*problems) from None
    return parts


GraphStrings: TypeAlias = Annotated[tuple[str, ...], BeforeValidator(_split_strings)]
"""Strings that `read_graph` reads, or a single string in which they are separated by commas or blanks."""


@cached_by_size
def read_graph(parts: tuple[str, ...]) -> GridGraph:
    """Return the graph that strings describe; without rooms if they give only the size of the grid.

    Raise InvalidRecipe with all mistakes.
    """
    sizes: dict[int, tuple[int, int]] = {}
    chains: list[list[Cell]] = []
    problems: list[Problem] = []
    for place, part in enumerate(parts):
        try:
            if SIZE.fullmatch(part):
                sizes[place] = _read_size(part)
            else:
                chains.append(_read_chain(part))
        except InvalidRecipe as error:
            problems += error.within(place, place="").problems
    used = [1 + max((cell[axis] for cell in chain.from_iterable(chains)), default=0) for axis in (0, 1)]
    rows, columns = next(iter(sizes.values()), used)
    if len(sizes) > 1:
        first, second, *_ = sizes
        text = f"must have one size of the grid, got {parts[first]} and {parts[second]}"
        problems.append(problem(text, rule="conflict", fixes=[Fix("remove", (place,)) for place in (first, second)]))
    elif rows < used[0] or columns < used[1]:
        outside = next(cell for cell in chain.from_iterable(chains) if cell[0] >= rows or cell[1] >= columns)
        text = f"{name_cell(*outside)} is outside the grid of {columns}x{rows} rooms"
        fix = Fix("set", (next(iter(sizes)),), f"{max(columns, used[1])}x{max(rows, used[0])}")
        problems.append(problem(text, value=name_cell(*outside), rule="range", fixes=[fix]))
    if problems:
        raise InvalidRecipe(*problems)
    numbers = [[row * columns + column for row, column in cells] for cells in chains]
    links = {(min(pair), max(pair)) for cells in numbers for pair in pairwise(cells)}
    return GridGraph((rows, columns), tuple(sorted({*chain.from_iterable(numbers)})), tuple(sorted(links)))


def _read_size(part: str) -> tuple[int, int]:
    """Return the rows and columns of `4x3`, which has three rows."""
    columns, rows = (min(int(digits[:9]), 10**8) for digits in part.split("x"))
    if not (1 <= columns <= MAX_GRID_SIDE and 1 <= rows <= MAX_GRID_SIDE):
        near = "x".join(str(min(max(1, side), MAX_GRID_SIDE)) for side in (columns, rows))
        raise InvalidRecipe(f"must have 1 to {MAX_GRID_SIDE} columns and rows", got=part, rule="range", instead=near)
    return rows, columns


def _read_chain(part: str) -> list[Cell]:
    """Return the cells of `a1-b1-b2`."""
    found = [ROOM.fullmatch(name) for name in part.split("-")]
    cells = [_find_cell(*name.groups()) for name in found if name is not None]
    if len(cells) < len(found):
        raise InvalidRecipe(f"must be {FORMS}", got=part, rule="format")
    for cell in cells:
        if max(cell) >= MAX_GRID_SIDE:
            last = name_cell(MAX_GRID_SIDE - 1, MAX_GRID_SIDE - 1)
            raise InvalidRecipe(f"must have rooms from a1 to {last}, got {name_cell(*cell)}", value=part, rule="range")
    for place, (one, other) in enumerate(pairwise(cells)):
        if abs(one[0] - other[0]) + abs(one[1] - other[1]) != 1:
            text = f"must link neighbors, got {_join_names([one, other])}"
            paths = [] if one == other else _find_paths(one, other)
            advice = f"; {_join_names(paths[0])} links them through the rooms between" if paths else ""
            chains = [[*cells[:place], *path, *cells[place + 2 :]] for path in paths]
            fixes = [Fix("set", (), _join_names(fixed)) for fixed in chains]
            raise InvalidRecipe(f"{text}{advice}", value=part, rule="neighbors", fixes=fixes)
    return cells


def _find_cell(word: str, digits: str) -> Cell:
    """Return the cell of a room's name."""
    column = 0
    for letter in word:
        column = column * len(letters) + letters.index(letter) + 1
    return int(digits) - 1, column - 1


def _join_names(cells: Sequence[Cell]) -> str:
    return "-".join(name_cell(*cell) for cell in cells)


def _find_paths(one: Cell, other: Cell) -> list[list[Cell]]:
    """Return the paths with at most one corner between two cells."""
    rows, columns = ([*range(start, end, 1 if end > start else -1), end] for start, end in zip(one, other, strict=True))
    across = [*((one[0], column) for column in columns), *((row, other[1]) for row in rows[1:])]
    down = [*((row, one[1]) for row in rows), *((other[0], column) for column in columns[1:])]
    return [across] if across == down else [across, down]
