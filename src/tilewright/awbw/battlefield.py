"""Battlefield: the cells of a two-player map, where every change also appears at the mirrored cell."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from ..core.errors import GaveUp, InvalidRecipe
from ..core.owners import NEUTRAL, change_owners, find_countries
from ..core.pieces import SIDES
from ..core.tileset import Tileset
from ..shaping.mirror import Places
from .measures import foot_costs

Mask: TypeAlias = NDArray[np.bool_]
Cell: TypeAlias = tuple[int, int]

GROUND = "plain"
LAND = ("plain", "wood", "mountain")
"""Kinds that can be built on, and that replace removed buildings."""
WATER = ("sea", "reef")
BRIDGE, ROAD, RIVER = "bridge", "road", "river"


class TileKinds:
    """The tiles of a tileset, classified for two-player maps."""

    def __init__(self, tileset: Tileset, countries: tuple[str, str], move: str) -> None:
        self.tileset = tileset
        self.kinds = np.array([tile.kind for tile in tileset])
        self.countries = np.array([tile.country for tile in tileset])
        if not (self.countries != "").any():
            raise InvalidRecipe(f"tileset {tileset.name!r} has no countries; use one that has, such as awbw")
        one, other = find_countries(countries, tileset, "countries")
        if NEUTRAL in (one, other):
            raise InvalidRecipe("must be two countries that can play", at="countries", got=NEUTRAL)
        self.players = one, other
        self.is_building = self.countries != ""
        self.is_land = np.isin(self.kinds, LAND) & tileset.passable & ~self.is_building
        self.foot_costs = foot_costs(tileset)
        opponents = change_owners(
            tileset, {one: other, other: one}, np.zeros(len(tileset), dtype=np.bool_), "countries"
        )
        self.partner = opponents[tileset.reorient_tiles(move)]
        """(tile,) tile at the mirrored cell: the reoriented piece, or the same building of the opponent."""
        ground = np.flatnonzero((self.kinds == GROUND) & self.is_land)
        if not ground.size:
            raise InvalidRecipe(f"tileset {tileset.name!r} has no tile of the kind {GROUND!r} to build on")
        self.ground_tile = int(ground[0])

    def find_building(self, kind: str, country: str) -> int:
        """Return the building of a kind that belongs to a country."""
        found = np.flatnonzero((self.kinds == kind) & (self.countries == country))
        if not found.size:
            text = f"tileset {self.tileset.name!r} has no tile of the kind {kind!r} for {country}; set its number to 0"
            raise InvalidRecipe(text)
        return int(found[0])

    def find_piece(self, kind: str, sides: Iterable[str]) -> int | None:
        """Return the piece with these open sides and the fewest other open sides; None if there is none."""
        required = set(sides)
        fitting = [
            (len(tile.joins), number)
            for number, tile in enumerate(self.tileset)
            if tile.kind == kind and required <= set(tile.joins)
        ]
        return min(fitting)[1] if fitting else None


class Battlefield:
    """Cells of a map that change in symmetric pairs or, without a symmetry, individually."""

    def __init__(self, cells: NDArray[np.integer], kinds: TileKinds, image: Places | None, locked: Mask) -> None:
        self.kinds = kinds
        self.shape: Cell = (cells.shape[0], cells.shape[1])
        self.image = image
        """(row, column) flat index of each cell's image; None without a symmetry."""
        self.cells: NDArray[np.int64] = cells.astype(np.int64)
        here: Places = np.arange(cells.size).reshape(cells.shape)
        self.source = here
        """(row, column) flat index of the cell that each cell copies."""
        self.locked = locked
        self.frozen = locked.copy()
        """Locked cells and their images."""
        self.on_axis: Mask = np.zeros(cells.shape, dtype=np.bool_)
        """Cells that are their own image."""
        self.first_half: Mask = np.ones(cells.shape, dtype=np.bool_)
        """Cells of the first player's half."""
        self.image_distance = np.full(cells.shape, np.inf)
        """Squared distance of each cell to its image."""
        if image is not None:
            self.on_axis = image == here
            self.first_half = here < image
            rows, columns = np.divmod(image, cells.shape[1])
            own_rows, own_columns = np.divmod(here, cells.shape[1])
            self.image_distance = ((rows - own_rows) ** 2 + (columns - own_columns) ** 2).astype(np.float64)
            self.frozen |= locked.reshape(-1)[image]
            self._copy(image, locked)

    def _copy(self, image: Places, locked: Mask) -> None:
        """Copy the first half onto the second; if only one cell of a pair is locked, copy the locked cell."""
        here, partner = self.source, self.kinds.partner
        flat = self.cells.reshape(-1)
        clash = locked & locked.reshape(-1)[image] & (partner[flat[image]] != self.cells)
        if clash.any():
            place = tuple(np.argwhere(clash)[0].tolist())
            cells = {place: None, self.image_of((place[0], place[1])): None}
            raise GaveUp("players: locked cells break the symmetry", cells=cells, remove=["locks"])
        keeps_own = locked | (self.first_half & ~locked.reshape(-1)[image]) | self.on_axis
        self.source = np.where(keeps_own, here, image)
        self.cells = np.where(keeps_own, self.cells, partner[flat[image]])
        self._fix_axis()

    def set_cells(self, cells: NDArray[np.integer]) -> None:
        """Replace all cells except frozen ones, and copy the first half onto the second."""
        new = cells.astype(np.int64)
        if self.image is not None:
            new = np.where(self.first_half | self.on_axis, new, self.kinds.partner[new.reshape(-1)[self.image]])
        self.cells = np.where(self.frozen, self.cells, new)
        self._fix_axis()

    def _fix_axis(self) -> None:
        """Replace tiles on the axis that are not their own partner."""
        uneven = self.on_axis & (self.kinds.partner[self.cells] != self.cells) & ~self.frozen
        for row, column in np.argwhere(uneven).tolist():
            self.cells[row, column] = self._find_symmetric_tile(int(self.cells[row, column]))

    def _find_symmetric_tile(self, tile: int) -> int:
        """Return the most similar tile of the same kind that is its own partner, or else ground."""
        joins = set(self.kinds.tileset[tile].joins)
        options = [
            (len(joins ^ set(other.joins)), number)
            for number, other in enumerate(self.kinds.tileset)
            if other.kind == self.kinds.tileset[tile].kind
            and other.joins
            and not other.country
            and self.kinds.partner[number] == number
        ]
        return min(options)[1] if options else self.kinds.ground_tile

    def image_of(self, cell: Cell) -> Cell:
        """Return the image of a cell; without a symmetry, the cell itself."""
        if self.image is None:
            return cell
        place = int(self.image[cell])
        return place // self.shape[1], place % self.shape[1]

    def lay(self, cell: Cell, tile: int) -> None:
        """Put a tile on a cell, and its partner tile on the image of the cell, unless these cells are frozen."""
        if self.frozen[cell]:
            return
        if self.on_axis[cell] and self.kinds.partner[tile] != tile:
            tile = self.kinds.ground_tile
        self.cells[cell] = tile
        if self.image is not None:
            self.cells[self.image_of(cell)] = self.kinds.partner[tile]

    def clear_buildings(self) -> Mask:
        """Replace buildings that are not frozen by the most common land around; return a mask of the neutral ones."""
        kinds, removed = self.kinds, self.kinds.is_building[self.cells] & ~self.frozen
        old: Mask = removed & (kinds.countries[self.cells] == NEUTRAL)
        lands = np.flatnonzero(kinds.is_land)
        around = np.stack([count_within(self.cells == land, 1) for land in lands.tolist()])
        best = np.where(around.max(axis=0) > 0, lands[np.argmax(around, axis=0)], kinds.ground_tile)
        self.cells[removed] = best[removed]
        return old

    def find_buildings(self, kind: str, country: str) -> Mask:
        """Return the cells with buildings of a kind that belong to a country."""
        mask: Mask = ((self.kinds.kinds == kind) & (self.kinds.countries == country))[self.cells]
        return mask

    def find_kinds(self, *kinds: str) -> Mask:
        """Return the cells whose tiles have one of these kinds."""
        return np.isin(self.kinds.kinds, kinds)[self.cells]

    @property
    def passable(self) -> Mask:
        return self.kinds.tileset.passable[self.cells]

    @property
    def buildings(self) -> Mask:
        mask: Mask = self.kinds.is_building[self.cells]
        return mask


def count_within(mask: Mask, reach: int) -> NDArray[np.int64]:
    """Return the number of set cells in the square of radius `reach` around each cell."""
    wide, side = np.pad(mask.astype(np.int64), reach), 2 * reach + 1
    return np.asarray(sliding_window_view(wide, (side, side)).sum(axis=(-2, -1)), dtype=np.int64)


def find_adjacent(mask: Mask) -> Mask:
    """Return the cells with a set cell at one of their four sides."""
    wide = np.pad(mask, 1)
    return wide[:-2, 1:-1] | wide[2:, 1:-1] | wide[1:-1, :-2] | wide[1:-1, 2:]


def opposite_side(side: int) -> int:
    return (side + 2) % len(SIDES)
