"""Directions of contexts, orders in which contexts are tried, and scans: the order in which a map's cells are drawn."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from ...core.caching import cached_by_size
from ...core.errors import InvalidRecipe, did_you_mean, short_repr
from ...kernels.types import Int64_1D, Int64_2D

STEPS = {
    "n": (-1, 0),
    "ne": (-1, 1),
    "e": (0, 1),
    "se": (1, 1),
    "s": (1, 0),
    "sw": (1, -1),
    "w": (0, -1),
    "nw": (-1, -1),
}
STEPS |= {f"{name}2": (2 * down, 2 * right) for name, (down, right) in STEPS.items()}
"""(rows, columns) from a cell to its neighbor in each direction; n2 is the second cell to the north."""
MARGIN = 2
"""Width of the margin around a padded map: the longest step of a direction."""
NAMES = {step: name for name, step in STEPS.items()}
AROUND = ("n", "ne", "e", "se", "s", "sw", "w", "nw")
SEED_DIRECTIONS = ("e", "w", "sw", "s", "se")
SEED_BACKOFF = (
    *("e+w+sw+s+se", "w+sw+s+se", "e+w+s", "w+sw+s", "w+s+se", "w+s", "w*s"),
    *("w", "s", "sw", "se"),
)
"""Default backoff order for rows from the bottom left. East is known only at the edge and beside locked cells."""
MAX_DIRECTIONS = 8
ALL_SUBSETS = 6
"""With more directions than this, only the contexts of the backoff order are learned."""
MAX_STEPS = 256

Turn = tuple[bool, bool, bool]
"""Whether x and y are swapped, then left and right, then top and bottom."""


def read_directions(value: Any) -> Any:
    """Return the names of directions in lower case, without duplicates."""
    if not isinstance(value, (list, tuple)):
        return value
    if not value:
        text = f"must contain at least one direction, such as {', '.join(SEED_DIRECTIONS)}"
        raise InvalidRecipe(text, rule="missing")
    names = [name.lower() if isinstance(name, str) else name for name in value]
    for name in names:
        if not isinstance(name, str) or name not in STEPS:
            near = did_you_mean(name, STEPS) if isinstance(name, str) else ""
            raise InvalidRecipe(f"{short_repr(name)} is not a direction{near}; {', '.join(STEPS)}")
    if len(set(names)) < len(names):
        raise InvalidRecipe(f"must contain each direction once, got {', '.join(names)}", rule="duplicate")
    if len(names) > MAX_DIRECTIONS:
        raise InvalidRecipe(f"must contain at most {MAX_DIRECTIONS} directions, got {len(names)}")
    return tuple(names)


def read_step(step: str, directions: Sequence[str]) -> tuple[int, ...]:
    """Return the sets of directions of a backoff step as bits: one for `w+sw+s`, two independent ones for `w*s`."""
    parts = step.lower().split("*")
    if not re.fullmatch(r"[a-z0-9+* ]+", step.lower()):
        raise InvalidRecipe(f"{short_repr(step)} is not a context; write w+sw+s or w*s", at="backoff")
    if len(parts) > MAX_DIRECTIONS:
        raise InvalidRecipe(f"must multiply at most {MAX_DIRECTIONS} contexts, got {len(parts)}", at="backoff")
    masks = []
    for part in parts:
        mask = 0
        for name in (name.strip() for name in part.split("+")):
            if name not in directions:
                text = f"{short_repr(step)}: {short_repr(name)} is not one of the directions {', '.join(directions)}"
                raise InvalidRecipe(text, at="backoff")
            mask |= 1 << directions.index(name)
        masks.append(mask)
    return tuple(masks)


def turn_direction(name: str, turn: Turn) -> str:
    """Convert a direction of the default scan, by rows from the bottom left, to that of another scan."""
    down, right = STEPS[name]
    swapped, across, upside = turn
    if swapped:  # columns from the bottom left go up first, so the cell drawn before is south instead of west
        down, right = -right, -down
    return NAMES[-down if upside else down, -right if across else right]


def turn_step(step: str, turn: Turn) -> str:
    """Return a backoff step with its directions turned."""
    return re.sub(r"[a-z0-9]+", lambda name: turn_direction(name.group(), turn), step)


def turn_back(turn: Turn) -> Turn:
    """Return the turn of a scan whose rows or columns run in the opposite direction, in the same order."""
    swapped, across, upside = turn
    return (swapped, across, not upside) if swapped else (swapped, not across, upside)


def _split_step(step: str) -> frozenset[frozenset[str]]:
    """Return the sets of directions of a backoff step."""
    return frozenset(frozenset(part.split("+")) for part in step.split("*"))


def default_directions(turn: Turn | None) -> tuple[str, ...]:
    """Return the five default directions, turned for the scan; all eight for a spiral."""
    return tuple(turn_direction(name, turn) for name in SEED_DIRECTIONS) if turn is not None else AROUND


def default_backoff(directions: Sequence[str], turn: Turn | None, *, serpentine: bool = False) -> tuple[str, ...]:
    """Return the default backoff order, or for other directions all contexts that can be known, largest first.

    In a serpentine scan, the contexts of both directions of its lines alternate. Those of the other direction contain a
    neighbor that is not known yet.
    """
    turns = [] if turn is None else [turn, turn_back(turn)] if serpentine else [turn]
    if turn is not None and set(directions) == set(default_directions(turn)):
        steps = [turn_step(step, one) for step in SEED_BACKOFF for one in turns]
        return tuple({_split_step(step): step for step in reversed(steps)}.values())[::-1]
    near_first = sorted(directions, key=lambda name: sum(abs(part) for part in STEPS[name]))  # the sort is stable
    if turn is None and set(directions) == set(AROUND):
        return _list_arcs()
    behind = [name for name in near_first if turn is None or any(_is_behind(name, one) for one in turns)][:ALL_SUBSETS]
    subsets = [tuple(directions)]
    for size in range(len(behind), 0, -1):
        subsets += combinations(behind, size)
    subsets += ((name,) for name in near_first if name not in behind)
    return tuple(dict.fromkeys("+".join(sorted(subset, key=near_first.index)) for subset in subsets))


def _is_behind(name: str, turn: Turn) -> bool:
    """Return whether the scan visits the neighbor in a direction before the cell."""
    home = next(home for home in STEPS if turn_direction(home, turn) == name)
    down, right = STEPS[home]
    return down > 0 or (down == 0 and right < 0)


def _list_arcs() -> tuple[str, ...]:
    """Return the backoff order of a spiral: all neighbors, arcs of neighbors, neighbors along the axes, single ones."""
    arcs = [tuple(AROUND)]
    for length in (5, 4, 3):
        arcs += [tuple(AROUND[(start + step) % 8] for step in range(length)) for start in range(8)]
    arcs += [subset for size in (3, 2) for subset in combinations(("n", "e", "s", "w"), size)]
    return tuple("+".join(arc) for arc in [*arcs, *((name,) for name in ("n", "e", "s", "w", *AROUND[1::2]))])


@cached_by_size
def order_places(turn: Turn | None, shape: tuple[int, int], *, serpentine: bool = False) -> Int64_1D:
    """Return the places of all cells in a padded flat map, in the order of a scan; a spiral if `turn` is None.

    In a serpentine scan, every second row or column runs in the opposite direction.
    """
    rows, columns = (side + 2 * MARGIN for side in shape)
    places = np.arange(rows * columns, dtype=np.int64).reshape(rows, columns)[MARGIN:-MARGIN, MARGIN:-MARGIN]
    return _order_spiral(places) if turn is None else _order_lines(places, turn, serpentine=serpentine)


def _order_lines(places: Int64_2D, turn: Turn, *, serpentine: bool) -> Int64_1D:
    swapped, across, upside = turn
    turned = places[:: 1 if upside else -1, :: -1 if across else 1]
    lines = np.ascontiguousarray(turned.T if swapped else turned)
    if serpentine:
        lines[1::2] = lines[1::2, ::-1].copy()
    return lines.reshape(-1)


def _order_spiral(places: Int64_2D) -> Int64_1D:
    """Order places ring by ring around the center, each ring from its lower right corner: up, left, down, right."""
    rows, columns = (side // 2 for side in places.shape)
    down, right = np.ogrid[-rows : places.shape[0] - rows, -columns : places.shape[1] - columns]
    ring = np.maximum(np.abs(down), np.abs(right))
    up = (right == ring) & (down < ring)
    left = (down == -ring) & (right < ring)
    lowered = (right == -ring) & (down > -ring)
    along = np.where(
        up, ring - down, np.where(left, 3 * ring - right, np.where(lowered, 5 * ring + down, 7 * ring + right))
    )
    return places.reshape(-1)[np.lexsort((along.reshape(-1), ring.reshape(-1)))]
