"""Overlay: generate another recipe inside this map: in a rectangle, on the cells of one tile, or in every room.

The inner recipe is generated at the size of its place, with a random stream of its own unless it has a seed. Its tiles
become the tiles of the same name in this map, or those given by `tiles`; missing tiles are added with their appearance.
Locked cells inside the place are also locked for the inner recipe, unless it moves cells or has no such tile, and keep
their tiles in any case. Rooms, links and markers are copied into rectangles and rooms; layers and numbers are not.

With `keep_connected`, impassable tiles such as water never divide a region of passable cells, and keep clear of doors,
passages one cell wide and markers. The cells that stay for this are chosen at random.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from pydantic import field_validator

from ..analysis.doorways import find_doors, passages
from ..core import pipeline
from ..core.entries import shaper
from ..core.errors import GaveUp, InvalidRecipe, Problem, UnknownName, problem
from ..core.grid import Label
from ..core.locks import Locks
from ..core.params import MAX_SIDE, Params, hint, param
from ..core.recipe import Recipe
from ..core.registry import shapers
from ..core.seeds import Rng
from ..core.site import Frame, Site, Steps, change_frames
from ..core.tilemap import TileMap
from ._filling import fill_cells

Place: TypeAlias = tuple[slice, slice]
"""A rectangle of the map, as slices of rows and columns."""


class OverlayParams(Params):
    recipe: Recipe = param(initial="open-caves")
    """Recipe to generate; its width and height are those of the place."""
    x: int = param(0, ge=0, le=MAX_SIDE, group="place")
    """First column of the place."""
    y: int = param(0, ge=0, le=MAX_SIDE, group="place")
    """First row of the place."""
    width: int | None = param(None, ge=1, le=MAX_SIDE, group="size")
    """Number of columns of the place; by default all up to the right edge."""
    height: int | None = param(None, ge=1, le=MAX_SIDE, group="size")
    """Number of rows of the place; by default all up to the bottom edge."""
    on: Label | None = param(None, tiles=True)
    """Tile to replace; other cells are kept, and the place shrinks to the bounding box of this tile."""
    tiles: tuple[tuple[Annotated[Label, hint(tiles="recipe")], Label], ...] = param((), tiles=True)
    """Tiles of the inner map and what they become in this one, such as wall: rock; other tiles keep their names."""
    keep_connected: bool = param(False)
    """Whether to leave out impassable tiles that would separate passable cells, or close a door or a passage."""
    where: Literal["rooms"] | None = param(None)
    """Places instead of one rectangle: `rooms` for every room of the map, each with a random stream of its own."""

    @field_validator("tiles", mode="before")
    @classmethod
    def _read_tiles(cls, value: Any) -> Any:
        return tuple(value.items()) if isinstance(value, Mapping) else value

    def find_problems(self) -> Iterator[Problem]:
        if self.where is not None and (self.x or self.y or self.width or self.height):
            yield problem("give either where or a rectangle (x, y, width, height)", at="where", rule="conflict")
        elif not {"width", "height"} <= set(type(self.recipe.params).model_fields):
            yield problem(f"{self.recipe.technique} has no width and height to fit a place", at="recipe")


@shaper(OverlayParams, dimensions=(2,))
def overlay(map: TileMap, p: OverlayParams, site: Site, rng: Rng) -> Steps:
    free = ~site.locked
    wanted = np.ones(map.shape, dtype=np.bool_) if p.on is None else map.cells == site.tile(p.on)
    places = [_shrink(place, wanted) for place in _find_places(map, p) if wanted[place].any()]
    for number, place in enumerate(places):
        inner = yield from _make_inner(p.recipe, map, place, wanted & ~free, rng.child("place", number))
        become = _map_tile_ids(p.tiles, inner, map)
        used = [tile for tile in np.unique(inner.cells).tolist() if tile not in become]
        tileset = map.tileset.with_tiles(inner.tileset[tile] for tile in used)
        found = [become.get(tile, tileset.by_name.get(name, 0)) for tile, name in enumerate(inner.tileset.names)]
        ids = np.array(found, dtype=tileset.dtype)
        cells = map.cells.astype(tileset.dtype)
        changed = wanted[place] & free[place]
        if p.keep_connected:
            blocked = np.zeros(map.shape, dtype=np.bool_)
            blocked[place] = changed & ~tileset.passable[ids[inner.cells]]
            changed &= ~(blocked & _find_required(map, blocked, rng.child("connected", number)))[place]
        np.copyto(cells[place], ids[inner.cells], where=changed)
        map = map.replace(
            cells=cells, tileset=tileset, **({} if p.on is not None else _merge_objects(map, inner, place))
        )
        yield Frame(cells, "", (number + 1) / len(places), site=Site(map.shape, tileset))
    return map


def _find_required(map: TileMap, blocked: NDArray[np.bool_], rng: Rng) -> NDArray[np.bool_]:
    """Return the cells to keep passable, so that the other blocked cells separate nothing and close no passage."""
    passable = map.passable
    ways = find_doors(map) | passages(passable)
    spared = passable & (~blocked | _grow(ways))
    for marker in map.markers:
        spared[marker.y, marker.x] = passable[marker.y, marker.x]
    required = passable
    for is_open, _ in fill_cells(passable, spared, int(np.count_nonzero(spared)), rng):
        required = is_open
    return required.copy()


def _grow(mask: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the cells of a mask and their neighbors along the axes."""
    padded = np.pad(mask, 1)
    grown: NDArray[np.bool_] = mask | padded[:-2, 1:-1] | padded[2:, 1:-1] | padded[1:-1, :-2] | padded[1:-1, 2:]
    return grown


