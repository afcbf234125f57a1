"""Plain versions of algorithms that several tests compare with, on sets of cells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

Cell = TypeVar("Cell", bound=tuple[int, ...])
Edge = tuple[str, int, int]


def find_regions(cells: Iterable[Cell], offsets: Iterable[Sequence[int]]) -> list[set[Cell]]:
    """Return the connected regions of cells in the order of their first cells; an offset joins in both directions."""
    rest, parts = set(cells), []
    steps = [tuple(sign * part for part in offset) for offset in offsets for sign in (1, -1)]
    for start in sorted(rest):
        if start not in rest:
            continue
        rest.remove(start)
        part = [start]
        for cell in part:
            near = {tuple(a + b for a, b in zip(cell, step, strict=True)) for step in steps} & rest
            rest -= near
            part += near  # type: ignore[arg-type]
        parts.append(set(part))
    return parts


def join_pairs(count: int, pairs: Iterable[Sequence[int]]) -> list[int]:
    """Return the group of each number below `count`, where pairs join groups: the lowest number of the group."""
    groups = list(range(count))
    for one, other in pairs:
        low, high = sorted((groups[one], groups[other]))
        groups = [low if group == high else group for group in groups]
    return groups


def count_windows(
    map: NDArray[np.integer], size: int, wrap: Sequence[bool], sides: Sequence[tuple[bool, bool]], beyond: int
) -> Counter[tuple[int, ...]]:
    """Count the windows of a map cell by cell; the first cell may be one before the map if that edge counts."""
    ranges = []
    for length, round_, (before, behind) in zip(map.shape, wrap, sides, strict=True):
        first, last = (0, length - 1) if round_ else (-int(before), length + int(behind) - size)
        ranges.append(range(first, last + 1))
    return Counter(tuple(_iter_window(map, start, size, wrap, beyond)) for start in product(*ranges))


def _iter_window(
    map: NDArray[np.integer], start: tuple[int, ...], size: int, wrap: Sequence[bool], beyond: int
) -> Iterator[int]:
    for step in product(range(size), repeat=map.ndim):
        cell = [at + more for at, more in zip(start, step, strict=True)]
        cell = [at % length if round_ else at for at, length, round_ in zip(cell, map.shape, wrap, strict=True)]
        inside = all(0 <= at < length for at, length in zip(cell, map.shape, strict=True))
        yield int(map[tuple(cell)]) if inside else beyond


def list_windows(cells: NDArray[Any], size: int) -> list[tuple[Any, ...]]:
    """Return all windows of a map, which have this size along each axis."""
    windows = np.lib.stride_tricks.sliding_window_view(cells, (size,) * cells.ndim)
    return [tuple(window) for window in windows.reshape(-1, size**cells.ndim).tolist()]


def find_patterns(cells: NDArray[Any], size: int, wrap: Sequence[bool]) -> set[tuple[Any, ...]]:
    """Return the windows of a map that wraps around at these axes."""
    for axis, round_ in enumerate(wrap):
        if round_:
            cells = np.take(cells, np.arange(cells.shape[axis] + size - 1) % cells.shape[axis], axis=axis)
    return set(list_windows(cells, size))


def find_edges(is_open: NDArray[np.bool_]) -> set[Edge]:
    """Return the unit edges between open and solid cells: direction, x and y of the upper or left end."""
    padded = np.pad(is_open, 1)
    upright = {("v", int(x), int(y)) for y, x in np.argwhere(padded[1:-1, :-1] != padded[1:-1, 1:])}
    flat = {("h", int(x), int(y)) for y, x in np.argwhere(padded[:-1, 1:-1] != padded[1:, 1:-1])}
    return upright | flat


def list_unit_edges(loop: Sequence[Sequence[int]]) -> list[Edge]:
    """Return the unit edges of a closed line through these corners (x, y)."""
    edges: list[Edge] = []
    for (x, y), (next_x, next_y) in zip(loop, [*loop[1:], loop[0]], strict=True):
        assert (x == next_x) != (y == next_y), "a line has no length, or is not along a row or column"
        if x == next_x:
            edges += [("v", x, row) for row in range(min(y, next_y), max(y, next_y))]
        else:
            edges += [("h", column, y) for column in range(min(x, next_x), max(x, next_x))]
    return edges
