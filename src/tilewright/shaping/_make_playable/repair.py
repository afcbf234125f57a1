"""Repairs: cells to change, by the roles that they get."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from ...core.roles import role_of_name
from ...core.tilemap import TileMap
from ...play.board import Cell, GameBoard
from ...play.game_rules import find_tiles_of_roles

Mask: TypeAlias = NDArray[np.bool_]
Changes: TypeAlias = Mapping[Cell, str]
"""Roles of the changed cells."""
GROUND = ("platform", "wall", "brick")
"""Roles of new ground, the best first: platforms never block the player from below."""
DANGERS = ("spike", "enemy", "boss")


def find_fixed_cells(board: GameBoard, locked: Mask) -> Mask:
    """Return the cells that must not change: locked ones, and those of the player, exits, keys and gold."""
    return locked | board.mask("player", "player_on_target", "exit", "key", "gold", "treasure", "target", "crate")


def choose_role(board: GameBoard, *roles: str) -> str:
    """Return the first role that a tile of the tileset has; empty if none has one."""
    tiles = find_tiles_of_roles(board)
    return next((role for role in roles if role in tiles), "")


def apply_changes(map: TileMap, changes: Changes) -> TileMap:
    """Return the map with changed cells, without the dangers that were marked there."""
    board = GameBoard(map)
    tiles = find_tiles_of_roles(board)
    cells = map.cells.copy()
    for cell, role in changes.items():
        cells[cell] = tiles[role]
    kept = [one for one in map.markers if (one.y, one.x) not in changes or role_of_name(one.name) not in DANGERS]
    return map.replace(cells=cells, markers=kept)
