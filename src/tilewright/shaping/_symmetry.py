"""Symmetries of a map, as the moves that map its cells onto each other.

A move is a string of steps that are applied in order: swap left and right (x), top and bottom (y), or the two axes (d).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..core.errors import InvalidRecipe

Places: TypeAlias = NDArray[np.int64]
Axis: TypeAlias = Literal[
    "horizontal", "vertical", "both", "half_turn", "diagonal", "antidiagonal", "quarter_turn", "all"
]

MOVES: Mapping[Axis, tuple[str, ...]] = {
    "horizontal": ("x",),
    "vertical": ("y",),
    "both": ("x", "y", "xy"),
    "half_turn": ("xy",),
    "diagonal": ("d",),
    "antidiagonal": ("dxy",),
    "quarter_turn": ("dx", "xy", "dy"),
    "all": ("x", "y", "xy", "d", "dx", "dy", "dxy"),
}
"""Moves of each symmetry, without the identity."""


def apply_move(places: Places, move: str) -> Places:
    """Apply a move to an array with axes (..., row, column)."""
    for step in move:
        places = places.swapaxes(-1, -2) if step == "d" else np.flip(places, -1 if step == "x" else -2)
    return places


def find_images(shape: Sequence[int], axis: Axis, name: str) -> list[Places]:
    """Return (row, column) flat indices of the cells, then of their images under each move.

    `name` is the name of the parameter, for errors.
    """
    if any("d" in move for move in MOVES[axis]) and shape[-1] != shape[-2]:
        raise InvalidRecipe(f"{axis} needs a square map, this one is {shape[-1]}x{shape[-2]}", at=name, rule="missing")
    here: Places = np.arange(int(np.prod(shape))).reshape(tuple(shape))
    return [here, *(apply_move(here, move) for move in MOVES[axis])]