def _map_tile_ids(tiles: Iterable[tuple[str | int, str | int]], inner: TileMap, map: TileMap) -> dict[int, int]:
    """Return, for each inner tile that `tiles` replaces, its id and the id of the tile of this map that replaces it."""
    try:
        return {inner.tileset.id(old): map.tileset.id(new) for old, new in tiles}
    except UnknownName as error:
        raise InvalidRecipe.from_error(error, "tiles") from None


def _find_places(map: TileMap, p: OverlayParams) -> list[Place]:
    if p.where == "rooms":
        if not map.rooms:
            raise InvalidRecipe("this map has no rooms; give a rectangle, or a tile in `on`", at="where")
        return [_rectangle(room.x, room.y, room.width, room.height) for room in map.rooms]
    width = p.width if p.width is not None else max(1, map.width - p.x)
    height = p.height if p.height is not None else max(1, map.height - p.y)
    if p.x + width > map.width or p.y + height > map.height:
        text = f"{width}x{height} cells at x={p.x} y={p.y} do not fit into a map of {map.width}x{map.height}"
        raise InvalidRecipe(text)
    return [_rectangle(p.x, p.y, width, height)]


def _rectangle(x: int, y: int, width: int, height: int) -> Place:
    return slice(y, y + height), slice(x, x + width)


def _shrink(place: Place, wanted: NDArray[np.bool_]) -> Place:
    """Return the bounding box of the wanted cells of a place."""
    rows, columns = (np.flatnonzero(wanted[place].any(axis=axis)) for axis in (1, 0))
    x, y = place[1].start + int(columns[0]), place[0].start + int(rows[0])
    return _rectangle(x, y, int(columns[-1] - columns[0]) + 1, int(rows[-1] - rows[0]) + 1)


def _make_inner(recipe: Recipe, map: TileMap, place: Place, locked: NDArray[np.bool_], rng: Rng) -> Steps:
    """Generate the inner map; frames show the outer map until the inner map is finished."""
    rows, columns = place
    shape = (rows.stop - rows.start, columns.stop - columns.start)
    try:
        params = recipe.params.replace(height=shape[0], width=shape[1])
        locks = _combine_locks(recipe, TileMap(map.cells[place], map.tileset), locked[place])
        fitted = replace(recipe, params=params, locks=locks)
        work = pipeline.iter_steps(fitted, root=rng if recipe.seed is None else None)
        outer = Frame(map.cells, site=Site(map.shape, map.tileset))
        inner = yield from change_frames(work, lambda frame: replace(outer, note=f"{frame.stage} {frame.note}".strip()))
    except InvalidRecipe as error:
        raise error.within("recipe") from None
    except GaveUp as error:
        cells = [(row + rows.start, column + columns.start) for row, column in error.cells]
        raise GaveUp(*error.within("recipe", place="overlay").problems, cells=cells, tries=error.tries) from None
    if inner.shape != shape:
        raise InvalidRecipe(
            f"makes {inner.width}x{inner.height} cells for a place of {shape[1]}x{shape[0]}; remove the stages "
            "that change its size",
            at="recipe",
        )
    return inner


def _combine_locks(recipe: Recipe, there: TileMap, locked: NDArray[np.bool_]) -> Locks | None:
    """Return the inner recipe's locks, preceded by the locks of the outer map whose tiles the recipe has."""
    tile_ids = recipe.tileset.by_name
    known = np.array([name in tile_ids for name in there.tileset.names])
    taken = locked & known[there.cells]
    if not taken.any() or any(shapers.get(stage.shaper).rearranges for stage in recipe.shaping):
        return recipe.locks
    outer = Locks.from_map(there, taken)
    if recipe.locks is None:
        return outer
    own = recipe.locks.fit_to(there.shape)
    free = ~taken[tuple(own.places.T)]
    return Locks(
        np.concatenate([outer.places, own.places[free]]),
        np.concatenate([outer.label_indices, own.label_indices[free] + len(outer.labels)]),
        (*outer.labels, *own.labels),
    )


def _merge_objects(map: TileMap, inner: TileMap, place: Place) -> dict[str, Any]:
    """Return the rooms, links and markers of the map, followed by those of the inner map, shifted to its place."""
    rows, columns = place
    first = len(map.rooms)
    return {
        "rooms": [*map.rooms, *(replace(r, x=r.x + columns.start, y=r.y + rows.start) for r in inner.rooms)],
        "links": [*map.links, *((first + a, first + b) for a, b in inner.links)],
        "markers": [*map.markers, *(replace(m, x=m.x + columns.start, y=m.y + rows.start) for m in inner.markers)],
    }
