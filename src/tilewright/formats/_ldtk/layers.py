"""Definitions of a project's layers, with auto-layer rules that choose the sprites of a tileset's skins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.skins import ALL_BITS, DIRECTIONS
from ...core.tileset import ANY_GROUND, Tileset
from .._artwork import THINGS, Artwork, Plane, SkinTable
from . import CELLS_LAYER, THINGS_LAYER, choose_identifier, list_identifiers
from .auto_layers import MAX_VALUE, Pattern, ValueSets, list_border_patterns, list_patterns, repeat_by_weight
from .definitions import Data, TilePicture, make_layer, make_rule, make_rule_group, make_value

OVER_LAYER = "Over"
"""Layer of the things in `Cells`."""
BORDER = 1
"""Number of pixels by which levels shift a layer of sprites between cells. The editor gives such a layer one more row
and column of cells. The definition of the layer has the rest of the offset, which some importers use alone."""
SIMPLIFIED = "(simplified)"
"""Mark in the names of groups of rules that do not choose all sprites of a skin."""
RuleKey = tuple[int, int]
"""Sprite, and the tile of its cell in the IntGrid; for sprites between cells, the number of `locate_borders`."""


@dataclass(frozen=True, eq=False)
class GridPlan:
    """An IntGrid layer: `Cells`, or `Things` with the tiles that are drawn over the most common tile around them."""

    name: str
    uid: int
    tiles: NDArray[np.bool_]
    """Array (tile,) of whether the layer can have a tile."""
    ground: NDArray[np.int64]
    """Array (tile,) of the ground under each tile."""
    sets: ValueSets


@dataclass(frozen=True, eq=False)
class SpritePlan:
    """A layer of sprites."""

    plane: int
    """Number of the layer of sprites that it shows."""
    definition: Data
    grid: GridPlan | None
    """IntGrid that its rules read; None for a layer of plain tiles, which shows all of the plane."""
    rules: dict[RuleKey, int]
    """Uids of the rules."""

    @property
    def is_auto(self) -> bool:
        return self.grid is not None


@dataclass(frozen=True, eq=False)
class LayerPlan:
    """All layers of cells and sprites."""

    cells: GridPlan
    things: GridPlan | None
    sprites: tuple[SpritePlan, ...]
    """Layers of sprites from the lowest."""
    definitions: tuple[Data, ...]
    """Definitions of all layers, from the top."""


def plan_layers(tileset: Tileset, picture: TilePicture, uids: Iterator[int], *, with_rules: bool) -> LayerPlan:
    """Return the layers of a tileset: auto layers, or layers of plain tiles without rules or with too many tiles."""
    artwork = Artwork.of(tileset)
    cells, things = _plan_grids(tileset, artwork, uids)
    planner = _Planner(artwork, picture, uids)
    taken = {CELLS_LAYER.lower(), THINGS_LAYER.lower()}
    sprites: list[SpritePlan] = []
    for number, plane in enumerate(artwork.planes):
        grids = [grid for grid in (cells, things) if grid is not None and (grid is cells or plane.name == THINGS)]
        is_ruled = with_rules and len(tileset) <= MAX_VALUE
        for grid in grids:
            name = choose_identifier(_name_layer(plane, grid if is_ruled else None), taken)
            if not is_ruled:
                links = {"tilesetDefUid": picture.definition["uid"], **_shift(plane, picture.size)}
                definition = make_layer("Tiles", name, next(uids), picture.size, **links)
                sprites.append(SpritePlan(number, definition, None, {}))
                break
            groups, rules = planner.make_groups(plane, grid)
            if groups:
                links = {"tilesetDefUid": picture.definition["uid"], "autoSourceLayerDefUid": grid.uid}
                links |= _shift(plane, picture.size)
                definition = make_layer("AutoLayer", name, next(uids), picture.size, autoRuleGroups=groups, **links)
                sprites.append(SpritePlan(number, definition, grid, rules))
    listed = [*(plan.definition for plan in sprites)]
    grids = [grid for grid in (cells, things) if grid is not None]
    values = [_define_grid(grid, tileset, picture) for grid in grids]
    return LayerPlan(cells, things, tuple(sprites), (*reversed(listed), *reversed(values)))


def _shift(plane: Plane, size: int) -> dict[str, int]:
    """Return the offset of a layer by half a cell, except for the pixels that its levels add."""
    return dict.fromkeys(("pxOffsetX", "pxOffsetY"), BORDER - size // 2 if plane.is_dual else 0)


def _name_layer(plane: Plane, grid: GridPlan | None) -> str:
    if plane.name != THINGS:
        return plane.name.capitalize()
    return OVER_LAYER if grid is None or grid.name == CELLS_LAYER else f"{THINGS_LAYER} sprites"


def _plan_grids(tileset: Tileset, artwork: Artwork, uids: Iterator[int]) -> tuple[GridPlan, GridPlan | None]:
    """Return the IntGrids of cells and of things, with groups for the sets of tiles that rules compare."""
    is_loose = np.array([tile.over == ANY_GROUND for tile in tileset])
    own = np.arange(len(tileset))
    ground = np.array([tileset.by_name.get(tile.over, number) for number, tile in enumerate(tileset)])
    grids = []
    for name, tiles, under in ((CELLS_LAYER, ~is_loose, ground), (THINGS_LAYER, is_loose, own)):
        if tiles.any() or name == CELLS_LAYER:
            sets = ValueSets(frozenset(np.flatnonzero(tiles).tolist()), has_empty=name == THINGS_LAYER)
            grid = GridPlan(name, next(uids), tiles, under, sets)
            planes = [plane for plane in artwork.planes if plane.name == THINGS or name == CELLS_LAYER]
            tables = [(table, plane) for plane in planes for table in plane.tables]
            sets.add(_find_same(table, plane, grid) or frozenset() for table, plane in tables)
            # Rules for several centers can also be repeated for each of them.
            sets.add(centers for table, plane in tables for _, centers in _iter_centers(table, plane, grid))
            grids.append(grid)
    return grids[0], grids[1] if len(grids) > 1 else None


def _find_same(table: SkinTable, plane: Plane, grid: GridPlan) -> frozenset[int] | None:
    """Return the tiles of an IntGrid that count as the same; None if that depends on more than this IntGrid.

    In the layer of things, the ground under a tile does not count.
    """
    bits = table.bits if plane.name == THINGS else table.bits | table.bits[grid.ground]
    wanted = ALL_BITS if plane.is_dual else table.layout.bits
    if (table.bits[~grid.tiles] & wanted).any():
        return None
    relevant = bits & wanted
    if plane.is_dual:
        return frozenset(np.flatnonzero((relevant != 0) & grid.tiles).tolist())
    if not np.isin(relevant, (0, wanted)).all():
        return None
    return frozenset(np.flatnonzero((relevant == wanted) & grid.tiles).tolist()) if wanted else frozenset()


def _iter_centers(table: SkinTable, plane: Plane, grid: GridPlan) -> Iterator[tuple[int, frozenset[int]]]:
    """Yield the rows of a skin's table, each with the tiles of an IntGrid whose sprites it has."""
    under = np.arange(len(grid.tiles)) if plane.name == THINGS else grid.ground
    covered = table.covered[under] & grid.tiles
    for row in range(len(table.first)):
        centers = frozenset(np.flatnonzero(covered & (table.rows[under] == row)).tolist())
        if centers:
            yield row, centers


