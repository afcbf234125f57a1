"""Problems of the benchmark: sizes, tiles, controls and makers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tilewright import InvalidRecipe, Rng, TileMap, Tileset, UnknownName

Content: TypeAlias = Any
"""Content as the benchmark has it: a list of rows of integers, or a dictionary."""
Control: TypeAlias = Mapping[str, int]
Report: TypeAlias = Callable[[int], None]
"""Function that takes the number of contents that are complete."""

PROBLEMS = ("binary", "zelda", "isaac", "ddave", "mdungeons", "sokoban", "loderunner", "loderunnertile")
"""Names of the problems, as the benchmark has them without `-v0`."""


class PcgProblem(ABC):
    """A problem of the benchmark. Contents are lists of rows, unless a problem says otherwise."""

    name: str
    shape: tuple[int, int]
    """Rows and columns of a content."""
    tiles: tuple[Mapping[str, Any], ...]
    """Tiles in the order of the benchmark's numbers."""
    ranges: tuple[tuple[str, int, int], ...]
    """Name, minimum and maximum of each control."""
    game: str = ""
    """Game with the benchmark's physics."""

    @property
    def tileset(self) -> Tileset:
        return Tileset.validate({"name": f"pcg-{self.name}", "tiles": self.tiles, "game": self.game})

    @abstractmethod
    def make(self, controls: Sequence[Control], rng: Rng, report: Report) -> list[Content]:
        """Return a content for each control."""

    def to_map(self, content: Content) -> TileMap:
        """Return a content as a map."""
        return TileMap(self.read_grid(content), self.tileset)

    def to_content(self, map: TileMap) -> Content:
        """Return a map as a content. Tiles are matched by name."""
        return self.read_grid(self.number_tiles(map)).tolist()

    def read_grid(self, content: Content) -> NDArray[np.int64]:
        """Return a content as an array. Raise InvalidRecipe if its shape or its numbers are wrong."""
        rows, columns = self.shape
        try:
            grid = np.asarray(content)
        except ValueError:
            grid = np.empty(0)
        if grid.shape != self.shape:
            raise InvalidRecipe(f"{self.name}: a content must have {rows} rows of {columns} numbers", at="content",
                                rule="shape")  # fmt: skip
        if not np.issubdtype(grid.dtype, np.integer) or grid.min() < 0 or grid.max() >= len(self.tiles):
            raise InvalidRecipe(f"{self.name}: a content must have integers from 0 to {len(self.tiles) - 1}",
                                at="content", rule="range")  # fmt: skip
        return grid.astype(np.int64)

    def number_tiles(self, map: TileMap) -> NDArray[np.int64]:
        """Return the cells of a map as numbers of the benchmark."""
        if map.shape != self.shape:
            rows, columns = self.shape
            size = "x".join(str(side) for side in reversed(map.shape))
            raise InvalidRecipe(f"{self.name}: the map must be {columns}x{rows}, got {size}", at="map", rule="shape")
        names = [tile["name"] for tile in self.tiles]
        numbers = [names.index(tile.name) if tile.name in names else -1 for tile in map.tileset]
        grid = np.array(numbers, dtype=np.int64)[map.cells]
        if grid.min() < 0:
            tile = map.tileset[int(map.cells[grid < 0][0])]
            raise InvalidRecipe(f"{self.name}: has no tile {tile.name!r}", at="map", rule="name")
        return grid

    def check_control(self, control: Any) -> Control:
        """Return a control with integers. Raise InvalidRecipe if names or values are wrong."""
        names = [name for name, _, _ in self.ranges]
        if not isinstance(control, Mapping) or set(control) != set(names):
            text = ", ".join(names)
            raise InvalidRecipe(f"{self.name}: a control must have {text}", at="controls", got=control, rule="name")
        for name, low, high in self.ranges:
            value = control[name]
            is_integer = isinstance(value, int | np.integer) and not isinstance(value, bool)
            if not is_integer or not low <= value <= high:
                text = f"{self.name}: {name} must be an integer from {low} to {high}"
                raise InvalidRecipe(text, at="controls", got=value, rule="range")
        return {name: int(control[name]) for name in names}


def find_problem(name: str) -> PcgProblem:
    """Return a problem by its name, with or without `-v0`."""
    plain = name.removesuffix("-v0") if isinstance(name, str) else name
    if plain not in PROBLEMS:
        raise UnknownName("problem", plain, PROBLEMS)
    problem: PcgProblem = import_module(f".{plain}", __package__).PROBLEM
    return problem
