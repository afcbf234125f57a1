"""The two classes of libFBCAGen, and the constants that are the defaults of a new `Fbca`.

A changed constant applies to every `Fbca` created afterwards. Existing automata keep their values.
"""

# ruff: noqa: N815, N816, N999 - the names are a contract
from __future__ import annotations

from dataclasses import dataclass, field

CALength = 100
"""Number of columns of the map (x)."""
CAWidth = 100
"""Number of rows of the map (y)."""
neighbours = [(0, 1), (0, -1), (-1, 0), (1, 0)]
"""Offsets (x, y) of the neighbors of a cell; y increases downward."""
numOfGens = 40
numOfStates = 2
scoreMatrix = [1, 2, 3, 4]
"""Scores of a cell's own state (row) with a neighbor's state (column), row by row."""


@dataclass(eq=False)
class CACell:
    """Cell of a map."""

    state: int = 0
    score: float = 0
    """Score of the cell in the last `updateMap`."""


@dataclass(eq=False)
class Fbca:
    """Fashion-based cellular automaton: its torus, its rule, and its map as columns of cells, `levelMap[x][y]`."""

    levelMap: list[list[CACell]] = field(default_factory=list, repr=False)
    scoreMatrix: list[float | str] = field(default_factory=list)
    """List of n * n scores. Further scores are ignored. If the list is empty, the constant `scoreMatrix` is used."""
    behaviourNum: int = 0
    """Not set automatically; use `fbca.behaviourNum = libFBCAGen.behaviourNum(fbca)`."""
    g: int = field(default_factory=lambda: numOfGens)
    n: int = field(default_factory=lambda: numOfStates)
    neighbourhood: list[tuple[int, int]] = field(default_factory=lambda: list(neighbours))
    torusWidth: int = field(default_factory=lambda: CAWidth)
    torusLength: int = field(default_factory=lambda: CALength)