def _define_grid(grid: GridPlan, tileset: Tileset, picture: TilePicture) -> Data:
    """Return the definition of an IntGrid. The editor shows its colors only while it is selected."""
    identifiers = list_identifiers(tileset.names)
    values = []
    for number in np.flatnonzero(grid.tiles).tolist():
        color, rectangle = tileset[number].color, picture.make_rectangle(number)
        values.append(make_value(number + 1, identifiers[number], color, rectangle, grid.sets.group_of(number)))
    groups = [{"uid": uid, "identifier": f"Group_{uid}", "color": None} for uid in range(1, len(grid.sets.groups) + 1)]
    shown = {"intGridValues": values, "intGridValuesGroups": groups, "inactiveOpacity": 0}
    return make_layer("IntGrid", grid.name, grid.uid, picture.size, **shown)


# -- rules ----------------------------------------------------------------------------------------------------


class PlannedRule(NamedTuple):
    """A rule without its number."""

    pattern: tuple[int, ...]
    variants: Sequence[int]
    """Sprites to choose from."""
    keys: Sequence[RuleKey]
    """Sprites and centers for which the project names this rule."""
    outside: int | None = None
    """Value of cells outside the level."""


@dataclass(frozen=True, eq=False)
class _Planner:
    """Maker of rules for the layers of an artwork."""

    artwork: Artwork
    picture: TilePicture
    uids: Iterator[int]

    def make_groups(self, plane: Plane, grid: GridPlan) -> tuple[list[Data], dict[RuleKey, int]]:
        """Return the groups of rules of a plane, and the uid of the rule for each sprite and center."""
        groups: list[Data] = []
        uids: dict[RuleKey, int] = {}
        for table in plane.tables:
            name, rules = table.skin.tile, self._list_skin_rules(table, plane, grid)
            if rules is None:
                name, rules = f"{name} {SIMPLIFIED}", [*self._iter_simple_rules(table, plane, grid)]
            groups += self._make_group(name, rules, uids)
        return [*groups, *self._make_group("tiles", self._iter_single_rules(plane, grid), uids)], uids

    def _make_group(self, name: str, rules: Iterable[PlannedRule], uids: dict[RuleKey, int]) -> list[Data]:
        """Return a group of rules, if there are any, and store their uids."""
        made = []
        for rule in rules:
            choices = [(int(self.picture.numbers[one]), self.artwork.sprites[one].weight) for one in rule.variants]
            made.append(make_rule(next(self.uids), rule.pattern, repeat_by_weight(choices), rule.outside))
            uid: int = made[-1]["uid"]
            uids |= dict.fromkeys(rule.keys, uid)
        return [make_rule_group(next(self.uids), name, made)] if made else []

    def _iter_single_rules(self, plane: Plane, grid: GridPlan) -> Iterator[PlannedRule]:
        """Yield a rule for each tile that has the same sprite in all cells."""
        for tile in np.flatnonzero(grid.tiles).tolist():
            shown = tile if plane.name == THINGS else int(grid.ground[tile])
            if plane.singles[shown]:
                yield PlannedRule((tile + 1,), self._list_variants(shown), [(shown, tile)])

    def _list_skin_rules(self, table: SkinTable, plane: Plane, grid: GridPlan) -> list[PlannedRule] | None:
        """Return rules that choose the sprites of a skin; None if no rules can."""
        centers_by_row = [*_iter_centers(table, plane, grid)]
        outside = table.skin.outside
        if not plane.is_dual and not centers_by_row:
            return []
        same = _find_same(table, plane, grid)
        if same is None:
            return None
        found: list[tuple[int, Pattern, Iterable[int]]] = []
        """Rows of the skin's table, patterns and the centers or borders that they are for."""
        if plane.is_dual:
            patterns = list_border_patterns(table.layout, same, outside, grid.sets)
            if patterns is None:
                return None
            found = [(0, pattern, (border,)) for border, pattern in patterns]
        for row, centers in () if plane.is_dual else centers_by_row:
            by_tile = list_patterns(table.layout, centers, same, outside, grid.sets)
            if by_tile is None:
                return None
            for tile, listed in by_tile.items():
                found += [(row, pattern, centers if tile < 0 else (tile,)) for pattern in listed]
        rules = []
        for row, pattern, places in found:
            variants = self._list_variants(int(table.first[row, pattern.mask]))
            rules.append(PlannedRule(pattern.cells, variants, [*product(variants, places)], pattern.outside))
        return rules

    def _iter_simple_rules(self, table: SkinTable, plane: Plane, grid: GridPlan) -> Iterator[PlannedRule]:
        """Yield a rule per tile, with the sprite that the tile has inside an area of the same.

        The project has the right sprites. The editor replaces those near an edit, until the map is exported again.
        """
        if plane.is_dual:
            same = (table.bits | table.bits[grid.ground]) != 0
            keys = [*product(self._list_all_variants(table.first[0]), range(9))]
            variants = self._list_variants(int(table.first[0, ALL_BITS]))
            for tile in np.flatnonzero(same & grid.tiles).tolist():
                yield PlannedRule((tile + 1,), variants, keys)
                keys = []  # Only the first of the rules is that of the sprites.
            return
        for row, centers in _iter_centers(table, plane, grid):
            sprites = self._list_all_variants(table.first[row])
            variants = self._list_variants(int(table.first[row, self._choose_mask(table, row)]))
            for center in sorted(centers):
                yield PlannedRule((center + 1,), variants, [(sprite, center) for sprite in sprites])

    def _list_all_variants(self, firsts: NDArray[np.int32]) -> set[int]:
        """Return the sprites of a row of a skin's table, for all masks."""
        return {sprite for first in set(firsts.tolist()) for sprite in self._list_variants(first)}

    def _choose_mask(self, table: SkinTable, row: int) -> int:
        """Return the mask of a tile whose neighbors are not known: its joins, walls at both sides of a door, or all."""
        tile = self.artwork.tileset[int(table.tiles[row])]
        directions = tile.joins or ("ew" if table.skin.toward else "")
        return sum(1 << DIRECTIONS.index(side) for side in directions) or ALL_BITS

    def _list_variants(self, first: int) -> list[int]:
        """Return all sprites of the same tile, skin and mask as the first of them."""
        sprites = self.artwork.sprites
        start = sprites[first]
        last = first + 1
        while last < len(sprites) and start.skin is not None:
            sprite = sprites[last]
            if (sprite.tile, sprite.skin, sprite.mask) != (start.tile, start.skin, start.mask):
                break
            last += 1
        return [*range(first, last)]


def locate_borders(height: int, width: int) -> NDArray[np.int64]:
    """Return an array (row, column) of the border on which each corner of the cells of a level is.

    The numbers are 3 * row + column of a 3x3 square: 4 is inside, 0 the upper left corner of the level.
    """
    rows, columns = np.ones(height + 1, dtype=np.int64), np.ones(width + 1, dtype=np.int64)
    rows[[0, -1]] = columns[[0, -1]] = 0, 2
    return 3 * rows[:, None] + columns
