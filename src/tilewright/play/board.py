"""Boards: maps as games read them, by the roles of tiles and markers."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..core.errors import InvalidRecipe, pluralize
from ..core.roles import role_of_name
from ..core.tilemap import TileMap

Cell: TypeAlias = tuple[int, int]
"""(row, column)."""


STEPS = {"left": (0, -1), "right": (0, 1), "up": (-1, 0), "down": (1, 0)}
"""(rows, columns) of a step by the name of the move."""


class GameBoard:
    """A map of one level by roles. A cell has the role of its tile and those of its markers.

    Parameters
    ----------
    map : TileMap
        Map of one level.
    game : str
        Name of the game, for messages.

    Raises
    ------
    InvalidRecipe
        If the map has several levels.
    """

    def __init__(self, map: TileMap, game: str = "game") -> None:
        if map.cells.ndim != 2:
            raise InvalidRecipe(f"{game}: needs a map of one level, got {len(map.cells)}", rule="shape")
        self.map, self.game = map, game

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns)."""
        rows, columns = self.map.shape
        return rows, columns

    def contains(self, row: int, column: int) -> bool:
        """Return whether a cell is inside the map."""
        rows, columns = self.shape
        return 0 <= row < rows and 0 <= column < columns

    def flat_index(self, cell: Cell) -> int:
        """Return the index of a cell in the flattened board with a margin of one cell, as kernels have it."""
        row, column = cell
        return (row + 1) * (self.shape[1] + 2) + column + 1

    @cached_property
    def _tile_roles(self) -> list[str]:
        """Roles by tile id."""
        return [tile.game_role for tile in self.map.tileset]

    @cached_property
    def _marker_roles(self) -> dict[str, list[Cell]]:
        found: dict[str, list[Cell]] = {}
        for marker in self.map.markers:
            if role := role_of_name(marker.name):
                found.setdefault(role, []).append((marker.y, marker.x))
        return found

    def mask(self, *roles: str) -> NDArray[np.bool_]:
        """Return a mask of the cells with any of these roles."""
        tiles = np.array([role in roles for role in self._tile_roles])
        mask: NDArray[np.bool_] = tiles[self.map.cells]
        for role in roles:
            for cell in self._marker_roles.get(role, ()):
                mask[cell] = True
        return mask

    def cells(self, *roles: str) -> list[Cell]:
        """Return the cells with any of these roles, in the order of rows."""
        return [(int(row), int(column)) for row, column in np.argwhere(self.mask(*roles))]

    def colors(self, role: str) -> dict[Cell, frozenset[str]]:
        """Return the colors of keys, doors or locks by cell: the words after the first in names of tiles and markers.

        A plain `key` has the color "".
        """
        found: dict[Cell, frozenset[str]] = {}
        tileset = self.map.tileset
        numbers = [number for number, own in enumerate(self._tile_roles) if own == role]
        for row, column in np.argwhere(np.isin(self.map.cells, numbers)):
            name = tileset[int(self.map.cells[row, column])].name
            found[int(row), int(column)] = frozenset({_color_of(name)})
        for marker in self.map.markers:
            if role_of_name(marker.name) == role:
                cell = marker.y, marker.x
                found[cell] = found.get(cell, frozenset()) | {_color_of(marker.name)}
        return found

    def one(self, *roles: str) -> Cell:
        """Return the only cell with one of these roles. Raise InvalidRecipe if there is none, or more than one."""
        found = self.cells(*roles)
        if len(found) != 1:
            raise InvalidRecipe(f"{self.game}: {self._explain_count(roles[0], len(found))}", rule="role")
        return found[0]

    def some(self, *roles: str) -> list[Cell]:
        """Return the cells with any of these roles. Raise InvalidRecipe if there is none."""
        found = self.cells(*roles)
        if not found:
            raise InvalidRecipe(f"{self.game}: {self._explain_count(roles[0], 0)}", rule="role")
        return found

    def has_role(self, role: str) -> bool:
        """Return whether a tile of the tileset or a marker of the map has a role, used or not."""
        return role in self._tile_roles or role in self._marker_roles

    def _explain_count(self, role: str, count: int) -> str:
        if count:
            return f"the map must have one {role}, got {count}"
        if self.has_role(role):
            return f"the map has no {role}"
        marker = "start" if role == "player" else role
        return (
            f"the map has no {role}: no tile of the tileset {self.map.tileset.name!r} has the role {role}, "
            f"and there is no marker {marker}"
        )

    def __iter__(self) -> Iterator[tuple[Cell, str]]:
        """Yield all cells with the roles of their tiles."""
        for cell in np.ndindex(self.shape):
            yield (cell[0], cell[1]), self._tile_roles[self.map.cells[cell]]

    def __repr__(self) -> str:
        rows, columns = self.shape
        return f"<GameBoard {columns}x{rows} for {self.game}, {pluralize(len(self.map.markers), 'marker')}>"


def _color_of(name: str) -> str:
    return name.partition(" ")[2]
