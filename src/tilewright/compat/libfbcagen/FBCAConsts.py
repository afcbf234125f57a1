"""The two classes of libFBCAGen, and the constants that a new `Fbca` starts from.

Change a constant here and every `Fbca` made afterwards has it; those made before keep their own.
"""

# ruff: noqa: N815, N816, N999 - the names are a contract
from __future__ import annotations

from dataclasses import dataclass, field

CALength = 100
"""Columns of the map: the extent of x."""
CAWidth = 100
"""Rows of the map: the extent of y."""
neighbours = [(0, 1), (0, -1), (-1, 0), (1, 0)]
"""Offsets (x, y) of the cells that a cell sees; y grows downward."""
numOfGens = 40
numOfStates = 2
scoreMatrix = [1, 2, 3, 4]
"""Row after row: how well a cell's own state (row) goes with a neighbour's (column)."""


@dataclass(eq=False)
class CACell:
    state: int = 0
    score: float = 0
    """What the cell scored when `updateMap` last looked at it."""


@dataclass(eq=False)
class Fbca:
    """An automaton: where it lives, its rule, and its map as columns of cells, `levelMap[x][y]`."""

    levelMap: list[list[CACell]] = field(default_factory=list, repr=False)
    scoreMatrix: list[float | str] = field(default_factory=list)
    """n * n scores, more are ignored; none stand for the constant `scoreMatrix`."""
    behaviourNum: int = 0
    """Filled by whoever wants it: `fbca.behaviourNum = libFBCAGen.behaviourNum(fbca)`."""
    g: int = field(default_factory=lambda: numOfGens)
    n: int = field(default_factory=lambda: numOfStates)
    neighbourhood: list[tuple[int, int]] = field(default_factory=lambda: list(neighbours))
    torusWidth: int = field(default_factory=lambda: CAWidth)
    torusLength: int = field(default_factory=lambda: CALength)
