"""Edits: what was changed by hand in a map after it was made, such as in Tiled or LDtk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import InvalidRecipe, pluralize, short_repr
from .landmarks import Change, LandmarkEdits
from .locks import Locks
from .pipeline import run
from .plan import find_origins, make_plan
from .provenance import collect_revisions, digest, raised_revisions, read_recipe
from .recipe import Recipe
from .registry import techniques
from .resolver import Resolver
from .tilemap import Marker, TileMap, format_size

ERASED = "empty"
"""Name of the tile that readers give to cells without a tile."""


@dataclass(frozen=True, eq=False)
class Edits:
    """The difference between a map and the map that its recipe makes. `tw.find_edits` returns it."""

    map: TileMap
    """The edited map."""
    original: TileMap
    """The map that the recipe makes."""
    mask: NDArray[np.bool_]
    """Mask of the edited cells: those with another tile, and those with a marker that was added or moved. Erased cells
    are not in it, because they have no tile to keep."""
    added: tuple[Marker, ...]
    """Markers that the recipe does not make, such as those that were moved."""
    removed: tuple[Marker, ...]
    """Markers of the original map that were removed or moved."""

    def __str__(self) -> str:
        markers = max(len(self.added), len(self.removed))  # A marker that was moved is in both.
        return f"{pluralize(int(self.mask.sum()), 'edited cell')} and {pluralize(markers, 'edited marker')}"

    def __repr__(self) -> str:
        return f"<Edits: {self}>"

    def to_locks(self) -> Locks:
        """Return locks that keep the edited cells, in the coordinates of the edited map."""
        return self.map.to_locks(self.mask)

    def to_recipe(self, recipe: Recipe | None = None) -> Recipe:
        """Return a recipe in which the edited cells are locked.

        Parameters
        ----------
        recipe
            Recipe to change; by default, that of the original map.

        Returns
        -------
        Recipe
            The recipe with the locks that it had and those of the edits.

        Raises
        ------
        InvalidRecipe
            If the recipe makes maps of another size.
        TooLarge
            If there are more edited cells than a recipe can store.
        """
        recipe = recipe or self.original.recipe
        assert recipe is not None
        cells = np.flatnonzero(self.mask)
        if not len(cells):
            return recipe
        places, tiles = find_origins(recipe)
        if places.shape != self.map.shape:
            size, own = format_size(places.shape), format_size(self.map.shape)
            raise InvalidRecipe(f"the recipe makes a map of {size} cells, the edited map has {own}", at="locks")
        names = self.original.tileset.names
        before = np.arange(len(names))  # Array (tile,) of the id of each tile before the map was mirrored or rotated.
        before[: len(tiles)] = tiles
        which = before[_match_tiles(self.map, self.original)[self.map.cells.reshape(-1)[cells]]]
        shape = make_plan(recipe).site.shape
        locks = (recipe.locks or Locks.of([])).with_cells(places.reshape(-1)[cells], which, names, shape)
        entry = techniques.get(recipe.technique)
        tileset = entry.tileset_for(recipe.params, recipe.tileset, dict(recipe.tiles), locks.labels)
        return replace(recipe, locks=locks, tileset=tileset, attempt=None)

    def keep_markers(self, map: TileMap) -> TileMap:
        """Return a map with the markers that were added, and without as many of each name as were removed.

        A marker that was moved therefore replaces the one that the recipe placed. Markers on the cells of removed ones
        are removed first.
        """
        changes: list[Change[Marker]] = [Change(gone, None) for gone in self.removed]
        return LandmarkEdits((*changes, *(Change(None, one) for one in self.added))).apply(map)

    def rebuild(self, seed: int | str | None = None) -> TileMap:
        """Make the map again around the edits.

        Parameters
        ----------
        seed
            Seed of the new map; by default, that of the original map.

        Returns
        -------
        TileMap
            The new map, with the edited cells and markers. Its recipe contains the edited cells as locks, so that it
            can be edited and rebuilt again.

        Raises
        ------
        GaveUp
            If no map meets all constraints around the edited cells.
        """
        recipe = self.to_recipe()
        return self.keep_markers(run(recipe if seed is None else recipe.with_seed(seed)))


def find_edits(map: TileMap, provenance: Mapping[str, Any], resolver: Resolver | None = None) -> Edits:
    """Regenerate a map from its provenance, and return what was changed in it since it was made.

    Parameters
    ----------
    map
        The map, as read from its file.
    provenance
        Provenance of the file.
    resolver
        Object that opens files. By default, only built-in names are known.

    Returns
    -------
    Edits
        The difference.

    Raises
    ------
    InvalidRecipe
        If the file has no recipe, its recipe now makes another map, or the map has another size or unknown tiles.
    """
    recipe = read_recipe(map, provenance, resolver)
    if recipe.seed is None:
        raise InvalidRecipe("the recipe has no seed", at="seed", rule="missing")
    sheet = map.tileset.sheet
    if sheet is not None and recipe.tileset.sheet == sheet:  # A recipe stores the description of a picture only.
        recipe = replace(recipe, tileset=recipe.tileset.model_copy(update={"sheet": sheet}))
    original = run(recipe)
    if provenance.get("digest") != digest(original):
        stored = provenance.get("revisions")
        raised = raised_revisions(stored if isinstance(stored, Mapping) else {}, collect_revisions(recipe))
        reason = f"{', '.join(raised)} has a new revision" if raised else "the recipe makes another map"
        raise InvalidRecipe(
            f"edits cannot be distinguished, because {reason}; lock rectangles with --locks and --keep instead"
        )
    if map.shape != original.shape:
        own, made = format_size(map.shape), format_size(original.shape)
        raise InvalidRecipe(f"the map was resized to {own} cells, its recipe makes {made}")
    same_ids = _match_tiles(map, original)[map.cells]
    is_erased = (same_ids < 0) & (map.cells == map.tileset.by_name.get(ERASED, -1))
    unknown = (same_ids < 0) & ~is_erased
    if unknown.any():
        name = map.tileset.names[int(map.cells[unknown][0])]
        raise InvalidRecipe(
            f"the tileset {original.tileset.name!r} of the recipe has no tile {short_repr(name)}; "
            "paint with its tiles, or add the tile to the tileset"
        )
    mask = (same_ids != original.cells) & ~is_erased
    added, removed = _compare_markers(map, original)
    for marker in added:
        place = (marker.level, marker.y, marker.x)[-map.cells.ndim :]
        mask[place] = not is_erased[place]
    mask.flags.writeable = False
    return Edits(map, original, mask, added, removed)


def _match_tiles(map: TileMap, original: TileMap) -> NDArray[np.int64]:
    """Return an array (tile,) of the id in the original map of each tile of a map; -1 for unknown tiles."""
    return np.array([original.tileset.by_name.get(name, -1) for name in map.tileset.names])


def _compare_markers(map: TileMap, original: TileMap) -> tuple[tuple[Marker, ...], tuple[Marker, ...]]:
    """Return the markers that only the edited map has, and those that only the original has."""

    def subtract(markers: tuple[Marker, ...], others: tuple[Marker, ...]) -> tuple[Marker, ...]:
        left = Counter(map_key(one) for one in others)
        kept = []
        for one in markers:
            if left[map_key(one)]:
                left[map_key(one)] -= 1
            else:
                kept.append(one)
        return tuple(kept)

    def map_key(one: Marker) -> tuple[Any, ...]:
        return one.name, one.x, one.y, one.level, tuple(sorted(one.properties.items()))

    return subtract(map.markers, original.markers), subtract(original.markers, map.markers)
